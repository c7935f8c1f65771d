// SPDX-License-Identifier: BSD-2-Clause
// Reproducible values for matrices and vectors: the same on every rank and machine.
#pragma once

#include <petscsys.h>

#include <cstdint>

namespace finegrain::test
{

// A value in [-1, 1) from an integer hash.
inline PetscReal hash_value(std::uint64_t key)
{
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdull;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ull;
  key ^= key >> 33;
  return PetscReal(double(key >> 11) / double(1ull << 52) - 1);
}

inline PetscScalar hash_scalar(std::uint64_t key)
{
#if defined(PETSC_USE_COMPLEX)
  return PetscScalar(hash_value(2 * key), hash_value(2 * key + 1));
#else
  return hash_value(2 * key);
#endif
}

} // namespace finegrain::test
