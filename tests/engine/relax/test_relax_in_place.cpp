// SPDX-License-Identifier: BSD-2-Clause
// Relaxations whose couplings replace the device copy in its memory. Results and reports are identical to those with
// separate couplings, and less memory is used.
#include "product/device_copy.hpp"
#include "relax_oracle.hpp"

#include <gtest/gtest.h>
#include <impl/Kokkos_Profiling.hpp>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

Backend tested_backend() { return where == Where::device ? Backend::device : Backend::host; }

// Ghost g is half of owned row g, NaN until it is fetched.
struct Coupled : Problem, Halo {
  Graph coupling;
  std::vector<Scalar> outside;

  Coupled(const Graph &g, int block) : Problem(g, block)
  {
    Rows r(std::size_t(g.rows), std::set<Index>{});
    for (Index i = 0; i < g.rows; i += 3) r[std::size_t(i)] = {i / 2, g.rows - 1};
    coupling = make_graph(r);
    outside = make_vector(std::size_t(coupling.entries() * block * block), 3);
  }
  void begin(Index, const Scalar *, Scalar *to) override { std::fill_n(to, b.size(), Scalar(nan_value)); }
  void end(Index, const Scalar *x, Scalar *to) override
  {
    for (std::size_t i = 0; i < b.size(); ++i) to[i] = Real(0.5) * x[i];
  }
  void add(Index, const Scalar *ghosts, Scalar *to) override
  {
    for (std::size_t i = 0; i < b.size(); ++i) to[i] += Real(0.5) * ghosts[i];
  }
  void residual(bool, bool) override {}
  OperatorView view() const
  {
    OperatorView v = Problem::view();
    v.coupling = coupling;
    v.ghosts = graph.rows;
    return v;
  }
};

// A device copy and an engine that reads it. The engine takes over its blocks if it reduces them in place.
struct Pair {
  std::unique_ptr<DeviceCopy> copy = make_device_copy(tested_backend());
  std::unique_ptr<Engine> engine;
  std::shared_ptr<void> blocks;
  bool in_place;
  FactorReport report;

  Pair(Coupled &p, EngineOptions r, bool narrows_in_place) : engine(make_tested_engine(r.method))
  {
    in_place = narrows_in_place;
    r.relaxation.in_place = narrows_in_place;
    EXPECT_FALSE(engine->analyze(p.view(), r));
    engine->set_halo(&p);
    copy->set_structure(p.view(), p.graph.rows);
    load(p);
    factor();
  }
  void load(const Coupled &p)
  {
    if (blocks) copy->take_blocks(blocks);
    blocks.reset();
    copy->load(p.values.data(), p.outside.data());
  }
  void factor()
  {
    const Values v = copy->values();
    if (in_place) blocks = copy->give_blocks();
    report = engine->factor(v, engine->find_largest(v));
  }
};

std::vector<RelaxationStorage> reducing_storage()
{
  std::vector<RelaxationStorage> all;
  for (const RelaxationStorage &s : all_storage())
    if (storage_size(s.off) < sizeof(Scalar) && !(s.scaled() && s.scaling == Scaling::row)) all.push_back(s);
  return all;
}

// The results of all kinds of applications.
std::vector<std::vector<Scalar>> results(const Problem &p, Engine &e)
{
  const Offset size = Offset(p.b.size());
  const std::vector<Scalar> many = make_vector(11 * p.b.size(), 5);
  std::vector<std::vector<Scalar>> all(5, std::vector<Scalar>(p.b.size(), Scalar(nan_value)));
  all[1] = make_vector(p.b.size(), 6);
  all[3].resize(many.size());
  all[4].resize(many.size());
  e.apply(p.b.data(), all[0].data());
  e.apply({.b = p.b.data(), .x = all[1].data(), .from_x = true});
  e.apply({.b = p.b.data(), .x = all[2].data(), .vectors = 1, .stride = size, .transposed = true});
  e.apply({.b = many.data(), .x = all[3].data(), .vectors = 11, .stride = size});
  e.apply({.b = many.data(), .x = all[4].data(), .vectors = 11, .stride = size, .transposed = true});
  return all;
}

