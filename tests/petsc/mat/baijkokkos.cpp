// SPDX-License-Identifier: BSD-2-Clause
// Implementation of baijkokkos.hpp: comparison of products, and values by coordinates with their oracle,
// MatSetValues() on a MATBAIJ.
#include "baijkokkos.hpp"

#include "hash.hpp"

#include <algorithm>
#include <cmath>

namespace finegrain::test
{

PetscErrorCode FillVector(Vec v, int seed)
{
  PetscInt first, last;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArrayWrite(v, &values));
  for (PetscInt i = first; i < last; ++i)
    values[i - first] = hash_scalar((std::uint64_t(seed) << 40) + std::uint64_t(i));
  PetscCall(VecRestoreArrayWrite(v, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CompareProducts(Mat A, Mat B, PetscReal *worst)
{
  Owned<Vec> v[2], y[2];

  PetscFunctionBegin;
  *worst = 0;
  PetscCall(MatCreateVecs(B, &v[0], &v[1]));
  for (const bool transposed : {false, true})
    for (const int added : {0, 1, 2}) { // nothing, another vector, the result itself
      const Vec x = v[transposed], b = v[!transposed];
      PetscReal d;
      PetscCall(FillVector(x, 1));
      PetscCall(FillVector(b, 2));
      for (int m = 0; m < 2; ++m) {
        const Mat M = m ? B : A;
        PetscCall(VecDuplicate(b, &y[m]));
        PetscCall(VecSet(y[m], PetscScalar(std::nan(""))));
        if (added == 2) PetscCall(VecCopy(b, y[m]));
        const Vec z = added == 2 ? y[m] : b;
        if (!added) PetscCall(transposed ? MatMultTranspose(M, x, y[m]) : MatMult(M, x, y[m]));
        else PetscCall(transposed ? MatMultTransposeAdd(M, x, z, y[m]) : MatMultAdd(M, x, z, y[m]));
      }
      PetscCall(Difference(y[0], y[1], &d));
      if (!(d <= *worst)) *worst = d;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeLike(Mat B, MatType type, Mat *A)
{
  PetscInt m, n, M, N, block;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(B, &m, &n));
  PetscCall(MatGetSize(B, &M, &N));
  PetscCall(MatGetBlockSize(B, &block));
  PetscCall(MatCreate(PetscObjectComm(object(B)), A));
  PetscCall(MatSetSizes(*A, m, n, M, N));
  PetscCall(MatSetBlockSize(*A, block));
  PetscCall(MatSetType(*A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Coordinates::make(const Couplings &couplings, PetscInt block, bool by_blocks)
{

  PetscFunctionBegin;
  n = block;
  blocks = by_blocks;
  const int size = Size();
  const int rank = Rank();
  const PetscInt givers = std::max(1, size - 1);
  for (PetscInt row = 0; row < PetscInt(couplings.size()); ++row) {
    if (row % givers != rank && (row % 5 || (row + 1) % givers != rank)) continue;
    for (const PetscInt col : couplings[std::size_t(row)]) {
      const PetscInt width = blocks ? 1 : n;
      for (PetscInt e = 0; e < width * width; ++e) {
        const PetscInt r = e % width, c = e / width;
        if (row != col && (r + c) % 3 == 2) continue; // no coordinate has these entries
        for (PetscInt times = 0; times < 1 + ((row + col + e) % 4 == 0); ++times) {
          i.push_back(row * width + r);
          j.push_back(col * width + c);
        }
      }
      if (col % 4 == 1) {
        i.push_back(col % 8 == 1 ? -1 : row);
        j.push_back(-3);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Coordinates::prepare(Mat A) const
{
  auto rows = i, cols = j; // MatSetPreallocationCOO() may change them

  PetscFunctionBegin;
  if (blocks) PetscCall(MatBAIJKokkosSetPreallocationCOO(A, PetscCount(i.size()), rows.data(), cols.data()));
  else PetscCall(MatSetPreallocationCOO(A, PetscCount(i.size()), rows.data(), cols.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<PetscScalar> Coordinates::values(int seed) const
{
  std::vector<PetscScalar> v;
  const PetscInt unit = blocks ? n * n : 1;
  const int rank = Rank();
  for (std::size_t k = 0; k < i.size(); ++k)
    for (PetscInt e = 0; e < unit; ++e) {
      const std::uint64_t key = (std::uint64_t(seed) << 48) + (std::uint64_t(rank) << 40) + k * 64 + std::uint64_t(e);
      const bool diagonal = i[k] == j[k] && e / n == e % n;
      v.push_back(hash_scalar(key) + PetscScalar(diagonal ? PetscReal(30) * PetscReal(n) : PetscReal(0)));
    }
  return v;
}

PetscErrorCode Coordinates::set(Mat A, int seed, InsertMode mode) const
{
  PetscFunctionBegin;
  PetscCall(MatSetValuesCOO(A, values(seed).data(), mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Coordinates::oracle(Mat B, int seed, InsertMode mode) const
{
  const std::vector<PetscScalar> v = values(seed);
  const std::size_t unit = blocks ? std::size_t(n * n) : 1;

  PetscFunctionBegin;
  if (mode == INSERT_VALUES) PetscCall(MatZeroEntries(B));
  for (std::size_t k = 0; k < i.size(); ++k)
    PetscCall(blocks ? MatSetValuesBlocked(B, 1, &i[k], 1, &j[k], &v[k * unit], ADD_VALUES)
                     : MatSetValues(B, 1, &i[k], 1, &j[k], &v[k], ADD_VALUES));
  PetscCall(Assemble(B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
