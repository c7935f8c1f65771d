// Row functions of the triangular sweeps (numerics.md 1): y = d^-1 (b - l y), then x = y - w x.
//
// A row function is a plain struct of pointers and sizes, called with a slot, the lanes that share the row, and
// scratch of scratch_size() scalars. V is the number of vectors that one visit of a row serves, so that its blocks
// are read from memory once for all of them; vector v of an array begins at v stride.
#pragma once

#include "base/block.hpp"
#include "plan/lines.hpp"
#include "base/prefetch.hpp"
#include "run/replay.hpp"

namespace finegrain
{

// f(i, v) for output i of vector v.
template <int V, class Lanes, class F>
KOKKOS_FORCEINLINE_FUNCTION void each_output(const Lanes &lanes, const Vectors &vectors, const F &f)
{
  share_vectors<V>(lanes, vectors.count, [=](auto s, auto some) FINEGRAIN_INLINE {
    for (int i = s.first; i < s.first + s.width; ++i) some.each([&](int v) FINEGRAIN_INLINE { f(i, v); });
  });
}

// Parts of a sweep by lines; none: the sweep goes by rows.
struct LineList {
  const LinePart *parts = nullptr;
  Index count = 0;
};

struct ForwardArguments {
  const Index *ptr, *col, *row_of; // row_of null: positions are rows
  bool y_by_row;
  const void *lower, *diagonal; // blocks, as they are stored
  const Scalar *b;
  Scalar *y;
  const Scalar *z = nullptr; // corrected sweeps only
  Vectors vectors;
  LineList lines;
  Offset ahead = 0; // bytes, see ask_ahead()
};

// y of the slot's row = d^-1 (b - sum of l y over earlier rows). y is stored by row or by position.
// Corrected: the sum is that of l (y - z), z stored as y is: the right-hand side of a correction of DILU is
// b + sum of l z (numerics.md 1, correction iterations), and this way l is read once for both.
template <int N, class OffDiagonal, class Diagonal, int V = 1, bool Corrected = false> struct ForwardRow {
  BlockSize<N> n;
  ForwardArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION void put_ends(const Ends &ends) requires(V == 1 && !Corrected) { arg.b = ends.in; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index row = arg.row_of ? arg.row_of[slot] : slot, first = arg.ptr[slot], last = arg.ptr[slot + 1];
    share_vectors<V>(lanes, arg.vectors.count, [=, this](auto s, auto some) FINEGRAIN_INLINE {
      Accumulator<s.width> sums[std::size_t(some.most)];
      some.at_all([&](int k, int) FINEGRAIN_INLINE { sums[k].zero(); });
      some.at_once([&](int k, int v)
                     FINEGRAIN_INLINE { sums[k].load(arg.b + v * arg.vectors.stride + Offset(row) * n + s.first); });
      for (Index e = first; e < last; ++e) {
        ask_ahead<N>(lower() + e * nn, arg.ahead);
        some.at_once([&](int k, int v) FINEGRAIN_INLINE {
          const Offset from = Offset(arg.col[e]) * n;
          const Scalar *y = arg.y + v * arg.vectors.stride + from;
          if constexpr (Corrected) {
            const Scalar *z = arg.z + from;
            accumulate<Sign::minus>(
              s, n, lower() + e * nn, [&](int c) { return y[c] - z[c]; }, sums[k]);
          } else accumulate<Sign::minus>(s, n, lower() + e * nn, y, sums[k]);
        });
      }
      some.at_all([&](int k, int v) FINEGRAIN_INLINE { sums[k].store(scratch + v * n + s.first); });
    });
    share_vectors<V>(lanes, arg.vectors.count, [=, this](auto s, auto some) FINEGRAIN_INLINE {
      some.at_once([&](int, int v) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        accumulate<Sign::plus>(s, n, diagonal() + slot * nn, scratch + v * n, sums);
        sums.store(arg.y + v * arg.vectors.stride + Offset(arg.y_by_row ? row : slot) * n + s.first);
      });
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *lower() const { return static_cast<const OffDiagonal *>(arg.lower); }
  KOKKOS_FORCEINLINE_FUNCTION const Diagonal *diagonal() const { return static_cast<const Diagonal *>(arg.diagonal); }
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
  Offset ahead = 0; // bytes, see ask_ahead()
};

// x of the slot's row = y - sum of w x over later rows. Slots run from the last position to the first.
template <int N, class OffDiagonal, int V = 1> struct BackwardRow {
  BlockSize<N> n;
  BackwardArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION void put_ends(const Ends &ends) requires(V == 1) { arg.x = ends.out; }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.last_position - slot, row = arg.row_of ? arg.row_of[pos] : pos, first = arg.ptr[slot],
                last = arg.ptr[slot + 1];
    share_vectors<V>(lanes, arg.vectors.count, [=, this](auto s, auto some) FINEGRAIN_INLINE {
      Accumulator<s.width> sums[std::size_t(some.most)];
      some.at_all([&](int k, int) FINEGRAIN_INLINE { sums[k].zero(); });
      some.at_once([&](int k, int v) FINEGRAIN_INLINE {
        sums[k].load(arg.y + v * arg.vectors.stride + Offset(arg.y_by_row ? row : pos) * n + s.first);
      });
      for (Index f = first; f < last; ++f) {
        ask_ahead<N>(upper() + f * nn, arg.ahead);
        some.at_once([&](int k, int v) FINEGRAIN_INLINE {
          accumulate<Sign::minus>(s, n, upper() + f * nn, arg.x + v * arg.vectors.stride + Offset(arg.col[f]) * n,
                                  sums[k]);
        });
      }
      some.at_once([&](int k, int v) FINEGRAIN_INLINE {
        const Offset to = v * arg.vectors.stride + Offset(row) * n + s.first;
        sums[k].store(arg.x + to);
        if (arg.total)
          for (int i = 0; i < s.width; ++i) arg.total[to + i] += arg.x[to + i];
      });
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION const OffDiagonal *upper() const { return static_cast<const OffDiagonal *>(arg.upper); }
};

struct TransposedArguments {
  const Index *ptr, *entry, *col, *row_of;
  bool backward; // slots run from the last position to the first
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
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.backward ? arg.last_position - slot : slot, row = arg.row_of ? arg.row_of[pos] : pos;
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      Scalar sum = arg.in[v * arg.vectors.stride + Offset(row) * n + i];
      for (Index e = arg.ptr[slot]; e < arg.ptr[slot + 1]; ++e) {
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
