// SPDX-License-Identifier: BSD-2-Clause
// Row functions of the triangular sweeps (numerics.md 1): y = d^-1 (b - l y), then x = y - w x.
//
// A sweep is defined by its Terms: begin() initializes the sum of a row, neighbor() gives the vector entry that a
// block multiplies, end() stores the result. SweepRow loops over the blocks of a row, LineSweep (line_sweep.hpp) over
// a bundle of grid lines. Forward, corrected, backward and Eisenstat's sweeps differ in their Terms, plain structs of
// pointers.
#pragma once

#include "base/block.hpp"
#include "base/prefetch.hpp"
#include "run/lines.hpp"

namespace finegrain
{

// The boxes of a sweep by lines; none: the sweep goes by rows.
struct LineList {
  const LineBox *boxes = nullptr;
  Index count = 0;
};

// A row in a sweep: its number in the matrix, and its place in storage.
struct SweepPlace {
  Offset row, position;
};

// Sweeps the row of a sweep index for V vectors, so that its blocks are read from memory once; vector v of an array
// begins at v * stride. The lanes share the row, and have scratch_size() scalars of scratch memory.
template <int N, class Terms, int V = 1> struct SweepRow {
  BlockSize<N> n;
  Terms terms;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return Terms::gathers ? V * n : 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }
  // reads() lists the memory that rows of the sweep indices [begin, end) read besides results, begins_with() the
  // vector that a row begins with: teams prefetch both before they wait for other rows.
  static constexpr bool prefetches = Terms::prefetches;
  template <class Each> KOKKOS_FORCEINLINE_FUNCTION void reads(Index begin, Index end, const Each &each) const
  {
    const auto &arg = terms.arg;
    const Offset nn = Offset(n) * n, first = arg.ptr[begin], last = arg.ptr[end];
    each(terms.blocks() + first * nn, std::size_t((last - first) * nn) * sizeof(*terms.blocks()));
    each(arg.col + first, std::size_t(last - first) * sizeof(Index));
    terms.reads(nn, begin, end, each);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *begins_with(Index sweep_index) const
  {
    return terms.begins_with(n, sweep_index);
  }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const auto &arg = terms.arg;
    const SweepPlace at = terms.place(sweep_index);
    const Index first = arg.ptr[sweep_index], last = arg.ptr[sweep_index + 1];
    for_each_strip<V>(lanes, arg.vectors.count, [=, this](auto s, auto lane_vectors) FINEGRAIN_INLINE {
      // sum[k] = begin - sum over e of block(e) * neighbor(e), for a strip of rows of the block and vector v.
      Accumulator<s.width> sum[std::size_t(lane_vectors.most)];
      lane_vectors.all_unrolled([&](int k, int) FINEGRAIN_INLINE { sum[k].zero(); });
      lane_vectors.each_unrolled([&](int k, int v) FINEGRAIN_INLINE { terms.begin(s, n, at, v, sum[k]); });
      for (Index e = first; e < last; ++e) {
        const auto *block = terms.blocks() + e * (Offset(n) * n);
        prefetch_block<N>(block, arg.prefetch_distance);
        lane_vectors.each_unrolled([&](int k, int v) FINEGRAIN_INLINE {
          accumulate<Sign::minus>(s, n, block, terms.neighbor(n, arg.col[e], v), sum[k]);
        });
      }
      if constexpr (Terms::gathers)
        lane_vectors.all_unrolled([&](int k, int v) FINEGRAIN_INLINE { sum[k].store(scratch + v * n + s.first); });
      else lane_vectors.each_unrolled([&](int k, int v) FINEGRAIN_INLINE { terms.end(s, n, at, v, sum[k]); });
    });
    if constexpr (Terms::gathers)
      for_each_strip<V>(lanes, arg.vectors.count, [=, this](auto s, auto lane_vectors) FINEGRAIN_INLINE {
        lane_vectors.each_unrolled([&](int, int v) FINEGRAIN_INLINE {
          Accumulator<s.width> sums;
          terms.end(
            s, n, at, v, [from = scratch + v * n](int c) FINEGRAIN_INLINE { return from[c]; }, sums);
        });
      });
  }
};

struct ForwardArguments {
  const Index *ptr, *col, *row_of; // row_of null: positions are rows
  bool y_by_row;                   // else by position
  const void *lower, *diagonal;    // blocks, as they are stored
  const Scalar *b;
  Scalar *y;
  const Scalar *z = nullptr; // corrected sweeps only
  Vectors vectors;
  LineList lines;
  Offset prefetch_distance = 0; // in bytes, see prefetch_block()
};

