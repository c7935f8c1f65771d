// SPDX-License-Identifier: BSD-2-Clause
// Rows are shared out among threads: each row once, in pieces that know their rows, and exceptions are passed on.
#include "base/pieces.hpp"

#include <gtest/gtest.h>

#include <new>

using namespace finegrain;

namespace
{

constexpr Index rows[] = {1, 31, 32, 33, 100, 8192, 10007};

TEST(Pieces, CoverEachRowOnce)
{
  for (const Index n : rows) {
    const Pieces pieces(n);
    std::vector<int> visits(std::size_t(n), 0), piece_of(std::size_t(n), -1);
    pieces.for_each([&](int piece, Index first, Index last) {
      EXPECT_EQ(first, pieces.first(piece));
      EXPECT_EQ(last, pieces.first(piece + 1));
      for (Index i = first; i < last; ++i) {
        ++visits[std::size_t(i)];
        piece_of[std::size_t(i)] = piece;
      }
    });
    for (Index i = 0; i < n; ++i) {
      ASSERT_EQ(visits[std::size_t(i)], 1) << i << " of " << n;
      ASSERT_EQ(pieces.piece_of(i), piece_of[std::size_t(i)]) << i << " of " << n;
    }
  }
}

TEST(Pieces, PassOnWhatIsThrown)
{
  for (const Index n : rows) {
    const Pieces pieces(n);
    const auto fail_in = [&](int last) {
      pieces.for_each([&](int piece, Index, Index) {
        if (piece == last) throw std::bad_alloc();
      });
    };
    for (int piece = 0; piece < pieces.count(); ++piece) EXPECT_THROW(fail_in(piece), std::bad_alloc) << n;
    EXPECT_NO_THROW(fail_in(pieces.count())) << n;
  }
}

TEST(Pieces, AreNoMoreThanAsked)
{
  for (const int most : {1, 2, 5}) EXPECT_LE(Pieces(10007, 10007, most).count(), most);
  EXPECT_EQ(Pieces(0).count(), 1);
}

} // namespace
