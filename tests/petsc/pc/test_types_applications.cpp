// SPDX-License-Identifier: BSD-2-Clause
// Every type: transposes, several vectors, algorithms, formats, corrections, Richardson's method, ranks without
// rows. Each is compared with plain applications of the type itself or of PETSc.
#include "types.hpp"

#include <algorithm>

using namespace finegrain::test;

namespace
{

PER_TYPE(TransposePerType);
PER_TYPE(SeveralVectorsPerType);
PER_TYPE(AlgorithmsPerType);
PER_TYPE(FormatsPerType);
PER_TYPE(CorrectionsPerType);
PER_TYPE(RichardsonPerType);
PER_TYPE(RanksPerType);

TEST_P(TransposePerType, IsTheAdjointOfTheApplication)
{
  for (const Shape shape : {Shape::scattered, Shape::star})
    for (const PetscInt n : {1, 3, 5})
      for (const Variant &variant : t.variants) {
        Owned<Mat> A;
        Owned<PC> pc;
        Owned<Vec> c;
        PetscScalar left, right;
        PetscReal p, q;
        OK(Matrix(shape, n, MATBAIJ, &A));
        OK(Make(A, variant.options, &pc));
        Vectors v(A);
        OK(v.code);
        OK(VecDuplicate(v.b, &c));
        OK(VecPointwiseMult(c, v.b, v.b)); // another vector
        OK(Apply(pc, v.b, v.x));
        OK(VecSet(v.y, PETSC_INFINITY));
        OK(PCApplyTranspose(pc, c, v.y));
        OK(VecTDot(v.x, c, &left));
        OK(VecTDot(v.b, v.y, &right));
        OK(VecNorm(v.x, NORM_2, &p));
        OK(VecNorm(c, NORM_2, &q));
        const bool half_factor = !t.relaxes && variant.has("precision half");
        const PetscReal small =
          half_factor || variant.has("sum_precision single") ? PetscReal(1e-5) : tolerance / 100;
        EXPECT_LT(PetscAbsScalar(left - right), small * p * q) << variant.options << ", " << n;
      }
}

TEST_P(TransposePerType, EqualsPetscs)
{
  if (!t.reference) GTEST_SKIP() << "PETSc has none like it";
  for (const PetscInt n : {1, 3, 9}) {
    Owned<Mat> A;
    Owned<PC> pc, reference;
    PetscReal d;
    // PETSc's ICC crashes on a BAIJ matrix without rows.
    OK(Matrix(Shape::scattered, n, std::string(t.reference) == PCICC ? MATAIJ : MATBAIJ, &A));
    OK(Make(A, t.as_reference, &pc));
    const Options set(std::string("-sub_pc_type ") + t.reference);
    OK(MakePC(A, PCBJACOBI, "", &reference));
    OK(PCSetUp(reference));
    OK(PCSetUpOnBlocks(reference));
    Vectors v(A);
    OK(v.code);
    OK(PCSetUp(pc));
    OK(VecSet(v.x, PETSC_INFINITY));
    OK(PCApplyTranspose(pc, v.b, v.x));
    OK(PCApplyTranspose(reference, v.b, v.y));
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, tolerance) << n;
    OK(ComparePCs(A, pc, reference, &d));
    EXPECT_LT(d, tolerance) << n;
  }
}

