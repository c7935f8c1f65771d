// SPDX-License-Identifier: BSD-2-Clause
// Stone's factors on several grids of a rank, several factors in turn, and the engine's statistics.
#include "sip_oracle.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Two boxes, one behind the other, and couplings between them that no factor contains.
struct TwoBoxes {
  Box first{4, 3, 2}, second{3, 5, 1};
  Problem one, two, both;

  explicit TwoBoxes(int n)
      : one(make_grid_graph(first, Stencil::star), n),
        two(make_grid_graph(second, Stencil::star), n, 8),
        both(make_graph(rows(true)), n)
  {
    const std::size_t nn = std::size_t(n * n);
    for (Index i = 0; i < both.graph.rows; ++i)
      for (Index e = both.graph.ptr(i); e < both.graph.ptr(i + 1); ++e) {
        const Index base = i < one.graph.rows ? 0 : one.graph.rows, j = both.graph.col(e) - base;
        const Problem &p = base ? two : one;
        if (j < 0 || j >= p.graph.rows) continue; // couplings between the boxes
        for (Index f = p.graph.ptr(i - base); f < p.graph.ptr(i - base + 1); ++f)
          if (p.graph.col(f) == j)
            std::copy_n(p.values.begin() + std::ptrdiff_t(std::size_t(f) * nn), nn,
                        both.values.begin() + std::ptrdiff_t(std::size_t(e) * nn));
      }
    std::copy(one.b.begin(), one.b.end(), both.b.begin());
    std::copy(two.b.begin(), two.b.end(), both.b.begin() + std::ptrdiff_t(one.b.size()));
  }
  Rows rows(bool joined) const
  {
    Rows all(std::size_t(one.graph.rows + two.graph.rows), std::set<Index>{});
    const Index base = one.graph.rows;
    for (const auto &[p, first_row] : {std::pair(&one, Index(0)), std::pair(&two, base)})
      for (Index i = 0; i < p->graph.rows; ++i)
        for (Index e = p->graph.ptr(i); e < p->graph.ptr(i + 1); ++e)
          all[std::size_t(first_row + i)].insert(first_row + p->graph.col(e));
    if (joined)
      for (Index k = 0; k < 5; ++k) {
        all[std::size_t(base - 1 - k)].insert(base + k);
        all[std::size_t(base + k)].insert(base - 1 - k);
      }
    return all;
  }
};

TEST(SipGrids, HaveFactorsOfTheirOwn)
{
  for (const int n : {1, 3})
    for (const unsigned reversed : {0u, 2u, 5u})
      for (const Algorithm algorithm : algorithms()) {
        const TwoBoxes p(n);
        EngineOptions r;
        Statistics s;
        r.factor = FactorKind::sip;
        r.algorithm = algorithm;
        r.grid = {p.first, p.second};
        r.sip_factor = {Real(0.8), reversed};
        auto x = p.both.solve(r, &s);
        ASSERT_EQ(x.size(), p.both.b.size());
        EXPECT_EQ(s.ignored_inside, 10);
        const auto cut = x.begin() + std::ptrdiff_t(p.one.b.size());
        EXPECT_LT(difference({x.begin(), cut}, PlainSip(p.one, p.first, Real(0.8), reversed).solve(p.one.b)),
                  tolerance);
        EXPECT_LT(difference({cut, x.end()}, PlainSip(p.two, p.second, Real(0.8), reversed).solve(p.two.b)),
                  tolerance);
      }
}

// Each member of a cycle is bitwise identical to a factor of its own, in applications and in corrections.
TEST(SipCycle, TakesTheMemberThatIsChosen)
{
  const Box box{5, 4, 3};
  const Problem p(make_grid_graph(box, Stencil::star), 2);
  const std::vector<SipFactor> members{{Real(0.9), 0}, {Real(0.9), 2}, {Real(0.3), 6}};
  EngineOptions r;
  r.method = Method::sip;
  r.grid = {box};
  r.sip_factors = members;
  auto sip_factors = make_tested_engine(Method::sip);
  ASSERT_FALSE(sip_factors->analyze(p.view(), r));
  sip_factors->allow_corrections(p.view());
  EXPECT_EQ(sip_factors->factor(p.source()).bad_row, -1);
  const auto guess = make_vector(p.b.size(), 5);
  std::size_t bytes = 0;
  for (const int m : {0, 2, 1, 0}) {
    EngineOptions one = r;
    Statistics s;
    one.method = Method::factorization;
    one.factor = FactorKind::sip;
    one.sip_factor = members[std::size_t(m)];
    const auto x = p.apply(*sip_factors, m);
    EXPECT_EQ(x, p.solve(one, &s));
    bytes += m || !bytes ? s.factor_bytes : 0;
    // step = M^-1 (b - A x) and its sum, from the residual that the cycle computes.
    std::vector<Scalar> sum = guess, step(x.size(), Scalar(std::numeric_limits<Real>::quiet_NaN()));
    const Values values{p.source(), {}, false};
    const Scalar *at = sip_factors->find_residual(values, p.b.data(), guess.data());
    std::vector<Scalar> residual(at, at + x.size());
    Problem q = p;
    q.b = residual;
    const auto expected = q.solve(one);
    sip_factors->apply({.b = residual.data(), .x = step.data(), .total = sum.data(), .factor = m});
    EXPECT_EQ(step, expected);
    for (std::size_t i = 0; i < sum.size(); ++i) EXPECT_EQ(sum[i], guess[i] + expected[i]);
    sip_factors->correct({.values = values,
                          .b = p.b.data(),
                          .x = guess.data(),
                          .last = nullptr,
                          .step = step.data(),
                          .total = nullptr,
                          .factor = m});
    EXPECT_EQ(step, expected);
  }
  EXPECT_EQ(sip_factors->statistics().factor_bytes, bytes);
}

