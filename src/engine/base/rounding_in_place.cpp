// SPDX-License-Identifier: BSD-2-Clause
// Converts numbers of type From to To in their own memory. From is `factor` times as long as To. The memory is
// divided into `factor` streams of m numbers each. The memory of the last stream can hold all results, and no result
// has its final place there (factor > 1). There are therefore two steps, in which no share reads or writes a word
// that another share writes:
//
// 1. Gather (passes one and two of the paper, fused). Share p reads its range of every stream and writes only its
//    range of the last stream. No other share reads that range, and p reads it before writing it.
// 2. Spread (pass three). Share p reads its range of the last stream and writes only its range of each stream of
//    results. The results are in the bytes below the last stream, which no share reads any more.
//
// The paper also writes converted numbers into the lower streams and reads them from there, which fused passes need
// not do. The numbers beyond the streams, fewer than one range holds, are last. Their results begin at the start of
// the last stream (factor 2), in the range of share 0. Share 0 converts them after it has spread that range.
#include "base/rounding_in_place.hpp"

#include "base/atomics.hpp"
#include "base/copies.hpp"
#include "base/rounding.hpp"
#include "base/threads.hpp"

namespace finegrain
{

namespace
{

template <class To, class From> struct Streams {
  static constexpr Offset factor = sizeof(From) / sizeof(To);

  From *data;
  Offset count, m; // numbers, and numbers of a stream
  From scale;
  Offset *flushed;

  // last(i) is the last stream from number i on; results() is the array of results.
  KOKKOS_FORCEINLINE_FUNCTION From *last(Offset i) const { return data + (factor - 1) * m + i; }
  KOKKOS_FORCEINLINE_FUNCTION To *results() const { return reinterpret_cast<To *>(data); }

  KOKKOS_FORCEINLINE_FUNCTION void report(Offset lost) const
  {
    if (lost != 0 && flushed) atomic_add(flushed, lost);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish() const
  {
    report(narrow(data + factor * m, count - factor * m, scale, results() + factor * m).flushed);
  }
};

// A share on a host is one range for each thread. The range of the last stream first stores the results of that
// stream, which can be written while it is read, then those of the other streams.
template <class To, class From> struct HostParts {
  using S = Streams<To, From>;
  S streams;
  Index shares;

  Offset cut(Offset share) const
  {
    const Offset unit = streams.m >= 64 * Offset(shares) ? 64 : 1; // whole vectors
    return share == shares ? streams.m : streams.m * share / shares / unit * unit;
  }
  void gather(Index share) const
  {
    const S &s = streams;
    const Offset first = cut(share), length = cut(share + 1) - first;
    From *range = s.last(first);
    To *to = reinterpret_cast<To *>(range);
    Offset lost = narrow(range, length, s.scale, to).flushed;
    for (Offset k = 0; k < S::factor - 1; ++k)
      lost += narrow(s.data + k * s.m + first, length, s.scale, to += length).flushed;
    s.report(lost);
  }
  void spread(Index share) const
  {
    const S &s = streams;
    const Offset first = cut(share), length = cut(share + 1) - first;
    const To *from = reinterpret_cast<const To *>(s.last(first));
    for (Offset k = 0; k < S::factor; ++k, from += length)
      std::memcpy(s.results() + (k + S::factor - 1) % S::factor * s.m + first, from,
                  std::size_t(length) * sizeof(To));
    if (share == 0) s.finish();
  }
};

// A share on a device is a group of consecutive numbers of each stream, which one thread keeps in registers. Adjacent
// threads thus access adjacent memory.
template <class T, int G> struct alignas(sizeof(T) * G < 16 ? sizeof(T) * G : 16) Group {
  T number[std::size_t(G)];
};

template <class To, class From, int G> struct Gather {
  using S = Streams<To, From>;
  S streams;

  KOKKOS_FUNCTION void operator()(Offset group) const
  {
    const S &s = streams;
    Group<From, G> in[S::factor];
    Group<To, int(S::factor) * G> out;
    Offset lost = 0;
    for (int k = 0; k < S::factor; ++k)
      in[k] = *reinterpret_cast<const Group<From, G> *>(s.data + k * s.m + group * G);
    for (int k = 0; k < S::factor; ++k)
      for (int i = 0; i < G; ++i) lost += narrow_one(in[k].number[i], s.scale, out.number[k * G + i]).flushed;
    *reinterpret_cast<Group<To, int(S::factor) * G> *>(s.last(group * G)) = out;
    s.report(lost);
  }
};

template <class To, class From, int G> struct Spread {
  using S = Streams<To, From>;
  S streams;

  KOKKOS_FUNCTION void operator()(Offset group) const
  {
    const S &s = streams;
    if (group * G < s.m) {
      const auto in = *reinterpret_cast<const Group<To, int(S::factor) * G> *>(s.last(group * G));
      for (int k = 0; k < S::factor; ++k) {
        Group<To, G> out;
        for (int i = 0; i < G; ++i) out.number[i] = in.number[k * G + i];
        *reinterpret_cast<Group<To, G> *>(s.results() + k * s.m + group * G) = out;
      }
    }
    if (group == 0) s.finish();
  }
};

template <int G, class Exec, class To, class From> void reduce_in_groups(const Exec &exec, Streams<To, From> s)
{
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<Offset>>;
  const Offset groups = s.count / (s.factor * G);
  s.m = groups * G;
  Kokkos::parallel_for("PIPSR gather", Range(exec, 0, groups), Gather<To, From, G>{s});
  Kokkos::parallel_for("PIPSR spread", Range(exec, 0, groups > 0 ? groups : 1), Spread<To, From, G>{s});
}

} // namespace

template <class To, class From>
void reduce_in_shares(Index shares, From *data, Offset count, From scale, Offset *flushed)
{
  const Offset m = count / Streams<To, From>::factor;
  const Index p = Index(std::clamp<Offset>(shares, 1, std::max<Offset>(m, 1))); // no share is empty
  const HostParts<To, From> all{{data, count, m, scale, flushed}, p};
  for_threads(p, [&](Index share) { all.gather(share); });
  for_threads(p, [&](Index share) { all.spread(share); });
}

template <class Exec, class To, class From>
void reduce_storage([[maybe_unused]] const typename Exec::execution_space &exec, From *data, Offset count, From scale,
                    Offset *flushed)
{
  const Streams<To, From> s{data, count, 0, scale, flushed};
  if constexpr (works_in_teams<Exec>) {
    if (reinterpret_cast<std::uintptr_t>(data) % 16 == 0) reduce_in_groups<4>(exec, s);
    else reduce_in_groups<1>(exec, s);
  } else {
    const int threads = count < 8192 ? 1 : usable_threads();
    if (threads == 1) s.finish();
    else reduce_in_shares<To>(threads, data, count, scale, flushed);
  }
}

template <class Exec> void reduce_blocks(const typename Exec::execution_space &exec, Scalar *blocks, Offset count,
                                         Precision to, Real scale, Offset *flushed)
{
  using Space = typename Exec::memory_space;
  const Offset numbers = Parts<Scalar>::count * count;
  Real *const data = reinterpret_cast<Real *>(blocks);
  if (to == Precision::half) reduce_storage<Exec, Half>(exec, data, numbers, scale, flushed);
  else if (to == Precision::bfloat16) reduce_storage<Exec, BFloat16>(exec, data, numbers, scale, flushed);
  else if constexpr (sizeof(Real) > sizeof(float)) reduce_storage<Exec, float>(exec, data, numbers, scale, flushed);
  unsigned char *const end = reinterpret_cast<unsigned char *>(blocks) + std::size_t(count) * storage_size(to);
  Kokkos::deep_copy(exec, Unmanaged<unsigned char, Space>(end, block_slack), 0);
}

template void reduce_blocks<HostExec>(const HostExec &, Scalar *, Offset, Precision, Real, Offset *);
#if defined(FINEGRAIN_HAS_DEVICE)
template void reduce_blocks<DeviceExec>(const DeviceExec::execution_space &, Scalar *, Offset, Precision, Real,
                                        Offset *);
#endif

#define FINEGRAIN_REDUCE(To, From)                                                                                   \
  template void reduce_in_shares<To, From>(Index, From *, Offset, From, Offset *);                                   \
  template void reduce_storage<HostExec, To, From>(const HostExec &, From *, Offset, From, Offset *);                \
  FINEGRAIN_REDUCE_ON_DEVICE(To, From)
#if defined(FINEGRAIN_HAS_DEVICE)
#define FINEGRAIN_REDUCE_ON_DEVICE(To, From)                                                                         \
  template void reduce_storage<DeviceExec, To, From>(const DeviceExec::execution_space &, From *, Offset, From,      \
                                                     Offset *);
#else
#define FINEGRAIN_REDUCE_ON_DEVICE(To, From)
#endif

FINEGRAIN_REDUCE(float, double)
FINEGRAIN_REDUCE(Half, double)
FINEGRAIN_REDUCE(BFloat16, double)
FINEGRAIN_REDUCE(Half, float)
FINEGRAIN_REDUCE(BFloat16, float)

} // namespace finegrain
