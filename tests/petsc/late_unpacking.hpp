// SPDX-License-Identifier: BSD-2-Clause
// PetscSF as on a device: received data is available only after a wait for its stream, or to kernels of the same
// stream. The functions of this file replace PETSc's functions of the same names in a program that links them. While
// a LateUnpacking exists, the data that PetscSFBcastEnd() and PetscSFReduceEnd() have put into their arrays is
// replaced by NaN. PetscDeviceContextSynchronize() restores it; on PETSc's default stream, so does the next kernel,
// of finegrain or of PETSc.
#pragma once

#include <petscsf.h>

namespace finegrain::test
{

// While an object of this class exists, PETSc's current stream is not its default one.
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

  int exchanges() const; // number of delayed exchanges
};

} // namespace finegrain::test
