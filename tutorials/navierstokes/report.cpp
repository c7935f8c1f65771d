// SPDX-License-Identifier: BSD-2-Clause
// The characteristic numbers of each case, compared with published ones.
#include "probes.hpp"

#include <algorithm>
#include <cmath>

namespace
{

struct Compared {
  const char *name;
  double value;
};

PetscErrorCode PrintCompared(const Flow &flow, const char *what, double value, const std::vector<Compared> &published)
{
  PetscFunctionBeginUser;
  PetscCall(PetscPrintf(flow.grid.comm, "%s %.6f", what, value));
  for (const Compared &c : published)
    PetscCall(PetscPrintf(flow.grid.comm, "; %s %g (%+.1f %%)", c.name, c.value, 100 * (value / c.value - 1)));
  PetscCall(PetscPrintf(flow.grid.comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Re; position, u, on the vertical center line; position, v, on the horizontal one: Ghia, Ghia, Shin, J. Comput.
// Phys. 48 (1982) 387-411, tables I and II. One of their numbers, v(0.9063) at Re 400, is a misprint (-0.23827,
// between -0.22847 and -0.44993) and is omitted.
struct GhiaTable {
  double re;
  double u[15], v[15];
};
constexpr double ghia_y[15] = {.9766, .9688, .9609, .9531, .8516, .7344, .6172, .5,
                               .4531, .2813, .1719, .1016, .0703, .0625, .0547};
constexpr double ghia_x[15] = {.9688, .9609, .9531, .9453, .9063, .8594, .8047, .5,
                               .2344, .2266, .1563, .0938, .0781, .0703, .0625};
constexpr GhiaTable ghia[] = {{100,
                               {.84123, .78871, .73722, .68717, .23151, .00332, -.13641, -.20581, -.21090, -.15662,
                                -.10150, -.06434, -.04775, -.04192, -.03717},
                               {-.05906, -.07391, -.08864, -.10313, -.16914, -.22445, -.24533, .05454, .17527, .17507,
                                .16077, .12317, .10890, .10091, .09233}},
                              {400,
                               {.75837, .68439, .61756, .55892, .29093, .16256, .02135, -.11477, -.17119, -.32726,
                                -.24299, -.14612, -.10338, -.09266, -.08186},
                               {-.12146, -.15663, -.19254, -.22847, 0, -.44993, -.38598, .05186, .30174, .30203,
                                .28124, .22965, .20920, .19713, .18360}},
                              {1000,
                               {.65928, .57492, .51117, .46604, .33304, .18719, .05702, -.06080, -.10648, -.27805,
                                -.38289, -.29730, -.22220, -.20196, -.18109},
                               {-.21388, -.27669, -.33714, -.39188, -.51550, -.42665, -.31966, .02526, .32235, .33075,
                                .37095, .32627, .30353, .29012, .27485}}};

// Extremes of u on the vertical and of v on the horizontal center line: Botella, Peyret, Computers & Fluids 27
// (1998) 421-433, square; Albensoeder, Kuhlmann, J. Comput. Phys. 206 (2005) 536-558, cube.
struct Extremes {
  double re;
  bool cube;
  const char *name;
  double u_least, v_most, v_least;
};
constexpr Extremes extremes[] = {{100, false, "Botella and Peyret", -.2140424, .1795728, -.2538030},
                                 {1000, false, "Botella and Peyret", -.3885698, .3769447, -.5270771},
                                 {1000, true, "Albensoeder and Kuhlmann", -.2803638, .2466512, -.4350151}};

double Extreme(const Profile &profile, bool most)
{
  double best = 0;
  for (int k = 1; k < 10000; ++k) {
    const double value = Interpolated(profile, k / 1e4);
    best = most ? std::max(best, value) : std::min(best, value);
  }
  return best;
}

PetscErrorCode FindDepth(const Flow &flow, double *depth)
{
  double mine = 0;

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    mine = std::max(mine, flow.grid.center[std::size_t(face.a)][2] + face.from_a[2]);
  PetscCallMPI(MPI_Allreduce(&mine, depth, 1, MPI_DOUBLE, MPI_MAX, flow.grid.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindCenterLines(const Flow &flow, Profile *u, Profile *v)
{
  double depth;

  PetscFunctionBeginUser;
  PetscCall(FindDepth(flow, &depth));
  PetscCall(FindProfile(flow, {.5, 0, .5 * depth}, {0, 1, 0}, 1, u));
  PetscCall(FindProfile(flow, {0, .5, .5 * depth}, {1, 0, 0}, 2, v));
  u->insert(u->begin(), {0, 0});
  u->push_back({1, 1});
  v->insert(v->begin(), {0, 0});
  v->push_back({1, 0});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReportCavity(const Flow &flow, bool compare)
{
  Profile u, v;
  const double re = 1 / flow.problem.viscosity;
  double depth;
  bool walls = false, all_walls;

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    if (face.b < 0 && std::abs(face.area[2]) > 0.9 * Norm(face.area) && flow.At(face).type == Condition::wall)
      walls = true;
  PetscCallMPI(MPI_Allreduce(&walls, &all_walls, 1, MPI_C_BOOL, MPI_LOR, flow.grid.comm));
  PetscCall(FindDepth(flow, &depth));
  PetscCall(FindCenterLines(flow, &u, &v));
  std::vector<Compared> published[3];
  for (const Extremes &e : extremes)
    if (compare && std::abs(re - e.re) < 1e-6 * re && e.cube == all_walls &&
        (!e.cube || std::abs(depth - 1) < 1e-9)) {
      published[0].push_back({e.name, e.u_least});
      published[1].push_back({e.name, e.v_most});
      published[2].push_back({e.name, e.v_least});
    }
  PetscCall(PrintCompared(flow, "center lines: least u", Extreme(u, false), published[0]));
  PetscCall(PrintCompared(flow, "              most v", Extreme(v, true), published[1]));
  PetscCall(PrintCompared(flow, "              least v", Extreme(v, false), published[2]));
  for (const GhiaTable &table : ghia) {
    if (!compare || std::abs(re - table.re) > 1e-6 * re || all_walls) continue;
    double most_u = 0, most_v = 0;
    for (std::size_t k = 0; k < 15; ++k) {
      most_u = std::max(most_u, std::abs(Interpolated(u, ghia_y[k]) - table.u[k]));
      if (table.v[k] != 0) most_v = std::max(most_v, std::abs(Interpolated(v, ghia_x[k]) - table.v[k]));
    }
    PetscCall(
      PetscPrintf(flow.grid.comm, "Ghia, Ghia and Shin: u differs by %.4f at most, v by %.4f\n", most_u, most_v));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Position at which an unknown last changes from minus to plus; 0 if there is none.
double LastRise(const Profile &profile)
{
  double at = 0;
  for (std::size_t k = 1; k < profile.size(); ++k)
    if (profile[k - 1][1] < 0 && profile[k][1] >= 0)
      at = profile[k - 1][0] -
           profile[k - 1][1] * (profile[k][0] - profile[k - 1][0]) / (profile[k][1] - profile[k - 1][1]);
  return at;
}

// The reference area is twice the projected wall, front and back: twice the diameter times the depth.
PetscErrorCode ReportCylinder(const Flow &flow, bool compare)
{
  struct Known {
    double re, dennis_length, dennis_drag, fornberg_length, fornberg_drag;
  };
  // Dennis, Chang, J. Fluid Mech. 42 (1970) 471-489; Fornberg, J. Fluid Mech. 98 (1980) 819-855.
  constexpr Known known[] = {{20, .94, 2.045, .91, 2.000}, {40, 2.345, 1.522, 2.24, 1.498}};
  Profile u;
  Vector3 force;
  double area = 0, all, depth;
  std::vector<Compared> lengths, drags;

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    if (face.b < 0 && flow.At(face).type == Condition::wall) area += std::abs(face.area[0]);
  PetscCallMPI(MPI_Allreduce(&area, &all, 1, MPI_DOUBLE, MPI_SUM, flow.grid.comm));
  PetscCall(FindDepth(flow, &depth));
  PetscCall(FindForce(flow, &force));
  PetscCall(FindProfile(flow, {0, 0, .5 * depth}, {1, 0, 0}, 1, &u));
  u.erase(u.begin(), std::find_if(u.begin(), u.end(), [](const auto &point) { return point[0] > 0; }));
  u.insert(u.begin(), {.5, 0});
  for (const Known &k : known)
    if (compare && std::abs(k.re * flow.problem.viscosity - 1) < 1e-6) {
      lengths = {{"Dennis and Chang", k.dennis_length}, {"Fornberg", k.fornberg_length}};
      drags = {{"Dennis and Chang", k.dennis_drag}, {"Fornberg", k.fornberg_drag}};
    }
  const double wake = LastRise(u);
  PetscCall(PrintCompared(flow, "wake's length behind the cylinder", wake > 0 ? wake - .5 : 0, lengths));
  PetscCall(PrintCompared(flow, "drag", 4 * force[0] / all, drags));
  PetscCall(PetscPrintf(flow.grid.comm, "lift %.2e\n", 4 * force[1] / all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Friction along the floor behind the step, averaged over z.
PetscErrorCode ReportStep(const Flow &flow)
{
  Profile mine, friction;
  double low = 0, floor;

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    low = std::min(low, flow.grid.center[std::size_t(face.a)][1] + face.from_a[1]);
  PetscCallMPI(MPI_Allreduce(&low, &floor, 1, MPI_DOUBLE, MPI_MIN, flow.grid.comm));
  for (const Face &face : flow.grid.faces) {
    const Vector3 at = flow.grid.center[std::size_t(face.a)] + face.from_a;
    if (face.b < 0 && flow.At(face).type == Condition::wall && at[1] < floor * (1 - 1e-9))
      mine.push_back({at[0], flow.Through(face)[1]});
  }
  PetscCall(CollectProfile(flow.grid.comm, mine, &friction));
  PetscCall(PetscPrintf(flow.grid.comm, "x1/S %.4f\n", LastRise(friction) / -floor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// de Vahl Davis, Int. J. Numer. Methods Fluids 3 (1983) 249-264, Pr 0.71, his means over the hot wall. In a steady
// flow the flux through every plane x = const is the same: his means over the cavity, 1.118, 2.243, 4.519 and 8.800,
// differ from these by his error.
PetscErrorCode ReportConvection(const Flow &flow, bool compare)
{
  constexpr double known[][2] = {{1e3, 1.117}, {1e4, 2.238}, {1e5, 4.509}, {1e6, 8.817}};
  double mine[3] = {0, 0, 0}, all[3];
  const double nu = flow.problem.viscosity, kappa = flow.problem.diffusivity[0];
  std::vector<Compared> published;

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    if (face.b < 0 && flow.At(face).use[4] == Given::value && flow.At(face).state[4] > 0) {
      const auto flux = flow.Through(face);
      mine[0] -= flux[4];
      mine[1] -= flux[5];
      mine[2] += Norm(face.area);
    }
  PetscCallMPI(MPI_Allreduce(mine, all, 3, MPI_DOUBLE, MPI_SUM, flow.grid.comm));
  for (const auto &row : known)
    if (compare && std::abs(nu * kappa * row[0] - 1) < 1e-6 && std::abs(nu / kappa - .71) < 1e-9)
      published = {{"de Vahl Davis", row[1]}};
  PetscCall(
    PrintCompared(flow, "Nusselt's number of the hot wall, first scalar", all[0] / kappa / all[2], published));
  PetscCall(PrintCompared(flow, "                                 second scalar",
                          all[1] / flow.problem.diffusivity[1] / all[2], {}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Report(const Flow &flow, bool compare)
{
  double in, out, mine = 0, energy;

  PetscFunctionBeginUser;
  for (std::size_t c = 0; c < std::size_t(flow.grid.owned); ++c) {
    const double *q = flow.q.data() + c * std::size_t(flow.n);
    mine += 0.5 * flow.grid.volume[c] * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  }
  PetscCallMPI(MPI_Allreduce(&mine, &energy, 1, MPI_DOUBLE, MPI_SUM, flow.grid.comm));
  PetscCall(PetscPrintf(flow.grid.comm, "kinetic energy %.6f\n", energy));
  switch (flow.problem.kind) {
  case Case::cavity:
    PetscCall(ReportCavity(flow, compare));
    break;
  case Case::cylinder:
    PetscCall(ReportCylinder(flow, compare));
    break;
  case Case::step:
    PetscCall(ReportStep(flow));
    break;
  case Case::convection:
    PetscCall(ReportConvection(flow, compare));
    break;
  case Case::file:
    break;
  }
  PetscCall(FindBalance(flow, &in, &out));
  if (in > 0) PetscCall(PetscPrintf(flow.grid.comm, "flows in %.8f, out %.8f\n", in, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteProfiles(const std::string &name, const Flow &flow)
{
  Profile u, v;
  PetscViewer viewer;

  PetscFunctionBeginUser;
  PetscCall(FindCenterLines(flow, &u, &v));
  PetscCall(PetscViewerASCIIOpen(flow.grid.comm, name.c_str(), &viewer));
  for (const Profile *profile : {&u, &v}) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "# %s\n", profile == &u ? "y u" : "x v"));
    for (const auto &point : *profile) PetscCall(PetscViewerASCIIPrintf(viewer, "%.8f %.8f\n", point[0], point[1]));
  }
  for (const GhiaTable &table : ghia) {
    if (std::abs(table.re * flow.problem.viscosity - 1) > 1e-6) continue;
    PetscCall(PetscViewerASCIIPrintf(viewer, "# y u, Ghia, Ghia and Shin\n"));
    for (std::size_t k = 0; k < 15; ++k) PetscCall(PetscViewerASCIIPrintf(viewer, "%g %g\n", ghia_y[k], table.u[k]));
    PetscCall(PetscViewerASCIIPrintf(viewer, "# x v, Ghia, Ghia and Shin\n"));
    for (std::size_t k = 0; k < 15; ++k)
      if (table.v[k] != 0) PetscCall(PetscViewerASCIIPrintf(viewer, "%g %g\n", ghia_x[k], table.v[k]));
  }
  PetscCall(PetscViewerDestroy(&viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
