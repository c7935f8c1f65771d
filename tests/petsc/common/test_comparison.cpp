// SPDX-License-Identifier: BSD-2-Clause
// The comparison that bench_cusparse makes before it times. It accepts two algorithms for one factor, also at 128^3
// points, and detects one wrong number and NaN there.
#include "fixture.hpp"

#include "bench/compare.hpp"
#include "bench/star.hpp"

using namespace finegrain::test;

namespace
{

// Repeats `small`, from rank 0's copy, up to `length`.
PetscErrorCode Repeat(Vec small, PetscInt length, Vec *large)
{
  const PetscScalar *from;
  PetscScalar *to;
  PetscInt part;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(small, &part));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, length, large));
  PetscCall(VecGetArrayRead(small, &from));
  PetscCall(VecGetArrayWrite(*large, &to));
  for (PetscInt i = 0; i < length; ++i) to[i] = from[i % part];
  PetscCall(VecRestoreArrayWrite(*large, &to));
  PetscCall(VecRestoreArrayRead(small, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChangeEntry(Vec x, PetscInt row, PetscScalar value)
{
  PetscFunctionBegin;
  PetscCall(VecSetValue(x, row, value, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(x));
  PetscCall(VecAssemblyEnd(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Comparison, PassesRoundingAndSeesErrorsAtFullSize)
{
  if (Size() > 1) GTEST_SKIP() << "one rank";
  if (sizeof(PetscReal) < 8) GTEST_SKIP() << "the benchmark is in double precision";
  constexpr PetscInt n = 5, points = 24;
  const PetscInt length = sizeof(PetscScalar) == 8 ? n * 128 * 128 * 128 : n * 64 * 64 * 64;
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> ours, theirs;
  Owned<Vec> b, x, y, full, other;
  OK(AssembleStar(PETSC_COMM_SELF, {{points, points, points}, {n}, 8}, &da, &A)); // as in the benchmark
  OK(MatConvert(A, MATBAIJ, MAT_INPLACE_MATRIX, A.in_place()));
  OK(MakePC(A, PCFGBILU, "", &ours));
  OK(MakePC(A, PCILU, "", &theirs));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  OK(Apply(ours, b, x));
  OK(Apply(theirs, b, y));
  OK(Repeat(x, length, &full));
  OK(Repeat(y, length, &other));
  OK(ExpectTheSame(full, other, "At full size")); // failed with a tolerance relative to the largest number alone

  PetscReal largest;
  OK(VecNorm(full, NORM_INFINITY, &largest));
  for (const PetscReal wrong : {PetscSqrtReal(PETSC_MACHINE_EPSILON) * 1000 * largest, PetscReal(NAN)}) {
    OK(VecCopy(full, other));
    OK(ChangeEntry(other, length / 3, PetscScalar(wrong)));
    ExpectIn(ExpectError([&] { return ExpectTheSame(full, other, "A solve"); }), {"A solve: theirs differs"});
  }
}

} // namespace
