// SPDX-License-Identifier: BSD-2-Clause
// What an engine is asked to do (EngineOptions), the matrix as it sees it (OperatorView), and why it may refuse
// (SetupError). src/petsc/pc fills the first two and translates the third.
#pragma once

#include "order/coloring.hpp"
#include "order/fill.hpp"
#include "order/levels.hpp"

#include <algorithm>
#include <cstdint>

namespace finegrain
{

// One of Stone's factors.
struct SipFactor {
  Real alpha = 0;        // 0 <= alpha < 1
  unsigned mirrored = 0; // axes along which it is eliminated backwards (sip_star.hpp)
};

struct Relaxation {
  int sweeps = 15; // of the kind below; symmetric: up and down
  SweepKind sweep = SweepKind::forward;
  Real omega = 1;
  Scaling scaling = Scaling::global;
  Exchange exchange = Exchange::none;
  bool in_place = false; // couplings are stored in the memory of the matrix's blocks (DeviceCopy::give_blocks())
};

struct EngineOptions {
  Method method = Method::factorization;
  ScheduleKind schedule = ScheduleKind::automatic;
  Algorithm algorithm = Algorithm::automatic;
  FactorKind factor = FactorKind::automatic;
  Backend backend = Backend::host;
  Precision precision = Precision::working; // of lower and upper blocks
  Precision diagonal = Precision::working;  // of the inverted diagonal blocks
  bool single_sums = false;                 // products of couplings are summed in single precision
  Shift shift;
  Grid grid;              // empty: no structure known
  unsigned open_axes = 0; // of the grid, known not to be periodic: bit 0 is the first
  GridCoupling coupling = GridCoupling::coupled;
  int levels = 0; // of fill: p of ILU(p)
  int power = 0;  // of the pattern that is colored: q of ILU(p,q); 0: p + 1, which drops nothing
  Drop drop = Drop::during;
  Index drop_band = 0; // of level schedules: entries of L and U no further than so many places from the diagonal
                       // are dropped after the factorization
  Products products = Products::automatic;
  bool pipelined = false; // Method::shared, and sip's factors: by tiles of a grid over all ranks
  bool eisenstat = false; // products with P_L^-1 A P_R^-1 may be asked for, where the factor is DILU
  SipFactor sip_factor;   // of FactorKind::sip
  ColoringKind coloring = ColoringKind::automatic;
  bool balanced = false;
  Box tile;                  // of algorithm tasks; no points: chosen by the plan
  HostArray<Index> ordering; // row at each place of the elimination order; empty: natural
  Relaxation relaxation;     // of Method::relaxation

  std::vector<SipFactor> sip_factors; // of Method::sip, in the order of their turns
};

// q of ILU(p,q).
inline std::int64_t colored_power(const EngineOptions &r)
{
  return r.power > 0 ? r.power : std::int64_t(r.levels) + 1;
}

// Why options cannot be met, and a way out; null if they can. The option of a setting is @_name there, for whoever
// knows its full name.
const char *find_conflict(const EngineOptions &);

// What ranks have agreed on for a relaxation whose result does not depend on their number (Exchange::color). All
// arrays are empty otherwise.
struct GlobalColoring {
  ColoringKind kind = ColoringKind::hash;
  Coloring coloring; // of the owned rows, with the colors of all ranks
  HostArray<Index> ghost_color;
  HostArray<std::int64_t> key, ghost_key; // global numbers, by which terms of one color are ordered
  std::vector<char> sent;                 // whether another rank has a row among its ghosts
  bool symmetrized = false;               // couplings between ranks were not symmetric, colors are those of the union
};

// What a factorization that all ranks do together (Method::shared) needs beside the owned rows: rows of others, which
// stand behind them. One rank has none. Rows are eliminated by color and key; without colors
// (EngineOptions::pipelined) by key, and the owned ones in tiles.
struct SharedRows {
  // Pattern of the factor in all of these rows, their diagonal among it. entry: the number of a block in the values
  // of the owned square, then of the coupling; -1: fill, or a row of another rank.
  Selection selection;
  Index colors = 0; // of all ranks
  ColoringKind coloring = ColoringKind::hash;
  bool symmetrized = false; // the graph was not symmetric, its colors are those of the union
  HostArray<Index> color;
  HostArray<std::int64_t> key; // global numbers, by which rows of a color are ordered
  Box whole;                   // the grid that keys are natural numbers of, with tiles
  std::vector<char> sent;      // whether another rank has an owned row
  Index fill = 0;              // entries of owned rows that the matrix does not have
  Offset dropped = 0;          // fill of owned rows left out because of their color
};

// A matrix as the engine sees it: owned block rows by owned and ghost block columns. Factors use the owned square;
// relaxation and residuals use the couplings to ghosts as well. Values arrive later, through one MatrixValues for
// each part, numbered like the part's entries.
struct OperatorView {
  int block = 1;
  Graph owned;    // columns: owned block rows
  Graph coupling; // the same rows; columns: ghosts
  Index ghosts = 0;
  GlobalColoring agreed;
  SharedRows shared; // of Method::shared
  // Where the upper triangle alone is stored (SBAIJ, for FactorKind::icc): the number in the MatrixValues of each
  // entry of `owned`, -1 below the diagonal, and how many blocks couple ranks, which `coupling` then lacks. Else
  // empty and 0.
  HostArray<Index> stored;
  Offset ignored_off_rank = 0;

  // Blocks of the owned square that the MatrixValues has.
  std::size_t blocks() const
  {
    std::size_t most = 0;
    for (std::size_t e = 0; e < stored.extent(0); ++e) most = std::max(most, std::size_t(stored(e) + 1));
    return stored.extent(0) ? most : std::size_t(owned.entries());
  }
};

// Why analyze() refused, in terms a caller can translate for its user.
struct SetupError {
  enum Reason {
    none,
    conflict,
    block_size,
    malformed,
    missing_diagonal,
    grid_size,
    grid_fit,
    no_grid,
    bad_ordering,
    tile_fit,
    color_fit,   // a coloring that the graph does not have
    entries,     // more entries than an Index counts
    star_fit,    // a coupling that is in no star of the grid
    unsymmetric, // a pattern that FactorKind::icc does not fit
    scratch      // a block size for which a team of a device has too little scratch memory
  } reason = none;
  Index row = -1;             // missing_diagonal, star_fit
  const char *text = nullptr; // conflict

  explicit operator bool() const { return reason != none; }
};

} // namespace finegrain
