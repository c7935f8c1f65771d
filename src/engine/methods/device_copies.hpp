// An engine for callers whose arrays may lie on the host, around one that works in another memory space: there they
// are copied there and back. It runs in the tests with Space = HostSpace and is compiled for CUDA; nobody has run it
// on a GPU yet.
#pragma once

#include "methods/engine.hpp"
#include "base/copies.hpp"

#include <algorithm>
#include <bit>

namespace finegrain
{

template <class Space> class Staged final : public Engine, private Halo
{
public:
  Staged(Backend backend, Method method) : backend_(backend), engine_(make_engine(backend, method)) {}
  using Engine::factor;

  Refusal analyze(const OperatorView &view, const Recipe &asked) override
  {
    Recipe recipe = asked;
    recipe.backend = backend_;
    const Refusal refusal = engine_->analyze(view, recipe);
    if (refusal) return refusal;
    block_ = view.block;
    scalars_ = std::size_t(view.owned.rows) * std::size_t(block_);
    owned_ = {std::size_t(view.owned.entries()), {}, {}, {}, false};
    coupling_ = {std::size_t(view.coupling.entries()), {}, {}, {}, false};
    sent_ = false;
    halo_ = nullptr;
    ghosts_host_ = make_array<Scalar>("finegrain::ghosts", std::size_t(view.ghosts) * std::size_t(block_));
    return refusal;
  }

  void set_halo(Halo *halo) override
  {
    halo_ = halo;
    engine_->set_halo(!halo || halo->takes_device_arrays() ? halo : this);
  }
  void set_place(Place place) override { there_ = place == Place::engine; }
  Scalar *scratch() override { return there_ ? engine_->scratch() : make_room(scratch_, scalars_); }

  Real find_largest(const Values &values) override
  {
    const Values here = send(values, false);
    sent_ = true;
    return engine_->find_largest(here);
  }

  FactorReport factor(const Values &values, Real largest) override
  {
    const bool staged = values.place == Place::host;
    const Values here = sent_ && staged ? this->sent() : send(values, false);
    sent_ = false;
    owned_.current = staged;
    coupling_.current = staged && values.coupling.values; // need not be given
    return engine_->factor(here, largest);
  }

  void choose(int factor) override { engine_->choose(factor); }
  void apply(const Scalar *b, Scalar *x) override
  {
    if (there_) return engine_->apply(b, x);
    const Scalar *rhs = send(b_, b);
    engine_->apply(rhs, make_room(x_, scalars_));
    fetch(x, x_);
  }
  void proceed(const Scalar *b, Scalar *x) override
  {
    if (there_) return engine_->proceed(b, x);
    const Scalar *rhs = send(b_, b);
    engine_->proceed(rhs, send(x_, x));
    fetch(x, x_);
  }

  void allow_corrections(const OperatorView &view) override { engine_->allow_corrections(view); }
  bool has_short_residual() const override { return engine_->has_short_residual(); }

  void correct(const Values &values, const Scalar *b, const Scalar *x, const Scalar *last, Scalar *step,
               Scalar *total) override
  {
    const Values here = send(values, values.short_residual);
    if (there_) return engine_->correct(here, b, x, last, step, total);
    const Scalar *rhs = send(b_, b), *from = send(x_, x), *before = nullptr;
    if (last) before = last == x ? from : send(last == step ? step_ : last_, last);
    Scalar *sum = nullptr;
    if (total) sum = total == x ? x_.data() : send(total_, total);
    engine_->correct(here, rhs, from, before, make_room(step_, scalars_), sum);
    fetch(step, step_);
    if (total) fetch(total, total == x ? x_ : total_);
  }

  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x) override
  {
    const Values here = send(values, false);
    if (there_) return engine_->find_residual(here, b, x);
    const Scalar *rhs = send(b_, b), *from = send(x_, x);
    const Scalar *r = engine_->find_residual(here, rhs, from);
    if (residual_.extent(0) < scalars_) residual_ = make_array<Scalar>("finegrain::staged", scalars_);
    copy_down<Space>(residual_.data(), r, scalars_);
    return residual_.data();
  }
  void apply_added(const Scalar *r, Scalar *step, Scalar *total) override
  {
    if (there_) return engine_->apply_added(r, step, total);
    const Scalar *rhs = send(b_, r);
    Scalar *sum = total ? send(total_, total) : nullptr;
    engine_->apply_added(rhs, make_room(step_, scalars_), sum);
    fetch(step, step_);
    if (total) fetch(total, total_);
  }

  void apply_many(int vectors, Offset stride, const Scalar *b, Scalar *x) override
  {
    columns(vectors, stride, b, x,
            [&](Offset s, const Scalar *from, Scalar *to) { engine_->apply_many(vectors, s, from, to); });
  }
  void apply_transposed(int vectors, Offset stride, const Scalar *b, Scalar *x) override
  {
    columns(vectors, stride, b, x,
            [&](Offset s, const Scalar *from, Scalar *to) { engine_->apply_transposed(vectors, s, from, to); });
  }

  Statistics statistics() const override
  {
    Statistics s = engine_->statistics();
    s.staged_bytes = owned_.bytes() + coupling_.bytes();
    for (const Vector *v : {&b_, &x_, &last_, &step_, &total_, &many_b_, &many_x_})
      s.staged_bytes += v->span() * sizeof(Scalar);
    return s;
  }

private:
  using Vector = Array<Scalar, Space>;

