// SPDX-License-Identifier: BSD-2-Clause
// The hook for ghosts where kernels have their arrays elsewhere than on the host, around a caller's that takes arrays
// on the host: they are copied there and back.
#pragma once

#include "halo.hpp"
#include "base/copies.hpp"

namespace finegrain
{

template <class Space> class StagedHalo final : public Halo
{
public:
  // `rows` and `ghosts` are the scalars of each. What set() returns is the hook to call: the caller's, if it takes
  // arrays where they are.
  Halo *set(Halo *halo, std::size_t rows, std::size_t ghosts)
  {
    halo_ = halo;
    if (!halo || halo->takes_device_arrays()) return halo;
    rows_ = rows;
    make_room(x_, rows);
    if (ghosts_.extent(0) != ghosts) ghosts_ = make_array<Scalar>("finegrain::ghosts", ghosts);
    return this;
  }

  void begin(Index color, const Scalar *x, Scalar *ghosts) override
  {
    copy_down<Space>(x_.data(), x, rows_);
    if (color != all) copy_down<Space>(ghosts_.data(), ghosts, ghosts_.extent(0)); // the others stay
    halo_->begin(color, x_.data(), ghosts_.data());
  }
  void end(Index color, const Scalar *, Scalar *ghosts) override
  {
    halo_->end(color, x_.data(), ghosts_.data());
    copy_up<Space>(ghosts, ghosts_.data(), ghosts_.extent(0));
  }
  void add(Index color, const Scalar *ghosts, Scalar *x) override
  {
    copy_down<Space>(x_.data(), x, rows_);
    copy_down<Space>(ghosts_.data(), ghosts, ghosts_.extent(0));
    halo_->add(color, ghosts_.data(), x_.data());
    copy_up<Space>(x, x_.data(), rows_);
  }
  void residual(bool interior, bool starts) override { halo_->residual(interior, starts); }

private:
  Halo *halo_ = nullptr; // the caller's
  std::size_t rows_ = 0;
  HostArray<Scalar> x_, ghosts_;
};

} // namespace finegrain
