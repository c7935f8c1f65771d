// SPDX-License-Identifier: BSD-2-Clause
// Every type: new values, new patterns, resets, views. test_options.cpp tests the options one by one.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

PER_TYPE(RefreshPerType);
PER_TYPE(SettingsPerType);
PER_TYPE(ViewPerType);

TEST_P(RefreshPerType, RepeatsNoAnalysisAndEqualsANewSetUp)
{
  for (const char *type : {MATBAIJ, MATAIJ})
    for (const Variant &v : t.variants) {
      SCOPED_TRACE(type + v.options);
      Owned<Mat> A, B;
      Owned<PC> pc, old, fresh;
      PetscReal d;
      OK(Matrix(Shape::star, 4, type, &A));
      OK(Matrix(Shape::star, 4, type, &B, 2));
      OK(MatScale(B, 1000)); // another scale
      Vectors v0(A);
      OK(v0.code);
      OK(Make(A, v.options, &pc));
      OK(PCSetUp(pc));
      const int analyses = EventCount("FGAnalyze"), factors = EventCount("FGFactor");
      OK(PCSetUp(pc)); // nothing changed
      EXPECT_EQ(EventCount("FGFactor"), factors);
      OK(Make(A, v.options, &old));
      OK(Apply(old, v0.b, v0.x));
      OK(PCSetReusePreconditioner(old, PETSC_TRUE));
      OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
      OK(PCSetUp(pc));
      EXPECT_EQ(EventCount("FGAnalyze"), analyses + 1); // the analysis of the other PC
      EXPECT_EQ(EventCount("FGFactor"), factors + 2);
      OK(Make(B, v.options, &fresh));
      OK(ComparePCs(B, pc, fresh, &d));
      EXPECT_EQ(d, 0);
      EXPECT_EQ(EventCount("FGFactor"), factors + 3); // applications do not factor again
      // The other PC has kept its factor while this one was used. Steps use the new matrix.
      OK(Apply(old, v0.b, v0.y));
      OK(Difference(v0.x, v0.y, &d));
      EXPECT_EQ(d > 0, v.steps);
      OK(PCSetReusePreconditioner(old, PETSC_FALSE));
      OK(ComparePCs(A, old, fresh, &d));
      EXPECT_EQ(d, 0);
      for (const bool reset : {false, true}) { // another matrix with the pattern; settings are kept
        if (reset) {
          OK(PCReset(pc));
        }
        OK(PCSetOperators(pc, B, B));
        OK(ComparePCs(B, pc, fresh, &d));
        EXPECT_EQ(d, 0) << reset;
      }
    }
}

TEST_P(RefreshPerType, AnalyzesAnotherPatternAndAnotherSize)
{
  Owned<Mat> A, B, C;
  PetscReal d;
  OK(Matrix(Shape::star, 3, MATBAIJ, &A));
  OK(Matrix(Shape::box, 3, MATBAIJ, &B));
  OK(Matrix(Shape::small, 5, MATAIJ, &C));
  for (const bool reset : {true, false})
    for (const Variant &v : t.variants) {
      SCOPED_TRACE(v.options);
      Owned<PC> pc, fresh;
      OK(Make(A, v.options, &pc));
      OK(PCSetUp(pc));
      for (Mat M : {B.get(), C.get(), A.get()}) {
        if (!reset && M == C) continue; // PETSc requires a reset for another size
        OK(PCSetOperators(pc, M, M));
        OK(Make(M, v.options, &fresh));
        OK(ComparePCs(M, pc, fresh, &d));
        EXPECT_EQ(d, 0);
        if (reset) {
          OK(PCReset(pc)); // settings are kept
        }
      }
    }
}

