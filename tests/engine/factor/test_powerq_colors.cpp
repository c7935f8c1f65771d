// SPDX-License-Identifier: BSD-2-Clause
// Multicolored ILU(p,q): colorings and orderings, and symmetry.
#include "order/selection.hpp"
#include "powerq.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

TEST(PowerQColors, AllColoringsAndOrderingsEqualTheOracle)
{
  const Box box{4, 3, 2};
  const std::pair<Graph, Grid> graphs[] = {{make_grid_graph(box, Stencil::star), {box}},
                                           {make_random_graph(30, 2, true, 6), {}},
                                           {make_random_graph(30, 2, false, 7), {}}};
  for (const auto &[graph, grid] : graphs)
    for (const bool ordered : {false, true})
      for (const bool balanced : {false, true})
        for (const ColoringKind kind :
             {ColoringKind::automatic, ColoringKind::greedy, ColoringKind::largest_first, ColoringKind::smallest_last,
              ColoringKind::hash, ColoringKind::red_black, ColoringKind::level})
          for (int p = 0; p <= 2; ++p)
            for (int q = 1; q <= p + 1; ++q)
              for (const Drop drop : drops) {
                if (kind == ColoringKind::red_black && (grid.empty() || ordered || q > 1)) continue;
                if (kind == ColoringKind::level && balanced) continue; // a conflict
                const Problem problem(graph, 2);
                EngineOptions r = color_options(p, q, drop);
                r.algorithm = algorithms()[std::size_t(p + q) % algorithms().size()];
                r.coloring = kind;
                r.balanced = balanced;
                r.grid = grid;
                if (ordered) r.ordering = to_order(random_order(graph.rows, 5));
                Statistics s;
                const PlainIlu plain(problem, r);
                EXPECT_LT(difference(problem.solve(r, &s), plain.solve(problem.b)), tolerance)
                  << int(kind) << " (" << p << ", " << q << ") " << int(drop) << ordered << balanced;
                EXPECT_EQ(s.colors, plain.colors.colors);
                EXPECT_EQ(s.dropped, plain.dropped);
                EXPECT_EQ(s.coloring, kind == ColoringKind::automatic ? ColoringKind::greedy : kind);
                EXPECT_EQ(s.symmetrized, &graph == &graphs[2].first);
              }
}

TEST(PowerQColors, LevelsFollowAnOrdering)
{
  for (const Algorithm algorithm : algorithms())
    for (int p = 0; p <= 3; ++p) {
      const Problem problem(make_random_graph(40, 2, true, 6), 3);
      EngineOptions r = options_for(ScheduleKind::level, p, 0);
      r.algorithm = algorithm;
      r.ordering = to_order(random_order(40, 8));
      EXPECT_LT(difference(problem.solve(r), PlainIlu(problem, r).solve(problem.b)), tolerance) << p;
    }
}

TEST(PowerQColors, AnOrderingThatChangesNothingGivesTheSameBits)
{
  const Problem p(make_grid_graph({6, 5, 2}, Stencil::star), 2);
  for (const ColoringKind kind : {ColoringKind::greedy, ColoringKind::smallest_last, ColoringKind::hash}) {
    EngineOptions r = color_options(1, 0);
    r.coloring = kind;
    const auto x = p.solve(r);
    r.ordering = to_order(natural_order(p.graph.rows));
    EXPECT_TRUE(same_bits(p.solve(r), x)) << int(kind);
  }
}

