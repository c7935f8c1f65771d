// SPDX-License-Identifier: BSD-2-Clause
// Functions that engines of all methods share: checks in analyze(), execution of row functions, reports.
// ResidualRunner (product/residuals.hpp), a member of engines, derives from it.
#pragma once

#include "base/atomics.hpp"
#include "base/threads.hpp"
#include "engine.hpp"
#include "run/sweep_order.hpp"
#include "run/teams.hpp"

namespace finegrain
{

// Sets the listed blocks to zero, word by word. Outside of the class, for nvcc.
template <class Word> struct ClearBlocks {
  const Index *list;
  Word *blocks;
  Offset words; // words of one block

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { blocks[list[i / words] * words + i % words] = Word(0); }
};

// Kernels that fill or copy arrays.
template <class T> struct FillArray {
  T *to;
  T value;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { to[i] = value; }
};
template <class T> struct CopyArray {
  T *to;
  const T *from;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { to[i] = from[i]; }
};

// Finds the smallest row whose inverted diagonal block is not finite as stored.
struct FindOverflow {
  const Single *blocks; // inverted blocks, by position
  Offset nn;
  const Index *row_of;
  Index rows; // other ranks report their own rows
  PivotReport *pivot_report;

  KOKKOS_INLINE_FUNCTION void operator()(Offset position) const
  {
    const Index row = row_of ? row_of[position] : Index(position);
    for (Offset i = position * nn; row < rows && i < (position + 1) * nn; ++i)
      if (!is_finite(largest_part(convert<Scalar>(blocks[i])))) return atomic_lower(&pivot_report->bad_coupling, row);
  }
};

template <class Exec> struct Runner : QueuedSpace<Exec> {
  using Space = typename Exec::memory_space;
  using QueuedSpace<Exec>::exec, QueuedSpace<Exec>::wait, QueuedSpace<Exec>::finish;

  int n = 1;
  Index rows = 0;
  std::array<Index, 2> every_row{};
  Shift shift;
  Algorithm algorithm = Algorithm::sequential;
  Layout y_layout = Layout::row;
  Array<Index, Space> row_at; // row at each position; empty: natural order
  SweepOrder<Space> forward, backward, factor_order;
  TaskFlagMemory<Space> flags;
  Array<Scalar, Space> scratch_vector; // memory of scratch(), allocated at first use
  Kokkos::View<PivotReport, Space> pivot_report;
  Halo *halo = nullptr;
  Offset launches = 0;
  Statistics statistics;

  // Checks the matrix and the options.
  static SetupError check(const OperatorView &view, const EngineOptions &options)
  {
    EngineOptions here = options;
    here.backend = works_in_teams<Exec> ? Backend::device : Backend::host;
    if (const char *text = find_conflict(here)) return {SetupError::conflict, -1, text};
    if (view.block < 1 || view.block > max_block) return {SetupError::block_size};
    const PatternDefects form = find_pattern_defects(view.owned, view.owned.rows);
    if (!form.good || !find_pattern_defects(view.coupling, view.ghosts).good) return {SetupError::malformed};
    if (form.no_diagonal >= 0) return {SetupError::missing_diagonal, form.no_diagonal};
    if (options.ordering.extent(0) > 0 && !is_permutation(options.ordering, view.owned.rows))
      return {SetupError::bad_ordering};
    return {};
  }

  // Starts anew with a plan for the view. row_of is that of the plan, in the memory of Exec.
  void begin(const OperatorView &view, const EngineOptions &options, const Plan &plan,
             const Array<Index, Space> &row_of)
  {
    n = view.block;
    rows = view.owned.rows;
    every_row = {0, rows};
    shift = options.shift;
    algorithm = plan.algorithm;
    row_at = row_of;
    y_layout = plan.y;
    flags.reserve(plan.tasks.tasks.count());
    set_sweep_orders(plan, forward, backward, factor_order);
    pivot_report = Kokkos::View<PivotReport, Space>("finegrain::pivots");
    launches = 0;
    scratch_vector = {};
    halo = nullptr;

    statistics = {};
    statistics.schedule = plan.schedule.kind;
    statistics.algorithm = algorithm;
    statistics.precision = options.precision;
    statistics.diagonal = options.diagonal;
    statistics.widths = measure_widths(plan.schedule);
    statistics.first_groups = plan.first_groups;
    statistics.reason = plan.reason;
    statistics.tile = plan.tile;
    statistics.tasks = plan.tasks.tasks.count();
    statistics.task_levels = plan.tasks.levels;
    statistics.task_width = plan.tasks.widest;
    statistics.rows = rows;
  }

  bool by_kernels() const { return algorithm == Algorithm::levels; } // one after the other
  const Index *row_of() const { return row_at.extent(0) ? row_at.data() : nullptr; }
  std::size_t scalars() const { return std::size_t(rows) * std::size_t(n); }
  bool y_by_row() const { return y_layout == Layout::row; }

  // Returns the machine for a block size, where a lane computes a row of a block. An emulated device plans like a
  // real one.
  Machine machine(int block) const
  {
    if constexpr (works_in_teams<Exec>) return {true, 0, Index(shape_team(block, scratch_bytes(block)).threads)};
    else return {false, usable_threads()};
  }

  Run<Exec> sweep(const SweepOrder<Space> &s)
  {
    return {.exec = exec,
            .algorithm = algorithm,
            .group = s.group.data(),
            .groups = s.groups(),
            .visit = s.visit.data(),
            .launches = &launches,
            .tasks = &s.list,
            .progress = &flags};
  }
  // Factorizations on a device run by levels: tasks are cut for sweeps, and a row of a factorization needs the lanes
  // of several rows of a sweep (docs/gpu_times.md).
  Run<Exec> factorization()
  {
    Run<Exec> run = sweep(factor_order.group.extent(0) > 0 ? factor_order : forward);
    if (works_in_teams<Exec>) run.algorithm = Algorithm::levels;
    return run;
  }
  // Describes a run of the sweep indices [*cut, *(cut + 1)), which do not depend on each other.
  Run<Exec> independent(const Index *cut)
  {
    const Algorithm how = algorithm == Algorithm::sequential ? Algorithm::sequential : Algorithm::levels;
    return {exec, how, cut, 1, nullptr, &launches};
  }
  Run<Exec> all() { return independent(every_row.data()); }
  // Calls body(i) for 0 <= i < count, in any order.
  template <class Body> void for_each(Offset count, const Body &body) const
  {
    using Flat = Kokkos::RangePolicy<typename Exec::execution_space, Kokkos::IndexType<Offset>>;
    if (count > 0) Kokkos::parallel_for("finegrain::each", Flat(exec, 0, count), body);
  }
  template <class Word> void clear_blocks(const Array<Index, Space> &list, Word *blocks, Offset words)
  {
    for_each(Offset(list.extent(0)) * words, ClearBlocks<Word>{list.data(), blocks, words});
  }
  // Sets the queue of all further kernels. Returns false if it is the engine's own.
  bool set_queue(const Queue &wanted) { return this->change_queue(queue_with(halo, wanted)); }

  // Clears the report. Reported rows, or positions including rows of other ranks, are below `all`.
  void clear_pivot_report(Index all = 0)
  {
    const auto none = Kokkos::create_mirror_view(Kokkos::HostSpace(), pivot_report);
    all = std::max(all, rows);
    none() = {all, all, 0, 0, all, 0};
    Kokkos::deep_copy(exec, pivot_report, none);
    exec.fence();
  }
  // Checks inverted diagonal blocks, by position. Those in working precision have been checked before.
  void check_inverses(const void *blocks, Precision precision, const Index *row_of_position, Index positions) const
  {
    if (precision == Precision::working) return;
    for_each(positions, FindOverflow{static_cast<const Single *>(blocks), Offset(n) * n, row_of_position, rows,
                                     pivot_report.data()});
  }
  FactorReport read_pivot_report(Index all = 0)
  {
    const auto found = Kokkos::create_mirror_view(Kokkos::HostSpace(), pivot_report);
    Kokkos::deep_copy(exec, found, pivot_report);
    exec.fence();
    const PivotReport t = found();
    const auto find = [&](Index row) { return row < std::max(all, rows) ? row : -1; };
    return {.bad_row = find(t.bad_row),
            .bad_is_finite = t.bad_row != t.not_finite,
            .shifted = t.shifted,
            .indefinite = t.indefinite,
            .bad_coupling = find(t.bad_coupling),
            .flushed = t.flushed};
  }

  // Fills an array, or copies one. Kokkos' own functions allocate memory for a label at each call.
  template <class T> void fill(T *to, std::size_t count, T value) const
  {
    for_each(Offset(count), FillArray<T>{to, value});
  }
  template <class T> void copy(T *to, std::size_t count, const T *from) const
  {
    for_each(Offset(count), CopyArray<T>{to, from});
  }

  // Returns a vector for callers (Engine::scratch()).
  Scalar *scratch()
  {
    if (scratch_vector.extent(0) < scalars())
      scratch_vector = make_array<Scalar, Space>("finegrain::scratch", scalars());
    return scratch_vector.data();
  }
};

// Creates the engine of a back end.
template <template <class> class On> std::unique_ptr<Engine> make_engine_on(Backend backend)
{
  if constexpr (builds_device) {
    if (backend == Backend::device) return std::make_unique<On<DeviceExec>>();
  }
  return std::make_unique<On<HostExec>>();
}

} // namespace finegrain
