// SPDX-License-Identifier: BSD-2-Clause
// FactorKind::icc, the DILU of a symmetric matrix without upper blocks, compared with the plain oracle of DILU: what
// it reads and stores, and agreement of algorithms, several vectors and transposes.
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();

// A symmetric problem: entries below the diagonal, in diagonal blocks too, equal those above.
struct SymmetricProblem : Problem {
  SymmetricProblem(const Graph &g, int block) : Problem(g, block)
  {
    for_lower([this](std::size_t below, std::size_t above) { values[below] = values[above]; });
  }
  // Calls f(entry below the diagonal, entry above) for indices of values.
  template <class F> void for_lower(const F &f) const
  {
    const std::size_t size = std::size_t(n);
    for (Index i = 0; i < graph.rows; ++i)
      for (Index e = graph.ptr(i); e < graph.ptr(i + 1) && graph.col(e) <= i; ++e) {
        const Index *all = graph.col.data(), *first = all + graph.ptr(graph.col(e)),
                    *last = all + graph.ptr(graph.col(e) + 1);
        const Index mirrored = Index(std::lower_bound(first, last, i) - all);
        for (std::size_t c = 0; c < size; ++c)
          for (std::size_t r = graph.col(e) == i ? c + 1 : 0; r < size; ++r)
            f((std::size_t(e) * size + c) * size + r, (std::size_t(mirrored) * size + r) * size + c);
      }
  }
};

struct Case {
  const char *name;
  Graph graph;
  Grid grid;
};

std::vector<Case> cases()
{
  const Box box{4, 3, 3}, line{9, 1, 1};
  return {{"star", make_grid_graph(box, Stencil::star), {box}},
          {"box", make_grid_graph(box, Stencil::box), {box}},
          {"periodic", make_grid_graph(box, Stencil::star, 1, {true, true, false}), {box}},
          {"line", make_grid_graph(line, Stencil::star), {line}},
          {"random", make_random_graph(40, 3, true, 2), {}},
          {"diagonal", make_graph({{0}, {1}, {2}}), {}},
          {"no row", make_graph({}), {}}};
}

EngineOptions options_for(const Case &c, Algorithm algorithm, bool reordered = false)
{
  EngineOptions r;
  r.factor = FactorKind::icc;
  r.grid = c.grid;
  r.algorithm = algorithm;
  if (!reordered) return r;
  r.grid = {};
  r.ordering = make_array<Index>("ordering", std::size_t(c.graph.rows));
  for (Index i = 0; i < c.graph.rows; ++i) r.ordering(i) = (i * 7 + 3) % c.graph.rows; // mixed, if 7 is no divisor
  if (c.graph.rows % 7 == 0)
    for (Index i = 0; i < c.graph.rows; ++i) r.ordering(i) = c.graph.rows - 1 - i;
  return r;
}

class SymmetricFactor : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, SymmetricFactor, ::testing::Values(1, 2, 3, 4, 5, 8, 9, 17, 32));

TEST_P(SymmetricFactor, EqualsTheOracleOfDilu)
{
  if (make_tested_engine(Method::factorization)
        ->analyze(Problem(make_graph({{0}}), GetParam()).view(), options_for(cases()[0], algorithms().front()))
        .reason == SetupError::scratch)
    GTEST_SKIP() << "blocks that no team of a device has scratch memory for";
  for (const Case &c : cases()) {
    const SymmetricProblem p(c.graph, GetParam());
    const auto x = p.solve(options_for(c, algorithms().front()));
    ASSERT_EQ(x.size(), p.b.size()) << c.name;
    if (!x.empty()) {
      EXPECT_LT(difference(x, OracleFactor(p, true).solve(p.b)), tolerance) << c.name;
    }
  }
}

TEST_P(SymmetricFactor, AlgorithmsSchedulesAndStorageOrdersGiveTheSameBits)
{
  for (const Case &c : cases())
    for (const Precision precision : {Precision::working, Precision::single}) {
      const SymmetricProblem p(c.graph, GetParam());
      EngineOptions r = options_for(c, algorithms().front());
      r.precision = precision;
      expect_same_bits(p, r, c.name);
    }
}

TEST_P(SymmetricFactor, ReadsTheUpperTriangleOnly)
{
  for (const bool reordered : {false, true})
    for (const Case &c : cases()) {
      const SymmetricProblem p(c.graph, GetParam());
      SymmetricProblem upper = p;
      p.for_lower([&](std::size_t below, std::size_t) { upper.values[below] = nan; });
      const EngineOptions r = options_for(c, algorithms().front(), reordered);
      EXPECT_TRUE(same_bits(upper.solve(r), p.solve(r))) << c.name;
    }
}

