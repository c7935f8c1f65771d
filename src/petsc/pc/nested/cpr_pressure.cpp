// SPDX-License-Identifier: BSD-2-Clause
#include "pc/nested/cpr_pressure.hpp"
#include "common/matrix_copy.hpp"
#include "common/runtime.hpp"
#include "mat/baijkokkos.hpp"

#include "base/inversion.hpp"

#include <algorithm>
#include <limits>

using namespace finegrain;

namespace
{

// Calls f(from, to) with the arrays of two vectors.
template <class F> PetscErrorCode Map(Vec x, Vec y, const F &f)
{
  const PetscScalar *from;
  PetscScalar *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  f(from, to);
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PressureSystem::find_source(Mat pmat, Mat *source)
{
  Defects defects;
  Operator type;
  bool known;

  PetscFunctionBegin;
  *source = pmat;
  PetscCall(MatDestroy(&copy_));
  PetscCall(OperatorFindType(pmat, &type, &known));
  PetscCall(OperatorFindDefects(pmat, block_size, false, &defects));
  if (!defects.none()) PetscCall(OperatorCopy(pmat, false, &copy_));
  if (type.symmetric) {
    Mat sorted = copy_;
    PetscCall(OperatorExpand(pmat, sorted ? sorted : pmat, &copy_));
    PetscCall(MatDestroy(&sorted));
  }
  if (copy_) *source = copy_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PressureSystem::analyze(Mat pmat, const char *option)
{
  std::vector<PetscInt> i, j;
  PetscInt first;
  Mat source;

  PetscFunctionBegin;
  PetscCall(MatDestroy(&S_));
  PetscCall(find_source(pmat, &source));
  PetscCall(OperatorAnalyze(source, block_size, option, &op_, &view_));
  const PetscInt rows = view_.owned.rows;
  PetscCheck(op_.block > 1, PetscObjectComm(reinterpret_cast<PetscObject>(pmat)), PETSC_ERR_ARG_SIZ,
             "The matrix has blocks of one row, in which no pressure can be told from other unknowns: set %s or "
             "MatSetBlockSize()",
             option);
  PetscCheck(unknown < op_.block, PetscObjectComm(reinterpret_cast<PetscObject>(pmat)), PETSC_ERR_ARG_OUTOFRANGE,
             "The pressure is unknown %" PetscInt_FMT " of a block, and blocks have %" PetscInt_FMT
             " of them, counted from 0: set -pc_cpr_pressure, PCCPRSetPressure(), or %s",
             unknown, op_.block, option);
  PetscCall(MatGetOwnershipRange(pmat, &first, nullptr));
  first /= op_.block;
  PetscCall(FinegrainOnAllRanks(pmat, [&] {
    const auto list = [&](const Graph &g, const auto &column) {
      for (Index row = 0; row < g.rows; ++row)
        for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
          i.push_back(first + row);
          j.push_back(column(g.col(e)));
        }
    };
    list(view_.owned, [&](Index c) { return first + c; });
    list(view_.coupling, [&](Index c) { return op_.ghosts[std::size_t(c)]; });
    weights_.assign(std::size_t(rows * op_.block), 0);
  }));
  PetscCall(MatCreate(PetscObjectComm(reinterpret_cast<PetscObject>(pmat)), &S_));
  PetscCall(MatSetSizes(S_, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(S_, MATAIJ));
  PetscCall(MatSetPreallocationCOO(S_, PetscCount(i.size()), i.data(), j.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets w = row `unknown` of D^-1 over its largest entry, for each diagonal block D.
PetscErrorCode PressureSystem::find_quasiimpes(const MatrixValues &owned, PetscInt *singular)
{
  const int n = view_.block;
  const BlockSize<0> size(n);
  std::vector<Scalar> d(std::size_t(n * n)), work(std::size_t(5 * n)), space(d.size());
  const Shift shift{.amount = 0, .zero = 100 * PETSC_MACHINE_EPSILON};

  PetscFunctionBegin;
  for (Index row = 0; row < view_.owned.rows; ++row) {
    const Index *from = view_.owned.col.data() + view_.owned.ptr(row),
                *to = view_.owned.col.data() + view_.owned.ptr(row + 1);
    const Index *at = std::lower_bound(from, to, row);
    const bool there = at < to && *at == row;
    if (there) {
      const Index entry = Index(at - view_.owned.col.data());
      const auto number = [&](int k) { return owned.scalar(n, entry, k); };
      for (int k = 0; k < n * n; ++k) d[std::size_t(k)] = number(k);
      if (invert_pivot_block(HostLanes<0>{size}, size, d.data(), work.data(), space.data(), shift, number).good) {
        PetscReal largest = 0;
        for (int c = 0; c < n; ++c)
          largest = std::max(largest, PetscReal(magnitude(d[std::size_t(c * n + unknown)])));
        for (int c = 0; c < n; ++c)
          weights_[std::size_t(row * n + c)] = PetscScalar(d[std::size_t(c * n + unknown)]) / largest;
        continue;
      }
    }
    *singular = row;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PressureSystem::find_weights(const MatrixValues &owned, PetscInt *singular)
{
  const std::size_t n = std::size_t(view_.block);

  PetscFunctionBegin;
  switch (weights_type) {
  case PCCPR_WEIGHTS_QUASIIMPES:
    PetscCall(find_quasiimpes(owned, singular));
    break;
  case PCCPR_WEIGHTS_SUM:
    std::fill(weights_.begin(), weights_.end(), PetscScalar(1));
    break;
  case PCCPR_WEIGHTS_ROW:
    for (std::size_t r = 0; r < weights_.size(); ++r) weights_[r] = r % n == std::size_t(unknown) ? 1 : 0;
    break;
  case PCCPR_WEIGHTS_VECTOR: {
    const PetscScalar *array;
    PetscInt size;
    PetscCall(VecGetLocalSize(given, &size));
    PetscCheck(size == PetscInt(weights_.size()), PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "The vector of weights has %" PetscInt_FMT " entries on this rank, and the matrix %" PetscInt_FMT
               " rows; give it the layout of the rows, PCCPRSetWeightsVector()",
               size, PetscInt(weights_.size()));
    PetscCall(VecGetArrayRead(given, &array));
    std::copy(array, array + weights_.size(), weights_.begin());
    PetscCall(VecRestoreArrayRead(given, &array));
    break;
  }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes a value for each entry: the sum over the rows of the block of weight times entry in the pressure's column.
void PressureSystem::add_columns(const Graph &g, const MatrixValues &blocks, PetscScalar *values) const
{
  const int n = view_.block;
  for (Index row = 0; row < g.rows; ++row)
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
      PetscScalar sum = 0;
      for (int r = 0; r < n; ++r)
        sum += weights_[std::size_t(row * n + r)] * PetscScalar(blocks.scalar(n, e, int(unknown) * n + r));
      values[e] = sum;
    }
}

PetscErrorCode PressureSystem::update(Mat pmat, PetscInt *singular)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pmat));
  std::vector<PetscScalar> values;
  PetscInt none = std::numeric_limits<PetscInt>::max(), bad = none, first;
  Values read;
  Mat source = pmat;

  PetscFunctionBegin;
  if (copy_) PetscCall(find_source(pmat, &source));
  PetscCall(OperatorGetValues(source, &op_, &read));
  PetscCall(MatGetOwnershipRange(pmat, &first, nullptr));
  PetscCall(FinegrainOnAllRanks(pmat, [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(find_weights(read.owned, &bad));
    values.resize(std::size_t(view_.owned.entries()) + std::size_t(view_.coupling.entries()));
    if (bad != none) {
      bad += first / op_.block;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    add_columns(view_.owned, read.owned, values.data());
    add_columns(view_.coupling, read.coupling, values.data() + view_.owned.entries());
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(OperatorRestoreValues(source, op_, &read));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPIU_INT, MPI_MIN, comm));
  *singular = bad == none ? -1 : bad;
  if (bad == none) PetscCall(MatSetValuesCOO(S_, values.data(), INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PressureSystem::restrict_weighted(Vec r, Vec pressure) const
{
  return Map(r, pressure, [&](const PetscScalar *from, PetscScalar *to) {
    const std::size_t n = std::size_t(view_.block);
    for (std::size_t i = 0; i < weights_.size() / n; ++i) {
      PetscScalar sum = 0;
      for (std::size_t k = i * n; k < (i + 1) * n; ++k) sum += weights_[k] * from[k];
      to[i] = sum;
    }
  });
}

PetscErrorCode PressureSystem::restrict_pressure(Vec r, Vec pressure) const
{
  return Map(r, pressure, [&](const PetscScalar *from, PetscScalar *to) {
    const std::size_t n = std::size_t(view_.block);
    for (std::size_t i = 0; i < weights_.size() / n; ++i) to[i] = from[i * n + std::size_t(unknown)];
  });
}

PetscErrorCode PressureSystem::prolong_weighted(Vec pressure, Vec z) const
{
  return Map(pressure, z, [&](const PetscScalar *from, PetscScalar *to) {
    const std::size_t n = std::size_t(view_.block);
    for (std::size_t k = 0; k < weights_.size(); ++k) to[k] = weights_[k] * from[k / n];
  });
}

PetscErrorCode PressureSystem::prolong_pressure(Vec pressure, Vec z) const
{
  return Map(pressure, z, [&](const PetscScalar *from, PetscScalar *to) {
    const std::size_t n = std::size_t(view_.block);
    for (std::size_t k = 0; k < weights_.size(); ++k) to[k] = k % n == std::size_t(unknown) ? from[k / n] : 0;
  });
}

PetscErrorCode PressureSystem::reset()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&S_));
  PetscCall(MatDestroy(&copy_));
  view_ = OperatorView();
  weights_.clear();
  PetscFunctionReturn(PETSC_SUCCESS);
}
