// SPDX-License-Identifier: BSD-2-Clause
// Settings and engines for the tests of multicolored ILU(p,q).
#pragma once

#include "fill_oracle.hpp"

#include <gtest/gtest.h>

namespace finegrain::test
{

inline constexpr Drop drops[] = {Drop::during, Drop::after, Drop::none};

inline EngineOptions options_for(ScheduleKind schedule, int levels, int power, Drop drop = Drop::during)
{
  EngineOptions r;
  r.schedule = schedule;
  r.algorithm = algorithms().front();
  r.levels = levels;
  r.power = power;
  r.drop = drop;
  return r;
}
inline EngineOptions color_options(int levels, int power, Drop drop = Drop::during)
{
  return options_for(ScheduleKind::color, levels, power, drop);
}

inline std::unique_ptr<Engine> make_factored(const Problem &p, const EngineOptions &r)
{
  auto e = make_tested_engine();
  EXPECT_FALSE(e->analyze(p.view(), r));
  EXPECT_EQ(e->factor(p.source()).bad_row, -1);
  return e;
}

inline std::vector<Scalar> applied(Engine &e, const std::vector<Scalar> &b)
{
  std::vector<Scalar> x(b.size(), Scalar(nan_value));
  e.apply(b.data(), x.data());
  return x;
}

} // namespace finegrain::test
