// SPDX-License-Identifier: BSD-2-Clause
// Relaxations with low-precision storage: scales, flushed entries, sizes, and errors for values that cannot be
// stored.
#include "relax_emulated.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

std::vector<RelaxationStorage> scaled_storage()
{
  std::vector<RelaxationStorage> all;
  for (const RelaxationStorage &s : all_storage())
    if (s.scaled()) all.push_back(s);
  return all;
}

void scale_rows(Problem &p, const std::function<double(Index)> &factor)
{
  const std::size_t nn = std::size_t(p.n) * std::size_t(p.n);
  for (Index i = 0; i < p.graph.rows; ++i)
    for (std::size_t k = std::size_t(p.graph.ptr(i)) * nn; k < std::size_t(p.graph.ptr(i + 1)) * nn; ++k)
      p.values[k] *= Real(factor(i));
}

// Matrices that are hard to store, all of them finite. `most` is the largest power of ten that leaves room in the
// working precision.
struct Hard {
  const char *name;
  std::function<void(Problem &)> change;
};
std::vector<Hard> hard_matrices()
{
  const double most = sizeof(Real) == 8 ? 1e200 : 1e25;
  const auto all = [](double f) { return [f](Problem &p) { scale_rows(p, [f](Index) { return f; }); }; };
  return {{"rows of all sizes", [](Problem &p) { scale_rows(p, [](Index i) { return std::pow(10., i % 13 - 6); }); }},
          {"all large", all(most)},
          {"large", all(1e8)},
          {"small", all(1e-8)},
          {"tiny entries",
           [](Problem &p) {
             for (std::size_t k = 0; k < p.values.size(); k += 3)
               if (magnitude(p.values[k]) < 2) p.values[k] *= Real(1e-30);
           }},
          {"subnormal numbers and zeros",
           [](Problem &p) {
             for (std::size_t k = 0; k < p.values.size(); k += 2)
               if (magnitude(p.values[k]) < 2)
                 p.values[k] = Scalar(Real(k % 4 ? 0 : std::numeric_limits<Real>::denorm_min()));
           }},
          {"halves of the smallest number", // 1 is scaled by 2^15, and 2^-40 to half of 2^-24
           [](Problem &p) {
             for (std::size_t k = 0; k < p.values.size(); ++k)
               if (magnitude(p.values[k]) < 2)
                 p.values[k] = Scalar(Real(k % 2 ? 1 : std::ldexp(k % 4 ? -1 : 1.5, -40 - int(k % 3))));
           }},
          {"just at the limit", [](Problem &p) {
             const double f[] = {65504, 65503, 65505, 65519.99, 65520, 32752, 32752.001};
             for (std::size_t k = 0; k < p.values.size(); ++k)
               if (magnitude(p.values[k]) < 2) p.values[k] = Scalar(Real(f[k % 7]));
               else p.values[k] *= Real(1e6);
           }}};
}

TEST(RelaxedStorage, HardMatricesStayFiniteAndAreStoredAsDefined)
{
  for (const Hard &hard : hard_matrices())
    for (const int n : {1, 4, 5, 13})
      for (const RelaxationStorage &s : scaled_storage()) {
        Problem p(make_grid_graph({5, 4, 1}, Stencil::box), n);
        hard.change(p);
        EngineOptions r = relaxation_options();
        s.set(r);
        EmulatedRelaxation oracle(p, r);
        const auto expected = oracle.apply(p.b);
        for (const Algorithm algorithm : algorithms()) {
          r.algorithm = algorithm;
          auto e = make_tested_engine(r.method);
          ASSERT_FALSE(e->analyze(p.view(), r));
          const FactorReport report = e->factor(p.source());
          EXPECT_EQ(report.bad_row, -1) << hard.name;
          EXPECT_EQ(report.bad_coupling, -1) << hard.name << ", " << s.name;
          EXPECT_EQ(report.flushed, oracle.flushed) << hard.name << ", " << s.name;
          const auto x = p.apply(*e);
          for (const Scalar v : x) EXPECT_TRUE(is_finite(magnitude(v))) << hard.name << ", " << s.name;
          EXPECT_TRUE(same_bits(x, expected)) << hard.name << ", " << s.name << ", n = " << n;
          if (s.scaling == Scaling::global) {
            EXPECT_EQ(e->statistics().scale, oracle.scale[0]);
          }
        }
      }
}

