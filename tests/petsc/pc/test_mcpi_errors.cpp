// Wrong input for PCMCPI: errors on all ranks that name option, object and remedy, and failed set-ups.
#include "mcpi.hpp"

#include <cmath>

using namespace finegrain::test;
using namespace finegrain::test::mcpi;

namespace
{

// Sets up a preconditioner for A, which must fail; every word must be in the message.
void ExpectRefusal(Mat A, const std::string &options, const std::vector<std::string> &words)
{
  Owned<PC> pc;
  OK(MakePC(A, PCMCPI, options, &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), words);
}

TEST(McpiErrors, Options)
{
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
    {"-pc_mcpi_its 0", {"-pc_mcpi_its is 0", "1 or more"}},
    {"-pc_mcpi_its -3", {"-pc_mcpi_its is -3", "1 or more"}},
    {"-pc_mcpi_omega 0", {"-pc_mcpi_omega is 0", "between 0 and 2"}},
    {"-pc_mcpi_omega 2", {"-pc_mcpi_omega is 2", "between 0 and 2"}},
    {"-pc_mcpi_omega -1", {"-pc_mcpi_omega is -1", "between 0 and 2"}},
    {"-pc_mcpi_omega nan", {"nan"}},
    {"-pc_mcpi_omega inf", {"inf"}} /* newer PETSc refuses these two itself */,
    {"-pc_mcpi_sweep sideways", {"-pc_mcpi_sweep", "sideways"}},
    {"-pc_mcpi_coloring id", {"-pc_mcpi_coloring", "id"}},
    {"-pc_mcpi_exchange always", {"-pc_mcpi_exchange", "always"}},
    {"-pc_mcpi_scaling column", {"-pc_mcpi_scaling", "column"}},
    {"-pc_mcpi_accumulate double", {"-pc_mcpi_accumulate", "double"}},
    {"-pc_mcpi_reduction above", {"-pc_mcpi_reduction", "above"}},
    {"-pc_mcpi_precision double", {"-pc_mcpi_precision", "double"}},
    {"-pc_mcpi_executor shuffle", {"-pc_mcpi_executor", "shuffle"}},
    {"-pc_mcpi_corrections -1", {"-pc_mcpi_corrections is -1", "0 or more"}},
    {"-pc_mcpi_block_size 64", {"-pc_mcpi_block_size", "64", "32"}},
    {"-pc_mcpi_grid 3,3", {"-pc_mcpi_grid", "I,J,K"}}};
  Owned<Mat> A;
  OK(AssembleMatrix(star(3, 3, 3), 2, MATAIJ, 1, &A));
  for (const auto &[options, words] : wrong) {
    Owned<PC> pc;
    ExpectIn(ExpectError([&, &o = options] { return MakePC(A, PCMCPI, o, &pc); }), words);
  }
}

