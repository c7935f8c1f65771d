// SPDX-License-Identifier: BSD-2-Clause
#include "problems.hpp"

#include <gtest/gtest.h>

int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (!finegrain::test::read_backend(argc, argv, i) && !finegrain::test::read_algorithms(argc, argv, i)) {
      std::fprintf(stderr,
                   "test_engine: '%s' is neither --backend host, staged or device nor --algorithms levels,tasks...\n",
                   argv[i]);
      return 2;
    }
  return finegrain::test::start_backend("test_engine") ? RUN_ALL_TESTS() : 2;
}
