// SPDX-License-Identifier: BSD-2-Clause
// Storage that each method supports: the precision of off-diagonal blocks, of inverted diagonal blocks, and of sums.
// find_conflict(), the compiled kernels and their tables all use this list.
#pragma once

#include "base/kinds.hpp"
#include "base/scalar.hpp"

#include <utility>

namespace finegrain
{

struct Storage {
  Precision off_diagonal = Precision::working, diagonal = Precision::working;
  bool single_sums = false; // products of couplings are summed in single precision

  bool operator==(const Storage &) const = default;
};

struct PermittedStorage {
  Method method; // sip is listed as factorization
  Storage storage;
  bool fixed; // compiled for each block size; else for any size (0) only
};

// Storage of the half precision factor, which has its own kernels (factor/half.hpp).
inline constexpr Storage half_factor{Precision::half, Precision::single, true};

inline constexpr PermittedStorage permitted_storage[] = {
  {Method::factorization, {Precision::working, Precision::working}, true},
  {Method::factorization, {Precision::single, Precision::working}, true},
  {Method::factorization, {Precision::single, Precision::single}, true},
  {Method::relaxation, {Precision::working, Precision::working}, true},
  {Method::relaxation, {Precision::single, Precision::working}, true},
  {Method::relaxation, {Precision::single, Precision::working, true}, true},
  {Method::relaxation, {Precision::half, Precision::working}, true},
  {Method::relaxation, {Precision::half, Precision::working, true}, true},
  {Method::relaxation, {Precision::bfloat16, Precision::working}, false},
  {Method::relaxation, {Precision::bfloat16, Precision::working, true}, false},
  {Method::relaxation, {Precision::single, Precision::single}, false},
  {Method::relaxation, {Precision::single, Precision::single, true}, false},
  {Method::relaxation, {Precision::half, Precision::single}, false},
  {Method::relaxation, {Precision::half, Precision::single, true}, false},
  {Method::relaxation, {Precision::bfloat16, Precision::single}, false},
  {Method::relaxation, {Precision::bfloat16, Precision::single, true}, false},
};

// Returns the row of the table, or null if there is none.
constexpr const PermittedStorage *find_storage(Method method, const Storage &storage)
{
  for (const PermittedStorage &p : permitted_storage)
    if (p.method == method && p.storage == storage) return &p;
  return nullptr;
}

// Calls make(tags of couplings, inverses and sums) for the row of this storage among those of a method: all of them,
// or those compiled for each block size. Returns an empty result if there is no such row.
template <Method method, bool all, class Make> auto with_storage(const Storage &storage, const Make &make)
{
  using Working = std::type_identity<Scalar>;
  decltype(make(Working(), Working(), Working())) result{};
  const auto try_storage = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    constexpr PermittedStorage p = permitted_storage[I];
    if constexpr (p.method == method && (all || p.fixed)) {
      if (storage == p.storage)
        result = make(std::type_identity<StorageOf<p.storage.off_diagonal>>(),
                      std::type_identity<StorageOf<p.storage.diagonal>>(),
                      std::type_identity<std::conditional_t<p.storage.single_sums, Single, Scalar>>());
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (try_storage(std::integral_constant<std::size_t, I>()), ...); }
  (std::make_index_sequence<std::size(permitted_storage)>());
  return result;
}

} // namespace finegrain
