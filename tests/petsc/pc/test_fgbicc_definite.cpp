// SPDX-License-Identifier: BSD-2-Clause
// The shift that makes fgbicc positive definite, with CG, and in other units.
#include "types.hpp"

#include <cmath>
#include <map>

using namespace finegrain::test;

#if !defined(PETSC_USE_COMPLEX)
namespace
{

constexpr PetscInt side = 20;

// Row i of the five-point operator on a square.
std::map<PetscInt, PetscReal> Membrane(PetscInt i)
{
  std::map<PetscInt, PetscReal> row{{i, 4}};
  if (i % side > 0) row[i - 1] = -1;
  if (i % side < side - 1) row[i + 1] = -1;
  if (i >= side) row[i - side] = -1;
  if (i < side * (side - 1)) row[i + side] = -1;
  return row;
}

// A plate, the square of the membrane's operator, with n coupled unknowns. It is positive definite, but its DILU is
// not.
PetscErrorCode MakePlate(PetscInt n, MatType type, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscInt local = PETSC_DECIDE, blocks = side * side;
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &blocks));
  PetscCall(MatSetSizes(*A, local * n, local * n, blocks * n, blocks * n));
  PetscCall(MatSetBlockSize(*A, n));
  PetscCall(MatSetType(*A, type));
  PetscCall(MatSeqAIJSetPreallocation(*A, 13 * n, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*A, 13 * n, nullptr, 13 * n, nullptr));
  PetscCall(MatSeqBAIJSetPreallocation(*A, n, 13, nullptr));
  PetscCall(MatMPIBAIJSetPreallocation(*A, n, 13, nullptr, 13, nullptr));
  PetscCall(MatSeqSBAIJSetPreallocation(*A, n, 13, nullptr));
  PetscCall(MatMPISBAIJSetPreallocation(*A, n, 13, nullptr, 13, nullptr));
  if (std::string(type) == MATSBAIJ) PetscCall(MatSetOption(*A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  for (PetscInt i = first / n; i < last / n; ++i) {
    std::map<PetscInt, PetscReal> row;
    for (const auto &[k, a] : Membrane(i))
      for (const auto &[j, b] : Membrane(k)) row[j] += a * b;
    for (const auto &[j, a] : row)
      for (PetscInt r = 0; r < n; ++r)
        for (PetscInt c = 0; c < n; ++c)
          PetscCall(MatSetValue(*A, i * n + r, j * n + c, a / PetscReal(1 + 2 * std::abs(r - c)), INSERT_VALUES));
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Fgbicc, IsPositiveDefiniteWhereTheMatrixIs)
{
  for (const PetscInt n : {1, 3, 4})
    for (const MatType type : {MATAIJ, MATBAIJ, MATSBAIJ}) {
      SCOPED_TRACE(std::string(type) + std::to_string(n));
      Owned<Mat> A;
      Owned<KSP> ksp;
      PC pc;
      KSPConvergedReason reason;
      MatFactorShiftType shift;
      std::string text;
      OK(MakePlate(n, type, &A));
      Vectors s(A);
      OK(s.code);
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPSetType(ksp, KSPCG));
      OK(KSPSetOperators(ksp, A, A));
      OK(KSPGetPC(ksp, &pc));
      OK(PCSetType(pc, PCFGBICC));
      OK(PCFinegrainGetShift(pc, &shift, nullptr));
      EXPECT_EQ(shift, MAT_SHIFT_POSITIVE_DEFINITE);
      OK(KSPSetTolerances(ksp, PetscReal(1e-5), PETSC_DEFAULT, PETSC_DEFAULT, 10000));
      OK(KSPSolve(ksp, s.b, s.x));
      OK(KSPGetConvergedReason(ksp, &reason));
      EXPECT_GT(reason, 0);
      OK(ViewText(pc, &text));
      EXPECT_GT(NumberAfter(text, "of themselves, factorizations: "), 1) << text;
      // In other units of unknowns the shift is the same.
      const std::size_t at = text.find("shift positive_definite: ");
      const std::string line = text.substr(at, text.find('\n', at) - at);
      Owned<Vec> units;
      PetscInt first, last;
      OK(VecDuplicate(s.b, &units));
      OK(VecGetOwnershipRange(units, &first, &last));
      for (PetscInt i = first; i < last; ++i)
        OK(VecSetValue(units, i, std::ldexp(1., int(i % 7) * 2 - 6), INSERT_VALUES));
      OK(VecAssemblyBegin(units));
      OK(VecAssemblyEnd(units));
      OK(MatDiagonalScale(A, units, units));
      OK(KSPSetOperators(ksp, A, A));
      OK(KSPSetUp(ksp));
      OK(ViewText(pc, &text));
      ExpectIn(text, {line});
      // Without the shift the factor is not positive definite.
      OK(PCFinegrainSetShift(pc, MAT_SHIFT_NONE, PETSC_DECIDE));
      OK(KSPSetTolerances(ksp, PetscReal(1e-5), PETSC_DEFAULT, PETSC_DEFAULT, 10000));
      OK(KSPSolve(ksp, s.b, s.x));
      OK(KSPGetConvergedReason(ksp, &reason));
      EXPECT_LT(reason, 0); // mostly KSP_DIVERGED_INDEFINITE_PC
    }
}

// One factorization if no shift is needed, and a failure on all ranks if none helps.
TEST(Fgbicc, ShiftsOnlyWhereThatHelps)
{
  Owned<Mat> A;
  Owned<PC> pc, none;
  PCFailedReason reason;
  std::string text;
  PetscReal d;
  PetscInt first, last;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATBAIJ, 1, &A));
  OK(MakeSymmetric(A));
  OK(MakePC(A, PCFGBICC, "", &pc));
  OK(MakePC(A, PCFGBICC, "-pc_fgbicc_shift_type none", &none));
  OK(ComparePCs(A, pc, none, &d));
  EXPECT_EQ(d, 0);
  OK(ViewText(pc, &text));
  EXPECT_EQ(text.find("raised"), std::string::npos);
  OK(MatGetOwnershipRange(A, &first, &last));
  if (last == 180) {
    OK(MatSetValue(A, 179, 179, 0, INSERT_VALUES));
  } // no shift makes it positive definite
  OK(Assemble(A));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_FACTOR_NUMERIC_ZEROPIVOT);
  OK(ViewText(pc, &text));
  ExpectIn(text, {"set-up failed: Diagonal block that is not positive definite in block row 59; ", "-pc_type fgbilu",
                  "-pc_fgbicc_shift_type none", "factorizations: 20\n"});
  EXPECT_EQ(text.find("inblocks"), std::string::npos) << text;
  if (last == 180) {
    OK(MatSetValue(A, 179, 179, 100, INSERT_VALUES));
  }
  OK(Assemble(A));
  OK(PCSetUp(pc));
  OK(PCGetFailedReason(pc, &reason));
  EXPECT_EQ(reason, PC_NOERROR);
  OK(ViewText(pc, &text));
  EXPECT_EQ(text.find("raised"), std::string::npos);
  for (const char *other : {PCFGBILU, PCMCPI, PCPOWERQILU})
    ExpectRefusal(A, other, std::string("-pc_") + other + "_shift_type positive_definite",
                  {"shift_type is positive_definite", "none, inblocks"});
}

} // namespace
#endif
