// SPDX-License-Identifier: BSD-2-Clause
#include "pc/solve/view_coloring.hpp"
#include "pc/options/settings.hpp"
#include "pc/ranks/shared_rows.hpp"

using namespace finegrain;

PetscErrorCode PCFinegrainViewColoring(PC pc, const PC_Finegrain &e, PetscViewer viewer)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  const int kinds = PC_FINEGRAIN_COLORING_LEVEL;
  std::string power;

  PetscFunctionBegin;
  if (!e.analysis.analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  if (e.analysis.options.method != Method::relaxation)
    power = " of |A|^" + std::to_string(colored_power(e.analysis.options));
  // Ranks without rows have no colors.
  const Statistics s = e.analysis.engine->statistics();
  const int kind = int(s.coloring);
  PetscInt64 most[] = {s.rows ? s.colors : 0, s.symmetrized, s.rows ? kind : 0, s.rows ? kinds - kind : 0};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 4, MPIU_INT64, MPI_MAX, comm));
  std::string coloring = PCFinegrainColoringTypes[most[2]];
  if (most[2] + most[3] > kinds)
    coloring.append(" on some ranks, ").append(PCFinegrainColoringTypes[kinds - most[3]]).append(" on others");
  PetscCall(PetscViewerASCIIPrintf(viewer, "coloring: %s%s, %" PetscInt64_FMT " colors%s%s%s\n", coloring.c_str(),
                                   e.settings.coloring_balance ? ", balanced" : "", most[0], power.c_str(),
                                   e.analysis.options.relaxation.exchange == Exchange::color ||
                                       FinegrainSharesRows(e.analysis.options)
                                     ? " agreed by all ranks"
                                     : "",
                                   most[1] ? ", of the pattern with its transpose" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
