// SPDX-License-Identifier: BSD-2-Clause
#include "base/waiting.hpp"

#include <algorithm>
#include <chrono>
#include <climits>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#include <ctime>
#endif

namespace finegrain
{

namespace
{

using Clock = std::chrono::steady_clock;
constexpr auto calm = std::chrono::milliseconds(10);    // a core counts as shared for this time after an interruption
constexpr auto patience = std::chrono::milliseconds(1); // time for which a thread spins on a core of its own

// Returns true if other programs use this thread's core, which means that the system interrupted the thread lately.
bool shares_its_core(Clock::time_point now)
{
#if defined(__linux__)
  thread_local long interrupts = 0;
  thread_local Clock::time_point last{};
  rusage usage;
  if (getrusage(RUSAGE_THREAD, &usage) == 0 && usage.ru_nivcsw != interrupts) {
    interrupts = usage.ru_nivcsw;
    last = now;
  }
  return now - last < calm;
#else
  return true;
#endif
}

void sleep_on([[maybe_unused]] unsigned *word, [[maybe_unused]] unsigned value)
{
#if defined(__linux__)
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
#else
  const timespec moment{0, 50000};
  nanosleep(&moment, nullptr);
#endif
}

template <class Done> void wait_until(unsigned *word, Done done)
{
  const auto start = Clock::now();
  if (!shares_its_core(start)) {
    do
      for (int spins = 0; spins < brief_spins; ++spins) {
        if (done(__atomic_load_n(word, __ATOMIC_ACQUIRE))) return;
        pause_processor();
      }
    while (Clock::now() - start < patience);
  }
  for (unsigned seen = __atomic_load_n(word, __ATOMIC_ACQUIRE); !done(seen);) {
    const unsigned asleep = seen | sleeper_bit;
    if (seen == asleep ||
        __atomic_compare_exchange_n(word, &seen, asleep, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
      sleep_on(word, asleep);
      seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
    }
  }
}

} // namespace

void wake_sleepers([[maybe_unused]] unsigned *word)
{
#if defined(__linux__)
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
#endif
}

void await_value_asleep(unsigned *word, unsigned value)
{
  wait_until(word, [=](unsigned seen) { return seen == value; });
}
void await_change_asleep(unsigned *word, unsigned old)
{
  wait_until(word, [=](unsigned seen) { return (seen & ~sleeper_bit) != old; });
}

} // namespace finegrain
