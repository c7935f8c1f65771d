// SPDX-License-Identifier: BSD-2-Clause
// Handwritten kernels for tests of the interpreter: the input is PTX, the output are the memory afterwards and the
// reports.
#pragma once
#include "machine.hpp"
#include "reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace test
{
using namespace sim;

template <class T> T as(u64 bits)
{
  T t;
  memcpy(&t, &bits, sizeof t);
  return t;
}
template <class T> u64 bits_of(T t)
{
  u64 v = 0;
  memcpy(&v, &t, sizeof t);
  return v;
}

// Device memory, freed by the destructor.
struct Buffer {
  u64 at, bytes;
  explicit Buffer(u64 n) : at(mem().allocate(n, true)), bytes(n) {}
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { mem().release(at); }
  u8 *here() const { return mem().alias + (at - mem().base); }
  template <class T> void write(const std::vector<T> &v)
  {
    memcpy(here(), v.data(), v.size() * sizeof(T));
    mem().fill(at, v.size() * sizeof(T));
  }
  template <class T> T read(size_t i) const
  {
    T t;
    memcpy(&t, here() + i * sizeof(T), sizeof t);
    return t;
  }
};

struct Outcome {
  std::string trap;                 // reason of a trap; empty: none
  std::vector<std::string> reports; // kinds
  bool reported(const std::string &kind) const
  {
    for (const std::string &r : reports)
      if (r.find(kind) != r.npos) return true;
    return false;
  }
};

// A kernel of a module. NAME in the text is replaced by its name, which is unique.
struct Kernel {
  std::unique_ptr<Module> module = std::make_unique<Module>();
  Code *code = nullptr;
  explicit Kernel(std::string text);
  std::unique_ptr<Grid> grid(u32 teams, u32 threads, const std::vector<u64> &arguments, u64 dynamic_bytes = 0) const;
};
// Grids in the order of their launches.
Outcome run(std::vector<std::unique_ptr<Grid>> grids);
Outcome run(const std::string &text, u32 teams, u32 threads, const std::vector<u64> &arguments,
            u64 dynamic_bytes = 0);

// A kernel with this number of 64-bit parameters %a0..., and registers %r, %l (64 bits), %h (16), %f, %d, %p, 20 of
// each.
std::string kernel_of(int parameters, const std::string &body, const std::string &variables = "");

// Executes one instruction for each row of operands. Types are b16, b32, b64 or pred; {0} in the text is the result,
// {1}... are operands.
using Row = std::array<u64, 4>;
std::vector<u64> evaluate(const std::string &text, const std::string &result,
                          const std::vector<std::string> &operands, const std::vector<Row> &rows);

// Compares with an oracle, for all rows. If a NaN of a double is expected, any NaN passes.
void expect(const std::string &text, const std::string &result, const std::vector<std::string> &operands,
            const std::vector<Row> &rows, const std::function<u64(const Row &)> &oracle, bool of_doubles = false);

// All combinations of values.
std::vector<Row> rows_of(const std::vector<std::vector<u64>> &values);
std::vector<u64> integers(int width); // values for which instructions differ
std::vector<u64> floats(int width);   // 16 is IEEE's half
inline u64 ones(int width) { return width == 64 ? ~0ull : (1ull << width) - 1; }
// Width of a type, such as u32 or bf16.
inline int width_of(const std::string &t) { return std::stoi(t.substr(t.find_first_of("1368"))); }
// Extends x of a type to a register of `width` bits.
inline u64 extended(u64 x, const std::string &t, int width)
{
  const int w = width_of(t);
  x &= ones(w);
  if (t[0] == 's' && x >> (w - 1) & 1) x |= ~ones(w);
  return x & ones(width);
}
inline std::string type(char kind, int width) { return kind + std::to_string(width); }
inline std::string joined(const std::vector<std::string> &all)
{
  std::string s;
  for (const auto &a : all) s += a;
  return s;
}
} // namespace test
