// Groups and tasks of the forward and the backward sweep, copied to where kernels run. In: a Plan. Out: a Direction
// for each, of which runner.hpp makes the Run of a sweep.
#pragma once

#include "plan/factor_pattern.hpp"
#include "plan/plan.hpp"
#include "run/run.hpp"

namespace finegrain
{

template <class Space> struct SweepOrder {
  HostArray<Index> group;
  Array<Index, Space> visit; // slots in the order of visits; empty: as they are
  Tasks<Space> tasks;        // self and tile
  TaskList list;
  Array<Index, Space> tile_columns; // tile in teams
  Index longest = 0;                // entries of the longest row; 0: no matter
  // launch in teams, where narrow groups share a kernel: cut_kernels(), and `group` again.
  HostArray<Index> cut;
  Array<Index, Space> step;

  Index groups() const { return Index(group.extent(0)) - 1; }
  Index kernels() const { return cut.extent(0) ? Index(cut.extent(0)) - 1 : 0; } // 0: a kernel a group
  Index launches() const { return kernels() ? kernels() : groups(); }
  std::size_t bytes() const
  {
    return (group.span() + visit.span() + tile_columns.span() + cut.span() + step.span()) * sizeof(Index) +
           tasks.bytes();
  }
};

// Slots of the backward sweep run from the last position to the first. The order of the factorization stays empty
// where it is that of the forward sweep. `narrow`: rows of a group at most that share a kernel with the next; 0: of
// none. Colors are wide, and do not.
template <class Space> void set_sweep_orders(const Plan &plan, Index narrow, SweepOrder<Space> &forward,
                                             SweepOrder<Space> &backward, SweepOrder<Space> &factorization)
{
  forward = backward = factorization = {};
  forward.group = plan.schedule.group;
  backward.group = reverse_groups(forward.group);
  const bool shuffles = plan.executor == ExecutorKind::shuffle;
  if (shuffles)
    for (SweepOrder<Space> *d : {&forward, &backward}) d->visit = copy_to<Space>(shuffle_slots(d->group));
  if (const Schedule &s = plan.factorization; s.group.extent(0) > 0) {
    factorization.group = s.group;
    factorization.visit = copy_to<Space>(shuffles ? compose(s.order, shuffle_slots(s.group)) : s.order);
  }
  if (narrow && plan.executor == ExecutorKind::launch && plan.schedule.kind != ScheduleKind::color)
    for (SweepOrder<Space> *d : {&forward, &backward}) {
      const auto cut = cut_kernels(d->group, narrow);
      if (cut.extent(0) == d->group.extent(0)) continue; // nothing shares
      d->cut = cut;
      d->step = copy_to<Space>(d->group);
    }
  const Tasks<Kokkos::HostSpace> &up = plan.tasks.tasks;
  if (up.count() == 0) return;

  const auto down = reverse_tasks(up);
  Index most = 0;
  for (Index t = 0; t < up.count(); ++t) most = std::max(most, up.slot(t + 1) - up.slot(t));
  forward.tasks = copy_to<Space>(up);
  backward.tasks = copy_to<Space>(down);
  for (SweepOrder<Space> *d : {&forward, &backward}) {
    const Tasks<Space> &t = d->tasks;
    d->list = {t.count(), t.slot.data(), t.wait_ptr.data(), t.wait.data(), t.step_ptr.data(), t.step.data(), most};
  }
}

inline Index find_longest_row(const HostArray<Index> &ptr)
{
  Index most = 0;
  for (std::size_t i = 0; i + 1 < ptr.extent(0); ++i) most = std::max(most, ptr(i + 1) - ptr(i));
  return most;
}

// A team keeps the rows of its tile at hand where they are no more than `team_rows`. After set_sweep_orders().
template <class Space> void set_tile_columns(const Plan &plan, const Pattern<Kokkos::HostSpace> &pattern,
                                             std::size_t team_rows, SweepOrder<Space> &forward,
                                             SweepOrder<Space> &backward)
{
  const Tasks<Kokkos::HostSpace> &up = plan.tasks.tasks;
  if (plan.executor != ExecutorKind::tile || up.count() == 0 || std::size_t(forward.list.most_rows) > team_rows)
    return;
  const auto rows = std::size_t(pattern.rows);
  auto same = make_array<Index>("finegrain::slot", rows), from_last = make_array<Index>("finegrain::slot", rows);
  for (Index pos = 0; pos < pattern.rows; ++pos) {
    same(pos) = pos;
    from_last(pattern.row_of(pos)) = pattern.rows - 1 - pos;
  }
  forward.tile_columns = copy_to<Space>(mark_tile_columns(pattern.lower.ptr, pattern.lower.col, same, up));
  backward.tile_columns =
    copy_to<Space>(mark_tile_columns(pattern.upper.ptr, pattern.upper.col, from_last, reverse_tasks(up)));
}

} // namespace finegrain
