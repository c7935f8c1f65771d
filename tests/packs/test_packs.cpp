// SPDX-License-Identifier: BSD-2-Clause
// Host row functions as a device compiler compiles them, and as they are for complex numbers: sums entry by entry
// instead of in vectors. A separate program, because the engine's other sources use vectors.
#define FINEGRAIN_DEVICE_COMPILER
#include "factor/half.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

using namespace finegrain;

namespace
{

// A coupling from row 0 to row 1 forward, and from row 1 to row 0 backward. With sums in single precision, one
// vector and several give bitwise identical results (g++ 12 omitted a rounding for several: keep_rounding()).
template <int N> void one_and_several(int n)
{
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::array<Single, 32> diagonal;
  std::array<HalfScalar, 32> couplings;
  for (std::size_t i = 0; i < 32; ++i)
    diagonal[i] = Single(0.1 * double(i) + 0.3), couplings[i] = convert<HalfScalar>(Scalar(0.37 * double(i) - 0.2));
  std::array<Scalar, 8> b;
  for (std::size_t i = 0; i < 8; ++i) b[i] = Scalar(1.0 / double(i + 3));
  const std::array<Real, 4> unit{1, 1, 1, 1};
  std::array<Single, 8> y;
  std::array<Scalar, 8> several, x, x_several;
  y.fill(Single(nan)), several.fill(nan), x.fill(nan), x_several.fill(nan);
  for (const bool backward : {false, true}) {
    const std::array<Index, 3> ptr{0, 0, 1};
    const std::array<Index, 1> col{backward ? Index(1) : Index(0)};
    HalfArguments a;
    a.ptr = ptr.data(), a.col = col.data(), a.blocks = couplings.data(), a.diagonal = diagonal.data();
    a.unscale = 1, a.unit = unit.data(), a.b = b.data(), a.backward = backward, a.last_position = 1,
    a.vectors = {1, 8};
    const HostLanes<N> lanes{BlockSize<N>(n)};
    for (Index sweep_index = 0; sweep_index < 2; ++sweep_index) {
      a.y = y.data(), a.x = x.data();
      HalfRow<N, 1>{BlockSize<N>(n), {a}}(sweep_index, lanes, nullptr);
      a.y = several.data(), a.x = x_several.data();
      HalfRow<N, most_vectors>{BlockSize<N>(n), {a}}(sweep_index, lanes, nullptr);
    }
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(Scalar(y[i]), several[i]) << (backward ? "backward " : "forward ") << i;
  }
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(x[i], x_several[i]) << i;
}

TEST(Packs, OneAndSeveralVectors)
{
  one_and_several<4>(4);
  one_and_several<0>(4);
}

} // namespace
