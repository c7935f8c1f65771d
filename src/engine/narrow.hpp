// stub
#pragma once
#include "scalar.hpp"
#include <cmath>
namespace finegrain {
KOKKOS_FORCEINLINE_FUNCTION Real find_scale(Real largest) { if (!(largest > 0)) return 1; return Real(std::exp2(std::floor(std::log2(65504/largest)))); }
template <class T> KOKKOS_FORCEINLINE_FUNCTION Offset narrow(const Scalar *from, int count, Real scale, T *to)
{ Offset f = 0; for (int i=0;i<count;++i) { to[i] = convert<T>(Scalar(from[i]*scale)); f += (magnitude(from[i]) != 0 && magnitude(convert<Scalar>(to[i])) == 0); } return f; }
}
