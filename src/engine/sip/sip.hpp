// SPDX-License-Identifier: BSD-2-Clause
// Row function of sip's factorization (numerics.md 4; Stone 1968). In: values of a star, and earlier rows. Out: the
// blocks of one row of L and U. sip_factoring.hpp runs it.
#pragma once

#include "base/atomics.hpp"
#include "base/inversion.hpp"
#include "base/matrix_values.hpp"
#include "sip/sip_star.hpp"

namespace finegrain
{

struct SipArguments {
  StarList star;
  const Index *lower_source, *diagonal_source, *upper_source; // -1: not in the matrix, zero
  const Index *row_of;                                        // null: positions are rows
  Real alpha;
  MatrixValues source;
  Shift shift;
  void *lower, *upper, *diagonal;
  PivotReport *pivot_report;
};

// Loads one row of the operator and factors it. The previous points are a = i, j, k; b and c are the other two
// directions:
//   l_a = A_a (1 + alpha (w_b(a) + w_c(a)))^-1,   p_c = alpha sum over a != c of l_a w_c(a),
//   d = (A_P + p_i + p_j + p_k - sum of l_a w_a(a))^-1,   w_c = d (A_c - p_c).
// Terms are summed in the elimination order of the previous points: k, j, i. With alpha = 0 the factor is ILU(0),
// bitwise identical to DILU. Products use the stored (rounded) l and w.
template <int N, class OffDiagonal, class Diagonal> struct SipRow {
  BlockSize<N> n;
  SipArguments arg;

  static constexpr bool may_not_fit = true; // in the scratch memory of a team
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 6 * n * n + 5 * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    Scalar *d = scratch, *block = d + nn, *pivot = block + nn, *partial = pivot + nn, *work = partial + 3 * nn;
    Inversion all;
    Real sizes = magnitude(arg.source.scalar(n, arg.diagonal_source[sweep_index], 0));

    arg.source.load(lanes, n, arg.diagonal_source[sweep_index], d);
    for (int c = 0; c < 3; ++c) zero(lanes, partial + c * nn);
    // Directions are compile-time constants, so that sums of scalars stay in registers.
    const auto add_point_before = [&](auto direction) FINEGRAIN_INLINE {
      constexpr int a = decltype(direction)::value, c = a == 0 ? 1 : 0, b = a == 2 ? 1 : 2; // c, b: the other two
      const Index e = arg.star.lower[3 * sweep_index + a];
      if (e < 0) return;
      const Index *next = arg.star.upper + 3 * arg.star.pivot[3 * sweep_index + a];
      merge(all, store_lower(lanes, e, next[c], next[b], block, pivot, work));
      if (arg.alpha != Real(0)) {
        if (next[c] >= 0) add_product<Sign::plus>(lanes, e, next[c], partial + c * nn);
        if (next[b] >= 0) add_product<Sign::plus>(lanes, e, next[b], partial + b * nn);
      }
      if (next[a] >= 0) {
        add_product<Sign::minus>(lanes, e, next[a], d);
        if (n == 1) sizes = add_size(lower()[e], upper()[next[a]], sizes);
      }
    };
    add_point_before(std::integral_constant<int, 2>());
    add_point_before(std::integral_constant<int, 1>());
    add_point_before(std::integral_constant<int, 0>());
    if (arg.alpha != Real(0)) {
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i)
          for (int x = 0; x < 3; ++x) {
            partial[x * nn + i] = product(Scalar(arg.alpha), partial[x * nn + i]);
            d[i] += partial[x * nn + i];
          }
      });
      if (n == 1)
        for (int x = 0; x < 3; ++x) sizes += magnitude(partial[x]);
    }
    clear_cancelled<OffDiagonal>(lanes, n, d, sizes, arg.shift);
    merge(all, invert_pivot_block(lanes, n, d, work, block, arg.shift,
                                  arg.source.scalars(n, arg.diagonal_source[sweep_index])));
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(d + c * n + s.first);
      sums.store(diagonal() + sweep_index * nn + c * n + s.first);
    });
    for (int x = 0; x < 3; ++x)
      if (const Index f = arg.star.upper[3 * sweep_index + x]; f >= 0)
        store_upper(lanes, f, d, partial + x * nn, block);
    report_pivot(lanes, all, arg.row_of, sweep_index, arg.pivot_report);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *lower() const { return static_cast<OffDiagonal *>(arg.lower); }
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *upper() const { return static_cast<OffDiagonal *>(arg.upper); }
  KOKKOS_FORCEINLINE_FUNCTION Diagonal *diagonal() const { return static_cast<Diagonal *>(arg.diagonal); }
  KOKKOS_FORCEINLINE_FUNCTION static void merge(Inversion &all, const Inversion &one)
  {
    all.good = all.good && one.good;
    all.finite = all.finite && one.finite;
    all.shifted = all.shifted || one.shifted;
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void zero(const Lanes &lanes, Scalar *block) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      sums.store(block + c * n + s.first);
    });
  }
  // Loads the operator's block of an entry, or zero.
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void load(const Lanes &lanes, Index entry, Scalar *block) const
  {
    if (entry < 0) zero(lanes, block);
    else arg.source.load(lanes, n, entry, block);
  }
  template <Sign sign, class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void add_product(const Lanes &lanes, Index e, Index f, Scalar *to) const
  {
    const Offset nn = Offset(n) * n;
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(to + c * n + s.first);
      accumulate<sign>(s, n, lower() + e * nn, upper() + f * nn + c * n, sums);
      sums.store(to + c * n + s.first);
    });
  }
  // Computes l = A (1 + alpha (w + w'))^-1 of one previous point. f and g are the entries of w and w'; -1: none.
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION Inversion store_lower(const Lanes &lanes, Index e, Index f,
                                                                           Index g, Scalar *block, Scalar *pivot,
                                                                           Scalar *work) const
  {
    const Offset nn = Offset(n) * n;
    const bool modified = arg.alpha != Real(0) && (f >= 0 || g >= 0);
    Inversion inversion;
    if (modified) {
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int r = s.first; r < s.first + s.width; ++r) {
          Scalar sum(0);
          if (f >= 0) sum += Scalar(upper()[f * nn + c * n + r]);
          if (g >= 0) sum += Scalar(upper()[g * nn + c * n + r]);
          pivot[c * n + r] = madd(Scalar(arg.alpha), sum, Scalar(r == c ? 1 : 0));
        }
      });
      inversion = invert_pivot_block(lanes, n, pivot, work, block, {.amount = arg.shift.amount, .zero = 0},
                                     [block](int i) FINEGRAIN_INLINE { return block[i]; }); // a copy of pivot
    }
    load(lanes, arg.lower_source[e], block);
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      if (modified) {
        sums.zero();
        accumulate<Sign::plus>(s, n, block, pivot + c * n, sums);
      } else {
        sums.load(block + c * n + s.first);
      }
      sums.store(lower() + e * nn + c * n + s.first);
    });
    return inversion;
  }
  // Computes w = d (A - p).
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void store_upper(const Lanes &lanes, Index f, const Scalar *d,
                                                                      const Scalar *p, Scalar *block) const
  {
    const Offset nn = Offset(n) * n;
    load(lanes, arg.upper_source[f], block);
    if (arg.alpha != Real(0))
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i) block[i] = block[i] - p[i];
      });
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      accumulate<Sign::plus>(s, n, d, block + c * n, sums);
      sums.store(upper() + f * nn + c * n + s.first);
    });
  }
};

} // namespace finegrain
