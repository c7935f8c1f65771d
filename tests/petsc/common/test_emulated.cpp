// SPDX-License-Identifier: BSD-2-Clause
// Properties of real devices that an emulated one shows: kernels read ghosts only after their delayed unpacking,
// blocks too large for a team are refused, and Kokkos uses PETSc's device.
#include "fixture.hpp"
#include "common/arrays.hpp"
#include "sip/sip.hpp"
#include "run/teams.hpp"
#include "late_unpacking.hpp"

#include <cstring>
#include <optional>

using namespace finegrain::test;

namespace
{

const bool copies = finegrain::emulated_petsc.copies = std::getenv("FINEGRAIN_COPIES") != nullptr;

class EmulatedGhosts : public ::testing::TestWithParam<const char *>
{
};

// Applications, transposed applications and corrections, with PETSc's arrays in the kernels' memory.
TEST_P(EmulatedGhosts, AreWaitedFor)
{
  const std::string options = GetParam(), type = options.substr(4, options.find('_', 4) - 4);
  if (copies) GTEST_SKIP() << "ghosts go through the host";
  Owned<Mat> A;
  Owned<PC> pc;
  Owned<Vec> b, x, expected;
  PetscReal d = -1;
  int late;
  OK(AssembleMatrix(box(7, 6, 5), 3, MATBAIJKOKKOS, 1, &A));
  OK(MakePC(A, type.c_str(), options + " -pc_" + type + "_backend device", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &expected));
  for (const bool elsewhere : {false, true, false}) {
    std::optional<OtherStream> other;
    if (elsewhere) other.emplace();
    for (const auto apply : {PCApply, PCApplyTranspose}) {
      OK(apply(pc, b, expected));
      OK(VecSet(x, PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN())));
      {
        const LateUnpacking slow;
        OK(apply(pc, b, x));
        late = slow.exchanges();
      }
      OK(Difference(x, expected, &d));
      EXPECT_EQ(d, 0) << (apply == PCApplyTranspose ? "transposed " : "") << (elsewhere ? "elsewhere" : "");
      EXPECT_EQ(late > 0, Size() > 1) << late; // the delay has happened
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Uses, EmulatedGhosts,
                         ::testing::Values("-pc_fgbilu_corrections 2",
                                           "-pc_fgbilu_corrections 2 -pc_fgbilu_factor ilu0",
                                           "-pc_mcpi_exchange sweep -pc_mcpi_its 3",
                                           "-pc_mcpi_exchange color -pc_mcpi_its 3 -pc_mcpi_coloring jp",
                                           "-pc_mcpi_exchange sweep -pc_mcpi_its 3 -pc_mcpi_precision half"));

// Counts the fences of a host by a Kokkos tool, except those of Kokkos' graphs on hosts, which a GPU does not have.
class Fences
{
public:
  Fences() : first_(count_)
  {
    Kokkos::Tools::Experimental::set_begin_fence_callback(
      [](const char *name, std::uint32_t, std::uint64_t *) { count_ += !std::strstr(name, "Graph"); });
  }
  ~Fences() { Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr); }
  int count() const { return count_ - first_; }

private:
  inline static int count_ = 0;
  int first_;
};

class EmulatedQueue : public ::testing::TestWithParam<const char *>
{
};

// Applications, corrections, products and exchanges are queued on PETSc's default stream without a fence. After an
// exchange on another stream, later exchanges have fences.
TEST_P(EmulatedQueue, IsNotWaitedForOnPetscsStream)
{
  const std::string options = GetParam(), type = options.substr(4, options.find('_', 4) - 4);
  if (copies) GTEST_SKIP() << "copies are waited for";
  if (KOKKOS_VERSION < 40000) GTEST_SKIP() << "this Kokkos shows no fences of a host";
  if (Size() > 1 && type == PCSIP) GTEST_SKIP() << "its grid is that of one rank";
  Owned<Mat> A;
  Owned<PC> pc;
  Owned<Vec> b, x;
  OK(AssembleMatrix(star(7, 6, 5), 3, MATBAIJKOKKOS, 1, &A));
  OK(MakePC(A, type.c_str(), options + " -pc_" + type + "_backend device", &pc));
  OK(MakeVectors(A, &b, &x));
  const bool exchanges = Size() > 1 && (type == PCMCPI || options.find("corrections") != std::string::npos);
  for (int k = 0; k < 2; ++k) { // for all that is made once: the second application is recorded
    OK(PCApply(pc, b, x));
    OK(MatMult(A, b, x));
  }
  const auto count = [&](auto f, auto object) {
    const Fences all;
    EXPECT_EQ(f(object, b, x), PETSC_SUCCESS);
    return all.count();
  };
  EXPECT_EQ(count(PCApply, pc.get()), 0);
  EXPECT_EQ(count(MatMult, A.get()), 0);
  {
    const OtherStream other;
    EXPECT_GT(count(PCApply, pc.get()), 0);
    EXPECT_GT(count(MatMult, A.get()), 0);
  }
  count(PCApply, pc.get()); // back on the default stream
  count(MatMult, A.get());
  const int applying = count(PCApply, pc.get()), multiplying = count(MatMult, A.get());
  EXPECT_EQ(applying > 0, exchanges) << applying;
  EXPECT_EQ(multiplying > 0, Size() > 1) << multiplying;
}

INSTANTIATE_TEST_SUITE_P(Uses, EmulatedQueue,
                         ::testing::Values("-pc_fgbilu_algorithm levels", "-pc_fgbilu_algorithm tasks",
                                           "-pc_fgbilu_corrections 2",
                                           "-pc_fgbilu_corrections 2 -pc_fgbilu_factor ilu0",
                                           "-pc_fgbilu_precision half", "-pc_mcpi_its 3",
                                           "-pc_mcpi_precision half -pc_mcpi_omega 0.9", "-pc_powerqilu_levels 1",
                                           "-pc_sip_alpha 0.3,0.5 -pc_sip_grid 7,6,5"));

TEST(EmulatedProducts, WaitForGhosts)
{
  if (copies) GTEST_SKIP() << "ghosts go through the host";
  Owned<Mat> A;
  Owned<Vec> b, x, expected;
  PetscReal d = -1;
  OK(AssembleMatrix(box(7, 6, 5), 3, MATBAIJKOKKOS, 1, &A));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &expected));
  for (const bool elsewhere : {false, true, false}) {
    std::optional<OtherStream> other;
    if (elsewhere) other.emplace();
    for (const auto multiply : {MatMult, MatMultTranspose}) {
      OK(multiply(A, b, expected));
      {
        const LateUnpacking slow;
        OK(multiply(A, b, x));
        EXPECT_EQ(slow.exchanges() > 0, Size() > 1);
      }
      OK(Difference(x, expected, &d));
      EXPECT_EQ(d, 0);
    }
  }
}

