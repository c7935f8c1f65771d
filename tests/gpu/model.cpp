// What the model of plan/device_cost.hpp says of applications of block DILU on a device, on the star of a cube:
// tables in Markdown. Nothing in them has been measured. Needs no PETSc and no device.
//   model_gpu [name=value...]   constants of DeviceCost instead of its own, in seconds and bytes
#include "../backend.hpp"

#include "kernels/sweep.hpp"
#include "plan/elimination.hpp"
#include "plan/make_plan.hpp"
#include "run/teams.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace finegrain;

namespace
{

constexpr int sizes[] = {1, 4, 5, 6, 8};
constexpr int shown_size = 5; // of columns that one block size has
constexpr double blocks = 7;  // of a row

struct Constant {
  const char *name;
  double DeviceCost::*value;
};
constexpr Constant constants[] = {{"copy", &DeviceCost::copy},
                                  {"row", &DeviceCost::row},
                                  {"gap", &DeviceCost::gap},
                                  {"graph_gap", &DeviceCost::graph_gap},
                                  {"host", &DeviceCost::host},
                                  {"flag", &DeviceCost::flag},
                                  {"teams", &DeviceCost::teams},
                                  {"task_teams", &DeviceCost::task_teams},
                                  {"worth", &DeviceCost::worth},
                                  {"early_gap", &DeviceCost::early_gap},
                                  {"early_row", &DeviceCost::early_row},
                                  {"value", &DeviceCost::value},
                                  {"value_rest", &DeviceCost::value_rest},
                                  {"tile_step", &DeviceCost::tile_step},
                                  {"tile_teams", &DeviceCost::tile_teams},
                                  {"shared", &DeviceCost::shared},
                                  {"processors", &DeviceCost::processors}};

bool read_constant(const char *argument, DeviceCost &cost)
{
  const char *equals = std::strchr(argument, '=');
  if (!equals) return false;
  const std::string name(argument, equals);
  char *end = nullptr;
  const double value = std::strtod(equals + 1, &end);
  for (const Constant &c : constants)
    if (name == c.name && end != equals + 1 && *end == 0 && value > 0) {
      cost.*c.value = value;
      return true;
    }
  return false;
}

Graph make_star(Index side)
{
  const Index rows = side * side * side, step[] = {-side * side, -side, -1, 0, 1, side, side * side};
  Graph g{rows, make_array<Index>("ptr", std::size_t(rows) + 1), make_array<Index>("col", 7 * std::size_t(rows))};
  Index next = 0;
  for (Index row = 0; row < rows; ++row) {
    const Index i = row % side, j = row / side % side, k = row / (side * side);
    const bool inside[] = {k > 0, j > 0, i > 0, true, i + 1 < side, j + 1 < side, k + 1 < side};
    g.ptr(row) = next;
    for (int d = 0; d < 7; ++d)
      if (inside[d]) g.col(next++) = row + step[d];
  }
  g.ptr(rows) = next;
  return g;
}

// Of one way to run a sweep.
struct Prediction {
  double seconds; // 0: it does not fit
  Index levels = 0, rounds = 0;
  Offset tasks = 0;
};
Prediction sum_up(double seconds, const TaskLevels &levels)
{
  Prediction p{seconds, Index(levels.size())};
  for (const TaskLevel &l : levels) {
    p.tasks += l.tasks;
    p.rounds += l.rounds;
  }
  return p;
}

// Applications on side^3 points.
class Cube
{
public:
  Cube(Index side, const DeviceCost &cost) : side_(side), cost_(cost), graph_(make_star(side))
  {
    options_.grid = {{side, side, side}};
  }

