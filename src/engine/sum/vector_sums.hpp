// SPDX-License-Identifier: BSD-2-Clause
// Sums over the entries of vectors on the host: inner products and norms, by all threads.
#pragma once

#include "sum/binned_sum.hpp"
#include "base/scalar.hpp"

namespace finegrain
{

// Real sums of one sum of scalars: one, or the real and the imaginary part.
inline constexpr int parts = Parts<Scalar>::count;
// Largest number of sums of add_products(), which needs no memory.
inline constexpr int most_sums = 64;

// Adds the terms of sum_i x_i conj(y_i) to sums[0] (and sums[1], the imaginary part) for each of `count` pairs. One
// of `x` and `y` may be the same vector in all pairs. Not conjugated: x_i y_i.
void add_products(Offset n, int count, const Scalar *const *x, const Scalar *const *y, bool conjugated,
                  BinnedSum *sums);
// Adds the terms of sum_i x_i, of sum_i |x_i|, and of sum_i |scale x_i|^2, the latter two to one sum.
void add_entries(Offset n, const Scalar *x, BinnedSum *sums);
void add_magnitudes(Offset n, const Scalar *x, BinnedSum *sum);
void add_squares(Offset n, const Scalar *x, double scale, BinnedSum *sum);

// Computes y = b y + sum of a_j x_j, in the order of j. Each rounded operation is one of IEEE, unlike those of a BLAS
// that treats the last entries of an array in another way. y is not read if b is zero.
void update(Offset n, int count, const Scalar *a, const Scalar *const *x, Scalar b, Scalar *y);

} // namespace finegrain
