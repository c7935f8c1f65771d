// SPDX-License-Identifier: BSD-2-Clause
// Views without ASCII text: a short string, and a picture of the pattern of the first rank's first block rows, each
// in the color of its group (hyperplane, level set or color).
#include "pc/solve/view_draw.hpp"
#include "pc/solve/conversion.hpp"

#include "order/levels.hpp"

#include <petscdraw.h>

#include <algorithm>

using namespace finegrain;

namespace
{

// Square below the current point, below the boxes with the names of KSP and PC.
struct Square {
  PetscReal left = 0, top = 0, side = 0;
};

PetscErrorCode FindSquare(PetscDraw draw, Square *square)
{
  constexpr PetscReal used = PetscReal(0.95);
  PetscReal x = 0, y = 0, left = 0, bottom = 0, right = 1, top = 1;

  PetscFunctionBegin;
  PetscCall(PetscDrawGetCurrentPoint(draw, &x, &y));
  PetscCall(PetscDrawGetCoordinates(draw, &left, &bottom, &right, &top));
  const PetscReal side = used * std::min(y - bottom, right - left);
  *square = {std::clamp(x - side / 2, left, std::max(left, right - side)), y - (y - bottom) * (1 - used) / 2, side};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DrawPattern(PetscDraw draw, const Graph &graph, const Statistics &s)
{
  const Index rows = std::min(graph.rows, Index(s.first_groups.extent(0)));
  const PetscReal last = PetscReal(s.widths.groups - 1);
  Square q;

  PetscFunctionBegin;
  PetscCall(FindSquare(draw, &q));
  const PetscReal width = q.side / PetscReal(std::max(rows, Index(1)));
  const auto rectangle = [&](Index row, Index col, int color) {
    const PetscReal x = q.left + PetscReal(col) * width, y = q.top - PetscReal(row) * width;
    return PetscDrawRectangle(draw, x, y - width, x + width, y, color, color, color, color);
  };
  for (Index row = 0; row < rows; ++row) {
    const PetscReal group = PetscReal(s.first_groups(row));
    const int color = PetscDrawRealToColor(last > 0 ? group / last : 0, 0, 1);
    for (Index e = graph.ptr(row); e < graph.ptr(row + 1); ++e)
      if (graph.col(e) < rows) PetscCall(rectangle(row, graph.col(e), color));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Draw(PC pc, const PC_Finegrain &e, PetscViewer viewer)
{
  Operator op;
  OperatorView view;
  PetscDraw draw;
  PetscBool null;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCall(PetscViewerDrawGetDraw(viewer, 0, &draw));
  PetscCall(PetscDrawIsNull(draw, &null));
  if (null) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(OperatorAnalyze(PCFinegrainMatrix(pc, e.conversion), e.settings.block_size, "", &op, &view));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm(reinterpret_cast<PetscObject>(pc)), &rank));
  if (rank == 0) PetscCall(DrawPattern(draw, view.owned, e.analysis.engine->statistics()));
  PetscCall(PetscDrawFlush(draw));
  PetscCall(PetscDrawPause(draw));
  PetscCall(PetscDrawSave(draw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PCFinegrainViewOtherwise(PC pc, const PC_Finegrain &e, PetscViewer viewer)
{
  PetscBool string, draw;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERSTRING, &string));
  PetscCall(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERDRAW, &draw));
  if (string && !e.analysis.analyzed) PetscCall(PetscViewerStringSPrintf(viewer, " not set up"));
  else if (string) {
    const Statistics s = e.analysis.engine->statistics();
    PetscCall(PetscViewerStringSPrintf(viewer, " schedule=%s,groups=%d,algorithm=%s",
                                       PCFinegrainScheduleTypes[int(s.schedule)], int(s.widths.groups),
                                       PCFinegrainAlgorithmTypes[int(s.algorithm)]));
  } else if (draw && e.analysis.analyzed) PetscCall(Draw(pc, e, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