// One kernel per hyperplane, or one per sweep (Dufrechou, Ezzatti, Usera count 123 080 and 8 660).
TEST(SipCycle, CountsLaunches)
{
  const Box box{32, 4, 4};
  const Problem p(make_grid_graph(box, Stencil::star), 1);
  const Offset planes = 32 + 4 + 4 - 2;
  EngineOptions r;
  r.method = Method::sip;
  r.grid = {box};
  r.sip_factors = {{Real(0.92), 0}, {Real(0.92), 2}};
  for (const auto &[algorithm, factor] :
       {std::pair(Algorithm::levels, planes), std::pair(Algorithm::tasks, Offset(1))}) {
    r.algorithm = algorithm;
    auto e = make_tested_engine(Method::sip);
    ASSERT_FALSE(e->analyze(p.view(), r));
    e->factor(p.source());
    EXPECT_EQ(e->statistics().apply_launches, 2 * factor);
    EXPECT_EQ(e->statistics().launches, 2 * factor); // for two factorizations
    p.apply(*e);
    p.apply(*e, 1);
    EXPECT_EQ(e->statistics().launches, 6 * factor);
  }
}

// The launches of Dufrechou, Ezzatti and Usera (2019), tables III, IV, VI and VII, computed from ours: 60 iterations
// and 10 factorizations on 512 x 64 x 64 points. Each residual and sweep has a launch per hyperplane, except for the
// first hyperplane of a backward sweep, where nothing is subtracted. 1920 kernels have no hyperplanes. In the second
// case a sweep has two launches, one of which clears its counters, and the factorization is unchanged.
TEST(SipCycle, LaunchesOfThePaper)
{
  constexpr Offset iterations = 60, factorizations = 10, others = 1920;
  const Box box{575, 64, 1}; // has as many hyperplanes as 512 x 64 x 64 points
  const Problem p(make_grid_graph(box, Stencil::star), 1);
  EngineOptions r;
  r.method = Method::sip;
  r.grid = {box};
  r.sip_factors = {{Real(0.92), 0}};
  const auto launches = [&](Algorithm algorithm) { // of a factorization, and of a sweep
    r.algorithm = algorithm;
    auto e = make_tested_engine(Method::sip);
    EXPECT_FALSE(e->analyze(p.view(), r));
    e->factor(p.source());
    const Offset factor = e->statistics().launches;
    p.apply(*e);
    return std::pair(factor, (e->statistics().launches - factor) / 2);
  };
  const auto [factor, sweep] = launches(Algorithm::levels);
  EXPECT_EQ(factor, 638);
  EXPECT_EQ(factorizations * factor + iterations * (3 * sweep - 1) + others, 123080);
  const Offset alone = launches(Algorithm::tasks).second;
  EXPECT_EQ(factorizations * factor + iterations * 3 * (alone + 1) + others, 8660);
}

TEST(SipCycle, RefusesWhatDoesNotFit)
{
  const Box box{4, 3, 2};
  const Problem p(make_grid_graph(box, Stencil::star), 2);
  EngineOptions r;
  const auto refuse = [&] { return make_tested_engine(Method::sip)->analyze(p.view(), r).reason; };
  r.method = Method::sip;
  r.grid = {box};
  EXPECT_EQ(refuse(), SetupError::conflict); // no alpha
  r.sip_factors = {{Real(0.5), 0}};
  EXPECT_EQ(refuse(), SetupError::none);
  r.levels = 1;
  EXPECT_EQ(refuse(), SetupError::conflict);
  r.levels = 0;
  r.grid = {};
  EXPECT_EQ(refuse(), SetupError::no_grid);
  r.grid = {{3, 4, 2}};
  EXPECT_EQ(refuse(), SetupError::star_fit);
}

} // namespace
