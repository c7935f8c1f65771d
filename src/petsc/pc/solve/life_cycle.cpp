// SPDX-License-Identifier: BSD-2-Clause
// Creation, reset and destruction of a PC of finegrain.
#include "pc/solve/life_cycle.hpp"
#include "pc/solve/apply_many.hpp"
#include "pc/solve/eisenstat_solve.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/petsc_setters.hpp"
#include "pc/options/set_from_options.hpp"
#include "pc/options/settings.hpp"
#include "pc/options/settings_structure.hpp"
#include "pc/ranks/pipeline.hpp"
#include "pc/solve/apply.hpp"
#include "pc/solve/ksp_solve.hpp"
#include "pc/solve/set_up.hpp"
#include "pc/solve/view.hpp"

using namespace finegrain;

namespace
{

PetscErrorCode PCReset_Finegrain(PC pc)
{
  PC_Finegrain *e = static_cast<PC_Finegrain *>(pc->data);

  PetscFunctionBegin;
  e->analysis.analyzed = false;
  e->analysis.engine.reset();
  e->analysis.blocks.reset();
  e->analysis.op = Operator();
  e->analysis.report = FactorReport();
  e->analysis.failure.clear();
  e->analysis.has_corrections = e->analysis.has_products = e->ranks.has_halo = false;
  e->analysis.stamp = FinegrainStamp();
  e->analysis.compared = e->conversion.of = FinegrainState();
  PetscCall(e->eisenstat.reset());
  PetscCall(e->check.forget(pc));
  PetscCall(e->check.reset());
  PetscCall(e->ranks.halo.destroy());
  if (e->ranks.shared) PetscCall(e->ranks.shared->destroy());
  PetscCall(MatDestroy(&e->conversion.matrix));
  PetscCall(VecDestroy(&e->analysis.residual));
  PetscCall(VecDestroy(&e->analysis.correction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// KSPSolve() calls this before it reads the failed reason. Without KSPSetOperators() it leaves the set-up for
// changed values to the first application; the failed reason would then be that of the old values.
PetscErrorCode PCSetUpOnBlocks_Finegrain(PC pc)
{
  PetscFunctionBegin;
  PetscCall(static_cast<PC_Finegrain *>(pc->data)->check.forget(pc));
  if (pc->failedreason) PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Implements PCFactorGetMatrix().
PetscErrorCode PCGetFactoredMatrix_Finegrain(PC pc, Mat *)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
          "PCFactorGetMatrix(): the factor of -pc_type %s is no Mat; PCFinegrainGetFactorBytes() gives its size, "
          "PCView() all about it, and PCApply() applies it",
          static_cast<PC_Finegrain *>(pc->data)->type->name);
}

PetscErrorCode PCDestroy_Finegrain(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_Finegrain(pc)); // PCSetType() destroys without a reset
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), finegrain_find_function, nullptr));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "PCFinegrainApplyCorrections_C", nullptr));
  PetscCall(PCFinegrainComposeSetters(pc, false));
  delete static_cast<PC_Finegrain *>(pc->data);
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainGetData_Finegrain(PC pc, PC_Finegrain **e)
{
  *e = static_cast<PC_Finegrain *>(pc->data);
  return PETSC_SUCCESS;
}

} // namespace

PetscErrorCode PCFinegrainCreate(PC pc, PCFinegrainType &type, PC_Finegrain *data)
{
  PetscFunctionBegin;
  data->type = &type;
  pc->data = data;
  PetscCall(PCFinegrainMoveGrid(pc, data));
  pc->ops->setup = PCSetUp_Finegrain;
  pc->ops->setuponblocks = PCSetUpOnBlocks_Finegrain;
  pc->ops->setfromoptions = PCSetFromOptions_Finegrain;
  pc->ops->view = PCView_Finegrain;
  pc->ops->reset = PCReset_Finegrain;
  pc->ops->destroy = PCDestroy_Finegrain;
  pc->ops->getfactoredmatrix = PCGetFactoredMatrix_Finegrain;
  data->set_applications = PCFinegrainSetApplications;
  PetscCall(PCFinegrainSetApplications(pc));
  PetscCall(PCFinegrainSetMatApplications(pc));
  PetscCall(PCFinegrainSetSplitForm(pc));
  PetscCall(PCFinegrainSetSolve(pc));
  PetscCall(PCFinegrainComposeSetters(pc, true));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), finegrain_find_function,
                                       PCFinegrainGetData_Finegrain));
  PetscFunctionReturn(PETSC_SUCCESS);
}
