// SPDX-License-Identifier: BSD-2-Clause
// Structured grids: boxes of points, and hyperplanes, whose points do not depend on each other. In: sizes and a
// graph. Out: the hyperplane of each row, for the schedules of levels.hpp.
#pragma once

#include "base/scalar.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace finegrain
{

struct Graph;

// Size of a box, or a point of it. Points (i, j, k) of a box of I x J x K points are numbered i + I (j + J k).
struct Box {
  Index i = 0, j = 0, k = 0;

  Offset points() const { return Offset(i) * j * k; }
  // Returns the point with this number.
  KOKKOS_FORCEINLINE_FUNCTION Box point(Index number) const { return {number % i, number / i % j, number / i / j}; }
  bool operator==(const Box &) const = default;
};

// Boxes that make up the owned block rows, in order. Empty: no structure known.
using Grid = std::vector<Box>;

Offset count_points(const Grid &);

// Calls f(first point, points) for each tile of a box, in the order of first points.
template <class F> void each_tile(const Box &box, const Box &tile, const F &f)
{
  if (box.points() == 0) return;
  for (Index k = 0; k < box.k; k += tile.k)
    for (Index j = 0; j < box.j; j += tile.j)
      for (Index i = 0; i < box.i; i += tile.i)
        f(Box{i, j, k}, Box{std::min(tile.i, box.i - i), std::min(tile.j, box.j - j), std::min(tile.k, box.k - k)});
}

// Weights of hyperplanes for box stencils of width s; s = 0: for stars.
struct PlaneWeights {
  Index i, j, k;

  KOKKOS_FORCEINLINE_FUNCTION Index plane(Index at_i, Index at_j, Index at_k) const
  {
    return i * at_i + j * at_j + k * at_k;
  }
  bool operator==(const PlaneWeights &) const = default;
};
inline PlaneWeights plane_weights(Index s) { return {1, s + 1, (s + 1) * (s + 1)}; }
inline constexpr Index widest_box_stencil = 3;

// Hyperplanes of a grid. The row at (i, j, k) of its box is on hyperplane weight.plane(i, j, k).
struct Hyperplanes {
  PlaneWeights weight;
  Index count = 0;
  HostArray<Index> plane; // plane of each row
};

// Returns hyperplanes that keep the result of the natural order, or nothing if there are none. Every coupling of the
// graph must join different planes, and the row with the smaller number must be on the smaller plane. Weights (1, 1,
// 1) fit a star of any width and periodic axes, (1, s + 1, (s + 1)^2) a box stencil of width s (numerics.md 1).
// O(entries).
std::optional<Hyperplanes> find_hyperplanes(const Grid &, const Graph &);

} // namespace finegrain
