// SPDX-License-Identifier: BSD-2-Clause
// Finite volumes for Navier-Stokes on a grid of blocks: residual of second order, its first-order Jacobian as a star
// of full blocks, in the storage of a flow solver.
#pragma once

#include "cases.hpp"
#include "flux.hpp"

#include <petscmat.h>

// A boundary face: the given part of its state, and the use of it for each unknown.
struct Given {
  enum Use { nothing, value, flat }; // flat: no difference across the face; for the velocity: no normal component
  Condition::Type type = Condition::wall;
  std::array<double, 6> state = {};
  std::array<Use, 6> use = {};
};

// 7 blocks of n x n per cell by rows: the cell's own, then those of its sides imin, imax, ... kmax.
inline constexpr PetscInt star = 7;

// A class without virtual functions: 4 and 6 unknowns share one source text.
class Flow
{
public:
  const Grid &grid;
  const Case &problem;
  const int n;
  const double beta;
  std::vector<double> q;     // p, u, v, w, scalars of each cell, then of ghosts
  std::vector<double> waves; // per cell: sum of the waves' speeds times areas, of the last residual
  std::vector<double>
    gradient; // x, y, z of each unknown of each cell, then of ghosts; of the last second-order residual
  PetscLogEvent residual_event, jacobian_event, exchange_event;

  Flow(const Grid &grid, const Case &problem, double beta);
  ~Flow();
  Flow(const Flow &) = delete;
  Flow &operator=(const Flow &) = delete;
  PetscErrorCode Create();

  // The flow out of each own cell, less its sources: n per cell. The first-order one is that of the Jacobian.
  PetscErrorCode Residual(bool second, double *residual);
  // Derivative of the first-order residual, star blocks per cell. Residual() must have been called for q.
  PetscErrorCode Jacobian(PetscScalar *blocks);
  // Neighbors' global indices, star per cell, -1 if there is none: columns of those blocks.
  void Columns(PetscInt *columns) const;

  // The flow out through a boundary face in the last second-order residual: volume times beta, momentum (the force
  // on a wall), scalars.
  std::array<double, 6> Through(const Face &face) const;
  const Given &At(const Face &face) const { return given_[std::size_t(&face - grid.faces.data())]; }

private:
  template <std::size_t N> void Fill(bool second, std::size_t first, std::size_t last, double *residual);
  template <std::size_t N> void FillJacobian(PetscScalar *blocks);
  template <std::size_t N> void AddDifferences(std::size_t first, std::size_t last);
  template <std::size_t N> void SolveGradients();
  template <std::size_t N> State<N> AtCell(PetscInt cell) const;
  template <std::size_t N> State<N> AtFace(const Face &face, bool of_a) const;
  template <std::size_t N> State<N> Flux(const Face &face, bool second) const;
  template <std::size_t N> void AddDiffusion(const Face &face, bool second, State<N> *flux) const;
  template <std::size_t N>
  void BoundaryFlux(const Face &face, const State<N> &L, State<N> *flux, Derivative<N> *d = nullptr) const;
  template <std::size_t N> PetscErrorCode ResidualOf(bool second, double *residual);
  double Diffusivity(const Face &face, std::size_t unknown) const;
  double Transposed(const Face &face, std::size_t row) const;
  void FillEddies(std::size_t first, std::size_t last);
  void CreateBoundary();
  void CreateGradients();
  PetscErrorCode Begin(std::vector<double> &values, MPI_Datatype unit);
  PetscErrorCode End(std::vector<double> &values, MPI_Datatype unit);

  std::vector<Given> given_;                         // in the order of faces
  std::vector<std::array<double, 9>> least_squares_; // inverse matrices, per cell: of p, u, each scalar
  std::vector<double> eddy_; // viscosity of cells and ghosts, of the last second-order residual
  MPI_Datatype state_unit_ = MPI_DATATYPE_NULL, gradient_unit_ = MPI_DATATYPE_NULL;
};
