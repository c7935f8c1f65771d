// SPDX-License-Identifier: BSD-2-Clause
// While an object of this class exists, messages are late: ranks sleep at random before they send or wait, and
// persistent sends are held back and started in another order. common/delays.cpp intercepts the plugin's calls of
// MPI.
#pragma once

namespace finegrain::test
{

class Delays
{
public:
  Delays();
  ~Delays();
  Delays(const Delays &) = delete;
  Delays &operator=(const Delays &) = delete;
  // Number of sends that were held back so far, on all ranks.
  int count() const;
};

} // namespace finegrain::test
