// SPDX-License-Identifier: BSD-2-Clause
// Matrices of flows whose unknowns have different units, on a box of cells with the seven-point star: compressible
// flow in SI units, and two phases in a porous medium.
#pragma once

#include "bench/star.hpp"

#include <cmath>

namespace finegrain::test
{

// A hashed value of about [-1, 1).
inline PetscReal wobble(std::uint64_t key) { return PetscRealPart(hash_scalar(key)); }

// A cell. The function couple() of a flow computes the block that couples two cells, by columns; `axis` and `side`
// define the face from one to the other. The diagonal block sums the shares of all faces, including those of the
// boundary.
struct FlowCell {
  std::array<PetscInt, 3> at;
  std::uint64_t number;
};

// Euler's equations for density, momentum and energy per volume, implicit in time, with the flux of Lax and
// Friedrichs: half of (F(U_i) + F(U_j)) n - lambda (U_j - U_i). Air at 1.2 kg/m^3 and 10^5 Pa, about 150 m/s, cells
// of 1 cm.
class CompressibleFlow
{
public:
  static constexpr PetscInt n = 5;
  static constexpr const char *name = "compressible, SI units";

  explicit CompressibleFlow(PetscReal cfl) : cfl_(cfl) {}

  using Block = std::array<PetscScalar, std::size_t(n *n)>;
  void couple(const FlowCell &own, const FlowCell *other, std::size_t axis, int side, Block *diagonal,
              Block *coupling) const
  {
    const State a = state(own.number), b = other ? state(other->number) : a;
    const PetscReal lambda = std::max(speed(a, axis), speed(b, axis)), half = area / 2;
    const Block fa = flux(a, axis, side), fb = flux(b, axis, side);
    for (std::size_t k = 0; k < fa.size(); ++k) {
      const PetscReal one = k % (n + 1) == 0 ? 1 : 0;
      (*diagonal)[k] += half * (fa[k] + lambda * one) + area * 2 * lambda / cfl_ * one / 6;
      (*coupling)[k] = half * (fb[k] - lambda * one);
    }
  }

private:
  struct State {
    PetscReal density, velocity[3], energy, pressure;
  };
  static constexpr PetscReal gamma = PetscReal(1.4), area = PetscReal(1e-4);

  static State state(std::uint64_t cell)
  {
    State s{};
    s.density = PetscReal(1.2) * (1 + PetscReal(0.1) * wobble(cell * 8));
    s.pressure = PetscReal(1e5) * (1 + PetscReal(0.1) * wobble(cell * 8 + 1));
    const PetscReal mean[3] = {150, 40, 10};
    PetscReal square = 0;
    for (int d = 0; d < 3; ++d) {
      s.velocity[d] = mean[d] + 20 * wobble(cell * 8 + 2 + std::uint64_t(d));
      square += s.velocity[d] * s.velocity[d];
    }
    s.energy = s.pressure / (gamma - 1) + s.density * square / 2;
    return s;
  }
  static PetscReal speed(const State &s, std::size_t axis)
  {
    return std::abs(s.velocity[axis]) + std::sqrt(gamma * s.pressure / s.density);
  }
  // The Jacobian of the flux through a face whose normal is `side` along an axis.
  static Block flux(const State &s, std::size_t axis, int side)
  {
    Block j{};
    const auto at = [&j](std::size_t r, std::size_t c) -> PetscScalar & { return j[c * n + r]; };
    const PetscReal *v = s.velocity, g = gamma - 1, square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const PetscReal normal = PetscReal(side), through = normal * v[axis], phi = g * square / 2,
                    enthalpy = (s.energy + s.pressure) / s.density;
    at(0, 1 + axis) = normal;
    for (std::size_t r = 0; r < 3; ++r) {
      const PetscReal along = r == axis ? normal : 0;
      at(1 + r, 0) = phi * along - v[r] * through;
      for (std::size_t c = 0; c < 3; ++c)
        at(1 + r, 1 + c) = v[r] * (c == axis ? normal : 0) - g * v[c] * along + (r == c ? through : 0);
      at(1 + r, 4) = g * along;
      at(4, 1 + r) = enthalpy * along - g * v[r] * through;
    }
    at(4, 0) = (phi - enthalpy) * through;
    at(4, 4) = gamma * through;
    return j;
  }

