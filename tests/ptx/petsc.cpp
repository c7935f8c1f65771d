// SPDX-License-Identifier: BSD-2-Clause
// The plugin with its kernels on the device compared with the same on the host, bitwise: all types of
// preconditioners in all of their variants, on host vectors. Any number of ranks: tests/ptx/run.
#include "refine.hpp"
#include "types.hpp"

#include <cstring>

using namespace finegrain::test;

namespace
{

int comparisons = 0, refusals = 0; // refusals: of options that a device does not support

std::vector<PetscScalar> Values(Vec x)
{
  PetscInt size = 0;
  const PetscScalar *values;
  EXPECT_EQ(int(VecGetLocalSize(x, &size)), 0);
  EXPECT_EQ(int(VecGetArrayRead(x, &values)), 0);
  const std::vector<PetscScalar> v(values, values + size);
  EXPECT_EQ(int(VecRestoreArrayRead(x, &values)), 0);
  return v;
}
void ExpectSameBits(Vec x, Vec y, const std::string &what)
{
  const std::vector<PetscScalar> a = Values(x), b = Values(y);
  ++comparisons;
  if (!a.empty()) {
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(PetscScalar)), 0) << what;
  }
}

PER_TYPE(OnTheDevice);

void Compare(Mat A, PC host, PC device, const std::string &what)
{
  Owned<Vec> b, x, y;
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  for (const auto apply : {PCApply, PCApplyTranspose}) {
    for (Vec v : {Vec(x), Vec(y)}) OK(VecSet(v, PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN())));
    const ErrorCatcher quiet; // some have no transposed application, neither here nor there
    const PetscErrorCode first = apply(host, b, x), second = apply(device, b, y);
    ASSERT_EQ(int(first), int(second)) << what;
    if (!first) ExpectSameBits(x, y, what + (apply == PCApply ? "" : ", transposed"));
  }
}

// Factors twice, the second time with other values.
void CompareTypes(const PerType &, const TypeCase &t, Mat A, const std::string &options)
{
  Owned<PC> host, device;
  OK(MakePC(A, t.type, Expand(options + " -@_backend host", t.type), &host));
  {
    const ErrorCatcher quiet;
    const PetscErrorCode code = MakePC(A, t.type, Expand(options + " -@_backend device", t.type), &device);
    if (code || PCSetUp(device)) {
      ++refusals;
      std::printf("refused: %s %s\n", t.type, options.c_str());
      return;
    }
  }
  OK(PCSetUp(host));
  Compare(A, host, device, options);
  OK(MatScale(A, PetscScalar(1.25)));
  for (PC pc : {PC(host), PC(device)}) {
    OK(PCSetOperators(pc, A, A));
    OK(PCSetUp(pc));
  }
  Compare(A, host, device, options + ", factored again");
}

TEST_P(OnTheDevice, AllVariantsGiveTheHostsBits)
{
  for (const Variant &v : t.variants) {
    SCOPED_TRACE(v.options);
    Owned<Mat> A;
    OK(Matrix(Shape::star, 3, MATBAIJ, &A));
    CompareTypes(*this, t, A, v.options);
  }
}

TEST_P(OnTheDevice, AllKindsOfMatricesGiveTheHostsBits)
{
  for (const MatType type : {MATAIJ, MATBAIJ, MATBAIJKOKKOS})
    for (const PetscInt n : {1, 5})
      for (const Shape shape : {Shape::box, Shape::small}) {
        SCOPED_TRACE(std::string(type) + " " + std::to_string(n));
        for (const std::string options : {"", "-@_algorithm tasks"}) {
          Owned<Mat> A;
          OK(Matrix(shape, n, type, &A));
          CompareTypes(*this, t, A, options);
        }
      }
}

// A type's default options, but for Eisenstat's trick, whose default depends on the device: without and with it.
std::vector<std::string> SolverOptions(const TypeCase &t)
{
  if (t.type != std::string(PCFGBILU)) return {""};
  return {"-@_eisenstat false", "-@_eisenstat true"};
}

