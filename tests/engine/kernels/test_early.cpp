// Rows of sweeps in two parts: begin() reads nothing that other rows write, and the bits are those of the whole.
#include "problems.hpp"

#include "kernels/sweep.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr Index columns = 7;

// One lane for each row, as a device has.
template <int N> struct OneRowLanes {
  BlockSize<N> n;

  template <int = 32, class F> KOKKOS_FUNCTION void strips(const F &f) const
  {
    for (int r = 0; r < N; ++r) f(Strip<1>{r});
  }
};

std::vector<Scalar> all_nan(std::size_t size)
{
  return std::vector<Scalar>(size, Scalar(std::numeric_limits<Real>::quiet_NaN()));
}

// A row of `entries` blocks, of values that are there and of those that are not yet.
template <int N, class B> struct LateRow {
  std::vector<B> blocks, diagonal;
  std::vector<Scalar> b = make_vector(std::size_t(N * columns), 3), y = make_vector(std::size_t(N * columns), 4);
  std::vector<Index> col;
  Index ptr[2];
  std::vector<Scalar> late = all_nan(y.size());

  explicit LateRow(Index entries) : ptr{0, entries}
  {
    for (const Scalar v : make_vector(std::size_t(entries * N * N), 1)) blocks.push_back(convert<B>(v));
    for (const Scalar v : make_vector(std::size_t(N * N), 2)) diagonal.push_back(convert<B>(v));
    for (Index e = 0; e < entries; ++e) col.push_back(1 + 5 * e % (columns - 1)); // any but 0, the row itself
  }
  template <class Arguments> void set_graph(Arguments &arg) const
  {
    arg.ptr = ptr;
    arg.col = col.data();
    arg.y_by_row = true;
  }
  // Runs the row of slot 0 with a vector that is there, and with one that is full of NaN while the row begins.
  template <class Row, class Set> void run(Row row, std::vector<Scalar> &now, const Set &set)
  {
    std::vector<Scalar> scratch = all_nan(N);
    set(row, now);
    row(0, HostLanes<N>{row.n}, scratch.data(), Everywhere());
    scratch = all_nan(N);
    set(row, late);
    typename Row::Early early;
    row.begin(0, OneRowLanes<N>{row.n}, Everywhere(), early);
    std::copy(y.begin(), y.end(), late.begin());
    row.finish(0, OneRowLanes<N>{row.n}, scratch.data(), Everywhere(), early);
  }
};

template <int N, class B> void compare_forward(Index entries)
{
  LateRow<N, B> r(entries);
  std::vector<Scalar> now = r.y;
  ForwardArguments arg{};
  r.set_graph(arg);
  arg.lower = r.blocks.data();
  arg.diagonal = r.diagonal.data();
  arg.b = r.b.data();
  r.run(ForwardRow<N, B, B>{BlockSize<N>(N), arg}, now, [](auto &row, auto &y) { row.arg.y = y.data(); });
  EXPECT_EQ(r.late, now) << "n = " << N << ", " << entries << " entries";
}

template <int N, class B> void compare_backward(Index entries)
{
  LateRow<N, B> r(entries);
  std::vector<Scalar> now = r.y;
  BackwardArguments arg{};
  r.set_graph(arg);
  arg.upper = r.blocks.data();
  r.run(BackwardRow<N, B>{BlockSize<N>(N), arg}, now, [](auto &row, auto &y) { row.arg.y = row.arg.x = y.data(); });
  EXPECT_EQ(r.late, now) << "n = " << N << ", " << entries << " entries";
}

template <int N, class B> void compare()
{
  for (Index entries = 0; entries <= early_entries<N> + 2; ++entries) {
    compare_forward<N, B>(entries);
    compare_backward<N, B>(entries);
  }
}

TEST(EarlyLoads, ReadNothingThatComesLate)
{
  compare<1, Scalar>();
  compare<3, Scalar>();
  compare<4, Scalar>();
  compare<5, Scalar>();
  compare<8, Scalar>();
  using Single = StorageOf<Precision::single>::type;
  compare<1, Single>();
  compare<5, Single>();
  compare<8, Single>();
}

// Rows in two parts are of one vector and blocks of a fixed size, in working precision.
TEST(EarlyLoads, AreForOneVectorOfFixedBlocks)
{
  using Half = StorageOf<Precision::half>::type;
  EXPECT_FALSE((ForwardRow<5, Half, Scalar>::loads_early));
  EXPECT_FALSE((BackwardRow<5, Half>::loads_early));
  EXPECT_TRUE((ForwardRow<5, Scalar, Scalar>::loads_early));
  EXPECT_TRUE((BackwardRow<1, Scalar>::loads_early));
  EXPECT_FALSE((ForwardRow<0, Scalar, Scalar>::loads_early));
  EXPECT_FALSE((ForwardRow<5, Scalar, Scalar, 1, true>::loads_early));
  EXPECT_FALSE((ForwardRow<0, Scalar, Scalar, most_vectors>::loads_early));
  EXPECT_FALSE((BackwardRow<0, Scalar, most_vectors>::loads_early));
}

} // namespace
