// SPDX-License-Identifier: BSD-2-Clause
// Uses of relaxations: transposes, several vectors, corrections, ghosts.
#include "relax_oracle.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

std::unique_ptr<Engine> make_factored(const Problem &p, const EngineOptions &r)
{
  auto e = make_tested_engine(r.method);
  EXPECT_FALSE(e->analyze(p.view(), r));
  const FactorReport report = e->factor(p.source());
  EXPECT_EQ(report.bad_row, -1);
  EXPECT_EQ(report.bad_coupling, -1);
  return e;
}

std::vector<Scalar> nans(std::size_t size) { return std::vector<Scalar>(size, Scalar(nan_value)); }

std::vector<Scalar> transposed(Engine &e, const std::vector<Scalar> &b)
{
  auto x = nans(b.size());
  e.apply({.b = b.data(), .x = x.data(), .vectors = 1, .stride = Offset(b.size()), .transposed = true});
  return x;
}

// Columns with gaps between them, initially NaN.
struct Columns {
  int count;
  Offset stride;
  std::vector<Scalar> b, x;

  Columns(const Problem &p, int columns, Offset extra = 3)
      : count(columns),
        stride(Offset(p.b.size()) + extra),
        b(make_vector(std::size_t(stride * count), 9)),
        x(nans(b.size()))
  {
  }
  std::vector<Scalar> column(const std::vector<Scalar> &from, int c) const
  {
    return {from.begin() + c * stride, from.begin() + c * stride + (stride - 3)};
  }
};

class RelaxedVectors : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Relaxation, RelaxedVectors, ::testing::Values(1, 2, 5, 8, 13));

TEST_P(RelaxedVectors, TransposedIsTheTranspose)
{
  for (const RelaxCase &c : relax_cases())
    for (const SweepKind sweep : all_sweeps)
      for (const double omega : {1., 0.7, 1.4})
        for (const RelaxationStorage &s : all_storage()) {
          const Problem p(c.graph, GetParam());
          if (s.single_sums || p.b.empty()) continue; // with rounding of each product, M^-1 is not linear
          EngineOptions r = relaxation_options(c.grid, sweep, omega == 1 ? 3 : 2, omega);
          s.set(r);
          auto e = make_factored(p, r);
          const auto d = make_vector(p.b.size(), 5);
          double size;
          const Scalar left = inner(p.apply(*e), d, &size), right = inner(p.b, transposed(*e, d));
          EXPECT_LT(double(magnitude(left - right)), tolerance * size) << describe(c.name, r) << ", " << s.name;
        }
}

TEST_P(RelaxedVectors, TransposedEqualsTheDenseOneOnEveryAlgorithm)
{
  if (GetParam() > 5) return;
  for (const RelaxCase &c : relax_cases())
    for (const SweepKind sweep : all_sweeps) {
      const Problem p(c.graph, GetParam());
      if (p.b.empty()) continue;
      EngineOptions r = relaxation_options(c.grid, sweep, 2, 1.2);
      const auto expected = DenseRelaxation(p, r).apply_transposed(p.b),
                 first = transposed(*make_factored(p, r), p.b);
      EXPECT_LT(difference(first, expected), tolerance) << describe(c.name, r);
      for (const RelaxationStorage &s : all_storage()) {
        s.set(r);
        r.algorithm = algorithms().front();
        const auto bits = transposed(*make_factored(p, r), p.b);
        for (const Algorithm algorithm : algorithms()) {
          r.algorithm = algorithm;
          EXPECT_TRUE(same_bits(transposed(*make_factored(p, r), p.b), bits))
            << describe(c.name, r) << ", " << s.name;
        }
      }
    }
}

TEST_P(RelaxedVectors, SeveralGiveTheBitsOfOneAndReadTheFactorOncePerEight)
{
  for (const RelaxCase &c : relax_cases())
    for (const RelaxationStorage &s : all_storage())
      for (const Algorithm algorithm : algorithms()) {
        const Problem p(c.graph, GetParam());
        EngineOptions r = relaxation_options(c.grid, SweepKind::symmetric, 1, 1.1);
        s.set(r);
        r.algorithm = algorithm;
        auto e = make_factored(p, r);
        const auto read = [&] { return e->statistics().bytes_read; };
        double before = read();
        p.apply(*e);
        const double once = read() - before;
        for (const int count : {1, 8, 11}) {
          Columns v(p, count);
          before = read();
          e->apply({.b = v.b.data(), .x = v.x.data(), .vectors = count, .stride = v.stride});
          EXPECT_EQ(read() - before, once * ((count + 7) / 8));
          for (int k = 0; k < count; ++k) {
            const auto b = v.column(v.b, k);
            auto x = nans(b.size());
            e->apply(b.data(), x.data());
            EXPECT_TRUE(same_bits(v.column(v.x, k), x)) << describe(c.name, r) << ", " << s.name << ", column " << k;
          }
          Columns w(p, count);
          e->apply({.b = w.b.data(), .x = w.x.data(), .vectors = count, .stride = w.stride, .transposed = true});
          for (int k = 0; k < count; ++k)
            EXPECT_TRUE(same_bits(w.column(w.x, k), transposed(*e, w.column(w.b, k)))) << c.name << k;
        }
      }
}