// A refresh first converts with the last scale, which may be wrong.
TEST(RelaxedStorage, RefreshFromAnyScaleEqualsANewFactor)
{
  const auto change = [](const Hard &hard) {
    Problem p(make_grid_graph({5, 4, 1}, Stencil::box), 5);
    hard.change(p);
    return p;
  };
  for (const Hard &before : hard_matrices())
    for (const Hard &after : hard_matrices())
      for (const RelaxationStorage &s : scaled_storage()) {
        Problem first = change(before), second = change(after);
        EngineOptions r = relaxation_options();
        s.set(r);
        r.algorithm = algorithms().back();
        auto refreshed = make_tested_engine(r.method), made = make_tested_engine(r.method);
        ASSERT_FALSE(refreshed->analyze(first.view(), r));
        ASSERT_FALSE(made->analyze(second.view(), r));
        refreshed->factor(first.source());
        const FactorReport report = refreshed->factor(second.source()), expected = made->factor(second.source());
        EXPECT_EQ(report.flushed, expected.flushed) << before.name << ", " << after.name;
        EXPECT_EQ(report.bad_coupling, expected.bad_coupling) << before.name << ", " << after.name;
        EXPECT_EQ(refreshed->statistics().scale, made->statistics().scale) << before.name << ", " << after.name;
        EXPECT_TRUE(same_bits(second.apply(*refreshed), second.apply(*made))) << before.name << ", " << after.name;
      }
}

TEST(RelaxedStorage, RefreshWithTheSameScaleIsOneKernel)
{
  Problem p(make_grid_graph({5, 4, 1}, Stencil::box), 5);
  for (const RelaxationStorage &s : all_storage()) {
    EngineOptions r = relaxation_options();
    s.set(r);
    r.algorithm = Algorithm::levels;
    auto e = make_tested_engine(r.method);
    ASSERT_FALSE(e->analyze(p.view(), r));
    e->factor(p.source());
    const Offset before = e->statistics().launches;
    e->factor(p.source());
    EXPECT_EQ(e->statistics().launches - before, 1) << s.name;
  }
}

TEST(RelaxedStorage, AScaleForEachRowKeepsWhatOneForAllFlushes)
{
  Problem p(make_grid_graph({5, 4, 3}, Stencil::star), 3);
  scale_rows(p, [](Index i) { return i % 2 ? 1e-12 : 1; });
  EngineOptions working = relaxation_options(), r = working;
  all_storage()[4].set(r);
  auto e = make_tested_engine(r.method);
  ASSERT_FALSE(e->analyze(p.view(), r));
  EXPECT_GT(e->factor(p.source()).flushed, 200);
  const auto expected = p.solve(working);
  const double global = difference(p.apply(*e), expected);
  all_storage()[5].set(r);
  ASSERT_FALSE(e->analyze(p.view(), r));
  EXPECT_EQ(e->factor(p.source()).flushed, 0);
  EXPECT_LT(difference(p.apply(*e), expected), 1e-3);
  EXPECT_GT(global, 10 * difference(p.apply(*e), expected));
}

// Scales are powers of two, so that scaling A and b by a power of two leaves the solution bitwise identical.
TEST(RelaxedStorage, PowersOfTwoChangeNothing)
{
  for (const RelaxationStorage &s : scaled_storage()) {
    Problem p(make_random_graph(30, 3, false, 3), 5);
    EngineOptions r = relaxation_options({}, SweepKind::symmetric, 2, 1.2);
    s.set(r);
    auto x = p.solve(r);
    for (Scalar &v : p.values) v *= Real(1024);
    for (Scalar &v : p.b) v *= Real(1024);
    EXPECT_TRUE(same_bits(p.solve(r), x)) << s.name;
  }
}

