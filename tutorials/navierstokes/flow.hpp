// SPDX-License-Identifier: BSD-2-Clause
// Navier-Stokes on a grid of blocks by finite volumes: residual of second order, its first-order Jacobian as a star
// of full blocks, in the storage that a flow solver has.
#pragma once

#include "cases.hpp"
#include "flux.hpp"

#include <petscmat.h>

// A face of the boundary: the state there, as far as it is given, and what each unknown takes from it.
struct Given {
  enum Use { nothing, value, flat }; // flat: no difference across; of the velocity: no normal one
  Condition::Type type = Condition::wall;
  std::array<double, 6> state = {};
  std::array<Use, 6> use = {};
};

// 7 blocks n x n a cell by rows: the cell's own, then those of its sides imin, imax, ... kmax.
inline constexpr PetscInt star = 7;

// Class without virtual functions: 4 and 6 unknowns are the same text.
class Flow
{
public:
  const Grid &grid;
  const Case &problem;
  const int n;
  const double beta;
  std::vector<double> q;     // p, u, v, w, scalars of each cell, ghosts behind
  std::vector<double> waves; // per cell: sum of the waves' speeds times areas, of the last residual
  std::vector<double>
    gradient; // x, y, z of each unknown of each cell, ghosts behind; of the last second-order residual
  PetscLogEvent residual_event, jacobian_event, exchange_event;

  Flow(const Grid &grid, const Case &problem, double beta);
  ~Flow();
  Flow(const Flow &) = delete;
  Flow &operator=(const Flow &) = delete;
  PetscErrorCode Create();

  // What flows out of each own cell, less its sources: n a cell. Of first order: what the Jacobian is of.
  PetscErrorCode Residual(bool second, double *residual);
  // Derivative of the residual of first order, star blocks a cell. Residual() has been called for q.
  PetscErrorCode Jacobian(PetscScalar *blocks);
  // Neighbors' global indices, star a cell, -1 where there is none: columns of those blocks.
  void Columns(PetscInt *columns) const;

  // What flows out through a boundary face, of the last second-order residual: volume times beta, momentum (the
  // force on a wall), scalars.
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

  std::vector<Given> given_;                         // as the faces
  std::vector<std::array<double, 9>> least_squares_; // inverse matrices, a cell: of p, u, each scalar
  std::vector<double> eddy_; // viscosity of cells and ghosts, of the last second-order residual
  MPI_Datatype state_unit_ = MPI_DATATYPE_NULL, gradient_unit_ = MPI_DATATYPE_NULL;
};
