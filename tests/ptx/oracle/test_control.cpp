// SPDX-License-Identifier: BSD-2-Clause
// Branches, calls, and instructions for a whole warp or team.
#include "interpreter.hpp"

using namespace test;

namespace
{
// Runs a body that stores %r0 of each thread, and compares with f(thread).
void check(const std::string &body, u32 threads, const std::function<u32(u32)> &f, const std::string &functions = "")
{
  for (const bool apart : {false, true}) {
    opt().diverge = apart;
    Buffer out(threads * 4);
    const Outcome o =
      run(kernel_of(
            1,
            "mov.u32 %r19, %tid.x; mul.wide.u32 %l19, %r19, 4; add.u64 %l19, %l19, %a0; mov.u32 %r18, %laneid;\n" +
              body + "\nst.global.u32 [%l19], %r0;",
            functions),
          1, threads, {out.at});
    opt().diverge = false;
    ASSERT_EQ(o.trap, "") << body;
    ASSERT_TRUE(o.reports.empty()) << body << o.reports[0];
    for (u32 k = 0; k < threads; ++k) ASSERT_EQ(out.read<u32>(k), f(k)) << body << " thread " << k;
  }
}

TEST(Control, Branches)
{
  check("mov.u32 %r0, 1; bra.uni L; mov.u32 %r0, 2; L: add.u32 %r0, %r0, 1;", 40, [](u32) { return 2; });
  check("mov.u32 %r0, 1; setp.lt.u32 %p0, %r19, 7; @%p0 bra L; mov.u32 %r0, 2; L: add.u32 %r0, %r0, 10;", 40,
        [](u32 k) { return k < 7 ? 11 : 12; });
  check("mov.u32 %r0, 1; setp.lt.u32 %p0, %r19, 7; @!%p0 add.u32 %r0, %r0, 5; @%p0 mul.lo.u32 %r0, %r0, 3;", 40,
        [](u32 k) { return k < 7 ? 3 : 6; });
  // The number of iterations of the loop is the number of the thread.
  check("mov.u32 %r0, 0; mov.u32 %r1, 0; L: setp.ge.u32 %p0, %r1, %r19; @%p0 bra E; add.u32 %r0, %r0, %r1; add.u32 "
        "%r1, %r1, 1; bra L; E:",
        70, [](u32 k) { return k * (k - 1) / 2; });
  for (const std::string uni : {"", ".uni"})
    check("rem.u32 %r1, %r19, " + std::string(uni.empty() ? "3" : "1") + "; T: .branchtargets A, B, C; brx.idx" +
            uni + " %r1, T; A: mov.u32 %r0, 10; bra E; B: mov.u32 %r0, 20; bra E; C: mov.u32 %r0, 30; E:",
          40, [&](u32 k) { return uni.empty() ? 10 + k % 3 * 10 : 10; });
}

TEST(Control, CallsAndReturns)
{
  const std::string twice =
    ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %q<3>; .reg .pred %p; ld.param.b32 %q0, [x]; "
    "setp.gt.u32 %p, %q0, 20; @%p bra B; add.u32 %q1, %q0, %q0; st.param.b32 [r], %q1; ret; "
    "B: mov.u32 %q1, 99; st.param.b32 [r], %q1; ret.uni; }\n";
  for (const std::string uni : {"", ".uni"})
    check(
      "{ .param .b32 in; .param .b32 out; st.param.b32 [in], %r19; call" + uni +
        " (out), twice, (in); ld.param.b32 %r0, [out]; }",
      40, [](u32 k) { return k > 20 ? 99 : 2 * k; }, twice);
  check(
    "mov.u32 %r0, 5; setp.lt.u32 %p0, %r19, 3; { .param .b32 in; .param .b32 out; st.param.b32 [in], %r19; "
    "st.param.b32 [out], 7; "
    "@%p0 call (out), twice, (in); ld.param.b32 %r0, [out]; }",
    40, [](u32 k) { return k < 3 ? 2 * k : 7; }, twice);
  Buffer out(128);
  out.write(std::vector<u32>(32, 4));
  const Outcome o = run(kernel_of(1, "mov.u32 %r0, %tid.x; setp.lt.u32 %p0, %r0, 9; @%p0 exit; mul.wide.u32 %l0, "
                                     "%r0, 4; add.u64 %l0, %l0, %a0; mov.u32 %r1, 6;"
                                     "st.global.u32 [%l0], %r1;"),
                        1, 32, {out.at});
  EXPECT_EQ(o.trap, "");
  for (u32 k = 0; k < 32; ++k) EXPECT_EQ(out.read<u32>(k), k < 9 ? 4u : 6u);
}

TEST(Control, Traps)
{
  for (const std::string op : {"trap", "brkpt"}) {
    EXPECT_TRUE(run(kernel_of(0, op + ";"), 1, 1, {}).reported("trap"));
    EXPECT_FALSE(run(kernel_of(0, "setp.eq.u32 %p0, 1, 2; @%p0 " + op + ";"), 1, 1, {}).reported("trap"));
  }
}

TEST(Control, WhatIsNotKnownSaysSo)
{
  for (const std::string op :
       {"tanh.approx.f32 %f0, %f1;", "add.f16 %h0, %h1, %h2;", "min.xorsign.abs.f32 %f0, %f1, %f2;",
        "ex2.approx.f16 %h0, %h1;", "cvt.rn.relu.f16.f32 %h0, %f0;", "mad.lo.cc.u32 %r0, %r1, %r2, %r3;",
        "prmt.b32.f4e %r0, %r1, %r2, %r3;", "atom.global.add.noftz.f16 %h0, [%a0], %h1;",
        "dp4a.u32.u32 %r0, %r1, %r2, %r3;", "bar.arrive 0, 64;", "shfl.down.b32 %r0, %r1, 1, 31;",
        "mul.wide.u64 %l0, %l1, %l2;", "add.sat.u32 %r0, %r1, %r2;"}) {
    const Outcome o = run(kernel_of(1, op), 1, 1, {0});
    EXPECT_TRUE(o.reported("not simulated")) << op;
    EXPECT_NE(o.trap, "") << op;
  }
}

TEST(Control, BarriersAndFences)
{
  const std::string exchange =
    "shl.b32 %r1, %r19, 2; mov.u32 %r2, s; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %r19;";
  const std::string fetch =
    "xor.b32 %r4, %r19, 37; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2; ld.shared.u32 %r0, [%r4];";
  for (const std::string barrier :
       {"bar.sync 0;", "bar.cta.sync 0;", "barrier.sync 0;", "barrier.sync.aligned 0;", "barrier.cta.sync 0;"})
    check(".shared .align 4 .b8 s[256]; " + exchange + barrier + fetch, 64, [](u32 k) { return k ^ 37; });
  for (const std::string op : {"bar", "barrier", "barrier.cta"}) {
    const std::string red = op + ".red", aligned = op == "barrier" ? ".aligned" : "";
    check("setp.lt.u32 %p0, %r19, 50; " + red + ".popc" + aligned + ".u32 %r0, 0, %p0;", 64, [](u32) { return 50; });
    check("setp.lt.u32 %p0, %r19, 50; " + red + ".popc" + aligned + ".u32 %r0, 0, !%p0;", 64, [](u32) { return 14; });
    for (const u32 n : {0u, 50u, 64u}) {
      const std::string p = "setp.lt.u32 %p0, %r19, " + std::to_string(n) + "; ",
                        q = " %p1, 0, %p0; selp.u32 %r0, 1, 0, %p1;";
      check(p + red + ".and" + aligned + ".pred" + q, 64, [&](u32) { return u32(n == 64); });
      check(p + red + ".or" + aligned + ".pred" + q, 64, [&](u32) { return u32(n > 0); });
    }
  }
  check(".shared .align 4 .b8 s[256]; " + exchange +
          "bar.warp.sync 0xffffffff; xor.b32 %r4, %r19, 5; shl.b32 %r4, %r4, 2; add.u32 %r4, %r4, %r2; ld.shared.u32 "
          "%r0, [%r4];",
        64, [](u32 k) { return k ^ 5; });
  for (const std::string f : {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu",
                              "fence.sc.sys", "fence.sc.cluster", "fence.acquire.gpu", "fence.release.gpu"})
    check("mov.u32 %r0, 4; " + f + ";", 32, [](u32) { return 4; });
  check("mov.u32 %r0, 4; nanosleep.u32 100;", 32, [](u32) { return 4; });
  check("mov.u32 %r0, 4; griddepcontrol.launch_dependents; griddepcontrol.wait;", 32, [](u32) { return 4; });
}

TEST(Warps, Shuffles)
{
  struct {
    const char *mode;
    int (*from)(int lane, int b, int begin, int end); // -1: its own
  } const modes[] = {{"up", [](int l, int b, int begin, int) { return l - b >= begin ? l - b : -1; }},
                     {"down", [](int l, int b, int, int end) { return l + b <= end ? l + b : -1; }},
                     {"bfly", [](int l, int b, int, int end) { return (l ^ b) <= end ? l ^ b : -1; }},
                     {"idx", [](int, int b, int begin, int end) { return begin + b <= end ? begin + b : -1; }}};
  for (const auto &m : modes)
    for (const int width : {32, 16, 8, 4})
      for (const int b : {0, 1, 2, 3, 5, 9, 17, 31}) {
        if (std::string(m.mode) == "idx" && b >= width) continue;
        const std::string c = std::to_string((32 - width) << 8 | (std::string(m.mode) == "up" ? 0 : 31)),
                          op = std::string("shfl.sync.") + m.mode;
        const auto from = [&](u32 k) {
          const int l = int(k % 32), begin = l / width * width;
          return m.from(l, b, begin, begin + width - 1);
        };
        const std::string shuffle =
          "mul.lo.u32 %r1, %r18, 3; " + op + ".b32 %r0|%p0, %r1, " + std::to_string(b) + ", " + c + ", 0xffffffff; ";
        check(shuffle, 64, [&](u32 k) { return u32(from(k) < 0 ? int(k % 32) : from(k)) * 3; });
        check(shuffle + "selp.u32 %r0, 1, 0, %p0;", 64, [&](u32 k) { return u32(from(k) >= 0); });
      }
  check("shfl.sync.idx.b32 %r0, %r19, 3, 31, -1;", 32, [](u32) { return 3; });
}

TEST(Warps, VotesAndMatches)
{
  for (const u32 n : {0u, 1u, 13u, 32u}) {
    const std::string p = "setp.lt.u32 %p0, %r18, " + std::to_string(n) + "; ", out = " selp.u32 %r0, 1, 0, %p1;";
    check(p + "vote.sync.all.pred %p1, %p0, 0xffffffff;" + out, 64, [&](u32) { return u32(n == 32); });
    check(p + "vote.sync.any.pred %p1, %p0, 0xffffffff;" + out, 64, [&](u32) { return u32(n > 0); });
    check(p + "vote.sync.any.pred %p1, !%p0, 0xffffffff;" + out, 64, [&](u32) { return u32(n < 32); });
    check(p + "vote.sync.uni.pred %p1, %p0, 0xffffffff;" + out, 64, [&](u32) { return u32(n == 0 || n == 32); });
    check(p + "vote.sync.ballot.b32 %r0, %p0, 0xffffffff;", 64, [&](u32) { return u32((1ull << n) - 1); });
  }
  // Half a warp alone.
  check("mov.u32 %r0, 0; setp.lt.u32 %p0, %r18, 16; @!%p0 bra E; setp.lt.u32 %p1, %r18, 3; vote.sync.ballot.b32 %r0, "
        "%p1, 0xffff; E:",
        64, [](u32 k) { return k % 32 < 16 ? 7u : 0u; });
  check("mov.u32 %r0, 0; setp.lt.u32 %p0, %r18, 5; @%p0 activemask.b32 %r0; @%p0 and.b32 %r0, %r0, 1; setp.eq.u32 "
        "%p1, %r18, 0; @!%p1 mov.u32 %r0, 9;",
        32, [](u32 k) { return k == 0 ? 1 : 9; });
  check("rem.u32 %r1, %r18, 3; match.any.sync.b32 %r0, %r1, 0xffffffff;", 64, [](u32 k) {
    u32 m = 0;
    for (u32 q = 0; q < 32; ++q) m |= u32(q % 3 == k % 32 % 3) << q;
    return m;
  });
  check("rem.u32 %r1, %r18, 3; cvt.u64.u32 %l1, %r1; shl.b64 %l1, %l1, 40; match.any.sync.b64 %r0, %l1, 0xffffffff;",
        32, [](u32 k) {
          u32 m = 0;
          for (u32 q = 0; q < 32; ++q) m |= u32(q % 3 == k % 3) << q;
          return m;
        });
  for (const bool same : {false, true}) {
    const std::string v = same ? "mov.u32 %r1, 6; " : "mov.u32 %r1, %r18; ";
    check(v + "match.all.sync.b32 %r0|%p0, %r1, 0xffffffff;", 32, [&](u32) { return same ? ~0u : 0; });
    check(v + "match.all.sync.b32 %r0|%p0, %r1, 0xffffffff; selp.u32 %r0, 1, 0, %p0;", 32,
          [&](u32) { return u32(same); });
  }
}

TEST(Warps, Reductions)
{
  const auto value = [](u32 k) { return (k % 32) * 0x2f3d1571u + 0x80000003u; };
  const std::string v = "mul.lo.u32 %r1, %r18, 0x2f3d1571; add.u32 %r1, %r1, 0x80000003; ";
  const auto reduced = [&](const std::function<u32(u32, u32)> &f) {
    u32 r = value(0);
    for (u32 k = 1; k < 32; ++k) r = f(r, value(k));
    return r;
  };
  const std::pair<const char *, std::function<u32(u32, u32)>> all[] = {
    {"add.u32", [](u32 a, u32 b) { return a + b; }},
    {"add.s32", [](u32 a, u32 b) { return a + b; }},
    {"min.u32", [](u32 a, u32 b) { return std::min(a, b); }},
    {"max.u32", [](u32 a, u32 b) { return std::max(a, b); }},
    {"min.s32", [](u32 a, u32 b) { return u32(std::min(s32(a), s32(b))); }},
    {"max.s32", [](u32 a, u32 b) { return u32(std::max(s32(a), s32(b))); }},
    {"and.b32", [](u32 a, u32 b) { return a & b; }},
    {"or.b32", [](u32 a, u32 b) { return a | b; }},
    {"xor.b32", [](u32 a, u32 b) { return a ^ b; }}};
  for (const auto &[name, f] : all) {
    const u32 wanted = reduced(f);
    check(v + "redux.sync." + name + " %r0, %r1, 0xffffffff;", 64, [&](u32) { return wanted; });
  }
}
} // namespace
