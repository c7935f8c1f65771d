// The engine of fgbilu, powerqilu and of each factor of sip: triangular sweeps (numerics.md 1, 3, 4). In: a graph,
// options, values. It plans, stores the factor, and runs the row functions of factor.hpp, sip.hpp and sweep.hpp.
#include "kernels/symmetric.hpp"
#include "methods/compact_form.hpp"
#include "methods/eisenstat_form.hpp"
#include "methods/product_search.hpp"
#include "methods/runner.hpp"
#include "methods/stored_factor.hpp"
#include "methods/whole_factor.hpp"
#include "plan/make_plan.hpp"
#include "run/teams.hpp"

#include <optional>

namespace finegrain
{

namespace
{

// Entries of the operator become numbers in its MatrixValues.
void renumber(const HostArray<Index> &stored, Pattern<Kokkos::HostSpace> &p)
{
  for (const auto &list : {p.lower.source, p.diagonal})
    for (std::size_t e = 0; e < list.extent(0); ++e) list(e) = list(e) < 0 ? ~stored(~list(e)) : stored(list(e));
}

// x by row = y by position. Outside of the class, for nvcc.
struct ToRows {
  const Index *row_of;
  int n;
  const Scalar *y;
  Scalar *x;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { x[Offset(row_of[i / n]) * n + i % n] = y[i]; }
};

template <class Exec> class Factorization final : public Engine
{
  using Space = typename Exec::memory_space;

public:
  SetupError analyze(const OperatorView &view, const EngineOptions &options) override
  {
    if (const SetupError error = run_.check(view, options)) return error;
    if (works_in_teams<Exec> && options.factor == FactorKind::sip &&
        !fits_team<SipRow<0, Scalar, Scalar>>(view.block))
      return {SetupError::scratch};
    if (works_in_teams<Exec> && options.factor == FactorKind::icc &&
        !fits_team<SymmetricFactorRow<0, Scalar, Scalar>>(view.block))
      return {SetupError::scratch};
    Elimination elimination;
    if (const SetupError error = choose_elimination(view.owned, options, elimination)) return error;
    Plan plan;
    if (const SetupError error = make_plan(elimination, view.block, options, run_.machine(view.block), plan))
      return error;

    symmetric_ = options.factor == FactorKind::icc;
    FactorKind kind = symmetric_ ? FactorKind::dilu : options.factor;
    eisenstat_ = options.eisenstat;
    if (eisenstat_ && kind == FactorKind::automatic) kind = FactorKind::dilu;
    compact_.begin(options, view.block);
    if (compact_.used()) plan.y = Layout::row; // sweeps overwrite y
    const Storage made_in = compact_.made_in();
    if (const SetupError error = make_pattern(view, options, elimination, made_in, plan, kind)) return error;
    run_.begin(view, options, plan, factor_.pattern.row_of);
    forms_ = {};
    factor_.alpha = options.sip_factor.alpha;
    reports_position_ = elimination.ordering.extent(0) > 0; // rows that follow a bad one are bad too
    factor_.storage = {options.precision, options.diagonal};
    kernels_ = find_kernels<Exec>(run_.n, made_in);
    any_size_ = any_size_kernels_for<Exec>(made_in);
    set_lines(plan);

    factor_.allocate(run_.n, symmetric_);
    grid_ = options.grid;
    grid_coupling_ = options.coupling;
    y_ = make_array<Scalar, Space>("finegrain::y", factor_.pattern.y == Layout::position ? run_.scalars() : 0);
    y_many_ = {};
    run_.forget(recording_);
    factored_ = false;
    shifted_ = false;

    run_.statistics.factor = symmetric_ ? FactorKind::icc : kind;
    run_.statistics.left_out_inside = elimination.selection.left_out.entries();
    run_.statistics.left_out = view.coupling.entries() + Index(view.unseen) + run_.statistics.left_out_inside;
    run_.statistics.fill = elimination.fill;
    run_.statistics.operator_blocks = elimination.entries;
    run_.statistics.dropped = elimination.dropped;
    run_.statistics.colors = elimination.colors;
    run_.statistics.coloring = elimination.coloring;
    run_.statistics.symmetrized = elimination.symmetrized;
    count();
    return {};
  }

  void set_halo(Halo *halo) override { run_.halo = halo; }
  bool set_queue(const Queue &queue) override { return run_.set_queue(queue); }
  Scalar *scratch(Memory) override { return run_.scratch(); }
  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Memory) override
  {
    return run_.find_long_residual(values, b, x);
  }
  Real find_largest(const Values &) override { return -1; }

