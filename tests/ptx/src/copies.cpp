// SPDX-License-Identifier: BSD-2-Clause
// Device memory, pinned host memory, and copies.
#include "runtime.hpp"

using namespace cuda_stand_in;

namespace cuda_stand_in
{

bool pageable(const void *p)
{
  if (mem().is_device(u64(p))) return false;
  auto i = mem().pinned.upper_bound(u64(p));
  if (i == mem().pinned.begin()) return true;
  --i;
  return u64(p) >= i->first + i->second;
}
static u8 *host_view(const void *p, size_t n, const char *what)
{
  if (!mem().is_device(u64(p))) return (u8 *)p;
  const char *why = "";
  u8 *q = n ? mem().at(u64(p), n, &why) : mem().alias;
  if (!q) {
    char t[200];
    snprintf(t, sizeof t, "%s: %zu bytes at %p: %s", what, n, p, why);
    report(t);
    throw Trap{t, 1};
  }
  return q;
}
static void copy_now(void *d, const void *s, size_t n)
{
  u8 *dp = host_view(d, n, "copy to"), *sp = host_view(s, n, "copy from");
  check_copy(*current_order, u64(s), n, false);
  check_copy(*current_order, u64(d), n, true);
  memmove(dp, sp, n);
  if (!mem().is_device(u64(d))) return;
  mem().copy_written(u64(d), u64(s), n);
  if (opt().races) mem().forget(u64(d), n);
}
static cudaError_t copy(void *d, const void *s, size_t n, cudaMemcpyKind kind, Stream *st, bool async)
{
  if (n == 0) return result();
  const bool dd = mem().is_device(u64(d)), sd = mem().is_device(u64(s));
  const char *bad = nullptr;
  if (kind == cudaMemcpyHostToDevice && (sd || (!dd && pageable(d)))) bad = "HostToDevice with other pointers";
  if (kind == cudaMemcpyDeviceToHost && (dd || (!sd && pageable(s)))) bad = "DeviceToHost with other pointers";
  if (kind == cudaMemcpyDeviceToDevice && ((!sd && pageable(s)) || (!dd && pageable(d))))
    bad = "DeviceToDevice with other pointers";
  if (bad) {
    report(std::string("copy: ") + bad + ", " + std::to_string(n) + " bytes");
    return result(cudaErrorInvalidValue);
  }
  TaskP o;
  if (!sd && pageable(s)) { // staged: the caller may change the source after the call
    auto keep = std::make_shared<std::vector<u8>>((const u8 *)s, (const u8 *)s + n);
    o = push(st, [=] { copy_now(d, keep->data(), n); });
    if (!async) wait_for(o);
  } else {
    o = push(st, [=] { copy_now(d, s, n); });
    if (!async && !(dd && sd)) wait_for(o);
    if (async && !dd && pageable(d)) wait_for(o);
  }
  return result();
}

} // namespace cuda_stand_in

