// SPDX-License-Identifier: BSD-2-Clause
// Schedule, storage order and algorithm, chosen together. In: an elimination, options, what the machine has. Out: a
// Plan.
#pragma once

#include "order/options.hpp"
#include "run/plan.hpp"

namespace finegrain
{

struct Elimination;

SetupError make_plan(const Elimination &, int block, const EngineOptions &, const Machine &, Plan &);

} // namespace finegrain
