// SPDX-License-Identifier: BSD-2-Clause
// Sweeps of a factor with Eisenstat's trick (EngineOptions::eisenstat): those of a factor in working precision, and
// products with P_L^-1 A P_R^-1 in both forms.
#pragma once

#include "eisenstat/eisenstat_form.hpp"
#include "factor/working_sweeps.hpp"

namespace finegrain
{

template <class Exec> class EisenstatSweeps final : public WorkingSweeps<Exec>
{
public:
  using Base = WorkingSweeps<Exec>;
  using Base::Base, Base::runner_, Base::factor_;
  using typename Base::Space;

  void begin(const EngineOptions &options, const Plan &plan) override
  {
    Base::begin(options, plan);
    eisenstat_kernels_ = find_eisenstat_kernels<Exec>(runner_.n);
  }
  void keep_report(const FactorReport &report) override
  {
    Base::keep_report(report);
    for (auto &form : forms_) form.forget();
  }
  void allow_corrections(const OperatorView &view, const Selection &selection) override
  {
    corrects_ = true;
    Base::allow_corrections(view, selection);
  }
  void keep_ignored(const OperatorView &view, const Selection &selection)
  {
    Base::allow_corrections(view, selection);
  }
  void allow_products(const OperatorView &view, const Selection &selection)
  {
    find_coupled(selection.ignored, view.coupling);
  }
  void apply_split(const SplitApplication &a) override
  {
    if (a.transposed || (!a.symmetric && a.split != Split::right)) Base::apply_split(a);
    else forms_[std::size_t(a.symmetric)].apply_split(as_factor(), a.split, a.b, a.x);
  }
  bool prepare(const Values &values, bool symmetric)
  {
    return forms_[std::size_t(symmetric)].prepare(as_factor(values), symmetric);
  }
  void multiply(const EisenstatProduct &a) { forms_[std::size_t(a.symmetric)].multiply(as_factor(), a); }

  std::size_t difference_bytes() const override { return forms_[0].bytes() + forms_[1].bytes(); }

protected:
  // Products do not read the difference.
  bool keeps_difference() const override { return corrects_ && Base::keeps_difference(); }

private:
  void find_coupled(const Graph &ignored, const Graph &coupling)
  {
    const auto row_of = copy_to<Kokkos::HostSpace>(factor_.pattern.row_of);
    const auto row_at = [&](Index sweep_index) { return row_of.extent(0) ? row_of(sweep_index) : sweep_index; };
    const auto has = [&](const Graph &g, Index row) { return g.entries() > 0 && g.ptr(row + 1) > g.ptr(row); };
    std::vector<Index> sweep_indices;
    for (Index sweep_index = 0; sweep_index < runner_.rows; ++sweep_index)
      if (has(ignored, row_at(sweep_index)) || has(coupling, row_at(sweep_index)))
        sweep_indices.push_back(sweep_index);
    coupled_ = split_places<Space>(std::move(sweep_indices), coupling, row_at);
  }
  struct OneRankSweeps {
    Runner<Exec> &run;

    template <class Body> void forward(Scalar *, const Body &body) const { body(run.sweep(run.forward)); }
    template <class Body> void backward(Scalar *, const Body &body) const { body(run.sweep(run.backward)); }
    const Scalar *with_others(const Scalar *b, Scalar *) const { return b; }
  };
  EisenstatFactor<Exec, OneRankSweeps> as_factor(const Values &values = {})
  {
    this->y_known_ = false;
    return {.run = runner_,
            .sweeps = {runner_},
            .pattern = factor_.pattern,
            .kernels = eisenstat_kernels_,
            .backward_kernel = this->kernels_.backward,
            .upper = static_cast<const Scalar *>(factor_.upper.data()),
            .diagonal = static_cast<const Scalar *>(factor_.diagonal.data()),
            .source = values.owned,
            .row_of = runner_.row_of(),
            .rows = runner_.rows,
            .own = runner_.every_row,
            .forward = this->forward_lines(),
            .backward = this->backward_lines(),
            .coupled = &coupled_,
            .t = this->y_.data(),
            .y = runner_.residuals.y.data(),
            .y_by_row = runner_.y_by_row()};
  }

  EisenstatKernels<Exec> eisenstat_kernels_{};
  SplitRows<Space> coupled_;                 // rows with ignored blocks
  std::array<EisenstatForm<Exec>, 2> forms_; // general, symmetric
  bool corrects_ = false;
};

} // namespace finegrain
