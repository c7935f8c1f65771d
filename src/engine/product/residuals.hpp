// SPDX-License-Identifier: BSD-2-Clause
// Residuals of engines: their data, and a runner that computes them.
#pragma once

#include "base/prefetch_distance.hpp"
#include "product/ordered_ghosts.hpp"
#include "product/overlap.hpp"
#include "product/product_kernels.hpp"
#include "product/residual.hpp"
#include "run/runner.hpp"

namespace finegrain
{

// Data of corrections, without the factor; empty until corrections are allowed.
template <class Space> struct Residuals {
  bool kept = false, keeps_difference = false, difference_known = false;
  Couplings<Space> owned, ignored, ghost;
  Array<Index, Space> next_owned;   // for ghosts that are added between owned columns; empty: after them
  SplitRows<Space> positions, rows; // positions, and rows in the matrix's order
  Array<Scalar, Space> difference, rhs, ghosts, y; // y: of the previous sweep

  std::size_t index_bytes() const
  {
    const bool shared = positions.order.data() == rows.order.data(); // positions are rows
    return owned.bytes() + ignored.bytes() + ghost.bytes() + next_owned.span() * sizeof(Index) +
           (positions.order.span() + !shared * rows.order.span()) * sizeof(Index);
  }
  std::size_t work_bytes() const { return (rhs.span() + ghosts.span() + y.span()) * sizeof(Scalar); }
};

// Runner with residuals, a member of the engines of factors and relaxations.
template <class Exec> struct ResidualRunner : Runner<Exec> {
  using Space = typename Exec::memory_space;
  using Base = Runner<Exec>;
  using Base::n, Base::rows, Base::halo, Base::statistics, Base::row_at, Base::row_of, Base::scalars;

  Residuals<Space> residuals;

  void begin(const OperatorView &view, const EngineOptions &options, const Plan &plan,
             const Array<Index, Space> &stored)
  {
    residuals = {};
    Base::begin(view, options, plan, stored);
  }

  // Prepares residuals of the whole operator.
  void allow_residuals(const OperatorView &view)
  {
    const auto order = copy_to<Kokkos::HostSpace>(row_at);
    Residuals<Space> &r = residuals;
    r = {};
    r.kept = true;
    r.owned.set(view.owned, {});
    r.next_owned = set_ghosts(view, &r.ghost);
    const auto same = [](Index row) { return row; };
    r.rows = split_rows<Space>(rows, view.coupling, same);
    r.positions = order.extent(0) ? split_rows<Space>(rows, view.coupling, order) : r.rows;
    r.rhs = make_array<Scalar, Space>("finegrain::residual", scalars());
    r.ghosts = make_array<Scalar, Space>("finegrain::ghosts", std::size_t(view.ghosts) * std::size_t(n));
  }

  // Computes the right-hand side of the next sweep: rows without ghosts during the exchange, then the others.
  void find_residual(const Values &values, const Scalar *b, const Scalar *x, bool is_short)
  {
    const auto residual = find_product_kernels<Exec>(n).residual;
    Residuals<Space> &r = residuals;
    // The matrix is read in its own order, the factor's differences in the order of the factor.
    const SplitRows<Space> &split = is_short ? r.positions : r.rows;
    const ResidualArguments a{.order = split.order.data(),
                              .row_of = is_short ? row_of() : nullptr,
                              .y_by_row = Base::y_by_row(),
                              .inside = (is_short ? r.ignored : r.owned).list(),
                              .ghost = r.ghost.list(),
                              .next_inside = r.next_owned.data(),
                              .owned = values.owned,
                              .coupling = values.coupling,
                              .difference = is_short ? r.difference.data() : nullptr,
                              .b = b,
                              .x = x,
                              .ghosts = r.ghosts.data(),
                              .r = r.rhs.data(),
                              .z = r.y.data(),
                              .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>)};
    overlap(halo, *this, x, r.ghosts.data(),
            [&](int which) { residual(Base::independent(split.cut.data() + which), n, a); });
  }

  // Computes the residual of the whole operator, in memory of the runner (Engine::find_residual()).
  const Scalar *find_long_residual(const Values &values, const Scalar *b, const Scalar *x)
  {
    find_residual(values, b, x, false);
    statistics.bytes_read += double(statistics.long_residual_bytes);
    Base::finish();
    return residuals.rhs.data();
  }

  // Counts the bytes and operations of residuals of the whole operator.
  void count_long_residual()
  {
    const Residuals<Space> &r = residuals;
    if (!r.kept) return;
    const std::size_t blocks = r.owned.entries() + r.ghost.entries(), nn = std::size_t(n) * std::size_t(n);
    statistics.long_residual_bytes = blocks * nn * sizeof(Scalar);
    statistics.long_residual_flops = 2 * double(nn * blocks);
  }
};

} // namespace finegrain
