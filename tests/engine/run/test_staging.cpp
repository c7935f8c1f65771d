// Blocks that teams copy into their scratch memory.
#include "in_graph.hpp"
#include "problems.hpp"
#include "storages.hpp"

#include "base/rounding.hpp"
#include "kernels/compact.hpp"
#include "kernels/relax.hpp"
#include "run/staging.hpp"
#include "run/team_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// From any address, any number of bytes: all are there, and none around them has changed.
TEST(Staging, CopiesBytesFromAnywhere)
{
  using Policy = Kokkos::TeamPolicy<Kokkos::DefaultHostExecutionSpace>;
  constexpr Offset most = 100, around = 2 * line_bytes;
  alignas(line_bytes) char from[std::size_t(most + line_bytes)];
  for (std::size_t i = 0; i < sizeof from; ++i) from[i] = char(7 * i + 1);
  for (Offset begin = 0; begin < line_bytes; ++begin)
    for (Offset count = 0; count <= most; ++count) {
      alignas(line_bytes) char to[std::size_t(most + around)];
      std::memset(to, -1, sizeof to);
      const char *there = nullptr;
      Kokkos::parallel_for(Policy(1, 1), [&](const Policy::member_type &member) {
        const TeamCopy<Policy::member_type> sharing{member};
        there = begin_copy(sharing, {from + begin, count}, to);
        end_copies(sharing);
      });
      const Offset at = there - to;
      ASSERT_GE(at, 0);
      ASSERT_LT(at, line_bytes);
      EXPECT_LE(std::size_t(at + count), copied_bytes(std::size_t(count)));
      std::vector<char> expected(sizeof to, -1);
      std::copy_n(from + begin, count, expected.data() + at);
      EXPECT_FALSE(std::memcmp(to, expected.data(), sizeof to)) << begin << ' ' << count;
    }
}

// Only short numbers, and what fits.
TEST(Staging, IsForShortNumbersThatFit)
{
  using Half = StorageOf<Precision::half>::type;
  using Single = StorageOf<Precision::single>::type;
  static_assert(Stages<CompactRow<5, Half, Single, Single>>);
  static_assert(!Stages<RelaxRow<5, Scalar, Scalar, Scalar>>);
  static_assert(!Stages<ForwardRow<5, Scalar, Scalar>>);
  static_assert(Stages<CompactRow<0, Single, Single, Single, most_vectors>> == (sizeof(Single) < sizeof(Scalar)));
  RelaxRow<5, Half, Scalar, Scalar> row{BlockSize<5>(5), {}};
  const std::size_t bytes = 6 * 25 * sizeof(Half), lines = (bytes + line_bytes - 1) / line_bytes;
  EXPECT_EQ(staged_bytes(row, 16, 6), (lines + 1) * line_bytes);
  EXPECT_EQ(staged_bytes(row, 16, 0), 0u);
  EXPECT_EQ(staged_bytes(row, 16, 1 << 20), 0u);
  EXPECT_EQ(staged_bytes(ForwardRow<5, Scalar, Scalar>{BlockSize<5>(5), {}}, 16, 6), 0u);
  const Index anywhere = 0;
  const std::size_t couplings = row.most_bytes(6);
  row.arg.rows.block = &anywhere; // beside the block of the diagonal
  EXPECT_EQ(row.most_bytes(6), couplings + 25 * sizeof(Half));
  row.arg.rows.block = nullptr;
  const Restored stages(stages_blocks(), false);
  EXPECT_EQ(staged_bytes(row, 16, 6), 0u);
}

// What a slot's row has, forward and backward, with rows that have nothing; halves of rows, for sweeps from zero;
// what lies between a row's blocks in a matrix; and that a row finds it in a copy.
TEST(Staging, RangesOfRows)
{
  using Half = StorageOf<Precision::half>::type;
  const Index ptr[] = {0, 0, 2, 5, 5, 6, 6}, mid[] = {0, 1, 3, 5, 6, 6}, block[] = {3, 1, 5, 2, 3, 0}; // of six rows
  const Offset nn = 9;
  std::vector<Half> blocks(std::size_t(6 * nn)), copy(blocks.size());
  const auto expect = [&](StoredBytes stored, Index first, Index last) {
    EXPECT_EQ(stored.from, reinterpret_cast<const char *>(blocks.data() + first * nn)) << first << ' ' << last;
    EXPECT_EQ(stored.count, (last - first) * nn * Offset(sizeof(Half))) << first << ' ' << last;
  };
  RelaxRow<3, Half, Scalar, Scalar> relax{BlockSize<3>(3), {}};
  relax.arg.rows.ptr = ptr;
  relax.arg.rows.owned = 6;
  relax.arg.blocks = blocks.data();
  CompactRow<3, Half, Scalar, Scalar> compact{BlockSize<3>(3), {}};
  compact.arg.ptr = ptr;
  compact.arg.blocks = blocks.data();
  relax.arg.rows.mid = mid;
  const Index least[] = {-1, 1, 2, -1, 0}, most[] = {-1, 3, 5, -1, 0};
  for (Index pos = 0; pos < 6; ++pos)
    for (const bool backward : {false, true}) {
      const Index slot = backward ? 5 - pos : pos;
      relax.arg.rows.backward = backward;
      expect(relax.stored(slot), ptr[pos], ptr[pos + 1]);
      relax.arg.from_zero = true;
      expect(relax.stored(slot), backward ? mid[pos] : ptr[pos], backward ? ptr[pos + 1] : mid[pos]);
      relax.arg.from_zero = false;
      relax.arg.rows.block = block;
      const StoredBytes in_matrix = relax.stored(slot);
      if (ptr[pos] < ptr[pos + 1]) expect(in_matrix, least[pos], most[pos] + 1);
      else EXPECT_EQ(in_matrix.count, 0);
      relax.arg.rows.block = nullptr;
      expect(compact.stored(pos), ptr[pos], ptr[pos + 1]);
    }
  const StoredBytes some = compact.stored(2); // entries 2 to 4
  const auto *const there = copy.data() + 4;
  compact.read_copy(some, reinterpret_cast<const char *>(there));
  EXPECT_EQ(static_cast<const Half *>(compact.arg.blocks) + 2 * nn, there);
}

