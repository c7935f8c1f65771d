// SPDX-License-Identifier: BSD-2-Clause
#include "check.hpp"

#include <algorithm>
#include <cmath>

PetscErrorCode CheckUniform(Flow *flow, double *relative)
{
  const std::size_t n = std::size_t(flow->n), cells = std::size_t(flow->grid.owned);
  const std::vector<double> kept = flow->q;
  const double stream[6] = {0.3, 0.8, -0.5, 0.3, 0, 0};
  std::vector<double> residual(cells * n);
  std::vector<bool> inner(cells, true);
  double worst[2] = {0, 0}, all[2];

  PetscFunctionBeginUser;
  for (std::size_t e = 0; e < cells * n; ++e) flow->q[e] = stream[e % n];
  PetscCall(flow->Residual(false, residual.data()));
  for (const Face &face : flow->grid.faces)
    if (face.b < 0) inner[std::size_t(face.a)] = false;
    else worst[1] = std::max(worst[1], flow->beta * std::abs(Dot({stream[1], stream[2], stream[3]}, face.area)));
  for (std::size_t e = 0; e < cells * n; ++e)
    if (inner[e / n]) worst[0] = std::max(worst[0], std::abs(residual[e]));
  PetscCallMPI(MPI_Allreduce(worst, all, 2, MPI_DOUBLE, MPI_MAX, flow->grid.comm));
  *relative = all[1] > 0 ? all[0] / all[1] : 0;
  flow->q = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

// A number between -1 and 1 that depends only on the position in the uncut blocks.
static double Random(PetscInt natural, std::size_t unknown)
{
  const double x = std::sin(12.9898 * double(natural + 1) + 78.233 * double(unknown + 1)) * 43758.5453;
  return 2 * (x - std::floor(x)) - 1;
}

PetscErrorCode CheckJacobian(Flow *flow, double *relative)
{
  const std::size_t n = std::size_t(flow->n), cells = std::size_t(flow->grid.owned), square = n * n;
  const double step = 1e-6;
  const std::vector<double> before = flow->q;
  std::vector<double> kept = before, direction(kept.size()), plus(cells * n), minus(cells * n);
  std::vector<PetscScalar> blocks(cells * star * square);
  std::vector<PetscInt> columns(cells * star);
  double worst[2] = {0, 0}, all[2];

  PetscFunctionBeginUser;
  // Away from the kinks of the upwinding, where the volume flux is zero.
  for (std::size_t e = 0; e < cells * n; ++e) kept[e] += 0.1 * Random(flow->grid.natural[e / n], e % n + n);
  // The residual updates the ghosts of the states, and also those of the direction.
  for (std::size_t e = 0; e < cells * n; ++e) flow->q[e] = direction[e] = Random(flow->grid.natural[e / n], e % n);
  PetscCall(flow->Residual(false, plus.data()));
  direction = flow->q;
  flow->q = kept;
  for (std::size_t e = 0; e < cells * n; ++e) flow->q[e] = kept[e] + step * direction[e];
  PetscCall(flow->Residual(false, plus.data()));
  for (std::size_t e = 0; e < cells * n; ++e) flow->q[e] = kept[e] - step * direction[e];
  PetscCall(flow->Residual(false, minus.data()));
  flow->q = kept;
  std::vector<double> at(cells * n);
  PetscCall(flow->Residual(false, at.data()));
  PetscCall(flow->Jacobian(blocks.data()));
  flow->Columns(columns.data());
  // Local numbers of global columns.
  const auto local = [&](PetscInt column) {
    const PetscInt own = column - flow->grid.first;
    if (own >= 0 && own < flow->grid.owned) return std::size_t(own);
    const auto ghost =
      std::lower_bound(flow->grid.global.begin() + flow->grid.owned, flow->grid.global.end(), column);
    return std::size_t(ghost - flow->grid.global.begin());
  };
  for (std::size_t c = 0; c < cells; ++c)
    for (std::size_t r = 0; r < n; ++r) {
      double product = 0;
      for (std::size_t slot = 0; slot < std::size_t(star); ++slot) {
        if (columns[c * star + slot] < 0) continue;
        const std::size_t other = local(columns[c * star + slot]);
        for (std::size_t s = 0; s < n; ++s)
          product += double(PetscRealPart(blocks[(c * star + slot) * square + r * n + s])) * direction[other * n + s];
      }
      const double quotient = (plus[c * n + r] - minus[c * n + r]) / (2 * step);
      worst[0] = std::max(worst[0], std::abs(product - quotient));
      worst[1] = std::max(worst[1], std::abs(quotient));
    }
  PetscCallMPI(MPI_Allreduce(worst, all, 2, MPI_DOUBLE, MPI_MAX, flow->grid.comm));
  *relative = all[0] / all[1];
  flow->q = before;
  PetscFunctionReturn(PETSC_SUCCESS);
}
