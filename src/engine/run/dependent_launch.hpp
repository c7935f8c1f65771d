// Kernels of a graph that begin before those ahead of them have ended: CUDA's programmatic dependent launch, of
// devices from compute capability 9.0 on. Such a kernel says at once that the next one may begin, loads what no
// kernel of the graph writes, and then waits until the kernel ahead has ended and its results are in memory. All of
// its threads wait: thus the end of a kernel is also that of all kernels before it.
//
// Elsewhere, and in kernels that are not in such a graph, both functions do nothing.
#pragma once

#include <Kokkos_Core.hpp>

#include <vector>

#if defined(KOKKOS_ENABLE_CUDA) && (defined(KOKKOS_ARCH_HOPPER) || defined(KOKKOS_ARCH_BLACKWELL)) &&                \
  CUDART_VERSION >= 12030 && KOKKOS_VERSION >= 40500
#define FINEGRAIN_DEPENDENT_LAUNCH // the same for kernels and for the graph: without waits edges must be whole
#endif

namespace finegrain
{

#if defined(FINEGRAIN_DEPENDENT_LAUNCH)
inline constexpr bool has_dependent_launch = true;
#else
inline constexpr bool has_dependent_launch = false;
#endif

// Whether graphs use it, for the whole process (-finegrain_dependent_launch).
inline bool &launches_early()
{
  static bool early = true;
  return early;
}

KOKKOS_FORCEINLINE_FUNCTION void let_next_kernel_begin()
{
#if defined(FINEGRAIN_DEPENDENT_LAUNCH) && defined(__CUDA_ARCH__)
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

#if defined(FINEGRAIN_EMULATE_DEVICE)
// What kernels ahead do meanwhile, in tests.
inline void (*&kernels_ahead())()
{
  static void (*ahead)() = nullptr;
  return ahead;
}
#endif

// No load or store is moved across it.
KOKKOS_FORCEINLINE_FUNCTION void wait_for_kernels_ahead()
{
#if defined(FINEGRAIN_DEPENDENT_LAUNCH) && defined(__CUDA_ARCH__)
  asm volatile("griddepcontrol.wait;" ::: "memory");
#elif defined(FINEGRAIN_EMULATE_DEVICE)
  if (kernels_ahead()) kernels_ahead()();
#endif
}

#if defined(FINEGRAIN_DEPENDENT_LAUNCH)
// Makes every edge between two kernels of a graph, which is not instantiated yet, one of dependent launch.
inline void begin_kernels_early(cudaGraph_t graph)
{
#if CUDART_VERSION >= 13000
  const auto get_edges = [=](auto *from, auto *to, auto *n) {
    return cudaGraphGetEdges(graph, from, to, nullptr, n);
  };
  const auto remove = [=](auto *from, auto *to) { return cudaGraphRemoveDependencies(graph, from, to, nullptr, 1); };
  const auto add = [=](auto *from, auto *to, auto *how) { return cudaGraphAddDependencies(graph, from, to, how, 1); };
#else
  const auto get_edges = [=](auto *from, auto *to, auto *n) { return cudaGraphGetEdges(graph, from, to, n); };
  const auto remove = [=](auto *from, auto *to) { return cudaGraphRemoveDependencies(graph, from, to, 1); };
  const auto add = [=](auto *from, auto *to, auto *how) {
    return cudaGraphAddDependencies_v2(graph, from, to, how, 1);
  };
#endif
  const auto check = [](cudaError_t error) { KOKKOS_IMPL_CUDA_SAFE_CALL(error); };
  int driver = 0;
  check(cudaDriverGetVersion(&driver));
  if (driver < 12030) return; // it knows whole edges only
  const auto is_kernel = [&](cudaGraphNode_t node) {
    cudaGraphNodeType type;
    check(cudaGraphNodeGetType(node, &type));
    return type == cudaGraphNodeTypeKernel;
  };
  cudaGraphNode_t *const none = nullptr;
  std::size_t count = 0;
  check(get_edges(none, none, &count));
  std::vector<cudaGraphNode_t> from(count), to(count);
  check(get_edges(from.data(), to.data(), &count));
  cudaGraphEdgeData early = {};
  early.from_port = cudaGraphKernelNodePortProgrammatic;
  early.type = cudaGraphDependencyTypeProgrammatic;
  for (std::size_t i = 0; i < count; ++i)
    if (is_kernel(from[i]) && is_kernel(to[i])) {
      check(remove(&from[i], &to[i]));
      check(add(&from[i], &to[i], &early));
    }
}
#endif

} // namespace finegrain
