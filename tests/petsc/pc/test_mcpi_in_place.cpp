// SPDX-License-Identifier: BSD-2-Clause
// PCMCPI with couplings in the memory of Pmat's device copy. Results are bitwise identical to those with separate
// couplings, for any reads and changes of the matrix.
#include "mcpi.hpp"

#include <cmath>

using namespace finegrain::test;
using namespace finegrain::test::mcpi;

namespace
{

const std::string in_place = " -pc_mcpi_in_place";

// Precisions below the working one.
std::vector<std::string> Precisions()
{
  std::vector<std::string> all = {"half", "bfloat16"};
  if (sizeof(PetscReal) == 8) all.push_back("single");
  return all;
}

// A preconditioner computed from P, for a solve with another matrix.
PetscErrorCode MakeSplitPC(Mat A, Mat P, const std::string &options, PC *pc)
{
  PetscFunctionBegin;
  PetscCall(MakePC(P, PCMCPI, options, pc));
  PetscCall(PCSetOperators(*pc, A, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Expects equal products, up to rounding, of A and of the BAIJ matrix with the same values.
void ExpectProduct(Mat A, Mat plain)
{
  Owned<Vec> x, y, z;
  PetscReal d;
  OK(MakeVectors(plain, &x, &y));
  OK(VecDuplicate(y, &z));
  for (const bool transposed : {false, true}) {
    OK(transposed ? MatMultTranspose(A, x, y) : MatMult(A, x, y));
    OK(transposed ? MatMultTranspose(plain, x, z) : MatMult(plain, x, z));
    OK(Difference(y, z, &d));
    EXPECT_LT(d, tolerance);
  }
}

// Expects bitwise identical results of two preconditioners: for one vector, its transpose, and several.
void ExpectSameBits(Mat A, PC one, PC other, const std::string &what)
{
  Owned<Vec> b, x, y;
  Owned<Mat> B, X, Y;
  PetscReal d;
  PetscInt rows, all;
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  OK(Apply(one, b, x));
  OK(Apply(other, b, y));
  OK(Difference(x, y, &d));
  EXPECT_EQ(d, 0) << what;
  OK(PCApplyTranspose(one, b, x));
  OK(PCApplyTranspose(other, b, y));
  OK(Difference(x, y, &d));
  EXPECT_EQ(d, 0) << what << ", transposed";
  OK(MatGetLocalSize(A, &rows, nullptr));
  OK(MatGetSize(A, &all, nullptr));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, all, 3, nullptr, &B));
  OK(MatSetRandom(B, nullptr));
  OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &Y));
  OK(PCMatApply(one, B, X));
  OK(PCMatApply(other, B, Y));
  OK(MatAXPY(X, -1, Y, SAME_NONZERO_PATTERN));
  OK(MatNorm(X, NORM_FROBENIUS, &d));
  EXPECT_EQ(d, 0) << what << ", several";
  OK(MatNorm(Y, NORM_FROBENIUS, &d));
  EXPECT_GT(d, 0);
}

TEST(McpiInPlace, GivesTheBitsOfCouplingsStoredApart)
{
  const std::vector<std::pair<Couplings, PetscInt>> kinds = {
    {star(5, 4, 3), 5}, {box(3, 3, 3), 1}, {scattered(40, 3, false), 2}};
  for (const auto &[couplings, n] : kinds)
    for (const std::string &precision : Precisions())
      for (const std::string exchange : {"none", "sweep", "color"})
        for (const std::string more : {"", " -pc_mcpi_sum_precision single -pc_mcpi_diag_precision storage",
                                       " -pc_mcpi_sweep symmetric -pc_mcpi_omega 1.2 -pc_mcpi_algorithm levels"}) {
          const std::string options = "-pc_mcpi_its 3 -pc_mcpi_precision " + precision + " -pc_mcpi_exchange " +
                                      exchange + (sizeof(PetscReal) == 8 ? more : "");
          Owned<Mat> A, P;
          Owned<PC> apart, here;
          std::string text;
          OK(AssembleMatrix(couplings, n, MATBAIJ, 1, &A));
          OK(AssembleMatrix(couplings, n, MATBAIJKOKKOS, 1, &P));
          OK(MakePC(A, PCMCPI, options, &apart));
          OK(MakeSplitPC(A, P, options + in_place, &here));
          ExpectSameBits(A, apart, here, options);
          ExpectProduct(P, A);
          ExpectSameBits(A, apart, here, options); // with two arrays, until the next set-up
          PetscLogDouble bytes[2];
          OK(PCFinegrainGetFactorBytes(apart, &bytes[0]));
          OK(PCFinegrainGetFactorBytes(here, &bytes[1]));
          EXPECT_EQ(bytes[0], bytes[1]);
        }
}

