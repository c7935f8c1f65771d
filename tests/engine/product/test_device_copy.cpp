// SPDX-License-Identifier: BSD-2-Clause
// Products and assembly of a device copy, compared with plain loops: the same sums in the same order.
#include "problems.hpp"

#include "product/device_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

using List = std::vector<Scalar>;

// True if the kernels are compiled for the host. Compilers may fuse products differently for a device.
bool reads_host()
{
#if defined(FINEGRAIN_EMULATE_DEVICE)
  return true;
#else
  return where != Where::device;
#endif
}

void expect_same(const List &a, const List &b, const std::string &what)
{
  ASSERT_EQ(a.size(), b.size());
  const bool same = a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar));
  if (reads_host()) {
    EXPECT_TRUE(same) << what;
  } else if (!same) { // equal zeros have no relative difference
    EXPECT_LT(difference(a, b), tolerance) << what;
  }
}

List nans(std::size_t size) { return List(size, Scalar(std::numeric_limits<Real>::quiet_NaN())); }

// Ghost g is half of owned column g, as if another rank had a copy. Ghosts are NaN until end().
struct Half : Halo {
  std::size_t size = 0;
  std::vector<std::string> events;

  void begin(Index color, const Scalar *, Scalar *ghosts) override
  {
    EXPECT_EQ(color, all);
    events.push_back("begin");
    std::fill_n(ghosts, size, Scalar(std::numeric_limits<Real>::quiet_NaN()));
  }
  void end(Index, const Scalar *x, Scalar *ghosts) override
  {
    events.push_back("end");
    for (std::size_t i = 0; i < size; ++i) ghosts[i] = Real(0.5) * x[i];
  }
  void add(Index, const Scalar *ghosts, Scalar *x) override
  {
    events.push_back("add");
    for (std::size_t i = 0; i < size; ++i) x[i] += Real(0.5) * ghosts[i];
  }
  void residual(bool interior, bool starts) override
  {
    if (starts) events.push_back(interior ? "interior" : "boundary");
  }
};

// A rectangular matrix, with or without ghosts.
struct Matrix {
  int n;
  Index columns, ghosts;
  Graph owned, coupling;
  List values, outside;
  Half halo;
  std::unique_ptr<DeviceCopy> copy;

  Matrix(Index rows, Index cols, Index ghost_count, int block) : n(block), columns(cols), ghosts(ghost_count)
  {
    Rows in(std::size_t(rows), std::set<Index>{}), out = in;
    for (Index i = 0; i < rows; ++i) {
      if (i % 5 == 3) continue; // an empty row
      for (Index k = 0; k < 4 && cols > 0; ++k) in[std::size_t(i)].insert((i * 3 + k * k * 7) % cols);
      for (Index k = 0; k < i % 3 && ghosts > 0; ++k) out[std::size_t(i)].insert((i + k * 5) % ghosts);
    }
    owned = make_graph(in);
    coupling = make_graph(out);
    values = make_vector(std::size_t(owned.entries() * n * n), 1);
    outside = make_vector(std::size_t(coupling.entries() * n * n), 2);
    OperatorView view;
    view.block = n;
    view.owned = owned;
    view.coupling = ghosts ? coupling : Graph();
    view.ghosts = ghosts;
    copy = make_device_copy(where == Where::device ? Backend::device : Backend::host);
    copy->set_structure(view, columns);
    halo.size = std::size_t(ghosts * n);
    copy->set_halo(ghosts ? &halo : nullptr);
  }
  void load() { copy->load(values.data(), outside.data()); }

