// SPDX-License-Identifier: BSD-2-Clause
// Row functions of the DILU and ILU factorizations (numerics.md 1 and 3). In: values of the matrix, update lists or
// a search by columns, rows factored before. Out: lower and upper blocks and the inverted diagonal block of one row.
// factoring.hpp runs them.
#pragma once

#include "base/atomics.hpp"
#include "base/inversion.hpp"
#include "base/matrix_values.hpp"

namespace finegrain
{

// Update list as kernels read it. ptr null: no target has updates.
struct UpdateList {
  const Offset *ptr = nullptr;
  const Index *left = nullptr, *right = nullptr;
};

struct FactorArguments {
  const Index *lower_ptr, *upper_ptr;
  const Index *lower_source, *diagonal_source, *upper_source; // -1: fill, initially zero
  const Index *row_of;
  Index last_position;
  UpdateList to_diagonal, to_lower, to_upper;
  MatrixValues source;
  Shift shift;
  void *lower, *upper, *diagonal; // blocks, as they are stored
  Scalar *difference;             // modified minus original diagonal blocks, for residuals; null: not kept
  PivotReport *pivot_report;
};

// Searches for products by the columns of upper blocks, on hosts, instead of reading lists. Each thread gathers a
// row in its own share of the work memory.
struct ColumnSearch {
  const Index *lower_col = nullptr, *upper_row = nullptr; // columns of lower and upper entries; upper_row has rows
  bool lower_by_position = false;                         // lower_col has positions; else rows
  const Index *row_of = nullptr, *position = nullptr;     // null: positions are rows
  Index last_position = 0;
  Index *target = nullptr;          // index of each column's block in the row, -1: none; not for scalars
  Scalar *blocks = nullptr;         // blocks of the row; scalars: one for each column
  Offset *products = nullptr;       // counted; scalars: including those outside of the pattern
  std::uint64_t *largest = nullptr; // largest upper entry of earlier rows, for scalars (atomic_max())
  Offset rows = 0, scalars = 0;     // size of each thread's share of target and of blocks

  // Counters of different threads are in different cache lines.
  static constexpr Offset counter_stride = 8;

