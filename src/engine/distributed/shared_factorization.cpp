// SPDX-License-Identifier: BSD-2-Clause
// The engine of a global factorization, one factor of all ranks: powerqilu's color by color, fgbilu's and sip's tile
// by tile of a grid (numerics.md 1, 3, 4). In: the pattern of owned rows and of the rows of other ranks that they
// read (SharedRows). Row functions are those of factor.hpp, sip.hpp and sweep.hpp. Between two stages the SharedHalo
// fetches the rows that other ranks have computed.
#include "distributed/shared_plan.hpp"
#include "eisenstat/eisenstat_form.hpp"
#include "factor/factoring.hpp"
#include "sip/sip_factoring.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

// Copies the owned blocks and the couplings of the matrix into one array. Outside of the class, for nvcc.
struct LoadParts {
  MatrixValues owned, coupling;
  Index entries; // entries of the owned square
  int n;
  Scalar *blocks;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    const Index e = Index(i / (n * n));
    const int at = int(i % (n * n));
    blocks[i] = e < entries ? owned.scalar(n, e, at) : coupling.scalar(n, e - entries, at);
  }
};

struct CopyOrAdd {
  const Scalar *from;
  Scalar *x, *total;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    x[i] = from[i];
    if (total) total[i] += from[i];
  }
};

