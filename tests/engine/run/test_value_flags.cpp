// Values that are their own flags: threads that wait for nothing but each other's values get the bits of one thread,
// every sweep leaves its vectors as the next one wants them, and no result looks as if it were not there yet.
#include "cases.hpp"
#include "oracle.hpp"
#include "kernels/sweep.hpp"

#include <gtest/gtest.h>

#include <thread>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Both triangles of a factor on a box, of any numbers, and the rows of threads.
template <int N> struct Sweeps {
  Graph graph = make_grid_graph({5, 4, 3}, Stencil::box);
  std::vector<Index> ptr[2], col[2];
  std::vector<Scalar> lower, upper, diagonal, b;

  Sweeps()
  {
    ptr[0] = ptr[1] = {0};
    for (Index i = 0; i < rows(); ++i) {
      for (Index e = graph.ptr(i); e < graph.ptr(i + 1); ++e)
        if (graph.col(e) < i) col[0].push_back(graph.col(e));
      ptr[0].push_back(Index(col[0].size()));
      for (Index pos = rows() - 1 - i, e = graph.ptr(pos); e < graph.ptr(pos + 1); ++e)
        if (graph.col(e) > pos) col[1].push_back(graph.col(e));
      ptr[1].push_back(Index(col[1].size()));
    }
    lower = make_vector(col[0].size() * N * N, 1);
    upper = make_vector(col[1].size() * N * N, 2);
    diagonal = make_vector(scalars() * N, 3);
    b = make_vector(scalars(), 4);
    for (std::vector<Scalar> *v : {&lower, &upper})
      for (Scalar &s : *v) s *= Real(0.05); // results stay of the size of b
  }
  Index rows() const { return graph.rows; }
  std::size_t scalars() const { return std::size_t(graph.rows) * N; }

  auto forward(std::vector<Scalar> &y, std::vector<Scalar> &x) const
  {
    ForwardArguments a{};
    a.ptr = ptr[0].data();
    a.col = col[0].data();
    a.y_by_row = true;
    a.lower = lower.data();
    a.diagonal = diagonal.data();
    a.b = b.data();
    a.y = y.data();
    a.late = x.data();
    return ForwardRow<N, Scalar, Scalar>{BlockSize<N>(N), a};
  }
  auto backward(std::vector<Scalar> &y, std::vector<Scalar> &x) const
  {
    BackwardArguments a{};
    a.ptr = ptr[1].data();
    a.col = col[1].data();
    a.y_by_row = true;
    a.last_position = rows() - 1;
    a.upper = upper.data();
    a.y = a.late = y.data();
    a.x = x.data();
    return BackwardRow<N, Scalar>{BlockSize<N>(N), a};
  }
  // Each thread does every third row, and waits for values only.
  template <class Row, class Neighbors> void run(const Row &row, const Neighbors &neighbors, int threads) const
  {
    const auto work = [&](int first) {
      std::vector<Scalar> scratch(N);
      for (Index slot = first; slot < rows(); slot += threads)
        row(slot, HostLanes<N>{row.n}, scratch.data(), neighbors);
    };
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
    work(0);
    for (std::thread &t : others) t.join();
  }
};

std::vector<Scalar> all_late(std::size_t size) { return std::vector<Scalar>(size, late_value()); }
bool are_all_late(const std::vector<Scalar> &v) { return std::all_of(v.begin(), v.end(), is_late); }

template <int N> void compare()
{
  const Sweeps<N> s;
  std::vector<Scalar> y(s.scalars()), x(s.scalars()), expected_y, expected_x;
  s.run(s.forward(y, x), Everywhere(), 1);
  expected_y = y;
  s.run(s.backward(y, x), Everywhere(), 1);
  expected_x = x;
  y = all_late(s.scalars());
  for (int turn = 0; turn < 20; ++turn) {
    std::fill(x.begin(), x.end(), Scalar(turn));
    s.run(s.forward(y, x), Arriving(), 3);
    ASSERT_EQ(y, expected_y) << "n = " << N;
    ASSERT_TRUE(are_all_late(x));
    s.run(s.backward(y, x), Arriving(), 3);
    ASSERT_EQ(x, expected_x) << "n = " << N;
    ASSERT_TRUE(are_all_late(y));
  }
}

TEST(ValueFlags, AreWaitedForByThreads)
{
  compare<1>();
  compare<3>();
  compare<5>();
}

TEST(ValueFlags, AreNoResults)
{
  Scalar place = late_value();
  EXPECT_TRUE(is_late(place));
  put_value(&place, late_value());
  EXPECT_FALSE(is_late(place));
  EXPECT_TRUE(std::isnan(magnitude(place)));
  for (const Real value : {Real(0), Real(-1.5), std::numeric_limits<Real>::infinity()}) {
    put_value(&place, Scalar(value));
    EXPECT_EQ(place, Scalar(value));
  }
#if defined(FINEGRAIN_COMPLEX) // half of it is there
  EXPECT_TRUE(is_late(Scalar(late_value().real(), 1)));
  EXPECT_TRUE(is_late(Scalar(1, late_value().imag())));
#endif
}

class ValueFlagsOf : public ::testing::TestWithParam<Case>
{
};

TEST_P(ValueFlagsOf, GiveTheBitsOfFlagsOfTasks)
{
  if (where != Where::device) GTEST_SKIP() << "hosts have flags of tasks";
  const std::string name = GetParam().name;
  for (const Box &box : {Box{9, 8, 10}, Box{50, 1, 1}})
    for (const int n : {1, 5, 9}) {
      const Problem p = make_star_problem(GetParam(), box, n);
      EngineOptions options;
      GetParam().set(options);
      options.executor = ExecutorKind::self;
      const auto e = make_tested_engine();
      std::vector<Scalar> expected;
      for (const bool values : {false, true}) {
        const Restored setting(values_are_flags(), values);
        EXPECT_FALSE(e->analyze(p.view(), options));
        EXPECT_EQ(e->factor(p.source()).bad_row, -1);
        if (!values) expected = p.apply(*e);
        EXPECT_EQ(e->statistics().values_are_flags, values && (name == "dilu" || name == "ilu0"));
      }
#if defined(FINEGRAIN_EMULATE_DEVICE)
      unmarked_results() = 0;
#endif
      for (int turn = 0; turn < 3; ++turn) EXPECT_EQ(p.apply(*e), expected) << box.i << " n = " << n;
#if defined(FINEGRAIN_EMULATE_DEVICE)
      EXPECT_EQ(unmarked_results(), 0);
#endif
    }
}

INSTANTIATE_TEST_SUITE_P(Factors, ValueFlagsOf, ::testing::ValuesIn(factor_cases), case_name);

} // namespace
