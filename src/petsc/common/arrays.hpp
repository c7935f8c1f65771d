// SPDX-License-Identifier: BSD-2-Clause
// Vector arrays for applications and products: device arrays if the kernels can read them in place, else host
// arrays. Also the order between PETSc's streams and those of the engine.
#pragma once

#include "common/petsc_compat.hpp"

#include "engine.hpp"

#include <petscdevice.h>
#include <petscvec.h>

#if defined(PETSC_HAVE_CUDA) && defined(KOKKOS_ENABLE_CUDA)
#define FINEGRAIN_SHARES_DEVICE // with PETSc
#include <petscdevice_cuda.h>
#endif

namespace finegrain
{

// PETSc's memory type of device arrays.
#if defined(FINEGRAIN_SHARES_DEVICE)
inline constexpr PetscMemType device_memory = PETSC_MEMTYPE_CUDA;
#else
inline constexpr PetscMemType device_memory = PETSC_MEMTYPE_HOST;
#endif

#if defined(FINEGRAIN_EMULATE_DEVICE)
// Settings of tests with the emulated device: copy arrays that kernels could read in place; PETSc works on another
// stream.
struct EmulatedPetsc {
  bool copies = false, other_stream = false;
};
inline EmulatedPetsc emulated_petsc;
#endif

// True if device kernels can read PETSc's arrays of this type.
inline bool is_on_device(PetscMemType type)
{
#if defined(FINEGRAIN_EMULATE_DEVICE)
  return PetscMemTypeHost(type) && !emulated_petsc.copies;
#elif defined(FINEGRAIN_SHARES_DEVICE)
  return PetscMemTypeDevice(type);
#else
  (void)type;
  return false;
#endif
}

// True if PetscSF can exchange device arrays.
inline bool exchanges_on_device()
{
#if defined(FINEGRAIN_EMULATE_DEVICE)
  return !emulated_petsc.copies;
#elif defined(FINEGRAIN_SHARES_DEVICE)
  return true;
#else
  return false;
#endif
}

// Finds PETSc's default stream, if PETSc currently queues its kernels there. That stream exists as long as PETSc
// does, and PETSc's Kokkos vectors use it under any current context.
inline PetscErrorCode FinegrainFindQueue([[maybe_unused]] Queue *queue)
{
  PetscFunctionBegin;
#if defined(FINEGRAIN_EMULATE_DEVICE)
  queue->callers = !emulated_petsc.other_stream;
#elif defined(FINEGRAIN_SHARES_DEVICE) && PETSC_VERSION_GE(3, 20, 0)
  PetscDeviceContext context;
  PetscDeviceType type;
  void *handle;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetDeviceType(context, &type));
  if (type == PETSC_DEVICE_CUDA) {
    PetscCall(PetscDeviceContextGetStreamHandle(context, &handle));
    const cudaStream_t stream = *static_cast<cudaStream_t *>(handle);
    if (stream == PetscDefaultCudaStream) *queue = {true, stream};
  }
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Waits for the work that PETSc has queued on its current device context.
inline PetscErrorCode FinegrainWaitForPetsc()
{
  PetscFunctionBegin;
#if defined(FINEGRAIN_SHARES_DEVICE) || defined(FINEGRAIN_EMULATE_DEVICE)
  PetscDeviceContext context;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Waits until PetscSF has unpacked what it received on a device. PetscSF unpacks asynchronously on the stream of its
// first exchange, which may be neither the current one nor one that Kokkos waits for.
inline PetscErrorCode FinegrainWaitForUnpacking()
{
  PetscFunctionBegin;
  PetscCall(FinegrainWaitForPetsc());
#if defined(FINEGRAIN_SHARES_DEVICE)
  Kokkos::fence("finegrain: PetscSF has unpacked"); // waits for the whole device
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Returns the device that PETSc selects among `count`: the one named by an option, or by rank if `named` is -1.
inline int device_of_petsc(PetscInt named, int rank, int count)
{
  if (named >= 0) return int(named);
  return count > 0 ? rank % count : -1;
}

// Logs flops of kernels of this back end.
inline PetscErrorCode FinegrainLogFlops([[maybe_unused]] Backend backend, double flops)
{
  PetscFunctionBegin;
#if defined(FINEGRAIN_SHARES_DEVICE)
  if (backend == Backend::device) {
    PetscCall(PetscLogGpuFlops(flops));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
#endif
  PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Arrays for out = f(in, also), restored after an error or exception too. `also` may be null or `out`. With device
// arrays the worker (an engine or a device copy) uses PETSc's queue if it can; otherwise the host first waits for
// PETSc's work.
class Arrays
{
public:
  Arrays() = default;
  Arrays(const Arrays &) = delete;
  Arrays &operator=(const Arrays &) = delete;
  ~Arrays()
  {
    if (held_) (void)restore();
  }

  // keeps: `out` is also read.
  template <class Worker> PetscErrorCode get(Worker &worker, Backend backend, Vec in, Vec also, Vec out, bool keeps)
  {
    PetscFunctionBegin;
    in_ = in;
    also_ = also == out ? nullptr : also;
    out_ = out;
    keeps_ = keeps || (also && also == out);
    place_ = Memory::host;
    if (backend == Backend::device) {
      Queue queue;
      PetscCall(FinegrainFindQueue(&queue));
      const bool queued = worker.set_queue(queue);
      PetscMemType types[3] = {device_memory, device_memory, device_memory};
      PetscCall(VecGetArrayReadAndMemType(in_, &from_, &types[0]));
      if (also_) PetscCall(VecGetArrayReadAndMemType(also_, &second_, &types[1]));
      if (keeps_) PetscCall(VecGetArrayAndMemType(out_, &to_, &types[2]));
      else PetscCall(VecGetArrayWriteAndMemType(out_, &to_, &types[2]));
      if (is_on_device(types[0]) && (!also_ || is_on_device(types[1])) && is_on_device(types[2])) {
        place_ = Memory::engine;
        held_ = true;
        if (!queued) PetscCall(FinegrainWaitForPetsc());
        PetscFunctionReturn(PETSC_SUCCESS);
      }
      PetscCall(restore_on_device());
    }
    PetscCall(VecGetArrayRead(in_, &from_));
    if (also_) PetscCall(VecGetArrayRead(also_, &second_));
    if (keeps_) PetscCall(VecGetArray(out_, &to_));
    else PetscCall(VecGetArrayWrite(out_, &to_));
    held_ = true;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode restore()
  {
    PetscFunctionBegin;
    held_ = false;
    if (place_ == Memory::engine) {
      PetscCall(restore_on_device());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    if (keeps_) PetscCall(VecRestoreArray(out_, &to_));
    else PetscCall(VecRestoreArrayWrite(out_, &to_));
    if (also_) PetscCall(VecRestoreArrayRead(also_, &second_));
    PetscCall(VecRestoreArrayRead(in_, &from_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  const Scalar *from() const { return reinterpret_cast<const Scalar *>(from_); }
  const Scalar *second() const { return also_ ? reinterpret_cast<const Scalar *>(second_) : to(); }
  Scalar *to() const { return reinterpret_cast<Scalar *>(to_); }
  Memory memory() const { return place_; }

private:
  PetscErrorCode restore_on_device()
  {
    PetscFunctionBegin;
    if (keeps_) PetscCall(VecRestoreArrayAndMemType(out_, &to_));
    else PetscCall(VecRestoreArrayWriteAndMemType(out_, &to_));
    if (also_) PetscCall(VecRestoreArrayReadAndMemType(also_, &second_));
    PetscCall(VecRestoreArrayReadAndMemType(in_, &from_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Vec in_ = nullptr, also_ = nullptr, out_ = nullptr;
  bool keeps_ = false, held_ = false;
  const PetscScalar *from_ = nullptr, *second_ = nullptr;
  PetscScalar *to_ = nullptr;
  Memory place_ = Memory::host;
};

} // namespace finegrain
