// SPDX-License-Identifier: BSD-2-Clause
// Every type: wrong matrices, grids and options are PETSc errors on all ranks that name the object and the remedy.
// Files of single types test their own options.
#include "types.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

using namespace finegrain::test;

namespace
{

PER_TYPE(ErrorsPerType);

TEST_P(ErrorsPerType, NameMatricesThatItDoesNotTake)
{
  for (const Variant &v : t.variants) {
    Owned<Mat> A;
    OK(MatCreateShell(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, &A));
    OK(MatSetUp(A));
    Refuse(A, v.options, {"\"shell\"", "assembled matrix", "KSPSetOperators"});
    OK(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, &A));
    OK(Assemble(A));
    Refuse(A, v.options, {"dense\"", "AIJ, BAIJ or SBAIJ", "-mat_type baij", "MatConvert"});
    OK(MatCreateIS(PETSC_COMM_WORLD, 1, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, nullptr, &A));
    Refuse(A, v.options, {"\"is\"", "-mat_type aij"});
    OK(MatCreateMFFD(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, &A));
    OK(MatSetUp(A));
    Refuse(A, v.options, {"\"mffd\"", "-snes_mf_operator"});
    Mat whole[1];
    OK(MatCreateConstantDiagonal(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, 1, &whole[0]));
    OK(MatCreateNest(PETSC_COMM_WORLD, 1, nullptr, 1, nullptr, whole, &A));
    OK(MatDestroy(&whole[0]));
    Refuse(A, v.options, {"\"nest\"", "-pc_type fieldsplit"});
    OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 10, 1, nullptr, 1, nullptr, &A));
    OK(Assemble(A));
    Refuse(A, v.options, {"rectangular", "12 x 10", "square"});
    OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, 1, nullptr, 1, nullptr, &A));
    Refuse(A, v.options, {"not assembled", "MatAssemblyBegin"});
  }
}

TEST_P(ErrorsPerType, NameRowsWithoutADiagonalBlock)
{
  if (t.needs_grid) GTEST_SKIP() << "matrices of grids have them";
  for (const Variant &v : t.variants)
    for (const char *type : {MATAIJ, MATBAIJ})
      for (const PetscInt n : {1, 3}) {
        Owned<Mat> A;
        Couplings c = star(4, 3, 3);
        c[29].erase(29);
        OK(AssembleMatrix(c, n, type, 1, &A));
        if (t.symmetric) {
          OK(MakeSymmetric(A));
        }
        Refuse(A, v.options, {"Block row 29", "no diagonal block", "MatSetValues", "-@_add_diagonal"});
      }
}

TEST_P(ErrorsPerType, NameBlockSizesThatDoNotFit)
{
  Owned<Mat> A;
  for (const Variant &v : t.variants) {
    OK(AssembleMatrix(star(4, 3, 3), 2, MATAIJ, 1, &A));
    Refuse(A, v.options + " -@_block_size 5", {"Block size 5 does not divide", "-@_block_size"});
  }
  OK(AssembleMatrix(star(4, 3, 3), 2, MATBAIJ, 1, &A));
  Refuse(A, "-@_block_size 4", {"-@_block_size is 4", "blocks of 2"});
  OK(AssembleMatrix(star(2, 2, 2), 33, MATAIJ, 1, &A));
  Refuse(A, "", {"Block size 33", "32", "-@_block_size"});
}

TEST_P(ErrorsPerType, NameVariableBlockSizesThatAreNotTheBlocks)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt sizes[] = {2, 4}, first, last;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, 6, 6, PETSC_DETERMINE, PETSC_DETERMINE, 1, nullptr, 1, nullptr, &A));
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i) OK(MatSetValue(A, i, i, 2, INSERT_VALUES));
  OK(Assemble(A));
  OK(MatSetVariableBlockSizes(A, 2, sizes));
  Refuse(A, "-@_block_size 2", {"variable block sizes", "-@_block_size"});
  OK(Make(A, t.needs_grid ? "-@_grid 6,1,1" : "", &pc)); // scalar rows work
  OK(PCSetUp(pc));
}

