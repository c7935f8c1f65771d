// SPDX-License-Identifier: BSD-2-Clause
// While one of these is there, messages are late: ranks sleep at random before they send or wait, and persistent
// sends are held back and begun in another order. common/delays.cpp stands between the plugin and MPI.
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
  // Sends that were held back so far, on all ranks.
  int count() const;
};

} // namespace finegrain::test