template <class Exec> class SharedFactorization final : public Engine, private SplitForm, private RowSharing
{
  using Space = typename Exec::memory_space;

public:
  SetupError analyze(const OperatorView &view, const EngineOptions &options) override
  {
    if (const SetupError error = runner_.check(view, options)) return error;
    const SharedRows &shared = view.shared;
    all_ = shared.selection.graph.rows;
    pipelined_ = options.pipelined;
    SharedPlan plan;
    if (const SetupError error = make_shared_plan(view, options, runner_.machine(view.block), plan)) return error;
    FactorKind kind = options.factor;
    const auto pattern = split_pattern(shared.selection, plan.place, plan.row_of, Layout::row, kind);
    locate(shared.selection.graph, pattern);
    stages_ = plan.stages;
    storage_.stages = Index(stages_.size());
    storage_.stage = plan.stage_of;
    alpha_ = options.sip_factor.alpha;
    star_ =
      kind == FactorKind::sip ? copy_to<Space>(find_star(pattern, shared.whole_grid, shared.key)) : Star<Space>();
    factor_.pattern = copy_to<Space>(pattern);
    key_ = shared.key;
    forget_others();
    forms_ = {};

    runner_.begin(view, options, plan.plan, {});
    factor_.storage = {options.precision, options.diagonal};
    kernels_ = find_factor_kernels<Exec>(runner_.n, factor_.storage);
    transposed_kernel_ = find_factor_kernels<Exec>(0, factor_.storage).transposed;
    sip_kernel_ = find_sip_kernel<Exec>(runner_.n, factor_.storage);
    eisenstat_kernels_ = find_eisenstat_kernels<Exec>(runner_.n);
    factor_.allocate(runner_.n);
    const std::size_t block = std::size_t(runner_.n) * std::size_t(runner_.n);
    entries_ = view.owned.entries();
    loaded_ = make_array<Scalar, Space>("finegrain::loaded", std::size_t(entries_ + view.coupling.entries()) * block);
    x_ = make_array<Scalar, Space>("finegrain::x", std::size_t(all_) * std::size_t(runner_.n));
    y_ = make_array<Scalar, Space>("finegrain::y", options.eisenstat ? x_.extent(0) : 0);
    first_ = stages_.empty() ? 0 : stages_.front().first;
    halo_ = nullptr;
    count(shared, kind);
    return {};
  }

  SplitForm *split_form() override { return this; }
  RowSharing *sharing() override { return this; }
  SharedStorage shared_storage() const override
  {
    const std::size_t block = std::size_t(runner_.n) * std::size_t(runner_.n);
    SharedStorage s = storage_;
    s.diagonal_bytes = block * storage_size(factor_.storage.diagonal);
    s.block_bytes = block * storage_size(factor_.storage.off_diagonal);
    return s;
  }
  void set_halo(Halo *halo) override { runner_.halo = halo; }
  void set_shared_halo(SharedHalo *halo) override { halo_ = halo; }
  Scalar *scratch(Memory) override { return runner_.scratch(); }
  Real find_largest(const Values &) override { return -1; }
  void allow_corrections(const OperatorView &view) override
  {
    runner_.allow_residuals(view);
    runner_.count_long_residual();
  }
  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Memory) override
  {
    return runner_.find_long_residual(values, b, x);
  }

  FactorReport factor(const Values &values, Real) override
  {
    runner_.clear_pivot_report(all_);
    runner_.for_each(Offset(loaded_.extent(0)),
                     LoadParts{values.owned, values.coupling, entries_, runner_.n, loaded_.data()});
    const Index *row_of = pipelined_ ? factor_.row_of() : nullptr; // null: positions are reported
    const FactorArguments arguments = factor_arguments(factor_.pattern, factor_, runner_, {loaded_.data()}, row_of);
    const SipArguments sip =
      sip_arguments(factor_.pattern, star_, alpha_, factor_, runner_, {loaded_.data()}, row_of);
    for_stages(Travel::factor, x_.data(), [&](const Index *cut) {
      if (runner_.statistics.factor == FactorKind::sip) sip_kernel_(runner_.independent(cut), runner_.n, sip);
      else kernels_.factor(runner_.independent(cut), runner_.n, arguments);
    });
    forget_others();
    for (auto &form : forms_) form.forget();
    runner_.check_inverses(factor_.diagonal.data(), factor_.storage.diagonal, factor_.row_of(), all_);
    return report();
  }

  void reserve(const Application &a) override
  {
    if (a.transposed) find_transposed();
  }
  void apply(const Application &a) override
  {
    for (int v = 0; v < a.vectors; ++v) {
      const Scalar *b = a.b + v * a.stride;
      if (a.transposed) {
        load(b);
        sweep_transposed(Travel::forward);
        sweep_transposed(Travel::backward);
      } else {
        sweep_forward(b);
        sweep_backward();
      }
      runner_.for_each(Offset(runner_.scalars()), CopyOrAdd{x_.data(), a.x + v * a.stride, a.total});
      runner_.statistics.bytes_read += double(runner_.statistics.factor_bytes);
    }
    runner_.finish();
  }

  void apply_split(const SplitApplication &a) override
  {
    const bool left = a.split == Split::left_inverse;
    if (a.symmetric || a.split == Split::right)
      return forms_[std::size_t(a.symmetric)].apply_split(as_factor(), a.split, a.b, a.x);
    if (a.transposed || !left) load(a.b);
    if (a.transposed) sweep_transposed(left ? Travel::backward : Travel::forward);
    else if (left) sweep_forward(a.b);
    else sweep_backward();
    runner_.copy(a.x, runner_.scalars(), x_.data());
    runner_.finish();
  }

  void allow_products(const OperatorView &view) override { allow_corrections(view); }
  bool prepare(const Values &, bool symmetric) override
  {
    if (symmetric && halo_ && !has_diagonal_) halo_->fetch_diagonal(factor_.diagonal.data());
    has_diagonal_ |= symmetric;
    const bool good = forms_[std::size_t(symmetric)].prepare(as_factor(), symmetric);
    runner_.statistics.difference_bytes = forms_[0].bytes() + forms_[1].bytes();
    return good;
  }
  void multiply(const EisenstatProduct &a) override { forms_[std::size_t(a.symmetric)].multiply(as_factor(), a); }

  Statistics statistics() const override
  {
    Statistics s = runner_.statistics;
    s.launches = runner_.launches;
    return s;
  }