// Values by scalar rows (AIJ) and by blocks, also in single precision: every row function rounds the stored values.
TEST_P(SymmetricFactor, ScalarRowsAndBlocksGiveTheSameBits)
{
  for (const Precision precision : {Precision::working, Precision::single}) {
    const SymmetricProblem p(make_grid_graph({6, 5, 4}, Stencil::star), GetParam());
    const std::size_t n = std::size_t(p.n);
    std::vector<Offset> base(std::size_t(p.graph.entries()) * n);
    const std::vector<std::uint32_t> mask(base.size(), p.n == 32 ? ~0u : (1u << p.n) - 1);
    std::vector<Scalar> rows, x[2];
    for (Index i = 0; i < p.graph.rows; ++i)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t e = std::size_t(p.graph.ptr(i)); e < std::size_t(p.graph.ptr(i + 1)); ++e) {
          base[e * n + r] = Offset(rows.size());
          for (std::size_t c = 0; c < n; ++c) rows.push_back(p.values[(e * n + c) * n + r]);
        }
    EngineOptions o = options_for(cases()[0], algorithms().front());
    o.grid = {};
    o.precision = precision;
    for (const int k : {0, 1}) {
      const auto e = make_tested_engine(Method::factorization);
      if (e->analyze(p.view(), o)) return;
      (void)e->factor(k ? MatrixValues{rows.data(), base.data(), mask.data()} : p.source());
      x[k] = p.apply(*e);
    }
    EXPECT_TRUE(same_bits(x[1], x[0])) << "precision " << int(precision);
  }
}

#if !defined(FINEGRAIN_COMPLEX)
// The factor is that of the matrix whose diagonal entries a are a + diagonal_shift |a|.
TEST_P(SymmetricFactor, RaisesDiagonalEntries)
{
  for (const Case &c : cases())
    for (const Algorithm algorithm : algorithms()) {
      const SymmetricProblem p(c.graph, GetParam());
      SymmetricProblem raised = p;
      const std::size_t n = std::size_t(p.n);
      for (Index i = 0; i < c.graph.rows; ++i)
        for (Index e = c.graph.ptr(i); e < c.graph.ptr(i + 1); ++e)
          for (std::size_t k = 0; k < n && c.graph.col(e) == i; ++k) {
            Scalar &a = raised.values[(std::size_t(e) * n + k) * n + k];
            a += Real(0.25) * std::abs(a);
          }
      const auto e = make_tested_engine(Method::factorization);
      const EngineOptions r = options_for(c, algorithm);
      if (e->analyze(p.view(), r)) return;
      Values values{.owned = p.source(), .coupling = {}};
      values.diagonal_shift = Real(0.25);
      (void)e->factor(values, -1);
      const auto x = p.apply(*e), expected = raised.solve(r);
      if (!x.empty()) {
        EXPECT_LT(difference(x, expected), tolerance) << c.name;
      }
    }
}

// All algorithms count the pivots of L D L^T that are not positive definite.
TEST_P(SymmetricFactor, CountsPivotsThatAreNotPositiveDefinite)
{
  for (const Case &c : cases())
    for (const Algorithm algorithm : algorithms()) {
      SymmetricProblem p(c.graph, GetParam());
      const std::size_t n = std::size_t(p.n);
      EngineOptions r = options_for(c, algorithm);
      r.shift.definite = true;
      const auto e = make_tested_engine(Method::factorization);
      if (e->analyze(p.view(), r)) return;
      for (std::size_t k = 0; k < n; ++k)
        for (Index i = 0; i < c.graph.rows; ++i)
          for (Index f = c.graph.ptr(i); f < c.graph.ptr(i + 1); ++f)
            if (c.graph.col(f) == i) p.values[(std::size_t(f) * n + k) * n + k] += Real(100 * n);
      EXPECT_EQ(e->factor(p.source()).indefinite, 0) << c.name;
      EXPECT_EQ(e->factor(p.source()).bad_row, -1) << c.name;
      if (c.graph.rows == 0) continue;
      const Index last = c.graph.rows - 1;
      for (Index f = c.graph.ptr(last); f < c.graph.ptr(last + 1); ++f)
        if (c.graph.col(f) == last) p.values[(std::size_t(f) * n + n - 1) * n + n - 1] = Scalar(-1);
      const FactorReport report = e->factor(p.source());
      EXPECT_EQ(report.indefinite, 1) << c.name;
      EXPECT_EQ(report.bad_row, last) << c.name;
    }
}
#endif

// Storage of SBAIJ: the MatrixValues has the upper blocks only, and `stored` has their positions.
TEST_P(SymmetricFactor, ReadsAMatrixThatStoresTheUpperTriangle)
{
  for (const bool reordered : {false, true})
    for (const Case &c : cases()) {
      const SymmetricProblem p(c.graph, GetParam());
      const std::size_t nn = std::size_t(p.n * p.n);
      const EngineOptions r = options_for(c, algorithms().front(), reordered);
      OperatorView view = p.view();
      std::vector<Scalar> values;
      Index upper = 0;
      view.stored = make_array<Index>("stored", std::size_t(c.graph.entries()));
      for (Index i = 0; i < c.graph.rows; ++i)
        for (Index e = c.graph.ptr(i); e < c.graph.ptr(i + 1); ++e) {
          view.stored(e) = c.graph.col(e) < i ? -1 : upper++;
          const auto first = p.values.begin() + std::ptrdiff_t(std::size_t(e) * nn);
          if (c.graph.col(e) >= i) values.insert(values.end(), first, first + std::ptrdiff_t(nn));
        }
      const auto whole = p.solve(r);
      const auto e = make_tested_engine(Method::factorization);
      if (e->analyze(view, r)) continue; // not enough scratch memory, as in the first test
      EXPECT_EQ(e->factor(MatrixValues{values.data(), nullptr, nullptr}).bad_row, -1);
      EXPECT_TRUE(same_bits(p.apply(*e), whole)) << c.name;
    }
}

