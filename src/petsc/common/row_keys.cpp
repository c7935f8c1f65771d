// SPDX-License-Identifier: BSD-2-Clause
// Keys from the corners of a DMDA's boxes, or from PETSc's numbering.
#include "common/row_keys.hpp"

#include "common/petsc_halo.hpp"
#include "common/runtime.hpp"

#include <petscdmda.h>

using namespace finegrain;

namespace
{

PetscErrorCode FindOwnedKeys(Mat mat, DM dm, PetscInt first, HostArray<std::int64_t> *key)
{
  const Index rows = Index(key->extent(0));
  PetscInt M = 0, N = 0, i = 0, j = 0, k = 0, m = 0, n = 0, p = 0;
  PetscBool is_da = PETSC_FALSE;

  PetscFunctionBegin;
  if (dm) PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(dm), DMDA, &is_da));
  if (is_da) {
    PetscCall(DMDAGetInfo(dm, nullptr, &M, &N, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                          nullptr, nullptr));
    PetscCall(DMDAGetCorners(dm, &i, &j, &k, &m, &n, &p));
  }
  // Rows of a point, the same on all ranks: several if the matrix has smaller blocks than the grid has unknowns.
  const PetscInt64 points = PetscInt64(m) * n * p;
  const int mine = is_da && points > 0 && rows % points == 0 ? int(rows / points) : 0;
  int range[2] = {mine, -mine};
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MIN, PetscObjectComm(reinterpret_cast<PetscObject>(mat))));
  Index row = 0;
  if (mine && range[0] == -range[1])
    for (PetscInt c = k; c < k + p; ++c)
      for (PetscInt b = j; b < j + n; ++b)
        for (PetscInt a = i; a < i + m; ++a)
          for (int of_point = 0; of_point < mine; ++of_point)
            (*key)(row++) = (a + PetscInt64(M) * (b + PetscInt64(N) * c)) * mine + of_point;
  for (; row < rows; ++row) (*key)(row) = first + row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FinegrainFindKeys(Mat mat, DM dm, const Operator &op, OperatorView *view)
{
  ColorsAndKeys &a = view->agreed;
  PetscInt first, last;
  PetscSF sf;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRangeColumn(mat, &first, &last));
  const PetscInt columns = (last - first) / op.block;
  PetscCall(FinegrainOnAllRanks(mat, [&] {
    a.key = make_array<std::int64_t>("finegrain::key", std::size_t(columns));
    a.ghost_key = make_array<std::int64_t>("finegrain::key", std::size_t(view->ghosts));
  }));
  PetscCall(FindOwnedKeys(mat, dm, first / op.block, &a.key));
  PetscCall(FinegrainMakeForest(PetscObjectComm(reinterpret_cast<PetscObject>(mat)), columns, op.ghosts, &sf));
  PetscCall(FinegrainFetch(sf, MPI_INT64_T, a.key, &a.ghost_key));
  PetscCall(PetscSFDestroy(&sf));
  PetscFunctionReturn(PETSC_SUCCESS);
}