TEST_P(SeveralVectorsPerType, HaveTheBitsOfOne)
{
  for (const Variant &variant : t.variants)
    for (const char *algorithm : {"auto", "levels", "tasks"})
      for (const PetscInt columns : {1, 8, 11}) {
        if (!variant.tasks && algorithm == std::string("tasks")) continue;
        Owned<Mat> A, B, X;
        Owned<PC> pc;
        PetscInt rows;
        OK(Matrix(Shape::star, 3, MATBAIJ, &A));
        OK(Make(A, variant.options + " -@_algorithm " + algorithm, &pc));
        OK(PCSetUp(pc));
        Vectors v(A);
        OK(v.code);
        OK(MatGetLocalSize(A, &rows, nullptr));
        OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, &B));
        OK(MatSetRandom(B, nullptr));
        OK(MatDuplicate(B, MAT_COPY_VALUES, &X));
        for (const bool transposed : {false, true}) {
          OK(MatScale(X, PETSC_INFINITY));
          if (!transposed) {
            OK(PCMatApply(pc, B, X));
          } else {
#if PETSC_VERSION_GE(3, 24, 0)
            OK(PCMatApplyTranspose(pc, B, X));
#else
            continue;
#endif
          }
          for (PetscInt c = 0; c < columns; ++c) {
            Vec b, x;
            PetscBool same;
            OK(VecSet(v.y, PETSC_INFINITY));
            OK(MatDenseGetColumnVecRead(B, c, &b));
            OK(transposed ? PCApplyTranspose(pc, b, v.y) : PCApply(pc, b, v.y));
            OK(MatDenseRestoreColumnVecRead(B, c, &b));
            OK(MatDenseGetColumnVecRead(X, c, &x));
            OK(VecEqual(x, v.y, &same));
            OK(MatDenseRestoreColumnVecRead(X, c, &x));
            EXPECT_TRUE(same) << variant.options << algorithm << ", column " << c
                              << (transposed ? ", transposed" : "");
          }
        }
      }
}

TEST_P(AlgorithmsPerType, HaveTheSameBits)
{
  for (const Shape shape : {Shape::scattered, Shape::star})
    for (const PetscInt n : {1, 3})
      for (const Variant &variant : t.variants) {
        Owned<Mat> A;
        Owned<PC> plain;
        OK(Matrix(shape, n, MATBAIJ, &A));
        OK(Make(A, variant.options + " -@_algorithm sequential", &plain));
        for (const std::string algorithm : {"auto", "levels", "tasks"}) {
          if (!variant.tasks && algorithm == "tasks") continue;
          SCOPED_TRACE(variant.options + algorithm);
          Owned<PC> pc;
          PetscReal d;
          std::string text;
          OK(Make(A, variant.options + " -@_algorithm " + algorithm, &pc));
          OK(ComparePCs(A, pc, plain, &d));
          EXPECT_EQ(d, 0);
          OK(ViewText(pc, &text));
          if (algorithm != "auto") ExpectIn(text, {"algorithm: " + algorithm});
        }
      }
}

TEST_P(FormatsPerType, GiveTheSameBits)
{
  for (const PetscInt n : {1, 4})
    for (const Variant &variant : t.variants) {
      Owned<Mat> A, B;
      Owned<PC> p, q;
      PetscReal d;
      OK(Matrix(Shape::star, n, MATBAIJ, &A));
      OK(Matrix(Shape::star, n, MATAIJ, &B));
      OK(Make(A, variant.options, &p));
      OK(Make(B, variant.options + " -@_algorithm levels", &q));
      OK(ComparePCs(A, p, q, &d));
      EXPECT_EQ(d, 0) << variant.options << ", " << n;
    }
}

TEST_P(FormatsPerType, AijWithABlockSizeOfTheOptionsIsBaij)
{
  if (t.needs_grid) GTEST_SKIP() << "an AIJ matrix of a grid knows its blocks";
  Owned<Mat> A, B, scalar;
  Owned<PC> p, q;
  PetscInt first, last, n;
  PetscReal d;
  OK(Matrix(Shape::star, 4, MATBAIJ, &A));
  OK(Matrix(Shape::star, 4, MATAIJ, &B));
  OK(MatGetOwnershipRange(B, &first, &last));
  OK(MatCreateAIJ(PETSC_COMM_WORLD, last - first, last - first, PETSC_DETERMINE, PETSC_DETERMINE, 28, nullptr, 28,
                  nullptr, &scalar)); // does not know blocks
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt *columns;
    const PetscScalar *values;
    OK(MatGetRow(B, row, &n, &columns, &values));
    OK(MatSetValues(scalar, 1, &row, n, columns, values, INSERT_VALUES));
    OK(MatRestoreRow(B, row, &n, &columns, &values));
  }
  OK(Assemble(scalar));
  if (t.symmetric) {
    OK(MatSetOption(scalar, MAT_SYMMETRIC, PETSC_TRUE));
  }
  for (const Variant &variant : t.variants) {
    OK(Make(A, variant.options, &p));
    OK(Make(scalar, variant.options + " -@_block_size 4", &q));
    OK(ComparePCs(A, p, q, &d));
    EXPECT_EQ(d, 0) << variant.options;
  }
}

