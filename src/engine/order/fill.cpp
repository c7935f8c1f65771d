// SPDX-License-Identifier: BSD-2-Clause
#include "order/fill.hpp"

#include "base/pieces.hpp"
#include "order/coloring.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace finegrain
{

namespace
{

constexpr std::size_t most_entries = std::size_t(std::numeric_limits<Index>::max());

// Finds the rows within a distance, counted in couplings, of one row after the other.
class Neighborhood
{
public:
  Neighborhood(const Graph &g, int distance) : g_(g), distance_(distance), seen_by_(std::size_t(g.rows), -1) {}

  // Returns these rows, nearest first, each once.
  const std::vector<Index> &find(Index row)
  {
    find_within(row, distance_);
    return found_;
  }
  // Calls f(j) for each of these rows. It may repeat the furthest ones, and includes the row itself if it has
  // neighbors.
  template <class F> void visit_all(Index row, const F &f)
  {
    const std::size_t last = find_within(row, distance_ - 1);
    for (const Index j : found_) f(j);
    const auto visit_couplings = [&](Index from) {
      for (Index e = g_.ptr(from); e < g_.ptr(from + 1); ++e) f(g_.col(e));
    };
    if (distance_ == 1) visit_couplings(row);
    for (std::size_t k = last; k < found_.size(); ++k) visit_couplings(found_[k]);
  }

private:
  // Finds the rows within `farthest` couplings. Returns where those at the largest distance begin.
  std::size_t find_within(Index row, int farthest)
  {
    found_.clear();
    seen_by_[std::size_t(row)] = row;
    std::size_t shell = 0; // the rows found last, one coupling further than those before
    if (farthest > 0) visit(row, row);
    for (int distance = 2; distance <= farthest; ++distance) {
      const std::size_t first = std::exchange(shell, found_.size());
      if (first == shell) break;
      for (std::size_t k = first; k < shell; ++k) visit(row, found_[k]);
    }
    return shell;
  }
  void visit(Index row, Index from)
  {
    for (Index e = g_.ptr(from); e < g_.ptr(from + 1); ++e)
      if (const Index j = g_.col(e); seen_by_[std::size_t(j)] != row) {
        seen_by_[std::size_t(j)] = row;
        found_.push_back(j);
      }
  }

  const Graph &g_;
  const int distance_;
  std::vector<Index> seen_by_, found_; // seen_by_: the last row that has this one in its neighborhood
};

// Entries of one level in one row: those below the diagonal, then those above it, then those that were dropped.
struct LevelRow {
  Offset first; // an Index might overflow with the dropped entries
  Index lowers, uppers, dropped;
};

// Fill by levels. Fill of level l in row i comes from rows k with lev(i, k) + lev(k, j) = l - 1, hence from lower
// levels. Levels are computed in ascending order, so that the first level that an entry gets is its smallest. All
// threads compute the rows of a level at once.
class FillFinder
{
public:
  FillFinder(const Graph &g, const HostArray<Index> &ordering, int levels, const HostArray<Index> &color)
      : g_(g),
        color_(color),
        place_(ordering.extent(0)),
        levels_(levels),
        pieces_(g.rows, g.rows, int(g.entries() / std::max(g.rows, Index(1))) + 1), // marks no larger than the graph
        entries_(std::size_t(g.entries()))
  {
    Pieces(Index(place_.size())).for_rows([&](Index p) { place_[std::size_t(ordering(p))] = p; });
    const std::size_t count = std::size_t(pieces_.count());
    workers_.resize(count);
    for (int level = 0; level <= levels; ++level)
      level_.push_back(
        {make_array<LevelRow>("finegrain::level_row", std::size_t(g.rows)), std::vector<Columns>(count)});
  }

  // Returns false if an Index cannot count the entries.
  bool find()
  {
    pieces_.for_each([&](int piece, Index first, Index last) { find_level_zero(piece, first, last); });
    // One thread in natural order completes 64 rows before it continues, and finds them in its cache.
    const Index batch = pieces_.count() == 1 && place_.empty() ? 64 : g_.rows;
    for (Index start = 0; start < g_.rows; start += batch)
      for (int level = 1; level <= levels_; ++level) {
        pieces_.for_each([&](int piece, Index first, Index last) {
          const Index end = std::min(last, start + batch);
          Index row = std::max(first, start);
          while (row < end && entries_ <= most_entries) { // threads add their counts every 256 rows
            std::size_t found = 0;
            for (const Index next_count = std::min(end, row + 256); row < next_count; ++row)
              found += find(level, piece, row);
            entries_ += found;
          }
        });
        if (entries_ > most_entries) return false;
      }
    return true;
  }

  // Calls f(first, last) for the columns of a row's fill of each level, in any order.
  template <class F> void visit_fill(Index row, const F &f) const
  {
    for (int level = 1; level <= levels_; ++level) {
      const LevelRow &entries = level_row(level, row);
      const Index *const first = columns(level, row) + entries.first;
      f(first, first + entries.lowers + entries.uppers);
    }
  }
  Offset count_dropped(Index rows) const
  {
    Offset count = 0;
    for (const Level &level : level_)
      for (Index row = 0; row < rows; ++row) count += level.row(row).dropped;
    return count;
  }

private:
  using Columns = std::vector<Index>;
  struct Level {
    HostArray<LevelRow> row;     // one for each row
    std::vector<Columns> column; // columns of the rows of each piece
  };
  struct Worker {
    Columns seen_by;        // the last row that has an entry in this column
    Columns upper, dropped; // columns of the current row
  };

  const LevelRow &level_row(int level, Index row) const { return level_[std::size_t(level)].row(row); }
  // Returns where the columns of the row's piece begin. Level 0 is the graph, which is used in place if it is in
  // natural order.
  const Index *columns(int level, Index row) const
  {
    if (level == 0 && place_.empty()) return g_.col.data();
    return level_[std::size_t(level)].column[std::size_t(pieces_.piece_of(row))].data();
  }
  bool is_lower(Index row, Index col) const
  {
    return place_.empty() ? col < row : place_[std::size_t(col)] < place_[std::size_t(row)];
  }

  void find_level_zero(int piece, Index first, Index last)
  {
    Worker &w = workers_[std::size_t(piece)];
    w.seen_by.assign(std::size_t(g_.rows), -1);
    Level &level = level_[0];
    Columns &col = level.column[std::size_t(piece)];
    if (!place_.empty()) col.reserve(std::size_t(g_.ptr(last) - g_.ptr(first)));
    for (Index row = first; row < last; ++row) {
      const Index *const begin = g_.col.data() + g_.ptr(row), *const end = g_.col.data() + g_.ptr(row + 1);
      if (place_.empty()) {
        const Index *const upper = std::find_if(begin, end, [&](Index j) { return j >= row; });
        level.row(row) = {g_.ptr(row), Index(upper - begin), Index(end - upper), 0}; // the diagonal is harmless
        continue;
      }
      const std::size_t at = col.size();
      for (const Index *j = begin; j < end; ++j)
        if (*j != row) (is_lower(row, *j) ? col : w.upper).push_back(*j);
      end_row(level, row, at, col, w);
    }
  }
  // Finds the row's entries of the level. Returns how many are kept.
  std::size_t find(int level, int piece, Index row)
  {
    Worker &w = workers_[std::size_t(piece)];
    Columns &col = level_[std::size_t(level)].column[std::size_t(piece)];
    const std::size_t at = col.size();
    w.seen_by[std::size_t(row)] = row;
    for (int l = 0; l < level; ++l) {
      const LevelRow &entries = level_row(l, row);
      const Index *const j = columns(l, row) + entries.first;
      for (Index k = 0; k < entries.lowers + entries.uppers + entries.dropped; ++k)
        w.seen_by[std::size_t(j[k])] = row;
    }
    for (int l = 0; l < level; ++l) { // l = lev(row, k)
      const LevelRow &entries = level_row(l, row);
      const Index *const pivot = columns(l, row) + entries.first;
      for (Index k = 0; k < entries.lowers; ++k) visit_pivot(level, row, pivot[k], level - 1 - l, col, w);
    }
    end_row(level_[std::size_t(level)], row, at, col, w);
    return std::size_t(level_row(level, row).lowers) + std::size_t(level_row(level, row).uppers);
  }
  void visit_pivot(int level, Index row, Index pivot, int pivot_level, Columns &col, Worker &w) const
  {
    const LevelRow &entries = level_row(pivot_level, pivot);
    const Index *const upper = columns(pivot_level, pivot) + entries.first + entries.lowers;
    for (Index k = 0; k < entries.uppers; ++k) {
      const Index j = upper[k];
      if (w.seen_by[std::size_t(j)] == row) continue;
      w.seen_by[std::size_t(j)] = row;
      if (color_.extent(0) && color_(j) == color_(row)) w.dropped.push_back(j);
      else (level == levels_ || is_lower(row, j) ? col : w.upper).push_back(j); // unordered in the last level
    }
  }
  // Ends a row, whose columns below the diagonal begin at `at`.
  static void end_row(const Level &level, Index row, std::size_t at, Columns &col, Worker &w)
  {
    level.row(row) = {Offset(at), Index(col.size() - at), Index(w.upper.size()), Index(w.dropped.size())};
    for (Columns *const list : {&w.upper, &w.dropped}) {
      col.insert(col.end(), list->begin(), list->end());
      list->clear();
    }
  }

  const Graph &g_;
  const HostArray<Index> color_;
  std::vector<Index> place_; // place of each row in the elimination order; empty: natural order
  const int levels_;
  const Pieces pieces_;
  std::vector<Level> level_;
  std::vector<Worker> workers_; // one for each piece
  std::atomic<std::size_t> entries_;
};

// Merges a row of the selection with its fill by column. The fill is at the end of the row in `to`, in any order.
void merge_row(const Selection &from, Index row, const Selection &to)
{
  const Graph &g = from.graph;
  Index at = to.graph.ptr(row);
  Index *next = to.graph.col.data() + at + g.ptr(row + 1) - g.ptr(row); // never before `at`
  Index *const last = to.graph.col.data() + to.graph.ptr(row + 1);
  std::sort(next, last);
  const auto put_fill_before = [&](Index end) {
    for (; next != last && *next < end; ++next, ++at) {
      to.graph.col(at) = *next;
      to.entry(at) = -1;
    }
  };
  for (Index e = g.ptr(row); e < g.ptr(row + 1); ++e, ++at) {
    put_fill_before(g.col(e));
    to.graph.col(at) = g.col(e);
    to.entry(at) = from.entry.extent(0) ? from.entry(e) : e;
  }
  put_fill_before(g.rows);
}

} // namespace

std::optional<Graph> find_power(const Graph &g, int power)
{
  if (power <= 1) return g;
  Neighborhood neighborhood(g, power);
  std::vector<Index> col;
  Graph p{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1), {}};
  p.ptr(0) = 0;
  for (Index row = 0; row < g.rows; ++row) {
    const std::vector<Index> &found = neighborhood.find(row);
    col.insert(col.end(), found.begin(), found.end());
    if (col.size() > most_entries) return std::nullopt;
    std::sort(col.begin() + p.ptr(row), col.end());
    p.ptr(row + 1) = Index(col.size());
  }
  p.col = to_array("finegrain::col", col);
  return p;
}

