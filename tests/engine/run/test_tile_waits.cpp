// A tile loads nothing before the wait that kernels ahead of it in a graph write: neighbors of other tiles and, of a
// backward sweep, right-hand sides are full of NaN until then.
#include "kernels/sweep.hpp"
#include "in_graph.hpp"
#include "problems.hpp"
#include "run/team_work.hpp"
#include "run/tile_work.hpp"

#include <gtest/gtest.h>

#if defined(FINEGRAIN_EMULATE_DEVICE)

using namespace finegrain;
using namespace finegrain::test;

namespace
{

constexpr int n = 2, nn = n * n;
constexpr Index rows = 5;

// Rows 1 to 3 of five are the tile. Row 1 needs row 0 (forward) or 4 (backward, whose slots run backwards), rows 2
// and 3 need the row before; row 3 needs both others.
struct Problem5 {
  const std::vector<Index> ptr{0, 0, 1, 2, 4, 4}, col{0, 1, 1, 2}, tile_col{0, ~0, ~0, ~1};
  const std::vector<Index> step{1, 2, 3, 4};
  const std::vector<Scalar> blocks = make_vector(4 * nn, 1), diagonal = make_vector(rows * nn, 2);
  const std::vector<Scalar> right = make_vector(rows * n, 3), others = make_vector(rows * n, 4);
};
const Problem5 problem;

std::vector<Scalar> nans() { return std::vector<Scalar>(rows * n, Scalar(std::numeric_limits<Real>::quiet_NaN())); }
std::vector<Scalar> vector; // that the kernel reads and writes
std::vector<Scalar> late;   // right-hand sides of the backward sweep
int waits;

template <class Row> void run_tile(const Row &row, const std::vector<Index> &columns)
{
  using Body = detail::TileBody<n, DeviceExec, Row>;
  const TileRange range{1, 4, 0, 4, 0, 3};
  const std::size_t space = detail::tile_bytes(row, 3, 4);
  const Body body{row, &range, problem.step.data(), columns.data(), int(space)};
  using Policy = Kokkos::TeamPolicy<DeviceExec::execution_space>;
  Policy policy(1, 1, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(ScratchBytes(space)),
                          Kokkos::PerThread(ScratchBytes(scratch_bytes(Row::scratch_size(n)))));
  Kokkos::parallel_for(policy, InGraph<Body>{body});
}

// sum -= block x, block by columns.
void subtract(const Scalar *block, const Scalar *x, Scalar *sum)
{
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) sum[r] -= block[c * n + r] * x[c];
}

class TileWaits : public ::testing::Test
{
protected:
  void SetUp() override
  {
    if (where != Where::device) GTEST_SKIP() << "hosts have no tiles in scratch memory";
    waits = 0;
    vector = late = nans();
  }
  void TearDown() override { kernels_ahead() = nullptr; }
  void expect(const std::vector<Scalar> &expected) const
  {
    EXPECT_EQ(waits, 1);
    for (std::size_t i = n; i < 4 * n; ++i)
      EXPECT_LE(magnitude(vector[i] - expected[i]), Real(1e-5)) << i; // NaN is no less
  }
};

TEST_F(TileWaits, Forward)
{
  kernels_ahead() = [] {
    ++waits;
    std::copy_n(problem.others.begin(), n, vector.begin());
  };
  const ForwardArguments a{.ptr = problem.ptr.data(),
                           .col = problem.col.data(),
                           .row_of = nullptr,
                           .y_by_row = false,
                           .lower = problem.blocks.data(),
                           .diagonal = problem.diagonal.data(),
                           .b = problem.right.data(),
                           .y = vector.data(),
                           .z = nullptr,
                           .vectors = {},
                           .lines = {}};
  run_tile(ForwardRow<n, Scalar, Scalar>{BlockSize<n>(n), a}, problem.tile_col);
  std::vector<Scalar> y = problem.others;
  for (std::size_t i = 1; i < 4; ++i) {
    Scalar sum[n] = {problem.right[i * n], problem.right[i * n + 1]};
    for (Index e = problem.ptr[i]; e < problem.ptr[i + 1]; ++e)
      subtract(&problem.blocks[std::size_t(e) * nn], &y[std::size_t(problem.col[std::size_t(e)]) * n], sum);
    Scalar result[n] = {Scalar(0), Scalar(0)};
    subtract(&problem.diagonal[i * nn], sum, result);
    for (std::size_t r = 0; r < n; ++r) y[i * n + r] = -result[r];
  }
  expect(y);
}

TEST_F(TileWaits, Backward)
{
  kernels_ahead() = [] {
    ++waits;
    std::copy_n(problem.others.begin(), n, vector.begin() + 4 * n);
    late = problem.right;
  };
  // Slot s is row 4 - s, and so are columns.
  std::vector<Index> col = problem.col, tile_col = problem.tile_col;
  for (Index &c : col) c = rows - 1 - c;
  tile_col[0] = rows - 1;
  const BackwardArguments a{.ptr = problem.ptr.data(),
                            .col = col.data(),
                            .row_of = nullptr,
                            .y_by_row = false,
                            .last_position = rows - 1,
                            .upper = problem.blocks.data(),
                            .y = late.data(),
                            .x = vector.data(),
                            .total = nullptr,
                            .vectors = {},
                            .lines = {}};
  run_tile(BackwardRow<n, Scalar>{BlockSize<n>(n), a}, tile_col);
  std::vector<Scalar> x = problem.others;
  std::copy_n(problem.others.begin(), n, x.begin() + 4 * n);
  for (std::size_t s = 1; s < 4; ++s) {
    const std::size_t row = std::size_t(rows) - 1 - s;
    Scalar sum[n] = {problem.right[row * n], problem.right[row * n + 1]};
    for (Index e = problem.ptr[s]; e < problem.ptr[s + 1]; ++e)
      subtract(&problem.blocks[std::size_t(e) * nn], &x[std::size_t(col[std::size_t(e)]) * n], sum);
    std::copy_n(sum, n, x.begin() + std::ptrdiff_t(row * n));
  }
  expect(x);
}

} // namespace

#endif
