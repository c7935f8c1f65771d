// SPDX-License-Identifier: BSD-2-Clause
// Measures the gain of prefetching: reads pieces of a matrix in turn with and without it, and compares the best
// times.
#include "base/prefetch_distance.hpp"

#include "base/prefetch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace finegrain
{

namespace
{

PrefetchDistance state; // one for the process

// A piece is larger than the second-level cache of a core.
constexpr std::size_t piece = std::size_t(2) << 20, pieces = 8; // size of a piece in bytes
constexpr double worth = 1.03;                                  // smallest gain for which prefetching is used

// The sum uses every word, so that the loop waits for each of them.
template <bool prefetches> [[gnu::noinline]] std::uint64_t read(const std::uint64_t *from, std::size_t count)
{
  constexpr std::size_t line = 8;
  std::uint64_t sums[line] = {};
  for (std::size_t i = 0; i + line <= count; i += line) {
    if constexpr (prefetches)
      prefetch<1, Caches::first>(reinterpret_cast<const char *>(from + i) + usual_prefetch_distance);
    for (std::size_t k = 0; k < line; ++k) sums[k] += from[i + k];
  }
  std::uint64_t total = 0;
  for (const std::uint64_t s : sums) total += s;
  return total;
}

} // namespace

PrefetchDistance prefetch_distance() { return state; }

void set_prefetch_distance(Offset bytes)
{
  state = {};
  if (bytes >= 0) state = {std::size_t(bytes), PrefetchSource::given};
}

void measure_prefetch_distance(const void *stream, std::size_t bytes)
{
  if (state.source != PrefetchSource::assumed || bytes < piece * pieces) return;
  const std::uint64_t *from = static_cast<const std::uint64_t *>(stream);
  constexpr std::size_t count = piece / sizeof(std::uint64_t);
  double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  volatile std::uint64_t kept = 0;
  for (std::size_t p = 0; p < pieces; ++p) {
    const auto start = std::chrono::steady_clock::now();
    const bool prefetches = p % 2 == 0;
    kept = kept + (prefetches ? read<true>(from + p * count, count) : read<false>(from + p * count, count));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best[prefetches] = std::min(best[prefetches], time.count());
  }
  state.bytes = best[1] * worth < best[0] ? usual_prefetch_distance : 0;
  state.source = PrefetchSource::measured;
}

} // namespace finegrain
