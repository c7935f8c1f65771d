// SPDX-License-Identifier: BSD-2-Clause
// Uploads in parts transfer all of an array of any size, and write nothing outside of it.
#include "problems.hpp"

#include "base/copies.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

TEST(Upload, ArrivesInParts)
{
  constexpr std::size_t part = 1000; // bytes: no multiple of a scalar's size
  const std::vector<Scalar> from = make_vector(5000, 1);
  const Scalar nan(std::numeric_limits<Real>::quiet_NaN());
  Upload<Kokkos::HostSpace> upload(part);
  for (const std::size_t size : std::vector<std::size_t>{0, 1, 124, 125, 250, 251, 375, 1000, 1001, 4999}) {
    std::vector<Scalar> to(size + 2, nan);
    upload(to.data() + 1, from.data(), size);
    EXPECT_TRUE(std::equal(from.begin(), from.begin() + std::ptrdiff_t(size), to.begin() + 1)) << size;
    EXPECT_TRUE(std::isnan(magnitude(to.front())) && std::isnan(magnitude(to.back()))) << size;
  }
}

// Kernels read a null array as "all, in order". An empty array therefore has a null address, copied or not.
TEST(Copies, OfNothingHaveNoAddress)
{
  using Space = DeviceExec::memory_space;
  EXPECT_EQ(copy_to<Space>(HostArray<Index>()).data(), nullptr);
  EXPECT_EQ(copy_to<Space>(HostArray<Index>("finegrain::none", 0)).data(), nullptr);
  EXPECT_EQ((make_array<Index, Space>("finegrain::none", 0).data()), nullptr);
  EXPECT_EQ(make_array<Index>("finegrain::none", 0).data(), nullptr);
}

// Copies for a device are separate: later changes on the host do not reach them.
TEST(Copies, OfDevicesAreTheirOwn)
{
  if (!builds_device) GTEST_SKIP() << "a host reads its own arrays";
  const auto from = to_array("finegrain::numbers", std::vector<Index>{1, 2, 3});
  const auto there = copy_to<DeviceExec::memory_space>(from);
  from(1) = 7;
  const auto back = copy_to<Kokkos::HostSpace>(there);
  EXPECT_EQ(back(0), 1);
  EXPECT_EQ(back(1), 2);
  EXPECT_EQ(back(2), 3);
}

} // namespace
