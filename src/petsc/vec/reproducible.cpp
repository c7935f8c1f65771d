// SPDX-License-Identifier: BSD-2-Clause
// Creates vectors of these types as SEQ or MPI and replaces some of their operations.
#include "vec/reproducible.hpp"

namespace
{

PetscErrorCode VecDuplicate_Reproducible(Vec, Vec *);

// Operations of SEQ and MPI that are also used here.
struct Parent {
  PetscErrorCode (*duplicate)(Vec, Vec *) = nullptr;
} seq, mpi;

bool IsParallel(Vec v) { return std::string_view(reinterpret_cast<PetscObject>(v)->type_name) == VECMPIREPRODUCIBLE; }

// Newer versions of PETSc do not export its default functions.
PetscErrorCode VecDuplicateVecs_Reproducible(Vec v, PetscInt count, Vec *to[])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(count, to));
  for (PetscInt k = 0; k < count; ++k) PetscCall(VecDuplicate(v, *to + k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecDestroyVecs_Reproducible(PetscInt count, Vec v[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < count; ++k) PetscCall(VecDestroy(v + k));
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Adopt(Vec v, bool parallel)
{
  PetscFunctionBegin;
  PetscCall(VecReproducibleSetSums(v));
  PetscCall(VecReproducibleSetErrorNorm(v));
  PetscCall(VecReproducibleSetUpdates(v));
  v->ops->duplicate = VecDuplicate_Reproducible;
  v->ops->duplicatevecs = VecDuplicateVecs_Reproducible;
  v->ops->destroyvecs = VecDestroyVecs_Reproducible;
  PetscCall(
    PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(v), parallel ? VECMPIREPRODUCIBLE : VECSEQREPRODUCIBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecDuplicate_Reproducible(Vec v, Vec *to)
{
  const bool parallel = IsParallel(v);

  PetscFunctionBegin;
  PetscCall((*(parallel ? mpi : seq).duplicate)(v, to));
  PetscCall(Adopt(*to, parallel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets the type of a vector that VecSetType() has emptied. It still has the name of its former type, and VecSetType()
// does nothing if that is the new one's.
PetscErrorCode SetTypeOfEmpty(Vec v, VecType type)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectChangeTypeName(reinterpret_cast<PetscObject>(v), nullptr));
  PetscCall(VecSetType(v, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Create(Vec v, bool parallel)
{
  PetscFunctionBegin;
  PetscCall(SetTypeOfEmpty(v, parallel ? VECMPI : VECSEQ));
  (parallel ? mpi : seq).duplicate = v->ops->duplicate;
  PetscCall(Adopt(v, parallel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode VecCreate_SeqReproducible(Vec v)
{
  PetscFunctionBegin;
  PetscCall(Create(v, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecCreate_MPIReproducible(Vec v)
{
  PetscFunctionBegin;
  PetscCall(Create(v, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecCreate_Reproducible(Vec v)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(reinterpret_cast<PetscObject>(v)), &size));
  PetscCall(SetTypeOfEmpty(v, size > 1 ? VECMPIREPRODUCIBLE : VECSEQREPRODUCIBLE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
