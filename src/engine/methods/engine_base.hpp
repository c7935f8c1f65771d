// What engines of all methods share: checks at analyze(), how row functions are run, residuals, reports. The base of
// factorization.cpp and relaxation.cpp.
#pragma once

#include "methods/engine.hpp"
#include "methods/residuals.hpp"
#include "run/directions.hpp"
#include "kernels/kernels.hpp"
#include "kernels/residual.hpp"
#include "base/atomics.hpp"
#include "base/rounding.hpp"
#include "run/teams.hpp"

namespace finegrain
{

// Blocks of one part of a factor.
template <class Space> struct BlockStorage {
  Array<unsigned char, Space> bytes;

  static constexpr std::size_t slack = block_slack;
  void allocate(Offset scalars, Precision p)
  {
    size_ = std::size_t(scalars) * storage_size(p);
    bytes = Array<unsigned char, Space>();
    bytes = make_array<unsigned char, Space>("finegrain::blocks", size_ + slack);
    Kokkos::deep_copy(Kokkos::subview(bytes, std::make_pair(size_, size_ + slack)), 0);
  }
  void *data() const { return bytes.data(); }
  std::size_t size() const { return size_; }

private:
  std::size_t size_ = 0;
};

// Over the words of the blocks of a list. Outside of the class, for nvcc.
template <class Word> struct ClearBlocks {
  const Index *list;
  Word *blocks;
  Offset words; // of one block

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { blocks[list[i / words] * words + i % words] = Word(0); }
};

template <class Exec> class EngineBase : public Engine
{
protected:
  using Space = typename Exec::memory_space;

public:
  void set_halo(Halo *halo) override { halo_ = halo; }

  Statistics statistics() const override
  {
    Statistics s = statistics_;
    s.launches = launches_;
    return s;
  }

  Scalar *scratch(Place) override
  {
    if (!scratch_.extent(0)) scratch_ = make_array<Scalar, Space>("finegrain::step", scalars());
    return scratch_.data();
  }

  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Place) override
  {
    find_residual(values, b, x, false);
    statistics_.bytes_read += double(statistics_.long_residual_bytes);
    finish();
    return residuals_.rhs.data();
  }

protected:
  // Whether the engine can do this at all.
  static Refusal check(const OperatorView &view, const Recipe &recipe)
  {
    Recipe here = recipe;
    here.backend = works_in_teams<Exec> ? Backend::device : Backend::host;
    if (const char *text = find_conflict(here)) return {Refusal::conflict, -1, text};
    if (view.block < 1 || view.block > max_block) return {Refusal::block_size};
    if (!is_well_formed(view.owned, view.owned.rows)) return {Refusal::malformed};
    if (!is_well_formed(view.coupling, view.ghosts)) return {Refusal::malformed};
    if (const Index row = find_missing_diagonal(view.owned); row >= 0) return {Refusal::missing_diagonal, row};
    if (recipe.ordering.extent(0) > 0 && !is_permutation(recipe.ordering, view.owned.rows))
      return {Refusal::bad_ordering};
    return {};
  }

  // Begins anew with a plan for the view; row_of is the plan's in the memory of Exec.
  void begin(const OperatorView &view, const Recipe &recipe, const Plan &plan, const Array<Index, Space> &row_of)
  {
    n_ = view.block;
    rows_ = view.owned.rows;
    shift_ = recipe.shift;
    executor_ = plan.executor;
    row_of_ = row_of;
    y_layout_ = plan.y;
    progress_.reserve(plan.tasks.tasks.count());
    set_directions(plan, forward_, backward_);
    trouble_ = Kokkos::View<Trouble, Space>("finegrain::trouble");
    launches_ = 0;
    residuals_ = {};
    scratch_ = {};
    halo_ = nullptr;

    statistics_ = {};
    statistics_.schedule = plan.schedule.kind;
    statistics_.executor = executor_;
    statistics_.precision = recipe.precision;
    statistics_.diagonal = recipe.diagonal;
    statistics_.widths = measure_widths(plan.schedule);
    statistics_.reason = plan.reason;
    statistics_.tile = plan.tile;
    statistics_.tasks = plan.tasks.tasks.count();
    statistics_.task_levels = plan.tasks.levels;
    statistics_.task_width = plan.tasks.widest;
    statistics_.rows = rows_;
  }

  const Index *row_of() const { return row_of_.extent(0) ? row_of_.data() : nullptr; }
  std::size_t scalars() const { return std::size_t(rows_) * std::size_t(n_); }
  bool y_by_row() const { return y_layout_ == Layout::row; }

  Machine machine() const
  {
    if constexpr (works_in_teams<Exec>) return {true, 0, tile_scratch};
    else return {false, usable_threads(exec_), 0};
  }

