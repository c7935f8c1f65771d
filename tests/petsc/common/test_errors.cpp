// Wrong input: a PETSc error on all ranks that names the object and the remedy.
#include "fixture.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

using namespace finegrain::test;

namespace
{

// Sets up a preconditioner for A, which must fail; every word must be in the message.
void expect_refusal(Mat A, const std::string &options, const std::vector<std::string> &words)
{
  Owned<PC> pc;
  OK(MakePC(A, PCFGBILU, options, &pc));
  const std::string text = ExpectError([&] { return PCSetUp(pc); });
  for (const std::string &word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
}

void expect_option_error(const std::string &options, const std::vector<std::string> &words)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &A));
  Owned<PC> pc;
  const std::string text = ExpectError([&] { return MakePC(A, PCFGBILU, options, &pc); });
  for (const std::string &word : words)
    EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
}

TEST(Errors, MatrixTypes)
{
  Owned<Mat> A;
  OK(MatCreateShell(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, &A));
  OK(MatSetUp(A));
  expect_refusal(A, "", {"shell", "-mat_type baij", "MatConvert"});
  OK(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, &A));
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  expect_refusal(A, "", {"dense", "AIJ, BAIJ or SBAIJ"});
}

TEST(Errors, RectangularMatrix)
{
  Owned<Mat> A;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 10, 1, nullptr, 1, nullptr, &A));
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  expect_refusal(A, "", {"rectangular", "12 x 10", "square"});
}

TEST(Errors, UnassembledMatrix)
{
  Owned<Mat> A;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, 1, nullptr, 1, nullptr, &A));
  expect_refusal(A, "", {"not assembled", "MatAssemblyBegin"});
}

TEST(Errors, VariableBlockSizesThatAreNotTheBlocks)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt sizes[] = {2, 4};
  OK(MatCreateAIJ(PETSC_COMM_WORLD, 6, 6, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 1, nullptr, &A));
  PetscInt first, last;
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i) OK(MatSetValue(A, i, i, 2, INSERT_VALUES));
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  OK(MatSetVariableBlockSizes(A, 2, sizes));
  expect_refusal(A, "-pc_fgbilu_block_size 2", {"variable block sizes", "-pc_fgbilu_block_size"});
  OK(MakePC(A, PCFGBILU, "", &pc)); // scalar rows are fine
  OK(PCSetUp(pc));
}

TEST(Errors, MissingDiagonalBlock)
{
  for (const char *type : {MATAIJ, MATBAIJ})
    for (const PetscInt n : {1, 3}) {
      Owned<Mat> A;
      Couplings c = star(4, 3, 3);
      c[29].erase(29);
      OK(AssembleMatrix(c, n, type, 1, &A));
      expect_refusal(A, "", {"Block row 29", "no diagonal block", "MatSetValues"});
    }
}

TEST(Errors, BlockSizes)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(4, 3, 3), 2, MATAIJ, 1, &A));
  expect_refusal(A, "-pc_fgbilu_block_size 5", {"Block size 5 does not divide", "-pc_fgbilu_block_size"});
  OK(AssembleMatrix(star(4, 3, 3), 2, MATBAIJ, 1, &A));
  expect_refusal(A, "-pc_fgbilu_block_size 4", {"-pc_fgbilu_block_size is 4", "blocks of 2"});
  OK(AssembleMatrix(star(2, 2, 2), 33, MATAIJ, 1, &A));
  expect_refusal(A, "", {"Block size 33", "32", "-pc_fgbilu_block_size"});
}

