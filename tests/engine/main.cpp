#include "compat.hpp"

#include <gtest/gtest.h>

int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  finegrain::start_kokkos();
  return RUN_ALL_TESTS();
}
