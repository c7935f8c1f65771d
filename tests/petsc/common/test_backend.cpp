// SPDX-License-Identifier: BSD-2-Clause
// The back end of preconditioners: on a device they give the results of the host, without copies of vectors. Most
// builds and machines have no device, so that the tests check the error.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

PER_TYPE(BackendPerType);

// On a device all forms of application agree with the host. Without a device, all ranks get an error that names
// option and remedy. In both cases the preconditioner works on the host again afterwards.
TEST_P(BackendPerType, DeviceAgreesWithTheHostOrSaysWhyNot)
{
  PetscBool expected;
  OK(PetscOptionsHasName(nullptr, nullptr, "-expect_device", &expected));
  for (const char *type : {MATAIJ, MATBAIJ})
    for (const char *options : {"", " -@_corrections 2", " -@_precision single"}) {
      Owned<Mat> A;
      Owned<PC> pc, host;
      PetscReal d;
      PetscErrorCode code;
      std::string text;
      OK(Matrix(Shape::box, 3, type, &A));
      OK(Make(A, std::string("-@_backend device") + options, &pc));
      OK(Make(A, options, &host));
      {
        ErrorCatcher catcher;
        code = PCSetUp(pc);
        text = catcher.first;
      }
      if (code) {
        EXPECT_FALSE(expected) << text; // -expect_device
        ExpectIn(text, {with("-@_backend device"), "device back end", with("-@_backend host")});
      } else {
        OK(ComparePCs(A, pc, host, &d));
        EXPECT_LT(d, tolerance);
        OK(ViewText(pc, &text));
        ExpectIn(text, {"back end: device ("});
      }
      OK(PCFinegrainSetBackend(pc, PC_FINEGRAIN_BACKEND_HOST));
      OK(ComparePCs(A, pc, host, &d));
      EXPECT_EQ(d, 0);
    }
}

// The back end depends on the matrix, even if the preconditioner reads a copy of it, which is on the host.
TEST(Backend, IsThatOfTheMatrixWhereACopyIsRead)
{
  PetscBool expected;
  Owned<Mat> A;
  Owned<PC> pc;
  std::string text;
  Couplings c = star(4, 3, 3);
  c[29].erase(29);
  OK(PetscOptionsHasName(nullptr, nullptr, "-expect_device", &expected));
  OK(AssembleMatrix(c, 3, MATBAIJKOKKOS, 1, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_add_diagonal -pc_fgbilu_shift_type inblocks", &pc));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  EXPECT_EQ(text.find("back end: device (") != std::string::npos, bool(expected)) << text;
}

#if defined(PETSC_HAVE_DEVICE)
// Bytes that KSPSolve() copies between host and device in this many iterations.
void CountCopies(Mat A, const char *type, PetscInt iterations, double *bytes)
{
  Owned<KSP> ksp;
  PC pc;
  Owned<Vec> b, x;
  PetscLogEvent event;
  PetscEventPerfInfo before, after;
  OK(MatCreateVecs(A, &x, &b));
  OK(VecSet(b, 1));
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetOperators(ksp, A, A));
  OK(KSPSetType(ksp, KSPGMRES));
  OK(KSPSetNormType(ksp, KSP_NORM_NONE));
  OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, iterations));
  OK(KSPGetPC(ksp, &pc));
  OK(PCSetType(pc, type));
  OK(KSPSetUp(ksp));
  OK(PCSetUp(pc));
  OK(KSPSolve(ksp, b, x)); // allocates what the first use needs
  OK(PetscLogEventGetId("KSPSolve", &event));
  OK(PetscLogEventGetPerfInfo(0, event, &before));
  OK(KSPSolve(ksp, b, x));
  OK(PetscLogEventGetPerfInfo(0, event, &after));
  *bytes = after.CpuToGpuSize + after.GpuToCpuSize - before.CpuToGpuSize - before.GpuToCpuSize;
}
#endif

// Iterations copy no vectors between host and device if both PETSc and the preconditioner work there.
TEST(Backend, IterationsCopyNothing)
{
  PetscBool expected;
  OK(PetscOptionsHasName(nullptr, nullptr, "-expect_device", &expected));
#if defined(PETSC_HAVE_DEVICE)
  PetscBool direct = PETSC_TRUE;
  PetscMPIInt ranks;
  OK(PetscOptionsGetBool(nullptr, nullptr, "-use_gpu_aware_mpi", &direct, nullptr));
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (!expected) GTEST_SKIP() << "no device";
  if (ranks > 1 && !direct) GTEST_SKIP() << "MPI takes ghosts from the host";
  for (const TypeCase &t : AllTypes()) {
    if (t.needs_grid || t.symmetric) continue;
    Owned<Mat> A;
    double few = -1, many = -1;
    OK(AssembleMatrix(box(12, 11, 10), 4, MATBAIJKOKKOS, 1, &A));
    CountCopies(A, t.type, 5, &few);
    CountCopies(A, t.type, 25, &many);
    EXPECT_GE(few, 0);
    EXPECT_LT(many - few, 20 * 1024) << t.type; // scalars only: a vector has 42 KB
  }
#else
  GTEST_SKIP() << "PETSc has no devices";
#endif
}

} // namespace
