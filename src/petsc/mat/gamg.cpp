// SPDX-License-Identifier: BSD-2-Clause
// PCGAMG creates matrices of the type of its operator, and preallocates them as AIJ only. If that type is BAIJ with
// a device copy, its interpolations become AIJ, and its square matrices are set up without preallocation.
#include "mat/baijkokkos.hpp"

namespace
{

constexpr char seq_preallocation[] = "MatSeqAIJSetPreallocation_C",
               mpi_preallocation[] = "MatMPIAIJSetPreallocation_C";

// Makes A an AIJ matrix, or calls MatSetUp() if it is square. Does nothing if BAIJ's own preallocation was called
// before, as MatXAIJSetPreallocation() does.
template <class Preallocate> PetscErrorCode PreallocateAsAIJ(Mat A, MatType aij, Preallocate preallocate)
{
  PetscFunctionBegin;
  if (A->preallocated) PetscFunctionReturn(PETSC_SUCCESS);
  int rectangular = A->rmap->n != A->cmap->n || A->rmap->N != A->cmap->N;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &rectangular, 1, MPI_INT, MPI_MAX,
                             PetscObjectComm(reinterpret_cast<PetscObject>(A))));
  if (rectangular) {
    PetscCall(MatSetType(A, aij));
    PetscCall(preallocate());
  } else {
    PetscCall(MatSetUp(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqSetPreallocation(Mat A, PetscInt nz, const PetscInt nnz[])
{
  return PreallocateAsAIJ(A, MATSEQAIJ, [&] { return MatSeqAIJSetPreallocation(A, nz, nnz); });
}

PetscErrorCode MPISetPreallocation(Mat A, PetscInt d_nz, const PetscInt d_nnz[], PetscInt o_nz,
                                   const PetscInt o_nnz[])
{
  return PreallocateAsAIJ(A, MATMPIAIJ, [&] { return MatMPIAIJSetPreallocation(A, d_nz, d_nnz, o_nz, o_nnz); });
}

} // namespace

PetscErrorCode BAIJKokkosCreate(Mat A, MatType baij, MatType aij)
{
  PetscFunctionBegin;
  if (A->rmap->bs > 0 && A->cmap->bs > 0 && A->rmap->bs != A->cmap->bs) { // BAIJ cannot have different block sizes
    PetscCall(MatSetType(A, aij));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const bool sized = A->rmap->N >= 0; // DMDA sets sizes, and tests if these functions exist
  PetscCall(MatSetType(A, baij));
  PetscCall(BAIJKokkosAdopt(A));
  if (sized) PetscFunctionReturn(PETSC_SUCCESS);
  if (BAIJKokkosGet(A)->parallel()) PetscCall(BAIJKokkosCompose(A, mpi_preallocation, MPISetPreallocation));
  else PetscCall(BAIJKokkosCompose(A, seq_preallocation, SeqSetPreallocation));
  PetscFunctionReturn(PETSC_SUCCESS);
}