TEST_P(FormatsPerType, SbaijEqualsItsBaijConversionAndFollowsIt)
{
  for (const Variant &variant : t.variants) {
    SCOPED_TRACE(variant.options);
    Owned<Mat> A, S;
    Owned<PC> p, q;
    DM da;
    PetscReal d;
    OK(Matrix(Shape::star, 2, MATBAIJ, &A));
    OK(MakeSymmetric(A));
    OK(MatConvert(A, MATSBAIJ, MAT_INITIAL_MATRIX, &S));
    OK(MatGetDM(A, &da));
    OK(MatSetDM(S, da));
    OK(Make(A, variant.options, &p));
    OK(Make(S, variant.options, &q));
    for (int round = 0; round < 2; ++round) {
      const int analyses = EventCount("FGAnalyze");
      OK(ComparePCs(A, p, q, &d));
      EXPECT_EQ(d, 0);
      EXPECT_EQ(EventCount("FGAnalyze"), analyses + (round ? 0 : 2));
      OK(MatShift(A, 2));
      OK(MatShift(S, 2));
    }
  }
}

TEST_P(CorrectionsPerType, ArePlainSteps)
{
  for (const Variant &variant : t.variants) {
    if (variant.corrects() || variant.one_step()) continue;
    for (const char *type : {MATAIJ, MATBAIJ}) {
      Owned<Mat> A;
      Owned<PC> pc, plain;
      PetscReal d;
      OK(Matrix(Shape::scattered, 3, type, &A));
      OK(Make(A, variant.options + " -@_corrections 2", &pc));
      OK(Make(A, variant.options, &plain));
      Vectors v(A);
      OK(v.code);
      OK(PCSetUp(plain));
      OK(PCSetUp(pc));
      for (const bool transposed : {false, true}) {
        OK(VecSet(v.x, PETSC_INFINITY));
        OK(transposed ? PCApplyTranspose(pc, v.b, v.x) : PCApply(pc, v.b, v.x));
        OK(PlainCorrections(A, plain, 2, transposed, v.b, v.y));
        OK(Difference(v.x, v.y, &d));
        EXPECT_LT(d, tolerance) << variant.options << type << (transposed ? ", transposed" : "");
      }
    }
  }
}

PetscErrorCode QuietMonitor(KSP, PetscInt, PetscReal, void *) { return PETSC_SUCCESS; }

// Solves by KSPRICHARDSON, from zero or from a guess of 3.
PetscErrorCode SolveByRichardson(Mat A, const char *type, const std::string &options, bool guess,
                                 const std::function<PetscErrorCode(KSP)> &prepare, Vec b, Vec x, PetscInt *steps,
                                 KSPConvergedReason *reason)
{
  Owned<KSP> ksp;
  PC pc;
  const Options set(options);

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPRICHARDSON));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(prepare(ksp));
  PetscCall(VecSet(x, guess ? PetscReal(3) : PETSC_INFINITY)); // zero is used instead
  PetscCall(KSPSetInitialGuessNonzero(ksp, guess ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, steps));
  PetscCall(KSPGetConvergedReason(ksp, reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// With PETSc's loop and with ours, which exists only if requested.
TEST_P(RichardsonPerType, StepsAreThoseOfTheMethod)
{
  for (const Variant &variant : t.variants)
    for (const bool shifted : {false, true}) // with a replaced pivot
      for (const bool guess : {false, true})
        for (const PetscInt steps : {1, 4}) {
          if (variant.one_step()) continue;
          SCOPED_TRACE(variant.options);
          Owned<Mat> A;
          PetscReal d;
          OK(Matrix(Shape::star, 3, MATBAIJ, &A));
          if (shifted) {
            OK(MakeSingular(A, 31, 3));
          }
          Vectors v(A);
          OK(v.code);
          for (const bool ours : {false, true}) {
            PetscInt done;
            KSPConvergedReason reason;
            const auto prepare = [&](KSP ksp) {
              PC pc;
              PetscBool exists;
              PetscFunctionBegin;
              PetscCall(KSPGetPC(ksp, &pc));
              PetscCall(PCSetUp(pc)); // the set-up counts the steps
              PetscCall(PCApplyRichardsonExists(pc, &exists));
              EXPECT_EQ(exists, ours && !variant.steps ? PETSC_TRUE : PETSC_FALSE);
              PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
              PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, steps));
              PetscFunctionReturn(PETSC_SUCCESS);
            };
            OK(SolveByRichardson(A, t.type,
                                 with(variant.options +
                                      (shifted ? " -@_shift_type inblocks -@_shift_amount 0.5" : "") +
                                      " -@_apply_richardson " + (ours ? "fixed" : "none")),
                                 guess, prepare, v.b, ours ? v.x : v.y, &done, &reason));
            EXPECT_EQ(done, steps);
            EXPECT_EQ(reason, KSP_CONVERGED_ITS);
          }
          OK(Difference(v.x, v.y, &d));
          EXPECT_LT(d, tolerance) << steps << " steps, guess " << guess;
        }
}