// With one power of two as the scale, the stored matrix of a symmetric matrix is symmetric, and so is the
// preconditioner.
TEST(RelaxedStorage, SymmetricMatricesStaySymmetric)
{
  for (const Hard &hard : hard_matrices()) {
    Problem p(make_grid_graph({5, 4, 1}, Stencil::box), 4);
    hard.change(p);
    symmetrize_values(p);
    const std::size_t n = std::size_t(p.n), size = p.b.size();
    for (Index i = 0; i < p.graph.rows; ++i) // restores the dominance of the diagonal
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        for (std::size_t r = 0; r < n && p.graph.col(e) == i; ++r) {
          double sum = 1;
          for (Index f = p.graph.ptr(i); f < p.graph.ptr(i + 1); ++f)
            for (std::size_t c = 0; c < n; ++c) sum += double(magnitude(p.values[(std::size_t(f) * n + c) * n + r]));
          if (sum < 1e30) p.values[(std::size_t(e) * n + r) * n + r] = Scalar(Real(sum));
        }
    EngineOptions r = relaxation_options({}, SweepKind::symmetric, 2, 1.2);
    all_storage()[4].set(r);
    auto e = make_tested_engine(r.method);
    ASSERT_FALSE(e->analyze(p.view(), r));
    ASSERT_EQ(e->factor(p.source()).bad_coupling, -1) << hard.name;
    const auto d = make_vector(size, 5);
    std::vector<Scalar> y(size);
    e->apply(d.data(), y.data());
    double terms;
    const Scalar left = inner(p.apply(*e), d, &terms), right = inner(p.b, y);
    EXPECT_LT(double(magnitude(left - right)), tolerance * terms) << hard.name;
  }
}

TEST(RelaxedStorage, IsAsLargeAsItSays)
{
  const Problem p(make_grid_graph({4, 3, 2}, Stencil::star), 3);
  const auto couplings = std::size_t(p.graph.entries() - 24), nn = std::size_t(9);
  for (const RelaxationStorage &s : all_storage()) {
    EngineOptions r = relaxation_options();
    s.set(r);
    Statistics st;
    p.solve(r, &st);
    const bool by_row = s.scaled() && s.scaling == Scaling::row;
    EXPECT_EQ(st.factor_bytes, couplings * bytes_of_block(s.off, 3) + 24 * nn * storage_size(s.diagonal) +
                                 (by_row ? 24 * sizeof(Real) : 0))
      << s.name;
    EXPECT_EQ(st.precision, s.off);
    EXPECT_EQ(st.diagonal, s.diagonal);
    EXPECT_EQ(st.lower, Index(couplings));
  }
  EXPECT_EQ(storage_size(Precision::half) * 2, storage_size(Precision::single));
  EXPECT_EQ(storage_size(Precision::bfloat16) * 2, storage_size(Precision::single));
  EXPECT_EQ(bytes_of_block(Precision::half, 5), 25 * storage_size(Precision::half));
}

TEST(RelaxedStorage, LowerPrecisionIsClose)
{
  const Problem p(make_grid_graph({5, 4, 3}, Stencil::box), 5);
  const auto x = p.solve(relaxation_options());
  for (const RelaxationStorage &s : all_storage()) {
    EngineOptions r = relaxation_options();
    s.set(r);
    const double change = difference(p.solve(r), x);
    if (s.off == Precision::working) {
      EXPECT_EQ(change, 0);
    } else if (s.off == Precision::single) {
      EXPECT_LT(change, 1e-6) << s.name;
      EXPECT_GT(change, low_is_lower ? 1e-10 : -1) << s.name;
    } else {
      const double rounding = s.off == Precision::half ? 1. / 2048 : 1. / 256;
      EXPECT_LT(change, 2 * rounding) << s.name;
      EXPECT_GT(change, rounding / 400) << s.name;
    }
  }
}

TEST(RelaxedStorage, ZeroCouplingsAreScaledByOne)
{
  Problem p(make_grid_graph({4, 3, 1}, Stencil::star), 2);
  const Problem full = p;
  for (Index i = 0; i < p.graph.rows; ++i)
    for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
      if (p.graph.col(e) != i) std::fill_n(p.values.begin() + 4 * e, 4, Scalar(0));
  for (const RelaxationStorage &s : all_storage()) {
    EngineOptions r = relaxation_options();
    s.set(r);
    auto e = make_tested_engine(r.method);
    ASSERT_FALSE(e->analyze(p.view(), r));
    const FactorReport report = e->factor(p.source());
    EXPECT_EQ(report.bad_coupling, -1);
    EXPECT_EQ(report.flushed, 0) << s.name;
    EXPECT_EQ(e->statistics().scale, 1);
    EXPECT_TRUE(same_bits(p.apply(*e), EmulatedRelaxation(p, r).apply(p.b))) << s.name;
  }
}

