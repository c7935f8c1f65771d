// SPDX-License-Identifier: BSD-2-Clause
// Options that exclude each other. Setters check the range of a single option.
#include "order/options.hpp"

#include "base/storage.hpp"

namespace finegrain
{

namespace
{

const char *find_storage_conflict(const EngineOptions &r)
{
  const bool relaxes = r.method == Method::relaxation;
  const Storage storage{r.precision, r.diagonal, r.single_sums};
  if (find_storage(relaxes ? Method::relaxation : Method::factorization, storage)) return nullptr;
  if (!relaxes && storage == half_factor) return nullptr;
  if (r.diagonal != Precision::working && r.diagonal != Precision::single)
    return "half and bfloat16 store couplings; diagonal blocks are stored in working precision or single "
           "(@_diag_precision)";
  if (!relaxes && r.precision == Precision::bfloat16)
    return "@_precision bfloat16 stores the couplings of a relaxation (mcpi); a factor has @_precision working, "
           "single or half";
  if (!relaxes)
    return "a factor in half precision has inverses and sums in single precision, others have sums in working "
           "precision";
  if (r.diagonal != Precision::working)
    return "@_diag_precision is lower than @_precision; diagonal blocks are stored in the higher of the two";
  return "@_sum_precision single needs couplings in single precision or below; give @_precision single or half";
}

const char *find_relaxation_conflict(const EngineOptions &r)
{
  const Relaxation &relaxation = r.relaxation;
  if (r.schedule != ScheduleKind::automatic && r.schedule != ScheduleKind::color)
    return "a relaxation runs colors; it has no other @_schedule";
  if (r.tile.points() > 0) return "@_tile gives a shape, and colors are not cut into tiles of a grid; leave it out";
  if (r.coupling == GridCoupling::block_jacobi)
    return "@_grid_coupling block_jacobi leaves out couplings between grids, and a relaxation has all of them";
  if (relaxation.in_place && storage_size(r.precision) == sizeof(Scalar))
    return "@_in_place narrows the matrix's blocks where they are, and this precision is the one that "
           "they have; use @_precision single, half or bfloat16, whichever is shorter, or leave out @_in_place";
  if (relaxation.in_place && r.precision == Precision::half && relaxation.scaling == Scaling::row)
    return "@_in_place narrows all blocks with one scale, and @_scaling row has one for each block row; "
           "use @_scaling global, or leave out @_in_place";
  if (relaxation.exchange == Exchange::color && r.algorithm == Algorithm::tasks)
    return "@_exchange color needs a run of its own for each color; use @_algorithm sequential or levels, or "
           "@_exchange sweep";
  return nullptr;
}

const char *find_shared_conflict(const EngineOptions &r)
{
  if (r.ordering.extent(0) > 0)
    return "@_ordering is an order of a rank's own rows, and @_global has one of all; leave one out";
  if (r.backend == Backend::device) return "@_global runs on the host; use @_backend host";
  if (storage_size(r.precision) < sizeof(Single))
    return "@_global has no factors in 16 bits; use @_precision working or single, or leave out @_global";
  if (r.coupling == GridCoupling::block_jacobi)
    return "@_grid_coupling block_jacobi leaves out couplings, and @_global has all of them; leave one out";
  const bool loops = r.algorithm == Algorithm::automatic || r.algorithm == Algorithm::sequential;
  if (r.pipelined) {
    if (r.schedule == ScheduleKind::level)
      return "@_global goes by tiles of a grid; use @_schedule auto, or leave out @_global";
    if (!loops) return "@_global runs one tile after the other; use @_algorithm sequential, or leave out @_global";
    for (const SipFactor &f : r.sip_factors)
      if (f.reversed)
        return "@_global has ranks one after another in one direction, and @_alternate has several; leave "
               "one out";
    return nullptr;
  }
  if (r.schedule != ScheduleKind::automatic && r.schedule != ScheduleKind::color)
    return "@_global goes by colors that all ranks share; use @_schedule color, or leave out @_global";
  if (r.drop != Drop::during)
    return "@_global needs rows of a color that do not depend on each other; use @_drop during";
  if (!loops && r.algorithm != Algorithm::levels)
    return "@_global needs a run of its own for each color; use @_algorithm sequential or levels, or "
           "leave out @_global";
  return nullptr;
}

} // namespace

const char *find_conflict(const EngineOptions &r)
{
  if (const char *text = find_storage_conflict(r)) return text;
  if (r.schedule == ScheduleKind::hyperplane && r.ordering.extent(0) > 0)
    return "@_schedule hyperplane keeps the natural order of a grid, and @_ordering changes it; @_schedule level "
           "goes with any";
  const bool drops = r.drop_band > 0 || (r.drop == Drop::after && r.schedule == ScheduleKind::color);
  if (drops && (r.factor == FactorKind::icc || r.factor == FactorKind::sip))
    return "@_drop after and @_drop_band are for block ILU; use @_factor auto, or leave them out";
  if (drops && r.eisenstat)
    return "@_eisenstat needs all couplings of the matrix; leave out @_drop after and @_drop_band";
  if (r.drop_band > 0 && r.schedule != ScheduleKind::level)
    return "@_drop_band makes fewer level sets, and colors have none; use @_schedule level, or leave it out";
  if (r.backend == Backend::device && r.algorithm == Algorithm::sequential)
    return "@_algorithm sequential runs on the host only; use @_algorithm auto, levels or tasks, or @_backend host";
  if (r.backend == Backend::device && !builds_device)
    return "@_backend device: this build has none; use @_backend host";
  if (r.coloring == ColoringKind::level && r.balanced)
    return "@_coloring level keeps the order of rows, and @_coloring_balance moves rows between sets; leave one out";
  if (r.method == Method::relaxation) return find_relaxation_conflict(r);
  if (r.factor == FactorKind::icc && r.precision == Precision::half)
    return "the factor of an ICC is applied twice as it is stored, in working precision or single; use "
           "@_precision working or single";
  if (r.eisenstat && r.factor != FactorKind::automatic && r.factor != FactorKind::dilu)
    return "@_eisenstat needs a factor that keeps the couplings of the matrix; use @_factor dilu, or auto";
  if (r.eisenstat && r.precision != Precision::working)
    return "@_eisenstat takes the factor for the matrix, so that it cannot be rounded; use @_precision working";
  if (r.method == Method::shared || r.pipelined) return find_shared_conflict(r);
  if (r.factor == FactorKind::sip && (r.levels > 0 || r.schedule == ScheduleKind::color || r.ordering.extent(0) > 0))
    return "Stone's factor is made on the star of a grid, in its order; it has no fill, colors or orderings";
  if (r.levels > 0 && (r.factor == FactorKind::dilu || r.factor == FactorKind::icc))
    return "DILU modifies diagonal blocks only; it has no @_levels of fill";
  if (r.levels > 0 && r.schedule == ScheduleKind::hyperplane)
    return "fill couples points of a hyperplane; @_levels go with @_schedule level and color";
  if (r.tile.points() > 0 && (r.schedule == ScheduleKind::color || r.schedule == ScheduleKind::level))
    return "@_tile gives the shape of tiles of a grid, which @_schedule color and level do not have; leave one out";
  if (r.tile.points() > 0 && r.algorithm != Algorithm::tasks && r.algorithm != Algorithm::automatic)
    return "@_tile gives a shape, and this algorithm has no tiles; use @_algorithm tasks, or auto";
  return nullptr;
}

} // namespace finegrain