// The same error if a copy of the matrix is read: one with sorted columns, with added diagonal blocks, or with both
// triangles.
TEST_P(ErrorsPerType, NameVariableBlockSizesInCopies)
{
  const std::string gap = "-@_add_diagonal";
  for (const auto &[type, options] : {std::pair{MATAIJ, gap}, {MATBAIJ, gap}, {MATSBAIJ, gap}, {MATSBAIJ, ""}}) {
    SCOPED_TRACE(type + options);
    Owned<Mat> A;
    PetscInt sizes[] = {2, 4}, first, last;
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    OK(MatSetSizes(A, 6, 6, PETSC_DETERMINE, PETSC_DETERMINE));
    OK(MatSetBlockSize(A, 2));
    OK(MatSetType(A, type));
    OK(MatSetUp(A));
    OK(MatGetOwnershipRange(A, &first, &last));
    for (PetscInt i = first + (options.empty() ? 0 : 2); i < last; ++i) OK(MatSetValue(A, i, i, 2, INSERT_VALUES));
    OK(Assemble(A));
    OK(MatSetVariableBlockSizes(A, 2, sizes));
    Refuse(A, options, {"variable block sizes", "-@_block_size"});
  }
  const PetscInt ptr[] = {0, 2, 4, 5, 6, 7, 8}, col[] = {1, 0, 1, 0, 2, 3, 4, 5};
  std::vector<PetscScalar> values{1, 3, 3, 1, 2, 2, 2, 2};
  PetscInt sizes[] = {2, 4};
  Owned<Mat> A;
  OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 6, 6, const_cast<PetscInt *>(ptr), const_cast<PetscInt *>(col),
                               values.data(), &A));
  OK(MatSetBlockSize(A, 2));
  OK(MatSetVariableBlockSizes(A, 2, sizes));
  Refuse(A, "", {"variable block sizes", "-@_block_size"});
}

TEST_P(ErrorsPerType, NameGridsThatDoNotFit)
{
  Owned<Mat> A;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  Refuse(A, "-@_grid 70,30,40", {"70,30,40", "-@_grid", "block rows of this rank"});
}

// test_options.cpp has values that are errors when they are read.
TEST_P(ErrorsPerType, NameValuesThatSetUpRefuses)
{
  Owned<Mat> A;
  OK(Matrix(Shape::star, 2, MATAIJ, &A));
  Refuse(A, "-@_corrections 2147483647", {"-@_corrections", "in one application"});
  Refuse(A, "-@_shift_type nonzero", {"-@_shift_type is nonzero", "none, inblocks"});
  const Options set(with("-@_grid 1,1,10000", "my_"));
  Owned<PC> pc;
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetOptionsPrefix(pc, "my_"));
  OK(PCSetType(pc, t.type));
  OK(PCSetOperators(pc, A, A));
  OK(PCSetFromOptions(pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {with("-@_grid", "my_")});
}

#if defined(_OPENMP)
// Inside a parallel region of the caller, results are bitwise identical, or, if Kokkos would abort, an error names
// the remedy.
TEST_P(ErrorsPerType, ParallelRegionsOfCallers)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  PetscReal d;
  PetscErrorCode code = PETSC_SUCCESS;
  const int levels = omp_get_max_active_levels();
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  OK(Make(A, "", &pc));
  OK(Make(A, "", &fresh));
  Vectors v(A);
  OK(v.code);
#if defined(FINEGRAIN_KOKKOS_HAS_OPENMP)
  constexpr int threads = 1; // the region counts, and Kokkos needs its first thread
  std::string set_up, apply;
  omp_set_max_active_levels(1);
#pragma omp parallel num_threads(threads)
  set_up = ExpectError([&] { return PCSetUp(pc); });
  OK(PCSetUp(pc));
#pragma omp parallel num_threads(threads)
  apply = ExpectError([&] { return PCApply(pc, v.b, v.x); });
  for (const std::string &text : {set_up, apply}) ExpectIn(text, {"OMP_MAX_ACTIVE_LEVELS"});
#else
  constexpr int threads = 2;
#endif
  for (const int active : {1, 2, 3}) {
    if (active == 1 && threads == 1) continue;
    omp_set_max_active_levels(active);
#pragma omp parallel num_threads(threads)
#pragma omp single
    code = ComparePCs(A, pc, fresh, &d);
    OK(code);
    EXPECT_EQ(d, 0);
  }
  omp_set_max_active_levels(levels);
}
#endif

} // namespace
