// Every access to memory: whether it is allowed, and whether something orders it after what it meets.
//
// Shared memory: two lanes of a team meet at the same bytes, one of them writes, and neither a bar.sync of the team
// nor, within a warp, a bar.warp.sync of both lies between.
//
// Global memory, within a grid: happens-before, team by team. A fence of the device (membar.gl, fence.acq_rel.gpu)
// closes a piece of a team's time. A strong store (atomic, relaxed, volatile) publishes what its team knew at its
// last fence; a strong load takes that along, and the next fence, or the load itself if it acquires, makes it known.
// What a team meets of another's has to be known to it, unless both accesses are strong. A missing wait and a missing
// fence are both found this way, whatever values come out. Threads of one team are not told apart.
//
// Between grids: whatever two grids that may overlap both touch, one of them writing.
//
// The last team of Kokkos' reductions and scans counts the others by a relaxed atomic, and reads what they left
// without a fence of its own (as NVIDIA's threadFenceReduction does); there, and only there, an atomic acquires.
//
// Only the last writer and the last reader of each word are kept, so that some races are not seen.
#include "machine.hpp"

namespace sim
{

using Known = std::vector<u32>; // of each team, up to which of its fences

namespace
{
void merge(Known &into, const std::shared_ptr<const Known> &from)
{
  if (!from) return;
  if (into.size() < from->size()) into.resize(from->size(), 0);
  for (size_t i = 0; i < from->size(); ++i) into[i] = std::max(into[i], (*from)[i]);
}
bool knows(const Cta &c, u32 team, u32 clock) { return team < c.knows.size() && c.knows[team] >= clock; }

std::string pair_of(u32 a, u32 b) { return "teams " + std::to_string(a) + " and " + std::to_string(b); }
std::string place(int warp, int lane) { return "warp " + std::to_string(warp) + " lane " + std::to_string(lane); }
u8 bytes_of(u64 word, u64 first, u64 last)
{
  const u64 b = std::max(first, word * 4) - word * 4, e = std::min(last, word * 4 + 3) - word * 4;
  return u8(((2u << e) - 1) & ~((1u << b) - 1));
}
} // namespace

void Machine::fence(Cta &c)
{
  if (!opt().races || c.grid->total == 1) return;
  for (auto &p : c.pending) merge(c.knows, p);
  c.pending.clear();
  if (c.knows.size() <= c.index) c.knows.resize(c.index + 1, 0);
  c.knows[c.index] = c.clock++;
  c.fenced = std::make_shared<const Known>(c.knows);
}

// A strong access to a word of global memory.
void Machine::synchronize(Cta &c, const Ins &in, u64 a, Access how)
{
  if (c.grid->total == 1) return;
  const bool reads = !how.write || how.atomic;
  if (how.write && in.releases) fence(c);
  if (reads) {
    auto found = c.grid->published.find(a);
    if (found != c.grid->published.end() && found->second) {
      if (in.acquires || (how.atomic && c.grid->code->reduces)) merge(c.knows, found->second);
      else if (c.pending.empty() || c.pending.back() != found->second) c.pending.push_back(found->second);
    }
  }
  if (!how.write) return;
  auto &at = c.grid->published[a];
  if (how.atomic && at && c.fenced) { // the words before it stay published
    auto both = std::make_shared<Known>(*at);
    merge(*both, c.fenced);
    at = both;
  } else if (!how.atomic || c.fenced) at = c.fenced;
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
             place(w.id, lane) + " and " + place(other.warp, other.lane) + ", byte " + std::to_string(k * 4) +
               ", no barrier between");
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
         u8(bytes | (again && (!how.write || s.lane == lane) ? s.bytes : 0))};
  }
}

void Machine::global_access(Warp &w, const Ins &in, u64 a, int n, Access how)
{
  Memory &m = mem();
  if (!m.is_device(a)) return;
  Cta &c = *w.cta;
  Grid *g = c.grid;
  const bool strong = how.atomic || !in.weak;
  if (strong) synchronize(c, in, a, how);
  const u64 first = a - m.base, last = first + u64(n) - 1;
  for (u64 k = first / 4; k <= last / 4; ++k) {
    const u8 bytes = bytes_of(k, first, last);
    Memory::Mark &wm = m.writer[k], &rm = m.reader[k];
    const auto free_of = [&](const Memory::Mark &s) { // nothing of the same grid in the way
      return !(s.bytes & bytes) || s.cta == c.index || (strong && s.strong) || knows(c, s.cta, s.clock);
    };
    if (wm.grid == g->serial) {
      if (in.nc && !how.write) report("ld.nc of what the grid has written", g, in, pair_of(c.index, wm.cta));
      else if (!free_of(wm) && !how.same)
        report(how.write ? "global race in a grid (write after write)" : "global race in a grid (read after write)",
               g, in, pair_of(c.index, wm.cta));
    } else if (wm.grid && (wm.bytes & bytes)) {
      if (auto r = running().find(wm.grid); r != running().end())
        report(how.write ? "overlap of kernels (write after write)" : "overlap of kernels (read after write)", g, in,
               "with " + shorten(demangle(r->second->code->name)));
    }
    if (how.write && rm.grid == g->serial) {
      if (!free_of(rm) && !how.same)
        report("global race in a grid (write after read)", g, in, pair_of(c.index, rm.cta));
    } else if (how.write && rm.grid && (rm.bytes & bytes)) {
      if (auto r = running().find(rm.grid); r != running().end())
        report("overlap of kernels (write after read)", g, in, "of " + shorten(demangle(r->second->code->name)));
    }
    if (how.write || !strong) {
      Memory::Mark &s = how.write ? wm : rm;
      const bool again = s.grid == g->serial && s.cta == c.index && s.clock == c.clock && s.strong == strong;
      s = {g->serial, c.index, c.clock, u8(bytes | (again ? s.bytes : 0)), strong};
    }
  }
}

// Where it lies on this machine. `value`: what a store is about to write there.
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
    if (opt().races) global_access(w, in, a, n, how(p));
    return p;
  }
  }
}

// What cp.async has asked for is copied as late as the program allows, so that a missing wait shows. `pending`: so
// many of the latest groups may stay; -1: none.
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
    if (c.size > c.zero) memcpy(t, address(w, as, c.lane, c.src, c.size, GLOBAL, false, false), c.size);
    memcpy(w.cta->shared.data() + c.dst, t, c.size);
  }
  w.copies.swap(stay);
}

} // namespace sim
