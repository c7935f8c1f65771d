// SPDX-License-Identifier: BSD-2-Clause
// The device: its properties and its errors.
#include "runtime.hpp"

using namespace cuda_stand_in;

extern "C" {
cudaError_t cudaGetDeviceCount(int *n)
{
  begin_call("cudaGetDeviceCount");
  *n = 1;
  return result();
}
cudaError_t cudaSetDevice(int d)
{
  begin_call("cudaSetDevice");
  return result(d == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t cudaGetDevice(int *d)
{
  begin_call("cudaGetDevice");
  *d = 0;
  return result();
}
cudaError_t cudaDriverGetVersion(int *v)
{
  *v = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *v)
{
  *v = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
  begin_call("cudaGetDeviceProperties");
  memset(p, 0, sizeof *p);
  strcpy(p->name, "pretended H100");
  p->totalGlobalMem = 40ull << 30;
  p->sharedMemPerBlock = 49152;
  p->regsPerBlock = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 0x7fffffff;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->totalConstMem = 65536;
  p->major = 9;
  p->minor = 0;
  p->multiProcessorCount = int(env("GPUSIM_SMS", 132));
  p->unifiedAddressing = 1;
  p->concurrentKernels = 1;
  p->maxThreadsPerMultiProcessor = 2048;
  p->sharedMemPerMultiprocessor = 233472;
  p->regsPerMultiprocessor = 65536;
  p->managedMemory = 1;
  p->concurrentManagedAccess = 1;
  p->pageableMemoryAccess = 0;
  p->sharedMemPerBlockOptin = 232448;
  p->maxBlocksPerMultiProcessor = 32;
  p->reservedSharedMemPerBlock = 1024;
  p->canMapHostMemory = 1;
  p->asyncEngineCount = 3;
  p->cooperativeLaunch = 1;
  p->memoryPoolsSupported = 1;
  p->l2CacheSize = 50 << 20;
  return result();
}
cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr a, int)
{
  begin_call("cudaDeviceGetAttribute");
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  switch (a) {
  case cudaDevAttrComputeCapabilityMajor:
    *v = 9;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *v = 0;
    break;
  case cudaDevAttrMultiProcessorCount:
    *v = p.multiProcessorCount;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *v = 49152;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *v = 232448;
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *v = 233472;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *v = 2048;
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *v = 32;
    break;
  case cudaDevAttrMemoryPoolsSupported:
    *v = 1;
    break;
  case cudaDevAttrCooperativeLaunch:
    *v = 1;
    break;
  case cudaDevAttrL2CacheSize:
    *v = 50 << 20;
    break;
  default:
    fprintf(stderr, "GPUSIM: attribute %d asked\n", int(a));
    *v = 0;
  }
  return result();
}
cudaError_t cudaDeviceGetLimit(size_t *v, cudaLimit)
{
  *v = 1024;
  return result();
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return result(); }
cudaError_t cudaGetLastError()
{
  cudaError_t e = sticky ? sticky : last;
  last = cudaSuccess;
  return e;
}
cudaError_t cudaPeekAtLastError() { return sticky ? sticky : last; }
const char *cudaGetErrorName(cudaError_t e)
{
  static char t[40];
  snprintf(t, sizeof t, "cudaError %d", int(e));
  return t;
}
const char *cudaGetErrorString(cudaError_t e)
{
  switch (int(e)) {
  case 700:
    return "an illegal memory access was encountered";
  case 719:
    return "unspecified launch failure";
  case 702:
    return "the launch timed out";
  case 801:
    return "not simulated";
  case 0:
    return "no error";
  case 1:
    return "invalid argument";
  default:
    return "an error of the pretended device";
  }
}
CUresult cuStreamGetCtx(CUstream, CUcontext *c)
{
  *c = (CUcontext)1;
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent_v2(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext *) { return CUDA_SUCCESS; }
CUresult cuCtxGetDevice(CUdevice *d)
{
  *d = 0;
  return CUDA_SUCCESS;
}
}