void put(Problem &p, Index row, bool diagonal, Scalar value)
{
  for (Index e = p.graph.ptr(row); e < p.graph.ptr(row + 1); ++e)
    if ((p.graph.col(e) == row) == diagonal) p.values[std::size_t(e + 1) * std::size_t(p.n * p.n) - 1] = value;
}

TEST(RelaxedStorage, ReportsWhatIsNotFiniteAndRecovers)
{
  constexpr Real infinity = std::numeric_limits<Real>::infinity(), huge = sizeof(Real) == 8 ? Real(1e300) : infinity;
  for (const int n : {1, 3, 5})
    for (const RelaxationStorage &s : all_storage())
      for (const Algorithm algorithm : algorithms())
        for (const Scalar bad : {Scalar(nan_value), Scalar(infinity), Scalar(-infinity), Scalar(huge)}) {
          const Problem good(make_grid_graph({6, 5, 4}, Stencil::star), n);
          Problem p = good;
          for (const Index row : {97, 41, 63}) put(p, row, false, bad);
          EngineOptions r = relaxation_options();
          s.set(r);
          r.algorithm = algorithm;
          auto e = make_tested_engine(r.method);
          ASSERT_FALSE(e->analyze(p.view(), r));
          FactorReport report = e->factor(p.source());
          EXPECT_EQ(report.bad_row, -1);
          const bool fits =
            magnitude(bad) == huge && huge < infinity && (s.scaled() || s.off == Precision::working || !low_is_lower);
          EXPECT_EQ(report.bad_coupling, fits ? -1 : 41) << s.name << bad;
          report = e->factor(good.source());
          EXPECT_EQ(report.bad_row, -1);
          EXPECT_EQ(report.bad_coupling, -1);
          EXPECT_EQ(report.flushed, EmulatedRelaxation(good, r).flushed) << s.name;
          EXPECT_TRUE(same_bits(good.apply(*e), good.solve(r)));
        }
}

TEST(RelaxedStorage, ReportsBadDiagonalBlocksAndShiftsPivots)
{
  for (const int n : {1, 3, 5, 13})
    for (const RelaxationStorage &s : all_storage())
      for (const Algorithm algorithm : algorithms()) {
        const Problem good(make_grid_graph({6, 5, 4}, Stencil::star), n);
        Problem p = good;
        const auto nn = n * n;
        for (const Index row : {97, 41, 63})
          for (Index e = p.graph.ptr(row); e < p.graph.ptr(row + 1); ++e)
            if (p.graph.col(e) == row) std::fill_n(p.values.begin() + e * nn, nn, Scalar(0));
        EngineOptions r = relaxation_options();
        s.set(r);
        r.algorithm = algorithm;
        auto e = make_tested_engine(r.method);
        ASSERT_FALSE(e->analyze(p.view(), r));
        const FactorReport report = e->factor(p.source());
        EXPECT_EQ(report.bad_row, 41) << s.name;
        EXPECT_EQ(report.bad_coupling, -1) << s.name;
        EXPECT_EQ(e->factor(good.source()).bad_row, -1);
        EXPECT_TRUE(same_bits(good.apply(*e), good.solve(r)));
        Problem nan = good;
        put(nan, 7, true, Scalar(nan_value));
        EXPECT_EQ(e->factor(nan.source()).bad_row, 7);
        r.shift.amount = Real(1e-3);
        ASSERT_FALSE(e->analyze(p.view(), r));
        const FactorReport shifted = e->factor(p.source());
        EXPECT_EQ(shifted.bad_row, -1);
        EXPECT_EQ(shifted.shifted, 3);
        for (const Scalar v : p.apply(*e)) EXPECT_TRUE(is_finite(magnitude(v)));
      }
}

} // namespace