  KOKKOS_FORCEINLINE_FUNCTION ColumnSearch of_thread(Index i) const
  {
    ColumnSearch s = *this;
    s.target += i * rows;
    s.blocks += i * scalars;
    s.products += i * counter_stride;
    return s;
  }
  KOKKOS_FORCEINLINE_FUNCTION Index row_at(Index pos) const { return row_of ? row_of[pos] : pos; }
  KOKKOS_FORCEINLINE_FUNCTION Index lower_row(Index e) const
  {
    return lower_by_position ? row_at(lower_col[e]) : lower_col[e];
  }
  // Sweep index of the pivot row of a lower entry in the upper triangle.
  KOKKOS_FORCEINLINE_FUNCTION Index pivot_sweep_index(Index e) const
  {
    const Index c = lower_col[e];
    return last_position - (lower_by_position || !position ? c : position[c]);
  }
};

struct SearchedFactorArguments {
  FactorArguments factor; // without difference and lists
  ColumnSearch search;
};

// Operations on the blocks of a row that both row functions use.
template <int N, class OffDiagonal, class Diagonal> struct FactorBlocks {
  BlockSize<N> n;
  FactorArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *lower() const { return static_cast<OffDiagonal *>(arg.lower); }
  KOKKOS_FORCEINLINE_FUNCTION OffDiagonal *upper() const { return static_cast<OffDiagonal *>(arg.upper); }
  KOKKOS_FORCEINLINE_FUNCTION Diagonal *diagonal() const { return static_cast<Diagonal *>(arg.diagonal); }
  // Prefetches the blocks that a row some rows later reads, on hosts: blocks of the matrix, and of the rows that are
  // subtracted. Rows are visited by bundles of grid lines, which hardware prefetchers do not follow.
  KOKKOS_FORCEINLINE_FUNCTION void prefetch_row([[maybe_unused]] Index sweep_index) const
  {
#if !defined(FINEGRAIN_ON_DEVICE)
    sweep_index += MatrixValues::prefetch_rows;
    if (N < 2 || sweep_index > arg.last_position) return;
    const Index upper_index = arg.last_position - sweep_index;
    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e)
      arg.source.template prefetch_entry<N>(arg.lower_source[e]);
    arg.source.template prefetch_entry<N>(arg.diagonal_source[sweep_index]);
    for (Index f = arg.upper_ptr[upper_index]; f < arg.upper_ptr[upper_index + 1]; ++f)
      arg.source.template prefetch_entry<N>(arg.upper_source[f]);
    if (!arg.to_diagonal.ptr) return;
    for (Offset u = arg.to_diagonal.ptr[sweep_index]; u < arg.to_diagonal.ptr[sweep_index + 1]; ++u)
      prefetch<std::size_t(N) * N * sizeof(OffDiagonal), Caches::second>(upper() +
                                                                         arg.to_diagonal.right[u] * (Offset(n) * n));
#endif
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void zero(const Lanes &lanes, Scalar *block) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      sums.store(block + c * n + s.first);
    });
  }
  template <class Lanes, class To>
  KOKKOS_FORCEINLINE_FUNCTION void store(const Lanes &lanes, const Scalar *block, To *to) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(block + c * n + s.first);
      sums.store(to + c * n + s.first);
    });
    if constexpr (!std::is_same_v<To, Scalar>) keep_rounding(to);
  }
  // Stores w = d a, where a is the updated upper block f.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void store_upper(const Lanes &lanes, const Scalar *d, const Scalar *a, Index f) const
  {
    OffDiagonal *to = upper() + f * (Offset(n) * n);
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      accumulate<Sign::plus>(s, n, d, a + c * n, sums);
      sums.store(to + c * n + s.first);
    });
  }
  // Sum of the magnitudes of the terms of d, for scalars.
  KOKKOS_FORCEINLINE_FUNCTION Real pivot_sizes(Index sweep_index) const
  {
    const UpdateList &list = arg.to_diagonal;
    Real sum = magnitude(arg.source.scalar(n, arg.diagonal_source[sweep_index], 0));
    for (Offset u = list.ptr[sweep_index]; u < list.ptr[sweep_index + 1]; ++u)
      sum = add_size(lower()[list.left[u]], upper()[list.right[u]], sum);
    return sum;
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION Inversion invert_pivot(const Lanes &lanes, Scalar *d,
                                                                            Scalar *work, Scalar *space,
                                                                            Index sweep_index) const
  {
    return invert_pivot_block(lanes, n, d, work, space, arg.shift,
                              arg.source.scalars(n, arg.diagonal_source[sweep_index]));
  }
};

// Loads one row of the operator and factors it:
//   l_ij = a_ij - sum l_im w_mj,   d_i = (a_ii - sum l_im w_mi)^-1,   w_ij = d_i (a_ij - sum l_im w_mj).
// Sums are over the update lists, m ascending. Products use the stored (rounded) l and w, so that the diagonal
// blocks of the preconditioner equal those of the matrix in any storage precision.
template <int N, class OffDiagonal, class Diagonal> struct FactorRow : FactorBlocks<N, OffDiagonal, Diagonal> {
  using FactorBlocks<N, OffDiagonal, Diagonal>::n;
  using FactorBlocks<N, OffDiagonal, Diagonal>::arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 2 * n * n + 5 * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    Scalar *block = scratch, *d = block + nn, *work = d + nn;
    this->prefetch_row(sweep_index);

    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e) {
      this->store(lanes, updated(lanes, arg.lower_source[e], arg.to_lower, e, block), this->lower() + e * nn);
    }
    arg.source.load(lanes, n, arg.diagonal_source[sweep_index], d);
    subtract_products(lanes, arg.to_diagonal, sweep_index, d);
    if (n == 1) clear_cancelled<OffDiagonal>(lanes, n, d, this->pivot_sizes(sweep_index), arg.shift);
    if (arg.difference) {
      const Scalar *a = arg.source.view(lanes, n, arg.diagonal_source[sweep_index], block);
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        for (int i = c * n + s.first; i < c * n + s.first + s.width; ++i)
          arg.difference[sweep_index * nn + i] = d[i] - a[i];
      });
    }
    const Inversion inversion = this->invert_pivot(lanes, d, work, block, sweep_index);
    this->store(lanes, d, this->diagonal() + sweep_index * nn);
    const Index upper_index = arg.last_position - sweep_index;
    for (Index f = arg.upper_ptr[upper_index]; f < arg.upper_ptr[upper_index + 1]; ++f)
      this->store_upper(lanes, d, updated(lanes, arg.upper_source[f], arg.to_upper, f, block), f);
    report_pivot(lanes, inversion, arg.row_of, sweep_index, arg.pivot_report);
  }

