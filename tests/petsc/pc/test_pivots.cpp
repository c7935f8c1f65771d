// SPDX-License-Identifier: BSD-2-Clause
// Every type: pivots that are zero up to rounding, missing diagonal blocks, unsorted columns, and the shift that
// makes fgbicc positive definite.
#include "types.hpp"

#include <algorithm>
#include <cmath>

using namespace finegrain::test;

namespace
{

PER_TYPE(ZeroPivotPerType);
PER_TYPE(AddDiagonalPerType);
PER_TYPE(UnsortedPerType);

constexpr PetscInt last_row = 8;

// Block rows of size 2 without couplings between them, of which the last is [1 3; 3 9] up to rounding, or regular.
// `units` scales the second unknown and equation.
PetscErrorCode MakeBlocks(PetscReal units, PetscReal last, Mat *A)
{
  const PetscInt rows = last_row + 1, local = 2 * (rows / Size() + (Rank() < rows % Size()));
  PetscInt first, end;

  PetscFunctionBegin;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, local, local, 2 * rows, 2 * rows, 2, nullptr, 0, nullptr, A));
  PetscCall(MatSetBlockSize(*A, 2));
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first / 2; i < end / 2; ++i) {
    const PetscReal small = i == last_row ? last : PetscReal(2);
    const PetscScalar values[] = {1, 3 * units, 3 * units, 9 * units * units * small};
    const PetscInt two[] = {2 * i, 2 * i + 1};
    PetscCall(MatSetValues(*A, 2, two, 2, two, values, INSERT_VALUES));
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FailedReason(PC pc, PCFailedReason *reason)
{
  PetscFunctionBegin;
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetFailedReason(pc, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(ZeroPivotPerType, IsZeroToRoundingInAnyUnits)
{
  if (t.needs_grid && Size() > 1) GTEST_SKIP() << "the grid of one rank";
  const std::string options = " -@_shift_type none" + (t.needs_grid ? std::string(" -@_grid 9,1,1") : "");
  for (const PetscReal units : {PetscReal(1), PetscReal(std::ldexp(1., 30)), PetscReal(std::ldexp(1., -30))}) {
    const PetscReal noise = 1 + 2 * PETSC_MACHINE_EPSILON;
    Owned<Mat> A;
    Owned<PC> pc;
    PCFailedReason reason;
    PetscReal tolerance_of_pc;
    std::string text;
    OK(MakeBlocks(units, noise, &A));
    OK(Make(A, options, &pc));
    OK(FailedReason(pc, &reason));
    EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT) << units;
    OK(ViewText(pc, &text));
    ExpectIn(text, {"set-up failed: ", "block row 8; ", with("@_shift_type inblocks"), with("@_shift_amount")});
    // The check switched off, a smaller tolerance, and a regular matrix.
    for (const char *off : {" -@_zero_pivot 0", " -@_zero_pivot 1e-18"}) {
      OK(Make(A, off + options, &pc));
      OK(FailedReason(pc, &reason));
      EXPECT_EQ(reason, PC_NOERROR) << off;
    }
    OK(PCFinegrainGetZeroPivot(pc, &tolerance_of_pc));
    EXPECT_EQ(tolerance_of_pc, PetscReal(1e-18));
    OK(PCFinegrainSetZeroPivot(pc, PetscReal(1e-3)));
    OK(FailedReason(pc, &reason));
    EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT);
    OK(MakeBlocks(units, PetscReal(1.01), &A));
    OK(Make(A, options, &pc));
    OK(FailedReason(pc, &reason));
    EXPECT_EQ(reason, PC_NOERROR);
    OK(Make(A, options + " -@_zero_pivot 0.1", &pc)); // above the relative pivot 1 / 402
    OK(FailedReason(pc, &reason));
    EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT);
  }
  Owned<Mat> A;
  OK(MakeBlocks(1, 2, &A));
  Refuse(A, options + " -@_zero_pivot -1", {"-@_zero_pivot is -1", "0 or more"}, true);
}

