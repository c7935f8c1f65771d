// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick: the parts of M = P_L P_R, and products with P_L^-1 A P_R^-1 that read the data of the sweeps.
#include "coupled.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using Numbers = std::vector<Scalar>;

Numbers nothing(std::size_t size) { return Numbers(size, Scalar(std::numeric_limits<Real>::quiet_NaN())); }

Numbers apply_split(Engine &e, Split split, const Numbers &b, bool symmetric = false, bool transposed = false)
{
  Numbers x = nothing(b.size());
  e.split_form()->apply_split(
    {.split = split, .b = b.data(), .x = x.data(), .transposed = transposed, .symmetric = symmetric});
  return x;
}

Numbers multiply(Engine &e, const Values &values, const Numbers &v, bool symmetric)
{
  Numbers u = nothing(v.size());
  e.split_form()->multiply({.values = values, .v = v.data(), .u = u.data(), .symmetric = symmetric});
  return u;
}

// Dot product, with conjugated a if `hermitian`.
Scalar dot(const Numbers &a, const Numbers &b, bool hermitian = false)
{
  Scalar sum(0);
  for (std::size_t i = 0; i < a.size(); ++i) sum += (hermitian ? conjugate(a[i]) : a[i]) * b[i];
  return sum;
}

struct Case {
  const char *name;
  Graph graph;
  Grid grid;
  GridCoupling coupling = GridCoupling::coupled;
};

std::vector<Case> cases(bool symmetric)
{
  const Box box{4, 3, 3}, half{4, 3, 1}, rest{4, 3, 2};
  return {{"star", make_grid_graph(box, Stencil::star), {box}},
          {"box", make_grid_graph(box, Stencil::box), {box}},
          {"two grids", make_grid_graph(box, Stencil::star), {half, rest}, GridCoupling::block_jacobi},
          {"random", make_random_graph(36, 4, symmetric, 1), {}},
          {"one row", make_graph({{0}}), {}},
          {"no row", make_graph({}), {}}};
}

EngineOptions options_for(const Case &c, Algorithm algorithm)
{
  EngineOptions r;
  r.eisenstat = true;
  r.factor = FactorKind::dilu;
  r.algorithm = algorithm;
  r.grid = c.grid;
  r.coupling = c.coupling;
  return r;
}

class Eisenstat : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, Eisenstat, ::testing::Values(1, 2, 3, 4, 5, 6, 8, 9, 17));

// Makes the matrix of a problem Hermitian if `hermitian`.
template <class Made> Made made(Made p, bool hermitian)
{
  if (hermitian) symmetrize_values(p, true);
  return p;
}

TEST_P(Eisenstat, PartsMakeThePreconditioner)
{
  for (const bool symmetric : {false, true})
    for (const Case &c : cases(symmetric))
      for (const Algorithm algorithm : algorithms()) {
        SCOPED_TRACE(std::string(c.name) + (symmetric ? ", symmetric" : ""));
        const Problem p = made(Problem(c.graph, GetParam()), symmetric);
        auto e = make_tested_engine();
        ASSERT_FALSE(e->analyze(p.view(), options_for(c, algorithm)));
        e->split_form()->allow_products(p.view());
        ASSERT_EQ(e->factor(p.source()).bad_row, -1);
        EXPECT_EQ(e->statistics().factor, FactorKind::dilu);
        ASSERT_TRUE(e->split_form()->prepare({.owned = p.source(), .coupling = {}}, symmetric));
        const Numbers y = apply_split(*e, Split::left_inverse, p.b, symmetric),
                      x = apply_split(*e, Split::right_inverse, y, symmetric), whole = p.apply(*e);
        if (!symmetric) {
          EXPECT_TRUE(same_bits(x, whole));
        }
        if (p.b.empty()) continue;
        EXPECT_LT(difference(x, whole), tolerance);
        EXPECT_LT(difference(apply_split(*e, Split::right, x, symmetric), y), tolerance);
        const Numbers z = make_vector(p.b.size(), 5);
        if (symmetric) { // P_L = P_R^H
          const Scalar one = dot(y, z, true), other = dot(p.b, apply_split(*e, Split::right_inverse, z, true), true);
          EXPECT_LT(double(magnitude(one - other)), tolerance * double(p.b.size()));
          continue;
        }
        for (const Split split : {Split::left_inverse, Split::right_inverse}) {
          const Scalar one = dot(apply_split(*e, split, p.b), z),
                       other = dot(p.b, apply_split(*e, split, z, false, true));
          EXPECT_LT(double(magnitude(one - other)), tolerance * double(p.b.size())) << int(split);
        }
      }
}

