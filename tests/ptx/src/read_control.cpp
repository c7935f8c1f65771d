// SPDX-License-Identifier: BSD-2-Clause
// Reads the operands of instructions for control flow and for the lanes of a warp. warp.cpp and execute.cpp execute
// them.
#include "reader.hpp"

namespace sim
{

namespace
{
template <Op op> void plain(Reader &r)
{
  r.in.op = op;
  r.finish();
}
void bra(Reader &r)
{
  r.in.op = O_BRA;
  r.fix(-1, std::string(r.word()));
  ++r.i;
  r.finish();
}
void brx(Reader &r)
{
  r.in.op = O_BRX;
  r.source(U32);
  r.comma();
  const Symbol *s = r.parser.lookup(std::string(r.word()));
  if (!s || !s->is_label_list) r.parser.where("branch targets", r.i);
  r.in.targets.resize(s->labels.size());
  for (size_t k = 0; k < s->labels.size(); ++k) r.fix(int(k), s->labels[k]);
  ++r.i;
  r.finish();
}
void ret(Reader &r)
{
  r.in.op = O_RET;
  if (!r.end_label.empty()) { // of a function, which is inlined
    r.in.op = O_BRA;
    r.fix(-1, r.end_label);
  }
  r.finish();
}
void call(Reader &r) { r.parser.call(r.i, r.in, r.end_label); }
void barrier(Reader &r)
{
  Ins &in = r.in;
  if (r.has("warp")) {
    in.op = O_BARWARP;
    r.source(U32);
    return r.finish();
  }
  if (r.has("red")) {
    in.op = O_BARRED;
    in.mode = r.has("and") ? 0 : r.has("or") ? 1 : 2;
    r.destination();
    r.sources(1, U32);
    r.comma();
    r.predicate();
    if (!r.next_is(";")) return r.unknown();
    return r.finish();
  }
  if (!r.has("sync")) return r.unknown();
  in.op = O_BAR;
  in.aligned = r.pieces[0] == "bar" || r.has("aligned");
  r.source(U32);
  if (r.next_is(",")) r.sources(1, U32);
  r.finish();
}
void nanosleep(Reader &r)
{
  r.in.op = O_NANOSLEEP;
  r.skip();
  r.finish();
}
void shfl(Reader &r)
{
  r.in.op = O_SHFL;
  r.in.mode = r.has("up") ? 0 : r.has("down") ? 1 : r.has("bfly") ? 2 : 3;
  if (!r.has("sync")) return r.unknown();
  r.destination();
  if (r.take("|")) r.destination();
  r.sources(4, U32);
  r.finish();
}
void vote(Reader &r)
{
  r.in.op = O_VOTE;
  r.in.mode = r.has("all") ? 0 : r.has("any") ? 1 : r.has("uni") ? 2 : 3;
  if (!r.has("sync")) return r.unknown();
  r.destination();
  r.comma();
  r.predicate();
  r.sources(1, U32);
  r.finish();
}
void match(Reader &r)
{
  r.in.op = O_MATCH;
  r.in.mode = r.has("all");
  r.destination();
  if (r.take("|")) r.destination();
  r.sources(1, r.in.ty);
  r.sources(1, U32);
  r.finish();
}
void redux(Reader &r)
{
  static const char *names[] = {"add", "min", "max", "exch", "cas", "and", "or", "xor"};
  for (int q = 0; q < 8; ++q)
    if (r.has(names[q])) r.in.aop = u8(q);
  r.in.op = O_REDUX;
  r.destination();
  r.sources(1, r.in.ty);
  r.sources(1, U32);
  r.finish();
}
void activemask(Reader &r)
{
  r.in.op = O_ACTIVEMASK;
  r.destination();
  r.finish();
}
void griddepcontrol(Reader &r)
{
  r.in.op = r.has("wait") ? O_GDC_WAIT : O_GDC_LAUNCH;
  r.finish();
}
} // namespace

std::vector<Opcode> control_opcodes()
{
  return {
    {"bra", "uni", "", bra},
    {"brx", "idx uni", "", brx},
    {"ret", "uni", "", ret},
    {"exit", "", "", plain<O_RET>},
    {"trap", "", "", plain<O_TRAP>},
    {"brkpt", "", "", plain<O_TRAP>},
    {"call", "uni", "", call},
    {"bar", "sync warp red cta and or popc", "pred u32", barrier},
    {"barrier", "sync cta aligned red and or popc", "pred u32", barrier},
    {"nanosleep", "", "u32", nanosleep},
    {"shfl", "sync up down bfly idx", "b32", shfl},
    {"vote", "sync all any uni ballot", "pred b32", vote},
    {"match", "sync any all", "b32 b64", match},
    {"redux", "sync add min max and or xor", "b32 u32 s32", redux},
    {"activemask", "", "b32", activemask},
    {"griddepcontrol", "wait launch_dependents", "", griddepcontrol},
  };
}
} // namespace sim