// Scalar pivots that cancel: a line with Neumann conditions in some unit, for which PETSc's ILU fails too.
TEST_P(ZeroPivotPerType, OfScalarsThatCancelIsZero)
{
  if (t.relaxes) GTEST_SKIP() << "nothing is computed of a scalar pivot";
  if (Size() > 1) GTEST_SKIP() << "a singular matrix on one rank";
  constexpr PetscInt n = 30;
  for (const PetscReal unit : {PetscReal(0.1), PetscReal(1e-7), PetscReal(3e5)}) {
    Owned<Mat> A;
    Owned<PC> pc;
    PCFailedReason reason;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, nullptr, &A));
    for (PetscInt i = 0; i < n; ++i) {
      const PetscReal before = i > 0 ? unit / PetscReal(i + 2) : 0, behind = i < n - 1 ? unit / PetscReal(i + 3) : 0;
      if (i > 0) {
        OK(MatSetValue(A, i, i - 1, -before, INSERT_VALUES));
      }
      if (i < n - 1) {
        OK(MatSetValue(A, i, i + 1, -behind, INSERT_VALUES));
      }
      OK(MatSetValue(A, i, i, before + behind, INSERT_VALUES));
    }
    OK(Assemble(A));
    const std::string options = t.as_reference + (t.needs_grid ? " -@_grid 30,1,1" : "") + " -@_shift_type none";
    OK(Make(A, options, &pc));
    OK(FailedReason(pc, &reason));
    EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT) << unit;
  }
}

