// SPDX-License-Identifier: BSD-2-Clause
// Reads the operands of arithmetic instructions. arithmetic.cpp, floats.cpp and bits.cpp execute them.
#include "reader.hpp"

namespace sim
{

namespace
{
constexpr std::string_view integers = "u16 u32 u64 s16 s32 s64", wide_integers = "u32 u64 s32 s64",
                           words = "b16 b32 b64", reals = "f32 f64";
#define ALL_INTEGERS "u16 u32 u64 s16 s32 s64"

template <Op op, int count> void simple(Reader &r) { r.simple(op, count); }

template <Op op, Op with_carry> void add(Reader &r)
{
  r.in.carry_out = r.has("cc");
  const Ty t = r.in.ty;
  const bool integer = !is_float(t);
  // Only single numbers and, except with carries, s32 saturate; carries exist for 32 and 64 bits.
  if (r.in.sat && (t != F32 && t != S32)) return r.unknown();
  if ((op == with_carry || r.in.carry_out) && (!integer || size_of(t) < 4 || r.in.sat)) return r.unknown();
  r.simple(op, 2);
}
void mul(Reader &r)
{
  if (r.in.sat && r.in.ty != F32) return r.unknown();
  if (is_float(r.in.ty)) return r.simple(O_MUL_LO, 2);
  if (r.has("wide") && size_of(r.in.ty) == 8) return r.unknown();
  r.simple(r.has("hi") ? O_MUL_HI : r.has("wide") ? O_MUL_WIDE : O_MUL_LO, 2);
}
void mad(Reader &r)
{
  if (is_float(r.in.ty)) {
    if (r.in.sat && r.in.ty != F32) return r.unknown();
    return r.simple(O_FMA, 3);
  }
  if (r.in.sat && !(r.in.ty == S32 && r.has("hi"))) return r.unknown();
  if (!r.has("wide")) return r.simple(r.has("hi") ? O_MAD_HI : O_MAD_LO, 3);
  if (size_of(r.in.ty) == 8) return r.unknown();
  r.in.op = O_MAD_WIDE;
  r.destination();
  r.sources(2, r.in.ty);
  r.sources(1, size_of(r.in.ty) == 4 ? B64 : B32);
  r.finish();
}
template <Op op> void extreme(Reader &r)
{
  r.in.mode = r.has("NaN");
  r.simple(op, 2);
}
// Sources of the instruction's type, then `counts` 32-bit ones.
template <Op op, int count, int counts> void with_counts(Reader &r)
{
  r.in.op = op;
  r.destination();
  r.sources(count, r.in.ty);
  r.sources(counts, U32);
  r.finish();
}
void shf(Reader &r)
{
  r.in.mode = r.has("wrap");
  r.simple(r.has("l") ? O_SHFL_L : O_SHF_R, 3);
}
void bfind(Reader &r)
{
  r.in.mode = r.has("shiftamt");
  r.simple(O_BFIND, 1);
}
template <bool set> void compare(Reader &r)
{
  static const char *names[] = {"eq", "ne",  "lt",  "le",  "gt",  "ge",  "lo",  "ls",  "hi",
                                "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  Ins &in = r.in;
  int cmp = -1;
  for (int k = 0; k < 18; ++k)
    if (r.pieces[1] == names[k]) cmp = k;
  if (cmp < 0) r.parser.where("comparison", r.begin);
  in.cmp = u8(cmp);
  in.bop = r.has("and") ? 1 : r.has("or") ? 2 : r.has("xor") ? 3 : 0;
  in.op = set ? O_SET : O_SETP;
  if (set) {
    if (r.types.size() != 2) return r.unknown();
    std::swap(in.ty, in.ty2);
    if (in.ty2 != U32 && in.ty2 != S32 && in.ty2 != F32) return r.unknown();
  }
  r.destination();
  if (!set && r.take("|")) r.destination();
  r.sources(2, in.ty);
  if (in.bop) {
    r.comma();
    r.predicate();
  }
  r.finish();
}
void selp(Reader &r)
{
  r.in.op = O_SELP;
  r.destination();
  r.sources(2, r.in.ty);
  r.comma();
  r.predicate();
  r.finish();
}
void slct(Reader &r)
{
  if (r.in.ty2 != S32 && r.in.ty2 != F32) return r.unknown();
  r.in.op = O_SLCT;
  r.destination();
  r.sources(2, r.in.ty);
  r.sources(1, r.in.ty2);
  r.finish();
}
void testp(Reader &r)
{
  static const char *names[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  for (int k = 0; k < 6; ++k)
    if (r.pieces[1] == names[k]) r.in.mode = u8(k);
  r.simple(O_TESTP, 1);
}
void cvt(Reader &r)
{
  if (r.types.size() != 2) return r.unknown();
  r.in.op = O_CVT;
  r.destination();
  r.sources(1, r.in.ty2);
  r.finish();
}
} // namespace

std::vector<Opcode> arithmetic_opcodes()
{
  constexpr std::string_view comparisons =
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz";
  return {
    {"add", "cc sat rn rz rm rp ftz", ALL_INTEGERS " f32 f64", add<O_ADD, O_ADDC>},
    {"sub", "cc sat rn rz rm rp ftz", ALL_INTEGERS " f32 f64", add<O_SUB, O_SUBC>},
    {"addc", "cc", wide_integers, add<O_ADDC, O_ADDC>},
    {"subc", "cc", wide_integers, add<O_SUBC, O_SUBC>},
    {"mul", "lo hi wide sat rn rz rm rp ftz", ALL_INTEGERS " f32 f64", mul},
    {"mad", "lo hi wide sat rn rz rm rp ftz", ALL_INTEGERS " f32 f64", mad},
    {"fma", "sat rn rz rm rp ftz", reals, mad},
    {"div", "rn rz rm rp ftz full approx", ALL_INTEGERS " f32 f64", simple<O_DIV, 2>},
    {"rem", "", integers, simple<O_REM, 2>},
    {"abs", "ftz", "s16 s32 s64 f16 bf16 f32 f64", simple<O_ABS, 1>},
    {"neg", "ftz", "s16 s32 s64 f16 bf16 f32 f64", simple<O_NEG, 1>},
    {"min", "NaN ftz", ALL_INTEGERS " f32 f64", extreme<O_MIN>},
    {"max", "NaN ftz", ALL_INTEGERS " f32 f64", extreme<O_MAX>},
    {"and", "", "pred b16 b32 b64", simple<O_AND, 2>},
    {"or", "", "pred b16 b32 b64", simple<O_OR, 2>},
    {"xor", "", "pred b16 b32 b64", simple<O_XOR, 2>},
    {"not", "", "pred b16 b32 b64", simple<O_NOT, 1>},
    {"cnot", "", words, simple<O_CNOT, 1>},
    {"shl", "", words, with_counts<O_SHL, 1, 1>},
    {"shr", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64", with_counts<O_SHR, 1, 1>},
    {"shf", "l r wrap clamp", "b32", shf},
    {"bfe", "", wide_integers, with_counts<O_BFE, 1, 2>},
    {"bfi", "", "b32 b64", with_counts<O_BFI, 2, 2>},
    {"prmt", "", "b32", simple<O_PRMT, 3>},
    {"popc", "", "b32 b64", simple<O_POPC, 1>},
    {"clz", "", "b32 b64", simple<O_CLZ, 1>},
    {"brev", "", "b32 b64", simple<O_BREV, 1>},
    {"bfind", "shiftamt", wide_integers, bfind},
    {"lop3", "", "b32", simple<O_LOP3, 4>},
    {"setp", comparisons, "b16 b32 b64 u16 u32 u64 s16 s32 s64 f16 bf16 f32 f64", compare<false>},
    {"set", comparisons, "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", compare<true>},
    {"selp", "", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", selp},
    {"slct", "ftz", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", slct},
    {"copysign", "", reals, simple<O_COPYSIGN, 2>},
    {"testp", "finite infinite number notanumber normal subnormal", reals, testp},
    {"rcp", "approx rn rz rm rp ftz", reals, simple<O_RCP, 1>},
    {"sqrt", "approx rn rz rm rp ftz", reals, simple<O_SQRT, 1>},
    {"rsqrt", "approx ftz", reals, simple<O_RSQRT, 1>},
    {"ex2", "approx ftz", "f32", simple<O_EX2, 1>},
    {"lg2", "approx ftz", "f32", simple<O_LG2, 1>},
    {"sin", "approx ftz", "f32", simple<O_SIN, 1>},
    {"cos", "approx ftz", "f32", simple<O_COS, 1>},
    {"cvt", "rn rz rm rp rni rzi rmi rpi sat ftz", "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64", cvt},
  };
}
} // namespace sim
