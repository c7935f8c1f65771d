// SPDX-License-Identifier: BSD-2-Clause
// Engine for callers whose arrays may be on the host, around an engine that works in another memory space: it copies
// them there and back. The tests run it with Space = HostSpace; docs/topics/gpu.md lists what ran on a GPU.
#pragma once

#include "staged_halo.hpp"
#include "engine.hpp"
#include "base/copies.hpp"

#include <algorithm>
#include <bit>

namespace finegrain
{

template <class Space> class Staged final : public Engine, private SplitForm
{
public:
  Staged(Backend backend, Method method) : backend_(backend), engine_(make_engine(backend, method)) {}
  using Engine::factor;

  SetupError analyze(const OperatorView &view, const EngineOptions &requested) override
  {
    EngineOptions options = requested;
    options.backend = backend_;
    const SetupError error = engine_->analyze(view, options);
    if (error) return error;
    block_ = view.block;
    scalars_ = std::size_t(view.owned.rows) * std::size_t(block_);
    owned_ = {view.blocks(), {}, {}, {}, false};
    coupling_ = {std::size_t(view.coupling.entries()), {}, {}, {}, false};
    sent_ = corrects_ = false;
    ghosts_ = std::size_t(view.ghosts) * std::size_t(block_);
    return error;
  }

  void set_halo(Halo *halo) override { engine_->set_halo(halo_.set(halo, scalars_, ghosts_)); }
  bool set_queue(const Queue &queue) override { return engine_->set_queue(queue); }
  Scalar *scratch(Memory memory) override
  {
    return memory == Memory::engine ? engine_->scratch(memory) : make_room(scratch_, scalars_);
  }

  Real find_largest(const Values &values) override
  {
    const Values here = send(values, false);
    sent_ = true;
    return engine_->find_largest(here);
  }

  FactorReport factor(const Values &values, Real largest) override
  {
    const bool staged = values.memory == Memory::host;
    Values here = sent_ && staged ? this->sent() : send(values, false);
    here.diagonal_shift = values.diagonal_shift;
    sent_ = false;
    owned_.current = staged;
    coupling_.current = staged && values.coupling.values; // couplings are optional
    return engine_->factor(here, largest);
  }

  void reserve(const Application &a) override
  {
    Application here = a;
    if (a.memory == Memory::host) here.stride = Offset(scalars_);
    engine_->reserve(here);
    if (a.memory == Memory::engine) return;
    if (a.vectors > 1 || a.transposed)
      for (Vector *v : {&many_b_, &many_x_}) make_room(*v, std::size_t(a.vectors) * scalars_);
    for (Vector *v : {&b_, &x_}) make_room(*v, scalars_);
    if (!corrects_) return;
    for (Vector *v : {&last_, &step_, &total_}) make_room(*v, scalars_);
    make_room(residual_, scalars_);
  }

  void apply(const Application &a) override
  {
    if (a.memory == Memory::engine) return engine_->apply(a);
    Application here = a;
    here.memory = Memory::engine;
    if (a.vectors > 1 || a.transposed) return apply_to_columns(a, here);
    here.b = send(b_, a.b);
    here.x = a.from_x ? send(x_, a.x) : make_room(x_, scalars_);
    here.total = a.total ? send(total_, a.total) : nullptr;
    engine_->apply(here);
    fetch(a.x, x_);
    if (a.total) fetch(a.total, total_);
  }

  void allow_corrections(const OperatorView &view) override
  {
    engine_->allow_corrections(view);
    corrects_ = true;
  }

  void correct(const Correction &c) override
  {
    Correction here = c;
    here.values = send(c.values, c.values.short_residual);
    if (c.memory == Memory::engine) return engine_->correct(here);
    here.memory = Memory::engine;
    here.b = send(b_, c.b);
    here.x = send(x_, c.x);
    if (c.last) here.last = c.last == c.x ? here.x : send(c.last == c.step ? step_ : last_, c.last);
    if (c.total) here.total = c.total == c.x ? x_.data() : send(total_, c.total);
    here.step = make_room(step_, scalars_);
    engine_->correct(here);
    fetch(c.step, step_);
    if (c.total) fetch(c.total, c.total == c.x ? x_ : total_);
  }

  SplitForm *split_form() override { return engine_->split_form() ? this : nullptr; }
  void allow_products(const OperatorView &view) override { engine_->split_form()->allow_products(view); }
  void apply_split(const SplitApplication &a) override
  {
    if (a.memory == Memory::engine) return engine_->split_form()->apply_split(a);
    SplitApplication here = a;
    here.memory = Memory::engine;
    here.b = send(b_, a.b);
    here.x = make_room(x_, scalars_);
    engine_->split_form()->apply_split(here);
    fetch(a.x, x_);
  }
  bool prepare(const Values &values, bool symmetric) override
  {
    return engine_->split_form()->prepare(send(values, true), symmetric);
  }
  void multiply(const EisenstatProduct &a) override
  {
    EisenstatProduct here = a;
    here.values = send(a.values, true);
    if (a.memory == Memory::engine) return engine_->split_form()->multiply(here);
    here.memory = Memory::engine;
    here.v = send(b_, a.v);
    here.u = make_room(x_, scalars_);
    engine_->split_form()->multiply(here);
    fetch(a.u, x_);
  }

  const Scalar *find_residual(const Values &values, const Scalar *b, const Scalar *x, Memory memory) override
  {
    const Values here = send(values, false);
    if (memory == Memory::engine) return engine_->find_residual(here, b, x, memory);
    const Scalar *rhs = send(b_, b), *from = send(x_, x);
    const Scalar *r = engine_->find_residual(here, rhs, from, Memory::engine);
    copy_down<Space>(make_room(residual_, scalars_), r, scalars_);
    return residual_.data();
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

  // Values of the owned square, or of its couplings to ghosts.
  struct CopiedValues {
    std::size_t entries = 0;
    Vector values;
    Array<Offset, Space> base;
    Array<std::uint32_t, Space> mask;
    bool current = false; // the values of the last factor()

    MatrixValues source() const { return {values.data(), base.data(), mask.data()}; }
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

  // `factored`: the values are those of the last factor(), and are sent only if they are not there yet.
  void send(CopiedValues &to, const MatrixValues &from, bool factored)
  {
    if (to.entries == 0 || !from.values || (factored && to.current)) return;
    to.current = factored;
    const std::size_t pieces = to.entries * std::size_t(block_);
    std::size_t size = pieces * std::size_t(block_);
    if (from.base) { // scalar rows with gaps: finds the end of their values
      size = 0;
      for (std::size_t p = 0; p < pieces; ++p)
        size = std::max(size, std::size_t(from.base[p]) + std::size_t(std::popcount(from.mask[p])));
      make_room(to.base, pieces);
      make_room(to.mask, pieces);
      copy_up<Space>(to.base.data(), from.base, pieces);
      copy_up<Space>(to.mask.data(), from.mask, pieces);
    } else {
      to.base = {};
      to.mask = {};
    }
    make_room(to.values, size);
    upload_(to.values.data(), from.values, size);
  }

  void apply_to_columns(const Application &a, Application here)
  {
    const std::size_t count = std::size_t(a.vectors);
    here.stride = Offset(scalars_);
    here.b = make_room(many_b_, count * scalars_);
    here.x = make_room(many_x_, count * scalars_);
    for (std::size_t c = 0; c < count; ++c)
      copy_up<Space>(many_b_.data() + c * scalars_, a.b + Offset(c) * a.stride, scalars_);
    engine_->apply(here);
    for (std::size_t c = 0; c < count; ++c)
      copy_down<Space>(a.x + Offset(c) * a.stride, many_x_.data() + c * scalars_, scalars_);
  }

  Values sent() const { return {owned_.source(), coupling_.source(), false, Memory::engine}; }
  // Returns the values in memory that the engine can read.
  Values send(const Values &values, bool factored)
  {
    if (values.memory == Memory::engine) return values;
    send(owned_, values.owned, factored);
    send(coupling_, values.coupling, factored);
    Values here = sent();
    here.short_residual = values.short_residual;
    return here;
  }

  Backend backend_;
  std::unique_ptr<Engine> engine_;
  int block_ = 1;
  std::size_t scalars_ = 0, ghosts_ = 0;
  CopiedValues owned_, coupling_;
  Upload<Space> upload_; // copies values
  bool corrects_ = false;
  bool sent_ = false; // set by find_largest(), for the next factor()
  Vector b_, x_, last_, step_, total_, many_b_, many_x_;
  HostArray<Scalar> residual_, scratch_;
  StagedHalo<Space> halo_;
};

// Creates an engine for host arrays on any back end. Requires start_kokkos(), and has_device() for a device.
inline std::unique_ptr<Engine> make_engine_for_host_arrays(Backend backend, Method method)
{
  if constexpr (builds_device) {
    if (backend == Backend::device) return std::make_unique<Staged<DeviceExec::memory_space>>(backend, method);
  }
  return make_engine(backend, method);
}

} // namespace finegrain
