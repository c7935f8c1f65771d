// SPDX-License-Identifier: BSD-2-Clause
#include "flow.hpp"

#include <algorithm>
#include <cmath>

// Share of the difference across the face in a reconstructed state; the rest is the cell's own gradient. 1/3 is
// third order on a line of equal cells (van Leer's kappa scheme; Burg, AIAA 2005-4999 for its form without corners).
static constexpr double upwinding = 1. / 3;

Flow::Flow(const Grid &g, const Case &c, double b) : grid(g), problem(c), n(c.unknowns), beta(b) {}

Flow::~Flow()
{
  if (state_unit_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&state_unit_);
  if (gradient_unit_ != MPI_DATATYPE_NULL) (void)MPI_Type_free(&gradient_unit_);
}

PetscErrorCode Flow::Create()
{
  PetscClassId id;
  const std::size_t cells = std::size_t(grid.owned + grid.ghosts), size = std::size_t(n);

  PetscFunctionBeginUser;
  q.assign(cells * size, 0);
  for (std::size_t c = 0; c < std::size_t(grid.owned); ++c)
    for (std::size_t a = 0; a < 3; ++a) q[c * size + 1 + a] = problem.start[a];
  gradient.assign(cells * size * 3, 0);
  waves.assign(std::size_t(grid.owned), 0);
  CreateBoundary();
  CreateGradients();
  eddy_.assign(problem.smagorinsky > 0 ? cells : 0, 0);
  PetscCallMPI(MPI_Type_contiguous(n, MPI_DOUBLE, &state_unit_));
  PetscCallMPI(MPI_Type_commit(&state_unit_));
  PetscCallMPI(MPI_Type_contiguous(3 * n, MPI_DOUBLE, &gradient_unit_));
  PetscCallMPI(MPI_Type_commit(&gradient_unit_));
  PetscCall(PetscClassIdRegister("Flow", &id));
  PetscCall(PetscLogEventRegister("FlowResidual", id, &residual_event));
  PetscCall(PetscLogEventRegister("FlowJacobian", id, &jacobian_event));
  PetscCall(PetscLogEventRegister("FlowExchange", id, &exchange_event));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Diffusivity including that of eddies, which is zero at walls; scalars have a turbulent Prandtl number of 0.9.
double Flow::Diffusivity(const Face &face, std::size_t unknown) const
{
  const double own = unknown < 4 ? problem.viscosity : problem.diffusivity[unknown - 4];
  if (problem.smagorinsky == 0) return own;
  const double a = eddy_[std::size_t(face.a)];
  const double eddy = face.b >= 0                             ? 0.5 * (a + eddy_[std::size_t(face.b)])
                      : At(face).use[unknown] == Given::value ? 0
                                                              : a;
  return own + (unknown < 4 ? eddy : eddy / 0.9);
}

// ---- boundary

void Flow::CreateBoundary()
{
  given_.resize(grid.faces.size());
  for (std::size_t f = 0; f < grid.faces.size(); ++f) {
    const Face &face = grid.faces[f];
    if (face.b >= 0) continue;
    const Condition &condition = problem.conditions[std::size_t(~face.b)];
    Given &given = given_[f];
    given.type = condition.type;
    const Vector3 at = grid.center[std::size_t(face.a)] + face.from_a;
    const Vector3 velocity = condition.velocity ? condition.velocity(at) : Vector3{0, 0, 0};
    given.state = {0, velocity[0], velocity[1], velocity[2], condition.scalar[0], condition.scalar[1]};
    for (std::size_t u = 0; u < 6; ++u) switch (condition.type) {
      case Condition::wall:
        given.use[u] = u == 0 ? Given::nothing : u < 4 || condition.fixed[u - 4] ? Given::value : Given::flat;
        break;
      case Condition::inflow:
        given.use[u] = u == 0 ? Given::nothing : Given::value;
        break;
      case Condition::outflow:
        given.use[u] = u == 0 ? Given::value : Given::nothing;
        break;
      case Condition::slip:
        given.use[u] = Given::flat;
        break;
      case Condition::farfield:
        given.use[u] = Given::nothing;
        break;
      }
  }
}

// Convection and pressure through a boundary face, from the state on its inner side; `d` is the derivative with
// respect to this state.
template <std::size_t N>
void Flow::BoundaryFlux(const Face &face, const State<N> &L, State<N> *flux, Derivative<N> *d) const
{
  const Given &given = At(face);
  State<N> R;
  Derivative<N> dR;

  std::copy_n(given.state.begin(), N, R.begin());
  if (given.type == Condition::outflow || given.type == Condition::farfield) {
    const bool out = given.type == Condition::outflow;
    if (out) std::copy(L.begin() + 1, L.end(), R.begin() + 1);
    Convection<N>(L, R, face.area, beta, *flux, d, d ? &dR : nullptr);
    if (d && out)
      for (std::size_t e = 0; e < d->size(); ++e)
        if (e % N > 0) (*d)[e] += dR[e];
    return;
  }
  // A wall has no flux, for any velocity.
  const double m = given.type == Condition::inflow ? Dot(Velocity(R), face.area) : 0;
  (*flux)[0] = beta * m;
  for (std::size_t u = 1; u < N; ++u) (*flux)[u] = m * R[u] + (u < 4 ? L[0] * face.area[u - 1] : 0);
  if (!d) return;
  d->fill(0);
  for (std::size_t a = 0; a < 3; ++a) (*d)[(1 + a) * N] = face.area[a];
}

// ---- fluxes

template <std::size_t N> State<N> Flow::AtCell(PetscInt cell) const
{
  State<N> state;
  std::copy_n(q.data() + std::size_t(cell) * N, N, state.begin());
  return state;
}

// The state of a cell at its face.
template <std::size_t N> State<N> Flow::AtFace(const Face &face, bool of_a) const
{
  const PetscInt cell = of_a ? face.a : face.b;
  const Vector3 &to_face = of_a ? face.from_a : face.from_b;
  State<N> state = AtCell<N>(cell);
  const double *g = gradient.data() + 3 * std::size_t(cell) * N;
  double share = 0;
  if (face.b >= 0) {
    const State<N> other = AtCell<N>(of_a ? face.b : face.a);
    const Vector3 across = of_a ? face.from_a - face.from_b : face.from_b - face.from_a;
    share = upwinding;
    const double part = share * Dot(to_face, across) / Dot(across, across);
    for (std::size_t u = 0; u < N; ++u) state[u] += part * (other[u] - state[u]);
  }
  for (std::size_t u = 0; u < N; ++u) state[u] += (1 - share) * Dot({g[3 * u], g[3 * u + 1], g[3 * u + 2]}, to_face);
  return state;
}

// For variable viscosity: the term of the transposed gradient, sum_x S_x du_x / dx_row.
double Flow::Transposed(const Face &face, std::size_t row) const
{
  const auto of = [&](PetscInt cell) {
    const double *g = gradient.data() + 3 * std::size_t(cell) * std::size_t(n);
    return face.area[0] * g[3 + row] + face.area[1] * g[6 + row] + face.area[2] * g[9 + row];
  };
  return face.b >= 0 ? 0.5 * (of(face.a) + of(face.b)) : of(face.a);
}

// Subtracts the diffusion from a flux: along the line of centers, and with `second` the correction for skewed cells.
template <std::size_t N> void Flow::AddDiffusion(const Face &face, bool second, State<N> *flux) const
{
  const bool inside = face.b >= 0;
  const Vector3 across = inside ? face.from_a - face.from_b : face.from_a;
  const double conductance = Conductance(face.area, across);
  const Vector3 skew = face.area - conductance * across;
  const double *a = q.data() + std::size_t(face.a) * N;
  const double *ga = gradient.data() + 3 * std::size_t(face.a) * N;
  const double through = inside ? 0 : Dot({a[1], a[2], a[3]}, face.area) / Dot(face.area, face.area);
  for (std::size_t u = 1; u < N; ++u) {
    double sum = 0;
    if (inside) sum = conductance * (q[std::size_t(face.b) * N + u] - a[u]);
    else if (At(face).use[u] == Given::value) sum = conductance * (At(face).state[u] - a[u]);
    else {
      if (At(face).use[u] == Given::flat && u < 4) // the normal velocity is zero at the plane
        (*flux)[u] +=
          Diffusivity(face, u) * Conductance(face.area, NormalPart(across, face.area)) * through * face.area[u - 1];
      continue;
    }
    if (second) {
      Vector3 g = {ga[3 * u], ga[3 * u + 1], ga[3 * u + 2]};
      if (inside) {
        const double *gb = gradient.data() + 3 * (std::size_t(face.b) * N + u);
        g = 0.5 * (g + Vector3{gb[0], gb[1], gb[2]});
      }
      sum += Dot(skew, g);
      if (problem.smagorinsky > 0 && u < 4) sum += Transposed(face, u - 1);
    }
    (*flux)[u] -= Diffusivity(face, u) * sum;
  }
}

template <std::size_t N> State<N> Flow::Flux(const Face &face, bool second) const
{
  State<N> flux;
  const State<N> L = second ? AtFace<N>(face, true) : AtCell<N>(face.a);
  if (face.b < 0) BoundaryFlux<N>(face, L, &flux);
  else Convection<N>(L, second ? AtFace<N>(face, false) : AtCell<N>(face.b), face.area, beta, flux);
  AddDiffusion<N>(face, second, &flux);
  return flux;
}

template <std::size_t N> void Flow::Fill(bool second, std::size_t first, std::size_t last, double *residual)
{
  for (std::size_t f = first; f < last; ++f) {
    const Face &face = grid.faces[f];
    const State<N> flux = Flux<N>(face, second);
    const bool both = face.b >= 0 && face.b < grid.owned;
    waves[std::size_t(face.a)] += Wave(AtCell<N>(face.a), face.area, beta);
    if (both) waves[std::size_t(face.b)] += Wave(AtCell<N>(face.b), face.area, beta);
    for (std::size_t u = 0; u < N; ++u) {
      residual[std::size_t(face.a) * N + u] += flux[u];
      if (both) residual[std::size_t(face.b) * N + u] -= flux[u];
    }
  }
}

PetscErrorCode Flow::Begin(std::vector<double> &values, MPI_Datatype unit)
{
  const std::size_t size = values.size() / std::max<std::size_t>(std::size_t(grid.owned + grid.ghosts), 1);

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventBegin(exchange_event, 0, 0, 0, 0));
  PetscCall(PetscSFBcastBegin(grid.exchange, unit, values.data(), values.data() + std::size_t(grid.owned) * size,
                              MPI_REPLACE));
  PetscCall(PetscLogEventEnd(exchange_event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Flow::End(std::vector<double> &values, MPI_Datatype unit)
{
  const std::size_t size = values.size() / std::max<std::size_t>(std::size_t(grid.owned + grid.ghosts), 1);

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventBegin(exchange_event, 0, 0, 0, 0));
  PetscCall(
    PetscSFBcastEnd(grid.exchange, unit, values.data(), values.data() + std::size_t(grid.owned) * size, MPI_REPLACE));
  PetscCall(PetscLogEventEnd(exchange_event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Faces that need no ghosts are computed during the exchange.
template <std::size_t N> PetscErrorCode Flow::ResidualOf(bool second, double *residual)
{
  const std::size_t faces = grid.faces.size();

  PetscFunctionBeginUser;
  std::fill_n(residual, std::size_t(grid.owned) * N, 0.);
  std::fill(waves.begin(), waves.end(), 0.);
  PetscCall(Begin(q, state_unit_));
  if (second) {
    std::fill(gradient.begin(), gradient.end(), 0.);
    AddDifferences<N>(0, grid.inner);
    PetscCall(End(q, state_unit_));
    AddDifferences<N>(grid.inner, faces);
    SolveGradients<N>();
    FillEddies(0, std::size_t(grid.owned));
    PetscCall(Begin(gradient, gradient_unit_));
    Fill<N>(second, 0, grid.inner, residual);
    PetscCall(End(gradient, gradient_unit_));
    FillEddies(std::size_t(grid.owned), waves.size() + std::size_t(grid.ghosts));
  } else {
    Fill<N>(second, 0, grid.inner, residual);
    PetscCall(End(q, state_unit_));
  }
  Fill<N>(second, grid.inner, faces, residual);
  for (std::size_t c = 0; c < std::size_t(grid.owned); ++c)
    for (std::size_t s = 4; s < N; ++s)
      for (std::size_t a = 0; a < 3; ++a)
        residual[c * N + 1 + a] -= grid.volume[c] * q[c * N + s] * problem.buoyancy[s - 4][a];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Flow::Residual(bool second, double *residual)
{
  PetscFunctionBeginUser;
  PetscCall(PetscLogEventBegin(residual_event, 0, 0, 0, 0));
  if (n == 4) PetscCall(ResidualOf<4>(second, residual));
  else PetscCall(ResidualOf<6>(second, residual));
  PetscCall(PetscLogEventEnd(residual_event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::array<double, 6> Flow::Through(const Face &face) const
{
  std::array<double, 6> all = {};
  const auto copy = [&](const auto &flux) { std::copy(flux.begin(), flux.end(), all.begin()); };
  if (n == 4) copy(Flux<4>(face, true));
  else copy(Flux<6>(face, true));
  return all;
}

// ---- Jacobian

template <std::size_t N> void Flow::FillJacobian(PetscScalar *blocks)
{
  constexpr std::size_t square = N * N;
  const auto add = [&](PetscInt cell, int slot, double sign, const Derivative<N> &d) {
    PetscScalar *block = blocks + (std::size_t(cell) * star + std::size_t(slot)) * square;
    for (std::size_t e = 0; e < square; ++e) block[e] += PetscScalar(sign * d[e]);
  };
  std::fill_n(blocks, std::size_t(grid.owned) * star * square, PetscScalar(0));
  for (const Face &face : grid.faces) {
    State<N> flux;
    Derivative<N> dL, dR;
    const State<N> L = AtCell<N>(face.a);
    if (face.b < 0) {
      BoundaryFlux<N>(face, L, &flux, &dL);
      for (std::size_t u = 1; u < N; ++u)
        if (At(face).use[u] == Given::value)
          dL[u * N + u] += Diffusivity(face, u) * Conductance(face.area, face.from_a);
        else if (At(face).use[u] == Given::flat && u < 4)
          for (std::size_t a = 0; a < 3; ++a)
            dL[u * N + 1 + a] += Diffusivity(face, u) * Conductance(face.area, NormalPart(face.from_a, face.area)) *
                                 face.area[a] * face.area[u - 1] / Dot(face.area, face.area);
      add(face.a, 0, 1, dL);
      continue;
    }
    Convection<N>(L, AtCell<N>(face.b), face.area, beta, flux, &dL, &dR);
    const double conductance = Conductance(face.area, face.from_a - face.from_b);
    for (std::size_t u = 1; u < N; ++u) {
      dL[u * N + u] += Diffusivity(face, u) * conductance;
      dR[u * N + u] -= Diffusivity(face, u) * conductance;
    }
    add(face.a, 0, 1, dL);
    add(face.a, 1 + face.side_a, 1, dR);
    if (face.b >= grid.owned) continue;
    add(face.b, 0, -1, dR);
    add(face.b, 1 + face.side_b, -1, dL);
  }
  for (std::size_t c = 0; c < std::size_t(grid.owned); ++c)
    for (std::size_t s = 4; s < N; ++s)
      for (std::size_t a = 0; a < 3; ++a)
        blocks[c * star * square + (1 + a) * N + s] -= PetscScalar(grid.volume[c] * problem.buoyancy[s - 4][a]);
}

PetscErrorCode Flow::Jacobian(PetscScalar *blocks)
{
  PetscFunctionBeginUser;
  PetscCall(PetscLogEventBegin(jacobian_event, 0, 0, 0, 0));
  if (n == 4) FillJacobian<4>(blocks);
  else FillJacobian<6>(blocks);
  PetscCall(PetscLogEventEnd(jacobian_event, 0, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Flow::Columns(PetscInt *columns) const
{
  std::fill_n(columns, grid.owned * star, PetscInt(-1));
  for (PetscInt c = 0; c < grid.owned; ++c) columns[c * star] = grid.global[std::size_t(c)];
  for (const Face &face : grid.faces) {
    if (face.b < 0) continue;
    columns[face.a * star + 1 + face.side_a] = grid.global[std::size_t(face.b)];
    if (face.b < grid.owned) columns[face.b * star + 1 + face.side_b] = grid.global[std::size_t(face.a)];
  }
}
