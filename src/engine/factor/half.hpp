// SPDX-License-Identifier: BSD-2-Clause
// Row functions of half precision factors (numerics.md 1): M = D (1 + L) (1 + U). L and U are scaled by powers of
// two, one for each unknown of a block and one for all entries. Inverted diagonal blocks and sums are in single
// precision. half_sweeps.hpp runs them.
#pragma once

#include "base/atomics.hpp"
#include "base/column_sums.hpp"
#include "factor/sweep.hpp"

namespace finegrain
{

struct HalfArguments {
  const Index *ptr = nullptr, *col = nullptr, *row_of = nullptr; // one triangle; columns are rows
  bool backward = false; // sweep indices run from the last position to the first
  Index last_position = 0;
  const void *blocks = nullptr;   // S^-1 l S or S^-1 w S, times the scale
  const void *diagonal = nullptr; // S^-1 d by sweep index; forward sweeps only
  Real unscale = 1;               // 1 / scale
  const Real *unit = nullptr;     // S, by unknown of a block
  const Scalar *b = nullptr;      // forward: by row
  void *y = nullptr;              // by row: S^-1 y, then S^-1 x, in the type of sums
  Scalar *x = nullptr, *total = nullptr;
  Vectors vectors;
  LineList lines;
  Offset prefetch_distance = 0; // in bytes; 0: no prefetch (base/prefetch_distance.hpp)
};

// Forward: y of the row = d b - sum of l y over earlier rows. The product with d waits for no y.
// Backward: y -= sum of w y over later rows, x = S y.
// y is stored in the type of sums (Entry), so that products need no conversion; with several vectors it is in
// working precision.
template <class Entry> struct HalfTerms {
  HalfArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION const HalfScalar *blocks() const { return static_cast<const HalfScalar *>(arg.blocks); }
  KOKKOS_FORCEINLINE_FUNCTION const Single *diagonal() const { return static_cast<const Single *>(arg.diagonal); }
  KOKKOS_FORCEINLINE_FUNCTION Entry *y() const { return static_cast<Entry *>(arg.y); }
  // Completes a row from the sum of its couplings. Backward and Adds are bool, or constants known at compile time.
  template <int W, int N, class Backward, class Adds>
  KOKKOS_FORCEINLINE_FUNCTION void end(Strip<W> s, BlockSize<N> n, const SweepPlace &at, int v, const Single *sum,
                                       Backward backward, Adds adds) const
  {
    const Offset to = v * arg.vectors.stride + at.row * n;
    Entry *own = y() + to + s.first;
    Accumulator<W> sums;
    if (backward) sums.load(own);
    else {
      sums.zero();
      accumulate<Sign::plus>(s, n, diagonal() + at.position * (Offset(n) * n), arg.b + to, sums);
    }
    sums.subtract_product(multiplier(Scalar(arg.unscale)), sum);
    if (backward) put(sums, s.first, to, adds);
    if constexpr (!std::is_same_v<Entry, Single>) { // rounded as for one vector
      Single kept[std::size_t(W)];
      sums.store(kept);
      keep_rounding(kept);
      sums.load(kept);
    }
    sums.store(own);
  }

private:
  // Stores x = S y.
  template <int W, class Adds>
  KOKKOS_FORCEINLINE_FUNCTION void put(const Accumulator<W> &sums, int first, Offset at, Adds adds) const
  {
    Scalar y[std::size_t(W)];
    sums.store(y);
    for (int i = 0; i < W; ++i) {
      Scalar *x = arg.x + at + first + i;
      *x = arg.unit[first + i] * y[i];
      if (adds) arg.total[at + first + i] += *x;
    }
  }
};

template <int N, int V = 1> struct HalfRow {
  BlockSize<N> n;
  HalfTerms<std::conditional_t<V == 1, Single, Scalar>> terms;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *) const
  {
    const HalfArguments &arg = terms.arg;
    const Offset nn = Offset(n) * n;
    const Index position = arg.backward ? arg.last_position - sweep_index : sweep_index,
                row = arg.row_of ? arg.row_of[position] : position;
    const auto *blocks = terms.blocks();
    const auto *y = terms.y();
    if constexpr (V == 1 && N > 0) // see prefetch_distance.hpp
      if (!arg.backward && arg.prefetch_distance)
        prefetch<N * N * sizeof(Single), Caches::first>(terms.diagonal() + (position + 8) * nn);
    sum_products<N, Single, V>(
      lanes, n, arg.vectors.count, arg.ptr[sweep_index], arg.ptr[sweep_index + 1],
      [=](Index e) FINEGRAIN_INLINE { return blocks + e * nn; },
      [=, this](Index e, int v)
        FINEGRAIN_INLINE { return y + v * terms.arg.vectors.stride + Offset(terms.arg.col[e]) * n; },
      [=, this](auto s, int v, const Single *sum) FINEGRAIN_INLINE {
        const HalfArguments &a = terms.arg;
        terms.end(s, n, {row, position}, v, sum, a.backward, a.total != nullptr);
      });
  }
};

