// SPDX-License-Identifier: BSD-2-Clause
// Shape of a device's team: the number of its threads, and of vector lanes of each, for which its scratch memory
// suffices.
//
// In: properties of a row function. Out: a shape that Kokkos launches on a GPU, or none. Kokkos accepts a team only
// if threads times lanes, rounded up to a power of two and to a warp, still fit. The shapes here are powers of two
// and whole warps, so that nothing is rounded. tests/engine/run/test_teams.cpp checks every row function and block
// size against Kokkos' own rule.
#pragma once

#include "base/block.hpp"

namespace finegrain
{

struct TeamShape {
  int threads, lanes; // threads is 0 if the row function does not fit
};

inline constexpr int warp_lanes = 32;
inline constexpr int team_lanes = 128;                          // largest number of lanes of a team
inline constexpr std::size_t team_scratch = 48 * 1024;          // bytes that a team has by default on every GPU
inline constexpr std::size_t kokkos_bytes = 2 * sizeof(double), // bytes that Kokkos uses for a team
  kokkos_thread_bytes = sizeof(double);                         // and for each of its threads

// Returns the bytes of scratch for `scalars` scalars at any address.
constexpr std::size_t scratch_bytes(int scalars, std::size_t of_scalar = sizeof(Scalar))
{
  return scalars ? of_scalar * (std::size_t(scalars) + 1) : 0;
}

// Returns the shape of teams. parallelism: lanes that a row can use; scratch: bytes that each row needs.
constexpr TeamShape shape_team(int parallelism, std::size_t scratch)
{
  const std::size_t room = team_scratch - kokkos_bytes;
  const auto fits = [=](int threads) { return std::size_t(threads) * (scratch + kokkos_thread_bytes) <= room; };
  TeamShape shape = {0, 1};
  while (shape.lanes < parallelism && shape.lanes < warp_lanes) shape.lanes *= 2;
  for (int threads = team_lanes / shape.lanes; threads > 0 && !shape.threads; threads /= 2)
    if (fits(threads)) shape.threads = threads;
  while (shape.threads * shape.lanes < warp_lanes && shape.lanes < warp_lanes) shape.lanes *= 2; // fills a warp
  return shape;
}

// The same for a row function and a block size.
template <class Row> constexpr TeamShape shape_team(int n, std::size_t of_scalar = sizeof(Scalar))
{
  return shape_team(Row::parallelism(n), scratch_bytes(Row::scratch_size(n), of_scalar));
}
template <class Row> constexpr bool fits_team(int n) { return shape_team<Row>(n).threads > 0; }

// Row functions that do not fit at every block size declare it (Row::may_not_fit). The engines that run them on a
// device refuse these sizes.
template <class Row> consteval bool fits_or_says_so()
{
  if constexpr (requires { Row::may_not_fit; }) {
    return true;
  } else {
    for (int n = 1; n <= max_block; ++n)
      if (!fits_team<Row>(n)) return false;
    return true;
  }
}

namespace detail
{

// Emulated devices have one lane for each thread, and teams of OpenMP 32 KiB of scratch.
template <class Exec, class Row> TeamShape shape_on(const Row &row)
{
  static_assert(fits_or_says_so<Row>(), "A team of a device has too little scratch for this row function");
  if constexpr (builds_device && std::is_same_v<typename Exec::execution_space, HostExec>)
    return {Exec().concurrency() > 1 && scratch_bytes(Row::scratch_size(row.n)) <= 9 * 1024 ? 2 : 1, 1};
  return shape_team<Row>(row.n);
}

} // namespace detail

} // namespace finegrain
