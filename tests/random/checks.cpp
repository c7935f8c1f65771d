// SPDX-License-Identifier: BSD-2-Clause
#include "checks.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::test
{

std::vector<std::pair<std::string, int>> counts;

void Count(const char *what)
{
  const auto at = std::find_if(counts.begin(), counts.end(), [&](const auto &c) { return c.first == what; });
  if (at != counts.end()) ++at->second;
  else counts.emplace_back(what, 1);
}

namespace
{

int Largest(int mine)
{
  int most;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return most;
}

// Equal, or both NaN, which sums in single precision may give for singular matrices.
bool SameNumber(PetscScalar a, PetscScalar b) { return a == b || (PetscIsNanScalar(a) && PetscIsNanScalar(b)); }

bool Finite(Vec x)
{
  PetscReal sum;
  return !VecNorm(x, NORM_1, &sum) && !PetscIsInfOrNanReal(sum);
}

// True if sums in single precision of the doubled values may overflow.
bool NearOverflow(Vec x)
{
  PetscReal largest;
  return VecNorm(x, NORM_INFINITY, &largest) || largest > PetscReal(1e30);
}

// Change of x for a perturbation of the matrix by rounding errors, which no algorithm can avoid.
PetscErrorCode Sensitivity(const TypeCase &type, const std::string &options, Mat A, bool transposed, Vec b, Vec x,
                           PetscReal *change)
{
  Owned<Mat> B;
  Owned<PC> other;
  Owned<Vec> y;

  PetscFunctionBegin;
  *change = PETSC_MAX_REAL;
  PetscCall(Perturb(A, 1000 * PETSC_MACHINE_EPSILON, 5, &B));
  if (SetUp(type, options, B, &other) != Outcome::good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(x, &y));
  PetscCall(ApplyOver(other, transposed, b, y));
  PetscCall(Difference(y, x, change));
  if (!std::isfinite(*change)) *change = PETSC_MAX_REAL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A copy of a matrix, with its grid.
PetscErrorCode Copy(Mat A, Mat *B)
{
  DM da;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  PetscCall(MatGetDM(A, &da));
  if (da) PetscCall(MatSetDM(*B, da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ApplyOver(PC pc, bool transposed, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecSet(x, PetscScalar(std::nan(""))));
  PetscCall(transposed ? PCApplyTranspose(pc, b, x) : PCApply(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool SameBits(Vec x, Vec y)
{
  PetscInt rows;
  const PetscScalar *p, *q;
  if (VecGetLocalSize(x, &rows) || VecGetArrayRead(x, &p) || VecGetArrayRead(y, &q)) return false;
  int differ = 0;
  for (PetscInt i = 0; i < rows; ++i) differ |= !SameNumber(p[i], q[i]);
  if (VecRestoreArrayRead(y, &q) || VecRestoreArrayRead(x, &p)) return false;
  return !Largest(differ);
}

void ExpectNear(const TypeCase &type, const std::string &options, Mat A, bool transposed, Vec b, Vec x, Vec y,
                const char *what)
{
  PetscReal d, change = 0;
  OK(Difference(x, y, &d));
  if (d <= tolerance) return;
  OK(Sensitivity(type, options, A, transposed, b, x, &change));
  if (change > PetscReal(0.001)) return Count("comparisons that rounding decides");
  EXPECT_LE(d, tolerance + 50 * change) << what << (transposed ? ", transposed" : "");
}

Outcome SetUp(PC pc, const std::string &options, const TypeCase &type, std::string *why)
{
  ErrorCatcher catcher;
  PCFailedReason reason = PC_NOERROR;
  const Options set(Expand(options, type.type));
  int code = int(PCSetFromOptions(pc));
  if (!code) code = int(PCSetUp(pc));
  if (!code) code = int(PCGetFailedReason(pc, &reason));
  if (why) *why = catcher.first;
  const int mine = code ? 2 : reason != PC_NOERROR, most = Largest(mine);
  EXPECT_EQ(mine, most) << "ranks differ";
  return Outcome(most);
}

Outcome SetUp(const TypeCase &type, const std::string &options, Mat A, PC *pc, std::string *why)
{
  EXPECT_FALSE(PCCreate(PetscObjectComm(object(A)), pc) || PCSetType(*pc, type.type) || PCSetOperators(*pc, A, A));
  return SetUp(*pc, options, type, why);
}

Outcome RandomCase::set_up(const std::string &more, PC *pc, std::string *why) const
{
  return SetUp(type, settings.text + " " + more, problem.A, pc, why);
}

void CheckAfterError(const RandomCase &c, PC pc, Outcome outcome, const std::string &why)
{
  if (outcome == Outcome::refused) {
    EXPECT_FALSE(why.empty());
    Count("refused");
  } else {
    std::string text;
    OK(ViewText(pc, &text));
    EXPECT_NE(text.find("set-up failed"), std::string::npos) << text;
    Count("failed");
  }
  // Another matrix, and the type set again.
  Owned<Mat> good;
  Owned<PC> fresh;
  Owned<DM> da;
  PetscReal d;
  if (c.type.needs_grid) {
    OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
    OK(AssembleOnGrid(da, MATBAIJ, &good));
  } else {
    OK(AssembleMatrix(scattered(30, 3, true), 2, MATBAIJ, 1, &good));
  }
  if (c.type.symmetric) {
    OK(MakeSymmetric(good));
  }
  OK(PCReset(pc));
  OK(PCSetType(pc, PCJACOBI));
  OK(PCSetType(pc, c.type.type));
  OK(PCSetOperators(pc, good, good));
  OK(MakePC(good, c.type.type, "", &fresh));
  OK(ComparePCs(good, pc, fresh, &d));
  EXPECT_EQ(d, 0) << "after an error";
}

void CheckBits(const RandomCase &c, PC pc)
{
  Mat A = c.problem.A;
  Owned<Vec> twice;
  Vectors v(A);
  OK(v.code);
  OK(ApplyOver(pc, false, v.b, v.x));
  OK(ApplyOver(pc, false, v.b, v.y));
  EXPECT_SAME_BITS(v.x, v.y, "again");
  OK(VecDuplicate(v.b, &twice));
  OK(VecCopy(v.b, twice));
  OK(VecScale(twice, 2));
  OK(ApplyOver(pc, false, twice, v.y));
  OK(VecScale(v.y, PetscReal(0.5)));
  if (Finite(v.x) && !NearOverflow(v.x)) {
    EXPECT_SAME_BITS(v.x, v.y, "twice the right-hand side");
  }
  for (const std::string algorithm : {"sequential", "levels", "tasks"}) {
    Owned<PC> other;
    std::string why;
    if (c.set_up("-@_algorithm " + algorithm, &other, &why) != Outcome::good) {
      EXPECT_NE(why.find("algorithm"), std::string::npos) << algorithm << " was refused: " << why;
      continue;
    }
    OK(ApplyOver(other, false, v.b, v.y));
    EXPECT_SAME_BITS(v.x, v.y, algorithm);
    Count("algorithms");
  }

  constexpr PetscInt columns = 3;
  Owned<Mat> B, X;
  PetscInt rows;
  OK(VecGetLocalSize(v.b, &rows));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, &B));
  for (PetscInt k = 0; k < columns; ++k) {
    Vec b;
    OK(MatDenseGetColumnVecWrite(B, k, &b));
    OK(VecCopy(k == 1 ? v.b : twice, b));
    OK(MatDenseRestoreColumnVecWrite(B, k, &b));
  }
  OK(MatDuplicate(B, MAT_COPY_VALUES, &X));
  OK(PCMatApply(pc, B, X));
  Vec middle;
  OK(MatDenseGetColumnVecRead(X, 1, &middle));
  EXPECT_SAME_BITS(v.x, middle, "PCMatApply()");
  OK(MatDenseRestoreColumnVecRead(X, 1, &middle));

  // New values in place must give the results of a new PC, and the old values again the old results.
  const std::string &options = c.settings.text;
  Owned<Mat> changed;
  Owned<PC> used, fresh;
  Owned<Vec> before;
  OK(Copy(A, &changed));
  EXPECT_EQ(SetUp(c.type, options, changed, &used), Outcome::good) << "a copy of the matrix";
  OK(VecDuplicate(v.x, &before));
  OK(ApplyOver(used, false, v.b, before));
  if (c.problem.format.rfind("sbaij", 0) != 0) { // PETSc's copy of SBAIJ may multiply differently from the original
    EXPECT_SAME_BITS(v.x, before, "a copy of the matrix");
  }
  OK(ChangeValues(changed, c.key));
  ErrorCatcher catcher; // the new values may be unsuitable
  const int code = Largest(int(PCSetUp(used)));
  PCFailedReason reason;
  OK(PCGetFailedReason(used, &reason));
  const Outcome again = SetUp(c.type, options, changed, &fresh);
  EXPECT_EQ(again, code ? Outcome::refused : reason ? Outcome::failed : Outcome::good) << "new values";
  if (again == Outcome::good) {
    OK(ApplyOver(used, false, v.b, v.y));
    OK(ApplyOver(fresh, false, v.b, twice));
    EXPECT_SAME_BITS(v.y, twice, "new values");
    Count("new values");
  }
  OK(MatCopy(A, changed, SAME_NONZERO_PATTERN));
  OK(PCSetUp(used));
  OK(ApplyOver(used, false, v.b, v.y));
  EXPECT_SAME_BITS(before, v.y, "the old values again");
}

void CheckNumbers(const RandomCase &c, PC pc)
{
  Mat A = c.problem.A;
  Owned<Vec> other, z;
  Vectors v(A);
  OK(v.code);
  OK(VecDuplicate(v.b, &other));
  OK(VecDuplicate(v.b, &z));
  OK(VecPointwiseMult(other, v.b, v.b));
  OK(ApplyOver(pc, false, v.b, v.x));
  OK(ApplyOver(pc, true, other, v.y));
  if (!Finite(v.x) || !Finite(v.y)) return;

  // <M^-1 b, c> = <b, M^-T c>
  PetscScalar left, right;
  PetscReal x, y, b, o, change = 0;
  OK(VecTDot(v.x, other, &left));
  OK(VecTDot(v.b, v.y, &right));
  OK(VecNorm(v.x, NORM_2, &x));
  OK(VecNorm(v.y, NORM_2, &y));
  OK(VecNorm(v.b, NORM_2, &b));
  OK(VecNorm(other, NORM_2, &o));
  const bool half_factor = !c.type.relaxes && c.settings.has("precision half");
  const PetscReal single = half_factor || c.settings.has("sum_precision single") ? PetscReal(1e-4) : 0; // sums
  if (PetscAbsScalar(left - right) > (tolerance + single) * (x * o + y * b)) {
    OK(Sensitivity(c.type, c.settings.text, A, false, v.b, v.x, &change));
    if (c.settings.exact) {
      EXPECT_LE(PetscAbsScalar(left - right), (tolerance + 50 * change) * (x * o + y * b)) << "adjoint";
    }
  }
  Count("adjoints");

  if (c.settings.exact && c.settings.has("corrections")) {
    Owned<PC> plain;
    const PetscInt steps = c.settings.has("corrections 1") ? 1 : c.settings.has("corrections 2") ? 2 : 0;
    if (!c.settings.has("grid") && c.set_up("-@_corrections 0", &plain) == Outcome::good) {
      for (const bool transposed : {false, true}) {
        OK(PlainCorrections(A, plain, steps, transposed, v.b, z));
        OK(ApplyOver(pc, transposed, v.b, v.y));
        if (Finite(z)) ExpectNear(c.type, c.settings.text, A, transposed, v.b, v.y, z, "corrections");
      }
      Count("corrections");
    }
  }

  // Without further options the type must equal PETSc's. (Blocks of AIJ count missing entries.) PETSc's factor
  // includes couplings across a periodic axis, SIP's does not. Behind a nearly singular block neither result has a
  // correct digit.
  const bool blocks = c.problem.n == 1 ? c.problem.format == MATAIJ : c.problem.format.rfind(MATBAIJ, 0) == 0;
  if (!c.type.reference || !c.settings.text.empty() || !blocks || c.problem.values >= Values::singular) return;
  if (c.type.needs_grid && c.problem.periodic) return;
  Owned<PC> ours, theirs;
  if (SetUp(c.type, c.type.as_reference, A, &ours) != Outcome::good) return;
  ErrorCatcher catcher; // PETSc's may fail if ours does not
  if (Largest(int(MakeReference(A, &theirs))) || Largest(int(ApplyOver(theirs, false, v.b, z))) || !Finite(z)) return;
  OK(ApplyOver(ours, false, v.b, v.y));
  ExpectNear(c.type, c.type.as_reference, A, false, v.b, v.y, z, "PETSc's");
  Count("PETSc's");
}

void CheckRanks(const RandomCase &c)
{
  const bool plain = c.problem.format == MATAIJ || c.problem.format == MATBAIJ;
  if (!c.settings.has("exchange color") || c.problem.da || !plain || Size() == 1) return;
  // The whole matrix on each rank.
  Owned<IS> all;
  Owned<PC> ours, alone;
  Owned<VecScatter> gather;
  Owned<Vec> b, x;
  Mat *whole;
  PetscInt rows, first, last;
  Vectors v(c.problem.A);
  OK(v.code);
  OK(MatGetSize(c.problem.A, &rows, nullptr));
  OK(MatGetOwnershipRange(c.problem.A, &first, &last));
  OK(ISCreateStride(PETSC_COMM_SELF, rows, 0, 1, &all));
  OK(ISSetBlockSize(all, c.problem.n));
  const IS is = all;
  OK(MatCreateSubMatrices(c.problem.A, 1, &is, &is, MAT_INITIAL_MATRIX, &whole));
  OK(MatSetBlockSize(whole[0], c.problem.n));
  OK(VecScatterCreateToAll(v.b, &gather, &b));
  OK(VecScatterBegin(gather, v.b, b, INSERT_VALUES, SCATTER_FORWARD));
  OK(VecScatterEnd(gather, v.b, b, INSERT_VALUES, SCATTER_FORWARD));
  OK(VecDuplicate(b, &x));
  // A different coloring of a rank's own rows must not change the result either.
  if (c.set_up("", &ours) == Outcome::good && SetUp(c.type, c.settings.text, whole[0], &alone) == Outcome::good) {
    OK(ApplyOver(ours, false, v.b, v.x));
    OK(ApplyOver(alone, false, b, x));
    const PetscScalar *mine, *theirs;
    OK(VecGetArrayRead(v.x, &mine));
    OK(VecGetArrayRead(x, &theirs));
    int differ = 0;
    for (PetscInt i = first; i < last; ++i) differ |= !SameNumber(mine[i - first], theirs[i]);
    OK(VecRestoreArrayRead(x, &theirs));
    OK(VecRestoreArrayRead(v.x, &mine));
    EXPECT_FALSE(Largest(differ)) << "one rank";
    Count("one rank");
  }
  OK(MatDestroySubMatrices(1, &whole));
}

} // namespace finegrain::test