void expect_equal(const Problem &p, Pair &one, Pair &other, const std::string &what)
{
  EXPECT_EQ(one.report.bad_row, other.report.bad_row) << what;
  EXPECT_EQ(one.report.bad_coupling, other.report.bad_coupling) << what;
  EXPECT_EQ(one.report.shifted, other.report.shifted) << what;
  EXPECT_EQ(one.report.flushed, other.report.flushed) << what;
  const Statistics s = one.engine->statistics(), t = other.engine->statistics();
  EXPECT_EQ(s.scale, t.scale) << what;
  EXPECT_EQ(s.factor_bytes, t.factor_bytes) << what;
  EXPECT_EQ(s.apply_bytes, t.apply_bytes) << what;
  if (one.report.bad_row >= 0 || one.report.bad_coupling >= 0) return;
  const auto expected = results(p, *one.engine), found = results(p, *other.engine);
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_TRUE(same_bits(expected[k], found[k])) << what << ", result " << k;
}

class InPlace : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Relaxation, InPlace, ::testing::Values(1, 2, 5, 9));

TEST_P(InPlace, GivesTheBitsOfCouplingsStoredApart)
{
  for (const RelaxCase &c : relax_cases())
    for (const RelaxationStorage &s : reducing_storage())
      for (const Exchange exchange : {Exchange::none, Exchange::sweep})
        for (const SweepKind sweep : all_sweeps) {
          Coupled p(c.graph, GetParam());
          EngineOptions r = relaxation_options(c.grid, sweep, 2, sweep == SweepKind::forward ? 1 : 1.2);
          s.set(r);
          r.relaxation.exchange = exchange;
          Pair apart(p, r, false);
          EXPECT_FALSE(apart.blocks);
          for (const Algorithm algorithm : algorithms()) {
            r.algorithm = algorithm;
            Pair here(p, r, true);
            expect_equal(p, apart, here, describe(c.name, r) + ", " + s.name);
          }
        }
}

// Scales, flushed entries and reports are those of couplings alone: they do not include diagonal blocks and ignored
// couplings.
TEST_P(InPlace, ReportsWhatCouplingsStoredApartReport)
{
  struct Change {
    const char *name;
    std::function<void(Coupled &)> make;
  };
  const std::size_t nn = std::size_t(GetParam()) * std::size_t(GetParam());
  const auto each = [nn](Coupled &p, bool diagonal, auto change) {
    for (Index i = 0; i < p.graph.rows; ++i)
      for (Index e = p.graph.ptr(i); e < p.graph.ptr(i + 1); ++e)
        for (std::size_t k = 0; (p.graph.col(e) == i) == diagonal && k < nn; ++k)
          change(i, p.values[std::size_t(e) * nn + k]);
  };
  const std::vector<Change> changes = {
    {"large diagonal", [&](Coupled &p) { each(p, true, [](Index, Scalar &v) { v *= Real(1e9); }); }},
    {"tiny diagonal entries",
     [&](Coupled &p) { each(p, true, [](Index, Scalar &v) { v *= Real(magnitude(v) < 1 ? 1e-30 : 1); }); }},
    {"tiny couplings", [&](Coupled &p) { each(p, false, [](Index i, Scalar &v) { v *= Real(i % 3 ? 1 : 1e-30); }); }},
    {"large couplings to ghosts",
     [](Coupled &p) {
       for (Scalar &v : p.outside) v *= Real(1e9);
     }},
    {"tiny couplings to ghosts",
     [](Coupled &p) {
       for (Scalar &v : p.outside) v *= Real(1e-30);
     }},
    {"infinite couplings to ghosts",
     [](Coupled &p) { p.outside[0] = Scalar(std::numeric_limits<Real>::infinity()); }},
    {"infinite couplings",
     [&](Coupled &p) {
       each(p, false, [](Index i, Scalar &v) {
         if (i == 7 || i == 11) v = Scalar(std::numeric_limits<Real>::infinity());
       });
     }},
    {"NaN in couplings",
     [&](Coupled &p) {
       each(p, false, [](Index i, Scalar &v) {
         if (i == 9) v = Scalar(nan_value);
       });
     }},
    {"NaN in a diagonal block",
     [&](Coupled &p) {
       each(p, true, [](Index i, Scalar &v) {
         if (i == 8) v = Scalar(nan_value);
       });
     }},
    {"singular", [&](Coupled &p) {
       each(p, true, [](Index i, Scalar &v) {
         if (i > 12) v = Scalar(0);
       });
     }}};
  for (const Change &change : changes)
    for (const RelaxationStorage &s : reducing_storage())
      for (const Exchange exchange : {Exchange::none, Exchange::sweep})
        for (const Algorithm algorithm : algorithms())
          for (const bool shifts : {false, true}) {
            Coupled p(make_grid_graph({4, 3, 3}, Stencil::star), GetParam());
            change.make(p);
            EngineOptions r = relaxation_options();
            s.set(r);
            r.algorithm = algorithm;
            r.relaxation.exchange = exchange;
            r.shift.amount = shifts ? Real(0.5) : Real(0);
            Pair apart(p, r, false), here(p, r, true);
            expect_equal(p, apart, here, change.name + std::string(", ") + s.name);
          }
}

