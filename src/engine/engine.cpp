#include "engine.hpp"

#include "kernels.hpp"

#include <algorithm>
#include <random>

namespace finegrain
{

const char *find_conflict(const Recipe &r)
{
  if (r.precision == Precision::working && r.diagonal != Precision::working)
    return "diagonal blocks are stored in lower precision than the other blocks";
  if (r.backend == Backend::device && r.executor != ExecutorKind::automatic && r.executor != ExecutorKind::launch)
    return "this executor runs on the host only";
  if (r.backend == Backend::device && runs_on_host<DeviceExec>) return "this build has no device";
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

// Group boundaries of the backward sweep: slots run from the last position to the first.
HostArray<Index> reverse_groups(const HostArray<Index> &group)
{
  const std::size_t size     = group.extent(0);
  auto              reversed = make_array<Index>("finegrain::group", size);
  for (std::size_t g = 0; g < size; ++g) reversed(g) = group(size - 1) - group(size - 1 - g);
  return reversed;
}

// For the shuffle executor: the slots of each group in random order. The seed is fixed, so that a failure repeats.
HostArray<Index> shuffle_slots(const HostArray<Index> &group)
{
  const std::size_t last  = group.extent(0) - 1;
  auto              visit = make_array<Index>("finegrain::visit", std::size_t(group(last)));
  std::mt19937      random(20150101);
  for (Index i = 0; i < group(last); ++i) visit(i) = i;
  for (std::size_t g = 0; g < last; ++g) std::shuffle(visit.data() + group(g), visit.data() + group(g + 1), random);
  return visit;
}

// Schedule, storage order and executor, chosen together.
struct Plan {
  Schedule         schedule;
  ExecutorKind     executor = ExecutorKind::natural;
  HostArray<Index> row_of; // storage order; empty: natural
  Layout           y = Layout::row;
};

// Two lines of a grid side by side hide the latency of a row; small blocks need four. More cost more in cache than
// they hide (docs/performance.md).
double window_width(int block) { return block <= 2 ? 3 : 1.9; }

template <class Exec> Refusal make_plan(const Graph &g, int block, const Recipe &recipe, Plan &plan)
{
  const bool wants_planes = recipe.schedule == ScheduleKind::hyperplane;
  if (wants_planes && recipe.grid.empty()) return {Refusal::no_grid};
  if (wants_planes && count_points(recipe.grid) != g.rows) return {Refusal::grid_size};
  std::optional<Schedule> planes;
  if (recipe.schedule != ScheduleKind::level && !recipe.grid.empty()) planes = schedule_hyperplanes(recipe.grid, g);
  if (wants_planes && !planes) return {Refusal::grid_fit};
  plan.schedule = planes ? *planes : schedule_levels(g);
  plan.executor = recipe.executor;
  if (plan.executor == ExecutorKind::automatic)
    plan.executor = runs_on_host<Exec> && Exec().concurrency() == 1 ? ExecutorKind::natural : ExecutorKind::launch;
  // Both kinds of schedule keep the natural order's result, so that one thread need not run its groups.
  if (plan.executor == ExecutorKind::natural) plan.row_of = order_windows(g, window_width(block));
  else {
    plan.row_of = plan.schedule.order;
    plan.y      = Layout::position;
  }
  return {};
}

template <class Exec> class EngineOn final : public Engine
{
  using Space = typename Exec::memory_space;

public:
  Refusal analyse(const OperatorView &view, const Recipe &recipe) override
  {
    if (const char *text = find_conflict(recipe)) return {Refusal::conflict, -1, text};
    if (view.block < 1 || view.block > max_block) return {Refusal::block_size};
    if (!is_well_formed(view.owned, view.owned.rows)) return {Refusal::malformed};
    if (!is_well_formed(view.coupling, view.ghosts)) return {Refusal::malformed};
    if (const Index row = find_missing_diagonal(view.owned); row >= 0) return {Refusal::missing_diagonal, row};
    Plan plan;
    if (const Refusal refusal = make_plan<Exec>(view.owned, view.block, recipe, plan)) return refusal;

    FactorKind kind = recipe.factor;
    pattern_        = copy_to<Space>(split_pattern(view.owned, plan.row_of, plan.y, kind));
    n_              = view.block;
    rows_           = view.owned.rows;
    shift_          = recipe.shift;
    kernels_        = find_kernels<Exec>(n_, recipe.precision, recipe.diagonal);
    executor_       = plan.executor;
    forward_group_  = plan.schedule.group;
    backward_group_ = reverse_groups(forward_group_);
    forward_visit_ = backward_visit_ = {};
    if (executor_ == ExecutorKind::shuffle) {
      forward_visit_  = shuffle_slots(forward_group_);
      backward_visit_ = shuffle_slots(backward_group_);
    }

    const Offset nn = Offset(n_) * n_, lower = Offset(pattern_.lower.col.extent(0)),
                 upper = Offset(pattern_.upper.col.extent(0));
    lower_.allocate(lower * nn, recipe.precision);
    upper_.allocate(upper * nn, recipe.precision);
    diagonal_.allocate(rows_ * nn, recipe.diagonal);
    y_        = make_array<Scalar, Space>("finegrain::y",
                                   pattern_.y == Layout::position ? std::size_t(rows_) * std::size_t(n_) : 0);
    trouble_  = Kokkos::View<Trouble, Space>("finegrain::trouble");
    launches_ = 0;

    statistics_           = {};
    statistics_.schedule  = plan.schedule.kind;
    statistics_.executor  = executor_;
    statistics_.factor    = kind;
    statistics_.precision = recipe.precision;
    statistics_.diagonal  = recipe.diagonal;
    statistics_.widths    = measure_widths(plan.schedule);
    statistics_.left_out  = view.coupling.entries();
    count(lower, upper);
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
                                    trouble_.data()};
    kernels_.factor(run(forward_group_, forward_visit_), n_, arguments);
    Kokkos::deep_copy(exec_, trouble, trouble_);
    exec_.fence();
    return {trouble().bad_row < rows_ ? trouble().bad_row : -1, trouble().shifted};
  }

  void apply(const Scalar *b, Scalar *x) override
  {
    Scalar    *y      = pattern_.y == Layout::position ? y_.data() : x;
    const bool by_row = pattern_.y == Layout::row;
    kernels_.forward(run(forward_group_, forward_visit_), n_,
                     {pattern_.lower.ptr.data(), pattern_.lower.col.data(), row_of(), by_row, lower_.data(),
                      diagonal_.data(), b, y});
    kernels_.backward(
      run(backward_group_, backward_visit_), n_,
      {pattern_.upper.ptr.data(), pattern_.upper.col.data(), row_of(), by_row, rows_ - 1, upper_.data(), y, x});
    if constexpr (!runs_on_host<Exec>) exec_.fence();
  }

  Statistics statistics() const override
  {
    Statistics s = statistics_;
    s.launches   = launches_;
    return s;
  }

private:
  const Index *row_of() const { return pattern_.permuted ? pattern_.row_of.data() : nullptr; }

  Run<Exec> run(const HostArray<Index> &group, const HostArray<Index> &visit)
  {
    return {exec_, executor_, group.data(), Index(group.extent(0)) - 1, visit.data(), &launches_};
  }

  void count(Offset lower, Offset upper)
  {
    const double n = n_, nn = n * n,
                 products = double(pattern_.to_diagonal.left.extent(0)) + double(pattern_.to_lower.left.extent(0)) +
                            double(pattern_.to_upper.left.extent(0));
    Statistics &s  = statistics_;
    s.rows         = rows_;
    s.lower        = Index(lower);
    s.upper        = Index(upper);
    s.updates      = Offset(products);
    s.factor_bytes = lower_.bytes.span() + upper_.bytes.span() + diagonal_.bytes.span();
    s.index_bytes  = pattern_.bytes() + 2 * forward_group_.span() * sizeof(Index) +
                    (forward_visit_.span() + backward_visit_.span()) * sizeof(Index);
    s.work_bytes  = y_.span() * sizeof(Scalar);
    s.apply_bytes = s.factor_bytes + std::size_t(4 * rows_) * std::size_t(n_) * sizeof(Scalar) +
                    (pattern_.lower.ptr.span() + pattern_.lower.col.span() + pattern_.upper.ptr.span() +
                     pattern_.upper.col.span() + 2 * pattern_.row_of.span()) *
                      sizeof(Index);
    s.apply_flops    = 2 * nn * (double(lower) + double(upper) + rows_);
    s.factor_flops   = 2 * nn * n * (products + double(upper) + rows_);
    s.apply_launches = executor_ == ExecutorKind::launch ? 2 * s.widths.groups : 0;
  }

  Exec                         exec_;
  int                          n_    = 1;
  Index                        rows_ = 0;
  Shift                        shift_;
  ExecutorKind                 executor_ = ExecutorKind::natural;
  Kernels<Exec>                kernels_{};
  Pattern<Space>               pattern_;
  HostArray<Index>             forward_group_, backward_group_, forward_visit_, backward_visit_;
  BlockStorage<Space>          lower_, upper_, diagonal_;
  Array<Scalar, Space>         y_;
  Kokkos::View<Trouble, Space> trouble_;
  Offset                       launches_ = 0;
  Statistics                   statistics_;
};

} // namespace

std::unique_ptr<Engine> make_engine(Backend backend)
{
  if constexpr (!runs_on_host<DeviceExec>) {
    if (backend == Backend::device) return std::make_unique<EngineOn<DeviceExec>>();
  }
  return std::make_unique<EngineOn<HostExec>>();
}

} // namespace finegrain
