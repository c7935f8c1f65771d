// SPDX-License-Identifier: BSD-2-Clause
// Matrices, comparisons and error capture for the tests of the PETSc side. Calls are checked with OK(), objects
// belong to owners, and results are NaN before they are computed.
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

// A PETSc call that must succeed. The same on all ranks.
#define OK(...) ASSERT_EQ(static_cast<int>(__VA_ARGS__), 0)

namespace finegrain::test
{

// Block columns of each block row of a matrix; the whole matrix on every rank.
using Couplings = std::vector<std::set<PetscInt>>;

Couplings star(PetscInt i, PetscInt j, PetscInt k, PetscInt width = 1, bool periodic = false);
Couplings box(PetscInt i, PetscInt j, PetscInt k);
Couplings scattered(PetscInt rows, PetscInt degree, bool symmetric);

// Assembles a matrix with these couplings, full random blocks of size n, dominant diagonal. Rows are divided
// unevenly; with three ranks or more, rank 1 has none; or as `local`, this rank's number of block rows, says. `seed`
// changes the values only. `order`, if there is one, is the block row at each place of the matrix.
PetscErrorCode AssembleMatrix(const Couplings &couplings, PetscInt n, MatType type, int seed, Mat *A,
                              PetscInt local = PETSC_DECIDE, MPI_Comm comm = PETSC_COMM_WORLD,
                              const std::vector<PetscInt> &order = {});

// Ends the insertion of values.
PetscErrorCode Assemble(Mat A);

// The value of entry (row, col) in such a matrix.
PetscScalar EntryValue(PetscInt row, PetscInt col, PetscInt n, int seed, std::size_t row_length);

// A preconditioner set from options, which are cleared again.
PetscErrorCode MakePC(Mat A, const char *type, const std::string &options, PC *pc);
PetscErrorCode MakeReference(Mat A, PC *pc); // bjacobi with ilu in natural order

// b with entries that depend on the global row only.
PetscErrorCode MakeVectors(Mat A, Vec *b, Vec *x);

// Those, and two vectors of zeros.
struct Vectors {
  explicit Vectors(Mat A) { code = MakeVectors(A, &b, &x) || VecDuplicate(x, &y) || VecSet(x, 0) || VecSet(y, 0); }
  Owned<Vec> b, x, y;
  int code;
};

// x = NaN, then x = M^-1 b.
PetscErrorCode Apply(PC pc, Vec b, Vec x);

// |x - y| / |y| in the maximum norm; NaN if either has one.
PetscErrorCode Difference(Vec x, Vec y, PetscReal *d);

// x = the result of steps x += M^-1 (b - A x) with these preconditioners in turn, from zero, or from the last to the
// first with all transposed, with PETSc's functions.
PetscErrorCode PlainSteps(Mat A, std::vector<PC> turns, bool transposed, Vec b, Vec x);

// x = M^-1 b and k steps x += M^-1 (b - A x), or the same with the transposes, with PETSc's functions.
PetscErrorCode PlainCorrections(Mat A, PC M, PetscInt k, bool transposed, Vec b, Vec x);

// Difference between two PCs on the same right-hand side.
PetscErrorCode ComparePCs(Mat A, PC p, PC q, PetscReal *d);

// What PCView() or KSPView() prints.
PetscErrorCode ViewText(PetscObject object, std::string *text, PetscViewerFormat format = PETSC_VIEWER_DEFAULT);
inline PetscErrorCode ViewText(PC pc, std::string *text) { return ViewText(object(pc), text); }

// What a call writes to a descriptor, 1 for stdout, 2 for stderr, on this rank.
PetscErrorCode Capture(int descriptor, const std::function<PetscErrorCode()> &call, std::string *text);

// Sets the options of a PC with -help: what PETSc prints, on the first rank.
PetscErrorCode HelpText(PC pc, std::string *text);

// What -info says while `body` runs, on the first rank.
PetscErrorCode InfoText(const std::function<PetscErrorCode()> &body, std::string *text);

// Sets options of a new PC of a type with -help: -<prefix>pc_<type>_... must be listed for `options`, and the strings
// in `others` must not. PETSc prints the options of a prefix once.
void ExpectHelp(const char *type, const std::string &prefix, const std::vector<std::string> &options,
                const std::vector<std::string> &others);

// The number that follows `key`, which must be there.
PetscInt NumberAfter(const std::string &text, const std::string &key);

// Every one of `parts` must be in `text`.
void ExpectIn(const std::string &text, const std::vector<std::string> &parts);

// Ranks.
int Size();
int Rank();

// A + A^T, or with A^H: symmetric, and as dominant as A. The pattern has to be symmetric.
PetscErrorCode MakeSymmetric(Mat A, bool hermitian = false);

// Gives a solver its grid, and no matrix from it.
PetscErrorCode SetGrid(KSP ksp, DM da);

// A DMDA of 11 x 10 x 9 points, less in fewer dimensions, and a matrix of a DMDA with random values.
PetscErrorCode MakeGrid(PetscInt dim, DMBoundaryType boundary, DMDAStencilType stencil, PetscInt dof, PetscInt width,
                        DM *da, MPI_Comm comm = PETSC_COMM_WORLD);
// Values by natural index, on any number of ranks.
PetscErrorCode AssembleOnGrid(DM da, MatType type, Mat *A, int seed = 3);

// Numbers that do not depend on the number of ranks of the rows of A owned here: natural ones of a DMDA, or global.
PetscErrorCode FindIndices(Mat A, DM da, std::vector<PetscInt> *index);

// Zeroes a block row and column of the matrix, which leaves the structure as it is.
PetscErrorCode MakeSingular(Mat A, PetscInt block_row, PetscInt n);

// How often an event has been logged on this rank.
int EventCount(const char *name);
int Factorizations(); // of ours, and of PETSc's ILU and ICC
int Applications();   // of ours on all ranks

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

// Runs `call`, expecting it to fail on all ranks; returns the text of the rank that found the reason.
std::string ExpectError(const std::function<PetscErrorCode()> &call);

inline constexpr PetscReal tolerance = PetscReal(20000) * PETSC_MACHINE_EPSILON;

} // namespace finegrain::test
