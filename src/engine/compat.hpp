// What differs between Kokkos 3.4 and 5.2, and the few Kokkos names the engine uses; nothing else.
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <string>

namespace finegrain
{

using HostExec   = Kokkos::DefaultHostExecutionSpace;
using DeviceExec = Kokkos::DefaultExecutionSpace; // the host's on builds without a device

template <class T, class Space> using Array = Kokkos::View<T *, Space>;
template <class T> using HostArray          = Array<T, Kokkos::HostSpace>;

template <class Exec> inline constexpr bool runs_on_host =
  Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible
    &&Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

// An array of a given length whose entries are not set.
template <class T, class Space = Kokkos::HostSpace> Array<T, Space> make_array(const char *label, std::size_t length)
{
  return Array<T, Space>(Kokkos::view_alloc(std::string(label), Kokkos::WithoutInitializing), length);
}

// The same entries where Space can read them: the array itself if it already can.
template <class Space, class T> Array<T, Space> copy_to(const HostArray<T> &a)
{
  return Kokkos::create_mirror_view_and_copy(Space(), a);
}

enum class KokkosState { ready, finalized };

// Initialises Kokkos at the first call, if nobody has, and then also finalises it when the process ends: PETSc may
// be initialised several times in one process, Kokkos only once. is_finalized() is missing before Kokkos 3.7.
inline KokkosState start_kokkos()
{
  static bool finalized = false;
  if (finalized) return KokkosState::finalized;
  if (Kokkos::is_initialized()) return KokkosState::ready;
#if KOKKOS_VERSION >= 30700
  if (Kokkos::is_finalized()) return KokkosState::finalized;
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
#else
  Kokkos::initialize(Kokkos::InitArguments(-1, -1, -1, true));
#endif
  std::atexit([] {
    finalized = true;
    if (Kokkos::is_initialized()) Kokkos::finalize();
  });
  return KokkosState::ready;
}

} // namespace finegrain
