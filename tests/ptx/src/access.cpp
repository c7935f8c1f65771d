// SPDX-License-Identifier: BSD-2-Clause
// Checks every access to memory: whether it is allowed, and whether a synchronization orders it after conflicting
// accesses.
//
// Shared memory: a race is an access of two lanes of a team to the same bytes, one of them a write, without a
// bar.sync of the team or, within a warp, a bar.warp.sync of both between them.
//
// Global memory, within a grid: happens-before, team by team. A fence of the device (membar.gl, fence.acq_rel.gpu)
// ends an interval of a team's time. A strong store (atomic, relaxed, volatile) publishes what its team knew at its
// last fence. A strong load receives this knowledge; the next fence, or the load itself if it acquires, makes it
// effective. A team must know of another team's access before a conflicting one, unless both accesses are strong.
// This finds both a missing wait and a missing fence, for any values that are read.
//
// Global memory, within a team: as shared memory, or, between two of its warps, by what they publish as above.
//
// Uninitialized memory must not be read: each byte has a mark whether it was written.
//
// Between grids: a race is an access of two grids that may overlap to the same bytes, one of them a write. Grids of
// two streams may overlap unless an event, a wait of the host or the legacy stream is between them, no matter when
// they ran here.
//
// The last team of Kokkos' reductions and scans counts the others by a relaxed atomic, and reads their results
// without a fence of its own (as NVIDIA's threadFenceReduction does). Only in these kernels an atomic acquires.
//
// Only the last writer and the last reader of each word are stored, so that some races are not found.
#include "machine.hpp"

