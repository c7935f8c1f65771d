// SPDX-License-Identifier: BSD-2-Clause
// The operator that is read equals the MatMult() of the matrix: for every storage and every way to fill it, in all
// functions that compute products or residuals. PETSc's products of SBAIJ ignore entries below the diagonal of
// diagonal blocks of 2 to 7 rows, and read them in larger blocks.
#include "refine.hpp"
#include "types.hpp"

using namespace finegrain::test;

namespace
{

// Entries of diagonal blocks below their diagonal: the mirror image, zeros, other values, or what PETSc stores if
// scalars are set above it (the mirror image on one rank, zeros on several).
enum class Lower { mirrored, zero, other, scalars };
constexpr const char *lower_names[] = {"whole", "upper only", "other values below", "by scalars"};

struct Storage {
  MatType type;
  Lower lower;
};

constexpr Storage storages[] = {
  {MATSBAIJ, Lower::zero},    {MATSBAIJ, Lower::mirrored}, {MATSBAIJ, Lower::scalars},       {MATSBAIJ, Lower::other},
  {MATBAIJ, Lower::mirrored}, {MATAIJ, Lower::mirrored},   {MATBAIJKOKKOS, Lower::mirrored}, {MATBAIJ, Lower::other}};
constexpr PetscInt points = 10; // in the line of each rank

// True if MatMult() is symmetric; that of PETSc's SBAIJ may not be, with blocks of 8 or more.
bool IsSymmetric(const Storage &s, PetscInt n)
{
  return s.lower == Lower::mirrored || (n < 8 && s.type == std::string(MATSBAIJ));
}

std::string Name(const Storage &s, PetscInt n)
{
  return std::string(s.type) + ", " + lower_names[int(s.lower)] + ", blocks of " + std::to_string(n);
}

PetscScalar DiagonalEntry(Lower lower, PetscInt n, PetscInt row, PetscInt col)
{
  if (row == col) return 4 + PetscReal(n) / 2;
  if (row > col && lower == Lower::zero) return 0;
  return row > col && lower == Lower::other ? PetscReal(-0.25) : PetscReal(0.5);
}

// Fills a line of blocks, coupled to their neighbors on all ranks. It is symmetric except below the diagonals of
// diagonal blocks. `gap`: the first row has no diagonal block.
PetscErrorCode Fill(Mat A, Lower lower, bool upper_only, bool gap)
{
  PetscInt n, first, last, all;

  PetscFunctionBegin;
  PetscCall(MatGetBlockSize(A, &n));
  PetscCall(MatGetOwnershipRange(A, &first, &last));
  PetscCall(MatGetSize(A, &all, nullptr));
  std::vector<PetscScalar> diagonal, beside(std::size_t(n * n), 0);
  for (PetscInt row = 0; row < n; ++row) {
    beside[std::size_t(row * n + row)] = -1;
    for (PetscInt col = 0; col < n; ++col) diagonal.push_back(DiagonalEntry(lower, n, row, col));
  }
  for (PetscInt i = first / n; i < last / n; ++i) {
    if (lower == Lower::scalars)
      for (PetscInt row = 0; row < n; ++row)
        for (PetscInt col = row; col < n; ++col)
          PetscCall(MatSetValue(A, i * n + row, i * n + col, DiagonalEntry(lower, n, row, col), INSERT_VALUES));
    else if (!gap || i > 0) PetscCall(MatSetValuesBlocked(A, 1, &i, 1, &i, diagonal.data(), INSERT_VALUES));
    for (const PetscInt j : {i - 1, i + 1})
      if (j >= (upper_only ? i : 0) && j < all / n)
        PetscCall(MatSetValuesBlocked(A, 1, &i, 1, &j, beside.data(), INSERT_VALUES));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Make(const Storage &s, PetscInt n, Mat *A, bool gap = false)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, points * n, points * n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*A, n));
  PetscCall(MatSetType(*A, s.type));
  PetscCall(MatXAIJSetPreallocation(*A, n, std::vector<PetscInt>(points, 3).data(),
                                    std::vector<PetscInt>(points, 2).data(), std::vector<PetscInt>(points, 2).data(),
                                    std::vector<PetscInt>(points, 1).data()));
  PetscCall(Fill(*A, s.lower, s.type == std::string(MATSBAIJ), gap));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Residual(Mat A, Vec b, Vec x, PetscReal *relative)
{
  Owned<Vec> r;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, relative));
  PetscCall(VecNorm(b, NORM_2, &norm));
  *relative /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves twice, first with a multiple of the matrix; the solution must satisfy MatMult().
void ExpectAnswers(Mat A, const std::string &options)
{
  SCOPED_TRACE(options);
  const PetscReal rtol = PetscSqrtReal(PETSC_MACHINE_EPSILON);
  Owned<KSP> ksp;
  Vectors v(A);
  OK(v.code);
  const Options set(options);
  OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
  OK(KSPSetTolerances(ksp, rtol, 0, PETSC_DEFAULT, 500));
  OK(KSPSetFromOptions(ksp));
  for (const PetscReal scale : {2, 1}) {
    KSPConvergedReason reason;
    PetscReal residual;
    OK(MatScale(A, scale == 2 ? PetscReal(2) : PetscReal(0.5)));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetConvergedReason(ksp, &reason));
    OK(Residual(A, v.b, v.x, &residual));
    EXPECT_GT(reason, 0) << scale;
    EXPECT_LT(residual, 20 * rtol) << scale;
  }
}

