// SPDX-License-Identifier: BSD-2-Clause
#include "run/tasks.hpp"

#include "order/graph.hpp"
#include "order/levels.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain
{

namespace
{

using Host = Kokkos::HostSpace;

// Numbers 0 .. key.extent(0) - 1 sorted by key, ascending if keys are equal. `first` is the start of each key.
struct Buckets {
  std::vector<Index> first, members;
};
Buckets sort_by_key(Index keys, const HostArray<Index> &key)
{
  Buckets b{std::vector<Index>(std::size_t(keys) + 1, 0), std::vector<Index>(key.extent(0))};
  const std::size_t size = key.extent(0);
  for (std::size_t i = 0; i < size; ++i) ++b.first[std::size_t(key(i)) + 1];
  std::partial_sum(b.first.begin(), b.first.end(), b.first.begin());
  std::vector<Index> next(b.first.begin(), b.first.end() - 1);
  for (std::size_t i = 0; i < size; ++i) b.members[std::size_t(next[std::size_t(key(i))]++)] = Index(i);
  return b;
}

// Combines chunks, sorted by level, into tasks. rows(u) is the number of rows of a chunk. Returns the first chunk of
// each task in `chunks`.
template <class Rows>
std::vector<Index> group_units(const Buckets &chunks, Index levels, TaskSize size, const Rows &rows)
{
  std::vector<Index> first{0};
  Index merged = 0; // rows of the last task, if it consists of whole levels
  for (Index level = 0; level < levels; ++level) {
    const Index begin = chunks.first[std::size_t(level)], end = chunks.first[std::size_t(level) + 1];
    Index total = 0;
    for (Index u = begin; u < end; ++u) total += rows(chunks.members[std::size_t(u)]);
    const Index pieces = size.cut(total, end - begin);
    if (pieces <= 1) {
      if (merged > 0 && merged + total <= size.rows) {
        first.back() = end;
        merged += total;
      } else {
        first.push_back(end);
        merged = total;
      }
      continue;
    }
    merged = 0;
    for (Index u = begin, piece = 1, sum = 0; u < end; ++u) {
      sum += rows(chunks.members[std::size_t(u)]);
      if (Offset(sum) * pieces >= Offset(total) * piece || end - u - 1 <= pieces - piece) {
        first.push_back(u + 1);
        ++piece;
      }
    }
  }
  return first;
}

// Finds the tasks for which each task waits, by couplings in either direction, without those for which another of
// them waits already. order: the rows, sorted by task; task_of: the task of each row.
void find_waits(const Graph &g, const HostArray<Index> &order, const std::vector<Index> &task_of, Tasks<Host> &tasks)
{
  std::vector<std::pair<Index, Index>> pairs; // later, earlier
  std::vector<Index> last(std::size_t(tasks.count()), -1);
  for (Index p = 0; p < g.rows; ++p) {
    const Index row = order(p), t = task_of[std::size_t(row)];
    for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e) {
      const Index s = task_of[std::size_t(g.col(e))];
      if (s == t || last[std::size_t(s)] == t) continue;
      last[std::size_t(s)] = t;
      pairs.emplace_back(std::max(s, t), std::min(s, t));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  std::vector<Index> ptr(std::size_t(tasks.count()) + 1, 0), wait;
  for (const auto &pair : pairs) ++ptr[std::size_t(pair.first) + 1];
  std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
  tasks.wait_ptr = make_array<Index>("finegrain::wait", ptr.size());
  tasks.wait_ptr(0) = 0;
  std::fill(last.begin(), last.end(), -1);
  for (std::size_t t = 0; t + 1 < ptr.size(); ++t) {
    const auto begin = pairs.begin() + ptr[t], end = pairs.begin() + ptr[t + 1];
    for (auto w = begin; w != end; ++w)
      for (Index v = ptr[std::size_t(w->second)]; v < ptr[std::size_t(w->second) + 1]; ++v)
        last[std::size_t(pairs[std::size_t(v)].second)] = Index(t);
    for (auto w = begin; w != end; ++w)
      if (last[std::size_t(w->second)] != Index(t)) wait.push_back(w->second);
    tasks.wait_ptr(t + 1) = Index(wait.size());
  }
  tasks.wait = to_array("finegrain::wait", wait);
}

// Finds the levels of tasks from the tasks for which they wait.
void measure_levels(TaskPlan &plan)
{
  const Tasks<Host> &t = plan.tasks;
  plan.level.assign(std::size_t(t.count()), 0);
  for (Index i = 0; i < t.count(); ++i)
    for (Index w = t.wait_ptr(i); w < t.wait_ptr(i + 1); ++w)
      plan.level[std::size_t(i)] = std::max(plan.level[std::size_t(i)], plan.level[std::size_t(t.wait(w))] + 1);
  std::vector<Index> width;
  for (const Index level : plan.level) {
    if (std::size_t(level) >= width.size()) width.resize(std::size_t(level) + 1, 0);
    ++width[std::size_t(level)];
  }
  plan.levels = Index(width.size());
  for (const Index w : width) plan.widest = std::max(plan.widest, w);
}

} // namespace

Index TaskSize::cut(Index level_rows, Index chunks) const
{
  const Index of = std::max(rows, Index(1)), least = at_most ? (level_rows + of - 1) / of : level_rows / of;
  return std::min(std::max(least, pieces), chunks);
}

std::optional<Chunks> cut_tiles(const Grid &grid, Box tile, const Graph &g)
{
  Chunks chunks{0, make_array<Index>("finegrain::chunk", std::size_t(g.rows))};
  Index row = 0;
  for (const Box &box : grid) {
    const Index ti = (box.i + tile.i - 1) / tile.i, tj = (box.j + tile.j - 1) / tile.j,
                tk = (box.k + tile.k - 1) / tile.k;
    for (Index k = 0; k < box.k; ++k)
      for (Index j = 0; j < box.j; ++j)
        for (Index i = 0; i < box.i; ++i)
          chunks.of(row++) = chunks.count + i / tile.i + ti * (j / tile.j + tj * (k / tile.k));
    chunks.count += ti * tj * tk;
  }
  if (!ascends(g, chunks.of, 0)) return std::nullopt;
  return chunks;
}

Chunks cut_ranges(Index rows, Index length)
{
  Chunks chunks{(rows + length - 1) / length, make_array<Index>("finegrain::chunk", std::size_t(rows))};
  for (Index i = 0; i < rows; ++i) chunks.of(i) = i / length;
  return chunks;
}

Index count_shared_levels(const ChunkLevels &levels)
{
  std::vector<Index> chunks(std::size_t(levels.count), 0);
  for (std::size_t u = 0; u < levels.of.extent(0); ++u) ++chunks[std::size_t(levels.of(u))];
  return Index(std::count_if(chunks.begin(), chunks.end(), [](Index count) { return count > 1; }));
}

Index count_range_levels(const Graph &g, Index length, Index rows)
{
  const Index ranges = (rows + length - 1) / length;
  const Index *ptr = g.ptr.data(), *col = g.col.data();
  std::vector<Index> level(std::size_t(ranges), 0);
  Index levels = 0;
  for (Index u = 0; u < ranges; ++u) {
    const Index first = u * length, last = std::min(rows, first + length);
    Index mine = level[std::size_t(u)]; // earlier ranges have pushed theirs
    for (Index e = ptr[first]; e < ptr[last]; ++e)
      if (col[e] < first) mine = std::max(mine, level[std::size_t(col[e] / length)] + 1);
    for (Index e = ptr[first]; e < ptr[last]; ++e)
      if (col[e] >= last && col[e] < rows) {
        Index &to = level[std::size_t(col[e] / length)];
        to = std::max(to, mine + 1);
      }
    levels = std::max(levels, mine + 1);
  }
  return levels;
}

ChunkLevels find_chunk_levels(const Graph &g, const Chunks &chunks)
{
  ChunkLevels levels{0, HostArray<Index>("finegrain::level", std::size_t(chunks.count))};
  const Buckets rows = sort_by_key(chunks.count, chunks.of);
  for (Index u = 0; u < chunks.count; ++u) {
    Index &mine = levels.of(u); // earlier chunks have pushed theirs
    const auto visit = [&](auto f) {
      for (Index r = rows.first[std::size_t(u)]; r < rows.first[std::size_t(u) + 1]; ++r) {
        const Index i = rows.members[std::size_t(r)];
        for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
          if (const Index v = chunks.of(g.col(e)); v != u) f(v);
      }
    };
    visit([&](Index v) {
      if (v < u) mine = std::max(mine, levels.of(v) + 1);
    });
    visit([&](Index v) {
      if (v > u) levels.of(v) = std::max(levels.of(v), mine + 1);
    });
    levels.count = std::max(levels.count, mine + 1);
  }
  return levels;
}

TaskPlan plan_tasks(const Graph &g, const Chunks &chunks, const ChunkLevels &levels, TaskSize size, double width,
                    const HostArray<Index> &key)
{
  TaskPlan plan;
  const Buckets rows = sort_by_key(chunks.count, chunks.of), by_level = sort_by_key(levels.count, levels.of);
  const auto begin = [&](Index chunk) { return rows.first[std::size_t(chunk)]; };
  const auto first =
    group_units(by_level, levels.count, size, [&](Index chunk) { return begin(chunk + 1) - begin(chunk); });

  plan.order = make_array<Index>("finegrain::order", std::size_t(g.rows));
  plan.tasks.first = make_array<Index>("finegrain::first", first.size());
  plan.tasks.first(0) = 0;
  Index p = 0;
  std::vector<Index> task_of(std::size_t(g.rows), 0);
  for (std::size_t t = 0; t + 1 < first.size(); ++t) {
    for (Index m = first[t]; m < first[t + 1]; ++m) {
      const Index chunk = by_level.members[std::size_t(m)];
      for (Index r = begin(chunk); r < begin(chunk + 1); ++r) {
        const Index row = plan.order(p++) = rows.members[std::size_t(r)];
        task_of[std::size_t(row)] = Index(t);
      }
    }
    plan.tasks.first(t + 1) = p;
    if (key.extent(0))
      std::stable_sort(plan.order.data() + plan.tasks.first(t), plan.order.data() + p,
                       [&](Index a, Index b) { return key(a) < key(b); });
  }
  find_waits(g, plan.order, task_of, plan.tasks);
  measure_levels(plan);

  if (width > 0) {
    const auto inner = order_windows(permute(g, plan.order), width, plan.tasks.first);
    if (inner.extent(0)) plan.order = compose(plan.order, inner);
  } else if (width == 0) {
    const Schedule s = schedule_pieces(g, plan.tasks.first, plan.order, task_of, plan.tasks.set_ptr);
    plan.tasks.set_first = s.group;
    plan.order = s.order;
  }
  return plan;
}

Tasks<Host> reverse_tasks(const Tasks<Host> &t)
{
  Tasks<Host> r;
  const Index tasks = t.count();
  r.first = reverse_groups(t.first);
  r.set_first = reverse_groups(t.set_first);
  r.set_ptr = reverse_groups(t.set_ptr);
  // Waiting is reversed as well: the earlier task waits for the later one.
  std::vector<Index> next(std::size_t(tasks) + 1, 0);
  for (Index w = 0; w < Index(t.wait.extent(0)); ++w) ++next[std::size_t(tasks - 1 - t.wait(w)) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  r.wait_ptr = to_array("finegrain::wait", next);
  r.wait = make_array<Index>("finegrain::wait", t.wait.extent(0));
  for (Index i = 0; i < tasks; ++i)
    for (Index w = t.wait_ptr(i); w < t.wait_ptr(i + 1); ++w)
      r.wait(next[std::size_t(tasks - 1 - t.wait(w))]++) = tasks - 1 - i;
  return r;
}

} // namespace finegrain
