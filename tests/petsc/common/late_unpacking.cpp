// SPDX-License-Identifier: BSD-2-Clause
// A PetscSF that unpacks late, as on a device: implementation of late_unpacking.hpp on the host, for the tests of
// the emulated device.
#include "late_unpacking.hpp"

#include "common/arrays.hpp"
#include "common/petsc_compat.hpp"

#include <petscdevice.h>

#include <dlfcn.h>

#include <cstring>
#include <limits>
#include <vector>

namespace
{

// Bytes of an array that have not been unpacked yet.
struct Late {
  char *to;
  std::vector<char> bytes;
};
std::vector<Late> on_the_way;
bool active = false, in_order = false; // in_order: on the stream of the kernels
int exchanges;

template <class F> F *next(const char *name) { return reinterpret_cast<F *>(dlsym(RTLD_NEXT, name)); }

// Replaces `count` units from `first` on, which consist of scalars, by NaN and stores them.
void take_away(void *array, PetscInt first, PetscInt count, MPI_Datatype unit)
{
  MPI_Aint lower, extent;
  const auto nan = PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN());
  MPI_Type_get_extent(unit, &lower, &extent);
  Late late{static_cast<char *>(array) + first * extent, std::vector<char>(std::size_t(count * extent))};
  std::memcpy(late.bytes.data(), late.to, late.bytes.size());
  for (std::size_t i = 0; i + sizeof(nan) <= late.bytes.size(); i += sizeof(nan))
    std::memcpy(late.to + i, &nan, sizeof(nan));
  on_the_way.push_back(std::move(late));
}

void bring_back()
{
  for (; !on_the_way.empty(); on_the_way.pop_back())
    std::memcpy(on_the_way.back().to, on_the_way.back().bytes.data(), on_the_way.back().bytes.size());
}

} // namespace

// C linkage and PETSc's own declarations.
PetscErrorCode PetscSFBcastEnd(PetscSF sf, MPI_Datatype unit, const void *roots, void *leaves, MPI_Op op)
{
  static const auto own = next<decltype(PetscSFBcastEnd)>("PetscSFBcastEnd");
  PetscInt count;
  const PetscInt *place;

  PetscFunctionBegin;
  PetscCall(own(sf, unit, roots, leaves, op));
  if (!active) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetGraph(sf, nullptr, &count, &place, nullptr));
  for (PetscInt i = 0; i < count; ++i) take_away(leaves, place ? place[i] : i, 1, unit);
  ++exchanges;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscSFReduceEnd(PetscSF sf, MPI_Datatype unit, const void *leaves, void *roots, MPI_Op op)
{
  static const auto own = next<decltype(PetscSFReduceEnd)>("PetscSFReduceEnd");
  PetscInt count;

  PetscFunctionBegin;
  PetscCall(own(sf, unit, leaves, roots, op));
  if (!active) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFGetGraph(sf, &count, nullptr, nullptr, nullptr));
  take_away(roots, 0, count, unit);
  ++exchanges;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PetscDeviceContextSynchronize(PetscDeviceContext context)
{
  static const auto own = next<decltype(PetscDeviceContextSynchronize)>("PetscDeviceContextSynchronize");

  PetscFunctionBegin;
  PetscCall(own(context));
  bring_back();
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Here PETSc gets a result back. It uses the result in kernels, which run after the previous ones.
PetscErrorCode VecRestoreArrayAndMemType(Vec x, PetscScalar **a)
{
  static const auto own = next<decltype(VecRestoreArrayAndMemType)>("VecRestoreArrayAndMemType");

  PetscFunctionBegin;
  if (in_order) bring_back();
  PetscCall(own(x, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode VecRestoreArrayWriteAndMemType(Vec x, PetscScalar **a)
{
  static const auto own = next<decltype(VecRestoreArrayWriteAndMemType)>("VecRestoreArrayWriteAndMemType");

  PetscFunctionBegin;
  if (in_order) bring_back();
  PetscCall(own(x, a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

namespace finegrain::test
{

OtherStream::OtherStream() { finegrain::emulated_petsc.other_stream = true; }
OtherStream::~OtherStream() { finegrain::emulated_petsc.other_stream = false; }

LateUnpacking::LateUnpacking()
{
  Queue queue;
  FinegrainFindQueue(&queue);
  in_order = queue.callers;
  if (in_order)
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(
      [](const char *, std::uint32_t, std::uint64_t *) { bring_back(); });
  active = true;
  ::exchanges = 0;
}
LateUnpacking::~LateUnpacking()
{
  Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
  bring_back();
  active = in_order = false;
}
int LateUnpacking::exchanges() const { return ::exchanges; }

} // namespace finegrain::test
