// SPDX-License-Identifier: BSD-2-Clause
// Execution of the lanes of a warp: branches, barriers, instructions of the whole warp. Lanes with the lowest
// program counter go first, or, with GPUSIM_DIVERGE=1, any.
#include "machine.hpp"

namespace sim
{

void Machine::release_barrier(Cta &c)
{
  // bar.sync 0: all threads that have not ended
  bool any = false;
  for (auto &w : c.warps) {
    if (w.alive & ~w.at_bar) return;
    any |= w.at_bar != 0;
  }
  if (!any) return;
  for (auto &w : c.warps)
    if (w.at_bar && w.alive != w.started) {
      report("bar.sync without lanes that have ended", c.grid, c.grid->code->ins[w.pc[__builtin_ctz(w.at_bar)]],
             "a warp goes on without some of its lanes");
      break;
    }
  ++c.bar_epoch;
  for (auto &w : c.warps)
    if (w.at_bar) {
      const u32 first = w.pc[__builtin_ctz(w.at_bar)];
      u32 mask = w.at_bar;
      LANES(l) if (w.pc[l] != first)
      {
        report("divergent bar.sync", c.grid, c.grid->code->ins[first], "lanes of a warp wait at different barriers");
        break;
      }
    }
  u32 yes = 0, threads = 0;
  const Ins *code = c.grid->code->ins.data();
  for (auto &w : c.warps) {
    u32 mask = w.at_bar;
    LANES(l)
    {
      const Ins &in = code[w.pc[l]];
      if (in.op == O_BARRED) {
        ++threads;
        yes += bool(val(w, in.s[1])[l]) != in.negp;
      }
    }
  }
  for (auto &w : c.warps) {
    u32 mask = w.at_bar;
    LANES(l)
    {
      const Ins &in = code[w.pc[l]];
      if (in.op == O_BARRED)
        w.regs[size_t(in.d[0]) * 32 + l] = in.mode == 0 ? yes == threads : in.mode == 1 ? yes > 0 : yes;
    }
  }
  for (auto &w : c.warps) {
    u32 mask = w.at_bar;
    LANES(l)++ w.pc[l];
    w.at_bar = 0;
    ++w.sync_serial;
  }
}

static inline u32 member_mask(Machine &m, Warp &w, const Ins &in, int lane)
{
  const Src &s = in.s[in.ns - 1];
  return u32(m.val(w, s)[lane]);
}

// Releases lanes that wait at an instruction of the whole warp when all named lanes have arrived. Returns true if
// some were released.
bool Machine::meet(Warp &w)
{
  const Ins *code = w.cta->grid->code->ins.data();
  bool did = false;
  u32 todo = w.at_sync;
  while (todo) {
    const int l = __builtin_ctz(todo);
    const Ins &in = code[w.pc[l]];
    const u32 named = member_mask(*this, w, in, l) & w.alive;
    u32 same = 0;
    for (u32 m = w.at_sync; m; m &= m - 1) {
      int q = __builtin_ctz(m);
      if (w.pc[q] == w.pc[l] && member_mask(*this, w, in, q) == member_mask(*this, w, in, l)) same |= 1u << q;
    }
    if (same & ~member_mask(*this, w, in, l))
      report("lane not in its own mask", w.cta->grid, in, "mask " + std::to_string(member_mask(*this, w, in, l)));
    if ((named & ~same) == 0) {
      const u32 pc = w.pc[l];
      w.at_sync &= ~same;
      exec(w, in, same);
      for (u32 m = same; m; m &= m - 1) w.pc[__builtin_ctz(m)] = pc + 1;
      did = true;
    } else if ((named & ~w.at_sync) == 0 || ((named & ~(w.at_sync | w.at_bar)) == 0)) {
      // all are at some barrier, but not at the same one: on a device this hangs or is undefined
      bool can = false;
      for (u32 m = named & ~same; m; m &= m - 1) {
        int q = __builtin_ctz(m);
        if (w.at_sync >> q & 1) {
          const u32 nq = member_mask(*this, w, code[w.pc[q]], q) & w.alive;
          u32 sq = 0;
          for (u32 mm = w.at_sync; mm; mm &= mm - 1) {
            int z = __builtin_ctz(mm);
            if (w.pc[z] == w.pc[q]) sq |= 1u << z;
          }
          if ((nq & ~sq) == 0) can = true;
        }
      }
      if (!can && code[w.pc[l]].op != O_BARWARP) {
        // different instructions with the same mask are allowed for bar.warp only
        std::string d = "lanes wait at different warp-wide instructions; lane " + std::to_string(l) + " pc " +
                        std::to_string(w.pc[l]);
        report("divergent warp-wide instruction", w.cta->grid, in, d);
        throw Trap{d, 719};
      }
      if (!can && code[w.pc[l]].op == O_BARWARP) { // barriers at different places match
        u32 all = 0;
        for (u32 m = w.at_sync; m; m &= m - 1) {
          int q = __builtin_ctz(m);
          if (code[w.pc[q]].op == O_BARWARP &&
              member_mask(*this, w, code[w.pc[q]], q) == member_mask(*this, w, in, l))
            all |= 1u << q;
        }
        if ((named & ~all) == 0) {
          exec(w, in, all);
          for (u32 m = all; m; m &= m - 1) ++w.pc[__builtin_ctz(m)];
          w.at_sync &= ~all;
          did = true;
        }
      }
    }
    todo &= ~same;
    todo &= ~(1u << l);
    todo &= w.at_sync;
  }
  return did;
}

// Runs the warp until no lane can continue, or the quantum is over.
bool Machine::step(Warp &w)
{
  Grid &g = *w.cta->grid;
  Code &k = *g.code;
  const Ins *code = k.ins.data();
  bool did = false;
  long budget = opt().quantum;
  bool force_other = false;
  while (budget > 0) {
    if (w.at_sync && meet(w)) {
      did = true;
      --budget;
    }
    u32 runnable = w.alive & ~w.at_bar & ~w.at_sync & ~w.at_grid;
    if (!runnable) {
      if (w.at_bar && !(w.alive & ~w.at_bar)) {
        release_barrier(*w.cta);
        if (!w.at_bar) {
          did = true;
          continue;
        }
      }
      return did;
    }
    // choose a group
    u32 pc = ~0u, next = ~0u;
    if (opt().diverge || force_other) {
      std::vector<u32> pcs;
      for (u32 m = runnable; m; m &= m - 1) {
        u32 p = w.pc[__builtin_ctz(m)];
        if (std::find(pcs.begin(), pcs.end(), p) == pcs.end()) pcs.push_back(p);
      }
      pc = pcs[rng() % pcs.size()];
    } else
      for (u32 m = runnable; m; m &= m - 1) pc = std::min(pc, w.pc[__builtin_ctz(m)]);
    u32 mask = 0;
    for (u32 m = runnable; m; m &= m - 1) {
      int l = __builtin_ctz(m);
      if (w.pc[l] == pc) mask |= 1u << l;
      else if (w.pc[l] > pc) next = std::min(next, w.pc[l]);
    }
    force_other = false;
    const bool whole = mask == runnable;
    long slice = whole ? budget : std::min<long>(budget, opt().diverge ? 1 + long(rng() % 50) : 20000);
    // go
    bool stop = false;
    while (!stop && slice > 0) {
      const Ins &in = code[pc];
      --slice;
      --budget;
      did = true;
      ++g.instructions;
      u32 m = mask;
      if (in.pred >= 0) {
        const u64 *p = &w.regs[size_t(in.pred) * 32];
        u32 t = 0;
        for (u32 q = mask; q; q &= q - 1) {
          int l = __builtin_ctz(q);
          if (bool(p[l]) != in.pneg) t |= 1u << l;
        }
        m = t;
      }
      switch (in.op) {
      case O_BRA:
        if (m == mask) {
          pc = u32(in.target);
          if (!whole && (pc >= next)) stop = true;
        } else if (m) {
          for (u32 q = mask; q; q &= q - 1) {
            int l = __builtin_ctz(q);
            w.pc[l] = m >> l & 1 ? u32(in.target) : pc + 1;
          }
          goto regroup;
        } else ++pc;
        break;
      case O_BRX: {
        const u64 *v = val(w, in.s[0]);
        for (u32 q = mask; q; q &= q - 1) {
          int l = __builtin_ctz(q);
          w.pc[l] = m >> l & 1 ? u32(in.targets.at(v[l])) : pc + 1;
        }
        goto regroup;
      }
      case O_RET:
        if (m) {
          for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc + 1;
          if (!w.copies.empty()) {
            for (auto &c : w.copies)
              if (m >> c.lane & 1) {
                report("cp.async not waited for at exit", &g, in, "");
                break;
              }
            finish_copies(w, in, m, -1);
          }
          w.alive &= ~m;
          goto regroup;
        }
        ++pc;
        break;
      case O_BAR:
      case O_BARRED:
        for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc + 1;
        if (m) {
          if (val(w, in.s[0])[__builtin_ctz(m)] != 0 || (in.op == O_BAR && in.ns > 1)) {
            report("barrier", &g, in, "named barriers are not simulated");
            throw Trap{"named barrier", 719};
          }
          for (u32 q = m; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc; // the release advances them
          w.at_bar |= m;
        }
        goto regroup;
      case O_BARWARP:
      case O_SHFL:
      case O_VOTE:
      case O_MATCH:
      case O_REDUX: {
        if (m) {
          const u32 named = member_mask(*this, w, in, __builtin_ctz(m)) & w.alive;
          bool uniform = true;
          for (u32 q = m; q; q &= q - 1) uniform &= (member_mask(*this, w, in, __builtin_ctz(q)) & w.alive) == named;
          if (uniform && (named & ~m) == 0 && (m & ~named) == 0) exec(w, in, m); // the common case
          else {
            for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc + 1;
            for (u32 q = m; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc;
            w.at_sync |= m;
            goto regroup;
          }
        }
        ++pc;
        break;
      }
      case O_GDC_WAIT: {
        ++pc;
        if (m && !w.waited) {
          bool ready = true;
          for (Grid *b : g.early) ready &= b->complete;
          if (!ready) {
            for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc;
            w.at_grid |= m;
            goto regroup;
          }
          w.waited = true;
        }
        break;
      }
      case O_GDC_LAUNCH:
        w.cta->launched = true;
        ++pc;
        for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc;
        return true; // lanes that may begin now go first
      case O_TRAP:
        if (m) {
          report("trap", &g, in, "");
          throw Trap{"trap", 719};
        }
        ++pc;
        break;
      case O_UNKNOWN:
        if (m) {
          report("not simulated", &g, in, "");
          throw Trap{"not simulated: " + in.text, 801};
        }
        ++pc;
        break;
      case O_NANOSLEEP:
        ++pc;
        for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc;
        return true; // others
      case O_MEMBAR:
        if (m) fence(w, in.mode);
        ++pc;
        break;
      case O_NOP:
        ++pc;
        break;
      default:
        if (m) exec(w, in, m);
        ++pc;
      }
      if (!whole && pc >= next) stop = true;
    }
    for (u32 q = mask; q; q &= q - 1) w.pc[__builtin_ctz(q)] = pc;
    if (!stop && !whole) force_other = true; // otherwise spinning lanes could keep others from running
    continue;
  regroup:;
  }
  return did;
}

} // namespace sim
