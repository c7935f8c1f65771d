// SPDX-License-Identifier: BSD-2-Clause
// Quantities of a flow that others have published.
#pragma once

#include "march.hpp"

// Positions along a line, and values there, in order.
using Profile = std::vector<std::array<double, 2>>;
// Collects the values of all ranks on all ranks; values at one position are replaced by their mean.
PetscErrorCode CollectProfile(MPI_Comm comm, const Profile &mine, Profile *all);
// Values of an unknown in the cells along a line; between cells, the mean of those on all sides.
PetscErrorCode FindProfile(const Flow &flow, const Vector3 &origin, const Vector3 &direction, int unknown,
                           Profile *profile);
// Interpolates by a cubic through the four nearest points.
double Interpolated(const Profile &profile, double at);

// Sums over the walls (cylinder: drag and lift), and the flow through each kind of open boundary.
PetscErrorCode FindForce(const Flow &flow, Vector3 *force);
PetscErrorCode FindBalance(const Flow &flow, double *in, double *out);

// Prints the characteristic numbers of the case, and with `compare` published values next to them; requires a
// second-order residual before.
PetscErrorCode Report(const Flow &flow, bool compare);

// The cavity's center lines as text: y, u and x, v.
PetscErrorCode WriteProfiles(const std::string &name, const Flow &flow);

// Cylinder: Strouhal number from the times at which the lift rises through zero.
class Shedding
{
public:
  void Add(double time, double lift);
  PetscErrorCode Print(MPI_Comm comm) const;

private:
  std::vector<double> crossings_;
  double time_ = 0, lift_ = 0, largest_ = 0;
};