// Terms of sweeps by lines (line_sweep.hpp).
template <bool backward, bool adds = false> struct HalfLineTerms : HalfTerms<Single> {
  using Base = HalfTerms<Single>;
  using Base::arg;
  using Value = Single;
  using Sum = Single; // sum of the products with neighbors

  const Value *results() const { return this->y(); }
  void begin(Strip<1>, BlockSize<1>, const SweepPlace &, int, Sum &sum) const { sum = Sum(0); }
  Value end(const SweepPlace &at, Sum sum) const
  {
    sum += Sum(0); // -0 becomes 0, as in sum_products()
    Base::end(Strip<1>{0}, BlockSize<1>(1), at, 0, &sum, std::bool_constant<backward>(), std::bool_constant<adds>());
    return this->y()[at.row];
  }
  template <Offset points> void fetch_diagonal(Offset sweep_index) const
  {
    if constexpr (!backward) fetch<points>(this->diagonal() + sweep_index);
  }
  void fetch_row(Offset row) const
  {
    fetch<1>(this->y() + row);
    if constexpr (backward) fetch<1>(arg.x + row);
    else fetch<1>(arg.b + row);
    if constexpr (adds) fetch<1>(arg.total + row);
  }
};

// Transposed sweeps, M^-T = d^T S^-1 (1 + L^T)^-1 (1 + U^T)^-1 S: y = S b - u^T y over earlier rows, then y -= l^T y
// over later rows, then x = d^T y. Blocks are gathered by column.
struct HalfTransposedArguments {
  enum class Step { first, second, last } step;
  const Index *ptr, *entry, *col, *row_of;
  Index last_position;
  const void *blocks; // blocks of the step; last: S^-1 d by position
  Real unscale;
  const Real *unit;
  const Scalar *in;
  Scalar *out; // differs from `in` in the last step
  Vectors vectors;
};

struct HalfTransposedRow {
  static constexpr int V = most_vectors;
  using Step = HalfTransposedArguments::Step;
  BlockSize<0> n;
  HalfTransposedArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.step == Step::second ? arg.last_position - sweep_index : sweep_index,
                row = arg.row_of ? arg.row_of[pos] : pos;
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      const Scalar *in = arg.in + v * arg.vectors.stride + Offset(row) * n;
      Scalar sum(0);
      if (arg.step == Step::last) {
        const Single *d = static_cast<const Single *>(arg.blocks) + pos * nn + i * n;
        for (int a = 0; a < n; ++a) sum = madd(in[a], Scalar(d[a]), sum);
      } else {
        for (Index e = arg.ptr[sweep_index]; e < arg.ptr[sweep_index + 1]; ++e) {
          const HalfScalar *column = static_cast<const HalfScalar *>(arg.blocks) + arg.entry[e] * nn + i * n;
          const Scalar *y = arg.out + v * arg.vectors.stride + Offset(arg.col[e]) * n;
          for (int a = 0; a < n; ++a) sum = madd(y[a], convert<Scalar>(column[a]), sum);
        }
        sum = (arg.step == Step::first ? arg.unit[i] * in[i] : in[i]) - arg.unscale * sum;
      }
      scratch[v * n + i] = sum;
    });
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      arg.out[v * arg.vectors.stride + Offset(row) * n + i] = scratch[v * n + i];
    });
  }
};

// Computes l <- d l in place, and the largest magnitude of each of the n^2 entries of l and w over all rows.
struct HalfLowerArguments {
  const Index *lower_ptr, *upper_ptr;
  Index last_position;
  const Scalar *diagonal, *upper;
  Scalar *lower;
  std::uint64_t *largest; // n^2 values in the format of atomic_max()
};

template <int N> struct HalfLowerRow {
  BlockSize<N> n;
  HalfLowerArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 2 * n * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const int nn = n * n;
    Scalar *most = scratch + nn;
    lanes.ranges(nn, [=](int first, int count) FINEGRAIN_INLINE {
      for (int k = first; k < first + count; ++k) most[k] = Scalar(0);
    });
    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e) {
      Scalar *block = arg.lower + Offset(e) * nn;
      lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        accumulate<Sign::plus>(s, n, arg.diagonal + Offset(sweep_index) * nn, block + c * n, sums);
        sums.store(scratch + c * n + s.first);
      });
      lanes.ranges(nn, [=](int first, int count) FINEGRAIN_INLINE {
        for (int k = first; k < first + count; ++k) block[k] = scratch[k];
      });
      record_largest(lanes, block, most);
    }
    const Index upper_index = arg.last_position - sweep_index;
    for (Index f = arg.upper_ptr[upper_index]; f < arg.upper_ptr[upper_index + 1]; ++f)
      record_largest(lanes, arg.upper + Offset(f) * nn, most);
    lanes.ranges(nn, [=, this](int first, int count) FINEGRAIN_INLINE {
      for (int k = first; k < first + count; ++k) atomic_max(&arg.largest[k], real_part(most[k]));
    });
  }

private:
  // Updates the largest magnitudes. They are NaN after an entry that is not finite.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void record_largest(const Lanes &lanes, const Scalar *block, Scalar *most) const
  {
    lanes.ranges(n * n, [=](int first, int count) FINEGRAIN_INLINE {
      for (int k = first; k < first + count; ++k) {
        const Real here = largest_part(block[k]), old = real_part(most[k]);
        most[k] = Scalar((here > old ? here : old) + (here - here));
      }
    });
  }
};

} // namespace finegrain
