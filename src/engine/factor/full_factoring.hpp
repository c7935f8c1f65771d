// SPDX-License-Identifier: BSD-2-Clause
// Factorization of which the sweeps read only some blocks (Drop::after, powerqilu's drop after). The full factor is
// computed in memory of its own, and the blocks that the sweeps keep are copied from it.
#pragma once

#include "factor/factoring.hpp"

namespace finegrain
{

// Triangle of the entries that the sweeps keep, and their indices in the full triangle. keep_entries() selects them;
// row_of and row_of_column return rows.
struct KeptTriangle {
  Triangle<Kokkos::HostSpace> triangle;
  HostArray<Index> entry;
};
template <class RowOfIndex, class RowOfColumn> KeptTriangle keep_entries(const Elimination &e,
                                                                         const Triangle<Kokkos::HostSpace> &t,
                                                                         RowOfIndex row_of, RowOfColumn row_of_column)
{
  const Index rows = e.selection.graph.rows;
  KeptTriangle kept{{make_array<Index>("finegrain::ptr", std::size_t(rows) + 1), {}, {}}, {}};
  std::vector<Index> entry, col;
  for (Index sweep_index = 0; sweep_index < rows; ++sweep_index) {
    kept.triangle.ptr(sweep_index) = Index(entry.size());
    for (Index f = t.ptr(sweep_index); f < t.ptr(sweep_index + 1); ++f)
      if (!is_dropped(e, row_of(sweep_index), row_of_column(t.col(f)))) {
        entry.push_back(f);
        col.push_back(t.col(f));
      }
  }
  kept.triangle.ptr(rows) = Index(entry.size());
  kept.triangle.col = to_array("finegrain::col", col);
  kept.entry = to_array("finegrain::kept", entry);
  return kept;
}

// KeepBlock copies one kept block, on hosts; KeepWord copies one word of it, on devices. Outside of the class, for
// nvcc.
struct KeepBlock {
  const Index *kept;
  const std::uint32_t *from;
  std::uint32_t *to;
  Offset words; // words per block

  void operator()(Offset i) const { std::copy_n(from + kept[i] * words, words, to + i * words); }
};
struct KeepWord {
  KeepBlock block;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const
  {
    block.to[i] = block.from[block.kept[i / block.words] * block.words + i % block.words];
  }
};

template <class Exec> class FullFactoring final : public ProductsFactoring<Exec>
{
public:
  using Base = ProductsFactoring<Exec>;
  using Base::Base;
  using typename Base::Blocks, typename Base::Space;

  SetupError make_pattern(const OperatorView &view, const EngineOptions &options, const Elimination &e,
                          const Plan &plan, const Storage &factor_storage, FactorKind &kind) override
  {
    auto p = this->split(view.block, options, e, plan, factor_storage, kind);
    const auto row_of = [&](Index pos) { return p.permuted ? p.row_of(pos) : pos; };
    const auto row_of_column = [&](Index col) { return p.y == Layout::row ? col : row_of(col); };
    const KeptTriangle lower = keep_entries(e, p.lower, row_of, row_of_column),
                       upper = keep_entries(
                         e, p.upper, [&](Index sweep_index) { return row_of(p.rows - 1 - sweep_index); },
                         [](Index row) { return row; });
    full_pattern_ = copy_to<Space>(p);
    n_ = view.block;
    factor_precision_ = factor_storage.off_diagonal;
    kept_lower_ = copy_to<Space>(lower.entry);
    kept_upper_ = copy_to<Space>(upper.entry);
    words_ = Offset(n_) * n_ * Offset(storage_size(factor_precision_) / sizeof(std::uint32_t));
    p.lower = lower.triangle;
    p.upper = upper.triangle;
    p.to_diagonal = p.to_lower = p.to_upper = {};
    this->factor_.pattern = copy_to<Space>(p);
    return {};
  }
  void factor(const Values &values, const Blocks &to, const Index *row_of) override
  {
    if (!upper_.data()) {
      lower_.allocate(Offset(full_pattern_.lower.col.extent(0)), n_, factor_precision_);
      upper_.allocate(Offset(full_pattern_.upper.col.extent(0)), n_, factor_precision_);
    }
    this->list_if_due(full_pattern_);
    FactorArguments arguments = factor_arguments(full_pattern_, to, this->runner_, values.owned, row_of);
    arguments.lower = lower_.data();
    arguments.upper = upper_.data();
    this->factor_rows(full_pattern_, arguments);
    keep(kept_lower_, lower_, to.lower.data());
    keep(kept_upper_, upper_, to.upper.data());
  }
  void free_memory() override
  {
    lower_.free_memory();
    upper_.free_memory();
  }
  FactoringCount count() const override
  {
    FactoringCount c = Base::count(full_pattern_);
    // On hosts the sweeps' pattern shares its arrays of rows with the full pattern.
    const std::size_t shared = works_in_teams<Exec> ? 0 : full_pattern_.row_of.span() + full_pattern_.diagonal.span();
    c.indices = full_pattern_.bytes() + (kept_lower_.span() + kept_upper_.span() - shared) * sizeof(Index);
    c.blocks += lower_.size() + upper_.size();
    return c;
  }

private:
  void keep(const Array<Index, Space> &kept, const BlockStorage<Space> &from, void *to) const
  {
    const KeepBlock block{kept.data(), static_cast<const std::uint32_t *>(from.data()),
                          static_cast<std::uint32_t *>(to), words_};
    if constexpr (works_in_teams<Exec>) this->runner_.for_each(Offset(kept.extent(0)) * words_, KeepWord{block});
    else this->runner_.for_each(Offset(kept.extent(0)), block);
  }

  int n_ = 0;
  Precision factor_precision_ = Precision::working;
  Pattern<Space> full_pattern_;
  BlockStorage<Space> lower_, upper_;
  Array<Index, Space> kept_lower_, kept_upper_;
  Offset words_ = 0;
};

} // namespace finegrain
