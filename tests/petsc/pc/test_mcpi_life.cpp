// Life cycle, settings and view of PCMCPI.
#include "mcpi.hpp"

using namespace finegrain::test;
using namespace finegrain::test::mcpi;

namespace
{

TEST(McpiLife, RefreshRepeatsNoAnalysisAndEqualsANewSetUp)
{
  for (const char *type : {MATBAIJ, MATAIJ})
    for (const std::string options :
         {"-pc_mcpi_exchange none", "-pc_mcpi_precision half", "-pc_mcpi_exchange color -pc_mcpi_precision half",
          "-pc_mcpi_exchange color -pc_mcpi_scaling row -pc_mcpi_precision half", "-pc_mcpi_corrections 1"}) {
      Owned<Mat> A, B;
      Owned<PC> pc, fresh;
      PetscReal d;
      OK(AssembleMatrix(star(5, 4, 3), 4, type, 1, &A));
      OK(AssembleMatrix(star(5, 4, 3), 4, type, 2, &B));
      OK(MatScale(B, 1000)); // another scale
      OK(MakePC(A, PCMCPI, options, &pc));
      OK(PCSetUp(pc));
      const int analyses = EventCount("FGAnalyze"), factors = EventCount("FGFactor");
      OK(PCSetUp(pc)); // nothing changed
      EXPECT_EQ(EventCount("FGFactor"), factors);
      OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
      OK(PCSetUp(pc));
      EXPECT_EQ(EventCount("FGAnalyze"), analyses);
      EXPECT_EQ(EventCount("FGFactor"), factors + 1);
      OK(MakePC(B, PCMCPI, options, &fresh));
      OK(ComparePCs(B, pc, fresh, &d));
      EXPECT_EQ(d, 0) << type << options;
      EXPECT_EQ(EventCount("FGFactor"), factors + 2); // applications do not factor again
    }
}

TEST(McpiLife, AnotherPatternAndAnotherSizeAreAnalyzedAgain)
{
  Owned<Mat> A, B, C;
  PetscReal d;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATBAIJ, 1, &A));
  OK(AssembleMatrix(box(5, 4, 3), 3, MATBAIJ, 1, &B));
  OK(AssembleMatrix(scattered(31, 3, false), 5, MATAIJ, 1, &C));
  for (const bool reset : {true, false})
    for (const char *options : {"-pc_mcpi_exchange color", "-pc_mcpi_precision half", "-pc_mcpi_exchange none"}) {
      Owned<PC> pc, fresh;
      OK(MakePC(A, PCMCPI, options, &pc));
      OK(PCSetUp(pc));
      for (Mat M : {B.get(), C.get(), A.get()}) {
        if (!reset && M != B) continue; // PETSc wants a reset for another size
        OK(PCSetOperators(pc, M, M));
        OK(MakePC(M, PCMCPI, options, &fresh));
        OK(ComparePCs(M, pc, fresh, &d));
        EXPECT_EQ(d, 0) << options;
        if (reset) {
          OK(PCReset(pc)); // settings survive
        }
      }
    }
}

