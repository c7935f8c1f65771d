// SPDX-License-Identifier: BSD-2-Clause
// Options of an engine (EngineOptions), its view of the matrix (OperatorView), and the reasons why it may refuse
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
  unsigned reversed = 0; // axes along which it is eliminated backwards (sip/sip_star.hpp)
};

struct Relaxation {
  int sweeps = 15; // sweeps of the kind below; a symmetric one goes up and down
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
  Precision precision = Precision::working; // precision of lower and upper blocks
  Precision diagonal = Precision::working;  // precision of the inverted diagonal blocks
  bool single_sums = false;                 // products of couplings are summed in single precision
  Shift shift;
  Grid grid;              // empty: no structure known
  unsigned open_axes = 0; // axes of the grid that are not periodic; bit 0 is the first
  GridCoupling coupling = GridCoupling::coupled;
  int levels = 0; // levels of fill: p of ILU(p)
  int power = 0;  // power of the pattern that is colored: q of ILU(p,q); 0: p + 1, which drops nothing
  Drop drop = Drop::during;
  // With level schedules, entries of L and U at most this many places from the diagonal are dropped after the
  // factorization.
  Index drop_band = 0;
  Products products = Products::automatic;
  bool pipelined = false; // Method::shared and factors of sip: by tiles of a grid over all ranks
  bool eisenstat = false; // products with P_L^-1 A P_R^-1 may be requested, if the factor is DILU
  SipFactor sip_factor;   // for FactorKind::sip
  ColoringKind coloring = ColoringKind::automatic;
  bool balanced = false;
  Box tile;                  // for algorithm tasks; no points: the plan chooses it
  HostArray<Index> ordering; // row at each place of the elimination order; empty: natural order
  Relaxation relaxation;     // for Method::relaxation

  std::vector<SipFactor> sip_factors; // for Method::sip, in the order of their use
};

// Returns q of ILU(p,q).
inline std::int64_t colored_power(const EngineOptions &r)
{
  return r.power > 0 ? r.power : std::int64_t(r.levels) + 1;
}

// Returns the reason why options cannot be met, with a remedy, or null if they can. It writes @_name for an option,
// of which the caller knows the full name.
const char *find_conflict(const EngineOptions &);

// Colors and keys on which all ranks agree, for results that do not depend on their number: of a relaxation with
// Exchange::color, or a global factorization. Otherwise all arrays are empty.
struct ColorsAndKeys {
  ColoringKind kind = ColoringKind::hash;
  Coloring coloring; // colors of the owned rows; `colors` counts those of all ranks
  HostArray<Index> ghost_color;
  HostArray<std::int64_t> key, ghost_key; // global numbers, by which terms of one color are ordered
  std::vector<char> sent;                 // true if another rank has the row as a ghost
  bool symmetrized = false;               // couplings between ranks were not symmetric: colors are those of the union
};

// Data of a global factorization (Method::shared) besides the owned rows: rows of other ranks, which are stored
// behind them. One rank has none. Rows are eliminated by color and key. Without colors (EngineOptions::pipelined)
// they are eliminated by key, and the owned ones in tiles.
struct SharedRows {
  // Pattern of the factor in all of these rows, including their diagonal. entry: index of a block in the values of
  // the owned square, then of the coupling; -1: fill, or a row of another rank.
  Selection selection;
  Index colors = 0; // colors of all ranks
  ColoringKind coloring = ColoringKind::hash;
  bool symmetrized = false; // the graph was not symmetric: its colors are those of the union
  HostArray<Index> color;
  HostArray<std::int64_t> key; // global numbers, by which rows of a color are ordered
  Box whole_grid;              // with tiles: the grid whose natural numbers the keys are
  std::vector<char> sent;      // true if another rank has the owned row
  Index fill = 0;              // entries of owned rows that the matrix does not have
  Offset dropped = 0;          // fill of owned rows that was dropped because of its color
};

// A matrix as the engine sees it: owned block rows by owned and ghost block columns. Factors use the owned square;
// relaxation and residuals also use the couplings to ghosts. Values follow later, in one MatrixValues for each of
// the two, indexed like its entries.
struct OperatorView {
  int block = 1;
  Graph owned;    // columns: owned block rows
  Graph coupling; // the same rows; columns: ghosts
  Index ghosts = 0;
  ColorsAndKeys agreed;
  SharedRows shared; // for Method::shared
  // Data of a matrix that stores its upper triangle alone (SBAIJ, for FactorKind::icc). stored: index of each entry
  // of `owned` in MatrixValues, -1 below the diagonal. ignored_off_rank: number of blocks that couple ranks, which
  // `coupling` then lacks. Otherwise empty and 0.
  HostArray<Index> stored;
  Offset ignored_off_rank = 0;

  // Returns the number of blocks of the owned square in MatrixValues.
  std::size_t blocks() const
  {
    std::size_t most = 0;
    for (std::size_t e = 0; e < stored.extent(0); ++e) most = std::max(most, std::size_t(stored(e) + 1));
    return stored.extent(0) ? most : std::size_t(owned.entries());
  }
};

// Reason why analyze() refused, in terms that a caller can translate for its user.
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
    color_fit,   // the graph does not have this coloring
    entries,     // more entries than an Index counts
    star_fit,    // a coupling that is in no star of the grid
    unsymmetric, // a pattern that does not fit FactorKind::icc
    scratch      // a block size for which a device's team has too little scratch memory
  } reason = none;
  Index row = -1;             // missing_diagonal, star_fit
  const char *text = nullptr; // conflict

  explicit operator bool() const { return reason != none; }
};

} // namespace finegrain
