// SPDX-License-Identifier: BSD-2-Clause
#include "probes.hpp"

#include <algorithm>
#include <cmath>

// Merges points closer than a millionth of the profile's length into their mean.
static void Merge(Profile *profile)
{
  Profile merged;
  if (profile->empty()) return;
  const double near = 1e-6 * (profile->back()[0] - profile->front()[0]);
  for (std::size_t first = 0, last; first < profile->size(); first = last) {
    std::array<double, 2> sum = {0, 0};
    for (last = first; last < profile->size() && (*profile)[last][0] - (*profile)[first][0] <= near; ++last)
      for (std::size_t k = 0; k < 2; ++k) sum[k] += (*profile)[last][k];
    merged.push_back({sum[0] / double(last - first), sum[1] / double(last - first)});
  }
  *profile = merged;
}

PetscErrorCode CollectProfile(MPI_Comm comm, const Profile &mine, Profile *all)
{
  PetscMPIInt ranks, here = PetscMPIInt(2 * mine.size()), sum = 0;
  std::vector<PetscMPIInt> counts, starts;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  counts.resize(std::size_t(ranks));
  PetscCallMPI(MPI_Allgather(&here, 1, MPI_INT, counts.data(), 1, MPI_INT, comm));
  for (PetscMPIInt count : counts) {
    starts.push_back(sum);
    sum += count;
  }
  all->resize(std::size_t(sum) / 2);
  PetscCallMPI(
    MPI_Allgatherv(mine.data(), here, MPI_DOUBLE, all->data(), counts.data(), starts.data(), MPI_DOUBLE, comm));
  std::sort(all->begin(), all->end());
  Merge(all);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindProfile(const Flow &flow, const Vector3 &origin, const Vector3 &direction, int unknown,
                           Profile *profile)
{
  const Grid &grid = flow.grid;
  const auto to_line = [&](PetscInt cell) {
    const Vector3 away = origin - grid.center[std::size_t(cell)];
    return away - Dot(away, direction) * direction;
  };
  std::vector<bool> hit(std::size_t(grid.owned), true);
  Profile mine;

  PetscFunctionBeginUser;
  // The line's nearest point to a center is in the cell, or on its surface.
  for (const Face &face : grid.faces) {
    const double near = 1e-6 * Norm(face.area) * Norm(face.from_a);
    if (Dot(to_line(face.a) - face.from_a, face.area) > near) hit[std::size_t(face.a)] = false;
    if (face.b >= 0 && face.b < grid.owned && Dot(to_line(face.b) - face.from_b, face.area) < -near)
      hit[std::size_t(face.b)] = false;
  }
  for (std::size_t c = 0; c < hit.size(); ++c) {
    if (!hit[c]) continue;
    const std::size_t at = c * std::size_t(flow.n) + std::size_t(unknown);
    const double *g = flow.gradient.data() + 3 * at;
    mine.push_back(
      {Dot(grid.center[c] - origin, direction), flow.q[at] + Dot({g[0], g[1], g[2]}, to_line(PetscInt(c)))});
  }
  PetscCall(CollectProfile(grid.comm, mine, profile));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double Interpolated(const Profile &profile, double at)
{
  const std::size_t count = std::min<std::size_t>(4, profile.size());
  const auto above = std::lower_bound(profile.begin(), profile.end(), std::array<double, 2>{at, -PETSC_MAX_REAL});
  const std::ptrdiff_t most = std::ptrdiff_t(profile.size() - count);
  const std::ptrdiff_t first =
    std::clamp<std::ptrdiff_t>(above - profile.begin() - std::ptrdiff_t(count / 2), 0, most);
  double sum = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double term = profile[std::size_t(first) + k][1];
    for (std::size_t m = 0; m < count; ++m)
      if (m != k)
        term *= (at - profile[std::size_t(first) + m][0]) /
                (profile[std::size_t(first) + k][0] - profile[std::size_t(first) + m][0]);
    sum += term;
  }
  return sum;
}

PetscErrorCode FindForce(const Flow &flow, Vector3 *force)
{
  Vector3 mine = {0, 0, 0};

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    if (face.b < 0 && flow.At(face).type == Condition::wall) {
      const auto flux = flow.Through(face);
      mine = mine + Vector3{flux[1], flux[2], flux[3]};
    }
  PetscCallMPI(MPI_Allreduce(mine.data(), force->data(), 3, MPI_DOUBLE, MPI_SUM, flow.grid.comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindBalance(const Flow &flow, double *in, double *out)
{
  double mine[2] = {0, 0}, all[2];

  PetscFunctionBeginUser;
  for (const Face &face : flow.grid.faces)
    if (face.b < 0) {
      const double volume = flow.Through(face)[0] / flow.beta;
      mine[volume > 0] += std::abs(volume);
    }
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, flow.grid.comm));
  *in = all[0];
  *out = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Shedding::Add(double time, double lift)
{
  if (lift_ < 0 && lift >= 0) {
    crossings_.push_back(time_ - lift_ * (time - time_) / (lift - lift_));
    largest_ = 0;
  }
  largest_ = std::max(largest_, lift);
  time_ = time;
  lift_ = lift;
}

PetscErrorCode Shedding::Print(MPI_Comm comm) const
{
  PetscFunctionBeginUser;
  const std::size_t periods = std::min<std::size_t>(crossings_.empty() ? 0 : crossings_.size() - 1, 3);
  if (periods == 3) {
    const double period = (crossings_.back() - crossings_[crossings_.size() - 1 - periods]) / double(periods);
    PetscCall(PetscPrintf(comm, "Strouhal's number, over the last %d periods: %.4f\n", int(periods), 1 / period));
  } else PetscCall(PetscPrintf(comm, "Fewer than three periods of the lift: no Strouhal number\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
