// SPDX-License-Identifier: BSD-2-Clause
// Implementation of fixture.hpp: matrices with values that depend only on global indices, vectors, comparisons.
#include "fixture.hpp"

#include "hash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

namespace finegrain::test
{

namespace
{

Couplings stencil(std::array<PetscInt, 3> size, PetscInt width, bool corners, bool periodic)
{
  Couplings rows(std::size_t(size[0] * size[1] * size[2]));
  for (PetscInt row = 0; row < PetscInt(rows.size()); ++row)
    for (PetscInt o = 0; o < (2 * width + 1) * (2 * width + 1) * (2 * width + 1); ++o) {
      const PetscInt m = 2 * width + 1;
      const std::array<PetscInt, 3> d{o % m - width, o / m % m - width, o / (m * m) - width};
      if (!corners && (d[0] != 0) + (d[1] != 0) + (d[2] != 0) > 1) continue;
      std::array<PetscInt, 3> to{row % size[0] + d[0], row / size[0] % size[1] + d[1],
                                 row / (size[0] * size[1]) + d[2]};
      bool inside = true;
      for (std::size_t a = 0; a < 3; ++a) {
        if (periodic) to[a] = (to[a] + width * size[a]) % size[a];
        inside = inside && to[a] >= 0 && to[a] < size[a];
      }
      if (inside) rows[std::size_t(row)].insert(to[0] + size[0] * (to[1] + size[1] * to[2]));
    }
  return rows;
}

} // namespace

Couplings star(PetscInt i, PetscInt j, PetscInt k, PetscInt width, bool periodic)
{
  return stencil({i, j, k}, width, false, periodic);
}
Couplings box(PetscInt i, PetscInt j, PetscInt k) { return stencil({i, j, k}, 1, true, false); }

Couplings scattered(PetscInt rows, PetscInt degree, bool symmetric)
{
  Couplings c{std::size_t(rows)};
  std::uint64_t key = 1;
  for (PetscInt r = 0; r < rows; ++r) {
    c[std::size_t(r)].insert(r);
    for (PetscInt d = 0; d < degree; ++d) {
      const PetscInt to = PetscInt((double(hash_value(++key)) + 1) / 2 * double(rows));
      c[std::size_t(r)].insert(to);
      if (symmetric) c[std::size_t(to)].insert(r);
    }
  }
  return c;
}

PetscScalar EntryValue(PetscInt row, PetscInt col, PetscInt n, int seed, std::size_t row_length)
{
  const std::uint64_t key = (std::uint64_t(seed) << 48) ^ (std::uint64_t(row) << 24) ^ std::uint64_t(col);
  return hash_scalar(key) +
         PetscScalar(row == col ? PetscReal(1.5) * PetscReal(n) * PetscReal(row_length) : PetscReal(0));
}

PetscErrorCode Assemble(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleMatrix(const Couplings &couplings, PetscInt n, MatType type, int seed, Mat *A, PetscInt local,
                              MPI_Comm comm, const std::vector<PetscInt> &order)
{
  PetscMPIInt size, rank;
  const PetscInt rows = PetscInt(couplings.size());
  PetscInt first, last;
  std::size_t longest = 1;
  PetscBool on_device;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  std::vector<PetscInt> place(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) place[std::size_t(order[p])] = PetscInt(p);
  std::vector<PetscInt> cut(std::size_t(size) + 1, 0);
  for (int r = 0; r < size; ++r) cut[std::size_t(r) + 1] = rows * (r + 1) * (r + 2) / (size * (size + 1));
  if (size > 2) cut[2] = cut[1]; // an empty rank
  if (local < 0) local = cut[std::size_t(rank) + 1] - cut[std::size_t(rank)];
  for (const auto &c : couplings) longest = std::max(longest, c.size());
  PetscCall(MatCreate(comm, A));
  PetscCall(MatSetSizes(*A, local * n, local * n, rows * n, rows * n));
  PetscCall(MatSetBlockSize(*A, n));
  // -on_device replaces BAIJ by the type with a device copy.
  PetscCall(PetscOptionsHasName(nullptr, nullptr, "-on_device", &on_device));
  PetscCall(MatSetType(*A, on_device && !std::strcmp(type, MATBAIJ) ? MATBAIJKOKKOS : type));
  const PetscInt nz = PetscInt(longest);
  PetscCall(MatSeqAIJSetPreallocation(*A, nz * n, nullptr));
  PetscCall(MatMPIAIJSetPreallocation(*A, nz * n, nullptr, nz * n, nullptr));
  PetscCall(MatSeqBAIJSetPreallocation(*A, n, nz, nullptr));
  PetscCall(MatMPIBAIJSetPreallocation(*A, n, nz, nullptr, nz, nullptr));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  std::vector<PetscScalar> block(std::size_t(n * n));
  for (PetscInt at = first / n; at < last / n; ++at) {
    const PetscInt i = order.empty() ? at : order[std::size_t(at)];
    for (const PetscInt j : couplings[std::size_t(i)]) {
      const PetscInt col = order.empty() ? j : place[std::size_t(j)];
      for (PetscInt r = 0; r < n; ++r)
        for (PetscInt c = 0; c < n; ++c)
          block[std::size_t(r * n + c)] = EntryValue(i * n + r, j * n + c, n, seed, couplings[std::size_t(i)].size());
      PetscCall(MatSetValuesBlocked(*A, 1, &at, 1, &col, block.data(), INSERT_VALUES));
    }
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakePC(Mat A, const char *type, const std::string &options, PC *pc)
{
  PetscFunctionBegin;
  const Options set(options);
  PetscCall(PCCreate(PetscObjectComm(object(A)), pc));
  PetscCall(PCSetType(*pc, type));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeReference(Mat A, PC *pc)
{
  PetscFunctionBegin;
  const Options set("-sub_pc_type ilu -sub_pc_factor_mat_ordering_type natural");
  PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
  PetscCall(PCSetType(*pc, PCBJACOBI));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc)); // else the blocks read none, and are ICC for a matrix known to be symmetric
  PetscCall(PCSetUp(*pc));
  PetscCall(PCSetUpOnBlocks(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeVectors(Mat A, Vec *b, Vec *x)
{
  PetscInt first, last;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, x, b));
  PetscCall(VecGetOwnershipRange(*b, &first, &last));
  PetscCall(VecGetArrayWrite(*b, &values));
  for (PetscInt i = first; i < last; ++i) values[i - first] = hash_scalar(std::uint64_t(i) + 12345);
  PetscCall(VecRestoreArrayWrite(*b, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Apply(PC pc, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(PCSetUp(pc));
  PetscCall(VecSet(x, PetscScalar(std::nan(""))));
  PetscCall(PCApply(pc, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Difference(Vec x, Vec y, PetscReal *d)
{
  const PetscScalar *p, *q;
  PetscInt n;
  PetscReal most[2] = {0, 0}, nan = 0;

  PetscFunctionBegin; // by arrays: PETSc cannot subtract vectors of different types
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &p));
  PetscCall(VecGetArrayRead(y, &q));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscReal off = PetscAbsScalar(p[i] - q[i]);
    if (std::isnan(off)) nan = 1;
    most[0] = std::max(most[0], off);
    most[1] = std::max(most[1], PetscAbsScalar(q[i]));
  }
  PetscCall(VecRestoreArrayRead(y, &q));
  PetscCall(VecRestoreArrayRead(x, &p));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, most, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, &nan, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm(reinterpret_cast<PetscObject>(x))));
  *d = nan > 0 ? std::numeric_limits<PetscReal>::quiet_NaN() : most[1] > 0 ? most[0] / most[1] : most[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlainSteps(Mat A, std::vector<PC> turns, bool transposed, Vec b, Vec x)
{
  Owned<Vec> r, step;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(VecDuplicate(b, &step));
  PetscCall(VecSet(x, 0));
  if (transposed) std::reverse(turns.begin(), turns.end());
  for (PC M : turns) {
    PetscCall(transposed ? MatMultTranspose(A, x, r) : MatMult(A, x, r));
    PetscCall(VecAYPX(r, -1, b));
    PetscCall(transposed ? PCApplyTranspose(M, r, step) : PCApply(M, r, step));
    PetscCall(VecAXPY(x, 1, step));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlainCorrections(Mat A, PC M, PetscInt k, bool transposed, Vec b, Vec x)
{
  PetscFunctionBegin;
  PetscCall(PlainSteps(A, std::vector<PC>(std::size_t(k) + 1, M), transposed, b, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ComparePCs(Mat A, PC p, PC q, PetscReal *d)
{
  Owned<Vec> b, x, y;

  PetscFunctionBegin;
  PetscCall(MakeVectors(A, &b, &x));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(Apply(p, b, x));
  PetscCall(Apply(q, b, y));
  PetscCall(Difference(x, y, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int Size()
{
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

int Rank()
{
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

PetscErrorCode MakeSymmetric(Mat A, bool hermitian)
{
  Owned<Mat> T;

  PetscFunctionBegin;
  PetscCall(hermitian ? MatHermitianTranspose(A, MAT_INITIAL_MATRIX, &T) : MatTranspose(A, MAT_INITIAL_MATRIX, &T));
  PetscCall(MatAXPY(A, 1, T, SAME_NONZERO_PATTERN));
  PetscCall(MatSetOption(A, hermitian ? MAT_HERMITIAN : MAT_SYMMETRIC, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeGrid(PetscInt dim, DMBoundaryType boundary, DMDAStencilType stencil, PetscInt dof, PetscInt width,
                        DM *da, MPI_Comm comm)
{
  PetscFunctionBegin;
  PetscCall(DMDACreate(comm, da));
  PetscCall(DMSetDimension(*da, dim));
  PetscCall(DMDASetSizes(*da, dim == 1 ? 23 : 11, dim > 1 ? 10 : 1, dim > 2 ? 9 : 1));
  PetscCall(DMDASetBoundaryType(*da, boundary, boundary, boundary));
  PetscCall(DMDASetStencilType(*da, stencil));
  PetscCall(DMDASetStencilWidth(*da, width));
  PetscCall(DMDASetDof(*da, dof));
  PetscCall(DMSetFromOptions(*da));
  PetscCall(DMSetUp(*da));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetGrid(KSP ksp, DM da)
{
  PetscFunctionBegin;
  PetscCall(KSPSetDM(ksp, da));
#if PETSC_VERSION_LT(3, 25, 0)
  PetscCall(KSPSetDMActive(ksp, PETSC_FALSE));
#else
  PetscCall(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindIndices(Mat A, DM da, std::vector<PetscInt> *index)
{
  PetscInt first, last;
  AO ao;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  index->resize(std::size_t(last - first));
  std::iota(index->begin(), index->end(), first);
  if (!da) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMDAGetAO(da, &ao));
  PetscCall(AOPetscToApplication(ao, last - first, index->data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleOnGrid(DM da, MatType type, Mat *A, int seed)
{
  PetscInt first, last, n;
  std::vector<PetscInt> natural;
  AO ao;

  PetscFunctionBegin;
  PetscCall(DMSetMatType(da, type));
  PetscCall(DMCreateMatrix(da, A));
  PetscCall(Assemble(*A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  PetscCall(MatGetBlockSize(*A, &n));
  std::vector<std::vector<PetscInt>> rows; // read before the first value is set, which makes the matrix unassembled
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt *columns;
    PetscInt count;
    PetscCall(MatGetRow(*A, row, &count, &columns, nullptr));
    rows.emplace_back(columns, columns + count);
    PetscCall(MatRestoreRow(*A, row, &count, &columns, nullptr));
  }
  PetscCall(DMDAGetAO(da, &ao));
  PetscCall(FindIndices(*A, da, &natural));
  for (PetscInt row = first; row < last; ++row) {
    const std::vector<PetscInt> &columns = rows[std::size_t(row - first)];
    std::vector<PetscInt> index = columns;
    std::vector<PetscScalar> values;
    PetscCall(AOPetscToApplication(ao, PetscInt(index.size()), index.data()));
    for (const PetscInt col : index)
      values.push_back(EntryValue(natural[std::size_t(row - first)], col, n, seed, columns.size()));
    PetscCall(MatSetValues(*A, 1, &row, PetscInt(columns.size()), columns.data(), values.data(), INSERT_VALUES));
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeSingular(Mat A, PetscInt block_row, PetscInt n)
{
  std::vector<PetscInt> rows;

  PetscFunctionBegin;
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt r = 0; r < n; ++r)
    if (block_row * n + r >= first && block_row * n + r < last) rows.push_back(block_row * n + r);
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
  PetscCall(MatZeroRowsColumns(A, PetscInt(rows.size()), rows.data(), 0, nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