private:
  // Returns a block of the operator minus its products, in `space` or, if nothing changes it, in the matrix.
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION const Scalar *updated(const Lanes &lanes, Index entry,
                                                                           const UpdateList &list, Index target,
                                                                           Scalar *space) const
  {
    if (entry < 0) this->zero(lanes, space);
    else if (!list.ptr || list.ptr[target] == list.ptr[target + 1]) return arg.source.view(lanes, n, entry, space);
    else arg.source.load(lanes, n, entry, space);
    if (list.ptr) subtract_products(lanes, list, target, space);
    return space;
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void subtract_products(const Lanes &lanes,
                                                                            const UpdateList &list, Index target,
                                                                            Scalar *block) const
  {
    const Offset nn = Offset(n) * n, first = list.ptr[target], last = list.ptr[target + 1];
    if (first == last) return;
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(block + c * n + s.first);
      for (Offset u = first; u < last; ++u)
        accumulate<Sign::minus>(s, n, this->lower() + list.left[u] * nn, this->upper() + list.right[u] * nn + c * n,
                                sums);
      sums.store(block + c * n + s.first);
    });
  }
};

// Computes the bitwise identical factor without lists. The blocks of the row are gathered in work memory, and each
// pivot row is subtracted wherever it has a column of the row. This needs memory for one row, not for all products.
template <int N, class OffDiagonal, class Diagonal> struct SearchedFactorRow
    : FactorBlocks<N, OffDiagonal, Diagonal> {
  using FactorBlocks<N, OffDiagonal, Diagonal>::n;
  using FactorBlocks<N, OffDiagonal, Diagonal>::arg;
  ColumnSearch search;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return n * n + 5 * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const ColumnSearch &s = search;
    const Offset nn = Offset(n) * n;
    const Index row = s.row_at(sweep_index), upper_index = arg.last_position - sweep_index;
    const Index l0 = arg.lower_ptr[sweep_index], l1 = arg.lower_ptr[sweep_index + 1];
    const Index u0 = arg.upper_ptr[upper_index], u1 = arg.upper_ptr[upper_index + 1];
    // Targets: `at` is the diagonal, first_upper + f is upper entry f.
    const Index at = l1 - l0, first_upper = at + 1 - u0;
    this->prefetch_row(sweep_index);
    for (Index e = l0; e < l1; ++e) place(lanes, s.lower_row(e), e - l0, arg.lower_source[e]);
    place(lanes, row, at, arg.diagonal_source[sweep_index]);
    for (Index f = u0; f < u1; ++f) place(lanes, s.upper_row[f], first_upper + f, arg.upper_source[f]);

    Offset products = 0;
    for (Index e = l0; e < l1; ++e) {
      const OffDiagonal *l = this->lower() + e * nn;
      this->store(lanes, s.blocks + (e - l0) * nn, this->lower() + e * nn);
      for (Index k = s.pivot_sweep_index(e), f = arg.upper_ptr[k]; f < arg.upper_ptr[k + 1]; ++f) {
        const Index target = s.target[s.upper_row[f]];
        if (target < 0) continue;
        subtract(lanes, l, this->upper() + f * nn, s.blocks + target * nn);
        ++products;
      }
    }
    *s.products += products;
    Scalar *d = s.blocks + at * nn;
    const Inversion inversion = this->invert_pivot(lanes, d, scratch, scratch + 5 * n, sweep_index);
    this->store(lanes, d, this->diagonal() + sweep_index * nn);
    for (Index f = u0; f < u1; ++f) this->store_upper(lanes, d, s.blocks + (first_upper + f) * nn, f);
    report_pivot(lanes, inversion, arg.row_of, sweep_index, arg.pivot_report);
    for (Index e = l0; e < l1; ++e) s.target[s.lower_row(e)] = -1;
    s.target[row] = -1;
    for (Index f = u0; f < u1; ++f) s.target[s.upper_row[f]] = -1;
  }

  KOKKOS_FORCEINLINE_FUNCTION SearchedFactorRow of_thread(Index i) const { return {*this, search.of_thread(i)}; }

