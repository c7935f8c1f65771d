// A factor of which the sweeps have a part (Drop::after): it is made whole, in memory of its own, and the blocks that
// are kept are copied. In: an elimination, the pattern of the whole. Out: the pattern of what is kept.
#pragma once

#include "methods/block_storage.hpp"
#include "plan/elimination.hpp"
#include "plan/factor_pattern.hpp"

namespace finegrain
{

template <class Exec> struct Runner; // runner.hpp: of the engine that has this as a member

// Entries of a triangular part that sweeps have, by slot, and the part that they make; row_of_slot and row_of_column
// give rows.
struct KeptPart {
  Triangle<Kokkos::HostSpace> part;
  HostArray<Index> entry;
};
template <class RowOfSlot, class RowOfColumn> KeptPart keep_part(const Elimination &e,
                                                                 const Triangle<Kokkos::HostSpace> &t,
                                                                 RowOfSlot row_of_slot, RowOfColumn row_of_column)
{
  const Index rows = e.selection.graph.rows;
  KeptPart kept{{make_array<Index>("finegrain::ptr", std::size_t(rows) + 1), {}, {}}, {}};
  std::vector<Index> entry, col;
  for (Index slot = 0; slot < rows; ++slot) {
    kept.part.ptr(slot) = Index(entry.size());
    for (Index f = t.ptr(slot); f < t.ptr(slot + 1); ++f)
      if (!is_dropped(e, row_of_slot(slot), row_of_column(t.col(f)))) {
        entry.push_back(f);
        col.push_back(t.col(f));
      }
  }
  kept.part.ptr(rows) = Index(entry.size());
  kept.part.col = to_array("finegrain::col", col);
  kept.entry = to_array("finegrain::kept", entry);
  return kept;
}

// Over the blocks that are kept, on a host, or over their words. Outside of the class, for nvcc.
struct KeepBlock {
  const Index *kept;
  const std::uint32_t *from;
  std::uint32_t *to;
  Offset words; // of one block

  void operator()(Offset i) const { std::copy_n(from + kept[i] * words, words, to + i * words); }
};
struct KeepWord {
  KeepBlock block;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    block.to[i] = block.from[block.kept[i / block.words] * block.words + i % block.words];
  }
};

template <class Exec> class WholeFactor
{
  using Space = typename Exec::memory_space;

public:
  // Takes the pattern of the whole and leaves what is kept, if entries are dropped.
  void begin(const Elimination &e, const Storage &storage, int n, Pattern<Kokkos::HostSpace> &p)
  {
    *this = {};
    if (!e.drops_after) return;
    const Index rows = p.rows;
    const auto row_of = [&](Index pos) { return p.permuted ? p.row_of(pos) : pos; };
    const auto row_of_column = [&](Index col) { return p.y == Layout::row ? col : row_of(col); };
    const KeptPart lower = keep_part(e, p.lower, row_of, row_of_column),
                   upper = keep_part(
                     e, p.upper, [&](Index slot) { return row_of(rows - 1 - slot); }, [](Index row) { return row; });
    pattern_ = copy_to<Space>(p);
    n_ = n;
    precision_ = storage.off_diagonal;
    kept_lower_ = copy_to<Space>(lower.entry);
    kept_upper_ = copy_to<Space>(upper.entry);
    words_ = Offset(n) * n * Offset(storage_size(storage.off_diagonal) / sizeof(std::uint32_t));
    p.lower = lower.part;
    p.upper = upper.part;
    p.to_diagonal = p.to_lower = p.to_upper = {};
    used_ = true;
  }
  bool used() const { return used_; }
  // Its memory, until give_back().
  void reserve()
  {
    if (!used_ || upper_.data()) return;
    lower_.allocate(Offset(pattern_.lower.col.extent(0)), n_, precision_);
    upper_.allocate(Offset(pattern_.upper.col.extent(0)), n_, precision_);
  }
  void give_back()
  {
    lower_.give_back();
    upper_.give_back();
  }

  Pattern<Space> &pattern() { return pattern_; }
  const Pattern<Space> &pattern() const { return pattern_; }
  void *lower() const { return lower_.data(); }
  void *upper() const { return upper_.data(); }

  // Copies what is kept to where the sweeps have it.
  void keep(Runner<Exec> &run, void *lower, void *upper) const
  {
    keep(run, kept_lower_, lower_, lower);
    keep(run, kept_upper_, upper_, upper);
  }

  std::size_t index_bytes() const
  {
    if (!used_) return 0;
    // On hosts the sweeps' pattern has the same arrays of rows.
    const std::size_t shared = works_in_teams<Exec> ? 0 : pattern_.row_of.span() + pattern_.diagonal.span();
    return pattern_.bytes() + (kept_lower_.span() + kept_upper_.span() - shared) * sizeof(Index);
  }
  std::size_t block_bytes() const { return lower_.size() + upper_.size(); }

private:
  void keep(Runner<Exec> &run, const Array<Index, Space> &kept, const BlockStorage<Space> &from, void *to) const
  {
    const KeepBlock block{kept.data(), static_cast<const std::uint32_t *>(from.data()),
                          static_cast<std::uint32_t *>(to), words_};
    if constexpr (works_in_teams<Exec>) run.for_each(Offset(kept.extent(0)) * words_, KeepWord{block});
    else run.for_each(Offset(kept.extent(0)), block);
  }

  bool used_ = false;
  int n_ = 0;
  Precision precision_ = Precision::working;
  Pattern<Space> pattern_;
  BlockStorage<Space> lower_, upper_;
  Array<Index, Space> kept_lower_, kept_upper_;
  Offset words_ = 0;
};

} // namespace finegrain
