// SPDX-License-Identifier: BSD-2-Clause
// Reads one instruction of PTX: the input are its words, the output is an instruction of program.hpp.
#pragma once
#include "parser.hpp"

namespace sim
{

struct Reader {
  Parser &parser;
  size_t &i; // the next word
  const std::string &end_label;
  Ins in;
  std::vector<std::string_view> pieces; // of the opcode, between dots
  std::vector<Ty> types;
  size_t begin = 0; // index of the opcode

  std::string_view word() const { return parser.tok[i].t; }
  bool has(std::string_view piece) const;
  bool next_is(std::string_view t) const { return word() == t; }
  bool take(std::string_view t); // true if it was there
  void comma();
  void destination();
  void source(Ty t) { in.s[in.ns++] = parser.operand(i, t); }
  void sources(int count, Ty t); // each after a comma
  void predicate();              // a source that may be negated
  void list(bool written);       // {a, b}, or one operand
  void address();                // [register + offset], [symbol + offset] or [number]
  Space space() const;
  void fix(int slot, const std::string &label)
  {
    parser.fixes.push_back({int(parser.c.ins.size()), slot, label, parser.label_scope});
  }
  void skip(); // the rest of its words
  void finish();
  void unknown(); // the instruction stops the kernel when it is executed

  void simple(Op op, int count, Ty of_sources = NOTY);
};

// A known instruction: `modifiers` and `types` are all that it may have, separated by blanks.
struct Opcode {
  std::string_view name, modifiers, types;
  void (*read)(Reader &);
};
// Sorted by their effect: read_arithmetic.cpp, read_memory.cpp, read_control.cpp.
std::vector<Opcode> arithmetic_opcodes();
std::vector<Opcode> memory_opcodes();
std::vector<Opcode> control_opcodes();
const std::vector<Opcode> &opcodes();

// If set, collects NAME.PIECE of all that has been read (tests/ptx/oracle).
inline std::vector<std::string> *pieces_read = nullptr;

} // namespace sim