// A matrix without some of its diagonal blocks, and the same matrix with zeros there.
PetscErrorCode MakeIncomplete(const TypeCase &t, PetscInt n, MatType type, int seed, Mat *without, Mat *with)
{
  Couplings c = star(4, 3, 3);
  Owned<Mat> full;
  PetscInt first, last, count;
  const PetscInt *cols;
  const PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(AssembleMatrix(c, n, MATBAIJ, seed, &full));
  if (t.symmetric) PetscCall(MakeSymmetric(full));
  for (Mat *A : {without, with}) {
    const bool complete = A == with;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatGetLocalSize(full, &count, nullptr));
    PetscCall(MatSetSizes(*A, count, count, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*A, n));
    PetscCall(MatSetType(*A, type));
    PetscCall(MatSeqAIJSetPreallocation(*A, 7 * n, nullptr));
    PetscCall(MatMPIAIJSetPreallocation(*A, 7 * n, nullptr, 7 * n, nullptr));
    PetscCall(MatSeqBAIJSetPreallocation(*A, n, 7, nullptr));
    PetscCall(MatMPIBAIJSetPreallocation(*A, n, 7, nullptr, 7, nullptr));
    PetscCall(MatSeqSBAIJSetPreallocation(*A, n, 7, nullptr));
    PetscCall(MatMPISBAIJSetPreallocation(*A, n, 7, nullptr, 7, nullptr));
    if (std::string(type) == MATSBAIJ) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    PetscCall(MatGetOwnershipRange(full, &first, &last));
    for (PetscInt i = first; i < last; ++i) {
      PetscCall(MatGetRow(full, i, &count, &cols, &values));
      for (PetscInt k = 0; k < count; ++k) {
        const bool missing = cols[k] / n == i / n && i / n % 5 == 3;
        if (!missing || complete)
          PetscCall(MatSetValue(*A, i, cols[k], missing ? PetscScalar(0) : values[k], INSERT_VALUES));
      }
      PetscCall(MatRestoreRow(full, i, &count, &cols, &values));
    }
    PetscCall(Assemble(*A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Results are bitwise identical to those of the matrix with stored zeros: on any number of ranks, after new values,
// transposed, and with corrections, whose residuals are those of the matrix.
TEST_P(AddDiagonalPerType, GivesTheBitsOfZerosThatAreThere)
{
  if (t.needs_grid) GTEST_SKIP() << "stars of grids have their diagonals";
  for (const Variant &v : t.variants)
    for (const PetscInt n : {1, 3})
      for (const MatType type : {MATAIJ, MATBAIJ, MATSBAIJ}) {
        if (std::string(type) == MATSBAIJ && !t.symmetric) continue; // symmetric values
        SCOPED_TRACE(v.options + " " + type + " " + std::to_string(n));
        Owned<Mat> without, zeros, next, next_zeros;
        Owned<PC> added, there;
        std::string text;
        PetscReal d;
        OK(MakeIncomplete(t, n, type, 1, &without, &zeros));
        const std::string options = v.options + " -@_shift_type inblocks -@_shift_amount 0.1";
        OK(Make(without, options + " -@_add_diagonal", &added));
        OK(Make(zeros, options, &there));
        OK(ComparePCs(zeros, added, there, &d));
        EXPECT_EQ(d, 0);
        OK(ViewText(added, &text));
        ExpectIn(text, {"diagonal blocks added: 7, in a copy of the matrix"});
        OK(ViewText(there, &text));
        EXPECT_EQ(text.find("diagonal blocks added"), std::string::npos);
        Vectors a(without), b(zeros);
        OK(a.code);
        OK(PCApplyTranspose(added, a.b, a.x));
        OK(PCApplyTranspose(there, b.b, b.x));
        OK(Difference(a.x, b.x, &d));
        EXPECT_EQ(d, 0);
        const int analyses = EventCount("FGAnalyze");
        OK(MakeIncomplete(t, n, type, 2, &next, &next_zeros));
        OK(MatCopy(next, without, SAME_NONZERO_PATTERN));
        OK(MatCopy(next_zeros, zeros, SAME_NONZERO_PATTERN));
        OK(ComparePCs(zeros, added, there, &d));
        EXPECT_EQ(d, 0);
        EXPECT_EQ(EventCount("FGAnalyze"), analyses);
      }
}

TEST_P(AddDiagonalPerType, SaysWhereZerosStay)
{
  if (t.needs_grid) GTEST_SKIP() << "stars of grids have their diagonals";
  Owned<Mat> without, zeros;
  Owned<PC> pc;
  PCFailedReason reason;
  PetscBool add;
  Couplings c(6); // two rows without fill on the diagonal
  for (PetscInt i = 0; i < 6; ++i)
    if (i != 2 && i != 5) c[std::size_t(i)] = {i};
  OK(AssembleMatrix(c, 2, MATBAIJ, 1, &without));
  Refuse(without, "", {"Block row 2 ", "no diagonal block", "-@_add_diagonal"});
  OK(Make(without, "-@_add_diagonal", &pc));
  OK(FailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT);
  OK(PCFinegrainGetAddDiagonal(pc, &add));
  EXPECT_TRUE(add);
  OK(PCFinegrainSetShift(pc, MAT_SHIFT_INBLOCKS, PETSC_DECIDE));
  OK(FailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_NOERROR);
  OK(PCFinegrainSetAddDiagonal(pc, PETSC_FALSE));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"no diagonal block"});
}

// The columns of each row are in descending order, in arrays of the caller.
TEST_P(UnsortedPerType, ColumnsGiveTheBitsOfSortedOnes)
{
  for (const PetscInt n : {1, 3})
    for (const Variant &v : t.variants) {
      SCOPED_TRACE(v.options);
      Owned<Mat> A, sorted, here;
      Owned<PC> p, q;
      std::string text;
      PetscReal d;
      const PetscInt *ptr, *col;
      const PetscScalar *values;
      PetscInt rows;
      PetscBool done;
      OK(AssembleMatrix(star(5, 4, 3), n, MATAIJ, 1, &sorted, PETSC_DECIDE, PETSC_COMM_SELF));
      if (t.symmetric) {
        OK(MakeSymmetric(sorted));
      }
      OK(MatGetRowIJ(sorted, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ptr, &col, &done));
      OK(MatSeqAIJGetArrayRead(sorted, &values));
      std::vector<PetscInt> i(ptr, ptr + rows + 1), j(col, col + ptr[rows]);
      std::vector<PetscScalar> a(values, values + ptr[rows]);
      OK(MatSeqAIJRestoreArrayRead(sorted, &values));
      OK(MatRestoreRowIJ(sorted, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ptr, &col, &done));
      for (std::size_t r = 0; r + 1 < i.size(); ++r) {
        std::reverse(j.begin() + i[r], j.begin() + i[r + 1]);
        std::reverse(a.begin() + i[r], a.begin() + i[r + 1]);
      }
      OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 60 * n, 60 * n, i.data(), j.data(), a.data(), &A));
      OK(MatSetBlockSize(A, n));
      const std::string options = v.options + (t.needs_grid ? " -@_grid 5,4,3" : "");
      OK(Make(A, options, &p));
      OK(Make(sorted, options, &q));
      OK(ComparePCs(sorted, p, q, &d));
      EXPECT_EQ(d, 0);
      OK(ViewText(p, &text));
      ExpectIn(text, {"columns of the matrix are not sorted: a sorted copy is read"});
      for (PetscScalar &value : a) value *= 2;
      OK(PetscObjectStateIncrease(object(A)));
      OK(MatScale(sorted, 2));
      OK(ComparePCs(sorted, p, q, &d));
      EXPECT_EQ(d, 0);
      j[1] = j[0]; // a repeated column
      Refuse(A, options, {"Row 0 of the preconditioning matrix has a column twice", "MatSetValues()"});
    }
}

