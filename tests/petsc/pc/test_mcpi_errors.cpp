// SPDX-License-Identifier: BSD-2-Clause
// Wrong input for PCMCPI only: errors on all ranks that name option, object and remedy, and failed set-ups.
// test_types_*.cpp test what all types have in common.
#include "types.hpp"

#include <cmath>

using namespace finegrain::test;

namespace
{

// test_options.cpp has other wrong values.
TEST(McpiErrors, Options)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &A));
  for (const std::string word : {"nan", "inf"}) // newer PETSc refuses these two itself
    ExpectRefusal(A, PCMCPI, "-pc_mcpi_omega " + word, {word}, true);
  ExpectRefusal(A, PCMCPI, "-pc_mcpi_in_place above", {"above"}, true);
}

TEST(McpiErrors, OptionsThatExcludeEachOther)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(40, 3, true), 2, MATBAIJ, 1, &A));
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
    {"-pc_mcpi_sum_precision single", {"-pc_mcpi_sum_precision single", "-pc_mcpi_precision single"}},
    {"-pc_mcpi_exchange color -pc_mcpi_algorithm tasks",
     {"-pc_mcpi_exchange color", "-pc_mcpi_algorithm sequential or levels"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring greedy", {"-pc_mcpi_exchange color", "-pc_mcpi_coloring jp"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring lf", {"-pc_mcpi_exchange color", "-pc_mcpi_coloring jp"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring sl", {"-pc_mcpi_exchange color", "-pc_mcpi_coloring jp"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring_balance",
     {"-pc_mcpi_coloring_balance", "-pc_mcpi_exchange none and sweep"}},
    {"-pc_mcpi_coloring level -pc_mcpi_coloring_balance", {"-pc_mcpi_coloring level", "-pc_mcpi_coloring_balance"}},
    {"-pc_mcpi_coloring redblack", {"-pc_mcpi_coloring redblack", "no grid", "-pc_mcpi_coloring greedy"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring redblack",
     {"-pc_mcpi_coloring redblack", "DMDA", "-pc_mcpi_coloring jp"}}};
  for (const auto &[options, words] : wrong) ExpectRefusal(A, PCMCPI, options, words);
}

TEST(McpiErrors, GridsThatRedAndBlackDoNotFit)
{
  for (const DMDAStencilType stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX}) {
    Owned<DM> da;
    Owned<Mat> A;
    OK(MakeGrid(2, stencil == DMDA_STENCIL_BOX ? DM_BOUNDARY_NONE : DM_BOUNDARY_PERIODIC, stencil, 2, 1, &da));
    OK(AssembleOnGrid(da, MATBAIJ, &A));
    ExpectRefusal(A, PCMCPI, "-pc_mcpi_exchange color -pc_mcpi_coloring redblack",
                  {"-pc_mcpi_coloring redblack", "points of the same parity", "-pc_mcpi_coloring jp"});
    if (stencil == DMDA_STENCIL_BOX || Size() == 1)
      ExpectRefusal(
        A, PCMCPI, "-pc_mcpi_coloring redblack",
        {"-pc_mcpi_coloring redblack", "points of the same parity", "-pc_mcpi_grid", "-pc_mcpi_coloring greedy"});
  }
  Owned<Mat> A;
  OK(AssembleMatrix(star(6, 5, 4), 1, MATAIJ, 1, &A));
  ExpectRefusal(A, PCMCPI, "-pc_mcpi_coloring redblack -pc_mcpi_grid 7,3,4", {"-pc_mcpi_coloring redblack", "7,3,4"});
  if (Size() == 1) { // and one that fits
    Owned<PC> pc;
    std::string text;
    OK(MakePC(A, PCMCPI, "-pc_mcpi_coloring redblack -pc_mcpi_grid 6,5,4", &pc));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"coloring: redblack, 2 colors\n"});
  }
}

// Settings of other types, set by their setters.
TEST(McpiErrors, SettingsThatColorsDoNotHave)
{
  const std::vector<std::pair<std::function<PetscErrorCode(PC)>, std::vector<std::string>>> wrong = {
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL); }, {"-pc_mcpi", "schedule"}},
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_HYPERPLANE); }, {"-pc_mcpi", "schedule"}},
    {[](PC pc) { return PCFinegrainSetTile(pc, 2, 2, 2); }, {"-pc_mcpi", "tile"}},
    {[](PC pc) { return PCFinegrainSetOrdering(pc, MATORDERINGRCM); }, {"PCFinegrainSetOrdering", "mcpi", "natural"}},
    {[](PC pc) { return PCFinegrainSetGridCoupling(pc, PC_FINEGRAIN_GRID_COUPLING_BLOCK_JACOBI); },
     {"-pc_mcpi_grid_coupling is block_jacobi", "it has coupled"}}};
  Owned<Mat> A;
  OK(AssembleMatrix(star(6, 5, 4), 1, MATAIJ, 1, &A));
  for (const auto &[set, words] : wrong) {
    Owned<PC> pc;
    OK(MakePC(A, PCMCPI, "", &pc));
    OK(set(pc));
    ExpectIn(ExpectError([&] { return PCSetUp(pc); }), words);
  }
  Owned<PC> pc; // a setting that all types have
  OK(MakePC(A, PCMCPI, "", &pc));
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_COLOR));
  OK(PCSetUp(pc));
}

