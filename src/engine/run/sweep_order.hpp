// Groups and tasks of the forward and the backward sweep, copied to where kernels run. In: a Plan. Out: a SweepOrder
// for each, of which runner.hpp makes the Run of a sweep.
#pragma once

#include "plan/plan.hpp"
#include "run/run.hpp"

namespace finegrain
{

template <class Space> struct SweepOrder {
  HostArray<Index> group;
  Array<Index, Space> visit; // slots in the order of visits; empty: as they are
  Tasks<Space> tasks;        // self, and tile of hosts
  TaskList list;
  Index longest = 0; // entries of the longest row; 0: no matter
  // tile in teams, where the sweep goes by tiles.
  HostArray<Index> level;
  Array<TileRange, Space> tile_range;
  Array<Index, Space> tile_columns;
  TileLevels tiles;
  // In teams, where narrow groups share a kernel: cut_kernels(), and `group` again. Where the sweep goes by tiles:
  // their steps.
  HostArray<Index> cut;
  Array<Index, Space> step;

  Index groups() const { return Index(group.extent(0)) - 1; }
  Index kernels() const { return cut.extent(0) ? Index(cut.extent(0)) - 1 : 0; } // 0: a kernel a group
  // Of a plain sweep by launch, or by tile in teams.
  Index launches() const { return tiles.count ? tiles.count : kernels() ? kernels() : groups(); }
  std::size_t bytes() const
  {
    return (group.span() + visit.span() + level.span() + tile_columns.span() + cut.span() + step.span()) *
             sizeof(Index) +
           tile_range.span() * sizeof(TileRange) + tasks.bytes();
  }
};

// Slots of the backward sweep run from the last position to the first. The order of the factorization stays empty
// where it is that of the forward sweep. `narrow`: rows of a group at most that share a kernel with the next; 0: of
// none. Colors are wide, and do not. Sweeps by tiles of a device want set_tiles() (methods/device_pattern.hpp) too.
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
  const bool by_groups = plan.executor == ExecutorKind::launch || plan.executor == ExecutorKind::tile;
  if (narrow && by_groups && !plan.by_tiles && plan.schedule.kind != ScheduleKind::color)
    for (SweepOrder<Space> *d : {&forward, &backward}) {
      const auto cut = cut_kernels(d->group, narrow);
      if (cut.extent(0) == d->group.extent(0)) continue; // nothing shares
      d->cut = cut;
      d->step = copy_to<Space>(d->group);
    }
  const Tasks<Kokkos::HostSpace> &up = plan.tasks.tasks;
  if (up.count() == 0 || plan.by_tiles) return;

  forward.tasks = copy_to<Space>(up);
  backward.tasks = copy_to<Space>(reverse_tasks(up));
  for (SweepOrder<Space> *d : {&forward, &backward}) {
    const Tasks<Space> &t = d->tasks;
    d->list = {t.count(), t.slot.data(), t.wait_ptr.data(), t.wait.data(), t.step_ptr.data(), t.step.data()};
  }
}

// The first task of each level, and the end of the last. Tasks are in an order of levels.
inline HostArray<Index> cut_levels(const TaskPlan &plan)
{
  std::vector<Index> first{0};
  for (std::size_t t = 1; t < plan.level.size(); ++t)
    if (plan.level[t] != plan.level[t - 1]) first.push_back(Index(t));
  first.push_back(Index(plan.level.size()));
  return to_array("finegrain::level", first);
}

} // namespace finegrain
