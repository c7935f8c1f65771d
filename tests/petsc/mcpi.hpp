// SPDX-License-Identifier: BSD-2-Clause
// Oracles for the tests of PCMCPI and, also by colors, of PCPOWERQILU: the order of block rows by color, and vectors
// in that order.
#pragma once
#include "fixture.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain::test::mcpi
{

// Finds the colors of each rank's rows: each row gets the smallest free color in natural order, with couplings in
// both directions. `order` has the rows of each rank by color. With this order PETSc's PCSOR visits rows as PCMCPI
// visits colors.
inline PetscErrorCode FindColorOrder(const Couplings &couplings, Mat A, PetscInt n, std::vector<PetscInt> *order)
{
  const PetscInt *cut;
  PetscMPIInt size;
  Couplings both = couplings;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(object(A)), &size));
  PetscCall(MatGetOwnershipRanges(A, &cut));
  for (std::size_t i = 0; i < couplings.size(); ++i)
    for (const PetscInt j : couplings[i]) both[std::size_t(j)].insert(PetscInt(i));
  std::vector<PetscInt> color(couplings.size());
  order->resize(couplings.size());
  std::iota(order->begin(), order->end(), 0);
  for (int rank = 0; rank < size; ++rank) {
    const PetscInt first = cut[rank] / n, last = cut[rank + 1] / n;
    for (PetscInt i = first; i < last; ++i) {
      std::set<PetscInt> taken;
      for (const PetscInt j : both[std::size_t(i)])
        if (j >= first && j < i) taken.insert(color[std::size_t(j)]);
      PetscInt c = 0;
      while (taken.count(c)) ++c;
      color[std::size_t(i)] = c;
    }
    std::stable_sort(order->begin() + first, order->begin() + last,
                     [&](PetscInt a, PetscInt b) { return color[std::size_t(a)] < color[std::size_t(b)]; });
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Copies the blocks of this rank to that order.
inline PetscErrorCode Permute(const std::vector<PetscInt> &order, PetscInt n, Vec from, Vec to)
{
  PetscInt first, last;
  const PetscScalar *in;
  PetscScalar *out;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(from, &first, &last));
  PetscCall(VecGetArrayRead(from, &in));
  PetscCall(VecGetArrayWrite(to, &out));
  for (PetscInt i = first; i < last; ++i) out[i - first] = in[order[std::size_t(i / n)] * n + i % n - first];
  PetscCall(VecRestoreArrayWrite(to, &out));
  PetscCall(VecRestoreArrayRead(from, &in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test::mcpi
