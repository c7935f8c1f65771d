// SPDX-License-Identifier: BSD-2-Clause
// Engine of fgbilu, fgbicc, powerqilu and of each factor of sip: triangular sweeps (numerics.md 1, 3, 4). In: a
// graph, options, values. It makes a plan, a Factoring, which computes the factor, and Sweeps, which apply it.
#include "eisenstat/eisenstat_sweeps.hpp"
#include "factor/half_sweeps.hpp"
#include "factor/symmetric_factor.hpp"
#include "factor/full_factoring.hpp"
#include "order/selection.hpp"
#include "run/make_plan.hpp"
#include "sip/sip_factoring.hpp"

namespace finegrain
{

namespace
{

template <class Exec> class Factorization final : public Engine, private SplitForm
{
  using Space = typename Exec::memory_space;

public:
  SetupError analyze(const OperatorView &view, const EngineOptions &options) override
  {
    if (const SetupError error = runner_.check(view, options)) return error;
    const Storage storage{options.precision, options.diagonal, options.single_sums};
    const bool in_half = storage == half_factor;
    auto factoring = make_factoring(options);
    if (!factoring->fits(view.block)) return {SetupError::scratch};
    Elimination elimination;
    if (const SetupError error = factoring->eliminate(view.owned, options, elimination)) return error;
    if (elimination.drops_after) factoring = std::make_unique<FullFactoring<Exec>>(runner_, factor_);
    Plan plan;
    if (const SetupError error = make_plan(elimination, view.block, options, runner_.machine(view.block), plan))
      return error;
    if (in_half) plan.y = Layout::row; // sweeps overwrite y

    FactorKind kind = options.factor;
    factor_precision_ = in_half ? Storage() : storage;
    if (const SetupError error = factoring->make_pattern(view, options, elimination, plan, factor_precision_, kind))
      return error;
    factoring_ = std::move(factoring);
    runner_.begin(view, options, plan, factor_.pattern.row_of);
    reports_position_ = elimination.ordering.extent(0) > 0; // rows that follow a bad one are bad too
    factor_.storage = storage;
    factor_.drops_after = elimination.drops_after;
    factor_.allocate(runner_.n, kind == FactorKind::icc);
    grid_ = options.grid;
    grid_coupling_ = options.coupling;

    Statistics &s = runner_.statistics;
    s.factor = kind;
    s.ignored_inside = elimination.selection.ignored.entries();
    s.ignored = view.coupling.entries() + Index(view.ignored_off_rank) + s.ignored_inside;
    s.fill = elimination.fill;
    s.operator_blocks = elimination.entries;
    s.dropped = elimination.dropped;
    s.colors = elimination.colors;
    s.coloring = elimination.coloring;
    s.symmetrized = elimination.symmetrized;
    choose_sweeps(kind, in_half, options.eisenstat && kind == FactorKind::dilu);
    sweeps_->begin(options, plan);
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
  Real find_largest(const Values &) override { return -1; }

  FactorReport factor(const Values &values, Real) override
  {
    runner_.clear_pivot_report();
    StoredBlocks<Space> computed = factor_.factorization_memory(runner_.n, factor_precision_);
    factoring_->factor(values, computed, reports_position_ ? nullptr : runner_.row_of());
    if (computed.lower.data() != factor_.lower.data()) {
      runner_.exec.fence(); // before memory is freed
      factoring_->free_memory();
    }
    sweeps_->adopt(computed);
    runner_.check_inverses(factor_.diagonal.data(), factor_.storage.diagonal, runner_.row_of(), runner_.rows);
    FactorReport report = runner_.read_pivot_report();
    if (reports_position_ && report.bad_row >= 0 && runner_.row_of())
      report.bad_row = copy_to<Kokkos::HostSpace>(factor_.pattern.row_of)(report.bad_row);
    sweeps_->keep_report(report);
    count();
    return report;
  }

  void reserve(const Application &a) override { sweeps_->reserve(a); }
  void apply(const Application &a) override
  {
    if (a.vectors == 1 || a.transposed || !sweeps_->goes_by_lines()) return sweeps_->apply(a);
    Application one = a; // sweeps by lines have one vector, and are faster
    one.vectors = 1;
    for (int v = 0; v < a.vectors; ++v, one.b += a.stride, one.x += a.stride) sweeps_->apply(one);
  }
  void allow_corrections(const OperatorView &view) override
  {
    runner_.allow_residuals(view);
    sweeps_->allow_corrections(view, select_for_factor(view.owned, grid_, grid_coupling_));
    count();
  }
  void correct(const Correction &c) override
  {
    if (!sweeps_->correct(c)) Engine::correct(c);
  }
  Statistics statistics() const override
  {
    Statistics s = runner_.statistics;
    s.launches = runner_.launches;
    s.short_residual = sweeps_ && sweeps_->has_short_residual();
    s.index_bytes += factor_.transposed.bytes();
    return s;
  }

  SplitForm *split_form() override { return this; }

private:
  void apply_split(const SplitApplication &a) override { sweeps_->apply_split(a); }
  void allow_products(const OperatorView &view) override
  {
    const Selection selection = select_for_factor(view.owned, grid_, grid_coupling_);
    if (!runner_.residuals.kept) {
      runner_.allow_residuals(view);
      eisenstat_->keep_ignored(view, selection);
    }
    eisenstat_->allow_products(view, selection);
    count();
  }
  bool prepare(const Values &values, bool symmetric) override
  {
    const bool good = eisenstat_->prepare(values, symmetric);
    count();
    return good;
  }
  void multiply(const EisenstatProduct &a) override { eisenstat_->multiply(a); }

  std::unique_ptr<Factoring<Exec>> make_factoring(const EngineOptions &options)
  {
    if (options.factor == FactorKind::sip) return std::make_unique<SipFactoring<Exec>>(runner_, factor_);
    if (options.factor == FactorKind::icc) return std::make_unique<SymmetricFactoring<Exec>>(runner_, factor_);
    return std::make_unique<ProductsFactoring<Exec>>(runner_, factor_);
  }
  void choose_sweeps(FactorKind kind, bool in_half, bool eisenstat)
  {
    sweeps_.reset();
    eisenstat_ = nullptr;
    if (in_half) sweeps_ = std::make_unique<HalfSweeps<Exec>>(runner_, factor_);
    else if (kind == FactorKind::icc) sweeps_ = std::make_unique<SymmetricSweeps<Exec>>(runner_, factor_);
    else if (eisenstat) {
      auto both = std::make_unique<EisenstatSweeps<Exec>>(runner_, factor_);
      eisenstat_ = both.get();
      sweeps_ = std::move(both);
    } else sweeps_ = std::make_unique<WorkingSweeps<Exec>>(runner_, factor_);
  }

  void count()
  {
    const double n = runner_.n, nn = n * n, lower = double(factor_.pattern.lower.col.extent(0)),
                 upper = double(factor_.pattern.upper.col.extent(0));
    const FactoringCount count = factoring_->count();
    const Residuals<Space> &r = runner_.residuals;
    const std::size_t vector = runner_.scalars() * sizeof(Scalar),
                      block = std::size_t(runner_.n * runner_.n) * sizeof(Scalar);
    const std::size_t lines = sweeps_->line_bytes();
    Statistics &s = runner_.statistics;
    s.lower = Index(lower);
    s.upper = s.factor == FactorKind::icc ? 0 : Index(upper); // stored blocks
    s.updates = Offset(count.products);
    s.searched = count.searched;
    s.lists_deferred = count.lists_deferred;
    s.factor_bytes = factor_.bytes();
    s.index_bytes = factor_.pattern.bytes() + count.indices + r.index_bytes() + runner_.forward.bytes() +
                    runner_.backward.bytes() + runner_.factor_order.bytes() + runner_.flags.bytes() + lines;
    s.work_bytes = sweeps_->work_bytes() + count.blocks + r.work_bytes();
    s.apply_bytes = sweeps_->block_bytes() + 4 * vector + (lines > 0 ? lines : factor_.structure() * sizeof(Index));
    s.apply_flops = 2 * nn * (lower + upper + runner_.rows);
    s.factor_flops = 2 * nn * n * (count.products + count.upper + runner_.rows);
    s.apply_launches = runner_.by_kernels() ? 2 * Offset(runner_.forward.groups()) : s.tasks > 0 ? 2 : 0;
    if (!r.kept) return;
    runner_.count_long_residual();
    const std::size_t short_blocks = std::size_t(runner_.rows) + r.ignored.entries() + r.ghost.entries();
    s.difference_bytes = sweeps_->difference_bytes();
    s.residual_bytes = short_blocks * block;
    s.residual_flops = 2 * nn * double(short_blocks) + n * (lower + runner_.rows);
  }

  ResidualRunner<Exec> runner_;
  StoredFactor<Exec> factor_;
  std::unique_ptr<Factoring<Exec>> factoring_;
  std::unique_ptr<Sweeps<Exec>> sweeps_;
  EisenstatSweeps<Exec> *eisenstat_ = nullptr; // the sweeps, if they are Eisenstat's
  Storage factor_precision_;
  Grid grid_;
  GridCoupling grid_coupling_ = GridCoupling::coupled;
  bool reports_position_ = false; // the kernel reports the first bad position, not the smallest row
};

} // namespace

std::unique_ptr<Engine> make_factorization(Backend backend) { return make_engine_on<Factorization>(backend); }

} // namespace finegrain
