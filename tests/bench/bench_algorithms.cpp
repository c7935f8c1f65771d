// SPDX-License-Identifier: BSD-2-Clause
// Times the set-up of values and the application of block DILU, sweeps of mcpi, and ILU(1) by colors. Runs every
// algorithm and the one that `auto` chooses in turn, and compares with the bandwidth of the same run: of reads by as
// many threads on a host, of copies on a device. Prints a table in Markdown. Needs no PETSc.
//   bench_algorithms [--backend host] [--points 32,64,128] [--sizes 1,5] [--repetitions 10]
//                    [--methods dilu,single,mcpi,mcpi_half,ilu1,tiles] [--mesh] [--tile I,J,K]
//                    [--without-waiting]
// tiles: dilu of the rows ordered by colored tiles of 8^3 points. Its results are not those of dilu.
// --mesh: a mesh of tetrahedra instead of a star on a grid.
// --tile: points of a tile of algorithm tasks, for dilu and single on a grid.
// --without-waiting also runs tasks without their waits. Their results are wrong and not checked; their times show
// the cost of waiting, as in Table V of Dufrechou, Ezzatti and Usera.
#include "../backend.hpp"
#include "base/threads.hpp"
#include "order/tile_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

using namespace finegrain;

namespace finegrain::test
{
extern bool tasks_wait; // whether the tasks of plans that are made from now on wait (waits.cpp)
}

