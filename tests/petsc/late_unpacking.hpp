// SPDX-License-Identifier: BSD-2-Clause
// PetscSF as it is on a device: what it has received is there only once somebody has waited for its stream, or for
// kernels of the same stream.
//
// This file's functions stand before PETSc's of the same names in a program that is linked to them. While a
// LateUnpacking lives, what PetscSFBcastEnd() and PetscSFReduceEnd() have put into their arrays is taken away, NaN
// left in its place, and brought back by PetscDeviceContextSynchronize(); on PETSc's default stream, also by the next
// kernel, of ours or of PETSc.
#pragma once

#include <petscsf.h>

namespace finegrain::test
{

// While one of these lives, PETSc's current stream is another one than its default.
class OtherStream
{
public:
  OtherStream();
  ~OtherStream();
  OtherStream(const OtherStream &) = delete;
  OtherStream &operator=(const OtherStream &) = delete;
};

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
