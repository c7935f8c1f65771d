// SPDX-License-Identifier: BSD-2-Clause
// Options of an engine whose factor is stored in some way.
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
// Not two names for one storage, where numbers are single themselves.
inline bool is_distinct(const Storage &s) { return sizeof(Real) > 4 || s.off_diagonal != Precision::single; }

} // namespace finegrain::test
