// SPDX-License-Identifier: BSD-2-Clause
// Factorization of one of Stone's factors (FactorKind::sip, numerics.md 4). Its sweeps are those of any factor.
// Oracle: tests/engine/sip_oracle.hpp.
#pragma once

#include "factor/factoring.hpp"
#include "sip/sip.hpp"
#include "sip/sip_kernels.hpp"

namespace finegrain
{

template <class Exec, class Space = typename Exec::memory_space>
SipArguments sip_arguments(const Pattern<Space> &p, const Star<Space> &star, Real alpha,
                           const StoredBlocks<Space> &to, ResidualRunner<Exec> &run, const MatrixValues &source,
                           const Index *row_of)
{
  return {.star = star.list(),
          .lower_source = p.lower.source.data(),
          .diagonal_source = p.diagonal.data(),
          .upper_source = p.upper.source.data(),
          .row_of = row_of,
          .alpha = alpha,
          .source = source,
          .shift = run.shift,
          .lower = to.lower.data(),
          .upper = to.upper.data(),
          .diagonal = to.diagonal.data(),
          .pivot_report = run.pivot_report.data()};
}

template <class Exec> class SipFactoring final : public Factoring<Exec>
{
public:
  using Base = Factoring<Exec>;
  using Base::Base, Base::runner_, Base::factor_;
  using typename Base::Blocks, typename Base::Space;

  bool fits(int n) const override { return !works_in_teams<Exec> || fits_team<SipRow<0, Scalar, Scalar>>(n); }
  SetupError eliminate(const Graph &owned, const EngineOptions &options, Elimination &e) const override
  {
    return eliminate_star(owned, options, e);
  }
  SetupError make_pattern(const OperatorView &view, const EngineOptions &options, const Elimination &e,
                          const Plan &plan, const Storage &factor_storage, FactorKind &kind) override
  {
    const auto p = split_pattern(e.selection, e.ordering, plan.row_of, plan.y, kind);
    kernel_ = find_sip_kernel<Exec>(view.block, factor_storage);
    alpha_ = options.sip_factor.alpha;
    star_ = copy_to<Space>(find_star(p, options.grid));
    factor_.pattern = copy_to<Space>(p);
    return {};
  }
  void factor(const Values &values, const Blocks &to, const Index *row_of) override
  {
    kernel_(runner_.sweep(runner_.forward), runner_.n,
            sip_arguments(factor_.pattern, star_, alpha_, to, runner_, values.owned, row_of));
  }
  FactoringCount count() const override
  {
    FactoringCount c = Base::count();
    c.indices = star_.bytes();
    return c;
  }

private:
  SipKernel<Exec> kernel_ = nullptr;
  Star<Space> star_;
  Real alpha_ = 0;
};

} // namespace finegrain
