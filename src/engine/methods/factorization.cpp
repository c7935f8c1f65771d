// The engine of fgbilu, powerqilu and of each factor of sip: triangular sweeps (numerics.md 1, 3, 4). In: a graph,
// options, values. It plans, stores the factor, and runs the row functions of factor.hpp, sip.hpp and sweep.hpp.
#include "kernels/factor.hpp"
#include "kernels/sip.hpp"
#include "kernels/sweep.hpp"
#include "methods/engine_base.hpp"
#include "plan/elimination.hpp"
#include "plan/sip_star.hpp"
#include "run/teams.hpp"

namespace finegrain
{

namespace
{

// Entries of a triangular part that the sweeps do not have, by slot; row_of_slot and row_of_column give rows.
template <class RowOfSlot, class RowOfColumn>
HostArray<Index> find_dropped(const Elimination &e, const Triangle<Kokkos::HostSpace> &t, RowOfSlot row_of_slot,
                              RowOfColumn row_of_column)
{
  std::vector<Index> found;
  if (e.drops_after)
    for (Index slot = 0; slot < e.selection.graph.rows; ++slot)
      for (Index f = t.ptr(slot); f < t.ptr(slot + 1); ++f)
        if (is_dropped(e, row_of_slot(slot), row_of_column(t.col(f)))) found.push_back(f);
  return to_array("finegrain::dropped", found);
}

template <class Exec> class Factorization final : public EngineBase<Exec>
{
  using Base = EngineBase<Exec>;
  using typename Base::Space;

public:
  Refusal analyze(const OperatorView &view, const Recipe &recipe) override
  {
    if (const Refusal refusal = Base::check(view, recipe)) return refusal;
    if (works_in_teams<Exec> && recipe.factor == FactorKind::sip && !fits_team<SipRow<0, Scalar, Scalar>>(view.block))
      return {Refusal::scratch};
    Elimination elimination;
    if (const Refusal refusal = choose_elimination(view.owned, recipe, elimination)) return refusal;
    Plan plan;
    if (const Refusal refusal = make_plan(elimination, view.block, recipe, Base::machine(), plan)) return refusal;

    FactorKind kind = recipe.factor;
    const auto pattern = split_pattern(elimination.selection, elimination.ordering, plan.row_of, plan.y, kind);
    pattern_ = copy_to<Space>(pattern);
    transposed_ = {};
    has_transposed_ = false;
    Base::begin(view, recipe, plan, pattern_.row_of);
    find_dropped_blocks(elimination, pattern);
    alpha_ = recipe.stone.alpha;
    star_ = kind == FactorKind::sip ? copy_to<Space>(find_star(pattern, recipe.grid)) : Star<Space>();
    reports_position_ = elimination.ordering.extent(0) > 0; // rows that follow a bad one are bad too
    kernels_ = find_kernels<Exec>(n_, recipe.precision, recipe.diagonal);
    rare_ = rare_kernels_for<Exec>(recipe.precision, recipe.diagonal);
    set_near(plan, pattern, works_in_teams<Exec> ? Base::machine().scratch / (std::size_t(n_) * sizeof(Scalar)) : 0,
             forward_, backward_);

    set_lines(plan);

    const Offset nn = Offset(n_) * n_;
    lower_.allocate(Offset(pattern_.lower.col.extent(0)) * nn, recipe.precision);
    upper_.allocate(Offset(pattern_.upper.col.extent(0)) * nn, recipe.precision);
    diagonal_.allocate(rows_ * nn, recipe.diagonal);
    grid_ = recipe.grid;
    grid_coupling_ = recipe.coupling;
    y_ = make_array<Scalar, Space>("finegrain::y", pattern_.y == Layout::position ? Base::scalars() : 0);
    y_many_ = {};
    shifted_ = false;

    statistics_.factor = kind;
    statistics_.left_out_inside = elimination.selection.left_out.entries();
    statistics_.left_out = view.coupling.entries() + statistics_.left_out_inside;
    statistics_.fill = elimination.fill;
    statistics_.dropped = elimination.dropped;
    statistics_.colors = elimination.colors;
    statistics_.coloring = elimination.coloring;
    statistics_.symmetrized = elimination.symmetrized;
    count();
    return {};
  }

  Real find_largest(const Values &) override { return -1; }

  FactorReport factor(const Values &values, Real) override
  {
    Base::clear_trouble();
    if (statistics_.factor == FactorKind::sip) factor_sip(values);
    else factor_blocks(values);
    clear_dropped_blocks();
    FactorReport report = Base::report_trouble();
    if (reports_position_ && report.bad_row >= 0 && Base::row_of())
      report.bad_row = copy_to<Kokkos::HostSpace>(pattern_.row_of)(report.bad_row);
    shifted_ = report.shifted > 0;
    residuals_.difference_known = residuals_.keeps_difference;
    return report;
  }

  void apply(const Application &a) override
  {
    if (a.transposed) return apply_transposed(a);
    if (a.vectors > 1) return apply_to_several(a);
    Scalar *y = y_.extent(0) ? y_.data() : a.x;
    y_known_ = y_.extent(0) > 0 && !a.total;
    kernels_.forward(Base::run(forward_), n_, forward_arguments(a.b, y));
    BackwardArguments backward = backward_arguments(y, a.x);
    backward.total = a.total;
    kernels_.backward(Base::run(backward_), n_, backward);
    statistics_.bytes_read += double(statistics_.factor_bytes);
    Base::finish();
  }

  Statistics statistics() const override
  {
    Statistics s = Base::statistics();
    s.short_residual = has_short_residual();
    return s;
  }

  void allow_corrections(const OperatorView &view) override
  {
    const Selection selection = select_for_factor(view.owned, grid_, grid_coupling_);
    Base::allow_residuals(view);
    Residuals<Space> &r = residuals_;
    y_known_ = false;
    r.left_out.set(selection.left_out, selection.left_out_entry);
    r.y = make_array<Scalar, Space>("finegrain::y", Base::scalars());
    if (!y_.extent(0)) y_ = make_array<Scalar, Space>("finegrain::y", Base::scalars());
    r.keeps_difference = statistics_.factor == FactorKind::dilu && statistics_.precision == Precision::working &&
                         statistics_.diagonal == Precision::working;
    if (r.keeps_difference)
      r.difference = make_array<Scalar, Space>("finegrain::difference", Base::scalars() * std::size_t(n_));
    count();
  }

  void correct(const Correction &c) override
  {
    const bool is_short = has_short_residual() && y_known_ && c.last && c.values.short_residual;
    Residuals<Space> &r = residuals_;
    if (is_short) std::swap(y_, r.y); // the residual takes the y of the sweep before; this sweep writes the other
    Base::find_residual(c.values, c.b, is_short ? c.last : c.x, is_short);
    ForwardArguments forward = forward_arguments(r.rhs.data(), y_.data());
    forward.z = r.y.data();
    y_known_ = true;
    (is_short ? kernels_.corrected_forward : kernels_.forward)(Base::run(forward_), n_, forward);
    BackwardArguments backward = backward_arguments(y_.data(), c.step);
    backward.total = c.total;
    kernels_.backward(Base::run(backward_), n_, backward);
    statistics_.bytes_read += double(statistics_.factor_bytes) +
                              double(is_short ? statistics_.residual_bytes : statistics_.long_residual_bytes);
    Base::finish();
  }

private:
  bool has_short_residual() const { return residuals_.difference_known && !shifted_; }

  void apply_to_several(const Application &a)
  {
    const auto [b, x, stride, vectors] = std::tuple(a.b, a.x, a.stride, a.vectors);
    const bool separate = pattern_.y == Layout::position;
    if (separate && Offset(y_many_.extent(0)) < stride * most_vectors) // at first use
      y_many_ = make_array<Scalar, Space>("finegrain::y", std::size_t(stride) * std::size_t(most_vectors));
    for (int first = 0; first < vectors; first += most_vectors) {
      const Offset at = first * stride;
      Scalar *y = separate ? y_many_.data() : x + at;
      ForwardArguments forward = forward_arguments(b + at, y);
      BackwardArguments backward = backward_arguments(y, x + at);
      forward.vectors = backward.vectors = {std::min(most_vectors, vectors - first), stride};
      rare_.forward(Base::run(forward_), n_, forward);
      rare_.backward(Base::run(backward_), n_, backward);
      statistics_.bytes_read += double(statistics_.factor_bytes);
    }
    Base::finish();
  }

  void apply_transposed(const Application &a)
  {
    const auto [b, x, stride, vectors] = std::tuple(a.b, a.x, a.stride, a.vectors);
    if (!has_transposed_) { // at first use
      transposed_ = copy_to<Space>(transpose_pattern(copy_to<Kokkos::HostSpace>(pattern_)));
      has_transposed_ = true;
      statistics_.index_bytes += transposed_.bytes();
    }
    const auto &u = transposed_.upper, &l = transposed_.lower;
    for (int first = 0; first < vectors; first += most_vectors) {
      const Offset at = first * stride;
      const Vectors some{std::min(most_vectors, vectors - first), stride};
      TransposedArguments arguments{.ptr = u.ptr.data(),
                                    .entry = u.entry.data(),
                                    .col = u.row.data(),
                                    .row_of = Base::row_of(),
                                    .backward = false,
                                    .last_position = rows_ - 1,
                                    .blocks = upper_.data(),
                                    .diagonal = nullptr,
                                    .in = b + at,
                                    .out = x + at,
                                    .vectors = some};
      rare_.transposed(Base::run(forward_), n_, arguments);
      arguments.ptr = l.ptr.data();
      arguments.entry = l.entry.data();
      arguments.col = l.row.data();
      arguments.backward = true;
      arguments.blocks = lower_.data();
      arguments.diagonal = diagonal_.data();
      arguments.in = x + at;
      rare_.transposed(Base::run(backward_), n_, arguments);
      statistics_.bytes_read += double(statistics_.factor_bytes);
    }
    Base::finish();
  }
  void factor_blocks(const Values &values)
  {
    const auto list = [](const Updates<Space> &u) { return UpdateList{u.ptr.data(), u.left.data(), u.right.data()}; };
    const FactorArguments arguments{.lower_ptr = pattern_.lower.ptr.data(),
                                    .upper_ptr = pattern_.upper.ptr.data(),
                                    .lower_source = pattern_.lower.source.data(),
                                    .diagonal_source = pattern_.diagonal.data(),
                                    .upper_source = pattern_.upper.source.data(),
                                    .row_of = reports_position_ ? nullptr : Base::row_of(),
                                    .last_position = rows_ - 1,
                                    .to_diagonal = list(pattern_.to_diagonal),
                                    .to_lower = list(pattern_.to_lower),
                                    .to_upper = list(pattern_.to_upper),
                                    .source = values.owned,
                                    .shift = shift_,
                                    .lower = lower_.data(),
                                    .upper = upper_.data(),
                                    .diagonal = diagonal_.data(),
                                    .difference = residuals_.difference.data(),
                                    .trouble = trouble_.data()};
    kernels_.factor(Base::run(forward_), n_, arguments);
  }
  void factor_sip(const Values &values)
  {
    const SipArguments arguments{.star = star_.list(),
                                 .lower_source = pattern_.lower.source.data(),
                                 .diagonal_source = pattern_.diagonal.data(),
                                 .upper_source = pattern_.upper.source.data(),
                                 .row_of = reports_position_ ? nullptr : Base::row_of(),
                                 .alpha = alpha_,
                                 .source = values.owned,
                                 .shift = shift_,
                                 .lower = lower_.data(),
                                 .upper = upper_.data(),
                                 .diagonal = diagonal_.data(),
                                 .trouble = trouble_.data()};
    (kernels_.stone ? kernels_.stone : rare_.stone)(Base::run(forward_), n_, arguments);
  }
  // Blocks that are factored and that sweeps do not have are zero in them.
  void find_dropped_blocks(const Elimination &e, const Pattern<Kokkos::HostSpace> &p)
  {
    const auto row_of = [&](Index pos) { return p.permuted ? p.row_of(pos) : pos; };
    const auto same = [](Index row) { return row; };
    dropped_lower_ = copy_to<Space>(p.y == Layout::row ? find_dropped(e, p.lower, row_of, same)
                                                       : find_dropped(e, p.lower, row_of, row_of));
    dropped_upper_ = copy_to<Space>(find_dropped(
      e, p.upper, [&](Index slot) { return row_of(rows_ - 1 - slot); }, same));
  }
  void clear_dropped_blocks()
  {
    const Offset words = Offset(n_) * n_ * Offset(storage_size(statistics_.precision) / sizeof(std::uint32_t));
    for (const auto &[list, blocks] : {std::pair(&dropped_lower_, &lower_), std::pair(&dropped_upper_, &upper_)})
      Base::clear_blocks(*list, static_cast<std::uint32_t *>(blocks->data()), words);
  }
  ForwardArguments forward_arguments(const Scalar *b, Scalar *y) const
  {
    return {.ptr = pattern_.lower.ptr.data(),
            .col = pattern_.lower.col.data(),
            .row_of = Base::row_of(),
            .y_by_row = Base::y_by_row(),
            .lower = lower_.data(),
            .diagonal = diagonal_.data(),
            .b = b,
            .y = y,
            .z = nullptr,
            .vectors = {},
            .lines = list(forward_lines_)};
  }
  BackwardArguments backward_arguments(const Scalar *y, Scalar *x) const
  {
    return {.ptr = pattern_.upper.ptr.data(),
            .col = pattern_.upper.col.data(),
            .row_of = Base::row_of(),
            .y_by_row = Base::y_by_row(),
            .last_position = rows_ - 1,
            .upper = upper_.data(),
            .y = y,
            .x = x,
            .total = nullptr,
            .vectors = {},
            .lines = list(backward_lines_)};
  }
  void set_lines(const Plan &plan)
  {
    forward_lines_ = plan.lines;
    backward_lines_.clear();
    for (auto p = plan.lines.rbegin(); p != plan.lines.rend(); ++p)
      backward_lines_.push_back(reverse_part(*p, rows_));
  }
  static LineList list(const std::vector<LinePart> &parts) { return {parts.data(), Index(parts.size())}; }
  void count()
  {
    const double n = n_, nn = n * n, lower = double(pattern_.lower.col.extent(0)),
                 upper = double(pattern_.upper.col.extent(0)),
                 products = double(pattern_.to_diagonal.left.extent(0)) + double(pattern_.to_lower.left.extent(0)) +
                            double(pattern_.to_upper.left.extent(0));
    const Residuals<Space> &r = residuals_;
    const std::size_t vector = Base::scalars() * sizeof(Scalar), block = std::size_t(n_ * n_) * sizeof(Scalar);
    const std::size_t lines = 2 * forward_lines_.size() * sizeof(LinePart);
    Statistics &s = statistics_;
    s.lower = Index(lower);
    s.upper = Index(upper);
    s.updates = Offset(products);
    s.factor_bytes = lower_.size() + upper_.size() + diagonal_.size();
    s.index_bytes = pattern_.bytes() + star_.bytes() +
                    (dropped_lower_.span() + dropped_upper_.span()) * sizeof(Index) + r.index_bytes() +
                    forward_.bytes() + backward_.bytes() + progress_.bytes() + lines;
    const std::size_t structure = pattern_.lower.ptr.span() + pattern_.lower.col.span() + pattern_.upper.ptr.span() +
                                  pattern_.upper.col.span() + 2 * pattern_.row_of.span();
    s.work_bytes = y_.span() * sizeof(Scalar) + r.work_bytes();
    s.apply_bytes = s.factor_bytes + 4 * vector + (lines > 0 ? lines : structure * sizeof(Index));
    s.apply_flops = 2 * nn * (lower + upper + rows_);
    s.factor_flops = 2 * nn * n * (products + upper + rows_);
    s.apply_launches = s.executor == ExecutorKind::launch ? 2 * s.widths.groups : s.tasks > 0 ? 2 : 0;
    if (!r.kept) return;
    Base::count_long_residual();
    const std::size_t short_blocks = std::size_t(rows_) + r.left_out.entries() + r.ghost.entries();
    s.difference_bytes = r.difference.span() * sizeof(Scalar);
    s.residual_bytes = short_blocks * block;
    s.residual_flops = 2 * nn * double(short_blocks) + n * (lower + rows_);
  }

  using Base::backward_;
  using Base::forward_;
  using Base::n_;
  using Base::progress_;
  using Base::residuals_;
  using Base::rows_;
  using Base::shift_;
  using Base::statistics_;
  using Base::trouble_;

  Grid grid_;
  GridCoupling grid_coupling_ = GridCoupling::factor;
  Kernels<Exec> kernels_{};
  RareKernels<Exec> rare_{};
  Pattern<Space> pattern_;
  Star<Space> star_; // of Stone's factor

  std::vector<LinePart> forward_lines_, backward_lines_; // in the order of tasks; empty: sweeps go by rows

  Real alpha_ = 0;
  Transposed<Space> transposed_;
  bool has_transposed_ = false, shifted_ = false, y_known_ = false;
  bool reports_position_ = false; // the kernel gives the first bad position, not the smallest row
  BlockStorage<Space> lower_, upper_, diagonal_;
  Array<Index, Space> dropped_lower_, dropped_upper_; // Drop::after
  Array<Scalar, Space> y_, y_many_;
};

} // namespace

std::unique_ptr<Engine> make_factorization(Backend backend) { return make_engine_on<Factorization>(backend); }

} // namespace finegrain
