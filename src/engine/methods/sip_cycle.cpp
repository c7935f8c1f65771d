// The engine of sip: several factors of one matrix (numerics.md 4), each a factorization. An Application or
// Correction says which one it takes.
#include "methods/engine.hpp"

namespace finegrain
{

namespace
{

// Residuals are the first member's to find: all of them read the same matrix.
class Family final : public Engine
{
public:
  explicit Family(Backend backend) : backend_(backend) {}

  Refusal analyze(const OperatorView &view, const Recipe &recipe) override
  {
    members_.clear();
    if (recipe.family.empty()) return {Refusal::conflict, -1, "there is no alpha; give one or more"};
    for (const SipMember &member : recipe.family) {
      Recipe one = recipe;
      one.method = Method::factorization;
      one.factor = FactorKind::sip;
      one.stone = member;
      auto e = make_factorization(backend_);
      if (const Refusal refusal = e->analyze(view, one)) return refusal;
      members_.push_back(std::move(e));
    }
    return {};
  }
  void set_halo(Halo *halo) override { first().set_halo(halo); }
  Real find_largest(const Values &) override { return -1; }
  FactorReport factor(const Values &values, Real largest) override
  {
    FactorReport all;
    for (const auto &m : members_) {
      const FactorReport one = m->factor(values, largest);
      if (one.bad_row >= 0 && (all.bad_row < 0 || one.bad_row < all.bad_row)) all.bad_row = one.bad_row;
      all.shifted += one.shifted;
    }
    return all;
  }

  Scalar *scratch(Place place) override { return first().scratch(place); }
  void apply(const Application &a) override { members_[std::size_t(a.factor)]->apply(a); }
  void allow_corrections(const OperatorView &view) override { first().allow_corrections(view); }
  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Place place) override
  {
    return first().find_residual(values, b, x, place);
  }

  Statistics statistics() const override
  {
    Statistics all = members_.front()->statistics();
    for (std::size_t m = 1; m < members_.size(); ++m) {
      const Statistics s = members_[m]->statistics();
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
  Engine &first() const { return *members_.front(); }

  Backend backend_;
  std::vector<std::unique_ptr<Engine>> members_;
};

} // namespace

std::unique_ptr<Engine> make_family(Backend backend) { return std::make_unique<Family>(backend); }

} // namespace finegrain
