// What the engine is asked to do: one choice of each part.
#pragma once

#include "block.hpp"
#include "schedule.hpp"

namespace finegrain
{

enum class ExecutorKind {
  automatic,
  natural, // host, one thread, elimination order
  launch,  // a kernel per group
  self,    // one kernel whose crews draw pieces of the groups
  tile,    // one kernel whose crews draw tiles of a grid, or runs of consecutive rows
  shuffle  // host, one thread, each group in random order: a test of the schedule, not offered to users
};

enum class FactorKind {
  automatic, // dilu where it is ILU(0) exactly, else ilu0
  dilu,      // only the diagonal blocks are modified
  ilu0       // lower and upper blocks are updated inside the pattern of the matrix
};

// Couplings between the grids of a rank: kept in the factor, or left to corrections.
enum class GridCoupling { factor, corrections };

enum class Backend { host, device };

struct Recipe {
  ScheduleKind     schedule  = ScheduleKind::automatic;
  ExecutorKind     executor  = ExecutorKind::automatic;
  FactorKind       factor    = FactorKind::automatic;
  Backend          backend   = Backend::host;
  Precision        precision = Precision::working; // of lower and upper blocks
  Precision        diagonal  = Precision::working; // of the inverted diagonal blocks
  Shift            shift;
  Grid             grid; // empty: no structure known
  GridCoupling     coupling = GridCoupling::factor;
  Box              tile;     // of executor tile; no points: chosen by the plan
  HostArray<Index> ordering; // row at each place of the elimination order; empty: natural
};

// Why a recipe cannot be built, naming the choices that exclude each other; null if it can.
const char *find_conflict(const Recipe &);

} // namespace finegrain