  // y += a x over the entries of one graph.
  void add(const Graph &g, const List &a, const List &x, List &y) const
  {
    const std::size_t m = std::size_t(n);
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
        for (std::size_t c = 0; c < m; ++c)
          for (std::size_t r = 0; r < m; ++r) {
            Scalar &sum = y[std::size_t(i) * m + r];
            sum = madd(x[std::size_t(g.col(e)) * m + c], a[(std::size_t(e) * m + c) * m + r], sum);
          }
  }
  void add_transposed(const Graph &g, const List &a, const List &x, List &y) const
  {
    const std::size_t m = std::size_t(n);
    for (Index i = 0; i < g.rows; ++i)
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
        for (std::size_t c = 0; c < m; ++c)
          for (std::size_t r = 0; r < m; ++r) {
            Scalar &sum = y[std::size_t(g.col(e)) * m + c];
            sum = madd(x[std::size_t(i) * m + r], a[(std::size_t(e) * m + c) * m + r], sum);
          }
  }
  List oracle(const List &x, List y) const
  {
    List far(x.begin(), x.begin() + ghosts * n);
    for (Scalar &s : far) s *= Real(0.5);
    add(owned, values, x, y);
    if (ghosts) add(coupling, outside, far, y);
    return y;
  }
  List oracle_transposed(const List &x, List y) const
  {
    List far(std::size_t(ghosts * n), Scalar(0));
    add_transposed(owned, values, x, y);
    if (ghosts) add_transposed(coupling, outside, x, far);
    for (std::size_t i = 0; i < far.size(); ++i) y[i] += Real(0.5) * far[i];
    return y;
  }
  void check_products(Memory memory)
  {
    const std::size_t out = std::size_t(owned.rows * n), in = std::size_t(columns * n);
    for (const bool transposed : {false, true}) {
      const List x = make_vector(transposed ? out : in, 3), b = make_vector(transposed ? in : out, 4);
      for (const int added : {0, 1, 2}) { // nothing, a vector, the result itself
        List y = added == 2 ? b : nans(b.size());
        const List zero(b.size(), Scalar(0));
        const Scalar *from = added == 2 ? y.data() : added ? b.data() : nullptr;
        const List expected = transposed ? oracle_transposed(x, added ? b : zero) : oracle(x, added ? b : zero);
        if (transposed) copy->multiply_transposed(memory, from, x.data(), y.data());
        else copy->multiply(memory, from, x.data(), y.data());
        expect_same(y, expected, std::to_string(n) + (transposed ? " transposed " : " ") + std::to_string(added));
      }
    }
  }
};

std::vector<Memory> memories()
{
  return reads_host() ? std::vector{Memory::host, Memory::engine} : std::vector{Memory::host};
}

class DeviceCopyOfBlocks : public ::testing::TestWithParam<int>
{
};
INSTANTIATE_TEST_SUITE_P(Engine, DeviceCopyOfBlocks, ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 13, 32));

TEST_P(DeviceCopyOfBlocks, MultiplyInTheOrderOfEntries)
{
  for (const auto &[rows, columns, ghosts] : std::vector<std::array<Index, 3>>{
         {23, 23, 0}, {23, 23, 9}, {17, 30, 11}, {30, 17, 17}, {0, 5, 0}, {5, 0, 0}, {0, 4, 3}})
    for (const Memory memory : memories()) {
      Matrix m(rows, columns, ghosts, GetParam());
      m.load();
      m.check_products(memory);
      m.check_products(memory); // products with an index of columns
    }
}

TEST_P(DeviceCopyOfBlocks, GiveBackWhatTheyWereGiven)
{
  Matrix m(23, 23, 9, GetParam());
  for (const Real scale : {Real(1), Real(3)}) {
    for (Scalar &v : m.values) v *= scale;
    List a = nans(m.values.size()), b = nans(m.outside.size());
    m.load();
    m.copy->save(a.data(), b.data());
    expect_same(a, m.values, "owned");
    expect_same(b, m.outside, "coupling");
    EXPECT_EQ(m.copy->bytes(), (a.size() + b.size()) * sizeof(Scalar));
    EXPECT_EQ(m.copy->flops(), 2. * double(a.size() + b.size()));
  }
}