// A regular matrix with a pivot that is zero up to rounding: inblocks with its default amount helps.
TEST(Fgbilu, InblocksHelpsWhereAPivotVanishes)
{
  if (Size() > 1) GTEST_SKIP() << "a factor of one rank";
  constexpr PetscInt n = 40, k = 12;
  for (const PetscReal unit : {PetscReal(1), PetscReal(1e-9), PetscReal(1e9)}) {
    Owned<Mat> A;
    Owned<KSP> ksp;
    PC pc;
    KSPConvergedReason reason;
    PetscReal norm, size;
    OK(MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 3, nullptr, &A));
    for (PetscInt i = 0; i < n; ++i)
      for (PetscInt j = std::max<PetscInt>(i - 1, 0); j < std::min(i + 2, n); ++j) {
        PetscReal a = i == j ? 2 : -1;
        if (i == k || j == k) a = i == j || j == k + 1 ? 1 : 0;
        if (i == k + 1) a = j == k ? PetscReal(0.1) + PetscReal(0.2) : j == i ? PetscReal(0.3) : 1;
        if (i == k + 2 && j == k + 1) a = 1;
        if (a != 0) {
          OK(MatSetValue(A, i, j, unit * a, INSERT_VALUES));
        }
      }
    OK(Assemble(A));
    Vectors s(A);
    OK(s.code);
    OK(KSPCreate(PETSC_COMM_SELF, &ksp));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, PCFGBILU));
    OK(PCFinegrainSetShift(pc, MAT_SHIFT_INBLOCKS, PETSC_DECIDE));
    OK(KSPSetTolerances(ksp, PETSC_SQRT_MACHINE_EPSILON, PETSC_DEFAULT, PETSC_DEFAULT, 10));
    OK(KSPSolve(ksp, s.b, s.x));
    OK(KSPGetConvergedReason(ksp, &reason));
    EXPECT_GT(reason, 0);
    OK(MatMult(A, s.x, s.y));
    OK(VecAXPY(s.y, -1, s.b));
    OK(VecNorm(s.y, NORM_2, &norm));
    OK(VecNorm(s.b, NORM_2, &size));
    EXPECT_LT(norm, 100 * PETSC_SQRT_MACHINE_EPSILON * size) << unit;
  }
}

} // namespace
