// SPDX-License-Identifier: BSD-2-Clause
// Engines behind copies, and the device compared with the host. The other tests use them too, if --backend of
// main.cpp selects them.
#include "oracle.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// The values of p by scalar rows, without zeros, followed by unused values.
struct ScalarRows {
  std::vector<Scalar> values;
  std::vector<Offset> base;
  std::vector<std::uint32_t> mask;

  explicit ScalarRows(const Problem &p)
  {
    const std::size_t n = std::size_t(p.n);
    for (std::size_t e = 0; e < std::size_t(p.graph.entries()); ++e)
      for (std::size_t r = 0; r < n; ++r) {
        base.push_back(Offset(values.size()));
        mask.push_back(0);
        for (std::size_t c = 0; c < n; ++c)
          if (const Scalar v = p.values[(e * n + c) * n + r]; v != Scalar(0)) {
            values.push_back(v);
            mask.back() |= std::uint32_t(1) << c;
          }
      }
  }
  MatrixValues source() const { return {values.data(), base.data(), mask.data()}; }
};

TEST(Staged, ScalarRowsWithHolesGiveTheBitsOfDenseBlocks)
{
  Problem p(make_random_graph(30, 4, false, 4), 5);
  for (std::size_t i = 0; i < p.values.size(); i += 7)
    if (magnitude(p.values[i]) < 1) p.values[i] = Scalar(0);
  const ScalarRows rows(p);
  for (const bool staged : {false, true}) {
    const std::unique_ptr<Engine> e =
      staged ? std::make_unique<Staged<Kokkos::HostSpace>>(Backend::host, Method::factorization)
             : make_tested_engine();
    ASSERT_FALSE(e->analyze(p.view(), {}));
    EXPECT_EQ(e->factor(rows.source()).bad_row, -1);
    const auto x = p.apply(*e);
    EXPECT_EQ(e->factor(p.source()).bad_row, -1);
    EXPECT_EQ(p.apply(*e), x);
  }
}

TEST(Staged, KeepsCopiesOfWhatItNeeds)
{
  const Problem p(make_grid_graph({4, 3, 2}, Stencil::star), 2);
  Staged<Kokkos::HostSpace> e(Backend::host, Method::factorization);
  const std::unique_ptr<Engine> plain = make_engine(Backend::host, Method::factorization);
  ASSERT_FALSE(e.analyze(p.view(), {}));
  ASSERT_FALSE(plain->analyze(p.view(), {}));
  EXPECT_EQ(plain->statistics().staged_bytes, 0u);
  e.factor(p.source());
  p.apply(e);
  EXPECT_EQ(e.statistics().staged_bytes, (p.values.size() + 2 * p.b.size()) * sizeof(Scalar));
}

TEST(Device, GivesTheBitsOfTheHost)
{
  if (where != Where::device) GTEST_SKIP() << "with --backend=device only";
  for (const int n : {1, 4, 5, 9})
    for (const Stencil stencil : {Stencil::star, Stencil::box}) {
      const Problem p(make_grid_graph({7, 6, 5}, stencil), n);
      const auto host = make_engine(Backend::host, Method::factorization);
      ASSERT_FALSE(host->analyze(p.view(), {}));
      ASSERT_EQ(host->factor(p.source()).bad_row, -1);
      EXPECT_EQ(p.solve({}), p.apply(*host)) << "n = " << n;
    }
}

} // namespace
