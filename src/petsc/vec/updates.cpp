// SPDX-License-Identifier: BSD-2-Clause
// Updates that PETSc leaves to the BLAS, where a BLAS may round the last entries of an array in another way
// (OpenBLAS' axpy for Haswell and Zen does).
#include "vec/reproducible.hpp"

#include "sum/vector_sums.hpp"

using namespace finegrain;

namespace
{

// Computes y = b y + sum of a_j x_j.
PetscErrorCode Update(Vec y, PetscInt count, const PetscScalar *a, const Vec *x, PetscScalar b)
{
  constexpr PetscInt most = most_sums;
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(b == PetscScalar(0) ? VecGetArrayWrite(y, &to) : VecGetArray(y, &to));
  PetscInt first = 0;
  do { // once at least, for b
    const int size = int(PetscMin(most, count - first));
    const PetscScalar *arrays[most];
    const Scalar *from[most];
    for (int j = 0; j < size; ++j) {
      PetscCall(VecGetArrayRead(x[first + j], &arrays[j]));
      from[j] = reinterpret_cast<const Scalar *>(arrays[j]);
    }
    const Scalar keep = first ? Scalar(1) : *reinterpret_cast<const Scalar *>(&b);
    update(y->map->n, size, reinterpret_cast<const Scalar *>(a + first), from, keep, reinterpret_cast<Scalar *>(to));
    for (int j = 0; j < size; ++j) PetscCall(VecRestoreArrayRead(x[first + j], &arrays[j]));
    first += most;
  } while (first < count);
  PetscCall(b == PetscScalar(0) ? VecRestoreArrayWrite(y, &to) : VecRestoreArray(y, &to));
  PetscCall(PetscLogFlops((2.0 * PetscLogDouble(count) + (b != PetscScalar(1))) * PetscLogDouble(y->map->n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecAXPY_Reproducible(Vec y, PetscScalar a, Vec x)
{
  PetscFunctionBegin;
  PetscCall(Update(y, 1, &a, &x, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecAXPBY_Reproducible(Vec y, PetscScalar a, PetscScalar b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(Update(y, a != PetscScalar(0), &a, &x, b)); // x is not read if a is zero
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecMAXPY_Reproducible(Vec y, PetscInt count, const PetscScalar *a, Vec *x)
{
  PetscFunctionBegin;
  PetscCall(Update(y, count, a, x, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecMAXPBY_Reproducible(Vec y, PetscInt count, const PetscScalar *a, PetscScalar b, Vec *x)
{
  PetscFunctionBegin;
  PetscCall(Update(y, count, a, x, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Newer versions of PETSc have the operation.
template <class Operations> void SetMAXPBY(Operations *ops)
{
  if constexpr (requires { ops->maxpby; }) ops->maxpby = VecMAXPBY_Reproducible;
  else (void)VecMAXPBY_Reproducible;
}

} // namespace

PetscErrorCode VecReproducibleSetUpdates(Vec v)
{
  PetscFunctionBegin;
  v->ops->axpy = VecAXPY_Reproducible;
  v->ops->axpby = VecAXPBY_Reproducible;
  v->ops->maxpy = VecMAXPY_Reproducible;
  SetMAXPBY(v->ops);
  PetscFunctionReturn(PETSC_SUCCESS);
}
