// SPDX-License-Identifier: BSD-2-Clause
// Runs the tests of the PETSc side on all ranks of MPI_COMM_WORLD, with event counts.
#include <petscfinegrain.h>

#include <gtest/gtest.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

// Every rank runs every test; only rank 0 prints the ones that pass.
int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable(); // MPI loads modules, which leak memory, and unloads them again
  MPI_Init(&argc, &argv);
  __lsan_enable();
#else
  MPI_Init(&argc, &argv);
#endif
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscLogDefaultBegin()); // for event counts
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) ::testing::GTEST_FLAG(brief) = true;
  const int failed = RUN_ALL_TESTS();
  PetscCall(PetscFinalize());
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check(); // now: after MPI has unloaded its modules, their leaks have no names to suppress
#endif
  MPI_Finalize();
  return failed;
}
