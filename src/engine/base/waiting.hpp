// SPDX-License-Identifier: BSD-2-Clause
// Host threads that wait for each other. A thread spins for a few microseconds, and for up to a millisecond while it
// has its core to itself. Then it sleeps in the kernel until it is woken.
//
// It sleeps instead of calling sched_yield(): since Linux 6.6 a thread that yields gives up its whole time slice,
// and each wait on a busy core took milliseconds.
#pragma once

#include <cstdint>

namespace finegrain
{

// A word is a number below `sleeper_bit` that one thread publishes and others await. The bit is set while threads
// sleep.
inline constexpr unsigned sleeper_bit = 0x80000000u;

inline void pause_processor()
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void wake_sleepers(unsigned *word);
// Each returns when the word is `value`, or is not `old`.
void await_value_asleep(unsigned *word, unsigned value);
void await_change_asleep(unsigned *word, unsigned old);

inline constexpr int brief_spins = 64; // 1 to 4 microseconds

// Stores a value, after all earlier stores of the thread, and wakes the threads that sleep.
inline void publish_word(unsigned *word, unsigned value)
{
  if (__atomic_exchange_n(word, value, __ATOMIC_ACQ_REL) & sleeper_bit) wake_sleepers(word);
}

// Returns when the word is `value`. The thread then reads everything that was stored before publish_word().
inline void await_value(unsigned *word, unsigned value)
{
  for (int spins = 0; spins < brief_spins; ++spins) {
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value) return;
    pause_processor();
  }
  await_value_asleep(word, value);
}

// Returns the word's value once it differs from `old`.
inline unsigned await_change(unsigned *word, unsigned old)
{
  const auto look = [word] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) & ~sleeper_bit; };
  for (int spins = 0; spins < brief_spins && look() == old; ++spins) pause_processor();
  if (look() == old) await_change_asleep(word, old);
  return look();
}

} // namespace finegrain
