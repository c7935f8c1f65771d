// SPDX-License-Identifier: BSD-2-Clause
// Sums of magnitudes in the scalar rows of a block matrix. They scale the residual that checks a solve. Device
// copies run it in their memory, the plugin on PETSc's arrays on the host.
#pragma once

#include "base/scalar.hpp"

#include <limits>

namespace finegrain
{

// Adds the magnitudes of all entries of scalar row i to sums[i]. Blocks of n x n scalars are stored by columns;
// block row k has the blocks ptr[k] to ptr[k + 1] - 1. With n = 1 this is a matrix in CSR.
template <class Integer> struct AddRowSums {
  int n;
  const Integer *ptr; // null: the matrix has no entries
  const Scalar *blocks;
  Scalar *sums;

  KOKKOS_FUNCTION void operator()(Offset i) const
  {
    if (!ptr) return;
    const Offset row = i / n, in_block = i - row * n;
    Real sum = 0;
    for (Integer e = ptr[row]; e < ptr[row + 1]; ++e)
      for (int c = 0; c < n; ++c) sum += magnitude(blocks[(Offset(e) * n + c) * n + in_block]);
    sums[i] += sum;
  }
};

// Replaces sums by their inverses. A row without entries keeps its residual: the factor is 1.
struct InvertRowSums {
  Scalar *sums;

  KOKKOS_FUNCTION void operator()(Offset i) const
  {
    constexpr Real largest = std::numeric_limits<Real>::max();
    const Real sum = real_part(sums[i]);
    sums[i] = Scalar(sum > largest ? 1 / largest : sum > 0 ? 1 / sum : Real(1));
  }
};

} // namespace finegrain
