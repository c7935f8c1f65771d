// Which engines the engine's tests and the device benchmark run: --backend of their command lines.
#pragma once

#include "staged.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace finegrain::test
{

// On the host, on the host behind copies of all arrays, or on the device behind copies.
enum class Where { host, staged, device };
inline Where where = Where::host;

// Reads --backend=NAME or --backend NAME at argument i. False: it is something else.
inline bool read_backend(int argc, char **argv, int &i)
{
  const std::string argument = argv[i], flag = "--backend";
  std::string       name;
  if (argument == flag && i + 1 < argc) name = argv[++i];
  else if (argument.rfind(flag + "=", 0) == 0) name = argument.substr(flag.size() + 1);
  if (name == "host") where = Where::host;
  else if (name == "staged") where = Where::staged;
  else if (name == "device") where = Where::device;
  else return false;
  return true;
}

// Starts Kokkos. False, and a line on stderr: the back end is not there.
inline bool start_backend(const char *program)
{
  const bool started = start_kokkos() == KokkosState::ready;
  if (started && (where != Where::device || has_device())) return true;
  std::fprintf(stderr, "%s: no device: this program has %s, and found %d devices%s\n", program,
               backend_names().c_str(), count_devices(), started ? "; --backend host needs none" : "");
  return false;
}

inline std::unique_ptr<Engine> make_tested_engine(Method method = Method::factorization)
{
  if (where == Where::staged) return std::make_unique<Staged<Kokkos::HostSpace>>(Backend::host, method);
  return make_engine_for_host_arrays(where == Where::device ? Backend::device : Backend::host, method);
}

// The executors of the back end, the simplest first.
inline std::vector<ExecutorKind> executors()
{
  if (where == Where::device) return {ExecutorKind::launch, ExecutorKind::self, ExecutorKind::tile};
  return {ExecutorKind::natural, ExecutorKind::launch, ExecutorKind::self, ExecutorKind::tile, ExecutorKind::shuffle};
}

} // namespace finegrain::test
