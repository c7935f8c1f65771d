// PetscSF as it is on a device: what it has received is there only once somebody has waited for its stream.
//
// This file's functions stand before PETSc's of the same names in a program that is linked to them. While a
// LateUnpacking lives, what PetscSFBcastEnd() and PetscSFReduceEnd() have put into their arrays is taken away, NaN
// left in its place, and brought back by PetscDeviceContextSynchronize().
#pragma once

#include <petscsf.h>

namespace finegrain::test
{

class LateUnpacking
{
public:
  LateUnpacking();
  ~LateUnpacking();
  LateUnpacking(const LateUnpacking &) = delete;
  LateUnpacking &operator=(const LateUnpacking &) = delete;

  int exchanges() const; // that were late
};

} // namespace finegrain::test