// Targets have no value, one or several, in mixed order, from own and received values.
TEST_P(DeviceCopyOfBlocks, AssembleSumsInTheOrderOfTheLists)
{
  const int n = GetParam();
  for (const int unit : {1, n * n})
    for (const bool some : {true, false}) // with received values
      for (const Memory memory : memories()) {
        Matrix m(23, 23, 9, n);
        const std::size_t blocks = std::size_t(m.owned.entries() + m.coupling.entries()), nn = std::size_t(n * n);
        const std::size_t targets = unit == 1 ? blocks * nn : blocks, size = std::size_t(unit);
        AssemblyLists lists;
        lists.unit = unit;
        lists.own = Offset(targets);
        lists.received = some ? Offset(targets / 2) : 0;
        std::vector<Offset> list;
        const Offset all = lists.own + lists.received;
        lists.ptr = HostArray<Offset>("ptr", targets + 1);
        for (std::size_t t = 0; t < targets; ++t) {
          for (std::size_t k = 0; k < t * 7 % 4; ++k) list.push_back((Offset(t) * 5 + Offset(k) * 11) % all);
          lists.ptr(t + 1) = Offset(list.size());
        }
        lists.list = make_array<Offset>("list", list.size());
        std::copy(list.begin(), list.end(), lists.list.data());
        const List own = make_vector(std::size_t(lists.own) * size, 5);
        const List far = make_vector(std::size_t(lists.received) * size, 6);
        List expected(blocks * nn, Scalar(0));
        m.copy->set_assembly(lists);
        for (const bool add : {false, true, false}) {
          for (std::size_t t = 0; t < targets; ++t)
            for (std::size_t p = 0; p < size; ++p) {
              Scalar &sum = expected[t * size + p];
              if (!add) sum = Scalar(0);
              const std::size_t at =
                unit == 1 ? 0 : p % std::size_t(n) * std::size_t(n) + p / std::size_t(n); // by rows
              for (Offset s = lists.ptr(t); s < lists.ptr(t + 1); ++s) {
                const std::size_t v = std::size_t(list[std::size_t(s)]), mine = std::size_t(lists.own);
                sum += v < mine ? own[v * size + at] : far[(v - mine) * size + at];
              }
            }
          const bool in_place = reads_host() && add; // received values are already in place
          if (in_place) std::copy(far.begin(), far.end(), m.copy->received());
          m.copy->assemble(memory, own.data(), in_place || !some ? nullptr : far.data(), add);
          List a = nans(m.values.size()), b = nans(m.outside.size());
          m.copy->save(a.data(), b.data());
          a.insert(a.end(), b.begin(), b.end());
          expect_same(a, expected, std::to_string(unit) + (add ? " added" : ""));
        }
        std::copy_n(expected.begin(), m.values.size(), m.values.begin());
        std::copy_n(expected.begin() + std::ptrdiff_t(m.values.size()), m.outside.size(), m.outside.begin());
        m.check_products(memory);
      }
}

TEST(DeviceCopy, InteriorRowsRunWhileTheHaloIsUnderWay)
{
  Matrix m(23, 23, 9, 3);
  m.load();
  const List x = make_vector(69, 3);
  List y(69);
  m.copy->multiply(Memory::host, nullptr, x.data(), y.data());
  EXPECT_EQ(m.halo.events, (std::vector<std::string>{"begin", "interior", "end", "boundary"}));
  m.halo.events.clear();
  m.copy->multiply_transposed(Memory::host, nullptr, x.data(), y.data());
  EXPECT_EQ(m.halo.events, (std::vector<std::string>{"add"}));
}

TEST(DeviceCopy, TakesAnotherStructure)
{
  Matrix m(23, 23, 9, 3), other(30, 12, 0, 5);
  m.load();
  m.check_products(Memory::host);
  OperatorView view;
  view.block = 5;
  view.owned = other.owned;
  m.copy->set_structure(view, 12);
  m.copy->set_halo(nullptr);
  std::swap(m.copy, other.copy);
  other.load();
  other.check_products(Memory::host);
}

} // namespace
