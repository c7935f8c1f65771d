// SPDX-License-Identifier: BSD-2-Clause
// Stone's factor compared with its formulas and with ILU(0); its product compared with the definition.
#include "order/fill.hpp"
#include "sip_oracle.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr Box boxes[] = {{5, 4, 3}, {3, 3, 5}, {7, 6, 1}, {1, 5, 4}, {9, 1, 1}, {1, 1, 6}, {1, 1, 1}, {2, 2, 2}};

EngineOptions sip_options(Box box, Real alpha, unsigned reversed = 0)
{
  EngineOptions r;
  r.factor = FactorKind::sip;
  r.grid = {box};
  r.sip_factor = {alpha, reversed};
  return r;
}

std::vector<Scalar> times(const Problem &p, const std::vector<Scalar> &x)
{
  const std::size_t n = std::size_t(p.n);
  std::vector<Scalar> y(x.size(), Scalar(0));
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t r = 0; r < n; ++r)
          y[std::size_t(i) * n + r] +=
            p.values[(std::size_t(e) * n + c) * n + r] * x[std::size_t(p.graph.col(e)) * n + c];
  return y;
}

class SipFactorization : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Sizes, SipFactorization, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13));

TEST_P(SipFactorization, EqualsItsFormulas)
{
  for (const Box &box : boxes)
    for (const Real alpha : {Real(0), Real(0.5), Real(0.92)})
      for (unsigned reversed = 0; reversed < 8; ++reversed) {
        const Problem p(make_grid_graph(box, Stencil::star), GetParam());
        EXPECT_LT(
          difference(p.solve(sip_options(box, alpha, reversed)), PlainSip(p, box, alpha, reversed).solve(p.b)),
          tolerance)
          << box.i << " " << box.j << " " << box.k << ", alpha " << alpha << ", reversed " << reversed;
      }
}

TEST_P(SipFactorization, IsIncompleteLUWithoutAlpha)
{
  for (const Box &box : boxes) {
    const Problem p(make_grid_graph(box, Stencil::star), GetParam());
    EngineOptions ilu;
    ilu.grid = {box};
    const auto x = p.solve(sip_options(box, 0)), y = p.solve(ilu);
    ASSERT_EQ(x.size(), y.size());
    EXPECT_FALSE(std::memcmp(x.data(), y.data(), x.size() * sizeof(Scalar)));
    EXPECT_LT(difference(x, OracleFactor(p, false).solve(p.b)), tolerance);
  }
}

// Applying the factor to M v, with M = A + fill products, gives v.
TEST_P(SipFactorization, ProductIsTheMatrixAndTheFillProducts)
{
  for (const Box &box : boxes)
    for (const Real alpha : {Real(0), Real(0.92)}) {
      Problem p(make_grid_graph(box, Stencil::star), GetParam());
      const auto v = make_vector(p.b.size(), 3);
      p.b = times(p, v);
      const auto m = PlainSip(p, box, alpha).fill_products(v);
      for (std::size_t i = 0; i < m.size(); ++i) p.b[i] += m[i];
      EXPECT_LT(difference(p.solve(sip_options(box, alpha)), v), tolerance);
    }
}

TEST_P(SipFactorization, GivesTheSameBitsOnEveryAlgorithm)
{
  const Box box{6, 5, 4};
  const Problem p(make_grid_graph(box, Stencil::star), GetParam());
  for (const unsigned reversed : {0u, 2u, 7u}) {
    EngineOptions r = sip_options(box, Real(0.92), reversed);
    r.algorithm = algorithms().front();
    const auto expected = p.solve(r);
    for (const Algorithm algorithm : algorithms()) {
      r.algorithm = algorithm;
      const auto x = p.solve(r);
      ASSERT_EQ(x.size(), expected.size());
      EXPECT_FALSE(std::memcmp(x.data(), expected.data(), x.size() * sizeof(Scalar))) << int(algorithm);
    }
  }
}

TEST(SipStar, LeavesOutWrapsAndNamesOtherCouplings)
{
  const Box box{4, 3, 3};
  Selection s;
  ASSERT_FALSE(select_star(make_grid_graph(box, Stencil::star, 1, {true, true, false}), {box}, 0, s));
  const Graph star = make_grid_graph(box, Stencil::star);
  EXPECT_EQ(s.graph.entries(), star.entries());
  EXPECT_EQ(s.ignored.entries(), 2 * 9 + 2 * 12);
  const SetupError wide = select_star(make_grid_graph(box, Stencil::box), {box}, 0, s);
  EXPECT_EQ(wide.reason, SetupError::star_fit);
  EXPECT_EQ(wide.row, 0);
  EXPECT_EQ(select_star(star, {{4, 3, 2}}, 0, s).reason, SetupError::grid_size);
  // The ends of an axis of three points are two steps apart. On an open axis they are not neighbors.
  const Graph ring = make_grid_graph({3, 4, 1}, Stencil::star, 1, {true, false, false});
  ASSERT_FALSE(select_star(ring, {{3, 4, 1}}, reversed_j | reversed_k, s));
  EXPECT_EQ(s.ignored.entries(), 8);
  const SetupError open = select_star(ring, {{3, 4, 1}}, reversed_i, s);
  EXPECT_EQ(open.reason, SetupError::star_fit);
  EXPECT_EQ(open.row, 0);
}

// Blocks that the matrix does not store are zero in the star.
TEST(SipStar, FillsInWhatTheMatrixDoesNotHave)
{
  const Box box{4, 3, 2};
  Rows rows(std::size_t(box.points()), std::set<Index>{});
  const Graph star = make_grid_graph(box, Stencil::star);
  for (Index i = 0; i < star.rows; ++i)
    for (Index e = star.ptr(i); e < star.ptr(i + 1); ++e)
      if (i == star.col(e) || (i + star.col(e)) % 3) rows[std::size_t(i)].insert(star.col(e));
  for (const int n : {1, 3}) {
    const Problem p(make_graph(rows), n);
    ASSERT_LT(p.graph.entries(), star.entries());
    EXPECT_LT(difference(p.solve(sip_options(box, Real(0.8))), PlainSip(p, box, Real(0.8)).solve(p.b)), tolerance);
  }
}

} // namespace
