#include "problems.hpp"
#include <gtest/gtest.h>
