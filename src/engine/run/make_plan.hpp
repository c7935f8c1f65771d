// SPDX-License-Identifier: BSD-2-Clause
// Chooses schedule, storage order and algorithm together. In: an elimination, options, the machine. Out: a Plan.
#pragma once

#include "order/options.hpp"
#include "run/plan.hpp"

namespace finegrain
{

struct Elimination;

SetupError make_plan(const Elimination &, int block, const EngineOptions &, const Machine &, Plan &);

} // namespace finegrain
