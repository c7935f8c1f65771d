// SPDX-License-Identifier: BSD-2-Clause
// The block sizes that kernels are compiled for, which a build says in FINEGRAIN_FIXED_BLOCKS: row functions know
// theirs at compile time, engines at run time. Beside each *_kernels.hpp, which has the table of some kernels, an
// .ipp has their bodies: CMake compiles it once for each of these sizes and once for any (FINEGRAIN_BLOCK 0).
#pragma once

#include "base/block.hpp"
#include "base/storage.hpp"

#include <utility>

namespace finegrain
{

// f<N>() for the fixed block size n, f<0>() where there is none.
template <class F> auto with_block(int n, const F &f)
{
  decltype(f.template operator()<0>()) found{};
  bool fixed = false;
  const auto take = [&]<int N>(std::integral_constant<int, N>) {
    if constexpr (FINEGRAIN_FIXED_BLOCKS >> N & 1)
      if (n == N) {
        found = f.template operator()<N>();
        fixed = true;
      }
  };
  [&]<int... N>(std::integer_sequence<int, N...>) { (take(std::integral_constant<int, N + 1>()), ...); }
  (std::make_integer_sequence<int, max_block>());
  return fixed ? found : f.template operator()<0>();
}

// The same where kernels of this storage are compiled for fixed sizes at all.
template <Method method, class F> auto with_block(int n, const Storage &s, const F &f)
{
  const PermittedStorage *p = find_storage(method, s);
  return with_block(p && p->fixed ? n : 0, f);
}

} // namespace finegrain
