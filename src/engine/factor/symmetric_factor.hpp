// SPDX-License-Identifier: BSD-2-Clause
// Factorization and sweeps of fgbicc's factor (FactorKind::icc): DILU of a symmetric matrix. It stores no upper
// blocks and reads the upper triangle of the matrix. Oracle: DILU in tests/engine/oracle.hpp.
#pragma once

#include "factor/factoring.hpp"
#include "factor/symmetric.hpp"
#include "factor/working_sweeps.hpp"

namespace finegrain
{

template <class Exec> class SymmetricFactoring final : public Factoring<Exec>
{
public:
  using Base = Factoring<Exec>;
  using Base::Base, Base::runner_, Base::factor_;
  using typename Base::Blocks, typename Base::Space;

  bool fits(int n) const override
  {
    return !works_in_teams<Exec> || fits_team<SymmetricFactorRow<0, Scalar, Scalar>>(n);
  }
  SetupError make_pattern(const OperatorView &view, const EngineOptions &, const Elimination &e, const Plan &plan,
                          const Storage &factor_storage, FactorKind &kind) override
  {
    FactorKind dilu = FactorKind::dilu;
    auto p = split_pattern(e.selection, e.ordering, plan.row_of, plan.y, dilu);
    if (!fold_upper(p)) return {SetupError::unsymmetric};
    if (view.stored.extent(0)) renumber(view.stored, p);
    kernels_ = find_factor_kernels<Exec>(view.block, factor_storage);
    factor_.pattern = copy_to<Space>(p);
    kind = FactorKind::icc;
    return {};
  }
  void factor(const Values &values, const Blocks &to, const Index *row_of) override
  {
    const Pattern<Space> &p = factor_.pattern;
    kernels_.symmetric_factor(runner_.sweep(runner_.forward), runner_.n,
                              SymmetricFactorArguments{.lower_ptr = p.lower.ptr.data(),
                                                       .upper_source = p.lower.source.data(),
                                                       .diagonal_source = p.diagonal.data(),
                                                       .pivot = p.to_diagonal.right.data(),
                                                       .row_of = row_of,
                                                       .last_position = Index(p.lower.ptr.extent(0)) - 2,
                                                       .source = values.owned,
                                                       .diagonal_shift = values.diagonal_shift,
                                                       .shift = runner_.shift,
                                                       .lower = to.lower.data(),
                                                       .diagonal = to.diagonal.data(),
                                                       .difference = runner_.residuals.difference.data(),
                                                       .pivot_report = runner_.pivot_report.data()});
  }

private:
  // Replaces entries of the operator by indices into its MatrixValues, which contains the upper triangle only.
  static void renumber(const HostArray<Index> &stored, Pattern<Kokkos::HostSpace> &p)
  {
    for (const auto &list : {p.lower.source, p.diagonal})
      for (std::size_t e = 0; e < list.extent(0); ++e) list(e) = list(e) < 0 ? ~stored(~list(e)) : stored(list(e));
  }

  FactorKernels<Exec> kernels_{};
};

template <class Exec> class SymmetricSweeps final : public WorkingSweeps<Exec>
{
public:
  using Base = WorkingSweeps<Exec>;
  using Base::Base, Base::runner_, Base::factor_, Base::kernels_;

  std::size_t block_bytes() const override { return 2 * factor_.bytes(); } // both sweeps read all blocks

protected:
  bool is_symmetric() const override { return true; }
  bool keeps_difference() const override { return factor_.storage == Storage(); }
  void sweep_backward(const Scalar *y, Scalar *x, Scalar *total, std::optional<Vectors> vectors, bool by_row) override
  {
    const auto &p = factor_.pattern;
    const SymmetricBackwardArguments a{.ptr = p.upper.ptr.data(),
                                       .entry = p.upper.source.data(),
                                       .col = p.upper.col.data(),
                                       .row_of = runner_.row_of(),
                                       .y_by_row = by_row || factor_.y_by_row(),
                                       .last_position = runner_.rows - 1,
                                       .lower = factor_.lower.data(),
                                       .diagonal = factor_.diagonal.data(),
                                       .y = y,
                                       .x = x,
                                       .total = total,
                                       .vectors = vectors.value_or(Vectors())};
    (vectors ? kernels_.many_symmetric_backward : kernels_.symmetric_backward)(runner_.sweep(runner_.backward),
                                                                               runner_.n, a);
  }
};

} // namespace finegrain