  FactorReport factor(const Values &values, Real) override
  {
    run_.clear_trouble();
    if constexpr (std::is_same_v<Space, Kokkos::HostSpace>)
      if (std::exchange(factored_, true) && made().lists_wait) {
        list_products(made());
        search_.prepare(made(), run_.n);
        count();
      }
    StoredBlocks<Space> made = factor_.make_room(run_.n, compact_.made_in());
    whole_.reserve();
    if (run_.statistics.factor == FactorKind::sip) factor_sip(values, made);
    else if (symmetric_) factor_symmetric(values);
    else factor_blocks(values, made);
    if (whole_.used()) whole_.keep(run_, made.lower.data(), made.upper.data());
    if (compact_.used()) {
      run_.exec.fence(); // before memory goes
      whole_.give_back();
      if (compact_.compact(bare(), made)) run_.forget(recording_);
    }
    for (auto &form : forms_) form.forget();
    FactorReport report = run_.report_trouble();
    factor_.lower.template measure<Exec>();
    if (reports_position_ && report.bad_row >= 0 && run_.row_of())
      report.bad_row = copy_to<Kokkos::HostSpace>(factor_.pattern.row_of)(report.bad_row);
    shifted_ = report.shifted > 0;
    run_.residuals.difference_known = run_.residuals.keeps_difference;
    return report;
  }

  void reserve(const Application &a) override
  {
    if (compact_.used()) compact_.reserve(run_, a);
    else if (a.vectors > 1 && !a.transposed && forward_lines_.empty()) make_room_for_several(a.stride);
    if (a.transposed && (compact_.used() || !symmetric_)) find_transposed();
  }

  void apply(const Application &a) override
  {
    if (a.vectors > 1 && !a.transposed && !forward_lines_.empty()) { // lines have one vector, and are faster
      Application one = a;
      one.vectors = 1;
      for (int v = 0; v < a.vectors; ++v, one.b += a.stride, one.x += a.stride) apply(one);
      return;
    }
    if (compact_.used()) return apply_compact(a);
    if (a.transposed && !symmetric_) return apply_transposed(a);
    if (a.vectors > 1) return apply_to_several(a);
    if (!replay(a)) {
      Scalar *y = y_.extent(0) ? y_.data() : a.x;
      y_known_ = y_.extent(0) > 0 && !a.total;
      kernels_.forward(run_.sweep(run_.forward), run_.n, forward_arguments(a.b, y));
      sweep_backward(y, a.x, a.total);
    }
    run_.statistics.bytes_read += double(block_bytes());
    run_.finish();
  }

  Statistics statistics() const override
  {
    Statistics s = run_.statistics;
    s.launches = run_.launches;
    s.short_residual = has_short_residual();
    return s;
  }

  void allow_corrections(const OperatorView &view) override
  {
    const Selection selection = select_for_factor(view.owned, grid_, grid_coupling_);
    run_.allow_residuals(view);
    Residuals<Space> &r = run_.residuals;
    y_known_ = false;
    r.left_out.set(selection.left_out, selection.left_out_entry);
    r.y = make_array<Scalar, Space>("finegrain::y", run_.scalars());
    if (!y_.extent(0)) y_ = make_array<Scalar, Space>("finegrain::y", run_.scalars());
    r.keeps_difference =
      !eisenstat_ && !whole_.used() && (symmetric_ || run_.statistics.factor == FactorKind::dilu) &&
      run_.statistics.precision == Precision::working && run_.statistics.diagonal == Precision::working;
    if (eisenstat_) find_coupled(selection.left_out, view.coupling);
    if (r.keeps_difference)
      r.difference = make_array<Scalar, Space>("finegrain::difference", run_.scalars() * std::size_t(run_.n));
    count();
  }

