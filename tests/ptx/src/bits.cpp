// SPDX-License-Identifier: BSD-2-Clause
// Bit operations, comparisons and selections.
#include "lanes.hpp"

namespace sim
{

namespace
{
u64 ones(int bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }

u64 extract(u64 x, u32 position, u32 length, u32 width, bool is_signed)
{
  const u64 sign = !is_signed || length == 0 ? 0 : x >> std::min(position + length - 1, width - 1) & 1;
  u64 r = 0;
  for (u32 q = 0; q < width; ++q) r |= (q < length && position + q < width ? x >> (position + q) & 1 : sign) << q;
  return r;
}
u64 insert(u64 part, u64 into, u32 position, u32 length, u32 width)
{
  for (u32 q = 0; q < length && position + q < width; ++q)
    into = (into & ~(1ull << (position + q))) | (part >> q & 1) << (position + q);
  return into;
}
u32 permute(u64 bytes, u32 how)
{
  u32 r = 0;
  for (int q = 0; q < 4; ++q) {
    const u32 s = how >> (4 * q) & 15;
    u8 x = u8(bytes >> (8 * (s & 7)));
    if (s & 8) x = x & 0x80 ? 0xff : 0;
    r |= u32(x) << (8 * q);
  }
  return r;
}
u32 look_up(u32 table, u32 x, u32 y, u32 z)
{
  u32 r = 0;
  for (u32 k = 0; k < 8; ++k)
    if (table >> k & 1) r |= (k & 4 ? x : ~x) & (k & 2 ? y : ~y) & (k & 1 ? z : ~z);
  return r;
}
u64 reversed(u64 x, int width)
{
  u64 r = 0;
  for (int q = 0; q < width; ++q) r |= (x >> q & 1) << (width - 1 - q);
  return r;
}
} // namespace

bool compute_bits(const Ins &in, const Lanes &o)
{
  const int width = 8 * size_of(in.ty);
  const u64 *a = o.a, *b = o.b, *c = o.c;
  u64 *d = o.d;
  switch (in.op) {
  case O_AND:
    o.each([&](u32 l) { d[l] = a[l] & b[l]; });
    return true;
  case O_OR:
    o.each([&](u32 l) { d[l] = a[l] | b[l]; });
    return true;
  case O_XOR:
    o.each([&](u32 l) { d[l] = a[l] ^ b[l]; });
    return true;
  case O_NOT:
    if (in.ty == PRED) o.each([&](u32 l) { d[l] = !a[l]; });
    else o.each([&](u32 l) { d[l] = ~a[l] & ones(width); });
    return true;
  case O_CNOT:
    o.each([&](u32 l) { d[l] = (a[l] & ones(width)) == 0; });
    return true;
  case O_SHL:
    o.each([&](u32 l) {
      const u32 s = u32(b[l]);
      d[l] = s >= u32(width) ? 0 : (a[l] << s) & ones(width);
    });
    return true;
  case O_SHR:
    o.each([&](u32 l) {
      const u32 s = u32(b[l]);
      const u64 x = widen(a[l], in.ty, 8);
      if (is_signed(in.ty)) d[l] = u64(s64(x) >> std::min(s, u32(width) - 1)) & ones(width);
      else d[l] = s >= u32(width) ? 0 : x >> s;
    });
    return true;
  case O_SHFL_L:
  case O_SHF_R:
    o.each([&](u32 l) {
      const u32 s = in.mode ? u32(c[l]) & 31 : std::min<u32>(u32(c[l]), 32);
      const u64 v = b[l] << 32 | u32(a[l]);
      d[l] = in.op == O_SHF_R ? u32(v >> s) : s == 0 ? u32(b[l]) : u32(v << s >> 32);
    });
    return true;
  case O_BFE:
    o.each([&](u32 l) {
      d[l] = extract(a[l] & ones(width), u32(b[l]) & 255, u32(c[l]) & 255, u32(width), is_signed(in.ty));
    });
    return true;
  case O_BFI:
    o.each([&](u32 l) { d[l] = insert(a[l], b[l], u32(c[l]) & 255, u32(o.e[l]) & 255, u32(width)); });
    return true;
  case O_PRMT:
    o.each([&](u32 l) { d[l] = permute(u32(a[l]) | b[l] << 32, u32(c[l])); });
    return true;
  case O_POPC:
    o.each([&](u32 l) { d[l] = u64(__builtin_popcountll(a[l] & ones(width))); });
    return true;
  case O_CLZ:
    o.each([&](u32 l) {
      const u64 x = a[l] & ones(width);
      d[l] = x ? u64(__builtin_clzll(x) - (64 - width)) : u64(width);
    });
    return true;
  case O_BREV:
    o.each([&](u32 l) { d[l] = reversed(a[l], width); });
    return true;
  case O_BFIND:
    o.each([&](u32 l) {
      u64 x = widen(a[l], in.ty, 8);
      if (is_signed(in.ty) && s64(x) < 0) x = ~x;
      const u32 at = x ? 63 - u32(__builtin_clzll(x)) : ~0u;
      d[l] = in.mode && x ? u32(width) - 1 - at : at;
    });
    return true;
  case O_LOP3:
    o.each([&](u32 l) { d[l] = look_up(u32(o.e[l]), u32(a[l]), u32(b[l]), u32(c[l])); });
    return true;
  default:
    return false;
  }
}

bool compare(const Ins &in, const Lanes &o)
{
  const auto flushed = [&](float x) {
    return in.ftz && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x;
  };
  if (in.op == O_SELP) {
    o.each([&](u32 l) { o.d[l] = bool(o.c[l]) != in.negp ? o.a[l] : o.b[l]; });
    return true;
  }
  if (in.op == O_SLCT) {
    o.each([&](u32 l) {
      const bool first = in.ty2 == F32 ? flushed(bits<float>(o.c[l])) >= 0 : s32(o.c[l]) >= 0;
      o.d[l] = first ? o.a[l] : o.b[l];
    });
    return true;
  }
  if (in.op != O_SETP && in.op != O_SET) return false;
  const auto finish = [&](u32 l, bool r) {
    bool other = !r;
    if (in.bop) {
      const bool q = bool(o.c[l]) != in.negp;
      const auto combined = [&](bool x) { return in.bop == 1 ? x && q : in.bop == 2 ? x || q : x != q; };
      r = combined(r), other = combined(other);
    }
    if (in.op == O_SET) {
      o.d[l] = r ? (in.ty2 == F32 ? 0x3f800000u : 0xffffffffu) : 0;
      return;
    }
    o.d[l] = r;
    if (o.second) o.second[l] = other;
  };
  if (in.ty == F16 || in.ty == BF16)
    o.each([&](u32 l) { finish(l, holds(in.cmp, to_double(o.a[l], in.ty), to_double(o.b[l], in.ty))); });
  else if (in.ty == F32)
    o.each([&](u32 l) { finish(l, holds(in.cmp, flushed(bits<float>(o.a[l])), flushed(bits<float>(o.b[l])))); });
  else
    with_any(in.ty, [&](auto t) {
      using T = decltype(t);
      o.each([&](u32 l) { finish(l, holds<T>(in.cmp, get<T>(o.a[l]), get<T>(o.b[l]))); });
    });
  return true;
}

} // namespace sim