TEST_P(InPlace, OtherValuesAgainAndAgain)
{
  for (const RelaxationStorage &s : reducing_storage()) {
    Coupled p(make_grid_graph({4, 3, 3}, Stencil::box), GetParam());
    EngineOptions r = relaxation_options({}, SweepKind::symmetric, 2);
    s.set(r);
    r.relaxation.exchange = Exchange::sweep;
    Pair here(p, r, true);
    for (int round = 0; round < 4; ++round) {
      const auto before = results(p, *here.engine);
      if (round == 1) { // a use of the device copy in between gives it a new array
        std::vector<Scalar> owned(p.values.size()), outside(p.outside.size());
        here.copy->load(p.values.data(), p.outside.data());
        EXPECT_EQ(results(p, *here.engine), before);
        here.copy->save(owned.data(), outside.data());
        EXPECT_TRUE(same_bits(owned, p.values));
        EXPECT_TRUE(same_bits(outside, p.outside));
      }
      for (Scalar &v : p.values) v *= Real(3);
      for (Scalar &v : p.outside) v *= Real(-5);
      here.load(p);
      here.factor();
      Pair apart(p, r, false);
      expect_equal(p, apart, here, s.name);
      EXPECT_NE(results(p, *here.engine)[0], before[0]);
    }
  }
}

// Bytes allocated in the memory space of the device copy.
std::string counted_space;
std::int64_t counted = 0, most_counted = 0;
template <int sign> void count(Kokkos::Profiling::SpaceHandle space, const char *, const void *, std::uint64_t size)
{
  if (counted_space != space.name) return;
  counted += sign * std::int64_t(size);
  most_counted = std::max(most_counted, counted);
}

