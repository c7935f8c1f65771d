// SPDX-License-Identifier: BSD-2-Clause
// Every type: singular and non-finite blocks fail on all ranks and leave the preconditioner usable; so do errors.
// Files of single types test values that only one type cannot store.
#include "types.hpp"

#include <array>
#include <cmath>

using namespace finegrain::test;

namespace
{

PER_TYPE(FailurePerType);
PER_TYPE(ShiftPerType);

constexpr PetscInt bad = 47; // a block row of the last rank

PetscErrorCode Spoil(Mat A, const std::string &kind, PetscInt n)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  if (kind == "singular") PetscCall(MakeSingular(A, bad, n));
  else if (bad * n >= first && bad * n < last)
    PetscCall(MatSetValue(A, bad * n, bad * n, PetscReal(kind == "nan" ? std::nan("") : HUGE_VAL), INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(FailurePerType, IsOneOfAllRanksAndTheNextGoodMatrixWorks)
{
  for (const std::string kind : {"singular", "nan", "inf"})
    for (const Variant &v : t.variants)
      for (const PetscInt n : {1, 4}) {
        SCOPED_TRACE(kind + v.options);
        const PCFailedReason expected = kind == "singular" ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_FACTOR_OTHER;
        Owned<Mat> A, good;
        Owned<KSP> ksp;
        PC pc;
        KSPConvergedReason reason;
        PCFailedReason failed;
        OK(Matrix(Shape::star, n, MATBAIJ, &good));
        OK(MatDuplicate(good, MAT_COPY_VALUES, &A));
        OK(Spoil(A, kind, n));
        Vectors s(A);
        OK(s.code);
        OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
        OK(KSPGetPC(ksp, &pc));
        OK(PCSetType(pc, t.type));
        const Options set(with(v.options));
        OK(PCSetFromOptions(pc));
        for (const char *type : {KSPGMRES, KSPRICHARDSON, KSPBCGS, KSPPREONLY, KSPREFINE}) {
          OK(KSPSetType(ksp, type));
          OK(KSPSetOperators(ksp, A, A));
          OK(KSPSolve(ksp, s.b, s.x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, expected) << type;
          OK(KSPSetOperators(ksp, good, good));
          OK(KSPSolve(ksp, s.b, s.x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_GT(reason, 0) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, PC_NOERROR) << type;
        }
        // An error if the user requests one: it names the row, which must not be one that is eliminated later, and
        // the remedy.
        OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
        OK(KSPSetOperators(ksp, A, A));
        const std::string error = ExpectError([&] { return KSPSetUp(ksp); });
        ExpectIn(error, {"block row 47;"});
        const bool definite = error.find("not positive definite") != std::string::npos; // inblocks cannot mend that
        if (kind == "singular")
          ExpectIn(error, {with(definite ? "or -@_shift_type none" : "try -@_shift_type inblocks")});
        else {
          const std::string entry = std::to_string(bad * n);
          ExpectIn(error, {"Inf or NaN in row " + entry + ", column " + entry + " of the matrix", "-fp_trap"});
          EXPECT_EQ(error.find("shift_type"), std::string::npos);
        }
      }
}

// KSPSolve() also sets up for new values without KSPSetOperators(), but later. The caller's guess is kept.
TEST_P(FailurePerType, EndsWithNewValuesInTheSameMatrix)
{
  for (const Variant &v : t.variants)
    for (const char *type : {KSPGMRES, KSPFGMRES, KSPRICHARDSON, KSPBCGS, KSPCG, KSPPREONLY, KSPREFINE})
      for (const bool guess : {false, true}) {
        if (guess && type == std::string(KSPPREONLY)) continue;
        SCOPED_TRACE(v.options + " " + type + (guess ? ", from a guess" : ""));
        Owned<Mat> A, good;
        Owned<KSP> ksp, fresh;
        PC pc;
        PetscInt its[2];
        PetscReal d;
        OK(Matrix(Shape::star, 2, MATBAIJ, &good));
        OK(MatDuplicate(good, MAT_COPY_VALUES, &A));
        OK(Spoil(A, "singular", 2));
        Vectors s(A);
        OK(s.code);
        const Options set(with(v.options));
        for (KSP *k : {&ksp, &fresh}) {
          OK(KSPCreate(PETSC_COMM_WORLD, k));
          OK(KSPSetType(*k, type));
          OK(KSPGetPC(*k, &pc));
          OK(PCSetType(pc, t.type));
          OK(KSPSetInitialGuessNonzero(*k, PetscBool(guess)));
          OK(KSPSetFromOptions(*k));
        }
        KSPConvergedReason reason, expected;
        PCFailedReason failed;
        OK(KSPSetOperators(ksp, A, A));
        for (int k = 0; k < 2; ++k) {
          OK(VecSet(s.x, 0.5));
          OK(KSPSolve(ksp, s.b, s.x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED) << k;
        }
        OK(MatCopy(good, A, SAME_NONZERO_PATTERN));
        OK(VecSet(s.x, 0.5));
        OK(KSPSolve(ksp, s.b, s.x));
        OK(KSPGetConvergedReason(ksp, &reason));
        // Few of the preconditioners are symmetric, as CG needs it.
        if (t.symmetric || type != std::string(KSPCG)) {
          EXPECT_GT(reason, 0);
        }
        OK(KSPGetPC(ksp, &pc));
        OK(PCGetFailedReason(pc, &failed));
        EXPECT_EQ(failed, PC_NOERROR);
        OK(KSPSetOperators(fresh, good, good));
        OK(VecSet(s.y, 0.5));
        OK(KSPSolve(fresh, s.b, s.y));
        OK(KSPGetConvergedReason(fresh, &expected));
        EXPECT_EQ(reason, expected);
        OK(KSPGetIterationNumber(ksp, &its[0]));
        OK(KSPGetIterationNumber(fresh, &its[1]));
        EXPECT_EQ(its[0], its[1]);
        OK(Difference(s.x, s.y, &d));
        EXPECT_LT(d, tolerance);
      }
}

TEST_P(FailurePerType, EndsWithAnotherOption)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  PC pc;
  KSPConvergedReason reason;
  PCFailedReason failed;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  OK(MakeSingular(A, bad, 2));
  Vectors s(A);
  OK(s.code);
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, t.type));
  OK(PCFinegrainSetShift(pc, MAT_SHIFT_NONE, PETSC_DECIDE));
  OK(KSPSolve(ksp, s.b, s.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED);
  OK(PCFinegrainSetShift(pc, MAT_SHIFT_INBLOCKS, 0.5));
  OK(KSPSolve(ksp, s.b, s.x));
  OK(KSPGetConvergedReason(ksp, &reason)); // the matrix is singular, so that the solve need not converge
  EXPECT_NE(reason, KSP_DIVERGED_PC_FAILED);
  EXPECT_NE(reason, KSP_DIVERGED_NANORINF);
  OK(PCGetFailedReason(pc, &failed));
  EXPECT_EQ(failed, PC_NOERROR);
}

TEST_P(FailurePerType, LeavesThePreconditionerUsableAndEventsCounted)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  PetscReal d;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  OK(MakeSingular(A, bad, 2));
  OK(Make(A, "", &pc));
  OK(PCSetErrorIfFailure(pc, PETSC_TRUE));
  (void)ExpectError([&] { return PCSetUp(pc); });
  const int factors = EventCount("FGFactor"), analyses = EventCount("FGAnalyze");
  OK(PCFinegrainSetGrid(pc, 1, std::array<PetscInt, 3>{1, 1, 10000}.data())); // does not fit
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"1,1,10000", with("-@_grid")});
  OK(PCFinegrainSetGrid(pc, 0, nullptr));
  OK(MatShift(A, 100));
  OK(PCSetUp(pc));
  EXPECT_EQ(EventCount("FGFactor"), factors + 1);
  EXPECT_EQ(EventCount("FGAnalyze"), analyses + 2);
  OK(Make(A, "", &fresh));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
  (void)ExpectError([&] { return PCFinegrainSetCorrections(pc, -1); });
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

TEST_P(ShiftPerType, ReplacesPivotsAndSaysHowMany)
{
  for (const Variant &v : t.variants) {
    SCOPED_TRACE(v.options);
    Owned<Mat> A;
    Owned<PC> pc;
    std::string text;
    PetscReal norm;
    OK(Matrix(Shape::star, 2, MATBAIJ, &A));
    OK(MakeSingular(A, bad, 2));
    OK(Make(A, "-@_shift_type inblocks -@_shift_amount 0.5 " + v.options, &pc));
    Vectors s(A);
    OK(s.code);
    OK(Apply(pc, s.b, s.x));
    OK(VecNorm(s.x, NORM_2, &norm));
    EXPECT_TRUE(std::isfinite(norm));
    OK(ViewText(pc, &text));
    const std::string turns = "factors applied in turn: "; // each factor has the row
    const PetscInt factors = text.find(turns) == std::string::npos ? 1 : NumberAfter(text, turns);
    ExpectIn(text, {"shift inblocks, amount 0.5: " + std::to_string(factors) + " block rows shifted"});
  }
}

// Inf is no replaceable pivot, neither in a diagonal block nor next to it.
TEST_P(ShiftPerType, DoesNotHideInf)
{
  for (const PetscInt n : {1, 3}) {
    Owned<Mat> A;
    Owned<PC> pc;
    PCFailedReason failed;
    std::string text;
    OK(Matrix(Shape::star, n, MATBAIJ, &A));
    OK(Spoil(A, "inf", n));
    OK(Make(A, "-@_shift_type inblocks", &pc));
    OK(PCSetUp(pc));
    OK(PCGetFailedReason(pc, &failed));
    EXPECT_EQ(failed, PC_FACTOR_OTHER);
    OK(ViewText(pc, &text));
    ExpectIn(text, {"set-up failed: Inf or NaN", "block row 47; "});
    OK(MatZeroEntries(A));
    OK(MatShift(A, 2));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    EXPECT_EQ(text.find("set-up failed"), std::string::npos);
  }
}

} // namespace
