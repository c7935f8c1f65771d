// SPDX-License-Identifier: BSD-2-Clause
// Fluxes of a perfect gas through a face, and their derivatives. States hold density, momentum and total energy;
// densities are relative to that of the free stream, speeds to its speed of sound.
#pragma once

#include "mesh.hpp"

#include <cmath>
#include <cstddef>

inline constexpr double gas_gamma = 1.4;

template <class T> using State = std::array<T, 5>;

// A number and its derivatives by N variables: the flux is written once, and its Jacobian is exact.
template <std::size_t N> struct Dual {
  double value = 0;
  std::array<double, N> by = {};

  Dual() = default;
  Dual(double v) : value(v) {}

  // f(value), where the derivative of f is `slope`
  Dual Map(double f, double slope) const
  {
    Dual r(f);
    for (std::size_t i = 0; i < N; ++i) r.by[i] = slope * by[i];
    return r;
  }
  friend Dual Combine(double f, double slope_a, const Dual &a, double slope_b, const Dual &b)
  {
    Dual r(f);
    for (std::size_t i = 0; i < N; ++i) r.by[i] = slope_a * a.by[i] + slope_b * b.by[i];
    return r;
  }
  friend Dual operator+(const Dual &a, const Dual &b) { return Combine(a.value + b.value, 1, a, 1, b); }
  friend Dual operator-(const Dual &a, const Dual &b) { return Combine(a.value - b.value, 1, a, -1, b); }
  friend Dual operator*(const Dual &a, const Dual &b) { return Combine(a.value * b.value, b.value, a, a.value, b); }
  friend Dual operator/(const Dual &a, const Dual &b)
  {
    const double q = a.value / b.value;
    return Combine(q, 1 / b.value, a, -q / b.value, b);
  }
  friend Dual operator+(double s, const Dual &a) { return a.Map(s + a.value, 1); }
  friend Dual operator-(const Dual &a, double s) { return a.Map(a.value - s, 1); }
  friend Dual operator*(double s, const Dual &a) { return a.Map(s * a.value, s); }
  friend Dual sqrt(const Dual &a) { return a.Map(std::sqrt(a.value), 0.5 / std::sqrt(a.value)); }
  friend Dual abs(const Dual &a) { return a.Map(std::abs(a.value), a.value < 0 ? -1 : 1); }
};

inline double ValueOf(double a) { return a; }
template <std::size_t N> double ValueOf(const Dual<N> &a) { return a.value; }

template <class T> struct Gas {
  T velocity[3], pressure, enthalpy;
  T normal_speed; // along a unit vector

  Gas(const State<T> &q, const Vector3 &n)
  {
    for (std::size_t d = 0; d < 3; ++d) velocity[d] = q[d + 1] / q[0];
    const T kinetic = 0.5 * (q[1] * velocity[0] + q[2] * velocity[1] + q[3] * velocity[2]);
    pressure = (gas_gamma - 1) * (q[4] - kinetic);
    enthalpy = (q[4] + pressure) / q[0];
    normal_speed = n[0] * velocity[0] + n[1] * velocity[1] + n[2] * velocity[2];
  }
};

// |speed|, rounded off below `least`: no wave has speed zero, and the derivative is continuous.
template <class T> T WaveSpeed(const T &speed, const T &least)
{
  using std::abs;
  if (std::abs(ValueOf(speed)) >= ValueOf(least)) return abs(speed);
  return 0.5 * (speed * speed / least + least);
}

// Roe's flux from the left to the right state.
template <class T> State<T> RoeFlux(const State<T> &ql, const State<T> &qr, const Vector3 &area)
{
  using std::sqrt;
  const double size = std::sqrt(Dot(area, area));
  const Vector3 n = {area[0] / size, area[1] / size, area[2] / size};
  const Gas<T> l(ql, n), r(qr, n);

  // Roe's average, and the jumps
  const T ratio = sqrt(qr[0] / ql[0]), share = ratio / (1 + ratio), density = ratio * ql[0];
  T v[3], jump[3], speed2 = 0., carried = 0.;
  for (std::size_t d = 0; d < 3; ++d) {
    jump[d] = r.velocity[d] - l.velocity[d];
    v[d] = l.velocity[d] + share * jump[d];
    speed2 = speed2 + v[d] * v[d];
    carried = carried + v[d] * jump[d];
  }
  const T enthalpy = l.enthalpy + share * (r.enthalpy - l.enthalpy);
  const T c2 = (gas_gamma - 1) * (enthalpy - 0.5 * speed2), c = sqrt(c2);
  const T un = l.normal_speed + share * (r.normal_speed - l.normal_speed);
  const T jump_n = r.normal_speed - l.normal_speed;
  const T jump_p = r.pressure - l.pressure;
  const T least = 0.1 * c;
  const T sound[2] = {WaveSpeed(T(un - c), least) * (jump_p - density * c * jump_n) / (2 * c2),
                      WaveSpeed(T(un + c), least) * (jump_p + density * c * jump_n) / (2 * c2)};
  const T entropy = WaveSpeed(un, least) * (qr[0] - ql[0] - jump_p / c2);
  const T shear = WaveSpeed(un, least) * density;

  State<T> f;
  f[0] = ql[0] * l.normal_speed + qr[0] * r.normal_speed - (sound[0] + sound[1] + entropy);
  for (std::size_t d = 0; d < 3; ++d)
    f[d + 1] = ql[d + 1] * l.normal_speed + qr[d + 1] * r.normal_speed + n[d] * (l.pressure + r.pressure) -
               (sound[0] * (v[d] - n[d] * c) + sound[1] * (v[d] + n[d] * c) + entropy * v[d] +
                shear * (jump[d] - n[d] * jump_n));
  f[4] = ql[0] * l.enthalpy * l.normal_speed + qr[0] * r.enthalpy * r.normal_speed -
         (sound[0] * (enthalpy - c * un) + sound[1] * (enthalpy + c * un) + 0.5 * entropy * speed2 +
          shear * (carried - un * jump_n));
  for (T &x : f) x = 0.5 * size * x;
  return f;
}

// A slip wall: pressure only.
template <class T> State<T> WallFlux(const State<T> &q, const Vector3 &area)
{
  const Gas<T> gas(q, area);
  return {T(0.), area[0] * gas.pressure, area[1] * gas.pressure, area[2] * gas.pressure, T(0.)};
}

// The fastest wave through a face, times its area.
inline double FastestWave(const State<double> &q, const Vector3 &area)
{
  const double size = std::sqrt(Dot(area, area));
  const Gas gas(q, area);
  return std::abs(gas.normal_speed) + size * std::sqrt(gas_gamma * gas.pressure / q[0]);
}
