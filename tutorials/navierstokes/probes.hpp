// SPDX-License-Identifier: BSD-2-Clause
// Numbers that others have published, from a flow.
#pragma once

#include "march.hpp"

// Where along a line, and a value there, in order.
using Profile = std::vector<std::array<double, 2>>;
// All ranks get what each has; values at one place become their mean.
PetscErrorCode CollectProfile(MPI_Comm comm, const Profile &mine, Profile *all);
// Values of an unknown in the cells that a line goes through; between cells, the mean of those on all sides.
PetscErrorCode FindProfile(const Flow &flow, const Vector3 &origin, const Vector3 &direction, int unknown,
                           Profile *profile);
// By a cubic through the four nearest points.
double Interpolated(const Profile &profile, double at);

// Sums over the walls (cylinder: drag and lift), and what flows through each kind of open boundary.
PetscErrorCode FindForce(const Flow &flow, Vector3 *force);
PetscErrorCode FindBalance(const Flow &flow, double *in, double *out);

// Prints what the case is known by, and with `compare` beside published values; after a residual of second order.
PetscErrorCode Report(const Flow &flow, bool compare);

// The cavity's center lines as text: y, u and x, v.
PetscErrorCode WriteProfiles(const std::string &name, const Flow &flow);

// Cylinder: Strouhal's number from where the lift goes up through zero.
class Shedding
{
public:
  void Add(double time, double lift);
  PetscErrorCode Print(MPI_Comm comm) const;

private:
  std::vector<double> crossings_;
  double time_ = 0, lift_ = 0, largest_ = 0;
};
