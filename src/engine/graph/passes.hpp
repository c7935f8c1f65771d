// What an analysis asks of a graph that takes a pass over all of its entries, where somebody else than the host's
// threads answers: a device that has the graph (methods/device_graph.hpp). Answers are those of the functions with
// the same names.
#pragma once

#include "graph/coloring.hpp"
#include "graph/levels.hpp"

namespace finegrain
{

class GraphPasses
{
public:
  virtual ~GraphPasses() = default;

  virtual bool is_of(const Graph &) const = 0; // whether it is this graph that is asked
  virtual bool is_symmetric() const = 0;
  virtual bool is_complete_star(const Grid &) const = 0;
  virtual bool is_valid(const Coloring &) const = 0;

  // Nothing where no hyperplanes fit.
  virtual std::optional<Schedule> schedule_hyperplanes(const Grid &) const = 0;
  // Nothing where the host is to be asked: the graph is not symmetric, or its levels are so narrow that a thread is
  // faster than a kernel for each. color_greedy() leaves out diagonal entries.
  virtual std::optional<Schedule> schedule_levels() const = 0;
  virtual std::optional<Coloring> color_greedy() const = 0;
  // By row numbers.
  virtual Schedule schedule_colors(const Coloring &) const = 0;
};

} // namespace finegrain