// New entries in the same matrix.
TEST_P(RefreshPerType, AnalyzesNewEntries)
{
  if (t.needs_grid) GTEST_SKIP() << "a grid has no more of them";
  for (const Variant &v : t.variants) {
    SCOPED_TRACE(v.options);
    Owned<Mat> A;
    Owned<PC> pc, fresh;
    PetscInt first, last;
    PetscReal d;
    OK(Matrix(Shape::star, 2, MATAIJ, &A));
    OK(Make(A, v.options, &pc));
    OK(PCSetUp(pc));
    OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(MatGetOwnershipRange(A, &first, &last));
    if (last - first > 8) // rows of one color
      for (const bool mirrored : {false, true})
        for (const auto &[i, j] : {std::pair(first, first + 4), std::pair(first + 8, first + 1)}) {
          if (mirrored && !t.symmetric) continue;
          OK(MatSetValue(A, mirrored ? j : i, mirrored ? i : j, 0.5, INSERT_VALUES));
        }
    OK(Assemble(A));
    const int analyses = EventCount("FGAnalyze");
    OK(PCSetUp(pc));
    EXPECT_EQ(EventCount("FGAnalyze"), analyses + 1);
    OK(Make(A, v.options, &fresh));
    OK(ComparePCs(A, pc, fresh, &d));
    EXPECT_EQ(d, 0);
  }
}

TEST_P(SettingsPerType, OfOptionsAreInTheViewAndSurviveAReset)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt grids;
  const PetscInt *ijk;
  std::string text;
  OK(Matrix(Shape::star, 1, MATAIJ, &A));
  OK(Make(A,
          "-@_algorithm levels -@_backend host -@_precision single -@_diag_precision storage -@_shift_type inblocks "
          "-@_shift_amount 1e-3 -@_grid 1,2,3,4,5,6 -@_block_size 1 -@_corrections 2",
          &pc));
  OK(PCFinegrainGetGrid(pc, &grids, &ijk));
  ASSERT_EQ(grids, 2);
  EXPECT_EQ((std::vector(ijk, ijk + 6)), (std::vector<PetscInt>{1, 2, 3, 4, 5, 6}));
  OK(PCFinegrainSetGrid(pc, 0, nullptr)); // the grid does not fit
  for (const bool reset : {false, true}) {
    if (reset) {
      OK(PCReset(pc));
      OK(PCSetOperators(pc, A, A));
    }
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text,
             {"algorithm: levels (", "back end: host, ", "blocks of 1, single precision",
              "inverted diagonal blocks single", "shift inblocks, amount 0.001: 0 block rows", "corrections: 2"});
  }
  OK(PCSetType(pc, PCJACOBI)); // destroys ours without a reset
  OK(PCSetUp(pc));
  MatFactorShiftType shift;
  OK(PCSetType(pc, t.type)); // starts with its defaults
  OK(PCFinegrainGetShift(pc, &shift, nullptr));
  EXPECT_EQ(shift, t.definite ? MAT_SHIFT_POSITIVE_DEFINITE : MAT_SHIFT_NONE);
  OK(PCSetUp(pc));
}

TEST_P(ViewPerType, SaysWhatIsAskedForAndThenWhatWasChosen)
{
  Owned<Mat> A;
  Owned<PC> pc;
  std::string text;
  OK(Matrix(Shape::star, 3, MATBAIJ, &A));
  OK(Make(A, "-@_precision single", &pc));
  OK(ViewText(pc, &text));
  ExpectIn(text,
           {std::string("type: ") + t.type, "    not set up; algorithm auto, backend auto, ", " precision single,"});
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"  schedule: ", " groups, block rows per group: min ",
                  "  back end: ", "  algorithm: ", "kernel launches per application: ",
                  "  storage: blocks of 3, single precision, inverted diagonal blocks working\n", "  bytes: factor ",
                  "  ignored blocks: ", ", exchange: "});
  for (const char *word : {"transpose", "not set up", "shift", "corrections:"})
    EXPECT_EQ(text.find(word), std::string::npos) << text;
  // Changed settings take effect at the next set-up.
  OK(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_WORKING));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"  storage: blocks of 3, working precision"});
}

} // namespace