// An application with corrections equals one without, and steps with PETSc's residuals.
void ExpectCorrections(Mat A, const std::string &type, const std::string &options)
{
  SCOPED_TRACE(type + " -corrections");
  Owned<PC> plain, corrected;
  PetscReal d;
  Vectors v(A);
  OK(v.code);
  OK(MakePC(A, type.c_str(), options, &plain));
  OK(MakePC(A, type.c_str(), options + " -pc_" + type + "_corrections 2", &corrected));
  OK(PlainCorrections(A, plain, 2, false, v.b, v.y));
  OK(Apply(corrected, v.b, v.x));
  OK(Difference(v.x, v.y, &d));
  EXPECT_LT(d, tolerance);
}

void ExpectProduct(Mat A, Mat B)
{
  PetscReal d;
  Vectors v(A);
  OK(v.code);
  OK(MatMult(A, v.b, v.y));
  OK(MatMult(B, v.b, v.x));
  OK(Difference(v.x, v.y, &d));
  EXPECT_LT(d, tolerance);
}

void ExpectProductsOfConversions(Mat A)
{
  Owned<Mat> B, duplicate, in_place;
  OK(MatConvert(A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &B));
  ExpectProduct(A, B);
  OK(MatScale(A, 2));
  OK(MatConvert(A, MATBAIJKOKKOS, MAT_REUSE_MATRIX, B.in_place()));
  ExpectProduct(A, B);
  OK(MatDuplicate(A, MAT_COPY_VALUES, &duplicate)); // for SBAIJ this reads whole blocks
  OK(MatDuplicate(A, MAT_COPY_VALUES, &in_place));
  OK(MatConvert(in_place, MATBAIJKOKKOS, MAT_INPLACE_MATRIX, in_place.in_place()));
  ExpectProduct(duplicate, in_place);
  OK(MatScale(A, 0.5));
}

// Options of a type that needs a grid.
std::string GridOf(const TypeCase &t)
{
  return t.needs_grid ? Expand(" -@_grid " + std::to_string(points) + ",1,1", t.type) : "";
}

class Operator : public ::testing::TestWithParam<PetscInt>
{
};
INSTANTIATE_TEST_SUITE_P(Blocks, Operator, ::testing::Range(PetscInt(2), PetscInt(9)));

TEST_P(Operator, OfSolversIsMatMult)
{
  for (const Storage &s : storages) {
    SCOPED_TRACE(Name(s, GetParam()));
    Owned<Mat> A;
    OK(Make(s, GetParam(), &A));
    ExpectAnswers(A, "-ksp_type gmres -pc_type fgbilu -pc_fgbilu_eisenstat");
    const std::string sip = "-ksp_type sip -pc_type sip -pc_sip_grid " + std::to_string(points) + ",1,1";
    ExpectAnswers(A, sip);
    ExpectAnswers(A, sip + " -pc_sip_corrections 1");
    for (const TypeCase &t : AllTypes()) {
      if (t.symmetric && !IsSymmetric(s, GetParam())) continue;
      const std::string type = t.type, pc = " -pc_type " + type + GridOf(t);
      ExpectAnswers(A, "-ksp_type refine" + pc);
      ExpectAnswers(A, "-ksp_type richardson -pc_" + type + "_apply_richardson tolerance" + pc);
      ExpectAnswers(A, "-ksp_type richardson -ksp_max_it 150 -pc_" + type + "_apply_richardson fixed" + pc);
    }
  }
}

TEST_P(Operator, OfCorrectionsAndConversionsIsMatMult)
{
  for (const Storage &s : storages) {
    SCOPED_TRACE(Name(s, GetParam()));
    Owned<Mat> A;
    OK(Make(s, GetParam(), &A));
    for (const TypeCase &t : AllTypes())
      if (!t.symmetric || IsSymmetric(s, GetParam())) ExpectCorrections(A, t.type, GridOf(t));
    if (s.type != std::string(MATBAIJKOKKOS)) ExpectProductsOfConversions(A);
  }
}

// CG with Eisenstat's trick multiplies by the upper triangle only.
TEST_P(Operator, OfSymmetricMatricesIsMatMult)
{
  for (const Storage &s : storages) {
    if (!IsSymmetric(s, GetParam())) continue;
    SCOPED_TRACE(Name(s, GetParam()));
    Owned<Mat> A;
    OK(Make(s, GetParam(), &A));
    ExpectAnswers(A, "-ksp_type cg -pc_type fgbilu -pc_fgbilu_eisenstat");
    ExpectAnswers(A, "-ksp_type cg -pc_type fgbicc -pc_fgbicc_corrections 2");
  }
}

// With this option PETSc reads whole diagonal blocks of any size.
TEST(OperatorOfSbaij, FollowsMatNoUnroll)
{
  const Options set("-mat_no_unroll");
  for (const Lower lower : {Lower::zero, Lower::other}) {
    Owned<Mat> A;
    OK(Make({MATSBAIJ, lower}, 3, &A));
    ExpectProductsOfConversions(A);
    ExpectAnswers(A, "-ksp_type refine -pc_type fgbilu");
    ExpectCorrections(A, PCFGBILU, "");
  }
}

// A copy with added diagonal blocks is the same operator.
TEST(OperatorOfSbaij, StaysWhenDiagonalBlocksAreAdded)
{
  for (const PetscInt n : {3, 8})
    for (const Lower lower : {Lower::zero, Lower::other}) {
      Owned<Mat> A;
      OK(Make({MATSBAIJ, lower}, n, &A, true));
      ExpectCorrections(A, PCFGBILU, "-pc_fgbilu_add_diagonal -pc_fgbilu_shift_type inblocks");
    }
}

} // namespace
