// SPDX-License-Identifier: BSD-2-Clause
// Lets a build with CUDA load and run on the host if there is no GPU. kokkos.hpp calls it at the start. Tested with
// Kokkos 4.6 only.
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

// Replaces CUDA in the list of execution spaces that Kokkos starts and stops.
struct NoDevice final : Kokkos::Impl::ExecSpaceBase {
  void initialize(const Kokkos::InitializationSettings &) override {}
  void finalize() override {}
  void static_fence(const std::string &) override {}
  void print_configuration(std::ostream &out, bool) override { out << "Cuda: left out, no device\n"; }
};

} // namespace

bool leave_out_device()
{
#if KOKKOS_VERSION >= 40000 && KOKKOS_VERSION < 40700 // versions with this name
  Kokkos::Impl::ExecSpaceManager::get_instance().register_space_factory("150_Cuda", std::make_unique<NoDevice>());
  return true;
#else
  return false;
#endif
}

} // namespace finegrain

// Functions of CUDA's driver that a statically linked Kokkos 4.6 calls, looked up at the first call. The driver
// library is installed with a GPU, and a library linked to it cannot be loaded elsewhere.
namespace
{

// Returns the function of the driver, or null if there is no driver.
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
