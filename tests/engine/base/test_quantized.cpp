// Blocks in eight bits: what is stored, its error, and what cannot be stored.
#include "problems.hpp"

#include "base/quantized.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr int parts = Parts<Scalar>::count;

// A block stored in memory that is full beforehand.
struct StoredBlock {
  int n;
  std::vector<Quantized> bytes;
  Quantization report;

  StoredBlock(const std::vector<Scalar> &block, int size, Real scale = 1)
      : n(size), bytes(std::size_t(block_length<Quantized>(n)), Quantized{0xa5})
  {
    for (int r = 0; r < n; ++r) {
      const Quantization q = quantize<1>(block.data(), n, r, scale, bytes.data());
      report.flushed += q.flushed;
      report.finite = report.finite && q.finite;
    }
  }
  Scalar at(int row, int column) const { return stored_number<Scalar>(bytes.data(), n, row, column); }
};

TEST(Quantized, ErrorsAreHalfOfTheLastPlaceOfTheLargestInTheRow)
{
  for (const int n : {1, 2, 3, 5, 8, 17, 32})
    for (const double size : {1., 1e-30, 1e4, 60000.}) {
      auto block = make_vector(std::size_t(n * n), unsigned(n));
      for (Scalar &v : block) v *= Real(size);
      const StoredBlock s(block, n);
      EXPECT_TRUE(s.report.finite);
      for (int r = 0; r < n; ++r) {
        Real largest = 0;
        for (int c = 0; c < n; ++c) largest = std::max(largest, largest_part(block[std::size_t(c * n + r)]));
        for (int c = 0; c < n; ++c) {
          const Real error = largest_part(s.at(r, c) - block[std::size_t(c * n + r)]);
          EXPECT_LE(error, largest / Real(127.5)) << n; // half of 2^e, which is at most largest / 63.75
        }
      }
    }
}

TEST(Quantized, IntegersReach127AndTiesGoToEven)
{
  const auto stored = [](double v, double other) {
    return StoredBlock({Scalar(Real(other)), Scalar(0), Scalar(Real(v)), Scalar(0)}, 2).at(0, 1);
  };
  EXPECT_EQ(stored(3, 127), Scalar(3));
  EXPECT_EQ(stored(-3, 127.4), Scalar(-3)); // 127 still
  EXPECT_EQ(stored(0.5, 127), Scalar(0));
  EXPECT_EQ(stored(1.5, 127), Scalar(2));
  EXPECT_EQ(stored(2.5, 127), Scalar(2));
  EXPECT_EQ(stored(3, 127.5), Scalar(4)); // 128 would not fit: units of two
  EXPECT_EQ(stored(1, 65024), Scalar(0)); // 127 units of 512
  EXPECT_EQ(stored(256, 65024), Scalar(0));
  EXPECT_EQ(stored(257, 65024), Scalar(512));
}

TEST(Quantized, CountsWhatBecomesZero)
{
  const StoredBlock s({Scalar(100), Scalar(1), Scalar(Real(0.1)), Scalar(0)}, 2);
  EXPECT_EQ(s.report.flushed, 1);
  EXPECT_EQ(s.at(0, 0), Scalar(100));
  EXPECT_EQ(s.at(1, 0), Scalar(1));
  EXPECT_EQ(StoredBlock({Scalar(0)}, 1).report.flushed, 0);
  EXPECT_EQ(StoredBlock({Scalar(std::numeric_limits<Real>::denorm_min())}, 1).report.flushed, 1);
  EXPECT_EQ(StoredBlock({Scalar(Real(3e-39))}, 1).report.flushed, 1); // below half of 2^-126
  EXPECT_EQ(StoredBlock({Scalar(Real(std::ldexp(3, -126)))}, 1).at(0, 0), Scalar(Real(std::ldexp(3, -126))));
}

TEST(Quantized, RowsThatAreNotFiniteStayThat)
{
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  for (const Real bad : {infinity, -infinity, std::numeric_limits<Real>::quiet_NaN()}) {
    const StoredBlock s({Scalar(1), Scalar(2), Scalar(bad), Scalar(4)}, 2);
    EXPECT_FALSE(s.report.finite);
    EXPECT_FALSE(is_finite(magnitude(s.at(0, 0))));
    EXPECT_FALSE(is_finite(magnitude(s.at(0, 1))));
    EXPECT_EQ(s.at(1, 0), Scalar(2));
    EXPECT_EQ(s.at(1, 1), Scalar(4));
  }
}

TEST(Quantized, ScalesFirst)
{
  const auto block = make_vector(25, 4);
  auto scaled = block;
  for (Scalar &v : scaled) v *= Real(1024);
  const StoredBlock a(block, 5, 1024), b(scaled, 5);
  for (std::size_t i = 0; i < a.bytes.size(); ++i) EXPECT_EQ(a.bytes[i].byte, b.bytes[i].byte);
  EXPECT_EQ(a.bytes.size(), std::size_t(25 * parts + 5));
}

} // namespace
