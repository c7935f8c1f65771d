// SPDX-License-Identifier: BSD-2-Clause
// PCFGBILU: corrections compared with PETSc's ILU(0) and MatMult(), under a lagged factor, and overlapped with the
// exchange; orderings.
#include "fixture.hpp"

using namespace finegrain::test;

namespace
{

class Corrected : public ::testing::TestWithParam<const char *>
{
};
INSTANTIATE_TEST_SUITE_P(Corrections, Corrected,
                         ::testing::Values("", "-pc_fgbilu_algorithm levels", "-pc_fgbilu_algorithm tasks",
                                           "-pc_fgbilu_algorithm tasks", "-pc_fgbilu_factor ilu0"));

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

TEST(Corrections, ExchangeOverlapsWithInteriorRows) // newer versions of PETSc have other log handlers
{
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
  if (Size() > 1) expected = {begin, interior, end, boundary};
  EXPECT_EQ(seen, expected);
}
#endif

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
  ExpectIn(text, {"ordering: rcm"});
  EXPECT_EQ(text.find("natural order"), std::string::npos) << text;
}

} // namespace