Coloring color_power(const Graph &g, int power)
{
  Neighborhood neighborhood(g, power);
  Coloring c{0, make_array<Index>("finegrain::color", std::size_t(g.rows))};
  std::vector<Index> excluded_for; // the last row that may not have this color
  for (Index row = 0; row < g.rows; ++row) {
    neighborhood.visit_all(row, [&](Index j) {
      if (j < row) excluded_for[std::size_t(c.color(j))] = row;
    });
    const auto free =
      std::find_if(excluded_for.begin(), excluded_for.end(), [&](Index other) { return other != row; });
    c.color(row) = Index(free - excluded_for.begin());
    if (free == excluded_for.end()) excluded_for.push_back(-1);
  }
  c.colors = Index(excluded_for.size());
  return c;
}

std::optional<Selection> find_fill(const Selection &from, const HostArray<Index> &ordering, int levels,
                                   const HostArray<Index> &color, Offset *dropped, Index counted)
{
  const Graph &g = from.graph;
  *dropped = 0;
  if (levels == 0) return from;
  FillFinder finder(g, ordering, levels, color);
  if (!finder.find()) return std::nullopt;
  *dropped = finder.count_dropped(counted < 0 ? g.rows : counted);
  Selection to{
    {g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1), {}}, from.ignored, {}, from.ignored_entry};
  to.graph.ptr(0) = 0;
  for (Index row = 0; row < g.rows; ++row) {
    Index size = g.ptr(row + 1) - g.ptr(row);
    finder.visit_fill(row, [&](const Index *first, const Index *last) { size += Index(last - first); });
    to.graph.ptr(row + 1) = to.graph.ptr(row) + size;
  }
  to.graph.col = make_array<Index>("finegrain::col", std::size_t(to.graph.entries()));
  to.entry = make_array<Index>("finegrain::entry", std::size_t(to.graph.entries()));
  Pieces(g.rows).for_rows([&](Index row) {
    Index *next = to.graph.col.data() + to.graph.ptr(row) + g.ptr(row + 1) - g.ptr(row);
    finder.visit_fill(row, [&](const Index *first, const Index *last) { next = std::copy(first, last, next); });
    merge_row(from, row, to);
  });
  return to;
}

} // namespace finegrain