namespace sim
{

namespace
{
void merge(Known &into, const KnownP &from)
{
  if (!from) return;
  if (into.size() < from->size()) into.resize(from->size(), 0);
  for (size_t i = 0; i < from->size(); ++i) into[i] = std::max(into[i], (*from)[i]);
}
bool covers(const Known &known, u32 who, u32 clock) { return who < known.size() && known[who] >= clock; }
// Ends an interval of a team or warp, and returns what it knows at that time.
KnownP close(Known &known, u32 who, u32 &clock)
{
  if (known.size() <= who) known.resize(who + 1, 0);
  known[who] = clock++;
  return std::make_shared<const Known>(known);
}
// Publishes knowledge with a word. If an atomic has changed the word, earlier knowledge is kept.
void publish(KnownP &at, const KnownP &fenced, bool atomic)
{
  if (atomic && !fenced) return;
  if (atomic && at) {
    auto both = std::make_shared<Known>(*at);
    merge(*both, fenced);
    at = both;
  } else at = fenced;
}

// True if a grid is ordered before an operation with this order.
bool ordered(u32 grid, const Order &order)
{
  const auto &all = orders();
  return grid >= all.size() || !all[grid] || order.after(*all[grid]);
}

std::string pair_of(u32 a, u32 b) { return "teams " + std::to_string(a) + " and " + std::to_string(b); }
std::string place(int warp, int lane) { return "warp " + std::to_string(warp) + " lane " + std::to_string(lane); }
u8 bytes_of(u64 word, u64 first, u64 last)
{
  const u64 b = std::max(first, word * 4) - word * 4, e = std::min(last, word * 4 + 3) - word * 4;
  return u8(((2u << e) - 1) & ~((1u << b) - 1));
}
} // namespace

void check_copy(const Order &order, u64 a, u64 n, bool writes)
{
  const Memory &m = mem();
  if (!opt().races || !m.is_device(a)) return;
  u32 last = 0; // most words belong to the same grid
  for (u64 k = (a - m.base) / 4; k <= (a - m.base + n - 1) / 4; ++k)
    for (const Memory::Mark *marks : {m.writer, m.reader}) {
      if (marks == m.reader && !writes) continue;
      const u32 grid = marks[k].grid;
      if (!grid || grid == last) continue;
      last = grid;
      if (ordered(grid, order)) continue;
      report(std::string("no wait between streams: a copy or memset ") + (writes ? "to" : "from") +
             " what a kernel " + (marks == m.writer ? "writes" : "reads"));
      return;
    }
}

void Machine::fence(Warp &w, bool beyond_team)
{
  if (!opt().races) return;
  Cta &c = *w.cta;
  if (c.warps.size() > 1) {
    merge(w.seen, w.pending);
    w.pending = nullptr;
    w.fenced = close(w.seen, u32(w.id), w.fences);
  }
  if (c.grid->total == 1 || !beyond_team) return;
  for (auto &p : c.pending) merge(c.knows, p);
  c.pending.clear();
  c.fenced = close(c.knows, c.index, c.clock);
}

// A strong access to a word of global memory.
void Machine::synchronize(Warp &w, const Ins &in, u64 a, Access how)
{
  Cta &c = *w.cta;
  if (c.grid->total == 1 && c.warps.size() == 1) return;
  if (how.write && in.releases) fence(w, true);
  if (!how.write || how.atomic) {
    if (const auto found = c.grid->published.find(a); found != c.grid->published.end()) {
      const Published &p = found->second;
      const bool at_once = in.acquires || (how.atomic && c.grid->code->reduces);
      if (p.warps && p.team == c.index) {
        if (at_once) merge(w.seen, p.warps);
        else if (w.pending != p.warps) {
          Known both = w.pending ? *w.pending : Known();
          merge(both, p.warps);
          w.pending = std::make_shared<const Known>(both);
        }
      }
      if (at_once) merge(c.knows, p.teams);
      else if (p.teams && (c.pending.empty() || c.pending.back() != p.teams)) c.pending.push_back(p.teams);
    }
  }
  if (!how.write) return;
  Published &at = c.grid->published[a];
  publish(at.teams, c.fenced, how.atomic);
  if (!how.atomic || w.fenced) {
    publish(at.warps, w.fenced, how.atomic && at.team == c.index);
    at.team = c.index;
  }
}

void Machine::shared_access(Warp &w, const Ins &in, int lane, u64 off, int n, Access how)
{
  Cta &c = *w.cta;
  const u64 last = off + u64(n) - 1;
  for (u64 k = off / 4; k <= last / 4 && k < c.wmark.size(); ++k) {
    const u8 bytes = bytes_of(k, off, last);
    const auto conflict = [&](const SharedMark &s) {
      if (!s.kind || s.epoch != c.bar_epoch || !(s.bytes & bytes)) return false;
      if (how.atomic && s.kind == 2) return false;
      if (s.warp != w.id) return true;
      if (s.lane == lane && !s.multi) return false;
      if (s.multi) return w.last_sync[lane] <= s.serial;
      return !(w.last_sync[lane] > s.serial && w.last_sync[s.lane] > s.serial);
    };
    SharedMark &wm = c.wmark[k], &rm = c.rmark[k];
    const auto tell = [&](const char *kind, const SharedMark &other) {
      report(kind, c.grid, in,
             place(w.id, lane) + " and " + place(other.warp, other.lane) + " in line " + std::to_string(other.line) +
               ", byte " + std::to_string(k * 4) + ", no barrier between");
    };
    if (conflict(wm) && !how.same)
      tell(how.write ? "shared race (write after write)" : "shared race (read after write)", wm);
    if (how.write && !how.same && conflict(rm)) tell("shared race (write after read)", rm);
    SharedMark &s = how.write ? wm : rm;
    const bool again = s.kind && s.epoch == c.bar_epoch && s.warp == w.id && s.serial == w.sync_serial,
               others = again && (s.lane != lane || s.multi);
    s = {c.bar_epoch,
         w.sync_serial,
         u8(w.id),
         u8(lane),
         u8(how.atomic ? 2 : 1),
         u8(!how.write && others),
         u8(bytes | (again && (!how.write || s.lane == lane) ? s.bytes : 0)),
         in.line};
  }
}

void Machine::global_access(Warp &w, const Ins &in, int lane, u64 a, int n, Access how)
{
  Memory &m = mem();
  if (!m.is_device(a)) return;
  Cta &c = *w.cta;
  Grid *g = c.grid;
  const bool strong = how.atomic || !in.weak;
  if (strong) synchronize(w, in, a, how);
  using Mark = Memory::Mark;
  const auto in_team = [&](const Mark &s) { // true: ordered after the access of another thread of the team
    if (s.epoch != c.bar_epoch) return true;
    if (s.warp != w.id) return covers(w.seen, s.warp, s.fences);
    if (s.multi) return w.last_sync[lane] > s.serial;
    return s.lane == lane || (w.last_sync[lane] > s.serial && w.last_sync[s.lane] > s.serial);
  };
  const auto who = [&](const Mark &s) {
    if (s.cta != c.index) return pair_of(c.index, s.cta);
    return place(w.id, lane) + " and " + place(s.warp, s.lane) + " of team " + std::to_string(c.index);
  };
  const u64 first = a - m.base, last = first + u64(n) - 1;
  for (u64 k = first / 4; k <= last / 4; ++k) {
    const u8 bytes = bytes_of(k, first, last);
    Mark &wm = m.writer[k], &rm = m.reader[k];
    const auto meets = [&](const Mark &s, const char *in_grid, const char *of_team, const char *overlap,
                           const char *streams) {
      if (!s.grid || !(s.bytes & bytes)) return;
      if (s.grid != g->serial) {
        const auto r = begun().find(s.grid);
        const bool together = r != begun().end();
        if (together && (w.waited ? !r->second->complete : r->second->overlaps(*g)))
          report(overlap, g, in, "with " + shorten(demangle(r->second->code->name)));
        if (!together && g->order && !ordered(s.grid, *g->order)) report(streams, g, in, "of another stream");
      } else if (!how.same && !(strong && s.strong)) {
        if (s.cta == c.index ? !in_team(s) : !covers(c.knows, s.cta, s.clock))
          report(s.cta == c.index ? of_team : in_grid, g, in, who(s));
      }
    };
    if (in.nc && !how.write && wm.grid == g->serial) report("ld.nc of what the grid has written", g, in, who(wm));
    else if (how.write)
      meets(wm, "global race in a grid (write after write)", "global race in a team (write after write)",
            "overlap of kernels (write after write)", "no wait between streams (write after write)");
    else
      meets(wm, "global race in a grid (read after write)", "global race in a team (read after write)",
            "overlap of kernels (read after write)", "no wait between streams (read after write)");
    if (how.write)
      meets(rm, "global race in a grid (write after read)", "global race in a team (write after read)",
            "overlap of kernels (write after read)", "no wait between streams (write after read)");
    if (how.write || !strong) {
      Mark &s = how.write ? wm : rm;
      const bool again = s.grid == g->serial && s.cta == c.index && s.clock == c.clock && s.strong == strong &&
                         s.epoch == c.bar_epoch && s.warp == w.id && s.serial == w.sync_serial &&
                         s.fences == w.fences,
                 others = again && (s.lane != lane || s.multi);
      s = {g->serial,
           c.index,
           c.clock,
           c.bar_epoch,
           w.sync_serial,
           w.fences,
           u8(w.id),
           u8(lane),
           u8(bytes | (again && (!how.write || s.lane == lane) ? s.bytes : 0)),
           strong,
           !how.write && others};
    }
  }
}

// Translates an address to one of this machine. `value`: what a store is about to write there.
u8 *Machine::address(Warp &w, const Ins &in, int lane, u64 a, int n, Space sp, bool write, bool atomic,
                     const u8 *value)
{
  const auto bad = [&](const char *what, const char *why) {
    char t[400];
    snprintf(t, sizeof t, "%s of %d bytes at 0x%llx: %s (team %u, warp %d, lane %d)", write ? "store" : "load", n,
             (unsigned long long)a, why, w.cta->index, w.id, lane);
    report(what, w.cta->grid, in, t);
    throw Trap{t, 700};
  };
  if (sp == SHARED || sp == LOCAL) a = u32(a);
  if (n <= 16 && a % u64(n)) bad("misaligned address", "not aligned");
  if (sp == GENERIC) {
    const auto in_window = [&](u64 base) { return a >= base && a < base + (1ull << 32); };
    if (in_window(SHARED_BASE)) a -= SHARED_BASE, sp = SHARED;
    else if (in_window(LOCAL_BASE)) a -= LOCAL_BASE, sp = LOCAL;
    else if (in_window(PARAM_BASE)) a -= PARAM_BASE, sp = PARAM;
    else sp = GLOBAL;
  }
  Grid &g = *w.cta->grid;
  const auto how = [&](const u8 *p) { return Access{write, atomic, value && !memcmp(p, value, size_t(n))}; };
  switch (sp) {
  case SHARED: {
    if (a + u64(n) > g.code->shared_bytes + g.dyn)
      bad("invalid shared address", "beyond the shared memory of the launch");
    u8 *p = w.cta->shared.data() + a;
    if (opt().races) shared_access(w, in, lane, a, n, how(p));
    return p;
  }
  case LOCAL:
    if (a + u64(n) > g.code->local_bytes) bad("invalid local address", "beyond local memory");
    return w.local.data() + u64(lane) * g.code->local_bytes + a;
  case PARAM:
    if (write || a + u64(n) > g.params.size()) bad("invalid param address", "beyond parameters, or a store");
    return g.params.data() + a;
  default: {
    const char *why = "";
    u8 *p = mem().at(a, u64(n), &why);
    if (!p) bad("invalid global address", why);
    if (opt().races) global_access(w, in, lane, a, n, how(p));
    if (mem().is_device(a)) {
      if ((!write || atomic) && opt().unwritten && !mem().all_written(a, u64(n))) {
        report("load of what was never written", &g, in,
               place(w.id, lane) + " of team " + std::to_string(w.cta->index));
        mem().fill(a, u64(n)); // reported once
      }
      if (write) mem().fill(a, u64(n));
    }
    return p;
  }
  }
}

// Executes the copies of cp.async as late as the program allows, so that a missing wait is found. `pending`: number
// of the latest groups that may remain; -1: none.
void Machine::finish_copies(Warp &w, const Ins &in, u32 mask, int pending)
{
  if (w.copies.empty()) return;
  std::vector<AsyncCopy> stay;
  for (auto &c : w.copies) {
    if (!(mask >> c.lane & 1) || (pending >= 0 && c.group >= w.group[c.lane] - pending)) {
      stay.push_back(c);
      continue;
    }
    u8 t[16] = {};
    Ins as = in;
    as.weak = true;
    if (c.size > c.zero)
      memcpy(t, address(w, as, c.lane, c.src, c.size, GLOBAL, false, false), size_t(c.size - c.zero));
    memcpy(w.cta->shared.data() + c.dst, t, c.size);
  }
  w.copies.swap(stay);
}

} // namespace sim
