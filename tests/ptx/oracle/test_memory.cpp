// SPDX-License-Identifier: BSD-2-Clause
// Moves, loads and stores of all types, in all spaces.
#include "interpreter.hpp"

using namespace test;

namespace
{
const std::string all_types[] = {"b8",  "b16", "b32", "b64", "u8",  "u16", "u32",
                                 "u64", "s8",  "s16", "s32", "s64", "f32", "f64"};

TEST(Moves, OfAllTypes)
{
  for (const std::string t : {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64", "f32", "f64"}) {
    const std::string b = type('b', width_of(t));
    expect("mov." + t + " {0}, {1};", b, {b}, rows_of({integers(width_of(t))}), [](const Row &r) { return r[0]; });
  }
  expect("mov.pred {0}, {1};", "pred", {"pred"}, rows_of({{0, 1}}), [](const Row &r) { return r[0]; });
  expect("mov.b32 {0}, {{1}, {2}};", "b32", {"b16", "b16"}, rows_of({integers(16), integers(16)}),
         [](const Row &r) { return r[0] | r[1] << 16; });
  expect("mov.b64 {0}, {{1}, {2}};", "b64", {"b32", "b32"}, rows_of({integers(32), integers(32)}),
         [](const Row &r) { return r[0] | r[1] << 32; });
  expect("mov.b64 {0}, {{1}, {2}, {3}, {4}};", "b64", {"b16", "b16", "b16", "b16"},
         rows_of({{1, 0xffff}, {2, 0x8000}, {3}, {4, 0x7fff}}),
         [](const Row &r) { return r[0] | r[1] << 16 | r[2] << 32 | r[3] << 48; });
  expect("mov.b64 {_, {0}}, {1};", "b32", {"b64"}, rows_of({integers(64)}), [](const Row &r) { return r[0] >> 32; });
  expect("mov.b32 {{0}, _}, {1};", "b16", {"b32"}, rows_of({integers(32)}),
         [](const Row &r) { return r[0] & 0xffff; });
}

TEST(Moves, Literals)
{
  const std::pair<const char *, u64> literals[] = {
    {"mov.u32 %r0, 0x1F;", 31},
    {"mov.u32 %r0, 017;", 15},
    {"mov.s32 %r0, -5;", 0xfffffffb},
    {"mov.u32 %r0, 7U;", 7},
    {"mov.f32 %f0, 0f3F800000; mov.b32 %r0, %f0;", 0x3f800000},
    {"mov.f32 %f0, 0d3FF8000000000000; mov.b32 %r0, %f0;", 0x3fc00000},
    {"mov.f64 %d0, 0dBFF0000000000000; cvt.rn.f32.f64 %f0, %d0; mov.b32 %r0, %f0;", 0xbf800000},
    {"mov.u32 %r0, WARP_SZ;", 32},
    {"mov.u32 %r0, %ntid.x;", 1},
    {"mov.u32 %r0, %nctaid.y;", 1},
    {"mov.u32 %r0, %laneid;", 0},
    {"mov.u32 %r0, %lanemask_ge;", ~0u}};
  for (const auto &[text, value] : literals) {
    Buffer out(4);
    const Outcome o = run(kernel_of(1, std::string(text) + " st.global.u32 [%a0], %r0;"), 1, 1, {out.at});
    EXPECT_EQ(o.trap, "") << text;
    EXPECT_EQ(out.read<u32>(0), value) << text;
  }
}

TEST(Moves, SpecialRegistersAndClocks)
{
  Buffer out(64 * 3 * 4), clock(8 * 192);
  const std::string text =
    "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r0, %r1, %r2; "
    "mul.wide.u32 %l0, %r3, 4; add.u64 %l0, %l0, %a0; mov.u32 %r4, %laneid; mov.u32 %r5, %warpid; mad.lo.u32 %r6, "
    "%r5, 32, %r4; "
    "mov.u32 %r7, %lanemask_lt; popc.b32 %r7, %r7; mad.lo.u32 %r6, %r7, 1000, %r6; st.global.u32 [%l0], %r6; "
    "mov.u64 %l1, %clock64; mov.u64 %l2, %clock64; sub.u64 %l2, %l2, %l1; mul.wide.u32 %l3, %r3, 8; add.u64 %l3, "
    "%l3, %a1; "
    "st.global.u64 [%l3], %l2;";
  const Outcome o = run(kernel_of(2, text), 3, 64, {out.at, clock.at});
  ASSERT_EQ(o.trap, "");
  EXPECT_TRUE(o.reports.empty());
  for (u32 k = 0; k < 192; ++k) {
    EXPECT_EQ(out.read<u32>(k), k % 32 * 1000 + k % 64);
    EXPECT_GT(s64(clock.read<u64>(k)), 0);
  }
}

// Each type is loaded to a register as wide as it, or wider, and stored, with all modifiers for caches and scopes.
TEST(LoadsAndStores, OfGlobalMemory)
{
  const char *loads[] = {"",
                         ".weak",
                         ".volatile",
                         ".relaxed.gpu",
                         ".relaxed.cta",
                         ".acquire.gpu",
                         ".acquire.sys",
                         ".ca",
                         ".cg",
                         ".cs",
                         ".lu",
                         ".cv",
                         ".nc",
                         ".nc.L1::no_allocate",
                         ".L1::evict_first",
                         ".L1::evict_last",
                         ".L1::evict_normal",
                         ".L1::evict_unchanged",
                         ".L2::64B",
                         ".L2::128B",
                         ".L2::256B",
                         ".L2::cache_hint"};
  const char *stores[] = {"",
                          ".weak",
                          ".volatile",
                          ".relaxed.gpu",
                          ".relaxed.cta",
                          ".release.gpu",
                          ".release.sys",
                          ".wb",
                          ".cg",
                          ".cs",
                          ".wt",
                          ".ca",
                          ".lu",
                          ".cv",
                          ".L1::no_allocate",
                          ".L1::evict_first",
                          ".L1::evict_last",
                          ".L1::evict_normal",
                          ".L1::evict_unchanged",
                          ".L2::cache_hint",
                          ".L2::64B",
                          ".L2::128B",
                          ".L2::256B"};
  const auto check = [](const std::string &load, const std::string &store, const std::string &t) {
    const int w = width_of(t);
    for (const int width : {16, 32, 64}) {
      if (width < w || (t[0] == 'f' && width != w)) continue;
      const std::string r = width == 16   ? "%h0"
                            : width == 32 ? (t[0] == 'f' ? "%f0" : "%r0")
                                          : (t[0] == 'f' ? "%d0" : "%l0"),
                        policy = load.ends_with("cache_hint") ? ", %l9" : "";
      Buffer in(64), out(64), kept(8);
      const u64 x = 0x8f9e7d6c5b4a3928;
      in.write<u64>({1, x, 2});
      out.write<u64>({0, 0, 0});
      const Outcome o =
        run(kernel_of(3, load + "." + t + " " + r + ", [%a0+8]" + policy + ";\n" + store + "." + t + " [%a1+8], " +
                           r + ";\nst.global.b" + std::to_string(width) + " [%a2], " + r + ";"),
            1, 1, {in.at, out.at, kept.at});
      EXPECT_EQ(o.trap, "") << load << t;
      EXPECT_EQ(out.read<u64>(0), 0);
      EXPECT_EQ(out.read<u64>(1), x & ones(w)) << load << t;
      EXPECT_EQ(kept.read<u64>(0) & ones(width), extended(x, t, width)) << load << t << width;
    }
  };
  for (const std::string &t : all_types) {
    check("ld.global", "st.global", t);
    check("ld", "st", t);
    check("ldu.global", "st.global", t);
  }
  for (const std::string l : loads)
    check("ld" + (l.find(':') == l.npos && l.size() == 3   ? ".global" + l
                  : l.substr(0, 3) == ".nc" || l[1] == 'L' ? ".global" + l
                                                           : l),
          "st.global", "b32");
  for (const std::string s : stores) check("ld.global", "st" + s, "u32");
}

TEST(LoadsAndStores, Vectors)
{
  for (const std::string &t : all_types)
    for (const int n : {2, 4}) {
      const int w = width_of(t), width = std::max(w, 16);
      if (n * w > 128) continue;
      std::string names, prefix = t == "f32"    ? "%f"
                                  : t == "f64"  ? "%d"
                                  : width == 16 ? "%h"
                                  : width == 32 ? "%r"
                                                : "%l";
      for (int k = 0; k < n; ++k) names += (k ? ", " : "") + prefix + std::to_string(k);
      for (const std::string load : {"ld.global", "ldu.global"}) {
        Buffer in(64), out(64);
        std::vector<u8> bytes(64);
        for (size_t k = 0; k < 64; ++k) bytes[k] = u8(k * 37 + 5);
        in.write(bytes);
        out.write(std::vector<u8>(64, 0));
        const std::string v = ".v" + std::to_string(n) + "." + t;
        const Outcome o =
          run(kernel_of(2, load + v + " {" + names + "}, [%a0+16]; st.global" + v + " [%a1+32], {" + names + "};"), 1,
              1, {in.at, out.at});
        EXPECT_EQ(o.trap, "") << v;
        for (int k = 0; k < 64; ++k)
          EXPECT_EQ(out.read<u8>(size_t(k)), k >= 32 && k < 32 + n * w / 8 ? bytes[size_t(k - 16)] : 0)
            << v << " " << k;
      }
    }
}

// Each lane reads back what it has stored in a space, by the space's own instructions and by generic addresses.
TEST(LoadsAndStores, Spaces)
{
  const std::string tail =
    " mov.u32 %r0, %tid.x; mul.wide.u32 %l0, %r0, 4; add.u64 %l1, %a0, %l0; add.u32 %r1, %r0, 77; ";
  const std::string bodies[] = {
    ".shared .align 4 .b8 s[256]; " + tail +
      "mov.u32 %r2, s; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; ld.shared.u32 %r4, "
      "[%r2]; st.global.u32 [%l1], %r4;",
    ".shared .align 4 .b8 s[256]; " + tail +
      "mov.u64 %l2, s; cvta.shared.u64 %l3, %l2; add.u64 %l3, %l3, %l0; st.u32 [%l3], %r1; cvta.to.shared.u64 %l4, "
      "%l3; ld.shared::cta.u32 %r4, [%l4]; st.global.u32 [%l1], %r4;",
    ".shared .align 4 .b8 s[256]; " + tail +
      "mov.u64 %l2, s; add.u64 %l2, %l2, %l0; st.shared::cta.u32 [%l2], %r1; ld.shared.u32 %r4, [%l2]; st.global.u32 "
      "[%l1], %r4;",
    ".local .align 8 .b8 d[16]; " + tail +
      "st.local.u32 [d+4], %r1; mov.u64 %l2, d; cvta.local.u64 %l3, %l2; ld.u32 %r4, [%l3+4]; st.global.u32 [%l1], "
      "%r4;",
    ".local .align 8 .b8 d[16]; " + tail +
      "mov.u64 %l2, d; cvta.local.u64 %l3, %l2; st.u32 [%l3+8], %r1; cvta.to.local.u64 %l4, %l3; ld.local.u32 %r4, "
      "[%l4+8]; st.global.u32 [%l1], %r4;",
    tail + "cvta.to.global.u64 %l2, %l1; cvta.global.u64 %l3, %l2; st.u32 [%l3], %r1;",
    tail + ".param .b32 p; st.param.b32 [p+0], %r1; ld.param.b32 %r4, [p+0]; st.global.u32 [%l1], %r4;",
    tail + "ld.const.u32 %r4, [seventy+4]; add.u32 %r4, %r4, %r0; st.global.u32 [%l1], %r4;",
    tail + "mov.u64 %l5, seventy; cvta.const.u64 %l6, %l5; cvta.to.const.u64 %l5, %l6; ld.const.u32 %r4, [%l5+4]; "
           "add.u32 %r4, %r4, %r0; st.global.u32 [%l1], %r4;",
    tail + "ld.global.u32 %r4, [given+8]; add.u32 %r4, %r4, %r0; st.global.u32 [%l1], %r4;",
    tail +
      "mov.b64 %l5, a0; cvta.param.u64 %l5, %l5; ld.u64 %l6, [%l5]; add.u64 %l1, %l6, %l0; st.global.u32 [%l1], %r1;",
    tail + "mov.u32 %r2, dynamic; shl.b32 %r3, %r0, 2; add.u32 %r2, %r2, %r3; st.shared.u32 [%r2], %r1; "
           "ld.shared.u32 %r4, [%r2]; st.global.u32 [%l1], %r4;",
  };
  for (const std::string &body : bodies) {
    Buffer out(256);
    const Outcome o =
      run(kernel_of(1, body,
                    ".const .align 4 .u32 seventy[2] = {5, 77};\n.global .align 4 .u32 given[3] = {1, 2, 77};\n"
                    ".extern .shared .align 16 .b8 dynamic[];"),
          1, 64, {out.at}, 256);
    EXPECT_EQ(o.trap, "") << body;
    EXPECT_TRUE(o.reports.empty()) << body << o.reports[0];
    for (u32 k = 0; k < 64; ++k) ASSERT_EQ(out.read<u32>(k), k + 77) << body;
  }
}

TEST(LoadsAndStores, SpacesAreTold)
{
  // Each instruction must recognize the addresses of its own space only.
  const std::string spaces[] = {"global", "shared", "local", "const", "param"};
  const std::string addresses[] = {"mov.u64 %l1, %a0;", ".shared .b32 s; mov.u64 %l0, s; cvta.shared.u64 %l1, %l0;",
                                   ".local .b32 d; mov.u64 %l0, d; cvta.local.u64 %l1, %l0;"};
  for (int have = 0; have < 3; ++have)
    for (int asked = 0; asked < 5; ++asked) {
      Buffer out(4);
      const Outcome o = run(kernel_of(1, addresses[have] + " isspacep." + spaces[asked] +
                                           " %p0, %l1; selp.u32 %r0, 1, 0, %p0; st.global.u32 [%a0], %r0;"),
                            1, 1, {out.at});
      EXPECT_EQ(o.trap, "");
      EXPECT_EQ(out.read<u32>(0), u32(have == asked)) << addresses[have] << spaces[asked];
    }
}

TEST(LoadsAndStores, HintsDoNothing)
{
  Buffer out(4);
  const Outcome o = run(
    kernel_of(1, "mov.u32 %r0, 5; st.global.u32 [%a0], %r0; prefetch.global.L1 [%a0]; prefetch.global.L2 [%a0]; "
                 "prefetch.local.L1 [%a0];"
                 "prefetch.global.L2::evict_last [%a0]; prefetch.global.L2::evict_normal [%a0]; prefetchu.L1 [%a0];"
                 "applypriority.global.L2::evict_normal [%a0], 128; discard.global.L2 [%a0], 128;"),
    1, 1, {out.at});
  EXPECT_EQ(o.trap, "");
  EXPECT_EQ(out.read<u32>(0), 5u);
}
} // namespace
