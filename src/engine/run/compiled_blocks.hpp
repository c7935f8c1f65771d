// The block sizes that kernels are compiled for, which a build says in FINEGRAIN_FIXED_BLOCKS: row functions know
// theirs at compile time, engines at run time. Beside each *_kernels.hpp, which has the table of some kernels, an
// .ipp has their bodies: CMake compiles it once for each of these sizes and once for any (FINEGRAIN_BLOCK 0).
#pragma once

#include "base/storage.hpp"

#include <utility>

namespace finegrain
{

// f<N>() for the fixed block size n, f<0>() where there is none.
template <class F> auto with_block(int n, const F &f)
{
  const auto choose = [&]<int... N>(std::integer_sequence<int, N...>)
  {
    decltype(f.template operator()<0>()) found{};
    if (!((n == N && (found = f.template operator()<N>(), true)) || ...)) found = f.template operator()<0>();
    return found;
  };
  return choose(std::integer_sequence<int, FINEGRAIN_FIXED_BLOCKS>());
}

// The same where kernels of this storage are compiled for fixed sizes at all.
template <Method method, class F> auto with_block(int n, const Storage &s, const F &f)
{
  const PermittedStorage *p = find_storage(method, s);
  return with_block(p && p->fixed ? n : 0, f);
}

} // namespace finegrain