  PetscReal cfl_;
};

// Pressure of oil and saturation of water, implicit, upwinded; permeabilities over three orders of magnitude around
// 10^-13 m^2, 200 bar, cells of 10 m, time steps of a day.
class TwoPhaseFlow
{
public:
  static constexpr PetscInt n = 2;
  static constexpr const char *name = "two phases, SI units";
  using Block = std::array<PetscScalar, std::size_t(n *n)>;

  void couple(const FlowCell &own, const FlowCell *other, std::size_t, int, Block *diagonal, Block *coupling) const
  {
    const State a = state(own), b = other ? state(*other) : a;
    const PetscReal volume = 1000, porosity = PetscReal(0.2), day = 86400, share = PetscReal(1) / 6;
    const PetscReal stored = share * volume * porosity / day, compressibility = PetscReal(1e-9);
    for (std::size_t phase = 0; phase < 2; ++phase) { // rows: water, oil
      const PetscReal density = phase == 0 ? 1000 : 800, fraction = phase == 0 ? a.saturation : 1 - a.saturation;
      (*diagonal)[phase] += stored * density * compressibility * fraction;
      (*diagonal)[n + phase] += stored * density * (phase == 0 ? 1 : -1);
      if (!other) continue;
      const bool from_own = a.pressure >= b.pressure;
      const State &up = from_own ? a : b;
      const PetscReal conductance =
        density * 10 * 2 * a.permeability * b.permeability / (a.permeability + b.permeability);
      const PetscReal through = conductance * mobility(phase, up.saturation),
                      slope = conductance * slope_of_mobility(phase, up.saturation) * (a.pressure - b.pressure);
      (*diagonal)[phase] += through;
      (*coupling)[phase] = -through;
      (*(from_own ? diagonal : coupling))[n + phase] += slope;
    }
  }

private:
  struct State {
    PetscReal pressure, saturation, permeability;
  };
  static State state(const FlowCell &cell)
  {
    return {PetscReal(2e7) - PetscReal(5e4) * PetscReal(cell.at[0]) + PetscReal(1e4) * wobble(cell.number * 8),
            PetscReal(0.5) + PetscReal(0.3) * wobble(cell.number * 8 + 1),
            PetscReal(1e-13) * std::pow(PetscReal(10), PetscReal(1.5) * wobble(cell.number * 8 + 2))};
  }
  static PetscReal mobility(std::size_t phase, PetscReal s)
  {
    return phase == 0 ? s * s / PetscReal(5e-4) : (1 - s) * (1 - s) / PetscReal(2e-3);
  }
  static PetscReal slope_of_mobility(std::size_t phase, PetscReal s)
  {
    return phase == 0 ? 2 * s / PetscReal(5e-4) : -2 * (1 - s) / PetscReal(2e-3);
  }
};

// The matrix of a flow on a grid of cells, and its grid.
template <class Flow> PetscErrorCode AssembleFlow(const Flow &flow, std::array<PetscInt, 3> cells, DM *da, Mat *A)
{
  constexpr PetscInt n = Flow::n;
  const auto cell = [cells](const std::array<PetscInt, 3> &at) {
    return FlowCell{at, std::uint64_t(at[0] + cells[0] * (at[1] + cells[1] * at[2]))};
  };

  PetscFunctionBegin;
  PetscCall(MakeStar(PETSC_COMM_WORLD, cells, n, da, A));
  PetscCall(ForPoints(*da, [&](const std::array<PetscInt, 3> &at) -> PetscErrorCode {
    typename Flow::Block diagonal{};
    const MatStencil row{at[2], at[1], at[0], 0};

    PetscFunctionBegin;
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const int side : {-1, 1}) {
        typename Flow::Block coupling{}, by_rows{};
        std::array<PetscInt, 3> to = at;
        to[axis] += side;
        const bool inside = to[axis] >= 0 && to[axis] < cells[axis];
        const FlowCell other = cell(to);
        flow.couple(cell(at), inside ? &other : nullptr, axis, side, &diagonal, &coupling);
        if (!inside) continue;
        const MatStencil col{to[2], to[1], to[0], 0};
        for (std::size_t k = 0; k < coupling.size(); ++k) by_rows[k % n * n + k / n] = coupling[k];
        PetscCall(MatSetValuesBlockedStencil(*A, 1, &row, 1, &col, by_rows.data(), INSERT_VALUES));
      }
    typename Flow::Block by_rows{};
    for (std::size_t k = 0; k < diagonal.size(); ++k) by_rows[k % n * n + k / n] = diagonal[k];
    PetscCall(MatSetValuesBlockedStencil(*A, 1, &row, 1, &row, by_rows.data(), INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
