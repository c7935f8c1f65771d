// What the engine is asked to do: one choice of each part.
#pragma once

#include "block.hpp"
#include "coloring.hpp"

#include <cstdint>

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
  ilu0,      // lower and upper blocks are updated inside the pattern of the matrix
  stone      // of the strongly implicit procedure, on stars of grids (numerics.md 4)
};

// Couplings between the grids of a rank: kept in the factor, or left to corrections.
enum class GridCoupling { factor, corrections };

enum class Backend { host, device };

// What an engine does: factors and solves triangular systems, relaxes colour by colour (numerics.md 2), or has
// several of Stone's factors that take turns (numerics.md 4).
enum class Method { factorization, relaxation, stone };

// One of Stone's factors.
struct StoneMember {
  Real     alpha    = 0; // 0 <= alpha < 1
  unsigned mirrored = 0; // axes along which it is eliminated backwards (star.hpp)
};

enum class SweepKind { forward, backward, symmetric };

// When a relaxation fetches ghosts: never, before each sweep, or after each colour.
enum class Exchange { none, sweep, color };

// How half-precision storage is scaled: one power of two for the matrix, or one for each block row.
enum class Scaling { global, row };

// Whether couplings are stored in memory of their own, or where the matrix's blocks are (Mirror::give_blocks()).
enum class Reduction { none, in_place };

struct Relaxation {
  int       sweeps      = 15; // of the kind below; symmetric: up and down
  SweepKind sweep       = SweepKind::forward;
  Real      omega       = 1;
  Scaling   scaling     = Scaling::global;
  Exchange  exchange    = Exchange::none;
  bool      single_sums = false; // products of couplings are summed in single precision
  Reduction reduction   = Reduction::none;
};

// What becomes of fill between two rows of a colour, which sweeps by colours cannot have (numerics.md 3).
enum class Drop {
  during, // it is left out, and so is what would follow from it
  after,  // it is factored, and left out of the sweeps
  none    // it stays
};

struct Recipe {
  Method           method    = Method::factorization;
  ScheduleKind     schedule  = ScheduleKind::automatic;
  ExecutorKind     executor  = ExecutorKind::automatic;
  FactorKind       factor    = FactorKind::automatic;
  Backend          backend   = Backend::host;
  Precision        precision = Precision::working; // of lower and upper blocks
  Precision        diagonal  = Precision::working; // of the inverted diagonal blocks
  Shift            shift;
  Grid             grid; // empty: no structure known
  GridCoupling     coupling = GridCoupling::factor;
  int              levels   = 0; // of fill: p of ILU(p)
  int              power    = 0; // of the pattern that is coloured: q of ILU(p,q); 0: p + 1, which drops nothing
  Drop             drop     = Drop::during;
  StoneMember      stone; // of FactorKind::stone
  ColoringKind     coloring = ColoringKind::automatic;
  bool             balanced = false;
  Box              tile;       // of executor tile; no points: chosen by the plan
  HostArray<Index> ordering;   // row at each place of the elimination order; empty: natural
  Relaxation       relaxation; // of Method::relaxation

  std::vector<StoneMember> family; // of Method::stone, in the order of their turns
};

// q of ILU(p,q).
inline std::int64_t colored_power(const Recipe &r) { return r.power > 0 ? r.power : std::int64_t(r.levels) + 1; }

// Why a recipe cannot be built, naming the choices that exclude each other; null if it can.
const char *find_conflict(const Recipe &);

} // namespace finegrain
