// SPDX-License-Identifier: BSD-2-Clause
// Matrices, comparisons and error capture for the tests of the PETSc side. OK() checks calls, owners destroy
// objects, and results are NaN before they are computed.
#pragma once

#include "common/petsc_compat.hpp"
#include "owned.hpp"

#include <petscdmda.h>
#include <petscksp.h>
#include <petscfinegrain.h>

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

// A PETSc call that must succeed, on all ranks.
#define OK(...) ASSERT_EQ(static_cast<int>(__VA_ARGS__), 0)

namespace finegrain::test
{

// Block columns of each block row of a matrix; every rank has the whole matrix.
using Couplings = std::vector<std::set<PetscInt>>;

Couplings star(PetscInt i, PetscInt j, PetscInt k, PetscInt width = 1, bool periodic = false);
Couplings box(PetscInt i, PetscInt j, PetscInt k);
Couplings scattered(PetscInt rows, PetscInt degree, bool symmetric);

// Assembles a matrix with these couplings, full random blocks of size n and a dominant diagonal. The division of
// rows is uneven, and with three ranks or more, rank 1 has none; `local`, if given, is this rank's number of block
// rows. `seed` changes the values only. `order`, if given, is the block row at each position of the matrix.
PetscErrorCode AssembleMatrix(const Couplings &couplings, PetscInt n, MatType type, int seed, Mat *A,
                              PetscInt local = PETSC_DECIDE, MPI_Comm comm = PETSC_COMM_WORLD,
                              const std::vector<PetscInt> &order = {});

// Assembles a matrix after the insertion of values.
PetscErrorCode Assemble(Mat A);

// The value of entry (row, col) in such a matrix.
PetscScalar EntryValue(PetscInt row, PetscInt col, PetscInt n, int seed, std::size_t row_length);

// Makes a preconditioner from options, which are cleared again.
PetscErrorCode MakePC(Mat A, const char *type, const std::string &options, PC *pc);
PetscErrorCode MakeReference(Mat A, PC *pc); // bjacobi with ilu in natural order

// Makes vectors of A; entries of b depend only on the global row.
PetscErrorCode MakeVectors(Mat A, Vec *b, Vec *x);

// Vectors of MakeVectors(), and two vectors of zeros.
struct Vectors {
  explicit Vectors(Mat A) { code = MakeVectors(A, &b, &x) || VecDuplicate(x, &y) || VecSet(x, 0) || VecSet(y, 0); }
  Owned<Vec> b, x, y;
  int code;
};

// Sets x = NaN, then x = M^-1 b.
PetscErrorCode Apply(PC pc, Vec b, Vec x);

// |x - y| / |y| in the maximum norm; NaN if either vector has one.
PetscErrorCode Difference(Vec x, Vec y, PetscReal *d);

// Computes x by PETSc's functions: steps x += M^-1 (b - A x) with these preconditioners in turn, from zero; or, with
// all transposed, in reverse order.
PetscErrorCode PlainSteps(Mat A, std::vector<PC> turns, bool transposed, Vec b, Vec x);

// Computes x = M^-1 b and k steps x += M^-1 (b - A x), or the same with the transposes, by PETSc's functions.
PetscErrorCode PlainCorrections(Mat A, PC M, PetscInt k, bool transposed, Vec b, Vec x);

// Difference between two PCs on the same right-hand side.
PetscErrorCode ComparePCs(Mat A, PC p, PC q, PetscReal *d);

// The output of PCView() or KSPView().
PetscErrorCode ViewText(PetscObject object, std::string *text, PetscViewerFormat format = PETSC_VIEWER_DEFAULT);
inline PetscErrorCode ViewText(PC pc, std::string *text) { return ViewText(object(pc), text); }

// Captures what a call writes to a descriptor, 1 for stdout, 2 for stderr, on this rank.
PetscErrorCode Capture(int descriptor, const std::function<PetscErrorCode()> &call, std::string *text);

// Captures what PETSc prints for the options of a PC with -help, on the first rank.
PetscErrorCode HelpText(PC pc, std::string *text);

// Captures the output of -info while `body` runs, on the first rank.
PetscErrorCode InfoText(const std::function<PetscErrorCode()> &body, std::string *text);

// The number that follows `key`, which must be in the text.
PetscInt NumberAfter(const std::string &text, const std::string &key);

// Expects every one of `parts` in `text`.
void ExpectIn(const std::string &text, const std::vector<std::string> &parts);

// Number of ranks, and this rank.
int Size();
int Rank();

// A + A^T or A + A^H, which is as dominant as A. The pattern must be symmetric.
PetscErrorCode MakeSymmetric(Mat A, bool hermitian = false);

// Gives a solver a DM for its grid, not for its matrix.
PetscErrorCode SetGrid(KSP ksp, DM da);

// A DMDA of 11 x 10 x 9 points, fewer in lower dimensions, and a matrix of a DMDA with random values.
PetscErrorCode MakeGrid(PetscInt dim, DMBoundaryType boundary, DMDAStencilType stencil, PetscInt dof, PetscInt width,
                        DM *da, MPI_Comm comm = PETSC_COMM_WORLD);
// Assembles values that depend only on natural indices, on any number of ranks.
PetscErrorCode AssembleOnGrid(DM da, MatType type, Mat *A, int seed = 3);

// Indices of the rows of A owned here that do not depend on the number of ranks: natural ones of a DMDA, or global
// ones.
PetscErrorCode FindIndices(Mat A, DM da, std::vector<PetscInt> *index);

// Sets a block row and column of the matrix to zero and keeps the structure.
PetscErrorCode MakeSingular(Mat A, PetscInt block_row, PetscInt n);

// Number of times that an event was logged on this rank.
int EventCount(const char *name);
int Factorizations(); // of our types, and of PETSc's ILU and ICC
int Applications();   // of our types, on all ranks

// Sets options for the length of a scope.
class Options
{
public:
  explicit Options(const std::string &text) : text_(text) { (void)PetscOptionsInsertString(nullptr, text.c_str()); }
  ~Options();
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;

private:
  std::string text_;
};

// Catches PETSc errors for the length of a scope.
class ErrorCatcher
{
public:
  ErrorCatcher();
  ~ErrorCatcher();
  ErrorCatcher(const ErrorCatcher &) = delete;
  ErrorCatcher &operator=(const ErrorCatcher &) = delete;
  std::string first; // text of the first error raised on this rank

private:
  static PetscErrorCode handle(MPI_Comm, int, const char *, const char *, PetscErrorCode, PetscErrorType,
                               const char *, void *);
};

// Runs `call`, which must fail on all ranks. Returns the text of the rank with the original error.
std::string ExpectError(const std::function<PetscErrorCode()> &call);

inline constexpr PetscReal tolerance = PetscReal(20000) * PETSC_MACHINE_EPSILON;

} // namespace finegrain::test
