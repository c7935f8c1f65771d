// SPDX-License-Identifier: BSD-2-Clause
// Owners of PETSc objects: a test's objects are destroyed when their scope ends, also after a failed assertion.
// Destruction is collective; destructors run in the reverse order of declarations, the same on all ranks.
#pragma once

#include <petscksp.h>

#include <gtest/gtest.h>

#include <utility>

namespace finegrain::test
{

template <class T> PetscObject object(T x) { return reinterpret_cast<PetscObject>(x); }

// Destroys a PETSc object through its own destructor; an ISColoring is no PETSc object.
template <class T> PetscErrorCode Destroy(T *x)
{
  PetscObject o = object(*x);
  *x = nullptr;
  return PetscObjectDestroy(&o);
}
inline PetscErrorCode Destroy(ISColoring *x) { return ISColoringDestroy(x); }

// One reference to a Mat, PC, Vec, ..., which converts to PETSc's handle. Handles that PETSc lends, such as that of
// KSPGetPC(), are not wrapped.
template <class T> class Owned
{
public:
  Owned() = default;
  ~Owned() { reset(); }
  Owned(Owned &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept
  {
    std::swap(handle_, other.handle_);
    return *this;
  }

  T get() const { return handle_; }
  operator T() const { return handle_; }

  // Address for a function that creates an object. It destroys the previous object: otherwise every object of a loop
  // but the last would leak.
  T *operator&()
  {
    reset();
    return &handle_;
  }
  // Address for functions that read the handle and may replace it: MAT_REUSE_MATRIX, MAT_INPLACE_MATRIX.
  T *in_place() { return &handle_; }

  void reset() { EXPECT_EQ(static_cast<int>(Destroy(&handle_)), 0); }

private:
  T handle_ = nullptr;
};

template <class T> PetscObject object(const Owned<T> &x) { return object(x.get()); }

} // namespace finegrain::test
