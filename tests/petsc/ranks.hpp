// SPDX-License-Identifier: BSD-2-Clause
// One matrix on one rank and on all of them: results that must not depend on the number of ranks.
#pragma once
#include "fixture.hpp"

#include <algorithm>
#include <functional>

namespace finegrain::test::ranks
{

// Makes a matrix on a communicator, with a grid or without.
using Make = std::function<PetscErrorCode(MPI_Comm, Mat *, DM *)>;

inline Make OfCouplings(const Couplings &couplings, PetscInt n, MatType type = MATBAIJ)
{
  return [=](MPI_Comm comm, Mat *A, DM *da) {
    *da = nullptr;
    return AssembleMatrix(couplings, n, type, 1, A, PETSC_DECIDE, comm);
  };
}

inline Make OfGrid(PetscInt dim, DMBoundaryType boundary, DMDAStencilType stencil, PetscInt dof, PetscInt width,
                   MatType type = MATBAIJ)
{
  return [=](MPI_Comm comm, Mat *A, DM *da) {
    PetscFunctionBegin;
    PetscCall(MakeGrid(dim, boundary, stencil, dof, width, da, comm));
    PetscCall(AssembleOnGrid(*da, type, A));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
}

// Makes vectors of A; entries of b do not depend on ranks, and x is not set. `index` numbers the owned entries
// independently of ranks.
inline PetscErrorCode MakeVectors(Mat A, DM da, Vec *b, Vec *x, std::vector<PetscInt> *index)
{
  PetscScalar *rhs;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, x, b));
  PetscCall(FindIndices(A, da, index));
  PetscCall(VecGetArrayWrite(*b, &rhs));
  for (std::size_t i = 0; i < index->size(); ++i) rhs[i] = EntryValue((*index)[i], 1 << 20, 1, 7, 1);
  PetscCall(VecRestoreArrayWrite(*b, &rhs));
  PetscCall(VecSet(*x, PETSC_INFINITY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode GetOwned(Vec x, std::vector<PetscScalar> *result)
{
  const PetscScalar *values;
  PetscInt size;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArrayRead(x, &values));
  result->assign(values, values + size);
  PetscCall(VecRestoreArrayRead(x, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline int CountDifferences(const std::vector<PetscInt> &index, const std::vector<PetscScalar> &mine,
                            const std::vector<PetscScalar> &alone)
{
  int differences = 0;
  for (std::size_t i = 0; i < index.size(); ++i) differences += mine[i] != alone[std::size_t(index[i])];
  return differences;
}

// Computes x = M^-1 b; `result` has the owned entries, numbered by `index`.
inline PetscErrorCode Result(const char *type, const Make &make, MPI_Comm comm, const std::string &options,
                             bool transposed, std::vector<PetscInt> *index, std::vector<PetscScalar> *result,
                             std::string *text)
{
  Owned<Mat> A;
  Owned<DM> da;
  Owned<PC> pc;
  Owned<Vec> b, x;

  PetscFunctionBegin;
  PetscCall(make(comm, &A, &da));
  PetscCall(MakePC(A, type, options, &pc));
  PetscCall(MakeVectors(A, da, &b, &x, index));
  PetscCall(PCSetUp(pc));
  PetscCall(transposed ? PCApplyTranspose(pc, b, x) : PCApply(pc, b, x));
  PetscCall(GetOwned(x, result));
  PetscCall(ViewText(pc, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The line of a view that begins with `beginning`.
inline std::string LineOf(const std::string &text, const std::string &beginning)
{
  const std::size_t at = text.find(beginning);
  return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
}

// Every rank compares its entries with those that it has computed alone: bitwise, or, transposed, up to rounding,
// because shares are added rank by rank. A line of the view must begin with `line`, and be the same on one rank.
inline void ExpectBitsOfOneRank(const char *type, const Make &make, const std::string &options,
                                const std::string &line, bool exact_transposed)
{
  SCOPED_TRACE(options);
  std::vector<PetscInt> index, everything;
  std::vector<PetscScalar> mine, alone;
  std::string ours, theirs;
  OK(Result(type, make, PETSC_COMM_WORLD, options, false, &index, &mine, &ours));
  OK(Result(type, make, PETSC_COMM_SELF, options, false, &everything, &alone, &theirs));
  EXPECT_EQ(CountDifferences(index, mine, alone), 0) << "of " << index.size() << " on this rank";
  EXPECT_EQ(LineOf(ours, line), LineOf(theirs, line));
  EXPECT_NE(ours.find(line), std::string::npos) << ours;
  OK(Result(type, make, PETSC_COMM_WORLD, options, true, &index, &mine, &ours));
  OK(Result(type, make, PETSC_COMM_SELF, options, true, &everything, &alone, &theirs));
  PetscReal most = 0, off = 0;
  for (const PetscScalar a : alone) most = std::max(most, PetscAbsScalar(a));
  for (std::size_t i = 0; i < index.size(); ++i)
    off = std::max(off, PetscAbsScalar(mine[i] - alone[std::size_t(index[i])]));
  EXPECT_LE(off, exact_transposed ? 0 : tolerance * most) << "transposed";
}

// Several vectors at once must be bitwise identical to each of them alone. `y` is overwritten.
inline void ExpectColumnsAlone(PC pc, Vec y, PetscInt columns = 3)
{
  Owned<Mat> many, result;
  PetscInt rows;
  OK(VecGetLocalSize(y, &rows));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DETERMINE, columns, nullptr, &many));
  OK(MatSetRandom(many, nullptr));
  OK(MatDuplicate(many, MAT_COPY_VALUES, &result));
  OK(MatScale(result, PETSC_INFINITY));
  OK(PCMatApply(pc, many, result));
  for (PetscInt c = 0; c < columns; ++c) {
    Vec column, found;
    PetscBool same;
    OK(MatDenseGetColumnVecRead(many, c, &column));
    OK(Apply(pc, column, y));
    OK(MatDenseRestoreColumnVecRead(many, c, &column));
    OK(MatDenseGetColumnVecRead(result, c, &found));
    OK(VecEqual(found, y, &same));
    OK(MatDenseRestoreColumnVecRead(result, c, &found));
    EXPECT_TRUE(same) << c;
  }
}

} // namespace finegrain::test::ranks
