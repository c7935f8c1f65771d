// SPDX-License-Identifier: BSD-2-Clause
#include "factor/products.hpp"

#include "base/pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace finegrain
{

namespace
{

using Host = Kokkos::HostSpace;

// Row that the column of lower entry e stands for.
Index lower_row(const Pattern<Host> &p, const StoredOrder &o, Index e)
{
  return p.y == Layout::row ? p.lower.col(e) : o.row(p.lower.col(e));
}

// Sweep index of the pivot row of lower entry e in the upper triangle.
Index pivot_sweep_index(const Pattern<Host> &p, const StoredOrder &o, Index e)
{
  return o.rows - 1 - (p.y == Layout::row ? o.pos(p.lower.col(e)) : p.lower.col(e));
}

// Finds the update pairs (lower entry, upper entry) of one row at a time, sorted by target. Pairs of a target ascend
// by pivot row, because lower entries do. Targets are numbered along the row: lower entries, the diagonal, upper
// entries.
class UpdateFinder
{
public:
  UpdateFinder(const Pattern<Host> &p, const StoredOrder &o) : p_(p), o_(o), target_(std::size_t(o.rows), none) {}

  // Finds the products that fall on an entry of the row at this position.
  void visit_row(Index pos)
  {
    const Index row = o_.row(pos), sweep_index = o_.rows - 1 - pos;
    const Index l0 = p_.lower.ptr(pos), l1 = p_.lower.ptr(pos + 1);
    const Index u0 = p_.upper.ptr(sweep_index), u1 = p_.upper.ptr(sweep_index + 1);
    set_targets(l0, l1, u0, u1, row, false);
    pivots_.clear();
    std::size_t most = 0;
    for (Index e = l0; e < l1; ++e) {
      const Index k = pivot_sweep_index(p_, o_, e), begin = p_.upper.ptr(k), end = p_.upper.ptr(k + 1);
      for (Index f = begin; f < end; f += 16) __builtin_prefetch(&p_.upper.col(f));
      pivots_.push_back({begin, end});
      most += std::size_t(end - begin);
    }
    if (found_.size() < most) found_.resize(most + most / 2);
    // The loop has no branches, because matches cannot be predicted.
    Pair *to = found_.data();
    for (Index e = l0; e < l1; ++e) {
      const auto [begin, end] = pivots_[std::size_t(e - l0)];
      for (Index f = begin; f < end; ++f) {
        const Index t = target_[std::size_t(p_.upper.col(f))];
        *to = {t, e, f};
        to += t != none;
      }
    }
    count_ = to - found_.data();
    set_targets(l0, l1, u0, u1, row, true);
    first_.assign(std::size_t(l1 - l0 + u1 - u0) + 2, 0);
    for (std::ptrdiff_t k = 0; k < count_; ++k) ++first_[std::size_t(found_[std::size_t(k)].target) + 1];
    for (std::size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
  }

  // Number of pairs with smaller targets.
  Offset before(Index target) const { return first_[std::size_t(target)]; }
  // Destination of pairs in a list. store() writes the pairs of targets below, at and above the diagonal, once per
  // row.
  struct Place {
    Index *left, *right;
    Offset shift; // list index minus index in the row
  };
  void store(Index lowers, const Place &below, const Place &at, const Place &above)
  {
    for (std::ptrdiff_t k = 0; k < count_; ++k) {
      const Pair p = found_[std::size_t(k)];
      const Place &place = p.target < lowers ? below : p.target > lowers ? above : at;
      const Offset to = first_[std::size_t(p.target)]++ + place.shift;
      place.left[to] = p.left;
      place.right[to] = p.right;
    }
  }

private:
  static constexpr Index none = -1;
  struct Pair {
    Index target, left, right;
  };

  void set_targets(Index l0, Index l1, Index u0, Index u1, Index row, bool clear)
  {
    target_[std::size_t(row)] = clear ? none : l1 - l0;
    for (Index e = l0; e < l1; ++e) target_[std::size_t(lower_row(p_, o_, e))] = clear ? none : e - l0;
    for (Index f = u0; f < u1; ++f) target_[std::size_t(p_.upper.col(f))] = clear ? none : l1 - l0 + 1 + f - u0;
  }

  const Pattern<Host> &p_;
  const StoredOrder &o_;
  std::vector<Index> target_; // target of each row as a column
  std::vector<Pair> found_;
  std::ptrdiff_t count_ = 0;
  std::vector<Offset> first_; // number of pairs before each target

  std::vector<std::pair<Index, Index>> pivots_; // upper entries of each pivot row
};

// Index pairs in arrays of the largest size that they can need. Untouched pages use no memory.
struct PairSpace {
  HostArray<Index> left, right;

  explicit PairSpace(std::size_t bound)
      : left(make_array<Index>("finegrain::left", bound)), right(make_array<Index>("finegrain::right", bound))
  {
  }
  std::size_t size() const { return left.extent(0); }
};

// Builds a list of pairs. Each piece of the rows fills its own range of a PairSpace, from the front or, row by row,
// from the back.
class ListBuilder
{
public:
  struct Filled {
    Offset first, last; // range of pairs
  };

  // before: upper bound of the products in the rows before each piece.
  ListBuilder(Index targets, const PairSpace &pairs, bool from_back, const std::vector<std::size_t> &before)
      : ptr(make_array<Offset>("finegrain::updates", std::size_t(targets) + 1)), space_(pairs), from_back_(from_back)
  {
    for (const std::size_t products : before) {
      const Offset begin = Offset(from_back ? pairs.size() - products : products);
      filled_.push_back({begin, begin});
    }
  }
  Filled &filled(int piece) { return filled_[std::size_t(piece)]; }
  UpdateFinder::Place place(Offset shift) { return {space_.left.data(), space_.right.data(), shift}; }

  // Joins the ranges of all pieces. targets(first row, row after the last) returns the targets of a piece.
  template <class Targets> Updates<Host> finish(const Pieces &pieces, const Targets &targets)
  {
    const int pieces_of_rows = pieces.count();
    std::vector<Offset> begin(filled_.size()); // first index of each piece in the list
    Offset count = 0;
    for (int k = 0; k < pieces_of_rows; ++k) {
      const int piece = from_back_ ? pieces_of_rows - 1 - k : k;
      begin[std::size_t(piece)] = count;
      count += filled(piece).last - filled(piece).first;
    }
    ptr(ptr.extent(0) - 1) = count;
    pieces.for_each([&](int piece, Index first, Index last) {
      const Offset shift = begin[std::size_t(piece)] - filled(piece).first;
      const auto [first_target, last_target] = targets(first, last);
      for (Index t = first_target; shift != 0 && t < last_target; ++t) ptr(t) += shift;
    });
    if (pieces_of_rows == 1) { // no copy is needed
      const auto range = std::make_pair(std::size_t(filled(0).first), std::size_t(filled(0).last));
      return {ptr, Kokkos::subview(space_.left, range), Kokkos::subview(space_.right, range)};
    }
    const PairSpace all{std::size_t(count)};
    pieces.for_each([&](int piece, Index, Index) {
      const auto [first, last] = filled(piece);
      const Offset to = begin[std::size_t(piece)];
      std::copy(space_.left.data() + first, space_.left.data() + last, all.left.data() + to);
      std::copy(space_.right.data() + first, space_.right.data() + last, all.right.data() + to);
    });
    return {ptr, all.left, all.right};
  }

  HostArray<Offset> ptr;

private:
  PairSpace space_;
  const bool from_back_;
  std::vector<Filled> filled_; // by piece
};

// Cuts the rows into pieces for threads. Each piece needs an array over all columns; together these arrays are no
// larger than the pattern.
Pieces cut_rows(const Pattern<Host> &p)
{
  const std::size_t entries = p.lower.col.extent(0) + p.upper.col.extent(0);
  return {p.rows, p.rows, int(entries / std::max(std::size_t(p.rows), std::size_t(1))) + 1};
}

// Counts the lower entries in the rows before each piece. They bound the products on the diagonal, because a pivot
// row contributes at most one to each diagonal block.
std::vector<std::size_t> count_lowers(const Pattern<Host> &p, const Pieces &pieces)
{
  std::vector<std::size_t> before;
  for (int piece = 0; piece < pieces.count(); ++piece)
    before.push_back(std::size_t(p.lower.ptr(pieces.first(piece))));
  return before;
}

// Builds the list of DILU: the products that fall on the diagonal. Returns nothing if a product falls on another
// entry of the pattern, unless `forced`.
std::optional<Updates<Host>> find_updates_of_dilu(const Pattern<Host> &p, const StoredOrder &o, bool forced)
{
  const std::size_t rows = std::size_t(o.rows);
  const Pieces pieces = cut_rows(p);
  // For each piece and column: the last position whose row has this column off the diagonal.
  const auto seen_by = make_array<Index>("finegrain::seen", rows * std::size_t(pieces.count()));
  const PairSpace space(p.lower.col.extent(0));
  ListBuilder list(o.rows, space, false, count_lowers(p, pieces));
  constexpr Index few = 32;                                  // rows of a first test; each of several pieces has more
  std::vector<char> is_dilu(std::size_t(pieces.count()), 0); // by piece
  const auto find = [&](int piece, Index first, Index last) {
    Index *const seen = seen_by.data() + std::size_t(piece) * rows;
    std::fill_n(seen, rows, -1);
    Index none[2];
    Offset count = list.filled(piece).first;
    const Offset end = p.lower.ptr(last);
    for (Index pos = first; pos < last; ++pos) {
      const Index row = o.row(pos), l0 = p.lower.ptr(pos), l1 = p.lower.ptr(pos + 1);
      for (Index e = l0; e < l1; ++e) seen[lower_row(p, o, e)] = pos;
      for (Index f = p.upper.ptr(o.rows - 1 - pos); f < p.upper.ptr(o.rows - pos); ++f) seen[p.upper.col(f)] = pos;
      list.ptr(pos) = count;
      Index met = 0; // no branches: matches cannot be predicted
      for (Index e = l0; e < l1; ++e)
        for (Index k = pivot_sweep_index(p, o, e), f = p.upper.ptr(k); f < p.upper.ptr(k + 1); ++f) {
          const Index col = p.upper.col(f);
          met += seen[col] == pos;
          *(count < end ? &space.left(count) : none) = e;
          *(count < end ? &space.right(count) : none + 1) = f;
          count += col == row;
        }
      if (met > 0 && !forced) return;
    }
    list.filled(piece).last = count;
    is_dilu[std::size_t(piece)] = 1;
  };
  if (pieces.count() > 1 && !forced) { // most patterns that are not DILU show it in their first rows
    find(0, 0, few);
    if (std::exchange(is_dilu[0], 0) == 0) return std::nullopt;
  }
  pieces.for_each(find);
  if (std::count(is_dilu.begin(), is_dilu.end(), 0) > 0) return std::nullopt;
  return list.finish(pieces, [](Index first, Index last) { return std::pair(first, last); });
}

// Counts the products in the rows before each piece and, at the end, in all rows, including those outside of the
// pattern.
std::vector<std::size_t> count_products(const Pattern<Host> &p, const StoredOrder &o, const Pieces &pieces)
{
  std::vector<std::size_t> before(std::size_t(pieces.count()) + 1, 0);
  pieces.for_each([&](int piece, Index first, Index last) {
    std::size_t count = 0;
    for (Index e = p.lower.ptr(first); e < p.lower.ptr(last); ++e) {
      const Index k = pivot_sweep_index(p, o, e);
      count += std::size_t(p.upper.ptr(k + 1) - p.upper.ptr(k));
    }
    before[std::size_t(piece) + 1] = count;
  });
  for (std::size_t piece = 1; piece < before.size(); ++piece) before[piece] += before[piece - 1];
  return before;
}

void list_products(Pattern<Host> &p, const StoredOrder &o)
{
  const Pieces pieces = cut_rows(p);
  std::vector<std::size_t> products = count_products(p, o, pieces);
  const Index lowers_of_all = Index(p.lower.col.extent(0)), uppers_of_all = Index(p.upper.col.extent(0));
  const PairSpace one{std::size_t(lowers_of_all)}, both{products.back()};
  products.pop_back();
  // Sweep indices of the upper triangle descend with positions, so that its list is filled from the back.
  ListBuilder diagonal(o.rows, one, false, count_lowers(p, pieces)), lower(lowers_of_all, both, false, products),
    upper(uppers_of_all, pieces.count() == 1 ? both : PairSpace(both.size()), true, products);
  pieces.for_each([&](int piece, Index first, Index last) {
    UpdateFinder finder(p, o);
    auto &to_lowers = lower.filled(piece), &to_diagonals = diagonal.filled(piece), &to_uppers = upper.filled(piece);
    for (Index pos = first; pos < last; ++pos) {
      finder.visit_row(pos);
      const Index l0 = p.lower.ptr(pos), lowers = p.lower.ptr(pos + 1) - l0, above = lowers + 1;
      const Index u0 = p.upper.ptr(o.rows - 1 - pos), uppers = p.upper.ptr(o.rows - pos) - u0;
      const Offset before_diagonal = finder.before(lowers), before_upper = finder.before(above),
                   all = finder.before(above + uppers);
      to_uppers.first -= all - before_upper;
      const Offset to_lower = to_lowers.last, to_diagonal = to_diagonals.last - before_diagonal,
                   to_upper = to_uppers.first - before_upper;
      for (Index t = 0; t < lowers; ++t) lower.ptr(l0 + t) = to_lower + finder.before(t);
      diagonal.ptr(pos) = to_diagonals.last;
      for (Index t = 0; t < uppers; ++t) upper.ptr(u0 + t) = to_upper + finder.before(above + t);
      finder.store(lowers, lower.place(to_lower), diagonal.place(to_diagonal), upper.place(to_upper));
      to_lowers.last += before_diagonal;
      to_diagonals.last += before_upper - before_diagonal;
    }
  });
  using Targets = std::pair<Index, Index>;
  p.to_diagonal = diagonal.finish(pieces, [](Index first, Index last) { return Targets(first, last); });
  p.to_lower =
    lower.finish(pieces, [&](Index first, Index last) { return Targets(p.lower.ptr(first), p.lower.ptr(last)); });
  p.to_upper = upper.finish(pieces, [&](Index first, Index last) {
    return Targets(p.upper.ptr(o.rows - last), p.upper.ptr(o.rows - first));
  });
}

// Limits for lists. With blocks of at most 3, a search needs up to 1.7 times the time of lists, but less than
// building them (docs/tuning.md). Lists are therefore built in the second set-up, if they need at most four times
// the bytes of the factor. With larger blocks a search is faster, up to 1.4 times (docs/tuning.md).
constexpr int small_block = 3;
constexpr double most_of_factor = 4;

} // namespace

void find_updates(Pattern<Host> &p, const StoredOrder &o, FactorKind &kind, const ListChoice &choice)
{
  if (const auto list = find_updates_of_dilu(p, o, kind == FactorKind::dilu)) {
    if (kind == FactorKind::automatic) kind = FactorKind::dilu;
    p.to_diagonal = *list;
    return;
  }
  kind = FactorKind::ilu0;
  const double factor =
                 choice.bytes_of_block * double(p.lower.col.extent(0) + p.upper.col.extent(0) + std::size_t(o.rows)),
               lists = 2 * sizeof(Index) * double(count_products(p, o, cut_rows(p)).back());
  const double block = double(choice.block * choice.block) * sizeof(Scalar), rows = double(o.rows);
  const double search =
    choice.threads * (choice.block == 1 ? rows * block : rows * sizeof(Index) + longest_row(p) * block);
  const bool automatic = choice.products == Products::automatic, small = choice.block <= small_block,
             fits = search <= lists;
  p.lists_deferred = automatic && small && fits && lists <= most_of_factor * factor;
  p.searched = choice.products == Products::searched || (automatic && (!small || fits));
  if (!p.searched) list_products(p, o);
}

Index longest_row(const Pattern<Host> &p)
{
  Index longest = 0;
  for (Index pos = 0; pos < p.rows; ++pos)
    longest = std::max(longest, p.lower.ptr(pos + 1) - p.lower.ptr(pos) + p.upper.ptr(p.rows - pos) -
                                  p.upper.ptr(p.rows - 1 - pos) + 1);
  return longest;
}

void list_products(Pattern<Host> &p)
{
  list_products(p, invert_order(p.rows, p.row_of));
  p.searched = p.lists_deferred = false;
}

} // namespace finegrain
