// SPDX-License-Identifier: BSD-2-Clause
// Eisenstat's trick for a DILU factor (numerics.md 1): data stored with the factor, and products that read the
// blocks of the sweeps. Oracle: tests/engine/eisenstat.
#pragma once

#include "base/prefetch_distance.hpp"
#include "eisenstat/eisenstat.hpp"
#include "eisenstat/eisenstat_kernels.hpp"
#include "factor/factor_kernels.hpp"
#include "factor/pattern.hpp"
#include "product/residuals.hpp"

namespace finegrain
{

// The factor of an engine, with blocks in working precision, and its sweeps. Sweeps provides
// - forward(x, body), backward(x, body): call body(run) for the sweep indices of P_L or P_R in their order; then x is
// known
//   in those rows, by row;
// - with_others(b, t): returns b by row, followed by the rows of other ranks if there are any; may use t.
template <class Exec, class Sweeps> struct EisenstatFactor {
  using Space = typename Exec::memory_space;

  ResidualRunner<Exec> &run;
  Sweeps sweeps;
  const Pattern<Space> &pattern;
  const EisenstatKernels<Exec> &kernels;
  decltype(FactorKernels<Exec>::backward) backward_kernel;
  const Scalar *upper, *diagonal;
  MatrixValues source;      // indexed by the entries of the pattern
  const Index *row_of;      // null: sweep indices are rows
  Index rows;               // rows of the pattern, including those of other ranks
  std::array<Index, 2> own; // range of owned sweep indices
  LineList forward, backward;
  const SplitRows<Space> *coupled; // sweep indices of rows with ignored blocks; null: there are none
  Scalar *t, *y;                   // vectors of the sweeps, including rows of other ranks; t by row
  bool y_by_row;                   // else by sweep index
};

// One of the two forms. General: P_L = D + L, P_R = 1 + D^-1 U. Symmetric, if all D are Hermitian and positive
// definite: with d = R R^H of every row, R^H (L + D + U) R = L' + 1 + U', P_L = R^-H (1 + L'), P_R = (1 + U') R^-1.
template <class Exec> class EisenstatForm
{
  using Space = typename Exec::memory_space;

public:
  // Discards the data after a new factorization or analysis.
  void forget() { known_ = false; }
  // Computes the data of products. Returns false if a pivot is not Hermitian and positive definite.
  template <class Factor> bool prepare(const Factor &f, bool symmetric)
  {
    if (known_) return good_;
    ResidualRunner<Exec> &run = f.run;
    const std::size_t nn = std::size_t(run.n) * std::size_t(run.n), diagonals = std::size_t(f.rows) * nn;
    const Pattern<Space> &p = f.pattern;
    symmetric_ = symmetric;
    reserve("finegrain::twice", diagonals, twice_);
    reserve("finegrain::lower", p.lower.col.extent(0) * nn, lower_);
    if (has_couplings(f)) {
      reserve("finegrain::coupled", run.scalars(), coupled_);
      run.fill(coupled_.data(), coupled_.extent(0), Scalar(0)); // zero in rows without C
    }
    good_ = true;
    if (symmetric) {
      reserve("finegrain::upper", p.upper.col.extent(0) * nn, upper_);
      reserve("finegrain::root", diagonals, root_);
      reserve("finegrain::adjoint", diagonals, adjoint_);
      run.clear_pivot_report(f.rows);
      const Index every[] = {0, f.rows};
      f.kernels.root(run.independent(every), run.n,
                     {.row_of = f.row_of,
                      .diagonal = f.diagonal,
                      .root = root_.data(),
                      .adjoint = adjoint_.data(),
                      .pivot_report = run.pivot_report.data()});
      good_ = run.read_pivot_report(f.rows).bad_row < 0;
    }
    if (good_)
      f.kernels.factor(run.independent(f.own.data()), run.n,
                       {.row_of = f.row_of,
                        .lower_ptr = p.lower.ptr.data(),
                        .lower_col = p.lower.col.data(),
                        .lower_source = p.lower.source.data(),
                        .lower_col_is_row = f.y_by_row,
                        .upper_ptr = p.upper.ptr.data(),
                        .upper_col = p.upper.col.data(),
                        .upper_source = p.upper.source.data(),
                        .last_position = f.rows - 1,
                        .diagonal_source = p.diagonal.data(),
                        .source = f.source,
                        .left = left(f),
                        .root = root(),
                        .lower = lower_.data(),
                        .upper = upper_.data(),
                        .twice = twice_.data()});
    run.finish();
    known_ = true;
    return good_;
  }

  // Computes u = P_L^-1 A P_R^-1 v.
  template <class Factor> void multiply(const Factor &f, const EisenstatProduct &a)
  {
    ResidualRunner<Exec> &run = f.run;
    const Residuals<Space> &r = run.residuals;
    sweep_backward(f, a.v);
    const bool couples = has_couplings(f), fetches = f.coupled && run.halo;
    if (couples || fetches) {
      const Scalar *x = f.t;
      if (symmetric_) {
        multiply_root(f, f.t, run.scratch(), false);
        x = run.scratch();
      }
      add_couplings(f, a.values, x);
    }
    sweep_forward(f, a.v, f.t, couples ? coupled_.data() : nullptr, a.u);
    const std::size_t nn = std::size_t(run.n) * std::size_t(run.n), rows = std::size_t(run.rows);
    const std::size_t c = f.coupled ? f.coupled->order.extent(0) + r.ignored.entries() + r.ghost.entries() : 0;
    const std::size_t blocks = std::size_t(run.statistics.upper + run.statistics.lower) + rows + c +
                               (symmetric_ && (couples || fetches) ? rows : 0);
    run.statistics.bytes_read += double(blocks * nn * sizeof(Scalar));
    run.finish();
  }

  // Applies P_R, in the symmetric form also P_L^-1 and P_R^-1. In the general form these are halves of an
  // application.
  template <class Factor> void apply_split(const Factor &f, Split split, const Scalar *b, Scalar *x)
  {
    ResidualRunner<Exec> &run = f.run;
    if (split == Split::left_inverse) {
      multiply_blocks(f, f.own.data(), f.row_of, adjoint_.data(), b, run.scratch());
      sweep_forward(f, run.scratch(), nullptr, nullptr, x);
    } else if (split == Split::right_inverse) {
      sweep_backward(f, b);
      multiply_root(f, f.t, x, false);
    } else {
      if (symmetric_) multiply_root(f, b, f.t, true);
      const Scalar *from = f.sweeps.with_others(symmetric_ ? f.t : b, f.t);
      f.sweeps.backward(f.t, [&](const Run<Exec> &r) {
        f.kernels.block_product(r, run.n,
                                {.row_of = f.row_of,
                                 .last_position = f.rows - 1,
                                 .blocks = upper(f),
                                 .ptr = f.pattern.upper.ptr.data(),
                                 .col = f.pattern.upper.col.data(),
                                 .y = from,
                                 .x = x});
      });
    }
    run.finish();
  }

  std::size_t bytes() const
  {
    return (twice_.span() + lower_.span() + upper_.span() + root_.span() + adjoint_.span()) * sizeof(Scalar);
  }

private:
  static void reserve(const char *name, std::size_t size, Array<Scalar, Space> &array)
  {
    if (array.extent(0) != size) array = make_array<Scalar, Space>(name, size);
  }
  template <class Factor> static bool has_couplings(const Factor &f)
  {
    return f.coupled && f.coupled->order.extent(0) > 0;
  }
  template <class Factor> const Scalar *left(const Factor &f) const
  {
    return symmetric_ ? adjoint_.data() : f.diagonal;
  }
  const Scalar *root() const { return symmetric_ ? root_.data() : nullptr; }
  template <class Factor> const Scalar *upper(const Factor &f) const { return symmetric_ ? upper_.data() : f.upper; }

  template <class Factor> void sweep_backward(const Factor &f, const Scalar *v)
  {
    const BackwardArguments a{.ptr = f.pattern.upper.ptr.data(),
                              .col = f.pattern.upper.col.data(),
                              .row_of = f.row_of,
                              .y_by_row = true,
                              .last_position = f.rows - 1,
                              .upper = upper(f),
                              .y = v,
                              .x = f.t,
                              .vectors = {},
                              .lines = f.backward,
                              .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>)};
    f.sweeps.backward(f.t, [&](const Run<Exec> &run) { f.backward_kernel(run, f.run.n, a); });
  }
  template <class Factor>
  void sweep_forward(const Factor &f, const Scalar *v, const Scalar *t, const Scalar *c, Scalar *u)
  {
    const EisenstatArguments a{.ptr = f.pattern.lower.ptr.data(),
                               .col = f.pattern.lower.col.data(),
                               .row_of = f.row_of,
                               .y_by_row = f.y_by_row,
                               .lower = lower_.data(),
                               .twice = twice_.data(),
                               .v = v,
                               .t = t,
                               .c = c,
                               .y = f.y,
                               .u = u,
                               .vectors = {},
                               .lines = f.forward,
                               .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>)};
    f.sweeps.forward(f.y, [&](const Run<Exec> &run) { f.kernels.forward(run, f.run.n, a); });
  }
  // Computes rows without ghosts while the ghosts of x are exchanged, then the others.
  template <class Factor> void add_couplings(const Factor &f, const Values &values, const Scalar *x)
  {
    ResidualRunner<Exec> &run = f.run;
    const Residuals<Space> &r = run.residuals;
    const EisenstatCouplingArguments a{.sweep_indices = f.coupled->order.data(),
                                       .row_of = f.row_of,
                                       .inside = r.ignored.list(),
                                       .ghost = r.ghost.list(),
                                       .owned = values.owned,
                                       .coupling = values.coupling,
                                       .left = left(f),
                                       .t = x,
                                       .ghosts = r.ghosts.data(),
                                       .c = coupled_.data()};
    overlap(run.halo, run, x, r.ghosts.data(),
            [&](int which) { f.kernels.coupling(run.independent(f.coupled->cut.data() + which), run.n, a); });
  }
  // Computes x = R y, or solves R x = y.
  template <class Factor> void multiply_root(const Factor &f, const Scalar *y, Scalar *x, bool solves)
  {
    multiply_blocks(f, f.run.every_row.data(), nullptr, root_.data(), y, x, solves);
  }
  template <class Factor> void multiply_blocks(const Factor &f, const Index *sweep_indices, const Index *row_of,
                                               const Scalar *blocks, const Scalar *y, Scalar *x, bool solves = false)
  {
    f.kernels.block_product(
      f.run.independent(sweep_indices), f.run.n,
      {.row_of = row_of, .last_position = f.rows - 1, .blocks = blocks, .solves = solves, .y = y, .x = x});
  }

  bool known_ = false, good_ = false, symmetric_ = false;
  Array<Scalar, Space> lower_, upper_, twice_, root_, adjoint_, coupled_;
};

} // namespace finegrain
