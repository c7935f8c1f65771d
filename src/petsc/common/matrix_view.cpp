// SPDX-License-Identifier: BSD-2-Clause
// Reads the structure of AIJ and BAIJ matrices, sequential and parallel, by blocks.
#include "common/matrix_view.hpp"

#include "base/pieces.hpp"
#include "common/runtime.hpp"

#include <algorithm>
#include <limits>

using namespace finegrain;

PetscErrorCode OperatorGetStructure(Mat mat, bool by_blocks, Structure *s)
{
  PetscBool done;

  PetscFunctionBegin;
  s->mat = mat;
  PetscCall(
    MatGetRowIJ(mat, 0, PETSC_FALSE, by_blocks ? PETSC_TRUE : PETSC_FALSE, &s->rows, &s->ptr, &s->col, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "The matrix does not give its row structure");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorRestoreStructure(bool by_blocks, Structure *s)
{
  PetscBool done;

  PetscFunctionBegin;
  PetscCall(
    MatRestoreRowIJ(s->mat, 0, PETSC_FALSE, by_blocks ? PETSC_TRUE : PETSC_FALSE, &s->rows, &s->ptr, &s->col, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorGetParts(Mat mat, const Operator &op, Mat *owned, Mat *coupling, const PetscInt **global)
{
  PetscFunctionBegin;
  *owned = mat;
  *coupling = nullptr;
  *global = nullptr;
  if (op.symmetric) PetscCall(FinegrainSBAIJGetOwned(mat, op.parallel, owned));
  else if (op.parallel && op.by_blocks) PetscCall(FinegrainMPIBAIJGetParts(mat, owned, coupling, global));
  else if (op.parallel) PetscCall(MatMPIAIJGetSeqAIJ(mat, owned, coupling, global));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace
{

constexpr Offset index_limit = std::numeric_limits<Index>::max();

// Copies a structure whose entries are the engine's: blocks of BAIJ, or scalars with n = 1.
PetscErrorCode CopyGraph(const Structure &s, Graph *g)
{
  PetscFunctionBegin;
  PetscCheck(s.rows < index_limit && (!s.rows || s.ptr[s.rows] < index_limit), PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " block rows with %" PetscInt_FMT
             " blocks on one rank are more than 32-bit indices hold; use more ranks",
             s.rows, s.rows ? s.ptr[s.rows] : 0);
  g->rows = Index(s.rows);
  g->ptr = make_array<Index>("finegrain::ptr", std::size_t(s.rows) + 1);
  g->ptr(0) = 0;
  for (PetscInt i = 0; i < s.rows; ++i) g->ptr(i + 1) = Index(s.ptr[i + 1]);
  g->col = make_array<Index>("finegrain::col", std::size_t(g->entries()));
  const Pieces pieces(g->rows);
  pieces.for_each([&](int, Index first, Index last) {
    for (Index e = g->ptr(first); e < g->ptr(last); ++e) g->col(e) = Index(s.col[e]);
  });
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Compresses a scalar structure to blocks of n rows. column(c) is the block column of scalar column c, and
// column_in_block(c) its index in that block. Fills `map` unless it is null.
template <class Column, class InBlock> PetscErrorCode CompressGraph(const Structure &s, PetscInt n, Column column,
                                                                    InBlock column_in_block, Graph *g, BlockMap *map)
{
  const PetscInt rows = s.rows / n;
  std::vector<Index> cols, row;

  PetscFunctionBegin;
  g->rows = Index(rows);
  g->ptr = make_array<Index>("finegrain::ptr", std::size_t(rows) + 1);
  g->ptr(0) = 0;
  for (PetscInt i = 0; i < rows; ++i) {
    row.clear();
    for (PetscInt e = s.ptr[i * n]; e < s.ptr[(i + 1) * n]; ++e) {
      const Index c = column(s.col[e]);
      if (row.empty() || row.back() != c) row.push_back(c);
    }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    cols.insert(cols.end(), row.begin(), row.end());
    PetscCheck(Offset(cols.size()) < index_limit, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "More blocks on one rank than 32-bit indices hold; use more ranks");
    g->ptr(i + 1) = Index(cols.size());
  }
  g->col = make_array<Index>("finegrain::col", cols.size());
  std::copy(cols.begin(), cols.end(), g->col.data());
  if (!map) PetscFunctionReturn(PETSC_SUCCESS);

  map->base = make_array<Offset>("finegrain::base", cols.size() * std::size_t(n));
  map->mask = make_array<std::uint32_t>("finegrain::mask", cols.size() * std::size_t(n));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt r = 0; r < n; ++r) {
      PetscInt e = s.ptr[i * n + r];
      for (Index b = g->ptr(i); b < g->ptr(i + 1); ++b) {
        const Offset at = Offset(b) * n + r;
        map->base(at) = e;
        map->mask(at) = 0;
        for (; e < s.ptr[i * n + r + 1] && column(s.col[e]) == g->col(b); ++e)
          map->mask(at) |= std::uint32_t(1) << column_in_block(s.col[e]);
      }
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AnalyzeOwned(Mat owned, Operator *op, Graph *g)
{
  const PetscInt n = op->block;
  Structure s;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(owned, op->by_blocks, &s));
  if (op->by_blocks || n == 1) PetscCall(CopyGraph(s, g));
  else
    PetscCall(CompressGraph(
      s, n, [n](PetscInt c) { return Index(c / n); }, [n](PetscInt c) { return c % n; }, g, &op->owned));
  PetscCall(OperatorRestoreStructure(op->by_blocks, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Expands the upper triangle of a SBAIJ matrix to the whole pattern. Off-rank blocks are only counted.
PetscErrorCode AnalyzeSymmetric(Mat mat, Mat owned, OperatorView *view)
{
  MatInfo all, mine;
  Structure s;
  Graph upper;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(owned, true, &s));
  PetscCall(CopyGraph(s, &upper));
  PetscCall(OperatorRestoreStructure(true, &s));
  PetscCheck(2 * Offset(upper.entries()) < index_limit, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "More blocks on one rank than 32-bit indices hold; use more ranks");
  Graph &g = view->owned;
  g.rows = upper.rows;
  g.ptr = HostArray<Index>("finegrain::ptr", std::size_t(g.rows) + 1);
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = upper.ptr(i); e < upper.ptr(i + 1); ++e) {
      ++g.ptr(upper.col(e) + 1);
      g.ptr(i + 1) += upper.col(e) != i;
    }
  for (Index i = 0; i < g.rows; ++i) g.ptr(i + 1) += g.ptr(i);
  g.col = make_array<Index>("finegrain::col", std::size_t(g.ptr(g.rows)));
  view->stored = make_array<Index>("finegrain::stored", g.col.extent(0));
  std::vector<Index> next(g.ptr.data(), g.ptr.data() + g.rows);
  const auto put = [&](Index row, Index col, Index number) {
    const Index to = next[std::size_t(row)]++;
    g.col(to) = col;
    view->stored(to) = number;
  };
  // In ascending order of rows, each row gets its columns from earlier rows before its own, so that they are sorted.
  for (Index i = 0; i < g.rows; ++i)
    for (Index e = upper.ptr(i); e < upper.ptr(i + 1); ++e) {
      put(i, upper.col(e), e);
      if (upper.col(e) != i) put(upper.col(e), i, -1);
    }
  PetscCall(MatGetInfo(mat, MAT_LOCAL, &all));
  PetscCall(MatGetInfo(owned, MAT_LOCAL, &mine));
  view->ignored_off_rank =
    2 * Offset((all.nz_used - mine.nz_used) / PetscLogDouble(view->block) / PetscLogDouble(view->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Numbers the ghosts by ascending global block column.
PetscErrorCode AnalyzeCoupling(Mat coupling, const PetscInt *global, Operator *op, OperatorView *view)
{
  const PetscInt n = op->by_blocks ? 1 : op->block; // AIJ: block columns are computed from scalar ones
  std::vector<PetscInt> &ghosts = op->ghosts;
  Structure s;

  PetscFunctionBegin;
  PetscCall(OperatorGetStructure(coupling, op->by_blocks, &s));
  for (PetscInt i = 0; i < s.rows; ++i)
    for (PetscInt e = s.ptr[i]; e < s.ptr[i + 1]; ++e) ghosts.push_back(global[s.col[e]] / n);
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  view->ghosts = Index(ghosts.size());
  PetscCall(CompressGraph(
    s, n,
    [&](PetscInt c) { return Index(std::lower_bound(ghosts.begin(), ghosts.end(), global[c] / n) - ghosts.begin()); },
    [&](PetscInt c) { return global[c] % n; }, &view->coupling, n > 1 ? &op->coupling : nullptr));
  PetscCall(OperatorRestoreStructure(op->by_blocks, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Returns advice on how to get a matrix of a supported type.
const char *RemedyForType(const std::string &type)
{
  if (type == MATNEST)
    return "use -pc_type fieldsplit and finegrain's types inside it, or make one matrix of it with MatConvert() or "
           "-mat_type aij";
  if (type == MATMFFD)
    return "use -snes_mf_operator, which keeps an assembled matrix for the preconditioner, or -snes_fd_color, "
           "instead of -snes_mf";
  if (type == MATIS) return "assemble it with -mat_type aij (-dm_mat_type aij), or convert it with MatConvert()";
  if (type == MATSHELL) return "a shell has no entries: give KSPSetOperators() an assembled matrix as its second";
  return "assemble it with -mat_type baij or aij (-dm_mat_type with a DM), convert it with MatConvert(), or give "
         "KSPSetOperators() another second matrix";
}

// Checks type, shape and state, which are equal on all ranks.
PetscErrorCode CheckMatrix(Mat mat, Operator *op)
{
  MPI_Comm comm;
  MatType type;
  PetscBool assembled;
  PetscInt m, n;
  bool known;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetComm(reinterpret_cast<PetscObject>(mat), &comm));
  PetscCall(MatGetType(mat, &type));
  PetscCall(OperatorFindType(mat, op, &known));
  PetscCheck(known, comm, PETSC_ERR_SUP,
             "The preconditioning matrix is of type \"%s\"; AIJ, BAIJ or SBAIJ is needed: %s", type,
             RemedyForType(type));
  PetscCall(MatGetSize(mat, &m, &n));
  PetscCheck(m == n, comm, PETSC_ERR_ARG_SIZ,
             "The preconditioning matrix is rectangular, %" PetscInt_FMT " x %" PetscInt_FMT "; it must be square", m,
             n);
  PetscCall(MatAssembled(mat, &assembled));
  PetscCheck(assembled, comm, PETSC_ERR_ARG_WRONGSTATE,
             "The preconditioning matrix is not assembled: call MatAssemblyBegin() and MatAssemblyEnd()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChooseBlockSize(Mat mat, PetscInt wanted, const char *option, Operator *op)
{
  PetscInt own, m, n, count;
  const PetscInt *sizes;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(mat, &own));
  PetscCall(MatGetLocalSize(mat, &m, &n));
  PetscCheck(!op->by_blocks || !wanted || wanted == own, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%s is %" PetscInt_FMT " but the matrix is BAIJ with blocks of %" PetscInt_FMT "; leave the option out",
             option, wanted, own);
  op->block = wanted ? wanted : own;
  PetscCheck(op->block <= max_block, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Block size %" PetscInt_FMT " is larger than %d; choose a divisor of it with %s and an AIJ matrix",
             op->block, max_block, option);
  PetscCheck(m == n, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "This rank owns %" PetscInt_FMT " rows but %" PetscInt_FMT " columns; give the matrix equal layouts", m,
             n);
  PetscCheck(m % op->block == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "Block size %" PetscInt_FMT " does not divide the %" PetscInt_FMT
             " rows of this rank; set %s or MatSetBlockSize() to a size that does",
             op->block, m, option);
  // DMPlex sets variable block sizes on all its matrices. Scalar rows fit any block sizes.
  PetscCall(MatGetVariableBlockSizes(mat, &count, &sizes));
  for (PetscInt b = 0; b < count && op->block > 1; ++b)
    PetscCheck(
      sizes[b] == op->block, PETSC_COMM_SELF, PETSC_ERR_SUP,
      "The preconditioning matrix has variable block sizes (MatSetVariableBlockSizes()), one of them %" PetscInt_FMT
      ", but blocks of %" PetscInt_FMT " are to be factored; one size for all is needed: set %s, 1 fits any matrix",
      sizes[b], op->block, option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AnalyzeParts(Mat mat, PetscInt block_size, const char *option, Operator *op, OperatorView *view)
{
  Mat owned, coupling;
  const PetscInt *global;

  PetscFunctionBegin;
  PetscCall(ChooseBlockSize(mat, block_size, option, op));
  view->block = int(op->block);
  PetscCall(OperatorGetParts(mat, *op, &owned, &coupling, &global));
  PetscCall(op->symmetric ? AnalyzeSymmetric(mat, owned, view) : AnalyzeOwned(owned, op, &view->owned));
  if (coupling) PetscCall(AnalyzeCoupling(coupling, global, op, view));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FinegrainGetState(Mat mat, FinegrainState *state)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectGetId(reinterpret_cast<PetscObject>(mat), &state->id));
  PetscCall(PetscObjectStateGet(reinterpret_cast<PetscObject>(mat), &state->values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinegrainGetStamp(Mat mat, FinegrainStamp *stamp)
{
  MatInfo info;
  MatType type;
  PetscBool counts; // false for a matrix without MatGetInfo(), which a reused PC may get

  PetscFunctionBegin;
  PetscCall(FinegrainGetState(mat, stamp));
  PetscCall(MatGetNonzeroState(mat, &stamp->structure));
  PetscCall(MatHasOperation(mat, MATOP_GETINFO, &counts));
  if (counts) PetscCall(MatGetInfo(mat, MAT_LOCAL, &info));
  stamp->entries = counts ? info.nz_used : -1;
  PetscCall(MatGetBlockSize(mat, &stamp->block));
  PetscCall(MatGetType(mat, &type));
  PetscCall(PetscStrncpy(stamp->type, type, sizeof stamp->type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorFindType(Mat mat, Operator *op, bool *known)
{
  const PetscObject object = reinterpret_cast<PetscObject>(mat);
  PetscBool seqaij, mpiaij, seqbaij, mpibaij, seqsbaij, mpisbaij;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(object, MATSEQAIJ, &seqaij));
  PetscCall(PetscObjectBaseTypeCompare(object, MATMPIAIJ, &mpiaij));
  PetscCall(PetscObjectBaseTypeCompare(object, MATSEQBAIJ, &seqbaij));
  PetscCall(PetscObjectBaseTypeCompare(object, MATMPIBAIJ, &mpibaij));
  PetscCall(PetscObjectBaseTypeCompare(object, MATSEQSBAIJ, &seqsbaij));
  PetscCall(PetscObjectBaseTypeCompare(object, MATMPISBAIJ, &mpisbaij));
  op->symmetric = seqsbaij || mpisbaij;
  op->by_blocks = seqbaij || mpibaij || op->symmetric;
  op->parallel = mpiaij || mpibaij || mpisbaij;
  *known = seqaij || mpiaij || op->by_blocks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorAnalyze(Mat mat, PetscInt block_size, const char *option, Operator *op, OperatorView *view)
{
  PetscFunctionBegin;
  *op = Operator();
  *view = OperatorView();
  PetscCall(CheckMatrix(mat, op));
  PetscCall(FinegrainOnAllRanks(mat, [&] { return AnalyzeParts(mat, block_size, option, op, view); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorGetBlocks(Mat mat, Operator *op, OperatorView *view)
{
  Mat owned, coupling;
  const PetscInt *global;
  PetscInt n;
  PetscBool parallel;
  Structure s;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare(reinterpret_cast<PetscObject>(mat), MATMPIBAIJ, &parallel));
  op->by_blocks = true;
  op->parallel = parallel;
  PetscCall(MatGetBlockSize(mat, &op->block));
  view->block = int(op->block);
  PetscCall(OperatorGetParts(mat, *op, &owned, &coupling, &global));
  PetscCall(OperatorGetStructure(owned, true, &s));
  PetscCall(CopyGraph(s, &view->owned));
  PetscCall(OperatorRestoreStructure(true, &s));
  if (!coupling) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperatorGetStructure(coupling, true, &s));
  PetscCall(CopyGraph(s, &view->coupling));
  PetscCall(OperatorRestoreStructure(true, &s));
  PetscCall(MatGetLocalSize(coupling, nullptr, &n));
  op->ghosts.assign(global, global + n / op->block);
  view->ghosts = Index(op->ghosts.size());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OperatorGetOrdering(const Graph &g, MatOrderingType type, HostArray<Index> *order)
{
  std::vector<PetscInt> ptr(std::size_t(g.rows) + 1, 0), col(std::size_t(g.entries()));
  std::vector<PetscScalar> ones(col.size(), 1);
  Mat graph;
  IS rows, cols;
  const PetscInt *row;

  PetscFunctionBegin;
  for (Index i = 0; i < g.rows; ++i) ptr[std::size_t(i) + 1] = g.ptr(i + 1);
  for (Index e = 0; e < g.entries(); ++e) col[std::size_t(e)] = g.col(e);
  PetscCall(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, g.rows, g.rows, ptr.data(), col.data(), ones.data(), &graph));
  PetscCall(MatGetOrdering(graph, type, &rows, &cols));
  *order = make_array<Index>("finegrain::ordering", std::size_t(g.rows));
  PetscCall(ISGetIndices(rows, &row));
  for (Index i = 0; i < g.rows; ++i) (*order)(i) = Index(row[i]);
  PetscCall(ISRestoreIndices(rows, &row));
  PetscCall(ISDestroy(&rows));
  PetscCall(ISDestroy(&cols));
  PetscCall(MatDestroy(&graph));
  PetscFunctionReturn(PETSC_SUCCESS);
}
