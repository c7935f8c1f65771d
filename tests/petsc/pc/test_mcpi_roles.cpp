// SPDX-License-Identifier: BSD-2-Clause
// PCMCPI with CG, compared with PETSc's SOR as a smoother, as block Jacobi, and refined from half precision.
// test_types_*.cpp test what all types have in common.
#include "mcpi.hpp"
#include "refine.hpp"

#include <cstdlib>

using namespace finegrain::test;
using namespace finegrain::test::mcpi;
using refine::Outcome;
using refine::SolveWith;

namespace
{

// Two weakly coupled Laplacians on a grid.
PetscErrorCode MakeLaplacians(DM da, Mat *A)
{
  PetscInt first, last;

  PetscFunctionBegin;
  PetscCall(AssembleOnGrid(da, MATAIJ, A));
  PetscCall(MatGetOwnershipRange(*A, &first, &last));
  std::vector<std::vector<PetscInt>> rows;
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt *columns;
    PetscInt count;
    PetscCall(MatGetRow(*A, row, &count, &columns, nullptr));
    rows.emplace_back(columns, columns + count);
    PetscCall(MatRestoreRow(*A, row, &count, &columns, nullptr));
  }
  for (PetscInt row = first; row < last; ++row)
    for (const PetscInt col : rows[std::size_t(row - first)]) {
      const PetscReal value = row == col ? 4 : row / 2 == col / 2 ? 0.1 : row % 2 == col % 2 ? -1 : 0;
      PetscCall(MatSetValue(*A, row, col, value, INSERT_VALUES));
    }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(McpiRoles, SymmetricSweepsAreSymmetricAndServeCg)
{
  for (const std::string exchange : {"none", "color"})
    for (const std::string more : {"", " -pc_mcpi_precision half", " -pc_mcpi_omega 1.2"})
      for (const std::string its : {"1", "3"}) {
        const std::string options =
          "-pc_mcpi_sweep symmetric -pc_mcpi_its " + its + " -pc_mcpi_exchange " + exchange + more;
        SCOPED_TRACE(options);
        Owned<Mat> A, S;
        Owned<PC> pc;
        Owned<Vec> b, c, x, y;
        PetscScalar left, right;
        PetscReal p, q, residual;
        Outcome out, alone;
        OK(AssembleMatrix(star(6, 5, 4), 3, MATBAIJ, 1, &A));
        OK(MakeSymmetric(A, true));
        OK(MakePC(A, PCMCPI, options, &pc));
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
        EXPECT_LT(PetscAbsScalar(left - right), tolerance / 100 * p * q);
        const std::string cg = "-ksp_type cg -pc_type mcpi " + options;
        OK(SolveWith(A, nullptr, cg, &out, &residual));
        EXPECT_GT(out.reason, 0);
        EXPECT_LT(residual, 100 * PetscSqrtReal(PETSC_MACHINE_EPSILON));
        if (exchange == "color") { // as many iterations as on one rank
          OK(AssembleMatrix(star(6, 5, 4), 3, MATBAIJ, 1, &S, PETSC_DECIDE, PETSC_COMM_SELF));
          OK(MakeSymmetric(S, true));
          OK(SolveWith(S, nullptr, cg, &alone, &residual));
          EXPECT_LE(std::abs(out.its - alone.its), 1);
        }
      }
}

// Compared with PETSc's SOR, within a small margin.
TEST(McpiRoles, SmootherInMultigrid)
{
  Owned<DM> coarse, fine;
  Owned<Mat> A;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &coarse));
  OK(DMRefine(coarse, PETSC_COMM_WORLD, &fine));
  OK(MakeLaplacians(fine, &A));
  const std::string mcpi = " -mg_levels_pc_type mcpi -mg_levels_pc_mcpi_its 1 -mg_levels_pc_mcpi_";
  for (const std::string role :
       {"-pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_ksp_type richardson -mg_levels_ksp_max_it 2",
        "-pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_ksp_type chebyshev -mg_levels_ksp_max_it 2",
        "-pc_type gamg"}) {
    Outcome theirs, ours;
    PetscReal residual;
    OK(SolveWith(A, fine, "-ksp_type fgmres " + role + " -mg_levels_pc_type sor", &theirs, &residual));
    ASSERT_GT(theirs.reason, 0);
    for (const char *kind :
         {"sweep symmetric", "exchange color -mg_levels_pc_mcpi_sweep symmetric",
          "exchange none -mg_levels_pc_mcpi_sweep symmetric",
          "precision half -mg_levels_pc_mcpi_sweep symmetric -mg_levels_pc_mcpi_sum_precision single",
          "apply_richardson fixed -mg_levels_pc_mcpi_exchange color -mg_levels_pc_mcpi_sweep symmetric"}) {
      const int before = EventCount("FGApply");
      OK(SolveWith(A, fine, "-ksp_type fgmres " + role + mcpi + kind, &ours, &residual));
      EXPECT_GT(EventCount("FGApply"), before);
      EXPECT_GT(ours.reason, 0) << role << kind;
      EXPECT_LE(ours.its, theirs.its + 2) << role << mcpi << kind;
      EXPECT_LT(residual, 10 * PetscSqrtReal(PETSC_MACHINE_EPSILON)) << role << kind;
    }
  }
}

