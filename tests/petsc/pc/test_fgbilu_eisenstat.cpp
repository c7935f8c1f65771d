// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick: with any KSP, solves need the same iterations with and without the trick, and all objects are
// unchanged afterwards.
#include "eisenstat.hpp"
#include "types.hpp"

using namespace finegrain::test;
using namespace finegrain::test::eisenstat;
using finegrain::test::refine::Outcome;

namespace
{

// Solves with the trick and without. The solutions agree up to the tolerance. The norms in the convergence test
// differ, so that iteration counts are close, but not equal.
void ExpectTheSame(Mat A, const std::string &options, bool guess = false, bool transposed = false)
{
  SCOPED_TRACE(options + (guess ? ", with a guess" : "") + (transposed ? ", transposed" : ""));
  Solver with, without;
  Outcome ours, theirs;
  Owned<Vec> b;
  PetscReal d;
  Vectors v(A);
  OK(v.code);
  OK(VecDuplicate(v.b, &b));
  OK(VecCopy(v.b, b));
  OK(VecSet(v.x, guess ? PetscReal(0.1) : PETSC_INFINITY));
  OK(VecCopy(v.x, v.y));
  OK(with.make(A, trick + options, guess));
  OK(without.make(A, dilu + options, guess));
  OK(with.solve(v.b, v.x, &ours, transposed));
  OK(without.solve(v.b, v.y, &theirs, transposed));
  EXPECT_TRUE(with.tricked);
  EXPECT_FALSE(without.tricked);
  EXPECT_GT(ours.reason, 0);
  EXPECT_GT(theirs.reason, 0);
  EXPECT_LE(std::abs(ours.its - theirs.its), 2 + theirs.its / 10);
  OK(Difference(v.x, v.y, &d));
  EXPECT_LT(d, sizeof(PetscReal) == 4 ? 1e-3 : 1e-7);
  OK(Difference(b, v.b, &d)); // b is unchanged
  EXPECT_EQ(d, 0);
  Mat now;
  OK(KSPGetOperators(with.ksp, &now, nullptr));
  EXPECT_EQ(now, A);
}

class Eisenstat : public ::testing::TestWithParam<PetscInt>
{
};
INSTANTIATE_TEST_SUITE_P(FgBilu, Eisenstat, ::testing::Values(1, 3, 5));

TEST_P(Eisenstat, AnySolverOnAnySide)
{
  for (const char *format : {MATAIJ, MATBAIJ, MATBAIJKOKKOS}) {
    SCOPED_TRACE(format);
    Owned<Mat> A;
    OK(AssembleMatrix(star(7, 6, 5), GetParam(), format, 1, &A));
    for (const bool guess : {false, true}) {
      for (const char *options :
           {"-ksp_pc_side left", "-ksp_pc_side right", "-ksp_type fgmres", "-ksp_type bcgs", "-ksp_type tfqmr",
            "-ksp_type richardson", "-ksp_type bicg", "-ksp_pc_side symmetric"})
        ExpectTheSame(A, options, guess);
      if (!PetscDefined(USE_COMPLEX)) ExpectTheSame(A, "-ksp_type cgne", guess); // complex ones diverge without
    }
    ExpectTheSame(A, "", false, true);
    ExpectTheSame(A, "-ksp_type bcgs", false, true);
  }
}

TEST_P(Eisenstat, SymmetricSolversOfSymmetricMatrices)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(7, 6, 5), GetParam(), MATBAIJ, 1, &A));
  OK(MakeSymmetric(A, true));
  for (const bool guess : {false, true})
    for (const char *options :
         {"-ksp_type cg", "-ksp_type fcg", "-ksp_type minres", "-ksp_type cr", "-ksp_type pipecgrr"})
      ExpectTheSame(A, options, guess);
}

// The factor ignores couplings between ranks or grids, or none, under an ordering or another stencil.
TEST_P(Eisenstat, AnyGraphAndLayout)
{
  const PetscInt n = GetParam();
  Owned<Mat> A, B, C;
  OK(AssembleMatrix(box(6, 5, 4), n, MATBAIJ, 1, &A));
  for (const char *options :
       {"", "-pc_fgbilu_ordering rcm", "-pc_fgbilu_algorithm levels", "-pc_fgbilu_algorithm tasks"})
    ExpectTheSame(A, options);
  OK(AssembleMatrix(scattered(90, 3, false), n, MATBAIJ, 1, &B));
  ExpectTheSame(B, "");
  if (Size() > 1) return;
  OK(AssembleMatrix(star(4, 4, 4), n, MATBAIJ, 1, &C));
  ExpectTheSame(C, "-pc_fgbilu_grid 4,4,1,4,4,3 -pc_fgbilu_grid_coupling block_jacobi");
}

// A global factorization: both forms, transposed, with a guess.
TEST_P(Eisenstat, OneFactorOverAllRanks)
{
  Owned<Mat> A;
  Owned<DM> da;
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, GetParam(), 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  for (const bool guess : {false, true})
    for (const char *options :
         {"", "-ksp_pc_side right", "-ksp_type bcgs -pc_fgbilu_tile 3,3,3", "-ksp_pc_side symmetric"})
      ExpectTheSame(A, std::string("-pc_fgbilu_global ") + options, guess);
  ExpectTheSame(A, "-pc_fgbilu_global", false, true);
  OK(MakeSymmetric(A, true));
  for (const bool guess : {false, true})
    for (const char *options : {"-ksp_type cg", "-ksp_type minres -pc_fgbilu_tile 3,3,3"})
      ExpectTheSame(A, std::string("-pc_fgbilu_global ") + options, guess);
}

// -ksp_pc_side symmetric without the trick: the parts of any factorization.
TEST(EisenstatParts, SymmetricSideOfAllFactorizations)
{
  Owned<Mat> A;
  OK(AssembleMatrix(star(7, 6, 5), 3, MATBAIJ, 1, &A));
  OK(MakeSymmetric(A));
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  for (const TypeCase &t : AllTypes()) {
    if (t.relaxes || t.needs_grid) continue;
    const char *type = t.type;
    Vectors v(A);
    Outcome out[2];
    PetscReal d;
    OK(v.code);
    const std::string options = std::string("-ksp_rtol 1e-9 -pc_type ") + type + " -ksp_pc_side ";
    OK(refine::SolveOnce(A, KSPGMRES, options + "symmetric", v.b, v.x, &out[0]));
    OK(refine::SolveOnce(A, KSPGMRES, options + "left", v.b, v.y, &out[1]));
    EXPECT_GT(out[0].reason, 0) << type;
    EXPECT_LE(std::abs(out[0].its - out[1].its), 1) << type;
    OK(Difference(v.x, v.y, &d));
    EXPECT_LT(d, sizeof(PetscReal) == 4 ? 1e-3 : 1e-7) << type;
  }
}

} // namespace
