// W sums that one lane carries through a row: what block.hpp's loops run on.
//
// On hosts with real scalars the sums are held in vectors of four and two, because compilers keep sums in an array
// scalar across a loop of unknown length. Vectors are those of GCC and Clang, and every element goes through madd():
// the same bits as one by one.
#pragma once

#include "scalar.hpp"
#include "vectors.hpp"

namespace finegrain
{

#if defined(FINEGRAIN_COMPLEX) || defined(__CUDACC__)

template <int H> struct Pack {
  static_assert(H == 1);
};
template <int W> inline constexpr int pack_width = 1;
// One factor of many products.
using Multiplier = Scalar;
KOKKOS_FORCEINLINE_FUNCTION Scalar     first_of(Multiplier x) { return x; }
KOKKOS_FORCEINLINE_FUNCTION Multiplier multiplier(Scalar x) { return x; }

#else

// One factor of many products: spread over a vector once, whatever packs use it.
using Multiplier = VectorType<Real, 4>;
inline Real       first_of(Multiplier x) { return x[0]; }
inline Multiplier multiplier(Real x) { return Multiplier{x, x, x, x}; }

// a b + c and c - a b, element by element through madd(). Compilers find the vector instruction in some loops only,
// so that x86 gets it by name.
template <class T, int H>
inline VectorType<T, H> vector_madd(VectorType<T, 4> a, VectorType<T, H> b, VectorType<T, H> c)
{
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = madd(a[0], b[i], c[i]);
  return r;
}
template <class T, int H>
inline VectorType<T, H> vector_nmadd(VectorType<T, 4> a, VectorType<T, H> b, VectorType<T, H> c)
{
  VectorType<T, H> r;
  for (int i = 0; i < H; ++i) r[i] = madd(-a[0], b[i], c[i]);
  return r;
}
#if defined(__AVX2__) && defined(__FMA__) && !defined(FINEGRAIN_REAL_SINGLE)
using Four = VectorType<double, 4>;
using Two  = VectorType<double, 2>;
template <> inline Four vector_madd<double, 4>(Four a, Four b, Four c) { return _mm256_fmadd_pd(a, b, c); }
template <> inline Four vector_nmadd<double, 4>(Four a, Four b, Four c) { return _mm256_fnmadd_pd(a, b, c); }
template <> inline Two  vector_madd<double, 2>(Four a, Two b, Two c)
{
  return _mm_fmadd_pd(_mm256_castpd256_pd128(a), b, c);
}
template <> inline Two vector_nmadd<double, 2>(Four a, Two b, Two c)
{
  return _mm_fnmadd_pd(_mm256_castpd256_pd128(a), b, c);
}
#endif

template <int H> struct Pack {
  VectorType<Real, H> v;

  template <class T> void load(const T *from) { v = vector_read<Real, H>(from); }
  template <class T> void store(T *to) const { vector_write<Real, H>(to, v); }
  void                    zero() { v = VectorType<Real, H>{}; }
  void                    scale(const Real *factors) { v *= vector_read<Real, H>(factors); }
  template <class B> void add_product(Multiplier x, const B *b)
  {
    v = vector_madd<Real, H>(x, vector_read<Real, H>(b), v);
  }
  template <class B> void subtract_product(Multiplier x, const B *b)
  {
    v = vector_nmadd<Real, H>(x, vector_read<Real, H>(b), v);
  }
  void add_product(Multiplier x, const Pack &b) { v = vector_madd<Real, H>(x, b.v, v); }
  void subtract(const Pack &b) { v -= b.v; }
};
template <int W> inline constexpr int pack_width = W >= 4 ? 4 : W >= 2 ? 2 : 1;

#endif

template <> struct Pack<1> {
  Scalar v;

  template <class T> KOKKOS_FORCEINLINE_FUNCTION void load(const T *from) { v = convert<Scalar>(*from); }
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void store(T *to) const { *to = convert<T>(v); }
  KOKKOS_FORCEINLINE_FUNCTION void                    zero() { v = Scalar(0); }
  KOKKOS_FORCEINLINE_FUNCTION void                    scale(const Scalar *factors) { v = product(v, *factors); }
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const B *b)
  {
    v = madd(first_of(x), convert<Scalar>(*b), v);
  }
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Multiplier x, const B *b)
  {
    v = madd(-first_of(x), convert<Scalar>(*b), v);
  }
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const Pack &b) { v = madd(first_of(x), b.v, v); }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(const Pack &b) { v -= b.v; }
};

template <int W> class Accumulator
{
  static constexpr int  head = pack_width<W>;
  Pack<head>            first_;
  Accumulator<W - head> rest_;

public:
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void load(const T *from)
  {
    first_.load(from);
    rest_.load(from + head);
  }
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void store(T *to) const
  {
    first_.store(to);
    rest_.store(to + head);
  }
  KOKKOS_FORCEINLINE_FUNCTION void zero()
  {
    first_.zero();
    rest_.zero();
  }
  // Each sum times its factor.
  KOKKOS_FORCEINLINE_FUNCTION void scale(const Scalar *factors)
  {
    first_.scale(factors);
    rest_.scale(factors + head);
  }
  // Each sum += x b.
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const B *b)
  {
    first_.add_product(x, b);
    rest_.add_product(x, b + head);
  }
  // Each sum -= x b.
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Multiplier x, const B *b)
  {
    first_.subtract_product(x, b);
    rest_.subtract_product(x, b + head);
  }
  // The same with b in an accumulator, and without x.
  KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier x, const Accumulator &b)
  {
    first_.add_product(x, b.first_);
    rest_.add_product(x, b.rest_);
  }
  KOKKOS_FORCEINLINE_FUNCTION void subtract(const Accumulator &b)
  {
    first_.subtract(b.first_);
    rest_.subtract(b.rest_);
  }
  // Sum I.
  template <int I> KOKKOS_FORCEINLINE_FUNCTION Scalar lane() const
  {
    if constexpr (I >= head) return rest_.template lane<I - head>();
    else if constexpr (head == 1) return first_.v;
    else return first_.v[I];
  }
  template <int I> KOKKOS_FORCEINLINE_FUNCTION void set_lane(Scalar x)
  {
    if constexpr (I >= head) rest_.template set_lane<I - head>(x);
    else if constexpr (head == 1) first_.v = x;
    else first_.v[I] = x;
  }
};

template <> class Accumulator<0>
{
public:
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void load(const T *) {}
  template <class T> KOKKOS_FORCEINLINE_FUNCTION void store(T *) const {}
  KOKKOS_FORCEINLINE_FUNCTION void                    zero() {}
  KOKKOS_FORCEINLINE_FUNCTION void                    scale(const Scalar *) {}
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void add_product(Multiplier, const B *) {}
  template <class B> KOKKOS_FORCEINLINE_FUNCTION void subtract_product(Multiplier, const B *) {}
  KOKKOS_FORCEINLINE_FUNCTION void                    add_product(Multiplier, const Accumulator &) {}
  KOKKOS_FORCEINLINE_FUNCTION void                    subtract(const Accumulator &) {}
};

} // namespace finegrain
