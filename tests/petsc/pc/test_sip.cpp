// SPDX-License-Identifier: BSD-2-Clause
// PCSIP compared with PETSc's ILU(0), and with plain steps with several preconditioners. test_types_*.cpp test what
// all types have in common.
#include "sip.hpp"

using namespace finegrain::test;
using sip::Problem;

namespace
{

TEST(Sip, WithoutAlphaIsPetscsIlu)
{
  for (const PetscInt dim : {1, 2, 3})
    for (const PetscInt dof : {1, 2, 3, 4, 5, 6, 7, 8, 10}) // PETSc 3.23's DMs read wrong memory from 11 on
      for (const char *type : {MATAIJ, MATBAIJ}) {
        if (dim == 1 && type == std::string(MATBAIJ)) continue; // not supported by PETSc on a line
        Problem p(dim, dof, type);
        Owned<PC> pc, reference;
        PetscReal d;
        OK(p.code);
        OK(MakePC(p.A, PCSIP, "-pc_sip_alpha 0", &pc));
        if (dof == 1 || type == std::string(MATBAIJ)) {
          OK(MakeReference(p.A, &reference));
        } else {
          OK(MakePC(p.A, PCFGBILU, "", &reference)); // blocks of AIJ
        }
        OK(ComparePCs(p.A, pc, reference, &d));
        EXPECT_LT(d, tolerance) << dim << ", " << dof << ", " << type;
      }
}

TEST(Sip, FormatsAndGridsGiveTheSame)
{
  for (const PetscInt dof : {1, 4}) {
    Problem p(3, dof, MATBAIJ);
    Owned<PC> pc, other;
    PetscReal d;
    PetscInt i, j, k;
    Owned<Mat> aij;
    std::string grid;
    OK(p.code);
    OK(DMDAGetCorners(p.da, nullptr, nullptr, nullptr, &i, &j, &k));
    OK(MatConvert(p.A, MATAIJ, MAT_INITIAL_MATRIX, &aij)); // without the DMDA
    OK(MatSetDM(aij, nullptr));
    OK(MakePC(p.A, PCSIP, "", &pc));
    OK(MakePC(aij, PCSIP, "-pc_sip_block_size " + std::to_string(dof), &other));
    const PetscInt ijk[3] = {i, j, k};
    OK(PCFinegrainSetGrid(other, 1, ijk));
    OK(ComparePCs(p.A, pc, other, &d));
    EXPECT_EQ(d, 0) << dof;
  }
}

// A list of alpha is a cycle of factors, which -pc_sip_its and -pc_sip_corrections repeat.
TEST(Sip, CyclesArePlainSteps)
{
  struct Case {
    const char *options;
    std::vector<double> alpha; // of each step
  };
  const std::vector<Case> cases = {
    {"-pc_sip_alpha 0.5", {.5}},
    {"-pc_sip_alpha 0.5 -pc_sip_its 3", {.5, .5, .5}},
    {"-pc_sip_alpha 0.9,0.3,0", {.9, .3, 0}},
    {"-pc_sip_alpha 0.9,0.3 -pc_sip_its 2", {.9, .3, .9, .3}},
    {"-pc_sip_alpha 0.9,0.3 -pc_sip_corrections 1", {.9, .3, .9, .3}},
    {"-pc_sip_alpha 0.3 -pc_sip_its 2 -pc_sip_corrections 2", {.3, .3, .3, .3, .3, .3}}};
  for (const PetscInt dof : {1, 3})
    for (const Case &c : cases) {
      Problem p(3, dof, MATBAIJ);
      Owned<PC> pc;
      std::vector<Owned<PC>> turns;
      PetscReal d;
      OK(p.code);
      OK(MakePC(p.A, PCSIP, c.options, &pc));
      OK(PCSetUp(pc));
      for (const double alpha : c.alpha) {
        turns.emplace_back();
        OK(MakePC(p.A, PCSIP, "-pc_sip_alpha " + std::to_string(alpha), &turns.back()));
        OK(PCSetUp(turns.back()));
      }
      for (const bool transposed : {false, true}) {
        OK(VecSet(p.x, PETSC_INFINITY));
        OK(transposed ? PCApplyTranspose(pc, p.b, p.x) : PCApply(pc, p.b, p.x));
        OK(PlainSteps(p.A, {turns.begin(), turns.end()}, transposed, p.b, p.y));
        OK(Difference(p.x, p.y, &d));
        EXPECT_LT(d, tolerance) << c.options << ", " << dof << (transposed ? ", transposed" : "");
      }
    }
}

// Alternate directions: each equals the factor in natural order of a grid whose points are numbered backwards. All
// directions of one alpha precede the next alpha.
TEST(Sip, DirectionsAreThoseOfGridsNumberedBackwards)
{
  const PetscInt size[3] = {5, 4, 3};
  Owned<Mat> A;
  Owned<KSP> ksp;
  std::vector<PetscInt> order(60);
  PetscReal d;
  Owned<Vec> b, x, y, r, step, rp, sp;
  const PetscScalar *from;
  PetscScalar *to;
  const std::vector<PetscInt> flips[4] = {{}, {1}, {2}, {1, 2}};
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A, 60, PETSC_COMM_SELF));
  OK(refine::MakeKSP(A, A, KSPSIP, "-pc_sip_grid 5,4,3 -pc_sip_alternate -pc_sip_alpha 0.8,0.3 -ksp_norm_type none",
                     &ksp));
  OK(MakeVectors(A, &b, &x));
  for (Vec *v : {&y, &r, &step, &rp, &sp}) OK(VecDuplicate(x, v));
  OK(VecSet(y, 0));
  for (int turn = 0; turn < 6; ++turn) {
    const auto &flip = flips[turn % 4];
    Owned<Mat> P;
    Owned<PC> M;
    for (PetscInt q = 0; q < 60; ++q) {
      PetscInt at[3] = {q % 5, q / 5 % 4, q / 20};
      for (const PetscInt axis : flip) at[axis] = size[axis] - 1 - at[axis];
      order[std::size_t(q)] = at[0] + 5 * (at[1] + 4 * at[2]);
    }
    OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &P, 60, PETSC_COMM_SELF, order));
    OK(MakePC(P, PCSIP, std::string("-pc_sip_grid 5,4,3 -pc_sip_alpha ") + (turn < 4 ? "0.8" : "0.3"), &M));
    OK(PCSetUp(M));
    OK(MatMult(A, y, r));
    OK(VecAYPX(r, -1, b));
    for (const bool back : {false, true}) {
      OK(VecGetArrayRead(back ? sp : r, &from));
      OK(VecGetArray(back ? step : rp, &to));
      for (std::size_t q = 0; q < 60; ++q)
        for (std::size_t c = 0; c < 2; ++c) {
          const std::size_t natural = std::size_t(order[q]) * 2 + c;
          to[back ? natural : q * 2 + c] = from[back ? q * 2 + c : natural];
        }
      OK(VecRestoreArrayRead(back ? sp : r, &from));
      OK(VecRestoreArray(back ? step : rp, &to));
      if (!back) {
        OK(PCApply(M, rp, sp));
      }
    }
    OK(VecAXPY(y, 1, step));
    OK(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, turn + 1));
    OK(VecSet(x, PETSC_INFINITY));
    OK(KSPSolve(ksp, b, x));
    OK(Difference(x, y, &d));
    EXPECT_LT(d, tolerance) << turn;
  }
}

