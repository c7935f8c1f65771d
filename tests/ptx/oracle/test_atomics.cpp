// SPDX-License-Identifier: BSD-2-Clause
// Atomics of all types, and asynchronous copies.
#include "interpreter.hpp"

using namespace test;

namespace
{

// Atomics of one lane: the result is the old value, and memory has the new one.
u64 changed(const std::string &op, const std::string &t, u64 x, u64 y, u64 z)
{
  const int w = width_of(t);
  if (t == "f32") return bits_of(as<float>(x) + as<float>(y));
  if (t == "f64") return bits_of(as<double>(x) + as<double>(y));
  const auto less = [&](u64 a, u64 b) {
    return t[0] == 's' ? s64(extended(a, t, 64)) < s64(extended(b, t, 64)) : a < b;
  };
  const u64 r = op == "add"    ? x + y
                : op == "min"  ? (less(y, x) ? y : x)
                : op == "max"  ? (less(x, y) ? y : x)
                : op == "exch" ? y
                : op == "cas"  ? (x == y ? z : x)
                : op == "and"  ? x & y
                : op == "or"   ? x | y
                : op == "xor"  ? x ^ y
                : op == "inc"  ? (x >= y ? 0 : x + 1)
                               : (x == 0 || x > y ? y : x - 1);
  return r & ones(w);
}
void check_atomic(const std::string &op, const std::string &t, const std::string &modifiers, bool reduces,
                  bool shared)
{
  const int w = width_of(t);
  const std::string r = t == "f32" ? "%f" : t == "f64" ? "%d" : w == 32 ? "%r" : "%l", b = "b" + std::to_string(w);
  const std::string old = reduces ? "" : r + "0, ", third = op == "cas" ? ", " + r + "3" : "",
                    at = shared ? "[s]" : "[%a0]";
  const std::string load = "ld.global." + b + " ",
                    text =
                      load + r + "1, [%a1]; " + load + r + "2, [%a1+8]; " + load + r + "3, [%a1+16]; mov." + b + " " +
                      r + "0, " + r + "1; " +
                      (shared ? "st.shared." + b + " [s], " + r + "1; " : "st.global." + b + " [%a0], " + r + "1; ") +
                      (reduces ? "red" : "atom") + modifiers + "." + op + "." + t + " " + old + at + ", " + r + "2" +
                      third + "; " +
                      (shared ? "ld.shared." + b + " " + r + "4, [s]; st.global." + b + " [%a0], " + r + "4; " : "") +
                      "st.global." + b + " [%a0+8], " + r + "0;";
  const std::vector<u64> values = t[0] == 'f' ? floats(w) : integers(w);
  for (size_t k = 0; k < values.size(); ++k) {
    const u64 x = values[k], y = values[(k * 7 + 3) % values.size()], z = values[(k * 5 + 1) % values.size()];
    const u64 second = op == "cas" && k % 2 ? x : y;
    Buffer out(16), in(24);
    in.write<u64>({x, second, z});
    out.write<u64>({0, 0});
    const Outcome o = run(kernel_of(2, ".shared .align 8 .b64 s; " + text), 1, 1, {out.at, in.at});
    ASSERT_EQ(o.trap, "") << text;
    const u64 wanted = changed(op, t, x, second, z), got = out.read<u64>(0) & ones(w);
    const bool nan =
      t[0] == 'f' && (t == "f32" ? as<float>(wanted) != as<float>(wanted) : as<double>(wanted) != as<double>(wanted));
    if (!nan) {
      ASSERT_EQ(got, wanted) << op << t << " " << std::hex << x << " " << second;
    }
    ASSERT_EQ(out.read<u64>(1) & ones(w), x) << op << t;
  }
}
TEST(Atomics, OfAllTypes)
{
  const std::pair<std::string, std::vector<std::string>> all[] = {{"add", {"u32", "s32", "u64", "f32", "f64"}},
                                                                  {"min", {"u32", "s32", "u64", "s64"}},
                                                                  {"max", {"u32", "s32", "u64", "s64"}},
                                                                  {"exch", {"b32", "b64"}},
                                                                  {"cas", {"b32", "b64"}},
                                                                  {"and", {"b32", "b64"}},
                                                                  {"or", {"b32", "b64"}},
                                                                  {"xor", {"b32", "b64"}},
                                                                  {"inc", {"u32"}},
                                                                  {"dec", {"u32"}}};
  for (const auto &[op, types] : all)
    for (const std::string &t : types)
      for (const bool reduces : {false, true}) {
        if (reduces && (op == "exch" || op == "cas")) continue;
        check_atomic(op, t, ".global", reduces, false);
        check_atomic(op, t, "", reduces, false);
        check_atomic(op, t, ".shared", reduces, true);
      }
  for (const std::string m : {".relaxed.gpu", ".acquire.gpu", ".release.sys", ".acq_rel.cta", ".relaxed.shared::cta"})
    check_atomic("add", "u32", m, false, m.ends_with("shared::cta"));
  for (const std::string m : {".relaxed.gpu", ".release.sys", ".relaxed.cta", ".relaxed.shared::cta"})
    check_atomic("add", "u32", m, true, m.ends_with("shared::cta"));
}

TEST(Atomics, CountAllThreads)
{
  Buffer out(8), seen(1000 * 4);
  out.write<u32>({0, 0});
  const Outcome o =
    run(kernel_of(2, "atom.global.add.u32 %r0, [%a0], 1; red.global.max.u32 [%a0+4], %r0; mul.wide.u32 %l0, %r0, 4;"
                     "add.u64 %l0, %l0, %a1; st.global.u32 [%l0], %r0;"),
        10, 100, {out.at, seen.at});
  EXPECT_EQ(o.trap, "");
  EXPECT_TRUE(o.reports.empty());
  EXPECT_EQ(out.read<u32>(0), 1000u);
  EXPECT_EQ(out.read<u32>(1), 999u);
  for (u32 k = 0; k < 1000; ++k) ASSERT_EQ(seen.read<u32>(k), k); // each number was drawn once
}

// Copies run concurrently with the kernel. After its wait the data is there, and zeros behind it.
TEST(Copies, Asynchronous)
{
  for (const std::string wait : {"cp.async.commit_group; cp.async.wait_group 0;", "cp.async.wait_all;"})
    for (const std::string how :
         {"cp.async.ca.shared.global", "cp.async.cg.shared.global", "cp.async.ca.shared::cta.global.L2::128B",
          "cp.async.cg.shared.global.L2::64B", "cp.async.cg.shared.global.L2::256B"})
      for (const std::string there : {"", ", 12", ", 0"}) {
        Buffer in(16), out(16);
        in.write<u32>({1, 2, 3, 4});
        const Outcome o = run(
          kernel_of(
            2, ".shared .align 16 .b8 s[32]; mov.u32 %r9, s; " + how + " [%r9+16], [%a0], 16" + there + "; " + wait +
                 " ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r9+16]; st.global.v4.u32 [%a1], {%r0, %r1, %r2, %r3};"),
          1, 1, {in.at, out.at});
        EXPECT_EQ(o.trap, "") << how << there;
        const u32 n = there.empty() ? 4 : there == ", 12" ? 3 : 0;
        for (u32 k = 0; k < 4; ++k) EXPECT_EQ(out.read<u32>(k), k < n ? k + 1 : 0) << how << there;
      }
}

// One group may be pending: the second copy has not been made.
TEST(Copies, OfTheLatestGroupMayStay)
{
  Buffer in(8), out(8);
  in.write<u32>({1, 2});
  const Outcome o = run(
    kernel_of(
      2,
      ".shared .align 16 .b8 s[32]; mov.u32 %r9, s; cp.async.ca.shared.global [%r9], [%a0], 4; cp.async.commit_group;"
      "cp.async.ca.shared.global [%r9+4], [%a0+4], 4; cp.async.commit_group; cp.async.wait_group 1;"
      "ld.shared.v2.u32 {%r0, %r1}, [%r9]; st.global.v2.u32 [%a1], {%r0, %r1}; cp.async.wait_all;"),
    1, 1, {in.at, out.at});
  EXPECT_EQ(o.trap, "");
  EXPECT_EQ(out.read<u32>(0), 1u);
  EXPECT_EQ(out.read<u32>(1), 0xfbfbfbfbu);
}
} // namespace