TEST_P(RichardsonPerType, IsTheSameWithAndWithoutAMonitor)
{
  struct Run {
    PetscReal rtol, abstol, dtol;
    PetscInt steps;
  };
  const PetscReal eps = PETSC_MACHINE_EPSILON;
  for (const Variant &variant : t.variants)
    for (const Run &run : {Run{1000 * eps, 0, PetscReal(1e4), 200}, Run{0, PetscReal(1e-3), PetscReal(1e4), 200},
                           Run{0, 0, PetscReal(1e4), 2}, Run{1000 * eps, 0, PetscReal(1e-3), 50}})
      for (const bool guess : {false, true})
        for (const char *inside : {"tolerance", "none"}) {
          if (variant.one_step()) continue;
          SCOPED_TRACE(variant.options + inside);
          Owned<Mat> A;
          PetscInt steps[2];
          KSPConvergedReason reason[2];
          PetscReal d;
          OK(Matrix(Shape::star, 2, MATBAIJ, &A));
          Vectors v(A);
          OK(v.code);
          for (const bool monitored : {false, true}) {
            const auto prepare = [&](KSP ksp) {
              PetscFunctionBegin;
              PetscCall(KSPSetTolerances(ksp, run.rtol, run.abstol, run.dtol, run.steps));
              if (monitored) PetscCall(KSPMonitorSet(ksp, QuietMonitor, nullptr, nullptr));
              PetscFunctionReturn(PETSC_SUCCESS);
            };
            OK(SolveByRichardson(A, t.type, with(variant.options + " -@_apply_richardson " + inside), guess, prepare,
                                 v.b, monitored ? v.y : v.x, &steps[monitored], &reason[monitored]));
          }
          EXPECT_EQ(steps[0], steps[1]) << run.rtol << " " << run.abstol << " " << run.dtol;
          EXPECT_EQ(reason[0], reason[1]);
          OK(Difference(v.x, v.y, &d));
          EXPECT_TRUE(d < tolerance || steps[0] == 0) << d;
        }
}

// With all rows on the last rank, results are bitwise identical to those of one rank.
TEST_P(RanksPerType, MayHaveNoRows)
{
  if (t.needs_grid) GTEST_SKIP() << "a DMDA has points on all of them";
  const bool mine = Rank() == Size() - 1;
  for (const Variant &variant : t.variants) {
    Owned<Mat> A, alone;
    Owned<PC> pc, single;
    const Couplings c = scattered(40, 3, true);
    OK(AssembleMatrix(c, 3, MATBAIJ, 1, &A, mine ? 40 : 0));
    if (t.symmetric) {
      OK(MakeSymmetric(A));
    }
    OK(Make(A, variant.options, &pc));
    Vectors v(A);
    OK(v.code);
    OK(Apply(pc, v.b, v.x));
    if (!mine) continue;
    const PetscScalar *x, *y;
    OK(AssembleMatrix(c, 3, MATBAIJ, 1, &alone, 40, PETSC_COMM_SELF));
    if (t.symmetric) {
      OK(MakeSymmetric(alone));
    }
    OK(Make(alone, variant.options, &single));
    Vectors w(alone);
    OK(w.code);
    OK(Apply(single, w.b, w.x));
    OK(VecGetArrayRead(v.x, &x));
    OK(VecGetArrayRead(w.x, &y));
    EXPECT_TRUE(std::equal(x, x + 120, y)) << variant.options;
    OK(VecRestoreArrayRead(w.x, &y));
    OK(VecRestoreArrayRead(v.x, &x));
  }
}

} // namespace
