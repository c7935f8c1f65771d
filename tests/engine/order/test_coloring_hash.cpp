// SPDX-License-Identifier: BSD-2-Clause
// Jones and Plassmann's coloring compared with a plain one, on one rank and on simulated ranks.
#include "order/coloring.hpp"
#include "graphs.hpp"

#include <gtest/gtest.h>

#include <map>

using namespace finegrain;
using namespace finegrain::test;

namespace
{

// Vigna's splitmix64 with this state.
std::uint64_t splitmix64(std::uint64_t state)
{
  std::uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<Index> hash_plainly(const Graph &g, const std::vector<std::int64_t> &key)
{
  auto order = natural_order(g.rows);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    return splitmix64(std::uint64_t(key[std::size_t(a)])) > splitmix64(std::uint64_t(key[std::size_t(b)]));
  });
  return color_plainly(g, order);
}

TEST(HashColoring, EqualsGreedyByPriority)
{
  EXPECT_EQ(splitmix64(0), 0xe220a8397b1dcdafu); // its first number for seed 0
  unsigned seed = 0;
  auto graphs = make_symmetric_graphs();
  graphs.push_back(symmetrize(make_random_graph(5000, 4, true, 5)));
  graphs.push_back(symmetrize(make_grid_graph({20, 20, 20}, Stencil::star)));
  for (const Graph &g : graphs) {
    std::vector<std::int64_t> numbers(std::size_t(g.rows), 0);
    std::iota(numbers.begin(), numbers.end(), std::int64_t(0));
    EXPECT_EQ(to_vector(color_hash(g).color), hash_plainly(g, numbers));
    const auto key = random_keys(g.rows, ++seed);
    EXPECT_EQ(to_vector(color_hash(g, make_keys(key)).color), hash_plainly(g, key));
  }
}

// The rows of a graph on one simulated rank; its rows and ghosts are numbered at random.
struct Part {
  std::vector<Index> rows, ghosts; // row numbers of the whole graph
  std::vector<Index> ghost_color;
  std::unique_ptr<HashColoring> coloring;

  Part(const Graph &g, const std::vector<int> &owner, int rank, const std::vector<std::int64_t> &key, unsigned seed)
  {
    std::mt19937 random(seed);
    std::set<Index> next_to;
    for (Index i = 0; i < g.rows; ++i) {
      if (owner[std::size_t(i)] != rank) continue;
      rows.push_back(i);
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
        if (owner[std::size_t(g.col(e))] != rank) next_to.insert(g.col(e));
    }
    ghosts.assign(next_to.begin(), next_to.end());
    std::shuffle(rows.begin(), rows.end(), random);
    std::shuffle(ghosts.begin(), ghosts.end(), random);
    std::map<Index, Index> local;
    for (const auto *numbers : {&rows, &ghosts})
      for (std::size_t p = 0; p < numbers->size(); ++p) local[(*numbers)[p]] = Index(p);
    Rows own(rows.size()), coupling(rows.size());
    std::vector<std::int64_t> own_key, ghost_key;
    for (const Index i : rows) {
      own_key.push_back(key[std::size_t(i)]);
      for (Index e = g.ptr(i); e < g.ptr(i + 1); ++e)
        (owner[std::size_t(g.col(e))] == rank ? own : coupling)[std::size_t(local[i])].insert(local[g.col(e)]);
    }
    for (const Index i : ghosts) ghost_key.push_back(key[std::size_t(i)]);
    ghost_color.assign(ghosts.size(), -1);
    coloring =
      std::make_unique<HashColoring>(make_graph(own), make_graph(coupling), make_keys(own_key), make_keys(ghost_key));
  }
};

std::vector<Index> color_distributed(const Graph &g, const std::vector<int> &owner, int ranks,
                                     const std::vector<std::int64_t> &key, unsigned seed)
{
  std::vector<Part> parts;
  for (int r = 0; r < ranks; ++r) parts.emplace_back(g, owner, r, key, seed + unsigned(r));
  std::vector<Index> color(std::size_t(g.rows), -1);
  for (Index round = 0; round <= g.rows; ++round) {
    int done = 0;
    for (Part &p : parts) done += p.coloring->advance(p.ghost_color.data());
    for (const Part &p : parts)
      for (std::size_t i = 0; i < p.rows.size(); ++i) color[std::size_t(p.rows[i])] = p.coloring->color()(i);
    if (done == ranks) return color;
    for (Part &p : parts)
      for (std::size_t i = 0; i < p.ghosts.size(); ++i) p.ghost_color[i] = color[std::size_t(p.ghosts[i])];
  }
  ADD_FAILURE() << "rows without a color after as many rounds as there are rows";
  return color;
}

TEST(HashColoring, DoesNotDependOnDistributionOrNumbering)
{
  unsigned seed = 100;
  for (const Graph &g : make_symmetric_graphs()) {
    const auto key = random_keys(g.rows, ++seed);
    const auto expected = to_vector(color_hash(g, make_keys(key)).color);
    std::mt19937 random(seed);
    for (const int ranks : {1, 2, 3, 5})
      for (const bool contiguous : {true, false}) {
        std::vector<int> owner(std::size_t(g.rows), 0);
        for (Index i = 0; i < g.rows; ++i)
          owner[std::size_t(i)] = contiguous ? int(Offset(i) * ranks / g.rows) : int(random() % unsigned(ranks));
        EXPECT_EQ(color_distributed(g, owner, ranks, key, seed), expected) << ranks;
      }
    auto order = natural_order(g.rows);
    std::shuffle(order.begin(), order.end(), random);
    const auto permutation = to_array("order", order);
    std::vector<std::int64_t> permuted_key;
    for (const Index row : order) permuted_key.push_back(key[std::size_t(row)]);
    const auto c = color_hash(permute(g, permutation), make_keys(permuted_key));
    for (Index p = 0; p < g.rows; ++p) EXPECT_EQ(c.color(p), expected[std::size_t(permutation(p))]);
  }
}

} // namespace
