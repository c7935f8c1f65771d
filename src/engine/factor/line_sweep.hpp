// SPDX-License-Identifier: BSD-2-Clause
// Triangular sweeps by lines (run/lines.hpp) for scalar matrices. They evaluate the terms of a sweep in the order of
// SweepRow, but read no pointers and no columns. One host thread sweeps each box.
#pragma once

#include "factor/sweep.hpp"
#include "run/execute.hpp"

namespace finegrain
{

template <class Terms> struct LineSweep {
  using Value = typename Terms::Value;
  Terms shared;

  void run(Index which) const
  {
    const LineBox box = shared.arg.lines.boxes[which];
    Stream at{shared.arg.ptr[box.sweep_index], box.sweep_index};
    Offset plane = box.first;
    for (Index k = 0; k < box.size.k; ++k, plane += box.stride[2])
      box.bundles([&](Index j, Index lines) {
        const Offset first = plane + Offset(j) * box.stride[1];
        choose(k > 0 || box.before[2], [&](auto has_k) {
          choose(j > 0 || box.before[1],
                 [&](auto has_j) { sweep<bundle_lines, has_j.value, has_k.value>(lines, box, first, at); });
        });
      });
  }

private:
  static constexpr Index stride = 8; // points between two prefetches: a cache line of a vector

  // Next entry and sweep index.
  struct Stream {
    Offset entry, sweep_index;
  };

  template <class F> static void choose(bool yes, const F &f) { yes ? f(std::true_type()) : f(std::false_type()); }

  template <int L, bool J, bool K> void sweep(Index lines, const LineBox &box, Offset first, Stream &at) const
  {
    if constexpr (L > 1)
      if (lines < L) return sweep<L - 1, J, K>(lines, box, first, at);
    sweep_bundle<L, J, K>(shared, box.size.i, box.before[0], box.stride, first, at);
  }

  // Adds a coupling to the sum, as SweepRow does. Sums in low precision are subtracted when they are complete.
  template <class Block> static void couple(const Block *block, Value value, Accumulator<1> &sum)
  {
    accumulate<Sign::minus>(
      Strip<1>{0}, BlockSize<1>(1), block, [=](int) FINEGRAIN_INLINE { return value; }, sum);
  }
  template <class Block> static void couple(const Block *block, Value value, Value &sum)
  {
    sum = madd(value, convert<Value>(*block), sum);
  }

  // Sweeps over L lines, from the row `first` on. J: the first line has a predecessor along j. K: all lines have one
  // along k. before_i: the first point of each line has one along i.
  template <int L, bool J, bool K>
  [[gnu::noinline]] static void sweep_bundle(const Terms terms, const Index length, const bool before_i,
                                             const std::array<Index, 3> step, const Offset first, Stream &stream)
  {
    const Offset si = step[0], sj = step[1], sk = step[2];
    const Value *const result = terms.results();
    Offset entry = stream.entry, sweep_index = stream.sweep_index;
    Offset row[std::size_t(L)]; // current row of each line
    Value last[std::size_t(L)]; // last result of each line
    const auto each_line = [&](const auto &f) FINEGRAIN_INLINE {
      [&]<int... I>(std::integer_sequence<int, I...>) FINEGRAIN_INLINE { (f.template operator()<I>(), ...); }
      (std::make_integer_sequence<int, L>());
    };
    each_line([&]<int I>() FINEGRAIN_INLINE {
      row[I] = first + I * (sj - si);
      last[I] = before_i ? result[first + I * sj - si] : Value(0);
    });
    const auto visit = [&](auto inside, Index s) FINEGRAIN_INLINE {
      Value previous_line = Value(0);
      each_line([&]<int I>() FINEGRAIN_INLINE {
        const Value before = last[I];
        if (inside || (s >= I && s - I < length)) {
          typename Terms::Sum sum;
          const SweepPlace here{row[I], sweep_index++};
          const auto add = [&](Value value) FINEGRAIN_INLINE { couple(terms.blocks() + entry++, value, sum); };
          terms.begin(Strip<1>{0}, BlockSize<1>(1), here, 0, sum);
          if constexpr (K) add(result[row[I] - sk]);
          if constexpr (I > 0) add(previous_line);
          else if constexpr (J) add(result[row[I] - sj]);
          if (inside || before_i || s > I) add(before);
          last[I] = terms.end(here, sum);
        }
        previous_line = before;
        row[I] += si;
      });
    };
    Index s = 0;
    for (; s < length + L - 1 && s < L; ++s) visit(std::false_type(), s);
    while (s < length) {
      constexpr Offset ahead = 512; // sweep indices: a few microseconds
      each_line([&]<int I>() FINEGRAIN_INLINE { terms.fetch_row(row[I] + L * sj); });
      fetch<3 * L * stride>(terms.blocks() + entry + 3 * ahead);
      terms.template fetch_diagonal<L * stride>(sweep_index + ahead);
      for (const Index end = s + stride < length ? s + stride : length; s < end; ++s) visit(std::true_type(), s);
    }
    for (; s < length + L - 1; ++s) visit(std::false_type(), s);
    stream = {entry, sweep_index};
  }
};

// Sweeps by lines exist on hosts, for scalar matrices.
template <int N, class Exec> inline constexpr bool has_lines = N == 1 && !works_in_teams<Exec>;
template <class Terms, class Exec, class Arguments> void by_lines(const Run<Exec> &run, const Arguments &a)
{
  execute_tasks(run, LineSweep<Terms>{{a}}, a.lines.count);
}

} // namespace finegrain