// Other values, on the host or by coordinates, with or without products in between, and another pattern.
TEST(McpiInPlace, SetsUpAgain)
{
  const Couplings c = star(5, 4, 3);
  for (const std::string &precision : Precisions())
    for (const std::string exchange : {"none", "color"})
      for (const bool multiplies : {false, true}) {
        const std::string options =
          "-pc_mcpi_its 3 -pc_mcpi_precision " + precision + " -pc_mcpi_exchange " + exchange;
        Owned<Mat> A, P, Q;
        Owned<PC> here, apart;
        OK(AssembleMatrix(c, 3, MATBAIJ, 1, &A));
        OK(AssembleMatrix(c, 3, MATBAIJKOKKOS, 1, &P));
        OK(MakeSplitPC(A, P, options + in_place, &here));
        OK(PCSetUp(here));
        const int analyses = EventCount("FGAnalyze");
        for (int round = 0; round < 3; ++round) {
          if (multiplies) ExpectProduct(P, A);
          OK(MatScale(P, -3));
          OK(MatScale(A, -3));
          if (multiplies && round == 1) ExpectProduct(P, A);
          OK(MakePC(A, PCMCPI, options, &apart));
          const int factors = EventCount("FGFactor");
          OK(PCSetUp(here));
          OK(PCSetUp(here));
          EXPECT_EQ(EventCount("FGFactor"), factors + 1);
          ExpectSameBits(A, apart, here, options);
        }
        // Another matrix with the same pattern, then another pattern.
        OK(AssembleMatrix(c, 3, MATBAIJKOKKOS, 7, &Q));
        for (const bool same : {true, false}) {
          Owned<Mat> plain;
          OK(AssembleMatrix(same ? c : box(5, 4, 3), 3, MATBAIJKOKKOS, 7, &Q));
          OK(MatConvert(Q, MATBAIJ, MAT_INITIAL_MATRIX, &plain));
          OK(PCSetOperators(here, A, Q));
          OK(MakePC(plain, PCMCPI, options, &apart));
          ExpectSameBits(A, apart, here, options);
          ExpectProduct(P, A);
          ExpectProduct(Q, plain);
        }
        if (!multiplies) {
          EXPECT_GT(EventCount("FGAnalyze"), analyses); // from the new ones
        }
      }
}

// Values assembled in the device copy are copied to the host before the engine takes over its memory.
TEST(McpiInPlace, ValuesByCoordinates)
{
  const Couplings c = star(4, 3, 3);
  const PetscInt n = 2;
  std::vector<PetscInt> i, j;
  Owned<Mat> A, P;
  Owned<PC> apart, here;
  PetscInt first, last;
  OK(AssembleMatrix(c, n, MATBAIJ, 1, &A));
  OK(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt row = first; row < last; ++row)
    for (const PetscInt block : c[std::size_t(row / n)])
      for (PetscInt k = 0; k < n; ++k) {
        i.push_back(row);
        j.push_back(block * n + k);
      }
  OK(MatCreate(PETSC_COMM_WORLD, &P));
  OK(MatSetSizes(P, last - first, last - first, PETSC_DETERMINE, PETSC_DETERMINE));
  OK(MatSetBlockSize(P, n));
  OK(MatSetType(P, MATBAIJKOKKOS));
  OK(MatSetPreallocationCOO(P, PetscCount(i.size()), i.data(), j.data()));
  OK(MakeSplitPC(A, P, "-pc_mcpi_precision half" + in_place, &here));
  for (const bool multiplies : {false, true, false, false})
    for (const InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
      std::vector<PetscScalar> v;
      for (std::size_t k = 0; k < i.size(); ++k)
        v.push_back(EntryValue(i[k], j[k], n, 1, c[std::size_t(i[k] / n)].size()));
      OK(MatSetValuesCOO(P, v.data(), mode));
      if (mode == ADD_VALUES) {
        OK(MatScale(A, 2));
      }
      if (multiplies) ExpectProduct(P, A);
      OK(MakePC(A, PCMCPI, "-pc_mcpi_precision half", &apart));
      ExpectSameBits(A, apart, here, "coordinates");
      if (multiplies) ExpectProduct(P, A);
      Owned<Mat> copy;
      PetscBool same;
      OK(MatConvert(P, MATBAIJ, MAT_INITIAL_MATRIX, &copy));
      OK(MatEqual(A, copy, &same));
      EXPECT_TRUE(same);
      if (mode == ADD_VALUES) {
        OK(MatScale(A, 0.5));
      }
    }
}