  void apply_part(const PartApplication &a) override
  {
    if (a.transposed) apply_transposed_part(a);
    else if (compact_.used()) compact_.apply_part(bare(), a.part, a.b, a.x);
    else if (a.symmetric || a.part == Part::right) {
      forms_[std::size_t(a.symmetric)].apply_part(whole(), a.part, a.b, a.x);
    } else if (a.part == Part::left_inverse) {
      Scalar *y = run_.y_by_row() ? a.x : y_.data();
      y_known_ = false;
      kernels_.forward(run_.sweep(run_.forward), run_.n, forward_arguments(a.b, y));
      if (y != a.x) to_rows(y, a.x);
    } else sweep_backward(a.b, a.x, nullptr, {}, true);
    run_.finish();
  }
  bool prepare(const Values &values, bool symmetric) override
  {
    const bool good = forms_[std::size_t(symmetric)].prepare(whole(values), symmetric);
    count();
    return good;
  }
  void multiply(const EisenstatProduct &a) override { forms_[std::size_t(a.symmetric)].multiply(whole(), a); }

  void correct(const Correction &c) override
  {
    if (compact_.used()) return Engine::correct(c);
    const bool is_short = has_short_residual() && y_known_ && c.last && c.values.short_residual;
    Residuals<Space> &r = run_.residuals;
    if (is_short) std::swap(y_, r.y); // the residual takes the y of the sweep before; this sweep writes the other
    run_.find_residual(c.values, c.b, is_short ? c.last : c.x, is_short);
    ForwardArguments forward = forward_arguments(r.rhs.data(), y_.data());
    forward.z = r.y.data();
    y_known_ = true;
    (is_short ? kernels_.corrected_forward : kernels_.forward)(run_.sweep(run_.forward), run_.n, forward);
    sweep_backward(y_.data(), c.step, c.total);
    run_.statistics.bytes_read +=
      double(run_.statistics.factor_bytes) +
      double(is_short ? run_.statistics.residual_bytes : run_.statistics.long_residual_bytes);
    run_.finish();
  }

private:
  // What is factored and where, of an elimination in the order of a plan.
  SetupError make_pattern(const OperatorView &view, const EngineOptions &options, const Elimination &e,
                          const Storage &made_in, const Plan &plan, FactorKind &kind)
  {
    factor_.star = {};
    const bool may_search = !works_in_teams<Exec> && !symmetric_;
    auto pattern = split_pattern(e.selection, e.ordering, plan.row_of, plan.y, kind,
                                 {may_search ? options.products : Products::listed,
                                  double(bytes_of_block(made_in.off_diagonal, view.block)), view.block,
                                  count_workers(plan.executor, view.block)});
    if (symmetric_ && !fold_upper(pattern)) return {SetupError::unsymmetric};
    if (view.stored.extent(0)) renumber(view.stored, pattern);
    search_.prepare(pattern, view.block);
    whole_.begin(e, made_in, view.block, pattern);
    if (!compact_.used()) whole_.reserve();
    factor_.pattern = copy_to<Space>(pattern);
    if (kind == FactorKind::sip) factor_.star = copy_to<Space>(find_star(pattern, options.grid));
    return {};
  }
  // An application as a graph. Corrections change which y a sweep has.
  bool replay(const Application &a)
  {
    if (a.total || run_.residuals.kept) return false;
    return run_.replay(recording_, {a.b, a.x}, [this] {
      kernels_.forward(run_.sweep(run_.forward), run_.n, forward_arguments(nullptr, y_.data()));
      sweep_backward(y_.data(), nullptr, nullptr);
    });
  }
  typename CompactForm<Exec>::Factor bare()
  {
    return {run_, factor_.pattern, factor_, list(forward_lines_), list(backward_lines_)};
  }
  void apply_compact(const Application &a)
  {
    if (a.transposed) {
      find_transposed();
      compact_.apply_transposed(bare(), factor_.transposed, a);
    } else if (a.vectors > 1 || a.total || !run_.replay(recording_, {a.b, a.x}, [&] { compact_.apply(bare(), a); }))
      compact_.apply(bare(), a);
    run_.statistics.bytes_read += double(block_bytes()) * ((a.vectors + most_vectors - 1) / most_vectors);
    run_.finish();
  }
  // That an application reads: without upper blocks, the others twice.
  std::size_t block_bytes() const
  {
    return symmetric_ ? 2 * run_.statistics.factor_bytes : run_.statistics.factor_bytes;
  }
  bool has_short_residual() const { return run_.residuals.difference_known && !shifted_; }

