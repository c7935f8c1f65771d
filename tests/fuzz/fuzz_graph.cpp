// SPDX-License-Identifier: BSD-2-Clause
// libFuzzer on functions of graphs: symmetrization, level sets, colorings, orders, powers and fill, each compared
// with its definition. The bytes are the number of rows, a few settings and pairs of coupled rows.
#include "fill_oracle.hpp"
#include "order/fill.hpp"

#include <cstdio>
#include <cstdlib>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

void require(bool holds, const char *what)
{
  if (holds) return;
  std::fprintf(stderr, "fuzz_graph: %s\n", what);
  std::abort();
}

void check_order(const HostArray<Index> &order, const Graph &symmetric, const HostArray<Index> &rank)
{
  std::vector<Index> place(std::size_t(symmetric.rows), -1);
  for (Index p = 0; p < symmetric.rows; ++p) place[std::size_t(order(p))] = p;
  for (Index i = 0; i < symmetric.rows; ++i) {
    require(place[std::size_t(i)] >= 0, "an order has all rows");
    for (Index e = symmetric.ptr(i); e < symmetric.ptr(i + 1); ++e) {
      const Index j = symmetric.col(e);
      if (rank(j) < rank(i)) require(place[std::size_t(j)] < place[std::size_t(i)], "an order follows colors");
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***) { return start_kokkos() == KokkosState::ready ? 0 : 1; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
  if (size < 2) return 0;
  const Index rows = Index(data[0]) % 24 + 1;
  const int levels = data[1] % 4, power = data[1] / 4 % 3 + 1;
  const bool diagonal = data[1] & 64, one_color_too_few = data[1] & 128;
  Rows r(std::size_t(rows), std::set<Index>{});
  for (Index i = 0; diagonal && i < rows; ++i) r[std::size_t(i)].insert(i);
  for (std::size_t b = 2; b + 1 < size && b < 400; b += 2)
    r[data[b] % std::size_t(rows)].insert(Index(data[b + 1]) % rows);
  const Graph g = make_graph(r), s = symmetrize(g);

  Rows both(std::size_t(rows), std::set<Index>{});
  for (Index i = 0; i < rows; ++i)
    for (const Index j : r[std::size_t(i)])
      if (i != j) both[std::size_t(i)].insert(j), both[std::size_t(j)].insert(i);
  require(to_vector(s.col) == to_vector(make_graph(both).col), "symmetrize() is the union");
  require(find_pattern_defects(s, rows).good, "graphs are well formed");
  require(follows_couplings(schedule_levels(g), g), "levels follow couplings");

  const auto powered = find_power(s, power);
  const Graph plain = plain_power(g, power);
  require(powered && to_vector(powered->col) == to_vector(plain.col), "powers are Boolean powers");
  require(to_vector(color_power(s, power).color) == to_vector(color_greedy(*powered).color), "colors of powers");
  for (const ColoringKind kind :
       {ColoringKind::greedy, ColoringKind::largest_first, ColoringKind::smallest_last, ColoringKind::hash}) {
    Coloring c = *make_coloring(kind, *powered);
    require(is_valid(plain, c), "a coloring is valid");
    const Index colors = c.colors;
    balance_colors(*powered, c);
    require(is_valid(plain, c) && c.colors == colors, "a balanced coloring is valid");
  }

  Coloring c = color_greedy(s);
  check_order(order_by_neighbors(s, c.color), s, c.color);
  if (one_color_too_few)
    for (Index i = 0; i < rows; ++i) c.color(i) = std::max(Index(0), c.color(i) - 1);
  const auto order = schedule_colors(c).order;
  for (const bool colored : {false, true}) {
    Offset dropped = -1;
    const auto fill = find_fill({g, {}, {}, {}}, order, levels, colored ? c.color : HostArray<Index>(), &dropped);
    const PlainFill expected(g, to_vector(order), levels, colored ? to_vector(c.color) : std::vector<Index>());
    require(fill && dropped == expected.dropped, "fill that is dropped");
    Rows found(std::size_t(rows), std::set<Index>{});
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < rows; ++j)
        if (r[std::size_t(i)].count(j) || (i != j && expected.has(i, j))) found[std::size_t(i)].insert(j);
    require(to_vector(fill->graph.col) == to_vector(make_graph(found).col), "fill is that of the dense loop");
  }
  return 0;
}