// Fill and colors are computed from the couplings within the grids.
TEST(PowerQColors, CouplingsBetweenGridsAreLeftOut)
{
  const Grid grid{{4, 3, 1}, {3, 4, 1}};
  const Graph first = make_grid_graph(grid[0], Stencil::star), second = make_grid_graph(grid[1], Stencil::star);
  Rows rows(24, std::set<Index>{});
  for (const auto &[g, offset] : {std::pair(&first, 0), std::pair(&second, 12)})
    for (Index i = 0; i < g->rows; ++i)
      for (Index e = g->ptr(i); e < g->ptr(i + 1); ++e) rows[std::size_t(offset + i)].insert(offset + g->col(e));
  for (Index i = 0; i < 12; i += 2) rows[std::size_t(i)].insert(23 - i), rows[std::size_t(23 - i)].insert(i);
  const Problem p(make_graph(rows), 2);
  const Selection s = select_within_grids(p.graph, grid);
  Problem apart(s.graph, 2);
  for (std::size_t k = 0; k < s.entry.extent(0); ++k)
    std::copy_n(p.values.begin() + s.entry(k) * 4, 4, apart.values.begin() + std::ptrdiff_t(k) * 4);
  for (const Drop drop : drops) {
    EngineOptions r = color_options(2, 1, drop);
    r.grid = grid;
    r.coupling = GridCoupling::block_jacobi;
    Statistics st;
    EXPECT_LT(difference(p.solve(r, &st), PlainIlu(apart, r).solve(p.b)), tolerance);
    EXPECT_EQ(st.ignored, 12);
    r.coupling = GridCoupling::coupled;
    EXPECT_LT(difference(p.solve(r), PlainIlu(p, r).solve(p.b)), tolerance);
  }
}

TEST(PowerQSymmetry, OfTheMatrixIsThatOfThePreconditioner)
{
  for (const int n : {1, 3})
    for (const Drop drop : drops)
      for (int p = 0; p <= 3; ++p)
        for (int q = 1; q <= p + 1; ++q) {
          Problem problem(make_random_graph(40, 2, true, 9), n);
          symmetrize_values(problem);
          auto e = make_factored(problem, color_options(p, q, drop));
          const auto d = make_vector(problem.b.size(), 5);
          double terms;
          const Scalar left = inner(problem.apply(*e), d, &terms), right = inner(problem.b, applied(*e, d));
          EXPECT_LT(double(magnitude(left - right)), tolerance * terms) << p << ", " << q << ", " << int(drop);
        }
}

// The Laplacian of a grid: 2 per direction on the diagonal and -1 for each neighbor.
Problem make_laplacian(Box box)
{
  Problem p(make_grid_graph(box, Stencil::star), 1);
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      p.values[std::size_t(e)] = Scalar(Real(p.graph.col(e) != i ? -1 : box.k > 1 ? 6 : 4));
  return p;
}

// True if a matrix, given by columns, is real, symmetric and positive definite: its pivots are positive.
bool is_definite(std::vector<std::vector<Scalar>> m)
{
  for (std::size_t k = 0; k < m.size(); ++k) {
    const Scalar pivot = m[k][k];
    if (!(magnitude(pivot + Real(1)) > 1) || magnitude(pivot - Scalar(magnitude(pivot))) > 0) return false;
    for (std::size_t c = k + 1; c < m.size(); ++c) {
      if (double(magnitude(m[k][c] - m[c][k])) > tolerance * double(magnitude(m[0][0]))) return false;
      const Scalar factor = m[c][k] / pivot;
      for (std::size_t r = k; r < m.size(); ++r) m[c][r] -= factor * m[k][r];
    }
  }
  return true;
}

TEST(PowerQSymmetry, LaplaciansHaveDefinitePreconditioners)
{
  for (const Box box : {Box{6, 5, 1}, Box{4, 3, 3}})
    for (const Drop drop : drops)
      for (int p = 0; p <= 3; ++p)
        for (int q = 1; q <= p + 1; ++q) {
          const Problem problem = make_laplacian(box);
          auto e = make_factored(problem, color_options(p, q, drop));
          std::vector<std::vector<Scalar>> columns;
          for (std::size_t u = 0; u < problem.b.size(); ++u) {
            std::vector<Scalar> unit(problem.b.size(), Scalar(0));
            unit[u] = Scalar(1);
            columns.push_back(applied(*e, unit));
          }
          EXPECT_TRUE(is_definite(columns)) << p << ", " << q << ", " << int(drop);
        }
}

} // namespace
