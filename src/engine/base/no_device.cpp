// SPDX-License-Identifier: BSD-2-Clause
// Lets a build with CUDA load, and run on the host, where there is no GPU. kokkos.hpp calls it at the start. Tried
// with Kokkos 4.6 only.
#include "base/kokkos.hpp"

#define KOKKOS_IMPL_PUBLIC_INCLUDE // for its list of execution spaces
#include <impl/Kokkos_ExecSpaceManager.hpp>
#undef KOKKOS_IMPL_PUBLIC_INCLUDE

#include <cuda.h>

#include <dlfcn.h>

namespace finegrain
{

namespace
{

// Takes CUDA's place in the list of what Kokkos starts and stops.
struct NoDevice final : Kokkos::Impl::ExecSpaceBase {
  void initialize(const Kokkos::InitializationSettings &) override {}
  void finalize() override {}
  void static_fence(const std::string &) override {}
  void print_configuration(std::ostream &out, bool) override { out << "Cuda: left out, no device\n"; }
};

} // namespace

bool leave_out_device()
{
#if KOKKOS_VERSION >= 40000 && KOKKOS_VERSION < 40700 // that call it by this name
  Kokkos::Impl::ExecSpaceManager::get_instance().register_space_factory("150_Cuda", std::make_unique<NoDevice>());
  return true;
#else
  return false;
#endif
}

} // namespace finegrain

// What a statically linked Kokkos 4.6 calls of CUDA's driver, looked up at the first call: the driver's library comes
// with a GPU, and nothing linked to it can be loaded elsewhere.
namespace
{

// The function of the driver, null where there is no driver.
template <class Function> Function *find_in_driver(const char *name)
{
  static void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  return driver ? reinterpret_cast<Function *>(dlsym(driver, name)) : nullptr;
}

template <class... Parameters, class... Arguments>
CUresult call(const char *name, CUresult (*)(Parameters...), Arguments... arguments)
{
  auto *function = find_in_driver<CUresult(Parameters...)>(name);
  return function ? function(arguments...) : CUDA_ERROR_NOT_INITIALIZED;
}

} // namespace

extern "C" {

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device) { return call("cuCtxGetDevice", cuCtxGetDevice, device); }

CUresult CUDAAPI cuCtxPushCurrent(CUcontext context) // the header calls it cuCtxPushCurrent_v2
{
  return call("cuCtxPushCurrent_v2", cuCtxPushCurrent, context);
}

CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context)
{
  return call("cuStreamGetCtx", cuStreamGetCtx, stream, context);
}

} // extern "C"
