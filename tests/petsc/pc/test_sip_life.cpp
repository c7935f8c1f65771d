// SPDX-License-Identifier: BSD-2-Clause
// PCSIP: alpha, directions, views and wrong input. test_types_*.cpp test what all types have in common.
#include "sip.hpp"
#include "types.hpp"

#include <cmath>

using namespace finegrain::test;
using sip::Problem;

namespace
{

TEST(SipLife, GetterGivesAllAlphas)
{
  Owned<PC> pc;
  PetscInt n;
  const PetscReal *alpha, list[] = {PetscReal(0.75), 0};
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetType(pc, PCSIP));
  OK(PCSIPGetAlpha(pc, &n, &alpha));
  EXPECT_EQ(n, 1);
  EXPECT_EQ(alpha[0], PetscReal(0.92));
  OK(PCSIPSetAlpha(pc, 2, list));
  OK(PCSIPGetAlpha(pc, &n, &alpha));
  EXPECT_EQ(n, 2);
  EXPECT_EQ(alpha[0], PetscReal(0.75));
  EXPECT_EQ(alpha[1], 0);
  OK(PCSetType(pc, PCFGBILU)); // the setter is ignored, the getter is an error
  OK(PCSIPSetAlpha(pc, 2, list));
  ExpectIn(ExpectError([&] { return PCSIPGetAlpha(pc, &n, &alpha); }), {"fgbilu has no such setting", "type sip"});
}

// 0.92 for one unknown per point; for blocks a smaller value, far below those for which coupled sweeps diverge.
TEST(SipLife, DefaultAlphaIsSmallerForBlocks)
{
  for (const PetscInt n : {1, 2, 5}) {
    Owned<DM> da;
    Owned<Mat> A;
    Owned<PC> pc;
    PetscInt count;
    const PetscReal *alpha;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1, &da));
    OK(AssembleOnGrid(da, MATAIJ, &A));
    OK(MakePC(A, PCSIP, "", &pc));
    OK(PCSetUp(pc));
    OK(PCSIPGetAlpha(pc, &count, &alpha));
    EXPECT_EQ(count, 1);
    EXPECT_EQ(alpha[0], n == 1 ? PetscReal(0.92) : PetscReal(0.5));
  }
}

TEST(SipLife, ViewAndHelp)
{
  Problem p(3, 2, MATBAIJ);
  Owned<PC> pc;
  std::string text;
  OK(p.code);
  OK(MakePC(p.A, PCSIP, "-pc_sip_alpha 0.9,0.5 -pc_sip_alternate -pc_sip_its 3", &pc));
  const std::string first =
    "    factor: Stone's, alpha 0.9,0.5, in alternate directions, per rank; cycles of one application: 3\n";
  OK(ViewText(pc, &text));
  ExpectIn(text, {"    not set up; ", " alpha 0.9,0.5,", " alternate true,", " its 3\n"});
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {first + "    factors applied in turn: 8; ignored blocks around periodic axes and between "
                          "grids: 0\n    schedule: hyperplane, ",
                  ", kernel launches per correction: ", "exchange: each correction\n"});
  if (Size() == 1) { // 990 points with blocks of 4 scalars, and three pairs of planes
    const std::size_t blocks = 990 + 2 * (10 * 90 + 9 * 99 + 8 * 110);
    ExpectIn(text,
             {"factor " + std::to_string(8 * blocks * 4 * sizeof(PetscScalar)) + " (" + std::to_string(8 * blocks)});
  }
}

// A direction in which no rank has two points does not count.
TEST(SipLife, CountsDirections)
{
  const std::vector<std::pair<PetscInt, int>> turns = {{1, 1}, {2, 2}, {3, 4}};
  for (const auto &[dim, members] : turns) {
    Problem p(dim);
    Owned<PC> pc;
    std::string text;
    OK(p.code);
    OK(MakePC(p.A, PCSIP, "-pc_sip_alternate", &pc));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"applied in turn: " + std::to_string(members) + ";"});
  }
}