// The oracle applies A by a plain loop, ghosts and couplings between grids included.
TEST_P(Eisenstat, ProductsEqualTheOracleOnEveryAlgorithm)
{
  for (const bool symmetric : {false, true})
    for (const Case &c : cases(symmetric))
      for (const bool coupled : {false, true}) {
        SCOPED_TRACE(std::string(c.name) + (symmetric ? ", symmetric" : ""));
        const Index rows = c.graph.rows;
        Coupled p =
          made(Coupled(c.graph, GetParam(), coupled ? few_ghosts(rows) : Rows(std::size_t(rows))), symmetric);
        const Numbers v = make_vector(p.b.size(), 11);
        Numbers first;
        for (const Algorithm algorithm : algorithms()) {
          auto e = make_tested_engine();
          ASSERT_FALSE(e->analyze(p.view(), options_for(c, algorithm)));
          e->split_form()->allow_products(p.view());
          if (coupled) e->set_halo(&p);
          ASSERT_EQ(e->factor(p.source()).bad_row, -1);
          EXPECT_FALSE(e->statistics().short_residual);
          ASSERT_TRUE(e->split_form()->prepare(p.values_now(true), symmetric));
          const Numbers u = multiply(*e, p.values_now(true), v, symmetric);
          if (algorithm == algorithms().front()) first = u;
          EXPECT_TRUE(same_bits(u, first)) << int(algorithm);
          if (algorithm != algorithms().front() || v.empty()) continue;
          const Numbers t = apply_split(*e, Split::right_inverse, v, symmetric), zero(t.size(), Scalar(0));
          Numbers ghost = t, product;
          for (Scalar &s : ghost) s *= Real(0.5);
          const std::size_t n = std::size_t(p.n);
          product = plain_residual(p.coupling, n, p.outside, ghost, plain_residual(p.graph, n, p.values, t, zero));
          for (Scalar &s : product) s = -s;
          EXPECT_LT(difference(u, apply_split(*e, Split::left_inverse, product, symmetric)), tolerance);
          if (!symmetric || coupled) continue;
          const Numbers w = make_vector(v.size(), 12);
          const Scalar one = dot(u, w, true), other = dot(v, multiply(*e, p.values_now(true), w, true), true);
          EXPECT_LT(double(magnitude(one - other)), tolerance * double(p.b.size()));
        }
      }
}

// The forms are computed again for new values. The symmetric form needs pivots that are Hermitian and positive
// definite.
TEST_P(Eisenstat, FormsAreMadeAnewAfterEachFactor)
{
  const Case c = cases(true).front();
  Problem p = made(Problem(c.graph, GetParam()), true);
  auto e = make_tested_engine(), fresh = make_tested_engine();
  const auto factor = [&](Engine &engine) { return engine.factor(p.source()).bad_row; };
  const auto prepare = [&](Engine &engine, bool symmetric) {
    return engine.split_form()->prepare({.owned = p.source(), .coupling = {}}, symmetric);
  };
  const Numbers v = make_vector(p.b.size(), 11);
  for (Engine *engine : {e.get(), fresh.get()}) {
    ASSERT_FALSE(engine->analyze(p.view(), options_for(c, algorithms().front())));
    engine->split_form()->allow_products(p.view());
  }
  ASSERT_EQ(factor(*e), -1);
  for (const bool symmetric : {false, true}) ASSERT_TRUE(prepare(*e, symmetric));
  for (Scalar &s : p.values) s *= Real(2);
  p.values.front() *= Real(1.5);
  ASSERT_EQ(factor(*e), -1);
  ASSERT_EQ(factor(*fresh), -1);
  for (const bool symmetric : {false, true}) {
    ASSERT_TRUE(prepare(*e, symmetric));
    ASSERT_TRUE(prepare(*fresh, symmetric));
    const Values values{.owned = p.source(), .coupling = {}};
    EXPECT_TRUE(same_bits(multiply(*e, values, v, symmetric), multiply(*fresh, values, v, symmetric)));
  }
  for (Scalar &s : p.values) s = -s;
  ASSERT_EQ(factor(*e), -1);
  EXPECT_TRUE(prepare(*e, false));
  EXPECT_FALSE(prepare(*e, true));
  EXPECT_FALSE(prepare(*e, true)); // the second call returns the stored answer
  p = Problem(c.graph, GetParam());
  if (GetParam() == 1) return;
  ASSERT_EQ(factor(*e), -1);
  EXPECT_FALSE(prepare(*e, true));
}

TEST(EisenstatOptions, WhatCannotBeIsAConflict)
{
  const Problem p(make_grid_graph({4, 3, 3}, Stencil::box), 2);
  for (const FactorKind factor : {FactorKind::ilu0, FactorKind::icc, FactorKind::sip}) {
    EngineOptions r;
    r.eisenstat = true;
    r.factor = factor;
    EXPECT_EQ(make_tested_engine()->analyze(p.view(), r).reason, SetupError::conflict);
  }
  EngineOptions r;
  r.eisenstat = true;
  r.precision = Precision::single;
  EXPECT_EQ(make_tested_engine()->analyze(p.view(), r).reason, SetupError::conflict);
}

} // namespace