// The matrix may be destroyed before the preconditioner, two preconditioners may use the blocks of one matrix, and
// settings may change.
TEST(McpiInPlace, LivesAndEndsInAnyOrder)
{
  const std::string options = "-pc_mcpi_its 2 -pc_mcpi_precision half";
  Owned<Mat> A, P;
  Owned<PC> apart, first, second;
  Owned<Vec> b, x, y;
  PetscReal d;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  OK(MakePC(A, PCMCPI, options, &apart));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  OK(Apply(apart, b, y));
  for (const int order : {0, 1, 2, 3}) {
    OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJKOKKOS, 1, &P));
    OK(MakeSplitPC(A, P, options + in_place, &first));
    OK(MakeSplitPC(A, P, options + in_place, &second));
    OK(PCSetUp(first));
    if (order == 0) P.reset();
    for (PC pc : {second.get(), first.get(), second.get()}) {
      OK(Apply(pc, b, x));
      OK(Difference(x, y, &d));
      EXPECT_EQ(d, 0) << order;
    }
    if (order == 1) { // the settings are kept
      OK(PCReset(first));
      OK(PCSetOperators(first, A, P));
    }
    if (order == 2) {
      OK(PCMCPISetInPlace(first, PETSC_FALSE));
      OK(Apply(first, b, x));
      OK(Difference(x, y, &d));
      EXPECT_EQ(d, 0);
      OK(PCMCPISetInPlace(first, PETSC_TRUE));
    }
    if (order == 3) { // the old sweeps are kept
      OK(PCSetReusePreconditioner(first, PETSC_TRUE));
      OK(MatScale(P, 5));
    }
    second.reset();
    OK(Apply(first, b, x));
    OK(Difference(x, y, &d));
    EXPECT_EQ(d, 0) << order;
    if (order > 1) { // another type of ours, which reads the device copy
      OK(PCSetType(first, PCFGBILU));
      OK(Apply(first, b, x));
    }
    first.reset();
    if (order == 1) ExpectProduct(P, A);
  }
}

// Solvers whose Pmat is a copy need as many iterations as with separate couplings.
TEST(McpiInPlace, SolversWithTwoMatrices)
{
  for (const std::string type :
       {"gmres", "refine -ksp_refine_inner 2", "richardson -pc_mcpi_apply_richardson fixed"}) {
    Owned<Mat> A, P;
    Owned<Vec> b, x;
    PetscInt its[2];
    OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
    OK(MatConvert(A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &P));
    OK(MakeVectors(A, &b, &x));
    for (const bool here : {false, true}) {
      Owned<KSP> ksp;
      KSPConvergedReason reason;
      const Options set(
        "-ksp_rtol 1e-5 -ksp_max_it 40 -pc_type mcpi -pc_mcpi_its 2 -pc_mcpi_precision half -ksp_type " + type +
        (here ? in_place : ""));
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPSetOperators(ksp, A, P));
      OK(KSPSetFromOptions(ksp));
      for (int round = 0; round < 2; ++round) {
        OK(KSPSolve(ksp, b, x));
        OK(KSPGetConvergedReason(ksp, &reason));
        EXPECT_GT(reason, 0) << type;
        OK(KSPGetIterationNumber(ksp, &its[here]));
        OK(MatScale(P, 1)); // requires a new set-up
      }
    }
    EXPECT_EQ(its[0], its[1]) << type;
  }
}

TEST(McpiInPlace, FailsWhereCouplingsAreNotFiniteAndRecovers)
{
  for (const bool pivot : {false, true}) {
    Owned<Mat> A, P, good;
    Owned<PC> pc, apart;
    PCFailedReason reason;
    PetscInt first, last;
    OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
    OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJKOKKOS, 1, &P));
    OK(MatDuplicate(P, MAT_COPY_VALUES, &good));
    OK(MakeSplitPC(A, P, "-pc_mcpi_precision half" + in_place, &pc));
    OK(MatGetOwnershipRange(P, &first, &last));
    if (pivot) {
      OK(MakeSingular(P, 47, 2));
    } else if (first <= 94 && 94 < last) {
      OK(MatSetValue(P, 94, 92, HUGE_VAL, INSERT_VALUES));
    }
    OK(Assemble(P));
    OK(PCSetUp(pc));
    OK(PCGetFailedReason(pc, &reason));
    EXPECT_EQ(reason, pivot ? PC_FACTOR_NUMERIC_ZEROPIVOT : PC_FACTOR_OTHER);
    OK(MatCopy(good, P, SAME_NONZERO_PATTERN));
    OK(PCSetUp(pc));
    OK(PCGetFailedReason(pc, &reason));
    EXPECT_EQ(reason, PC_NOERROR);
    OK(MakePC(A, PCMCPI, "-pc_mcpi_precision half", &apart));
    ExpectSameBits(A, apart, pc, "recovered");
  }
}

