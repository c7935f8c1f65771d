// SPDX-License-Identifier: BSD-2-Clause
#include "order/coloring.hpp"

#include "base/threads.hpp"
#include "order/levels.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace finegrain
{

namespace
{

Index largest_degree(const Graph &g)
{
  Index most = 0;
  for (Index i = 0; i < g.rows; ++i) most = std::max(most, g.ptr(i + 1) - g.ptr(i));
  return most;
}

// Finds the smallest color that no neighbor of a row has. A row with d neighbors needs no color above d.
class SmallestFree
{
public:
  explicit SmallestFree(Index degree) : excluded_for_(std::size_t(degree) + 1, -1) {}

  void begin(Index row) { row_ = row; }
  void exclude(Index color)
  {
    if (color >= 0 && std::size_t(color) < excluded_for_.size()) excluded_for_[std::size_t(color)] = row_;
  }
  Index find() const
  {
    return Index(std::find_if(excluded_for_.begin(), excluded_for_.end(), [&](Index row) { return row != row_; }) -
                 excluded_for_.begin());
  }

private:
  std::vector<Index> excluded_for_; // the last row that may not have this color
  Index row_ = -1;
};

HostArray<Index> no_colors(Index rows)
{
  auto color = make_array<Index>("finegrain::color", std::size_t(rows));
  std::fill_n(color.data(), rows, -1);
  return color;
}

Index count_colors(const HostArray<Index> &color)
{
  return 1 + std::accumulate(color.data(), color.data() + color.extent(0), Index(-1),
                             [](Index a, Index b) { return std::max(a, b); });
}

// Greedy coloring in the order row_at(0), row_at(1), ...
template <class RowAt> Coloring color_in_order(const Graph &g, const RowAt &row_at)
{
  const auto color = no_colors(g.rows);
  SmallestFree free(largest_degree(g));
  for (Index p = 0; p < g.rows; ++p) {
    const Index row = row_at(p);
    free.begin(row);
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) free.exclude(color(g.col(e)));
    color(row) = free.find();
  }
  return {count_colors(color), color};
}

// Rows by their number of remaining neighbors, in doubly linked lists. The row inserted last is removed first.
class Degrees
{
public:
  explicit Degrees(const Graph &g)
      : degree_(std::size_t(g.rows)),
        next_(std::size_t(g.rows)),
        previous_(std::size_t(g.rows)),
        first_(std::size_t(largest_degree(g)) + 1, -1)
  {
    for (Index row = g.rows - 1; row >= 0; --row) {
      degree_[std::size_t(row)] = g.ptr(row + 1) - g.ptr(row);
      insert(row);
    }
  }
  Index remove_smallest()
  {
    while (first_[smallest_] < 0) ++smallest_;
    const Index row = first_[smallest_];
    remove(row);
    degree_[std::size_t(row)] = removed;
    return row;
  }
  void lower(Index row)
  {
    if (degree_[std::size_t(row)] == removed) return;
    remove(row);
    --degree_[std::size_t(row)];
    insert(row);
  }

private:
  static constexpr Index removed = -1;

  void insert(Index row)
  {
    const std::size_t degree = std::size_t(degree_[std::size_t(row)]);
    const Index next = std::exchange(first_[degree], row);
    next_[std::size_t(row)] = next;
    if (next >= 0) previous_[std::size_t(next)] = row;
    previous_[std::size_t(row)] = -1;
    smallest_ = std::min(smallest_, degree);
  }
  void remove(Index row)
  {
    const Index next = next_[std::size_t(row)], previous = previous_[std::size_t(row)];
    if (next >= 0) previous_[std::size_t(next)] = previous;
    if (previous >= 0) next_[std::size_t(previous)] = next;
    else first_[std::size_t(degree_[std::size_t(row)])] = next;
  }

  std::vector<Index> degree_, next_, previous_;
  std::vector<Index> first_; // first row of each degree
  std::size_t smallest_ = 0; // no row has a smaller degree
};

// The finalizer of splitmix64. It is one-to-one, so that different keys never tie.
std::uint64_t mix(std::int64_t key)
{
  std::uint64_t x = std::uint64_t(key) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::vector<std::uint64_t> priorities(const HostArray<std::int64_t> &key)
{
  std::vector<std::uint64_t> p(key.extent(0));
  std::transform(key.data(), key.data() + key.extent(0), p.begin(), mix);
  return p;
}

// Work space of one thread of HashColoring.
struct Worker {
  SmallestFree free;
  std::vector<Index> ready;
};

} // namespace

Coloring color_greedy(const Graph &g)
{
  return color_in_order(g, [](Index p) { return p; });
}

Coloring color_largest_first(const Graph &g)
{
  const auto degree = [&](Index row) { return std::size_t(g.ptr(row + 1) - g.ptr(row)); };
  std::vector<Index> end(std::size_t(largest_degree(g)) + 1, 0), order(std::size_t(g.rows));
  for (Index i = 0; i < g.rows; ++i) ++end[degree(i)];
  std::partial_sum(end.rbegin(), end.rend(), end.rbegin());
  for (Index i = g.rows - 1; i >= 0; --i) order[std::size_t(--end[degree(i)])] = i;
  return color_in_order(g, [&](Index p) { return order[std::size_t(p)]; });
}

Coloring color_smallest_last(const Graph &g)
{
  Degrees degrees(g);
  std::vector<Index> order(std::size_t(g.rows));
  for (Index p = g.rows - 1; p >= 0; --p) {
    const Index row = order[std::size_t(p)] = degrees.remove_smallest();
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) degrees.lower(g.col(e));
  }
  return color_in_order(g, [&](Index p) { return order[std::size_t(p)]; });
}

