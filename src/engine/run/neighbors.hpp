// Where a row function finds the vector entries of its neighbors: in global memory, in the scratch memory of a team,
// or in global memory once they are there (value_flags.hpp). The executor chooses, sweep.hpp reads.
#pragma once

#include "base/scalar.hpp"

namespace finegrain
{

// Asks for memory that a later row will read, for all caches, for the second and below, or for the first alone. On
// hosts.
enum class Caches { all, second, first };
template <std::size_t bytes, Caches caches = Caches::all>
KOKKOS_FORCEINLINE_FUNCTION void prefetch([[maybe_unused]] const void *at)
{
#if !defined(__CUDA_ARCH__)
  for (std::size_t i = 0; i < bytes; i += 64)
    __builtin_prefetch(static_cast<const char *>(at) + i, 0,
                       caches == Caches::all      ? 3
                       : caches == Caches::second ? 2
                                                  : 0);
#endif
}

// Of blocks of N that are one stream: asks for what lies so many bytes behind one, past all caches but the first. 0:
// for nothing (run/look_ahead.hpp).
template <int N, class B> KOKKOS_FORCEINLINE_FUNCTION void ask_ahead(const B *block, Offset bytes)
{
  if (N > 1 && bytes > 0)
    prefetch<std::size_t(N) * N * sizeof(B), Caches::first>(reinterpret_cast<const char *>(block) + bytes);
}

// Neighbors that are done. look() asks for the values of one, read() is what accumulate() reads of it; await() is
// both of them where they need not be there yet. await_all(seen, each) waits for several: each(f) is to call f(k,
// from) for every k that seen has.
struct Done {
  static constexpr bool arrive = false;

  template <int N> KOKKOS_FORCEINLINE_FUNCTION const Scalar *look(const Scalar *from) const { return from; }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *read(const Scalar *, const Scalar *from) const { return from; }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *await(const Scalar *, const Scalar *from) const { return from; }
  template <class Seen, class Each> KOKKOS_FORCEINLINE_FUNCTION void await_all(Seen *, const Each &) const {}
};

// In global memory: entry e's column is col[e].
struct Everywhere : Done {
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *find(const Scalar *vector, const Index *col, Index e, int n) const
  {
    return vector + Offset(col[e]) * n;
  }
  // Of the row that is visited; `from` is where it lies in a vector.
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *right_side(const Scalar *from, int) const { return from; }
  // Results of the row, from its entry `first` on.
  template <class Sums> KOKKOS_FORCEINLINE_FUNCTION void put(const Sums &sums, Scalar *to, int, int) const
  {
    sums.store(to);
  }
};

// In a team's scratch memory: the rows of its own tile, and copies of others, one for each entry. Columns of the tile
// are ~place, where place counts its rows in the order of visits. Before a row is done its right-hand side lies
// there.
struct InTile : Done {
  Scalar *rows;
  const Scalar *others; // of entry 0, were it there
  Index place;          // of the row that is visited

  KOKKOS_FORCEINLINE_FUNCTION const Scalar *right_side(const Scalar *, int n) const { return rows + place * n; }
  KOKKOS_FORCEINLINE_FUNCTION const Scalar *find(const Scalar *, const Index *col, Index e, int n) const
  {
    const Index c = col[e];
    return c >= 0 ? others + Offset(e) * n : rows + ~c * n;
  }
  template <class Sums> KOKKOS_FORCEINLINE_FUNCTION void put(const Sums &sums, Scalar *to, int n, int first) const
  {
    sums.store(to);
    sums.store(rows + place * n + first);
  }
};

// Of a row that has loaded nothing before its neighbors were done.
struct NothingEarly {
};

} // namespace finegrain
