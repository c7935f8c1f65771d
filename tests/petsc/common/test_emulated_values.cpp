// SPDX-License-Identifier: BSD-2-Clause
// Values of AIJ matrices that PETSc has on the device. Kernels read them there; a factorization and a correction
// copy none. Kokkos' callbacks count the copied bytes.
#include "types.hpp"
#include "common/arrays.hpp"
#include "copied.hpp"

#include <limits>

using namespace finegrain::test;

namespace
{

PER_TYPE(EmulatedValues);

// AIJ and, if PETSc has them, matrices with values and vectors of Kokkos.
const std::vector<std::pair<MatType, PetscInt>> cases
{
  {MATAIJ, 1}, {MATAIJ, 3}, {MATAIJ, 5},
#if defined(PETSC_HAVE_KOKKOS_KERNELS)
    {MATAIJKOKKOS, 1}, {MATAIJKOKKOS, 3}, {MATAIJKOKKOS, 5},
#endif
};

// Results, and copied bytes, of the first factorization, of one with new values, and of one with scaled values.
TEST_P(EmulatedValues, OfAijAreReadWhereTheyAre)
{
  const bool copies = finegrain::emulated_petsc.copies;
  for (const Variant &variant : t.variants) {
    if (variant.has("global")) continue; // those run on the host
    for (const auto &[type, n] : cases) {
      // Reports of a factorization, and 16-bit scales, one for each entry of a block, may be copied, but no values.
      const std::uint64_t reports = 256 + 2 * std::uint64_t(n * (n + 1)) * sizeof(PetscScalar);
      Owned<Mat> A, others;
      Owned<PC> on_device, on_host;
      std::string text;
      PetscReal d = -1;
      OK(Matrix(Shape::star, n, type, &A));
      OK(Matrix(Shape::star, n, type, &others, 2));
      OK(Make(A, variant.options + " -@_backend device", &on_device));
      OK(Make(A, variant.options + " -@_backend host", &on_host));
      Vectors v(A);
      OK(v.code);
      OK(PCSetUp(on_device)); // copies what is made once
      OK(Apply(on_device, v.b, v.x));
      for (int turn = 0; turn < 3; ++turn) {
        MatInfo info;
        if (turn == 1) {
          OK(MatCopy(others, A, SAME_NONZERO_PATTERN));
        } else if (turn == 2) {
          OK(MatScale(A, 2));
        }
        OK(MatGetInfo(A, MAT_LOCAL, &info));
        const auto values = std::uint64_t(info.nz_used) * sizeof(PetscScalar);
        std::uint64_t factored, applied;
        {
          const Copied counted;
          OK(PCSetUp(on_device));
          factored = counted.bytes();
        }
        OK(VecSet(v.x, PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN())));
        {
          const Copied counted;
          OK(PCApply(on_device, v.b, v.x));
          applied = counted.bytes();
        }
        OK(Apply(on_host, v.b, v.y));
        OK(Difference(v.x, v.y, &d));
        EXPECT_EQ(d, 0) << type << " " << variant.options << ", " << n << ", turn " << turn;
        if (copies) {
          EXPECT_GE(factored, turn > 0 ? values : 0) << variant.options << ", " << n; // the values are counted
        } else {
          EXPECT_LE(factored, reports) << variant.options << ", " << n << ", turn " << turn;
          EXPECT_LE(applied, reports) << variant.options << ", " << n << ", turn " << turn;
        }
      }
      OK(ViewText(on_device, &text));
      EXPECT_EQ(NumberAfter(text, "bytes of copies of matrix and vectors: ") > 0, copies) << variant.options;
    }
  }
}

} // namespace