private:
  // Reports the first bad row, because rows that follow it are bad too. With tiles these have larger numbers, on any
  // rank; with colors they have later colors.
  FactorReport report()
  {
    FactorReport found = runner_.read_pivot_report(all_);
    if (found.bad_row < 0 || pipelined_) return found;
    while (found.bad_row >= stages_[std::size_t(found.bad_stage)].last) ++found.bad_stage;
    found.bad_row = copy_to<Kokkos::HostSpace>(factor_.pattern.row_of)(found.bad_row);
    return found;
  }

  // Finds the storage of each row and entry of the graph.
  void locate(const Graph &g, const Pattern<Kokkos::HostSpace> &p)
  {
    storage_.diagonal = make_array<Index>("finegrain::position", std::size_t(all_));
    storage_.entry = make_array<Index>("finegrain::entry", std::size_t(g.entries()));
    storage_.is_upper.assign(std::size_t(g.entries()), 0);
    Kokkos::deep_copy(storage_.entry, Index(-1));
    const auto visit = [&](const Triangle<Kokkos::HostSpace> &t, Index sweep_index, Index row, bool upper) {
      for (Index f = t.ptr(sweep_index); f < t.ptr(sweep_index + 1); ++f) {
        const Index *first = g.col.data() + g.ptr(row), *last = g.col.data() + g.ptr(row + 1);
        const std::ptrdiff_t e = std::lower_bound(first, last, t.col(f)) - g.col.data();
        storage_.entry(e) = f;
        storage_.is_upper[std::size_t(e)] = upper;
      }
    };
    for (Index pos = 0; pos < all_; ++pos) {
      const Index row = p.permuted ? p.row_of(pos) : pos;
      storage_.diagonal(row) = pos;
      visit(p.lower, pos, row, false);
      visit(p.upper, all_ - 1 - pos, row, true);
    }
  }

  // Calls run(cut) for the rows of each stage that other ranks need, then for its other rows, and exchanges rows
  // meanwhile. x is the vector of the sweep.
  template <class Body> void for_stages(Travel travel, Scalar *x, const Body &run)
  {
    const SharedArrays arrays{x, x + runner_.scalars(), factor_.diagonal.data(), factor_.upper.data()};
    const bool backward = travel == Travel::backward;
    const Index stages = Index(stages_.size());
    if (halo_) halo_->start(travel, arrays);
    for (Index i = 0; i < stages; ++i) {
      const Index stage = backward ? stages - 1 - i : i;
      const Stage &s = stages_[std::size_t(stage)];
      const Index sent[] = {backward ? all_ - s.split : s.first, backward ? all_ - s.first : s.split};
      const Index rest[] = {backward ? all_ - s.last : s.split, backward ? all_ - s.split : s.last};
      if (halo_) halo_->await(travel, stage, arrays);
      if (sent[0] < sent[1]) run(sent);
      if (halo_) {
        runner_.finish();
        halo_->begin(travel, stage, arrays);
      }
      if (rest[0] < rest[1]) run(rest);
      if (halo_) {
        runner_.finish();
        halo_->end(travel, stage, arrays);
      }
    }
  }

  void load(const Scalar *b) { runner_.copy(x_.data(), runner_.scalars(), b); }
  void sweep_forward(const Scalar *b)
  {
    const ForwardArguments forward = factor_.forward(b, x_.data());
    for_stages(Travel::forward, x_.data(),
               [&](const Index *cut) { kernels_.forward(runner_.independent(cut), runner_.n, forward); });
  }
  void sweep_backward()
  {
    const BackwardArguments backward = factor_.backward(x_.data(), true, x_.data());
    for_stages(Travel::backward, x_.data(),
               [&](const Index *cut) { kernels_.backward(runner_.independent(cut), runner_.n, backward); });
  }

  struct StagedSweeps {
    SharedFactorization *all;

    template <class Body> void forward(Scalar *x, const Body &body) const { run(Travel::forward, x, body); }
    template <class Body> void backward(Scalar *x, const Body &body) const { run(Travel::backward, x, body); }
    const Scalar *with_others(const Scalar *b, Scalar *t) const
    {
      if (b != t) all->runner_.copy(t, all->runner_.scalars(), b);
      return t;
    }

  private:
    template <class Body> void run(Travel travel, Scalar *x, const Body &body) const
    {
      all->for_stages(travel, x, [&](const Index *cut) { body(all->runner_.independent(cut)); });
    }
  };
  EisenstatFactor<Exec, StagedSweeps> as_factor()
  {
    return {.run = runner_,
            .sweeps = {this},
            .pattern = factor_.pattern,
            .kernels = eisenstat_kernels_,
            .backward_kernel = kernels_.backward,
            .upper = static_cast<const Scalar *>(static_cast<const void *>(factor_.upper.data())),
            .diagonal = static_cast<const Scalar *>(static_cast<const void *>(factor_.diagonal.data())),
            .source = {loaded_.data()},
            .row_of = factor_.pattern.row_of.data(),
            .rows = all_,
            .own = {first_, first_ + runner_.rows},
            .forward = {},
            .backward = {},
            .coupled = nullptr, // the factor contains all couplings
            .t = x_.data(),
            .y = y_.data(),
            .y_by_row = true};
  }
  void forget_others() { has_lower_ = has_diagonal_ = false; }

  // Transposed sweep over the vector in x_.
  void sweep_transposed(Travel travel)
  {
    const bool backward = travel == Travel::backward;
    find_transposed();
    if (halo_ && !has_lower_) halo_->fetch_lower(factor_.lower.data());
    has_lower_ = true;
    const TransposedArguments arguments = factor_.transposed_sweep(backward, x_.data(), x_.data(), {});
    for_stages(travel, x_.data(),
               [&](const Index *cut) { transposed_kernel_(runner_.independent(cut), runner_.n, arguments); });
  }
  // Computed at first use. Terms of a row are in the order of the keys, independent of the ranks that own them.
  void find_transposed()
  {
    if (factor_.has_transposed) return;
    auto t = transpose_pattern(copy_to<Kokkos::HostSpace>(factor_.pattern));
    for (auto *part : {&t.upper, &t.lower})
      for (Index sweep_index = 0; sweep_index < all_; ++sweep_index) {
        std::vector<std::pair<Index, Index>> terms;
        for (Index e = part->ptr(sweep_index); e < part->ptr(sweep_index + 1); ++e)
          terms.push_back({part->row(e), part->entry(e)});
        std::sort(terms.begin(), terms.end(),
                  [&](const auto &a, const auto &b) { return key_(a.first) < key_(b.first); });
        for (std::size_t k = 0; k < terms.size(); ++k) {
          part->row(part->ptr(sweep_index) + Index(k)) = terms[k].first;
          part->entry(part->ptr(sweep_index) + Index(k)) = terms[k].second;
        }
      }
    factor_.transposed = copy_to<Space>(t);
    factor_.has_transposed = true;
    runner_.statistics.index_bytes += factor_.transposed.bytes();
  }

  // Counts blocks and operations of owned rows, but the memory of all stored rows.
  void count(const SharedRows &shared, FactorKind kind)
  {
    const auto pattern = copy_to<Kokkos::HostSpace>(factor_.pattern);
    Statistics &s = runner_.statistics;
    s.factor = kind;
    for (const Stage &stage : stages_) {
      s.lower += pattern.lower.ptr(stage.last) - pattern.lower.ptr(stage.first);
      s.upper += pattern.upper.ptr(all_ - stage.first) - pattern.upper.ptr(all_ - stage.last);
    }
    s.colors = shared.colors;
    s.coloring = shared.coloring;
    s.symmetrized = shared.symmetrized;
    s.fill = shared.fill;
    s.operator_blocks = s.lower + s.upper + s.rows - s.fill;
    s.dropped = shared.dropped;
    s.updates = Offset(pattern.listed());
    const double nn = double(runner_.n) * runner_.n;
    s.factor_bytes = factor_.bytes();
    s.index_bytes = factor_.pattern.bytes();
    s.work_bytes = (x_.span() + loaded_.span()) * sizeof(Scalar);
    s.apply_bytes = s.factor_bytes + 4 * runner_.scalars() * sizeof(Scalar) + factor_.structure() * sizeof(Index);
    s.apply_flops = 2 * nn * (double(s.lower) + double(s.upper) + double(runner_.rows));
    s.factor_flops = 2 * nn * runner_.n * (double(s.updates) + double(s.upper) + double(runner_.rows));
    s.apply_launches = s.algorithm == Algorithm::levels ? 4 * Offset(stages_.size()) : 0;
  }

  ResidualRunner<Exec> runner_;
  SharedHalo *halo_ = nullptr;
  bool pipelined_ = false;
  Index all_ = 0;     // rows, including those of other ranks
  Index entries_ = 0; // entries of the owned square
  std::vector<Stage> stages_;
  SharedStorage storage_;
  HostArray<std::int64_t> key_;
  StoredFactor<Exec> factor_;
  bool has_lower_ = false, has_diagonal_ = false; // blocks of other ranks have been fetched
  std::array<EisenstatForm<Exec>, 2> forms_;      // general, symmetric; tiles only
  Index first_ = 0;                               // first owned sweep index, with tiles
  FactorKernels<Exec> kernels_{};
  decltype(FactorKernels<Exec>::transposed) transposed_kernel_ = nullptr;
  SipKernel<Exec> sip_kernel_ = nullptr;
  EisenstatKernels<Exec> eisenstat_kernels_{};
  Star<Space> star_; // Stone's factor only
  Real alpha_ = 0;
  Array<Scalar, Space> loaded_, x_; // blocks of the matrix; vector of both sweeps
  Array<Scalar, Space> y_;          // vector of Eisenstat's trick
};

} // namespace

std::unique_ptr<Engine> make_shared_factorization(Backend backend)
{
  return make_engine_on<SharedFactorization>(backend);
}

} // namespace finegrain
