// SPDX-License-Identifier: BSD-2-Clause
// The facade of the engine: analyze once per nonzero pattern, factor for each set of values, apply in each iteration.
// src/petsc/pc calls it; a class of each method's folder implements it.
#pragma once

#include "base/matrix_values.hpp"
#include "halo.hpp"
#include "order/options.hpp"

#include <memory>

namespace finegrain
{

// What a factorization found. Indices are block rows of the operator view. Of several bad rows the smallest is given,
// or, with an ordering, the one whose turn comes first: those that need it are bad because of it.
struct FactorReport {
  Index bad_row = -1;        // a row with a singular or non-finite diagonal block; -1: none
  bool bad_is_finite = true; // that block is singular; false: it, or its inverse, has Inf or NaN
  Index bad_turn = 0;        // of factors of all ranks, its color: the first one is no consequence of another
  Index shifted = 0;         // rows in which pivots were replaced
  Index indefinite = 0;      // rows with a finite pivot that is not positive definite (Shift::definite)
  Index bad_coupling = -1;   // smallest row with a block that is not finite as it is stored; -1: none
  Offset flushed = 0;        // relaxation: entries that were not zero and are, as they are stored
};

struct Statistics {
  ScheduleKind schedule = ScheduleKind::level;
  Algorithm algorithm = Algorithm::sequential;
  FactorKind factor = FactorKind::dilu;
  Precision precision = Precision::working, diagonal = Precision::working;
  Widths widths;
  HostArray<Index> first_groups;                    // of each row below most_shown
  const char *reason = "";                          // why this algorithm
  Index tasks = 0, task_levels = 0, task_width = 0; // of algorithm tasks: the longest chain, the most tasks at once
  Box tile;                                         // tile on a grid
  Index rows = 0, lower = 0, upper = 0;             // blocks of the factor
  Index left_out = 0;                               // blocks of the operator that are not in the factor
  Index left_out_inside = 0;                        // those of them between owned rows
  Offset updates = 0;                               // block products of a factorization
  bool searched = false;                            // they are found by columns each time, without lists
  bool lists_wait = false;                          // which the next factorization makes
  std::size_t factor_bytes = 0;                     // blocks of the factor
  std::size_t index_bytes = 0;                      // structure, maps, update lists, schedule
  std::size_t work_bytes = 0;                       // work vectors
  std::size_t staged_bytes = 0;                     // copies of the caller's arrays (device_copies.hpp)
  std::size_t apply_bytes = 0;                      // least traffic of one application: blocks, indices, vectors
  std::size_t difference_bytes = 0;                 // blocks kept for residuals and by Eisenstat's trick
  std::size_t residual_bytes = 0;                   // blocks that a residual reads (short_residual)
  std::size_t long_residual_bytes = 0;              // the same where it has to read the matrix
  double apply_flops = 0, factor_flops = 0, residual_flops = 0, long_residual_flops = 0;
  double bytes_read = 0;     // of blocks, by sweeps and residuals since analyze
  Index fill = 0;            // blocks of the factor that the operator does not have
  Index operator_blocks = 0; // that are factored
  Offset dropped = 0;        // blocks left out because both rows have one color or are near each other
  Index colors = 0;
  bool symmetrized = false;                        // the graph was not symmetric, its colors are those of the union
  ColoringKind coloring = ColoringKind::automatic; // what automatic came to
  Real scale = 1;                                  // relaxation: of half-precision storage, for the matrix
  Offset apply_launches = 0;                       // kernels of one application; 0: none, a plain loop
  Offset launches = 0;                             // kernels since analyze
  // Whether correct() can find the residual without reading upper blocks, given `last` and values as factored: DILU
  // in working precision, no pivot replaced. All ranks take it or none, because the halo fetches another vector for
  // it.
  bool short_residual = false;
};

// Where a caller's arrays lie: on the host, or where the engine works. The same on engines of hosts.
enum class Memory { host, engine };

// The matrix's values as they are now.
struct Values {
  MatrixValues owned, coupling;
  bool short_residual = false; // take it: the values are those of the last factor(), and all ranks have it
  Memory memory = Memory::host;
  Real diagonal_shift = 0; // FactorKind::icc: diagonal entries become a + shift |a|
};

// x = M^-1 b. Vectors are of rows * block scalars and do not overlap.
struct Application {
  const Scalar *b = nullptr;
  Scalar *x = nullptr;
  Scalar *total = nullptr; // one vector only: x is added to it
  int vectors = 1;         // `stride` scalars apart
  Offset stride = 0;
  bool transposed = false; // M^-T, not conjugated
  bool from_x = false;     // relaxations, one vector: x + M^-1 (b - A x) with the couplings as they are stored
  int factor = 0;          // where there are several
  Memory memory = Memory::host;
  bool in_parts = false; // to reserve(): for apply_part() instead, of one vector
};

// A correction iteration (numerics.md 1): step = M^-1 (b - A x), and total += step unless total is null; total may
// be x. `last` is what the last application or correction gave, if x has grown by just that since; null otherwise. It
// may be step.
struct Correction {
  Values values;
  const Scalar *b, *x, *last;
  Scalar *step, *total = nullptr;
  int factor = 0;
  Memory memory = Memory::host;
};

// x = P b for one of the parts of M = P_L P_R (numerics.md 1, Eisenstat's trick). General: P_L = D + L and
// P_R = I + D^-1 U. Symmetric, of the form that was prepared: P_L = P_R^H where A and D are Hermitian.
enum class Part { left_inverse, right_inverse, right };
struct PartApplication {
  Part part;
  const Scalar *b;
  Scalar *x;
  bool transposed = false; // inverses of the general form only
  bool symmetric = false;
  Memory memory = Memory::host;
};

// u = P_L^-1 A P_R^-1 v. The values are those of the last factor().
struct EisenstatProduct {
  Values values;
  const Scalar *v;
  Scalar *u;
  bool symmetric = false;
  Memory memory = Memory::host;
};

// The parts of a factorization, a second interface of its engine. Of the general form the inverses are always there.
// All else needs EngineOptions::eisenstat and Statistics::factor dilu, allow_products() once after analyze(), and the
// form prepared after each factor(): false if it is symmetric and a pivot is not Hermitian and positive definite.
class FactorParts
{
public:
  virtual void allow_products(const OperatorView &) = 0;
  virtual bool prepare(const Values &, bool symmetric) = 0;
  virtual void apply_part(const PartApplication &) = 0;
  virtual void multiply(const EisenstatProduct &) = 0;

protected:
  ~FactorParts() = default;
};

// Of Method::shared: where its factor lies, and who fetches what others have of it; null: one rank.
class RowSharing
{
public:
  virtual SharedStorage shared_storage() const = 0;
  virtual void set_shared_halo(SharedHalo *) = 0;

protected:
  ~RowSharing() = default;
};

class Engine
{
public:
  virtual ~Engine() = default;

