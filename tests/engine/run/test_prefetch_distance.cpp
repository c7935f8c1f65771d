// SPDX-License-Identifier: BSD-2-Clause
// The prefetch distance: that of the processor, unless one is given.
#include "base/prefetch_distance.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

using namespace finegrain;

namespace
{

// Linux' own description of the processor.
bool is_amd()
{
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("vendor_id", 0) == 0) return line.find("AuthenticAMD") != std::string::npos;
  return false;
}

TEST(PrefetchDistance, IsThatOfTheProcessor)
{
  set_prefetch_distance(0);
  set_prefetch_distance(-1);
  EXPECT_FALSE(prefetch_distance().given);
  EXPECT_EQ(prefetch_distance().bytes, is_amd() ? usual_prefetch_distance : 0u);
  EXPECT_EQ(prefetch_distance_of(false), Offset(prefetch_distance().bytes));
  EXPECT_EQ(prefetch_distance_of(false, BlocksAre::converted), Offset(usual_prefetch_distance)); // on any
  EXPECT_EQ(prefetch_distance_of(true), 0);
}

TEST(PrefetchDistance, IsWhatWasGiven)
{
  for (const Offset bytes : {Offset(0), Offset(2048), Offset(65536)}) {
    set_prefetch_distance(bytes);
    EXPECT_EQ(prefetch_distance().bytes, std::size_t(bytes));
    EXPECT_TRUE(prefetch_distance().given);
    for (const BlocksAre blocks : {BlocksAre::as_stored, BlocksAre::converted}) {
      EXPECT_EQ(prefetch_distance_of(false, blocks), bytes);
      EXPECT_EQ(prefetch_distance_of(true, blocks), 0);
    }
  }
  set_prefetch_distance(-1);
}

} // namespace
