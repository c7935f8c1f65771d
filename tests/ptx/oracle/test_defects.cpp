// SPDX-License-Identifier: BSD-2-Clause
// Kernels with a defect that must be reported, each together with the same kernel without the defect, for which
// nothing may be reported.
#include "interpreter.hpp"

using namespace test;

namespace
{
const std::string thread = "mov.u32 %r19, %tid.x; mov.u32 %r18, %ctaid.x; mul.wide.u32 %l19, %r19, 4; ";

// A kernel with memory of 64 words, of which all but the last were written.
struct Case {
  std::string body;
  u32 teams = 1, threads = 1;
};
Outcome outcome_of(const Case &c, u64 second = 0)
{
  Buffer words(256);
  words.write(std::vector<u32>(63, 1));
  return run(kernel_of(2, thread + c.body, ".global .align 4 .u32 flag;"), c.teams, c.threads, {words.at, second});
}
void expect_defect(const std::string &kind, const Case &wrong, const Case &right)
{
  const Outcome bad = outcome_of(wrong), good = outcome_of(right);
  EXPECT_TRUE(bad.reported(kind)) << kind << ": " << wrong.body << bad.trap;
  EXPECT_TRUE(good.reports.empty()) << right.body << good.reports[0];
  EXPECT_EQ(good.trap, "") << right.body;
}

TEST(Defects, ReadsAndWritesOutside)
{
  for (const std::string op :
       {"ld.global.u32 %r0, [%a0+OFF];", "st.global.u32 [%a0+OFF], %r19;", "ld.u32 %r0, [%a0+OFF];",
        "atom.global.add.u32 %r0, [%a0+OFF], 1;", "red.global.add.u32 [%a0+OFF], 1;"}) {
    const auto at = [&](const std::string &offset) {
      std::string s = op;
      return Case{s.replace(s.find("OFF"), 3, offset)};
    };
    expect_defect("invalid global address", at("256"), at("248"));
    expect_defect("invalid global address", at("-4"), at("0"));
    expect_defect("misaligned address", at("2"), at("4"));
  }
  // Beyond the end: one thread too many, and a vector that begins within.
  const std::string store = "add.u64 %l0, %a0, %l19; st.global.u32 [%l0], %r19;";
  expect_defect("invalid global address", {store, 1, 65}, {store, 1, 64});
  EXPECT_TRUE(run(kernel_of(1, "mov.u64 %l0, 1; st.global.v2.u64 [%a0], {%l0, %l0};"), 1, 1, {Buffer(8).at})
                .reported("invalid global address"));
  expect_defect("invalid shared address", {".shared .b32 s[4]; mov.u32 %r0, s; st.shared.u32 [%r0+16], %r19;"},
                {".shared .b32 s[4]; mov.u32 %r0, s; st.shared.u32 [%r0+12], %r19;"});
  expect_defect("invalid local address", {".local .align 8 .b8 d[8]; st.local.u32 [d+8], %r19;"},
                {".local .align 8 .b8 d[8]; st.local.u32 [d+4], %r19;"});
  expect_defect("invalid param address", {"mov.b64 %l0, a0; ld.param.u64 %l1, [%l0+16];"},
                {"mov.b64 %l0, a0; ld.param.u64 %l1, [%l0+8];"});
}

TEST(Defects, FreedMemoryAndTheHosts)
{
  const std::string load = kernel_of(1, "ld.global.u32 %r0, [%a0];"),
                    store = kernel_of(1, "mov.u32 %r0, 3; st.global.u32 [%a0], %r0;");
  u64 freed;
  {
    Buffer b(64);
    b.write(std::vector<u32>(16, 1));
    freed = b.at;
    EXPECT_TRUE(run(load, 1, 1, {freed}).reports.empty());
  }
  static u32 on_host[4] = {1, 2, 3, 4};
  for (const std::string &text : {load, store}) {
    const Outcome after = run(text, 1, 1, {freed}), host = run(text, 1, 1, {u64(on_host)}),
                  null = run(text, 1, 1, {0});
    EXPECT_TRUE(after.reported("invalid global address"));
    EXPECT_NE(after.trap.find("given back"), std::string::npos) << after.trap;
    EXPECT_NE(host.trap.find("memory of the host"), std::string::npos) << host.trap;
    EXPECT_NE(null.trap.find("null pointer"), std::string::npos) << null.trap;
  }
  mem().pinned[u64(on_host)] = sizeof on_host;
  EXPECT_TRUE(run(load, 1, 1, {u64(on_host)}).reports.empty());
  mem().pinned.clear();
  mem().plast_size = 0;
}

TEST(Defects, WhatWasNeverWritten)
{
  expect_defect("load of what was never written", {"ld.global.u32 %r0, [%a0+252];"},
                {"st.global.u32 [%a0+252], %r19; ld.global.u32 %r0, [%a0+252];"});
  expect_defect("load of what was never written", {"atom.global.add.u32 %r0, [%a0+252], 1;"},
                {"atom.global.add.u32 %r0, [%a0+248], 1;"});
  expect_defect("load of what was never written", {"st.global.u8 [%a0+252], %r19; ld.global.u16 %r0, [%a0+252];"},
                {"st.global.u8 [%a0+252], %r19; ld.global.u8 %r0, [%a0+252];"});
}

// Reads the neighbor's word, after a barrier or not.
std::string exchanged(const std::string &space, const std::string &barrier, int distance)
{
  const std::string at = space == "shared" ? ".shared .b32 s[128]; mov.u64 %l0, s; " : "mov.u64 %l0, %a0; ";
  return at + "add.u64 %l1, %l0, %l19; st." + space + ".u32 [%l1], %r19; " + barrier + " xor.b32 %r1, %r19, " +
         std::to_string(distance) + "; mul.wide.u32 %l2, %r1, 4; add.u64 %l2, %l0, %l2; ld." + space +
         ".u32 %r2, [%l2];";
}
TEST(Defects, RacesInATeam)
{
  for (const std::string space : {"shared", "global"}) {
    const std::string kind = space == "shared" ? "shared race" : "global race in a team";
    // Between lanes of a warp, and between warps.
    expect_defect(kind, {exchanged(space, "", 1), 1, 64}, {exchanged(space, "bar.warp.sync -1;", 1), 1, 64});
    expect_defect(kind, {exchanged(space, "", 1), 1, 64}, {exchanged(space, "bar.sync 0;", 1), 1, 64});
    expect_defect(kind, {exchanged(space, "bar.warp.sync -1;", 32), 1, 64},
                  {exchanged(space, "bar.sync 0;", 32), 1, 64});
    expect_defect(kind, {exchanged(space, "membar.gl;", 32), 1, 64}, {exchanged(space, "bar.sync 0;", 32), 1, 64});
    // All threads write one word; only atomics may do so.
    const std::string at = space == "shared"
                             ? ".shared .b32 s[128]; mov.u64 %l0, s; st.shared.u32 [%l0], 0; bar.sync 0;"
                             : "mov.u64 %l0, %a0;";
    expect_defect(kind, {at + "st." + space + ".u32 [%l0], %r19;", 1, 64},
                  {at + "red." + space + ".add.u32 [%l0], %r19;", 1, 64});
    // Reads and writes without a barrier.
    const std::string both = at +
                             " add.u64 %l1, %l0, %l19; xor.b32 %r1, %r19, 32; mul.wide.u32 %l2, %r1, 4; add.u64 %l2, "
                             "%l0, %l2; add.u32 %r5, %r19, 100;"
                             "st." +
                             space + ".u32 [%l2], %r19; bar.sync 0; ld." + space + ".u32 %r2, [%l2]; BARRIER st." +
                             space + ".u32 [%l1], %r5;";
    const auto with = [&](const std::string &barrier) {
      std::string s = both;
      return s.replace(s.find("BARRIER"), 7, barrier);
    };
    expect_defect(kind, {with(""), 1, 64}, {with("bar.sync 0;"), 1, 64});
  }
}

// The first warp or team writes and sets a flag; the other waits for the flag and reads.
std::string handed_over(const std::string &is_first, const std::string &before, const std::string &flag_store,
                        const std::string &flag_load, const std::string &after)
{
  return is_first +
         " mov.u64 %l1, flag; cvta.to.global.u64 %l1, %l1; mov.u32 %r1, 7; mov.u32 %r5, 1; @!%p0 bra W; "
         "st.global.u32 [%a0], %r1; " +
         before + " " + flag_store + " [%l1], %r5; bra E; W: " + flag_load +
         " %r3, [%l1]; setp.eq.u32 %p1, %r3, 0; @%p1 bra W; " + after + " ld.global.u32 %r4, [%a0]; E:";
}
TEST(Defects, FlagsWithoutFences)
{
  const std::string team = "setp.eq.u32 %p0, %r18, 0;",
                    warp = "setp.lt.u32 %p0, %r19, 32; rem.u32 %r6, %r19, 32; setp.ne.u32 %p2, %r6, 0; @%p2 bra E;";
  for (const bool teams : {true, false}) {
    const auto c = [&](const std::string &before, const std::string &store, const std::string &load,
                       const std::string &after) {
      return Case{handed_over(teams ? team : warp, before, store, load, after), teams ? 2u : 1u, teams ? 1u : 64u};
    };
    const std::string kind = teams ? "global race in a grid" : "global race in a team";
    const Case fences = c("membar.gl;", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", "membar.gl;"),
               orders = c("", "st.release.gpu.global.u32", "ld.acquire.gpu.global.u32", "");
    expect_defect(kind, c("", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", "membar.gl;"), fences);
    expect_defect(kind, c("membar.gl;", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", ""), fences);
    // A fence of the team is enough for its own warps.
    const Case of_team = c("membar.cta;", "st.relaxed.gpu.global.u32", "ld.relaxed.gpu.global.u32", "membar.cta;");
    if (teams) expect_defect(kind, of_team, fences);
    else EXPECT_TRUE(outcome_of(of_team).reports.empty());
    expect_defect(kind, c("", "st.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32", ""), orders);
    expect_defect(kind, c("", "st.release.gpu.global.u32", "ld.relaxed.gpu.global.u32", ""), orders);
  }
}

TEST(Defects, TeamsThatMeet)
{
  expect_defect("global race in a grid (write after write)", {"st.global.u32 [%a0], %r18;", 2, 1},
                {"red.global.add.u32 [%a0], %r18;", 2, 1});
  expect_defect("ld.nc of what the grid has written", {"st.global.u32 [%a0], 5; ld.global.nc.u32 %r0, [%a0];"},
                {"st.global.u32 [%a0], 5; ld.global.nc.u32 %r0, [%a0+4];"});
}

TEST(Defects, Barriers)
{
  const std::string half = "setp.lt.u32 %p0, %r19, 16; ";
  expect_defect("divergent bar.sync", {half + "@%p0 bra A; bar.sync 0; bra E; A: bar.sync 0; E:", 1, 32},
                {"bar.sync 0;", 1, 32});
  expect_defect("bar.sync without lanes that have ended", {half + "@!%p0 exit; bar.sync 0;", 1, 32},
                {"bar.sync 0; " + half + "@!%p0 exit;", 1, 32});
  expect_defect("lane not in its own mask", {"bar.warp.sync 0xffff;", 1, 32},
                {half + "@%p0 bar.warp.sync 0xffff;", 1, 32});
  expect_defect(
    "divergent warp-wide instruction",
    {half + "@%p0 bra A; shfl.sync.idx.b32 %r0, %r19, 1, 31, -1; bra E; A: vote.sync.any.pred %p1, %p0, -1; E:", 1,
     32},
    {"shfl.sync.idx.b32 %r0, %r19, 1, 31, -1; vote.sync.any.pred %p1, %p0, -1;", 1, 32});
  expect_defect("shfl from a lane that is not there",
                {half + "@%p0 shfl.sync.idx.b32 %r0, %r19, 20, 31, 0xffff;", 1, 32},
                {half + "@%p0 shfl.sync.idx.b32 %r0, %r19, 2, 31, 0xffff;", 1, 32});
  expect_defect(
    "cp.async not waited for at exit",
    {".shared .align 16 .b8 s[16]; mov.u32 %r0, s; cp.async.ca.shared.global [%r0], [%a0], 4;"},
    {".shared .align 16 .b8 s[16]; mov.u32 %r0, s; cp.async.ca.shared.global [%r0], [%a0], 4; cp.async.wait_all;"});
}

TEST(Defects, DeadlockAndLivelock)
{
  // Half a warp waits for the other half, which waits for the team.
  const std::string half = "setp.lt.u32 %p0, %r19, 16; ";
  expect_defect("deadlock", {half + "@%p0 bra A; bar.warp.sync -1; bra E; A: bar.sync 0; E:", 1, 32},
                {half + "@%p0 bra A; A: bar.warp.sync -1; bar.sync 0;", 1, 32});
  const long limit = opt().limit;
  opt().limit = 100000;
  const std::string wait = "mov.u64 %l1, flag; cvta.to.global.u64 %l1, %l1; W: ld.relaxed.gpu.global.u32 %r0, [%l1]; "
                           "setp.eq.u32 %p0, %r0, WANTED; @%p0 bra W;";
  const auto until = [&](const std::string &what) {
    std::string s = wait;
    return Case{s.replace(s.find("WANTED"), 6, what)};
  };
  expect_defect("livelock", until("0"), until("1"));
  opt().limit = limit;
}

// Two kernels that may overlap: the second must wait before it reads the results of the first.
TEST(Defects, KernelsThatDoNotWait)
{
  for (const bool waits : {false, true}) {
    Buffer words(256);
    words.write(std::vector<u32>(64, 1));
    const Kernel writes(kernel_of(1, "griddepcontrol.launch_dependents; mov.u32 %r0, 5; st.global.u32 [%a0], %r0;")),
      reads(kernel_of(1, std::string(waits ? "griddepcontrol.wait;" : "") +
                           "ld.global.u32 %r0, [%a0]; add.u32 %r0, %r0, 1; st.global.u32 [%a0+4], %r0;"));
    std::vector<std::unique_ptr<Grid>> grids;
    grids.push_back(writes.grid(1, 1, {words.at}));
    grids.push_back(reads.grid(1, 1, {words.at}));
    grids[1]->early.push_back(grids[0].get());
    const Outcome o = run(std::move(grids));
    EXPECT_EQ(o.reported("overlap of kernels"), !waits);
    EXPECT_EQ(words.read<u32>(1), waits ? 6u : 2u);
  }
}
} // namespace
