// SPDX-License-Identifier: BSD-2-Clause
// Interface of the engine: analyze once per nonzero pattern, factor for each set of values, apply in each iteration.
// src/petsc/pc calls it; each method implements it by a class.
#pragma once

#include "base/matrix_values.hpp"
#include "halo.hpp"
#include "order/options.hpp"

#include <memory>

namespace finegrain
{

// Report of a factorization. Indices are block rows of the operator view. The bad row is the smallest one or, with
// an ordering, the first one that was eliminated: rows that need a bad row are bad because of it.
struct FactorReport {
  Index bad_row = -1;        // a row with a singular or non-finite diagonal block; -1: none
  bool bad_is_finite = true; // the block is singular; false: it, or its inverse, has Inf or NaN
  Index bad_stage = 0;       // global factorization: its color or tile; the first is no consequence of another
  Index shifted = 0;         // rows in which pivots were replaced
  Index indefinite = 0;      // rows with a finite pivot that is not positive definite (Shift::definite)
  Index bad_coupling = -1;   // smallest row with a block that is not finite as it is stored; -1: none
  Offset flushed = 0;        // relaxation: nonzero entries that are stored as zero
};

struct Statistics {
  ScheduleKind schedule = ScheduleKind::level;
  Algorithm algorithm = Algorithm::sequential;
  FactorKind factor = FactorKind::dilu;
  Precision precision = Precision::working, diagonal = Precision::working;
  Widths widths;
  HostArray<Index> first_groups;                    // group of each row below most_shown
  const char *reason = "";                          // reason for the algorithm
  Index tasks = 0, task_levels = 0, task_width = 0; // algorithm tasks: number, longest chain, most tasks at once
  Box tile;                                         // tile of a grid
  Index rows = 0, lower = 0, upper = 0;             // blocks of the factor
  Index ignored = 0;                                // ignored blocks of the operator
  Index ignored_inside = 0;                         // ignored blocks between owned rows
  Offset updates = 0;                               // block products of a factorization
  bool searched = false;                            // products are searched by columns each time, without lists
  bool lists_deferred = false;                      // the next factorization builds these lists
  std::size_t factor_bytes = 0;                     // blocks of the factor
  std::size_t index_bytes = 0;                      // structure, maps, update lists, schedule
  std::size_t work_bytes = 0;                       // work vectors
  std::size_t staged_bytes = 0;                     // copies of the caller's arrays (device_copies.hpp)
  std::size_t apply_bytes = 0;                      // least traffic of one application: blocks, indices, vectors
  std::size_t difference_bytes = 0;                 // blocks kept for residuals and by Eisenstat's trick
  std::size_t residual_bytes = 0;                   // blocks that a residual reads (short_residual)
  std::size_t long_residual_bytes = 0;              // the same if it must read the matrix
  double apply_flops = 0, factor_flops = 0, residual_flops = 0, long_residual_flops = 0;
  double bytes_read = 0;     // bytes of blocks read by sweeps and residuals since analyze()
  Index fill = 0;            // blocks of the factor that the operator does not have
  Index operator_blocks = 0; // blocks of the operator that are factored
  Offset dropped = 0;        // blocks dropped because both rows have one color or are close to each other
  Index colors = 0;
  bool symmetrized = false;                        // the graph was not symmetric: its colors are those of the union
  ColoringKind coloring = ColoringKind::automatic; // coloring that was used
  Real scale = 1;                                  // relaxation: of half-precision storage, for the matrix
  Offset apply_launches = 0;                       // kernels of one application; 0: none, a plain loop
  Offset launches = 0;                             // kernels since analyze()
  // True if correct() can compute the residual without reading upper blocks, with `last` and the values that were
  // factored: DILU in working precision, no pivot replaced. All ranks use it or none, because the halo then fetches
  // another vector.
  bool short_residual = false;
};

// Memory of a caller's arrays: of the host, or of the engine. Both are the same on engines of hosts.
enum class Memory { host, engine };

// Current values of the matrix.
struct Values {
  MatrixValues owned, coupling;
  bool short_residual = false; // use it: the values are those of the last factor(), and all ranks use it
  Memory memory = Memory::host;
  Real diagonal_shift = 0; // FactorKind::icc: diagonal entries become a + shift |a|
};

// x = M^-1 b. Vectors have rows * block scalars and do not overlap.
struct Application {
  const Scalar *b = nullptr;
  Scalar *x = nullptr;
  Scalar *total = nullptr; // one vector only: x is added to it
  int vectors = 1;         // `stride` scalars apart
  Offset stride = 0;
  bool transposed = false; // M^-T, not conjugated
  bool from_x = false;     // relaxations, one vector: x + M^-1 (b - A x) with the couplings as stored
  int factor = 0;          // index, if there are several
  Memory memory = Memory::host;
  bool in_split_form = false; // for reserve(): apply_split() will follow instead, with one vector
};

// A correction (numerics.md 1): step = M^-1 (b - A x), and total += step unless total is null; total may be x.
// `last` is the result of the last application or correction if x has since changed by exactly that, otherwise null.
// It may be step.
struct Correction {
  Values values;
  const Scalar *b, *x, *last;
  Scalar *step, *total = nullptr;
  int factor = 0;
  Memory memory = Memory::host;
};

// x = P b for P_L^-1, P_R^-1 or P_R of the split form M = P_L P_R (numerics.md 1, Eisenstat's trick). General form:
// P_L = D + L and P_R = I + D^-1 U. Symmetric form, after prepare(): P_L = P_R^H if A and D are Hermitian.
enum class Split { left_inverse, right_inverse, right };
struct SplitApplication {
  Split split;
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

// Split form of a factorization, a second interface of its engine. Inverses of the general form are always available.
// All else needs EngineOptions::eisenstat and Statistics::factor dilu, allow_products() once after analyze(), and
// prepare() for the form after each factor(). prepare() returns false if the form is symmetric and a pivot is not
// Hermitian and positive definite.
class SplitForm
{
public:
  virtual void allow_products(const OperatorView &) = 0;
  virtual bool prepare(const Values &, bool symmetric) = 0;
  virtual void apply_split(const SplitApplication &) = 0;
  virtual void multiply(const EisenstatProduct &) = 0;

protected:
  ~SplitForm() = default;
};

// Interface of Method::shared: the storage of its factor, and the hook that exchanges it with other ranks; null: one
// rank.
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

