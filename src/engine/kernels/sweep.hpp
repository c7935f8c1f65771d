// Row functions of the triangular sweeps (numerics.md 1): y = d^-1 (b - l y), then x = y - w x.
//
// A row function is a plain struct of pointers and sizes, called with a slot, the lanes that share the row, scratch
// of scratch_size() scalars, and where its neighbors are found (Everywhere or InTile). begin() and finish() do the
// same in two parts. V is the number of vectors that one visit of a row serves, so that its blocks are read from
// memory once for all of them; vector v of an array begins at v stride. The plain sweep has one, and blocks in
// working precision: it may be done by tiles, whose arrays each_array() names.
#pragma once

#include "base/block.hpp"
#include "kernels/early.hpp"
#include "plan/lines.hpp"
#include "run/neighbors.hpp"
#include "run/replay.hpp"
#include "run/value_flags.hpp"

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
  Scalar *late = nullptr;    // by row: marked for the backward sweep, if values are flags (run/value_flags.hpp)
  Vectors vectors;
  LineList lines;
  Offset ahead = 0; // bytes, see ask_ahead()
};

// The row of a slot, and its entries first to last - 1.
struct RowPlace {
  Index row = 0, first = 0, last = 0;
};
// What is loaded of a row before its neighbors are done.
template <class Entries> struct PlacedEntries {
  RowPlace place;
  Entries entries;
};
template <class Arguments>
KOKKOS_FORCEINLINE_FUNCTION RowPlace find_place(const Arguments &arg, Index slot, Index position)
{
  return {arg.row_of ? arg.row_of[position] : position, arg.ptr[slot], arg.ptr[slot + 1]};
}

