// SPDX-License-Identifier: BSD-2-Clause
// The grids of fields: PCFIELDSPLIT gives the field of a DMDA its own DMDA and does not set it up. Types that need
// or prefer a grid set it up.
#include "types.hpp"

#include <array>

using namespace finegrain::test;

namespace
{

// Splits a matrix with two unknowns per point into its fields, each with this preconditioner.
struct Fields {
  Owned<DM> da;
  Owned<Mat> A;
  Owned<KSP> ksp;
  std::array<PC, 2> pc;

  PetscErrorCode make(const std::string &options)
  {
    PC split;
    KSP *inner;
    PetscInt count;

    PetscFunctionBegin;
    const Options set("-pc_type fieldsplit -pc_fieldsplit_0_fields 0 -pc_fieldsplit_1_fields 1 "
                      "-fieldsplit_ksp_type preonly " +
                      options);
    PetscCall(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
    PetscCall(AssembleOnGrid(da, MATAIJ, &A));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(SetGrid(ksp, da));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSetType(ksp, KSPFGMRES));
    PetscCall(KSPSetTolerances(ksp, PETSC_SQRT_MACHINE_EPSILON, 0, PETSC_DEFAULT, 200));
    PetscCall(KSPSetFromOptions(ksp));
    PetscCall(KSPSetUp(ksp));
    PetscCall(KSPGetPC(ksp, &split));
    PetscCall(PCFieldSplitGetSubKSP(split, &count, &inner));
    EXPECT_EQ(count, 2);
    for (std::size_t k = 0; k < 2; ++k) {
      PetscCall(KSPSetUp(inner[k]));
      PetscCall(KSPGetPC(inner[k], &pc[k]));
    }
    PetscCall(PetscFree(inner));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

struct OfField {
  std::string options, line; // @: the type, in options with its prefix
};

void ExpectGrid(const char *type, const OfField &field)
{
  SCOPED_TRACE(type + field.options);
  Fields f;
  std::string options;
  KSPConvergedReason reason;
  for (const char *prefix : {"fieldsplit_0_", "fieldsplit_1_"})
    options += " -" + std::string(prefix) + "pc_type " + type + Expand(field.options, type, prefix);
  OK(f.make(options));
  for (const PC pc : f.pc) {
    std::string text;
    OK(ViewText(pc, &text));
    ExpectIn(text, {field.line});
  }
  Vectors v(f.A);
  OK(v.code);
  OK(KSPSolve(f.ksp, v.b, v.x));
  OK(KSPGetConvergedReason(f.ksp, &reason));
  EXPECT_GT(reason, 0);
}

TEST(GridsOfFields, ReachEveryTypeThatReadsThem)
{
  ExpectGrid(PCFGBILU, {"", "schedule: hyperplane"});
  ExpectGrid(PCFGBICC, {"", "schedule: hyperplane"});
  ExpectGrid(PCSIP, {"", "schedule: hyperplane"});
  ExpectGrid(PCSIP, {" -@_global", "pipeline: "});
  ExpectGrid(PCMCPI, {"", "coloring: redblack, 2 colors"});
  ExpectGrid(PCMCPI, {" -@_exchange color", "coloring: redblack, 2 colors agreed by all ranks"});
}

} // namespace
