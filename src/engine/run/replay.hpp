// Kernels that are recorded once, one after the other, and replayed as a graph (Kokkos' Graph, on a GPU its own): a
// sweep by launch is hundreds of small kernels, and each costs the host as much as the GPU. What changes from one
// replay to the next are the vectors at both ends, which the kernels find in memory.
#pragma once

#include "base/scalar.hpp"

#if defined(FINEGRAIN_HAS_DEVICE)
#include <Kokkos_Graph.hpp>
#endif

#include <optional>

namespace finegrain
{

// Whether engines of devices replay what they can, for the whole process (-finegrain_graph): not until a GPU has
// shown what it gains.
inline bool &replays_kernels()
{
  static bool replays = false;
  return replays;
}
// Kernels of an application that are replayed, at most. Each refers to the one before.
inline constexpr Offset most_replayed = 4096;

struct Ends {
  const Scalar *in = nullptr;
  Scalar *out = nullptr;
};

// Row functions whose ends can be put in place when they run.
template <class Row>
concept HasEnds = requires(Row &row, const Ends &ends)
{
  row.put_ends(ends);
};

// Outside of the class, for nvcc.
struct StoreEnds {
  Ends ends, *to;

  KOKKOS_INLINE_FUNCTION void operator()(Index) const { *to = ends; }
};

template <class Exec> class Replay // hosts have none
{
};

#if defined(FINEGRAIN_HAS_DEVICE)
template <class Exec>
requires works_in_teams<Exec>
class Replay<Exec>
{
  using Space = typename Exec::execution_space;

public:
  bool recorded() const { return graph_.has_value(); }
  const Ends *ends() const { return ends_.data(); } // in the kernels' memory

  // launch() adds the kernels; `at` leads here meanwhile.
  template <class Launch> void record(Replay *&at, const Launch &launch)
  {
    struct Leads {
      Replay *&at;
      ~Leads() { at = nullptr; }
    } leads{at};
    at = this;
    if (!ends_.extent(0)) ends_ = make_array<Ends, typename Exec::memory_space>("finegrain::ends", 1);
    auto graph = Kokkos::Experimental::create_graph<Space>([&](auto root) { last_ = root; });
    launch();
    last_ = {};
    Kokkos::fence(); // kernels may be on their way to the GPU's memory
    graph_ = std::move(graph);
  }
  template <class Policy, class Body> void add(const Policy &policy, const Body &body)
  {
    last_ = last_.then_parallel_for("finegrain::replayed", policy, body);
  }

  void run(const Space &exec, const Ends &ends) const
  {
    using One = Kokkos::RangePolicy<Space, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for("finegrain::ends", One(exec, 0, 1), StoreEnds{ends, ends_.data()});
#if KOKKOS_VERSION >= 40600
    graph_->submit(exec);
#else // on Kokkos' own queue
    exec.fence();
    graph_->submit();
    Space().fence();
#endif
  }

private:
  std::optional<Kokkos::Experimental::Graph<Space>> graph_;
  Kokkos::Experimental::GraphNodeRef<Space> last_; // while it is recorded
  Array<Ends, typename Exec::memory_space> ends_;
};
#endif

} // namespace finegrain
