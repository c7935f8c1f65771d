// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/in_place.hpp"
#include "mat/baijkokkos.hpp"
#include "pc/options/settings.hpp"
#include "pc/solve/backend.hpp"

using namespace finegrain;

PetscErrorCode PCFinegrainCheckInPlace(PC pc, const PC_Finegrain &e)
{
  const Mat A = pc->pmat;
  const BAIJKokkos *m = BAIJKokkosGet(A);
  const char *name, *places[] = {"host", "device"};
  Backend copy, engine;

  PetscFunctionBegin;
  const std::string option = PCFinegrainOption(pc, "in_place"),
                    remedy = std::string("or leave out ").append(option).append(", PCMCPISetInPlace()");
  PetscCall(PetscObjectGetName(reinterpret_cast<PetscObject>(A), &name));
  PetscCheck(pc->mat != A, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%s: Pmat %s is Amat as well, whose products need the device copy that the set-up overwrites; give "
             "KSPSetOperators() another Pmat, MatDuplicate() makes one, %s",
             option.c_str(), name, remedy.c_str());
  PetscCheck(m, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "%s: Pmat %s is of type %s, which has no device copy; convert it to baijkokkos with MatConvert(), %s",
             option.c_str(), name, reinterpret_cast<PetscObject>(A)->type_name, remedy.c_str());
  PetscCheck(!e.conversion.matrix, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%s: Pmat %s is read through a copy, because %s gives it diagonal blocks; insert them before it is "
             "assembled, %s",
             option.c_str(), name, PCFinegrainOption(pc, "add_diagonal").c_str(), remedy.c_str());
  PetscCheck(!m->bound, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE,
             "%s: Pmat %s is bound to the host and has no device copy; call MatBindToCPU() with PETSC_FALSE, %s",
             option.c_str(), name, remedy.c_str());
  copy = has_device() ? Backend::device : Backend::host;
  PetscCall(PCFinegrainFindBackend(pc, e, &engine));
  PetscCheck(copy == engine, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%s: the device copy of Pmat %s is on the %s, and the preconditioner works on the %s; use "
             "%s %s, %s",
             option.c_str(), name, places[int(copy)], places[int(engine)], PCFinegrainOption(pc, "backend").c_str(),
             places[int(copy)], remedy.c_str());
  PetscCheck(e.settings.corrections == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "%s: corrections (%s %" PetscInt_FMT ") read Pmat %s in each application; leave them out, %s",
             option.c_str(), PCFinegrainOption(pc, "corrections").c_str(), e.settings.corrections, name,
             remedy.c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}