class Counting
{
public:
  Counting()
  {
    counted_space = where == Where::device ? DeviceExec::memory_space::name() : HostExec::memory_space::name();
    counted = most_counted = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(count<1>);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(count<-1>);
  }
  ~Counting()
  {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  Counting(const Counting &) = delete;
  Counting &operator=(const Counting &) = delete;
};

TEST(InPlaceMemory, HoldsOneArrayOfBlocks)
{
  for (const RelaxationStorage &s : reducing_storage()) {
    Coupled p(make_grid_graph({9, 8, 7}, Stencil::star), 5);
    EngineOptions r = relaxation_options();
    s.set(r);
    r.relaxation.exchange = Exchange::sweep;
    const std::size_t blocks = std::size_t(p.graph.entries() - p.graph.rows + p.coupling.entries());
    const auto mirror = std::int64_t((p.values.size() + p.outside.size()) * sizeof(Scalar));
    const auto narrowed = std::int64_t(blocks * bytes_of_block(s.off, 5)), some = std::int64_t(1024);
    std::int64_t peak[2], kept[2];
    {
      Pair first(p, r, false); // Kokkos keeps the memory of its first reduction
    }
    for (const bool narrows : {false, true}) {
      const Counting counting;
      Pair pair(p, r, narrows);
      peak[int(narrows)] = most_counted;
      kept[int(narrows)] = counted;
      EXPECT_GT(peak[int(narrows)], mirror) << s.name;
      most_counted = counted;
      for (int again = 0; again < 2; ++again) {
        pair.load(p);
        pair.factor();
      }
      EXPECT_LE(most_counted, kept[int(narrows)] + some) << s.name; // nothing new is allocated
      EXPECT_EQ(counted, kept[int(narrows)]) << s.name;
      pair.engine.reset();
      if (pair.in_place) {
        EXPECT_GE(counted, mirror); // given blocks live until their owner releases them
      }
      pair.blocks.reset();
      pair.copy.reset();
      EXPECT_EQ(counted, 0) << s.name;
    }
    EXPECT_LE(peak[1], peak[0] - narrowed) << s.name;
    EXPECT_LE(kept[1], kept[0] - narrowed) << s.name;
  }
}

TEST(InPlaceMemory, ArraysChangeHands)
{
  Coupled p(make_grid_graph({9, 8, 7}, Stencil::star), 5), q(make_grid_graph({4, 3, 2}, Stencil::star), 2);
  const auto a = make_device_copy(tested_backend()), b = make_device_copy(tested_backend());
  const auto load = [](DeviceCopy &m, const Coupled &c) { m.load(c.values.data(), c.outside.data()); };
  a->set_structure(p.view(), p.graph.rows);
  b->set_structure(q.view(), q.graph.rows);
  load(*a, p);
  const Scalar *large = a->values().owned.values;
  auto given = a->give_blocks();
  EXPECT_EQ(a->values().owned.values, nullptr);
  EXPECT_EQ(a->bytes(), 0u);
  b->take_blocks(given); // those of another copy, larger than needed
  load(*b, q);
  EXPECT_EQ(b->values().owned.values, large);
  load(*a, p); // a has a new array
  EXPECT_NE(a->values().owned.values, large);
  const Scalar *now = a->values().owned.values;
  a->take_blocks(given); // a keeps the one it has
  EXPECT_EQ(a->values().owned.values, now);
  given = b->give_blocks();
  b->load(q.values.data(), q.outside.data());
  const Scalar *small = b->values().owned.values;
  given = b->give_blocks();
  a->give_blocks();
  a->take_blocks(given); // too small
  load(*a, p);
  EXPECT_NE(a->values().owned.values, small);
  std::vector<Scalar> owned(p.values.size()), outside(p.outside.size());
  a->save(owned.data(), outside.data());
  EXPECT_EQ(owned, p.values);
  EXPECT_EQ(outside, p.outside);
}

TEST(InPlaceConflicts, AreNamed)
{
  EngineOptions r = relaxation_options();
  r.relaxation.in_place = true;
  const auto conflict = [&] {
    const char *text = find_conflict(r);
    return std::string(text ? text : "");
  };
  EXPECT_NE(conflict().find("precision"), std::string::npos);
  r.precision = Precision::single;
  EXPECT_EQ(conflict().empty(), low_is_lower);
  r.precision = Precision::half;
  EXPECT_EQ(conflict(), "");
  r.relaxation.scaling = Scaling::row;
  EXPECT_NE(conflict().find("scaling row"), std::string::npos);
  r.precision = Precision::bfloat16; // which is not scaled
  EXPECT_EQ(conflict(), "");
}

} // namespace