TEST(McpiRoles, WithoutExchangeItIsBlockJacobiBitByBit)
{
  for (const std::string more :
       {"", " -@pc_mcpi_precision half -@pc_mcpi_scaling row", " -@pc_mcpi_sweep symmetric"}) {
    const auto with = [&](const std::string &prefix) {
      std::string text = "-" + prefix + "pc_mcpi_its 3" + more;
      for (std::size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, prefix);
      return text;
    };
    Owned<Mat> A;
    Owned<PC> pc, blocks;
    PetscReal d;
    OK(AssembleMatrix(scattered(60, 3, false), 3, MATBAIJ, 1, &A));
    OK(MakePC(A, PCMCPI, "-pc_mcpi_exchange none " + with(""), &pc));
    const Options set("-sub_pc_type mcpi " + with("sub_"));
    OK(MakePC(A, PCBJACOBI, "", &blocks));
    OK(PCSetUp(blocks));
    OK(PCSetUpOnBlocks(blocks));
    OK(ComparePCs(A, pc, blocks, &d));
    EXPECT_EQ(d, 0) << more;
  }
}

// Half precision alone stagnates at its rounding errors, and refinement continues beyond them.
TEST(McpiRoles, RefinementReachesWhatHalfPrecisionAloneDoesNot)
{
  if (sizeof(PetscReal) != 8) GTEST_SKIP() << "not in double precision";
  Owned<Mat> A;
  OK(AssembleMatrix(star(6, 5, 4), 5, MATBAIJ, 1, &A));
  for (const std::string exchange : {"none", "sweep", "color"})
    for (const std::string scaling : {"global", "row"})
      for (const std::string sums : {"working", "single"}) {
        const std::string half = " -pc_type mcpi -pc_mcpi_precision half -pc_mcpi_exchange " + exchange +
                                 " -pc_mcpi_scaling " + scaling + " -pc_mcpi_sum_precision " + sums;
        SCOPED_TRACE(half);
        Outcome out;
        PetscReal alone, residual;
        OK(SolveWith(A, nullptr, "-ksp_type preonly -pc_mcpi_its 100" + half, &out, &alone));
        EXPECT_GT(alone, 1e-6);
        if (exchange != "none" || Size() == 1) {
          EXPECT_LT(alone, 1e-2);
        }
        OK(SolveWith(A, nullptr,
                     "-ksp_type refine -ksp_refine_inner 2 -ksp_rtol 1e-12 -ksp_norm_type unpreconditioned "
                     "-pc_mcpi_its 5" +
                       half,
                     &out, &residual));
        EXPECT_GT(out.reason, 0);
        EXPECT_LT(residual, 2e-12);
      }
}

} // namespace
