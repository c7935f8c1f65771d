// SPDX-License-Identifier: BSD-2-Clause
// Shapes of teams: Kokkos launches each of them, for every row function and block size.
#include "factor/half.hpp"
#include "eisenstat/eisenstat.hpp"
#include "factor/factor.hpp"
#include "relax/couplings.hpp"
#include "relax/relax.hpp"
#include "product/residual.hpp"
#include "sip/sip.hpp"
#include "factor/sweep.hpp"
#include "factor/symmetric.hpp"
#include "problems.hpp"
#include "run/teams.hpp"
#include "run/team_rule.hpp"
#include "run/team_work.hpp"

#include <gtest/gtest.h>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr KokkosRule rules[] = {kokkos_4_6, kokkos_5_2};

// Limits of a kernel whose registers ptxas restricts to these bounds.
template <class Bounds> KernelLimits limits_of()
{
  const int lanes = int(Bounds::maxTperB), blocks = int(Bounds::minBperSM);
  if (lanes == 0) return {};
  return {registers_of_multiprocessor / (lanes * blocks) / 8 * 8, lanes, blocks};
}

// Scratch sizes of any row function, also of later ones.
TEST(Teams, AnyShapeIsLaunchedOrThereIsNone)
{
  for (int parallelism = 1; parallelism <= 1024; parallelism += parallelism < 34 ? 1 : 330)
    for (std::size_t scratch = 0; scratch < 52 * 1024; scratch += scratch < 4096 ? 8 : 104) {
      const TeamShape s = shape_team(parallelism, scratch);
      if (s.threads == 0) {
        EXPECT_GT(shared_bytes(1, scratch, 0), kokkos_4_6.most_shared);
        continue;
      }
      ASSERT_LE(s.threads * s.lanes, team_lanes);
      ASSERT_GE(s.lanes, std::min(parallelism, warp_lanes));
      for (const KokkosRule &rule : rules)
        ASSERT_TRUE(is_launched(rule, s.threads, s.lanes, scratch, 0))
          << "Kokkos " << rule.version << ": " << s.threads << " threads of " << s.lanes << " lanes, " << scratch
          << " bytes; it launches " << largest_team(rule, s.lanes, scratch, 0);
    }
}

template <class Row> class RowsOf : public ::testing::Test
{
};
using AllRows = ::testing::Types<
  ForwardRow<0, Scalar, Scalar>, ForwardRow<0, Scalar, Scalar, most_vectors>, ForwardRow<0, Scalar, Scalar, 1, true>,
  BackwardRow<0, Scalar>, BlockProductRow<0>, EisenstatRow<0>, EisenstatCouplingRow<0>, HalfRow<0>,
  HalfRow<0, most_vectors>, HalfTransposedRow, HalfLowerRow<0>, EisenstatFactorRow<0>, EisenstatRootRow<0>,
  BackwardRow<0, Scalar, most_vectors>, TransposedRow<Scalar, Scalar>, ResidualRow<0>,
  ResidualRow<0, true, Sign::plus>, TransposedProductRow<0>, FactorRow<0, Scalar, Scalar>, SipRow<0, Scalar, Scalar>,
  SymmetricFactorRow<0, Scalar, Scalar>, SymmetricBackwardRow<0, Scalar, Scalar, most_vectors>,
  RelaxRow<0, HalfScalar, Scalar, Single>, RelaxRow<0, Scalar, Scalar, Scalar, most_vectors>,
  TransposedRelaxRow<Scalar, Scalar>, LargestRow<0>, CheckRow<HalfScalar>, LoadRow<0, HalfScalar, Scalar>>;
TYPED_TEST_SUITE(RowsOf, AllRows);

// For all precisions of real and complex scalars, not only those of this build.
TYPED_TEST(RowsOf, EveryBlockSizeIsLaunchedOrRefused)
{
  constexpr bool may_not_fit = requires { TypeParam::may_not_fit; };
  for (const std::size_t of_scalar : {sizeof(float), sizeof(double), 2 * sizeof(double)})
    for (int n = 1; n <= max_block; ++n) {
      const TeamShape s = shape_team<TypeParam>(n, of_scalar);
      const std::size_t scratch = scratch_bytes(TypeParam::scratch_size(n), of_scalar);
      if (s.threads == 0) {
        EXPECT_TRUE(may_not_fit) << "n = " << n;
        continue;
      }
      for (const KokkosRule &rule : rules)
        for (const KernelLimits &kernel : {KernelLimits(), limits_of<detail::TeamBounds>()})
          EXPECT_TRUE(is_launched(rule, s.threads, s.lanes, scratch, 0, kernel))
            << "Kokkos " << rule.version << ", n = " << n << ", scalars of " << of_scalar << " bytes, "
            << kernel.most_lanes << " lanes";
    }
}

// Bounds with several blocks per multiprocessor would allow the registers of TeamBounds, but Kokkos also counts
// scratch memory.
TEST(Teams, BoundsDoNotForbidScratch)
{
  const KernelLimits one = limits_of<detail::TeamBounds>(), several{one.registers, team_lanes, 5};
  EXPECT_EQ(one.registers, 96);
  for (const KokkosRule &rule : rules) {
    EXPECT_TRUE(is_launched(rule, 4, 32, 11 * 1024, 0, one));
    EXPECT_TRUE(is_launched(rule, 4, 32, 12000, 0, one));
    EXPECT_FALSE(is_launched(rule, 4, 32, 12000, 0, several));
  }
}

// docs/trouble.md lists these limits.
TEST(Teams, SipsFactorFitsUpToTheseBlockSizes)
{
  const auto largest = [](std::size_t of_scalar) {
    int n = 0;
    while (n < max_block && shape_team<SipRow<0, Scalar, Scalar>>(n + 1, of_scalar).threads) ++n;
    return n;
  };
  EXPECT_EQ(largest(4), 32);
  EXPECT_EQ(largest(8), 31);
  EXPECT_EQ(largest(16), 22);
}

TEST(Teams, DevicesRefuseBlocksThatDoNotFit)
{
  if (where != Where::device) GTEST_SKIP() << "needs --backend=device";
  const Problem p(make_grid_graph({2, 2, 1}, Stencil::star), max_block);
  EngineOptions r;
  r.grid = {{2, 2, 1}};
  r.sip_factors = {SipFactor{}};
  const bool fits = fits_team<SipRow<0, Scalar, Scalar>>(max_block);
  const SetupError error = make_tested_engine(Method::sip)->analyze(p.view(), r);
  EXPECT_EQ(error.reason, fits ? SetupError::none : SetupError::scratch);
}

TEST(Teams, KokkosIsStartedOnTheDeviceThatIsAskedFor)
{
#if KOKKOS_VERSION >= 30700
  EXPECT_EQ(kokkos_settings(3).get_device_id(), 3);
  EXPECT_FALSE(kokkos_settings(-1).has_device_id());
#else
  EXPECT_EQ(kokkos_settings(3).device_id, 3);
  EXPECT_EQ(kokkos_settings(-1).device_id, -1);
#endif
}

} // namespace
