// SPDX-License-Identifier: BSD-2-Clause
#include "cases.hpp"

#include <petscsys.h>

#include <cmath>

namespace
{

// One box of cells, cut into blocks by planes, each block with its indices turned by `turn`. Joints match because a
// vertex is computed from its position in the box.
struct Box {
  Index3 cells, blocks;
  std::function<Vector3(const Index3 &vertex)> place;
};

struct Block {
  Index3 first, cells;             // in the box
  std::array<std::size_t, 3> axis; // axis of the box for each axis of the block
  std::array<bool, 3> reverse;
};

// Makes a block whose indices are turned in one of 48 ways.
Block Turned(const Index3 &first, const Index3 &cells, std::size_t turn)
{
  static constexpr std::array<std::size_t, 3> orders[] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                                          {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  return {first, cells, orders[turn % 6], {bool(turn / 6 & 1), bool(turn / 12 & 1), bool(turn / 24 & 1)}};
}

void AddBox(const Box &box, bool turn, Geometry *geometry)
{
  std::vector<Block> blocks;
  for (PetscInt k = 0; k < box.blocks[2]; ++k)
    for (PetscInt j = 0; j < box.blocks[1]; ++j)
      for (PetscInt i = 0; i < box.blocks[0]; ++i) {
        const Index3 at = {i, j, k};
        Index3 first, cells;
        for (std::size_t d = 0; d < 3; ++d) {
          first[d] = box.cells[d] * at[d] / box.blocks[d];
          cells[d] = box.cells[d] * (at[d] + 1) / box.blocks[d] - first[d];
        }
        const Block block = Turned(first, cells, turn ? 7 * blocks.size() % 48 : 0);
        geometry->blocks.push_back({cells[block.axis[0]], cells[block.axis[1]], cells[block.axis[2]]});
        blocks.push_back(block);
      }
  const std::size_t before = geometry->blocks.size() - blocks.size();
  const auto others = geometry->vertex;
  geometry->vertex = [=](std::size_t b, const Index3 &vertex) {
    if (b < before) return others(b, vertex);
    const Block &block = blocks[b - before];
    Index3 at = block.first;
    for (std::size_t d = 0; d < 3; ++d)
      at[block.axis[d]] += block.reverse[d] ? block.cells[block.axis[d]] - vertex[d] : vertex[d];
    return box.place(at);
  };
}

// Maps 0 to 1 to itself; cells at both ends are the smaller, the larger `stretch` is.
double Spread(double part, double stretch)
{
  return stretch > 0 ? 0.5 * (1 + std::tanh(stretch * (2 * part - 1)) / std::tanh(stretch)) : part;
}

struct Options {
  PetscInt cells[3], blocks[3];
  PetscReal re, stretch, depth; // depth: extent along z
  PetscBool turn;
  PetscInt span;
};
enum Span { walls, slips, periodic };

PetscErrorCode GetOptions(const Options &defaults, Options *o)
{
  const char *const spans[] = {"walls", "slip", "periodic"};
  PetscInt count = 3, blocks = 3;
  PetscBool set, set_blocks;

  PetscFunctionBeginUser;
  *o = defaults;
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-cells", o->cells, &count, &set));
  PetscCall(PetscOptionsGetIntArray(nullptr, nullptr, "-blocks", o->blocks, &blocks, &set_blocks));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-re", &o->re, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-stretch", &o->stretch, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-depth", &o->depth, nullptr));
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-turn", &o->turn, nullptr));
  PetscCall(PetscOptionsGetEList(nullptr, nullptr, "-span", spans, 3, &o->span, nullptr));
  PetscCheck((!set || count > 1) && (!set_blocks || blocks > 0), PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "Give -cells X,Y or X,Y,Z and -blocks X,Y or X,Y,Z");
  for (std::size_t d = 0; d < 3; ++d)
    PetscCheck(o->blocks[d] > 0 && o->cells[d] >= o->blocks[d], PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
               "%d blocks of %d cells along axis %d: give -cells and -blocks that fit", int(o->blocks[d]),
               int(o->cells[d]), int(d));
  PetscCheck(o->re > 0 && o->depth > 0, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-re and -depth are above 0");
  PetscFunctionReturn(PETSC_SUCCESS);
}

Condition At(Condition::Type type, const Vector3 &velocity)
{
  Condition condition;
  condition.type = type;
  condition.velocity = [velocity](const Vector3 &) { return velocity; };
  return condition;
}

// The condition beyond the faces of lowest and highest z; -1 for other faces.
int SpanCondition(const Options &o, const Vector3 &at, int wall, int slip)
{
  if (std::abs(at[2]) > 1e-9 * o.depth && std::abs(at[2] - o.depth) > 1e-9 * o.depth) return -1;
  return o.span == walls ? wall : o.span == slips ? slip : -1;
}

void SetSpan(const Options &o, Case *c)
{
  if (o.span == periodic) c->geometry.periods.push_back({0, 0, double(o.depth)});
}

// The lid of the unit square or cube, y = 1, moves along x.
PetscErrorCode CreateCavity(Case *c)
{
  Options o;

  PetscFunctionBeginUser;
  PetscCall(GetOptions({{32, 32, 1}, {1, 1, 1}, 100, 0, 1, PETSC_FALSE, slips}, &o));
  AddBox({{o.cells[0], o.cells[1], o.cells[2]},
          {o.blocks[0], o.blocks[1], o.blocks[2]},
          [o](const Index3 &v) {
            Vector3 x;
            for (std::size_t d = 0; d < 3; ++d)
              x[d] = Spread(double(v[d]) / double(o.cells[d]), d < 2 || o.span == walls ? double(o.stretch) : 0);
            x[2] *= double(o.depth);
            return x;
          }},
         o.turn, &c->geometry);
  SetSpan(o, c);
  c->conditions = {At(Condition::wall, {0, 0, 0}), At(Condition::wall, {1, 0, 0}), At(Condition::slip, {0, 0, 0})};
  c->geometry.boundary = [o](std::size_t, int, const Vector3 &at) {
    const int beyond = SpanCondition(o, at, 0, 2);
    return beyond >= 0 ? beyond : at[1] > 1 - 1e-9 ? 1 : 0;
  };
  c->viscosity = 1 / double(o.re);
  c->title = "Lid-driven cavity, Re " + std::to_string(int(o.re));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Diameter 1, far field at -radius; block 0 of the ring begins behind the cylinder.
PetscErrorCode CreateCylinder(Case *c)
{
  Options o;
  PetscReal radius = 50;

  PetscFunctionBeginUser;
  PetscCall(GetOptions({{64, 48, 1}, {4, 1, 1}, 40, 0, 1, PETSC_FALSE, slips}, &o));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-radius", &radius, nullptr));
  PetscCheck(radius > 1 && o.cells[0] > 2, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-radius is above 1, cells around at least 3");
  AddBox(
    {{o.cells[0], o.cells[1], o.cells[2]},
     {o.blocks[0], o.blocks[1], o.blocks[2]},
     [o, radius](const Index3 &v) {
       const double angle = 2 * PETSC_PI * double(v[0] % o.cells[0]) / double(o.cells[0]);
       const double r = 0.5 * std::pow(2 * double(radius), double(v[1]) / double(o.cells[1]));
       return Vector3{r * std::cos(angle), r * std::sin(angle), double(o.depth) * double(v[2]) / double(o.cells[2])};
     }},
    o.turn, &c->geometry);
  SetSpan(o, c);
  c->conditions = {At(Condition::wall, {0, 0, 0}), At(Condition::farfield, {1, 0, 0}),
                   At(Condition::slip, {0, 0, 0})};
  c->geometry.boundary = [o](std::size_t, int, const Vector3 &at) {
    const int beyond = SpanCondition(o, at, 0, 2);
    return beyond >= 0 ? beyond : at[0] * at[0] + at[1] * at[1] < 0.5 ? 0 : 1;
  };
  c->viscosity = 1 / double(o.re);
  c->start = {1, 0, 0};
  c->title = "Cylinder, Re " + std::to_string(int(o.re));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Armaly's step as in tutorials/step: lengths in heights of the inlet, velocities in its mean, Re with twice the
// inlet's height. -cells: along x behind the step, along y above it; the other sides follow.
PetscErrorCode CreateStep(Case *c)
{
  Options o;
  PetscReal rise = PetscReal(0.94), length = 20;
  PetscInt inlet;

  PetscFunctionBeginUser;
  PetscCall(GetOptions({{64, 12, 1}, {1, 1, 1}, 100, 4, 1, PETSC_FALSE, slips}, &o));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-step_height", &rise, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-length", &length, nullptr));
  PetscCheck(o.blocks[0] == 1 && o.blocks[1] == 1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "The step has three blocks; -pieces cuts them");
  inlet = PetscMax(o.cells[1] / 2, 1);
  // Widths grow from the step on, the last one -stretch times the first.
  const double factor =
    o.cells[0] > 1 && o.stretch > 1 ? std::pow(double(o.stretch), 1. / double(o.cells[0] - 1)) : 1;
  const double first = factor > 1 ? double(length) * (factor - 1) / (std::pow(factor, double(o.cells[0])) - 1)
                                  : double(length) / double(o.cells[0]);
  const auto along = [=](PetscInt i) {
    return factor > 1 ? first * (std::pow(factor, double(i)) - 1) / (factor - 1) : first * double(i);
  };
  const PetscInt ny = o.cells[1], nz = o.cells[2], nx = o.cells[0];
  const double depth = double(o.depth), fall = double(rise);
  const auto upper = [=](double x, const Index3 &v) {
    return Vector3{x, double(v[1]) / double(ny), depth * double(v[2]) / double(nz)};
  };
  AddBox({{inlet, ny, nz},
          {1, 1, o.blocks[2]},
          [=](const Index3 &v) { return upper(2 * (double(v[0]) / double(inlet) - 1), v); }},
         o.turn, &c->geometry);
  AddBox({{nx, ny, nz}, {1, 1, o.blocks[2]}, [=](const Index3 &v) { return upper(along(v[0]), v); }}, o.turn,
         &c->geometry);
  AddBox({{nx, ny, nz},
          {1, 1, o.blocks[2]},
          [=](const Index3 &v) {
            return Vector3{along(v[0]), fall * (double(v[1]) / double(ny) - 1), depth * double(v[2]) / double(nz)};
          }},
         o.turn, &c->geometry);
  SetSpan(o, c);
  Condition inflow;
  inflow.type = Condition::inflow;
  inflow.velocity = [](const Vector3 &x) { return Vector3{6 * x[1] * (1 - x[1]), 0, 0}; };
  c->conditions = {At(Condition::wall, {0, 0, 0}), inflow, At(Condition::outflow, {0, 0, 0}),
                   At(Condition::slip, {0, 0, 0})};
  c->geometry.boundary = [=](std::size_t, int, const Vector3 &at) {
    const int beyond = SpanCondition(o, at, 0, 3);
    if (beyond >= 0) return beyond;
    return at[0] < -2 + 1e-9 ? 1 : at[0] > double(length) * (1 - 1e-9) ? 2 : 0;
  };
  c->viscosity = 2 / double(o.re);
  c->title = "Backward-facing step, Re " + std::to_string(int(o.re));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Unit square or cube between a hot wall (x = 0, scalars 1/2) and a cold one (x = 1, -1/2); other walls have no
// flux. Lengths in its height, velocities in sqrt(g a dT L).
PetscErrorCode CreateConvection(Case *c)
{
  Options o;
  PetscReal rayleigh = 1e4, prandtl = PetscReal(0.71), lewis = 1, ratio = 0;

  PetscFunctionBeginUser;
  PetscCall(GetOptions({{32, 32, 1}, {2, 2, 1}, 1, 1, 1, PETSC_FALSE, slips}, &o));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-rayleigh", &rayleigh, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-prandtl", &prandtl, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-lewis", &lewis, nullptr));
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-buoyancy_ratio", &ratio, nullptr));
  PetscCheck(rayleigh > 0 && prandtl > 0 && lewis > 0 && ratio > -1, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT,
             "-rayleigh, -prandtl and -lewis are above 0, -buoyancy_ratio above -1");
  AddBox({{o.cells[0], o.cells[1], o.cells[2]},
          {o.blocks[0], o.blocks[1], o.blocks[2]},
          [o](const Index3 &v) {
            Vector3 x;
            for (std::size_t d = 0; d < 3; ++d)
              x[d] = Spread(double(v[d]) / double(o.cells[d]), d < 2 || o.span == walls ? double(o.stretch) : 0);
            x[2] *= double(o.depth);
            return x;
          }},
         o.turn, &c->geometry);
  SetSpan(o, c);
  Condition hot = At(Condition::wall, {0, 0, 0}), cold = hot;
  hot.fixed = cold.fixed = {true, true};
  hot.scalar = {0.5, 0.5};
  cold.scalar = {-0.5, -0.5};
  c->conditions = {At(Condition::wall, {0, 0, 0}), hot, cold, At(Condition::slip, {0, 0, 0})};
  c->geometry.boundary = [o](std::size_t, int, const Vector3 &at) {
    const int beyond = SpanCondition(o, at, 0, 3);
    return beyond >= 0 ? beyond : at[0] < 1e-9 ? 1 : at[0] > 1 - 1e-9 ? 2 : 0;
  };
  c->unknowns = 6;
  c->viscosity = std::sqrt(double(prandtl) / double(rayleigh));
  c->diffusivity = {c->viscosity / double(prandtl), c->viscosity / double(prandtl) / double(lewis)};
  // Both forces together have the strength of the Rayleigh number.
  c->buoyancy = {Vector3{0, 1 / (1 + double(ratio)), 0}, Vector3{0, double(ratio) / (1 + double(ratio)), 0}};
  c->title = "Natural convection of two scalars, Ra " + std::to_string(int(rayleigh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateFromFiles(Case *c)
{
  char grid[PETSC_MAX_PATH_LEN], conditions[PETSC_MAX_PATH_LEN];
  PetscReal viscosity = PetscReal(0.01), diffusivity[] = {PetscReal(0.01), PetscReal(0.01)};
  PetscInt unknowns = 4, count = 2;
  PetscBool set, set_conditions;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-grid", grid, sizeof(grid), &set));
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-conditions", conditions, sizeof(conditions), &set_conditions));
  PetscCheck(set && set_conditions, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-case file: give -grid and -conditions");
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-viscosity", &viscosity, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-unknowns", &unknowns, nullptr));
  PetscCall(PetscOptionsGetRealArray(nullptr, nullptr, "-diffusivity", diffusivity, &count, nullptr));
  PetscCheck(unknowns == 4 || unknowns == 6, PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "-unknowns is 4 or 6");
  c->unknowns = int(unknowns);
  c->diffusivity = {double(diffusivity[0]), double(diffusivity[1])};
  PetscCall(ReadGeometry(grid, conditions, c));
  c->viscosity = double(viscosity);
  c->title = std::string("Flow in ") + grid;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode CreateCase(MPI_Comm comm, Case *c)
{
  const char *const names[] = {"cavity", "cylinder", "step", "convection", "file"};
  PetscErrorCode (*const create[])(Case *) = {CreateCavity, CreateCylinder, CreateStep, CreateConvection,
                                              CreateFromFiles};
  PetscInt kind = Case::cavity, components = 3;
  PetscReal start[3], smagorinsky = 0;
  PetscBool set;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetEList(nullptr, nullptr, "-case", names, 5, &kind, nullptr));
  c->kind = Case::Kind(kind);
  PetscCall(create[kind](c));
  PetscCall(PetscOptionsGetRealArray(nullptr, nullptr, "-start", start, &components, &set));
  PetscCheck(!set || components == 3, comm, PETSC_ERR_USER_INPUT, "Give -start u,v,w");
  PetscCall(PetscOptionsGetReal(nullptr, nullptr, "-smagorinsky", &smagorinsky, nullptr));
  PetscCheck(smagorinsky >= 0, comm, PETSC_ERR_USER_INPUT, "-smagorinsky is not negative");
  c->smagorinsky = double(smagorinsky);
  if (set) c->start = {double(start[0]), double(start[1]), double(start[2])};
  PetscCall(PetscPrintf(comm, "%s\n", c->title.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}
