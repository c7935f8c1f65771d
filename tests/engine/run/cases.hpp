// SPDX-License-Identifier: BSD-2-Clause
// Factors and relaxations by name, for suites that run all of them on the star of a box.
#pragma once

#include "problems.hpp"
#include "storages.hpp"

#include <gtest/gtest.h>

#include <string>

namespace finegrain::test
{

struct Case {
  const char *name;
  void (*set)(EngineOptions &);
};

inline constexpr Case factor_cases[] = {{"dilu", [](EngineOptions &) {}},
                                        {"ilu0", [](EngineOptions &o) { o.factor = FactorKind::ilu0; }},
                                        {"icc", [](EngineOptions &o) { o.factor = FactorKind::icc; }},
                                        {"single", [](EngineOptions &o) { o.precision = Precision::single; }},
                                        {"half", [](EngineOptions &o) { o = with(o, half_factor); }}};

inline std::string case_name(const ::testing::TestParamInfo<Case> &test) { return test.param.name; }

// A problem on a star, with symmetric values for icc.
inline Problem make_star_problem(const Case &c, const Box &box, int n)
{
  Problem p(make_grid_graph(box, Stencil::star), n);
  EngineOptions options;
  c.set(options);
  if (options.factor == FactorKind::icc) symmetrize_values(p);
  return p;
}

} // namespace finegrain::test
