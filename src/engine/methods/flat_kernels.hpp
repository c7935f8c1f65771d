// Kernels over rows or numbers that do not mind each other, most of them for the analysis on a device. In: functors
// of one of them.
#pragma once

#include "base/kokkos.hpp"
#include "base/scalar.hpp"

namespace finegrain::detail
{

template <class Exec> using Flat = Kokkos::RangePolicy<typename Exec::execution_space, Kokkos::IndexType<Offset>>;

// body(i) for 0 <= i < count, in any order.
template <class Exec, class Body>
void run_flat(const Exec &exec, Offset count, const Body &body, const char *name = "finegrain::analysis")
{
  if (count > 0) Kokkos::parallel_for(name, Flat<Exec>(exec, 0, count), body);
}

// The same with a reducer, whose result stays as it is where there is nothing to reduce.
template <class Exec, class Body, class Reducer>
void run_flat_reduction(const Exec &exec, Offset count, const Body &body, const Reducer &reducer)
{
  if (count > 0) Kokkos::parallel_reduce("finegrain::analysis", Flat<Exec>(exec, 0, count), body, reducer);
}

// The sum of what body(i, Index &) adds.
template <class Exec, class Body> Index count_flat(const Exec &exec, Offset count, const Body &body)
{
  Index sum = 0;
  run_flat_reduction(exec, count, body, Kokkos::Sum<Index>(sum));
  return sum;
}

// body(i, sum, final), which adds to the sum of those before: pointers from counts. The sum of all.
template <class Exec, class Body> Offset scan_flat(const Exec &exec, Offset count, const Body &body)
{
  Offset all = 0;
  if (count > 0) Kokkos::parallel_scan("finegrain::analysis", Flat<Exec>(exec, 0, count), body, all);
  exec.fence(); // Kokkos does not promise that `all` is there
  return all;
}

// The sum of the numbers before, in place of each.
template <class T> struct SumBefore {
  T *number;

  KOKKOS_FUNCTION void operator()(Offset i, Offset &sum, bool final) const
  {
    const T here = number[i];
    if (final) number[i] = T(sum);
    sum += here;
  }
};

// Where a column is among the ascending ones [first, last); -1: nowhere.
KOKKOS_FORCEINLINE_FUNCTION Index find_column(const Index *col, Index first, Index last, Index column)
{
  const Index end = last;
  while (first < last) {
    const Index middle = first + (last - first) / 2;
    if (col[middle] < column) first = middle + 1;
    else last = middle;
  }
  return first < end && col[first] == column ? first : -1;
}

template <class T> struct LargestOf {
  const T *number;

  KOKKOS_FUNCTION void operator()(Offset i, T &most) const { most = number[i] > most ? number[i] : most; }
};

struct LengthOfRow {
  const Index *ptr;

  KOKKOS_FUNCTION void operator()(Offset slot, Index &most) const
  {
    const Index length = ptr[slot + 1] - ptr[slot];
    most = length > most ? length : most;
  }
};

} // namespace finegrain::detail

namespace finegrain
{

template <class Exec, class Space> Index find_longest_row(const Exec &exec, const Array<Index, Space> &ptr)
{
  Index longest = 0;
  detail::run_flat_reduction(exec, Offset(ptr.extent(0)) - 1, detail::LengthOfRow{ptr.data()},
                             Kokkos::Max<Index>(longest));
  return longest;
}

} // namespace finegrain
