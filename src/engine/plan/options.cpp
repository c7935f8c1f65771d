// Which options exclude each other.
#include "plan/options.hpp"

#include "base/storage.hpp"

namespace finegrain
{

namespace
{

const char *find_storage_conflict(const EngineOptions &r)
{
  const bool relaxes = r.method == Method::relaxation;
  const bool single_sums = relaxes && r.relaxation.single_sums;
  if (find_storage(relaxes ? Method::relaxation : Method::factorization, {r.precision, r.diagonal, single_sums}))
    return nullptr;
  if (!relaxes && r.precision != Precision::working && r.precision != Precision::single)
    return "half and bfloat16 store the couplings of a relaxation (mcpi); a factorization takes working or single";
  if (r.diagonal != Precision::working && r.diagonal != Precision::single)
    return "half and bfloat16 store couplings; diagonal blocks are stored in working precision or single";
  if (r.diagonal != Precision::working) return "diagonal blocks are stored in lower precision than the other blocks";
  return "sums in single precision are of couplings stored in single precision or below";
}

const char *find_relaxation_conflict(const EngineOptions &r)
{
  const Relaxation &relaxation = r.relaxation;
  if (r.schedule != ScheduleKind::automatic && r.schedule != ScheduleKind::color)
    return "a relaxation runs colors; it has no other schedule";
  if (r.tile.points() > 0) return "a shape of tiles is given, and colors are not cut into tiles of a grid";
  if (r.coupling == GridCoupling::corrections)
    return "couplings between grids are left to corrections, and a relaxation has all of them";
  if (relaxation.sweeps < 1) return "a relaxation makes one sweep at least";
  if (!(relaxation.omega > 0 && relaxation.omega < 2)) return "omega is between 0 and 2, both left out";
  if (relaxation.reduction == Reduction::in_place && storage_size(r.precision) == sizeof(Scalar))
    return "reduction in_place narrows the matrix's blocks where they are, and this precision is the one that they "
           "have; take precision single, half or bfloat16, whichever is shorter, or reduction none";
  if (relaxation.reduction == Reduction::in_place && r.precision == Precision::half &&
      relaxation.scaling == Scaling::row)
    return "reduction in_place narrows all blocks with one scale, and scaling row has one for each block row; take "
           "scaling global, or reduction none";
  if (relaxation.exchange == Exchange::color &&
      (r.executor == ExecutorKind::self || r.executor == ExecutorKind::tile || r.executor == ExecutorKind::shuffle))
    return "an exchange after each color needs a run of its own for each, which the executors natural and launch "
           "have";
  return nullptr;
}

} // namespace

const char *find_conflict(const EngineOptions &r)
{
  if (const char *text = find_storage_conflict(r)) return text;
  if (r.schedule == ScheduleKind::hyperplane && r.ordering.extent(0) > 0)
    return "hyperplanes of a grid keep the natural order, an ordering changes it; level schedules go with any";
  if (r.backend == Backend::device && (r.executor == ExecutorKind::natural || r.executor == ExecutorKind::shuffle))
    return "this executor runs on the host only";
  if (r.backend == Backend::device && !builds_device) return "this build has no device";
  if (r.method == Method::relaxation) return find_relaxation_conflict(r);
  if (r.levels < 0 || r.power < 0) return "levels of fill and the power that is colored are 0 or more";
  if (r.factor == FactorKind::sip && !(r.sip_factor.alpha >= 0 && r.sip_factor.alpha < 1))
    return "alpha is 0 or more, and below 1";
  if (r.factor == FactorKind::sip && (r.levels > 0 || r.schedule == ScheduleKind::color || r.ordering.extent(0) > 0))
    return "Stone's factor is made on the star of a grid, in its order; it has no fill, colors or orderings";
  if (r.levels > 0 && (r.factor == FactorKind::dilu || r.factor == FactorKind::icc))
    return "DILU modifies diagonal blocks only; it has no levels of fill";
  if (r.levels > 0 && r.schedule == ScheduleKind::hyperplane)
    return "fill couples points of a hyperplane; levels of fill go with the schedules level and color";
  if (r.schedule == ScheduleKind::color && r.tile.points() > 0)
    return "a shape of tiles is given, and colors are not cut into tiles of a grid";
  if (r.tile.points() > 0 && r.executor != ExecutorKind::tile && r.executor != ExecutorKind::automatic)
    return "a shape of tiles is given, and this executor has none; tiles go with the executor tile, or with auto";
  return nullptr;
}

} // namespace finegrain
