// SPDX-License-Identifier: BSD-2-Clause
// Reduction in place is bitwise identical to conversion by copy: all pairs of types, on a host with any number of
// parts, and on a device.
#include "problems.hpp"

#include "base/copies.hpp"
#include "base/rounding_in_place.hpp"
#include "base/rounding.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

std::atomic<std::size_t> largest_allocation{0};

void *try_to_allocate(std::size_t bytes) noexcept
{
  if (bytes > largest_allocation) largest_allocation = bytes;
  return std::malloc(bytes ? bytes : 1);
}
void *allocate(std::size_t bytes)
{
  if (void *p = try_to_allocate(bytes)) return p;
  throw std::bad_alloc();
}

} // namespace

void *operator new(std::size_t bytes) { return allocate(bytes); }
void *operator new[](std::size_t bytes) { return allocate(bytes); }
// std::stable_sort() allocates its buffer with this one.
void *operator new(std::size_t bytes, const std::nothrow_t &) noexcept { return try_to_allocate(bytes); }
void *operator new[](std::size_t bytes, const std::nothrow_t &) noexcept { return try_to_allocate(bytes); }
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }

namespace
{

using Bytes = std::vector<unsigned char>;

constexpr std::size_t guard = 64;

// Values of many sizes: in half some become infinite, some zero, some subnormal.
template <class From> std::vector<From> make_numbers(Offset count, unsigned seed)
{
  std::mt19937 random(seed);
  std::vector<From> all;
  for (Offset i = 0; i < count; ++i) {
    const auto bits = random();
    const From x = std::ldexp(From(bits % 8 == 0 ? 0 : double(random()) - 2147483648.), int(bits >> 8) % 48 - 60);
    all.push_back(bits % 1001 == 5 ? std::numeric_limits<From>::infinity() : x);
  }
  return all;
}

// Computes the expected results of a reduction and returns the expected number of flushed values.
template <class To, class From> Offset convert_all(const std::vector<From> &from, From scale, std::vector<To> &to)
{
  Offset flushed = 0;
  to.clear();
  for (const From x : from) {
    to.push_back(convert<To>(float(scale * x)));
    flushed += x != From(0) && convert<float>(to.back()) == 0;
  }
  return flushed;
}

// Checks reduce(data, flushed) on data between guards that begins `offset` values behind a boundary of 64 bytes.
template <class To, class From, class Reduce>
void check(Offset count, From scale, std::size_t offset, const Reduce &reduce)
{
  const std::vector<From> from = make_numbers<From>(count, unsigned(count) + 1);
  std::vector<To> expected;
  const Offset expected_flushed = convert_all(from, scale, expected);
  const std::size_t begin = guard + offset * sizeof(From), size = from.size() * sizeof(From);
  Bytes bytes(begin + size + guard, 0xa5);
  if (size > 0) std::memcpy(bytes.data() + begin, from.data(), size);
  const Offset flushed = reduce(bytes, begin);
  ASSERT_EQ(flushed, expected_flushed + 1000) << count;
  expected.push_back({}); // so that data() is not null
  ASSERT_EQ(std::memcmp(bytes.data() + begin, expected.data(), from.size() * sizeof(To)), 0) << count;
  for (std::size_t i = 0; i < begin; ++i) ASSERT_EQ(bytes[i], 0xa5) << "before, " << count;
  for (std::size_t i = begin + size; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], 0xa5) << "behind, " << count;
}

// Runs `reduce` on a copy of the bytes in Space, at an address that is a multiple of 64 bytes.
template <class Space, class Reduce> Offset run_there(Bytes &bytes, const Reduce &reduce)
{
  const Array<unsigned char, Space> memory("memory", bytes.size() + 64);
  const Array<Offset, Space> flushed("flushed", 1);
  const std::size_t skip = -reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
  const auto here = Kokkos::subview(memory, std::make_pair(skip, skip + bytes.size()));
  const Kokkos::View<unsigned char *, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> mine(bytes.data(), bytes.size());
  Kokkos::deep_copy(here, mine);
  const Offset before = 1000;
  copy_up<Space>(flushed.data(), &before, 1); // Kokkos' kernel that fills a View may fail (docs/topics/gpu.md)
  reduce(memory.data() + skip, flushed.data());
  Kokkos::fence();
  Kokkos::deep_copy(mine, here);
  Offset result;
  Kokkos::deep_copy(result, Kokkos::subview(flushed, 0));
  return result;
}

