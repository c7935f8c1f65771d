// SPDX-License-Identifier: BSD-2-Clause
// Sweeps by lines compared with the row functions, bitwise.
#include "factor/half.hpp"
#include "factor/factor_kernels.hpp"
#include "run/lines.hpp"
#include "problems.hpp"
#include "storages.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Degenerate boxes, lines shorter than the width of a bundle, planes of one bundle more or less, and several boxes.
const std::vector<Grid> grids = {{{1, 5, 4}},
                                 {{9, 1, 1}},
                                 {{1, 1, 6}},
                                 {{1, 1, 1}},
                                 {{2, 2, 2}},
                                 {{1, 7, 1}},
                                 {{2, 7, 3}},
                                 {{3, bundle_lines, 2}},
                                 {{bundle_lines - 1, 2 * bundle_lines, 3}},
                                 {{bundle_lines, 2 * bundle_lines + 1, 2}},
                                 {{bundle_lines + 1, 3 * bundle_lines - 1, 2}},
                                 {{8, 7, 5}},
                                 {{12, 1, 9}},
                                 {{4, 3, 2}, {1, 1, 1}, {6, 5, 3}, {1, 8, 2}}};

EngineOptions sip_options(const Grid &grid, unsigned reversed = 0)
{
  EngineOptions r;
  r.factor = FactorKind::sip;
  r.grid = grid;
  r.sip_factor = {Real(0.92), reversed};
  r.algorithm = algorithms().front();
  return r;
}

// The same options for sweeps by rows: without a grid to plan by.
EngineOptions by_rows(EngineOptions r)
{
  r.schedule = ScheduleKind::level;
  r.algorithm = algorithms().front();
  r.tile = {};
  return r;
}

// True if an application reads no columns, pointers and order of rows.
bool went_by_lines(const Statistics &s)
{
  const std::size_t structure = 4 * (std::size_t(s.lower) + std::size_t(s.upper));
  return s.apply_bytes < s.factor_bytes + 4 * std::size_t(s.rows) * sizeof(Scalar) + structure;
}

std::string name(const Grid &grid)
{
  std::string text;
  for (const Box &b : grid) text += std::to_string(b.i) + "x" + std::to_string(b.j) + "x" + std::to_string(b.k) + " ";
  return text;
}

void expect_same(const Problem &p, const EngineOptions &options, const char *what)
{
  EXPECT_TRUE(same_bits(p.solve(options), p.solve(by_rows(options))))
    << what << ", " << name(options.grid) << "reversed " << options.sip_factor.reversed << ", algorithm "
    << int(options.algorithm) << ", tile " << name({options.tile});
}

constexpr Storage storages[] = {{Precision::working, Precision::working, false},
                                {Precision::single, Precision::working, false},
                                {Precision::single, Precision::single, false},
                                half_factor};

TEST(Lines, EqualTheRowFunctions)
{
  for (const Grid &grid : grids) {
    const Problem p(make_stars(grid), 1);
    for (unsigned reversed = 0; reversed < 8; ++reversed)
      for (const Storage &storage : storages)
        for (const Algorithm algorithm : {algorithms().front(), Algorithm::tasks, Algorithm::automatic}) {
          EngineOptions r = with(sip_options(grid, reversed), storage);
          r.algorithm = algorithm;
          expect_same(p, r, "Stone");
        }
  }
}

TEST(Lines, TilesOfAnyShape)
{
  if (where == Where::device) GTEST_SKIP() << "tiles are a host's";
  for (const Grid &grid : grids) {
    const Problem p(make_stars(grid), 1);
    for (const Box &tile :
         {Box{1, 1, 1}, Box{3, 2, 1}, Box{2, 5, 3}, Box{5, 1, 2}, Box{100, bundle_lines + 1, 1}, Box{4, 100, 100}})
      for (const unsigned reversed : {0u, 5u, 7u}) {
        EngineOptions r = sip_options(grid, reversed);
        r.algorithm = Algorithm::tasks;
        r.tile = tile;
        expect_same(p, r, "tiles");
      }
  }
}

TEST(Lines, ServeAnyFactorOfAStar)
{
  for (const Grid &grid : grids) {
    const Problem p(make_stars(grid), 1);
    for (const FactorKind factor : {FactorKind::automatic, FactorKind::dilu, FactorKind::ilu0})
      for (const Algorithm algorithm : {algorithms().front(), Algorithm::tasks}) {
        EngineOptions r = sip_options(grid);
        r.factor = factor;
        r.algorithm = algorithm;
        expect_same(p, r, "DILU");
      }
  }
}

TEST(Lines, AddToATotal)
{
  for (const Grid &grid : grids) {
    const Problem p(make_stars(grid), 1);
    for (const Storage &storage : storages) {
      const EngineOptions r = with(sip_options(grid, 3), storage);
      std::vector<Scalar> result[2];
      for (const bool lines : {false, true}) {
        auto e = make_tested_engine();
        ASSERT_FALSE(e->analyze(p.view(), lines ? r : by_rows(r)));
        ASSERT_EQ(e->factor(p.source()).bad_row, -1);
        e->allow_corrections(p.view());
        std::vector<Scalar> step(p.b.size()), total = make_vector(p.b.size(), 3);
        e->apply({.b = p.b.data(), .x = step.data(), .total = total.data()});
        e->correct({.values = {p.source(), {}},
                    .b = p.b.data(),
                    .x = total.data(),
                    .last = nullptr,
                    .step = step.data(),
                    .total = total.data()});
        step.insert(step.end(), total.begin(), total.end());
        result[lines] = step;
      }
      EXPECT_TRUE(same_bits(result[0], result[1])) << name(grid);
    }
  }
}

