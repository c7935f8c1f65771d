// SPDX-License-Identifier: BSD-2-Clause
// Several structured blocks of cells as one grid over ranks: blocks are cut into pieces, pieces are placed on ranks
// by load, and coinciding faces are found by their centers, for any directions of the indices of two blocks.
#pragma once

#include <petscsf.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#if PETSC_VERSION_LT(3, 19, 0)
#define PETSC_SUCCESS PetscErrorCode(0)
#endif

using Vector3 = std::array<double, 3>;
using Index3 = std::array<PetscInt, 3>;

inline Vector3 operator+(const Vector3 &a, const Vector3 &b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector3 operator-(const Vector3 &a, const Vector3 &b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector3 operator*(double s, const Vector3 &a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double Dot(const Vector3 &a, const Vector3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double Norm(const Vector3 &a);
// The component of v normal to a face.
inline Vector3 NormalPart(const Vector3 &v, const Vector3 &area) { return (Dot(v, area) / Dot(area, area)) * area; }

// The sides of a block, as option texts and files name them.
inline constexpr const char *Sides[] = {"imin", "imax", "jmin", "jmax", "kmin", "kmax"};

// The region of the flow, before it is cut. Every rank can compute every vertex.
struct Geometry {
  std::vector<Index3> blocks; // cells of each, in directions i, j, k
  std::function<Vector3(std::size_t block, const Index3 &vertex)> vertex;
  // Number of the boundary condition of a face that meets no other, by block, side and center; -1: there is none.
  std::function<int(std::size_t block, int side, const Vector3 &center)> boundary;
  std::vector<Vector3> periods; // a face and its image at this distance are joined
};

// Part of a block, on one rank.
struct Piece {
  std::size_t block;
  Index3 first, cells; // its first cell in the block, and the number of cells
  int rank;
};

// Halves the largest pieces along their longest side until there are `least`, and as many as ranks; if `least` is 0,
// until the fullest rank has at most a tenth more than the mean. Largest pieces first, each to the rank with the
// lowest load.
std::vector<Piece> CutAndPlace(const std::vector<Index3> &blocks, PetscInt least, int ranks);

// Between cell a and cell b, or a and the boundary with condition ~b. Cells from Grid::owned on are ghosts.
struct Face {
  PetscInt a, b;
  int side_a, side_b;     // side of the cell, hence position in its row of the matrix
  Vector3 area;           // out of a
  Vector3 from_a, from_b; // from the centers to the face's, on this side of a periodic boundary and on the other
};

struct Grid {
  MPI_Comm comm;
  std::vector<Piece> pieces;    // of all ranks; the cells of a rank are those of its pieces in this order, i fastest
  std::vector<Piece> own;       // those of this rank
  std::vector<PetscInt> offset; // local index of the first cell of each own piece
  PetscInt owned = 0, ghosts = 0, first = 0, cells = 0; // cells here, copies here, first global index, cells of all
  std::vector<double> volume;                           // of own cells and ghosts
  std::vector<Vector3> center;
  std::vector<Face> faces;         // each face between two own cells once, also if a cell is joined to itself
  std::size_t inner = 0;           // faces that need no ghost, followed by those that do
  std::vector<PetscInt> global;    // global index of own cells and ghosts
  std::vector<PetscInt> natural;   // index of own cells in the order of uncut blocks
  PetscInt joined = 0, shared = 0; // faces between own pieces, and between ranks, here
  PetscSF exchange = nullptr;      // from own cells to ghosts
};

PetscErrorCode CreateGrid(MPI_Comm comm, const Geometry &geometry, PetscInt least, Grid *grid);
PetscErrorCode DestroyGrid(Grid *grid);
PetscErrorCode PrintGrid(const Grid &grid);
// Largest |sum of the areas of a cell's faces| over the largest area, over all cells: 0 up to rounding.
PetscErrorCode CheckClosed(const Grid &grid, double *gap);
