// SPDX-License-Identifier: BSD-2-Clause
// VECREPRODUCIBLE: every sum over all ranks is bitwise identical to that of one rank, which each rank computes alone
// in reverse order. Also the life of the type.
#include "fixture.hpp"

#include <petsc/private/vecimpl.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace finegrain::test;

namespace
{

// Entry i of vector `which`: all magnitudes from 2^-60 to 2^60 times `scale`, so that plain sums depend on their
// order.
PetscScalar Entry(PetscInt i, int which, PetscReal scale)
{
  const PetscReal part = std::ldexp(std::sin(PetscReal(1 + i * (which + 2))), int(i * 7 % 121) - 60);
#if defined(PETSC_USE_COMPLEX)
  return scale * PetscCMPLX(part, std::cos(PetscReal(i)) * part);
#else
  return scale * part;
#endif
}

// Makes vectors of uneven length on all ranks, one of which is empty, or of their entries in reverse order on one.
PetscErrorCode Make(MPI_Comm comm, PetscInt size, int which, PetscReal scale, Vec *v)
{
  const bool alone = comm == PETSC_COMM_SELF;
  const int rank = Rank(), ranks = Size();
  PetscInt first, last, local = PETSC_DECIDE;
  PetscScalar *array;

  PetscFunctionBegin;
  if (!alone && ranks > 1) {
    const auto cut = [&](int r) { return r == 2 && ranks > 2 ? size / (ranks + 1) : size * r / (ranks + 1); };
    local = (rank + 1 == ranks ? size : cut(rank + 1)) - cut(rank);
  }
  PetscCall(VecCreate(comm, v));
  PetscCall(VecSetSizes(*v, local, size));
  PetscCall(VecSetType(*v, VECREPRODUCIBLE));
  PetscCall(VecGetOwnershipRange(*v, &first, &last));
  PetscCall(VecGetArrayWrite(*v, &array));
  for (PetscInt i = first; i < last; ++i) array[i - first] = Entry(alone ? size - 1 - i : i, which, scale);
  PetscCall(VecRestoreArrayWrite(*v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// All that PETSc can ask of two vectors.
PetscErrorCode AllSums(Vec x, Vec y, Vec z, std::vector<PetscScalar> *all)
{
  PetscScalar s[3], dot;
  PetscReal norms[2], square;
  const Vec many[] = {y, z, x};
  const auto keep = [&](int count) { all->insert(all->end(), s, s + count); };

  PetscFunctionBegin;
  PetscCall(VecDot(x, y, s));
  PetscCall(VecTDot(x, y, s + 1));
  PetscCall(VecSum(x, s + 2));
  keep(3);
  PetscCall(VecMDot(x, 3, many, s));
  keep(3);
  PetscCall(VecMTDot(x, 3, many, s));
  keep(3);
  PetscCall(VecDotNorm2(x, y, &dot, &square));
  PetscCall(VecDotBegin(x, z, s));
  PetscCall(VecNormBegin(y, NORM_2, norms));
  PetscCall(VecMDotBegin(x, 3, many, s));
  PetscCall(VecDotEnd(x, z, &s[0]));
  PetscCall(VecNormEnd(y, NORM_2, norms));
  all->insert(all->end(), {dot, square, s[0], norms[0]});
  PetscCall(VecMDotEnd(x, 3, many, s));
  keep(3);
  for (const NormType type : {NORM_1, NORM_2, NORM_FROBENIUS, NORM_INFINITY}) {
    PetscCall(VecNorm(z, type, norms));
    all->push_back(norms[0]);
  }
  PetscCall(VecNorm(y, NORM_1_AND_2, norms));
  all->insert(all->end(), norms, norms + 2);
#if PETSC_VERSION_GE(3, 20, 0)
  PetscReal weighted[3];
  PetscInt counts[3];
  for (const NormType type : {NORM_2, NORM_INFINITY}) {
    PetscCall(VecErrorWeightedNorms(x, y, z, type, 1, nullptr, 0.1, nullptr, -1, weighted, counts, weighted + 1,
                                    counts + 1, weighted + 2, counts + 2));
    all->insert(all->end(), weighted, weighted + 3);
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(VecReproducible, SumsAreThoseOfOneRankInAnyOrder)
{
  for (const PetscInt size : {0, 1, 5, 3000, 40000})
    for (const PetscReal scale :
         {PetscReal(1), PetscReal(std::numeric_limits<PetscReal>::min()), std::sqrt(PETSC_MAX_REAL)}) {
      SCOPED_TRACE(std::to_string(size) + " entries times " + std::to_string(scale));
      std::vector<PetscScalar> sums, alone;
      for (const MPI_Comm comm : {PETSC_COMM_WORLD, PETSC_COMM_SELF}) {
        Owned<Vec> v[3];
        for (int k = 0; k < 3; ++k) {
          OK(Make(comm, size, k, scale, &v[k]));
        }
        OK(AllSums(v[0], v[1], v[2], comm == PETSC_COMM_SELF ? &alone : &sums));
      }
      ASSERT_EQ(sums.size(), alone.size());
      for (std::size_t i = 0; i < sums.size(); ++i)
        EXPECT_EQ(0, std::memcmp(&sums[i], &alone[i], sizeof(PetscScalar)))
          << i << ": " << PetscRealPart(sums[i]) << ", " << PetscRealPart(alone[i]);
    }
}

// Compared with sums of long double, which plain sums do not reach: terms cancel to 1e-15 of their magnitudes.
TEST(VecReproducible, SumsAreAccurate)
{
  const PetscInt size = 2000;
  Owned<Vec> v;
  PetscInt first, last;
  PetscScalar *array, sum;
  OK(Make(PETSC_COMM_WORLD, size, 0, 1, &v));
  OK(VecGetOwnershipRange(v, &first, &last));
  OK(VecGetArrayWrite(v, &array));
  long double expected = 0;
  for (PetscInt i = 0; i < size; ++i) {
    const PetscReal large = PetscReal(1 << 20) * PetscReal(i / 2 + 1),
                    value = i % 2 ? -large : large + PetscReal(i) / 1024;
    expected += value;
    if (i >= first && i < last) array[i - first] = value;
  }
  OK(VecRestoreArrayWrite(v, &array));
  OK(VecSum(v, &sum));
  EXPECT_EQ(PetscRealPart(sum), PetscReal(expected));
}

// Norms of entries whose squares over- or underflow, and what is not finite, as PETSc's own vectors have them.
TEST(VecReproducible, NormsHaveTheWholeRange)
{
  const PetscReal most = PETSC_MAX_REAL / 4,
                  least = 8 * PETSC_MIN_REAL > 0 ? 4 * std::numeric_limits<PetscReal>::min() : 0;
  for (const PetscReal size : {most, least}) {
    Owned<Vec> v;
    PetscReal norm;
    OK(Make(PETSC_COMM_WORLD, 9, 0, 1, &v));
    OK(VecSet(v, size));
    OK(VecNorm(v, NORM_2, &norm));
    EXPECT_LE(PetscAbsReal(norm / 3 - size), 2 * PETSC_MACHINE_EPSILON * size); // norm = 3 size
  }
  constexpr PetscReal infinity = std::numeric_limits<PetscReal>::infinity(),
                      nan = std::numeric_limits<PetscReal>::quiet_NaN();
  for (const std::vector<PetscReal> &special : std::vector<std::vector<PetscReal>>{
         {infinity, 1, 2}, {nan, 1, 2}, {infinity, -infinity, 1}, {nan, infinity, 1}}) {
    PetscReal norm[3];
    PetscScalar sum;
    Owned<Vec> v;
    OK(VecCreate(PETSC_COMM_WORLD, &v));
    OK(VecSetSizes(v, PETSC_DECIDE, 3));
    OK(VecSetType(v, VECREPRODUCIBLE));
    for (PetscInt i = 0; i < 3; ++i) {
      OK(VecSetValue(v, i, special[std::size_t(i)], INSERT_VALUES));
    }
    OK(VecAssemblyBegin(v));
    OK(VecAssemblyEnd(v));
    OK(VecNorm(v, NORM_1, norm));
    OK(VecNorm(v, NORM_2, norm + 1));
    OK(VecNorm(v, NORM_INFINITY, norm + 2));
    OK(VecSum(v, &sum));
    const bool has_nan = std::isnan(special[0]);
    for (const PetscReal n : norm) EXPECT_TRUE(has_nan ? std::isnan(n) : std::isinf(n)) << n;
    EXPECT_EQ(std::isnan(PetscRealPart(sum)), has_nan || special[1] < 0);
  }
}

#if PETSC_VERSION_GE(3, 20, 0)
// The norms by which TS adapts its steps are those of PETSC's vectors: with scalars or vectors as tolerances, with an
// error or the difference of two vectors, without small entries.
TEST(VecReproducible, WeightedNormsAreThoseOfPETSc)
{
  for (const NormType type : {NORM_2, NORM_INFINITY})
    for (const bool vectors : {false, true}) {
      PetscReal norms[2][3];
      PetscInt counts[2][3];
      for (const bool standard : {false, true}) {
        Owned<Vec> v[5];
        for (int k = 0; k < 5; ++k) {
          OK(Make(PETSC_COMM_WORLD, 3000, k, 1, &v[k]));
          if (standard) {
            Owned<Vec> copy;
            PetscInt n;
            OK(VecGetLocalSize(v[k], &n));
            OK(VecCreateMPI(PETSC_COMM_WORLD, n, PETSC_DETERMINE, &copy));
            OK(VecCopy(v[k], copy));
            v[k] = std::move(copy);
          }
        }
        PetscReal *norm = norms[standard];
        PetscInt *count = counts[standard];
        OK(VecErrorWeightedNorms(v[0], v[1], vectors ? v[2] : nullptr, type, 0.5, vectors ? v[3] : nullptr, 0.1,
                                 vectors ? v[4] : nullptr, 1e-9, norm, count, norm + 1, count + 1, norm + 2,
                                 count + 2));
      }
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(norms[0][k], norms[1][k], 1e3 * PETSC_MACHINE_EPSILON * norms[1][k]) << k << vectors;
        EXPECT_EQ(counts[0][k], counts[1][k]) << k << vectors;
        EXPECT_GT(counts[0][k], 0);
      }
    }
}
#endif

// Limits of PETSc: split reductions square norms, so that large ones overflow, and a change of the type drops ghosts.
TEST(VecReproducible, SplitNormsOverflowAndGhostsAreDropped)
{
  Owned<Vec> v;
  Vec local;
  PetscReal norm;
  const PetscInt ghost = 0;
  OK(Make(PETSC_COMM_WORLD, 9, 0, 1, &v));
  OK(VecSet(v, PETSC_MAX_REAL / 4));
  OK(VecNormBegin(v, NORM_2, &norm));
  OK(VecNormEnd(v, NORM_2, &norm));
  EXPECT_TRUE(std::isinf(norm));
  if (Size() == 1) return; // a vector of one rank is its own local form in newer versions
  OK(VecCreateGhost(PETSC_COMM_WORLD, 4, PETSC_DETERMINE, 1, &ghost, &v));
  OK(VecSetType(v, VECREPRODUCIBLE));
  OK(VecGhostGetLocalForm(v, &local));
  EXPECT_EQ(local, nullptr);
}

// Updates of a vector in pieces of any length are those of the whole vector.
TEST(VecReproducible, UpdatesAreThoseOfOneRank)
{
  const PetscInt size = 5003;
  std::vector<PetscScalar> results[2];
  PetscInt first = 0, last = 0;
  for (const MPI_Comm comm : {PETSC_COMM_WORLD, PETSC_COMM_SELF}) {
    Owned<Vec> v[4];
    for (int k = 0; k < 4; ++k) {
      OK(Make(comm, size, k, 1, &v[k]));
    }
    const PetscScalar a[] = {0.3, -1.7};
    Vec x[] = {v[1], v[2]};
    OK(VecAXPY(v[0], 0.7, v[3]));
    OK(VecAXPBY(v[0], 0.3, -0.9, v[1]));
    OK(VecMAXPY(v[0], 2, a, x));
    OK(VecAYPX(v[0], 1.3, v[2]));
    OK(VecAXPBYPCZ(v[0], 0.3, 0.2, 1.1, v[1], v[3]));
    OK(VecSet(v[1], PETSC_INFINITY));
    OK(VecAXPBY(v[1], 0.3, 0, v[0])); // does not read the result
    OK(VecSet(v[2], PETSC_INFINITY));
    OK(VecAXPBY(v[1], 0, 0.7, v[2])); // nor this vector
    const PetscScalar *array;
    PetscInt n;
    const bool alone = comm == PETSC_COMM_SELF;
    OK(VecGetLocalSize(v[1], &n));
    if (!alone) {
      OK(VecGetOwnershipRange(v[1], &first, &last));
    }
    OK(VecGetArrayRead(v[1], &array));
    results[alone].assign(array, array + n);
    OK(VecRestoreArrayRead(v[1], &array));
  }
  for (PetscInt i = first; i < last; ++i)
    EXPECT_EQ(results[0][std::size_t(i - first)], results[1][std::size_t(size - 1 - i)]) << i;
}

PetscErrorCode ExpectType(Vec v)
{
  VecType type;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(object(v)), &size));
  PetscCall(VecGetType(v, &type));
  EXPECT_STREQ(type, size > 1 ? VECMPIREPRODUCIBLE : VECSEQREPRODUCIBLE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Conversions of a matrix to and from BAIJKOKKOS and its transpose keep the type, those of PETSc's types do not.
TEST(VecReproducible, IsKeptByMatricesComputedFromOthers)
{
  const auto expect_kept = [](Mat A, bool kept) {
    VecType type;
    OK(MatGetVecType(A, &type));
    EXPECT_EQ(type == std::string(VECREPRODUCIBLE), kept) << type;
  };
  for (const MatType from : {MATBAIJKOKKOS, MATAIJ, MATBAIJ})
    for (const MatType to : {MATBAIJKOKKOS, MATAIJ, MATBAIJ})
      for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_INPLACE_MATRIX}) {
        SCOPED_TRACE(std::string(from) + " to " + to + (reuse == MAT_INPLACE_MATRIX ? " in place" : ""));
        Owned<Mat> A, B;
        MatType made; // BAIJ is BAIJKOKKOS with -on_device
        OK(AssembleMatrix(star(3, 3, 3), 2, from, 1, &A));
        OK(MatGetType(A, &made));
        const bool from_ours = std::string(made).find(MATBAIJKOKKOS) != std::string::npos;
        const bool ours = from_ours || to == std::string(MATBAIJKOKKOS);
        if (!ours && reuse == MAT_INPLACE_MATRIX) continue;
        OK(MatSetVecType(A, VECREPRODUCIBLE));
        if (reuse == MAT_INPLACE_MATRIX) {
          OK(MatConvert(A, to, reuse, A.in_place()));
        } else {
          OK(MatConvert(A, to, reuse, &B));
        }
        expect_kept(reuse == MAT_INPLACE_MATRIX ? A : B, ours);
        if (reuse == MAT_INPLACE_MATRIX) continue;
        OK(MatTranspose(A, MAT_INITIAL_MATRIX, &B));
        expect_kept(B, from_ours);
      }
}

TEST(VecReproducible, IsKeptByWhateverMakesVectors)
{
  Owned<Vec> v, copy, global, local, from_matrix, loaded;
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PetscViewer> viewer;
  Vec *many;
  PetscBool same;
  OK(VecCreate(PETSC_COMM_WORLD, &v));
  OK(VecSetSizes(v, PETSC_DECIDE, 12));
  {
    const Options options("-vec_type reproducible");
    OK(VecSetFromOptions(v));
  }
  OK(ExpectType(v));
  PetscReal norm;
  OK(VecSetFromOptions(v)); // without the option: as it is
  OK(VecSetType(v, VECREPRODUCIBLE));
  OK(VecSetType(v, VECSTANDARD)); // there and back
  OK(VecSetType(v, VECREPRODUCIBLE));
  OK(VecSet(v, 2));
  OK(VecNorm(v, NORM_1, &norm));
  EXPECT_EQ(norm, 24);
  OK(VecDuplicate(v, &copy));
  OK(ExpectType(copy));
  OK(VecDuplicateVecs(v, 3, &many));
  for (int k = 0; k < 3; ++k) {
    OK(ExpectType(many[k]));
  }
  OK(VecDestroyVecs(3, &many));
  {
    const Options options("-dm_vec_type reproducible -dm_mat_type baijkokkos");
    OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
  }
  OK(DMCreateGlobalVector(da, &global));
  OK(ExpectType(global));
  OK(DMCreateLocalVector(da, &local));
  OK(ExpectType(local));
  OK(DMCreateMatrix(da, &A));
  OK(MatCreateVecs(A, &from_matrix, nullptr));
  OK(ExpectType(from_matrix));
  OK(AssembleMatrix(star(3, 3, 3), 2, MATBAIJKOKKOS, 1, &A));
  OK(MatSetVecType(A, VECREPRODUCIBLE));
  OK(MatCreateVecs(A, nullptr, &from_matrix));
  OK(ExpectType(from_matrix));
  OK(AssembleMatrix(star(3, 3, 3), 2, MATBAIJ, 1, &A));
  OK(MatSetVecType(A, VECREPRODUCIBLE));
  OK(MatSetType(A, MATBAIJKOKKOS));
  OK(MatCreateVecs(A, nullptr, &from_matrix));
  OK(ExpectType(from_matrix));
  // A file, and a sub-vector.
  OK(VecSetRandom(global, nullptr));
  const std::string file = ::testing::TempDir() + "/finegrain_reproducible_" + std::to_string(Size());
  OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_WRITE, &viewer));
  OK(VecView(global, viewer));
  OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.c_str(), FILE_MODE_READ, &viewer));
  OK(VecDuplicate(global, &loaded));
  OK(VecLoad(loaded, viewer));
  viewer.reset();
  OK(VecEqual(global, loaded, &same));
  EXPECT_TRUE(same);
}

} // namespace