  // Structure only. The view need not outlive the call.
  virtual SetupError analyze(const OperatorView &, const EngineOptions &) = 0;
  // Who fetches ghosts; null: there are none on any rank. After analyze().
  virtual void set_halo(Halo *) = 0;
  // Where kernels are queued from now on. False: they are not, and the engine returns when its work is done; so it is
  // with a halo that does not follow that queue, and on hosts.
  virtual bool set_queue(const Queue &) { return false; }
  // What factor() has to be told of all ranks together: the largest entry of their couplings where one scale serves
  // the whole matrix, else nothing, -1.
  virtual Real find_largest(const Values &) = 0;
  // Loads the values and factors. The source need not outlive the call, but for Relaxation::in_place: then the blocks
  // of the couplings lie behind those of the owned square in one array, where the engine works, that goes on for
  // block_slack bytes. It becomes the engine's storage: its numbers are lost, and the caller keeps it until the next
  // factor(), analyze() or the end of the engine.
  virtual FactorReport factor(const Values &, Real largest) = 0;
  FactorReport factor(const MatrixValues &owned) { return factor(Values{owned, {}}, find_largest({owned, {}})); }
  // Makes what the first application of this kind needs: it may fail before a halo waits for this rank. Pointers do
  // not matter.
  virtual void reserve(const Application &) = 0;
  // Returns when x can be read, or when all is queued (set_queue()).
  virtual void apply(const Application &) = 0;
  void apply(const Scalar *b, Scalar *x) { apply(Application{.b = b, .x = x}); }
  // Prepares corrections for the view that was analyzed. The factor stays as it is; short residuals need another
  // factor().
  virtual void allow_corrections(const OperatorView &) = 0;
  // An engine with a shorter way to the residual has its own.
  virtual void correct(const Correction &c)
  {
    const Scalar *r = find_residual(c.values, c.b, c.x, c.memory);
    apply({.b = r, .x = c.step, .total = c.total, .factor = c.factor, .memory = c.memory});
  }
  // b - A x, in memory that `memory` names until the next call. After allow_corrections().
  virtual const Scalar *find_residual(const Values &, const Scalar *b, const Scalar *x, Memory = Memory::host) = 0;
  // Null where there are none.
  virtual FactorParts *parts() { return nullptr; }
  virtual RowSharing *sharing() { return nullptr; }
  // A vector for callers, lying where theirs do; made at first use, and the same ever after.
  virtual Scalar *scratch(Memory = Memory::host) = 0;
  virtual Statistics statistics() const = 0;
};

// One translation unit for each.
std::unique_ptr<Engine> make_factorization(Backend);
std::unique_ptr<Engine> make_relaxation(Backend);
std::unique_ptr<Engine> make_sip_cycle(Backend);
std::unique_ptr<Engine> make_shared_factorization(Backend);

// Kokkos must have been started. Arrays given to the engine lie where its back end works; device_copies.hpp has
// one for arrays on the host.
std::unique_ptr<Engine> make_engine(Backend, Method);

} // namespace finegrain
