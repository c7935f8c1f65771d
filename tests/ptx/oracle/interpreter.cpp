// SPDX-License-Identifier: BSD-2-Clause
// Runs handwritten kernels, and generates operands for which instructions differ.
#include "interpreter.hpp"

namespace test
{

Kernel::Kernel(std::string text)
{
  static int count = 0; // a report is printed once for each kernel name and line
  const std::string name = "kernel" + std::to_string(++count);
  for (size_t at; (at = text.find("NAME")) != text.npos;) text.replace(at, 4, name);
  module->text = std::move(text);
  code = module->find(name);
}

std::unique_ptr<Grid> Kernel::grid(u32 teams, u32 threads, const std::vector<u64> &arguments, u64 dynamic_bytes) const
{
  std::vector<u8> parameters(arguments.size() * 8);
  memcpy(parameters.data(), arguments.data(), parameters.size());
  return make_grid(*code, {teams, 1, 1}, {threads, 1, 1}, dynamic_bytes, parameters);
}

Outcome run(std::vector<std::unique_ptr<Grid>> grids)
{
  Outcome outcome;
  kinds_reported = &outcome.reports;
  try {
    machine().run(grids);
  } catch (const Trap &t) {
    outcome.trap = t.what;
  } catch (const std::exception &e) {
    outcome.trap = e.what();
  }
  kinds_reported = nullptr;
  return outcome;
}

Outcome run(const std::string &text, u32 teams, u32 threads, const std::vector<u64> &arguments, u64 dynamic_bytes)
{
  const Kernel k(text);
  std::vector<std::unique_ptr<Grid>> grids;
  grids.push_back(k.grid(teams, threads, arguments, dynamic_bytes));
  return run(std::move(grids));
}

std::string kernel_of(int parameters, const std::string &body, const std::string &variables)
{
  std::string s = ".version 8.0\n.target sm_90\n.address_size 64\n" + variables + "\n.visible .entry NAME(";
  for (int k = 0; k < parameters; ++k) s += (k ? ", .param .u64 a" : ".param .u64 a") + std::to_string(k);
  s += ")\n{\n.reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<20>;\n.reg .b64 %l<20>;\n.reg .f32 %f<20>;\n"
       ".reg .f64 %d<20>;\n.reg .b64 %a<8>;\n";
  for (int k = 0; k < parameters; ++k)
    s += "ld.param.u64 %a" + std::to_string(k) + ", [a" + std::to_string(k) + "];\n";
  return s + body + "\nret;\n}\n";
}

std::vector<u64> evaluate(const std::string &text, const std::string &result,
                          const std::vector<std::string> &operands, const std::vector<Row> &rows)
{
  std::string body = ".reg .b32 %z<4>;\n.reg .b64 %y<4>;\n.reg ." + result + " %x0;\n", instruction = text;
  for (size_t k = 0; k < operands.size(); ++k) body += ".reg ." + operands[k] + " %x" + std::to_string(k + 1) + ";\n";
  body += "mov.u32 %z0, %ctaid.x;\nmov.u32 %z1, %ntid.x;\nmov.u32 %z2, %tid.x;\nmad.lo.u32 %z0, %z0, %z1, %z2;\n"
          "mul.wide.u32 %y0, %z0, 32;\nadd.u64 %y0, %y0, %a0;\nmul.wide.u32 %y1, %z0, 8;\nadd.u64 %y1, %y1, %a1;\n";
  for (size_t k = 0; k < operands.size(); ++k) {
    const std::string x = "%x" + std::to_string(k + 1), at = "[%y0+" + std::to_string(8 * k) + "];\n";
    if (operands[k] == "pred") body += "ld.global.b32 %z3, " + at + "setp.ne.u32 " + x + ", %z3, 0;\n";
    else body += "ld.global." + operands[k] + " " + x + ", " + at;
  }
  for (size_t k = 0; k <= operands.size(); ++k) {
    const std::string place = "{" + std::to_string(k) + "}";
    for (size_t at; (at = instruction.find(place)) != instruction.npos;)
      instruction.replace(at, 3, "%x" + std::to_string(k));
  }
  body += instruction + "\n";
  if (result == "pred") body += "selp.b32 %z3, 1, 0, %x0;\nst.global.b32 [%y1], %z3;\n";
  else body += "st.global." + result + " [%y1], %x0;\n";

  const u32 teams = u32((rows.size() + 63) / 64);
  Buffer in(teams * 64 * 32), out(teams * 64 * 8);
  std::vector<u64> all;
  for (size_t k = 0; k < teams * 64; ++k)
    for (const u64 x : rows[std::min(k, rows.size() - 1)]) all.push_back(x);
  in.write(all);
  memset(out.here(), 0, out.bytes);
  const Outcome o = run(kernel_of(2, body), teams, 64, {in.at, out.at});
  EXPECT_EQ(o.trap, "") << text;
  EXPECT_TRUE(o.reports.empty()) << text;
  std::vector<u64> results;
  for (size_t k = 0; k < rows.size(); ++k) results.push_back(out.read<u64>(k));
  return results;
}

void expect(const std::string &text, const std::string &result, const std::vector<std::string> &operands,
            const std::vector<Row> &rows, const std::function<u64(const Row &)> &oracle, bool of_doubles)
{
  const std::vector<u64> got = evaluate(text, result, operands, rows);
  for (size_t k = 0; k < rows.size(); ++k) {
    const u64 wanted = oracle(rows[k]);
    const auto nan = [](u64 x) { return (x & ~(1ull << 63)) > 0x7ff0000000000000ull; };
    if (got[k] == wanted || (of_doubles && nan(got[k]) && nan(wanted))) continue;
    ADD_FAILURE() << text << std::hex << " of " << rows[k][0] << ", " << rows[k][1] << ", " << rows[k][2] << ", "
                  << rows[k][3] << " is " << got[k] << ", not " << wanted;
    return;
  }
}

std::vector<Row> rows_of(const std::vector<std::vector<u64>> &values)
{
  std::vector<Row> rows{{}};
  for (size_t k = 0; k < values.size(); ++k) {
    std::vector<Row> more;
    for (Row r : rows)
      for (const u64 v : values[k]) {
        r[k] = v;
        more.push_back(r);
      }
    rows.swap(more);
  }
  return rows;
}

std::vector<u64> integers(int width)
{
  std::vector<u64> v;
  const u64 top = 1ull << (width - 1), all = ones(width);
  for (const u64 x :
       {u64(0), u64(1), u64(2), u64(3), u64(0x7f), u64(0x80), u64(0xff), top - 1, top, top + 1, all, all - 1, all - 2,
        0x123456789abcdef0 & all, 0xfedcba9876543211 & all, (all >> width / 2), u64(1) << width / 2})
    v.push_back(x & all);
  return v;
}

std::vector<u64> floats(int width)
{
  if (width == 16)
    return {0,      0x8000, 0x3c00, 0xbc00, 1,      0x8001, 0x3ff,  0x400,
            0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3555, 0x6401, 0xd3ff};
  std::vector<u64> v;
  for (const double x : {0.,     -0.,    1.,        -1.,   1.5,    -2.5,         0.1,           3.14159265358979,
                         1e-20,  -1e20,  16777217., 0.5,   -0.5,   4294967296.5, 2147483647.75, -2147483648.5,
                         9.3e18, -1e300, 1e38,      254.5, -128.5, 65519.9,      1e-7})
    v.push_back(width == 32 ? bits_of(float(x)) : bits_of(x));
  if (width == 32)
    for (const u64 x : {0x00000001u, 0x80000001u, 0x007fffffu, 0x00800000u, 0x7f7fffffu, 0x7f800000u, 0xff800000u,
                        0x7fc00000u, 0x3f800001u, 0x33000001u})
      v.push_back(x);
  else
    for (const u64 x : {0x1ull, 0x8000000000000001ull, 0x000fffffffffffffull, 0x0010000000000000ull,
                        0x7fefffffffffffffull, 0x7ff0000000000000ull, 0xfff0000000000000ull, 0x7ff8000000000000ull,
                        0x3ff0000000000001ull, 0x36a0000000000001ull, 0x380fffffffffffffull})
      v.push_back(x);
  return v;
}
} // namespace test
