// A graph where a device reads it, and passes over it by flat kernels, so that the host makes none (numerics.md 5
// has the level sets). In: a Graph, on the host. Out: what the functions of graph/ and plan/ with the same names
// give, entry by entry (suite DeviceGraph); results are on the host.
//
// Level sets and greedy colors go by frontiers: a row is ready when all of its neighbors of smaller numbers are done,
// and a kernel does all rows that are ready. Level sets by frontiers: Naumov, "Parallel Solution of Sparse Triangular
// Linear Systems in the Preconditioned Iterative Methods on the GPU", NVIDIA 2011.
#pragma once

#include "base/kokkos.hpp"
#include "graph/passes.hpp"

namespace finegrain
{

// Exec: an execution space of Kokkos. Instances are in the .cpp.
template <class Exec> class DeviceGraph final : public GraphPasses
{
public:
  using Space = typename Exec::memory_space;

  DeviceGraph(const Exec &, const Graph &);

  const Array<Index, Space> &ptr() const { return ptr_; }
  const Array<Index, Space> &col() const { return col_; }

  Form check_form(Index columns) const; // no_diagonal: where it is good
  // Rows with which one thread of a device would be busy for long: passes over them are the host's.
  bool has_long_rows() const;

  bool is_of(const Graph &) const override;
  bool is_symmetric() const override;
  bool is_complete_star(const Grid &) const override;
  bool is_valid(const Coloring &) const override;
  std::optional<Schedule> schedule_hyperplanes(const Grid &) const override;
  std::optional<Schedule> schedule_levels() const override;
  std::optional<Coloring> color_greedy() const override;
  Schedule schedule_colors(const Coloring &) const override;

private:
  // Visit(row, step) for rows of one frontier after the other; nothing: there are too many frontiers.
  template <class Visit> std::optional<Index> each_frontier(Visit) const;
  // Rows sorted by their numbers below `groups`, ascending inside a group.
  Schedule sort_rows(ScheduleKind, Index groups, const Array<Index, Space> &group_of) const;

  Exec exec_;
  Graph graph_;
  Array<Index, Space> ptr_, col_;
  mutable std::optional<bool> symmetric_; // once it was asked
};

// Nothing on a host, whose threads do the same.
template <class Exec>
std::unique_ptr<DeviceGraph<typename Exec::execution_space>> copy_graph(const typename Exec::execution_space &exec,
                                                                        const Graph &g)
{
  if constexpr (works_in_teams<Exec>) return std::make_unique<DeviceGraph<typename Exec::execution_space>>(exec, g);
  return nullptr;
}

} // namespace finegrain
