// SPDX-License-Identifier: BSD-2-Clause
// Programs with a defect that must be reported, each together with the same program without the defect, for which
// nothing may be reported: streams, copies, allocations, and accesses of the host. nvcc compiles this file; each
// program runs in a process of its own. (oracle/test_defects.cpp tests defects within kernels.)
#include <cuda_runtime.h>

#include <gtest/gtest.h>

#include <vector>

namespace
{

__global__ void fill(int *a, int n, int value)
{
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) a[i] = value + i;
}
__global__ void add(int *to, const int *from, int n)
{
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) to[i] = from[i] + 1;
}

constexpr int n = 100;
constexpr std::size_t bytes = n * sizeof(int);

int *allocate(std::size_t size = bytes)
{
  void *p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, size), cudaSuccess);
  return static_cast<int *>(p);
}
int *allocate_pinned()
{
  void *p = nullptr;
  EXPECT_EQ(cudaMallocHost(&p, bytes), cudaSuccess);
  return static_cast<int *>(p);
}
cudaStream_t make_stream()
{
  cudaStream_t s;
  EXPECT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
  return s;
}
void order(cudaStream_t first, cudaStream_t second)
{
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaEventRecord(e, first);
  cudaStreamWaitEvent(second, e, 0);
}
void finish()
{
  cudaDeviceSynchronize();
  std::exit(0);
}

const std::string clean = " 0 reports \\(0 different\\)";
template <class F> void expect(const std::string &report, const F &program)
{
  EXPECT_EXIT((program(true), finish()), testing::ExitedWithCode(0), "GPUSIM " + report);
  EXPECT_EXIT((program(false), finish()), testing::ExitedWithCode(0), clean);
}

TEST(Defects, KernelsOfTwoStreams)
{
  expect("no wait between streams \\(", [](bool wrong) {
    int *a = allocate(), *b = allocate();
    const cudaStream_t s = make_stream(), t = make_stream();
    fill<<<2, 64, 0, s>>>(a, n, 5);
    if (!wrong) order(s, t);
    cudaStreamSynchronize(wrong ? nullptr : s); // the legacy stream does not wait for these
    add<<<2, 64, 0, t>>>(b, a, n);
  });
}

TEST(Defects, CopiesWithoutAWait)
{
  expect("no wait between streams: a copy or memset from what a kernel writes|load of what was never written|copy",
         [](bool wrong) {
           int *a = allocate(), *pinned = allocate_pinned();
           const cudaStream_t s = make_stream(), t = make_stream();
           fill<<<2, 64, 0, s>>>(a, n, 5);
           if (!wrong) order(s, t);
           cudaMemcpyAsync(pinned, a, bytes, cudaMemcpyDeviceToHost, t);
           if (wrong) cudaStreamSynchronize(s); // runs the kernel first
           cudaStreamSynchronize(t);
           if (!wrong && pinned[3] != 8) std::exit(1);
         });
  expect("no wait between streams: a copy or memset to what a kernel reads", [](bool wrong) {
    int *a = allocate(), *b = allocate(), *pinned = allocate_pinned();
    const cudaStream_t s = make_stream(), t = make_stream();
    std::fill_n(pinned, n, 3);
    cudaMemcpy(a, pinned, bytes, cudaMemcpyHostToDevice);
    add<<<2, 64, 0, s>>>(b, a, n);
    if (!wrong) order(s, t);
    cudaMemcpyAsync(a, pinned, bytes, cudaMemcpyHostToDevice, t);
    cudaStreamSynchronize(s);
    cudaStreamSynchronize(t);
  });
}

TEST(Defects, WhatNobodyHasWaitedForIsNotThere)
{
  // The host reads pinned memory before the copy is done, and finds the old values.
  int *a = allocate(), *pinned = allocate_pinned();
  const cudaStream_t s = make_stream();
  pinned[0] = 1;
  fill<<<2, 64, 0, s>>>(a, n, 5);
  cudaMemcpyAsync(pinned, a, bytes, cudaMemcpyDeviceToHost, s);
  EXPECT_EQ(pinned[0], 1);
  cudaStreamSynchronize(s);
  EXPECT_EQ(pinned[0], 5);
}

TEST(Defects, CopiesOutsideOfAnAllocation)
{
  expect("copy to: 404 bytes .* past the end", [](bool wrong) {
    int *a = allocate();
    const std::vector<int> v(n + 1, 1);
    cudaMemcpy(a, v.data(), bytes + (wrong ? 4 : 0), cudaMemcpyHostToDevice);
  });
  expect("copy from: .* given back", [](bool wrong) {
    int *a = allocate();
    std::vector<int> v(n, 1);
    cudaMemcpy(a, v.data(), bytes, cudaMemcpyHostToDevice);
    if (wrong) cudaFree(a);
    cudaMemcpy(v.data(), a, bytes, cudaMemcpyDeviceToHost);
    if (!wrong) cudaFree(a);
  });
  expect("copy: HostToDevice with other pointers", [](bool wrong) {
    int *a = allocate();
    std::vector<int> v(n, 1), w(n, 1);
    cudaMemcpy(wrong ? w.data() : a, v.data(), bytes, cudaMemcpyHostToDevice);
  });
  expect("memset: 404 bytes", [](bool wrong) {
    int *a = allocate();
    cudaMemset(a, 0, bytes + (wrong ? 4 : 0));
  });
}

TEST(Defects, KernelsAndMemory)
{
  expect("invalid global address", [](bool wrong) {
    int *a = allocate();
    fill<<<2, 64>>>(a, wrong ? n + 1 : n, 5);
  });
  expect("invalid global address: .*given back", [](bool wrong) {
    int *a = allocate(), *b = allocate();
    cudaMemset(a, 0, bytes);
    if (wrong) cudaFree(a);
    add<<<2, 64>>>(b, a, n);
    if (!wrong) cudaFree(a); // waits for the kernel
  });
  expect("invalid global address: .*memory of the host", [](bool wrong) {
    int *b = allocate(), *pinned = allocate_pinned();
    static int on_host[n];
    std::fill_n(pinned, n, 3);
    add<<<2, 64>>>(b, wrong ? on_host : pinned, n);
  });
  expect("load of what was never written", [](bool wrong) {
    int *a = allocate(), *b = allocate();
    cudaMemset(a, 0, wrong ? bytes - 4 : bytes);
    add<<<2, 64>>>(b, a, n);
  });
  expect("launch: more threads|launch: grid or block",
         [](bool wrong) { fill<<<1, wrong ? 2048 : 1024>>>(allocate(), n, 1); });
}

TEST(Defects, FreedTwice)
{
  expect("cudaFree of what is none", [](bool wrong) {
    int *a = allocate();
    cudaFree(a);
    if (wrong) cudaFree(a);
  });
}

TEST(Defects, TheHostTouchesTheDevice)
{
  EXPECT_DEATH(allocate()[1] = 3, "GPUSIM host access");
  EXPECT_DEATH(std::printf("%d", allocate()[1]), "GPUSIM host access");
}

TEST(Defects, Leaks)
{
  setenv("GPUSIM_LEAKS", "1", 1); // read in the new process
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  expect("leak: 1 allocations of 400 bytes", [](bool wrong) {
    int *a = allocate();
    if (!wrong) cudaFree(a);
  });
  expect("leak: 1 allocations of pinned memory", [](bool wrong) {
    int *a = allocate_pinned();
    if (!wrong) cudaFreeHost(a);
  });
}

} // namespace

int main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
