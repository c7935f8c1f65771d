// SPDX-License-Identifier: BSD-2-Clause
// One factor of two ranks with two rows each, with pencil and paper (by_hand.hpp).
#include "by_hand.hpp"

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// A block of W = D^-1 U, by columns, and rows of y = L^-1 b and x: factor/test_factor_by_hand.cpp computes them.
const Numbers W = numbers({-1, 1, 1, 0}), y1 = numbers({4, 9}), x2 = numbers({5, 6});

// Rank 0 has rows 0 and 1, rank 1 has rows 2 and 3. The pattern of a rank has a third row, its neighbor on the other
// rank: row 2, or row 1.
struct Share {
  OperatorView view;
  Numbers owned, coupling, b; // blocks of the matrix, and right-hand side
  Index entry;                // of row 1 and column 2 in the pattern
};

HostArray<std::int64_t> keys(const std::vector<std::int64_t> &rows)
{
  auto found = make_array<std::int64_t>("key", rows.size());
  std::copy(rows.begin(), rows.end(), found.data());
  return found;
}

Share share_of(int rank)
{
  const Numbers all = make_problem_by_hand().values; // blocks of four numbers: D U  L B U  L B U  L B
  const auto blocks = [&](int first, int last) { return Numbers(all.begin() + 4 * first, all.begin() + 4 * last); };
  Share s;
  SharedRows &rows = s.view.shared;
  s.view.block = 2;
  s.view.owned = make_graph({{0, 1}, {0, 1}});
  s.view.ghosts = 1;
  rows.whole_grid = {4, 1, 1};
  if (rank == 0) {
    s.view.coupling = make_graph({{}, {0}}); // row 1 reads row 2
    s.owned = blocks(0, 4);
    s.coupling = blocks(4, 5);
    rows.selection.graph = make_graph({{0, 1}, {0, 1, 2}, {1, 2}});
    rows.selection.entry = to_array("entry", {0, 1, 2, 3, 4, -1, -1}); // blocks of row 2 are those of rank 1
    rows.key = keys({0, 1, 2});
    rows.sent = {0, 1};
    s.entry = 4;
    s.b = Numbers(b_by_hand.begin(), b_by_hand.begin() + 4);
  } else {
    s.view.coupling = make_graph({{0}, {}}); // row 2 reads row 1
    s.coupling = blocks(5, 6);
    s.owned = blocks(6, 10);
    rows.selection.graph = make_graph({{0, 1, 2}, {0, 1}, {0, 2}});
    rows.selection.entry = to_array("entry", {0, 1, 4, 2, 3, -1, -1});
    rows.key = keys({2, 3, 1});
    rows.sent = {1, 0};
    s.entry = 5;
    s.b = Numbers(b_by_hand.begin() + 4, b_by_hand.end());
  }
  return s;
}

// Checks the three messages between the ranks where they are sent, and delivers them where they are received.
class MessagesByHand final : public SharedHalo
{
public:
  MessagesByHand(int rank, const SharedStorage &storage, Index entry) : rank_(rank), upper_(storage.entry(entry))
  {
    EXPECT_TRUE(storage.is_upper[std::size_t(entry)]);
  }

  void await(Travel travel, Index, const SharedArrays &a) override
  {
    if (rank_ == 1 && travel == Travel::factor) std::copy(W.begin(), W.end(), block(a));
    if (rank_ == 1 && travel == Travel::forward) std::copy(y1.begin(), y1.end(), a.others);
    if (rank_ == 0 && travel == Travel::backward) std::copy(x2.begin(), x2.end(), a.others);
  }
  void begin(Travel, Index, const SharedArrays &) override {}
  void end(Travel travel, Index, const SharedArrays &a) override
  {
    if (rank_ == 0 && travel == Travel::factor) {
      EXPECT_EQ(Numbers(block(a), block(a) + 4), W);
    }
    if (rank_ == 0 && travel == Travel::forward) {
      EXPECT_EQ(Numbers(a.x + 2, a.x + 4), y1);
    }
    if (rank_ == 1 && travel == Travel::backward) {
      EXPECT_EQ(Numbers(a.x, a.x + 2), x2);
    }
    ++messages;
  }
  void fetch_lower(void *) override {}

  int messages = 0;

private:
  Scalar *block(const SharedArrays &a) const { return static_cast<Scalar *>(a.upper) + 4 * upper_; }

  int rank_;
  Index upper_; // index of the block of row 1 and column 2 in the upper part
};

// Factor:   rank 0 computes W = D^-1 U of row 1 and sends it; rank 1 needs it for the pivot of row 2, B - L W = D.
// Forward:  rank 0 sends y1 = (4 9); rank 1 needs it for y2 = D^-1 (b2 - L y1).
// Backward: rank 1 sends x2 = (5 6); rank 0 needs it for x1 = y1 - W x2.
TEST(DistributedByHand, TwoRanksSolveATridiagonalSystemWithThreeMessages)
{
  for (const int rank : {0, 1}) {
    SCOPED_TRACE(rank);
    Share s = share_of(rank);
    EngineOptions options;
    options.method = Method::shared;
    options.pipelined = true;
    options.grid = {{2, 1, 1}};
    options.tile = {2, 1, 1}; // all rows of a rank
    auto e = make_engine(Backend::host, options.method);
    ASSERT_FALSE(e->analyze(s.view, options));
    MessagesByHand messages(rank, e->sharing()->shared_storage(), s.entry);
    e->sharing()->set_shared_halo(&messages);
    const Values values{.owned = {s.owned.data()}, .coupling = {s.coupling.data()}};
    ASSERT_EQ(e->factor(values, -1).bad_row, -1);
    Numbers x(4, Scalar(std::numeric_limits<Real>::quiet_NaN()));
    e->apply(s.b.data(), x.data());
    EXPECT_EQ(x, Numbers(x_by_hand.begin() + 4 * rank, x_by_hand.begin() + 4 * rank + 4));
    EXPECT_EQ(messages.messages, 3);
  }
}

} // namespace