  // Whether sweeps have a y of their own.
  bool make_room_for_several(Offset stride)
  {
    const bool separate = factor_.pattern.y == Layout::position;
    if (separate && Offset(y_many_.extent(0)) < stride * most_vectors) // at first use
      y_many_ = make_array<Scalar, Space>("finegrain::y", std::size_t(stride) * std::size_t(most_vectors));
    return separate;
  }
  void apply_to_several(const Application &a)
  {
    const auto [b, x, stride, vectors] = std::tuple(a.b, a.x, a.stride, a.vectors);
    const bool separate = make_room_for_several(stride);
    for (int first = 0; first < vectors; first += most_vectors) {
      const Offset at = first * stride;
      Scalar *y = separate ? y_many_.data() : x + at;
      ForwardArguments forward = forward_arguments(b + at, y);
      forward.vectors = {std::min(most_vectors, vectors - first), stride};
      kernels_.many_forward(run_.sweep(run_.forward), run_.n, forward);
      sweep_backward(y, x + at, nullptr, forward.vectors);
      run_.statistics.bytes_read += double(block_bytes());
    }
    run_.finish();
  }

  void apply_transposed(const Application &a)
  {
    const auto [b, x, stride, vectors] = std::tuple(a.b, a.x, a.stride, a.vectors);
    find_transposed();
    for (int first = 0; first < vectors; first += most_vectors) {
      const Offset at = first * stride;
      const Vectors some{std::min(most_vectors, vectors - first), stride};
      any_size_.transposed(run_.sweep(run_.forward), run_.n, factor_.transposed_sweep(false, b + at, x + at, some));
      any_size_.transposed(run_.sweep(run_.backward), run_.n, factor_.transposed_sweep(true, x + at, x + at, some));
      run_.statistics.bytes_read += double(run_.statistics.factor_bytes);
    }
    run_.finish();
  }
  void find_coupled(const Graph &left_out, const Graph &coupling)
  {
    const auto row_of = copy_to<Kokkos::HostSpace>(factor_.pattern.row_of);
    const auto row_at = [&](Index slot) { return row_of.extent(0) ? row_of(slot) : slot; };
    const auto has = [&](const Graph &g, Index row) { return g.entries() > 0 && g.ptr(row + 1) > g.ptr(row); };
    std::vector<Index> slots;
    for (Index slot = 0; slot < run_.rows; ++slot)
      if (has(left_out, row_at(slot)) || has(coupling, row_at(slot))) slots.push_back(slot);
    coupled_ = split_places<Space>(std::move(slots), coupling, row_at);
  }
  struct WholeSweeps {
    Runner<Exec> &run;

