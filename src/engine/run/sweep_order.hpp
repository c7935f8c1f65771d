// SPDX-License-Identifier: BSD-2-Clause
// Groups and tasks of the forward and the backward sweep, copied to the memory of kernels. In: a Plan. Out: a
// SweepOrder for each sweep, from which runner.hpp makes its Run.
#pragma once

#include "run/plan.hpp"
#include "run/run.hpp"

namespace finegrain
{

template <class Space> struct SweepOrder {
  HostArray<Index> group;
  Array<Index, Space> visit; // sweep indices in the order of visits; empty: ascending
  Tasks<Space> tasks;        // for algorithm tasks
  TaskList list;

  Index groups() const { return Index(group.extent(0)) - 1; }
  std::size_t bytes() const { return (group.span() + visit.span()) * sizeof(Index) + tasks.bytes(); }
};

// Sweep indices of the backward sweep run from the last position to the first. The order of the factorization stays
// empty if it is that of the forward sweep.
template <class Space> void set_sweep_orders(const Plan &plan, SweepOrder<Space> &forward,
                                             SweepOrder<Space> &backward, SweepOrder<Space> &factorization)
{
  forward = backward = factorization = {};
  forward.group = plan.schedule.group;
  backward.group = reverse_groups(forward.group);
  if (const Schedule &s = plan.factorization; s.group.extent(0) > 0) {
    factorization.group = s.group;
    factorization.visit = copy_to<Space>(s.order);
  }
  const Tasks<Kokkos::HostSpace> &up = plan.tasks.tasks;
  if (up.count() == 0) return;

  forward.tasks = copy_to<Space>(up);
  backward.tasks = copy_to<Space>(reverse_tasks(up));
  for (SweepOrder<Space> *d : {&forward, &backward}) {
    const Tasks<Space> &t = d->tasks;
    d->list = {t.count(), t.first.data(), t.wait_ptr.data(), t.wait.data(), t.set_ptr.data(), t.set_first.data()};
  }
}

} // namespace finegrain
