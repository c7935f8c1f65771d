// The hook by which an engine fetches ghosts, because it has no MPI: begin, end, add. src/petsc/common/petsc_halo.hpp
// implements it with PetscSF.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// What src/petsc does for the engine while it computes residuals, multiplies and relaxes.
class Halo
{
public:
  static constexpr Index all = -1;

  virtual ~Halo() = default;
  // Fetches the ghost block rows of x, all of them or those of one color. Rows of x that are fetched somewhere, and
  // these ghosts, stay as they are between the two calls.
  virtual void begin(Index color, const Scalar *x, Scalar *ghosts) = 0;
  virtual void end(Index color, const Scalar *x, Scalar *ghosts) = 0;
  // Adds what every rank has for its ghosts to their owners' rows.
  virtual void add(Index color, const Scalar *ghosts, Scalar *x) = 0;
  // Says that rows without ghosts (interior) or with them are about to be done, or have been.
  virtual void residual(bool interior, bool starts) = 0;
  // Whether it takes arrays where an engine of a device has them; otherwise they lie on the host.
  virtual bool takes_device_arrays() const { return false; }
};

} // namespace finegrain
