// SPDX-License-Identifier: BSD-2-Clause
#include "base/threads.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

#if defined(_OPENMP)
#include <omp.h>
#endif

// ThreadSanitizer does not see how libgomp's threads start and end, and takes what they are handed for a race.
#if defined(__SANITIZE_THREAD__)
#define FINEGRAIN_HANDS_OVER __attribute__((no_sanitize("thread")))
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
#else
#define FINEGRAIN_HANDS_OVER
#endif

namespace finegrain
{

namespace
{

std::atomic<int> asked{0};
std::atomic<bool> forked{false}; // this process is a child: the threads that its memory knows are its parent's

// At the first call, not when the library is loaded: no code of ours may run on a processor that it was not made for.
void watch_forks()
{
  [[maybe_unused]] static const int watches =
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}

#if defined(_OPENMP)
char start_of_threads, end_of_threads; // their addresses

void acquire([[maybe_unused]] char *what)
{
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(what);
#endif
}
void release([[maybe_unused]] char *what)
{
#if defined(__SANITIZE_THREAD__)
  __tsan_release(what);
#endif
}
#endif

} // namespace

void set_host_threads(int count)
{
  watch_forks(); // threads may be there already, of the caller's
  asked = count;
}

HostThreads find_host_threads()
{
#if defined(_OPENMP)
  if (forked.load(std::memory_order_relaxed)) return {1, "after fork()"};
  static const bool by_environment = std::getenv("OMP_NUM_THREADS") != nullptr; // OpenMP too has read it once
  const int wanted = asked ? asked.load() : by_environment ? omp_get_max_threads() : 1;
  const int cores = wanted > 1 ? omp_get_num_procs() : 1;
  if (wanted > cores) return {cores, "as many as cores"};
  return {wanted, asked ? "-finegrain_threads" : by_environment ? "OMP_NUM_THREADS" : "OMP_NUM_THREADS is not set"};
#else
  return {1, "built without OpenMP"};
#endif
}

FINEGRAIN_HANDS_OVER
void run_on_threads(std::int32_t threads, void (*body)(const void *, std::int32_t), const void *data)
{
#if defined(_OPENMP)
  if (threads > 1 && !forked.load(std::memory_order_relaxed)) {
    watch_forks();
    release(&start_of_threads);
#pragma omp parallel num_threads(threads)
    {
      acquire(&start_of_threads);
      for (std::int32_t i = omp_get_thread_num(); i < threads; i += omp_get_num_threads()) body(data, i);
      release(&end_of_threads);
    }
    acquire(&end_of_threads);
    return;
  }
#endif
  for (std::int32_t i = 0; i < threads; ++i) body(data, i);
}

} // namespace finegrain
