// SPDX-License-Identifier: BSD-2-Clause
// The engine of mcpi: sweeps over colors (numerics.md 2). In: a graph, options, values. It exchanges ghosts and runs
// the row functions of relax.hpp on the data of stored_relaxation.hpp.
#include "relax/stored_relaxation.hpp"

namespace finegrain
{

namespace
{

// Bodies of loops over the scalars of a vector. Outside of the class, for nvcc.
struct AddTo {
  Scalar *total;
  const Scalar *step;
  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { total[i] += step[i]; }
};
struct RoundToSingle {
  const Scalar *from;
  Single *to;
  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { to[i] = convert<Single>(from[i]); }
};

template <class Exec> class RelaxationOn final : public StoredRelaxation<Exec>
{
  using Base = StoredRelaxation<Exec>;
  using Base::runner_, Base::options_, Base::kernels_, Base::any_size_, Base::rows_of_, Base::transposed_,
    Base::stored_, Base::diagonal_, Base::unscale_all_, Base::ghosts_, Base::rhs_, Base::copies_, Base::copy_,
    Base::ghost_copy_, Base::ghost_cut_, Base::arguments, Base::in_place, Base::fetches, Base::direction,
    Base::count_read, Base::ghost_count;
  using typename Base::Space;

public:
  void reserve(const Application &a) override
  {
    if (a.transposed) find_transposed();
  }
  void apply(const Application &a) override
  {
    if (a.transposed) return apply_transposed(a);
    if (a.vectors > 1) return apply_to_several(a);
    relax(a.b, a.x, !a.from_x);
    if (!a.total) return;
    runner_.for_each(Offset(runner_.scalars()), AddTo{a.total, a.x});
    runner_.finish();
  }

private:
  void apply_to_several(const Application &application)
  {
    const auto [b, x, stride, vectors] =
      std::tuple(application.b, application.x, application.stride, application.vectors);
    if (fetches()) { // the halo has one vector at a time
      for (int v = 0; v < vectors; ++v) relax(b + v * stride, x + v * stride, true);
      return;
    }
    for (int first = 0; first < vectors; first += most_vectors) {
      RelaxArguments a = arguments(b + first * stride, x + first * stride);
      a.vectors = {std::min(most_vectors, vectors - first), stride};
      a.from_zero = begin_from_zero(a.x, a.vectors);
      for_sweeps([&](bool backward, bool) {
        a.rows.backward = backward;
        kernels_.many_relax(runner_.sweep(direction(backward)), runner_.n, a);
        count_read(a.from_zero);
        a.from_zero = false;
      });
    }
    runner_.finish();
  }

  void find_transposed() // computed at first use
  {
    if (!transposed_.ptr.extent(0)) {
      const auto rows = copy_to<Kokkos::HostSpace>(rows_of_);
      const auto t = transpose_couplings(rows, ghost_count());
      for (Index e = 0; in_place() && e < rows.entries(); ++e) t.entry(e) = rows.source(t.entry(e));
      transposed_ = copy_to<Space>(t);
      runner_.statistics.index_bytes += transposed_.bytes();
    }
    if (fetches() && !rhs_.extent(0)) rhs_ = make_array<Scalar, Space>("finegrain::rhs", runner_.scalars());
  }
  // The transpose of a forward sweep is a backward sweep with the transposed matrix. The order of the sweeps is
  // reversed too, so that the transpose of a symmetric sweep is a symmetric sweep.
  void apply_transposed(const Application &a)
  {
    const auto [b, x, stride, vectors] = std::tuple(a.b, a.x, a.stride, a.vectors);
    find_transposed();
    const int most = fetches() ? 1 : most_vectors; // vectors at once
    for (int first = 0; first < vectors; first += most) {
      const Offset at = first * stride;
      relax_transposed({std::min(most, vectors - first), stride}, b + at, x + at);
    }
    runner_.finish();
  }
  // Returns true if the first sweep skips couplings to zeros; else it sets x to zero. Skipping interrupts the stream
  // of blocks, which costs more than it saves in long rows (docs/tuning.md).
  bool begin_from_zero(Scalar *x, const Vectors &vectors) const
  {
    if (Offset(rows_of_.entries()) < Offset(10) * runner_.rows) return true;
    clear(x, vectors);
    return false;
  }
  void clear(Scalar *x, const Vectors &vectors) const
  {
    for (int v = 0; v < vectors.count; ++v) runner_.fill(x + v * vectors.stride, runner_.scalars(), Scalar(0));
  }
  // Calls sweep(backward, last) for each sweep of an application; last: it is the final one.
  template <class Sweep> void for_sweeps(const Sweep &sweep) const
  {
    for (int left = options_.sweeps - 1; left >= 0; --left) {
      if (options_.sweep != SweepKind::backward) sweep(false, left == 0 && options_.sweep == SweepKind::forward);
      if (options_.sweep != SweepKind::forward) sweep(true, left == 0);
    }
  }

  void relax(const Scalar *b, Scalar *x, bool from_zero)
  {
    const bool by_color = options_.exchange == Exchange::color;
    bool first = from_zero; // the first sweep from zero has nothing to fetch
    RelaxArguments a = arguments(b, x);
    a.from_zero = from_zero && begin_from_zero(x, a.vectors);
    if (copies_) {
      a.y = copy_.data();
      a.ghosts = ghost_copy_.data();
      if (!a.from_zero) round_to(copy_, x);
    }
    if (fetches() && from_zero) clear_ghosts();
    if (fetches() && !from_zero && by_color) fetch(Halo::all, x);
    const auto sweep = [&](bool backward, bool last) {
      a.rows.backward = backward;
      a.x = last || !copies_ || fetches() || options_.omega != Real(1) ? x : nullptr;
      if (fetches() && by_color) sweep_by_color(a);
      else {
        if (fetches() && !first) fetch(Halo::all, x);
        kernels_.relax(runner_.sweep(direction(backward)), runner_.n, a);
      }
      a.from_zero = first = false;
    };
    bool skips = a.from_zero; // the first sweep skips couplings
    for_sweeps([&](bool, bool) { count_read(std::exchange(skips, false)); });
    for_sweeps(sweep);
    runner_.finish();
  }

  void fetch(Index color, const Scalar *x)
  {
    settle(*runner_.halo, runner_);
    runner_.halo->begin(color, x, ghosts_.data());
    end_fetch(color, x);
  }
  void end_fetch(Index color, const Scalar *x)
  {
    runner_.halo->end(color, x, ghosts_.data());
    if (copies_) round_to(ghost_copy_, ghosts_.data());
  }
  void clear_ghosts()
  {
    runner_.fill(ghosts_.data(), ghosts_.extent(0), Scalar(0));
    if (copies_) runner_.fill(ghost_copy_.data(), ghost_copy_.extent(0), Single(0));
  }
  void round_to(const Array<Single, Space> &to, const Scalar *from)
  {
    runner_.for_each(Offset(to.extent(0)), RoundToSingle{from, to.data()});
  }

  // Computes the rows of each color that other ranks need, then its other rows during their exchange.
  void sweep_by_color(const RelaxArguments &a)
  {
    const SweepOrder<Space> &d = direction(a.rows.backward);
    const Index groups = d.groups(); // two per color
    const auto run = [&](Index color, bool interior) {
      // Backward sweeps have the groups in reverse order: the interior of a color before its boundary.
      const Index g = 2 * color + interior, at = a.rows.backward ? groups - 1 - g : g;
      runner_.halo->residual(interior, true);
      kernels_.relax(runner_.independent(d.group.data() + at), runner_.n, a);
      runner_.halo->residual(interior, false);
    };
    for (Index c = 0; c < groups / 2; ++c) {
      const Index color = a.rows.backward ? groups / 2 - 1 - c : c;
      run(color, false);
      settle(*runner_.halo, runner_);
      runner_.halo->begin(color, a.x, ghosts_.data());
      run(color, true);
      end_fetch(color, a.x);
    }
  }

  void relax_transposed(Vectors vectors, const Scalar *b, Scalar *x)
  {
    RelaxRows rows = rows_of_.view();
    rows.ptr = transposed_.ptr.data();
    rows.col = transposed_.position.data();
    TransposedRelaxArguments a{.rows = rows,
                               .entry = transposed_.entry.data(),
                               .blocks = stored_,
                               .diagonal = diagonal_.data(),
                               .unscale = unscale_all_,
                               .omega = options_.omega,
                               .in = b,
                               .x = x,
                               .out = x,
                               .vectors = vectors};
    clear(x, vectors);
    for_sweeps([&](bool backward, bool) {
      a.rows.backward = options_.sweep == SweepKind::symmetric ? backward : !backward;
      if (fetches()) relax_transposed_with_ghosts(a, b);
      else any_size_.transposed(runner_.sweep(direction(a.rows.backward)), runner_.n, a);
      count_read(false);
    });
  }

  // Contributions to ghosts are added to the right-hand sides of their owners, in a copy of b.
  void relax_transposed_with_ghosts(TransposedRelaxArguments a, const Scalar *b)
  {
    runner_.copy(rhs_.data(), runner_.scalars(), b);
    TransposedRelaxArguments shares = a;
    shares.rows.ptr += runner_.rows;
    shares.diagonal = nullptr;
    shares.out = ghosts_.data();
    a.in = rhs_.data();
    const auto add = [&](Index color) {
      any_size_.transposed(runner_.independent(ghost_cut_.data()), runner_.n, shares);
      settle(*runner_.halo, runner_);
      runner_.halo->add(color, ghosts_.data(), rhs_.data());
    };
    const SweepOrder<Space> &d = direction(a.rows.backward);
    if (options_.exchange == Exchange::sweep) {
      add(Halo::all);
      any_size_.transposed(runner_.sweep(d), runner_.n, a);
      return;
    }
    const Index groups = d.groups();
    for (Index c = 0; c < groups / 2; ++c) {
      add(a.rows.backward ? groups / 2 - 1 - c : c);
      for (const Index g : {2 * c, 2 * c + 1})
        any_size_.transposed(runner_.independent(d.group.data() + g), runner_.n, a);
    }
  }
};

} // namespace

std::unique_ptr<Engine> make_relaxation(Backend backend) { return make_engine_on<RelaxationOn>(backend); }

} // namespace finegrain
