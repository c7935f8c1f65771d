#include <petscfinegrain.h>

#include <gtest/gtest.h>

// Every rank runs every test; only rank 0 prints what passes.
int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscLogDefaultBegin()); // for event counts
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) ::testing::GTEST_FLAG(brief) = true;
  const int failed = RUN_ALL_TESTS();
  PetscCall(PetscFinalize());
  return failed;
}
