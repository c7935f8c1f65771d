// Factorisation and application of block DILU on a device (or, to try the program, on the host), every executor,
// beside the copy bandwidth of the same run: a table in Markdown. Needs no PETSc.
//   bench_device [--backend host] [--points 64,128] [--sizes 1,4,5] [--repetitions 10]
#include "../backend.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace finegrain;

namespace
{

// The 7-point star on side^3 points; its columns ascend.
Graph make_star(Index side)
{
  const Index rows = side * side * side, step[] = {-side * side, -side, -1, 0, 1, side, side * side};
  Graph       g{rows, make_array<Index>("ptr", std::size_t(rows) + 1), {}};
  const auto  for_neighbours = [&](Index row, auto body) {
    const Index i = row % side, j = row / side % side, k = row / (side * side);
    const bool  inside[] = {k > 0, j > 0, i > 0, true, i + 1 < side, j + 1 < side, k + 1 < side};
    for (int d = 0; d < 7; ++d)
      if (inside[d]) body(row + step[d]);
  };
  g.ptr(0) = 0;
  for (Index row = 0; row < rows; ++row) {
    Index count = 0;
    for_neighbours(row, [&](Index) { ++count; });
    g.ptr(row + 1) = g.ptr(row) + count;
  }
  g.col      = make_array<Index>("col", std::size_t(g.ptr(rows)));
  Index next = 0;
  for (Index row = 0; row < rows; ++row) for_neighbours(row, [&](Index col) { g.col(next++) = col; });
  return g;
}

// Full blocks with entries in [-1, 1), and dominant diagonals.
HostArray<Scalar> make_values(const Graph &g, int n)
{
  const std::size_t nn     = std::size_t(n) * std::size_t(n);
  auto              values = make_array<Scalar>("values", std::size_t(g.entries()) * nn);
  std::uint64_t     state  = 1;
  for (std::size_t i = 0; i < values.extent(0); ++i) {
    state     = state * 6364136223846793005u + 1442695040888963407u;
    values(i) = Scalar(Real(std::int32_t(state >> 32)) / Real(2147483648.0));
  }
  for (Index row = 0; row < g.rows; ++row)
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e)
      for (int r = 0; r < n && g.col(e) == row; ++r)
        values(std::size_t(e) * nn + std::size_t(r * n + r)) += Scalar(Real(8 * n));
  return values;
}

struct Settings {
  std::vector<int> points{64, 128}, sizes{1, 4, 5};
  int              repetitions = 10;
};

// Seconds of a call that returns when its work is done.
template <class Body> double seconds(Body body)
{
  Kokkos::Timer timer;
  body();
  return timer.seconds();
}