TEST(Sip, TilesOfAnyShapeHaveTheSameBits)
{
  for (const PetscInt dof : {1, 3})
    for (const std::string kind : {"", "-pc_sip_alternate", "-pc_sip_alpha 0.9,0.3 -pc_sip_its 2"}) {
      Problem p(3, dof, MATBAIJ);
      Owned<PC> plain, pc;
      PetscReal d;
      std::string text;
      OK(p.code);
      OK(MakePC(p.A, PCSIP, kind + " -pc_sip_algorithm sequential", &plain));
      OK(MakePC(p.A, PCSIP, kind + " -pc_sip_algorithm tasks -pc_sip_tile 3,2,2", &pc));
      OK(ComparePCs(p.A, pc, plain, &d));
      EXPECT_EQ(d, 0) << kind;
      OK(ViewText(pc, &text));
      ExpectIn(text, {"algorithm: tasks", "tile: 3 x 2 x 2 points"});
    }
}

TEST(Sip, ServesKrylovMethods)
{
  for (const std::string options :
       {"-ksp_type cg -pc_type sip", "-ksp_type gmres -pc_type sip -pc_sip_alpha 0.9,0.5 -pc_sip_alternate",
        "-ksp_type refine -ksp_refine_inner 3 -pc_type sip",
        "-ksp_type richardson -pc_type sip -pc_sip_apply_richardson tolerance"}) {
    Owned<DM> da;
    Owned<Mat> A;
    refine::Outcome out;
    PetscReal residual;
    OK(sip::AssemblePoisson(17, 17, 9, &da, &A));
    OK(refine::SolveWith(A, da, options, &out, &residual));
    EXPECT_GT(out.reason, 0) << options;
    EXPECT_LT(residual, 20 * PetscSqrtReal(PETSC_MACHINE_EPSILON)) << options;
  }
}

} // namespace
