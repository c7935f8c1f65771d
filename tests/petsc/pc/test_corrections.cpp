// Corrections over ranks and grids, transposes, several vectors, Richardson's method, SBAIJ, orderings.
#include "fixture.hpp"

using namespace finegrain::test;

namespace
{

class Corrected : public ::testing::TestWithParam<const char *>
{
};
INSTANTIATE_TEST_SUITE_P(Corrections, Corrected,
                         ::testing::Values("", "-pc_fgbilu_executor launch", "-pc_fgbilu_executor self",
                                           "-pc_fgbilu_executor tile", "-pc_fgbilu_factor ilu0"));

TEST_P(Corrected, EqualPetscsIluWithMatMultOnAllRanks)
{
  const std::vector<std::pair<Couplings, PetscInt>> problems = {
    {star(6, 5, 4), 1}, {star(6, 5, 4), 4}, {star(5, 4, 3, 1, true), 3}, {scattered(40, 3, true), 2}};
  for (const auto &[couplings, n] : problems)
    for (const char *type : {MATBAIJ, MATAIJ}) {
      Owned<Mat> A;
      Owned<PC> pc, reference;
      Owned<Vec> b, x, y;
      PetscReal d;
      OK(AssembleMatrix(couplings, n, type, 1, &A));
      OK(MakePC(A, PCFGBILU, std::string("-pc_fgbilu_corrections 3 ") + GetParam(), &pc));
      OK(MakeReference(A, &reference));
      OK(MakeVectors(A, &b, &x));
      OK(VecDuplicate(x, &y));
      OK(PlainCorrections(A, reference, 3, false, b, y));
      OK(Apply(pc, b, x));
      OK(Difference(x, y, &d));
      EXPECT_LT(d, tolerance) << type << ", " << n << " " << GetParam();
      OK(PlainCorrections(A, reference, 3, true, b, y));
      OK(VecSet(x, PETSC_INFINITY));
      OK(PCApplyTranspose(pc, b, x));
      OK(Difference(x, y, &d));
      EXPECT_LT(d, tolerance) << type << ", " << n << ", transposed";
    }
}

TEST(Corrections, UseTheMatrixAsItIsNowUnderALaggedFactor)
{
  for (const char *type : {MATBAIJ, MATAIJ}) {
    Owned<Mat> A, B;
    Owned<PC> pc, reference;
    Owned<Vec> b, x, y;
    PetscReal d;
    OK(AssembleMatrix(star(5, 4, 3), 2, type, 1, &A));
    OK(AssembleMatrix(star(5, 4, 3), 2, type, 2, &B));
    OK(MakePC(A, PCFGBILU, "-pc_fgbilu_corrections 2", &pc));
    OK(MakeReference(A, &reference));
    OK(MakeVectors(A, &b, &x));
    OK(VecDuplicate(x, &y));
    OK(PCSetUp(pc));
    OK(PCSetReusePreconditioner(pc, PETSC_TRUE));
    OK(PCSetReusePreconditioner(reference, PETSC_TRUE));
    OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    OK(Apply(pc, b, x));
    OK(PlainCorrections(A, reference, 2, false, b, y));
    OK(Difference(x, y, &d));
    EXPECT_LT(d, tolerance) << type;
  }
}

#if PETSC_VERSION_LT(3, 20, 0)
// The order in which log events begin.
std::vector<PetscLogEvent> begun;
PetscErrorCode (*log_begin)(PetscLogEvent, int, PetscObject, PetscObject, PetscObject, PetscObject);
PetscErrorCode RecordBegin(PetscLogEvent e, int t, PetscObject a, PetscObject b, PetscObject c, PetscObject d)
{
  begun.push_back(e);
  return (*log_begin)(e, t, a, b, c, d);
}

TEST(Corrections, ExchangeOverlapsWithInteriorRows) // later PETSc has other log handlers
{
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  PetscLogEvent begin, end, interior, boundary;
  OK(PetscLogEventGetId("FGHaloBegin", &begin));
  OK(PetscLogEventGetId("FGHaloEnd", &end));
  OK(PetscLogEventGetId("FGInterior", &interior));
  OK(PetscLogEventGetId("FGBoundary", &boundary));
  Owned<Mat> A;
  Owned<PC> pc;
  Owned<Vec> b, x;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_corrections 1", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(PCSetUp(pc));
  log_begin = PetscLogPLB;
  begun.clear();
  PetscLogPLB = RecordBegin;
  OK(PCApply(pc, b, x));
  PetscLogPLB = log_begin;
  std::vector<PetscLogEvent> seen;
  for (const PetscLogEvent e : begun)
    if (e == begin || e == end || e == interior || e == boundary) seen.push_back(e);
  std::vector<PetscLogEvent> expected;
  if (size > 1) expected = {begin, interior, end, boundary};
  EXPECT_EQ(seen, expected);
}
#endif

TEST(Transpose, EqualsPetscs)
{
  for (const PetscInt n : {1, 3, 9}) {
    Owned<Mat> A;
    Owned<PC> pc, reference;
    Owned<Vec> b, x, y;
    PetscReal d;
    OK(AssembleMatrix(scattered(40, 3, false), n, MATBAIJ, 1, &A));
    OK(MakePC(A, PCFGBILU, "", &pc));
    OK(MakeReference(A, &reference));
    OK(MakeVectors(A, &b, &x));
    OK(VecDuplicate(x, &y));
    OK(PCSetUp(pc));
    OK(VecSet(x, PETSC_INFINITY));
    OK(PCApplyTranspose(pc, b, x));
    OK(PCApplyTranspose(reference, b, y));
    OK(Difference(x, y, &d));
    EXPECT_LT(d, tolerance) << n;
  }
}

TEST(SeveralVectors, GiveTheBitsOfOneWithAndWithoutCorrections)
{
  for (const char *options :
       {"", "-pc_fgbilu_executor launch", "-pc_fgbilu_executor tile", "-pc_fgbilu_corrections 1"})
    for (const PetscInt columns : {1, 8, 11}) {
      Owned<Mat> A, B, X;
      Owned<PC> pc;
      PetscInt rows;
      Owned<Vec> y;
      Vec b, x;
      OK(AssembleMatrix(star(6, 5, 4), 3, MATBAIJ, 1, &A));
      OK(MakePC(A, PCFGBILU, options, &pc));
      OK(PCSetUp(pc));
      OK(MatGetLocalSize(A, &rows, nullptr));
      OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, &B));
      OK(MatSetRandom(B, nullptr));
      OK(MatDuplicate(B, MAT_COPY_VALUES, &X));
      OK(MatScale(X, PETSC_INFINITY));
      OK(PCMatApply(pc, B, X));
      OK(MatCreateVecs(A, &y, nullptr));
      for (PetscInt c = 0; c < columns; ++c) {
        PetscBool same;
        OK(MatDenseGetColumnVecRead(B, c, &b));
        OK(PCApply(pc, b, y));
        OK(MatDenseRestoreColumnVecRead(B, c, &b));
        OK(MatDenseGetColumnVecRead(X, c, &x));
        OK(VecEqual(x, y, &same));
        OK(MatDenseRestoreColumnVecRead(X, c, &x));
        EXPECT_TRUE(same) << options << ", column " << c;
      }
    }
}