template <class Exec> class Bench
{
  using Space = typename Exec::memory_space;

public:
  explicit Bench(const Settings &s) : settings_(s)
  {
    const std::size_t length = works_in_teams<Exec> ? std::size_t(1) << 27 : std::size_t(1) << 25; // of doubles
    from_                    = make_array<double, Space>("from", length);
    to_                      = make_array<double, Space>("to", length);
    Kokkos::deep_copy(from_, 1.0);
    for (int r = 0; r < settings_.repetitions; ++r) measure_copy();
  }

  // False: a result is wrong, and a line on stderr says so.
  bool run()
  {
    std::printf(
      "| points | n | storage | executor | groups | kernels | apply us | ns/point | GB/s | of copy | factor us "
      "| ns/point |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const int side : settings_.points) {
      const Graph star = make_star(side);
      for (const int n : settings_.sizes) {
        const auto values = copy_to<Space>(make_values(star, n));
        for (const Precision precision : {Precision::working, Precision::single})
          for (const ExecutorKind executor : test::executors())
            if (executor != ExecutorKind::shuffle && !run(star, side, n, values, precision, executor)) return false;
      }
    }
    std::printf("\ncopy bandwidth: %.0f GB/s read and written (best of the run; %zu MiB each way)\n", copy_ / 1e9,
                from_.extent(0) * sizeof(double) >> 20);
    return true;
  }

private:
  bool run(const Graph &star, Index side, int n, const Array<Scalar, Space> &values, Precision precision,
           ExecutorKind executor)
  {
    const std::size_t size = std::size_t(star.rows) * std::size_t(n);
    const Source      source{values.data(), nullptr, nullptr};
    OperatorView      view;
    Recipe            recipe;
    view.block       = n;
    view.owned       = star;
    recipe.backend   = works_in_teams<Exec> ? Backend::device : Backend::host;
    recipe.grid      = {{side, side, side}};
    recipe.precision = recipe.diagonal = precision;
    recipe.executor                    = executor;
    const auto engine                  = make_engine(recipe.backend);
    auto       b = make_array<Scalar, Space>("b", size), x = make_array<Scalar, Space>("x", size);
    Kokkos::deep_copy(b, Scalar(1));
    if (engine->analyse(view, recipe) || engine->factor(source).bad_row >= 0) return fail("factorisation", side, n);
    engine->apply(b.data(), x.data());
    const auto result = copy_to<Kokkos::HostSpace>(x);
    for (std::size_t i = 0; i < size; ++i)
      if (!is_finite(magnitude(result(i)))) return fail("application", side, n);

    double apply = std::numeric_limits<double>::max(), factor = apply;
    for (int r = 0; r < settings_.repetitions; ++r) {
      measure_copy();
      apply  = std::min(apply, seconds([&] { engine->apply(b.data(), x.data()); }));
      factor = std::min(factor, seconds([&] { engine->factor(source); }));
    }
    const Statistics s    = engine->statistics();
    const double     rows = double(star.rows), rate = double(s.apply_bytes) / apply;
    const char      *names[] = {"auto", "natural", "launch", "self", "tile", "shuffle"};
    std::printf("| %d^3 | %d | %s | %s | %d | %ld | %.1f | %.2f | %.0f | %.0f %% | %.1f | %.2f |\n", int(side), n,
                precision == Precision::single ? "single" : "working", names[int(s.executor)], int(s.widths.groups),
                long(s.apply_launches), apply * 1e6, apply * 1e9 / rows, rate / 1e9, 100 * rate / copy_, factor * 1e6,
                factor * 1e9 / rows);
    std::fflush(stdout);
    return true;
  }

  void measure_copy()
  {
    const double t = seconds([&] {
      Kokkos::deep_copy(to_, from_);
      Kokkos::fence();
    });
    copy_          = std::max(copy_, 2 * double(from_.extent(0) * sizeof(double)) / t);
  }

  static bool fail(const char *what, Index side, int n)
  {
    std::fprintf(stderr, "bench_device: the %s failed, %d^3 points, n = %d\n", what, int(side), n);
    return false;
  }

  Settings             settings_;
  Array<double, Space> from_, to_;
  double               copy_ = 0;
};

std::vector<int> read_list(const char *text)
{
  std::vector<int> list;
  for (const char *c = text; *c; c += *c == ',') {
    char      *end;
    const long value = std::strtol(c, &end, 10);
    if (end == c || value < 1 || value > 1000) return {};
    list.push_back(int(value));
    c = end;
  }
  return list;
}

bool read_arguments(int argc, char **argv, Settings &s)
{
  for (int i = 1; i < argc; ++i) {
    if (test::read_backend(argc, argv, i)) continue;
    const std::vector<int> list = i + 1 < argc ? read_list(argv[i + 1]) : std::vector<int>();
    if (list.empty()) return false;
    if (!std::strcmp(argv[i], "--points")) s.points = list;
    else if (!std::strcmp(argv[i], "--sizes")) s.sizes = list;
    else if (!std::strcmp(argv[i], "--repetitions")) s.repetitions = list[0];
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
    std::fprintf(stderr, "bench_device [--backend host] [--points 64,128] [--sizes 1,4,5] [--repetitions 10]\n");
    return 2;
  }
  if (!test::start_backend("bench_device")) return 2;
  if (test::where == test::Where::host) return Bench<HostExec>(settings).run() ? 0 : 1;
  return Bench<DeviceExec>(settings).run() ? 0 : 1;
}
