// SPDX-License-Identifier: BSD-2-Clause
// Pivots: inverses of dense blocks in place, which pivots are singular or not positive definite, and the replacement
// of small ones. Row functions of factorizations call them.
#pragma once

#include "base/atomics.hpp"
#include "base/block.hpp"

namespace finegrain
{

struct Inversion {
  bool good = true;   // no pivot was zero or non-finite
  bool finite = true; // false: not good because of Inf or NaN, in the block or in its inverse
  bool shifted = false;
  bool indefinite = false; // and finite, therefore not good
};

// Reports the pivot of a sweep index; row_of null: its row is the sweep index.
template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void report_pivot(const Lanes &lanes, const Inversion &inversion,
                                                                     const Index *row_of, Index sweep_index,
                                                                     PivotReport *report)
{
  if (inversion.good && !inversion.shifted) return;
  lanes.once([&] {
    const Index row = row_of ? row_of[sweep_index] : sweep_index;
    if (!inversion.good) atomic_lower(&report->bad_row, row);
    if (!inversion.finite) atomic_lower(&report->not_finite, row);
    if (inversion.shifted) atomic_count(&report->shifted);
    if (inversion.indefinite) atomic_count(&report->indefinite);
  });
}

KOKKOS_FORCEINLINE_FUNCTION void exchange(Scalar &a, Scalar &b)
{
  const Scalar t = a;
  a = b;
  b = t;
}

// Rounding errors of a sum, relative to the magnitudes of its terms, products of numbers that are stored as Stored.
template <class Stored>
inline constexpr Real rounding_of_terms = 10 * Real(std::numeric_limits<PartOf<Stored>>::epsilon());

// A pivot of blocks of 1 is a sum; `sizes` are the magnitudes of its terms. Where they cancel to rounding errors it
// becomes zero, which inversion reports or replaces: as a pivot, the errors would hide the rows before it from every
// residual. invert_pivot_block() has the test of larger blocks.
template <class Stored> KOKKOS_FORCEINLINE_FUNCTION Real cancelled_pivot(Shift shift)
{
  return shift.zero <= 0 || shift.zero > rounding_of_terms<Stored> ? shift.zero : rounding_of_terms<Stored>;
}
template <class Stored, class Lanes, int N>
KOKKOS_FORCEINLINE_FUNCTION void clear_cancelled(const Lanes &lanes, BlockSize<N> n, Scalar *d, Real sizes,
                                                 Shift shift)
{
  if (n == 1)
    lanes.block_strips([=](auto, int) FINEGRAIN_INLINE {
      if (is_finite(sizes) && magnitude(*d) <= cancelled_pivot<Stored>(shift) * sizes) *d = Scalar(0);
    });
}

// The magnitude of a product of blocks of 1, added to those before.
template <class L, class W> KOKKOS_FORCEINLINE_FUNCTION Real add_size(L l, W w, Real sizes)
{
  return madd(magnitude(convert<Scalar>(l)), magnitude(convert<Scalar>(w)), sizes);
}

// The inverse of a pivot of magnitude `best`. One of at most `least` is replaced by that value; where nothing is
// replaced, a zero becomes 1, which spares the program a division by zero, and the block is bad.
KOKKOS_FORCEINLINE_FUNCTION Scalar invert_pivot(Scalar pivot, Real best, Real least, Inversion &result)
{
  if (best <= least) {
    result.shifted = least > 0;
    result.good = result.good && least > 0;
    pivot = least > 0 ? least : Real(1);
  } else if (!is_finite(best)) {
    result.good = result.finite = false;
  }
  return reciprocal(pivot);
}

#if !defined(FINEGRAIN_DEVICE_COMPILER)
template <int N> KOKKOS_FORCEINLINE_FUNCTION bool are_finite(const Accumulator<N> *column)
{
  Accumulator<N> check; // 0 times what is not finite is not 0
  check.zero();
  for (int c = 0; c < N; ++c) check.add_product(multiplier(Scalar(0)), column[c]);
  Real sum = 0;
  [&]<int... R>(std::integer_sequence<int, R...>) FINEGRAIN_INLINE
  {
    ((sum += magnitude(check.template element<R>())), ...);
  }
  (std::make_integer_sequence<int, N>());
  return is_finite(sum);
}

// The same steps as invert() below, bit for bit, for one host lane: the columns stay in vector registers, and the
// rows are numbered at compile time. Rows are swapped through memory, which is rare where diagonals dominate.
template <int N> inline Inversion invert_in_registers(Scalar *d, Real least)
{
  Inversion result;
  Accumulator<N> column[std::size_t(N)];
  int swap[std::size_t(N)];
  bool swapped = false;
  const auto load = [&]() FINEGRAIN_INLINE {
    for (int c = 0; c < N; ++c) column[c].load(d + c * N);
  };
  const auto store = [&]() FINEGRAIN_INLINE {
    for (int c = 0; c < N; ++c) column[c].store(d + c * N);
  };
  const auto step = [&]<int K>() FINEGRAIN_INLINE {
    int p = K;
    Real best = magnitude(column[K].template element<K>());
    [&]<int... R>(std::integer_sequence<int, R...>) FINEGRAIN_INLINE
    {
      [[maybe_unused]] const auto compare = [&](int r, Real m) FINEGRAIN_INLINE {
        p = m > best ? r : p;
        best = m > best ? m : best;
      };
      (compare(K + 1 + R, magnitude(column[K].template element<K + 1 + R>())), ...);
    }
    (std::make_integer_sequence<int, N - 1 - K>());
    swap[K] = p;
    if (p != K) {
      swapped = true;
      store();
      for (int c = 0; c < N; ++c) exchange(d[c * N + K], d[c * N + p]);
      load();
    }
    const Scalar inverse = invert_pivot(column[K].template element<K>(), best, least, result);
    Accumulator<N> factor;
    factor.zero();
    factor.subtract(column[K]);
    factor.template set_element<K>(Scalar(1));
    for (int c = 0; c < N; ++c) {
      const Scalar row = c == K ? inverse : product(column[c].template element<K>(), inverse);
      if (c == K) column[c].zero();
      else column[c].template set_element<K>(Scalar(0));
      column[c].add_product(multiplier(row), factor);
    }
  };
  load();
  [&]<int... K>(std::integer_sequence<int, K...>) FINEGRAIN_INLINE { (step.template operator()<K>(), ...); }
  (std::make_integer_sequence<int, N>());

  if (!are_finite<N>(column)) result.good = result.finite = false;
  store();
  for (int k = N - 1; k >= 0 && swapped; --k)
    if (swap[k] != k)
      for (int i = 0; i < N; ++i) exchange(d[k * N + i], d[swap[k] * N + i]);
  return result;
}
#endif

// d <- d^-1 in place, Gauss-Jordan with row pivoting inside the block (numerics.md 1; Luo et al., Algorithm 5).
// Pivots of magnitude `least` or less are replaced by it; 0: none is. work holds 3 n scalars, shared by the lanes as
// d is. Each step is one rank-one update of all entries: with the pivot row and column taken as zero and the factor
// of the pivot row as 1, no entry is a special case.
template <class Lanes, int N> KOKKOS_FORCEINLINE_FUNCTION Inversion invert(const Lanes &lanes, BlockSize<N> n,
                                                                           Scalar *d, Scalar *work, Real least = 0)
{
#if !defined(FINEGRAIN_DEVICE_COMPILER)
  if constexpr (N > 0 && std::is_same_v<Lanes, HostLanes<N>>) return invert_in_registers<N>(d, least);
#endif
  Inversion result;
  Scalar *factor = work, *row = work + n, *keep = row + n;
  int swap[std::size_t(N > 0 ? N : max_block)];
  for (int k = 0; k < n; ++k) {
    int p = k;
    Real best = magnitude(d[k * n + k]);
    for (int r = k + 1; r < n; ++r) {
      const Real m = magnitude(d[k * n + r]);
      if (m > best) {
        best = m;
        p = r;
      }
    }
    swap[k] = p;
    const Scalar inverse = invert_pivot(d[k * n + p], best, least, result);
    if (p != k) {
      lanes.barrier(); // all have searched the column that changes now
      lanes.strips([=](auto s) FINEGRAIN_INLINE {
        for (int i = 0; i < s.width; ++i) exchange(d[(s.first + i) * n + k], d[(s.first + i) * n + p]);
      });
    }
    lanes.strips([=](auto s) FINEGRAIN_INLINE {
      for (int i = s.first; i < s.first + s.width; ++i) {
        row[i] = i == k ? inverse : product(d[i * n + k], inverse);
        factor[i] = i == k ? Scalar(1) : -d[k * n + i];
        keep[i] = i == k ? Scalar(0) : Scalar(1);
      }
    });
    lanes.block_strips([=](auto s, int c) FINEGRAIN_INLINE {
      Scalar *dc = d + c * n + s.first;
      Accumulator<s.width> sums;
      if (c == k) sums.zero();
      else {
        sums.load(dc);
        sums.scale(keep + s.first);
      }
      sums.add_product(multiplier(row[c]), factor + s.first);
      sums.store(dc);
    });
  }
  for (int k = n - 1; k >= 0; --k) {
    const int p = swap[k];
    if (p == k) continue;
    lanes.strips([=](auto s) FINEGRAIN_INLINE {
      for (int i = s.first; i < s.first + s.width; ++i) exchange(d[k * n + i], d[p * n + i]);
    });
  }
  Real sum = 0;
  for (int i = 0; i < n * n; ++i) sum += magnitude(d[i]);
  if (!is_finite(sum)) result.good = result.finite = false;
  return result;
}

// The largest magnitude of value(i), i < n^2, by rows: maxima that do not wait for each other.
template <int N, class Value> KOKKOS_FORCEINLINE_FUNCTION Real find_largest_entry(BlockSize<N> n, const Value &value)
{
  Real most = 0;
  if constexpr (N > 0) {
    Real row[std::size_t(N)] = {};
    for (int c = 0; c < N; ++c)
      for (int r = 0; r < N; ++r) {
        const Real m = magnitude(value(c * N + r));
        row[r] = m > row[r] ? m : row[r];
      }
    for (int r = 0; r < N; ++r) most = row[r] > most ? row[r] : most;
  } else
    for (int i = 0; i < n * n; ++i) most = magnitude(value(i)) > most ? magnitude(value(i)) : most;
  return most;
}

// Returns true if a relative change by `tolerance` of the entries of a block, whose entry i by columns is from(i),
// can make the pivot singular that was computed from it and whose inverse is x: sum_j |x_ij| |from_ji| reaches
// 1 / tolerance in some row i. Neither units of unknowns nor of equations change the sums.
template <class Lanes, int N, class From>
KOKKOS_FORCEINLINE_FUNCTION bool is_singular(const Lanes &lanes, BlockSize<N> n, const Scalar *x, Real tolerance,
                                             const From &from)
{
  // No sum is more than this, as a rule.
  const Real bound =
    find_largest_entry(n, [=](int i) FINEGRAIN_INLINE { return x[i]; }) * find_largest_entry(n, from);
  if (tolerance * Real(n) * bound < 1) return false;
  const Real most = lanes.largest(n, [&](int first, int count) FINEGRAIN_INLINE {
    Real all = 0;
    for (int i = first; i < first + count; ++i) {
      Real sum = 0;
      for (int j = 0; j < n; ++j) sum = madd(magnitude(x[j * n + i]), magnitude(from(i * n + j)), sum);
      all = sum > all ? sum : all;
    }
    return all;
  });
  return tolerance * most >= 1;
}

KOKKOS_FORCEINLINE_FUNCTION Scalar divide(Scalar a, Real b)
{
#if defined(FINEGRAIN_COMPLEX)
  return Scalar(a.real() / b, a.imag() / b);
#else
  return a / b;
#endif
}

// to[i] = max_j of size(i, j) / by[j], zeros of `by` left out.
template <class Lanes, int N, class Size>
KOKKOS_FORCEINLINE_FUNCTION void find_scales(const Lanes &lanes, BlockSize<N> n, const Size &size, const Scalar *by,
                                             Scalar *to)
{
  lanes.strips([=](auto s) FINEGRAIN_INLINE {
    for (int i = s.first; i < s.first + s.width; ++i) {
      Real most = 0;
      for (int j = 0; j < n; ++j) {
        const Real scale = real_part(by[j]), m = scale > 0 ? size(i, j) / scale : Real(0);
        most = m > most ? m : most;
      }
      to[i] = Scalar(most);
    }
  });
}

// Inverts `block`, which is singular or nearly so, with small pivots replaced. Scales r of its rows and c of its
// columns make the largest of max(|block_ij|, |from_ij|) / (r_i c_j) one in each row and column; a pivot in row i and
// column j of at most amount r_i c_j becomes that. Rows of zeros have the largest r, columns of zeros the largest c.
// work holds 5 n scalars.
template <class Lanes, int N, class From>
FINEGRAIN_SELDOM Inversion invert_with_replacement(const Lanes &lanes, BlockSize<N> n, Scalar *block, Scalar *work,
                                                   Real amount, const From &from)
{
  Scalar *rows = work + 3 * n, *columns = rows + n;
  Inversion bad;
  bad.good = bad.finite = false;
  for (int i = 0; i < n * n; ++i)
    if (!is_finite(largest_part(block[i]))) return bad;
  const auto size = [=](int r, int c) FINEGRAIN_INLINE {
    const Real before = magnitude(from(c * n + r)), now = magnitude(block[c * n + r]);
    return before > now ? before : now;
  };
  lanes.strips([=](auto s) FINEGRAIN_INLINE {
    for (int i = s.first; i < s.first + s.width; ++i) columns[i] = Scalar(1);
  });
  find_scales(lanes, n, size, columns, rows);
  find_scales(
    lanes, n, [=](int c, int r) FINEGRAIN_INLINE { return size(r, c); }, rows, columns);
  find_scales(lanes, n, size, columns, rows);
  Real largest = 0; // that of the columns is 1
  for (int i = 0; i < n; ++i) largest = real_part(rows[i]) > largest ? real_part(rows[i]) : largest;
  const auto row_scale = [=](int i) FINEGRAIN_INLINE {
    const Real r = real_part(rows[i]);
    return r > 0 ? r : largest > 0 ? largest : Real(1);
  };
  const auto column_scale = [=](int i) FINEGRAIN_INLINE {
    const Real c = real_part(columns[i]);
    return c > 0 ? c : Real(1);
  };
  lanes.block_strips([=](auto s, int c) FINEGRAIN_INLINE {
    for (int r = s.first; r < s.first + s.width; ++r)
      block[c * n + r] = divide(divide(block[c * n + r], row_scale(r)), column_scale(c));
  });
  Inversion result = invert(lanes, n, block, work, amount);
  lanes.barrier(); // all have read the inverse, which changes now
  lanes.block_strips([=](auto s, int c) FINEGRAIN_INLINE {
    for (int r = s.first; r < s.first + s.width; ++r)
      block[c * n + r] = divide(divide(block[c * n + r], column_scale(r)), row_scale(c));
  });
  for (int i = 0; i < n * n; ++i)
    if (!is_finite(largest_part(block[i]))) result.good = result.finite = false;
  return result;
}

// d <- d^-1 of a pivot that was computed from a block whose entry i by columns is from(i). shift.amount = 0: one that
// is singular to shift.zero is bad (blocks of 1: clear_cancelled()). Else one that is singular to shift.amount has
// its small pivots replaced; where none is small, and in all other blocks, no bit changes. work holds 5 n scalars,
// space n^2, which are lost if something is replaced.
template <class Lanes, int N, class From>
KOKKOS_FORCEINLINE_FUNCTION Inversion invert_pivot_block(const Lanes &lanes, BlockSize<N> n, Scalar *d, Scalar *work,
                                                         Scalar *space, Shift shift, const From &from)
{
  const bool replaces = shift.amount > 0;
  const auto copy = [&](const Scalar *a, Scalar *b) FINEGRAIN_INLINE {
    lanes.block_strips([=](auto s, int c) FINEGRAIN_INLINE {
      for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i) b[i] = a[i];
    });
  };
  if (replaces) copy(d, space);
  Inversion result = invert(lanes, n, d, work);
  if (!replaces) {
    if (n > 1 && shift.zero > 0 && result.good) result.good = !is_singular(lanes, n, d, shift.zero, from);
    return result;
  }
  const bool stays = result.good && !is_singular(lanes, n, d, shift.amount, from);
  lanes.barrier(); // all have read d and what `from` reads, which may be in space
  if (stays) return result;
  const Inversion replaced = invert_with_replacement(lanes, n, space, work, shift.amount, from);
  lanes.barrier(); // all have read space
  if (result.good && !replaced.shifted) return result;
  copy(space, d);
  return replaced;
}

// Finds out if real numbers d are symmetric and positive definite: eliminated without exchanges, pivot k is more than
// `zero` of from(k), a diagonal entry that d was computed from. Of d the lower triangle is read, and lost.
template <class Lanes, int N, class From>
KOKKOS_FORCEINLINE_FUNCTION void check_definite(const Lanes &lanes, BlockSize<N> n, Scalar *d, Shift shift,
                                                const From &from, Inversion &result)
{
  for (int k = 0; k < n; ++k) {
    const Real pivot = real_part(d[k * n + k]);
    if (!(pivot > shift.zero * magnitude(from(k)))) {
      result.good = false;
      result.indefinite = is_finite(pivot);
      return;
    }
    lanes.block_strips([=](auto s, int c) FINEGRAIN_INLINE {
      if (c <= k) return; // column k stays
      Accumulator<s.width> sums;
      sums.load(d + c * n + s.first);
      sums.subtract_product(multiplier(product(d[k * n + c], Scalar(1 / pivot))), d + k * n + s.first);
      sums.store(d + c * n + s.first);
    });
  }
}

} // namespace finegrain
