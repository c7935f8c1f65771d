// Row functions of factors in fewer bits (numerics.md 1): M = D (1 + L) (1 + U) with L and U in other units of the
// unknowns and, in half precision, times a power of two. methods/compact_form.hpp runs them.
#pragma once

#include "base/atomics.hpp"
#include "base/column_sums.hpp"
#include "kernels/line_sweep.hpp"
#include "kernels/sweep.hpp"

namespace finegrain
{

struct CompactArguments {
  const Index *ptr = nullptr, *col = nullptr, *row_of = nullptr; // of a part; columns are rows
  bool backward = false;                                         // slots run from the last position to the first
  Index last_position = 0;
  const void *blocks = nullptr;   // S^-1 l S or S^-1 w S, times the scale
  const void *diagonal = nullptr; // S^-1 d by slot; forward sweeps only
  Real unscale = 1;               // 1 / scale
  const Real *unit = nullptr;     // S
  const Scalar *b = nullptr;      // forward: by row
  void *y = nullptr;              // by row: S^-1 y, then S^-1 x, as sums read it
  Scalar *x = nullptr, *total = nullptr;
  Vectors vectors;
  LineList lines;
  Offset ahead = 0; // bytes; 0: nothing is asked for (run/look_ahead.hpp)
};

// Forward: y of the slot's row = d b - sum of l y over earlier rows; the product with d waits for no y.
// Backward: y -= sum of w y over later rows, x = S y.
template <int N, class Stored, class Diagonal, class Sum, int V = 1> struct CompactRow {
  using Entry = std::conditional_t<V == 1, Sum, Scalar>;
  BlockSize<N> n;
  CompactArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION void put_ends(const Ends &ends) requires(V == 1)
  {
    arg.b = ends.in;
    arg.x = ends.out;
  }

  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.backward ? arg.last_position - slot : slot, row = arg.row_of ? arg.row_of[pos] : pos;
    const Stored *blocks = static_cast<const Stored *>(arg.blocks);
    const Diagonal *d = static_cast<const Diagonal *>(arg.diagonal) + pos * nn;
    if constexpr (looks_ahead)
      if (!arg.backward && arg.ahead) prefetch<N * N * sizeof(Diagonal), Caches::first>(d + 8 * nn);
    Entry *const y = static_cast<Entry *>(arg.y);
    sum_products<N, Sum, V>(
      lanes, n, arg.vectors.count, arg.ptr[slot], arg.ptr[slot + 1],
      [=](Index e) FINEGRAIN_INLINE { return blocks + e * nn; },
      [=, this](Index e, int v) FINEGRAIN_INLINE { return y + v * arg.vectors.stride + Offset(arg.col[e]) * n; },
      [=, this](auto s, int v, const Sum *sum) FINEGRAIN_INLINE {
        const Offset at = v * arg.vectors.stride + Offset(row) * n;
        Accumulator<s.width> sums;
        Entry *own = y + at + s.first;
        if (arg.backward) sums.load(own);
        else {
          sums.zero();
          accumulate<Sign::plus>(s, n, d, arg.b + at, sums);
        }
        sums.subtract_product(multiplier(Scalar(arg.unscale)), sum);
        if (arg.backward) put(sums, s.first, at);
        if constexpr (!std::is_same_v<Entry, Sum>) { // what one vector keeps
          Sum kept[std::size_t(s.width)];
          sums.store(kept);
          sums.load(kept);
        }
        sums.store(own);
      });
  }

private:
  static constexpr bool looks_ahead = V == 1 && N > 0 && sizeof(Stored) == 2;
  // x = S y
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void put(const Accumulator<W> &sums, int first, Offset at) const
  {
    Scalar y[std::size_t(W)];
    sums.store(y);
    for (int i = 0; i < W; ++i) {
      Scalar *x = arg.x + at + first + i;
      *x = arg.unit[first + i] * y[i];
      if (arg.total) arg.total[at + first + i] += *x;
    }
  }
};

// The same for sweeps by lines (line_sweep.hpp).
template <class Stored, class T> struct CompactPoint {
  using Value = T;
  using Sum = T; // of what couplings give
  const Stored *block;
  Value *result;
  Real unscale;

  explicit CompactPoint(const CompactArguments &a)
      : block(static_cast<const Stored *>(a.blocks)), result(static_cast<Value *>(a.y)), unscale(a.unscale)
  {
  }
  void couple(Sum &sum, Offset entry, Value value) const { sum = madd(value, convert<T>(block[entry]), sum); }

protected:
  // own -= sum; its value.
  Value settle(Accumulator<1> &own, Sum sum, Offset row) const
  {
    sum += T(0); // as sum_products() has it: no -0
    own.subtract_product(multiplier(Scalar(unscale)), &sum);
    own.store(result + row);
    return result[row];
  }
};