private:
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void place(const Lanes &lanes, Index row, Index target, Index source) const
  {
    Scalar *block = search.blocks + target * (Offset(n) * n);
    search.target[row] = target;
    if (source < 0) this->zero(lanes, block);
    else arg.source.load(lanes, n, source, block);
  }
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void subtract(const Lanes &lanes, const OffDiagonal *l,
                                                                   const OffDiagonal *w, Scalar *block) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.load(block + c * n + s.first);
      accumulate<Sign::minus>(s, n, l, w + c * n, sums);
      sums.store(block + c * n + s.first);
    });
  }
};

// For scalars, the row is spread over all columns, and all entries of a pivot row are subtracted, also in columns
// that the row does not have. Entries outside of the row are never read. PETSc's ILU works the same way.
template <class OffDiagonal, class Diagonal> struct SearchedFactorRow<1, OffDiagonal, Diagonal>
    : FactorBlocks<1, OffDiagonal, Diagonal> {
  using FactorBlocks<1, OffDiagonal, Diagonal>::n;
  using FactorBlocks<1, OffDiagonal, Diagonal>::arg;
  ColumnSearch search;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 6; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int) { return 1; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const ColumnSearch &s = search;
    const OffDiagonal *upper = this->upper();
    Scalar *row_at = s.blocks, d;
    const Index row = s.row_at(sweep_index), upper_index = arg.last_position - sweep_index;
    const Index l0 = arg.lower_ptr[sweep_index], l1 = arg.lower_ptr[sweep_index + 1];
    const Index u0 = arg.upper_ptr[upper_index], u1 = arg.upper_ptr[upper_index + 1];
    for (Index e = l0; e < l1; ++e) row_at[s.lower_row(e)] = scalar(arg.lower_source[e]);
    row_at[row] = scalar(arg.diagonal_source[sweep_index]);
    for (Index f = u0; f < u1; ++f) row_at[s.upper_row[f]] = scalar(arg.upper_source[f]);

    const Real before = read_max(s.largest);
    Real sizes = magnitude(row_at[row]); // upper bound of the magnitudes of the pivot's terms
    Offset products = 0;
    for (Index e = l0; e < l1; ++e) {
      this->store(lanes, row_at + s.lower_row(e), this->lower() + e);
      const Scalar l = convert<Scalar>(this->lower()[e]);
      const Index k = s.pivot_sweep_index(e), first = arg.upper_ptr[k], last = arg.upper_ptr[k + 1];
      sizes = madd(magnitude(l), before, sizes);
      for (Index f = first; f < last; ++f) {
        Scalar &to = row_at[s.upper_row[f]];
        to = madd(-convert<Scalar>(upper[f]), l, to); // operands as in accumulate(): complex products round by order
      }
      products += last - first;
    }
    *s.products += products;
    d = row_at[row];
    if (!(magnitude(d) > 2 * cancelled_pivot<OffDiagonal>(arg.shift) * sizes)) // the pivot may have cancelled
      clear_cancelled<OffDiagonal>(lanes, n, &d, pivot_sizes(sweep_index, row), arg.shift);
    const Inversion inversion = this->invert_pivot(lanes, &d, scratch, scratch + 5, sweep_index);
    this->store(lanes, &d, this->diagonal() + sweep_index);
    Real most = before;
    for (Index f = u0; f < u1; ++f) {
      this->store_upper(lanes, &d, row_at + s.upper_row[f], f);
      const Real size = magnitude(convert<Scalar>(upper[f]));
      most = size > most ? size : most;
    }
    if (!(most <= before)) atomic_max(s.largest, most);
    report_pivot(lanes, inversion, arg.row_of, sweep_index, arg.pivot_report);
  }

  KOKKOS_FORCEINLINE_FUNCTION SearchedFactorRow of_thread(Index i) const { return {*this, search.of_thread(i)}; }

private:
  // Sum of the magnitudes of the terms of the row's pivot, in the order of the lists.
  KOKKOS_FUNCTION Real pivot_sizes(Index sweep_index, Index row) const
  {
    Real sum = magnitude(scalar(arg.diagonal_source[sweep_index]));
    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e)
      for (Index k = search.pivot_sweep_index(e), f = arg.upper_ptr[k]; f < arg.upper_ptr[k + 1]; ++f)
        if (search.upper_row[f] == row) sum = add_size(this->lower()[e], this->upper()[f], sum);
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar scalar(Index source) const
  {
    return source < 0 ? Scalar(0) : arg.source.scalar(1, source, 0);
  }
};

} // namespace finegrain
