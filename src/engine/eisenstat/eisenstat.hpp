// SPDX-License-Identifier: BSD-2-Clause
// Row functions of Eisenstat's trick for DILU (numerics.md 1): data stored with the factor, the forward half of a
// product, and products and solves with the blocks of a row. The backward half is in sweep.hpp.
// eisenstat/eisenstat_form.hpp runs them.
#pragma once

#include "base/atomics.hpp"
#include "base/matrix_values.hpp"
#include "factor/sweep.hpp"

namespace finegrain
{

// Computes R by row and R^H by sweep index. R is upper triangular with R R^H = d, so that D = R^-H R^-1.
struct EisenstatRootArguments {
  const Index *row_of;
  const Scalar *diagonal; // d by sweep index
  Scalar *root, *adjoint;
  PivotReport *pivot_report; // bad_row: some d is not Hermitian and positive definite
};

template <int N> struct EisenstatRootRow {
  BlockSize<N> n;
  EisenstatRootArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int) { return 1; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *) const
  {
    lanes.once([=, this] {
      const Offset nn = Offset(n) * n;
      const Index row = arg.row_of ? arg.row_of[sweep_index] : sweep_index;
      const Scalar *d = arg.diagonal + sweep_index * nn;
      Scalar *root = arg.root + row * nn, *adjoint = arg.adjoint + sweep_index * nn;
      if (!is_hermitian(d) || !factor(d, root)) {
        atomic_lower(&arg.pivot_report->bad_row, row);
        return;
      }
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < n; ++r) adjoint[r * n + c] = conjugate(root[c * n + r]);
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION bool is_hermitian(const Scalar *d) const
  {
    Real largest = 0, asymmetry = 0;
    for (int c = 0; c < n; ++c)
      for (int r = 0; r <= c; ++r) {
        const Real here = magnitude(d[c * n + r]), off = magnitude(d[c * n + r] - conjugate(d[r * n + c]));
        largest = here > largest ? here : largest;
        asymmetry = off > asymmetry ? off : asymmetry;
      }
    return asymmetry * asymmetry <= std::numeric_limits<Real>::epsilon() * largest * largest;
  }
  // Factors d from the last column to the first. Reads its upper triangle only.
  KOKKOS_FORCEINLINE_FUNCTION bool factor(const Scalar *d, Scalar *root) const
  {
    bool good = true;
    for (int c = n - 1; c >= 0; --c) {
      for (int r = c + 1; r < n; ++r) root[c * n + r] = Scalar(0);
      Scalar square = d[c * n + c];
      for (int k = c + 1; k < n; ++k) square = madd(-root[k * n + c], conjugate(root[k * n + c]), square);
      Real pivot = real_part(square);
      good = good && pivot > 0 && is_finite(pivot);
      pivot = std::sqrt(pivot);
      root[c * n + c] = Scalar(pivot);
      for (int r = 0; r < c; ++r) {
        Scalar sum = d[c * n + r];
        for (int k = c + 1; k < n; ++k) sum = madd(-root[k * n + r], conjugate(root[k * n + c]), sum);
        root[c * n + r] = product(sum, Scalar(1 / pivot));
      }
    }
    return good;
  }
};

// Computes scaled lower blocks, scaled upper blocks, and E. Without a root these are d l, none and 2 - d a. With a
// root they are R^H l R_j, R^H u R_j and 2 - R^H a R, where j is the block's column.
struct EisenstatFactorArguments {
  const Index *row_of;
  const Index *lower_ptr, *lower_col, *lower_source;
  bool lower_col_is_row; // else a position
  const Index *upper_ptr, *upper_col, *upper_source;
  Index last_position;
  const Index *diagonal_source;
  MatrixValues source;
  const Scalar *left; // d or R^H by sweep index
  const Scalar *root; // by row, or null
  Scalar *lower, *upper, *twice;
};

template <int N> struct EisenstatFactorRow {
  BlockSize<N> n;
  EisenstatFactorArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return 2 * n * n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n * n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *scratch) const
  {
    const Offset nn = Offset(n) * n;
    const Index row = row_at(sweep_index);
    Scalar *twice = arg.twice + sweep_index * nn;
    for (Index e = arg.lower_ptr[sweep_index]; e < arg.lower_ptr[sweep_index + 1]; ++e)
      scale(lanes, sweep_index, arg.lower_source[e],
            arg.lower_col_is_row ? arg.lower_col[e] : row_at(arg.lower_col[e]), scratch, arg.lower + e * nn);
    const Index upper_index = arg.last_position - sweep_index;
    if (arg.root)
      for (Index f = arg.upper_ptr[upper_index]; f < arg.upper_ptr[upper_index + 1]; ++f)
        scale(lanes, sweep_index, arg.upper_source[f], arg.upper_col[f], scratch, arg.upper + f * nn);
    scale(lanes, sweep_index, arg.diagonal_source[sweep_index], row, scratch, twice);
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      for (int r = s.first; r < s.first + s.width; ++r)
        twice[c * n + r] = (r == c ? Scalar(2) : Scalar(0)) - twice[c * n + r];
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION Index row_at(Index pos) const { return arg.row_of ? arg.row_of[pos] : pos; }
  // Computes to = left a root_col for an entry a of the matrix.
  template <class Lanes> KOKKOS_FORCEINLINE_FUNCTION void scale(const Lanes &lanes, Index sweep_index, Index entry,
                                                                Index col, Scalar *scratch, Scalar *to) const
  {
    const Offset nn = Offset(n) * n;
    const Scalar *block = arg.source.view(lanes, n, entry, scratch);
    if (arg.root) {
      multiply(lanes, block, arg.root + col * nn, scratch + nn);
      block = scratch + nn;
    }
    multiply(lanes, arg.left + sweep_index * nn, block, to);
  }
  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void multiply(const Lanes &lanes, const Scalar *a, const Scalar *b, Scalar *to) const
  {
    lanes.block_strips([=, this](auto s, int c) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      accumulate<Sign::plus>(s, n, a, b + c * n, sums);
      sums.store(to + c * n + s.first);
    });
  }
};

struct EisenstatCouplingArguments {
  const Index *sweep_indices, *row_of;
  EntryList inside, ghost; // entries of C, by row
  MatrixValues owned, coupling;
  const Scalar *left, *t, *ghosts; // left: d or R^H by sweep index
  Scalar *c;                       // by row
};

// Computes c = left C t in the rows of C.
template <int N> struct EisenstatCouplingRow {
  BlockSize<N> n;
  EisenstatCouplingArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int n) { return n; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index place, const Lanes &lanes, Scalar *scratch) const
  {
    const Index sweep_index = arg.sweep_indices[place], row = arg.row_of ? arg.row_of[sweep_index] : sweep_index;
    lanes.strips([=, this](auto s) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      add_up(s, arg.inside, row, arg.owned, arg.t, sums);
      add_up(s, arg.ghost, row, arg.coupling, arg.ghosts, sums);
      sums.store(scratch + s.first);
    });
    lanes.strips([=, this](auto s) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      sums.zero();
      accumulate<Sign::plus>(s, n, arg.left + Offset(sweep_index) * n * n, scratch, sums);
      sums.store(arg.c + Offset(row) * n + s.first);
    });
  }

