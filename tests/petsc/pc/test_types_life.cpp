// SPDX-License-Identifier: BSD-2-Clause
// Every type: new values, new patterns, resets, changed settings, options, getters, views, -help. Files of single
// types test their own settings.
#include "types.hpp"

#include <array>

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

TEST_P(SettingsPerType, ActAtTheNextSetUp)
{
  const auto shift = [](PC pc) { return PCFinegrainSetShift(pc, MAT_SHIFT_INBLOCKS, PetscReal(0.1)); };
  std::vector<Change> changes = {
    {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE); }, "-@_precision single",
     sizeof(PetscReal) != 4},
    {[](PC pc) { return PCFinegrainSetCorrections(pc, 2); }, "-@_corrections 2"},
    {[](PC pc) { return PCFinegrainSetAlgorithm(pc, PC_FINEGRAIN_ALGORITHM_TASKS); }, "-@_algorithm tasks", false},
    {shift, "-@_shift_type inblocks -@_shift_amount 0.1", false}}; // no pivot needs a shift
  if (!t.needs_grid) changes.push_back({[](PC pc) { return PCFinegrainSetBlockSize(pc, 1); }, "-@_block_size 1"});
  Owned<Mat> A;
  OK(Matrix(Shape::scattered, 2, MATAIJ, &A));
  ExpectChangesToAct(A, t.type, "", changes);
}

MatFactorShiftType DefaultShift([[maybe_unused]] const std::string &type)
{
#if !defined(PETSC_USE_COMPLEX)
  if (type == PCFGBICC) return MAT_SHIFT_POSITIVE_DEFINITE;
#endif
  return MAT_SHIFT_NONE;
}

// The settings that all types have.
struct Common {
  PCFinegrainAlgorithmType algorithm;
  PCFinegrainBackendType backend;
  PCFinegrainPrecisionType precision;
  PCFinegrainDiagonalPrecisionType diagonal;
  PCFinegrainApplyRichardsonType apply_richardson;
  MatFactorShiftType shift;
  PetscReal amount, zero;
  PetscBool add;
  PetscInt grids, n, corrections;
  const PetscInt *ijk;

  std::vector<std::function<PetscErrorCode(PC)>> getters()
  {
    return {[this](PC pc) { return PCFinegrainGetAlgorithm(pc, &algorithm); },
            [this](PC pc) { return PCFinegrainGetBackend(pc, &backend); },
            [this](PC pc) { return PCFinegrainGetPrecision(pc, &precision); },
            [this](PC pc) { return PCFinegrainGetDiagonalPrecision(pc, &diagonal); },
            [this](PC pc) { return PCFinegrainGetApplyRichardson(pc, &apply_richardson); },
            [this](PC pc) { return PCFinegrainGetShift(pc, &shift, &amount); },
            [this](PC pc) { return PCFinegrainGetZeroPivot(pc, &zero); },
            [this](PC pc) { return PCFinegrainGetAddDiagonal(pc, &add); },
            [this](PC pc) { return PCFinegrainGetGrid(pc, &grids, &ijk); },
            [this](PC pc) { return PCFinegrainGetBlockSize(pc, &n); },
            [this](PC pc) { return PCFinegrainGetCorrections(pc, &corrections); }};
  }
  void expect_defaults(PC pc, const char *type)
  {
    for (const auto &get : getters()) OK(get(pc));
    EXPECT_EQ(algorithm, PC_FINEGRAIN_ALGORITHM_AUTO);
    EXPECT_EQ(backend, PC_FINEGRAIN_BACKEND_AUTO);
    EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_WORKING);
    EXPECT_EQ(diagonal, PC_FINEGRAIN_DIAGONAL_PRECISION_WORKING);
    EXPECT_EQ(apply_richardson, PC_FINEGRAIN_APPLY_RICHARDSON_NONE);
    EXPECT_EQ(shift, DefaultShift(type));
    EXPECT_EQ(amount, PETSC_SQRT_MACHINE_EPSILON);
    EXPECT_EQ(zero, 100 * PETSC_MACHINE_EPSILON);
    EXPECT_FALSE(add);
    EXPECT_EQ(grids, 0);
    EXPECT_EQ(corrections, 0);
  }
  void expect_changed(PC pc)
  {
    for (const auto &get : getters()) OK(get(pc));
    EXPECT_EQ(algorithm, PC_FINEGRAIN_ALGORITHM_LEVELS);
    EXPECT_EQ(backend, PC_FINEGRAIN_BACKEND_HOST);
    EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_SINGLE);
    EXPECT_EQ(diagonal, PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE);
    EXPECT_EQ(apply_richardson, PC_FINEGRAIN_APPLY_RICHARDSON_FIXED);
    EXPECT_EQ(shift, MAT_SHIFT_INBLOCKS);
    EXPECT_EQ(amount, PetscReal(1e-3));
    EXPECT_EQ(zero, PetscReal(1e-11));
    EXPECT_TRUE(add);
    EXPECT_EQ(n, 1);
    EXPECT_EQ(corrections, 2);
  }
};

