// SPDX-License-Identifier: BSD-2-Clause
// The flows of the program: grids, boundary conditions, numbers.
#pragma once

#include "grid.hpp"

#include <memory>

struct Condition {
  enum Type { wall, inflow, outflow, slip, farfield } type = wall;
  // Velocity of a wall, an inflow or the far field at the face's center; none: at rest.
  std::function<Vector3(const Vector3 &center)> velocity;
  std::array<bool, 2> fixed = {false, false}; // scalars of a wall: given, or no flux
  std::array<double, 2> scalar = {0, 0};
};

struct Case {
  enum Kind { cavity, cylinder, step, convection, file } kind = cavity;
  Geometry geometry;
  std::vector<Condition> conditions;
  int unknowns = 4;
  double viscosity = 1;
  std::array<double, 2> diffusivity = {1, 1};
  std::array<Vector3, 2> buoyancy = {}; // force of each scalar
  double smagorinsky = 0;               // constant of the eddy viscosity; 0: none
  Vector3 start = {0, 0, 0};            // initial velocity
  std::string title;
};

// Creates the case of -case and its options, which `help` of navierstokes.cpp lists.
PetscErrorCode CreateCase(MPI_Comm comm, Case *c);

// Reads grid and conditions from two text files. Grid: Plot3D's multi-block text of vertices (number of blocks; I J
// K of each; x, y, z of each block, i fastest). Conditions: one per line, blocks from 1, * for all:
//   <block> imin|imax|jmin|jmax|kmin|kmax  wall|inflow|farfield|outflow|slip  [u v w [s1 s2]]
//   period <x y z>
// Side * means all sides; if several lines fit, the last one counts. # begins a remark.
PetscErrorCode ReadGeometry(const std::string &grid, const std::string &conditions, Case *c);
