// SPDX-License-Identifier: BSD-2-Clause
// The engine without PETSc or MPI: block ILU(0) of a chain of blocks, analyzed once, factored, applied.
#include "engine.hpp"

#include <cstdio>

using namespace finegrain;

int main()
{
  if (start_kokkos() != KokkosState::ready) return 1;
  constexpr Index rows = 6;
  constexpr int n = 2; // unknowns of a block row

  // Block row r is coupled to r - 1 and r + 1; columns ascend.
  OperatorView view;
  view.block = n;
  view.owned = {rows, make_array<Index>("ptr", rows + 1), make_array<Index>("col", 3 * rows - 2)};
  std::vector<Scalar> values; // blocks by columns, one after the other
  Index entry = 0;
  for (Index r = 0; r < rows; ++r) {
    view.owned.ptr(r) = entry;
    for (Index c = r > 0 ? r - 1 : 0; c <= r + 1 && c < rows; ++c) {
      view.owned.col(entry++) = c;
      for (const Real v : {r == c ? 4. : -1., 0.5, 0.5, r == c ? 4. : -1.}) values.push_back(Scalar(v));
    }
  }
  view.owned.ptr(rows) = entry;

  auto engine = make_engine(Backend::host, Method::factorization);
  if (const SetupError error = engine->analyze(view, EngineOptions())) return int(error.reason);
  const FactorReport report = engine->factor(MatrixValues{values.data()});
  if (report.bad_row >= 0) return 1;
  std::vector<Scalar> b(rows * n, Scalar(1)), x(b.size());
  engine->apply(b.data(), x.data());

  // ILU(0) of a chain has no fill: x solves A x = b.
  Real largest = 0;
  for (Index r = 0; r < rows; ++r)
    for (int i = 0; i < n; ++i) {
      Scalar left = b[std::size_t(r * n + i)];
      for (Index e = view.owned.ptr(r); e < view.owned.ptr(r + 1); ++e)
        for (int j = 0; j < n; ++j)
          left -= values[std::size_t((e * n + j) * n + i)] * x[std::size_t(view.owned.col(e) * n + j)];
      largest = std::max(largest, magnitude(left));
    }
  std::printf("largest residual below 1e-6: %s\n", largest < Real(1e-6) ? "yes" : "no");
  return largest < Real(1e-6) ? 0 : 1;
}
