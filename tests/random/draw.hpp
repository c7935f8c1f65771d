// SPDX-License-Identifier: BSD-2-Clause
// Random numbers of a case, which depend only on seed and number: the same on all ranks and with every C++ library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace finegrain::test
{

class Draw
{
public:
  Draw(std::uint64_t seed, std::uint64_t number) : engine_(seed * 0x9e3779b97f4a7c15u ^ (number + 1)) {}

  std::uint64_t key() { return engine_(); }
  std::size_t below(std::size_t n) { return std::size_t(engine_() % n); }
  int between(int least, int most) { return least + int(below(std::size_t(most - least + 1))); }
  double unit() { return double(engine_() >> 11) * 0x1p-53; } // from 0 to 1
  bool chance(double p) { return unit() < p; }
  template <class T> const T &of(const std::vector<T> &all) { return all[below(all.size())]; }
  std::string of(std::initializer_list<const char *> all) { return *(all.begin() + below(all.size())); }

private:
  std::mt19937_64 engine_; // the standard fixes its numbers, but not those of distributions
};

} // namespace finegrain::test