// y of the row = d^-1 (b - sum of l y over earlier rows).
// Corrected: the sum is that of l (y - z), z stored as y is: the right-hand side of a correction of DILU is
// b + sum of l z (numerics.md 1, correction iterations), and this way l is read once for both.
template <class OffDiagonal, class Diagonal, bool Corrected = false> struct ForwardTerms {
  static constexpr bool gathers = true; // d^-1 needs the sums of the whole row
  static constexpr bool prefetches = true;
  using Value = Scalar;
  using Sum = Accumulator<1>; // of a number
  ForwardArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *blocks() const
  {
    return static_cast<const OffDiagonal *>(arg.lower);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Diagonal *diagonal() const { return static_cast<const Diagonal *>(arg.diagonal); }
  KOKKOS_FORCEINLINE_FUNCTION const Value *results() const { return arg.y; }
  KOKKOS_FORCEINLINE_FUNCTION SweepPlace place(Index sweep_index) const
  {
    const Index row = arg.row_of ? arg.row_of[sweep_index] : sweep_index;
    return {row, sweep_index};
  }
  template <int N> KOKKOS_FORCEINLINE_FUNCTION auto neighbor(BlockSize<N> n, Index col, int v) const
  {
    const Offset from = Offset(col) * n;
    const Scalar *y = arg.y + v * arg.vectors.stride + from, *z = arg.z + from;
    if constexpr (Corrected) return [y, z](int c) FINEGRAIN_INLINE { return y[c] - z[c]; };
    else return [y](int c) FINEGRAIN_INLINE { return y[c]; };
  }
  template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void begin(Strip<W> s, BlockSize<N> n, const SweepPlace &at,
                                                                 int v, Accumulator<W> &sums) const
  {
    sums.load(arg.b + v * arg.vectors.stride + at.row * n + s.first);
  }
  template <class Each>
  KOKKOS_FORCEINLINE_FUNCTION void reads(Offset nn, Index begin, Index end, const Each &each) const
  {
    each(diagonal() + begin * nn, std::size_t((end - begin) * nn) * sizeof(Diagonal));
    if (arg.row_of) each(arg.row_of + begin, std::size_t(end - begin) * sizeof(Index));
  }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *begins_with(int n, Index sweep_index) const
  {
    return arg.b + place(sweep_index).row * n;
  }
  // `sum`: of the row's entries.
  template <int W, int N, class Of> KOKKOS_FORCEINLINE_FUNCTION void end(Strip<W> s, BlockSize<N> n,
                                                                         const SweepPlace &at, int v, const Of &sum,
                                                                         Accumulator<W> &result) const
  {
    result.zero();
    accumulate<Sign::plus>(s, n, diagonal() + at.position * (Offset(n) * n), sum, result);
    result.store(arg.y + v * arg.vectors.stride + (arg.y_by_row ? at.row : at.position) * n + s.first);
  }

  // Completes a row of a sweep by lines.
  Scalar end(const SweepPlace &at, const Sum &sum) const
  {
    Accumulator<1> scaled;
    end(
      Strip<1>{0}, BlockSize<1>(1), at, 0, [&](int) FINEGRAIN_INLINE { return sum.template element<0>(); }, scaled);
    return scaled.template element<0>();
  }
  template <Offset points> void fetch_diagonal(Offset sweep_index) const { fetch<points>(diagonal() + sweep_index); }
  void fetch_row(Offset row) const
  {
    fetch<1>(arg.b + row);
    fetch<1>(arg.y + row); // stored to, and in no cache before
  }
};

struct BackwardArguments {
  const Index *ptr, *col, *row_of;
  bool y_by_row;
  Index last_position;
  const void *upper;
  const Scalar *y;
  Scalar *x;               // may be y if that is by row
  Scalar *total = nullptr; // x is added to it; may be null
  Vectors vectors;
  LineList lines;
  Offset prefetch_distance = 0; // in bytes, see prefetch_block()
};

// x of the row = y - sum of w x over later rows. Sweep indices run from the last position to the first. Adds: whether
// there is a total, if that is known before.
template <class OffDiagonal, class Adds = bool> struct BackwardTerms {
  static constexpr bool gathers = false, prefetches = true;
  using Value = Scalar;
  using Sum = Accumulator<1>;
  BackwardArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *blocks() const
  {
    return static_cast<const OffDiagonal *>(arg.upper);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Value *results() const { return arg.x; }
  KOKKOS_FORCEINLINE_FUNCTION SweepPlace place(Index sweep_index) const
  {
    const Index position = arg.last_position - sweep_index, row = arg.row_of ? arg.row_of[position] : position;
    return {row, position};
  }
  template <int N> KOKKOS_FORCEINLINE_FUNCTION auto neighbor(BlockSize<N> n, Index col, int v) const
  {
    const Scalar *x = arg.x + v * arg.vectors.stride + Offset(col) * n;
    return [x](int c) FINEGRAIN_INLINE { return x[c]; };
  }
  template <class Each> KOKKOS_FORCEINLINE_FUNCTION void reads(Offset, Index begin, Index end, const Each &each) const
  {
    if (arg.row_of) each(arg.row_of + (arg.last_position - end + 1), std::size_t(end - begin) * sizeof(Index));
  }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *begins_with(int n, Index sweep_index) const
  {
    const SweepPlace at = place(sweep_index);
    return arg.y + (arg.y_by_row ? at.row : at.position) * n;
  }
  template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void begin(Strip<W> s, BlockSize<N> n, const SweepPlace &at,
                                                                 int v, Accumulator<W> &sums) const
  {
    sums.load(arg.y + v * arg.vectors.stride + (arg.y_by_row ? at.row : at.position) * n + s.first);
  }
  template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void end(Strip<W> s, BlockSize<N> n, const SweepPlace &at,
                                                               int v, const Accumulator<W> &sums) const
  {
    const Offset to = v * arg.vectors.stride + at.row * n + s.first;
    sums.store(arg.x + to);
    if (adds())
      for (int i = 0; i < W; ++i) arg.total[to + i] += arg.x[to + i];
  }

  // Completes a row of a sweep by lines.
  Scalar end(const SweepPlace &at, const Sum &sum) const
  {
    end(Strip<1>{0}, BlockSize<1>(1), at, 0, sum);
    return sum.template element<0>();
  }
  template <Offset> void fetch_diagonal(Offset) const {}
  void fetch_row(Offset row) const { fetch<1>(arg.y + row); }

private:
  KOKKOS_FORCEINLINE_FUNCTION bool adds() const
  {
    if constexpr (std::is_same_v<Adds, bool>) return arg.total;
    else return Adds::value;
  }
};

template <int N, class OffDiagonal, class Diagonal, int V = 1, bool Corrected = false> using ForwardRow =
  SweepRow<N, ForwardTerms<OffDiagonal, Diagonal, Corrected>, V>;
template <int N, class OffDiagonal, int V = 1> using BackwardRow = SweepRow<N, BackwardTerms<OffDiagonal>, V>;

struct TransposedArguments {
  const Index *ptr, *entry, *col, *row_of;
  bool backward; // sweep indices run from the last position to the first
  Index last_position;
  const void *blocks, *diagonal; // diagonal: by position; null: none
  const Scalar *in;
  Scalar *out;
  Vectors vectors;
};

// One sweep of the transposed application, M^T = (1 + w^T) (d^T + l^T), with the entries of a part gathered by
// column:
//   y = b - w^T y over earlier rows (diagonal null), then x = d^-T (y - l^T x) over later rows.
// Vectors are by row; in and out may be the same.
template <class OffDiagonal, class Diagonal> struct TransposedRow {
  static constexpr int V = most_vectors;
  BlockSize<0> n;
  TransposedArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.backward ? arg.last_position - sweep_index : sweep_index,
                row = arg.row_of ? arg.row_of[pos] : pos;
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      Scalar sum = arg.in[v * arg.vectors.stride + Offset(row) * n + i];
      for (Index e = arg.ptr[sweep_index]; e < arg.ptr[sweep_index + 1]; ++e) {
        const OffDiagonal *column = blocks() + arg.entry[e] * nn + i * n;
        const Scalar *x = arg.out + v * arg.vectors.stride + Offset(arg.col[e]) * n;
        for (int a = 0; a < n; ++a) sum = madd(-x[a], Scalar(column[a]), sum);
      }
      scratch[v * n + i] = sum;
    });
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      Scalar sum = scratch[v * n + i];
      if (diagonal()) {
        sum = Scalar(0);
        for (int a = 0; a < n; ++a) sum = madd(scratch[v * n + a], Scalar(diagonal()[pos * nn + i * n + a]), sum);
      }
      arg.out[v * arg.vectors.stride + Offset(row) * n + i] = sum;
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *blocks() const
  {
    return static_cast<const OffDiagonal *>(arg.blocks);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Diagonal *diagonal() const { return static_cast<const Diagonal *>(arg.diagonal); }
};

} // namespace finegrain
