// SPDX-License-Identifier: BSD-2-Clause
// The growth that set-ups find by a probe: its value, that units of unknowns are none, and the failure above the
// limit.
#include "types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace finegrain::test;

namespace
{

PER_TYPE(GrowthPerType);

// The probe's signs, from its definition: the bits of SplitMix64's numbers, from seed 0.
PetscReal Sign(PetscInt row)
{
  std::uint64_t z = (std::uint64_t(row) / 64 + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return (z >> (row % 64)) % 2 ? 1 : -1;
}

// The largest entry of M^-1 A v.
PetscErrorCode Growth(Mat A, PC pc, PetscReal *growth)
{
  Owned<Vec> v, w;
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &v, &w));
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  for (PetscInt i = first; i < last; ++i) PetscCall(VecSetValue(v, i, Sign(i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  PetscCall(MatMult(A, v, w));
  PetscCall(PCApply(pc, w, v));
  PetscCall(VecNorm(v, NORM_INFINITY, growth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(GrowthPerType, IsTheLargestEntryOfTheProbe)
{
  for (const Variant &v : t.variants)
    for (const PetscInt n : {1, 3}) {
      SCOPED_TRACE(v.options);
      Owned<Mat> A;
      Owned<PC> pc;
      PetscReal growth, expected;
      std::string text;
      OK(Matrix(Shape::star, n, MATBAIJ, &A));
      OK(Make(A, v.options, &pc));
      OK(PCFinegrainGetGrowth(pc, &growth));
      EXPECT_EQ(growth, -1);
      OK(PCSetUp(pc));
      OK(PCFinegrainGetGrowth(pc, &growth));
      OK(Growth(A, pc, &expected));
      EXPECT_EQ(growth, expected);
      EXPECT_GT(growth, 0.3);
      EXPECT_LT(growth, 10);
      OK(ViewText(pc, &text));
      ExpectIn(text, {"growth of a probe: ",
                      sizeof(PetscReal) == 4 || v.has("accumulate single") ? "limit 200" : "limit 1e+03"});
    }
}

// Unknowns and equations in units of their own: nothing that grows, also where a used PC meets other units.
TEST_P(GrowthPerType, IsNotWhatUnitsMake)
{
  constexpr PetscInt n = 3;
  constexpr int set_ups_between_probes = 16;
  const PetscReal decades = sizeof(PetscReal) == 4 ? 3 : 7;
  Owned<Mat> star, upper, A;
  Owned<Vec> row, column;
  Owned<PC> pc;
  PetscInt first, last, all;
  PetscReal growth;
  PCFailedReason failed;
  OK(Matrix(Shape::star, n, MATBAIJ, &star));
  if (t.symmetric) { // and it stays so
    OK(MakeSymmetric(star));
    OK(MatConvert(star, MATSBAIJ, MAT_INITIAL_MATRIX, &A));
    OK(MatConvert(star, MATSBAIJ, MAT_INITIAL_MATRIX, &upper));
  } else {
    OK(MatDuplicate(star, MAT_COPY_VALUES, &A));
  }
  const Mat original = t.symmetric ? upper : star;
  OK(MatCreateVecs(A, &column, &row));
  OK(MatGetSize(A, &all, nullptr));
  OK(VecGetOwnershipRange(row, &first, &last));
  const PetscReal units[n] = {1, PetscReal(sizeof(PetscReal) == 4 ? 1e-4 : 1e-8), 1e3};
  OK(Make(A, "-@_growth_limit 30", &pc));
  for (const std::string of : {"fields", "each unknown", "half of the unknowns", "fields, and equations"}) {
    SCOPED_TRACE(of);
    if (of == "each unknown" && std::string(t.type) == "sip") continue; // it takes neighbors for nearly equal
    for (PetscInt i = first; i < last; ++i) {
      const bool and_equations = of == "fields, and equations";
      const PetscReal share = of == "each unknown"           ? PetscReal(i * 7919 % 1000) / 1000
                              : of == "half of the unknowns" ? PetscReal(2 * i / all)
                                                             : PetscReal(i % n) / n;
      OK(VecSetValue(column, i, and_equations ? 1 / units[i % n] : std::pow(PetscReal(10), decades * share),
                     INSERT_VALUES));
      OK(VecSetValue(row, i, and_equations ? units[(i + 1) % n] : 1, INSERT_VALUES));
    }
    for (Vec v : {row.get(), column.get()}) {
      OK(VecAssemblyBegin(v));
      OK(VecAssemblyEnd(v));
    }
    OK(MatCopy(original, A, SAME_NONZERO_PATTERN));
    OK(MatDiagonalScale(A, t.symmetric ? column : row, column));
    for (int i = 0; i < set_ups_between_probes; ++i) {
      OK(PetscObjectStateIncrease(reinterpret_cast<PetscObject>(A.get())));
      OK(PCSetUp(pc));
      OK(PCGetFailedReason(pc, &failed));
      ASSERT_EQ(failed, PC_NOERROR);
    }
    OK(PCFinegrainGetGrowth(pc, &growth));
    EXPECT_GT(growth, 0.3);
    EXPECT_LT(growth, 30);
  }
}

TEST_P(GrowthPerType, FailsAtTheLimitOnAllRanks)
{
  Owned<Mat> A;
  Owned<KSP> ksp;
  PC pc;
  KSPConvergedReason reason;
  PCFailedReason failed;
  std::string text;
  PetscReal limit, growth;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  Vectors s(A);
  OK(s.code);
  const Options set(with("-my_pc_type " + std::string(t.type) + " -my_@_growth_limit 0.01"));
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOptionsPrefix(ksp, "my_"));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPSetFromOptions(ksp));
  OK(KSPGetPC(ksp, &pc));
  OK(KSPSolve(ksp, s.b, s.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED);
  OK(PCGetFailedReason(pc, &failed));
  EXPECT_EQ(failed, PC_FACTOR_OTHER);
  OK(ViewText(pc, &text));
  ExpectIn(text, {"set-up failed: An application amplifies", "limit 0.01; ", with("-my_@_growth_limit")});
  OK(PCFinegrainGetGrowthLimit(pc, &limit));
  EXPECT_EQ(limit, PetscReal(0.01));
  OK(PCFinegrainSetGrowthLimit(pc, 100));
  OK(KSPSetOperators(ksp, A, A)); // KSPSolve() does not forget a failure before
  OK(KSPSolve(ksp, s.b, s.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_GT(reason, 0);
  OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  OK(PCFinegrainSetGrowthLimit(pc, PetscReal(0.01)));
  OK(KSPSetOperators(ksp, A, A));
  ExpectIn(ExpectError([&] { return KSPSetUp(ksp); }), {"amplifies", with("-my_@_growth_limit")});
  const int products = EventCount("MatMult"); // no probe, no product
  OK(PCFinegrainSetGrowthLimit(pc, 0));
  OK(PCSetUp(pc));
  EXPECT_EQ(EventCount("MatMult"), products);
  OK(PCFinegrainGetGrowth(pc, &growth));
  EXPECT_EQ(growth, -1);
}

// Below the limit units change no verdict, and to find them would cost more than a set-up.
TEST(Growth, IsMeasuredInUnitsFromTheLimitOn)
{
  constexpr PetscInt n = 2;
  Owned<Mat> A;
  Owned<Vec> units;
  PetscInt first, last;
  PetscReal plain = 0;
  OK(AssembleMatrix(star(9, 7, 5), n, MATBAIJ, 1, &A));
  OK(MatCreateVecs(A, &units, nullptr));
  OK(VecGetOwnershipRange(units, &first, &last));
  for (PetscInt i = first; i < last; ++i) OK(VecSetValue(units, i, PetscScalar(i % n ? 1e4 : 1), INSERT_VALUES));
  OK(VecAssemblyBegin(units));
  OK(VecAssemblyEnd(units));
  OK(MatDiagonalScale(A, nullptr, units));
  const auto measure = [&](PetscReal limit, PetscReal *growth) -> PetscErrorCode {
    Owned<PC> pc;
    PCFailedReason failed;
    PetscFunctionBegin;
    PetscCall(MakePC(A, PCFGBILU, "", &pc));
    PetscCall(PCFinegrainSetGrowthLimit(pc, limit));
    PetscCall(PCSetUp(pc));
    PetscCall(PCGetFailedReason(pc, &failed));
    EXPECT_EQ(failed, PC_NOERROR);
    PetscCall(PCFinegrainGetGrowth(pc, growth));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  PetscReal growth;
  OK(measure(PetscReal(1e30), &plain));
  EXPECT_GT(plain, 50);
  OK(measure(2 * plain, &growth));
  EXPECT_EQ(growth, plain);
  OK(measure(plain, &growth));
  EXPECT_LT(growth, 10);
}

// A matrix whose couplings outweigh its diagonal: 15 sweeps amplify by orders of magnitude, and one does not.
TEST(Growth, OfSweepsThatDivergeIsFailure)
{
  for (const char *reduction : {"", " -pc_mcpi_precision half"}) {
    Owned<Mat> A;
    Owned<KSP> ksp;
    Owned<PC> one;
    PC pc;
    PetscReal growth, single, limit;
    KSPConvergedReason reason;
    OK(AssembleMatrix(star(9, 7, 5), 2, MATBAIJ, 1, &A));
    OK(MatShift(A, -14));
    Vectors s(A);
    OK(s.code);
    const Options set(std::string("-pc_type mcpi -ksp_type gmres") + reduction);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSetFromOptions(ksp));
    OK(KSPSolve(ksp, s.b, s.x));
    OK(KSPGetConvergedReason(ksp, &reason));
    EXPECT_EQ(reason, KSP_DIVERGED_PC_FAILED);
    OK(KSPGetPC(ksp, &pc));
    OK(PCFinegrainGetGrowth(pc, &growth));
    OK(PCFinegrainGetGrowthLimit(pc, &limit));
    EXPECT_GT(growth, limit);
    OK(MakePC(A, PCMCPI, "-pc_mcpi_its 1", &one));
    OK(PCSetUp(one));
    OK(PCFinegrainGetGrowth(one, &single));
    EXPECT_LT(single, 1e4);
  }
}

} // namespace
