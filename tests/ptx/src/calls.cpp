// SPDX-License-Identifier: BSD-2-Clause
// Calls: the function's instructions are inlined, with its parameters as variables of the caller. printf and
// assertions are instructions.
#include "parser.hpp"

namespace sim
{

void Parser::call(size_t &i, Ins in, const std::string &)
{
  // call{.uni} (ret), name, (params);  or  name, (params);
  std::vector<std::string> rets, args;
  if (tok[i].t == "(") {
    ++i;
    while (tok[i].t != ")") {
      if (tok[i].t != ",") rets.push_back(std::string(tok[i].t));
      ++i;
    }
    ++i;
    if (tok[i].t == ",") ++i;
  }
  std::string name(tok[i++].t);
  if (tok[i].t == ",") ++i;
  if (tok[i].t == "(") {
    ++i;
    while (tok[i].t != ")") {
      if (tok[i].t != ",") args.push_back(std::string(tok[i].t));
      ++i;
    }
    ++i;
  }
  while (tok[i].t != ";") ++i;
  ++i;
  auto f = m.funcs.find(name);
  if (name == "vprintf" || name == "__assertfail") {
    in.op = name == "vprintf" ? O_PRINTF : O_ASSERT;
    for (auto &a : args) {
      Symbol *s = lookup(a);
      in.s[in.ns++] = imm(s->addr);
    }
    emit(in);
    return;
  }
  if (name == "nanosleep") return;
  if (f == m.funcs.end() || !f->second.has_body) {
    in.op = O_UNKNOWN;
    in.text = "call of " + name;
    emit(in);
    return;
  }
  if (++depth > 24) fail("recursion in " + c.name + " at " + name);
  int skip = -1;
  if (in.pred >= 0) {
    Ins b = in;
    b.op = O_BRA;
    b.pneg = !in.pneg;
    skip = int(c.ins.size());
    emit(b);
  }
  const Decl &d = f->second;
  // bind parameters
  auto old_scopes = std::move(scopes);
  scopes.clear();
  scopes.push_back(std::make_unique<Scope>());
  // static shared of the entry scope stay visible
  for (auto &s : old_scopes.front()->syms)
    if (s.second.space == SHARED) scopes.back()->syms.insert(s);
  auto find_old = [&](const std::string &n) -> Symbol {
    for (size_t k = old_scopes.size(); k-- > 0;) {
      auto it = old_scopes[k]->syms.find(n);
      if (it != old_scopes[k]->syms.end()) return it->second;
    }
    fail("no argument " + n);
  };
  auto names = [&](size_t b, size_t e) {
    std::vector<std::string> r;
    for (size_t k = b; k < e; ++k) {
      std::string_view t = tok[k].t;
      if (t[0] != '.' && t[0] != '(' && t[0] != ')' && t[0] != ',' && t[0] != '[' && t[0] != ']' &&
          !isdigit((unsigned char)t[0]))
        r.push_back(std::string(t));
    }
    return r;
  };
  // the return parameter is between .func ( and )
  size_t k = d.begin + 1;
  if (tok[k].t == ".noreturn") ++k;
  if (tok[k].t == "(") {
    size_t e = k;
    while (tok[e].t != ")") ++e;
    auto n = names(k, e);
    for (size_t q = 0; q < n.size() && q < rets.size(); ++q) scopes.back()->syms[n[q]] = find_old(rets[q]);
  }
  if (d.params) {
    size_t e = d.params;
    int dep = 0;
    do {
      if (tok[e].t == "(") ++dep;
      if (tok[e].t == ")") --dep;
      ++e;
    } while (dep);
    auto n = names(d.params, e);
    for (size_t q = 0; q < n.size() && q < args.size(); ++q) scopes.back()->syms[n[q]] = find_old(args[q]);
  }
  const int old_ls = label_scope;
  label_scopes.emplace_back();
  label_scope = int(label_scopes.size()) - 1;
  size_t b = d.body;
  block(b, "@end");
  label_scopes[label_scope]["@end"] = int(c.ins.size());
  if (skip >= 0) c.ins[skip].target = int(c.ins.size());
  Ins nop;
  nop.op = O_NOP;
  nop.text = "end of " + name;
  emit(nop);
  label_scope = old_ls;
  scopes = std::move(old_scopes);
  --depth;
}
} // namespace sim