HashColoring::HashColoring(const Graph &symmetric, const Graph &coupling, const HostArray<std::int64_t> &key,
                           const HostArray<std::int64_t> &ghost_key)
    : graph_(symmetric),
      coupling_(coupling),
      ghosts_(transpose(coupling, Index(ghost_key.extent(0)))),
      priority_(priorities(key)),
      ghost_priority_(priorities(ghost_key)),
      waits_(std::size_t(symmetric.rows), 0),
      ghost_known_(ghost_key.extent(0), 0),
      color_(no_colors(symmetric.rows)),
      uncolored_(symmetric.rows)
{
  for (Index i = 0; i < graph_.rows; ++i) {
    const std::uint64_t own = priority_[std::size_t(i)];
    Index &waits = waits_[std::size_t(i)];
    for (Index e = graph_.ptr(i); e < graph_.ptr(i + 1); ++e) waits += priority_[std::size_t(graph_.col(e))] > own;
    if (coupling_.rows > 0)
      for (Index e = coupling_.ptr(i); e < coupling_.ptr(i + 1); ++e)
        waits += ghost_priority_[std::size_t(coupling_.col(e))] > own;
    if (waits == 0) ready_.push_back(i);
  }
}

bool HashColoring::advance(const Index *ghost_color)
{
  const Index threads = usable_threads();
  std::vector<Worker> workers(std::size_t(threads),
                              {SmallestFree(largest_degree(graph_) + largest_degree(coupling_)), {}});

  // Calls body(i, worker) for each i below `count`, and collects the rows that it made ready. Few rows do not
  // justify a thread.
  const auto run = [&](std::size_t count, const auto &body) {
    constexpr std::size_t few = 64;
    const std::size_t used = std::min(workers.size(), 1 + count / few);
    for_threads(std::int32_t(used), [&](std::int32_t t) {
      const std::size_t share = std::size_t(t);
      for (std::size_t i = count * share / used; i < count * (share + 1) / used; ++i) body(i, workers[share]);
    });
    for (Worker &worker : workers) {
      ready_.insert(ready_.end(), worker.ready.begin(), worker.ready.end());
      worker.ready.clear();
    }
  };
  // The row waits for one neighbor fewer. A builtin is used, because Kokkos 3.4 has no atomic operations where its
  // own back end has no threads. Colors need no memory order: they are read in later rounds.
  const auto release = [&](Index row, Worker &worker) {
    if (__atomic_sub_fetch(&waits_[std::size_t(row)], 1, __ATOMIC_RELAXED) == 0) worker.ready.push_back(row);
  };

  run(ghost_known_.size(), [&](std::size_t g, Worker &worker) {
    if (ghost_known_[g] || ghost_color[g] < 0) return;
    ghost_known_[g] = 1;
    for (Index e = ghosts_.ptr(g); e < ghosts_.ptr(g + 1); ++e)
      if (priority_[std::size_t(ghosts_.col(e))] < ghost_priority_[g]) release(ghosts_.col(e), worker);
  });
  while (!ready_.empty()) {
    const std::vector<Index> now = std::exchange(ready_, {});
    uncolored_ -= Index(now.size());
    run(now.size(), [&](std::size_t p, Worker &worker) {
      const Index row = now[p];
      const std::uint64_t own = priority_[std::size_t(row)];
      worker.free.begin(row); // neighbors of lower priority wait for this row: they have no color yet
      for (Index e = graph_.ptr(row); e < graph_.ptr(row + 1); ++e) worker.free.exclude(color_(graph_.col(e)));
      if (coupling_.rows > 0)
        for (Index e = coupling_.ptr(row); e < coupling_.ptr(row + 1); ++e)
          worker.free.exclude(ghost_color[coupling_.col(e)]);
      color_(row) = worker.free.find();
      for (Index e = graph_.ptr(row); e < graph_.ptr(row + 1); ++e)
        if (priority_[std::size_t(graph_.col(e))] < own) release(graph_.col(e), worker);
    });
  }
  return uncolored_ == 0;
}

Coloring HashColoring::coloring() const { return {count_colors(color_), color_}; }

Coloring color_hash(const Graph &symmetric, const HostArray<std::int64_t> &key)
{
  HostArray<std::int64_t> numbers = key;
  if (key.extent(0) == 0) {
    numbers = make_array<std::int64_t>("finegrain::key", std::size_t(symmetric.rows));
    std::iota(numbers.data(), numbers.data() + symmetric.rows, std::int64_t(0));
  }
  HashColoring coloring(symmetric, {}, numbers, {});
  coloring.advance(nullptr);
  return coloring.coloring();
}

