// The row function of DILU and ILU (numerics.md 1 and 3). In: values of the matrix, update lists, rows factored
// before. Out: lower and upper blocks and the inverted diagonal block of one row. methods/factorization.cpp runs it.
#pragma once

#include "base/atomics.hpp"
#include "kernels/matrix_values.hpp"

namespace finegrain
{

// Update lists as the kernel sees them; ptr null: no target has any.
struct UpdateList {
  const Offset *ptr = nullptr;
  const Index *left = nullptr, *right = nullptr;
};

struct FactorArguments {
  const Index *lower_ptr, *upper_ptr;
  const Index *lower_source, *diagonal_source, *upper_source; // -1: fill, which is zero before
  const Index *row_of;
  Index last_position;
  UpdateList to_diagonal, to_lower, to_upper;
  MatrixValues source;
  Shift shift;
  void *lower, *upper, *diagonal; // blocks, as they are stored
  Scalar *difference;             // modified less original diagonal blocks, for residuals; null: not kept
  Trouble *trouble;
};

// Loads one row of the operator and factors it:
//   l_ij = a_ij - sum l_im w_mj,   d_i = (a_ii - sum l_im w_mi)^-1,   w_ij = d_i (a_ij - sum l_im w_mj),
// with sums over the update lists, m ascending. Products use the stored (rounded) l and w, so that the diagonal
// blocks of the preconditioner are those of the matrix in any storage precision.
template <int N, class OffDiagonal, class Diagonal> struct FactorRow {
  BlockSize<N> n;
  FactorArguments arg;

  static constexpr bool keeps_tile = false;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 2 * n * n + 3 * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch, Everywhere) const
  {
    const Offset nn = Offset(n) * n;
    Scalar *block = scratch, *d = block + nn, *work = d + nn;

    for (Index e = arg.lower_ptr[slot]; e < arg.lower_ptr[slot + 1]; ++e) {
      store(lanes, updated(lanes, arg.lower_source[e], arg.to_lower, e, block), lower() + e * nn);
    }
    arg.source.load(lanes, n, arg.diagonal_source[slot], d);
    subtract_products(lanes, arg.to_diagonal, slot, d);
    if (n == 1) clear_cancelled<OffDiagonal>(lanes, n, d, pivot_sizes(slot));
    if (arg.difference) {
      const Scalar *a = arg.source.view(lanes, n, arg.diagonal_source[slot], block);
      lanes.tiles([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i) arg.difference[slot * nn + i] = d[i] - a[i];
      });
    }
    const Inversion inversion = invert(lanes, n, d, work, arg.shift);
    store(lanes, d, diagonal() + slot * nn);
    const Index upper_slot = arg.last_position - slot;
    for (Index f = arg.upper_ptr[upper_slot]; f < arg.upper_ptr[upper_slot + 1]; ++f) {
      const Scalar *a = updated(lanes, arg.upper_source[f], arg.to_upper, f, block);
      OffDiagonal *to = upper() + f * nn;
      lanes.tiles([=, this](auto s, int c) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        accumulate<Sign::plus>(s, n, d, a + c * n, sums);
        sums.store(to + c * n + s.first);
      });
    }
    if (!inversion.good || inversion.shifted) {
      lanes.once([&] {
        const Index row = arg.row_of ? arg.row_of[slot] : slot;
        if (!inversion.good) atomic_lower(&arg.trouble->bad_row, row);
        if (inversion.shifted) atomic_count(&arg.trouble->shifted);
      });
    }
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *lower() const { return static_cast<OffDiagonal *>(arg.lower); }
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *upper() const { return static_cast<OffDiagonal *>(arg.upper); }
  KOKKOS_FORCEINLINE_FUNCTION Diagonal *diagonal() const { return static_cast<Diagonal *>(arg.diagonal); }
  // A block of the operator less its products, in `space` or where it is.
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION const Scalar *updated(const Lanes &lanes, Index entry,
                                                                           const UpdateList &list, Index target,
                                                                           Scalar *space) const
  {
    if (entry < 0) zero(lanes, space);
    else if (!list.ptr || list.ptr[target] == list.ptr[target + 1]) return arg.source.view(lanes, n, entry, space);
    else arg.source.load(lanes, n, entry, space);
    if (list.ptr) subtract_products(lanes, list, target, space);
    return space;
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void zero(const Lanes &lanes, Scalar *block) const
  {
    lanes.tiles([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      sums.store(block + c * n + s.first);
    });
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void subtract_products(const Lanes &lanes,
                                                                            const UpdateList &list, Index target,
                                                                            Scalar *block) const
  {
    const Offset nn = Offset(n) * n, first = list.ptr[target], last = list.ptr[target + 1];
    if (first == last) return;
    lanes.tiles([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(block + c * n + s.first);
      for (Offset u = first; u < last; ++u)
        accumulate<Sign::minus>(s, n, lower() + list.left[u] * nn, upper() + list.right[u] * nn + c * n, sums);
      sums.store(block + c * n + s.first);
    });
  }
  // The magnitudes of the terms of d, which is a number.
  KOKKOS_FORCEINLINE_FUNCTION Real pivot_sizes(Index slot) const
  {
    const UpdateList &list = arg.to_diagonal;
    Real sum = magnitude(arg.source.number(n, arg.diagonal_source[slot], 0));
    for (Offset u = list.ptr[slot]; u < list.ptr[slot + 1]; ++u)
      sum = add_size(lower()[list.left[u]], upper()[list.right[u]], sum);
    return sum;
  }
  template <class Lanes, class To>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Lanes &lanes, const Scalar *block, To *to) const
  {
    lanes.tiles([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(block + c * n + s.first);
      sums.store(to + c * n + s.first);
    });
  }
};

} // namespace finegrain
