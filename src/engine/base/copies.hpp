// Copies between arrays on the host and arrays of an execution space. Methods use them where callers' arrays lie
// elsewhere than the kernels'.
#pragma once

#include "base/kokkos.hpp"

namespace finegrain
{

template <class T, class Space> using Unmanaged = Kokkos::View<T *, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// At least `size` numbers, allocated at first use.
template <class T, class Space> T *make_room(Array<T, Space> &a, std::size_t size)
{
  if (a.extent(0) < size) a = make_array<T, Space>("finegrain::staged", size);
  return a.data();
}
// Both return when the copy is there.
template <class Space, class T> void copy_up(T *to, const T *from, std::size_t size)
{
  if (size) Kokkos::deep_copy(Unmanaged<T, Space>(to, size), Unmanaged<const T, Kokkos::HostSpace>(from, size));
}
template <class Space, class T> void copy_down(T *to, const T *from, std::size_t size)
{
  if (size) Kokkos::deep_copy(Unmanaged<T, Kokkos::HostSpace>(to, size), Unmanaged<const T, Space>(from, size));
}

} // namespace finegrain