  Run<Exec> run(const Direction<Space> &s)
  {
    return {exec_,   executor_,     s.group.data(), Index(s.group.extent(0)) - 1, s.visit.data(), &launches_,
            &s.list, s.near.data(), &progress_};
  }
  // The slots [*cut, *(cut + 1)), none of which depends on another.
  Run<Exec> run_independent(const Index *cut)
  {
    const bool loop = executor_ == ExecutorKind::natural || executor_ == ExecutorKind::shuffle;
    return {exec_, loop ? ExecutorKind::natural : ExecutorKind::launch, cut, 1, nullptr, &launches_};
  }
  // body(i) for 0 <= i < count, in any order.
  template <class Body> void for_each(Offset count, const Body &body)
  {
    using Policy = Kokkos::RangePolicy<typename Exec::execution_space, Kokkos::IndexType<Offset>>;
    if (count > 0) Kokkos::parallel_for("finegrain::each", Policy(exec_, 0, count), body);
  }
  template <class Word> void clear_blocks(const Array<Index, Space> &list, Word *blocks, Offset words)
  {
    for_each(Offset(list.extent(0)) * words, ClearBlocks<Word>{list.data(), blocks, words});
  }
  void finish() const
  {
    if constexpr (works_in_teams<Exec>) exec_.fence();
  }

  void clear_trouble()
  {
    const auto trouble = Kokkos::create_mirror_view(Kokkos::HostSpace(), trouble_);
    trouble() = {rows_, 0, rows_, 0};
    Kokkos::deep_copy(exec_, trouble_, trouble);
    exec_.fence();
  }
  FactorReport report_trouble()
  {
    const auto trouble = Kokkos::create_mirror_view(Kokkos::HostSpace(), trouble_);
    Kokkos::deep_copy(exec_, trouble, trouble_);
    exec_.fence();
    const Trouble t = trouble();
    const auto find = [&](Index row) { return row < rows_ ? row : -1; };
    return {find(t.bad_row), t.shifted, find(t.bad_coupling), t.flushed};
  }

  // Prepares residuals of the whole operator.
  void allow_residuals(const OperatorView &view)
  {
    const auto row_of = copy_to<Kokkos::HostSpace>(row_of_);
    Residuals<Space> &r = residuals_;
    r = {};
    r.kept = true;
    r.owned.set(view.owned, {});
    r.ghost.set(view.coupling, {});
    const auto same = [](Index row) { return row; };
    if (n_ == 1 || !row_of.extent(0)) r.rows = split_rows<Space>(rows_, view.coupling, same); // others go by position
    r.slots = row_of.extent(0) ? split_rows<Space>(rows_, view.coupling, row_of) : r.rows;
    r.rhs = make_array<Scalar, Space>("finegrain::residual", scalars());
    r.ghosts = make_array<Scalar, Space>("finegrain::ghosts", std::size_t(view.ghosts) * std::size_t(n_));
  }

  // Right-hand side of the next sweep: rows without ghosts while the halo is under way, then the others.
  void find_residual(const Values &values, const Scalar *b, const Scalar *x, bool is_short)
  {
    const auto residual = find_kernels<Exec>(n_, Precision::working, Precision::working).residual;
    Residuals<Space> &r = residuals_;
    // A matrix of scalars is read in its own order; rows of blocks do not mind the order of the factor.
    const bool by_row = n_ == 1 && !is_short;
    const SplitRows<Space> &parts = by_row ? r.rows : r.slots;
    const ResidualArguments a{.slots = parts.slots.data(),
                              .row_of = by_row ? nullptr : row_of(),
                              .y_by_row = y_by_row(),
                              .inside = (is_short ? r.left_out : r.owned).list(),
                              .ghost = r.ghost.list(),
                              .owned = values.owned,
                              .coupling = values.coupling,
                              .difference = is_short ? r.difference.data() : nullptr,
                              .b = b,
                              .x = x,
                              .ghosts = r.ghosts.data(),
                              .r = r.rhs.data(),
                              .z = r.y.data()};
    overlap(
      halo_, x, r.ghosts.data(), [&](int which) { residual(run_independent(parts.cut.data() + which), n_, a); },
      [&] { finish(); });
  }

  // What residuals of the whole operator read and compute.
  void count_long_residual()
  {
    const Residuals<Space> &r = residuals_;
    if (!r.kept) return;
    const std::size_t blocks = r.owned.entries() + r.ghost.entries(), nn = std::size_t(n_) * std::size_t(n_);
    statistics_.long_residual_bytes = blocks * nn * sizeof(Scalar);
    statistics_.long_residual_flops = 2 * double(nn * blocks);
  }

  typename Exec::execution_space exec_;
  int n_ = 1;
  Index rows_ = 0;
  Shift shift_;
  ExecutorKind executor_ = ExecutorKind::natural;
  Layout y_layout_ = Layout::row;
  Array<Index, Space> row_of_; // row at each position; empty: natural
  Direction<Space> forward_, backward_;
  TaskFlagMemory<Space> progress_;
  Residuals<Space> residuals_;
  Array<Scalar, Space> scratch_;
  Kokkos::View<Trouble, Space> trouble_;
  Halo *halo_ = nullptr;
  Offset launches_ = 0;
  Statistics statistics_;
};

// The engine of a back end.
template <template <class> class On> std::unique_ptr<Engine> make_engine_on(Backend backend)
{
  if constexpr (builds_device) {
    if (backend == Backend::device) return std::make_unique<On<DeviceExec>>();
  }
  return std::make_unique<On<HostExec>>();
}

} // namespace finegrain