#if defined(FINEGRAIN_EMULATE_DEVICE)

std::vector<char> *lost; // what is full of NaN when kernels ahead have ended

// Rows of a graph copy their blocks before the wait for kernels ahead: after it, they need no other.
TEST(Staging, RowsReadTheirCopies)
{
  if (where != Where::device) GTEST_SKIP() << "hosts copy nothing";
  using Half = StorageOf<Precision::half>::type;
  using Row = RelaxRow<3, Half, Scalar, Scalar>;
  using Body = detail::GroupBody<3, DeviceExec, Row>;
  constexpr std::size_t n = 3, nn = 9, rows = 4;
  // A chain; in a matrix its couplings have these numbers beside the diagonals.
  const Index ptr[] = {0, 1, 3, 5, 6}, mid[] = {0, 2, 4, 6}, col[] = {1, 0, 2, 1, 3, 2},
              number[] = {1, 2, 4, 5, 7, 8};
  std::vector<char> numbers(10 * nn * sizeof(Half) + block_slack), blocks(numbers.size());
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) { // from 1 to 2
    const std::uint16_t bits = std::uint16_t(0x3c00 + 37 * k % 0x400);
    std::memcpy(&numbers[k], &bits, 2);
  }
  const std::vector<Scalar> diagonal = make_vector(rows * nn, 2), b = make_vector(rows * n, 3),
                            before = make_vector(rows * n, 4);
  std::vector<Scalar> x;
  lost = &blocks;
  const auto run = [&](const Row &row, Index slot, std::size_t staged, bool loses) {
    blocks = numbers;
    x = before;
    Row here = row;
    here.arg.blocks = blocks.data();
    here.arg.x = x.data();
    here.arg.y = x.data();
    if (loses) kernels_ahead() = [] { std::fill(lost->begin(), lost->end(), char(-1)); };
    Kokkos::TeamPolicy<DeviceExec::execution_space> policy(1, 1, 1);
    policy.set_scratch_size(0, Kokkos::PerTeam(ScratchBytes(team_bytes(staged, 1))),
                            Kokkos::PerThread(ScratchBytes(scratch_bytes(Row::scratch_size(n)))));
    Kokkos::parallel_for(policy, InGraph<Body>{{here, nullptr, slot, slot + 1, int(staged)}});
    kernels_ahead() = nullptr;
    return x;
  };
  for (const bool in_matrix : {false, true})
    for (const bool from_zero : {false, true})
      for (const bool backward : {false, true})
        for (Index slot = 0; slot < Index(rows); ++slot) {
          Row row{BlockSize<3>(3), {}};
          row.arg.rows = {ptr, mid, col, nullptr, Index(rows), backward, in_matrix ? number : nullptr};
          row.arg.from_zero = from_zero;
          row.arg.diagonal = diagonal.data();
          row.arg.omega = 1;
          row.arg.b = b.data();
          const auto expected = run(row, slot, 0, false);
          EXPECT_EQ(run(row, slot, staged_bytes(row, 1, 2), true), expected) << in_matrix << from_zero << slot;
          const bool has_none = from_zero && slot == 0; // of a half
          EXPECT_EQ(run(row, slot, 0, true) == expected, has_none) << "what is lost is needed";
        }
}

#endif

// Both sweep directions, in kernels and in graphs.
TEST(Staging, GivesTheBitsOfBlocksWhereTheyAre)
{
  if (where != Where::device) GTEST_SKIP() << "hosts copy nothing";
  for (const PermittedStorage &storage : permitted_storage) {
    if (storage.storage.off_diagonal == Precision::working || !is_distinct(storage.storage)) continue;
    const bool copies = storage.compact || storage.method == Method::relaxation;
    for (const Stencil stencil : {Stencil::star, Stencil::box}) // box: the sweep from zero has all couplings
      for (const int n : {1, 3, 5}) {
        const Problem p(make_grid_graph({9, 7, 6}, stencil), n);
        EngineOptions options = with({}, storage.storage);
        options.executor = ExecutorKind::launch;
        options.method = storage.method;
        options.relaxation.sweeps = 3;
        options.relaxation.sweep = SweepKind::symmetric;
        std::vector<Scalar> result[2];
        for (const bool stages : {false, true}) {
          const Restored setting(stages_blocks(), stages);
          const auto e = make_tested_engine(options.method);
          ASSERT_FALSE(e->analyze(p.view(), options));
          ASSERT_EQ(e->factor(p.source()).bad_row, -1);
          result[stages] = p.apply(*e);
          if (stencil == Stencil::star) { // all kernels do, those of sweeps from zero too
            EXPECT_EQ(e->statistics().copying, stages && copies ? e->statistics().apply_launches : 0);
          }
          for (int k = 0; k < 3; ++k) EXPECT_EQ(p.apply(*e), result[stages]);
        }
        EXPECT_EQ(result[0], result[1]) << "n = " << n << ", storage " << &storage - permitted_storage;
      }
  }
}

} // namespace
