// Values that are their own flags: one that is not there yet is a NaN that no result has. A row that reads its
// neighbors this way waits for each value and for nothing else: self on a device then has no flags of tasks, no
// fence, and no barrier between a result and who needs it.
//
// A sweep finds its vector full of such NaNs. Each leaves that of the next so: the forward sweep marks x, the
// backward one marks y as it reads it.
#pragma once

#include "base/simd.hpp"
#include "run/neighbors.hpp"
#include "run/task_flags.hpp"

#if defined(FINEGRAIN_EMULATE_DEVICE)
#include <atomic>
#endif

namespace finegrain
{

// Whether self does so on devices, for the whole process (-finegrain_value_flags).
inline bool &values_are_flags()
{
  static bool are = true;
  return are;
}

namespace detail
{

// A real number as it is loaded and stored at once; a complex one is two.
using Word = std::conditional_t<sizeof(Real) == 8, std::uint64_t, std::uint32_t>;
inline constexpr int words_of_scalar = int(sizeof(Scalar) / sizeof(Real));
inline constexpr Word late_word = sizeof(Real) == 8 ? Word(0x7ffa'517e'5a1d'01a7) : Word(0x7fea'51a7);

KOKKOS_FORCEINLINE_FUNCTION Word load_word(const Word *at)
{
#if defined(__CUDA_ARCH__)
  return cuda::atomic_ref<Word, cuda::thread_scope_device>(*const_cast<Word *>(at)).load(cuda::memory_order_relaxed);
#else
  return __atomic_load_n(at, __ATOMIC_RELAXED);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void store_word(Word *at, Word word)
{
#if defined(__CUDA_ARCH__)
  cuda::atomic_ref<Word, cuda::thread_scope_device>(*at).store(word, cuda::memory_order_relaxed);
#else
  __atomic_store_n(at, word, __ATOMIC_RELAXED);
#endif
}

struct Words {
  Word word[std::size_t(words_of_scalar)];

  KOKKOS_FORCEINLINE_FUNCTION bool late() const
  {
    for (int i = 0; i < words_of_scalar; ++i)
      if (word[i] == late_word) return true;
    return false;
  }
};

} // namespace detail

// What stands for a value that is not there yet.
KOKKOS_FORCEINLINE_FUNCTION Scalar late_value()
{
  detail::Words w;
  for (int i = 0; i < detail::words_of_scalar; ++i) w.word[i] = detail::late_word;
  return detail::bits_as<Scalar>(w);
}
// The value as it is now.
KOKKOS_FORCEINLINE_FUNCTION Scalar look_at(const Scalar *at)
{
  detail::Words w;
  for (int i = 0; i < detail::words_of_scalar; ++i)
    w.word[i] = detail::load_word(reinterpret_cast<const detail::Word *>(at) + i);
  return detail::bits_as<Scalar>(w);
}
KOKKOS_FORCEINLINE_FUNCTION bool is_late(const Scalar &value) { return detail::bits_as<detail::Words>(value).late(); }

// Looks again until the value is there. Its row has been drawn before the caller's, by a worker that runs.
KOKKOS_FORCEINLINE_FUNCTION Scalar await_value(Scalar seen, const Scalar *at)
{
  for (int spins = 0; is_late(seen); ++spins) {
    rest(spins);
    seen = look_at(at);
  }
  return seen;
}
#if defined(FINEGRAIN_EMULATE_DEVICE)
// Results whose places were not marked, so that others may have read what was there; for tests.
inline std::atomic<Offset> &unmarked_results()
{
  static std::atomic<Offset> count = 0;
  return count;
}
#endif

// A result, which is never late: another NaN takes the place of that one.
KOKKOS_FORCEINLINE_FUNCTION void put_value(Scalar *at, const Scalar &value)
{
#if defined(FINEGRAIN_EMULATE_DEVICE)
  unmarked_results() += !is_late(look_at(at));
#endif
  auto w = detail::bits_as<detail::Words>(value);
  for (int i = 0; i < detail::words_of_scalar; ++i)
    detail::store_word(reinterpret_cast<detail::Word *>(at) + i,
                       w.word[i] == detail::late_word ? w.word[i] ^ detail::Word(1) : w.word[i]);
}

// Values of a neighbor of N unknowns that have been asked for, all at once.
template <int N> struct SeenValues {
#if defined(__CUDA_ARCH__)
  Scalar value[std::size_t(N)];
#else
  Scalar value[std::size_t(N)] = {};
#endif

  KOKKOS_FORCEINLINE_FUNCTION bool late() const
  {
    bool any = false;
    for (int c = 0; c < N; ++c) any |= is_late(value[c]);
    return any;
  }
};

// In global memory, once they are there.
struct Arriving : Everywhere {
  static constexpr bool arrive = true;

  template <int N> KOKKOS_FORCEINLINE_FUNCTION auto look(const Scalar *from) const
  {
    if constexpr (N > 0) {
      SeenValues<N> seen;
      for (int c = 0; c < N; ++c) seen.value[c] = look_at(from + c);
      return seen;
    } else return from;
  }
  template <int N> KOKKOS_FORCEINLINE_FUNCTION auto read(const SeenValues<N> &seen, const Scalar *) const
  {
    return [&seen](int c) FINEGRAIN_INLINE { return seen.value[c]; };
  }
  // Whatever is late is asked for again at once: one look after another would take as many ways.
  template <int N, class Each> KOKKOS_FORCEINLINE_FUNCTION void await_all(SeenValues<N> *seen, const Each &each) const
  {
    bool late = true;
    for (int spins = 0; late; ++spins) {
      late = false;
      each([&](int k, const Scalar *from) FINEGRAIN_INLINE {
        if (!seen[k].late()) return;
        late = true;
        seen[k] = look<N>(from);
      });
      if (late) rest(spins); // while they are under way
    }
  }
  template <int N> KOKKOS_FORCEINLINE_FUNCTION auto await(SeenValues<N> &seen, const Scalar *from) const
  {
    await_all(&seen, [&](const auto &f) FINEGRAIN_INLINE { f(0, from); });
    return read(seen, from);
  }
  // Of blocks of any size one by one.
  KOKKOS_FORCEINLINE_FUNCTION auto await(const Scalar *, const Scalar *from) const
  {
    return [from](int c) FINEGRAIN_INLINE { return await_value(look_at(from + c), from + c); };
  }
  template <int W> KOKKOS_FORCEINLINE_FUNCTION void put(const Accumulator<W> &sums, Scalar *to, int, int) const
  {
    Scalar value[std::size_t(W)];
    sums.store(value);
    stress();
    for (int i = 0; i < W; ++i) put_value(to + i, value[i]);
  }
};

// Outside of a class, for nvcc.
struct MarkLate {
  Scalar *vector;

  KOKKOS_INLINE_FUNCTION void operator()(Offset i) const { vector[i] = late_value(); }
};

} // namespace finegrain