// Nor does the first direction in which there are two.
TEST(SipLife, CountsDirectionsOfThinGrids)
{
  Couplings diagonal(60);
  for (PetscInt i = 0; i < 60; ++i) diagonal[std::size_t(i)].insert(i);
  for (const auto &[grid, members] :
       {std::pair("1,12,5", 2), std::pair("12,1,5", 2), std::pair("1,1,60", 1), std::pair("5,4,3", 4)}) {
    Owned<Mat> A;
    Owned<PC> pc;
    std::string text;
    OK(AssembleMatrix(diagonal, 1, MATAIJ, 1, &A, 60, PETSC_COMM_SELF));
    OK(MakePC(A, PCSIP, std::string("-pc_sip_alternate -pc_sip_grid ") + grid, &pc));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"applied in turn: " + std::to_string(members) + ";"});
  }
}

TEST(SipLife, WrapsAreLeftOutAndCounted)
{
  Problem p(3, 2, MATBAIJ, DM_BOUNDARY_PERIODIC), q(3, 2, MATBAIJ);
  Owned<PC> pc;
  std::string text;
  PetscReal residual;
  PetscInt row, last;
  OK(p.code);
  OK(q.code);
  OK(MakePC(p.A, PCSIP, "-pc_sip_its 40", &pc)); // residuals include them
  OK(Apply(pc, p.b, p.x));
  OK(refine::ResidualNorm(p.A, p.b, p.x, &residual));
  EXPECT_LT(residual, 1e-4);
  OK(ViewText(pc, &text));
  if (Size() == 1) ExpectIn(text, {"between grids: " + std::to_string(2 * (90 + 99 + 110)) + "\n"});
  // The factor is that of a matrix without these couplings.
  if (Size() == 1) {
    Owned<Mat> star;
    OK(MatDuplicate(q.A, MAT_DO_NOT_COPY_VALUES, &star));
    OK(MatGetOwnershipRange(q.A, &row, &last));
    for (; row < last; ++row) {
      const PetscInt *columns;
      PetscInt count;
      PetscScalar value;
      OK(MatGetRow(q.A, row, &count, &columns, nullptr));
      const std::vector<PetscInt> copy(columns, columns + count);
      OK(MatRestoreRow(q.A, row, &count, &columns, nullptr));
      for (const PetscInt col : copy) {
        OK(MatGetValue(p.A, row, col, &value));
        OK(MatSetValue(star, row, col, value, INSERT_VALUES));
      }
    }
    OK(Assemble(star));
    OK(MatSetDM(star, q.da));
    Owned<PC> other;
    PetscReal d;
    OK(MakePC(p.A, PCSIP, "", &pc));
    OK(MakePC(star, PCSIP, "", &other));
    OK(ComparePCs(p.A, pc, other, &d));
    EXPECT_EQ(d, 0);
  }
}

TEST(SipErrors, WhatDoesNotFit)
{
  const auto expect = [](Mat A, const std::string &options, const std::vector<std::string> &words) {
    ExpectRefusal(A, PCSIP, options, words);
  };
  Owned<Mat> A;
  Owned<DM> da;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  expect(A, "", {"-pc_type sip needs a structured grid", "-pc_sip_grid I,J,K", "KSPSetDM()"});
  if (Size() == 1) expect(A, "-pc_sip_grid 4,5,3", {"Block row 0 ", "not beside it on the grid 4,5,3", "fgbilu"});
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 1, 1, &da));
  OK(AssembleOnGrid(da, MATAIJ, &A));
  expect(A, "", {"not beside it on the grid", "DMDA_STENCIL_STAR"});
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 1, 2, &da));
  OK(AssembleOnGrid(da, MATAIJ, &A));
  expect(A, "", {"not beside it on the grid", "DMDA_STENCIL_STAR"});
  // The ends of three points are as far apart as periodic neighbors; the DMDA tells them apart.
  for (const DMBoundaryType boundary : {DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC}) {
    OK(DMDACreate2d(PETSC_COMM_WORLD, boundary, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3, 12, 1, PETSC_DECIDE, 2,
                    boundary == DM_BOUNDARY_NONE ? 2 : 1, nullptr, nullptr, &da));
    OK(DMSetUp(da));
    OK(AssembleOnGrid(da, MATAIJ, &A));
    if (boundary == DM_BOUNDARY_NONE) expect(A, "", {"not beside it on the grid", "DMDA_STENCIL_STAR"});
    else {
      Owned<PC> pc;
      OK(MakePC(A, PCSIP, "", &pc));
      OK(PCSetUp(pc));
    }
  }
}

