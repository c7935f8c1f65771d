// SPDX-License-Identifier: BSD-2-Clause
#include "base/threads.hpp"

#include "base/waiting.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#if defined(__linux__)
#include <sched.h>
#endif
#endif

namespace finegrain
{

namespace
{

std::atomic<int> requested{0};
std::atomic<bool> forked{false}; // this is a child process: the threads in its memory are those of its parent

// Runs at the first call, not when the library is loaded: loading must not run code on a processor for which it was
// not compiled.
void watch_forks()
{
  [[maybe_unused]] static const int watches =
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
}

// A thread besides the caller's, which works or waits until the process ends. Each run in which it has a share gets
// the next number. The thread or the caller claims the share and executes it. The caller thus does not wait for a
// thread that has no core at the moment.
struct alignas(64) PoolThread {
  unsigned start = 0, claimed = 0; // the last run that has begun, and the last whose share has been claimed
  alignas(64) unsigned done = 0;   // the last run whose share is done
  unsigned last = 0;               // the caller's copy of start
  std::int32_t share = 0;

  bool claim(unsigned number)
  {
    unsigned before = (number - 1) & ~sleeper_bit;
    return __atomic_compare_exchange_n(&claimed, &before, number, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
};

// State of the run in progress. Only its caller writes it, while no share is claimed.
std::atomic<bool> in_use{false};
void (*current_body)(const void *, std::int32_t);
const void *current_data;

std::vector<PoolThread *> &pool() // never destroyed, because the threads are not
{
  static std::vector<PoolThread *> &all = *new std::vector<PoolThread *>;
  return all;
}

// If OpenMP binds threads (OMP_PROC_BIND), gives a thread the processors of its own place instead of those of the
// caller.
void bind_to_place([[maybe_unused]] std::int32_t share)
{
#if defined(_OPENMP) && defined(__linux__)
  const int places = omp_get_num_places();
  if (omp_get_proc_bind() == omp_proc_bind_false || places == 0) return;
  constexpr auto primary = static_cast<omp_proc_bind_t>(2); // its name was omp_proc_bind_master before OpenMP 5.1
  const int place = (omp_get_proc_bind() == primary ? 0 : share) % places;
  std::vector<int> processors(std::size_t(omp_get_place_num_procs(place)));
  omp_get_place_proc_ids(place, processors.data());
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int p : processors)
    if (p >= 0 && p < CPU_SETSIZE) CPU_SET(std::size_t(p), &set);
  sched_setaffinity(0, sizeof(set), &set);
#endif
}

void *work(void *argument)
{
  PoolThread &w = *static_cast<PoolThread *>(argument);
  bind_to_place(w.share);
  for (unsigned number = 0;;) {
    number = await_change(&w.start, number);
    if (!w.claim(number)) continue;
    current_body(current_data, w.share);
    publish_word(&w.done, number);
  }
}

// Creates fewer threads if the system has no more.
void add_threads(std::size_t count)
{
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before; // the program handles its signals
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool().size() < count) {
    try {
      pool().reserve(count);
    } catch (const std::bad_alloc &) {
      break;
    }
    PoolThread *w = new (std::nothrow) PoolThread;
    if (!w) break;
    w->share = std::int32_t(pool().size()) + 1;
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, w) != 0) {
      delete w;
      break;
    }
    pool().push_back(w);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
}

// Returns true if the caller may use other threads now. It may not in a child after fork(), inside a parallel region
// unless OpenMP allows another level, or while they work for another caller.
bool reserve_pool()
{
  if (forked.load(std::memory_order_relaxed)) return false;
#if defined(_OPENMP)
  if (omp_get_active_level() >= omp_get_max_active_levels()) return false;
  return !in_use.exchange(true, std::memory_order_acquire);
#else
  return false;
#endif
}

} // namespace

void set_host_threads(int count)
{
  watch_forks(); // the caller may have threads already
  requested = count;
}

HostThreads find_host_threads()
{
#if defined(_OPENMP)
  if (forked.load(std::memory_order_relaxed)) return {1, "after fork()"};
  static const bool by_environment = std::getenv("OMP_NUM_THREADS") != nullptr; // OpenMP too reads it once
  const int wanted = requested ? requested.load() : by_environment ? omp_get_max_threads() : 1;
  const int cores = wanted > 1 ? omp_get_num_procs() : 1;
  if (wanted > cores) return {cores, "as many as cores"};
  return {wanted, requested        ? "-finegrain_threads"
                  : by_environment ? "OMP_NUM_THREADS"
                                   : "OMP_NUM_THREADS is not set"};
#else
  return {1, "built without OpenMP"};
#endif
}

void run_on_threads(std::int32_t threads, void (*body)(const void *, std::int32_t), const void *data)
{
  if (threads <= 1 || !reserve_pool()) {
    for (std::int32_t i = 0; i < threads; ++i) body(data, i);
    return;
  }
  watch_forks();
  const std::size_t others = std::size_t(threads) - 1;
  if (pool().size() < others) add_threads(others);
  const std::size_t there = std::min(others, pool().size());
  current_body = body;
  current_data = data;
  for (std::size_t i = 0; i < there; ++i) {
    PoolThread &w = *pool()[i];
    w.last = (w.last + 1) & ~sleeper_bit;
    publish_word(&w.start, w.last);
  }
  body(data, 0);
  for (std::size_t i = 0; i < there; ++i)
    if (PoolThread &w = *pool()[i]; w.claim(w.last)) {
      body(data, w.share);
      __atomic_store_n(&w.done, w.last, __ATOMIC_RELAXED); // no other thread reads it
    }
  for (std::size_t i = there; i < others; ++i) body(data, std::int32_t(i) + 1);
  for (std::size_t i = 0; i < there; ++i) await_value(&pool()[i]->done, pool()[i]->last);
  in_use.store(false, std::memory_order_release);
}

} // namespace finegrain