std::optional<Coloring> color_red_black(const Grid &grid, const std::vector<Box> &first, const Graph &g)
{
  if (count_points(grid) != g.rows || (!first.empty() && first.size() != grid.size())) return std::nullopt;
  const Coloring c{2, make_array<Index>("finegrain::color", std::size_t(g.rows))};
  Index row = 0;
  for (std::size_t b = 0; b < grid.size(); ++b) {
    const Box at = first.empty() ? Box{} : first[b];
    for (Index k = 0; k < grid[b].k; ++k)
      for (Index j = 0; j < grid[b].j; ++j)
        for (Index i = 0; i < grid[b].i; ++i) c.color(row++) = (i ^ j ^ k ^ at.i ^ at.j ^ at.k) & 1;
  }
  if (!is_valid(g, c)) return std::nullopt;
  return c;
}

Coloring color_levels(const Graph &symmetric)
{
  const HostArray<Index> level("finegrain::color", std::size_t(symmetric.rows));
  return {find_levels(symmetric, level), level};
}

std::optional<Coloring> make_coloring(ColoringKind kind, const Graph &symmetric, const Grid &grid,
                                      const HostArray<std::int64_t> &key)
{
  switch (kind) {
  case ColoringKind::greedy:
    return color_greedy(symmetric);
  case ColoringKind::largest_first:
    return color_largest_first(symmetric);
  case ColoringKind::smallest_last:
    return color_smallest_last(symmetric);
  case ColoringKind::hash:
    return color_hash(symmetric, key);
  case ColoringKind::red_black:
    return color_red_black(grid, {}, symmetric);
  case ColoringKind::level:
    return color_levels(symmetric);
  case ColoringKind::automatic:
    break;
  }
  const auto red_black = color_red_black(grid, {}, symmetric);
  return red_black ? red_black : color_greedy(symmetric);
}

void balance_colors(const Graph &g, Coloring &c)
{
  std::vector<Index> size(std::size_t(c.colors), 0), next_to(std::size_t(c.colors), -1);
  for (Index i = 0; i < g.rows; ++i) ++size[std::size_t(c.color(i))];
  // Class sizes and colors. A row tries at most one more of them than it has neighbors.
  std::set<std::pair<Index, Index>> by_size;
  for (Index k = 0; k < c.colors; ++k) by_size.emplace(size[std::size_t(k)], k);
  const auto resize = [&](Index color, Index by) {
    by_size.erase({size[std::size_t(color)], color});
    by_size.emplace(size[std::size_t(color)] += by, color);
  };
  for (Index i = 0; i < g.rows; ++i) {
    const Index from = c.color(i), rows = size[std::size_t(from)];
    if (Offset(rows) * c.colors <= g.rows) continue;
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e) next_to[std::size_t(c.color(g.col(e)))] = i;
    const auto to = std::find_if(by_size.begin(), by_size.end(),
                                 [&](const auto &entry) { return next_to[std::size_t(entry.second)] != i; });
    if (to == by_size.end() || to->first + 1 >= rows)
      continue; // the largest class never grows, the smallest never shrinks
    c.color(i) = to->second;
    resize(from, -1);
    resize(c.color(i), 1);
  }
}

bool is_valid(const Graph &g, const Coloring &c)
{
  if (Index(c.color.extent(0)) != g.rows) return false;
  for (Index i = 0; i < g.rows; ++i) {
    if (c.color(i) < 0 || c.color(i) >= c.colors) return false;
    for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
      if (g.col(e) != i && c.color(g.col(e)) == c.color(i)) return false;
  }
  return true;
}

bool is_valid(const Graph &coupling, const Coloring &c, const Index *ghost_color)
{
  if (coupling.rows > 0 && Index(c.color.extent(0)) != coupling.rows) return false;
  for (Index i = 0; i < coupling.rows; ++i) {
    if (c.color(i) < 0 || c.color(i) >= c.colors) return false;
    for (Index e = coupling.ptr(i); e < coupling.ptr(i + 1); ++e) {
      const Index ghost = ghost_color[coupling.col(e)];
      if (ghost < 0 || ghost >= c.colors || ghost == c.color(i)) return false;
    }
  }
  return true;
}

Schedule schedule_colors(const Coloring &c, const HostArray<std::int64_t> &key, const std::vector<char> *boundary)
{
  const std::size_t rows = c.color.extent(0);
  std::vector<Index> by_key;
  if (key.extent(0) > 0) {
    by_key.resize(rows);
    std::iota(by_key.begin(), by_key.end(), 0);
    std::stable_sort(by_key.begin(), by_key.end(), [&](Index a, Index b) { return key(a) < key(b); });
  }
  if (!boundary) return sort_rows(ScheduleKind::color, c.colors, c.color, by_key);
  const auto group_of = make_array<Index>("finegrain::group", rows);
  for (std::size_t row = 0; row < rows; ++row) group_of(row) = 2 * c.color(row) + !(*boundary)[row];
  return sort_rows(ScheduleKind::color, 2 * c.colors, group_of, by_key);
}

} // namespace finegrain