TEST(SipErrors, SchedulesOfOthers)
{
  Problem p(2);
  Owned<PC> pc;
  OK(p.code);
  OK(MakePC(p.A, PCSIP, "", &pc));
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_COLOR));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }),
           {"-pc_sip_schedule is color, which -pc_type sip does not have; it has auto, hyperplane"});
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_HYPERPLANE));
  OK(PCSetUp(pc));
  OK(PCFinegrainSetOrdering(pc, MATORDERINGRCM));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"PCFinegrainSetOrdering()", "-pc_type sip"});
}

// A singular pivot fails KSPSIP on all ranks; the next regular matrix works.
TEST(SipErrors, SingularPivotsFailTheSolver)
{
  Problem p(1), good(1);
  Owned<KSP> ksp;
  PC pc;
  KSPConvergedReason reason;
  PCFailedReason failed;
  OK(p.code);
  OK(good.code);
  OK(MakeSingular(p.A, 17, 1));
  const Options set("-ksp_type sip -ksp_max_it 200");
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, p.A, p.A));
  OK(KSPSetFromOptions(ksp));
  OK(KSPSolve(ksp, p.b, p.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED);
  OK(KSPGetPC(ksp, &pc));
  OK(PCGetFailedReason(pc, &failed));
  EXPECT_EQ(failed, PC_FACTOR_NUMERIC_ZEROPIVOT);
  OK(KSPSetOperators(ksp, good.A, good.A));
  OK(KSPSolve(ksp, p.b, p.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_GT(reason, 0);
  OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  OK(KSPSetOperators(ksp, p.A, p.A));
  ExpectIn(ExpectError([&] { return KSPSetUp(ksp); }), {"block row 17;", "-pc_sip_shift_type inblocks"});
}

// 1 + alpha u = 0 in the second row of a square of four points, for which ILU(0) has no zero pivot.
TEST(SipErrors, SingularDivisorsOfCouplings)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PCFailedReason failed;
  Owned<Vec> b, x;
  PetscReal norm;
  OK(MatCreateSeqAIJ(PETSC_COMM_SELF, 4, 4, 3, nullptr, &A));
  for (PetscInt i = 0; i < 4; ++i) {
    OK(MatSetValue(A, i, i, i ? 8 : 1, INSERT_VALUES));
    OK(MatSetValue(A, i, i ^ 1, 1, INSERT_VALUES));
    OK(MatSetValue(A, i, i ^ 2, i ? 1 : -2, INSERT_VALUES));
  }
  OK(Assemble(A));
  for (const std::string options : {"-pc_sip_alpha 0.5", "-pc_sip_alpha 0,0.5", "-pc_sip_alpha 0.4",
                                    "-pc_sip_alpha 0.5 -pc_sip_shift_type inblocks -pc_sip_shift_amount 0.1"}) {
    const bool fails = options.size() < 22 && options.find("0.5") != std::string::npos;
    OK(MakePC(A, PCSIP, "-pc_sip_grid 2,2,1 " + options, &pc));
    OK(MakeVectors(A, &b, &x));
    OK(Apply(pc, b, x));
    OK(PCGetFailedReason(pc, &failed));
    EXPECT_EQ(failed, fails ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_NOERROR) << options;
    OK(VecNorm(x, NORM_2, &norm));
    EXPECT_EQ(std::isfinite(norm), !fails) << options;
    if (fails) {
      OK(PCSetErrorIfFailure(pc, PETSC_TRUE));
      OK(PetscObjectStateIncrease(object(A)));
      ErrorCatcher catcher;
      EXPECT_NE(static_cast<int>(PCSetUp(pc)), 0);
      ExpectIn(catcher.first, {"block row 1;", "-pc_sip_shift_type inblocks"});
    }
  }
}

} // namespace
