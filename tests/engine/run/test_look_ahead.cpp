// SPDX-License-Identifier: BSD-2-Clause
// How far ahead a matrix is asked for: what is set stays, what is measured is one of two, and small matrices say
// nothing.
#include "base/look_ahead.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace finegrain;

namespace
{

TEST(LookAhead, IsMeasuredOnceOnALargeMatrix)
{
  const std::vector<Scalar> large((std::size_t(64) << 20) / sizeof(Scalar), Scalar(1));
  set_look_ahead(-1);
  EXPECT_EQ(look_ahead().source, LookAheadSource::assumed);
  const std::size_t assumed = look_ahead().bytes;
  measure_look_ahead(large.data(), large.size() * sizeof(Scalar) / 2);
  EXPECT_EQ(look_ahead().source, LookAheadSource::assumed);
  measure_look_ahead(large.data(), large.size() * sizeof(Scalar));
  EXPECT_EQ(look_ahead().source, LookAheadSource::measured);
  EXPECT_TRUE(look_ahead().bytes == assumed || look_ahead().bytes == 0);
  EXPECT_EQ(ahead_of(false, BlocksAre::converted), Offset(assumed)); // whatever was measured
  measure_look_ahead(nullptr, std::size_t(1) << 40);                 // never again
  set_look_ahead(-1);
}

TEST(LookAhead, IsWhatWasGiven)
{
  for (const Offset bytes : {Offset(0), Offset(2048), Offset(65536)}) {
    set_look_ahead(bytes);
    EXPECT_EQ(look_ahead().bytes, std::size_t(bytes));
    EXPECT_EQ(look_ahead().source, LookAheadSource::given);
    for (const BlocksAre blocks : {BlocksAre::as_stored, BlocksAre::converted}) {
      EXPECT_EQ(ahead_of(false, blocks), bytes);
      EXPECT_EQ(ahead_of(true, blocks), 0);
    }
    measure_look_ahead(nullptr, std::size_t(1) << 40);
    EXPECT_EQ(look_ahead().bytes, std::size_t(bytes));
  }
  set_look_ahead(-1);
}

} // namespace
