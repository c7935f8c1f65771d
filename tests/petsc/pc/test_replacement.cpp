// SPDX-License-Identifier: BSD-2-Clause
// Every type with -shift_type inblocks: units and penalties change no result, and -info counts the block rows with
// replaced pivots.
#include "types.hpp"

#include <cmath>

using namespace finegrain::test;

namespace
{

PER_TYPE(ReplacementPerType);

constexpr PetscInt n = 3;
constexpr bool is_single = sizeof(PetscReal) == 4;

// Scales equations, unknowns or both by units of about 1, 1e6 and 1e12, less in single precision.
PetscErrorCode ScaleByUnits(Mat A, bool equations, bool unknowns)
{
  Owned<Vec> left, right;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &right, &left));
  PetscCall(VecGetOwnershipRange(left, &first, &last));
  for (PetscInt i = first; i < last; ++i) {
    const PetscScalar unit = std::ldexp(PetscReal(1), int(i % n) * (is_single ? 8 : 20));
    PetscCall(VecSetValue(left, i, equations ? unit : PetscScalar(1), INSERT_VALUES));
    PetscCall(VecSetValue(right, i, unknowns ? unit : PetscScalar(1), INSERT_VALUES));
  }
  for (const Vec v : {Vec(left), Vec(right)}) {
    PetscCall(VecAssemblyBegin(v));
    PetscCall(VecAssemblyEnd(v));
  }
  PetscCall(MatDiagonalScale(A, left, right));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Adds a penalty to one diagonal entry of the last rank.
PetscErrorCode AddPenalty(Mat A)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, nullptr));
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  const PetscInt i = rows - 2 * n + 1;
  if (first <= i && i < last) PetscCall(MatSetValue(A, i, i, is_single ? 1e10 : 1e20, ADD_VALUES));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(ReplacementPerType, ChangesNoBitOfRegularMatricesInAnyUnits)
{
  for (const Variant &v : t.variants) {
    if (v.has("half")) continue; // half cannot hold such units
    for (const MatType type : {MATAIJ, MATBAIJ})
      for (const int units : {0, 1, 2, 3})
        for (const bool penalty : {false, true}) {
          if (t.symmetric && (units == 1 || units == 2)) continue;
          SCOPED_TRACE(v.options + " " + type + ", units " + std::to_string(units) + (penalty ? ", penalty" : ""));
          Owned<Mat> A;
          Owned<PC> with, without;
          std::string text;
          PetscReal d;
          OK(Matrix(Shape::star, n, type, &A));
          OK(ScaleByUnits(A, units & 1, units & 2));
          if (penalty) {
            OK(AddPenalty(A));
          }
          if (t.symmetric) {
            OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE)); // PETSc does not detect it
          }
          OK(Make(A, v.options + " -@_shift_type inblocks", &with));
          OK(Make(A, v.options + " -@_shift_type none", &without));
          OK(ComparePCs(A, with, without, &d));
          EXPECT_EQ(d, 0);
          OK(ViewText(with, &text));
          ExpectIn(text, {": 0 block rows shifted"});
        }
  }
}

// The system of a bug report: the solve reported convergence with an error of 0.4.
TEST_P(ReplacementPerType, SolvesASystemWithAPenaltyAsWithoutShift)
{
  if (t.needs_grid || is_single) GTEST_SKIP() << "no grid, or too little precision";
  constexpr PetscInt points = 20;
  Owned<Mat> A;
  PetscInt local = PETSC_DECIDE, all = points;
  OK(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &all));
  OK(
    MatCreateAIJ(PETSC_COMM_WORLD, n * local, n * local, n * points, n * points, 3 * n, nullptr, 2 * n, nullptr, &A));
  PetscInt first, last;
  OK(MatSetBlockSize(A, n));
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt i = first; i < last; ++i)
    for (PetscInt point = std::max<PetscInt>(i / n - 1, 0); point <= std::min(i / n + 1, points - 1); ++point)
      for (PetscInt c = 0; c < n; ++c) {
        const PetscReal weight = point == i / n ? 2.2 : -1, a = (c == i % n ? 1.1 : 0.1) * weight;
        OK(MatSetValue(A, i, n * point + c, a + (i == 16 && n * point + c == i ? 1e20 : 0), INSERT_VALUES));
      }
  OK(Assemble(A));
  for (const char *type : {KSPCG, KSPGMRES, KSPFGMRES}) {
    PetscInt its[2];
    PetscReal error[2];
    for (const bool shifted : {false, true}) {
      Owned<KSP> ksp;
      Vectors s(A);
      PC pc;
      KSPConvergedReason reason;
      OK(s.code);
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPSetType(ksp, type));
      OK(KSPSetOperators(ksp, A, A));
      OK(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 300));
      OK(KSPGetPC(ksp, &pc));
      OK(PCSetType(pc, t.type));
      const Options set(with(std::string("-@_shift_type ") + (shifted ? "inblocks" : "none")));
      OK(PCSetFromOptions(pc));
      OK(KSPSolve(ksp, s.b, s.x));
      OK(KSPGetConvergedReason(ksp, &reason));
      EXPECT_GT(reason, 0);
      OK(KSPGetIterationNumber(ksp, &its[shifted]));
      OK(MatMult(A, s.x, s.y));
      OK(Difference(s.y, s.b, &error[shifted]));
    }
    EXPECT_EQ(its[0], its[1]) << type;
    EXPECT_EQ(error[0], error[1]) << type;
  }
}

TEST_P(ReplacementPerType, InfoCountsBlockRowsOfAllRanks)
{
  Owned<Mat> A;
  Owned<PC> pc;
  std::string text;
  OK(Matrix(Shape::star, n, MATBAIJ, &A));
  OK(Make(A, "-@_shift_type inblocks -@_shift_amount 0.01", &pc));
  const auto expect_line = [&](const std::string &line) {
    OK(InfoText([&] { return PCSetUp(pc); }, &text));
    if (!Rank()) ExpectIn(text, {line + "\n"});
  };
  expect_line("shift inblocks, amount 0.01: pivots replaced in 0 block rows");
  for (const PetscInt row : {3, 47}) { // on the first and on the last rank
    OK(MakeSingular(A, row, n));
  }
  expect_line("shift inblocks, amount 0.01: pivots replaced in 2 block rows");
  OK(PCFinegrainSetShift(pc, MAT_SHIFT_NONE, PETSC_DECIDE));
  OK(InfoText([&] { return PCSetUp(pc); }, &text));
  EXPECT_EQ(text.find("shift inblocks"), std::string::npos);
  if (!Rank()) ExpectIn(text, {"Singular diagonal block in block row "});
}

} // namespace
