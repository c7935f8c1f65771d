// SPDX-License-Identifier: BSD-2-Clause
#include "factor/factor_pattern.hpp"

#include "base/pieces.hpp"
#include "factor/products.hpp"

#include <algorithm>

namespace finegrain
{

namespace
{

using Host = Kokkos::HostSpace;

Index source_entry(const Selection &s, Index e) { return s.entry.extent(0) ? s.entry(e) : e; }

// Entry of a row, and the place of its column in the elimination order.
struct Kept {
  Index place, entry;
};

// Sorts the entries of a row by ascending place.
void sort_by_place(Kept *row, Index size)
{
  const auto before = [](const Kept &a, const Kept &b) { return a.place < b.place; };
  if (size > 32) return std::sort(row, row + size, before);
  for (Index k = 1; k < size; ++k) {
    const Kept next = row[k];
    Index to = k;
    for (; to > 0 && before(next, row[to - 1]); --to) row[to] = row[to - 1];
    row[to] = next;
  }
}

// Splits each row into lower entries, by ascending place of their columns in the elimination order, and upper
// entries, by descending place. The storage order keeps the direction of every coupling. Positions ascend: lower
// entries fill an array from the front, upper entries from the back.
class RowSplitter
{
public:
  RowSplitter(const Selection &selection, const HostArray<Index> &ordering, const StoredOrder &o, Pattern<Host> &p)
      : selection_(selection),
        g_(selection.graph),
        o_(o),
        p_(p),
        pieces_(g_.rows),
        place_(invert_order(g_.rows, ordering).position),
        col_(make_array<Index>("finegrain::col", std::size_t(g_.entries()))),
        source_(make_array<Index>("finegrain::source", std::size_t(g_.entries())))
  {
    for (Triangle<Host> *t : {&p.lower, &p.upper})
      t->ptr = make_array<Index>("finegrain::ptr", std::size_t(g_.rows) + 1);
    p.diagonal = make_array<Index>("finegrain::diagonal", std::size_t(g_.rows));
    for (Index i = 0; i < g_.rows; ++i) longest_ = std::max(longest_, g_.ptr(i + 1) - g_.ptr(i));
    scratch_.resize(place_.empty() ? 0 : std::size_t(longest_) * std::size_t(pieces_.count()));
  }

  void split()
  {
    const Index entries = g_.entries();
    std::vector<Filled> begin(std::size_t(pieces_.count()) + 1, {0, entries});
    if (pieces_.count() > 1) count(begin);
    pieces_.for_each([&](int piece, Index first, Index last) {
      Filled &f = begin[std::size_t(piece)];
      place_.empty() ? split_natural(first, last, f) : split_ordered(piece, first, last, f);
      if (last == g_.rows) begin.back() = f;
    });
    const auto [front, back] = begin.back();
    p_.lower.ptr(g_.rows) = front;
    p_.upper.ptr(g_.rows) = entries;
    for (Index sweep_index = 0; sweep_index <= g_.rows; ++sweep_index) p_.upper.ptr(sweep_index) -= back;
    const auto lowers = std::make_pair(std::size_t(0), std::size_t(front));
    const auto uppers = std::make_pair(std::size_t(back), std::size_t(entries));
    p_.lower.col = Kokkos::subview(col_, lowers);
    p_.lower.source = Kokkos::subview(source_, lowers);
    p_.upper.col = Kokkos::subview(col_, uppers);
    p_.upper.source = Kokkos::subview(source_, uppers);
  }

private:
  // Lower entries are stored below `front`, upper entries from `back` on.
  struct Filled {
    Index front, back;
  };

  Index place(Index row) const { return place_.empty() ? row : place_[std::size_t(row)]; }

  // Finds the front and the back at which each piece begins.
  void count(std::vector<Filled> &begin) const
  {
    pieces_.for_each([&](int piece, Index first, Index last) {
      Filled of{0, 0}; // counts of entries
      for (Index pos = first; pos < last; ++pos) {
        const Index row = o_.row(pos), here = place(row);
        for (Index e = g_.ptr(row); e < g_.ptr(row + 1); ++e) {
          const Index there = place(g_.col(e));
          of.front += there < here;
          of.back += there > here;
        }
      }
      begin[std::size_t(piece) + 1] = of;
    });
    begin[0] = {0, g_.entries()};
    for (std::size_t p = 1; p < begin.size(); ++p)
      begin[p] = {begin[p - 1].front + begin[p].front, begin[p - 1].back - begin[p].back};
  }
  void put_lower(Index entry, Filled &f)
  {
    const Index c = g_.col(entry);
    col_(f.front) = p_.y == Layout::row ? c : o_.pos(c);
    source_(f.front++) = source_entry(selection_, entry);
  }
  void put_upper(Index entry, Filled &f)
  {
    col_(--f.back) = g_.col(entry);
    source_(f.back) = source_entry(selection_, entry);
  }
  void begin_row(Index pos, const Filled &f) { p_.lower.ptr(pos) = f.front; }
  void end_row(Index pos, Index diagonal, const Filled &f)
  {
    p_.diagonal(pos) = diagonal < 0 ? -1 : source_entry(selection_, diagonal);
    p_.upper.ptr(g_.rows - 1 - pos) = f.back;
  }

