// SPDX-License-Identifier: BSD-2-Clause
// Engines that the engine's tests and the device benchmark run: --backend and --algorithms of their command lines.
#pragma once

#include "device_copies.hpp"
#include "run/teams.hpp"

#include <cstdio>
#include <string>
#include <vector>

namespace finegrain::test
{

// Engines run on the host, on the host behind copies of all arrays, or on the device behind copies.
enum class Where { host, staged, device };
inline Where where = Where::host;

// Reads --backend=NAME or --backend NAME at argument i; false if the argument is another one.
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

// The chosen algorithms; all if none is named.
inline std::vector<Algorithm> chosen_algorithms;

inline constexpr std::pair<const char *, Algorithm> algorithm_names[] = {
  {"sequential", Algorithm::sequential}, {"levels", Algorithm::levels}, {"tasks", Algorithm::tasks}};
inline const char *name_of(Algorithm algorithm)
{
  for (const auto &[name, kind] : algorithm_names)
    if (kind == algorithm) return name;
  return "auto";
}

// Reads --algorithms levels,tasks at argument i, as above; false if the argument is another one, or names no
// algorithm.
inline bool read_algorithms(int argc, char **argv, int &i)
{
  if (argv[i] != std::string("--algorithms") || i + 1 == argc) return false;
  std::string list = argv[++i];
  for (list += ','; !list.empty(); list.erase(0, list.find(',') + 1)) {
    const auto found = std::find_if(std::begin(algorithm_names), std::end(algorithm_names),
                                    [&](const auto &n) { return list.substr(0, list.find(',')) == n.first; });
    if (found == std::end(algorithm_names)) return false;
    chosen_algorithms.push_back(found->second);
  }
  return true;
}

// Starts Kokkos. Returns false, and prints a line on stderr, if the back end is missing.
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

// The chosen algorithms of the back end, the simplest first, which is always present as the reference.
inline std::vector<Algorithm> algorithms()
{
  std::vector<Algorithm> all{Algorithm::sequential, Algorithm::levels, Algorithm::tasks};
  if (where == Where::device) all = {Algorithm::levels, Algorithm::tasks};
  const auto ignored = [&](Algorithm e) {
    return !chosen_algorithms.empty() && e != all.front() &&
           std::find(chosen_algorithms.begin(), chosen_algorithms.end(), e) == chosen_algorithms.end();
  };
  all.erase(std::remove_if(all.begin() + 1, all.end(), ignored), all.end());
  return all;
}

} // namespace finegrain::test