PetscErrorCode MakeSolver(const TypeCase &t, Mat A, const char *solver, const std::string &options, bool on_device,
                          KSP *ksp)
{
  const std::string all =
    std::string("-pc_type ") + t.type + " -@_backend " + (on_device ? "device " : "host ") + options;

  PetscFunctionBegin;
  PetscCall(refine::MakeKSP(A, A, solver, Expand(all, t.type), ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(OnTheDevice, SolversTakeTheHostsSteps)
{
  for (const std::string &options : SolverOptions(t)) {
    std::vector<PetscReal> histories[2];
    for (const bool on_device : {false, true}) {
      Owned<Mat> A;
      Owned<KSP> ksp;
      Owned<Vec> b, x;
      const PetscReal *h;
      PetscInt size;
      OK(Matrix(Shape::star, 2, MATBAIJKOKKOS, &A));
      OK(MakeVectors(A, &b, &x));
      OK(MakeSolver(t, A, KSPGMRES, options, on_device, &ksp));
      OK(KSPSolve(ksp, b, x));
      OK(KSPGetResidualHistory(ksp, &h, &size));
      histories[on_device].assign(h, h + size);
    }
    ++comparisons;
    EXPECT_GT(histories[0].size(), 1u);
    EXPECT_EQ(histories[0], histories[1]) << options;
  }
}

// Eight vectors in one solve. KSPPREONLY does without the trick.
TEST_P(OnTheDevice, SeveralVectorsHaveTheHostsBits)
{
  std::vector<std::pair<const char *, std::string>> solvers{{KSPPREONLY, ""}};
  for (const std::string &options : SolverOptions(t)) solvers.emplace_back(KSPGMRES, options);
  for (const auto &[solver, options] : solvers) {
    Owned<Mat> A, B, X[2];
    PetscInt rows;
    OK(Matrix(Shape::star, 3, MATBAIJKOKKOS, &A));
    OK(MatGetLocalSize(A, &rows, nullptr));
    OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, 8, nullptr, &B));
    OK(MatSetRandom(B, nullptr));
    for (const bool on_device : {false, true}) {
      Owned<KSP> ksp;
      OK(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X[on_device]));
      OK(MakeSolver(t, A, solver, options, on_device, &ksp));
      OK(KSPMatSolve(ksp, B, X[on_device]));
    }
    for (PetscInt k = 0; k < 8; ++k) {
      Vec x[2];
      for (const int i : {0, 1}) OK(MatDenseGetColumnVecRead(X[i], k, &x[i]));
      ExpectSameBits(x[0], x[1], std::string(solver) + " " + options + ", column " + std::to_string(k));
      for (const int i : {0, 1}) OK(MatDenseRestoreColumnVecRead(X[i], k, &x[i]));
    }
  }
}

TEST(ProductsOnTheDevice, GiveTheHostsBits)
{
  for (const PetscInt n : {1, 2, 5}) {
    Owned<Mat> A, B;
    Owned<Vec> b, x, y;
    OK(AssembleMatrix(box(6, 5, 4), n, MATBAIJ, 1, &A));
    OK(AssembleMatrix(box(6, 5, 4), n, MATBAIJKOKKOS, 1, &B));
    OK(MakeVectors(A, &b, &x));
    OK(VecDuplicate(x, &y));
    for (const auto multiply : {MatMult, MatMultTranspose}) {
      PetscReal d;
      OK(multiply(A, b, x));
      OK(multiply(B, b, y));
      OK(Difference(y, x, &d)); // PETSc's own products add in another order
      ++comparisons;
      EXPECT_LT(d, tolerance) << n;
    }
  }
}

struct Counts : ::testing::Environment {
  void TearDown() override
  {
    if (Rank() == 0)
      std::printf("%d comparisons, %d refused by the device, on %d ranks\n", comparisons, refusals, Size());
  }
};
const auto *const counts = ::testing::AddGlobalTestEnvironment(new Counts);

} // namespace
