// SPDX-License-Identifier: BSD-2-Clause
#include "flow.hpp"

#include <algorithm>

namespace
{

using Dual5 = Dual<5>;
using Dual10 = Dual<10>;
using Block = std::array<double, 25>; // by rows

// Access to the values of a vector, with or without its ghosts, until the end of a scope.
class States
{
public:
  PetscErrorCode Get(Vec global)
  {
    PetscFunctionBeginUser;
    vec = global;
    PetscCall(VecGhostGetLocalForm(vec, &local));
    PetscCall(VecGetArrayRead(local, &values));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscErrorCode Restore()
  {
    PetscFunctionBeginUser;
    PetscCall(VecRestoreArrayRead(local, &values));
    PetscCall(VecGhostRestoreLocalForm(vec, &local));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  State<double> operator[](PetscInt vertex) const
  {
    State<double> q;
    for (std::size_t i = 0; i < 5; ++i) q[i] = double(PetscRealPart(values[5 * std::size_t(vertex) + i]));
    return q;
  }

private:
  Vec vec, local;
  const PetscScalar *values;
};

// The state as variables first, first+1, ... of N
template <std::size_t N> State<Dual<N>> Variables(const State<double> &q, std::size_t first)
{
  State<Dual<N>> d;
  for (std::size_t i = 0; i < 5; ++i) {
    d[i] = Dual<N>(q[i]);
    d[i].by[first + i] = 1;
  }
  return d;
}

template <class T> State<T> BoundaryFlux(const Flow &flow, const State<T> &q, const Patch &p, bool open)
{
  if (p.kind == Boundary::wall && !open) return WallFlux(q, p.area);
  State<T> beyond;
  for (std::size_t i = 0; i < 5; ++i) beyond[i] = T(flow.stream[i]);
  return RoeFlux(q, beyond, p.area);
}

template <std::size_t N> void Add(double sign, const State<Dual<N>> &f, std::size_t first, Block *block)
{
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t c = 0; c < 5; ++c) (*block)[5 * r + c] += sign * f[r].by[first + c];
}

double Norm(const State<double> &f)
{
  double s = 0;
  for (const double x : f) s += x * x;
  return std::sqrt(s);
}

} // namespace

State<double> FreeStream(double mach)
{
  const double pressure = 1 / gas_gamma; // density and speed of sound are 1
  return {1, mach, 0, 0, pressure / (gas_gamma - 1) + mach * mach / 2};
}

PetscErrorCode CreateStates(MPI_Comm comm, const Flow &flow, Vec *states)
{
  const Mesh &m = *flow.mesh;
  PetscScalar *values;

  PetscFunctionBeginUser;
  PetscCall(
    VecCreateGhostBlock(comm, 5, 5 * m.owned, PETSC_DETERMINE, PetscInt(m.ghosts.size()), m.ghosts.data(), states));
  PetscCall(VecGetArrayWrite(*states, &values));
  for (PetscInt i = 0; i < 5 * m.owned; ++i) values[i] = PetscReal(flow.stream[std::size_t(i % 5)]);
  PetscCall(VecRestoreArrayWrite(*states, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateJacobian(MPI_Comm comm, const Flow &flow, Mat *J)
{
  const Mesh &m = *flow.mesh;
  std::vector<PetscInt> here(std::size_t(m.owned), 1), elsewhere(std::size_t(m.owned), 0);

  PetscFunctionBeginUser;
  for (const Edge &e : m.edges) {
    if (e.a < m.owned) ++(e.b < m.owned ? here : elsewhere)[std::size_t(e.a)];
    if (e.b < m.owned) ++(e.a < m.owned ? here : elsewhere)[std::size_t(e.b)];
  }
  PetscCall(MatCreate(comm, J));
  PetscCall(MatSetSizes(*J, 5 * m.owned, 5 * m.owned, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*J, 5));
  PetscCall(MatSetType(*J, MATBAIJ));
  PetscCall(MatSetFromOptions(*J));
  PetscCall(MatXAIJSetPreallocation(*J, 5, here.data(), elsewhere.data(), nullptr, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Residual(const Flow &flow, Vec q, bool open, Vec residual, std::vector<double> *waves)
{
  const Mesh &m = *flow.mesh;
  States states;
  PetscScalar *r;

  PetscFunctionBeginUser;
  PetscCall(VecGhostUpdateBegin(q, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGhostUpdateEnd(q, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecZeroEntries(residual));
  PetscCall(states.Get(q));
  PetscCall(VecGetArray(residual, &r));
  if (waves) waves->assign(std::size_t(m.owned), 0);
  const auto add = [&](PetscInt vertex, PetscReal sign, const State<double> &f, const State<double> &at,
                       const Vector3 &area) {
    if (vertex >= m.owned) return;
    for (std::size_t i = 0; i < 5; ++i) r[5 * std::size_t(vertex) + i] += sign * PetscReal(f[i]);
    if (waves) (*waves)[std::size_t(vertex)] += FastestWave(at, area);
  };
  for (const Edge &e : m.edges) {
    const State<double> a = states[e.a], b = states[e.b], f = RoeFlux(a, b, e.area);
    add(e.a, 1, f, a, e.area);
    add(e.b, -1, f, b, e.area);
  }
  for (const Patch &p : m.patches) {
    const State<double> a = states[p.vertex];
    add(p.vertex, 1, BoundaryFlux(flow, a, p, open), a, p.area);
  }
  PetscCall(VecRestoreArray(residual, &r));
  PetscCall(states.Restore());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Jacobian(const Flow &flow, Vec q, const std::vector<double> &waves, double cfl, Mat J)
{
  const Mesh &m = *flow.mesh;
  States states;
  std::vector<Block> diagonal(std::size_t(m.owned), Block{});

  PetscFunctionBeginUser;
  PetscCall(states.Get(q));
  const auto number = [&](PetscInt v) { return v < m.owned ? m.first + v : m.ghosts[std::size_t(v - m.owned)]; };
  const auto insert = [&](PetscInt row, PetscInt col, const Block &block) {
    std::array<PetscScalar, 25> values;
    for (std::size_t i = 0; i < 25; ++i) values[i] = PetscReal(block[i]);
    return MatSetValuesBlocked(J, 1, &row, 1, &col, values.data(), INSERT_VALUES);
  };
  for (const Edge &e : m.edges) {
    const State<Dual10> f = RoeFlux(Variables<10>(states[e.a], 0), Variables<10>(states[e.b], 5), e.area);
    Block beside{};
    if (e.a < m.owned) {
      Add(1, f, 0, &diagonal[std::size_t(e.a)]);
      Add(1, f, 5, &beside);
      PetscCall(insert(number(e.a), number(e.b), beside));
    }
    if (e.b < m.owned) {
      beside = {};
      Add(-1, f, 5, &diagonal[std::size_t(e.b)]);
      Add(-1, f, 0, &beside);
      PetscCall(insert(number(e.b), number(e.a), beside));
    }
  }
  for (const Patch &p : m.patches)
    Add(1, BoundaryFlux<Dual5>(flow, Variables<5>(states[p.vertex], 0), p, false), 0,
        &diagonal[std::size_t(p.vertex)]);
  for (PetscInt v = 0; v < m.owned; ++v) {
    Block &block = diagonal[std::size_t(v)];
    if (!waves.empty())
      for (std::size_t i = 0; i < 5; ++i) block[6 * i] += waves[std::size_t(v)] / cfl;
    PetscCall(insert(m.first + v, m.first + v, block));
  }
  PetscCall(states.Restore());
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckFreeStream(const Flow &flow, double *relative)
{
  Vec q, r;
  PetscReal norm;
  double through = 0;

  PetscFunctionBeginUser;
  PetscCall(CreateStates(PETSC_COMM_WORLD, flow, &q));
  PetscCall(VecDuplicate(q, &r));
  PetscCall(Residual(flow, q, true, r, nullptr));
  PetscCall(VecNorm(r, NORM_2, &norm));
  for (const Patch &p : flow.mesh->patches)
    if (p.kind == Boundary::inflow) through += Norm(BoundaryFlux(flow, flow.stream, p, true));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &through, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *relative = double(norm) / through;
  PetscCall(VecDestroy(&q));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckJacobian(const Flow &flow, Vec q, double *relative)
{
  const PetscReal step = std::cbrt(PETSC_MACHINE_EPSILON); // optimal for central differences
  Mat J;
  Vec v, moved, r[2], Jv;
  PetscReal norm, difference;

  PetscFunctionBeginUser;
  PetscCall(CreateStates(PETSC_COMM_WORLD, flow, &moved));
  PetscCall(CreateJacobian(PETSC_COMM_WORLD, flow, &J));
  PetscCall(MatCreateVecs(J, &v, &Jv));
  for (Vec &side : r) PetscCall(VecDuplicate(v, &side));
  PetscCall(Residual(flow, q, false, Jv, nullptr)); // updates the ghosts of q
  PetscCall(Jacobian(flow, q, {}, 1, J));
  // A direction without pattern that is the same on any number of ranks
  PetscScalar *values;
  PetscCall(VecGetArrayWrite(v, &values));
  for (PetscInt i = 0; i < 5 * flow.mesh->owned; ++i)
    values[i] = PetscReal(std::sin(double(37 * (5 * flow.mesh->first + i) % 1009)));
  PetscCall(VecRestoreArrayWrite(v, &values));
  for (int side = 0; side < 2; ++side) {
    PetscCall(VecWAXPY(moved, side == 0 ? step : -step, v, q));
    PetscCall(Residual(flow, moved, false, r[side], nullptr));
  }
  PetscCall(MatMult(J, v, Jv));
  PetscCall(VecNorm(Jv, NORM_2, &norm));
  PetscCall(VecAXPY(r[0], -1, r[1]));
  PetscCall(VecAXPY(Jv, -1 / (2 * step), r[0]));
  PetscCall(VecNorm(Jv, NORM_2, &difference));
  *relative = double(difference / norm);
  for (Vec vec : {v, moved, r[0], r[1], Jv}) PetscCall(VecDestroy(&vec));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindTotals(const Flow &flow, Vec q, Totals *t)
{
  enum { in, out, force, volume, entropy, sums };
  States states;
  double sum[sums] = {}, mach = 0;

  PetscFunctionBeginUser;
  PetscCall(states.Get(q));
  for (const Patch &p : flow.mesh->patches) {
    const State<double> f = BoundaryFlux(flow, states[p.vertex], p, false);
    if (p.kind == Boundary::wall) sum[force] += f[1];
    if (p.kind == Boundary::inflow) sum[in] -= f[0];
    if (p.kind == Boundary::outflow) sum[out] += f[0];
  }
  for (PetscInt v = 0; v < flow.mesh->owned; ++v) {
    const double density = states[v][0], cell = flow.mesh->volume[std::size_t(v)];
    const Gas<double> gas(states[v], Vector3{});
    const Vector3 u = {gas.velocity[0], gas.velocity[1], gas.velocity[2]};
    const double change = gas_gamma * gas.pressure / std::pow(density, gas_gamma) - 1;
    mach = std::max(mach, std::sqrt(Dot(u, u) * density / (gas_gamma * gas.pressure)));
    sum[volume] += cell;
    sum[entropy] += cell * change * change;
  }
  PetscCall(states.Restore());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, sums, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mach, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  *t = {sum[in], sum[out], sum[force], mach, std::sqrt(sum[entropy] / sum[volume])};
  PetscFunctionReturn(PETSC_SUCCESS);
}
