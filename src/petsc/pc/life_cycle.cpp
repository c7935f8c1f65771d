// SPDX-License-Identifier: BSD-2-Clause
// How a PC of one of our types begins and ends, and how it is told from others.
#include "mat/baijkokkos.hpp"
#include "pc/agreement.hpp"
#include "pc/pipeline.hpp"
#include "pc/settings.hpp"

using namespace finegrain;

namespace
{

PetscErrorCode PCReset_Engine(PC pc)
{
  PCEngine *e = static_cast<PCEngine *>(pc->data);

  PetscFunctionBegin;
  e->analyzed = false;
  e->engine.reset();
  e->blocks.reset();
  e->op = Operator();
  e->report = FactorReport();
  e->trouble.clear();
  e->has_corrections = e->has_products = e->has_halo = false;
  e->stamp = FinegrainStamp();
  e->compared = e->converted_of = FinegrainState();
  PetscCall(e->solve.reset());
  PetscCall(e->check.forget(pc));
  PetscCall(e->check.reset());
  PetscCall(e->halo.destroy());
  if (e->shared) PetscCall(e->shared->destroy());
  PetscCall(MatDestroy(&e->converted));
  PetscCall(VecDestroy(&e->residual));
  PetscCall(VecDestroy(&e->correction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// KSPSolve() calls this before it reads the failed reason. Without KSPSetOperators() it leaves the set-up for a new
// matrix to the first application: the reason would be that of the matrix before.
PetscErrorCode PCSetUpOnBlocks_Engine(PC pc)
{
  PetscFunctionBegin;
  PetscCall(static_cast<PCEngine *>(pc->data)->check.forget(pc));
  if (pc->failedreason) PetscCall(PCSetUp(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// For PCFactorGetMatrix().
PetscErrorCode PCGetFactoredMatrix_Engine(PC pc, Mat *)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
          "PCFactorGetMatrix(): the factor of -pc_type %s is no Mat; PCFinegrainGetFactorBytes() gives its size, "
          "PCView() all about it, and PCApply() applies it",
          static_cast<PCEngine *>(pc->data)->type->name);
}

constexpr char find_function[] = "PCFinegrainGetEngine_C";

PetscErrorCode PCDestroy_Engine(PC pc)
{
  PetscFunctionBegin;
  PetscCall(PCReset_Engine(pc)); // PCSetType() destroys without a reset
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), find_function, nullptr));
  PetscCall(PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), "PCFinegrainApplyCorrections_C", nullptr));
  PetscCall(PCEngineComposeSetters(pc, false));
  delete static_cast<PCEngine *>(pc->data);
  pc->data = nullptr;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCFinegrainGetEngine_Engine(PC pc, PCEngine **e)
{
  *e = static_cast<PCEngine *>(pc->data);
  return PETSC_SUCCESS;
}

} // namespace

PetscErrorCode PCEngineCreate(PC pc, PCEngineType &type, PCEngine *data)
{
  PetscFunctionBegin;
  data->type = &type;
  pc->data = data;
  PetscCall(PCEngineTakeGrid(pc, data));
  pc->ops->setup = PCSetUp_Engine;
  pc->ops->setuponblocks = PCSetUpOnBlocks_Engine;
  pc->ops->setfromoptions = PCSetFromOptions_Engine;
  pc->ops->view = PCView_Engine;
  pc->ops->reset = PCReset_Engine;
  pc->ops->destroy = PCDestroy_Engine;
  pc->ops->getfactoredmatrix = PCGetFactoredMatrix_Engine;
  PetscCall(PCEngineSetApplications(pc));
  PetscCall(PCEngineSetSolve(pc));
  PetscCall(PCEngineComposeSetters(pc, true));
  PetscCall(
    PetscObjectComposeFunction(reinterpret_cast<PetscObject>(pc), find_function, PCFinegrainGetEngine_Engine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineFind(PC pc, PCEngine **e)
{
  PetscErrorCode (*find)(PC, PCEngine **) = nullptr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(pc, PC_CLASSID, 1);
  *e = nullptr;
  PetscCall(PetscObjectQueryFunction(reinterpret_cast<PetscObject>(pc), find_function, &find));
  if (find) PetscCall((*find)(pc, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PCEngineGet(PC pc, PCEngine **e)
{
  PetscFunctionBegin;
  PetscCall(PCEngineFind(pc, e));
  PetscCheck(*e, PetscObjectComm(reinterpret_cast<PetscObject>(pc)), PETSC_ERR_SUP,
             "Preconditioner of type %s is not one of finegrain's", reinterpret_cast<PetscObject>(pc)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}
