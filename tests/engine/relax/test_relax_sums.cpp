// SPDX-License-Identifier: BSD-2-Clause
// The two implementations of a relaxation's sums give bitwise identical results.
#include "problems.hpp"

#include "base/column_sums.hpp"
#include "base/rounding.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Blocks of one row, followed by 64 bytes of NaN.
template <class B> struct RowOfBlocks {
  static constexpr std::size_t slack = 64 / sizeof(B);
  int n;
  Index entries;
  std::vector<B> blocks;
  std::vector<Scalar> x; // without slack
  std::vector<Index> col;

  RowOfBlocks(int block, Index count, unsigned seed)
      : n(block),
        entries(count),
        blocks(std::size_t(count * n * n) + slack),
        x(make_vector(std::size_t(7 * n), seed + 1))
  {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      blocks[i] = convert<B>(i + slack < blocks.size() ? random_scalar(random) * Real(100)
                                                       : Scalar(std::numeric_limits<Real>::quiet_NaN()));
    for (Index e = 0; e < count; ++e) col.push_back(e * 3 % 7);
  }
  const B *block(Index e) const { return blocks.data() + std::size_t(e * n * n); }
  const Scalar *vector(Index e) const { return x.data() + std::size_t(col[std::size_t(e)] * n); }

  // The expected result of both implementations: a sum for each column, then the sum of these.
  template <class T> std::vector<T> expected() const
  {
    std::vector<T> result;
    for (int r = 0; r < n; ++r) {
      T total(0);
      for (int c = 0; c < n; ++c) {
        T sum(0);
        for (Index e = 0; e < entries; ++e)
          sum = madd(convert<T>(vector(e)[c]), convert<T>(block(e)[c * n + r]), sum);
        total += sum;
      }
      result.push_back(total);
    }
    return result;
  }
  template <class T, int N, int W> std::vector<T> by_columns() const
  {
    std::vector<T> result(std::size_t(n), T(0));
    T out[std::size_t(W)];
    for (int first = 0; first + W <= n; first += W == 1 ? 1 : n) { // wide strips: only the first and the last rows
      for (const int at : {first, n - W}) {
        if (W == 1 && at != first) continue;
        const Strip<W> strip{at};
        ColumnSums<N, T, W>{BlockSize<N>(n), strip}(
          0, entries, [&](Index e) { return block(e); }, [&](Index e) { return vector(e); }, out);
        for (int i = 0; i < W; ++i) result[std::size_t(at + i)] = out[i];
      }
    }
    return result;
  }
};

template <class T> bool same(const std::vector<T> &a, const std::vector<T> &b)
{
  return a.size() == b.size() && !std::memcmp(a.data(), b.data(), a.size() * sizeof(T));
}

template <int N, class T, class B> void compare(const char *name)
{
  for (const Index entries : {0, 1, 2, 6, 27}) {
    const RowOfBlocks<B> s(N, entries, unsigned(N + 31 * entries));
    const auto expected = s.template expected<T>();
    EXPECT_TRUE(same(s.template by_columns<T, N, N>(), expected)) << name << N << " " << entries;
    EXPECT_TRUE(same(s.template by_columns<T, N, 1>(), expected)) << name << N << " " << entries;
    EXPECT_TRUE(same(s.template by_columns<T, 0, 1>(), expected)) << name << N << " " << entries;
    EXPECT_TRUE(same(s.template by_columns<T, 0, N>(), expected)) << name << N << " " << entries;
    if constexpr (N > 4) {
      const auto strips = s.template by_columns<T, 0, 4>(); // the first and the last four
      for (int r = 0; r < N; ++r)
        if (r < 4 || r >= N - 4) {
          EXPECT_EQ(strips[std::size_t(r)], expected[std::size_t(r)]) << name << N << " " << entries;
        }
    }
#if !defined(FINEGRAIN_COMPLEX) && !defined(__CUDACC__)
    FlatSums<N, T> flat;
    for (Index e = 0; e < entries; ++e) flat.add(s.block(e), s.vector(e));
    std::vector<T> total(std::size_t(flat.rows), T(0));
    ASSERT_GE(flat.rows, N);
    flat.add_up(total.data());
    total.resize(std::size_t(N));
    EXPECT_TRUE(same(total, expected)) << name << N << " " << entries;
#endif
  }
}

template <int N> void compare_all()
{
  compare<N, Scalar, Scalar>("working ");
  compare<N, Scalar, Single>("single ");
  compare<N, Scalar, HalfScalar>("half ");
  compare<N, Scalar, BFloat16Scalar>("bfloat16 ");
  compare<N, Single, Single>("single, single sums ");
  compare<N, Single, HalfScalar>("half, single sums ");
  compare<N, Single, BFloat16Scalar>("bfloat16, single sums ");
  if constexpr (N < 8) compare_all<N + 1>();
}

TEST(BlockSums, BothTextsAddInTheSameOrder) { compare_all<1>(); }

#if !defined(FINEGRAIN_COMPLEX) && !defined(__CUDACC__)
// Blocks follow each other in memory. A vector load may read part of the next block, even if it is infinite, but
// must not use it.
TEST(BlockSums, NeverUseWhatLiesBehindABlock)
{
  RowOfBlocks<Half> s(3, 2, 5);
  const auto expected = [&] {
    auto first = s;
    first.entries = 1;
    return first.expected<float>();
  }();
  for (std::size_t i = 9; i < s.blocks.size(); ++i)
    s.blocks[i] = convert<Half>(std::numeric_limits<float>::infinity());
  FlatSums<3, float> flat;
  flat.add(s.block(0), s.vector(0));
  float total[std::size_t(flat.rows)];
  flat.add_up(total);
  for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(total[r], expected[r]);
}
#endif

} // namespace
