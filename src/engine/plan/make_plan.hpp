// Schedule, storage order and executor, chosen together. In: an elimination, options, what the machine has. Out: a
// Plan.
#pragma once

#include "plan/options.hpp"
#include "plan/plan.hpp"

namespace finegrain
{

struct Elimination;

SetupError make_plan(const Elimination &, int block, const EngineOptions &, const Machine &, Plan &);

} // namespace finegrain
