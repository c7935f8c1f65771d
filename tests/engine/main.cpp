#include "problems.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

using namespace finegrain;

// --backend=host (default), staged or device: problems.hpp.
int main(int argc, char **argv)
{
  ::testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--backend=host")) test::where = test::Where::host;
    else if (!std::strcmp(argv[i], "--backend=staged")) test::where = test::Where::staged;
    else if (!std::strcmp(argv[i], "--backend=device")) test::where = test::Where::device;
    else {
      std::fprintf(stderr, "test_engine: '%s' is not --backend=host, staged or device\n", argv[i]);
      return 2;
    }
  }
  if (start_kokkos() != KokkosState::ready) {
    std::fprintf(stderr, "test_engine: Kokkos (%s) does not start: %d devices\n", backend_names().c_str(),
                 count_devices());
    return 2;
  }
  if (test::where == test::Where::device && !has_device()) {
    std::fprintf(stderr, "test_engine: no device to test: this build has %s, and %d devices were found\n",
                 backend_names().c_str(), count_devices());
    return 2;
  }
  return RUN_ALL_TESTS();
}
