// SPDX-License-Identifier: BSD-2-Clause
// Floating point arithmetic. Division, square root and FMA are IEEE's, also approximate ones. With .ftz subnormal
// single numbers count as zeros. A computed single NaN is 0x7fffffff, as on a device.
#include "lanes.hpp"

namespace sim
{

namespace
{
constexpr u64 sign32 = 0x80000000u;

u64 flushed(u64 x) { return (x & 0x7f800000u) ? u32(x) : x & sign32; }

template <class T> T fused(T a, T b, T c)
{
  static const bool at_once = env("GPUSIM_FMA", 1);
  if (at_once) return std::fma(a, b, c);
  volatile T product = a * b; // as on a host without FMA
  return product + c;
}

// Only the upper half of a double counts, of inputs and results; subnormal ones are zeros.
double upper_half(double x)
{
  u64 t = word(x) & 0xffffffff00000000ull;
  if (!(t & 0x7ff0000000000000ull)) t &= 1ull << 63;
  return bits<double>(t);
}

template <class T> bool compute(const Ins &in, const Lanes &o)
{
  const bool coarse = in.ftz && sizeof(T) == 8; // rcp and rsqrt
  switch (in.op) {
  case O_ADD:
    o.binary<T>([](T x, T y) { return x + y; });
    return true;
  case O_SUB:
    o.binary<T>([](T x, T y) { return x - y; });
    return true;
  case O_MUL_LO:
    o.binary<T>([](T x, T y) { return x * y; });
    return true;
  case O_DIV:
    o.binary<T>([](T x, T y) { return x / y; });
    return true;
  case O_FMA:
    o.each([&](u32 l) { o.d[l] = word(fused(bits<T>(o.a[l]), bits<T>(o.b[l]), bits<T>(o.c[l]))); });
    return true;
  case O_MIN:
    o.binary<T>([&](T x, T y) { return min_of(x, y, in.mode); });
    return true;
  case O_MAX:
    o.binary<T>([&](T x, T y) { return max_of(x, y, in.mode); });
    return true;
  case O_RCP:
    o.unary<T>([&](T x) { return coarse ? T(upper_half(1 / upper_half(double(x)))) : 1 / x; });
    return true;
  case O_SQRT:
    o.unary<T>([](T x) { return std::sqrt(x); });
    return true;
  case O_RSQRT:
    o.unary<T>([&](T x) { return coarse ? T(upper_half(1 / std::sqrt(upper_half(double(x))))) : 1 / std::sqrt(x); });
    return true;
  case O_EX2:
    o.unary<T>([](T x) { return std::exp2(x); });
    return true;
  case O_LG2:
    o.unary<T>([](T x) { return std::log2(x); });
    return true;
  case O_SIN:
    o.unary<T>([](T x) { return std::sin(x); });
    return true;
  case O_COS:
    o.unary<T>([](T x) { return std::cos(x); });
    return true;
  default:
    return false;
  }
}

// Signs are bits, of any type.
bool compute_signs(const Ins &in, const Lanes &o)
{
  const u64 sign = 1ull << (8 * size_of(in.ty) - 1);
  switch (in.op) {
  case O_ABS:
    o.each([&](u32 l) { o.d[l] = o.a[l] & (sign - 1); });
    return true;
  case O_NEG:
    o.each([&](u32 l) { o.d[l] = (o.a[l] ^ sign) & (sign | (sign - 1)); });
    return true;
  case O_COPYSIGN:
    o.each([&](u32 l) { o.d[l] = (o.a[l] & sign) | (o.b[l] & (sign - 1)); });
    return true;
  case O_TESTP:
    o.each([&](u32 l) {
      const double x = to_double(o.a[l], in.ty);
      const int kind = in.ty == F32 ? std::fpclassify(float(x)) : std::fpclassify(x);
      const bool answers[] = {std::isfinite(x),
                              kind == FP_INFINITE,
                              kind != FP_NAN,
                              kind == FP_NAN,
                              kind == FP_NORMAL || kind == FP_ZERO,
                              kind == FP_SUBNORMAL};
      o.d[l] = answers[in.mode];
    });
    return true;
  default:
    return false;
  }
}
} // namespace

bool compute_floats(const Ins &in, const Lanes &o)
{
  if (!is_float(in.ty)) return false;
  const bool signs = in.op == O_ABS || in.op == O_NEG || in.op == O_COPYSIGN || in.op == O_TESTP;
  if (!signs && in.ty != F32 && in.ty != F64) return false;
  if (in.ty == F64) {
    Rounding r(in.rnd);
    return signs ? compute_signs(in, o) : compute<double>(in, o);
  }
  Lanes p = o;
  u64 rows[3][32];
  if (in.ftz) {
    const u64 **all[] = {&p.a, &p.b, &p.c};
    for (int k = 0; k < 3; ++k) {
      if (!*all[k]) continue;
      o.each([&](u32 l) { rows[k][l] = flushed((*all[k])[l]); });
      *all[k] = rows[k];
    }
  }
  if (signs) return compute_signs(in, p);
  {
    Rounding r(in.rnd);
    if (!compute<float>(in, p)) return false;
  }
  o.each([&](u32 l) {
    u64 &x = o.d[l];
    const float f = bits<float>(x);
    if (in.sat) x = word(std::isnan(f) ? 0.f : std::min(1.f, std::max(0.f, f)));
    else if (std::isnan(f)) x = 0x7fffffff;
    if (in.ftz) x = flushed(x);
  });
  return true;
}

} // namespace sim