TEST(McpiErrors, OptionsThatExcludeEachOther)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(40, 3, true), 2, MATBAIJ, 1, &A));
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong = {
    {"-pc_mcpi_accumulate single", {"-pc_mcpi", "sums in single precision", "single precision or below"}},
    {"-pc_mcpi_exchange color -pc_mcpi_executor self",
     {"-pc_mcpi", "exchange after each color", "natural and launch"}},
    {"-pc_mcpi_exchange color -pc_mcpi_executor tile",
     {"-pc_mcpi", "exchange after each color", "natural and launch"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring greedy", {"-pc_mcpi_exchange color", "-pc_mcpi_coloring jp"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring lf", {"-pc_mcpi_exchange color", "-pc_mcpi_coloring jp"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring sl", {"-pc_mcpi_exchange color", "-pc_mcpi_coloring jp"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring_balance",
     {"-pc_mcpi_coloring_balance", "-pc_mcpi_exchange none and sweep"}},
    {"-pc_mcpi_coloring redblack", {"-pc_mcpi_coloring redblack", "no grid", "-pc_mcpi_coloring greedy"}},
    {"-pc_mcpi_exchange color -pc_mcpi_coloring redblack",
     {"-pc_mcpi_coloring redblack", "DMDA", "-pc_mcpi_coloring jp"}}};
  for (const auto &[options, words] : wrong) {
    SCOPED_TRACE(options);
    ExpectRefusal(A, options, words);
  }
}

TEST(McpiErrors, GridsThatRedAndBlackDoNotFit)
{
  for (const DMDAStencilType stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX}) {
    Owned<DM> da;
    Owned<Mat> A;
    OK(MakeGrid(2, stencil == DMDA_STENCIL_BOX ? DM_BOUNDARY_NONE : DM_BOUNDARY_PERIODIC, stencil, 2, 1, &da));
    OK(AssembleOnGrid(da, MATBAIJ, &A));
    ExpectRefusal(A, "-pc_mcpi_exchange color -pc_mcpi_coloring redblack",
                  {"-pc_mcpi_coloring redblack", "points of the same parity", "-pc_mcpi_coloring jp"});
    if (stencil == DMDA_STENCIL_BOX || Size() == 1)
      ExpectRefusal(
        A, "-pc_mcpi_coloring redblack",
        {"-pc_mcpi_coloring redblack", "points of the same parity", "-pc_mcpi_grid", "-pc_mcpi_coloring greedy"});
  }
  Owned<Mat> A;
  OK(AssembleMatrix(star(6, 5, 4), 1, MATAIJ, 1, &A));
  ExpectRefusal(A, "-pc_mcpi_grid 7,3,4", {"-pc_mcpi_grid", "7,3,4", "block rows of this rank"});
  ExpectRefusal(A, "-pc_mcpi_coloring redblack -pc_mcpi_grid 7,3,4", {"-pc_mcpi_coloring redblack", "7,3,4"});
  if (Size() == 1) { // and one that does
    Owned<PC> pc;
    std::string text;
    OK(MakePC(A, PCMCPI, "-pc_mcpi_coloring redblack -pc_mcpi_grid 6,5,4", &pc));
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"coloring: redblack, 2 colors\n"});
  }
}

// Settings of other types, by their setters.
TEST(McpiErrors, SettingsThatColorsDoNotHave)
{
  const std::vector<std::pair<std::function<PetscErrorCode(PC)>, std::vector<std::string>>> wrong = {
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_LEVEL); }, {"-pc_mcpi", "schedule"}},
    {[](PC pc) { return PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_HYPERPLANE); }, {"-pc_mcpi", "schedule"}},
    {[](PC pc) { return PCFinegrainSetTile(pc, 2, 2, 2); }, {"-pc_mcpi", "tile"}},
    {[](PC pc) { return PCFinegrainSetOrdering(pc, MATORDERINGRCM); }, {"PCFinegrainSetOrdering", "mcpi", "natural"}},
    {[](PC pc) { return PCFinegrainSetGridCoupling(pc, PC_FINEGRAIN_GRID_COUPLING_CORRECTIONS); },
     {"-pc_mcpi_grid_coupling is corrections", "it has factor"}}};
  Owned<Mat> A;
  OK(AssembleMatrix(star(6, 5, 4), 1, MATAIJ, 1, &A));
  for (const auto &[set, words] : wrong) {
    Owned<PC> pc;
    OK(MakePC(A, PCMCPI, "", &pc));
    OK(set(pc));
    ExpectIn(ExpectError([&] { return PCSetUp(pc); }), words);
  }
  Owned<PC> pc; // what it always has
  OK(MakePC(A, PCMCPI, "", &pc));
  OK(PCFinegrainSetSchedule(pc, PC_FINEGRAIN_SCHEDULE_COLOR));
  OK(PCSetUp(pc));
}

TEST(McpiErrors, Matrices)
{
  for (const std::string exchange : {"none", "sweep", "color"}) {
    const std::string options = "-pc_mcpi_exchange " + exchange;
    Owned<Mat> A;
    OK(MatCreateDense(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 12, 12, nullptr, &A));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    ExpectRefusal(A, options, {"dense", "AIJ, BAIJ or SBAIJ"});
    for (const PetscInt n : {1, 3}) {
      Couplings c = star(4, 3, 3);
      c[29].erase(29);
      OK(AssembleMatrix(c, n, MATAIJ, 1, &A));
      ExpectRefusal(A, options, {"Block row 29", "no diagonal block", "MatSetValues"});
    }
    OK(AssembleMatrix(star(4, 3, 3), 2, MATAIJ, 1, &A));
    ExpectRefusal(A, options + " -pc_mcpi_block_size 5", {"Block size 5 does not divide", "-pc_mcpi_block_size"});
  }
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
  OK(PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_TILE));
  ExpectError([&] { return PCSetUp(pc); });
  OK(PCFinegrainSetExecutor(pc, PC_FINEGRAIN_EXECUTOR_AUTO));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

