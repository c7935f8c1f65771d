// SPDX-License-Identifier: BSD-2-Clause
// The prefetch distance: a given distance is kept, a measured one is one of two values, and a small matrix is not
// measured.
#include "base/prefetch_distance.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace finegrain;

namespace
{

TEST(PrefetchDistance, IsMeasuredOnceOnALargeMatrix)
{
  const std::vector<Scalar> large((std::size_t(16) << 20) / sizeof(Scalar), Scalar(1));
  set_prefetch_distance(-1);
  EXPECT_EQ(prefetch_distance().source, PrefetchSource::assumed);
  EXPECT_EQ(prefetch_distance().bytes, 0u);
  measure_prefetch_distance(large.data(), large.size() * sizeof(Scalar) / 2);
  EXPECT_EQ(prefetch_distance().source, PrefetchSource::assumed);
  measure_prefetch_distance(large.data(), large.size() * sizeof(Scalar));
  EXPECT_EQ(prefetch_distance().source, PrefetchSource::measured);
  EXPECT_TRUE(prefetch_distance().bytes == usual_prefetch_distance || prefetch_distance().bytes == 0);
  EXPECT_EQ(prefetch_distance_of(false, BlocksAre::converted), Offset(usual_prefetch_distance)); // in any case
  measure_prefetch_distance(nullptr, std::size_t(1) << 40);                                      // never again
  set_prefetch_distance(-1);
}

TEST(PrefetchDistance, IsWhatWasGiven)
{
  for (const Offset bytes : {Offset(0), Offset(2048), Offset(65536)}) {
    set_prefetch_distance(bytes);
    EXPECT_EQ(prefetch_distance().bytes, std::size_t(bytes));
    EXPECT_EQ(prefetch_distance().source, PrefetchSource::given);
    for (const BlocksAre blocks : {BlocksAre::as_stored, BlocksAre::converted}) {
      EXPECT_EQ(prefetch_distance_of(false, blocks), bytes);
      EXPECT_EQ(prefetch_distance_of(true, blocks), 0);
    }
    measure_prefetch_distance(nullptr, std::size_t(1) << 40);
    EXPECT_EQ(prefetch_distance().bytes, std::size_t(bytes));
  }
  set_prefetch_distance(-1);
}

} // namespace
