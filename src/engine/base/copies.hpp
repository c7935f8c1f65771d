// SPDX-License-Identifier: BSD-2-Clause
// Copies between arrays on the host and arrays of an execution space. Methods use them where callers' arrays lie
// elsewhere than the kernels'.
#pragma once

#include "base/kokkos.hpp"
#include "base/threads.hpp"

#include <array>
#include <cstring>
#include <memory>

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

// copy_up() of large arrays through memory that a device's copy engine reads by itself: threads of the host fill one
// part of it while the other is on its way. Drivers do so too for memory of any kind, but by one thread.
template <class Space> class Upload
{
public:
  explicit Upload(std::size_t part = std::size_t(8) << 20) : part_(part) {} // bytes

  // Returns when the copy is there.
  template <class T> void operator()(T *to, const T *from, std::size_t size)
  {
    const std::size_t bytes = size * sizeof(T);
    if (!is_far || bytes <= 2 * part_) return copy_up<Space>(to, from, size);
    if (!ways_[0]) ways_ = {std::make_unique<Way>(part_), std::make_unique<Way>(part_)};
    Kokkos::fence(); // kernels may still read what was there, as before a deep_copy()
    for (std::size_t at = 0, turn = 0; at < bytes; at += part_, ++turn)
      ways_[turn % 2]->send(reinterpret_cast<char *>(to) + at, reinterpret_cast<const char *>(from) + at,
                            std::min(part_, bytes - at));
    for (const auto &way : ways_) way->wait();
  }

private:
#if defined(FINEGRAIN_GPU)
  using Pinned = gpu::Pinned;
#else
  using Pinned = Kokkos::HostSpace;
#endif
#if defined(FINEGRAIN_EMULATE_DEVICE)
  static constexpr bool is_far = true; // as there, for tests
#else
  static constexpr bool is_far = !std::is_same_v<Space, Kokkos::HostSpace>;
#endif
  using Exec = typename Space::execution_space;

  // Pinned memory and the stream that empties it.
  class Way
  {
  public:
    explicit Way(std::size_t part) : exec_(with_own_queue<Exec>()), pinned_(make_array<char, Pinned>("pinned", part))
    {
    }
    void send(char *to, const char *from, std::size_t bytes)
    {
      wait();
      const int threads = usable_threads();
      for_threads(threads, Share{pinned_.data(), from, bytes, std::size_t(threads)});
      Kokkos::deep_copy(exec_, Unmanaged<char, Space>(to, bytes),
                        Unmanaged<const char, Pinned>(pinned_.data(), bytes));
    }
    void wait() const { exec_.fence(); }

  private:
    Exec exec_;
    Array<char, Pinned> pinned_;
  };
  // Of one thread.
  struct Share {
    char *to;
    const char *from;
    std::size_t bytes, threads;

    void operator()(std::int32_t i) const
    {
      const std::size_t first = bytes * std::size_t(i) / threads, last = bytes * (std::size_t(i) + 1) / threads;
      std::memcpy(to + first, from + first, last - first);
    }
  };

  std::size_t part_;
  std::array<std::unique_ptr<Way>, 2> ways_; // made at first use
};

} // namespace finegrain
