// SPDX-License-Identifier: BSD-2-Clause
// Hook for ghosts if kernels have their arrays in another memory than the host's, around a caller's hook for host
// arrays. It copies arrays there and back.
#pragma once

#include "halo.hpp"
#include "base/copies.hpp"

namespace finegrain
{

template <class Space> class StagedHalo final : public Halo
{
public:
  // `rows` and `ghosts` are their numbers of scalars. Returns the hook to call: the caller's, if it accepts arrays
  // in the memory of kernels.
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
    if (color != all) copy_down<Space>(ghosts_.data(), ghosts, ghosts_.extent(0)); // ghosts of other colors stay
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