extern "C" {
cudaError_t cudaMalloc(void **p, size_t n)
{
  begin_call("cudaMalloc");
  if (n == 0) {
    *p = nullptr;
    return result();
  }
  const long cap = env("GPUSIM_MEMORY_MB", 8192);
  if (mem().live + n > u64(cap) << 20) {
    *p = nullptr;
    return result(cudaErrorMemoryAllocation);
  }
  const u64 a = mem().allocate(n, opt().poison);
  *p = (void *)a;
  if (opt().trace) fprintf(stderr, "GPUSIM malloc %llx %zu\n", (unsigned long long)(a - mem().base), n);
  return result(a ? cudaSuccess : cudaErrorMemoryAllocation);
}
static cudaError_t free_pinned(void *p)
{
  auto i = mem().pinned.find(u64(p));
  if (i == mem().pinned.end()) return result(cudaErrorInvalidValue);
  mem().pinned.erase(i);
  mem().plast_size = 0;
  free(p);
  return result();
}
cudaError_t cudaFree(void *p)
{
  begin_call("cudaFree");
  drain();
  if (opt().trace) fprintf(stderr, "GPUSIM free %llx\n", (unsigned long long)(u64(p) - mem().base));
  if (!p) return result();
  if (mem().is_device(u64(p))) {
    if (!mem().release(u64(p))) {
      report("cudaFree of what is none, or was freed");
      return result(cudaErrorInvalidValue);
    }
    return result();
  }
  return free_pinned(p);
}
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t)
{
  begin_call("cudaMallocAsync");
  return cudaMalloc(p, n);
}
cudaError_t cudaFreeAsync(void *p, cudaStream_t s)
{
  begin_call("cudaFreeAsync");
  push(stream_of(s), [=] { mem().release(u64(p)); });
  return result();
}
static cudaError_t host_alloc(void **p, size_t n)
{
  if (!n) n = 1;
  *p = aligned_alloc(4096, (n + 4095) / 4096 * 4096);
  if (!*p) return result(cudaErrorMemoryAllocation);
  if (opt().poison) memset(*p, 0xFB, n);
  mem().pinned[u64(*p)] = n;
  return result();
}
cudaError_t cudaMallocHost(void **p, size_t n)
{
  begin_call("cudaMallocHost");
  return host_alloc(p, n);
}
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned)
{
  begin_call("cudaHostAlloc");
  return host_alloc(p, n);
}
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned)
{
  begin_call("cudaMallocManaged");
  return host_alloc(p, n);
}
cudaError_t cudaFreeHost(void *p)
{
  begin_call("cudaFreeHost");
  drain();
  return free_pinned(p);
}
cudaError_t cudaMemcpy(void *d, const void *s, size_t n, cudaMemcpyKind k)
{
  begin_call("cudaMemcpy");
  return copy(d, s, n, k, &legacy, false);
}
cudaError_t cudaMemcpyAsync(void *d, const void *s, size_t n, cudaMemcpyKind k, cudaStream_t st)
{
  begin_call("cudaMemcpyAsync");
  return copy(d, s, n, k, stream_of(st), true);
}
static cudaError_t set(void *p, int v, size_t n, Stream *s)
{
  push(s, [=] {
    memset(host_view(p, n, "memset"), v, n);
    check_copy(*current_order, u64(p), n, true);
    if (!mem().is_device(u64(p))) return;
    mem().fill(u64(p), n);
    if (opt().races) mem().forget(u64(p), n);
  });
  return result();
}
cudaError_t cudaMemset(void *p, int v, size_t n)
{
  begin_call("cudaMemset");
  return set(p, v, n, &legacy);
}
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s)
{
  begin_call("cudaMemsetAsync");
  return set(p, v, n, stream_of(s));
}
static u64 symbol_address(const void *sym)
{
  auto i = variables().find(sym);
  if (i == variables().end()) return 0;
  i->second.module->scan();
  auto g = i->second.module->globals.find(i->second.name);
  return g == i->second.module->globals.end() ? 0 : g->second.addr;
}
cudaError_t cudaMemcpyToSymbol(const void *sym, const void *s, size_t n, size_t off, cudaMemcpyKind)
{
  begin_call("cudaMemcpyToSymbol");
  const u64 a = symbol_address(sym);
  if (!a) {
    auto i = variables().find(sym);
    if (i == variables().end()) return result(cudaErrorInvalidSymbol);
    return result();
  }
  return copy((void *)(a + off), s, n, cudaMemcpyHostToDevice, &legacy, false);
}
cudaError_t cudaMemcpyToSymbolAsync(const void *sym, const void *s, size_t n, size_t off, cudaMemcpyKind,
                                    cudaStream_t st)
{
  begin_call("cudaMemcpyToSymbolAsync");
  const u64 a = symbol_address(sym);
  if (!a) return result(cudaErrorInvalidSymbol);
  return copy((void *)(a + off), s, n, cudaMemcpyHostToDevice, stream_of(st), true);
}
cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation, unsigned, cudaStream_t) { return result(); }
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise, cudaMemLocation) { return result(); }
cudaError_t cudaMemGetInfo(size_t *f, size_t *t)
{
  *t = 40ull << 30;
  *f = *t - mem().live;
  return result();
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *a, const void *p)
{
  begin_call("cudaPointerGetAttributes");
  memset(a, 0, sizeof *a);
  if (mem().is_device(u64(p))) {
    a->type = cudaMemoryTypeDevice;
    a->devicePointer = (void *)p;
  } else if (!pageable(p)) {
    a->type = cudaMemoryTypeHost;
    a->devicePointer = a->hostPointer = (void *)p;
  } else {
    a->type = cudaMemoryTypeUnregistered;
    a->hostPointer = (void *)p;
  }
  return result();
}
}
