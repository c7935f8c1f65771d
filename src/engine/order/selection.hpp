// SPDX-License-Identifier: BSD-2-Clause
// Which couplings of the owned square a factor keeps. In: its graph and grids. Out: a Selection, whose other
// couplings are left to corrections.
#pragma once

#include "base/kinds.hpp"
#include "order/fill.hpp"
#include "order/grid.hpp"

namespace finegrain
{

// What a factor keeps where grids are coupled by corrections only: couplings within each grid.
Selection select_within_grids(const Graph &, const Grid &);
Selection select_for_factor(const Graph &, const Grid &, GridCoupling);

} // namespace finegrain
