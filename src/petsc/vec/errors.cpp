// SPDX-License-Identifier: BSD-2-Clause
// The weighted norm of errors by which TS adapts its steps. PETSc 3.20 made it an operation of vectors.
#include "vec/reproducible.hpp"

#include "sum/binned_sum.hpp"

#include <utility>

using namespace finegrain;

namespace
{

// Ratios of errors to tolerances: the sum of their squares, the largest one, and their number.
class Ratios
{
public:
  void Add(PetscReal error, PetscReal tolerance)
  {
    if (!(tolerance > 0)) return;
    const PetscReal ratio = error / tolerance;
    largest_ = PetscMax(largest_, ratio);
    ++count_;
    terms_[filled_++] = double(ratio) * double(ratio);
    if (filled_ == BinnedSum::most) Flush();
  }
  PetscErrorCode Norm(Vec v, NormType type, PetscReal *norm, PetscInt *count)
  {
    const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(v));

    PetscFunctionBegin;
    Flush();
    PetscCallMPI(MPI_Allreduce(&count_, count, 1, MPIU_INT, MPI_SUM, comm));
    if (type == NORM_2) {
      PetscCall(VecReproducibleReduce(v, 1, &squares_));
      *norm = PetscSqrtReal(PetscReal(squares_.value()));
    } else PetscCallMPI(MPI_Allreduce(&largest_, norm, 1, MPIU_REAL, MPIU_MAX, comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

private:
  void Flush() { squares_.add(terms_, std::exchange(filled_, 0)); }

  BinnedSum squares_;
  PetscReal largest_ = 0;
  PetscInt count_ = 0;
  int filled_ = 0;
  alignas(64) double terms_[BinnedSum::most];
};

// Entries of u and y below `ignored` have no tolerance. e: the error, null for y - u. The vectors of tolerances may
// be null.
PetscErrorCode VecErrorWeightedNorms_Reproducible(Vec u, Vec y, Vec e, NormType type, PetscReal atol, Vec atols,
                                                  PetscReal rtol, Vec rtols, PetscReal ignored, PetscReal *norm,
                                                  PetscInt *count, PetscReal *absolute_norm, PetscInt *absolute_count,
                                                  PetscReal *relative_norm, PetscInt *relative_count)
{
  const Vec all[] = {u, y, e, atols, rtols};
  const PetscScalar *array[5] = {};
  Ratios ratios, absolute, relative;

  PetscFunctionBegin;
  for (int k = 0; k < 5; ++k)
    if (all[k]) PetscCall(VecGetArrayRead(all[k], &array[k]));
  for (PetscInt i = 0; i < u->map->n; ++i) {
    const PetscScalar ui = array[0][i], yi = array[1][i];
    if (PetscAbsScalar(ui) < ignored || PetscAbsScalar(yi) < ignored) continue;
    const PetscReal error = PetscAbsScalar(e ? array[2][i] : yi - ui), a = atols ? PetscRealPart(array[3][i]) : atol,
                    r =
                      (rtols ? PetscRealPart(array[4][i]) : rtol) * PetscMax(PetscAbsScalar(ui), PetscAbsScalar(yi));
    ratios.Add(error, a + r);
    absolute.Add(error, a);
    relative.Add(error, r);
  }
  for (int k = 0; k < 5; ++k)
    if (all[k]) PetscCall(VecRestoreArrayRead(all[k], &array[k]));
  PetscCall(ratios.Norm(u, type, norm, count));
  PetscCall(absolute.Norm(u, type, absolute_norm, absolute_count));
  PetscCall(relative.Norm(u, type, relative_norm, relative_count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class Operations> void SetErrorNorm(Operations *ops)
{
  if constexpr (requires { ops->errorwnorm; }) ops->errorwnorm = VecErrorWeightedNorms_Reproducible;
  else (void)VecErrorWeightedNorms_Reproducible;
}

} // namespace

PetscErrorCode VecReproducibleSetErrorNorm(Vec v)
{
  PetscFunctionBegin;
  SetErrorNorm(v->ops);
  PetscFunctionReturn(PETSC_SUCCESS);
}
