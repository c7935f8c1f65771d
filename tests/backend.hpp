// SPDX-License-Identifier: BSD-2-Clause
// Which engines the engine's tests and the device benchmark run: --backend and --executors of their command lines.
#pragma once

#include "device_copies.hpp"
#include "run/teams.hpp"

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
  std::string name;
  if (argument == flag && i + 1 < argc) name = argv[++i];
  else if (argument.rfind(flag + "=", 0) == 0) name = argument.substr(flag.size() + 1);
  if (name == "host") where = Where::host;
  else if (name == "staged") where = Where::staged;
  else if (name == "device") where = Where::device;
  else return false;
  return true;
}

// The executors that are left, all if none is named.
inline std::vector<ExecutorKind> chosen_executors;

inline constexpr std::pair<const char *, ExecutorKind> executor_names[] = {{"natural", ExecutorKind::natural},
                                                                           {"launch", ExecutorKind::launch},
                                                                           {"self", ExecutorKind::self},
                                                                           {"tile", ExecutorKind::tile}};
inline const char *name_of(ExecutorKind executor)
{
  for (const auto &[name, kind] : executor_names)
    if (kind == executor) return name;
  return "auto";
}

// Reads --executors launch,self at argument i, as above. False: it is something else, or no executor.
inline bool read_executors(int argc, char **argv, int &i)
{
  if (argv[i] != std::string("--executors") || i + 1 == argc) return false;
  std::string list = argv[++i];
  for (list += ','; !list.empty(); list.erase(0, list.find(',') + 1)) {
    const auto found = std::find_if(std::begin(executor_names), std::end(executor_names),
                                    [&](const auto &n) { return list.substr(0, list.find(',')) == n.first; });
    if (found == std::end(executor_names)) return false;
    chosen_executors.push_back(found->second);
  }
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

// The executors of the back end that were chosen, the simplest first, which is always there to compare with.
inline std::vector<ExecutorKind> executors()
{
  std::vector<ExecutorKind> all{ExecutorKind::natural, ExecutorKind::launch, ExecutorKind::self, ExecutorKind::tile};
  if (where == Where::device) all = {ExecutorKind::launch, ExecutorKind::self};
  const auto left_out = [&](ExecutorKind e) {
    return !chosen_executors.empty() && e != all.front() &&
           std::find(chosen_executors.begin(), chosen_executors.end(), e) == chosen_executors.end();
  };
  all.erase(std::remove_if(all.begin() + 1, all.end(), left_out), all.end());
  return all;
}

// Those whose rows are done by tasks.
inline std::vector<ExecutorKind> task_executors()
{
  if (where == Where::device) return {ExecutorKind::self};
  return {ExecutorKind::self, ExecutorKind::tile};
}

} // namespace finegrain::test