  void split_natural(Index first, Index last, Filled &filled)
  {
    Filled f = filled;
    for (Index pos = first; pos < last; ++pos) {
      const Index row = o_.row(pos), end = g_.ptr(row + 1);
      Index e = g_.ptr(row);
      begin_row(pos, f);
      for (; e < end && g_.col(e) < row; ++e) put_lower(e, f);
      const Index diagonal = e < end && g_.col(e) == row ? e++ : -1; // rows of other ranks have no diagonal entry
      for (; e < end; ++e) put_upper(e, f);
      end_row(pos, diagonal, f);
    }
    filled = f;
  }
  void split_ordered(int piece, Index first, Index last, Filled &filled)
  {
    Kept *const kept = scratch_.data() + std::size_t(longest_) * std::size_t(piece);
    Filled f = filled;
    for (Index pos = first; pos < last; ++pos) {
      const Index row = o_.row(pos), here = place(row), size = g_.ptr(row + 1) - g_.ptr(row);
      for (Index k = 0; k < size; ++k) kept[k] = {place(g_.col(g_.ptr(row) + k)), g_.ptr(row) + k};
      sort_by_place(kept, size);
      const Kept *next = kept, *const end = kept + size;
      begin_row(pos, f);
      for (; next < end && next->place < here; ++next) put_lower(next->entry, f);
      const Index diagonal = next < end && next->place == here ? (next++)->entry : -1;
      for (; next < end; ++next) put_upper(next->entry, f);
      end_row(pos, diagonal, f);
    }
    filled = f;
  }

  const Selection &selection_;
  const Graph &g_;
  const StoredOrder &o_;
  Pattern<Host> &p_;
  const Pieces pieces_;
  const std::vector<Index> place_; // place of each row in the elimination order; empty: natural order
  HostArray<Index> col_, source_;
  Index longest_ = 0; // length of the longest row
  std::vector<Kept> scratch_;
};

} // namespace

bool fold_upper(Pattern<Host> &p)
{
  const Index entries = Index(p.lower.col.extent(0));
  const auto &transposed = p.to_diagonal.right; // DILU has one product for each pair of transposed entries
  if (Index(p.upper.col.extent(0)) != entries || Index(transposed.extent(0)) != entries) return false;
  for (Index e = 0; e < entries; ++e)
    if (p.to_diagonal.left(e) != e) return false;
  const auto pivot = make_array<Index>("finegrain::pivot", std::size_t(entries));
  const HostArray<Index> transposed_entry("finegrain::transposed_entry",
                                          std::size_t(entries + symmetric_prefetch_entries));
  for (Index sweep_index = 0; sweep_index < p.rows; ++sweep_index)
    for (Index f = p.upper.ptr(sweep_index); f < p.upper.ptr(sweep_index + 1); ++f)
      pivot(f) = p.rows - 1 - sweep_index; // by upper entry
  const StoredOrder o = invert_order(p.rows, p.row_of);
  for (Index pos = 0; pos < p.rows; ++pos)
    for (Index e = p.lower.ptr(pos); e < p.lower.ptr(pos + 1); ++e) {
      const Index f = transposed(e);
      // The elimination order may differ from the row order of the matrix.
      p.lower.source(e) = o.row(pivot(f)) < o.row(pos) ? p.upper.source(f) : ~p.lower.source(e);
      transposed_entry(f) = e;
      transposed(e) = pivot(f);
    }
  p.upper.source = transposed_entry;
  p.to_diagonal.left = {};
  p.to_diagonal.ptr = {};
  return true;
}

Transposed<Host> transpose_pattern(const Pattern<Host> &p)
{
  const Index rows = p.rows;
  const StoredOrder o = invert_order(rows, p.row_of);

  // Visits rows in ascending order, so that the entries of a sweep index are in that order.
  const auto transpose = [&](const Triangle<Host> &t, bool reversed, auto column) {
    Transposed<Host>::Part q{HostArray<Index>("finegrain::ptr", std::size_t(rows) + 1),
                             make_array<Index>("finegrain::entry", t.col.extent(0)),
                             make_array<Index>("finegrain::row", t.col.extent(0))};
    const auto sweep_index_of = [&](Index e) {
      const Index pos = o.pos(column(t.col(e)));
      return reversed ? rows - 1 - pos : pos;
    };
    for (Index e = 0; e < Index(t.col.extent(0)); ++e) ++q.ptr(sweep_index_of(e) + 1);
    for (Index s = 0; s < rows; ++s) q.ptr(s + 1) += q.ptr(s);
    std::vector<Index> next(q.ptr.data(), q.ptr.data() + rows);
    for (Index row = 0; row < rows; ++row) {
      const Index pos = o.pos(row), sweep_index = reversed ? pos : rows - 1 - pos;
      for (Index e = t.ptr(sweep_index); e < t.ptr(sweep_index + 1); ++e) {
        const Index to = next[std::size_t(sweep_index_of(e))]++;
        q.entry(to) = e;
        q.row(to) = row;
      }
    }
    return q;
  };
  return {transpose(p.upper, false, [](Index col) { return col; }),
          transpose(p.lower, true, [&](Index col) { return p.y == Layout::row ? col : o.row(col); })};
}

Pattern<Host> split_pattern(const Selection &selection, const HostArray<Index> &ordering,
                            const HostArray<Index> &row_of, Layout y, FactorKind &kind, const ListChoice &choice)
{
  Pattern<Host> p;
  p.rows = selection.graph.rows;
  const StoredOrder o = invert_order(p.rows, row_of);
  p.permuted = o.permuted;
  p.y = o.permuted ? y : Layout::row;
  p.row_of = row_of;
  RowSplitter(selection, ordering, o, p).split();
  if (kind != FactorKind::sip) find_updates(p, o, kind, choice);
  return p;
}

} // namespace finegrain
