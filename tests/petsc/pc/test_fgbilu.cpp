// SPDX-License-Identifier: BSD-2-Clause
// One application of PCFGBILU equals that of PETSc's ILU(0) on the rows of each rank, for all block sizes and kinds
// of grids. test_types_*.cpp test what all types have in common.
#include "fixture.hpp"

using namespace finegrain::test;

namespace
{

struct Case {
  const char *name;
  Couplings couplings;
};

std::vector<Case> cases()
{
  return {{"star", star(5, 4, 3)},
          {"wide star", star(5, 4, 3, 2)},
          {"box", box(4, 3, 3)},
          {"periodic", star(4, 4, 3, 1, true)},
          {"random", scattered(40, 4, false)},
          {"symmetric", scattered(40, 3, true)},
          {"block diagonal", star(7, 1, 1, 0)}};
}

class BlockSizes : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Application, BlockSizes, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 32));

TEST_P(BlockSizes, EqualsPetsc)
{
  for (const Case &c : cases())
    for (const char *type : {MATBAIJ, MATAIJ}) {
      Owned<Mat> A;
      Owned<PC> ours, reference;
      PetscReal d;
      OK(AssembleMatrix(c.couplings, GetParam(), type, 1, &A));
      OK(MakePC(A, PCFGBILU, "", &ours));
      OK(MakeReference(A, &reference));
      OK(ComparePCs(A, ours, reference, &d));
      EXPECT_LT(d, tolerance) << c.name << ", " << type;
    }
}

TEST_P(BlockSizes, AijAndBaijGiveTheSameBits)
{
  for (const Case &c : cases()) {
    Owned<Mat> A, B;
    Owned<PC> p, q;
    PetscReal d;
    OK(AssembleMatrix(c.couplings, GetParam(), MATBAIJ, 1, &A));
    OK(AssembleMatrix(c.couplings, GetParam(), MATAIJ, 1, &B));
    OK(MakePC(A, PCFGBILU, "", &p));
    OK(MakePC(B, PCFGBILU, "-pc_fgbilu_algorithm levels", &q));
    OK(ComparePCs(A, p, q, &d));
    EXPECT_EQ(d, 0) << c.name;
  }
}

TEST(Grids, DmdaMatricesOfAllKindsUseHyperplanesAndEqualPetsc)
{
  for (const PetscInt dim : {1, 2, 3})
    for (const DMDAStencilType stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX})
      for (const PetscInt dof : {1, 3})
        for (const PetscInt width : {1, 2})
          for (const DMBoundaryType boundary : {DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC})
            for (const char *type : {MATAIJ, MATBAIJ}) {
              if (dim == 1 && std::string(type) == MATBAIJ) continue; // not supported by PETSc
              Owned<DM> da;
              Owned<Mat> A;
              Owned<PC> ours, reference;
              PetscReal d;
              std::string text;
              OK(MakeGrid(dim, boundary, stencil, dof, width, &da));
              OK(AssembleOnGrid(da, type, &A));
              OK(MakePC(A, PCFGBILU, "", &ours)); // the DMDA of the matrix is used
              OK(MakeReference(A, &reference));
              OK(ComparePCs(A, ours, reference, &d));
              EXPECT_LT(d, tolerance) << dim << " " << stencil << " " << dof << " " << width << " " << boundary << " "
                                      << type;
              OK(ViewText(ours, &text));
              const bool fits = stencil == DMDA_STENCIL_STAR || boundary == DM_BOUNDARY_NONE || dim == 1;
              EXPECT_TRUE(!fits || text.find("schedule: hyperplane") != std::string::npos) << text;
            }
}

TEST(Grids, GalerkinOperatorUnderAStarFallsBackOrFitsButIsNeverWrong)
{
  Owned<DM> coarse, fine;
  Owned<Mat> A, P, C;
  Owned<PC> ours, reference;
  PetscReal d;
  OK(DMDACreate3d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 6, 5, 6,
                  PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE, 2, 1, nullptr, nullptr, nullptr, &coarse));
  OK(DMSetUp(coarse));
  OK(DMRefine(coarse, PETSC_COMM_WORLD, &fine));
  OK(AssembleOnGrid(fine, MATAIJ, &A));
  OK(DMCreateInterpolation(coarse, fine, &P, nullptr));
  OK(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  OK(MakeReference(C, &reference));
  for (const char *options : {"", "-pc_fgbilu_schedule level", "-pc_fgbilu_algorithm levels",
                              "-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_algorithm tasks"}) {
    OK(MakePC(C, PCFGBILU, options, &ours));
    OK(PCSetDM(ours, coarse));
    OK(ComparePCs(C, ours, reference, &d));
    EXPECT_LT(d, tolerance) << options;
  }
}

TEST(Grids, ExtraCouplingBesideAStarFallsBackToLevels)
{
  Couplings c = star(6, 5, 4);
  c[5].insert(6); // couples points (5,0,0) and (0,1,0), against every hyperplane
  c[6].insert(5);
  Owned<Mat> A;
  Owned<PC> ours, reference;
  PetscReal d;
  std::string text;
  Owned<DM> da;
  OK(AssembleMatrix(c, 2, MATBAIJ, 1, &A));
  OK(MakeReference(A, &reference));
  OK(DMDACreate3d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 6, 5, 4,
                  1, 1, 1, 2, 1, nullptr, nullptr, nullptr, &da));
  OK(DMSetUp(da));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_algorithm levels", &ours));
  OK(PCSetDM(ours, da)); // ignored; on several ranks it also has another size
  OK(ComparePCs(A, ours, reference, &d));
  EXPECT_LT(d, tolerance);
  OK(ViewText(ours, &text));
  ExpectIn(text, {"schedule: level"});
  if (Size() == 1) {
    OK(MakePC(A, PCFGBILU, "-pc_fgbilu_grid 6,5,4", &ours));
    ExpectIn(ExpectError([&] { return PCSetUp(ours); }), {"-pc_fgbilu_grid"});
  }
}

TEST(Blocks, AijWithHolesIsFactoredByBlocks)
{
  // A tridiagonal scalar matrix as 3 x 3 blocks is block tridiagonal, so that block ILU(0) is exact on one rank.
  Owned<Mat> A;
  Owned<Vec> b, x, r;
  Owned<PC> pc;
  PetscReal norm, size;
  PetscInt first, last;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 36, 36, 3, nullptr, 3, nullptr, &A));
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt j = std::max<PetscInt>(i - 1, 0); j <= std::min<PetscInt>(i + 1, 35); ++j)
      OK(MatSetValue(A, i, j, EntryValue(i, j, 1, 5, 3), INSERT_VALUES));
  OK(Assemble(A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_block_size 3", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(b, &r));
  OK(Apply(pc, b, x));
  OK(MatMult(A, x, r));
  OK(VecAXPY(r, -1, b));
  OK(VecNorm(r, NORM_2, &norm));
  OK(VecNorm(b, NORM_2, &size));
  EXPECT_LT(norm, Size() == 1 ? tolerance * size : size); // off-rank couplings are ignored
}

} // namespace