  void print() const
  {
    const Plan planned = plan(shown_size);
    std::printf("\n| %d^3 points | built | levels | tasks | rows in a row |", int(side_));
    for (const int n : sizes) std::printf(" n = %d |", n);
    std::printf("\n|---|---|---|---|---|---|---|---|---|---|\n");
    std::printf("| a copy of as many bytes | | | | |");
    for (const int n : sizes) std::printf(" (%.0f) |", 1e6 * copy(n));
    std::printf("\n");
    const auto launch = [&](Launch how) {
      return [this, how](int n) {
        const Plan p = plan(n);
        double waves = 0;
        for (Index g = 0; g < p.schedule.groups(); ++g)
          waves += std::ceil((p.schedule.group(g + 1) - p.schedule.group(g)) / (cost_.teams * work(n).at_once));
        const double seconds = predict_launch(cost_, work(n), p.schedule.group, how);
        const auto kernels = Offset(cut_kernels(p.schedule.group, work(n).at_once).extent(0)) - 1;
        return Prediction{seconds, p.schedule.groups(), Index(waves), kernels};
      };
    };
    print_row("launch, by the host one by one", "yes, above 4096 kernels", launch(Launch::stream));
    print_row("launch in a CUDA graph", "yes", launch(Launch::graph));
    print_row("the same, dependent launch, blocks loaded before the wait", "yes, from sm_90 on",
              launch(Launch::dependent));
    const auto self = [&](bool by_256, const auto &times_of) {
      return [this, by_256, times_of](int n) {
        const auto &group = plan(n).schedule.group;
        const TaskSize size = by_256 ? TaskSize{256, 1} : size_tasks(cost_, work(n), group);
        const TaskLevels levels = self_levels(group, size, work(n).at_once);
        return sum_up(predict_tasks(cost_, work(n), levels, times_of(n)), levels);
      };
    };
    const auto late = [&](int) { return TaskTimes{cost_.flag, cost_.row, cost_.row, cost_.teams}; };
    print_row("self, tasks of 256 rows", "no longer", self(true, late));
    print_row("self, tasks of a round of a team", "short numbers", self(false, late));
    print_row("the same, blocks loaded before the wait", "yes, corrections",
              self(false, [&](int) { return times_of_flags(cost_); }));
    print_row("the same, values are their own flags", "yes",
              self(false, [&](int n) { return times_of_values(cost_, n); }));
    const auto tile = [&](bool best, Launch how) {
      return [this, best, how](int n) {
        const Box shape = best ? choose_tiles(cost_, work(n), options_.grid)[0] : Box{2, 2, 2};
        return sum_up(predict_tiles(cost_, work(n), options_.grid, shape, how),
                      tile_levels(options_.grid, shape, work(n).at_once));
      };
    };
    print_row("tile, 2 x 2 x 2, dependent launch", "yes, as asked for", tile(false, Launch::dependent));
    print_row("tile, best shape, in a CUDA graph", "yes", tile(true, Launch::graph));
    print_row("the same, dependent launch", "yes, from sm_90 on", tile(true, Launch::dependent));
    print_aim(0.7);
    std::printf("\nBest shapes of tiles:");
    for (const int n : sizes) {
      const Box t = choose_tiles(cost_, work(n), options_.grid)[0];
      std::printf(" %d x %d x %d%s", int(t.i), int(t.j), int(t.k), n == sizes[4] ? ".\n" : ",");
    }
    std::printf("\n`auto` takes:");
    for (const int n : sizes) std::printf(" %s%s", name(plan(n).executor), n == sizes[4] ? "" : ",");
    std::printf(" (%s).\n", planned.reason);
  }

private:
  SweepWork work(int n) const
  {
    return {.bytes = sweep_bytes(blocks, n, sizeof(Scalar)),
            .at_once = Index(shape_team<ForwardRow<0, Scalar, Scalar>>(n).threads),
            .block = n,
            .couplings = (blocks - 1) / 2,
            .scratch = tile_scratch(n)};
  }
  // What a team's threads leave (run/tile_work.hpp).
  static std::size_t tile_scratch(int n)
  {
    using Row = ForwardRow<0, Scalar, Scalar>;
    return team_scratch - kokkos_bytes -
           std::size_t(shape_team<Row>(n).threads) * (scratch_bytes(Row::scratch_size(n)) + kokkos_thread_bytes);
  }
  double copy(int n) const { return 2 * double(graph_.rows) * work(n).bytes / cost_.copy; }

  // Of the engine, for a device.
  Plan plan(int n) const
  {
    std::optional<Plan> &p = plans_[std::size_t(n)];
    if (!p) {
      Elimination e;
      p.emplace();
      if (choose_elimination(graph_, options_, e) ||
          make_plan(e, n, options_, {true, 0, tile_scratch(n), work(n).at_once, cost_}, *p))
        std::abort();
    }
    return *p;
  }
  static const char *name(ExecutorKind kind)
  {
    return kind == ExecutorKind::launch ? "launch" : kind == ExecutorKind::self ? "self" : "tile";
  }

  template <class Predict> void print_row(const char *what, const char *built, const Predict &predict) const
  {
    const Prediction shown = predict(shown_size);
    std::printf("| %s | %s | %d | %lld | %d |", what, built, int(shown.levels), static_cast<long long>(shown.tasks),
                int(shown.rounds));
    for (const int n : sizes) {
      const double seconds = 2 * predict(n).seconds;
      if (seconds > 0) std::printf(" %.0f %% (%.0f) |", 100 * copy(n) / seconds, 1e6 * seconds);
      else std::printf(" |");
    }
    std::printf("\n");
  }

  // How long a level may take, all but its bytes, for that part of the copy bandwidth.
  void print_aim(double aim) const
  {
    std::printf("| a level may take, for %.0f %% | | | | |", 100 * aim);
    for (const int n : sizes) {
      double low = 0, high = 1e-3;
      for (int i = 0; i < 40; ++i) {
        DeviceCost c = cost_;
        c.early_gap = (low + high) / 2;
        c.early_row = 0;
        const double seconds = 2 * predict_launch(c, work(n), plan(n).schedule.group, Launch::dependent);
        (copy(n) > aim * seconds ? low : high) = c.early_gap;
      }
      std::printf(" (%.2f) |", 1e6 * low);
    }
    std::printf("\n");
  }

  Index side_;
  DeviceCost cost_;
  EngineOptions options_;
  Graph graph_;
  mutable std::array<std::optional<Plan>, 9> plans_; // by block size
};

} // namespace

int main(int argc, char **argv)
{
  DeviceCost cost;
  cost.starts_early = cost.waits_for_values = true;
  for (int i = 1; i < argc; ++i)
    if (!read_constant(argv[i], cost)) {
      std::fprintf(stderr, "model_gpu: '%s' is no name=value of a constant:", argv[i]);
      for (const Constant &c : constants) std::fprintf(stderr, " %s", c.name);
      std::fprintf(stderr, "\n");
      return 2;
    }
  if (!test::start_backend("model_gpu")) return 1;
  std::printf("Modelled, not measured:");
  for (const Constant &c : constants) std::printf(" %s=%.4g", c.name, cost.*c.value);
  std::printf(
    "\nPer cent of the copy bandwidth (microseconds an application); levels, tasks, rows of a sweep at n = %d\n",
    shown_size);
  for (const Index side : {64, 128}) Cube(side, cost).print();
  return 0;
}