// y of the slot's row = d^-1 (b - sum of l y over earlier rows). y is stored by row or by position.
// Corrected: the sum is that of l (y - z), z stored as y is: the right-hand side of a correction of DILU is
// b + sum of l z (numerics.md 1, correction iterations), and this way l is read once for both.
template <int N, class OffDiagonal, class Diagonal, int V = 1, bool Corrected = false> struct ForwardRow {
  BlockSize<N> n;
  ForwardArguments arg;

  static constexpr bool is_plain = V == 1 && !Corrected && sizeof(OffDiagonal) == sizeof(Scalar),
                        loads_early = is_plain && early_fits<N, OffDiagonal>;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION void put_ends(const Ends &ends) requires(V == 1 && !Corrected) { arg.b = ends.in; }

  // What is loaded before its neighbors are done.
  struct Early : PlacedEntries<EarlyEntries<N, OffDiagonal>> {
    EarlyRow<N, Diagonal> diagonal;
    EarlyRow<N, Scalar, 1> b;
  };
  using EarlyInTile = PlacedEntries<EarlyPlaces<N, OffDiagonal>>;

  // What a tile has by itself: values of neighbors, the right-hand side of a slot, which does not come from the
  // sweeps before, and arrays.
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *neighbor_values() const { return arg.y; }
  static constexpr bool right_side_waits = false;
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *right_side(Index slot) const
  {
    return arg.b + Offset(arg.row_of ? arg.row_of[slot] : slot) * n;
  }
  // f(array, begin, end) says where elements begin to end - 1 of an array are instead, which the slots first to
  // last - 1 have; their entries are begin to end - 1, in these columns.
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each_array(Index first, Index last, Index begin, Index end,
                                                                 const Index *columns, const F &f)
  {
    const Offset nn = Offset(n) * n;
    arg.lower = f(lower(), begin * nn, end * nn);
    arg.diagonal = f(diagonal(), first * nn, last * nn);
    arg.col = f(columns, begin, end);
    if (arg.row_of) arg.row_of = f(arg.row_of, first, last);
    arg.ptr = f(arg.ptr, first, last + 1);
  }

  template <class Lanes, class Neighbors>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch,
                                              const Neighbors &neighbors) const
  {
    finish(slot, lanes, scratch, neighbors, NothingEarly());
  }
  template <class Lanes, class Neighbors, class Loaded>
  KOKKOS_FORCEINLINE_FUNCTION void begin(Index slot, const Lanes &lanes, const Neighbors &neighbors,
                                         Loaded &early) const
  {
    early.place = find_place(arg, slot, slot);
    if constexpr (std::is_same_v<Loaded, Early>)
      lanes.strips([&](auto s) FINEGRAIN_INLINE {
        early.b.load(s, arg.b + Offset(early.place.row) * n);
        early.diagonal.load(s, diagonal() + slot * (Offset(n) * n));
      });
    early.entries.load(lanes, lower(), early.place.first, early.place.last,
                       [&](Index e) FINEGRAIN_INLINE { return neighbors.find(arg.y, arg.col, e, n); });
  }
  template <class Lanes, class Neighbors, class Loaded>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Index slot, const Lanes &lanes, Scalar *scratch, const Neighbors &neighbors,
                                          const Loaded &loaded) const
  {
    const Offset nn = Offset(n) * n;
    constexpr bool early = !std::is_same_v<Loaded, NothingEarly>;
    RowPlace place;
    if constexpr (early) place = loaded.place;
    else place = find_place(arg, slot, slot);
    const Index row = place.row, first = place.first, last = place.last;
    [[maybe_unused]] auto *const has = &loaded; // lambdas copy the rest
    share_vectors<V>(lanes, arg.vectors.count, [=, this](auto s, auto some) FINEGRAIN_INLINE {
      Accumulator<s.width> sums[std::size_t(some.most)];
      some.at_all([&](int k, int) FINEGRAIN_INLINE { sums[k].zero(); });
      Index begin = first;
      if constexpr (std::is_same_v<Loaded, Early>) {
        sums[0].load(has->b.columns(s)(0));
      } else {
        some.at_once([&](int k, int v) FINEGRAIN_INLINE {
          sums[k].load(neighbors.right_side(arg.b + v * arg.vectors.stride + Offset(row) * n, n) + s.first);
        });
      }
      if constexpr (early)
        begin = has->entries.visit(s, first, last, neighbors,
                                   [&](const auto &columns, const auto &x)
                                     FINEGRAIN_INLINE { accumulate<Sign::minus>(s, n, columns, x, sums[0]); });
      for (Index e = begin; e < last; ++e) {
        ask_ahead<N>(lower() + e * nn, arg.ahead);
        some.at_once([&](int k, int v) FINEGRAIN_INLINE {
          const Scalar *from = neighbors.find(arg.y + v * arg.vectors.stride, arg.col, e, n);
          if constexpr (Corrected) {
            const Scalar *less = arg.z + Offset(arg.col[e]) * n;
            accumulate<Sign::minus>(
              s, n, lower() + e * nn, [&](int c) { return from[c] - less[c]; }, sums[k]);
          } else {
            auto seen = neighbors.template look<N>(from);
            accumulate<Sign::minus>(s, n, lower() + e * nn, neighbors.await(seen, from), sums[k]);
          }
        });
      }
      some.at_all([&](int k, int v) FINEGRAIN_INLINE { sums[k].store(scratch + v * n + s.first); });
    });
    share_vectors<V>(lanes, arg.vectors.count, [=, this](auto s, auto some) FINEGRAIN_INLINE {
      some.at_once([&](int, int v) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        if constexpr (std::is_same_v<Loaded, Early>)
          accumulate<Sign::plus>(s, n, has->diagonal.columns(s), scratch, sums);
        else accumulate<Sign::plus>(s, n, diagonal() + slot * nn, scratch + v * n, sums);
        neighbors.put(sums, arg.y + v * arg.vectors.stride + Offset(arg.y_by_row ? row : slot) * n + s.first, n,
                      s.first);
      });
      if constexpr (Neighbors::arrive)
        for (int i = s.first; i < s.first + s.width; ++i) arg.late[Offset(row) * n + i] = late_value();
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
  Scalar *late = nullptr;  // y again, if values are flags: marked for the next forward sweep
  Vectors vectors;
  LineList lines;
  Offset ahead = 0; // bytes, see ask_ahead()
};

// x of the slot's row = y - sum of w x over later rows. Slots run from the last position to the first.
template <int N, class OffDiagonal, int V = 1> struct BackwardRow {
  BlockSize<N> n;
  BackwardArguments arg;

  static constexpr bool is_plain = V == 1 && sizeof(OffDiagonal) == sizeof(Scalar),
                        loads_early = is_plain && early_fits<N, OffDiagonal>;
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION void put_ends(const Ends &ends) requires(V == 1) { arg.x = ends.out; }

  // What is loaded before its neighbors are done.
  using Early = PlacedEntries<EarlyEntries<N, OffDiagonal>>;
  using EarlyInTile = PlacedEntries<EarlyPlaces<N, OffDiagonal>>;

  // As of a forward sweep, which this one's right-hand side comes from.
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *neighbor_values() const { return arg.x; }
  static constexpr bool right_side_waits = true;
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *right_side(Index slot) const
  {
    const Index pos = arg.last_position - slot;
    return arg.y + Offset(arg.y_by_row && arg.row_of ? arg.row_of[pos] : pos) * n;
  }
  template <class F> KOKKOS_FORCEINLINE_FUNCTION void each_array(Index first, Index last, Index begin, Index end,
                                                                 const Index *columns, const F &f)
  {
    const Offset nn = Offset(n) * n;
    arg.upper = f(upper(), begin * nn, end * nn);
    arg.col = f(columns, begin, end);
    if (arg.row_of) arg.row_of = f(arg.row_of, arg.last_position - last + 1, arg.last_position - first + 1);
    arg.ptr = f(arg.ptr, first, last + 1);
  }

  template <class Lanes, class Neighbors>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch,
                                              const Neighbors &neighbors) const
  {
    finish(slot, lanes, scratch, neighbors, NothingEarly());
  }
  template <class Lanes, class Neighbors, class Loaded>
  KOKKOS_FORCEINLINE_FUNCTION void begin(Index slot, const Lanes &lanes, const Neighbors &neighbors,
                                         Loaded &early) const
  {
    early.place = find_place(arg, slot, arg.last_position - slot);
    early.entries.load(lanes, upper(), early.place.first, early.place.last,
                       [&](Index f) FINEGRAIN_INLINE { return neighbors.find(arg.x, arg.col, f, n); });
  }
  template <class Lanes, class Neighbors, class Loaded>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Index slot, const Lanes &lanes, Scalar *, const Neighbors &neighbors,
                                          const Loaded &loaded) const
  {
    const Offset nn = Offset(n) * n;
    constexpr bool early = !std::is_same_v<Loaded, NothingEarly>;
    const Index pos = arg.last_position - slot;
    RowPlace place;
    if constexpr (early) place = loaded.place;
    else place = find_place(arg, slot, pos);
    const Index row = place.row, first = place.first, last = place.last;
    [[maybe_unused]] auto *const has = &loaded; // the lambda copies the rest
    share_vectors<V>(lanes, arg.vectors.count, [=, this](auto s, auto some) FINEGRAIN_INLINE {
      Accumulator<s.width> sums[std::size_t(some.most)];
      some.at_all([&](int k, int) FINEGRAIN_INLINE { sums[k].zero(); });
      const Offset y_at = Offset(arg.y_by_row ? row : pos) * n;
      some.at_once([&](int k, int v) FINEGRAIN_INLINE {
        sums[k].load(neighbors.right_side(arg.y + v * arg.vectors.stride + y_at, n) + s.first);
      });
      if constexpr (Neighbors::arrive)
        for (int i = s.first; i < s.first + s.width; ++i) arg.late[y_at + i] = late_value();
      Index begin = first;
      if constexpr (early)
        begin = has->entries.visit(s, first, last, neighbors,
                                   [&](const auto &columns, const auto &x)
                                     FINEGRAIN_INLINE { accumulate<Sign::minus>(s, n, columns, x, sums[0]); });
      for (Index f = begin; f < last; ++f) {
        ask_ahead<N>(upper() + f * nn, arg.ahead);
        some.at_once([&](int k, int v) FINEGRAIN_INLINE {
          const Scalar *from = neighbors.find(arg.x + v * arg.vectors.stride, arg.col, f, n);
          auto seen = neighbors.template look<N>(from);
          accumulate<Sign::minus>(s, n, upper() + f * nn, neighbors.await(seen, from), sums[k]);
        });
      }
      some.at_once([&](int k, int v) FINEGRAIN_INLINE {
        const Offset to = v * arg.vectors.stride + Offset(row) * n + s.first;
        neighbors.put(sums[k], arg.x + to, n, s.first);
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
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch, Everywhere) const
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
