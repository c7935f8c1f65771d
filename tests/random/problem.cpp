// SPDX-License-Identifier: BSD-2-Clause
#include "problem.hpp"

#include "hash.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace finegrain::test
{

namespace
{

// Graphs of different degree, bandwidth, rows without neighbors, and rows coupled to all others.
Couplings DrawGraph(Draw &draw, PetscInt rows, bool symmetric, std::string *text)
{
  const std::string kind = draw.of({"scattered", "scattered", "band", "arrow", "diagonal", "pairs", "star", "box"});
  *text += " " + kind;
  if (kind == "star" || kind == "box") {
    const PetscInt i = draw.between(1, 7), j = draw.between(1, 6), k = draw.between(1, 5);
    return kind == "star" ? star(i, j, k, draw.between(1, 2)) : box(i, j, k);
  }
  Couplings c{std::size_t(rows)};
  const auto couple = [&](PetscInt i, PetscInt j) {
    c[std::size_t(i)].insert(j);
    if (symmetric) c[std::size_t(j)].insert(i);
  };
  const int degree = draw.between(1, 6);
  for (PetscInt i = 0; i < rows; ++i) {
    couple(i, i);
    if (kind == "scattered")
      for (int d = 0; d < degree; ++d)
        if (draw.chance(0.7)) couple(i, PetscInt(draw.below(std::size_t(rows))));
    if (kind == "band")
      for (PetscInt j = std::max(PetscInt(0), i - degree); j <= std::min(rows - 1, i + degree); ++j)
        if (symmetric || draw.chance(0.8)) couple(i, j);
    if (kind == "arrow") couple(i, rows - 1), couple(rows - 1, i);
    if (kind == "pairs") couple(i, i ^ 1 && (i ^ 1) < rows ? i ^ 1 : i);
  }
  return c;
}

PetscErrorCode DrawGrid(Draw &draw, const TypeCase &type, Problem *p)
{
  Owned<DM> &da = p->da;
  const int dim = draw.between(1, 3), width = draw.chance(0.8) ? 1 : 2;
  // Usually enough points for the ranks and the stencil of PETSc's own DMDA.
  const auto points = [&](int axis) { return axis < dim ? draw.between(1 + width * Size(), 5 + 3 * Size()) : 1; };
  const int i = points(0), j = points(1), k = points(2);
  const bool box = !type.needs_grid && draw.chance(0.3);
  const auto boundary = [&] { return draw.chance(0.2) ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE; };

  PetscFunctionBegin;
  PetscCall(DMDACreate(PETSC_COMM_WORLD, &da));
  PetscCall(DMSetDimension(da, dim));
  PetscCall(DMDASetSizes(da, i, j, k));
  const DMBoundaryType x = boundary(), y = boundary(), z = boundary();
  PetscCall(DMDASetBoundaryType(da, x, y, z));
  PetscCall(DMDASetStencilType(da, box ? DMDA_STENCIL_BOX : DMDA_STENCIL_STAR));
  PetscCall(DMDASetStencilWidth(da, width));
  PetscCall(DMDASetDof(da, p->n));
  PetscCall(DMSetUp(da));
  p->periodic = x == DM_BOUNDARY_PERIODIC || y == DM_BOUNDARY_PERIODIC || z == DM_BOUNDARY_PERIODIC;
  p->text += std::string(" grid ") + std::to_string(i) + "," + std::to_string(j) + "," + std::to_string(k) +
             (box ? " box " : " star ") + std::to_string(width) + " periodic " + std::to_string(int(x)) +
             std::to_string(int(y)) + std::to_string(int(z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// v_i = f(i) for the rows of this rank.
template <class F> PetscErrorCode FillVector(Vec v, const F &f)
{
  PetscInt first, last;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetArray(v, &values));
  for (PetscInt i = first; i < last; ++i) values[i - first] = f(i, values[i - first]);
  PetscCall(VecRestoreArray(v, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Sets the diagonal block of a block row to value(r, c), on the rank that owns it.
template <class F> PetscErrorCode SetBlock(Mat A, PetscInt row, PetscInt n, const F &value)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  for (PetscInt r = 0; r < n; ++r)
    for (PetscInt c = 0; c < n; ++c)
      if (row * n >= first && row * n < last)
        PetscCall(MatSetValue(A, row * n + r, row * n + c, value(r, c), INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A number from -1 to 1 that depends on key and index.
PetscReal Random(std::uint64_t key, PetscInt i)
{
  return PetscReal(hash_value(key % (1u << 30) * 100003 + std::uint64_t(i)));
}

PetscErrorCode Harden(Draw &draw, bool symmetric, Problem *p)
{
  const std::uint64_t key = draw.key();
  const PetscReal most = sizeof(PetscReal) == 8 ? 8 : 2; // powers of ten
  const std::string bad = draw.of({"zero", "inf", "nan"});
  PetscInt rows;
  Owned<Vec> d, left, right;

  PetscFunctionBegin;
  PetscCall(MatGetSize(p->A, &rows, nullptr));
  const std::size_t blocks = std::size_t(rows / p->n);
  PetscCall(MatCreateVecs(p->A, &d, &left));
  PetscCall(VecDuplicate(d, &right));
  switch (p->values) {
  case Values::dominant:
    break;
  case Values::weak:
  case Values::indefinite:
    PetscCall(MatGetDiagonal(p->A, d));
    PetscCall(FillVector(d, [&](PetscInt i, PetscScalar v) {
      const PetscReal f = Random(key, i);
      return v * (p->values == Values::weak ? std::abs(f) : f);
    }));
    PetscCall(MatDiagonalSet(p->A, d, INSERT_VALUES));
    break;
  case Values::scaled:
    PetscCall(FillVector(left, [&](PetscInt i, PetscScalar) {
      return PetscScalar(std::pow(PetscReal(10), std::round(most * Random(key, i % p->n))));
    }));
    PetscCall(FillVector(right, [&](PetscInt i, PetscScalar) {
      return PetscScalar(std::pow(PetscReal(10), std::round(most * Random(key, i % p->n + (symmetric ? 0 : 64)))));
    }));
    PetscCall(MatDiagonalScale(p->A, left, right));
    break;
  case Values::singular:
    for (int k = 0; k < 3; ++k)
      PetscCall(SetBlock(p->A, PetscInt(draw.below(blocks)), p->n, [&](PetscInt r, PetscInt c) {
        return PetscScalar((1 + Random(key, r)) * (1 + Random(key, c)) + (r == c ? PetscReal(1e-9) : 0));
      }));
    break;
  case Values::useless:
    p->text += " " + bad;
    p->zero = bad == "zero";
    PetscCall(SetBlock(p->A, PetscInt(draw.below(blocks)), p->n, [&](PetscInt r, PetscInt c) {
      return p->zero        ? PetscScalar(0)
             : r != c       ? PetscScalar(1)
             : bad == "inf" ? PetscScalar(std::numeric_limits<PetscReal>::infinity())
                            : PetscScalar(std::nan(""));
    }));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode DrawProblem(Draw &draw, const TypeCase &type, Problem *p)
{
  static const std::vector<PetscInt> sizes = {1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 17, 32};
  static const std::vector<Values> values = {Values::dominant, Values::dominant, Values::weak,   Values::indefinite,
                                             Values::scaled,   Values::singular, Values::useless};
  static const char *const names[] = {"dominant", "weak", "indefinite", "scaled", "singular", "useless"};

  PetscFunctionBegin;
  p->n = draw.of(sizes);
  p->values = draw.of(values);
  p->format = draw.of({"aij", "baij", "baij", "baijkokkos", "sbaij"});
  const bool symmetric = type.symmetric || p->format == "sbaij" || draw.chance(0.2);
  // SBAIJ is converted from BAIJ, because it lacks most of the operations used here.
  std::string made = p->format == "sbaij" ? "baij" : p->format;
  p->text = p->format + " n " + std::to_string(p->n) + " " + names[int(p->values)];
  if (type.needs_grid || draw.chance(0.3)) {
    if (p->n > 9) p->n = 5;
    PetscCall(DrawGrid(draw, type, p));
    PetscInt dim;
    PetscCall(DMGetDimension(p->da, &dim));
    if (dim == 1) p->format = made = MATAIJ; // PETSc supports no others
    PetscCall(AssembleOnGrid(p->da, made.c_str(), &p->A, int(draw.below(1000))));
  } else {
    const PetscInt rows = draw.between(1, draw.chance(0.1) ? 1000 / int(p->n) : 150 / int(p->n) + 3);
    const Couplings couplings = DrawGraph(draw, rows, symmetric, &p->text);
    // Any division, empty ranks included.
    std::vector<PetscInt> cut{0, PetscInt(couplings.size())};
    for (int r = 1; r < Size(); ++r) cut.push_back(PetscInt(draw.below(couplings.size() + 1)));
    std::sort(cut.begin(), cut.end());
    const PetscInt local = cut[std::size_t(Rank()) + 1] - cut[std::size_t(Rank())];
    p->text += " rows";
    for (std::size_t r = 1; r < cut.size(); ++r) p->text += " " + std::to_string(cut[r] - cut[r - 1]);
    PetscCall(AssembleMatrix(couplings, p->n, made.c_str(), int(draw.below(1000)), &p->A, local));
  }
  if (symmetric) PetscCall(MakeSymmetric(p->A));
  PetscCall(Harden(draw, symmetric, p));
  if (type.symmetric) PetscCall(MatSetOption(p->A, MAT_SYMMETRIC, PETSC_TRUE));
  if (p->format == "sbaij") {
    PetscCall(MatSetOption(p->A, MAT_SYMMETRIC, PETSC_TRUE));
    Owned<Mat> S;
    PetscCall(MatConvert(p->A, MATSBAIJ, MAT_INITIAL_MATRIX, &S));
    DM da;
    PetscCall(MatGetDM(p->A, &da));
    if (da) PetscCall(MatSetDM(S, da));
    p->A = std::move(S);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ChangeValues(Mat A, std::uint64_t key)
{
  Owned<Vec> d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &d, nullptr));
  PetscCall(MatGetDiagonal(A, d));
  PetscCall(FillVector(d, [&](PetscInt i, PetscScalar v) { return v * (2 + Random(key, i)); }));
  PetscCall(MatDiagonalSet(A, d, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Perturb(Mat A, PetscReal size, std::uint64_t key, Mat *B)
{
  Owned<Vec> left, right;
  PetscBool symmetric, known;

  PetscFunctionBegin;
  // Factors of rows and columns differ from entry to entry, but a symmetric matrix stays symmetric.
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, B));
  PetscCall(MatCreateVecs(A, &right, &left));
  const auto factor = [&](std::uint64_t shift) {
    return [=](PetscInt i, PetscScalar) { return PetscScalar(1 + size * Random(key + shift, i)); };
  };
  PetscCall(FillVector(left, factor(0)));
  PetscCall(FillVector(right, factor(1)));
  PetscCall(MatDiagonalScale(*B, left, known && symmetric ? left : right)); // SBAIJ requires the same object
  PetscCall(MatGetDiagonal(*B, left));
  PetscCall(FillVector(left, [&](PetscInt i, PetscScalar v) { return v * (1 + size * Random(key + 2, i)); }));
  PetscCall(MatDiagonalSet(*B, left, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
