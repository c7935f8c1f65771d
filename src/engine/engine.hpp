// The facade: analyse once per nonzero pattern, factor for each set of values, apply in each iteration.
#pragma once

#include "pattern.hpp"
#include "source.hpp"

#include <memory>

namespace finegrain
{

// A matrix as the engine sees it: owned block rows by owned and ghost block columns. Factors use the owned square;
// relaxation and residuals will use the couplings to ghosts as well. Values arrive later, through one Source for each
// part, numbered like the part's entries.
struct OperatorView {
  int   block = 1;
  Graph owned;    // columns: owned block rows
  Graph coupling; // the same rows; columns: ghosts
  Index ghosts = 0;
};

// Why analyse() refused, in terms a caller can translate for its user.
struct Refusal {
  enum Reason { none, conflict, block_size, malformed, missing_diagonal, grid_size, grid_fit, no_grid } reason = none;
  Index       row  = -1;      // missing_diagonal
  const char *text = nullptr; // conflict

  explicit operator bool() const { return reason != none; }
};

// What a factorisation found. Indices are block rows of the operator view.
struct FactorReport {
  Index bad_row = -1; // smallest row with a singular or non-finite diagonal block; -1: none
  Index shifted = 0;  // rows in which pivots were replaced
};

struct Statistics {
  ScheduleKind schedule  = ScheduleKind::level;
  ExecutorKind executor  = ExecutorKind::natural;
  FactorKind   factor    = FactorKind::dilu;
  Precision    precision = Precision::working, diagonal = Precision::working;
  Widths       widths;
  Index        rows = 0, lower = 0, upper = 0; // blocks of the factor
  Index        left_out     = 0;               // blocks of the operator that are not in the factor
  Offset       updates      = 0;               // block products of a factorisation
  std::size_t  factor_bytes = 0;               // blocks of the factor
  std::size_t  index_bytes  = 0;               // structure, maps, update lists, schedule
  std::size_t  work_bytes   = 0;               // work vectors
  std::size_t  apply_bytes  = 0;               // least traffic of one application: blocks, indices, vectors
  double       apply_flops = 0, factor_flops = 0;
  Offset       apply_launches = 0; // kernels of one application; 0: none, a plain loop
  Offset       launches       = 0; // kernels since analyse
};

class Engine
{
public:
  virtual ~Engine() = default;

  // Structure only. The view need not outlive the call.
  virtual Refusal analyse(const OperatorView &, const Recipe &) = 0;
  // Loads the values and factors. The source need not outlive the call.
  virtual FactorReport factor(const Source &owned) = 0;
  // x = M^-1 b, vectors of rows * block scalars that do not overlap. Returns when x can be read.
  virtual void       apply(const Scalar *b, Scalar *x) = 0;
  virtual Statistics statistics() const                = 0;
};

// Kokkos must have been started.
std::unique_ptr<Engine> make_engine(Backend);

} // namespace finegrain