TEST(McpiLife, ReuseKeepsTheOldSweepsAndTwoAtOnceAreIndependent)
{
  Owned<Mat> A, B;
  Owned<PC> p, q, fresh;
  PetscReal d;
  OK(AssembleMatrix(star(5, 4, 3), 3, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 3, MATBAIJ, 2, &B));
  OK(MakePC(A, PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_exchange color", &p));
  OK(MakePC(A, PCMCPI, "-pc_mcpi_its 2 -pc_mcpi_precision half", &q));
  OK(PCSetUp(p));
  OK(PCSetUp(q));
  Owned<Mat> old;
  OK(MatDuplicate(A, MAT_COPY_VALUES, &old));
  OK(PCSetReusePreconditioner(p, PETSC_TRUE));
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(MakePC(old, PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_exchange color", &fresh));
  OK(ComparePCs(A, p, fresh, &d)); // q in between
  EXPECT_EQ(d, 0);
  OK(ComparePCs(A, q, q, &d));
  OK(MakePC(B, PCMCPI, "-pc_mcpi_its 2 -pc_mcpi_precision half", &fresh));
  OK(ComparePCs(A, q, fresh, &d));
  EXPECT_EQ(d, 0);
  OK(PCSetReusePreconditioner(p, PETSC_FALSE));
  OK(MakePC(B, PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_exchange color", &fresh));
  OK(ComparePCs(A, p, fresh, &d));
  EXPECT_EQ(d, 0);
}

// Each option, changed between set-ups, gives what a PC made with it gives, and not what there was before.
TEST(McpiLife, ChangedSettingsActAtTheNextSetUp)
{
  struct Change {
    std::function<PetscErrorCode(PC)> set;
    std::string options;
    bool differs = true;
  };
  const std::vector<Change> changes = {
    {[](PC pc) { return PCMCPISetIterations(pc, 4); }, "-pc_mcpi_its 4"},
    {[](PC pc) { return PCMCPISetSweep(pc, PCMCPI_SWEEP_BACKWARD); }, "-pc_mcpi_sweep backward"},
    {[](PC pc) { return PCMCPISetSweep(pc, PCMCPI_SWEEP_SYMMETRIC); }, "-pc_mcpi_sweep symmetric"},
    {[](PC pc) { return PCMCPISetOmega(pc, PetscReal(0.5)); }, "-pc_mcpi_omega 0.5"},
    {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_JP); }, "-pc_mcpi_coloring jp"},
    {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_LF); }, "-pc_mcpi_coloring lf"},
    {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_SL); }, "-pc_mcpi_coloring sl"},
    {[](PC pc) { return PCFinegrainSetColoringBalance(pc, PETSC_TRUE); }, "-pc_mcpi_coloring_balance"},
    {[](PC pc) { return PCMCPISetExchange(pc, PCMCPI_EXCHANGE_NONE); }, "-pc_mcpi_exchange none", Size() > 1},
    {[](PC pc) { return PCMCPISetExchange(pc, PCMCPI_EXCHANGE_COLOR); }, "-pc_mcpi_exchange color"},
    {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_SINGLE); }, "-pc_mcpi_precision single"},
    {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_HALF); }, "-pc_mcpi_precision half"},
    {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_BFLOAT16); },
     "-pc_mcpi_precision bfloat16"},
    {[](PC pc) { return PCFinegrainSetBlockSize(pc, 1); }, "-pc_mcpi_block_size 1"},
    {[](PC pc) { return PCFinegrainSetCorrections(pc, 1); }, "-pc_mcpi_corrections 1"},
    {[](PC pc) { return PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_SELF); }, "-pc_mcpi_executor self", false}};
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(60, 4, false), 2, MATAIJ, 1, &A));
  for (const Change &change : changes) {
    Owned<PC> pc, fresh, before;
    PetscReal d;
    OK(MakePC(A, PCMCPI, "-pc_mcpi_its 2", &pc));
    OK(MakePC(A, PCMCPI, "-pc_mcpi_its 2", &before));
    OK(PCSetUp(pc));
    OK(change.set(pc));
    OK(MakePC(A, PCMCPI, "-pc_mcpi_its 2 " + change.options, &fresh));
    OK(ComparePCs(A, pc, fresh, &d));
    EXPECT_EQ(d, 0) << change.options;
    OK(ComparePCs(A, pc, before, &d));
    EXPECT_EQ(d > 0, change.differs) << change.options;
  }
  // Those that need low precision.
  for (const std::string option : {"-pc_mcpi_accumulate single", "-pc_mcpi_diag_precision storage"}) {
    Owned<PC> pc, before;
    PetscReal d;
    OK(MakePC(A, PCMCPI, "-pc_mcpi_precision single " + option, &pc));
    OK(MakePC(A, PCMCPI, "-pc_mcpi_precision single", &before));
    OK(ComparePCs(A, pc, before, &d));
    EXPECT_TRUE(d > 0 || sizeof(PetscReal) == 4) << option;
  }
}