template <class Exec, class To, class From> void check_storage(Offset count, From scale, std::size_t offset)
{
  check<To, From>(count, scale, offset, [&](Bytes &bytes, std::size_t begin) {
    return run_there<typename Exec::memory_space>(bytes, [&](unsigned char *data, Offset *flushed) {
      reduce_storage<Exec, To>(typename Exec::execution_space(), reinterpret_cast<From *>(data + begin), count, scale,
                               flushed);
    });
  });
}

template <class To, class From> void check_parts(Index parts, Offset count, From scale, std::size_t offset)
{
  check<To, From>(count, scale, offset, [&](Bytes &bytes, std::size_t begin) {
    return run_there<Kokkos::HostSpace>(bytes, [&](unsigned char *data, Offset *flushed) {
      reduce_in_shares<To>(parts, reinterpret_cast<From *>(data + begin), count, scale, flushed);
    });
  });
}

const std::vector<Offset> &counts()
{
  static const std::vector<Offset> all = [] {
    std::vector<Offset> a;
    for (Offset i = 0; i <= 200; ++i) a.push_back(i);
    for (const Offset i : {8191, 8192, 8193, 99999, 100000, 100001, 100002, 100003}) a.push_back(i);
    return a;
  }();
  return all;
}

template <class F> void for_pairs(const F &f)
{
  f.template operator()<float, double>();
  f.template operator()<Half, double>();
  f.template operator()<BFloat16, double>();
  f.template operator()<Half, float>();
  f.template operator()<BFloat16, float>();
}

TEST(Reduction, EqualsACopy)
{
  for_pairs([]<class To, class From>() {
    for (const Offset count : counts())
      for (std::size_t offset = 0; offset < 5; ++offset) {
        const From scale = offset % 2 ? From(32768) : From(1);
        if (where == Where::device) check_storage<DeviceExec, To, From>(count, scale, offset);
        else check_storage<HostExec, To, From>(count, scale, offset);
      }
  });
}

TEST(Reduction, InPartsEqualsACopy)
{
  if (where != Where::host) GTEST_SKIP() << "parts are a host's";
  for_pairs([]<class To, class From>() {
    for (const Offset count : counts())
      for (const Index parts : {1, 2, 3, 8})
        if (count <= 200 || parts == 3) check_parts<To, From>(parts, count, From(4), std::size_t(count % 5));
  });
}

TEST(Reduction, ComplexNumbersAreTwiceAsManyReals)
{
  if (where != Where::host) GTEST_SKIP();
  std::vector<Kokkos::complex<double>> z;
  for (const double x : make_numbers<double>(101, 3)) z.emplace_back(x, 2 * x);
  std::vector<StoredComplex<Half>> expected(z.size());
  const Offset flushed = narrow(z.data(), Offset(z.size()), 2., expected.data()).flushed;
  Offset counted = 0;
  reduce_in_shares<Half>(3, reinterpret_cast<double *>(z.data()), 2 * Offset(z.size()), 2., &counted);
  EXPECT_EQ(std::memcmp(z.data(), expected.data(), expected.size() * sizeof(expected[0])), 0);
  EXPECT_EQ(counted, flushed);
}

// Small allocations are allowed: Kokkos makes a string of a kernel's name, and std::thread (builds with race
// detection) a small state.
TEST(Reduction, AllocatesNothing)
{
  if (where != Where::host) GTEST_SKIP() << "a device's memory is not counted here";
  std::vector<double> data = make_numbers<double>(200000, 1);
  Offset flushed = 0;
  const HostExec exec;
  largest_allocation = 0;
  reduce_storage<HostExec, Half>(exec, data.data(), 200000, 1., &flushed);
  reduce_in_shares<float>(3, data.data(), 50000, 1., &flushed);
  EXPECT_LE(largest_allocation, 128u);
}

} // namespace