template <class Stored, class Diagonal, class T> struct CompactForwardPoint : CompactPoint<Stored, T> {
  const Diagonal *diagonal;
  const Scalar *b;

  void fetch_row(Offset row) const
  {
    fetch<1>(b + row);
    fetch<1>(this->result + row);
  }
  template <Offset count> void fetch_slots(Offset slot) const { fetch<count>(diagonal + slot); }
  void begin(T &sum, Offset, Offset) const { sum = T(0); }
  T end(T sum, Offset slot, Offset row) const
  {
    Accumulator<1> own;
    own.zero();
    accumulate<Sign::plus>(Strip<1>{0}, BlockSize<1>(1), diagonal + slot, b + row, own);
    return this->settle(own, sum, row);
  }
};

template <class Stored, class T, bool Adds> struct CompactBackwardPoint : CompactPoint<Stored, T> {
  Real unit;
  Scalar *x, *total;

  void fetch_row(Offset row) const
  {
    fetch<1>(this->result + row);
    fetch<1>(x + row);
    if constexpr (Adds) fetch<1>(total + row);
  }
  template <Offset> void fetch_slots(Offset) const {}
  void begin(T &sum, Offset, Offset) const { sum = T(0); }
  T end(T sum, Offset, Offset row) const
  {
    Accumulator<1> own;
    own.load(this->result + row);
    const T value = this->settle(own, sum, row);
    x[row] = unit * own.template lane<0>();
    if constexpr (Adds) total[row] += x[row];
    return value;
  }
};

// Transposed, M^-T = d^T S^-1 (1 + L^T)^-1 (1 + U^T)^-1 S: y = S b - u^T y over earlier rows; y -= l^T y over later
// ones; x = d^T y. Blocks are gathered by column.
struct CompactTransposedArguments {
  enum class Step { first, second, last } step;
  const Index *ptr, *entry, *col, *row_of;
  Index last_position;
  const void *blocks; // of the step, or S^-1 d by position
  Real unscale;
  const Real *unit;
  const Scalar *in;
  Scalar *out; // of the last step not `in`
  Vectors vectors;
};

template <class Stored, class Diagonal> struct CompactTransposedRow {
  static constexpr int V = most_vectors;
  using Step = CompactTransposedArguments::Step;
  BlockSize<0> n;
  CompactTransposedArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return V * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.step == Step::second ? arg.last_position - slot : slot,
                row = arg.row_of ? arg.row_of[pos] : pos;
    each_output<V>(lanes, arg.vectors, [&](int i, int v) FINEGRAIN_INLINE {
      const Scalar *in = arg.in + v * arg.vectors.stride + Offset(row) * n;
      Scalar sum(0);
      if (arg.step == Step::last) {
        const Diagonal *d = static_cast<const Diagonal *>(arg.blocks) + pos * nn + i * n;
        for (int a = 0; a < n; ++a) sum = madd(in[a], Scalar(d[a]), sum);
      } else {
        for (Index e = arg.ptr[slot]; e < arg.ptr[slot + 1]; ++e) {
          const Stored *column = static_cast<const Stored *>(arg.blocks) + arg.entry[e] * nn + i * n;
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

// l <- d l in place, and the largest of each entry of l and w over all rows.
struct CompactLowerArguments {
  const Index *lower_ptr, *upper_ptr;
  Index last_position;
  const Scalar *diagonal, *upper;
  Scalar *lower;
  std::uint64_t *largest; // n^2, as atomic_raise() has it
};

template <int N> struct CompactLowerRow {
  BlockSize<N> n;
  CompactLowerArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 2 * n * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index slot, const Lanes &lanes, Scalar *scratch) const
  {
    const int nn = n * n;
    Scalar *most = scratch + nn;
    lanes.runs(nn, [=](int first, int count) FINEGRAIN_INLINE {
      for (int k = first; k < first + count; ++k) most[k] = Scalar(0);
    });
    for (Index e = arg.lower_ptr[slot]; e < arg.lower_ptr[slot + 1]; ++e) {
      Scalar *block = arg.lower + Offset(e) * nn;
      lanes.tiles([=, this](auto s, int c) FINEGRAIN_INLINE {
        Accumulator<s.width> sums;
        sums.zero();
        accumulate<Sign::plus>(s, n, arg.diagonal + Offset(slot) * nn, block + c * n, sums);
        sums.store(scratch + c * n + s.first);
      });
      lanes.runs(nn, [=](int first, int count) FINEGRAIN_INLINE {
        for (int k = first; k < first + count; ++k) block[k] = scratch[k];
      });
      note(lanes, block, most);
    }
    const Index upper_slot = arg.last_position - slot;
    for (Index f = arg.upper_ptr[upper_slot]; f < arg.upper_ptr[upper_slot + 1]; ++f)
      note(lanes, arg.upper + Offset(f) * nn, most);
    lanes.runs(nn, [=, this](int first, int count) FINEGRAIN_INLINE {
      for (int k = first; k < first + count; ++k) atomic_raise(&arg.largest[k], real_part(most[k]));
    });
  }

private:
  // NaN from what is not finite on.
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void note(const Lanes &lanes, const Scalar *block, Scalar *most) const
  {
    lanes.runs(n * n, [=](int first, int count) FINEGRAIN_INLINE {
      for (int k = first; k < first + count; ++k) {
        const Real here = largest_part(block[k]), old = real_part(most[k]);
        most[k] = Scalar((here > old ? here : old) + (here - here));
      }
    });
  }
};

} // namespace finegrain
