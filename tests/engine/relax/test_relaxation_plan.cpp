// SPDX-License-Identifier: BSD-2-Clause
// Errors of a relaxation that are found before the graph is read.
#include "graphs.hpp"

#include "relax/relaxation_plan.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Owned entries and couplings are numbered together. The graphs have no columns, so that none may be read.
TEST(RelaxationPlan, RefusesMoreCouplingsThanAnIndexCounts)
{
  constexpr Index half = std::numeric_limits<Index>::max() / 2;
  OperatorView view;
  view.owned = {1, to_array("ptr", {0, half + 1}), {}};
  view.coupling = {1, to_array("ptr", {0, half + 1}), {}};
  view.ghosts = 1;
  EngineOptions options;
  options.method = Method::relaxation;
  RelaxationPlan plan;
  for (const Exchange exchange : {Exchange::sweep, Exchange::color}) {
    options.relaxation.exchange = exchange;
    EXPECT_EQ(plan_relaxation(view, options, {}, plan).reason, SetupError::entries);
  }
}

} // namespace
