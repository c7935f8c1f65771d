// SPDX-License-Identifier: BSD-2-Clause
// An emulation of relaxations that is bitwise identical to the engine.
#pragma once

#include "relax_oracle.hpp"

#include "base/inversion.hpp"

namespace finegrain::test
{

// Couplings are stored as h = To(single(beta o)). For each row, column after column, sums over its terms by (color,
// row) are computed in working or single precision. Then dr = b - sum / beta, and x is computed from dr by the
// inverse. No term of a sweep is skipped, even if it is zero. The multiply-add and the inverse of a block are the
// engine's own.
class EmulatedRelaxation
{
public:
  std::vector<Real> scale; // of each row
  Offset flushed = 0;

  EmulatedRelaxation(const Problem &p, const EngineOptions &r)
      : scale(std::size_t(p.graph.rows), Real(1)),
        n_(std::size_t(p.n)),
        rows_(p.graph.rows),
        options_(r.relaxation),
        single_sums_(r.single_sums),
        colors_(colors_of(p, r)),
        terms_(std::size_t(p.graph.rows))
  {
    if (r.precision == Precision::half) choose_scales(p);
    for (Index i = 0; i < rows_; ++i) {
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        if (const Index j = p.graph.col(e); j == i) store_inverse(block_of(p, e), r.diagonal);
        else {
          terms_[std::size_t(i)].push_back({colors_.color(j), j, stored(block_of(p, e), i, r.precision)});
        }
      std::sort(terms_[std::size_t(i)].begin(), terms_[std::size_t(i)].end(),
                [](const Term &a, const Term &b) { return a.color != b.color ? a.color < b.color : a.row < b.row; });
    }
  }
  std::vector<Scalar> apply(const std::vector<Scalar> &b) const
  {
    return proceed(b, std::vector<Scalar>(b.size(), Scalar(0)));
  }
  std::vector<Scalar> proceed(const std::vector<Scalar> &b, std::vector<Scalar> x) const
  {
    each_sweep(options_, [&](bool backward) {
      for (Index k = 0; k < colors_.colors; ++k)
        for (Index i = 0; i < rows_; ++i)
          if (colors_.color(i) == (backward ? colors_.colors - 1 - k : k)) {
            if (single_sums_) relax<Single>(std::size_t(i), b, x);
            else relax<Scalar>(std::size_t(i), b, x);
          }
    });
    return x;
  }

private:
  struct Term {
    Index color, row;
    Block block;
  };

  // Not inlined, because GCC 12 replaces double(float(v)) by v if it vectorizes the two parts of a complex number.
  [[gnu::noinline]] static Single narrowed(Scalar v) { return convert<Single>(v); }

  // The largest power of two with scale * largest <= 65504, limited so that its inverse is a normal number.
  static Real find(Real largest)
  {
    if (!(largest > 0)) return 1;
    const int limit = 1 - std::numeric_limits<Real>::min_exponent;
    for (int power = limit; power > -limit; --power)
      if (std::ldexp(double(largest), power) <= 65504) return std::ldexp(Real(1), power);
    return std::ldexp(Real(1), -limit);
  }
  static std::vector<Real> parts(Scalar a)
  {
#if defined(FINEGRAIN_COMPLEX)
    return {a.real(), a.imag()};
#else
    return {a};
#endif
  }
  void choose_scales(const Problem &p)
  {
    Real all = 0;
    for (Index i = 0; i < rows_; ++i) {
      Real most = 0;
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        if (p.graph.col(e) != i)
          for (const Scalar v : block_of(p, e))
            for (const Real part : parts(v)) most = std::max(most, std::abs(part));
      scale[std::size_t(i)] = find(most);
      all = std::max(all, most);
    }
    if (options_.scaling == Scaling::global) std::fill(scale.begin(), scale.end(), find(all));
  }
  Block stored(Block block, Index row, Precision precision)
  {
    const Block values = block;
    for (std::size_t at = 0; at < block.size(); ++at) {
      Scalar &v = block[at];
      const Scalar before = values[at], scaled = v * scale[std::size_t(row)];
      switch (precision) {
      case Precision::working:
        break;
      case Precision::single:
        v = convert<Scalar>(narrowed(scaled));
        break;
      case Precision::half:
        v = convert<Scalar>(convert<HalfScalar>(convert<Single>(scaled)));
        break;
      case Precision::bfloat16:
        v = convert<Scalar>(convert<BFloat16Scalar>(convert<Single>(scaled)));
      }
      const auto from = parts(before), to = parts(v);
      for (std::size_t k = 0; k < from.size(); ++k) flushed += from[k] != 0 && to[k] == 0;
    }
    return block;
  }
  void store_inverse(Block d, Precision precision)
  {
    Block work(3 * n_, Scalar(0));
    const BlockSize<0> n(static_cast<int>(n_));
    const HostLanes<0> lanes{n};
    invert(lanes, n, d.data(), work.data());
    if (precision == Precision::single)
      for (Scalar &v : d) v = convert<Scalar>(narrowed(v));
    inverse_.push_back(d);
  }
  // Sums entry r of the products of a row's blocks with x.
  template <class Sum> Sum sum_by_columns(std::size_t i, std::size_t r, const std::vector<Scalar> &x) const
  {
    Sum total(0);
    for (std::size_t c = 0; c < n_; ++c) {
      Sum sum(0);
      for (const Term &t : terms_[i])
        sum = madd(convert<Sum>(x[std::size_t(t.row) * n_ + c]), convert<Sum>(t.block[c * n_ + r]), sum);
      total += sum;
    }
    return total;
  }
  template <class Sum> void relax(std::size_t i, const std::vector<Scalar> &b, std::vector<Scalar> &x) const
  {
    std::vector<Scalar> rest(n_);
    for (std::size_t r = 0; r < n_; ++r) {
      const Sum total = sum_by_columns<Sum>(i, r, x);
      rest[r] = madd(-Scalar(1 / scale[i]), convert<Scalar>(total), b[i * n_ + r]);
    }
    for (std::size_t r = 0; r < n_; ++r) {
      Scalar z(0), &to = x[i * n_ + r];
      for (std::size_t c = 0; c < n_; ++c) z = madd(rest[c], inverse_[i][c * n_ + r], z);
      to = options_.omega == Real(1) ? z : madd(Scalar(options_.omega), z, product(Scalar(1 - options_.omega), to));
    }
  }

  std::size_t n_;
  Index rows_;
  Relaxation options_;
  bool single_sums_;
  Coloring colors_;
  std::vector<std::vector<Term>> terms_;
  std::vector<Block> inverse_;
};

} // namespace finegrain::test
