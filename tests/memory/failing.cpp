// SPDX-License-Identifier: BSD-2-Clause
// Replaces the C++ library's operator new in the whole program.
#include "failing.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace
{

long left = -1; // allocations that succeed before the failing one
bool failed = false;

void *allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept
{
  if (left >= 0 && left-- == 0) {
    failed = true;
    return nullptr;
  }
  const std::size_t rounded = (size + alignment) / alignment * alignment; // never 0
  return alignment <= alignof(std::max_align_t) ? std::malloc(rounded) : std::aligned_alloc(alignment, rounded);
}
void *checked(void *p) { return p ? p : throw std::bad_alloc(); }

} // namespace

void *operator new(std::size_t size) { return checked(allocate(size)); }
void *operator new[](std::size_t size) { return checked(allocate(size)); }
void *operator new(std::size_t size, std::align_val_t a) { return checked(allocate(size, std::size_t(a))); }
void *operator new[](std::size_t size, std::align_val_t a) { return checked(allocate(size, std::size_t(a))); }
void *operator new(std::size_t size, const std::nothrow_t &) noexcept { return allocate(size); }
void *operator new[](std::size_t size, const std::nothrow_t &) noexcept { return allocate(size); }
void *operator new(std::size_t size, std::align_val_t a, const std::nothrow_t &) noexcept
{
  return allocate(size, std::size_t(a));
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }
void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace finegrain::test
{

void FailAllocation(long from_now)
{
  failed = false;
  left = from_now;
}

bool StopFailing()
{
  left = -1;
  return failed;
}

} // namespace finegrain::test
