// SPDX-License-Identifier: BSD-2-Clause
// Reads the operands of moves and memory instructions. execute.cpp executes them.
#include "reader.hpp"

namespace sim
{

namespace
{
#define ALL_TYPES "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"
#define SPACES "global shared shared::cta local param"
#define CACHES                                                                                                       \
  "ca cg cs lu cv L1::no_allocate L1::evict_first L1::evict_last L1::evict_normal L1::evict_unchanged "              \
  "L2::64B L2::128B L2::256B L2::cache_hint"

const Symbol *symbol(Reader &r)
{
  const std::string n(r.word());
  return n[0] == '%' ? nullptr : r.parser.lookup(n);
}
bool dynamic(const Symbol *s) { return s && s->space == SHARED && s->str == "dyn"; }

void mov(Reader &r)
{
  Ins &in = r.in;
  in.op = r.next_is("{") ? O_UNPACK : O_MOV;
  r.list(true);
  r.comma();
  if (r.next_is("{")) {
    in.op = O_PACK;
    const Ty whole = in.ty;
    in.ty = NOTY;
    r.list(false);
    in.ty = whole;
    return r.finish();
  }
  const std::string n(r.word());
  const Symbol *s = symbol(r);
  if (n == "%clock64" || n == "%clock" || n == "%globaltimer" || n == "%clock_hi") {
    in.op = O_CLOCK;
    ++r.i;
  } else if (dynamic(s)) {
    ++r.i;
    in.s[in.ns++] = r.parser.dyn_shared();
  } else r.source(in.ty);
  r.finish();
}

void load(Reader &r)
{
  Ins &in = r.in;
  in.space = r.space();
  in.weak = !(r.has("volatile") || r.has("relaxed") || r.has("acquire")) || r.has("cta");
  in.nc = r.has("nc");
  in.acquires = r.has("acquire");
  in.op = O_LD;
  r.list(true);
  r.comma();
  r.address();
  r.skip(); // cache policies
  r.finish();
}
void store(Reader &r)
{
  Ins &in = r.in;
  in.space = r.space();
  in.weak = !(r.has("volatile") || r.has("relaxed") || r.has("release")) || r.has("cta");
  in.releases = r.has("release");
  in.op = O_ST;
  r.address();
  r.comma();
  r.list(false);
  r.skip();
  r.finish();
}
void cvta(Reader &r)
{
  Ins &in = r.in;
  in.op = O_CVTA;
  in.space = r.space();
  in.to = r.has("to");
  r.destination();
  r.comma();
  if (dynamic(symbol(r))) {
    ++r.i;
    in.s[in.ns++] = r.parser.dyn_shared();
  } else r.source(in.ty);
  r.finish();
}
void isspacep(Reader &r)
{
  r.in.op = O_ISSPACEP;
  r.in.space = r.space();
  r.destination();
  r.sources(1, U64);
  r.finish();
}
template <Op op> void atomic(Reader &r)
{
  Ins &in = r.in;
  in.op = op;
  in.space = r.space();
  in.acquires = r.has("acquire") || r.has("acq_rel");
  in.releases = r.has("release") || r.has("acq_rel");
  static const char *names[] = {"add", "min", "max", "exch", "cas", "and", "or", "xor", "inc", "dec"};
  int a = -1;
  for (int q = 0; q < 10; ++q)
    if (r.has(names[q])) a = q;
  if (a < 0 || (is_float(in.ty) && a != A_ADD)) return r.unknown();
  in.aop = u8(a);
  if (op == O_ATOM) {
    r.destination();
    r.comma();
  }
  r.address();
  r.sources(a == A_CAS ? 2 : 1, in.ty);
  r.skip();
  r.finish();
}
void fence(Reader &r)
{
  r.in.op = O_MEMBAR;
  r.in.mode = r.has("gl") || r.has("sys") || r.has("gpu") || r.has("cluster"); // beyond a team
  r.skip();
  r.finish();
}
void hint(Reader &r)
{
  r.in.op = O_NOP;
  r.skip();
  r.finish();
}
// cp.async.ca.shared.global [dst], [src], size{, bytes of the source}; commit_group; wait_group; wait_all
void copy(Reader &r)
{
  Ins &in = r.in;
  if (!r.has("async")) return r.unknown();
  if (r.has("commit_group")) in.op = O_CPCOMMIT;
  else if (r.has("wait_group")) {
    in.op = O_CPWAIT;
    r.source(U32);
  } else if (r.has("wait_all")) {
    in.op = O_CPWAIT;
    in.s[in.ns++] = r.parser.imm(0);
    in.mode = 1;
  } else {
    in.op = O_CPASYNC;
    in.space = SHARED;
    r.address();
    in.s[in.ns++] = r.parser.imm(u64(in.off));
    in.off = 0;
    r.comma();
    r.address();
    in.space = SHARED;
    r.sources(1, U32);
    if (r.next_is(",")) r.sources(1, U32);
  }
  r.finish();
}
} // namespace

std::vector<Opcode> memory_opcodes()
{
  return {
    {"mov", "", "pred b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", mov},
    {"ld", SPACES " const weak volatile relaxed acquire cta gpu sys v2 v4 nc " CACHES, ALL_TYPES, load},
    {"ldu", "global v2 v4", ALL_TYPES, load},
    {"st", SPACES " weak volatile relaxed release cta gpu sys v2 v4 wb wt " CACHES, ALL_TYPES, store},
    {"cvta", "to global shared local const param", "u64", cvta},
    {"isspacep", "global shared local const param", "", isspacep},
    {"atom",
     "global shared shared::cta relaxed acquire release acq_rel cta gpu sys add min max exch cas and or xor inc dec",
     "b32 b64 u32 u64 s32 s64 f32 f64", atomic<O_ATOM>},
    {"red", "global shared shared::cta relaxed release cta gpu sys add min max and or xor inc dec",
     "b32 b64 u32 u64 s32 s64 f32 f64", atomic<O_RED>},
    {"membar", "cta gl sys", "", fence},
    {"fence", "acq_rel sc acquire release cta cluster gpu sys", "", fence},
    {"discard", "global L2", "", hint},
    {"applypriority", "global L2::evict_normal", "", hint},
    {"prefetch", "global local L1 L2 L2::evict_last L2::evict_normal", "", hint},
    {"prefetchu", "L1", "", hint},
    {"cp", "async ca cg shared shared::cta global commit_group wait_group wait_all L2::64B L2::128B L2::256B", "",
     copy},
  };
}
} // namespace sim
