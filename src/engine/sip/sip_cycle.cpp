// SPDX-License-Identifier: BSD-2-Clause
// The engine of sip: several factors of one matrix (numerics.md 4), each with an engine of its own. An Application
// or Correction selects the factor.
#include "engine.hpp"

namespace finegrain
{

namespace
{

// The first factor's engine computes all residuals, because they depend on the matrix only.
class SipCycle final : public Engine, private RowSharing
{
public:
  explicit SipCycle(Backend backend) : backend_(backend) {}

  SetupError analyze(const OperatorView &view, const EngineOptions &options) override
  {
    factors_.clear();
    if (options.sip_factors.empty()) return {SetupError::conflict, -1, "@_alpha has no number; give one or more"};
    for (const SipFactor &factor : options.sip_factors) {
      EngineOptions one = options;
      one.method = options.pipelined ? Method::shared : Method::factorization;
      one.factor = FactorKind::sip;
      one.sip_factor = factor;
      auto e = options.pipelined ? make_shared_factorization(backend_) : make_factorization(backend_);
      if (const SetupError error = e->analyze(view, one)) return error;
      factors_.push_back(std::move(e));
    }
    return {};
  }
  void set_halo(Halo *halo) override { first().set_halo(halo); }
  bool set_queue(const Queue &queue) override
  {
    const bool queued = first().set_queue(queue); // it has the halo
    for (const auto &m : factors_)
      if (m != factors_.front()) m->set_queue(queued ? queue : Queue());
    return queued;
  }
  RowSharing *sharing() override { return first().sharing() ? this : nullptr; }
  Real find_largest(const Values &) override { return -1; }
  FactorReport factor(const Values &values, Real largest) override
  {
    FactorReport all;
    for (const auto &m : factors_) {
      const FactorReport one = m->factor(values, largest);
      if (one.bad_row >= 0 && (all.bad_row < 0 || one.bad_row < all.bad_row)) {
        all.bad_row = one.bad_row;
        all.bad_is_finite = one.bad_is_finite;
      }
      all.shifted += one.shifted;
      all.flushed += one.flushed;
      if (one.bad_coupling >= 0 && (all.bad_coupling < 0 || one.bad_coupling < all.bad_coupling))
        all.bad_coupling = one.bad_coupling;
    }
    return all;
  }

  Scalar *scratch(Memory memory) override { return first().scratch(memory); }
  void reserve(const Application &a) override
  {
    for (const auto &m : factors_) m->reserve(a);
  }
  void apply(const Application &a) override { factors_[std::size_t(a.factor)]->apply(a); }
  void allow_corrections(const OperatorView &view) override { first().allow_corrections(view); }
  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Memory memory) override
  {
    return first().find_residual(values, b, x, memory);
  }

  Statistics statistics() const override
  {
    Statistics all = factors_.front()->statistics();
    for (std::size_t m = 1; m < factors_.size(); ++m) {
      const Statistics s = factors_[m]->statistics();
      all.factor_bytes += s.factor_bytes;
      all.index_bytes += s.index_bytes;
      all.work_bytes += s.work_bytes;
      all.factor_flops += s.factor_flops;
      all.bytes_read += s.bytes_read;
      all.launches += s.launches;
    }
    return all;
  }

private:
  // All factors have the same storage.
  SharedStorage shared_storage() const override { return first().sharing()->shared_storage(); }
  void set_shared_halo(SharedHalo *halo) override
  {
    for (const auto &m : factors_) m->sharing()->set_shared_halo(halo);
  }
  Engine &first() const { return *factors_.front(); }

  Backend backend_;
  std::vector<std::unique_ptr<Engine>> factors_;
};

} // namespace

std::unique_ptr<Engine> make_sip_cycle(Backend backend) { return std::make_unique<SipCycle>(backend); }

} // namespace finegrain