TEST(McpiLife, OptionsReachGetters)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt its, n, k;
  PetscReal omega;
  PetscBool balance;
  PCMCPISweepType sweep;
  PCFinegrainColoringType coloring;
  PCMCPIExchangeType exchange;
  PCMCPIScalingType scaling;
  PCMCPIAccumulateType accumulate;
  PCFinegrainPrecisionType precision;
  const auto get = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PCMCPIGetIterations(pc, &its));
    PetscCall(PCMCPIGetSweep(pc, &sweep));
    PetscCall(PCMCPIGetOmega(pc, &omega));
    PetscCall(PCFinegrainGetColoring(pc, &coloring));
    PetscCall(PCFinegrainGetColoringBalance(pc, &balance));
    PetscCall(PCMCPIGetExchange(pc, &exchange));
    PetscCall(PCMCPIGetScaling(pc, &scaling));
    PetscCall(PCMCPIGetAccumulate(pc, &accumulate));
    PetscCall(PCFinegrainGetPrecision(pc, &precision));
    PetscCall(PCFinegrainGetBlockSize(pc, &n));
    PetscCall(PCFinegrainGetCorrections(pc, &k));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCMCPI, "-other_pc_mcpi_its 3 -pc_fgbilu_precision single", &pc)); // neither is for it
  OK(get());
  EXPECT_EQ(its, 15);
  EXPECT_EQ(sweep, PCMCPI_SWEEP_FORWARD);
  EXPECT_EQ(omega, 1);
  EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_AUTO);
  EXPECT_EQ(balance, PETSC_FALSE);
  EXPECT_EQ(exchange, PCMCPI_EXCHANGE_SWEEP);
  EXPECT_EQ(scaling, PCMCPI_SCALING_GLOBAL);
  EXPECT_EQ(accumulate, PCMCPI_ACCUMULATE_WORKING);
  EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_WORKING);
  OK(PCSetOptionsPrefix(pc, "other_"));
  const Options set("-other_pc_mcpi_its 7 -other_pc_mcpi_sweep symmetric -other_pc_mcpi_omega 1.5 "
                    "-other_pc_mcpi_coloring sl -other_pc_mcpi_coloring_balance -other_pc_mcpi_exchange none "
                    "-other_pc_mcpi_scaling row -other_pc_mcpi_accumulate single -other_pc_mcpi_precision half "
                    "-other_pc_mcpi_block_size 1 -other_pc_mcpi_corrections 2 -pc_mcpi_its 3");
  OK(PCSetFromOptions(pc));
  OK(get());
  EXPECT_EQ(its, 7);
  EXPECT_EQ(sweep, PCMCPI_SWEEP_SYMMETRIC);
  EXPECT_EQ(omega, PetscReal(1.5));
  EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_SL);
  EXPECT_EQ(balance, PETSC_TRUE);
  EXPECT_EQ(exchange, PCMCPI_EXCHANGE_NONE);
  EXPECT_EQ(scaling, PCMCPI_SCALING_ROW);
  EXPECT_EQ(accumulate, PCMCPI_ACCUMULATE_SINGLE);
  EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_HALF);
  EXPECT_EQ(n, 1);
  EXPECT_EQ(k, 2);
  // Other types ignore setters, and getters of those that are not ours are an error.
  for (const char *type : {PCFGBILU, PCJACOBI}) {
    OK(PCSetType(pc, type));
    OK(PCMCPISetIterations(pc, 3));
    OK(PCMCPISetExchange(pc, PCMCPI_EXCHANGE_COLOR));
    OK(PCSetUp(pc));
    ExpectIn(ExpectError([&] { return PCMCPIGetIterations(pc, &its); }), {type});
  }
  OK(PCSetType(pc, PCMCPI));
  OK(get());
  EXPECT_EQ(its, 15); // a type begins anew
}

TEST(McpiLife, GridOfTheKspColorsRedAndBlack)
{
  for (const char *exchange : {"none", "color"}) {
    Owned<DM> da;
    Owned<Mat> A, copy;
    Owned<KSP> ksp;
    PC pc;
    Owned<Vec> b, x;
    std::string text;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
    OK(AssembleOnGrid(da, MATAIJ, &A));
    OK(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    OK(MatSetDM(copy, nullptr)); // only the KSP knows the grid
    const Options set(std::string("-pc_mcpi_exchange ") + exchange);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetDM(ksp, da));
#if PETSC_VERSION_LT(3, 25, 0)
    OK(KSPSetDMActive(ksp, PETSC_FALSE));
#else
    OK(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
#endif
    OK(KSPSetOperators(ksp, copy, copy));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, PCMCPI));
    OK(KSPSetFromOptions(ksp));
    OK(MakeVectors(A, &b, &x));
    OK(KSPSolve(ksp, b, x));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"coloring: redblack, 2 colors"});
  }
}

} // namespace
