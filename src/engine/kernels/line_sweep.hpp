// Triangular sweeps by lines (lines.hpp): the arithmetic of ForwardRow and BackwardRow for blocks of one number, in
// the same order, without their structure. For one host thread each. Points of other sweeps are beside their rows.
#pragma once

#include "base/block.hpp"
#include "plan/lines.hpp"
#include "base/prefetch.hpp"

namespace finegrain
{

// Into the second cache: prefetchers of the hardware stop at the ends of lines and pages, and into the first it is
// slower than without (docs/performance.md).
template <Offset count, class T> inline void fetch(const T *from)
{
  prefetch<std::size_t(count) * sizeof(T), Caches::second>(from);
}

// What a sweep does at a point, with its slot and row: begin() a Sum, couple() the values of its neighbors in the
// order of entries, end(), which gives the value of the point. These sums are what couplings leave of the right-hand
// side.
template <class OffDiagonal> struct CoupledPoint {
  using Value = Scalar; // of results
  using Sum = Accumulator<1>;
  const OffDiagonal *block; // by entry

  void couple(Sum &sum, Offset entry, Value value) const
  {
    accumulate<Sign::minus>(
      Strip<1>{0}, BlockSize<1>(1), block + entry, [&](int) FINEGRAIN_INLINE { return value; }, sum);
  }
};

template <class OffDiagonal, class Diagonal> struct ForwardPoint : CoupledPoint<OffDiagonal> {
  const Diagonal *diagonal;
  const Scalar *b;
  Scalar *result;

  void fetch_row(Offset row) const
  {
    fetch<1>(b + row);
    fetch<1>(result + row); // stored to, and in no cache before
  }
  template <Offset count> void fetch_slots(Offset slot) const { fetch<count>(diagonal + slot); }
  void begin(Accumulator<1> &sum, Offset, Offset row) const { sum.load(b + row); }
  Scalar end(const Accumulator<1> &sum, Offset slot, Offset row) const
  {
    Accumulator<1> scaled;
    scaled.zero();
    accumulate<Sign::plus>(
      Strip<1>{0}, BlockSize<1>(1), diagonal + slot, [&](int) FINEGRAIN_INLINE { return sum.template lane<0>(); },
      scaled);
    scaled.store(result + row);
    return scaled.template lane<0>();
  }
};

template <class OffDiagonal, bool Adds> struct BackwardPoint : CoupledPoint<OffDiagonal> {
  const Scalar *y;
  Scalar *result; // may be y
  Scalar *total;  // Adds: the result is added to it

  void fetch_row(Offset row) const { fetch<1>(y + row); }
  template <Offset> void fetch_slots(Offset) const {}
  void begin(Accumulator<1> &sum, Offset, Offset row) const { sum.load(y + row); }
  Scalar end(const Accumulator<1> &sum, Offset, Offset row) const
  {
    sum.store(result + row);
    if constexpr (Adds) total[row] += result[row];
    return sum.template lane<0>();
  }
};

template <class Point> struct LineSweep {
  using Value = typename Point::Value;
  Point shared;
  const Index *ptr; // entries by slot; of each part the first is read
  const LinePart *parts;

  void run(Index which) const
  {
    const LinePart part = parts[which];
    Stream at{ptr[part.slot], part.slot};
    Offset plane = part.first;
    for (Index k = 0; k < part.size.k; ++k, plane += part.step[2])
      part.bundles([&](Index j, Index lines) {
        const Offset first = plane + Offset(j) * part.step[1];
        choose(k > 0 || part.before[2], [&](auto has_k) {
          choose(j > 0 || part.before[1],
                 [&](auto has_j) { sweep<bundle_lines, has_j.value, has_k.value>(lines, part, first, at); });
        });
      });
  }

private:
  static constexpr Index stride = 8; // points between two fetches: a cache line of a vector

  // The next entry and slot.
  struct Stream {
    Offset entry, slot;
  };

  template <class F> static void choose(bool yes, const F &f) { yes ? f(std::true_type()) : f(std::false_type()); }

  template <int L, bool J, bool K> void sweep(Index lines, const LinePart &part, Offset first, Stream &at) const
  {
    if constexpr (L > 1)
      if (lines < L) return sweep<L - 1, J, K>(lines, part, first, at);
    sweep_bundle<L, J, K>(shared, part.size.i, part.before[0], part.step, first, at);
  }

  // L lines from the row `first` on. J, K: whether the first line, all lines have one before them along j, k; not
  // before_i: the first point of each line has none.
  template <int L, bool J, bool K>
  [[gnu::noinline]] static void sweep_bundle(const Point point, const Index length, const bool before_i,
                                             const std::array<Index, 3> step, const Offset first, Stream &stream)
  {
    const Offset si = step[0], sj = step[1], sk = step[2];
    const Value *const result = point.result;
    Offset entry = stream.entry, slot = stream.slot;
    Offset row[std::size_t(L)]; // where each line is
    Value last[std::size_t(L)]; // of each line
    const auto each_line = [&](const auto &f) FINEGRAIN_INLINE {
      [&]<int... I>(std::integer_sequence<int, I...>) FINEGRAIN_INLINE { (f.template operator()<I>(), ...); }
      (std::make_integer_sequence<int, L>());
    };
    each_line([&]<int I>() FINEGRAIN_INLINE {
      row[I] = first + I * (sj - si);
      last[I] = before_i ? result[first + I * sj - si] : Value(0);
    });
    const auto visit = [&](auto inside, Index s) FINEGRAIN_INLINE {
      Value beside = Value(0);
      each_line([&]<int I>() FINEGRAIN_INLINE {
        const Value before = last[I];
        if (inside || (s >= I && s - I < length)) {
          typename Point::Sum sum;
          const auto couple = [&](Value value) FINEGRAIN_INLINE { point.couple(sum, entry++, value); };
          point.begin(sum, slot, row[I]);
          if constexpr (K) couple(result[row[I] - sk]);
          if constexpr (I > 0) couple(beside);
          else if constexpr (J) couple(result[row[I] - sj]);
          if (inside || before_i || s > I) couple(before);
          last[I] = point.end(sum, slot++, row[I]);
        }
        beside = before;
        row[I] += si;
      });
    };
    Index s = 0;
    for (; s < length + L - 1 && s < L; ++s) visit(std::false_type(), s);
    while (s < length) {
      constexpr Offset ahead = 512; // slots: some microseconds
      each_line([&]<int I>() FINEGRAIN_INLINE { point.fetch_row(row[I] + L * sj); });
      fetch<3 * L * stride>(point.block + entry + 3 * ahead);
      point.template fetch_slots<L * stride>(slot + ahead);
      for (const Index end = s + stride < length ? s + stride : length; s < end; ++s) visit(std::true_type(), s);
    }
    for (; s < length + L - 1; ++s) visit(std::false_type(), s);
    stream = {entry, slot};
  }
};

} // namespace finegrain