// Ghost g is half of owned row g, as if another rank had a copy, and NaN until it is fetched, so that an oracle can
// reproduce the exchange.
struct Coupled : Problem, Halo {
  Graph coupling;
  std::vector<Scalar> outside;
  std::vector<std::string> events;

  Coupled(Graph g, int block, const Rows &to_ghosts) : Problem(g, block), coupling(make_graph(to_ghosts))
  {
    outside = make_vector(std::size_t(coupling.entries() * block * block), 3);
  }
  void begin(Index color, const Scalar *, Scalar *to) override
  {
    EXPECT_EQ(color, Halo::all);
    std::fill_n(to, b.size(), Scalar(nan_value));
  }
  void end(Index, const Scalar *x, Scalar *to) override
  {
    events.push_back("fetch");
    for (std::size_t i = 0; i < b.size(); ++i) to[i] = Real(0.5) * x[i];
  }
  void add(Index color, const Scalar *ghosts, Scalar *to) override
  {
    EXPECT_EQ(color, Halo::all);
    events.push_back("add");
    for (std::size_t i = 0; i < b.size(); ++i) to[i] += Real(0.5) * ghosts[i];
  }
  void residual(bool, bool) override {}
  OperatorView view() const
  {
    OperatorView v = Problem::view();
    v.coupling = coupling;
    v.ghosts = graph.rows;
    return v;
  }
  Values values_now() const { return {source(), {outside.data(), nullptr, nullptr}}; }
  std::vector<Scalar> subtract(const Graph &g, const std::vector<Scalar> &a, const std::vector<Scalar> &x,
                               Real factor, std::vector<Scalar> r) const
  {
    const std::size_t m = std::size_t(n);
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
        for (std::size_t c = 0; c < m; ++c)
          for (std::size_t q = 0; q < m; ++q)
            r[std::size_t(i) * m + q] -=
              factor * a[(std::size_t(e) * m + c) * m + q] * x[std::size_t(g.col(e)) * m + c];
    return r;
  }
  // Subtracts from b the couplings to ghosts.
  std::vector<Scalar> without_ghosts(const std::vector<Scalar> &x) const
  {
    return subtract(coupling, outside, x, Real(0.5), b);
  }
  std::vector<Scalar> residual_of(const std::vector<Scalar> &x) const
  {
    return subtract(graph, values, x, Real(1), without_ghosts(x));
  }
};

Rows few_ghosts(Index rows)
{
  Rows r(std::size_t(rows), std::set<Index>{});
  for (Index i = 0; i < rows; i += 3) r[std::size_t(i)] = {i / 2, rows - 1};
  return r;
}

std::vector<RelaxCase> coupled_cases()
{
  const Box box{4, 3, 3};
  return {{"star", make_grid_graph(box, Stencil::star), {box}},
          {"not symmetric", make_random_graph(30, 3, false, 3), {}},
          {"diagonal", make_graph({{0}, {1}, {2}, {3}}), {}}};
}

