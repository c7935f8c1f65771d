// SPDX-License-Identifier: BSD-2-Clause
// Computes the blocks of a factor from those of the matrix: a base class, with a subclass for each kind of factor.
// The engine of factorization.cpp chooses the subclass. This header has DILU, ILU(0) and ILU(p), by lists of
// products or a search.
#pragma once

#include "factor/factor.hpp"
#include "factor/factor_kernels.hpp"
#include "factor/product_search.hpp"
#include "factor/stored_factor.hpp"
#include "order/elimination.hpp"
#include "product/residuals.hpp"

namespace finegrain
{

// Arguments of a factorization, whose pattern may have more entries than the sweeps read. row_of: bad pivots are
// reported by row; null: by position.
template <class Exec, class Space = typename Exec::memory_space>
FactorArguments factor_arguments(const Pattern<Space> &p, const StoredBlocks<Space> &to, ResidualRunner<Exec> &run,
                                 const MatrixValues &source, const Index *row_of)
{
  const auto list = [](const Updates<Space> &u) { return UpdateList{u.ptr.data(), u.left.data(), u.right.data()}; };
  return {.lower_ptr = p.lower.ptr.data(),
          .upper_ptr = p.upper.ptr.data(),
          .lower_source = p.lower.source.data(),
          .diagonal_source = p.diagonal.data(),
          .upper_source = p.upper.source.data(),
          .row_of = row_of,
          .last_position = p.rows - 1,
          .to_diagonal = list(p.to_diagonal),
          .to_lower = list(p.to_lower),
          .to_upper = list(p.to_upper),
          .source = source,
          .shift = run.shift,
          .lower = to.lower.data(),
          .upper = to.upper.data(),
          .diagonal = to.diagonal.data(),
          .difference = run.residuals.difference.data(),
          .pivot_report = run.pivot_report.data()};
}

// Work and memory of a factorization, without the blocks of the factor.
struct FactoringCount {
  double products = 0, upper = 0;      // block products: subtracted, and with an inverse
  bool searched = false;               // each factorization searches for products
  bool lists_deferred = false;         // the next factorization builds lists
  std::size_t indices = 0, blocks = 0; // bytes
};

template <class Exec> class Factoring
{
public:
  using Space = typename Exec::memory_space;
  using Blocks = StoredBlocks<Space>;

  Factoring(ResidualRunner<Exec> &run, StoredFactor<Exec> &factor) : runner_(run), factor_(factor) {}
  virtual ~Factoring() = default;
  Factoring(const Factoring &) = delete;
  Factoring &operator=(const Factoring &) = delete;

  // Returns false if a team on a device lacks scratch memory for blocks of size n.
  virtual bool fits(int /*n*/) const { return true; }
  virtual SetupError eliminate(const Graph &owned, const EngineOptions &options, Elimination &e) const
  {
    return choose_elimination(owned, options, e);
  }
  // Builds the pattern of an elimination in the storage order of a plan, for blocks that are computed in storage
  // factor_storage. Resolves FactorKind::automatic in `kind`.
  virtual SetupError make_pattern(const OperatorView &, const EngineOptions &, const Elimination &, const Plan &,
                                  const Storage &factor_storage, FactorKind &kind) = 0;
  // Computes the blocks. `row_of` as in factor_arguments().
  virtual void factor(const Values &, const Blocks &to, const Index *row_of) = 0;
  // Frees memory that the next factorization allocates again.
  virtual void free_memory() {}
  virtual FactoringCount count() const { return count(factor_.pattern); }

protected:
  static FactoringCount count(const Pattern<Space> &p)
  {
    return {.products = double(p.listed()), .upper = double(p.upper.col.extent(0))};
  }

  ResidualRunner<Exec> &runner_;
  StoredFactor<Exec> &factor_;
};

template <class Exec> class ProductsFactoring : public Factoring<Exec>
{
public:
  using Base = Factoring<Exec>;
  using Base::Base;
  using typename Base::Blocks, typename Base::Space;

  SetupError make_pattern(const OperatorView &view, const EngineOptions &options, const Elimination &e,
                          const Plan &plan, const Storage &factor_storage, FactorKind &kind) override
  {
    this->factor_.pattern = copy_to<Space>(split(view.block, options, e, plan, factor_storage, kind));
    return {};
  }
  void factor(const Values &values, const Blocks &to, const Index *row_of) override
  {
    Pattern<Space> &p = this->factor_.pattern;
    list_if_due(p);
    factor_rows(p, factor_arguments(p, to, this->runner_, values.owned, row_of));
  }
  FactoringCount count() const override { return count(this->factor_.pattern); }

protected:
  Pattern<Kokkos::HostSpace> split(int n, const EngineOptions &options, const Elimination &e, const Plan &plan,
                                   const Storage &factor_storage, FactorKind &kind)
  {
    threads_ = plan.algorithm == Algorithm::sequential ? 1 : std::max(1, this->runner_.machine(n).threads);
    const ListChoice choice{works_in_teams<Exec> ? Products::listed : options.products,
                            double(bytes_of_block(factor_storage.off_diagonal, n)), n, threads_};
    auto pattern = split_pattern(e.selection, e.ordering, plan.row_of, plan.y, kind, choice);
    kernels_ = find_factor_kernels<Exec>(n, factor_storage);
    search_.prepare(pattern, n);
    return pattern;
  }
  // Builds lists that were postponed to the second factorization.
  void list_if_due(Pattern<Space> &p)
  {
    if constexpr (std::is_same_v<Space, Kokkos::HostSpace>)
      if (std::exchange(factored_, true) && p.lists_deferred) {
        list_products(p);
        search_.prepare(p, this->runner_.n);
      }
  }
  void factor_rows(const Pattern<Space> &p, const FactorArguments &arguments)
  {
    Runner<Exec> &run = this->runner_;
    if (!p.searched) return kernels_.factor(run.factorization(), run.n, arguments);
    kernels_.searched_factor(run.factorization(), run.n, {arguments, search_.begin(p, run.row_of(), threads_)});
  }
  FactoringCount count(const Pattern<Space> &p) const
  {
    FactoringCount c = Base::count(p);
    c.searched = p.searched;
    c.lists_deferred = p.lists_deferred;
    if (p.searched) c.products = double(search_.found()); // known after a factorization
    c.blocks = search_.bytes();
    return c;
  }

private:
  FactorKernels<Exec> kernels_{};
  ProductSearch<Space> search_;
  int threads_ = 1;       // host threads that factor
  bool factored_ = false; // at least once
};

} // namespace finegrain
