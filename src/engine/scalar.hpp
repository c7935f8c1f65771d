// Scalars, storage types and the one multiply-add that all row arithmetic goes through.
#pragma once

#include "half.hpp"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace finegrain
{

using Index  = std::int32_t; // block rows, block columns, blocks
using Offset = std::int64_t; // scalars, update pairs

#if defined(FINEGRAIN_REAL_SINGLE)
using Real = float;
#else
using Real           = double;
#endif
#if defined(FINEGRAIN_COMPLEX)
using Scalar         = Kokkos::complex<Real>;
using Single         = Kokkos::complex<float>;
using HalfScalar     = StoredComplex<Half>;
using BFloat16Scalar = StoredComplex<BFloat16>;
#else
using Scalar         = Real;
using Single         = float;
using HalfScalar     = Half;
using BFloat16Scalar = BFloat16;
#endif

// How blocks are stored. Nothing is computed in half or bfloat16, and a factorization is stored in neither.
enum class Precision { working, single, half, bfloat16 };

template <Precision P> struct StorageOf {
  using type = Scalar;
};
template <> struct StorageOf<Precision::single> {
  using type = Single;
};
template <> struct StorageOf<Precision::half> {
  using type = HalfScalar;
};
template <> struct StorageOf<Precision::bfloat16> {
  using type = BFloat16Scalar;
};

inline std::size_t storage_size(Precision p)
{
  switch (p) {
  case Precision::working:
    return sizeof(Scalar);
  case Precision::single:
    return sizeof(Single);
  case Precision::half:
    return sizeof(HalfScalar);
  case Precision::bfloat16:
    return sizeof(BFloat16Scalar);
  }
  return 0;
}

// a b + c, rounded once where the target has fma. One spelling for every kernel, and contraction switched off in
// their translation units, is what makes every executor and schedule give the same bits.
KOKKOS_FORCEINLINE_FUNCTION float fused(float a, float b, float c)
{
#if defined(__CUDA_ARCH__)
  return ::fmaf(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

KOKKOS_FORCEINLINE_FUNCTION double fused(double a, double b, double c)
{
#if defined(__CUDA_ARCH__)
  return ::fma(a, b, c);
#elif defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class T> KOKKOS_FORCEINLINE_FUNCTION T madd(T a, T b, T c)
{
  if constexpr (std::is_floating_point_v<T>) return fused(a, b, c);
  else
    return T(fused(a.real(), b.real(), fused(-a.imag(), b.imag(), c.real())),
             fused(a.real(), b.imag(), fused(a.imag(), b.real(), c.imag())));
}

// a b. Complex products go through madd() too: written with operators, their rounding depends on how the compiler
// vectorises the loop around them.
KOKKOS_FORCEINLINE_FUNCTION Scalar product(Scalar a, Scalar b)
{
  if constexpr (std::is_floating_point_v<Scalar>) return a * b;
  else return madd(a, b, Scalar(0));
}

KOKKOS_FORCEINLINE_FUNCTION Scalar reciprocal(Scalar a)
{
#if defined(FINEGRAIN_COMPLEX)
  const Real re = a.real() < 0 ? -a.real() : a.real(), im = a.imag() < 0 ? -a.imag() : a.imag();
  const Real scale = re > im ? re : im, r = a.real() / scale, i = a.imag() / scale, size = fused(r, r, i * i);
  return Scalar(r / size / scale, -i / size / scale);
#else
  return 1 / a;
#endif
}

// |re| + |im|: what pivots are compared by, as BLAS does.
KOKKOS_FORCEINLINE_FUNCTION Real magnitude(Scalar a)
{
#if defined(FINEGRAIN_COMPLEX)
  return (a.real() < 0 ? -a.real() : a.real()) + (a.imag() < 0 ? -a.imag() : a.imag());
#else
  return a < 0 ? -a : a;
#endif
}

// False for NaN and both infinities.
KOKKOS_FORCEINLINE_FUNCTION bool is_finite(Real a) { return a - a == Real(0); }

} // namespace finegrain
