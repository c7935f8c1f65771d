// SPDX-License-Identifier: BSD-2-Clause
// Operands of an arithmetic instruction, each a row of 32 lanes, and the lanes that execute it.
#pragma once
#include "numbers.hpp"

namespace sim
{

struct Lanes {
  u64 *d = nullptr, *second = nullptr; // results
  const u64 *a = nullptr, *b = nullptr, *c = nullptr, *e = nullptr;
  u32 mask = 0;
  u32 *carries = nullptr;

  template <class F> void each(const F &f) const
  {
    for (u32 m = mask; m; m &= m - 1) f(u32(__builtin_ctz(m)));
  }
  template <class T, class F> void unary(const F &f) const
  {
    each([&](u32 l) { d[l] = put<T>(f(get<T>(a[l]))); });
  }
  template <class T, class F> void binary(const F &f) const
  {
    each([&](u32 l) { d[l] = put<T>(f(get<T>(a[l]), get<T>(b[l]))); });
  }
};

// Each returns true if the instruction is one of its own.
bool compute_integers(const Ins &in, const Lanes &o); // arithmetic.cpp
bool compute_floats(const Ins &in, const Lanes &o);   // floats.cpp
bool compute_bits(const Ins &in, const Lanes &o);     // bits.cpp
bool compare(const Ins &in, const Lanes &o);          // bits.cpp

} // namespace sim