    template <class Body> void forward(Scalar *, const Body &body) const { body(run.sweep(run.forward)); }
    template <class Body> void backward(Scalar *, const Body &body) const { body(run.sweep(run.backward)); }
    const Scalar *with_others(const Scalar *b, Scalar *) const { return b; }
  };
  EisenstatFactor<Exec, WholeSweeps> whole(const Values &values = {})
  {
    y_known_ = false;
    return {.run = run_,
            .sweeps = {run_},
            .pattern = factor_.pattern,
            .kernels = kernels_,
            .upper = static_cast<const Scalar *>(factor_.upper.data()),
            .diagonal = static_cast<const Scalar *>(factor_.diagonal.data()),
            .source = values.owned,
            .row_of = run_.row_of(),
            .rows = run_.rows,
            .own = run_.every_slot,
            .forward = list(forward_lines_),
            .backward = list(backward_lines_),
            .coupled = &coupled_,
            .t = y_.data(),
            .y = run_.residuals.y.data(),
            .y_by_row = run_.y_by_row()};
  }
  // P_R^-T = (I + W^T)^-1 and P_L^-T = (D^T + L^T)^-1, the two sweeps of a transposed application.
  void apply_transposed_part(const PartApplication &a)
  {
    find_transposed();
    const bool left = a.part == Part::left_inverse;
    any_size_.transposed(run_.sweep(left ? run_.backward : run_.forward), run_.n,
                         factor_.transposed_sweep(left, a.b, a.x, {}));
  }
  void find_transposed() // at first use
  {
    if (factor_.has_transposed) return;
    factor_.transposed = copy_to<Space>(transpose_pattern(copy_to<Kokkos::HostSpace>(factor_.pattern)));
    factor_.has_transposed = true;
    run_.statistics.index_bytes += factor_.transposed.bytes();
  }
  // x by row = y by position.
  void to_rows(const Scalar *y, Scalar *x)
  {
    run_.for_each(Offset(run_.scalars()), ToRows{run_.row_of(), run_.n, y, x});
  }
  // Threads of a host that factor at once.
  int count_workers(ExecutorKind executor, int block) const
  {
    return executor == ExecutorKind::natural ? 1 : std::max(1, run_.machine(block).threads);
  }
  // As it is factored.
  Pattern<Space> &made() { return whole_.used() ? whole_.pattern() : factor_.pattern; }
  const Pattern<Space> &made() const { return whole_.used() ? whole_.pattern() : factor_.pattern; }
  void factor_blocks(const Values &values, const StoredBlocks<Space> &to)
  {
    const Pattern<Space> &p = made();
    FactorArguments arguments = factor_.factorization(p, to, run_, values.owned, !reports_position_);
    if (whole_.used()) {
      arguments.lower = whole_.lower();
      arguments.upper = whole_.upper();
    }
    if (!p.searched) return kernels_.factor(run_.factorization(), run_.n, arguments);
    const ColumnSearch search = search_.begin(p, run_.row_of(), count_workers(run_.executor, run_.n));
    kernels_.searched_factor(run_.factorization(), run_.n, {arguments, search});
    count();
  }
  void factor_symmetric(const Values &values)
  {
    kernels_.symmetric_factor(run_.sweep(run_.forward), run_.n,
                              SymmetricFactorArguments{.lower_ptr = factor_.pattern.lower.ptr.data(),
                                                       .upper_source = factor_.pattern.lower.source.data(),
                                                       .diagonal_source = factor_.pattern.diagonal.data(),
                                                       .pivot = factor_.pattern.to_diagonal.right.data(),
                                                       .row_of = reports_position_ ? nullptr : run_.row_of(),
                                                       .source = values.owned,
                                                       .raise = values.raise,
                                                       .shift = run_.shift,
                                                       .lower = factor_.lower.data(),
                                                       .diagonal = factor_.diagonal.data(),
                                                       .difference = run_.residuals.difference.data(),
                                                       .trouble = run_.trouble.data()});
  }
  void factor_sip(const Values &values, const StoredBlocks<Space> &to)
  {
    const SipArguments arguments = factor_.sip(to, run_, values.owned, !reports_position_);
    (kernels_.sip ? kernels_.sip : any_size_.sip)(run_.sweep(run_.forward), run_.n, arguments);
  }
  ForwardArguments forward_arguments(const Scalar *b, Scalar *y) const
  {
    return factor_.forward(b, y, list(forward_lines_));
  }
  // x = the rest of an application, with one vector or, by kernels of their own, several.
  // y is stored as the forward sweep leaves it, or by row.
  void sweep_backward(const Scalar *y, Scalar *x, Scalar *total, std::optional<Vectors> vectors = {},
                      bool by_row = false)
  {
    by_row = by_row || run_.y_by_row();
    const Run<Exec> run = run_.sweep(run_.backward);
    if (symmetric_)
      (vectors ? kernels_.many_symmetric_backward
               : kernels_.symmetric_backward)(run, run_.n,
                                              SymmetricBackwardArguments{.ptr = factor_.pattern.upper.ptr.data(),
                                                                         .entry = factor_.pattern.upper.source.data(),
                                                                         .col = factor_.pattern.upper.col.data(),
                                                                         .row_of = run_.row_of(),
                                                                         .y_by_row = by_row,
                                                                         .last_position = run_.rows - 1,
                                                                         .lower = factor_.lower.data(),
                                                                         .diagonal = factor_.diagonal.data(),
                                                                         .y = y,
                                                                         .x = x,
                                                                         .total = total,
                                                                         .vectors = vectors.value_or(Vectors())});
    else
      (vectors ? kernels_.many_backward : kernels_.backward)(run, run_.n,
                                                             backward_arguments(y, by_row, x, total, vectors));
  }
  BackwardArguments backward_arguments(const Scalar *y, bool by_row, Scalar *x, Scalar *total,
                                       const std::optional<Vectors> &vectors) const
  {
    BackwardArguments a = factor_.backward(y, by_row, x, list(backward_lines_));
    a.total = total;
    a.vectors = vectors.value_or(Vectors());
    return a;
  }
  void set_lines(const Plan &plan)
  {
    forward_lines_ = plan.lines;
    backward_lines_.clear();
    for (auto p = plan.lines.rbegin(); p != plan.lines.rend(); ++p)
      backward_lines_.push_back(reverse_part(*p, run_.rows));
  }
  static LineList list(const std::vector<LinePart> &parts) { return {parts.data(), Index(parts.size())}; }
  void count()
  {
    const double n = run_.n, nn = n * n, lower = double(factor_.pattern.lower.col.extent(0)),
                 upper = double(factor_.pattern.upper.col.extent(0)),
                 listed = double(made().to_diagonal.left.extent(0)) + double(made().to_lower.left.extent(0)) +
                          double(made().to_upper.left.extent(0)),
                 products = made().searched ? double(search_.found()) : listed;
    const Residuals<Space> &r = run_.residuals;
    const std::size_t vector = run_.scalars() * sizeof(Scalar), block = std::size_t(run_.n * run_.n) * sizeof(Scalar);
    const std::size_t lines = 2 * forward_lines_.size() * sizeof(LinePart);
    Statistics &s = run_.statistics;
    s.lower = Index(lower);
    s.upper = symmetric_ ? 0 : Index(upper); // that are stored
    s.updates = Offset(products);            // those that are searched for, once they have been
    s.searched = made().searched;
    s.lists_wait = made().lists_wait;
    s.factor_bytes = factor_.bytes();
    s.index_bytes = factor_.pattern.bytes() + factor_.star.bytes() + whole_.index_bytes() + r.index_bytes() +
                    run_.forward.bytes() + run_.backward.bytes() + run_.made.bytes() + run_.flags.bytes() + lines;
    s.work_bytes = y_.span() * sizeof(Scalar) + whole_.block_bytes() + search_.bytes() + r.work_bytes();
    s.apply_bytes = block_bytes() + 4 * vector + (lines > 0 ? lines : factor_.structure() * sizeof(Index));
    s.apply_flops = 2 * nn * (lower + upper + run_.rows);
    s.factor_flops = 2 * nn * n * (products + double(made().upper.col.extent(0)) + run_.rows);
    s.apply_launches = run_.by_kernels() ? 2 * Offset(run_.forward.groups()) : s.tasks > 0 ? 2 : 0;
    if (!r.kept) return;
    run_.count_long_residual();
    const std::size_t short_blocks = std::size_t(run_.rows) + r.left_out.entries() + r.ghost.entries();
    s.difference_bytes = r.difference.span() * sizeof(Scalar) + forms_[0].bytes() + forms_[1].bytes();
    s.residual_bytes = short_blocks * block;
    s.residual_flops = 2 * nn * double(short_blocks) + n * (lower + run_.rows);
  }

  Runner<Exec> run_;
  Grid grid_;
  GridCoupling grid_coupling_ = GridCoupling::factor;
  Kernels<Exec> kernels_{};
  AnySizeKernels<Exec> any_size_{};
  StoredFactor<Exec> factor_;

  ProductSearch<Space> search_;

  std::vector<LinePart> forward_lines_, backward_lines_; // in the order of tasks; empty: sweeps go by rows

  bool symmetric_ = false; // FactorKind::icc: no upper blocks
  bool eisenstat_ = false; // there are no corrections
  Recording<Exec> recording_;
  bool factored_ = false; // once
  bool shifted_ = false, y_known_ = false;
  bool reports_position_ = false; // the kernel gives the first bad position, not the smallest row
  WholeFactor<Exec> whole_;
  Array<Scalar, Space> y_, y_many_;
  CompactForm<Exec> compact_;                // in fewer bits
  SplitRows<Space> coupled_;                 // of Eisenstat's trick: rows with couplings that the factor leaves out
  std::array<EisenstatForm<Exec>, 2> forms_; // general, symmetric
};

} // namespace

std::unique_ptr<Engine> make_factorization(Backend backend) { return make_engine_on<Factorization>(backend); }

} // namespace finegrain