TEST(Lines, ReadNoStructure)
{
  if (where == Where::device) GTEST_SKIP() << "not with --backend=device";
  const Grid grid = {{12, 11, 10}};
  const Problem p(make_stars(grid), 1);
  Statistics s;
  for (const Algorithm algorithm : {Algorithm::sequential, Algorithm::tasks}) {
    EngineOptions r = sip_options(grid);
    r.algorithm = algorithm;
    p.solve(r, &s);
    EXPECT_TRUE(went_by_lines(s)) << int(algorithm);
    r.factor = FactorKind::automatic;
    p.solve(r, &s);
    EXPECT_TRUE(went_by_lines(s)) << int(algorithm);
    p.solve(by_rows(r), &s);
    EXPECT_FALSE(went_by_lines(s)) << int(algorithm);
  }
  // Problems with several unknowns, or whose graph is no star, use sweeps by rows.
  EngineOptions ilu;
  ilu.grid = grid;
  Problem(p.graph, 2).solve(sip_options(grid), &s);
  EXPECT_FALSE(went_by_lines(s));
  Problem(make_grid_graph(grid[0], Stencil::box), 1).solve(ilu, &s);
  EXPECT_FALSE(went_by_lines(s));
  ilu.levels = 1;
  p.solve(ilu, &s);
  EXPECT_FALSE(went_by_lines(s));
}

// Low-precision factors. Without couplings y = d b and x = S y, so that the test knows the result; rows and columns
// must not be read.
TEST(Lines, FactorsInFewerBitsReadNoStructure)
{
  const Grid grid = {{7, 6, 5}};
  const Index rows = Index(count_points(grid));
  std::vector<LineBox> parts = cut_boxes(grid, {100, 100, 100}, {});
  ASSERT_EQ(parts.size(), 1u);
  for (const bool backward : {false, true}) {
    if (backward) parts = {reverse_box(parts[0], rows)};
    std::vector<Index> row_at(std::size_t(rows), -1);
    order_box(parts[0], row_at.data());
    const std::size_t size = std::size_t(rows);
    const Scalar nan = std::numeric_limits<Real>::quiet_NaN();
    const std::vector<Index> group{0, rows}, col(3 * size, rows); // columns that would read NaN behind y
    std::vector<Index> ptr(size + 1);
    for (Index sweep_index = 0; sweep_index <= rows; ++sweep_index) ptr[std::size_t(sweep_index)] = 3 * sweep_index;
    const std::vector<HalfScalar> blocks(3 * size, convert<HalfScalar>(Scalar(0)));
    const std::vector<Scalar> b = make_vector(size, 1), wide = make_vector(size, 2);
    std::vector<Single> diagonal, y;
    for (const Scalar d : wide) diagonal.push_back(Single(d));
    const Real unit = 8;
    std::vector<Scalar> x(size, nan);
    for (const Scalar s : b) y.push_back(backward ? Single(s) : Single(nan));
    const std::vector<Single> before = y;
    y.push_back(Single(nan));
    Offset launches = 0;
    HalfArguments a;
    a.ptr = ptr.data();
    a.col = col.data();
    a.backward = backward;
    a.last_position = rows - 1;
    a.blocks = blocks.data();
    a.diagonal = diagonal.data();
    a.unit = &unit;
    a.b = b.data();
    a.x = x.data();
    a.y = y.data();
    a.lines = {parts.data(), 1};
    const finegrain::Run<HostExec> run{{}, Algorithm::sequential, group.data(), 1, nullptr, &launches};
    find_half_kernels<HostExec>(1).sweep(run, 1, a);
    for (std::size_t sweep_index = 0; sweep_index < row_at.size(); ++sweep_index) {
      const auto row = std::size_t(row_at[sweep_index]);
      EXPECT_EQ(y[row], backward ? before[row] : Single(madd(b[row], Scalar(diagonal[sweep_index]), Scalar(0))));
      if (backward) {
        EXPECT_EQ(x[row], unit * Scalar(y[row]));
      }
    }
  }
}

TEST(Lines, AreTakenOnCompleteStarsOnly)
{
  const Box box{4, 3, 3};
  for (const Grid &grid : grids) EXPECT_TRUE(is_complete_star(make_stars(grid), grid)) << name(grid);
  const Graph star = make_grid_graph(box, Stencil::star);
  EXPECT_FALSE(is_complete_star(star, {{3, 4, 3}}));
  EXPECT_FALSE(is_complete_star(star, {{4, 3, 2}}));
  EXPECT_FALSE(is_complete_star(make_grid_graph(box, Stencil::box), {box}));
  EXPECT_FALSE(is_complete_star(make_grid_graph(box, Stencil::star, 1, {false, true, false}), {box}));
  Rows rows;
  for (Index i = 0; i < star.rows; ++i)
    rows.emplace_back(star.col.data() + star.ptr(i), star.col.data() + star.ptr(i + 1));
  rows[5].erase(6);
  EXPECT_FALSE(is_complete_star(make_graph(rows), {box}));
}

TEST(Lines, BundlesAreTheSameInBothDirections)
{
  for (const Grid &grid : grids)
    for (const Box &tile : {Box{100, 100, 100}, Box{3, 5, 1}}) {
      const Index rows = Index(count_points(grid));
      std::vector<Index> up(std::size_t(rows), -1), down(std::size_t(rows), -1);
      for (const LineBox &part : cut_boxes(grid, tile, {})) {
        order_box(part, up.data());
        order_box(reverse_box(part, rows), down.data());
      }
      std::reverse(down.begin(), down.end());
      EXPECT_EQ(up, down) << name(grid);
      std::sort(up.begin(), up.end());
      for (Index i = 0; i < rows; ++i) EXPECT_EQ(up[std::size_t(i)], i);
    }
}

} // namespace
