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

// Calls add(s, first, size, terms, sum) for each chunk and each sum s: it adds the terms of these entries to `sum`,
// and may write them to `terms` first.
template <class Add> void sum_chunks(Offset n, int count, const Add &add, BinnedSum *sums)
{
  std::mutex merging;
  for_chunks(n, [&](Index first, Index last) {
    BinnedSum own[most_sums];
    alignas(64) double terms[BinnedSum::most];
    for (Offset chunk = first; chunk < last; ++chunk)
      for (int s = 0; s < count; ++s)
        add(s, chunk * entries, int(std::min<Offset>(entries, n - chunk * entries)), terms, own[s]);
    const std::lock_guard lock(merging);
    for (int s = 0; s < count; ++s) sums[s].merge(own[s]);
  });
}

template <class T> Real absolute(T a)
{
  if constexpr (parts == 2) return Kokkos::abs(a);
  else return std::abs(a);
}

// Computes y += sum of a_j x_j over these entries, in the order of j.
template <int count>
void add_scaled(Offset first, Offset last, const Scalar *a, const Scalar *const *x, Scalar *__restrict__ y)
{
  for (Offset i = first; i < last; ++i) {
    Scalar sum = y[i];
    for (int j = 0; j < count; ++j) sum += a[j] * x[j][i];
    y[i] = sum;
  }
}

const Real *reals(const Scalar *x) { return reinterpret_cast<const Real *>(x); }

} // namespace

void add_products(Offset n, int count, const Scalar *const *x, const Scalar *const *y, bool conjugated,
                  BinnedSum *sums)
{
  const auto add = [=](int s, Offset first, int size, double *terms, BinnedSum &sum) {
    const Real *a = reals(x[s / parts] + first), *b = reals(y[s / parts] + first);
    // A chunk of one of many vectors is a short stream, at whose beginning hardware prefetchers are slow.
    const int following = s / parts + 1;
    const Scalar *next = following < count ? y[following] + first : y[0] + first + entries;
    if (parts == 1 || (conjugated && s % parts == 0)) {
      if constexpr (std::is_same_v<Real, double>) {
        sum.add_products(a, b, size * parts, next);
        return;
      } else
        for (int i = 0; i < size * parts; ++i) terms[i] = double(a[i]) * double(b[i]);
    } else {
      // Re(x y) = re re - im im, Im(x y) = re im + im re, Im(x conj(y)) = im re - re im.
      const int imaginary = s % parts;
      const double sign_re = imaginary && conjugated ? -1 : 1, sign_im = imaginary ? 1 : -1;
      for (int i = 0; i < size; ++i) {
        terms[2 * i] = sign_re * a[2 * i] * b[2 * i + imaginary];
        terms[2 * i + 1] = sign_im * a[2 * i + 1] * b[2 * i + 1 - imaginary];
      }
    }
    sum.add(terms, size * parts, next);
  };
  sum_chunks(n, count * parts, add, sums);
}

void add_entries(Offset n, const Scalar *x, BinnedSum *sums)
{
  const auto add = [=](int part, Offset first, int size, double *terms, BinnedSum &sum) {
    const Real *from = reals(x + first) + part;
    for (int i = 0; i < size; ++i) terms[i] = from[i * parts];
    sum.add(terms, size);
  };
  sum_chunks(n, parts, add, sums);
}

void add_magnitudes(Offset n, const Scalar *x, BinnedSum *sum)
{
  const auto add = [=](int, Offset first, int size, double *terms, BinnedSum &to) {
    for (int i = 0; i < size; ++i) terms[i] = absolute(x[first + i]);
    to.add(terms, size);
  };
  sum_chunks(n, 1, add, sum);
}

void add_squares(Offset n, const Scalar *x, double scale, BinnedSum *sum)
{
  const auto add = [=](int, Offset first, int size, double *terms, BinnedSum &to) {
    const Real *from = reals(x + first);
    for (int i = 0; i < size * parts; ++i) terms[i] = scale * from[i] * (scale * from[i]);
    to.add(terms, size * parts);
  };
  sum_chunks(n, 1, add, sum);
}

void update(Offset n, int count, const Scalar *a, const Scalar *const *x, Scalar b, Scalar *y)
{
  constexpr int group = 4; // vectors at once: they remain long streams, which short chunks of many are not
  for_chunks(n, [&](Index first, Index last) {
    int j = 0;
    do { // once at least, for b
      const int size = count - j >= group ? group : std::min(count - j, 1);
      for (Offset chunk = first; chunk < last; ++chunk) {
        const Offset begin = chunk * entries, end = std::min<Offset>(n, begin + entries);
        if (j == 0 && b == Scalar(0)) std::fill(y + begin, y + end, b);
        else if (j == 0 && b != Scalar(1))
          for (Offset i = begin; i < end; ++i) y[i] *= b;
        if (size == group) add_scaled<group>(begin, end, a + j, x + j, y);
        else if (size) add_scaled<1>(begin, end, a + j, x + j, y);
      }
      j += size;
    } while (j < count);
  });
}

} // namespace finegrain
