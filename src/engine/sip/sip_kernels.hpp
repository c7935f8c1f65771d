// SPDX-License-Identifier: BSD-2-Clause
// Compiled kernels of Stone's factorization: for scalar matrices and for any block size.
#pragma once

#include "base/storage.hpp"
#include "run/run.hpp"

namespace finegrain
{

struct SipArguments;

template <class Exec> using SipKernel = void (*)(const Run<Exec> &, int n, const SipArguments &);

template <int N, class Exec> SipKernel<Exec> sip_kernel_for(const Storage &);
template <class Exec> SipKernel<Exec> find_sip_kernel(int n, const Storage &s)
{
  return n == 1 ? sip_kernel_for<1, Exec>(s) : sip_kernel_for<0, Exec>(s);
}

} // namespace finegrain