  // Values of a part of the operator.
  struct Part {
    std::size_t entries = 0;
    Vector values;
    Array<Offset, Space> base;
    Array<std::uint32_t, Space> mask;
    bool current = false; // as they were at the last factor()

    Source source() const { return {values.data(), base.data(), mask.data()}; }
    std::size_t bytes() const
    {
      return values.span() * sizeof(Scalar) + base.span() * sizeof(Offset) + mask.span() * sizeof(std::uint32_t);
    }
  };

  Scalar *send(Vector &to, const Scalar *from)
  {
    make_room(to, scalars_);
    copy_up<Space>(to.data(), from, scalars_);
    return to.data();
  }
  void fetch(Scalar *to, const Vector &from) { copy_down<Space>(to, from.data(), scalars_); }

  // `factored`: the values are those of the last factor(), and need not be sent if they are there.
  void send(Part &part, const Source &from, bool factored)
  {
    if (part.entries == 0 || !from.values || (factored && part.current)) return;
    part.current = factored;
    const std::size_t pieces = part.entries * std::size_t(block_);
    std::size_t size = pieces * std::size_t(block_);
    if (from.base) { // scalar rows with holes: their values end somewhere
      size = 0;
      for (std::size_t p = 0; p < pieces; ++p)
        size = std::max(size, std::size_t(from.base[p]) + std::size_t(std::popcount(from.mask[p])));
      make_room(part.base, pieces);
      make_room(part.mask, pieces);
      copy_up<Space>(part.base.data(), from.base, pieces);
      copy_up<Space>(part.mask.data(), from.mask, pieces);
    } else {
      part.base = {};
      part.mask = {};
    }
    make_room(part.values, size);
    copy_up<Space>(part.values.data(), from.values, size);
  }

  template <class Body> void columns(int vectors, Offset stride, const Scalar *b, Scalar *x, Body body)
  {
    if (there_) return body(stride, b, x);
    const std::size_t count = std::size_t(vectors);
    make_room(many_b_, count * scalars_);
    make_room(many_x_, count * scalars_);
    for (std::size_t c = 0; c < count; ++c)
      copy_up<Space>(many_b_.data() + c * scalars_, b + Offset(c) * stride, scalars_);
    body(Offset(scalars_), many_b_.data(), many_x_.data());
    for (std::size_t c = 0; c < count; ++c)
      copy_down<Space>(x + Offset(c) * stride, many_x_.data() + c * scalars_, scalars_);
  }

  Values sent() const { return {owned_.source(), coupling_.source(), false, Place::engine}; }
  // The values where the engine can read them.
  Values send(const Values &values, bool factored)
  {
    if (values.place == Place::engine) return values;
    send(owned_, values.owned, factored);
    send(coupling_, values.coupling, factored);
    Values here = sent();
    here.short_residual = values.short_residual;
    return here;
  }

  // The halo of the engine inside: the caller's, between copies.
  void begin(Index color, const Scalar *x, Scalar *ghosts) override
  {
    copy_down<Space>(on_host(), x, scalars_);
    if (color != all) copy_down<Space>(ghosts_host_.data(), ghosts, ghosts_host_.extent(0)); // the others stay
    halo_->begin(color, x_host_.data(), ghosts_host_.data());
  }
  void end(Index color, const Scalar *, Scalar *ghosts) override
  {
    halo_->end(color, x_host_.data(), ghosts_host_.data());
    const std::size_t size = ghosts_host_.extent(0);
    if (size) Kokkos::deep_copy(Unmanaged<Scalar, Space>(ghosts, size), ghosts_host_);
  }
  void add(Index color, const Scalar *ghosts, Scalar *x) override
  {
    copy_down<Space>(on_host(), x, scalars_);
    copy_down<Space>(ghosts_host_.data(), ghosts, ghosts_host_.extent(0));
    halo_->add(color, ghosts_host_.data(), x_host_.data());
    copy_up<Space>(x, x_host_.data(), scalars_);
  }
  Scalar *on_host()
  {
    if (x_host_.extent(0) < scalars_) x_host_ = make_array<Scalar>("finegrain::staged", scalars_);
    return x_host_.data();
  }
  void residual(bool interior, bool starts) override { halo_->residual(interior, starts); }

  Backend backend_;
  std::unique_ptr<Engine> engine_;
  int block_ = 1;
  std::size_t scalars_ = 0;
  Part owned_, coupling_;
  bool sent_ = false;  // by find_largest(), for the factor() that follows
  bool there_ = false; // callers' vectors
  Vector b_, x_, last_, step_, total_, many_b_, many_x_;
  HostArray<Scalar> residual_, scratch_;
  Halo *halo_ = nullptr; // the caller's
  HostArray<Scalar> x_host_, ghosts_host_;
};

// An engine for arrays on the host, wherever it works. After start_kokkos(); a device needs has_device().
inline std::unique_ptr<Engine> make_engine_for_host_arrays(Backend backend, Method method)
{
  if constexpr (builds_device) {
    if (backend == Backend::device) return std::make_unique<Staged<DeviceExec::memory_space>>(backend, method);
  }
  return make_engine(backend, method);
}

} // namespace finegrain
