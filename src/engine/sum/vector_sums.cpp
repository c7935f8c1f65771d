// SPDX-License-Identifier: BSD-2-Clause
// Terms are computed into an array of the thread, one chunk after the other, and summed there. Threads merge their
// sums in any order.
#include "sum/vector_sums.hpp"

#include "base/pieces.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace finegrain
{

namespace
{

constexpr int entries = BinnedSum::most / parts; // of a chunk

// Calls body(first, last) for all chunks of entries, once on each thread.
template <class Body> void for_chunks(Offset n, const Body &body)
{
  const Index chunks = Index((n + entries - 1) / entries);
  const Pieces pieces(chunks, Index(std::min<Offset>(n, std::numeric_limits<Index>::max())));
  for_threads(pieces.count(), [&](std::int32_t piece) { body(pieces.first(piece), pieces.first(piece + 1)); });
}

// fill(s, first, count, terms) writes the terms of sum s for these entries and returns their number.
template <class Fill> void sum_terms(Offset n, int count, const Fill &fill, BinnedSum *sums)
{
  std::mutex merging;
  for_chunks(n, [&](Index first, Index last) {
    BinnedSum own[most_sums];
    alignas(64) double terms[BinnedSum::most];
    for (Offset chunk = first; chunk < last; ++chunk)
      for (int s = 0; s < count; ++s) {
        const Offset at = chunk * entries;
        own[s].add(terms, fill(s, at, int(std::min<Offset>(entries, n - at)), terms));
      }
    const std::lock_guard lock(merging);
    for (int s = 0; s < count; ++s) sums[s].merge(own[s]);
  });
}

template <class T> Real absolute(T a)
{
  if constexpr (parts == 2) return Kokkos::abs(a);
  else return std::abs(a);
}
const Real *reals(const Scalar *x) { return reinterpret_cast<const Real *>(x); }

} // namespace

void add_products(Offset n, int count, const Scalar *const *x, const Scalar *const *y, bool conjugated,
                  BinnedSum *sums)
{
  const auto fill = [=](int s, Offset first, int size, double *terms) {
    const Real *a = reals(x[s / parts] + first), *b = reals(y[s / parts] + first);
    if (parts == 1 || (conjugated && s % parts == 0)) {
      for (int i = 0; i < size * parts; ++i) terms[i] = double(a[i]) * double(b[i]);
      return size * parts;
    }
    // Re(x y) = re re - im im, Im(x y) = re im + im re, Im(x conj(y)) = im re - re im.
    const int imaginary = s % parts;
    const double sign_re = imaginary && conjugated ? -1 : 1, sign_im = imaginary ? 1 : -1;
    for (int i = 0; i < size; ++i) {
      terms[2 * i] = sign_re * a[2 * i] * b[2 * i + imaginary];
      terms[2 * i + 1] = sign_im * a[2 * i + 1] * b[2 * i + 1 - imaginary];
    }
    return 2 * size;
  };
  sum_terms(n, count * parts, fill, sums);
}

void add_entries(Offset n, const Scalar *x, BinnedSum *sums)
{
  sum_terms(
    n, parts,
    [=](int part, Offset first, int size, double *terms) {
      const Real *from = reals(x + first) + part;
      for (int i = 0; i < size; ++i) terms[i] = from[i * parts];
      return size;
    },
    sums);
}

void add_magnitudes(Offset n, const Scalar *x, BinnedSum *sum)
{
  sum_terms(
    n, 1,
    [=](int, Offset first, int size, double *terms) {
      for (int i = 0; i < size; ++i) terms[i] = absolute(x[first + i]);
      return size;
    },
    sum);
}

void add_squares(Offset n, const Scalar *x, double scale, BinnedSum *sum)
{
  sum_terms(
    n, 1,
    [=](int, Offset first, int size, double *terms) {
      const Real *from = reals(x + first);
      for (int i = 0; i < size * parts; ++i) terms[i] = scale * from[i] * (scale * from[i]);
      return size * parts;
    },
    sum);
}

void update(Offset n, int count, const Scalar *a, const Scalar *const *x, Scalar b, Scalar *y)
{
  for_chunks(n, [&](Index first, Index last) {
    for (Offset chunk = first; chunk < last; ++chunk) {
      const Offset begin = chunk * entries, end = std::min<Offset>(n, begin + entries);
      if (b == Scalar(0)) std::fill(y + begin, y + end, b);
      else if (b != Scalar(1))
        for (Offset i = begin; i < end; ++i) y[i] *= b;
      for (int j = 0; j < count; ++j) {
        const Scalar factor = a[j], *from = x[j];
        for (Offset i = begin; i < end; ++i) y[i] += factor * from[i];
      }
    }
  });
}

} // namespace finegrain
