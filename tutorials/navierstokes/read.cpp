// SPDX-License-Identifier: BSD-2-Clause
#include "cases.hpp"

#include <fstream>
#include <sstream>

namespace
{

// The content of a line of conditions.
struct Line {
  PetscInt block, side; // -1: all
  int condition;
};

PetscErrorCode ReadNumbers(const std::string &name, std::vector<double> *numbers)
{
  std::ifstream file(name);
  double number;

  PetscFunctionBeginUser;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open the grid %s", name.c_str());
  while (file >> number) numbers->push_back(number);
  PetscCheck(file.eof(), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s has something else than numbers behind the %d-th",
             name.c_str(), int(numbers->size()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadGrid(const std::string &name, Geometry *geometry)
{
  auto numbers = std::make_shared<std::vector<double>>();
  std::vector<std::size_t> first;
  std::size_t at = 1;

  PetscFunctionBeginUser;
  PetscCall(ReadNumbers(name, numbers.get()));
  const double most = double(numbers->size()), announced = numbers->empty() ? 0 : numbers->front();
  PetscCheck(announced >= 1 && 3 * announced < most, PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "%s does not begin with the number of blocks and I J K of each", name.c_str());
  const std::size_t blocks = std::size_t(announced);
  std::size_t next = 1 + 3 * blocks;
  for (std::size_t b = 0; b < blocks; ++b) {
    Index3 cells;
    std::size_t vertices = 1;
    for (std::size_t d = 0; d < 3; ++d) {
      const double size = (*numbers)[at++];
      PetscCheck(
        size >= 2 && double(vertices) * size <= most, PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
        "%s: block %d has %g vertices along an axis: a block of one layer of cells has 2, and the file %d numbers",
        name.c_str(), int(b + 1), size, int(most));
      cells[d] = PetscInt(size) - 1;
      vertices *= std::size_t(size);
    }
    geometry->blocks.push_back(cells);
    first.push_back(next);
    next += 3 * vertices;
  }
  PetscCheck(next == numbers->size(), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s has %d numbers, its blocks have %d",
             name.c_str(), int(numbers->size()), int(next));
  geometry->vertex = [numbers, first, sizes = geometry->blocks](std::size_t b, const Index3 &v) {
    const std::size_t i = std::size_t(sizes[b][0] + 1), j = std::size_t(sizes[b][1] + 1),
                      all = i * j * std::size_t(sizes[b][2] + 1);
    const double *x =
      numbers->data() + first[b] + std::size_t(v[0]) + i * (std::size_t(v[1]) + j * std::size_t(v[2]));
    return Vector3{x[0], x[all], x[2 * all]};
  };
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Index of a text in a list; -1: it is "*"; -2: it is not in the list.
PetscInt Find(const std::string &text, const char *const list[], PetscInt count)
{
  if (text == "*") return -1;
  for (PetscInt k = 0; k < count; ++k)
    if (text == list[k]) return k;
  return -2;
}

PetscErrorCode ReadCondition(const std::string &text, const std::string &name, Case *c, std::vector<Line> *lines)
{
  static const char *const types[] = {"wall", "inflow", "outflow", "slip", "farfield"};
  std::istringstream line(text.substr(0, text.find('#')));
  std::string block, side, type;
  Condition condition;
  std::vector<double> numbers;
  double number;

  PetscFunctionBeginUser;
  if (!(line >> block)) PetscFunctionReturn(PETSC_SUCCESS);
  if (block == "period") {
    while (line >> number) numbers.push_back(number);
    PetscCheck(numbers.size() == 3, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s: a period has three components: %s",
               name.c_str(), text.c_str());
    c->geometry.periods.push_back({numbers[0], numbers[1], numbers[2]});
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  line >> side >> type;
  PetscInt of = 0;
  if (block != "*") PetscCall(PetscOptionsStringToInt(block.c_str(), &of));
  --of;
  const PetscInt at = Find(side, Sides, 6), kind = Find(type, types, 5);
  while (line >> number) numbers.push_back(number);
  PetscCheck(of >= -1 && of < PetscInt(c->geometry.blocks.size()) && (block == "*" || of >= 0) && at > -2 &&
               kind >= 0 && (numbers.empty() || numbers.size() == 3 || numbers.size() == 5),
             PETSC_COMM_SELF, PETSC_ERR_FILE_READ,
             "%s: not \"block side type [u v w [s1 s2]]\" with a block of 1 to %d or *: %s", name.c_str(),
             int(c->geometry.blocks.size()), text.c_str());
  condition.type = Condition::Type(kind);
  condition.fixed.fill(numbers.size() == 5);
  numbers.resize(5, 0);
  condition.velocity = [=](const Vector3 &) { return Vector3{numbers[0], numbers[1], numbers[2]}; };
  condition.scalar = {numbers[3], numbers[4]};
  lines->push_back({of, at, int(c->conditions.size())});
  c->conditions.push_back(condition);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

// Every rank reads the files.
PetscErrorCode ReadGeometry(const std::string &grid, const std::string &conditions, Case *c)
{
  std::ifstream file(conditions);
  std::string text;
  std::vector<Line> lines;

  PetscFunctionBeginUser;
  PetscCall(ReadGrid(grid, &c->geometry));
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open the boundary conditions %s",
             conditions.c_str());
  while (std::getline(file, text)) PetscCall(ReadCondition(text, conditions, c, &lines));
  c->geometry.boundary = [lines](std::size_t block, int side, const Vector3 &) {
    int found = -1;
    for (const Line &line : lines)
      if ((line.block < 0 || std::size_t(line.block) == block) && (line.side < 0 || line.side == side))
        found = line.condition;
    return found;
  };
  PetscFunctionReturn(PETSC_SUCCESS);
}
