#include "engine.hpp"

#include "corrections.hpp"
#include "directions.hpp"
#include "kernels.hpp"

#include <algorithm>

namespace finegrain
{

const char *find_conflict(const Recipe &r)
{
  for (const Precision p : {r.precision, r.diagonal})
    if (p != Precision::working && p != Precision::single)
      return "half and bfloat16 store the couplings of a relaxation (mcpi); a factorization takes working or single";
  if (r.precision == Precision::working && r.diagonal != Precision::working)
    return "diagonal blocks are stored in lower precision than the other blocks";
  if (r.schedule == ScheduleKind::hyperplane && r.ordering.extent(0) > 0)
    return "hyperplanes of a grid keep the natural order, an ordering changes it; level schedules go with any";
  if (r.backend == Backend::device && (r.executor == ExecutorKind::natural || r.executor == ExecutorKind::shuffle))
    return "this executor runs on the host only";
  if (r.backend == Backend::device && !builds_device) return "this build has no device";
  if (r.tile.points() > 0 && r.executor != ExecutorKind::tile && r.executor != ExecutorKind::automatic)
    return "a shape of tiles is given, and this executor has none; tiles go with the executor tile, or with auto";
  return nullptr;
}

namespace
{

// Blocks of one part of a factor.
template <class Space> struct BlockStorage {
  Array<unsigned char, Space> bytes;

  void allocate(Offset scalars, Precision p)
  {
    bytes = make_array<unsigned char, Space>("finegrain::blocks", std::size_t(scalars) * storage_size(p));
  }
  void *data() const { return bytes.data(); }
};

template <class Exec> class EngineOn final : public Engine
{
  using Space = typename Exec::memory_space;

public:
  Refusal analyse(const OperatorView &view, const Recipe &recipe) override
  {
    Recipe here  = recipe;
    here.backend = works_in_teams<Exec> ? Backend::device : Backend::host;
    if (const char *text = find_conflict(here)) return {Refusal::conflict, -1, text};
    if (view.block < 1 || view.block > max_block) return {Refusal::block_size};
    if (!is_well_formed(view.owned, view.owned.rows)) return {Refusal::malformed};
    if (!is_well_formed(view.coupling, view.ghosts)) return {Refusal::malformed};
    if (const Index row = find_missing_diagonal(view.owned); row >= 0) return {Refusal::missing_diagonal, row};
    if (recipe.ordering.extent(0) > 0 && !is_permutation(recipe.ordering, view.owned.rows))
      return {Refusal::bad_ordering};
    Plan plan;
    if (const Refusal refusal = make_plan(view.owned, view.block, recipe, machine(), plan)) return refusal;

    FactorKind kind    = recipe.factor;
    const auto pattern = split_pattern(plan.selection, recipe.ordering, plan.row_of, plan.y, kind);
    pattern_           = copy_to<Space>(pattern);
    transposed_        = {};
    has_transposed_    = false;
    n_                 = view.block;
    rows_              = view.owned.rows;
    shift_             = recipe.shift;
    kernels_           = find_kernels<Exec>(n_, recipe.precision, recipe.diagonal);
    rare_              = rare_kernels_for<Exec>(recipe.precision, recipe.diagonal);
    executor_          = plan.executor;
    progress_.reserve(plan.tasks.tasks.count());
    set_directions(plan, pattern, works_in_teams<Exec> ? machine().scratch / (std::size_t(n_) * sizeof(Scalar)) : 0,
                   forward_, backward_);

    const Offset nn = Offset(n_) * n_;
    lower_.allocate(Offset(pattern_.lower.col.extent(0)) * nn, recipe.precision);
    upper_.allocate(Offset(pattern_.upper.col.extent(0)) * nn, recipe.precision);
    diagonal_.allocate(rows_ * nn, recipe.diagonal);
    grid_          = recipe.grid;
    grid_coupling_ = recipe.coupling;
    y_             = make_array<Scalar, Space>("finegrain::y", pattern_.y == Layout::position ? scalars() : 0);
    y_many_        = {};
    trouble_       = Kokkos::View<Trouble, Space>("finegrain::trouble");
    launches_      = 0;
    residuals_     = {};
    shifted_       = false;

    statistics_             = {};
    statistics_.schedule    = plan.schedule.kind;
    statistics_.executor    = executor_;
    statistics_.factor      = kind;
    statistics_.precision   = recipe.precision;
    statistics_.diagonal    = recipe.diagonal;
    statistics_.widths      = measure_widths(plan.schedule);
    statistics_.reason      = plan.reason;
    statistics_.tile        = plan.tile;
    statistics_.tasks       = plan.tasks.tasks.count();
    statistics_.task_levels = plan.tasks.levels;
    statistics_.task_width  = plan.tasks.widest;
    statistics_.left_out    = view.coupling.entries() + plan.selection.left_out.entries();
    count();
    return {};
  }

  FactorReport factor(const Source &source) override
  {
    const auto trouble = Kokkos::create_mirror_view(Kokkos::HostSpace(), trouble_);
    trouble()          = {rows_, 0};
    Kokkos::deep_copy(exec_, trouble_, trouble);
    const auto list = [](const Updates<Space> &u) { return UpdateList{u.ptr.data(), u.left.data(), u.right.data()}; };
    const FactorArguments arguments{pattern_.lower.ptr.data(),
                                    pattern_.upper.ptr.data(),
                                    pattern_.lower.source.data(),
                                    pattern_.diagonal.data(),
                                    pattern_.upper.source.data(),
                                    row_of(),
                                    rows_ - 1,
                                    list(pattern_.to_diagonal),
                                    list(pattern_.to_lower),
                                    list(pattern_.to_upper),
                                    source,
                                    shift_,
                                    lower_.data(),
                                    upper_.data(),
                                    diagonal_.data(),
                                    residuals_.difference.data(),
                                    trouble_.data()};
    kernels_.factor(run(forward_), n_, arguments);
    Kokkos::deep_copy(exec_, trouble, trouble_);
    exec_.fence();
    shifted_                    = trouble().shifted > 0;
    residuals_.difference_known = residuals_.keeps_difference;
    return {trouble().bad_row < rows_ ? trouble().bad_row : -1, trouble().shifted};
  }

  void apply(const Scalar *b, Scalar *x) override
  {
    Scalar *y = y_.extent(0) ? y_.data() : x;
    y_known_  = y_.extent(0) > 0;
    kernels_.forward(run(forward_), n_, forward_arguments(b, y));
    kernels_.backward(run(backward_), n_, backward_arguments(y, x));
    statistics_.bytes_read += double(statistics_.factor_bytes);
    finish();
  }

  void allow_corrections(const OperatorView &view) override
  {
    const Selection   selection = select_for_factor(view.owned, grid_, grid_coupling_);
    const auto        row_of    = copy_to<Kokkos::HostSpace>(pattern_.row_of);
    Residuals<Space> &r         = residuals_;
    r                           = {};
    r.kept                      = true;
    y_known_                    = false;
    r.owned.set(view.owned, {});
    r.left_out.set(selection.left_out, selection.left_out_entry);
    r.ghost.set(view.coupling, {});
    const auto has_ghosts = [&](Index pos) {
      const Index row = pattern_.permuted ? row_of(pos) : pos;
      return view.coupling.entries() > 0 && view.coupling.ptr(row + 1) > view.coupling.ptr(row);
    };
    const auto slots = make_array<Index>("finegrain::slots", std::size_t(rows_));
    for (Index pos = 0; pos < rows_; ++pos) slots(pos) = pos;
    const Index *boundary =
      std::stable_partition(slots.data(), slots.data() + rows_, [&](Index p) { return !has_ghosts(p); });
    r.cut    = make_array<Index>("finegrain::cut", 3);
    r.cut(0) = 0;
    r.cut(1) = Index(boundary - slots.data());
    r.cut(2) = rows_;
    if (r.cut(1) < rows_) r.slots = copy_to<Space>(slots);
    r.rhs    = make_array<Scalar, Space>("finegrain::residual", scalars());
    r.y      = make_array<Scalar, Space>("finegrain::y", scalars());
    r.ghosts = make_array<Scalar, Space>("finegrain::ghosts", std::size_t(view.ghosts) * std::size_t(n_));
    if (!y_.extent(0)) y_ = make_array<Scalar, Space>("finegrain::y", scalars());
    r.keeps_difference = statistics_.factor == FactorKind::dilu && statistics_.precision == Precision::working &&
                         statistics_.diagonal == Precision::working;
    if (r.keeps_difference)
      r.difference = make_array<Scalar, Space>("finegrain::difference", scalars() * std::size_t(n_));
    count();
  }

  bool has_short_residual() const override { return residuals_.difference_known && !shifted_; }

  void correct(const Values &values, const Scalar *b, const Scalar *x, const Scalar *last, Scalar *step,
               Scalar *total) override
  {
    const bool        is_short = has_short_residual() && y_known_ && last && values.short_residual;
    Residuals<Space> &r        = residuals_;
    if (is_short) std::swap(y_, r.y); // the residual takes the y of the sweep before; this sweep writes the other
    find_residual(values, b, is_short ? last : x, is_short);
    ForwardArguments forward = forward_arguments(r.rhs.data(), y_.data());
    forward.z                = r.y.data();
    y_known_                 = true;
    (is_short ? kernels_.corrected_forward : kernels_.forward)(run(forward_), n_, forward);
    BackwardArguments backward = backward_arguments(y_.data(), step);
    backward.total             = total;
    kernels_.backward(run(backward_), n_, backward);
    statistics_.bytes_read += double(statistics_.factor_bytes) +
                              double(is_short ? statistics_.residual_bytes : statistics_.long_residual_bytes);
    finish();
  }

  void apply_many(int vectors, Offset stride, const Scalar *b, Scalar *x) override
  {
    const bool separate = pattern_.y == Layout::position;
    if (separate && Offset(y_many_.extent(0)) < stride * most_vectors) // at first use
      y_many_ = make_array<Scalar, Space>("finegrain::y", std::size_t(stride) * std::size_t(most_vectors));
    for (int first = 0; first < vectors; first += most_vectors) {
      const Offset      at       = first * stride;
      Scalar           *y        = separate ? y_many_.data() : x + at;
      ForwardArguments  forward  = forward_arguments(b + at, y);
      BackwardArguments backward = backward_arguments(y, x + at);
      forward.vectors = backward.vectors = {std::min(most_vectors, vectors - first), stride};
      rare_.forward(run(forward_), n_, forward);
      rare_.backward(run(backward_), n_, backward);
      statistics_.bytes_read += double(statistics_.factor_bytes);
    }
    finish();
  }

  void apply_transposed(int vectors, Offset stride, const Scalar *b, Scalar *x) override
  {
    if (!has_transposed_) { // at first use
      transposed_     = copy_to<Space>(transpose_pattern(copy_to<Kokkos::HostSpace>(pattern_)));
      has_transposed_ = true;
      statistics_.index_bytes += transposed_.bytes();
    }
    const auto &u = transposed_.upper, &l = transposed_.lower;
    for (int first = 0; first < vectors; first += most_vectors) {
      const Offset  at = first * stride;
      const Vectors some{std::min(most_vectors, vectors - first), stride};
      rare_.transposed(run(forward_), n_,
                       {u.ptr.data(), u.entry.data(), u.row.data(), row_of(), false, rows_ - 1, upper_.data(),
                        nullptr, b + at, x + at, some});
      rare_.transposed(run(backward_), n_,
                       {l.ptr.data(), l.entry.data(), l.row.data(), row_of(), true, rows_ - 1, lower_.data(),
                        diagonal_.data(), x + at, x + at, some});
      statistics_.bytes_read += double(statistics_.factor_bytes);
    }
    finish();
  }

  Statistics statistics() const override
  {
    Statistics s = statistics_;
    s.launches   = launches_;
    return s;
  }

private:
  const Index *row_of() const { return pattern_.permuted ? pattern_.row_of.data() : nullptr; }
  std::size_t  scalars() const { return std::size_t(rows_) * std::size_t(n_); }
  bool         y_by_row() const { return pattern_.y == Layout::row; }

  Machine machine() const
  {
    if constexpr (works_in_teams<Exec>) return {true, 0, 12 * 1024};
    else return {false, usable_threads(exec_), 0};
  }

  Run<Exec> run(const Direction<Space> &s)
  {
    return {exec_,   executor_,     s.group.data(), Index(s.group.extent(0)) - 1, s.visit.data(), &launches_,
            &s.list, s.near.data(), &progress_};
  }
  ForwardArguments forward_arguments(const Scalar *b, Scalar *y) const
  {
    return {pattern_.lower.ptr.data(),
            pattern_.lower.col.data(),
            row_of(),
            y_by_row(),
            lower_.data(),
            diagonal_.data(),
            b,
            y,
            nullptr,
            {}};
  }
  BackwardArguments backward_arguments(const Scalar *y, Scalar *x) const
  {
    return {pattern_.upper.ptr.data(),
            pattern_.upper.col.data(),
            row_of(),
            y_by_row(),
            rows_ - 1,
            upper_.data(),
            y,
            x,
            nullptr,
            {}};
  }
  void finish() const
  {
    if constexpr (works_in_teams<Exec>) exec_.fence();
  }

  // Right-hand side of the next sweep: rows without ghosts while the halo is under way, then the others.
  void find_residual(const Values &values, const Scalar *b, const Scalar *x, bool is_short)
  {
    Residuals<Space>  &r = residuals_;
    ResidualArguments  a{r.slots.data(),
                        row_of(),
                        y_by_row(),
                        (is_short ? r.left_out : r.owned).list(),
                        r.ghost.list(),
                        values.owned,
                        values.coupling,
                        is_short ? r.difference.data() : nullptr,
                        b,
                        x,
                        r.ghosts.data(),
                        r.rhs.data(),
                        r.y.data()};
    const bool         loop        = executor_ == ExecutorKind::natural || executor_ == ExecutorKind::shuffle;
    const ExecutorKind independent = loop ? ExecutorKind::natural : ExecutorKind::launch; // of rows that all are
    const auto         part        = [&](Index which) {
      if (values.halo) values.halo->residual(which == 0, true);
      kernels_.residual({exec_, independent, r.cut.data() + which, 1, nullptr, &launches_}, n_, a);
      if (values.halo) values.halo->residual(which == 0, false);
    };
    if (values.halo) values.halo->begin(x, r.ghosts.data());
    part(0);
    if (values.halo) {
      finish();
      values.halo->end(x, r.ghosts.data());
    }
    part(1);
  }

  void count()
  {
    const double n = n_, nn = n * n, lower = double(pattern_.lower.col.extent(0)),
                 upper    = double(pattern_.upper.col.extent(0)),
                 products = double(pattern_.to_diagonal.left.extent(0)) + double(pattern_.to_lower.left.extent(0)) +
                            double(pattern_.to_upper.left.extent(0));
    const Residuals<Space> &r      = residuals_;
    const std::size_t       vector = scalars() * sizeof(Scalar), block = std::size_t(n_ * n_) * sizeof(Scalar);
    Statistics             &s = statistics_;
    s.rows                    = rows_;
    s.lower                   = Index(lower);
    s.upper                   = Index(upper);
    s.updates                 = Offset(products);
    s.factor_bytes            = lower_.bytes.span() + upper_.bytes.span() + diagonal_.bytes.span();
    s.index_bytes = pattern_.bytes() + r.index_bytes() + forward_.bytes() + backward_.bytes() + progress_.bytes();
    s.work_bytes  = y_.span() * sizeof(Scalar) + r.work_bytes();
    s.apply_bytes = s.factor_bytes + 4 * vector +
                    (pattern_.lower.ptr.span() + pattern_.lower.col.span() + pattern_.upper.ptr.span() +
                     pattern_.upper.col.span() + 2 * pattern_.row_of.span()) *
                      sizeof(Index);
    s.apply_flops    = 2 * nn * (lower + upper + rows_);
    s.factor_flops   = 2 * nn * n * (products + upper + rows_);
    s.apply_launches = executor_ == ExecutorKind::launch ? 2 * s.widths.groups : s.tasks > 0 ? 2 : 0;
    if (!r.kept) return;
    const std::size_t short_blocks = std::size_t(rows_) + r.left_out.entries() + r.ghost.entries(),
                      long_blocks  = r.owned.entries() + r.ghost.entries();
    s.difference_bytes             = r.difference.span() * sizeof(Scalar);
    s.residual_bytes               = short_blocks * block;
    s.long_residual_bytes          = long_blocks * block;
    s.residual_flops               = 2 * nn * double(short_blocks) + n * (lower + rows_);
    s.long_residual_flops          = 2 * nn * double(long_blocks);
  }

  typename Exec::execution_space exec_;
  int                            n_    = 1;
  Index                          rows_ = 0;
  Shift                          shift_;
  Grid                           grid_;
  GridCoupling                   grid_coupling_ = GridCoupling::factor;
  ExecutorKind                   executor_      = ExecutorKind::natural;
  Kernels<Exec>                  kernels_{};
  RareKernels<Exec>              rare_{};
  Pattern<Space>                 pattern_;
  Transposed<Space>              transposed_;
  bool                           has_transposed_ = false, shifted_ = false, y_known_ = false;
  Direction<Space>               forward_, backward_;
  ProgressMemory<Space>          progress_;
  BlockStorage<Space>            lower_, upper_, diagonal_;
  Residuals<Space>               residuals_;
  Array<Scalar, Space>           y_, y_many_;
  Kokkos::View<Trouble, Space>   trouble_;
  Offset                         launches_ = 0;
  Statistics                     statistics_;
};

} // namespace

std::unique_ptr<Engine> make_engine(Backend backend)
{
  if constexpr (builds_device) {
    if (backend == Backend::device) return std::make_unique<EngineOn<DeviceExec>>();
  }
  return std::make_unique<EngineOn<HostExec>>();
}

} // namespace finegrain
