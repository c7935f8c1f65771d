// SPDX-License-Identifier: BSD-2-Clause
// PCCPR: two stages, a solver of the pressure system and a preconditioner of all unknowns. cpr_pressure.cpp has the
// pressure system.
#include "pc/nested/cpr.hpp"
#include "common/runtime.hpp"

#include <petscksp.h>

#include <new>
#include <string>

namespace
{

PetscBool cited = PETSC_FALSE;
const char citation[] = "@inproceedings{Wallis1985,\n"
                        "  title     = {Constrained residual acceleration of conjugate residual methods},\n"
                        "  author    = {Wallis, J. R. and Kendall, R. P. and Little, T. E.},\n"
                        "  booktitle = {SPE Reservoir Simulation Symposium},\n"
                        "  number    = {SPE-13536-MS},\n"
                        "  year      = {1985}\n"
                        "}\n";

const char *const weights_names[] = {"quasiimpes", "sum", "row", "vector"}; // of PCCPRWeightsType

PC_Cpr *Data(PC pc) { return static_cast<PC_Cpr *>(pc->data); }

PetscErrorCode SetPressurePrefix(PC pc, PC_Cpr *cpr)
{
  PetscFunctionBegin;
  PetscCall(KSPSetOptionsPrefix(cpr->pressure, PCNestedPrefix(pc)));
  PetscCall(KSPAppendOptionsPrefix(cpr->pressure, "cpr_pressure_"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The vectors live with the pattern of the matrix.
PetscErrorCode Analyze(PC pc, PC_Cpr *cpr)
{
  const std::string option = std::string("-").append(PCNestedPrefix(pc)).append("pc_cpr_block_size");

  PetscFunctionBegin;
  cpr->analyzed = false;
  PetscCall(KSPReset(cpr->pressure));
  for (Vec *v : {&cpr->rhs, &cpr->solution, &cpr->correction, &cpr->residual}) PetscCall(VecDestroy(v));
  if (!reinterpret_cast<PetscObject>(cpr->pressure)->prefix) PetscCall(SetPressurePrefix(pc, cpr));
  PetscCall(cpr->system.analyze(pc->pmat, option.c_str()));
  PetscCall(MatCreateVecs(cpr->system.matrix(), &cpr->solution, &cpr->rhs));
  PetscCall(MatCreateVecs(pc->pmat, &cpr->correction, &cpr->residual));
  if (cpr->system.block_size) PetscCall(PCFinegrainSetBlockSize(cpr->full, cpr->system.block_size));
  cpr->analyzed = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Reports a singular diagonal block.
PetscErrorCode ReportSingular(PC pc, PetscInt row)
{
  const char text[] = "the diagonal block of block row %" PetscInt_FMT
                      " is singular, and quasi-IMPES weights need its inverse: use -%spc_cpr_weights sum or row";

  PetscFunctionBegin;
  PetscCheck(!pc->erroriffailure, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_MAT_LU_ZRPVT, text,
             row, PCNestedPrefix(pc));
  PetscCall(PetscInfo(pc, (std::string("set-up failed: ") + text + "\n").c_str(), row, PCNestedPrefix(pc)));
  PetscCall(PCSetFailedReason(pc, PC_FACTOR_NUMERIC_ZEROPIVOT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Takes the failures of both stages, equal on all ranks.
PetscErrorCode TakeFailures(PC pc, PC_Cpr *cpr)
{
  PC pressure;
  bool first, second;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(cpr->pressure, &pressure));
  PetscCall(PCNestedTakeFailure(pc, pressure, &first));
  PetscCall(PCNestedTakeFailure(pc, cpr->full, &second));
  cpr->failed = first || second;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetUp(PC pc, PC_Cpr *cpr)
{
  PetscInt singular;
  PC pressure;
  bool same;

  PetscFunctionBegin;
  PetscCall(FinegrainOnAllRanks(pc, FinegrainStartKokkos));
  PetscCall(PCNestedFindPattern(pc, &cpr->pattern, &same));
  if (!cpr->analyzed || !same) PetscCall(Analyze(pc, cpr));
  PetscCheck(cpr->system.weights_type != PCCPR_WEIGHTS_VECTOR || cpr->system.given,
             PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_ARG_WRONGSTATE,
             "-%spc_cpr_weights is vector, and no vector is there: call PCCPRSetWeightsVector()", PCNestedPrefix(pc));
  PetscCall(PCSetFailedReason(pc, PC_NOERROR));
  PetscCall(cpr->system.update(pc->pmat, &singular));
  cpr->failed = singular >= 0;
  if (cpr->failed) {
    PetscCall(ReportSingular(pc, singular));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (pc->erroriffailure) PetscCall(KSPSetErrorIfNotConverged(cpr->pressure, PETSC_TRUE));
  PetscCall(KSPSetOperators(cpr->pressure, cpr->system.matrix(), cpr->system.matrix()));
  PetscCall(KSPSetReusePreconditioner(cpr->pressure, PETSC_FALSE));
  PetscCall(KSPGetPC(cpr->pressure, &pressure));
  for (const PC stage : {pressure, cpr->full}) PetscCall(PCSetFailedReason(stage, PC_NOERROR)); // that of old values
  PetscCall(KSPSetUp(cpr->pressure));
  PetscCall(PCNestedUpdate(pc, "cpr_full_", cpr->full));
  PetscCall(PCSetReusePreconditioner(cpr->full, PETSC_FALSE));
  PetscCall(PCSetUp(cpr->full));
  PetscCall(TakeFailures(pc, cpr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// If it ends with an error, the next set-up begins anew.
PetscErrorCode PCSetUp_CPR(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PetscCitationsRegister(citation, &cited));
  const PetscErrorCode code = FinegrainGuard([&] { return SetUp(pc, Data(pc)); });
  if (code) pc->setupcalled = PETSC_FALSE;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The failure may be that of old values, see PCSetUpOnBlocks_LAG().
PetscErrorCode PCSetUpOnBlocks_CPR(PC pc)
{
  PC_Cpr *cpr = Data(pc);

  PetscFunctionBegin;
  if (cpr->failed) PetscCall(PCSetUp(pc));
  if (cpr->failed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPSetUpOnBlocks(cpr->pressure));
  PetscCall(PCSetUpOnBlocks(cpr->full));
  PetscCall(TakeFailures(pc, cpr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// z = C r + M^-1 (r - A C r), C = P S^-1 W^T. The transpose of this, z = t + C^T (r - A^T t) with t = M^-T r, has the
// stages in reverse order.
PetscErrorCode Apply(PC pc, PC_Cpr *cpr, Vec r, Vec z, bool transposed)
{
  const Mat A = pc->useAmat ? pc->mat : pc->pmat;
  const Vec t = cpr->correction, residual = cpr->residual;

  PetscFunctionBegin;
  if (cpr->failed) {
    PetscCall(FinegrainVecFlag(z));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // Applications would otherwise set up the stages for other matrices.
  PetscCall(KSPSetReusePreconditioner(cpr->pressure, pc->reusepreconditioner));
  PetscCall(PCSetReusePreconditioner(cpr->full, pc->reusepreconditioner));
  PetscCall(PCNestedUpdateMatrices(pc, cpr->full));
  if (!transposed) {
    PetscCall(cpr->system.restrict_weighted(r, cpr->rhs));
    PetscCall(KSPSolve(cpr->pressure, cpr->rhs, cpr->solution));
    PetscCall(KSPCheckSolve(cpr->pressure, pc, cpr->solution));
    PetscCall(cpr->system.prolong_pressure(cpr->solution, t));
    PetscCall(MatMult(A, t, residual));
    PetscCall(VecAYPX(residual, -1, r));
    PetscCall(PCApply(cpr->full, residual, z));
  } else {
    PetscCall(PCApplyTranspose(cpr->full, r, z));
    PetscCall(MatMultTranspose(A, z, residual));
    PetscCall(VecAYPX(residual, -1, r));
    PetscCall(cpr->system.restrict_pressure(residual, cpr->rhs));
    PetscCall(KSPSolveTranspose(cpr->pressure, cpr->rhs, cpr->solution));
    PetscCall(KSPCheckSolve(cpr->pressure, pc, cpr->solution));
    PetscCall(cpr->system.prolong_weighted(cpr->solution, t));
  }
  PetscCall(VecAXPY(z, 1, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCApply_CPR(PC pc, Vec r, Vec z) { return Apply(pc, Data(pc), r, z, false); }
PetscErrorCode PCApplyTranspose_CPR(PC pc, Vec r, Vec z) { return Apply(pc, Data(pc), r, z, true); }

PetscErrorCode PCSetFromOptions_CPR(PC pc, FinegrainOptionItems PetscOptionsObject)
{
  PC_Cpr *cpr = Data(pc);
  PetscInt unknown = cpr->system.unknown, block_size = cpr->system.block_size;
  PetscInt weights = cpr->system.weights_type;
  PetscBool set;

  PetscFunctionBegin;
  PetscOptionsHeadBegin(PetscOptionsObject, "cpr options");
  PetscCall(PetscOptionsInt("-pc_cpr_pressure", "Index of the pressure in a block", "PCCPRSetPressure", unknown,
                            &unknown, &set));
  if (set) PetscCall(PCCPRSetPressure(pc, unknown));
  PetscCall(PetscOptionsInt("-pc_cpr_block_size", "Block size of an AIJ matrix, 0: its own", "PCCPRSetBlockSize",
                            block_size, &block_size, &set));
  if (set) PetscCall(PCCPRSetBlockSize(pc, block_size));
  PetscCall(PetscOptionsEList("-pc_cpr_weights", "Weights of the pressure equation", "PCCPRSetWeights", weights_names,
                              PETSC_STATIC_ARRAY_LENGTH(weights_names), weights_names[weights], &weights, &set));
  if (set) PetscCall(PCCPRSetWeights(pc, PCCPRWeightsType(weights)));
  PetscOptionsHeadEnd();
  PetscCall(SetPressurePrefix(pc, cpr));
  PetscCall(KSPSetFromOptions(cpr->pressure));
  PetscCall(PCNestedSetFromOptions(pc, "cpr_full_", cpr->full));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCView_CPR(PC pc, PetscViewer viewer)
{
  const PC_Cpr *cpr = Data(pc);
  PetscBool ascii;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "pressure: unknown %" PetscInt_FMT " of each block; weights %s\n",
                                   cpr->system.unknown, weights_names[cpr->system.weights_type]));
  PetscCall(PetscViewerASCIIPrintf(viewer, "first stage, for the pressure:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(KSPView(cpr->pressure, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "second stage, for all unknowns:\n"));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PCView(cpr->full, viewer));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCReset_CPR(PC pc)
{
  PC_Cpr *cpr = Data(pc);

  PetscFunctionBegin;
  cpr->analyzed = cpr->failed = false;
  PetscCall(KSPReset(cpr->pressure));
  PetscCall(PCReset(cpr->full));
  PetscCall(cpr->system.reset());
  for (Vec *v : {&cpr->rhs, &cpr->solution, &cpr->correction, &cpr->residual}) PetscCall(VecDestroy(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCDestroy_CPR(PC pc)
{
  PC_Cpr *cpr = Data(pc);

  PetscFunctionBegin;
  PetscCall(PCReset_CPR(pc));
  PetscCall(VecDestroy(&cpr->system.given));
  PetscCall(KSPDestroy(&cpr->pressure));
  PetscCall(PCDestroy(&cpr->full));
  delete cpr;
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The pressure system is elliptic: hypre where PETSc has it, else gamg.
PetscErrorCode CreateStages(PC pc, PC_Cpr *cpr)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PetscErrorCode (*hypre)(PC) = nullptr;
  PC pressure;

  PetscFunctionBegin;
  PetscCall(KSPCreate(comm, &cpr->pressure));
  PetscCall(
    PetscObjectIncrementTabLevel(reinterpret_cast<PetscObject>(cpr->pressure), reinterpret_cast<PetscObject>(pc), 1));
  PetscCall(KSPSetType(cpr->pressure, KSPPREONLY));
  PetscCall(KSPGetPC(cpr->pressure, &pressure));
  PetscCall(PetscFunctionListFind(PCList, PCHYPRE, &hypre));
  PetscCall(PCSetType(pressure, hypre ? PCHYPRE : PCGAMG));
  PetscCall(PCCreate(comm, &cpr->full));
  PetscCall(
    PetscObjectIncrementTabLevel(reinterpret_cast<PetscObject>(cpr->full), reinterpret_cast<PetscObject>(pc), 1));
  PetscCall(PCSetType(cpr->full, PCFGBILU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

/*MC
   PCCPR - "cpr": constrained pressure residual, two stages for systems in which one unknown is a pressure

   Options Database Keys:
+  -pc_cpr_pressure <0>                            - `PCCPRSetPressure()`
.  -pc_cpr_block_size <0>                          - `PCCPRSetBlockSize()`
.  -pc_cpr_weights <quasiimpes,sum,row,vector>     - `PCCPRSetWeights()`
.  -cpr_pressure_ksp_type, -cpr_pressure_pc_type   - solver of the pressure system: preonly with hypre if PETSc has
                                                     it, else with gamg; all its options have the prefix cpr_pressure_
-  -cpr_full_pc_type <fgbilu>                      - preconditioner of all unknowns; all its options have the prefix
                                                     cpr_full_

   Level: beginner

   Notes:
   For flow in porous media and other systems with a pressure, which is elliptic, and unknowns that are carried along.
   For AIJ, BAIJ and SBAIJ matrices with blocks of 2 to 32 unknowns, sequential or parallel. Rows that belong to no
   block, as those of wells, are an error: eliminate them, or use `PCFIELDSPLIT` with this type for the cells.

   An application is z = C r + M^-1 (r - A C r) with C = P S^-1 W^T: M is the preconditioner of all unknowns, P
   inserts the pressure of each block, W has the weights of the equations, and S = W^T A P is the pressure system,
   which has one row for each block row. S^-1 stands for one solve of the pressure's KSP, by default one cycle of
   algebraic multigrid. New values of a matrix with the same pattern change the values of S only.

   Weights decouple the pressure from the other unknowns. Those of quasi-IMPES eliminate them inside each cell, and
   are right where the pressure of the neighbors matters more than their other unknowns. A program that knows the
   factors of true IMPES gives them as a vector.

   If the pressure's KSP iterates, the outer KSP must be flexible: `KSPFGMRES`. A diagonal block that is singular sets
   the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT` with quasi-IMPES weights; a failed stage sets `PC_SUBPC_ERROR`.
   Solutions are not checked, see `PCFinegrainSetCheckSolution()`. `PCSetUseAmat()` takes the residual from Amat. The
   pressure system is on the host. Supports transposed applications if both stages do; hypre does so since PETSc
   3.23.5, before that use -cpr_pressure_pc_type gamg.

   References:
+  * - J. R. Wallis, R. P. Kendall, T. E. Little, Constrained residual acceleration of conjugate residual methods, SPE
       Reservoir Simulation Symposium (1985)
-  * - S. Lacroix, Yu. Vassilevski, J. Wheeler, M. Wheeler, Iterative solution methods for modeling multiphase flow in
       porous media fully implicitly, SIAM Journal on Scientific Computing 25 (2003)

.seealso: `PCCreate()`, `PCSetType()`, `PCCPRGetPressureKSP()`, `PCCPRGetFullPC()`, `PCFIELDSPLIT`, `PCCOMPOSITE`
M*/
PetscErrorCode PCCreate_CPR(PC pc)
{
  PetscFunctionBegin;
  auto *cpr = new (std::nothrow) PC_Cpr;
  PetscCheck(cpr, PETSC_COMM_SELF, PETSC_ERR_MEM, "Out of memory");
  pc->data = cpr;
  PetscCall(CreateStages(pc, cpr));
  pc->ops->setup = PCSetUp_CPR;
  pc->ops->setuponblocks = PCSetUpOnBlocks_CPR;
  pc->ops->apply = PCApply_CPR;
  pc->ops->applytranspose = PCApplyTranspose_CPR;
  pc->ops->setfromoptions = PCSetFromOptions_CPR;
  pc->ops->view = PCView_CPR;
  pc->ops->reset = PCReset_CPR;
  pc->ops->destroy = PCDestroy_CPR;
  PetscFunctionReturn(PETSC_SUCCESS);
}
