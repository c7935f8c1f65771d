// SPDX-License-Identifier: BSD-2-Clause
// Storage of mcpi (numerics.md 2): couplings by color, inverted diagonal blocks, and their set-up. relaxation.cpp
// sweeps over it. Oracle: tests/engine/relax_oracle.hpp.
#pragma once

#include "base/block_storage.hpp"
#include "base/copies.hpp"
#include "base/prefetch_distance.hpp"
#include "base/rounding_in_place.hpp"
#include "product/residuals.hpp"
#include "relax/couplings.hpp"
#include "relax/relax.hpp"
#include "relax/relax_kernels.hpp"
#include "relax/relaxation_plan.hpp"

namespace finegrain
{

struct LargestOf {
  const Real *number;
  KOKKOS_INLINE_FUNCTION void operator()(Index i, Real &most) const { most = number[i] > most ? number[i] : most; }
};

template <class Exec> class StoredRelaxation : public Engine
{
public:
  using Space = typename Exec::memory_space;

  SetupError analyze(const OperatorView &view, const EngineOptions &requested) override
  {
    if (const SetupError error = runner_.check(view, requested)) return error;
    RelaxationPlan p;
    if (const SetupError error = plan_relaxation(view, requested, runner_.machine(view.block), p)) return error;
    const EngineOptions &options = p.options;
    const Exchange exchange = options.relaxation.exchange;
    const auto rows = order_couplings(view, p.coloring, exchange, p.plan.row_of);
    rows_of_ = copy_to<Space>(rows);
    first_entries_ = count_first_entries(rows, options.relaxation.sweep);
    transposed_ = {};
    runner_.begin(view, options, p.plan, rows_of_.row_of);
    options_ = options.relaxation;
    storage_ = {options.precision, options.diagonal, options.single_sums};
    kernels_ = find_relax_kernels<Exec>(runner_.n, storage_);
    any_size_ = find_relax_kernels<Exec>(0, storage_);

    blocks_.allocate(in_place() ? 0 : Offset(rows_of_.entries()), runner_.n, options.precision);
    stored_ = in_place() ? nullptr : blocks_.data();
    diagonal_.allocate(runner_.rows, runner_.n, options.diagonal);
    scaled_ = options.precision == Precision::half;
    loaded_ = false;
    last_scale_ = 0;
    const bool by_row = scaled_ && options_.scaling == Scaling::row;
    largest_ = make_array<Real, Space>("finegrain::largest", scaled_ && !by_row ? std::size_t(runner_.rows) : 0);
    unscale_ = make_array<Real, Space>("finegrain::unscale", by_row ? std::size_t(runner_.rows) : 0);
    const bool fetches = options_.exchange != Exchange::none;
    ghosts_ = Array<Scalar, Space>("finegrain::ghosts", fetches ? std::size_t(view.ghosts * runner_.n) : 0);
    copies_ = options.single_sums && !std::is_same_v<Scalar, Single>;
    copy_ = make_array<Single, Space>("finegrain::copy", copies_ ? runner_.scalars() : 0);
    ghost_copy_ = make_array<Single, Space>("finegrain::ghosts", copies_ ? ghosts_.extent(0) : 0);
    all_cut_ = to_array("finegrain::cut", {0, runner_.rows});
    ghost_cut_ = to_array("finegrain::cut", {0, ghost_count()});
    rhs_ = {};

    runner_.statistics.colors = p.coloring.colors;
    runner_.statistics.symmetrized = !p.was_symmetric || view.agreed.symmetrized;
    runner_.statistics.coloring = options.coloring;
    runner_.statistics.ignored = fetches ? 0 : view.coupling.entries();
    runner_.statistics.lower = rows_of_.entries();
    matrix_blocks_ = Offset(view.owned.entries()) + (fetches ? view.coupling.entries() : 0);
    count();
    return {};
  }

  void set_halo(Halo *halo) override { runner_.halo = halo; }
  bool set_queue(const Queue &queue) override { return runner_.set_queue(queue); }
  Scalar *scratch(Memory) override { return runner_.scratch(); }
  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Memory) override
  {
    return runner_.find_long_residual(values, b, x);
  }
  Statistics statistics() const override
  {
    Statistics s = runner_.statistics;
    s.launches = runner_.launches;
    return s;
  }
  // Converts with the last scale, which is right as a rule, and finds the largest coupling meanwhile.
  Real find_largest(const Values &values) override
  {
    loaded_ = false;
    if (!scaled_ || options_.scaling == Scaling::row) return -1; // on all ranks, those without rows included
    if (last_scale_ > 0 && !in_place()) {
      load(values, last_scale_);
      const Real rounded = read_largest(), largest = rounded / last_scale_;
      loaded_ = decides_scale(detail::bits_as<std::int32_t>(float(rounded))) && std::isnormal(largest);
      if (loaded_) return largest;
    }
    kernels_.largest(
      runner_.independent(all_cut_.data()), runner_.n,
      LargestArguments{.ptr = rows_of_.ptr.data(), .source = source(values), .largest = largest_.data()});
    return read_largest();
  }