TEST(Errors, Grids)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(8, 6, 5), 2, MATBAIJ, 1, &A));
  expect_refusal(A, "-pc_fgbilu_grid 7,3,4", {"7,3,4", "-pc_fgbilu_grid", "block rows"});
  expect_refusal(A, "-pc_fgbilu_schedule hyperplane", {"-pc_fgbilu_schedule hyperplane", "-pc_fgbilu_grid I,J,K"});
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (size == 1)
    expect_refusal(A, "-pc_fgbilu_grid 6,8,5", {"6,8,5", "-pc_fgbilu_grid", "-pc_fgbilu_schedule level"});
  expect_refusal(A, "-pc_fgbilu_tile 4,4,4", {"-pc_fgbilu_tile", "-pc_fgbilu_grid I,J,K"});
  expect_refusal(A, "-pc_fgbilu_tile 4,4,4 -pc_fgbilu_executor self", {"-pc_fgbilu", "shape of tiles"});
  OK(AssembleMatrix(box(8, 6, 5), 1, MATAIJ, 1, &A));
  if (size == 1)
    expect_refusal(A, "-pc_fgbilu_grid 8,6,5 -pc_fgbilu_tile 4,2,1", {"-pc_fgbilu_tile 4,2,1", "8,6,5", "0,0,0"});
}

TEST(Errors, Options)
{
  expect_option_error("-pc_fgbilu_executor shuffle", {"-pc_fgbilu_executor", "shuffle"});
  expect_option_error("-pc_fgbilu_tile 4,4", {"-pc_fgbilu_tile", "I,J,K"});
  expect_option_error("-pc_fgbilu_tile 4,0,4", {"-pc_fgbilu_tile", "1 or more", "0,0,0"});
  expect_option_error("-pc_fgbilu_precision double", {"-pc_fgbilu_precision", "double"});
  expect_option_error("-pc_fgbilu_factor icc", {"-pc_fgbilu_factor", "icc"});
  expect_option_error("-pc_fgbilu_shift_amount -0.5", {"-pc_fgbilu_shift_amount", "positive"});
  expect_option_error("-pc_fgbilu_grid 3,3", {"-pc_fgbilu_grid", "I,J,K"});
  expect_option_error("-pc_fgbilu_grid 3,0,3", {"-pc_fgbilu_grid", "1 or more"});
  expect_option_error("-pc_fgbilu_block_size 64", {"-pc_fgbilu_block_size", "64", "32"});
}

TEST(Errors, SettingsThatMcpiHas)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &A));
  expect_refusal(A, "-pc_fgbilu_schedule color", {"-pc_fgbilu_schedule is color", "auto, hyperplane, level"});
  expect_refusal(A, "-pc_fgbilu_shift_type nonzero", {"-pc_fgbilu_shift_type is nonzero", "none, inblocks"});
  for (const char *precision : {"half", "bfloat16"})
    expect_refusal(A, std::string("-pc_fgbilu_precision ") + precision, {"-pc_fgbilu", precision, "working, single"});
}

TEST(Errors, LeaveThePreconditionerUsable)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  PetscReal d;
  OK(AssembleMatrix(star(8, 6, 5), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_grid 7,3,4", &pc));
  ExpectError([&] { return PCSetUp(pc); });
  OK(PCFinegrainSetGrid(pc, 0, nullptr));
  OK(MakePC(A, PCFGBILU, "", &fresh));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

#if defined(_OPENMP) // where Kokkos has it: its own check aborts
TEST(Errors, ParallelRegions)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  Owned<Vec> b, x;
  PetscReal d;
  const int levels = omp_get_max_active_levels();
  std::string set_up, apply;
  OK(AssembleMatrix(star(8, 6, 5), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "", &pc));
  OK(MakePC(A, PCFGBILU, "", &fresh));
  OK(MakeVectors(A, &b, &x));
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(1)
  set_up = ExpectError([&] { return PCSetUp(pc); });
  OK(PCSetUp(pc));
#pragma omp parallel num_threads(1)
  apply = ExpectError([&] { return PCApply(pc, b, x); });
  for (const std::string &text : {set_up, apply})
    EXPECT_NE(text.find("OMP_MAX_ACTIVE_LEVELS"), std::string::npos) << text;
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(1)
  EXPECT_EQ(static_cast<int>(ComparePCs(A, pc, fresh, &d)), 0);
  EXPECT_EQ(d, 0);
  omp_set_max_active_levels(levels);
}
#endif

} // namespace
