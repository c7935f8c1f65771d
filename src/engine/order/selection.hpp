// SPDX-License-Identifier: BSD-2-Clause
// Couplings of the owned square that a factor keeps. In: its graph and grids. Out: a Selection, whose ignored
// couplings are left to corrections.
#pragma once

#include "base/kinds.hpp"
#include "order/fill.hpp"
#include "order/grid.hpp"

namespace finegrain
{

// Selects the couplings within each grid, for grids that are coupled by corrections only.
Selection select_within_grids(const Graph &, const Grid &);
Selection select_for_factor(const Graph &, const Grid &, GridCoupling);

} // namespace finegrain
