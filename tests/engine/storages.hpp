// SPDX-License-Identifier: BSD-2-Clause
// Options of an engine for different storage precisions of its factor.
#pragma once

#include "base/storage.hpp"
#include "order/options.hpp"

namespace finegrain::test
{

inline EngineOptions with(EngineOptions r, const Storage &s)
{
  r.precision = s.off_diagonal;
  r.diagonal = s.diagonal;
  r.single_sums = s.single_sums;
  return r;
}
// False if the storage is working precision under another name, in builds with single precision.
inline bool is_distinct(const Storage &s) { return sizeof(Real) > 4 || s.off_diagonal != Precision::single; }

} // namespace finegrain::test
