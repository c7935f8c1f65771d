// SPDX-License-Identifier: BSD-2-Clause
// Assembly from coordinates in the device copy. Each scalar, or block, is the sum of its values in a fixed order:
// first those of this rank, then those of other ranks by rank.
#include "mat/baijkokkos.hpp"

#include "common/petsc_halo.hpp"
#include "common/runtime.hpp"

#include <algorithm>

using namespace finegrain;

namespace
{

// Coordinates of a value in a row of this rank, and its index among the own and received values.
struct Coordinate {
  PetscInt row, col;
  Offset value;
};

// Coordinates sent to the owner of the row.
struct Sent {
  PetscInt row, col, rank, value;
};

PetscErrorCode MakeUnit(int count, MPI_Datatype base, MPI_Datatype *unit)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous(count, base, unit));
  PetscCallMPI(MPI_Type_commit(unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets these roots for the leaves, in order.
PetscErrorCode SetGraph(PetscSF sf, PetscInt roots, std::vector<Root> &leaves) // PETSc copies the leaves
{
  PetscFunctionBegin;
  PetscCall(PetscSFSetGraph(sf, roots, PetscInt(leaves.size()), nullptr, PETSC_COPY_VALUES, leaves.data(),
                            PETSC_COPY_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Separates coordinates in rows of this rank from those of other owners. `scale` scalar rows are one row of a
// coordinate.
PetscErrorCode Sort(Mat A, PetscCount count, const PetscInt i[], const PetscInt j[], PetscInt scale,
                    std::vector<Coordinate> *mine, std::vector<Sent> *others, std::vector<Root> *owner)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
  PetscInt first, last, number;
  PetscMPIInt ranks, rank, to;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (ranks > 1) PetscCall(PetscIntCast(count, &number)); // PetscSF counts values by PetscInt
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscCount k = 0; k < count; ++k) {
    if (i[k] < 0 || j[k] < 0) continue;
    PetscCheck(i[k] < A->rmap->N / scale && j[k] < A->cmap->N / scale, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "Coordinate (%" PetscInt_FMT ", %" PetscInt_FMT ") lies outside the matrix of %" PetscInt_FMT
               " x %" PetscInt_FMT,
               i[k], j[k], A->rmap->N / scale, A->cmap->N / scale);
    if (i[k] * scale >= first && i[k] * scale < last) {
      mine->push_back({i[k], j[k], Offset(k)});
    } else {
      PetscCall(PetscLayoutFindOwner(A->rmap, i[k] * scale, &to));
      others->push_back({i[k], j[k], rank, PetscInt(k)});
      owner->push_back({to, 0});
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sends coordinates to the owners of their rows, and sets up the exchange of their values. Collective.
PetscErrorCode Exchange(Mat A, BAIJKokkos *m, PetscCount count, const std::vector<Sent> &others,
                        std::vector<Root> &owner, std::vector<Coordinate> *mine)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(A));
  const PetscInt *degree;
  PetscInt most = PetscInt(others.size());
  PetscSF sf;
  MPI_Datatype unit;
  std::vector<Sent> arrived;
  std::vector<Root> from;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, comm));
  if (most == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetRankOrder(sf, PETSC_TRUE));
  PetscCall(SetGraph(sf, 1, owner));
  PetscCall(PetscSFComputeDegreeBegin(sf, &degree));
  PetscCall(PetscSFComputeDegreeEnd(sf, &degree));
  PetscCall(FinegrainOnAllRanks(A, [&] {
    const std::size_t number = std::size_t(degree[0]);
    arrived.resize(number);
    from.reserve(number);
    mine->reserve(mine->size() + number);
  }));
  PetscCall(MakeUnit(4, MPIU_INT, &unit));
  PetscCall(PetscSFGatherBegin(sf, unit, others.data(), arrived.data()));
  PetscCall(PetscSFGatherEnd(sf, unit, others.data(), arrived.data()));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscSFDestroy(&sf));
  for (const Sent &s : arrived) {
    mine->push_back({s.row, s.col, Offset(count) + Offset(from.size())});
    from.push_back({s.rank, s.value});
  }
  m->lists.received = Offset(from.size());
  PetscCall(PetscSFCreate(comm, &m->received));
  PetscCall(SetGraph(m->received, PetscInt(count), from));
  PetscCall(PetscSFSetUp(m->received));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Preallocates a matrix of zeros with a block at each coordinate.
PetscErrorCode Preallocate(Mat A, const std::vector<Coordinate> &mine, PetscInt scale)
{
  const PetscInt n = A->rmap->bs, in_block = n / scale, rows = A->rmap->n / n;
  const PetscInt first = A->rmap->rstart / n, begin = A->cmap->rstart / n;
  const PetscInt end = A->cmap->rend / n;
  std::vector<std::pair<PetscInt, PetscInt>> blocks; // row of this rank, column
  std::vector<PetscInt> own, other, cols;
  std::vector<PetscScalar> zeros;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(A, [&] {
    blocks.reserve(mine.size());
    for (const Coordinate &c : mine) blocks.emplace_back(c.row / in_block - first, c.col / in_block);
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    own.assign(std::size_t(rows), 0);
    other.assign(std::size_t(rows), 0);
    for (const auto &[row, col] : blocks) ++(col >= begin && col < end ? own : other)[std::size_t(row)];
    std::size_t most = 0; // blocks of a row
    for (std::size_t row = 0; row < own.size(); ++row) most = std::max(most, std::size_t(own[row] + other[row]));
    cols.reserve(most);
    zeros.assign(most * std::size_t(n) * std::size_t(n), 0);
  }));
  PetscCall(MatSeqBAIJSetPreallocation(A, n, 0, own.data()));
  PetscCall(MatMPIBAIJSetPreallocation(A, n, 0, own.data(), 0, other.data()));
  for (std::size_t b = 0; b < blocks.size();) {
    const PetscInt row = blocks[b].first, global = row + first;
    for (cols.clear(); b < blocks.size() && blocks[b].first == row; ++b) cols.push_back(blocks[b].second);
    PetscCall(MatSetValuesBlocked(A, 1, &global, PetscInt(cols.size()), cols.data(), zeros.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Finds the index of a block among the entries of the owned square, followed by those of the couplings.
struct BlockFinder {
  const OperatorView &view;
  const std::vector<PetscInt> &ghosts;
  PetscInt begin, end; // range of owned columns

  Offset operator()(PetscInt row, PetscInt col) const
  {
    const bool own = col >= begin && col < end;
    const Graph &g = own ? view.owned : view.coupling;
    const Index c =
      own ? Index(col - begin) : Index(std::lower_bound(ghosts.begin(), ghosts.end(), col) - ghosts.begin());
    const Index *from = g.col.data() + g.ptr(row), *to = g.col.data() + g.ptr(row + 1);
    return (own ? 0 : Offset(view.owned.entries())) + (std::lower_bound(from, to, c) - g.col.data());
  }
};

// Lists the values that are added for each target (AssemblyLists).
PetscErrorCode MakeLists(Mat A, const std::vector<Coordinate> &mine, PetscInt scale, AssemblyLists *lists)
{
  const PetscInt n = A->rmap->bs, in_block = n / scale;
  Operator op;
  OperatorView view;
  std::vector<Offset> target;

  PetscFunctionBegin;
  PetscCall(OperatorGetBlocks(A, &op, &view));
  const BlockFinder find{view, op.ghosts, A->cmap->rstart / n, A->cmap->rend / n};
  const Offset nn = Offset(in_block) * in_block;
  const auto targets = std::size_t((Offset(view.owned.entries()) + view.coupling.entries()) * nn);
  target.reserve(mine.size());
  lists->ptr = HostArray<Offset>("finegrain::assembly", targets + 1);
  lists->list = make_array<Offset>("finegrain::assembly", mine.size());
  for (const Coordinate &c : mine) {
    const Offset block = find(c.row / in_block - A->rmap->rstart / n, c.col / in_block);
    target.push_back(block * nn + c.col % in_block * in_block + c.row % in_block); // blocks are stored by columns
    ++lists->ptr(target.back() + 1);
  }
  for (std::size_t t = 0; t < targets; ++t) lists->ptr(t + 1) += lists->ptr(t);
  std::vector<Offset> next(lists->ptr.data(), lists->ptr.data() + targets);
  for (std::size_t k = 0; k < mine.size(); ++k) lists->list(next[std::size_t(target[k])]++) = mine[k].value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets coordinates of blocks or of scalars. `scale` is the block size for blocks, else 1.
PetscErrorCode SetCoordinates(Mat A, PetscCount count, const PetscInt i[], const PetscInt j[], bool blocks)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  std::vector<Coordinate> mine;
  std::vector<Sent> others;
  std::vector<Root> owner;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(PetscLayoutSetUp(A->rmap));
  PetscCall(PetscLayoutSetUp(A->cmap));
  PetscCall(MatGetBlockSize(A, &n));
  const PetscInt scale = blocks ? n : 1;
  PetscCall(BAIJKokkosDestroyCOO(m));
  PetscCall(FinegrainOnAllRanks(A, [&] { return Sort(A, count, i, j, scale, &mine, &others, &owner); }));
  PetscCall(FinegrainOnAllRanks(A, FinegrainStartKokkos));
  m->lists.unit = int(scale * scale);
  m->lists.own = Offset(count);
  PetscCall(Exchange(A, m, count, others, owner, &mine));
  PetscCall(Preallocate(A, mine, scale));
  PetscCall(FinegrainOnAllRanks(A, [&] { return MakeLists(A, mine, scale, &m->lists); }));
  PetscCall(MakeUnit(m->lists.unit, MPIU_SCALAR, &m->unit));
  m->has_lists = true;
  m->lists_are_set = false;
  m->coo_structure = A->nonzerostate + 1; // the caller increments the state once more
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if PETSC_VERSION_LT(3, 20, 0)
using COOIndices = const PetscInt *;
#else
using COOIndices = PetscInt *;
#endif

PetscErrorCode MatSetPreallocationCOO_BAIJKokkos(Mat A, PetscCount count, COOIndices i, COOIndices j)
{
  PetscFunctionBegin;
  PetscCall(SetCoordinates(A, count, i, j, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatBAIJKokkosSetPreallocationCOO_BAIJKokkos(Mat A, PetscCount count, const PetscInt i[],
                                                           const PetscInt j[])
{
  PetscFunctionBegin;
  PetscCall(SetCoordinates(A, count, i, j, true));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// True if values of other ranks are received in the device copy, false if on the host.
bool receives_in_place(const BAIJKokkos &m) { return m.op.backend == Backend::host || exchanges_on_device(); }

// Receives the values of other ranks. *received is null if they are in the device copy, else their array on the
// host.
PetscErrorCode Receive(BAIJKokkos *m, PetscMemType type, const PetscScalar v[], const Scalar **received)
{
  const bool in_place = receives_in_place(*m);
  PetscMemType memory = m->op.backend == Backend::device && in_place ? device_memory : PETSC_MEMTYPE_HOST;

  PetscFunctionBegin;
  *received = nullptr;
  if (!m->received) PetscFunctionReturn(PETSC_SUCCESS);
  if (!in_place) *received = m->from_others.data();
  Scalar *to = in_place ? m->copy->received() : m->from_others.data();
  PetscCall(PetscSFBcastWithMemTypeBegin(m->received, m->unit, type, v, memory, to, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->received, m->unit, v, to, MPI_REPLACE));
  if (m->op.backend == Backend::device && in_place) PetscCall(FinegrainWaitForUnpacking());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetValuesCOO_BAIJKokkos(Mat A, const PetscScalar v[], InsertMode mode)
{
  BAIJKokkos *m = BAIJKokkosGet(A);
  PetscMemType type = PETSC_MEMTYPE_HOST;
  const Scalar *received;

  PetscFunctionBegin;
  PetscCheck(m->has_lists, PetscObjectComm(reinterpret_cast<PetscObject>(A)), PETSC_ERR_ORDER,
             "Call MatSetPreallocationCOO() or MatBAIJKokkosSetPreallocationCOO() before MatSetValuesCOO()");
  PetscCheck(m->coo_structure == A->nonzerostate, PetscObjectComm(reinterpret_cast<PetscObject>(A)),
             PETSC_ERR_ARG_WRONGSTATE,
             "The nonzero structure has changed since MatSetPreallocationCOO(); call it again before "
             "MatSetValuesCOO()");
  PetscCall(FinegrainGuard([&]() -> PetscErrorCode {
    PetscFunctionBegin;
    if (mode == ADD_VALUES) PetscCall(BAIJKokkosUpdate(A));
    else PetscCall(BAIJKokkosUpdateStructure(A));
    PetscCall(FinegrainOnAllRanks(A, [&] {
      if (!m->lists_are_set) m->copy->set_assembly(m->lists);
      if (m->received && !receives_in_place(*m))
        make_room(m->from_others, std::size_t(m->lists.received * m->lists.unit));
    }));
    m->lists_are_set = true;
    if (v) PetscCall(PetscGetMemType(v, &type));
    if (is_on_device(type)) PetscCall(FinegrainWaitForPetsc());
    PetscCall(Receive(m, type, v, &received));
    PetscCall(FinegrainOnAllRanks(A, [&] {
      m->copy->assemble(is_on_device(type) ? Memory::engine : Memory::host, reinterpret_cast<const Scalar *>(v),
                        received, mode == ADD_VALUES);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  m->host_is_behind = m->from_coordinates = m->assembling = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode BAIJKokkosComposeCOO(Mat A, bool install)
{
  PetscFunctionBegin;
  PetscCall(BAIJKokkosCompose(A, "MatSetPreallocationCOO_C", install ? MatSetPreallocationCOO_BAIJKokkos : nullptr));
  PetscCall(BAIJKokkosCompose(A, "MatSetValuesCOO_C", install ? MatSetValuesCOO_BAIJKokkos : nullptr));
  PetscCall(BAIJKokkosCompose(A, "MatBAIJKokkosSetPreallocationCOO_C",
                              install ? MatBAIJKokkosSetPreallocationCOO_BAIJKokkos : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BAIJKokkosDestroyCOO(BAIJKokkos *m)
{
  PetscFunctionBegin;
  PetscCall(PetscSFDestroy(&m->received));
  if (m->unit != MPI_DATATYPE_NULL) PetscCallMPI(MPI_Type_free(&m->unit));
  m->lists = {};
  m->has_lists = m->lists_are_set = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
   MatBAIJKokkosSetPreallocationCOO - Prepares a matrix for values given by coordinates of blocks

   Collective

   Input Parameters:
+  A    - a matrix of type `MATBAIJKOKKOS` with its sizes and block size set
.  ncoo - number of blocks that this rank contributes
.  i    - their global block rows; blocks with a negative index are ignored
-  j    - their global block columns

   Level: beginner

   Notes:
   `MatSetValuesCOO()` then expects ncoo blocks of n^2 values with the block size n, each stored by rows, on the host
   or on the device of the device copy. Blocks may be repeated and may belong to other ranks; they are added in a
   fixed order. Entries without a coordinate do not belong to the matrix.

   The function does nothing for matrices of other types. `MatSetPreallocationCOO()` uses coordinates of scalars,
   which are eight to ten times as many numbers.

.seealso: `MATBAIJKOKKOS`, `MatSetPreallocationCOO()`, `MatSetValuesCOO()`
@*/
PetscErrorCode MatBAIJKokkosSetPreallocationCOO(Mat A, PetscCount ncoo, const PetscInt i[], const PetscInt j[])
{
  PetscErrorCode (*f)(Mat, PetscCount, const PetscInt[], const PetscInt[]);

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(A), "MatBAIJKokkosSetPreallocationCOO_C", &f));
  if (!f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*f)(A, ncoo, i, j));
  A->preallocated = PETSC_TRUE;
  A->nonzerostate++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
