// SPDX-License-Identifier: BSD-2-Clause
// Changes of a matrix after its factorization. If the PC is reused, the factor stays and residuals use the current
// matrix, for any change. Otherwise the set-up detects the change, also if PETSc's flag does not report it.
#include "refine.hpp"
#include "types.hpp"

using namespace finegrain::test;

namespace
{

PER_TYPE(KeptPerType);

enum class Change { values, entries, other, pattern, type };
constexpr const char *change_names[] = {"values", "new entries", "another Mat", "another pattern", "another type"};

// A symmetric matrix of a type, as SBAIJ and fgbicc require.
PetscErrorCode Symmetric(const std::function<PetscErrorCode(Mat *)> &make, MatType type, Mat *A)
{
  DM da;

  PetscFunctionBegin;
  PetscCall(make(A));
  PetscCall(MatGetDM(*A, &da)); // a conversion may lose the DMDA
  PetscCall(PetscObjectReference(object(da)));
  PetscCall(MakeSymmetric(*A));
  PetscCall(MatSetOption(*A, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  PetscCall(MatSetDM(*A, da));
  PetscCall(DMDestroy(&da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Inserts blocks outside the pattern, on both sides of the diagonal if both are stored. (In a new block PETSc's BAIJ
// sets to zero what is not given, but in some rows only.)
PetscErrorCode InsertEntries(Mat A, bool upper_only)
{
  PetscInt first, last, n;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetBlockSize(A, &n));
  std::vector<PetscScalar> block(std::size_t(n * n), 0);
  for (PetscInt k = 0; k < n; ++k) block[std::size_t(k * n + k)] = 0.25;
  for (const PetscInt far : {4, 9})
    if (last - first > (far + 1) * n)
      for (const bool mirrored : {false, true}) {
        if (mirrored && upper_only) continue;
        const PetscInt i = first / n, j = i + far;
        PetscCall(MatSetValuesBlocked(A, 1, mirrored ? &j : &i, 1, mirrored ? &i : &j, block.data(), INSERT_VALUES));
      }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(KeptPerType, ResidualsAreThoseOfTheMatrixOfTheDay)
{
  for (const char *type : {MATAIJ, MATBAIJ, MATBAIJKOKKOS, MATSBAIJ})
    for (const Change change : {Change::values, Change::entries, Change::other, Change::pattern, Change::type})
      for (const bool later : {false, true}) { // residuals are first requested after the change
        SCOPED_TRACE(std::string(type) + ", " + change_names[int(change)] + (later ? ", later" : ""));
        const bool is_sbaij = type == std::string(MATSBAIJ);
        if (change == Change::entries && t.needs_grid && !is_sbaij) continue; // a new set-up would refuse them
        Owned<Mat> A, B;
        Owned<PC> plain, fresh;
        Owned<KSP> ksp;
        PC pc;
        PetscReal d;
        OK(Symmetric([&](Mat *M) { return Matrix(Shape::star, 3, MATBAIJ, M); }, type, &A));
        if (change == Change::other || change == Change::pattern) {
          OK(Symmetric(
            [&](Mat *M) { return Matrix(change == Change::other ? Shape::star : Shape::box, 3, MATBAIJ, M, 2); },
            type, &B));
        }
        OK(Make(A, "", &plain));
        OK(PCSetUp(plain));
        Vectors v(A);
        OK(v.code);
        OK(refine::MakeKSP(A, A, KSPREFINE,
                           with("-pc_type " + std::string(t.type) + (later ? "" : " -@_corrections 2") +
                                " -ksp_refine_inner " + (later ? "3" : "1") + " -ksp_norm_type none -ksp_max_it 1"),
                           &ksp));
        OK(KSPGetPC(ksp, &pc));
        OK(later ? KSPSetUp(ksp) : KSPSolve(ksp, v.b, v.x));
        OK(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
        OK(PCSetReusePreconditioner(plain, PETSC_TRUE));
        if (change == Change::values) {
          OK(MatShift(A, 0.5));
        }
        if (change == Change::entries) {
          OK(InsertEntries(A, is_sbaij));
        }
        if (change == Change::type) {
          OK(MatConvert(A, type == std::string(MATAIJ) ? MATBAIJ : MATAIJ, MAT_INPLACE_MATRIX, A.in_place()));
        }
        const Mat now = B ? B.get() : A.get();
        OK(KSPSetOperators(ksp, now, now));
        OK(PCSetOperators(plain, now, now));
        const int factors = EventCount("FGFactor");
        OK(PlainSteps(now, {plain, plain, plain}, false, v.b, v.y));
        for (int again = 0; again < 2; ++again) {
          OK(VecSet(v.x, PETSC_INFINITY));
          OK(KSPSolve(ksp, v.b, v.x));
          OK(Difference(v.x, v.y, &d));
          EXPECT_LT(d, tolerance);
        }
        // Residuals that the engine prepares for the first time load the values once more, into the same factor.
        EXPECT_EQ(EventCount("FGFactor"), factors);
        if (t.needs_grid && change != Change::values && change != Change::other) continue;
        OK(KSPSetReusePreconditioner(ksp, PETSC_FALSE));
        OK(KSPSetUp(ksp));
        OK(Make(now, later ? "" : "-@_corrections 2", &fresh));
        OK(ComparePCs(now, pc, fresh, &d));
        EXPECT_EQ(d, 0);
      }
}

// The difference between three steps of a KSP and plain ones for A, both with the preconditioners that they have.
PetscErrorCode CompareKept(KSP ksp, PC plain, Mat A, Vectors &v, PetscReal *d)
{
  PetscFunctionBegin;
  PetscCall(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  PetscCall(PCSetReusePreconditioner(plain, PETSC_TRUE));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(PCSetOperators(plain, A, A));
  PetscCall(PlainSteps(A, {plain, plain, plain}, false, v.b, v.y));
  PetscCall(VecSet(v.x, PETSC_INFINITY));
  PetscCall(KSPSolve(ksp, v.b, v.x));
  PetscCall(Difference(v.x, v.y, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Richardson's method reads residuals from the last sweeps if possible.
TEST_P(KeptPerType, RichardsonsMethodSeesTheMatrixOfTheDay)
{
  for (const Change change : {Change::values, Change::other, Change::pattern})
    for (const bool before : {false, true}) {
      SCOPED_TRACE(std::string(change_names[int(change)]) + (before ? ", used before" : ""));
      Owned<Mat> A, B;
      Owned<PC> plain;
      Owned<KSP> ksp;
      PetscReal d;
      OK(Matrix(Shape::star, 2, MATBAIJ, &A));
      if (change != Change::values) {
        OK(Matrix(change == Change::other ? Shape::star : Shape::box, 2, MATBAIJ, &B, 2));
      }
      OK(Make(A, "", &plain));
      OK(PCSetUp(plain));
      Vectors v(A);
      OK(v.code);
      OK(refine::MakeKSP(
        A, A, KSPRICHARDSON,
        with("-pc_type " + std::string(t.type) + " -@_apply_richardson fixed -ksp_norm_type none -ksp_max_it 3"),
        &ksp));
      OK(before ? KSPSolve(ksp, v.b, v.x) : KSPSetUp(ksp));
      if (change == Change::values) {
        OK(MatShift(A, 0.5));
      }
      OK(CompareKept(ksp, plain, B ? B.get() : A.get(), v, &d));
      EXPECT_LT(d, tolerance);
    }
}

// KSPSIP runs its iterations inside the preconditioner.
TEST(Kept, KSPSIPSeesTheMatrixOfTheDay)
{
  for (const bool pattern : {false, true}) {
    Owned<DM> da, other;
    Owned<Mat> A, B;
    Owned<PC> plain;
    Owned<KSP> ksp;
    PetscReal d;
    OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
    OK(MakeGrid(3, pattern ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &other));
    OK(AssembleOnGrid(da, MATBAIJ, &A));
    OK(AssembleOnGrid(other, MATBAIJ, &B, 4));
    OK(MakePC(A, PCSIP, "", &plain));
    OK(PCSetUp(plain));
    Vectors v(A);
    OK(v.code);
    OK(refine::MakeKSP(A, A, KSPSIP, "-pc_type sip -ksp_norm_type none -ksp_max_it 3", &ksp));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(CompareKept(ksp, plain, B, v, &d));
    EXPECT_LT(d, tolerance) << pattern;
  }
}

// Two matrices that were made in the same way have the same object states.
TEST(Kept, EisenstatsTrickIsOfTheMatrixThatWasFactored)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  Owned<Vec> r;
  PetscReal norm, size;
  KSPConvergedReason reason;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJ, 2, &B));
  Vectors v(A);
  OK(v.code);
  OK(refine::MakeKSP(A, A, KSPGMRES, "-pc_type fgbilu -pc_fgbilu_eisenstat -ksp_rtol 1e-9", &ksp));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPSetReusePreconditioner(ksp, PETSC_TRUE));
  OK(KSPSetOperators(ksp, B, B));
  OK(VecSet(v.x, PETSC_INFINITY));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_GT(reason, 0);
  OK(VecDuplicate(v.b, &r));
  OK(MatMult(B, v.x, r));
  OK(VecAYPX(r, -1, v.b));
  OK(VecNorm(r, NORM_2, &norm));
  OK(VecNorm(v.b, NORM_2, &size));
  EXPECT_LT(norm, PetscReal(1e-6) * size);
}

// A set-up that fails after PETSc has recorded the matrix is repeated.
TEST_P(KeptPerType, AFailedSetUpIsMadeAgain)
{
  Owned<Mat> A;
  Owned<PC> pc, fresh;
  PetscReal d;
  OK(Matrix(Shape::star, 2, MATBAIJ, &A));
  OK(Make(A, "", &pc));
  OK(PCSetUp(pc));
  OK(MatShift(A, 1));
  const PetscInt wrong[] = {1, 1, 10000};
  OK(PCFinegrainSetGrid(pc, 1, wrong));
  ExpectError([&] { return PCSetUp(pc); });
  ExpectError([&] { return PCSetUp(pc); }); // the matrix is unchanged
  OK(PCFinegrainSetGrid(pc, 0, nullptr));
  OK(Make(A, "", &fresh));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

} // namespace
