// SPDX-License-Identifier: BSD-2-Clause
// BAIJ with a device copy of its blocks for kernels. Operations of the parent use the values on the host. The object
// state shows when the device copy is out of date.
#include "mat/baijkokkos.hpp"

#include "common/runtime.hpp"
#include "vec/reproducible.hpp"

#include <petscdm.h>

#include <cstring>

using namespace finegrain;

namespace
{

PetscErrorCode MatDuplicate_BAIJKokkos(Mat, MatDuplicateOption, Mat *);
PetscErrorCode MatDestroy_BAIJKokkos(Mat);
PetscErrorCode MatBindToCPU_BAIJKokkos(Mat, PetscBool);

// Computes y = b + A x, or y = b + A^T x if transposed; b may be null.
PetscErrorCode Multiply(Mat A, Vec b, Vec x, Vec y, bool transposed)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  Arrays a;

  PetscFunctionBegin;
  PetscCall(BAIJKokkosUpdate(A));
  PetscCall(a.get(*m->copy, m->op.backend, x, b, y, false));
  if (!m->reserved[transposed]) PetscCall(FinegrainOnAllRanks(A, [&] { m->copy->reserve(a.memory(), transposed); }));
  m->reserved[transposed] = true;
  PetscCall(FinegrainGuard([&]() -> PetscErrorCode {
    const Scalar *add = b ? a.second() : nullptr;
    if (transposed) m->copy->multiply_transposed(a.memory(), add, a.from(), a.to());
    else m->copy->multiply(a.memory(), add, a.from(), a.to());
    return m->halo.take_error();
  }));
  PetscCall(a.restore());
  PetscCall(FinegrainLogFlops(m->op.backend, m->copy->flops()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Values set on one rank may belong to another, whose host values must then be current.
PetscErrorCode MatAssemblyBegin_BAIJKokkos(Mat A, MatAssemblyType type)
{
  BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  if (m->from_coordinates && !m->assembling) {
    int behind = m->host_is_behind;
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &behind, 1, MPI_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(A))));
    m->from_coordinates = behind;
    if (!behind) PetscCall(BAIJKokkosSyncHost(A));
  }
  PetscCall((*m->parent.assemblybegin)(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Counts changes of the structure. MPIBAIJ resets its count in some assemblies, and neither type counts new blocks
// of MatSetValuesBlocked().
PetscErrorCode CountStructure(Mat A, BAIJKokkos *m, PetscObjectState before)
{
  MatInfo info;

  PetscFunctionBegin;
  A->nonzerostate = PetscMax(A->nonzerostate, before);
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  int changed = m->entries >= 0 && info.nz_used != m->entries;
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(A))));
  if (changed) ++A->nonzerostate;
  m->entries = info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Uses VECREPRODUCIBLE for vectors of the matrix if its DM does. PETSc's DMs pass no type of vectors to matrices.
PetscErrorCode TakeVecTypeOfDM(Mat A)
{
  DM dm;
  VecType type;

  PetscFunctionBegin;
  PetscCall(MatGetDM(A, &dm));
  if (!dm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetVecType(dm, &type));
  if (FinegrainIsReproducible(type)) PetscCall(MatSetVecType(A, VECREPRODUCIBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Values assembled in the device copy change nothing on the host.
PetscErrorCode MatAssemblyEnd_BAIJKokkos(Mat A, MatAssemblyType type)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  const PetscObjectState before = A->nonzerostate;

  PetscFunctionBegin;
  PetscCall((*m->parent.assemblyend)(A, type));
  if (type == MAT_FLUSH_ASSEMBLY) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TakeVecTypeOfDM(A));
  if (!m->host_is_behind) {
    m->from_coordinates = false;
    PetscCall(CountStructure(A, m, before));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  m->assembling = false;
  A->nonzerostate = before;
  if (m->keeps_host_current) PetscCall(BAIJKokkosSyncHost(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Runs the product of the parent, for a matrix bound to the host.
template <auto Member, class... Vecs> PetscErrorCode OnHost(Mat A, Vecs... v)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall((BAIJKokkosGet(A)->parent.*Member)(A, v...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_BAIJKokkos(Mat A, Vec x, Vec y)
{
  return BAIJKokkosGet(A)->bound ? OnHost<&_MatOps::mult>(A, x, y) : Multiply(A, nullptr, x, y, false);
}
PetscErrorCode MatMultAdd_BAIJKokkos(Mat A, Vec x, Vec b, Vec y)
{
  return BAIJKokkosGet(A)->bound ? OnHost<&_MatOps::multadd>(A, x, b, y) : Multiply(A, b, x, y, false);
}
PetscErrorCode MatMultTranspose_BAIJKokkos(Mat A, Vec x, Vec y)
{
  return BAIJKokkosGet(A)->bound ? OnHost<&_MatOps::multtranspose>(A, x, y) : Multiply(A, nullptr, x, y, true);
}
PetscErrorCode MatMultTransposeAdd_BAIJKokkos(Mat A, Vec x, Vec b, Vec y)
{
  return BAIJKokkosGet(A)->bound ? OnHost<&_MatOps::multtransposeadd>(A, x, b, y) : Multiply(A, b, x, y, true);
}

// Sets or removes this type's operations, also after a preallocation of SEQBAIJ, which sets its own products. A
// matrix filled by a hash table keeps ours aside and restores them itself.
PetscErrorCode SetOperations(Mat A, bool install)
{
  PetscFunctionBegin;
  if (FinegrainIsHashed(A)) PetscFunctionReturn(PETSC_SUCCESS);
  BAIJKokkosSwap<&_MatOps::mult>(A, install, MatMult_BAIJKokkos, true);
  BAIJKokkosSwap<&_MatOps::multadd>(A, install, MatMultAdd_BAIJKokkos, true);
  BAIJKokkosSwap<&_MatOps::multtranspose>(A, install, MatMultTranspose_BAIJKokkos, true);
  BAIJKokkosSwap<&_MatOps::multtransposeadd>(A, install, MatMultTransposeAdd_BAIJKokkos, true);
  BAIJKokkosSwap<&_MatOps::assemblybegin>(A, install, MatAssemblyBegin_BAIJKokkos);
  BAIJKokkosSwap<&_MatOps::assemblyend>(A, install, MatAssemblyEnd_BAIJKokkos, true);
  BAIJKokkosSwap<&_MatOps::duplicate>(A, install, MatDuplicate_BAIJKokkos, true);
  BAIJKokkosSwap<&_MatOps::bindtocpu>(A, install, MatBindToCPU_BAIJKokkos, true);
  PetscCall(BAIJKokkosSetHostOperations(A, install));
  BAIJKokkosSwap<&_MatOps::destroy>(A, install, MatDestroy_BAIJKokkos, true); // last: BAIJKokkosGet() compares it
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets the vector type that matches the device copy: standard vectors if PETSc was built for devices but the process
// finds none. VECREPRODUCIBLE stays, because the user has chosen it.
PetscErrorCode SetVecType(Mat A, bool host)
{
  VecType type = VECSTANDARD, chosen;

  PetscFunctionBegin;
  PetscCall(MatGetVecType(A, &chosen));
  if (FinegrainIsReproducible(chosen)) PetscFunctionReturn(PETSC_SUCCESS);
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
  if (!host && (!builds_device || count_devices() > 0)) type = VECKOKKOS;
#elif defined(FINEGRAIN_SHARES_DEVICE)
  if (!host && count_devices() > 0) type = VECCUDA;
#else
  (void)host;
#endif
  PetscCall(MatSetVecType(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBindToCPU_BAIJKokkos(Mat A, PetscBool bound)
{
  BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
#if defined(PETSC_HAVE_DEVICE)
  A->boundtocpu = bound;
#endif
  m->bound = bound;
  m->copy.reset();
  m->structure = -1;
  PetscCall(SetVecType(A, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// These functions call those that the parent composed.

template <class Function, class... Sizes> PetscErrorCode Preallocate(Mat A, Function *parent, Sizes... sizes)
{
  BAIJKokkos *m = BAIJKokkosGet(A);

  PetscFunctionBegin;
  PetscCall((*parent)(A, sizes...));
  PetscCall(SetOperations(A, true));
  m->structure = m->aij.structure = -1;
  m->host_is_behind = m->from_coordinates = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SeqSetPreallocation_BAIJKokkos(Mat A, PetscInt bs, PetscInt nz, const PetscInt nnz[])
{
  return Preallocate(A, BAIJKokkosGet(A)->preallocate_seq, bs, nz, nnz);
}
PetscErrorCode MPISetPreallocation_BAIJKokkos(Mat A, PetscInt bs, PetscInt d_nz, const PetscInt d_nnz[],
                                              PetscInt o_nz, const PetscInt o_nnz[])
{
  return Preallocate(A, BAIJKokkosGet(A)->preallocate_mpi, bs, d_nz, d_nnz, o_nz, o_nnz);
}

// Composes or removes all functions of the type.
PetscErrorCode ComposeAll(Mat A, BAIJKokkos &m, bool install)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosComposeConversions(A, m, install));
  PetscCall(BAIJKokkosComposeHostFunctions(A, &m, install));
  PetscCall(BAIJKokkosComposeCOO(A, install));
  PetscCall(BAIJKokkosCompose(A, "MatProductSetFromOptions_anytype_C",
                              install ? MatProductSetFromOptions_BAIJKokkos : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr char seq_preallocation[] = "MatSeqBAIJSetPreallocation_C",
               mpi_preallocation[] = "MatMPIBAIJSetPreallocation_C";

// Restores the composed functions of BAIJ.
PetscErrorCode ComposeParents(Mat A, BAIJKokkos &m)
{
  PetscFunctionBegin;
  PetscCall(ComposeAll(A, m, false));
  PetscCall(BAIJKokkosCompose(A, seq_preallocation, m.preallocate_seq));
  PetscCall(BAIJKokkosCompose(A, mpi_preallocation, m.preallocate_mpi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The hash table would restore the operations that it has put aside.
PetscErrorCode CheckNotHashed(Mat A)
{
  PetscFunctionBegin;
  PetscCheck(!FinegrainIsHashed(A), PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_ARG_WRONGSTATE,
             "The matrix is being filled without preallocation: call MatAssemblyBegin() and MatAssemblyEnd() before "
             "it is converted");
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosAdopt(Mat A)
{
  const PetscObject object = reinterpret_cast<PetscObject>(A);
  PetscBool seq;

  PetscFunctionBegin;
  PetscCall(CheckNotHashed(A));
  PetscCall(PetscObjectTypeCompare(object, MATSEQBAIJ, &seq));
  BAIJKokkos *m = nullptr;
  PetscCall(FinegrainOnAllRanks(A, [&] { m = new BAIJKokkos(); }));
  m->type = seq ? MATSEQBAIJKOKKOS : MATMPIBAIJKOKKOS;
  m->parent_type = seq ? MATSEQBAIJ : MATMPIBAIJ;
  A->spptr = m;
  PetscCall(PetscObjectChangeTypeName(object, m->type));
  PetscCall(SetOperations(A, true));
  PetscCall(PetscObjectQueryFunction(object, seq_preallocation, &m->preallocate_seq));
  PetscCall(PetscObjectQueryFunction(object, mpi_preallocation, &m->preallocate_mpi));
  if (seq) PetscCall(BAIJKokkosCompose(A, seq_preallocation, SeqSetPreallocation_BAIJKokkos));
  else PetscCall(BAIJKokkosCompose(A, mpi_preallocation, MPISetPreallocation_BAIJKokkos));
  PetscCall(ComposeAll(A, *m, true));
  PetscCall(SetVecType(A, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

PetscErrorCode Release(Mat A, BAIJKokkos *m)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(ComposeParents(A, *m));
  PetscCall(SetOperations(A, false));
  PetscCall(m->halo.destroy());
  PetscCall(BAIJKokkosDestroyCOO(m));
  PetscCall(MatDestroy(&m->aij.mat));
  // MatHeaderMerge() destroys a matrix whose type name it has removed.
  const PetscObject object = reinterpret_cast<PetscObject>(A);
  if (object->type_name) PetscCall(PetscObjectChangeTypeName(object, m->parent_type));
  A->spptr = nullptr;
  delete m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_BAIJKokkos(Mat A)
{
  BAIJKokkos *m = static_cast<BAIJKokkos *>(A->spptr);
  const auto destroy = m->parent.destroy;

  PetscFunctionBegin;
  m->host_is_behind = false;
  PetscCall(Release(A, m));
  PetscCall((*destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_BAIJKokkos(Mat A, MatDuplicateOption option, Mat *B)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosSyncHost(A));
  PetscCall(FinegrainPassVecType(A, B, [&] { return (*BAIJKokkosGet(A)->parent.duplicate)(A, option, B); }));
  if (!BAIJKokkosGet(*B)) {
    PetscCall(ComposeParents(*B, *BAIJKokkosGet(A))); // MatDuplicate() of BAIJ copies the list of composed functions
    PetscCall(BAIJKokkosAdopt(*B));
  } else PetscCall(SetOperations(*B, true));
  if (BAIJKokkosGet(A)->bound) PetscCall(MatBindToCPU_BAIJKokkos(*B, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

BAIJKokkos *BAIJKokkosGet(Mat A)
{
  const char *type = reinterpret_cast<PetscObject>(A)->type_name;
  const bool hashed =
    FinegrainIsHashed(A) && type && (!std::strcmp(type, MATSEQBAIJKOKKOS) || !std::strcmp(type, MATMPIBAIJKOKKOS));
  return hashed || A->ops->destroy == MatDestroy_BAIJKokkos ? static_cast<BAIJKokkos *>(A->spptr) : nullptr;
}

PetscErrorCode BAIJKokkosRelease(Mat A)
{
  PetscFunctionBegin;
  PetscCall(CheckNotHashed(A));
  PetscCall(Release(A, BAIJKokkosGet(A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATSEQBAIJKOKKOS - "seqbaijkokkos" - `MATSEQBAIJ` with products that run in Kokkos, on a device if there is one

   Options Database Key:
.  -mat_type seqbaijkokkos - sets the type

   Level: intermediate

.seealso: `MATBAIJKOKKOS`
M*/
PetscErrorCode MatCreate_SeqBAIJKokkos(Mat A)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosCreate(A, MATSEQBAIJ, MATSEQAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*MC
   MATBAIJKOKKOS - "baijkokkos" - `MATBAIJ` with products that run in Kokkos, on a device if there is one, else with
   all threads of the host

   Options Database Keys:
+  -mat_type baijkokkos    - sets the type
-  -dm_mat_type baijkokkos - sets it for the matrices of a DM

   Level: intermediate

   Notes:
   The type is `MATSEQBAIJKOKKOS` on one rank and `MATMPIBAIJKOKKOS` on several. Values are set on the host, as those
   of `MATBAIJ`. Products read a second copy of the blocks, the device copy, which is updated after values have
   changed. `MatSetPreallocationCOO()` and `MatSetValuesCOO()` assemble values in the device copy; they are copied to
   the host when a host operation needs them. `MatBAIJKokkosSetPreallocationCOO()` uses coordinates of blocks.

   `MatCreateVecs()` creates `VECKOKKOS` if PETSc has Kokkos, else `VECCUDA` if PETSc and finegrain have CUDA, else
   standard vectors. Products work with vectors of any type; those on the host are copied to a device and back.
   `MatBindToCPU()` selects the operations of `MATBAIJ`.

   Products are bitwise identical on any number of threads, and differ from those of `MATBAIJ` by rounding. Diagonal
   blocks and factors of PETSc are of type `MATBAIJ`, submatrices of this type.

   `PCGAMG`, `PCMG` with Galerkin operators and `PCFIELDSPLIT` by unknowns use a copy of type `MATAIJ` on the host,
   which the matrix keeps. Products with sparse matrices and submatrices that split blocks are `MATAIJ`.

.seealso: `MATBAIJ`, `MATSEQBAIJKOKKOS`, `MATMPIBAIJKOKKOS`, `MatBAIJKokkosSetPreallocationCOO()`, `PCFGBILU`
M*/

/*MC
   MATMPIBAIJKOKKOS - "mpibaijkokkos" - `MATMPIBAIJ` with products that run in Kokkos, on a device if there is one;
   the exchange between ranks overlaps with the rows that need no ghost values

   Options Database Key:
.  -mat_type mpibaijkokkos - sets the type

   Level: intermediate

.seealso: `MATBAIJKOKKOS`
M*/
PetscErrorCode MatCreate_MPIBAIJKokkos(Mat A)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosCreate(A, MATMPIBAIJ, MATMPIAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}
