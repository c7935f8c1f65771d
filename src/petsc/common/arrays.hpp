// SPDX-License-Identifier: BSD-2-Clause
// Arrays of vectors for kernels: where the vectors have them, if the kernels' memory is that, else on the host; and
// the order between PETSc's streams and ours. Applications and products use it.
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

// Arrays of the device back end, as PETSc calls them.
#if defined(FINEGRAIN_SHARES_DEVICE)
inline constexpr PetscMemType device_memory = PETSC_MEMTYPE_CUDA;
#else
inline constexpr PetscMemType device_memory = PETSC_MEMTYPE_HOST;
#endif

#if defined(FINEGRAIN_EMULATE_DEVICE)
// What tests say of a PETSc with the emulated device: whether arrays shall be copied, which kernels could read as
// they are, and whether PETSc works on another stream.
struct EmulatedPetsc {
  bool copies = false, other_stream = false;
};
inline EmulatedPetsc emulated_petsc;
#endif

// Whether a device's kernels can read PETSc's arrays of this type.
inline bool lies_on_device(PetscMemType type)
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

// Whether PetscSF can exchange what lies on the device.
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

// PETSc's default stream, if it queues its kernels there now: the one that lives as long as PETSc does, and that its
// Kokkos vectors stay on whatever the current context is.
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

// What PETSc has queued on its current device context comes first.
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

// What PetscSF has received on a device is there. It unpacks without waiting, on the stream of the context that was
// current when it first exchanged something, which need be neither the current one nor one that Kokkos waits for.
inline PetscErrorCode FinegrainWaitForUnpacking()
{
  PetscFunctionBegin;
  PetscCall(FinegrainWaitForPetsc());
#if defined(FINEGRAIN_SHARES_DEVICE)
  Kokkos::fence("finegrain: PetscSF has unpacked"); // of the whole device
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The device that PETSc takes, of `count`: the one that an option names (-1: none does), else by rank.
inline int device_of_petsc(PetscInt named, int rank, int count)
{
  if (named >= 0) return int(named);
  return count > 0 ? rank % count : -1;
}

// Flops of kernels on this back end.
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

// out = f(in, also), for the length of a call, an error or an exception in it included. `also` may be null, or out.
// Where the arrays are a device's, the worker, an engine or a mirror, works on PETSc's queue if it can; if not, the
// host waits for what is there first.
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

  // keeps: what out holds is read too.
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
      if (lies_on_device(types[0]) && (!also_ || lies_on_device(types[1])) && lies_on_device(types[2])) {
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
