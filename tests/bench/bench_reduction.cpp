// SPDX-License-Identifier: BSD-2-Clause
// Reduction of storage precision in place compared with conversion by copy and the machine's read bandwidth. Needs
// no PETSc. GB/s counts the loads and stores of each algorithm. A copy, and the single pass of one thread, read
// every number and write every result; gather and spread also write and read every result once more. Memory moves
// more bytes if a store first reads its cache line. "useful" is the bytes of a copy divided by any of the times.
#include "base/kokkos.hpp"
#include "base/threads.hpp"

#include "base/rounding_in_place.hpp"
#include "base/rounding.hpp"

#include <benchmark/benchmark.h>

#include <functional>
#include <string>

using namespace finegrain;

namespace
{

constexpr Offset count = Offset(64) << 20;

enum class Way { copy, pass, parts };

// Runs `body` on the range of each thread.
template <class Body> void for_ranges(Index threads, const Body &body)
{
  for_threads(threads, [&](Index i) { body(count * i / threads, count * (i + 1) / threads); });
}

template <class T> void fill(const HostArray<T> &a, Index threads)
{
  for_ranges(threads, [&](Offset begin, Offset end) {
    for (Offset i = begin; i < end; ++i) a(std::size_t(i)) = convert<T>(float(i % 1000 + 1));
  });
}

template <class T> HostArray<T> make_numbers(Index threads)
{
  auto a = make_array<T>("numbers", std::size_t(count));
  fill(a, threads);
  return a;
}

template <class To, class From> void reduce(benchmark::State &state, Way way, Index threads)
{
  const HostArray<From> numbers = make_numbers<From>(threads);
  const auto copy = make_numbers<To>(threads);
  for (auto _ : state) {
    state.PauseTiming();
    fill(numbers, threads);
    state.ResumeTiming();
    if (way == Way::copy)
      for_ranges(threads, [&](Offset begin, Offset end) {
        narrow(numbers.data() + begin, end - begin, From(1), copy.data() + begin);
      });
    else if (way == Way::pass) narrow(numbers.data(), count, From(1), reinterpret_cast<To *>(numbers.data()));
    else reduce_in_shares<To>(threads, numbers.data(), count);
    benchmark::ClobberMemory();
  }
  const double useful = double(state.iterations()) * double(count) * double(sizeof(From) + sizeof(To));
  const double again = double(state.iterations()) * double(count) * 2 * sizeof(To);
  const auto rate = [](double bytes) { return benchmark::Counter(bytes * 1e-9, benchmark::Counter::kIsRate); };
  state.counters["GB/s"] = rate(way == Way::parts ? useful + again : useful);
  state.counters["useful"] = rate(useful);
}

void read(benchmark::State &state, Index threads)
{
  const HostArray<double> numbers = make_numbers<double>(threads);
  for (auto _ : state)
    for_ranges(threads, [&](Offset begin, Offset end) {
      double sums[16] = {};
      for (Offset i = begin; i + 16 <= end; i += 16)
        for (int k = 0; k < 16; ++k) sums[k] += numbers.data()[i + k];
      benchmark::DoNotOptimize(sums);
    });
  state.counters["GB/s"] =
    benchmark::Counter(double(state.iterations()) * double(count) * 8e-9, benchmark::Counter::kIsRate);
}

void add(const std::string &name, Index threads, const std::function<void(benchmark::State &)> &run)
{
  benchmark::RegisterBenchmark((name + "/threads:" + std::to_string(threads)).c_str(), run)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
}

template <class To, class From> void add_pair(const std::string &name, Index threads)
{
  add(name + "/copy", threads, [threads](auto &s) { reduce<To, From>(s, Way::copy, threads); });
  if (threads == 1) add(name + "/in place, one pass", 1, [](auto &s) { reduce<To, From>(s, Way::pass, 1); });
  add(name + "/in place, PIPSR", threads, [threads](auto &s) { reduce<To, From>(s, Way::parts, threads); });
}

} // namespace

int main(int argc, char **argv)
{
  benchmark::Initialize(&argc, argv);
  if (start_kokkos() != KokkosState::ready) return 2;
  const Index most = usable_threads();
  for (Index threads = 1; threads <= most; threads = threads < most ? most : most + 1) {
    add("read", threads, [threads](auto &s) { read(s, threads); });
    add_pair<float, double>("double to single", threads);
    add_pair<Half, double>("double to half", threads);
    add_pair<Half, float>("single to half", threads);
  }
  benchmark::RunSpecifiedBenchmarks();
}
