// SPDX-License-Identifier: BSD-2-Clause
// Fluxes of artificial compressibility, in the unknowns p, u, v, w and up to two scalars that are convected:
//
//   dp/dt / beta + div u = 0,   du/dt + div(u u) + grad p = nu laplace u + f,   ds/dt + div(u s) = kappa laplace s,
//
// Chorin, J. Comput. Phys. 2 (1967) 12-26. All functions are per face: the flow from L to R, and its derivatives.
#pragma once

#include "grid.hpp"

template <std::size_t N> using State = std::array<double, N>;
// d flux / d state, by rows.
template <std::size_t N> using Derivative = std::array<double, N * N>;

template <std::size_t N> Vector3 Velocity(const State<N> &q) { return {q[1], q[2], q[3]}; }

// Half of the fastest wave's speed times the face's area, |u n| + sqrt((u n)^2 + beta): each of two cells gets its
// half.
template <std::size_t N> double Wave(const State<N> &q, const Vector3 &area, double beta)
{
  const double normal = Dot(Velocity(q), area);
  return 0.5 * (std::abs(normal) + std::sqrt(normal * normal + beta * Dot(area, area)));
}

// Convection and pressure. C is the speed of sound times the area, Q the mean of the normal velocity times the area:
//
//   m = Q - C (pR - pL) / (2 beta)                               volume through the face: upwind in the sound waves
//   momentum: m u + (pL + pR) S / 2 - (C - |Q|) (QR - QL) S / (2 |S|^2),   scalars: m s
//
// where u and s are those of the side from which m flows. This is Roe's splitting without its sound wave terms in u.
// The first row is multiplied by beta, so that the time derivative has no factor in any row. Derivatives are
// computed if `dL` is given.
template <std::size_t N> void Convection(const State<N> &L, const State<N> &R, const Vector3 &area, double beta,
                                         State<N> &flux, Derivative<N> *dL = nullptr, Derivative<N> *dR = nullptr)
{
  const double square = Dot(area, area);
  const double ql = Dot(Velocity(L), area), qr = Dot(Velocity(R), area), q = 0.5 * (ql + qr);
  const double sound = std::sqrt(q * q + beta * square), jump = R[0] - L[0];
  const double m = q - 0.5 * sound / beta * jump;
  const State<N> &up = m >= 0 ? L : R;
  const double loss = 0.5 * (sound - std::abs(q)) / square, push = 0.5 * (L[0] + R[0]) - loss * (qr - ql);

  flux[0] = beta * m;
  for (std::size_t a = 0; a < 3; ++a) flux[1 + a] = m * up[1 + a] + push * area[a];
  for (std::size_t s = 4; s < N; ++s) flux[s] = m * up[s];
  if (!dL) return;

  const double mean = 0.5 * (1 - 0.5 * q / sound / beta * jump); // dm / dql = dm / dqr
  const double bend = 0.25 * (q / sound - (q >= 0 ? 1 : -1)) / square * (qr - ql);
  for (int side = 0; side < 2; ++side) {
    Derivative<N> &d = side ? *dR : *dL;
    const double sign = side ? 1 : -1;
    const double to_pressure = -0.5 * sign * sound / beta;
    d.fill(0);
    d[0] = beta * to_pressure;
    for (std::size_t b = 0; b < 3; ++b) d[1 + b] = beta * mean * area[b];
    for (std::size_t r = 1; r < N; ++r) {
      const std::size_t row = r * N;
      d[row] = to_pressure * up[r] + (r < 4 ? 0.5 * area[r - 1] : 0);
      for (std::size_t b = 0; b < 3; ++b) {
        d[row + 1 + b] = mean * area[b] * up[r];
        if (r < 4) d[row + 1 + b] -= (sign * loss + bend) * area[b] * area[r - 1];
      }
      if ((m >= 0) == (side == 0)) d[row + r] += m;
    }
  }
}

// Diffusion along the line between centers, which are `across` apart: coefficient of the difference of two states.
inline double Conductance(const Vector3 &area, const Vector3 &across) { return Dot(area, area) / Dot(area, across); }