TEST_P(RelaxedVectors, CorrectsByOneApplication)
{
  for (const RelaxCase &c : coupled_cases())
    for (const SweepKind sweep : all_sweeps)
      for (const Algorithm algorithm : algorithms()) {
        Coupled p(c.graph, GetParam(), few_ghosts(c.graph.rows));
        const EngineOptions plain = relaxation_options(c.grid, sweep, 2, 0.9);
        EngineOptions r = plain;
        r.algorithm = algorithm;
        auto e = make_tested_engine(r.method);
        ASSERT_FALSE(e->analyze(p.view(), r));
        e->set_halo(&p);
        e->allow_corrections(p.view());
        EXPECT_FALSE(e->statistics().short_residual);
        EXPECT_EQ(e->statistics().ignored, p.coupling.entries());
        ASSERT_EQ(e->factor(p.values_now(), e->find_largest(p.values_now())).bad_row, -1);
        EXPECT_FALSE(e->statistics().short_residual);
        const PlainRelaxation oracle(p, plain);
        std::vector<Scalar> x = p.apply(*e), expected = oracle.apply(p.b), last, step = nans(x.size());
        EXPECT_LT(difference(x, expected), tolerance);
        EXPECT_TRUE(p.events.empty()); // an application without exchange fetches nothing
        for (int k = 0; k < 3; ++k) {
          const auto change = oracle.apply(p.residual_of(expected));
          for (std::size_t i = 0; i < x.size(); ++i) expected[i] += change[i];
          if (k == 0) { // the step alone, without a sum
            e->correct({.values = p.values_now(),
                        .b = p.b.data(),
                        .x = x.data(),
                        .last = x.data(),
                        .step = step.data(),
                        .total = nullptr});
            EXPECT_LT(difference(step, change), 10 * tolerance);
          }
          auto total = k == 1 ? x : std::vector<Scalar>();
          e->correct({.values = p.values_now(),
                      .b = p.b.data(),
                      .x = x.data(),
                      .last = k ? step.data() : x.data(),
                      .step = step.data(),
                      .total = k == 1 ? total.data() : x.data()});
          if (k == 1) x = total;
          EXPECT_LT(difference(x, expected), tolerance) << describe(c.name, r);
        }
        EXPECT_EQ(p.events, (std::vector<std::string>(4, "fetch")));
      }
}

// Ghosts are fetched before each sweep, except a first one from zero, so that each sweep has another right-hand
// side.
TEST_P(RelaxedVectors, WithGhostsFetchedForEachSweep)
{
  for (const RelaxCase &c : coupled_cases())
    for (const SweepKind sweep : all_sweeps)
      for (const double omega : {1., 0.8})
        for (const Algorithm algorithm : algorithms()) {
          Coupled p(c.graph, GetParam(), few_ghosts(c.graph.rows));
          EngineOptions r = relaxation_options(c.grid, sweep, 2, omega);
          r.algorithm = algorithm;
          r.relaxation.exchange = Exchange::sweep;
          auto e = make_tested_engine(r.method);
          ASSERT_FALSE(e->analyze(p.view(), r));
          e->set_halo(&p);
          EXPECT_EQ(e->statistics().ignored, 0);
          ASSERT_EQ(e->factor(p.values_now(), e->find_largest(p.values_now())).bad_row, -1);
          const auto relax = [&](std::vector<Scalar> x) {
            each_sweep(r.relaxation, [&](bool backward) {
              EngineOptions one = r;
              one.relaxation.sweep = backward ? SweepKind::backward : SweepKind::forward;
              one.relaxation.sweeps = 1;
              x = PlainRelaxation(p, one).proceed(p.without_ghosts(x), x);
            });
            return x;
          };
          const std::size_t sweeps = sweep == SweepKind::symmetric ? 4 : 2;
          EXPECT_LT(difference(p.apply(*e), relax(std::vector<Scalar>(p.b.size(), Scalar(0)))), tolerance)
            << describe(c.name, r);
          EXPECT_EQ(p.events, std::vector<std::string>(sweeps - 1, "fetch"));
          auto x = make_vector(p.b.size(), 44), guess = x;
          p.events.clear();
          e->apply({.b = p.b.data(), .x = x.data(), .from_x = true});
          EXPECT_LT(difference(x, relax(guess)), tolerance) << describe(c.name, r);
          EXPECT_EQ(p.events, std::vector<std::string>(sweeps, "fetch"));
          // The transposed application adds shares of ghosts to their owners.
          const auto d = make_vector(p.b.size(), 5);
          double size;
          const Scalar left = inner(p.apply(*e), d, &size), right = inner(p.b, transposed(*e, d));
          EXPECT_LT(double(magnitude(left - right)), tolerance * size) << describe(c.name, r);
          for (const int count : {3}) {
            Columns v(p, count), w(p, count);
            e->apply({.b = v.b.data(), .x = v.x.data(), .vectors = count, .stride = v.stride});
            e->apply({.b = w.b.data(), .x = w.x.data(), .vectors = count, .stride = w.stride, .transposed = true});
            for (int k = 0; k < count; ++k) {
              const auto b = v.column(v.b, k);
              auto y = nans(b.size());
              e->apply(b.data(), y.data());
              EXPECT_TRUE(same_bits(v.column(v.x, k), y)) << describe(c.name, r);
              EXPECT_TRUE(same_bits(w.column(w.x, k), transposed(*e, b))) << describe(c.name, r);
            }
          }
        }
}

} // namespace
