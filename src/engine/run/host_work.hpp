// SPDX-License-Identifier: BSD-2-Clause
// Work of a host thread: rows, a share of a group, tasks.
#pragma once

#include "base/block.hpp"
#include "run/run.hpp"

namespace finegrain::detail
{

// Scratch of one host lane. For run-time block sizes it is an array of bytes, because the default constructor of
// Kokkos::complex would set every entry in every row.
template <class Row, int N> struct HostScratch {
  static constexpr int size = Row::scratch_size(N) > 0 ? Row::scratch_size(N) : 1;
  Scalar scalars[std::size_t(size)];
  KOKKOS_FORCEINLINE_FUNCTION Scalar *data() { return scalars; }
};
template <class Row> struct HostScratch<Row, 0> {
  static constexpr int size = Row::scratch_size(max_block) > 0 ? Row::scratch_size(max_block) : 1;
  alignas(64) unsigned char bytes[sizeof(Scalar) * std::size_t(size)];
  KOKKOS_FORCEINLINE_FUNCTION Scalar *data() { return reinterpret_cast<Scalar *>(bytes); }
};

// Loop of one host thread, which all algorithms on hosts use.
template <int N, class Row>
[[gnu::noinline]] KOKKOS_FUNCTION void run_rows(const Row &shared, Index first, Index last)
{
  const Row row = shared; // a private copy stays in registers, because stores of results cannot change it
  for (Index sweep_index = first; sweep_index < last; ++sweep_index) {
    HostScratch<Row, N> scratch;
    row(sweep_index, HostLanes<N>{row.n}, scratch.data());
  }
}

// Returns the row function of a thread. Row functions with memory for each host thread define of_thread(i).
template <class Row> KOKKOS_FORCEINLINE_FUNCTION Row of_thread(const Row &row, [[maybe_unused]] Index thread)
{
  if constexpr (requires { row.of_thread(thread); }) return row.of_thread(thread);
  else return row;
}

// Visits the sweep indices visit[first] to visit[last - 1], or first to last - 1 if `visit` is null.
template <int N, class Row>
KOKKOS_FORCEINLINE_FUNCTION void visit_rows(const Row &row, const Index *visit, Index first, Index last)
{
  if (!visit) return run_rows<N>(row, first, last);
  for (Index i = first; i < last; ++i) run_rows<N>(row, visit[i], visit[i] + 1);
}

// Share of one thread in a group.
template <int N, class Row> struct HostShare {
  Row row;
  const Index *visit;
  Index first, last, shares;

  void operator()(const Index i) const
  {
    const auto cut = [&](Index share) { return first + Index(Offset(last - first) * share / shares); };
    visit_rows<N>(of_thread(row, i), visit, cut(i), cut(i + 1));
  }
};

// A sweep that executes a task by itself, run(t), without sweep indices.
template <class Row>
concept DoesTasks = requires(const Row &row)
{
  row.run(Index());
};

template <int N, class Row> struct Thread {
  const Row &row;

  KOKKOS_FORCEINLINE_FUNCTION unsigned draw(const TaskFlags &progress) const { return progress.draw(); }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each(Index first, Index last, const F &f) const
  {
    for (Index i = first; i < last; ++i) f(i);
  }
  KOKKOS_FORCEINLINE_FUNCTION void prepare(const TaskList &, Index) const {}
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const {}
  // Only hosts have sweeps that execute tasks by themselves.
  FINEGRAIN_CALLS_HOST KOKKOS_FORCEINLINE_FUNCTION void run(const TaskList &tasks, Index t) const
  {
    if constexpr (DoesTasks<Row>) row.run(t);
    else run_rows<N>(row, tasks.first[t], tasks.first[t + 1]);
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void once(const F &f) const { f(); }
};

template <int N, class Row> struct ThreadBody {
  Row row;
  TaskList tasks;
  TaskFlags progress;
  void operator()(const Index i) const
  {
    const Row mine = of_thread(row, i);
    work(tasks, progress, Thread<N, Row>{mine});
  }
};

} // namespace finegrain::detail