TEST(McpiErrors, LeaveThePreconditionerUsable)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  PetscReal d;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCMCPI, "-pc_mcpi_exchange color -pc_mcpi_coloring lf", &pc));
  ExpectError([&] { return PCSetUp(pc); });
  ExpectError([&] { return PCMCPISetOmega(pc, 3); });
  OK(PCFinegrainSetColoring(pc, PC_FINEGRAIN_COLORING_AUTO));
  OK(MakePC(A, PCMCPI, "-pc_mcpi_exchange color", &fresh));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
  OK(PCFinegrainSetAlgorithm(pc, PC_FINEGRAIN_ALGORITHM_TASKS));
  ExpectError([&] { return PCSetUp(pc); });
  OK(PCFinegrainSetAlgorithm(pc, PC_FINEGRAIN_ALGORITHM_AUTO));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

struct Bad {
  const char *what;
  PetscReal value; // of an entry of block (47, 46)
  std::string options;
};

PetscErrorCode Spoil(Mat A, const Bad &bad, PetscInt n)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  if (47 * n >= first && 47 * n < last) PetscCall(MatSetValue(A, 47 * n, 46 * n, bad.value, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The reason is the same on all ranks, the solver diverges, and a regular matrix works again.
TEST(McpiErrors, CouplingsThatCannotBeStoredFailEverywhereAndTheNextGoodMatrixWorks)
{
  const PetscReal nan = std::nan(""), inf = HUGE_VAL;
  const std::vector<Bad> kinds = {
    {"nan in a coupling", nan, ""},
    {"nan in a coupling in half", nan, "-pc_mcpi_precision half"},
    {"inf in a coupling", inf, ""},
    {"inf in a coupling in half", -inf, "-pc_mcpi_precision half"},
    {"inf in a coupling in half by row", inf, "-pc_mcpi_precision half -pc_mcpi_scaling row"},
    {"more than single holds", PetscReal(1e300), "-pc_mcpi_precision single"},
    {"more than bfloat16 holds", PetscReal(1e300), "-pc_mcpi_precision bfloat16"}};
  for (const Bad &bad : kinds)
    for (const PetscInt n : {1, 4})
      for (const std::string exchange : {"sweep", "color"}) {
        if (sizeof(PetscReal) == 4 && bad.value == PetscReal(1e300)) continue;
        SCOPED_TRACE(bad.what);
        Owned<Mat> A, good;
        Owned<KSP> ksp;
        PC pc;
        Owned<Vec> b, x;
        KSPConvergedReason reason;
        PCFailedReason failed;
        OK(AssembleMatrix(star(5, 4, 3), n, MATBAIJ, 1, &good));
        OK(MatDuplicate(good, MAT_COPY_VALUES, &A));
        OK(Spoil(A, bad, n));
        OK(MakeVectors(A, &b, &x));
        OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
        OK(KSPGetPC(ksp, &pc));
        OK(PCSetType(pc, PCMCPI));
        const Options set(bad.options + " -pc_mcpi_exchange " + exchange);
        OK(PCSetFromOptions(pc));
        for (const char *type : {KSPGMRES, KSPPREONLY, KSPREFINE}) {
          OK(KSPSetType(ksp, type));
          OK(KSPSetOperators(ksp, A, A));
          OK(KSPSolve(ksp, b, x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, PC_FACTOR_OTHER) << type;
          OK(KSPSetOperators(ksp, good, good));
          OK(KSPSolve(ksp, b, x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_GT(reason, 0) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, PC_NOERROR);
        }
        // An error if the user requests one, with the row and the remedy.
        OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
        OK(KSPSetOperators(ksp, A, A));
        ExpectIn(ExpectError([&] { return KSPSetUp(ksp); }),
                 {std::isfinite(bad.value) ? "in block row 47; " : "block row 47; look for what computes it",
                  std::isfinite(bad.value) ? "do not fit -pc_mcpi_precision" : "Inf or NaN in row "});
      }
}

// Couplings that half precision holds thanks to scaling, and couplings that are all zero.
TEST(McpiErrors, LargeAndZeroCouplingsAreFine)
{
  for (const std::string scaling : {"global", "row"})
    for (const PetscReal value : {PetscReal(0), PetscReal(1e30), PetscReal(1e-30)}) {
      Owned<Mat> A;
      Owned<PC> pc, plain;
      PetscInt first, last;
      PetscReal d;
      OK(AssembleMatrix(star(5, 4, 3), 1, MATAIJ, 1, &A));
      OK(MatGetOwnershipRange(A, &first, &last));
      const Couplings c = star(5, 4, 3);
      for (PetscInt i = first; i < last; ++i)
        for (const PetscInt j : c[std::size_t(i)])
          OK(MatSetValue(A, i, j, i == j ? PetscMax(8 * value, PetscReal(1e-30)) : -value, INSERT_VALUES));
      OK(Assemble(A));
      // Half precision stores powers of two exactly; these are close to powers of two.
      OK(MakePC(A, PCMCPI, "-pc_mcpi_precision half -pc_mcpi_its 3 -pc_mcpi_scaling " + scaling, &pc));
      OK(MakePC(A, PCMCPI, "-pc_mcpi_its 3", &plain));
      OK(ComparePCs(A, pc, plain, &d));
      EXPECT_LE(d, value == 0 ? PetscReal(0) : PetscReal(2e-3)) << value;
    }
}

} // namespace