namespace
{

// The 7-point star on side^3 points, or a mesh of as many vertices: cubes cut into six tetrahedra (mesh.hpp).
// Columns ascend.
Graph make_graph(Index side, bool mesh)
{
  using Steps = std::vector<std::array<Index, 3>>;
  static const Steps star{{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  static const Steps tetrahedra{{-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {-1, -1, 0},
                                {0, -1, 0},   {-1, 0, 0},  {0, 0, 0},   {1, 0, 0},  {0, 1, 0},
                                {1, 1, 0},    {0, 0, 1},   {1, 0, 1},   {0, 1, 1},  {1, 1, 1}};
  const Index rows = side * side * side;
  Graph g{rows, make_array<Index>("ptr", std::size_t(rows) + 1), {}};
  const auto for_neighbors = [&](Index row, auto body) {
    const Index i = row % side, j = row / side % side, k = row / (side * side);
    const auto inside = [side](Index x) { return x >= 0 && x < side; };
    for (const auto &[x, y, z] : mesh ? tetrahedra : star)
      if (inside(i + x) && inside(j + y) && inside(k + z)) body(row + x + side * (y + side * z));
  };
  g.ptr(0) = 0;
  for (Index row = 0; row < rows; ++row) {
    Index count = 0;
    for_neighbors(row, [&](Index) { ++count; });
    g.ptr(row + 1) = g.ptr(row) + count;
  }
  g.col = make_array<Index>("col", std::size_t(g.ptr(rows)));
  Index next = 0;
  for (Index row = 0; row < rows; ++row) for_neighbors(row, [&](Index col) { g.col(next++) = col; });
  return g;
}

// Full blocks with entries in [-1, 1), and dominant diagonals.
HostArray<Scalar> make_values(const Graph &g, int n)
{
  const std::size_t nn = std::size_t(n) * std::size_t(n);
  auto values = make_array<Scalar>("values", std::size_t(g.entries()) * nn);
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < values.extent(0); ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values(i) = Scalar(Real(std::int32_t(state >> 32)) / Real(2147483648.0));
  }
  for (Index row = 0; row < g.rows; ++row)
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
      for (int r = 0; r < n && g.col(e) == row; ++r)
        values(std::size_t(e) * nn + std::size_t(r * n + r)) += Scalar(Real(8 * n));
  return values;
}

// A method that the benchmark sets up and applies.
struct MethodCase {
  const char *name;
  void (*set)(EngineOptions &, const Graph &);
};
constexpr MethodCase all_methods[] = {
  {"dilu", [](EngineOptions &, const Graph &) {}},
  {"single", [](EngineOptions &r, const Graph &) { r.precision = r.diagonal = Precision::single; }},
  {"mcpi", [](EngineOptions &r, const Graph &) { r.method = Method::relaxation; }},
  {"mcpi_half",
   [](EngineOptions &r, const Graph &) {
     r.method = Method::relaxation;
     r.precision = Precision::half;
     r.relaxation.sweeps = 3;
   }},
  {"ilu1",
   [](EngineOptions &r, const Graph &) {
     r.schedule = ScheduleKind::color;
     r.levels = 1;
     r.power = 2;
   }},
  {"tiles", [](EngineOptions &r, const Graph &g) {
     r.ordering = order_tiles(r.grid, {8, 8, 8}, g);
   }}};

struct Settings {
  std::vector<int> points{32, 64, 128}, sizes{1, 5};
  int repetitions = 10;
  std::vector<MethodCase> methods{all_methods[0], all_methods[1]};
  bool without_waiting = false, mesh = false;
  Box tile; // without points: the plan's
};

// Seconds of a synchronous call.
template <class Body> double seconds(Body body)
{
  Kokkos::Timer timer;
  body();
  return timer.seconds();
}

template <class Exec> class Bench
{
  using Space = typename Exec::memory_space;
  static constexpr bool here = !works_in_teams<Exec>;

public:
  explicit Bench(const Settings &s) : settings_(s), threads_(here ? usable_threads() : 1)
  {
    const std::size_t length = std::size_t(1) << (here ? 25 : 27); // in doubles
    from_ = make_array<double, Space>("from", length);
    if (!here) to_ = make_array<double, Space>("to", length);
    Kokkos::deep_copy(from_, 1.0);
  }

  // Returns false, and prints a line on stderr, if a result is wrong.
  bool run()
  {
    std::printf("%s, threads: %d\n\n", here ? HostExec::name() : DeviceExec::name(), threads_);
    std::printf(
      "| points | n | method | algorithm | tasks or groups | in a row | kernels | apply ns/point | apply, of %s | "
      "of bandwidth | factor ns/point | factor, of %s |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      here ? "sequential" : "levels", here ? "sequential" : "levels");
    bool good = true; // each size is checked on its own
    for (const int side : settings_.points) {
      const Graph graph = make_graph(side, settings_.mesh);
      for (const int n : settings_.sizes) {
        const auto values = copy_to<Space>(make_values(graph, n));
        for (const MethodCase &method : settings_.methods) good = run(graph, side, n, values, method) && good;
      }
    }
    std::printf(
      "\n%s bandwidth, %zu MiB: %.1f to %.1f GB/s, measured between the repetitions of each grid and size\n",
      here ? "read" : "copy (both ways)", from_.extent(0) * sizeof(double) >> 20, least_ / 1e9, most_ / 1e9);
    return good;
  }

private:
  struct Candidate {
    bool automatic, waits;
    std::unique_ptr<Engine> engine;
    double apply, factor;
  };

  bool run(const Graph &star, Index side, int n, const Array<Scalar, Space> &values, const MethodCase &method)
  {
    const std::size_t size = std::size_t(star.rows) * std::size_t(n);
    const MatrixValues source{values.data(), nullptr, nullptr};
    OperatorView view;
    EngineOptions options;
    view.block = n;
    view.owned = star;
    options.grid = {{side, side, side}};
    method.set(options, star);
    auto b = make_array<Scalar, Space>("b", size), x = make_array<Scalar, Space>("x", size);
    Kokkos::deep_copy(b, Scalar(1));
    std::vector<Candidate> candidates;
    HostArray<Scalar> expected;
    bool good = true;
    const auto fail = [&](const char *what, Algorithm algorithm) {
      std::fprintf(stderr, "bench_algorithms: the %s failed, algorithm %s, %d^3 points, n = %d\n", what,
                   test::name_of(algorithm), int(side), n);
      good = false;
    };
    std::vector<Algorithm> algorithms = test::algorithms();
    algorithms.push_back(Algorithm::automatic);
    std::vector<std::pair<Algorithm, bool>> cases; // algorithm, and whether its tasks wait
    for (const bool waits : {true, false})
      for (const Algorithm algorithm : algorithms)
        if (waits || (settings_.without_waiting && algorithm == Algorithm::tasks))
          cases.emplace_back(algorithm, waits);
    for (const auto &[algorithm, waits] : cases) {
      test::tasks_wait = waits;
      options.algorithm = algorithm;
      options.tile = algorithm == Algorithm::tasks ? settings_.tile : Box();
      auto engine = make_engine(here ? Backend::host : Backend::device, options.method);
      Kokkos::deep_copy(x, Scalar(std::numeric_limits<Real>::quiet_NaN()));
      if (engine->analyze(view, options) || (engine->factor(source).bad_row >= 0 && waits)) {
        fail("factorization", algorithm);
        continue;
      }
      engine->apply(b.data(), x.data());
      const auto result = copy_to<Kokkos::HostSpace>(x);
      bool finite = true;
      for (std::size_t i = 0; i < size; ++i) finite = finite && is_finite(magnitude(result(i)));
      if (!finite && waits) {
        fail("application", algorithm);
        continue;
      }
      if (!expected.extent(0)) Kokkos::deep_copy(expected = make_array<Scalar>("expected", size), result);
      if (waits && std::memcmp(expected.data(), result.data(), size * sizeof(Scalar)))
        fail("comparison of algorithms", algorithm);
      constexpr double never = std::numeric_limits<double>::max();
      candidates.push_back({algorithm == Algorithm::automatic, waits, std::move(engine), never, never});
    }
    // Enough applications that the data of one repetition exceeds any cache.
    const int inner = int(1 + 2e7 / (double(size) * n * sizeof(Scalar)));
    bandwidth_ = 0; // bandwidth of these minutes: on a shared machine it varies
    for (int r = 0; r < settings_.repetitions; ++r) {
      measure_bandwidth();
      for (Candidate &c : candidates) {
        const double t = seconds([&] {
          for (int i = 0; i < inner; ++i) c.engine->apply(b.data(), x.data());
        });
        c.apply = std::min(c.apply, t / inner);
        c.factor = std::min(c.factor, seconds([&] { c.engine->factor(source); }));
      }
    }
    least_ = std::min(least_, bandwidth_);
    most_ = std::max(most_, bandwidth_);
    for (const Candidate &c : candidates) print(c, candidates.front(), side, n, method.name);
    return good;
  }

  void print(const Candidate &c, const Candidate &first, Index side, int n, const char *method) const
  {
    const Statistics s = c.engine->statistics();
    const double rows = double(s.rows);
    // Lower bound of the bytes read: every coupling once, columns, pointers, and four vectors.
    const double least = double(s.factor_bytes) + rows * (4 * n * double(sizeof(Scalar)) + 4 * 8);
    std::printf("| %d^3 | %d | %s | %s%s%s | %d | %d | %ld | %.1f | %.2f | %.0f %% | %.0f | %.2f |\n", int(side), n,
                method, c.automatic ? "auto: " : "", test::name_of(s.algorithm),
                c.waits ? "" : ", without waiting (wrong)", int(s.tasks ? s.tasks : s.widths.groups),
                int(s.tasks ? s.task_levels : s.widths.groups), long(s.apply_launches), c.apply * 1e9 / rows,
                c.apply / first.apply, 100 * least / c.apply / bandwidth_, c.factor * 1e9 / rows,
                c.factor / first.factor);
    std::fflush(stdout);
  }

  void measure_bandwidth()
  {
    const double bytes = double(from_.extent(0) * sizeof(double));
    const double t = seconds([&] {
      if constexpr (here) {
        const std::size_t part = from_.extent(0) / std::size_t(threads_) / 32 * 32, quarter = part / 4;
        std::vector<double> sums(std::size_t(threads_) * 8);
        for_threads(threads_, [&, data = from_.data()](const int thread) {
          double sum[32] = {};
          const double *stream = data + std::size_t(thread) * part;
          for (std::size_t i = 0; i < quarter; i += 8)
            for (std::size_t s = 0; s < 4; ++s)
              for (std::size_t k = 0; k < 8; ++k) sum[8 * s + k] += stream[s * quarter + i + k];
          for (const double v : sum) sums[std::size_t(thread) * 8] += v;
        });
        if (sums[0] <= 0) std::abort(); // uses the sums, so that the compiler keeps the loop
      } else {
        Kokkos::deep_copy(to_, from_);
        Kokkos::fence();
      }
    });
    bandwidth_ = std::max(bandwidth_, (here ? 1 : 2) * bytes / t);
  }

  Settings settings_;
  int threads_;
  Array<double, Space> from_, to_;
  double bandwidth_ = 0, least_ = std::numeric_limits<double>::max(), most_ = 0;
};

std::vector<int> read_list(const char *text)
{
  std::vector<int> list;
  for (const char *c = text; *c; c += *c == ',') {
    char *end;
    const long value = std::strtol(c, &end, 10);
    if (end == c || value < 1 || value > 1000) return {};
    list.push_back(int(value));
    c = end;
  }
  return list;
}

bool read_methods(int argc, char **argv, int &i, Settings &s)
{
  if (std::strcmp(argv[i], "--methods") || i + 1 == argc) return false;
  const std::string list = std::string(",") + argv[++i] + ",";
  s.methods.clear();
  for (const MethodCase &m : all_methods)
    if (list.find(std::string(",") + m.name + ",") != std::string::npos) s.methods.push_back(m);
  return !s.methods.empty();
}

bool read_arguments(int argc, char **argv, Settings &s)
{
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--without-waiting")) {
      s.without_waiting = true;
      continue;
    }
    if (!std::strcmp(argv[i], "--mesh")) {
      s.mesh = true;
      continue;
    }
    if (test::read_backend(argc, argv, i) || test::read_algorithms(argc, argv, i) || read_methods(argc, argv, i, s))
      continue;
    const std::vector<int> list = i + 1 < argc ? read_list(argv[i + 1]) : std::vector<int>();
    if (list.empty()) return false;
    if (!std::strcmp(argv[i], "--points")) s.points = list;
    else if (!std::strcmp(argv[i], "--sizes")) s.sizes = list;
    else if (!std::strcmp(argv[i], "--repetitions")) s.repetitions = list[0];
    else if (!std::strcmp(argv[i], "--tile") && list.size() == 3) s.tile = {list[0], list[1], list[2]};
    else return false;
    ++i;
  }
  return test::where != test::Where::staged;
}

} // namespace

int main(int argc, char **argv)
{
  Settings settings;
  test::where = test::Where::device;
  if (!read_arguments(argc, argv, settings)) {
    std::fprintf(stderr,
                 "bench_algorithms [--backend host] [--algorithms levels,tasks] [--points 32,64,128] [--sizes "
                 "1,5] [--repetitions 10] [--methods dilu,single,mcpi,mcpi_half,ilu1,tiles] [--mesh] "
                 "[--tile 4,4,4] [--without-waiting]\n");
    return 2;
  }
  if (!test::start_backend("bench_algorithms")) return 2;
  if (test::where == test::Where::host) return Bench<HostExec>(settings).run() ? 0 : 1;
  return Bench<DeviceExec>(settings).run() ? 0 : 1;
}
