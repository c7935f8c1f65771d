// SPDX-License-Identifier: BSD-2-Clause
// Timing that benchmarks against PETSc share: all in one run, repetitions interleaved, best of all; read bandwidth.
#pragma once

#include <benchmark/benchmark.h>

#include <petscsys.h>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#define OK(...) PetscCallAbort(PETSC_COMM_SELF, __VA_ARGS__)

namespace finegrain::test
{

// Each thread sums over four streams of its part of 256 MiB.
inline void read_memory(benchmark::State &state, int threads = 1)
{
  constexpr std::size_t length = std::size_t(32) << 20;
  const std::size_t quarter = length / std::size_t(threads) / 32 * 8;
  const std::vector<double> v(length, 1.0);
  const auto read = [&](int thread) {
    const double *stream = v.data() + std::size_t(thread) * 4 * quarter;
    double sum[32] = {};
    for (std::size_t i = 0; i < quarter; i += 8)
      for (std::size_t s = 0; s < 4; ++s)
        for (std::size_t k = 0; k < 8; ++k) sum[8 * s + k] += stream[s * quarter + i + k];
    double total = 0; // if the whole array were handed on, GCC would keep the sums in memory
    for (const double part : sum) total += part;
    benchmark::DoNotOptimize(total);
  };
  for (auto _ : state) {
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(read, t);
    read(0);
    for (std::thread &t : others) t.join();
  }
}
constexpr double read_bytes = double(std::size_t(32) << 20) * 8;

// Keeps the best time of each benchmark, in ns/iteration. Names are "operation/variant".
class Best : public benchmark::BenchmarkReporter
{
public:
  std::map<std::string, double> ns;
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override
  {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      const std::string name = run.benchmark_name();
      const std::string key = name.substr(0, name.find('/', name.find('/') + 1));
      const double t = run.real_accumulated_time / double(run.iterations) * 1e9;
      if (!ns.count(key) || t < ns[key]) ns[key] = t;
    }
  }
};

// Benchmarks that run together, their repetitions interleaved: in random order, or, on several ranks, which must
// agree on the order, in turn.
class Interleaved
{
public:
  explicit Interleaved(PetscInt repetitions) : repetitions_(int(repetitions)) {}

  // For one rank only: several would not agree on the number of iterations.
  template <class Body> void add(const std::string &name, Body body)
  {
    benchmark::RegisterBenchmark(name.c_str(), body)->Repetitions(repetitions_)->MinTime(0.05)->UseRealTime();
  }
  // Adds a long benchmark: one iteration per repetition.
  template <class Body> void add_once(const std::string &name, Body body) { once_.emplace_back(name, body); }
  // Runs the benchmarks added since the last run.
  void run(Best *best)
  {
    static bool started = false;
    char program[] = "bench", interleave[] = "--benchmark_enable_random_interleaving=true";
    char *arguments[] = {program, interleave};
    PetscMPIInt ranks;
    OK([&] {
      PetscFunctionBegin;
      PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
      PetscFunctionReturn(PETSC_SUCCESS);
    }());
    int count = ranks > 1 ? 1 : 2;
    if (!started) benchmark::Initialize(&count, arguments);
    started = true;
    for (int round = 0; round < (ranks > 1 ? repetitions_ : 1); ++round)
      for (const auto &[name, body] : once_)
        benchmark::RegisterBenchmark(name.c_str(), body)
          ->Repetitions(ranks > 1 ? 1 : repetitions_)
          ->Iterations(1)
          ->UseRealTime();
    benchmark::RunSpecifiedBenchmarks(best);
    benchmark::ClearRegisteredBenchmarks();
    once_.clear();
  }

private:
  int repetitions_;
  std::vector<std::pair<std::string, std::function<void(benchmark::State &)>>> once_;
};

} // namespace finegrain::test