PetscErrorCode QuietMonitor(KSP, PetscInt, PetscReal, void *) { return PETSC_SUCCESS; }

TEST(Richardson, IsTheSameWithAndWithoutAMonitor)
{
  struct Run {
    PetscReal rtol, abstol, dtol;
    PetscInt steps;
    bool guess;
  };
  const PetscReal eps = PETSC_MACHINE_EPSILON;
  for (const Run &run :
       {Run{1000 * eps, 0, 1e4, 200, false}, Run{1000 * eps, 0, 1e4, 200, true},
        Run{0, PetscReal(1e-3), 1e4, 200, false}, Run{0, 0, 1e4, 2, false}, Run{0, 0, PetscReal(1e-3), 50, false}})
    for (const char *options :
         {"-pc_fgbilu_richardson tolerances",
          "-pc_fgbilu_richardson tolerances -pc_fgbilu_factor ilu0 -pc_fgbilu_precision single", ""}) {
      Owned<Mat> A;
      Owned<KSP> ksp;
      PC pc;
      Owned<Vec> b, x[2];
      PetscInt steps[2];
      KSPConvergedReason reason[2];
      PetscReal d;
      OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
      OK(MakeVectors(A, &b, &x[0]));
      OK(VecDuplicate(b, &x[1]));
      for (int monitored = 0; monitored < 2; ++monitored) {
        OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
        OK(KSPSetOperators(ksp, A, A));
        OK(KSPSetType(ksp, KSPRICHARDSON));
        OK(KSPGetPC(ksp, &pc));
        OK(PCSetType(pc, PCFGBILU));
        const Options set(options);
        OK(PCSetFromOptions(pc));
        OK(KSPSetTolerances(ksp, run.rtol, run.abstol, run.dtol, run.steps));
        if (run.guess) {
          OK(VecSet(x[monitored], 3));
          OK(KSPSetInitialGuessNonzero(ksp, PETSC_TRUE));
        }
        if (monitored) {
          OK(KSPMonitorSet(ksp, QuietMonitor, nullptr, nullptr));
        }
        OK(KSPSolve(ksp, b, x[monitored]));
        OK(KSPGetIterationNumber(ksp, &steps[monitored]));
        OK(KSPGetConvergedReason(ksp, &reason[monitored]));
      }
      EXPECT_EQ(steps[0], steps[1]) << options << run.rtol << " " << run.abstol;
      EXPECT_EQ(reason[0], reason[1]);
      OK(Difference(x[0], x[1], &d));
      EXPECT_TRUE(d < tolerance || steps[0] == 0) << d;
    }
}

