// SPDX-License-Identifier: BSD-2-Clause
#include "relax/relaxation_rows.hpp"

#include "order/options.hpp"

#include <algorithm>
#include <tuple>

namespace finegrain
{

namespace
{

struct Term {
  Index color;
  std::int64_t key;
  Index col, source;

  bool operator<(const Term &t) const { return std::tie(color, key) < std::tie(t.color, t.key); }
};

} // namespace

CouplingRows<Kokkos::HostSpace> order_couplings(const OperatorView &view, const Coloring &coloring, Exchange exchange,
                                                const HostArray<Index> &row_of)
{
  const Graph &owned = view.owned, &coupling = view.coupling;
  const Index rows = owned.rows;
  const auto &key = view.agreed.key, &ghost_key = view.agreed.ghost_key;
  const bool ghosts = exchange != Exchange::none && coupling.entries() > 0;
  const bool by_key = exchange == Exchange::color;
  const auto size = std::size_t(owned.entries() - rows + (ghosts ? coupling.entries() : 0));
  const auto rows_sz = std::size_t(rows);
  CouplingRows<Kokkos::HostSpace> r{rows,
                                    owned.entries(),
                                    make_array<Index>("finegrain::ptr", rows_sz + 1),
                                    make_array<Index>("finegrain::mid", rows_sz),
                                    make_array<Index>("finegrain::col", size),
                                    make_array<Index>("finegrain::source", size),
                                    make_array<Index>("finegrain::diagonal", rows_sz),
                                    row_of};
  std::vector<Term> terms;
  r.ptr(0) = 0;
  for (Index pos = 0; pos < rows; ++pos) {
    const Index row = row_of.extent(0) ? row_of(pos) : pos;
    terms.clear();
    for (Index e = owned.ptr(row); e < owned.ptr(row + 1); ++e) {
      const Index c = owned.col(e);
      if (c == row) r.diagonal(pos) = e;
      else terms.push_back({coloring.color(c), key.extent(0) ? key(c) : c, c, e});
    }
    if (ghosts)
      for (Index e = coupling.ptr(row); e < coupling.ptr(row + 1); ++e) {
        const Index g = coupling.col(e);
        terms.push_back({by_key ? view.agreed.ghost_color(g) : coloring.colors, by_key ? ghost_key(g) : g, rows + g,
                         owned.entries() + e});
      }
    std::sort(terms.begin(), terms.end());
    Index at = r.ptr(pos);
    r.mid(pos) = at;
    for (const Term &t : terms) {
      r.mid(pos) += t.color < coloring.color(row);
      r.col(at) = t.col;
      r.source(at++) = t.source;
    }
    r.ptr(pos + 1) = at;
  }
  return r;
}

Index count_first_entries(const CouplingRows<Kokkos::HostSpace> &r, SweepKind sweep)
{
  const bool backward = sweep == SweepKind::backward;
  Index count = 0;
  for (Index pos = 0; pos < r.rows; ++pos) count += backward ? r.ptr(pos + 1) - r.mid(pos) : r.mid(pos) - r.ptr(pos);
  return count;
}

TransposedCouplings<Kokkos::HostSpace> transpose_couplings(const CouplingRows<Kokkos::HostSpace> &r, Index ghosts)
{
  const Index columns = r.rows + ghosts;
  std::vector<Index> position(std::size_t(r.rows)); // position of each row
  for (Index pos = 0; pos < r.rows; ++pos) position[std::size_t(r.row_of.extent(0) ? r.row_of(pos) : pos)] = pos;
  const auto place = [&](Index col) { return col < r.rows ? position[std::size_t(col)] : col; };

  TransposedCouplings<Kokkos::HostSpace> t{HostArray<Index>("finegrain::ptr", std::size_t(columns) + 1),
                                           make_array<Index>("finegrain::position", r.col.extent(0)),
                                           make_array<Index>("finegrain::entry", r.col.extent(0))};
  for (Index e = 0; e < r.entries(); ++e) ++t.ptr(place(r.col(e)) + 1);
  for (Index c = 0; c < columns; ++c) t.ptr(c + 1) += t.ptr(c);
  std::vector<Index> next(t.ptr.data(), t.ptr.data() + columns);
  for (const Index pos : position)
    for (Index e = r.ptr(pos); e < r.ptr(pos + 1); ++e) {
      const Index to = next[std::size_t(place(r.col(e)))]++;
      t.position(to) = pos;
      t.entry(to) = e;
    }
  return t;
}

} // namespace finegrain