  FactorReport factor(const Values &values, Real largest) override
  {
    const Real scale = largest >= 0 ? find_scale(largest) : Real(1);
    if (!loaded_ || scale != last_scale_) load(values, scale);
    loaded_ = false;
    last_scale_ = scale;
    if (in_place()) reduce_in_place(const_cast<Scalar *>(values.owned.values), scale);
    runner_.statistics.scale = scale;
    unscale_all_ = {unscale_.extent(0) ? unscale_.data() : nullptr, 1 / scale};
    runner_.check_inverses(diagonal_.data(), storage_.diagonal, runner_.row_of(), runner_.rows);
    return runner_.read_pivot_report();
  }

  void allow_corrections(const OperatorView &view) override
  {
    runner_.allow_residuals(view);
    count();
  }

protected:
  RelaxArguments arguments(const Scalar *b, Scalar *x) const
  {
    const std::size_t sums = storage_size(storage_.single_sums ? Precision::single : Precision::working);
    const BlocksAre blocks = storage_size(storage_.off_diagonal) < sums ? BlocksAre::converted : BlocksAre::as_stored;
    return {.rows = stored_rows(),
            .from_zero = false,
            .blocks = stored_,
            .diagonal = diagonal_.data(),
            .unscale = unscale_all_,
            .omega = options_.omega,
            .b = b,
            .x = x,
            .y = x,
            .ghosts = ghosts_.data(),
            .vectors = {},
            .prefetch_distance = prefetch_distance_of(works_in_teams<Exec>, blocks)};
  }
  // With in_place, blocks are in the order of the matrix.
  RelaxRows stored_rows() const
  {
    RelaxRows r = rows_of_.view();
    r.block = in_place() ? rows_of_.source.data() : nullptr;
    return r;
  }
  bool in_place() const { return options_.in_place; }

  bool fetches() const { return runner_.halo && options_.exchange != Exchange::none; }
  const SweepOrder<Space> &direction(bool backward) const { return backward ? runner_.backward : runner_.forward; }
  Index ghost_count() const { return Index(ghosts_.extent(0)) / runner_.n; }
  void count_read(bool from_zero)
  {
    runner_.statistics.bytes_read += double(from_zero ? first_bytes_ : runner_.statistics.factor_bytes);
  }

