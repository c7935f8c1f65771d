// SPDX-License-Identifier: BSD-2-Clause
// Creates the engine of a method on a back end.
#include "engine.hpp"

namespace finegrain
{

std::unique_ptr<Engine> make_engine(Backend backend, Method method)
{
  switch (method) {
  case Method::relaxation:
    return make_relaxation(backend);
  case Method::sip:
    return make_sip_cycle(backend);
  case Method::shared:
    return make_shared_factorization(backend);
  default:
    return make_factorization(backend);
  }
}

} // namespace finegrain
