// SPDX-License-Identifier: BSD-2-Clause
// A sum of doubles that does not depend on the order of its terms, nor on how they are divided among threads and
// ranks.
//
// Each term is split into multiples of 2^40b (bins b), rounded to nearest, from the bin that the largest term of all
// needs downwards. The sum keeps the three highest bins as exact integers, 120 bits in all (Demmel and Nguyen,
// Parallel Reproducible Summation, IEEE Trans. Comput. 64, 2015). What it drops is below 2^-80 of the largest term,
// for each term. Integer sums are associative, so that any order gives bitwise identical results.
#pragma once

#include <cstdint>

namespace finegrain
{

class BinnedSum
{
public:
  static constexpr int most = 1024; // largest number of terms of add()

  // Adds terms[0] to terms[count - 1]. The array has room for `most` terms, is aligned to 64 bytes, and its other
  // entries are overwritten. Prefetches as many bytes from `next` on, which are read next; null: none.
  void add(double *terms, int count, const void *next = nullptr);
  // The same for terms x[i] y[i], rounded to doubles.
  void add_products(const double *x, const double *y, int count, const void *next = nullptr);
  void merge(const BinnedSum &);
  // Returns the sum of what the bins hold, rounded to nearest but for ties. Infinite terms and NaN give what IEEE
  // additions give.
  double value() const;

private:
  __extension__ typedef __int128 Integer;
  static constexpr int bits = 40, lowest = -25, highest = 25; // bins: all finite doubles fit below the highest
  static constexpr int nan = 1, plus_infinity = 2, minus_infinity = 4;

  // Makes `top` the highest bin if it is above the present one.
  void move_bins_up(int top);
  bool add_finite(const double *terms, int padded, const void *next);
  // Adds the parts of a split in which all terms fit.
  void add_parts(const std::int64_t parts[3]);

  Integer digits_[3] = {0, 0, 0}; // multiples of 2^40b in bins b = top, top - 1, top - 2
  std::int64_t top_ = lowest, flags_ = 0;
};

} // namespace finegrain
