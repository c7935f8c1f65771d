// SPDX-License-Identifier: BSD-2-Clause
// The enumerations of an engine's options: algorithms, schedules, colorings, storage. The file includes nothing, so
// that any folder can use it; order/options.hpp has the options themselves.
#pragma once

namespace finegrain
{

// How the rows of a sweep or a factorization are run in parallel.
enum class Algorithm {
  automatic,
  sequential, // one host thread, in elimination order
  levels,     // a kernel for each group of the schedule
  tasks       // one kernel, whose threads or teams draw tasks and wait for the tasks that those depend on
};

enum class FactorKind {
  automatic, // dilu where it is ILU(0) exactly, else ilu0
  dilu,      // only the diagonal blocks are modified
  ilu0,      // lower and upper blocks are updated inside the pattern of the matrix
  sip,       // of the strongly implicit procedure, on stars of grids (numerics.md 4)
  icc        // DILU of a symmetric matrix, of which the upper triangle is read and the lower blocks are stored
};

// How the products of a factorization are found: written down at the analysis, or by columns each time, by one
// thread; automatic: what costs less, of numbers the first time by columns.
enum class Products { automatic, listed, searched };

// Couplings between the grids of a rank: in the factor, or in residuals only.
enum class GridCoupling { coupled, block_jacobi };

enum class Backend { host, device };

// What an engine does: factors and solves triangular systems, relaxes color by color (numerics.md 2), has several of
// Stone's factors that take turns (numerics.md 4), or factors a matrix with all ranks together (numerics.md 1 and 3).
enum class Method { factorization, relaxation, sip, shared };

enum class SweepKind { forward, backward, symmetric };

// When a relaxation fetches ghosts: never, before each sweep, or after each color.
enum class Exchange { none, sweep, color };

// How half-precision storage is scaled: one power of two for the matrix, or one for each block row.
enum class Scaling { global, row };

// What becomes of fill between two rows of a color, which sweeps by colors cannot have (numerics.md 3).
enum class Drop {
  during, // it is left out, and so is what would follow from it
  after,  // it is factored, and left out of the sweeps
  none    // it stays
};

enum class ScheduleKind { automatic, hyperplane, level, color };

enum class ColoringKind { automatic, greedy, largest_first, smallest_last, hash, red_black, level };

// Column numbers are rows, but for those of the lower part where the forward sweep writes its result by position
// (Layout::position). Lower terms of a row ascend in the elimination order, upper ones descend: either sweep adds the
// row that it has just finished last, and can begin without it.
enum class Layout { row, position };

} // namespace finegrain
