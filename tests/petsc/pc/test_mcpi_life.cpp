// SPDX-License-Identifier: BSD-2-Clause
// PCMCPI's own settings, and the grid from which its colors are computed. test_types_*.cpp test what all types have
// in common.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

TEST(McpiLife, ChangedSettingsActAtTheNextSetUp)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(60, 4, false), 2, MATAIJ, 1, &A));
  ExpectChangesToAct(
    A, PCMCPI, "-@_its 2",
    {{[](PC pc) { return PCMCPISetIterations(pc, 4); }, "-@_its 4"},
     {[](PC pc) { return PCMCPISetSweep(pc, PCMCPI_SWEEP_BACKWARD); }, "-@_sweep backward"},
     {[](PC pc) { return PCMCPISetSweep(pc, PCMCPI_SWEEP_SYMMETRIC); }, "-@_sweep symmetric"},
     {[](PC pc) { return PCMCPISetOmega(pc, PetscReal(0.5)); }, "-@_omega 0.5"},
     {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_JP); }, "-@_coloring jp"},
     {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_LF); }, "-@_coloring lf"},
     {[](PC pc) { return PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_SL); }, "-@_coloring sl"},
     {[](PC pc) { return PCFinegrainSetColoringBalance(pc, PETSC_TRUE); }, "-@_coloring_balance"},
     {[](PC pc) { return PCMCPISetExchange(pc, PCMCPI_EXCHANGE_NONE); }, "-@_exchange none", Size() > 1},
     {[](PC pc) { return PCMCPISetExchange(pc, PCMCPI_EXCHANGE_COLOR); }, "-@_exchange color"},
     {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_HALF); }, "-@_precision half"},
     {[](PC pc) { return PCFinegrainSetPrecision(pc, PC_FINEGRAIN_PRECISION_BFLOAT16); }, "-@_precision bfloat16"}});
  // Options that require low precision.
  for (const std::string option : {"-pc_mcpi_sum_precision single", "-pc_mcpi_diag_precision storage"}) {
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
  PetscInt its;
  PetscReal omega;
  PetscBool balance;
  PCMCPISweepType sweep;
  PCFinegrainColoringType coloring;
  PCMCPIExchangeType exchange;
  PCMCPIScalingType scaling;
  PCMCPISumPrecisionType sums;
  const auto get = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(PCMCPIGetIterations(pc, &its));
    PetscCall(PCMCPIGetSweep(pc, &sweep));
    PetscCall(PCMCPIGetOmega(pc, &omega));
    PetscCall(PCFinegrainGetColoring(pc, &coloring));
    PetscCall(PCFinegrainGetColoringBalance(pc, &balance));
    PetscCall(PCMCPIGetExchange(pc, &exchange));
    PetscCall(PCMCPIGetScaling(pc, &scaling));
    PetscCall(PCMCPIGetSumPrecision(pc, &sums));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  OK(AssembleMatrix(box(4, 4, 2), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCMCPI, "-other_pc_mcpi_its 3 -pc_fgbilu_precision single", &pc)); // neither option applies to this PC
  OK(get());
  EXPECT_EQ(its, 15);
  EXPECT_EQ(sweep, PCMCPI_SWEEP_FORWARD);
  EXPECT_EQ(omega, 1);
  EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_AUTO);
  EXPECT_EQ(balance, PETSC_FALSE);
  EXPECT_EQ(exchange, PCMCPI_EXCHANGE_SWEEP);
  EXPECT_EQ(scaling, PCMCPI_SCALING_GLOBAL);
  EXPECT_EQ(sums, PCMCPI_SUM_PRECISION_WORKING);
  OK(PCSetOptionsPrefix(pc, "other_"));
  const Options set("-other_pc_mcpi_its 7 -other_pc_mcpi_sweep symmetric -other_pc_mcpi_omega 1.5 "
                    "-other_pc_mcpi_coloring sl -other_pc_mcpi_coloring_balance -other_pc_mcpi_exchange none "
                    "-other_pc_mcpi_scaling row -other_pc_mcpi_sum_precision single -other_pc_mcpi_precision half "
                    "-pc_mcpi_its 3");
  OK(PCSetFromOptions(pc));
  OK(get());
  EXPECT_EQ(its, 7);
  EXPECT_EQ(sweep, PCMCPI_SWEEP_SYMMETRIC);
  EXPECT_EQ(omega, PetscReal(1.5));
  EXPECT_EQ(coloring, PC_FINEGRAIN_COLORING_SL);
  EXPECT_EQ(balance, PETSC_TRUE);
  EXPECT_EQ(exchange, PCMCPI_EXCHANGE_NONE);
  EXPECT_EQ(scaling, PCMCPI_SCALING_ROW);
  EXPECT_EQ(sums, PCMCPI_SUM_PRECISION_SINGLE);
  // Other types ignore setters, and getters are an error for types that are not ours.
  for (const char *type : {PCFGBILU, PCJACOBI}) {
    OK(PCSetType(pc, type));
    OK(PCMCPISetIterations(pc, 3));
    OK(PCMCPISetExchange(pc, PCMCPI_EXCHANGE_COLOR));
    OK(PCSetUp(pc));
    ExpectIn(ExpectError([&] { return PCMCPIGetIterations(pc, &its); }), {type});
  }
  OK(PCSetType(pc, PCMCPI));
  OK(get());
  EXPECT_EQ(its, 15); // a new type starts with its defaults
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
    OK(MatSetDM(copy, nullptr)); // only the KSP has the grid
    const Options set(std::string("-pc_mcpi_exchange ") + exchange);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(SetGrid(ksp, da));
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
