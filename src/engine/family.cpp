// Several of Stone's factors of one matrix (numerics.md 4).
#include "engine_base.hpp"

namespace finegrain
{

namespace
{

// An application takes the first member, each correction after it the next. Residuals are the first member's to find:
// all of them read the same matrix.
class Family final : public Engine
{
public:
  explicit Family(Backend backend) : backend_(backend) {}

  Refusal analyse(const OperatorView &view, const Recipe &recipe) override
  {
    members_.clear();
    turn_ = 0;
    if (recipe.family.empty()) return {Refusal::conflict, -1, "there is no alpha; give one or more"};
    for (const StoneMember &member : recipe.family) {
      Recipe one = recipe;
      one.method = Method::factorization;
      one.factor = FactorKind::stone;
      one.stone  = member;
      auto e     = make_factorization(backend_);
      if (const Refusal refusal = e->analyse(view, one)) return refusal;
      members_.push_back(std::move(e));
    }
    return {};
  }
  void         set_halo(Halo *halo) override { first().set_halo(halo); }
  Real         find_largest(const Values &) override { return -1; }
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

  void apply(const Scalar *b, Scalar *x) override
  {
    turn_ = 0;
    take_turn().apply(b, x);
  }
  void proceed(const Scalar *, Scalar *) override {} // relaxations only
  void allow_corrections(const OperatorView &view) override { first().allow_corrections(view); }
  void correct(const Values &values, const Scalar *b, const Scalar *x, const Scalar *, Scalar *step,
               Scalar *total) override
  {
    apply_added(find_residual(values, b, x), step, total);
  }
  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x) override
  {
    return first().find_residual(values, b, x);
  }
  void apply_added(const Scalar *r, Scalar *step, Scalar *total) override { take_turn().apply_added(r, step, total); }
  bool has_short_residual() const override { return false; }

  // Of the first member: a cycle of several is made of corrections.
  void apply_many(int vectors, Offset stride, const Scalar *b, Scalar *x) override
  {
    first().apply_many(vectors, stride, b, x);
  }
  void apply_transposed(int vectors, Offset stride, const Scalar *b, Scalar *x) override
  {
    first().apply_transposed(vectors, stride, b, x);
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
  Engine &take_turn()
  {
    Engine &m = *members_[turn_];
    turn_     = (turn_ + 1) % members_.size();
    return m;
  }

  Backend                              backend_;
  std::vector<std::unique_ptr<Engine>> members_;
  std::size_t                          turn_ = 0;
};

} // namespace

std::unique_ptr<Engine> make_family(Backend backend) { return std::make_unique<Family>(backend); }

} // namespace finegrain
