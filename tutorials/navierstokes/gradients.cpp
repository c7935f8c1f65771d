// SPDX-License-Identifier: BSD-2-Clause
// Gradients of cells: least squares over neighbors and given boundary values, weighted by 1 / distance^2.
#include "flow.hpp"

#include <cmath>

namespace
{

std::size_t KindOf(std::size_t unknown) { return unknown == 0 ? 0 : unknown < 4 ? 1 : unknown - 2; }

// Inverse of a symmetric 3 x 3 matrix. In directions without data the gradient is zero.
std::array<double, 9> Inverse(std::array<double, 9> m)
{
  const double trace = m[0] + m[4] + m[8];
  const auto determinant = [&] {
    return m[0] * (m[4] * m[8] - m[5] * m[5]) - m[1] * (m[1] * m[8] - m[5] * m[2]) +
           m[2] * (m[1] * m[5] - m[4] * m[2]);
  };
  if (determinant() < 1e-6 * trace * trace * trace)
    for (std::size_t e = 0; e < 9; e += 4) m[e] += 1e-6 * trace;
  const double scale = determinant() > 0 ? 1 / determinant() : 0;
  const double a = scale * (m[4] * m[8] - m[5] * m[5]), b = scale * (m[2] * m[5] - m[1] * m[8]),
               c = scale * (m[1] * m[5] - m[2] * m[4]), d = scale * (m[0] * m[8] - m[2] * m[2]),
               e = scale * (m[1] * m[2] - m[0] * m[5]), f = scale * (m[0] * m[4] - m[1] * m[1]);
  return {a, b, c, b, d, e, c, e, f};
}

} // namespace

void Flow::CreateGradients()
{
  const std::size_t kinds = std::size_t(n) - 2;
  least_squares_.assign(std::size_t(grid.owned) * kinds, {});
  const auto add = [&](PetscInt cell, std::size_t kind, const Vector3 &across) {
    if (cell >= grid.owned) return;
    std::array<double, 9> &matrix = least_squares_[std::size_t(cell) * kinds + kind];
    for (std::size_t e = 0; e < 9; ++e) matrix[e] += across[e / 3] * across[e % 3] / Dot(across, across);
  };
  for (const Face &face : grid.faces)
    for (std::size_t kind = 0; kind < kinds; ++kind)
      if (face.b >= 0) {
        add(face.a, kind, face.from_a - face.from_b);
        add(face.b, kind, face.from_a - face.from_b);
      } else {
        const Given::Use use = At(face).use[kind == 0 ? 0 : kind == 1 ? 1 : kind + 2];
        if (use == Given::value) add(face.a, kind, face.from_a);
        if (use == Given::flat) add(face.a, kind, NormalPart(face.from_a, face.area));
      }
  for (auto &matrix : least_squares_) matrix = Inverse(matrix);
}

template <std::size_t N> void Flow::AddDifferences(std::size_t first, std::size_t last)
{
  const auto add = [&](PetscInt cell, std::size_t u, const Vector3 &across, double difference) {
    double *sum = gradient.data() + 3 * (std::size_t(cell) * N + u);
    for (std::size_t x = 0; x < 3; ++x) sum[x] += across[x] * difference;
  };
  for (std::size_t f = first; f < last; ++f) {
    const Face &face = grid.faces[f];
    const double *a = q.data() + std::size_t(face.a) * N;
    if (face.b >= 0) {
      const Vector3 across = face.from_a - face.from_b, weighted = (1 / Dot(across, across)) * across;
      const double *b = q.data() + std::size_t(face.b) * N;
      for (std::size_t u = 0; u < N; ++u) {
        add(face.a, u, weighted, b[u] - a[u]);
        if (face.b < grid.owned) add(face.b, u, weighted, b[u] - a[u]);
      }
      continue;
    }
    const Given &given = given_[f];
    const Vector3 normal = NormalPart(face.from_a, face.area);
    const double through = Dot({a[1], a[2], a[3]}, face.area) / Dot(face.area, face.area);
    for (std::size_t u = 0; u < N; ++u) {
      if (given.use[u] == Given::value)
        add(face.a, u, (1 / Dot(face.from_a, face.from_a)) * face.from_a, given.state[u] - a[u]);
      if (given.use[u] == Given::flat && u > 0 && u < 4)
        add(face.a, u, (1 / Dot(normal, normal)) * normal, -through * face.area[u - 1]);
    }
  }
}

template <std::size_t N> void Flow::SolveGradients()
{
  for (std::size_t c = 0; c < std::size_t(grid.owned); ++c)
    for (std::size_t u = 0; u < N; ++u) {
      const std::array<double, 9> &m = least_squares_[c * (N - 2) + KindOf(u)];
      double *g = gradient.data() + 3 * (c * N + u);
      const Vector3 sum = {g[0], g[1], g[2]};
      for (std::size_t x = 0; x < 3; ++x) g[x] = m[3 * x] * sum[0] + m[3 * x + 1] * sum[1] + m[3 * x + 2] * sum[2];
    }
}

// Smagorinsky, Mon. Weather Rev. 91 (1963) 99-164: (C h)^2 sqrt(2 S S), h the cube root of the cell's volume.
void Flow::FillEddies(std::size_t first, std::size_t last)
{
  if (problem.smagorinsky == 0) return;
  for (std::size_t c = first; c < last; ++c) {
    const double *g = gradient.data() + 3 * (c * std::size_t(n) + 1);
    double square = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        square += 0.5 * (g[3 * a + b] + g[3 * b + a]) * (g[3 * a + b] + g[3 * b + a]);
    const double length = problem.smagorinsky * std::cbrt(grid.volume[c]);
    eddy_[c] = length * length * std::sqrt(square);
  }
}

template void Flow::AddDifferences<4>(std::size_t, std::size_t);
template void Flow::AddDifferences<6>(std::size_t, std::size_t);
template void Flow::SolveGradients<4>();
template void Flow::SolveGradients<6>();
