// SPDX-License-Identifier: BSD-2-Clause
// Nothing is copied between host and device where matrix and vectors are on the device: applications, transposed
// applications, those to several vectors, whole solves with corrections, Eisenstat's trick and the check of the
// solution.
#include "types.hpp"
#include "common/arrays.hpp"
#include "copied.hpp"

using namespace finegrain::test;

namespace
{

constexpr PetscInt columns = 8;

class EmulatedCopies : public PerType
{
protected:
  PetscErrorCode MakeSolver(Mat A, const std::string &options, KSP *ksp) const
  {
    PC pc;

    PetscFunctionBegin;
    const Options set(with(options + " -@_backend device"));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
    PetscCall(KSPSetOperators(*ksp, A, A));
    PetscCall(KSPGetPC(*ksp, &pc));
    PetscCall(PCSetType(pc, t.type));
    PetscCall(KSPSetFromOptions(*ksp));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  // The second call must copy nothing, unless PETSc's arrays are to be copied.
  void ExpectNone(const std::string &what, const std::function<PetscErrorCode()> &call) const
  {
    OK(call()); // computes and copies what is kept
    const Copied counted;
    OK(call());
    std::uint64_t bytes = counted.bytes(); // of all ranks, some of which have no rows
    OK(MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_SUM, PETSC_COMM_WORLD));
    if (finegrain::emulated_petsc.copies) {
      EXPECT_GT(bytes, 0u) << what;
    } else {
      EXPECT_EQ(bytes, 0u) << what;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Types, EmulatedCopies, ::testing::ValuesIn(AllTypes()),
                         [](const auto &row) { return std::string(row.param.type); });

// Random columns with the layout of A.
PetscErrorCode MakeColumns(Mat A, Mat *B, Mat *X)
{
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, B));
  PetscCall(MatSetRandom(*B, nullptr));
  PetscCall(MatDuplicate(*B, MAT_DO_NOT_COPY_VALUES, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(EmulatedCopies, AreNoneInApplications)
{
  for (const Variant &variant : t.variants) {
    if (variant.has("global")) continue; // those run on the host
    for (const MatType type : {MATBAIJKOKKOS, MATAIJ}) {
      const std::string what = std::string(type) + " " + variant.options;
      Owned<Mat> A, B, X;
      Owned<PC> pc;
      OK(Matrix(Shape::star, 3, type, &A));
      OK(Make(A, variant.options + " -@_backend device", &pc));
      Vectors v(A);
      OK(v.code);
      OK(MakeColumns(A, &B, &X));
      ExpectNone(what, [&] { return Apply(pc, v.b, v.x); });
      ExpectNone(what + ", transposed", [&] { return PCApplyTranspose(pc, v.b, v.x); });
      ExpectNone(what + ", several vectors", [&] { return PCMatApply(pc, B, X); });
    }
  }
}

TEST_P(EmulatedCopies, AreNoneInSolves)
{
  for (const Variant &variant : t.variants) {
    if (variant.has("global")) continue;
    const std::string &what = variant.options;
    Owned<Mat> A, B, X;
    Owned<KSP> ksp;
    PC pc;
    PetscReal eta, d;
    OK(Matrix(Shape::star, 3, MATBAIJKOKKOS, &A));
    OK(MakeSolver(A, variant.options + " -ksp_type fgmres -ksp_rtol 1e-4", &ksp));
    OK(KSPGetPC(ksp, &pc));
    Vectors v(A);
    OK(v.code);
    ExpectNone(what, [&] { return KSPSolve(ksp, v.b, v.x); });
    OK(PCFinegrainGetScaledResidual(pc, &eta));
    EXPECT_GE(eta, 0) << what; // the solution was checked
    OK(MakeColumns(A, &B, &X));
    for (const auto solver : {KSPFGMRES, KSPPREONLY}) {
      Vec b, x;
      OK(KSPSetType(ksp, solver));
      ExpectNone(what + ", KSPMatSolve() with " + solver, [&] { return KSPMatSolve(ksp, B, X); });
      OK(MatDenseGetColumnVecRead(B, columns - 1, &b));
      OK(KSPSolve(ksp, b, v.x));
      OK(MatDenseRestoreColumnVecRead(B, columns - 1, &b));
      OK(MatDenseGetColumnVecRead(X, columns - 1, &x));
      OK(Difference(x, v.x, &d));
      OK(MatDenseRestoreColumnVecRead(X, columns - 1, &x));
      EXPECT_EQ(d, 0) << what << ", " << solver;
    }
  }
}

} // namespace