TEST_P(SettingsPerType, OfOptionsWithThePrefixReachGettersAndTheViewAndSurviveAReset)
{
  Owned<Mat> A;
  Owned<PC> pc;
  Common c;
  std::string text;
  OK(Matrix(Shape::star, 1, MATAIJ, &A));
  OK(Make(A, "-other_@_corrections 3 -pc_jacobi_abs -pc_other_precision single", &pc)); // none applies to this PC
  c.expect_defaults(pc, t.type);
  OK(PCSetOptionsPrefix(pc, "other_"));
  const Options set(with("-@_corrections 7") + " " +
                    with("-@_algorithm levels -@_backend host -@_precision single -@_diag_precision storage "
                         "-@_apply_richardson fixed -@_shift_type inblocks -@_shift_amount 1e-3 -@_grid 1,2,3,4,5,6 "
                         "-@_zero_pivot 1e-11 -@_add_diagonal -@_block_size 1 -@_corrections 2",
                         "other_"));
  OK(PCSetFromOptions(pc));
  c.expect_changed(pc);
  ASSERT_EQ(c.grids, 2);
  EXPECT_EQ((std::vector(c.ijk, c.ijk + 6)), (std::vector<PetscInt>{1, 2, 3, 4, 5, 6}));
  OK(PCFinegrainSetGrid(pc, 0, nullptr)); // the grid does not fit
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {"algorithm: levels (", "back end: host, ", "blocks of 1, single precision",
                  "inverted diagonal blocks single", "shift inblocks, amount 0.001: 0 block rows", "corrections: 2"});
  OK(PCReset(pc));
  c.expect_changed(pc);
  // Other types ignore setters, and getters are an error that names them.
  OK(PCSetOperators(pc, A, A));
  OK(PCSetUp(pc));
  OK(PCSetType(pc, PCJACOBI)); // destroys ours without a reset
  OK(PCSetUp(pc));
  OK(PCFinegrainSetAlgorithm(pc, PC_FINEGRAIN_ALGORITHM_TASKS));
  OK(PCFinegrainSetBackend(pc, PC_FINEGRAIN_BACKEND_DEVICE));
  OK(PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_HALF));
  OK(PCFinegrainSetDiagonalPrecision(pc, PC_FINEGRAIN_DIAGONAL_PRECISION_STORAGE));
  OK(PCFinegrainSetApplyRichardson(pc, PC_FINEGRAIN_APPLY_RICHARDSON_FIXED));
  OK(PCFinegrainSetShift(pc, MAT_SHIFT_INBLOCKS, 1));
  OK(PCFinegrainSetZeroPivot(pc, 1));
  OK(PCFinegrainSetAddDiagonal(pc, PETSC_TRUE));
  OK(PCFinegrainSetBlockSize(pc, 3));
  OK(PCFinegrainSetCorrections(pc, 3));
  for (const auto &get : c.getters()) ExpectIn(ExpectError([&] { return get(pc); }), {"jacobi"});
  // A new type starts with its defaults.
  OK(PCSetType(pc, t.type));
  c.expect_defaults(pc, t.type);
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
  for (const std::string &option : t.options) ExpectIn(text, {" " + option + " "});
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

TEST_P(ViewPerType, HelpListsTheOptions)
{
  std::vector<std::string> options = {"algorithm",    "backend", "precision",   "diag_precision",   "shift_type",
                                      "shift_amount", "grid",    "corrections", "apply_richardson", "block_size"};
  options.insert(options.end(), t.options.begin(), t.options.end());
  ExpectHelp(t.type, std::string("help_") + t.type + "_", options, t.absent); // PETSc prints a prefix once
}

} // namespace