// Expects set-up to fail with these words, and to work after the usual remedy.
void ExpectRefusal(Mat A, Mat P, const std::string &options, const std::vector<std::string> &words)
{
  Owned<PC> pc;
  OK(MakeSplitPC(A, P, options, &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), words);
  OK(PCMCPISetInPlace(pc, PETSC_FALSE));
  OK(PCSetUp(pc));
}

// MatBindToCPU() does nothing in a PETSc without devices.
PetscErrorCode Bind(Mat A, PetscBool bound)
{
  PetscErrorCode (*bind)(Mat, PetscBool);

  PetscFunctionBegin;
  PetscCall(MatGetOperation(A, MATOP_BIND_TO_CPU, reinterpret_cast<void (**)(void)>(&bind)));
  PetscCall((*bind)(A, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(McpiInPlace, ErrorsNameOptionObjectAndRemedy)
{
  Owned<Mat> A, P, B;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &B));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJKOKKOS, 1, &P));
  OK(PetscObjectSetName(object(P), "jacobian"));
  OK(PetscObjectSetName(object(B), "jacobian"));
  const std::string half = "-pc_mcpi_precision half" + in_place;
  const auto with = [&](std::vector<std::string> words) {
    for (const char *word : {"-pc_mcpi_in_place", "leave out -pc_mcpi_in_place", "jacobian"}) words.push_back(word);
    return words;
  };
  ExpectRefusal(P, P, half, with({"Amat", "MatDuplicate()"}));
  ExpectRefusal(A, B, half, with({Size() > 1 ? "mpibaij," : "seqbaij,", "MatConvert()", "baijkokkos"}));
  OK(Bind(P, PETSC_TRUE));
  ExpectRefusal(A, P, half, with({"bound to the host", "MatBindToCPU()"}));
  OK(Bind(P, PETSC_FALSE));
  ExpectRefusal(A, P, half + " -pc_mcpi_corrections 2", with({"-pc_mcpi_corrections 2"}));
  ExpectRefusal(A, P, half + " -pc_mcpi_scaling row", {"-pc_mcpi_in_place", "scaling global", "leave out"});
  ExpectRefusal(A, P, in_place, {"-pc_mcpi_in_place", "half", "leave out"});
}

TEST(McpiInPlace, MatricesThatChangeAreLookedAtAgain)
{
  Owned<Mat> A, P;
  Owned<PC> pc;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJKOKKOS, 1, &P));
  OK(MakeSplitPC(A, P, "-pc_mcpi_precision half" + in_place, &pc));
  OK(PCSetUp(pc));
  OK(PCSetOperators(pc, P, P));
  OK(MatScale(P, 2));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"Amat"});
}

TEST(McpiInPlace, OptionGetterAndView)
{
  Owned<Mat> A, P;
  Owned<PC> pc;
  PetscBool in_place_now;
  std::string text;
  const std::string line = "  in place: off-diagonal blocks are in the memory of Pmat's device copy\n";
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJKOKKOS, 1, &P));
  OK(MakeSplitPC(A, P, "-pc_mcpi_precision half", &pc));
  OK(PCMCPIGetInPlace(pc, &in_place_now));
  EXPECT_EQ(in_place_now, PETSC_FALSE);
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  EXPECT_EQ(text.find("in place"), std::string::npos);
  OK(MakeSplitPC(A, P, "-pc_mcpi_precision half" + in_place, &pc));
  OK(PCMCPIGetInPlace(pc, &in_place_now));
  EXPECT_EQ(in_place_now, PETSC_TRUE);
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  ExpectIn(text, {line});
  OK(PCSetType(pc, PCFGBILU));
  OK(PCMCPISetInPlace(pc, PETSC_TRUE)); // ignored by this type
  ExpectIn(ExpectError([&] { return PCMCPIGetInPlace(pc, &in_place_now); }), {PCFGBILU});
}

} // namespace
