// SPDX-License-Identifier: BSD-2-Clause
// Body of a translation unit: kernel of Stone's factorization for block size FINEGRAIN_BLOCK (0: any size).
#include "run/execute.hpp"
#include "sip/sip.hpp"
#include "sip/sip_kernels.hpp"

#if FINEGRAIN_BLOCK <= 1

namespace finegrain
{

template <int N, class Exec> SipKernel<Exec> sip_kernel_for(const Storage &storage)
{
  return with_storage<Method::factorization, true>(storage, [](auto off, auto diagonal, auto) -> SipKernel<Exec> {
    return kernel<N, SipRow<N, typename decltype(off)::type, typename decltype(diagonal)::type>>;
  });
}

template SipKernel<HostExec> sip_kernel_for<FINEGRAIN_BLOCK, HostExec>(const Storage &);
#if defined(FINEGRAIN_HAS_DEVICE)
template SipKernel<DeviceExec> sip_kernel_for<FINEGRAIN_BLOCK, DeviceExec>(const Storage &);
#endif

} // namespace finegrain

#endif
