// The team kernels of devices, run on the host's execution space: the same bits as plain loops.
#include "problems.hpp"

#include "factor.hpp"
#include "sweep.hpp"
#include "executor.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// A factor of p in natural order, made and applied by `run(row function, slots)`.
template <int N, class Run> std::vector<Scalar> factor_and_apply(const Problem &p, Run run)
{
  const BlockSize<N> n(p.n);
  const std::size_t  nn   = std::size_t(p.n) * std::size_t(p.n);
  FactorKind         kind = FactorKind::ilu0;
  const auto         s    = split_pattern({p.graph, {}, {}, {}}, {}, {}, Layout::row, kind);
  const Scalar       nan(std::numeric_limits<Real>::quiet_NaN());

  std::vector<Scalar> lower(s.lower.col.extent(0) * nn, nan), upper(s.upper.col.extent(0) * nn, nan);
  std::vector<Scalar> diagonal(std::size_t(s.rows) * nn, nan), x(p.b.size(), nan);
  Trouble             trouble{s.rows, 0};
  const auto          list = [](const auto &u) { return UpdateList{u.ptr.data(), u.left.data(), u.right.data()}; };
  run(FactorRow<N, Scalar, Scalar>{n, s.lower.ptr.data(), s.upper.ptr.data(), s.lower.source.data(),
                                   s.diagonal.data(), s.upper.source.data(), nullptr, s.rows - 1, list(s.to_diagonal),
                                   list(s.to_lower), list(s.to_upper), p.source(), Shift{}, lower.data(),
                                   upper.data(), diagonal.data(), nullptr, &trouble});
  EXPECT_EQ(trouble.bad_row, s.rows);
  run(ForwardRow<N, Scalar, Scalar>{n,
                                    s.lower.ptr.data(),
                                    s.lower.col.data(),
                                    nullptr,
                                    true,
                                    lower.data(),
                                    diagonal.data(),
                                    p.b.data(),
                                    x.data(),
                                    nullptr,
                                    {}});
  run(BackwardRow<N, Scalar>{n,
                             s.upper.ptr.data(),
                             s.upper.col.data(),
                             nullptr,
                             true,
                             s.rows - 1,
                             upper.data(),
                             x.data(),
                             x.data(),
                             nullptr,
                             {}});
  return x;
}

template <int N> void check(const Graph &g, int n)
{
  const Problem p(g, n);
  const auto    plain = factor_and_apply<N>(p, [&](const auto &row) { run_sequential<N>(row, 0, g.rows, nullptr); });
  const auto    teams = factor_and_apply<N>(p, [&](const auto &row) {
    for (Index slot = 0; slot < g.rows; ++slot) launch_teams<N>(HostExec(), row, slot, slot + 1);
    Kokkos::fence();
  });
  EXPECT_EQ(plain, p.solve({}));
  EXPECT_EQ(teams, plain);
}

TEST(TeamLanes, GiveTheSameBitsAsPlainLoops)
{
  if (where == Where::device) GTEST_SKIP() << "host execution space only";
  const Graph box = make_grid_graph({4, 3, 3}, Stencil::box), random = make_random_graph(30, 4, false, 4);
  for (const Graph &g : {box, random}) {
    check<1>(g, 1);
    check<5>(g, 5);
    check<0>(g, 11);
  }
}

} // namespace
