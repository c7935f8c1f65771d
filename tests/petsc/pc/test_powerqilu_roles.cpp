// SPDX-License-Identifier: BSD-2-Clause
// PCPOWERQILU in single precision, with CG, and compared with PETSc's ILU(1) as a smoother. test_types_*.cpp test
// what all types have in common.
#include "powerqilu.hpp"
#include "refine.hpp"

using namespace finegrain::test;
using namespace finegrain::test::powerqilu;
using refine::Outcome;
using refine::SolveWith;

namespace
{

// Settings with different sweeps.
const std::vector<std::string> kinds = {"-pc_powerqilu_levels 0",
                                        "-pc_powerqilu_levels 2",
                                        "-pc_powerqilu_levels 2 -pc_powerqilu_power 1",
                                        "-pc_powerqilu_levels 2 -pc_powerqilu_power 1 -pc_powerqilu_drop after",
                                        "-pc_powerqilu_levels 1 -pc_powerqilu_schedule level",
                                        "-pc_powerqilu_levels 1 -pc_powerqilu_precision single",
                                        "-pc_powerqilu_levels 1 -pc_powerqilu_corrections 2"};

TEST(PowerqiluRoles, SinglePrecisionIsNearAndOfHalfTheBytes)
{
  if (sizeof(PetscReal) != 8) GTEST_SKIP() << "not in double precision";
  Owned<Mat> A;
  OK(AssembleMatrix(star(6, 5, 4), 5, MATBAIJ, 1, &A));
  for (std::size_t k = 0; k < 5; ++k)
    for (const std::string diagonal : {"working", "storage"}) {
      Owned<PC> single, working;
      PetscReal d;
      std::string ours, theirs;
      OK(MakePC(A, PCPOWERQILU, kinds[k] + " -pc_powerqilu_precision single -pc_powerqilu_diag_precision " + diagonal,
                &single));
      OK(MakePC(A, PCPOWERQILU, kinds[k], &working));
      OK(ComparePCs(A, single, working, &d));
      EXPECT_LT(d, 1e-5) << kinds[k];
      EXPECT_GT(d, 0) << kinds[k];
      OK(ViewText(single, &ours));
      OK(ViewText(working, &theirs));
      if (diagonal == "storage") {
        EXPECT_EQ(2 * NumberAfter(ours, "bytes: factor "), NumberAfter(theirs, "bytes: factor "));
      }
      ExpectIn(ours, {std::string("single precision, inverted diagonal blocks ") +
                      (diagonal == "storage" ? "single" : "working")});
    }
}

// M is Hermitian if A is, with colors and drops or without.
TEST(PowerqiluRoles, ServesCgAndHasTwoParts)
{
  for (const std::string &kind : kinds) {
    SCOPED_TRACE(kind);
    Owned<Mat> A;
    Owned<PC> pc;
    Owned<Vec> b, c, x, y;
    PetscScalar left, right;
    PetscReal p, q, residual;
    Outcome out;
    OK(AssembleMatrix(star(6, 5, 4), 3, MATBAIJ, 1, &A));
    OK(MakeSymmetric(A, true));
    OK(MakePC(A, PCPOWERQILU, kind, &pc));
    OK(MakeVectors(A, &b, &x));
    OK(VecDuplicate(b, &c));
    OK(VecDuplicate(b, &y));
    OK(VecPointwiseMult(c, b, b));
    OK(Apply(pc, b, x));
    OK(Apply(pc, c, y));
    OK(VecDot(x, c, &left));
    OK(VecDot(b, y, &right));
    OK(VecNorm(x, NORM_2, &p));
    OK(VecNorm(c, NORM_2, &q));
    // In single precision upper and lower blocks are rounded separately.
    const bool single = kind.find("single") != std::string::npos && sizeof(PetscReal) == 8;
    EXPECT_LT(PetscAbsScalar(left - right), (single ? PetscReal(1e-6) : tolerance / 100) * p * q);
    PetscReal d;
    OK(VecSet(y, PETSC_INFINITY));
    if (kind.find("corrections") != std::string::npos) {
      ExpectIn(ExpectError([&] { return PCApplySymmetricLeft(pc, b, y); }), {"-pc_powerqilu_corrections", "pc_side"});
    } else {
      OK(PCApplySymmetricLeft(pc, b, y));
      OK(PCApplySymmetricRight(pc, y, c));
      OK(Difference(c, x, &d));
      EXPECT_EQ(d, 0);
    }
    OK(SolveWith(A, nullptr, "-ksp_type cg -pc_type powerqilu " + kind, &out, &residual));
    EXPECT_GT(out.reason, 0);
    EXPECT_LT(residual, 100 * PetscSqrtReal(PETSC_MACHINE_EPSILON));
  }
}

// Iterations equal those of PETSc's ILU by levels, and are a few more by colors.
TEST(PowerqiluRoles, SmootherInMultigrid)
{
  Owned<DM> coarse, fine;
  Owned<Mat> A;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &coarse));
  OK(DMRefine(coarse, PETSC_COMM_WORLD, &fine));
  OK(AssembleOnGrid(fine, MATAIJ, &A));
  const std::string ours = " -mg_levels_pc_type powerqilu -mg_levels_pc_powerqilu_levels 1 -mg_levels_pc_powerqilu_";
  for (const std::string role :
       {"-pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 2",
        "-pc_type gamg"}) {
    Outcome theirs, out;
    PetscReal residual;
    OK(SolveWith(A, fine,
                 "-ksp_type fgmres " + role +
                   " -mg_levels_pc_type bjacobi -mg_levels_sub_pc_type ilu -mg_levels_sub_pc_factor_levels 1",
                 &theirs, &residual));
    ASSERT_GT(theirs.reason, 0);
    for (const std::string kind :
         {"schedule level", "drop during", "power 1", "precision single", "apply_richardson fixed"}) {
      const int before = EventCount("FGApply");
      OK(SolveWith(A, fine, "-ksp_type fgmres " + role + ours + kind, &out, &residual));
      EXPECT_GT(EventCount("FGApply"), before);
      EXPECT_GT(out.reason, 0) << role << kind;
      EXPECT_LE(out.its, theirs.its + 3) << role << kind;
      EXPECT_LT(residual, 10 * PetscSqrtReal(PETSC_MACHINE_EPSILON)) << role << kind;
    }
  }
}

} // namespace
