// SPDX-License-Identifier: BSD-2-Clause
// Phases and options that benchmarks of preconditioners share.
#pragma once

#include "common/petsc_compat.hpp"
#include "timing.hpp"

#include <petscfinegrain.h>
#include <petscdevice.h>
#include <petscksp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace finegrain::test
{

// True if A's vectors are on a device.
inline bool has_vectors_on_device(Mat A)
{
  Vec v;
  const PetscScalar *array;
  PetscMemType memory;
  OK(MatCreateVecs(A, &v, nullptr));
  OK(VecGetArrayReadAndMemType(v, &array, &memory));
  OK(VecRestoreArrayReadAndMemType(v, &array));
  OK(VecDestroy(&v));
  return PetscMemTypeDevice(memory);
}

// Waits until the work queued on PETSc's stream is done.
inline PetscErrorCode wait_for_device()
{
#if defined(PETSC_HAVE_CUDA)
  PetscDeviceContext context;
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextSynchronize(context));
#endif
  return PETSC_SUCCESS;
}

// Calls body() once before, so that nothing is set up in the timed calls.
template <class Body> void repeat(benchmark::State &state, Body body)
{
  OK(body());
  for (auto _ : state) {
    OK(body());
    OK(wait_for_device());
  }
}

// Copies of a gibibyte in the memory of A's vectors: the reference of all percentages on a device. Several copies,
// larger than any cache, share one wait.
class Copies
{
public:
  explicit Copies(Mat A)
  {
    VecType type;
    OK(MatGetVecType(A, &type));
    for (Vec *v : {&from_, &to_}) {
      OK(VecCreate(PETSC_COMM_SELF, v));
      OK(VecSetSizes(*v, length, length));
      OK(VecSetType(*v, type));
      OK(VecSet(*v, 1));
    }
  }
  ~Copies()
  {
    OK(VecDestroy(&from_));
    OK(VecDestroy(&to_));
  }
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;

  PetscErrorCode make() const
  {
    PetscDeviceContext context;

    PetscFunctionBegin;
    for (int i = 0; i < times; ++i) PetscCall(VecCopy(from_, to_));
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static constexpr int times = 8;
  static constexpr PetscInt length = PetscInt((std::size_t(1) << 30) / sizeof(PetscScalar));
  static constexpr double bytes = 2.0 * times * double(length) * sizeof(PetscScalar); // read and written by make()

private:
  Vec from_ = nullptr, to_ = nullptr;
};

inline PC make_pc(Mat A, const char *type)
{
  PC pc;
  OK(PCCreate(PETSC_COMM_SELF, &pc));
  OK(PCSetType(pc, type));
  OK(PCSetOperators(pc, A, A));
  return pc;
}

// Sets the algorithm by its option name.
inline void set_algorithm(PC pc, const std::string &name)
{
  PetscEnum value;
  PetscBool found;
  OK(PetscEnumFind(PCFinegrainAlgorithmTypes, name.c_str(), &value, &found));
  PetscCheckAbort(found, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE, "No algorithm %s", name.c_str());
  OK(PCFinegrainSetAlgorithm(pc, static_cast<PCFinegrainAlgorithmType>(value)));
}

inline void apply(benchmark::State &state, PC pc, Vec b, Vec x)
{
  OK(PCSetUp(pc));
  repeat(state, [=] { return PCApply(pc, b, x); });
}

// Times the set-up of the new PC that make() returns.
template <class Make> void first_setup(benchmark::State &state, Make make)
{
  for (auto _ : state) {
    PC pc = make();
    OK(PCSetUp(pc));
    state.PauseTiming();
    OK(PCDestroy(&pc));
    state.ResumeTiming();
  }
}

// Times a set-up after the first, with other values, less the time of prepare(), which may access them before.
inline void refresh(benchmark::State &state, PC pc, const std::function<PetscErrorCode()> &prepare = {})
{
  Mat A;
  PetscObjectState before;
  OK(PCGetOperators(pc, nullptr, &A));
  const PetscObject object = reinterpret_cast<PetscObject>(A);
  OK(PCSetUp(pc));
  OK(PCSetUpOnBlocks(pc));
  OK(PetscObjectStateGet(object, &before));
  for (auto _ : state) {
    OK(PetscObjectStateIncrease(object));
    if (prepare) {
      state.PauseTiming();
      OK(prepare());
      OK(wait_for_device());
      state.ResumeTiming();
    }
    OK(PCSetUp(pc));
    OK(PCSetUpOnBlocks(pc));
    OK(wait_for_device()); // PETSc's factorizations are asynchronous
  }
  OK(PetscObjectStateSet(object, before)); // for the other preconditioners
}

inline std::string text(const char *format, double value)
{
  char c[32];
  std::snprintf(c, sizeof(c), format, value);
  return c;
}

inline void read_names(const char *option, std::vector<std::string> *names)
{
  char *list[16];
  PetscInt count = 16;
  PetscBool set;
  OK(PetscOptionsGetStringArray(nullptr, nullptr, option, list, &count, &set));
  if (!set) return;
  names->clear();
  for (PetscInt i = 0; i < count; ++i) {
    names->push_back(list[i]);
    OK(PetscFree(list[i]));
  }
}

// Threads that read memory, where benchmarks compare with the bandwidth: OMP_NUM_THREADS, one if that is not set.
inline int reading_threads()
{
  const char *threads = std::getenv("OMP_NUM_THREADS");
  return threads ? std::max(1, std::atoi(threads)) : 1;
}

inline void read_numbers(const char *option, std::vector<PetscInt> *numbers)
{
  PetscInt list[16], count = 16;
  PetscBool set;
  OK(PetscOptionsGetIntArray(nullptr, nullptr, option, list, &count, &set));
  if (set) numbers->assign(list, list + count);
}

} // namespace finegrain::test
