// SPDX-License-Identifier: BSD-2-Clause
// Changes under a used PC: the matrix, the options.
#include "checks.hpp"

namespace finegrain::test
{

namespace
{

// A matrix of A's size and division among ranks, of another type or pattern, or at least with other values.
PetscErrorCode MakeOther(Mat A, std::uint64_t key, Mat *B)
{
  Owned<Mat> plain;

  PetscFunctionBegin;
  PetscCall(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  switch (key % 3) {
  case 0: // the pattern of A
    PetscCall(MatDuplicate(plain, MAT_COPY_VALUES, B));
    break;
  case 1: // more entries
    PetscCall(MatMatMult(plain, plain, MAT_INITIAL_MATRIX, PETSC_DEFAULT, B));
    break;
  default: // the diagonal alone
    Vec d;
    PetscInt rows, columns, all_rows, all_columns;
    PetscCall(MatCreateVecs(A, nullptr, &d));
    PetscCall(MatGetDiagonal(A, d));
    PetscCall(MatGetLocalSize(A, &rows, &columns));
    PetscCall(MatGetSize(A, &all_rows, &all_columns));
    PetscCall(
      MatCreateAIJ(PetscObjectComm(object(A)), rows, columns, all_rows, all_columns, 1, nullptr, 0, nullptr, B));
    PetscCall(MatDiagonalSet(*B, d, INSERT_VALUES));
    PetscCall(VecDestroy(&d));
  }
  PetscCall(MatScale(*B, PetscReal(0.75)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Keep(PC pc, Mat B)
{
  PetscFunctionBegin;
  PetscCall(PCSetReusePreconditioner(pc, PETSC_TRUE));
  PetscCall(PCSetOperators(pc, B, B));
  PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void CheckKept(const RandomCase &c)
{
  Mat A = c.problem.A;
  Owned<PC> pc, plain;
  Owned<Mat> B;
  Vectors v(A);
  OK(v.code);
  const PetscInt steps = c.settings.has("corrections 1") ? 1 : c.settings.has("corrections 2") ? 2 : 0;
  if (steps && (!c.settings.exact || c.settings.has("grid"))) return;
  if (c.settings.has("alternate") || c.settings.has("_its") || c.settings.has(",0."))
    return; // steps that read the matrix (test_kept.cpp)
  if (c.set_up("", &pc) != Outcome::good || c.set_up("-@_corrections 0", &plain) != Outcome::good) return;
  if (!steps) {
    OK(ApplyOver(pc, false, v.b, v.y));
  }
  OK(MakeOther(A, c.key, &B));
  OK(Keep(pc, B));
  OK(Keep(plain, B));
  OK(ApplyOver(pc, false, v.b, v.x));
  if (steps) {
    OK(PlainCorrections(B, plain, steps, false, v.b, v.y));
    PetscReal size;
    OK(VecNorm(v.y, NORM_1, &size));
    if (!PetscIsInfOrNanReal(size)) ExpectNear(c.type, c.settings.text, A, false, v.b, v.x, v.y, "a kept factor");
  } else {
    EXPECT_SAME_BITS(v.x, v.y, "a kept factor");
  }
  Count("kept factors");
}

void CheckOptions(const RandomCase &c)
{
  Draw draw{c.key, 1};
  const Settings other = DrawSettings(draw, c.type);
  Mat A = c.problem.A;
  Owned<PC> used, fresh;
  Vectors v(A);
  OK(v.code);
  if (c.set_up("", &used) != Outcome::good) return;
  OK(ApplyOver(used, false, v.b, v.x));
  {
    ErrorCatcher catcher;
    OK(MakePC(A, c.type.type, Expand(c.settings.text, c.type.type), &fresh));
  }
  const Outcome now = SetUp(used, other.text, c.type), as_new = SetUp(fresh, other.text, c.type);
  EXPECT_EQ(now, as_new) << "then " << other.text;
  if (now == Outcome::good && as_new == Outcome::good) {
    OK(ApplyOver(used, false, v.b, v.x));
    OK(ApplyOver(fresh, false, v.b, v.y));
    EXPECT_TRUE(SameBits(v.x, v.y)) << "then " << other.text;
    Count("other options");
  }
}

} // namespace finegrain::test
