// SPDX-License-Identifier: BSD-2-Clause
// Enumerations of an engine's options: algorithms, schedules, colorings, storage. The file includes nothing, so that
// any folder can use it. The options themselves are in order/options.hpp.
#pragma once

namespace finegrain
{

// Parallel execution of the rows of a sweep or a factorization.
enum class Algorithm {
  automatic,
  sequential, // one host thread, in elimination order
  levels,     // one kernel per group of the schedule
  tasks       // one kernel, whose threads or teams draw tasks and wait for the tasks that these depend on
};

enum class FactorKind {
  automatic, // dilu where it equals ILU(0), else ilu0
  dilu,      // only the diagonal blocks are modified
  ilu0,      // lower and upper blocks are updated within the pattern of the matrix
  sip,       // Stone's strongly implicit procedure, on stars of grids (numerics.md 4)
  icc        // DILU of a symmetric matrix, of which the upper triangle is read and the lower blocks are stored
};

// Search for the products of a factorization. They are listed by the analysis, or on hosts searched by columns in
// each factorization. automatic chooses the cheaper way; small blocks search in the first factorization only.
enum class Products { automatic, listed, searched };

// Couplings between the grids of a rank: in the factor, or in residuals only.
enum class GridCoupling { coupled, block_jacobi };

enum class Backend { host, device };

// Kind of engine: a factorization with triangular solves, a relaxation color by color (numerics.md 2), several of
// Stone's factors that alternate (numerics.md 4), or one factorization by all ranks (numerics.md 1 and 3).
enum class Method { factorization, relaxation, sip, shared };

enum class SweepKind { forward, backward, symmetric };

// Exchange of ghosts in a relaxation: none, before each sweep, or after each color.
enum class Exchange { none, sweep, color };

// Scaling of half-precision storage: one power of two for the matrix, or one for each block row.
enum class Scaling { global, row };

// Treatment of fill between two rows of a color, which sweeps by colors cannot use (numerics.md 3).
enum class Drop {
  during, // dropped, with the fill that would follow from it
  after,  // factored, and dropped from the sweeps
  none    // kept
};

enum class ScheduleKind { automatic, hyperplane, level, color };

enum class ColoringKind { automatic, greedy, largest_first, smallest_last, hash, red_black, level };

// Column indices are rows, except in the lower part if the forward sweep writes its result by position
// (Layout::position). Lower terms of a row ascend in the elimination order, upper terms descend. Each sweep thus
// adds the most recently finished row last, and can begin without it.
enum class Layout { row, position };

} // namespace finegrain