struct Bad {
  const char *what;
  PetscInt row, col; // of blocks; an entry of them
  PetscReal value;   // 0: the whole block
  PCFailedReason reason;
  std::string options;
};

PetscErrorCode Spoil(Mat A, const Bad &bad, PetscInt n)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  if (bad.value == 0) PetscCall(MakeSingular(A, bad.row, n));
  else if (bad.row * n >= first && bad.row * n < last)
    PetscCall(MatSetValue(A, bad.row * n, bad.col * n, bad.value, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The same reason on all ranks, a diverged solver, and a good matrix works again.
TEST(McpiErrors, BadValuesFailEverywhereAndTheNextGoodMatrixWorks)
{
  const PetscReal nan = std::nan(""), inf = HUGE_VAL;
  const std::vector<Bad> kinds = {
    {"singular", 47, 47, 0, PC_FACTOR_NUMERIC_ZEROPIVOT, ""},
    {"nan in the diagonal", 47, 47, nan, PC_FACTOR_NUMERIC_ZEROPIVOT, ""},
    {"inf in the diagonal", 47, 47, inf, PC_FACTOR_NUMERIC_ZEROPIVOT, "-pc_mcpi_precision half"},
    {"nan in a coupling", 47, 46, nan, PC_FACTOR_OTHER, ""},
    {"nan in a coupling in half", 47, 46, nan, PC_FACTOR_OTHER, "-pc_mcpi_precision half"},
    {"inf in a coupling", 47, 46, inf, PC_FACTOR_OTHER, ""},
    {"inf in a coupling in half", 47, 46, -inf, PC_FACTOR_OTHER, "-pc_mcpi_precision half"},
    {"inf in a coupling in half by row", 47, 46, inf, PC_FACTOR_OTHER,
     "-pc_mcpi_precision half -pc_mcpi_scaling row"},
    {"more than single holds", 47, 46, PetscReal(1e300), PC_FACTOR_OTHER, "-pc_mcpi_precision single"},
    {"more than bfloat16 holds", 47, 46, PetscReal(1e300), PC_FACTOR_OTHER, "-pc_mcpi_precision bfloat16"}};
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
          EXPECT_EQ(failed, bad.reason) << type;
          OK(KSPSetOperators(ksp, good, good));
          OK(KSPSolve(ksp, b, x));
          OK(KSPGetConvergedReason(ksp, &reason));
          EXPECT_GT(reason, 0) << type;
          OK(PCGetFailedReason(pc, &failed));
          EXPECT_EQ(failed, PC_NOERROR);
        }
        // An error where the user wants one, with the row and what to do.
        OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
        OK(KSPSetOperators(ksp, A, A));
        const bool pivot = bad.reason == PC_FACTOR_NUMERIC_ZEROPIVOT;
        ExpectIn(ExpectError([&] { return KSPSetUp(ksp); }),
                 {"block row 47", pivot ? "-pc_mcpi_shift_type inblocks" : "-pc_mcpi_precision"});
      }
}

// What half precision holds because it is scaled, and couplings that are all zero.
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
      OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      // Powers of two are what half precision stores exactly; these are near enough.
      OK(MakePC(A, PCMCPI, "-pc_mcpi_precision half -pc_mcpi_its 3 -pc_mcpi_scaling " + scaling, &pc));
      OK(MakePC(A, PCMCPI, "-pc_mcpi_its 3", &plain));
      OK(ComparePCs(A, pc, plain, &d));
      EXPECT_LT(d, value == 0 ? PetscReal(1e-300) : PetscReal(2e-3)) << value;
    }
}

TEST(McpiErrors, ShiftReplacesPivotsAndSaysHowMany)
{
  for (const std::string exchange : {"none", "color"}) {
    Owned<Mat> A;
    Owned<PC> pc;
    Owned<Vec> b, x;
    std::string text;
    PetscReal norm;
    OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
    OK(MakeSingular(A, 31, 2));
    OK(
      MakePC(A, PCMCPI, "-pc_mcpi_shift_type inblocks -pc_mcpi_shift_amount 0.5 -pc_mcpi_exchange " + exchange, &pc));
    OK(MakeVectors(A, &b, &x));
    OK(Apply(pc, b, x));
    OK(VecNorm(x, NORM_2, &norm));
    EXPECT_TRUE(std::isfinite(norm));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"shift inblocks, amount 0.5: 1 block rows shifted"});
  }
}

} // namespace
