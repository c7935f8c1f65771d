// SPDX-License-Identifier: BSD-2-Clause
// A mesh of tetrahedra: cubes of a box, each cut into six along its diagonal (Kuhn). Inner vertices have 14
// neighbors.
#pragma once

#include "star.hpp"

#include <algorithm>
#include <numeric>

namespace finegrain::test
{

enum class Numbering { natural, random, rcm };
inline const char *const Numberings[] = {"natural", "random", "rcm", "Numbering", "", nullptr};

class Mesh
{
public:
  Mesh(PetscInt side, Numbering numbering) : side_(side), number_(std::size_t(side * side * side))
  {
    std::iota(number_.begin(), number_.end(), PetscInt(0));
    if (numbering == Numbering::random)
      number_of_rank(sorted(number_, [](PetscInt v) { return hash_value(std::uint64_t(v)); }));
    if (numbering == Numbering::rcm) number_of_rank(reversed_breadth_first());
  }

  PetscInt vertices() const { return PetscInt(number_.size()); }
  PetscInt number(PetscInt vertex) const { return number_[std::size_t(vertex)]; }

  // Neighbors in natural order, the vertex itself included.
  std::vector<PetscInt> neighbors(PetscInt vertex) const
  {
    constexpr int steps[15][3] = {{-1, -1, -1}, {0, -1, -1}, {-1, 0, -1}, {0, 0, -1}, {-1, -1, 0},
                                  {0, -1, 0},   {-1, 0, 0},  {0, 0, 0},   {1, 0, 0},  {0, 1, 0},
                                  {1, 1, 0},    {0, 0, 1},   {1, 0, 1},   {0, 1, 1},  {1, 1, 1}};
    const PetscInt i = vertex % side_, j = vertex / side_ % side_, k = vertex / (side_ * side_);
    std::vector<PetscInt> all;
    for (const auto &s : steps) {
      const PetscInt a = i + s[0], b = j + s[1], c = k + s[2];
      if (std::min({a, b, c}) >= 0 && std::max({a, b, c}) < side_) all.push_back(a + side_ * (b + side_ * c));
    }
    return all;
  }

private:
  template <class Key> static std::vector<PetscInt> sorted(std::vector<PetscInt> all, Key key)
  {
    std::stable_sort(all.begin(), all.end(), [&](PetscInt a, PetscInt b) { return key(a) < key(b); });
    return all;
  }

  void number_of_rank(const std::vector<PetscInt> &order)
  {
    for (std::size_t r = 0; r < order.size(); ++r) number_[std::size_t(order[r])] = PetscInt(r);
  }

  // The reverse Cuthill-McKee order from a corner.
  std::vector<PetscInt> reversed_breadth_first() const
  {
    std::vector<PetscInt> order{0};
    std::vector<char> seen(number_.size(), 0);
    seen[0] = 1;
    for (std::size_t next = 0; next < order.size(); ++next)
      for (const PetscInt v : sorted(neighbors(order[next]), [&](PetscInt w) { return neighbors(w).size(); })) {
        if (!seen[std::size_t(v)]) order.push_back(v);
        seen[std::size_t(v)] = 1;
      }
    std::reverse(order.begin(), order.end());
    return order;
  }

  PetscInt side_;
  std::vector<PetscInt> number_; // number of each vertex
};

// Full blocks of n rows, SEQBAIJ. Values depend on the vertices' natural numbers: all numberings permute one matrix.
inline PetscErrorCode AssembleMesh(const Mesh &mesh, PetscInt n, PetscReal dominance, Mat *A)
{
  const Star block{{}, {n}, dominance};
  const PetscInt rows = mesh.vertices();
  std::vector<PetscInt> counts(static_cast<std::size_t>(rows));
  std::vector<PetscScalar> values;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < rows; ++v) counts[std::size_t(mesh.number(v))] = PetscInt(mesh.neighbors(v).size());
  PetscCall(MatCreateSeqBAIJ(PETSC_COMM_SELF, n, rows * n, rows * n, 0, counts.data(), A));
  for (PetscInt v = 0; v < rows; ++v) {
    const std::vector<PetscInt> to = mesh.neighbors(v);
    const PetscInt count = PetscInt(to.size()), row = mesh.number(v);
    PetscInt cols[15];
    values.assign(std::size_t(n * n * count), 0);
    for (PetscInt c = 0; c < count; ++c) {
      cols[c] = mesh.number(to[std::size_t(c)]);
      star_block(block, v, to[std::size_t(c)], count * n, values.data() + c * n);
    }
    PetscCall(MatSetValuesBlocked(*A, 1, &row, count, cols, values.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace finegrain::test