TEST(Richardson, StepsAreThoseOfASmoother)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  PC pc;
  Owned<Vec> b, x, y;
  PetscReal d;
  PetscInt steps;
  KSPConvergedReason reason;
  PetscBool exists;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(b, &y));
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPSetType(ksp, KSPRICHARDSON));
  OK(KSPSetNormType(ksp, KSP_NORM_NONE));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 4));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, PCFGBILU));
  OK(PCApplyRichardsonExists(pc, &exists));
  EXPECT_FALSE(exists);
  OK(KSPSolve(ksp, b, y)); // its own loop
  OK(PCFinegrainSetRichardson(pc, PC_FINEGRAIN_RICHARDSON_STEPS));
  OK(PCApplyRichardsonExists(pc, &exists));
  EXPECT_TRUE(exists);
  OK(KSPSolve(ksp, b, x));
  OK(KSPGetIterationNumber(ksp, &steps));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(steps, 4);
  EXPECT_EQ(reason, KSP_CONVERGED_ITS);
  OK(Difference(x, y, &d));
  EXPECT_LT(d, tolerance);
}

TEST(Sbaij, EqualsItsBaijConversionAndFollowsIt)
{
  for (const char *options : {"", "-pc_fgbilu_corrections 2"}) {
    Owned<Mat> A, S;
    Owned<PC> p, q;
    PetscReal d;
    OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
    Owned<Mat> T;
    OK(MatTranspose(A, MAT_INITIAL_MATRIX, &T));
    OK(MatAXPY(A, 1, T, SAME_NONZERO_PATTERN));
    OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
    OK(MatConvert(A, MATSBAIJ, MAT_INITIAL_MATRIX, &S));
    OK(MakePC(A, PCFGBILU, options, &p));
    OK(MakePC(S, PCFGBILU, options, &q));
    for (int round = 0; round < 2; ++round) {
      const int analyses = EventCount("FGAnalyze");
      OK(ComparePCs(A, p, q, &d));
      EXPECT_EQ(d, 0) << options;
      if (round) {
        EXPECT_EQ(EventCount("FGAnalyze"), analyses);
      }
      OK(MatScale(A, 2));
      OK(MatScale(S, 2));
    }
  }
}

TEST(Ordering, EqualsPetscsAndIsInTheView)
{
  Owned<Mat> A;
  KSP *sub;
  Owned<PC> pc, reference;
  PC ilu;
  PetscReal d;
  std::string text;
  OK(AssembleMatrix(scattered(60, 3, true), 1, MATAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_ordering rcm", &pc));
  OK(PCCreate(PETSC_COMM_WORLD, &reference));
  OK(PCSetType(reference, PCBJACOBI));
  OK(PCSetOperators(reference, A, A));
  OK(PCSetUp(reference));
  OK(PCBJacobiGetSubKSP(reference, nullptr, nullptr, &sub));
  OK(KSPGetPC(sub[0], &ilu));
  OK(PCSetType(ilu, PCILU));
  OK(PCFactorSetMatOrderingType(ilu, MATORDERINGRCM));
  OK(PCSetUpOnBlocks(reference));
  OK(ComparePCs(A, pc, reference, &d));
  EXPECT_LT(d, tolerance);
  OK(ViewText(pc, &text));
  EXPECT_NE(text.find("ordering: rcm"), std::string::npos) << text;
  EXPECT_EQ(text.find("natural order"), std::string::npos) << text;
}

TEST(Settings, OfCorrectionsReachTheViewAndGetters)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt k;
  MatOrderingType ordering;
  PCFinegrainGridCoupling coupling;
  std::string text;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_corrections 3 -pc_fgbilu_grid_coupling corrections -pc_fgbilu_ordering rcm",
            &pc));
  OK(PCFinegrainGetCorrections(pc, &k));
  OK(PCFinegrainGetOrdering(pc, &ordering));
  OK(PCFinegrainGetGridCoupling(pc, &coupling));
  EXPECT_EQ(k, 3);
  EXPECT_STREQ(ordering, "rcm");
  EXPECT_EQ(coupling, PC_FINEGRAIN_GRID_COUPLING_CORRECTIONS);
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  EXPECT_NE(text.find("corrections: 3, with the short residual of DILU"), std::string::npos) << text;
  EXPECT_NE(ExpectError([&] { return PCFinegrainSetCorrections(pc, -1); }).find("-pc_fgbilu_corrections is -1"),
            std::string::npos);
  OK(PCFinegrainSetCorrections(pc, 0));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  EXPECT_EQ(text.find("corrections: 3"), std::string::npos) << text;
}

} // namespace