  Relaxation options_;
  ResidualRunner<Exec> runner_;
  Storage storage_;
  RelaxKernels<Exec> kernels_{}, any_size_{};
  CouplingRows<Space> rows_of_;
  TransposedCouplings<Space> transposed_;
  bool scaled_ = false, loaded_ = false; // loaded_: find_largest() has loaded the values with last_scale_
  Real last_scale_ = 0;                  // of the last factor(); 0: none
  BlockStorage<Space> blocks_, diagonal_;
  const void *stored_ = nullptr;         // couplings: blocks_, or the matrix's memory (in_place)
  Offset matrix_blocks_ = 0;             // blocks that in-place conversion narrows
  Array<Real, Space> largest_, unscale_; // by position; half precision only, either, by `scaling`
  Unscale unscale_all_;
  Array<Scalar, Space> ghosts_, rhs_;
  bool copies_ = false; // x and ghosts are copied to single precision, for sums in it
  Array<Single, Space> copy_, ghost_copy_;
  HostArray<Index> all_cut_, ghost_cut_; // 0 and the number of rows or of ghosts
  Index first_entries_ = 0;
  std::size_t first_bytes_ = 0;

private:
  CouplingValues source(const Values &values) const
  {
    return {rows_of_.source.data(), rows_of_.entries(), rows_of_.owned_entries, values.owned, values.coupling};
  }
  void load(const Values &values, Real scale)
  {
    runner_.clear_pivot_report();
    kernels_.load(runner_.independent(all_cut_.data()), runner_.n,
                  LoadArguments{.ptr = rows_of_.ptr.data(),
                                .row_of = runner_.row_of(),
                                .diagonal_entry = rows_of_.diagonal.data(),
                                .source = source(values),
                                .scale = scale,
                                .shift = runner_.shift,
                                .blocks = in_place() ? nullptr : blocks_.data(),
                                .diagonal = diagonal_.data(),
                                .unscale = unscale_.extent(0) ? unscale_.data() : nullptr,
                                .largest = largest_.extent(0) ? largest_.data() : nullptr,
                                .pivot_report = runner_.pivot_report.data()});
  }
  // Returns the maximum of largest_: one scalar is copied from a device.
  Real read_largest()
  {
    using Policy = Kokkos::RangePolicy<typename Exec::execution_space, Kokkos::IndexType<Index>>;
    Real most = 0;
    Kokkos::parallel_reduce("finegrain::largest", Policy(runner_.exec, 0, runner_.rows), LargestOf{largest_.data()},
                            Kokkos::Max<Real>(most));
    return std::max(most, Real(0));
  }
  // Converts the matrix's blocks in place to the stored couplings (Relaxation::in_place). Diagonal blocks are set to
  // zero, because their inverses are stored elsewhere. Zeros are narrowed exactly and are never too large.
  void reduce_in_place(Scalar *blocks, Real scale)
  {
    const Offset nn = Offset(runner_.n) * runner_.n;
    runner_.clear_blocks(rows_of_.diagonal, blocks, nn);
    // Ignored couplings to ghosts did not contribute to the scale, and are left unchanged.
    reduce_blocks<Exec>(runner_.exec, blocks, matrix_blocks_ * nn, storage_.off_diagonal, scale,
                        &runner_.pivot_report.data()->flushed);
    stored_ = blocks;
    any_size_.check(
      runner_.independent(all_cut_.data()), runner_.n,
      CheckArguments{.rows = stored_rows(), .blocks = stored_, .pivot_report = runner_.pivot_report.data()});
  }
  void count()
  {
    const double n = runner_.n, entries = rows_of_.entries();
    const std::size_t vector = runner_.scalars() * sizeof(Scalar);
    const Residuals<Space> &r = runner_.residuals;
    Statistics &s = runner_.statistics;
    const std::size_t sweeps = std::size_t(options_.sweeps) * (options_.sweep == SweepKind::symmetric ? 2 : 1);
    const std::size_t index = (rows_of_.ptr.span() + rows_of_.col.span() + rows_of_.row_of.span()) * sizeof(Index);
    const double first = double(first_entries_); // read by the first sweep
    const std::size_t blocks = std::size_t(rows_of_.entries()) * bytes_of_block(storage_.off_diagonal, runner_.n);
    s.factor_bytes = blocks + diagonal_.size() + unscale_.span() * sizeof(Real);
    first_bytes_ = std::size_t(double(blocks) * (entries > 0 ? first / entries : 0)) + diagonal_.size() +
                   unscale_.span() * sizeof(Real);
    s.index_bytes =
      rows_of_.bytes() + r.index_bytes() + runner_.forward.bytes() + runner_.backward.bytes() + runner_.flags.bytes();
    s.work_bytes = (ghosts_.span() + rhs_.span()) * sizeof(Scalar) +
                   (copy_.span() + ghost_copy_.span()) * sizeof(Single) + largest_.span() * sizeof(Real) +
                   r.work_bytes();
    s.apply_bytes = (sweeps - 1) * s.factor_bytes + first_bytes_ + sweeps * (index + 3 * vector);
    s.apply_flops = 2 * n * n * (double(sweeps) * (entries + runner_.rows) - (entries - first));
    s.factor_flops = 2 * n * n * n * runner_.rows;
    s.apply_launches = Offset(sweeps) * (runner_.by_kernels() ? s.widths.groups : s.tasks > 0);
    runner_.count_long_residual();
  }
};

} // namespace finegrain