private:
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void add_up(Strip<W> s, const EntryList &list, Index row,
                                                           const MatrixValues &values, const Scalar *from,
                                                           Accumulator<W> &sums) const
  {
    if (!list.ptr) return;
    for (Index e = list.ptr[row]; e < list.ptr[row + 1]; ++e)
      values.template accumulate_product<Sign::plus>(s, n, list.entry ? list.entry[e] : e,
                                                     from + Offset(list.col[e]) * n, sums);
  }
};

struct EisenstatArguments {
  const Index *ptr, *col, *row_of; // see ForwardArguments
  bool y_by_row;
  const Scalar *lower, *twice; // scaled lower blocks, and E
  const Scalar *v, *t;         // by row, like u; t null: zero
  const Scalar *c;             // left C t by row, zero in rows without C; null: there is no C
  Scalar *y, *u;
  Vectors vectors; // one vector only
  LineList lines;
  Offset prefetch_distance = 0; // in bytes, see prefetch_block()
};

// Computes y of the row = v + c - E t - sum of l y over earlier rows, and u = t + y. No product waits for y. Couples
// is bool, or a compile-time constant for the presence of c; with a constant, t is present too.
template <class Couples = bool> struct EisenstatTerms {
  static constexpr bool gathers = false, prefetches = false;
  using Value = Scalar;
  using Sum = Accumulator<1>;
  EisenstatArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION const Scalar *blocks() const { return arg.lower; }
  KOKKOS_FORCEINLINE_FUNCTION const Value *results() const { return arg.y; }
  KOKKOS_FORCEINLINE_FUNCTION SweepPlace place(Index sweep_index) const
  {
    const Index row = arg.row_of ? arg.row_of[sweep_index] : sweep_index;
    return {row, sweep_index};
  }
  template <int N> KOKKOS_FORCEINLINE_FUNCTION auto neighbor(BlockSize<N> n, Index col, int) const
  {
    const Scalar *y = arg.y + Offset(col) * n;
    return [y](int c) FINEGRAIN_INLINE { return y[c]; };
  }
  template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void begin(Strip<W> s, BlockSize<N> n, const SweepPlace &at,
                                                                 int, Accumulator<W> &sums) const
  {
    const Offset from = at.row * n;
    sums.load(arg.v + from + s.first);
    if (couples()) sums.add_product(multiplier(Scalar(1)), arg.c + from + s.first);
    if (has_t()) accumulate<Sign::minus>(s, n, arg.twice + at.position * (Offset(n) * n), arg.t + from, sums);
  }
  template <int W, int N> KOKKOS_FORCEINLINE_FUNCTION void end(Strip<W> s, BlockSize<N> n, const SweepPlace &at, int,
                                                               const Accumulator<W> &sums) const
  {
    Scalar *y = arg.y + (arg.y_by_row ? at.row : at.position) * n, *u = arg.u + at.row * n;
    sums.store(y + s.first);
    for (int i = s.first; i < s.first + W; ++i) u[i] = has_t() ? arg.t[at.row * n + i] + y[i] : y[i];
  }

  // Sweeps by lines call the following functions.
  Scalar end(const SweepPlace &at, const Sum &sum) const
  {
    end(Strip<1>{0}, BlockSize<1>(1), at, 0, sum);
    return sum.template element<0>();
  }
  template <Offset points> void fetch_diagonal(Offset sweep_index) const { fetch<points>(arg.twice + sweep_index); }
  void fetch_row(Offset row) const
  {
    fetch<1>(arg.v + row);
    fetch<1>(arg.t + row);
    if (couples()) fetch<1>(arg.c + row);
    fetch<1>(arg.y + row);
    fetch<1>(arg.u + row);
  }

private:
  static constexpr bool known = !std::is_same_v<Couples, bool>;
  KOKKOS_FORCEINLINE_FUNCTION bool has_t() const { return known || arg.t; }
  KOKKOS_FORCEINLINE_FUNCTION bool couples() const
  {
    if constexpr (known) return Couples::value;
    else return arg.c;
  }
};
template <int N> using EisenstatRow = SweepRow<N, EisenstatTerms<>>;

