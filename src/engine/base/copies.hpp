// SPDX-License-Identifier: BSD-2-Clause
// Copies between host arrays and arrays of an execution space. Methods use them if the arrays of the caller are in
// another memory than those of the kernels.
#pragma once

#include "base/kokkos.hpp"
#include "base/threads.hpp"

#include <array>
#include <cstring>
#include <memory>

namespace finegrain
{

template <class T, class Space> using Unmanaged = Kokkos::View<T *, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

// Allocates at least `size` entries at first use. Returns their address.
template <class T, class Space> T *make_room(Array<T, Space> &a, std::size_t size)
{
  if (a.extent(0) < size) a = make_array<T, Space>("finegrain::staged", size);
  return a.data();
}
// Both functions return when the copy is complete.
template <class Space, class T> void copy_up(T *to, const T *from, std::size_t size)
{
  if (size) Kokkos::deep_copy(Unmanaged<T, Space>(to, size), Unmanaged<const T, Kokkos::HostSpace>(from, size));
}
template <class Space, class T> void copy_down(T *to, const T *from, std::size_t size)
{
  if (size) Kokkos::deep_copy(Unmanaged<T, Kokkos::HostSpace>(to, size), Unmanaged<const T, Space>(from, size));
}

// copy_up() of large arrays through pinned memory, which a device's copy engine reads directly. Host threads fill
// one buffer while the other is transferred. Drivers do the same for any memory, but with one thread.
template <class Space> class Upload
{
public:
  explicit Upload(std::size_t buffer_bytes = std::size_t(8) << 20) : buffer_bytes_(buffer_bytes) {}

  // Returns when the copy is complete.
  template <class T> void operator()(T *to, const T *from, std::size_t size)
  {
    const std::size_t bytes = size * sizeof(T);
    if (!uses_buffers || bytes <= 2 * buffer_bytes_) return copy_up<Space>(to, from, size);
    if (!buffers_[0])
      buffers_ = {std::make_unique<PinnedBuffer>(buffer_bytes_), std::make_unique<PinnedBuffer>(buffer_bytes_)};
    Kokkos::fence(); // kernels may still read the old contents; deep_copy() waits for them too
    for (std::size_t at = 0, turn = 0; at < bytes; at += buffer_bytes_, ++turn)
      buffers_[turn % 2]->send(reinterpret_cast<char *>(to) + at, reinterpret_cast<const char *>(from) + at,
                               std::min(buffer_bytes_, bytes - at));
    for (const auto &buffer : buffers_) buffer->wait();
  }

private:
#if defined(FINEGRAIN_GPU)
  using Pinned = gpu::Pinned;
#else
  using Pinned = Kokkos::HostSpace;
#endif
#if defined(FINEGRAIN_EMULATE_DEVICE)
  static constexpr bool uses_buffers = true; // tests run the code of devices
#else
  static constexpr bool uses_buffers = !std::is_same_v<Space, Kokkos::HostSpace>;
#endif
  using Exec = typename Space::execution_space;

  // Pinned memory, and the queue that copies it to the device.
  class PinnedBuffer
  {
  public:
    explicit PinnedBuffer(std::size_t buffer_bytes)
        : exec_(with_own_queue<Exec>()), pinned_(make_array<char, Pinned>("pinned", buffer_bytes))
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
  // Share of one thread in filling a buffer.
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

  std::size_t buffer_bytes_;
  std::array<std::unique_ptr<PinnedBuffer>, 2> buffers_; // allocated at first use
};

} // namespace finegrain
