// Uploads in parts: all of an array arrives, whatever its size, and nothing beside it.
#include "problems.hpp"

#include "base/copies.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

TEST(Upload, ArrivesInParts)
{
  constexpr std::size_t part = 1000; // bytes: no multiple of a Scalar's
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

} // namespace