TEST_P(SymmetricFactor, SeveralVectorsAndTransposesAreTheSameAsOneByOne)
{
  constexpr int vectors = 11; // more than one sweep applies
  for (const Case &c : cases()) {
    const SymmetricProblem p(c.graph, GetParam());
    const auto e = make_tested_engine(Method::factorization);
    if (e->analyze(p.view(), options_for(c, algorithms().front()))) continue;
    (void)e->factor(p.source());
    const std::size_t size = p.b.size();
    const auto b = make_vector(size * vectors, 5);
    for (const bool transposed : {false, true}) {
      std::vector<Scalar> x(b.size(), Scalar(nan)), one(size, Scalar(nan));
      e->apply({.b = b.data(), .x = x.data(), .vectors = vectors, .stride = Offset(size), .transposed = transposed});
      for (std::size_t v = 0; v < vectors; ++v) {
        e->apply({.b = b.data() + v * size, .x = one.data()});
        EXPECT_TRUE(size == 0 || !std::memcmp(one.data(), x.data() + v * size, size * sizeof(Scalar)))
          << c.name << ", vector " << v;
      }
    }
  }
}

TEST_P(SymmetricFactor, IsHalfAsLargeAsDiluAndCorrectsAsItDoes)
{
  for (const bool reordered : {false, true})
    for (const Case &c : cases()) {
      SCOPED_TRACE(c.name);
      const SymmetricProblem p(c.graph, GetParam());
      std::vector<Scalar> x[2];
      Statistics s[2];
      for (const bool symmetric : {false, true}) {
        const auto e = make_tested_engine(Method::factorization);
        EngineOptions r = options_for(c, algorithms().front(), reordered);
        if (!symmetric) r.factor = FactorKind::dilu;
        if (e->analyze(p.view(), r)) return;
        e->allow_corrections(p.view());
        (void)e->factor(p.source());
        EXPECT_TRUE(e->statistics().short_residual);
        x[symmetric] = p.apply(*e);
        std::vector<Scalar> step(p.b.size(), Scalar(nan));
        for (int k = 0; k < 3; ++k)
          e->correct({.values = {p.source(), {}, k > 0}, // the first uses the matrix, the others the factor
                      .b = p.b.data(),
                      .x = x[symmetric].data(),
                      .last = k ? step.data() : x[symmetric].data(),
                      .step = step.data(),
                      .total = x[symmetric].data()});
        s[symmetric] = e->statistics();
      }
      if (!p.b.empty()) {
        EXPECT_LT(difference(x[1], x[0]), tolerance);
      }
      EXPECT_EQ(s[1].lower, s[0].lower);
      EXPECT_EQ(s[1].upper, 0);
      EXPECT_EQ(s[0].factor_bytes - s[1].factor_bytes,
                std::size_t(s[0].upper) * std::size_t(p.n * p.n) * sizeof(Scalar));
    }
}

TEST(SymmetricFactorErrors, PatternThatIsNotSymmetricIsRefusedAndAZeroPivotFound)
{
  EngineOptions r;
  r.factor = FactorKind::icc;
  for (const Graph &g :
       {make_random_graph(40, 3, false, 1), make_graph({{0, 1}, {1, 2}, {0, 2}}), make_graph({{0}, {0, 1}})}) {
    const Problem p(g, 2);
    EXPECT_EQ(make_tested_engine(Method::factorization)->analyze(p.view(), r).reason, SetupError::unsymmetric);
  }
  r.levels = 1;
  const SymmetricProblem p(make_grid_graph({4, 4, 1}, Stencil::star), 2);
  EXPECT_EQ(make_tested_engine(Method::factorization)->analyze(p.view(), r).reason, SetupError::conflict);
  r.levels = 0;
  SymmetricProblem bad = p;
  const Index first = bad.graph.ptr(0); // the diagonal block is the first one of row 0
  std::fill_n(bad.values.begin() + std::ptrdiff_t(first) * 4, 4, Scalar(0));
  const auto e = make_tested_engine(Method::factorization);
  ASSERT_FALSE(e->analyze(bad.view(), r));
  EXPECT_EQ(e->factor(bad.source()).bad_row, 0);
  EXPECT_EQ(e->factor(p.source()).bad_row, -1);
  r.shift.amount = Real(0.1);
  ASSERT_FALSE(e->analyze(bad.view(), r));
  EXPECT_EQ(e->factor(bad.source()).shifted, 1);
}

} // namespace
