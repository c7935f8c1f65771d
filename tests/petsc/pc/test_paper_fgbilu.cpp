// SPDX-License-Identifier: BSD-2-Clause
// Table 1 of Luo et al. (2015): residual histories of fgbilu equal those of PETSc's sequential block ILU(0), also in
// several blocks with corrections between them. 26 x 49 x 32 points; -paper_grid 51,97,63 for the paper's own grid.
#include "bench/star.hpp"
#include "fixture.hpp"

#include <cmath>
#include <ostream>

using namespace finegrain::test;

namespace
{

constexpr PetscReal same = PetscReal(4500) * PETSC_MACHINE_EPSILON; // 1e-12 in double precision

struct Variant {
  const char *options;
  PetscInt grids; // on each rank, as slabs of its box
};
std::ostream &operator<<(std::ostream &out, const Variant &v)
{
  return out << v.grids << " grids, options '" << v.options << "'";
}

// The domain of table 1 over all ranks, and PETSc's ILU(0) for each grid.
class PaperLuo2015 : public ::testing::TestWithParam<Variant>
{
protected:
  Owned<DM> da;
  Owned<Mat> A;
  Owned<Vec> b;
  Owned<PC> fgbilu, reference;

  void SetUp() override
  {
    PetscInt points[3] = {26, 49, 32}, count = 3;
    PetscReal size = PetscReal(std::sqrt(table_1_first));
    OK(PetscOptionsGetIntArray(nullptr, nullptr, "-paper_grid", points, &count, nullptr));
    const Star star = table_1({points[0], points[1], points[2]});
    OK(AssembleStar(PETSC_COMM_WORLD, star, &da, &A));
    OK(MakeRightHandSide(star, da, size, &b));
    OK(MakePCs(GetParam()));
  }

  PetscErrorCode MakePCs(const Variant &v)
  {
    std::vector<PetscInt> grids, rows;
    PetscInt m, n, p, block;

    PetscFunctionBegin;
    PetscCall(MatGetBlockSize(A, &block));
    PetscCall(DMDAGetCorners(da, nullptr, nullptr, nullptr, &m, &n, &p));
    for (PetscInt g = 0; g < v.grids; ++g) {
      const PetscInt planes = p * (g + 1) / v.grids - p * g / v.grids;
      grids.insert(grids.end(), {m, n, planes});
      rows.push_back(m * n * planes * block);
    }
    PetscCall(MakePC(A, PCFGBILU, v.options, &fgbilu));
    if (v.grids > 1) PetscCall(PCFinegrainSetGrid(fgbilu, v.grids, grids.data())); // else the DMDA's
    PetscCall(PCSetUp(fgbilu));

    const Options set("-sub_pc_type ilu -sub_pc_factor_mat_ordering_type natural");
    PetscCall(PCCreate(PETSC_COMM_WORLD, &reference));
    PetscCall(PCSetType(reference, PCBJACOBI));
    PetscCall(PCSetOperators(reference, A, A));
    PetscCall(PCBJacobiSetLocalBlocks(reference, v.grids, rows.data()));
    PetscCall(PCSetUp(reference));
    PetscCall(PCSetUpOnBlocks(reference));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

constexpr char split[] = "-pc_fgbilu_grid_coupling block_jacobi";
constexpr char split_launch[] = "-pc_fgbilu_grid_coupling block_jacobi -pc_fgbilu_algorithm levels";
INSTANTIATE_TEST_SUITE_P(Table1, PaperLuo2015,
                         ::testing::Values(Variant{"-pc_fgbilu_schedule hyperplane", 1},
                                           Variant{"-pc_fgbilu_schedule hyperplane -pc_fgbilu_algorithm levels", 1},
                                           Variant{"-pc_fgbilu_factor ilu0", 1}, Variant{split, 3},
                                           Variant{split_launch, 4}));

TEST_P(PaperLuo2015, HistoryIsThatOfSequentialBlockIlu)
{
  constexpr double late = PetscDefined(USE_COMPLEX) ? 2e-7 : 5e-8;
  std::vector<PetscReal> r, expected;
  OK(RichardsonHistory(fgbilu, b, table_1_steps, &r));
  OK(RichardsonHistory(reference, b, table_1_steps, &expected));
  ASSERT_EQ(r.size(), std::size_t(table_1_steps + 1));
  ASSERT_EQ(expected.size(), r.size());
  EXPECT_NEAR(double(r[0] * r[0]), table_1_first, double(same) * table_1_first);
  for (std::size_t l = 0; l < r.size(); ++l) {
    EXPECT_LE(std::abs(r[l] - expected[l]), same * r[0]) << l;
    // The paper's digits: twelve after 11 steps, eight after 19. Here the limits are 1e-12 and 1e-8, or 7e-8 for
    // complex numbers, for which PETSc's block inverses round differently.
    if (sizeof(PetscReal) == 8) {
      EXPECT_LE(std::abs(r[l] - expected[l]), (l <= 11 ? 5e-12 : late) * double(expected[l])) << l;
    }
    if (l && r[l - 1] > same * r[0]) { // in single precision the last residuals are rounding errors
      EXPECT_LT(r[l], r[l - 1]) << l;
    }
  }
}

// Residual vectors after the steps of the paper's rows.
TEST_P(PaperLuo2015, CorrectionsAreStepsOfSequentialBlockIlu)
{
  Owned<Vec> x, y, r, expected;
  PetscReal first, d;
  OK(VecDuplicate(b, &x));
  OK(VecDuplicate(b, &y));
  OK(VecDuplicate(b, &r));
  OK(VecDuplicate(b, &expected));
  OK(VecNorm(b, NORM_2, &first));
  OK(VecCopy(b, expected));
  OK(VecSet(y, 0));
  for (PetscInt k = 0; k <= table_1_steps; ++k) {
    OK(PCApply(reference, expected, r));
    OK(VecAXPY(y, 1, r));
    OK(MatMult(A, y, expected));
    OK(VecAYPX(expected, -1, b));
    if (k > 2 && k != 11 && k != 12 && k != table_1_steps) continue;
    OK(PCFinegrainSetCorrections(fgbilu, k));
    OK(Apply(fgbilu, b, x));
    OK(MatMult(A, x, r));
    OK(VecAYPX(r, -1, b));
    OK(VecAXPY(r, -1, expected));
    OK(VecNorm(r, NORM_2, &d));
    EXPECT_LE(d, same * first) << k << " corrections";
  }
}

} // namespace