  // Analyzes the structure only. The view need not outlive the call.
  virtual SetupError analyze(const OperatorView &, const EngineOptions &) = 0;
  // Sets the hook that fetches ghosts; null: no rank has any. Called after analyze().
  virtual void set_halo(Halo *) = 0;
  // Sets the queue of all further kernels. False means that nothing is queued and the engine returns when its work
  // is done. So it is on hosts, and with a halo that does not follow the queue.
  virtual bool set_queue(const Queue &) { return false; }
  // Returns the value whose maximum over all ranks factor() needs: the largest entry of the couplings, or a value of
  // the same scale, if one scale serves the whole matrix, else -1. It may already load the values.
  virtual Real find_largest(const Values &) = 0;
  // Loads the values and factors. The source need not outlive the call, except with Relaxation::in_place. The blocks
  // of the couplings then follow those of the owned square in one array in the engine's memory, and block_slack
  // bytes follow them. This array becomes the engine's storage: its values are lost, and the caller keeps it until
  // the next factor(), analyze() or the end of the engine.
  virtual FactorReport factor(const Values &, Real largest) = 0;
  FactorReport factor(const MatrixValues &owned) { return factor(Values{owned, {}}, find_largest({owned, {}})); }
  // Allocates the memory of the first application of this kind. It may fail before a halo waits for this rank. The
  // values of pointers do not matter.
  virtual void reserve(const Application &) = 0;
  // Returns when x can be read, or when all work is queued (set_queue()).
  virtual void apply(const Application &) = 0;
  void apply(const Scalar *b, Scalar *x) { apply(Application{.b = b, .x = x}); }
  // Prepares corrections for the analyzed view. The factor does not change; short residuals need another factor().
  virtual void allow_corrections(const OperatorView &) = 0;
  // Engines with a cheaper residual override it.
  virtual void correct(const Correction &c)
  {
    const Scalar *r = find_residual(c.values, c.b, c.x, c.memory);
    apply({.b = r, .x = c.step, .total = c.total, .factor = c.factor, .memory = c.memory});
  }
  // Returns b - A x, valid until the next call, in the memory that `memory` names. Called after allow_corrections().
  virtual const Scalar *find_residual(const Values &, const Scalar *b, const Scalar *x, Memory = Memory::host) = 0;
  // Both return null if the engine has no such interface.
  virtual SplitForm *split_form() { return nullptr; }
  virtual RowSharing *sharing() { return nullptr; }
  // Returns a vector for callers in the given memory. It is allocated at first use and stays the same.
  virtual Scalar *scratch(Memory = Memory::host) = 0;
  virtual Statistics statistics() const = 0;
};

// Each is in its own translation unit.
std::unique_ptr<Engine> make_factorization(Backend);
std::unique_ptr<Engine> make_relaxation(Backend);
std::unique_ptr<Engine> make_sip_cycle(Backend);
std::unique_ptr<Engine> make_shared_factorization(Backend);

// Creates an engine after start_kokkos(). Arrays passed to it are in the memory of its back end. device_copies.hpp
// has an engine for host arrays.
std::unique_ptr<Engine> make_engine(Backend, Method);

} // namespace finegrain
