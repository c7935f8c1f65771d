// SPDX-License-Identifier: BSD-2-Clause
// Block sizes for which kernels are compiled, listed by the build in FINEGRAIN_FIXED_BLOCKS. Row functions know
// their block size at compile time, engines at run time. Each *_kernels.hpp has a table of kernels, and an .ipp of
// the same folder has their bodies. CMake compiles the .ipp once for each of these sizes and once for any size
// (FINEGRAIN_BLOCK 0).
#pragma once

#include "base/block.hpp"
#include "base/storage.hpp"

#include <utility>

namespace finegrain
{

// Returns f<N>() for a fixed block size n, f<0>() for any other.
template <class F> auto with_block(int n, const F &f)
{
  decltype(f.template operator()<0>()) found{};
  bool fixed = false;
  const auto try_size = [&]<int N>(std::integral_constant<int, N>) {
    if constexpr (FINEGRAIN_FIXED_BLOCKS >> N & 1)
      if (n == N) {
        found = f.template operator()<N>();
        fixed = true;
      }
  };
  [&]<int... N>(std::integer_sequence<int, N...>) { (try_size(std::integral_constant<int, N + 1>()), ...); }
  (std::make_integer_sequence<int, max_block>());
  return fixed ? found : f.template operator()<0>();
}

// The same if kernels of this storage are compiled for fixed sizes, else f<0>().
template <Method method, class F> auto with_block(int n, const Storage &s, const F &f)
{
  const PermittedStorage *p = find_storage(method, s);
  return with_block(p && p->fixed ? n : 0, f);
}

} // namespace finegrain