// Computes x = B y for blocks B by row or sweep index. With couplings it computes x = y + W y, where W is the upper
// triangle by sweep index. With `solves` it solves B x = y for upper triangular blocks. Vectors are by row.
struct BlockProductArguments {
  const Index *row_of; // null: sweep indices are rows
  Index last_position;
  const Scalar *blocks;
  const Index *ptr = nullptr, *col = nullptr; // W; null: B
  bool solves = false;
  const Scalar *y;
  Scalar *x;
};

template <int N> struct BlockProductRow {
  BlockSize<N> n;
  BlockProductArguments arg;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr int scratch_size(int) { return 0; }
  KOKKOS_FORCEINLINE_FUNCTION static constexpr int parallelism(int n) { return n; }

  template <class Lanes>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Index sweep_index, const Lanes &lanes, Scalar *) const
  {
    const Offset nn = Offset(n) * n;
    const Index pos = arg.ptr ? arg.last_position - sweep_index : sweep_index,
                row = arg.row_of ? arg.row_of[pos] : pos;
    const Scalar *y = arg.y + Offset(row) * n;
    Scalar *x = arg.x + Offset(row) * n;
    if (arg.solves)
      return lanes.once([=, this] {
        const Scalar *block = arg.blocks + sweep_index * nn;
        for (int r = n - 1; r >= 0; --r) {
          Scalar sum = y[r];
          for (int c = r + 1; c < n; ++c) sum = madd(-block[c * n + r], x[c], sum);
          x[r] = product(sum, reciprocal(block[r * n + r]));
        }
      });
    lanes.strips([=, this](auto s) FINEGRAIN_INLINE {
      Accumulator<s.width> sums;
      if (arg.ptr) {
        sums.load(y + s.first);
        for (Index f = arg.ptr[sweep_index]; f < arg.ptr[sweep_index + 1]; ++f)
          accumulate<Sign::plus>(s, n, arg.blocks + f * nn, arg.y + Offset(arg.col[f]) * n, sums);
      } else {
        sums.zero();
        accumulate<Sign::plus>(s, n, arg.blocks + sweep_index * nn, y, sums);
      }
      sums.store(x + s.first);
    });
  }
};

} // namespace finegrain
