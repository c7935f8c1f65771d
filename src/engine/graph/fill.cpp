#include "graph/fill.hpp"

#include "base/pieces.hpp"
#include "graph/coloring.hpp"

#include <algorithm>
#include <limits>

namespace finegrain
{

namespace
{

constexpr std::size_t most_entries = std::size_t(std::numeric_limits<Index>::max());

// The rows within some couplings of one row after the other.
class Neighborhood
{
public:
  Neighborhood(const Graph &g, int distance) : g_(g), distance_(distance), seen_by_(std::size_t(g.rows), -1) {}

  // Nearest first, each once.
  const std::vector<Index> &find(Index row)
  {
    find_within(row, distance_);
    return found_;
  }
  // f(j) for each of them, of the furthest more than once, and for the row itself where it is not alone.
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
  // Returns where those begin that are as far away as they may be.
  std::size_t find_within(Index row, int most)
  {
    found_.clear();
    seen_by_[std::size_t(row)] = row;
    std::size_t shell = 0; // the rows found last, one coupling further than those before
    if (most > 0) visit(row, row);
    for (int distance = 2; distance <= most; ++distance) {
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
  std::vector<Index> seen_by_, found_; // seen_by_: the last row that this one is near
};

// Upper entries of the rows that have been eliminated, by level: those of level l of a row are
// [first(row, l), first(row, l + 1)).
class UpperLevels
{
public:
  UpperLevels(Index rows, int levels) : levels_(std::size_t(levels)), first_(std::size_t(rows) * (levels_ + 1)) {}

  std::size_t &first(Index row, int level) { return first_[std::size_t(row) * (levels_ + 1) + std::size_t(level)]; }

  std::vector<Index> col;

private:
  std::size_t levels_;
  std::vector<std::size_t> first_;
};

// Fill of one row after the other. Levels are found in ascending order, so that the first one that an entry gets is
// its least, and no row is sorted before it is whole.
class FillFinder
{
public:
  FillFinder(const Graph &g, const HostArray<Index> &ordering, int levels, const HostArray<Index> &color,
             Index counted)
      : g_(g),
        levels_(levels),
        color_(color),
        place_(std::size_t(g.rows)),
        seen_by_(std::size_t(g.rows), -1),
        upper_(g.rows, levels),
        lower_first_(std::size_t(levels) + 1),
        counted_(counted)
  {
    for (Index p = 0; p < g.rows; ++p) place_[std::size_t(ordering.extent(0) ? ordering(p) : p)] = p;
  }

  // The columns of the row's fill, in no order. Rows come in elimination order.
  const std::vector<Index> &find(Index row)
  {
    fill_.clear();
    lower_.clear();
    lower_first_[0] = 0;
    upper_.first(row, 0) = upper_.col.size();
    seen_by_[std::size_t(row)] = row;
    for (Index e = g_.ptr(row); e < g_.ptr(row + 1); ++e)
      if (const Index j = g_.col(e); j != row) {
        seen_by_[std::size_t(j)] = row;
        add(row, j);
      }
    for (int level = 1; level <= levels_; ++level) {
      lower_first_[std::size_t(level)] = lower_.size();
      upper_.first(row, level) = upper_.col.size();
      for (int a = 0; a < level; ++a) // lev(i, k) = a, lev(k, j) = level - 1 - a
        for (std::size_t k = lower_first_[std::size_t(a)]; k < lower_first_[std::size_t(a) + 1]; ++k)
          visit_pivot(row, lower_[k], level - 1 - a, level < levels_);
    }
    return fill_;
  }

  Offset dropped() const { return dropped_; }

private:
  void visit_pivot(Index row, Index pivot, int level, bool is_pivot)
  {
    const std::size_t last = upper_.first(pivot, level + 1);
    for (std::size_t f = upper_.first(pivot, level); f < last; ++f) {
      const Index j = upper_.col[f];
      if (seen_by_[std::size_t(j)] == row) continue;
      seen_by_[std::size_t(j)] = row;
      if (color_.extent(0) && color_(j) == color_(row)) {
        dropped_ += counted_ < 0 || row < counted_;
        continue;
      }
      fill_.push_back(j);
      if (is_pivot) add(row, j); // entries of the last level make no more
    }
  }
  void add(Index row, Index j)
  {
    (place_[std::size_t(j)] < place_[std::size_t(row)] ? lower_ : upper_.col).push_back(j);
  }

  const Graph &g_;
  const int levels_;
  const HostArray<Index> color_;
  std::vector<Index> place_, seen_by_; // seen_by_: the last row that has an entry in this column
  UpperLevels upper_;
  std::vector<Index> lower_, fill_; // of the row
  std::vector<std::size_t> lower_first_;
  const Index counted_;
  Offset dropped_ = 0;
};

// The entries of the selection's row and its fill [next, last), by column. The fill comes in any order.
void merge_row(const Selection &from, Index row, Index *next, Index *last, const Selection &to)
{
  const Graph &g = from.graph;
  std::sort(next, last);
  Index at = to.graph.ptr(row);
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
  std::vector<Index> taken_by; // the last row that may not have this color
  for (Index row = 0; row < g.rows; ++row) {
    neighborhood.visit_all(row, [&](Index j) {
      if (j < row) taken_by[std::size_t(c.color(j))] = row;
    });
    const auto free = std::find_if(taken_by.begin(), taken_by.end(), [&](Index by) { return by != row; });
    c.color(row) = Index(free - taken_by.begin());
    if (free == taken_by.end()) taken_by.push_back(-1);
  }
  c.colors = Index(taken_by.size());
  return c;
}

std::optional<Selection> find_fill(const Selection &from, const HostArray<Index> &ordering, int levels,
                                   const HostArray<Index> &color, Offset *dropped, Index counted)
{
  const Graph &g = from.graph;
  *dropped = 0;
  if (levels == 0) return from;
  FillFinder finder(g, ordering, levels, color, counted);
  std::vector<Index> fill;
  fill.reserve(std::size_t(g.entries()));
  std::vector<std::size_t> first(std::size_t(g.rows));
  Selection to{{g.rows, make_array<Index>("finegrain::ptr", std::size_t(g.rows) + 1), {}},
               from.left_out,
               {},
               from.left_out_entry};
  for (Index p = 0; p < g.rows; ++p) {
    const Index row = ordering.extent(0) ? ordering(p) : p;
    const auto &found = finder.find(row);
    first[std::size_t(row)] = fill.size();
    to.graph.ptr(row + 1) = g.ptr(row + 1) - g.ptr(row) + Index(found.size());
    fill.insert(fill.end(), found.begin(), found.end());
    if (fill.size() + std::size_t(g.entries()) > most_entries) return std::nullopt;
  }
  *dropped = finder.dropped();
  to.graph.ptr(0) = 0;
  for (Index row = 0; row < g.rows; ++row) to.graph.ptr(row + 1) += to.graph.ptr(row);
  to.graph.col = make_array<Index>("finegrain::col", std::size_t(to.graph.entries()));
  to.entry = make_array<Index>("finegrain::entry", std::size_t(to.graph.entries()));
  Pieces(g.rows).for_rows([&](Index row) {
    Index *const begin = fill.data() + first[std::size_t(row)];
    merge_row(from, row, begin, begin + to.graph.ptr(row + 1) - to.graph.ptr(row) - (g.ptr(row + 1) - g.ptr(row)),
              to);
  });
  return to;
}

} // namespace finegrain
