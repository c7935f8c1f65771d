#include "plan/products.hpp"

#include "base/pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace finegrain
{

namespace
{

using Host = Kokkos::HostSpace;

// The row of a lower entry's column.
Index lower_row(const Pattern<Host> &p, const StoredOrder &o, Index e)
{
  return p.y == Layout::row ? p.lower.col(e) : o.row(p.lower.col(e));
}

// Update pairs (lower entry, upper entry) of one row after the other, by target; inside a target in ascending order
// of the pivot row, because lower entries are. Targets are numbered along the row: lower entries, the diagonal, upper
// entries.
class UpdateFinder
{
public:
  UpdateFinder(const Pattern<Host> &p, const StoredOrder &o) : p_(p), o_(o), target_(std::size_t(o.rows), none) {}

  // Finds the products that fall on an entry of the row at this position.
  void visit_row(Index pos)
  {
    const Index row = o_.row(pos), slot = o_.rows - 1 - pos;
    const Index l0 = p_.lower.ptr(pos), l1 = p_.lower.ptr(pos + 1);
    const Index u0 = p_.upper.ptr(slot), u1 = p_.upper.ptr(slot + 1);
    set_targets(l0, l1, u0, u1, row, false);
    pivots_.clear();
    std::size_t most = 0;
    for (Index e = l0; e < l1; ++e) {
      const Index k = pivot(e), begin = p_.upper.ptr(k), end = p_.upper.ptr(k + 1);
      for (Index f = begin; f < end; f += 16) __builtin_prefetch(&p_.upper.col(f));
      pivots_.push_back({begin, end});
      most += std::size_t(end - begin);
    }
    if (found_.size() < most) found_.resize(most + most / 2);
    // Without branches: which entries meet is not to be foreseen.
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

  // At most that many pairs are found in the row at this position.
  std::size_t bound(Index pos) const
  {
    std::size_t most = 0;
    for (Index e = p_.lower.ptr(pos); e < p_.lower.ptr(pos + 1); ++e) most += upper_size(pivot(e));
    return most;
  }
  // The number of pairs of targets before this one.
  Offset before(Index target) const { return first_[std::size_t(target)]; }
  // Puts the pairs of targets below, at and above the diagonal where they belong. Ends the row's visit.
  struct Place {
    Index *left, *right;
    Offset shift; // from the number of pairs before in the row
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

  Index pivot(Index e) const { return o_.rows - 1 - o_.pos(lower_row(p_, o_, e)); } // its slot in the upper part
  std::size_t upper_size(Index slot) const { return std::size_t(p_.upper.ptr(slot + 1) - p_.upper.ptr(slot)); }

  void set_targets(Index l0, Index l1, Index u0, Index u1, Index row, bool clear)
  {
    target_[std::size_t(row)] = clear ? none : l1 - l0;
    for (Index e = l0; e < l1; ++e) target_[std::size_t(lower_row(p_, o_, e))] = clear ? none : e - l0;
    for (Index f = u0; f < u1; ++f) target_[std::size_t(p_.upper.col(f))] = clear ? none : l1 - l0 + 1 + f - u0;
  }

  const Pattern<Host> &p_;
  const StoredOrder &o_;
  std::vector<Index> target_; // of each row as a column
  std::vector<Pair> found_;
  std::ptrdiff_t count_ = 0;
  std::vector<Offset> first_; // pairs before each target

  std::vector<std::pair<Index, Index>> pivots_; // their upper entries
};

// Pairs of indices in one piece of memory as large as they can get. Pages that stay untouched cost nothing.
struct PairSpace {
  HostArray<Index> left, right;

  explicit PairSpace(std::size_t bound)
      : left(make_array<Index>("finegrain::left", bound)), right(make_array<Index>("finegrain::right", bound))
  {
  }
  std::size_t size() const { return left.extent(0); }
};

// A list that grows in such a space from the front or, row by row, from the back.
struct ListBuilder {
  HostArray<Offset> ptr;
  PairSpace space;
  Offset first, last; // what is filled

  ListBuilder(Index targets, const PairSpace &pairs, bool from_back)
      : ptr(make_array<Offset>("finegrain::updates", std::size_t(targets) + 1)),
        space(pairs),
        first(from_back ? Offset(pairs.size()) : 0),
        last(first)
  {
  }
  UpdateFinder::Place place(Offset shift) { return {space.left.data(), space.right.data(), shift}; }
  Updates<Host> finish()
  {
    const auto range = std::make_pair(std::size_t(first), std::size_t(last));
    ptr(ptr.extent(0) - 1) = last;
    for (std::size_t t = 0; first > 0 && t < ptr.extent(0); ++t) ptr(t) -= first;
    return {ptr, Kokkos::subview(space.left, range), Kokkos::subview(space.right, range)};
  }
};

Updates<Host> shorten(const Updates<Host> &list, Offset count)
{
  const auto range = std::make_pair(std::size_t(0), std::size_t(count));
  return {list.ptr, Kokkos::subview(list.left, range), Kokkos::subview(list.right, range)};
}

// The list of DILU: products that fall on the diagonal. Nothing if others fall beside it, unless that does not
// matter.
std::optional<Updates<Host>> find_updates_of_dilu(const Pattern<Host> &p, const StoredOrder &o, bool forced)
{
  const std::size_t rows = std::size_t(o.rows), entries = p.lower.col.extent(0) + p.upper.col.extent(0);
  const Pieces pieces(o.rows, o.rows, int(entries / std::max(rows, std::size_t(1))) + 1); // as large as the pattern
  // Of each column, the last position whose row has it beside its diagonal; for each piece.
  const auto seen_by = make_array<Index>("finegrain::seen", rows * std::size_t(pieces.count()));
  const std::size_t most = p.lower.col.extent(0); // a pivot meets a diagonal once
  const Updates<Host> list{make_array<Offset>("finegrain::updates", std::size_t(o.rows) + 1),
                           make_array<Index>("finegrain::left", most), make_array<Index>("finegrain::right", most)};
  constexpr Index few = 32;                                   // there are more where there are pieces
  std::vector<Offset> found(std::size_t(pieces.count()), -1); // the end of what each piece has; -1: others are there
  const auto find = [&](int piece, Index first, Index last) {
    Index *const seen = seen_by.data() + std::size_t(piece) * rows;
    std::fill_n(seen, rows, -1);
    Index none[2];
    Offset count = p.lower.ptr(first);
    const Offset end = p.lower.ptr(last);
    for (Index pos = first; pos < last; ++pos) {
      const Index row = o.row(pos), l0 = p.lower.ptr(pos), l1 = p.lower.ptr(pos + 1);
      for (Index e = l0; e < l1; ++e) seen[lower_row(p, o, e)] = pos;
      for (Index f = p.upper.ptr(o.rows - 1 - pos); f < p.upper.ptr(o.rows - pos); ++f) seen[p.upper.col(f)] = pos;
      list.ptr(pos) = count;
      Index met = 0; // without branches: which meet is not to be foreseen
      for (Index e = l0; e < l1; ++e)
        for (Index k = o.rows - 1 - o.pos(lower_row(p, o, e)), f = p.upper.ptr(k); f < p.upper.ptr(k + 1); ++f) {
          const Index col = p.upper.col(f);
          met += seen[col] == pos;
          *(count < end ? &list.left(count) : none) = e;
          *(count < end ? &list.right(count) : none + 1) = f;
          count += col == row;
        }
      if (met > 0 && !forced) return;
    }
    found[std::size_t(piece)] = count;
  };
  if (pieces.count() > 1 && !forced) { // most patterns say so at once
    find(0, 0, few);
    if (std::exchange(found[0], -1) < 0) return std::nullopt;
  }
  pieces.for_each(find);
  Offset count = 0; // gaps between pieces are closed
  for (int piece = 0; piece < pieces.count(); ++piece) {
    const Offset begin = p.lower.ptr(pieces.first(piece)), end = found[std::size_t(piece)], gap = begin - count;
    if (end < 0) return std::nullopt;
    for (const auto &array : {list.left, list.right})
      if (gap > 0) std::copy(array.data() + begin, array.data() + end, array.data() + count);
    for (Index pos = pieces.first(piece); gap > 0 && pos < pieces.first(piece + 1); ++pos) list.ptr(pos) -= gap;
    count += end - begin;
  }
  list.ptr(o.rows) = count;
  return shorten(list, count);
}

// Products that fall on an entry or beside it.
std::size_t count_products(const Pattern<Host> &p, const UpdateFinder &finder)
{
  std::size_t bound = 0;
  for (Index pos = 0; pos < p.rows; ++pos) bound += finder.bound(pos);
  return bound;
}

void list_products(Pattern<Host> &p, const StoredOrder &o)
{
  UpdateFinder finder(p, o);
  // A pivot meets a diagonal once. Rows come from the back of the upper part.
  const Index lowers_of_all = Index(p.lower.col.extent(0)), uppers_of_all = Index(p.upper.col.extent(0));
  const PairSpace one{std::size_t(lowers_of_all)}, both{count_products(p, finder)};
  ListBuilder diagonal(o.rows, one, false), lower(lowers_of_all, both, false), upper(uppers_of_all, both, true);
  for (Index pos = 0; pos < o.rows; ++pos) {
    finder.visit_row(pos);
    const Index l0 = p.lower.ptr(pos), lowers = p.lower.ptr(pos + 1) - l0, above = lowers + 1;
    const Index u0 = p.upper.ptr(o.rows - 1 - pos), uppers = p.upper.ptr(o.rows - pos) - u0;
    const Offset before_diagonal = finder.before(lowers), before_upper = finder.before(above),
                 all = finder.before(above + uppers);
    upper.first -= all - before_upper;
    const Offset to_lower = lower.last, to_diagonal = diagonal.last - before_diagonal,
                 to_upper = upper.first - before_upper;
    for (Index t = 0; t < lowers; ++t) lower.ptr(l0 + t) = to_lower + finder.before(t);
    diagonal.ptr(pos) = diagonal.last;
    for (Index t = 0; t < uppers; ++t) upper.ptr(u0 + t) = to_upper + finder.before(above + t);
    finder.store(lowers, lower.place(to_lower), diagonal.place(to_diagonal), upper.place(to_upper));
    lower.last += before_diagonal;
    diagonal.last += before_upper - before_diagonal;
  }
  p.to_diagonal = diagonal.finish();
  p.to_lower = lower.finish();
  p.to_upper = upper.finish();
}

// Lists that take more than so many times the bytes of the factor are not written, unless searching takes more still.
// It takes up to twice the time of a refactorization with lists, and less of the first set-up
// (docs/performance/powerqilu.md).
constexpr double most_of_factor = 4;

} // namespace

StoredOrder invert_order(Index rows, const HostArray<Index> &row_of)
{
  StoredOrder o{rows, row_of.extent(0) > 0, {}, row_of};
  if (o.permuted) {
    o.position.resize(std::size_t(rows));
    for (Index p = 0; p < rows; ++p) o.position[std::size_t(row_of(p))] = p;
  }
  return o;
}

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
               lists = 2 * sizeof(Index) * double(count_products(p, UpdateFinder(p, o)));
  const double block = double(choice.block * choice.block) * sizeof(Scalar), rows = double(o.rows);
  const double search =
    choice.threads * (choice.block == 1 ? rows * block : rows * sizeof(Index) + longest_row(p) * block);
  const bool may_search = choice.products == Products::automatic && search <= lists,
             pays = lists <= most_of_factor * factor;
  p.lists_wait = may_search && pays && choice.block == 1;
  p.searched = choice.products == Products::searched || (may_search && !pays) || p.lists_wait;
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
  p.searched = p.lists_wait = false;
}

} // namespace finegrain