// Values of other ranks that are still on their way to the device copy.
TEST(EmulatedAssembly, WaitsForOthersValues)
{
  if (copies) GTEST_SKIP() << "values go through the host";
  Owned<Mat> A[2];
  Owned<Vec> b, x, y;
  PetscInt first, last, rows;
  PetscReal d = -1;
  std::vector<PetscInt> i, j;
  std::vector<PetscScalar> v;
  const PetscInt n = 2;
  for (const int which : {0, 1}) {
    i.clear(), j.clear(), v.clear();
    OK(MatCreate(PETSC_COMM_WORLD, &A[which]));
    OK(MatSetSizes(A[which], 6, 6, PETSC_DETERMINE, PETSC_DETERMINE));
    OK(MatSetBlockSize(A[which], n));
    OK(MatSetType(A[which], MATBAIJKOKKOS));
    OK(MatSetUp(A[which]));
    OK(MatGetSize(A[which], &rows, nullptr));
    OK(MatGetOwnershipRange(A[which], &first, &last));
    for (PetscInt row = 0; row < rows; ++row)
      for (PetscInt c = 0; c < n; ++c) {
        i.push_back(row);
        j.push_back(row / n * n + c);
        v.push_back(PetscScalar(PetscReal(1 + row + 3 * c + first)));
      }
    OK(MatSetPreallocationCOO(A[which], PetscCount(i.size()), i.data(), j.data()));
    if (which == 0) {
      OK(MatSetValuesCOO(A[which], v.data(), INSERT_VALUES));
    } else {
      const LateUnpacking slow;
      OK(MatSetValuesCOO(A[which], v.data(), INSERT_VALUES));
      EXPECT_EQ(slow.exchanges() > 0, Size() > 1);
    }
  }
  OK(MatCreateVecs(A[0], &b, &x));
  OK(VecDuplicate(x, &y));
  OK(VecSet(b, 1));
  OK(MatMult(A[0], b, x));
  OK(MatMult(A[1], b, y));
  OK(Difference(y, x, &d));
  EXPECT_EQ(d, 0);
}

TEST(Emulated, LargeBlocksOfSipAreRefusedWithTheRemedy)
{
  constexpr PetscInt n = 32;
  if (finegrain::fits_team<finegrain::SipRow<0, finegrain::Scalar, finegrain::Scalar>>(n)) GTEST_SKIP() << "they fit";
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> pc;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  OK(MakePC(A, PCSIP, "-pc_sip_backend device", &pc));
  OK(PCSetDM(pc, da));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"blocks of 32 x 32", "-pc_sip_backend host"});
  OK(PCFinegrainSetBackend(pc, PC_FINEGRAIN_BACKEND_HOST));
  OK(PCSetUp(pc));
}

TEST(Emulated, DeviceOfPetscIsItsOptionsOrItsRanks)
{
  for (int rank = 0; rank < 5; ++rank) EXPECT_EQ(finegrain::device_of_petsc(-1, rank, 2), rank % 2);
  EXPECT_EQ(finegrain::device_of_petsc(1, 0, 2), 1);   // -device_select_cuda 1
  EXPECT_EQ(finegrain::device_of_petsc(-1, 3, 0), -1); // no GPU
}

} // namespace
