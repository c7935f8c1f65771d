// SPDX-License-Identifier: BSD-2-Clause
// Views other than ASCII text: the string is short, and the picture shows the pattern of the matrix with each row in
// the color of its group. No X is needed.
#include "types.hpp"

#include <petscdraw.h>
#include <petscviewer.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <map>

#include <unistd.h>

using namespace finegrain::test;

namespace
{

using Pixel = std::array<int, 3>;

struct Picture {
  int width = 0, height = 0;
  std::vector<Pixel> pixels;

  Pixel at(int x, int y) const { return pixels[std::size_t(y * width + x)]; }
};

// Reads PETSc's file of portable pixels.
Picture ReadPicture(const std::string &name)
{
  std::ifstream file(name, std::ios::binary);
  std::string kind;
  int most;
  Picture p;
  file >> kind >> p.width >> p.height >> most;
  file.get();
  p.pixels.resize(std::size_t(p.width * p.height));
  for (Pixel &pixel : p.pixels)
    for (int &part : pixel) part = file.get();
  EXPECT_TRUE(kind == "P6" && file) << name;
  return p;
}

// Ranks share the name, and the first one writes.
std::string PictureName()
{
  int process = int(getpid());
  MPI_Bcast(&process, 1, MPI_INT, 0, PETSC_COMM_WORLD);
  return "/tmp/finegrain-picture-" + std::to_string(process) + ".ppm";
}

PetscErrorCode DrawToFile(PC pc, const std::string &type, const std::string &name)
{
  const std::size_t dot = type == PETSC_DRAW_IMAGE ? name.rfind('.') : std::string::npos; // PETSc appends .ppm
  const Options set("-draw_type " + type + " -draw_save_single_file -draw_save " + name.substr(0, dot));
  Owned<PetscViewer> viewer;
  PetscDraw draw;

  PetscFunctionBegin;
  PetscCall(PetscViewerDrawOpen(PETSC_COMM_WORLD, nullptr, nullptr, 0, 0, 400, 400, &viewer));
  PetscCall(PetscViewerDrawGetDraw(viewer, 0, &draw));
  PetscCall(PetscDrawSetCurrentPoint(draw, PetscReal(0.5), PetscReal(0.9)));
  PetscCall(PCView(pc, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Checks the picture of a matrix of m x n points, in which the groups are i + j, modulo `period`.
void ExpectPicture(const char *type, const std::string &options, int period)
{
  SCOPED_TRACE(type);
  constexpr int m = 4, n = 3, rows = m * n;
  const std::string file = PictureName();
  const Couplings couplings = star(m, n, 1);
  Owned<Mat> A;
  Owned<PC> pc;
  OK(AssembleMatrix(couplings, 2, MATBAIJ, 1, &A));
  OK(MakePC(A, type, options, &pc));
  OK(PCSetUp(pc));
  OK(DrawToFile(pc, PETSC_DRAW_IMAGE, file));
  const Picture p = ReadPicture(file);
  (void)std::remove(file.c_str());
  // The picture is a square. Its lower part, below the box with the name of the PC, has entries in the first and the
  // last column.
  const Pixel white{255, 255, 255};
  int left = p.width, right = 0, bottom = 0;
  for (int y = p.height / 4; y < p.height; ++y)
    for (int x = 0; x < p.width; ++x)
      if (p.at(x, y) != white) {
        left = std::min(left, x);
        right = std::max(right, x + 1);
        bottom = y + 1;
      }
  const int side = right - left, top = bottom - side;
  ASSERT_GT(side, 200);
  std::map<int, std::set<Pixel>> of_group;
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < rows; ++col) {
      const Pixel pixel = p.at(left + side * (2 * col + 1) / (2 * rows), top + side * (2 * row + 1) / (2 * rows));
      EXPECT_EQ(pixel != white, couplings[std::size_t(row)].count(col) > 0) << row << " " << col;
      if (pixel != white) of_group[(row % m + row / m) % period].insert(pixel);
    }
  std::set<Pixel> all;
  for (const auto &[group, colors] : of_group) {
    EXPECT_EQ(colors.size(), 1u) << group;
    all.insert(colors.begin(), colors.end());
  }
  EXPECT_EQ(all.size(), of_group.size());
}

TEST(ViewDraw, ShowsThePatternInTheColorsOfGroups)
{
  if (Size() > 1) GTEST_SKIP() << "one factor, on one rank";
  ExpectPicture(PCFGBILU, "-pc_fgbilu_schedule level", 100);
  ExpectPicture(PCFGBICC, "-pc_fgbicc_schedule level", 100);
  ExpectPicture(PCMCPI, "", 2);
  ExpectPicture(PCPOWERQILU, "", 2);
}

PER_TYPE(ViewDrawPerType);

TEST_P(ViewDrawPerType, DrawsAndNamesAllVariants)
{
  const std::string file = PictureName();
  for (const Variant &v : t.variants) {
    SCOPED_TRACE(v.options);
    Owned<Mat> A;
    Owned<PC> pc;
    OK(Matrix(Shape::star, 2, MATBAIJ, &A));
    OK(Make(A, v.options, &pc));
    for (const bool set_up : {false, true}) {
      char text[256] = "";
      Owned<PetscViewer> viewer;
      if (set_up) {
        OK(PCSetUp(pc));
      }
      OK(PetscViewerStringOpen(PETSC_COMM_WORLD, text, sizeof(text), &viewer));
      OK(PCView(pc, viewer));
      ExpectIn(text, {set_up ? "groups=" : " not set up", " PCType: " + std::string(t.type).substr(0, 7)});
      OK(DrawToFile(pc, PETSC_DRAW_IMAGE, file));
      OK(DrawToFile(pc, PETSC_DRAW_NULL, file));
    }
  }
  if (Rank() == 0) (void)std::remove(file.c_str());
}

} // namespace
