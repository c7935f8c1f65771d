// SPDX-License-Identifier: BSD-2-Clause
// A matrix of four block rows, blocks of 2, whose factor and solution can be computed by hand. The first test of each
// folder uses it:
//
//       | D U     |        | 1 1 |            | 0 2 |        | 1 0 |        | 0 1 |
//   A = | L B U   |    D = | 0 1 |        B = | 0 2 |    L = | 1 1 |    U = | 1 0 |
//       |   L B U |
//       |     L B |    and B = D + L D^-1 U, so that every pivot of the factorization is D.
//
// With x = (1 2, 3 4, 5 6, 7 8) the right-hand side A x is b = (7 5, 15 16, 23 26, 21 27).
#pragma once

#include "problems.hpp"

namespace finegrain::test
{

using Numbers = std::vector<Scalar>;

inline Numbers numbers(std::initializer_list<double> values)
{
  Numbers v;
  for (const double value : values) v.push_back(Scalar(Real(value)));
  return v;
}

inline const Numbers x_by_hand = numbers({1, 2, 3, 4, 5, 6, 7, 8}),
                     b_by_hand = numbers({7, 5, 15, 16, 23, 26, 21, 27});

// Blocks are stored by columns.
inline Problem make_problem_by_hand(bool equal_diagonal = false)
{
  Problem p(make_graph({{0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3}}), 2);
  const Numbers D = numbers({1, 0, 1, 1}), B = equal_diagonal ? D : numbers({0, 0, 2, 2}), L = numbers({1, 1, 0, 1}),
                U = numbers({0, 1, 1, 0});
  p.values.clear();
  for (const Numbers *block : {&D, &U, &L, &B, &U, &L, &B, &U, &L, &B})
    p.values.insert(p.values.end(), block->begin(), block->end());
  p.b = b_by_hand;
  return p;
}

} // namespace finegrain::test
