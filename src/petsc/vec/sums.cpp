// SPDX-License-Identifier: BSD-2-Clause
// Inner products, norms and sums that depend neither on the number of ranks nor on that of threads.
#include "vec/reproducible.hpp"

#include "sum/vector_sums.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

using namespace finegrain;

namespace
{

static_assert(std::is_trivially_copyable_v<BinnedSum>); // sent as bytes
MPI_Datatype sum_type = MPI_DATATYPE_NULL;
MPI_Op merge_sums = MPI_OP_NULL;

void MPIAPI MergeSums(void *in, void *inout, int *count, MPI_Datatype *)
{
  for (int k = 0; k < *count; ++k) static_cast<BinnedSum *>(inout)[k].merge(static_cast<const BinnedSum *>(in)[k]);
}

PetscScalar ScalarOf(const BinnedSum *sums)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscCMPLX(PetscReal(sums[0].value()), PetscReal(sums[1].value()));
#else
  return PetscReal(sums[0].value());
#endif
}

const Scalar *ArrayOf(const PetscScalar *array) { return reinterpret_cast<const Scalar *>(array); }

// Computes z_j = sum over i of x_i conj((y_j)_i), not conjugated: x_i (y_j)_i.
PetscErrorCode Products(Vec x, PetscInt count, const Vec y[], bool conjugated, PetscScalar *z)
{
  constexpr PetscInt most = most_sums / parts;
  const PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &array));
  for (PetscInt first = 0; first < count; first += most) {
    const int size = int(PetscMin(most, count - first));
    BinnedSum sums[most_sums];
    const PetscScalar *arrays[most];
    const Scalar *left[most], *right[most];
    for (int j = 0; j < size; ++j) {
      PetscCall(VecGetArrayRead(y[first + j], &arrays[j]));
      left[j] = ArrayOf(array);
      right[j] = ArrayOf(arrays[j]);
    }
    add_products(x->map->n, size, left, right, conjugated, sums);
    for (int j = 0; j < size; ++j) PetscCall(VecRestoreArrayRead(y[first + j], &arrays[j]));
    PetscCall(VecReproducibleReduce(x, size * parts, sums));
    for (int j = 0; j < size; ++j) z[first + j] = ScalarOf(sums + j * parts);
  }
  PetscCall(VecRestoreArrayRead(x, &array));
  PetscCall(PetscLogFlops(2.0 * PetscLogDouble(count) * PetscLogDouble(x->map->n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes sums of one vector: add(length, entries, sums).
template <class Add> PetscErrorCode SumsOf(Vec x, int count, BinnedSum *sums, const Add &add)
{
  const PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &array));
  add(Offset(x->map->n), ArrayOf(array), sums);
  PetscCall(VecRestoreArrayRead(x, &array));
  PetscCall(VecReproducibleReduce(x, count, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Norm1(Vec x, PetscReal *z)
{
  BinnedSum sum;

  PetscFunctionBegin;
  PetscCall(SumsOf(x, 1, &sum, add_magnitudes));
  *z = PetscReal(sum.value());
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Squares of large or small entries are out of range: the sum then has scaled entries. All ranks decide alike,
// because they know the sum.
PetscErrorCode Norm2(Vec x, PetscReal *z)
{
  PetscFunctionBegin;
  double scale = 1, square = 0;
  for (int pass = 0; pass < 2; ++pass) {
    BinnedSum sum;
    PetscCall(SumsOf(x, 1, &sum,
                     [=](Offset n, const Scalar *entries, BinnedSum *to) { add_squares(n, entries, scale, to); }));
    square = sum.value();
    if (square >= 0x1p-900 && square <= 0x1p1000) break;
    if (pass == 0) scale = square > 1 ? 0x1p-600 : 0x1p600;
  }
  *z = PetscReal(std::sqrt(square) / scale);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NormInfinity(Vec x, PetscReal *z)
{
  const PetscScalar *array;
  PetscReal most[2] = {0, 0}; // a NaN, the largest magnitude

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &array));
  for (PetscInt i = 0; i < x->map->n; ++i) {
    const PetscReal size = PetscAbsScalar(array[i]);
    if (PetscIsNanReal(size)) most[0] = 1;
    else most[1] = PetscMax(most[1], size);
  }
  PetscCall(VecRestoreArrayRead(x, &array));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  *z = most[0] > 0 ? std::numeric_limits<PetscReal>::quiet_NaN() : most[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecNorm_Reproducible(Vec x, NormType type, PetscReal *z)
{
  PetscFunctionBegin;
  if (type == NORM_INFINITY) PetscCall(NormInfinity(x, z));
  if (type == NORM_1 || type == NORM_1_AND_2) PetscCall(Norm1(x, z));
  if (type == NORM_2 || type == NORM_FROBENIUS) PetscCall(Norm2(x, z));
  if (type == NORM_1_AND_2) PetscCall(Norm2(x, z + 1));
  PetscCall(PetscLogFlops(2.0 * PetscLogDouble(x->map->n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool conjugated> PetscErrorCode VecMDot_Reproducible(Vec x, PetscInt count, const Vec y[], PetscScalar *z)
{
  PetscFunctionBegin;
  PetscCall(Products(x, count, y, conjugated, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool conjugated> PetscErrorCode VecDot_Reproducible(Vec x, Vec y, PetscScalar *z)
{
  PetscFunctionBegin;
  PetscCall(Products(x, 1, &y, conjugated, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecDotNorm2_Reproducible(Vec s, Vec t, PetscScalar *dot, PetscScalar *square)
{
  PetscFunctionBegin;
  PetscCall(Products(s, 1, &t, true, dot));
  PetscCall(Products(t, 1, &t, true, square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSC adds the results of these functions over the ranks. The sum of all ranks is therefore the result of the first
// rank, and the others have zero.
PetscErrorCode KeepOnFirstRank(Vec x, PetscInt count, PetscScalar *z)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(x)), &rank));
  if (rank) PetscCall(PetscArrayzero(z, count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecSum_Reproducible(Vec x, PetscScalar *z)
{
  BinnedSum sums[parts];

  PetscFunctionBegin;
  PetscCall(SumsOf(x, parts, sums, add_entries));
  *z = ScalarOf(sums);
  PetscCall(KeepOnFirstRank(x, 1, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool conjugated>
PetscErrorCode VecMDotLocal_Reproducible(Vec x, PetscInt count, const Vec y[], PetscScalar *z)
{
  PetscFunctionBegin;
  PetscCall(Products(x, count, y, conjugated, z));
  PetscCall(KeepOnFirstRank(x, count, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool conjugated> PetscErrorCode VecDotLocal_Reproducible(Vec x, Vec y, PetscScalar *z)
{
  PetscFunctionBegin;
  PetscCall(VecMDotLocal_Reproducible<conjugated>(x, 1, &y, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A maximum over the ranks may have the result on all of them.
PetscErrorCode VecNormLocal_Reproducible(Vec x, NormType type, PetscReal *z)
{
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(VecNorm_Reproducible(x, type, z));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(x)), &rank));
  if (rank && type != NORM_INFINITY) PetscCall(PetscArrayzero(z, type == NORM_1_AND_2 ? 2 : 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode VecReproducibleReduce(Vec v, int count, BinnedSum *sums)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(v));
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, count, sum_type, merge_sums, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecReproducibleSetSums(Vec v)
{
  PetscFunctionBegin;
  v->ops->dot = VecDot_Reproducible<true>;
  v->ops->tdot = VecDot_Reproducible<false>;
  v->ops->mdot = VecMDot_Reproducible<true>;
  v->ops->mtdot = VecMDot_Reproducible<false>;
  v->ops->norm = VecNorm_Reproducible;
  v->ops->dotnorm2 = VecDotNorm2_Reproducible;
  v->ops->sum = VecSum_Reproducible;
  v->ops->dot_local = VecDotLocal_Reproducible<true>;
  v->ops->tdot_local = VecDotLocal_Reproducible<false>;
  v->ops->mdot_local = VecMDotLocal_Reproducible<true>;
  v->ops->mtdot_local = VecMDotLocal_Reproducible<false>;
  v->ops->norm_local = VecNormLocal_Reproducible;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecReproducibleInitialize()
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(int(sizeof(BinnedSum)), MPI_BYTE, &sum_type));
  PetscCallMPI(MPI_Type_commit(&sum_type));
  PetscCallMPI(MPI_Op_create(MergeSums, 1, &merge_sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecReproducibleFinalize()
{
  PetscFunctionBegin;
  if (merge_sums == MPI_OP_NULL) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Op_free(&merge_sums));
  PetscCallMPI(MPI_Type_free(&sum_type));
  PetscFunctionReturn(PETSC_SUCCESS);
}
