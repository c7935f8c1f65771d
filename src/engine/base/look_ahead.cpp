// SPDX-License-Identifier: BSD-2-Clause
// Reads parts of a matrix in turn, with and without requests, and compares the best of each.
#include "base/look_ahead.hpp"

#include "base/prefetch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace finegrain
{

namespace
{

LookAhead state; // two numbers, of the process

constexpr std::size_t part = std::size_t(8) << 20, parts = 8; // bytes; more than the caches that a core has
constexpr double worth = 1.03;                                // requests are left out for a gain of this factor

// Sums, so that every number is waited for.
template <bool asks>
[[gnu::noinline]] std::uint64_t read(const std::uint64_t *from, std::size_t count, std::size_t bytes)
{
  constexpr std::size_t line = 8;
  std::uint64_t sums[line] = {};
  for (std::size_t i = 0; i + line <= count; i += line) {
    if constexpr (asks) prefetch<1, Caches::first>(reinterpret_cast<const char *>(from + i) + bytes);
    for (std::size_t k = 0; k < line; ++k) sums[k] += from[i + k];
  }
  std::uint64_t total = 0;
  for (const std::uint64_t s : sums) total += s;
  return total;
}

} // namespace

LookAhead look_ahead() { return state; }

void set_look_ahead(Offset bytes)
{
  state = {};
  if (bytes >= 0) state = {std::size_t(bytes), LookAheadSource::given};
}

void measure_look_ahead(const void *stream, std::size_t bytes)
{
  if (state.source != LookAheadSource::assumed || bytes < part * parts) return;
  const std::uint64_t *from = static_cast<const std::uint64_t *>(stream);
  constexpr std::size_t count = part / sizeof(std::uint64_t);
  double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  volatile std::uint64_t kept = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    const auto start = std::chrono::steady_clock::now();
    const bool asks = p % 2 == 0;
    kept = kept + (asks ? read<true>(from + p * count, count, state.bytes) : read<false>(from + p * count, count, 0));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best[asks] = std::min(best[asks], time.count());
  }
  if (best[0] * worth < best[1]) state.bytes = 0;
  state.source = LookAheadSource::measured;
}

} // namespace finegrain
