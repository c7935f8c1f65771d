// SPDX-License-Identifier: BSD-2-Clause
// Every type: regular solves raise no floating point exception, so that -fp_trap stops no program. Values that a
// storage cannot hold are reported as too large for it, not as zero pivots.
#include "types.hpp"

#include <cfenv>

using namespace finegrain::test;

namespace
{

PER_TYPE(ExceptionsPerType);

// The exceptions that PetscSetFPTrap() turns into signals. The tests read the flags instead, because a signal would
// end them.
constexpr int trapped = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW;

PetscErrorCode Solve(KSP ksp, Mat A, Vectors &s, int *raised)
{
  PetscFunctionBegin;
  (void)std::feclearexcept(FE_ALL_EXCEPT);
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, s.b, s.x));
  *raised = std::fetestexcept(trapped);
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(ExceptionsPerType, RegularSolvesRaiseNone)
{
  for (const Variant &v : t.variants)
    for (const char *algorithm : {"auto", "sequential", "levels", "tasks"})
      for (const PetscInt n : {1, 3, 5}) {
        if (!v.tasks && algorithm != std::string("auto") && algorithm != std::string("sequential")) continue;
        if ((v.has("exchange") || v.has("global")) && algorithm != std::string("auto")) continue;
        SCOPED_TRACE(v.options + " " + algorithm + " " + std::to_string(n));
        Owned<Mat> A;
        Owned<KSP> ksp;
        PC pc;
        OK(Matrix(Shape::star, n, MATBAIJ, &A));
        Vectors s(A);
        OK(s.code);
        OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
        OK(KSPSetType(ksp, v.one_step() ? KSPFGMRES : KSPGMRES));
        OK(KSPGetPC(ksp, &pc));
        OK(PCSetType(pc, t.type));
        const Options set(with(v.options + " -@_algorithm " + algorithm));
        OK(PCSetFromOptions(pc));
        for (int round = 0; round < 2; ++round) { // analyzed, and with new values
          int raised = -1;
          OK(Solve(ksp, A, s, &raised));
          EXPECT_EQ(raised, 0) << (raised & FE_DIVBYZERO ? "division by zero " : "")
                               << (raised & FE_INVALID ? "invalid " : "") << (raised & FE_OVERFLOW ? "overflow" : "");
          OK(MatScale(A, 1.5));
        }
      }
}

// A zero pivot fails without an exception, as for PETSc's ILU, and with inblocks the solve continues.
TEST_P(ExceptionsPerType, SingularBlocksRaiseNone)
{
  for (const char *shift : {"none", "inblocks"})
    for (const PetscInt n : {1, 2, 4}) {
      SCOPED_TRACE(std::string(shift) + " " + std::to_string(n));
      Owned<Mat> A;
      Owned<PC> pc;
      PCFailedReason failed;
      OK(Matrix(Shape::star, n, MATBAIJ, &A));
      OK(MakeSingular(A, 47, n));
      OK(Make(A, std::string("-@_shift_type ") + shift, &pc));
      (void)std::feclearexcept(FE_ALL_EXCEPT);
      OK(PCSetUp(pc));
      EXPECT_EQ(std::fetestexcept(trapped), 0);
      OK(PCGetFailedReason(pc, &failed));
      EXPECT_EQ(failed, shift == std::string("none") ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_NOERROR);
    }
}

// Couplings, or inverses of small diagonal blocks, are too large.
TEST_P(ExceptionsPerType, EntriesBeyondAStorageAreSaidNotToFit)
{
  if (sizeof(PetscReal) == 4) GTEST_SKIP() << "nothing is stored in less";
  for (const PetscReal scale : {1e50, 1e-50})
    for (const std::string precision : {"single", "half"})
      for (const PetscInt n : {1, 3}) {
        if (precision == "half" && (!t.half || scale > 1)) continue; // not available, or scaled to its range
        SCOPED_TRACE(precision + " " + std::to_string(n) + " " + std::to_string(scale));
        Owned<Mat> A;
        Owned<PC> pc;
        PCFailedReason failed;
        std::string text;
        OK(Matrix(Shape::star, n, MATBAIJ, &A));
        OK(MatScale(A, scale));
        OK(Make(A, "-@_diag_precision storage -@_precision " + precision, &pc));
        OK(PCSetUp(pc));
        OK(PCGetFailedReason(pc, &failed));
        EXPECT_EQ(failed, PC_FACTOR_OTHER);
        OK(ViewText(pc, &text));
        ExpectIn(text, {"set-up failed: ", "not finite", "block row ", "the largest entry of the matrix is ",
                        scale > 1 ? "e+5" : "e-4", with("do not fit -@_precision " + precision),
                        with("use -@_precision working")});
        OK(Make(A, "", &pc));
        OK(PCSetUp(pc));
        OK(PCGetFailedReason(pc, &failed));
        EXPECT_EQ(failed, PC_NOERROR);
      }
}

} // namespace
