// SPDX-License-Identifier: BSD-2-Clause
// Every allocation of a set-up and an application may fail. That must be a PETSc error, and the next set-up of the
// same PC must give the right result. A PC holds the bytes that it reports, and thousands of set-ups do not leak.
// Options: -setups (2000), on one rank.
#include "failing.hpp"
#include "types.hpp"

#include <fstream>
#include <malloc.h>

using namespace finegrain::test;

namespace
{

PER_TYPE(AllocationPerType);

TEST_P(AllocationPerType, FailuresAreErrorsAndPass)
{
  if (Size() > 1) GTEST_SKIP() << "AllocationOnRanks";
  for (const char *type : {MATBAIJ, MATAIJ})
    for (const Variant &variant :
         {Variant(""), Variant("-@_precision single -@_corrections 1"), Variant("-@_algorithm tasks")}) {
      SCOPED_TRACE(variant.options + type);
      Owned<Mat> A;
      Owned<PC> plain;
      PetscReal d;
      OK(Matrix(Shape::star, 3, type, &A));
      OK(Make(A, variant.options, &plain));
      Vectors v(A);
      OK(v.code);
      OK(Apply(plain, v.b, v.y));
      int errors = 0;
      for (long number = 0;; ++number) {
        Owned<PC> pc;
        OK(Make(A, variant.options, &pc));
        OK(VecSet(v.x, PETSC_INFINITY));
        ErrorCatcher catcher;
        catcher.first.reserve(4096); // so that the error's text allocates nothing
        FailAllocation(number);
        const PetscErrorCode code = Apply(pc, v.b, v.x);
        const bool happened = StopFailing();
        errors += code != 0;
        if (code) {
          EXPECT_TRUE(happened);
          EXPECT_NE(catcher.first.find("emory"), std::string::npos) << number << ": " << catcher.first;
          OK(Apply(pc, v.b, v.x)); // as if no error had happened
        }
        OK(Difference(v.x, v.y, &d));
        EXPECT_EQ(d, 0) << "allocation " << number << (code ? ", again" : "");
        if (!happened) break;
        ASSERT_LT(number, 100000);
      }
      EXPECT_GT(errors, 20);
    }
}

// Each allocation of a factorization with new values may fail.
TEST_P(AllocationPerType, FailuresOfLaterFactorizationsPass)
{
  const bool half_factor = t.half && !t.relaxes; // computed in memory that each factorization allocates
  const std::string options = half_factor ? "-@_precision half" : "-@_precision single";
  Owned<Mat> A;
  OK(Matrix(Shape::star, 3, MATBAIJ, &A));
  Vectors v(A);
  OK(v.code);
  int errors = 0;
  for (long number = 0;; ++number) {
    Owned<PC> pc;
    PetscReal d;
    OK(Make(A, options, &pc));
    OK(Apply(pc, v.b, v.y));
    OK(PetscObjectStateIncrease(object(A)));
    ErrorCatcher catcher;
    catcher.first.reserve(4096);
    OK(VecSet(v.x, PETSC_INFINITY));
    FailAllocation(number);
    const PetscErrorCode code = Apply(pc, v.b, v.x);
    const bool happened = StopFailing();
    errors += code != 0;
    if (code) {
      OK(Apply(pc, v.b, v.x));
    }
    OK(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0) << "allocation " << number << (code ? ", again" : "");
    if (!happened) break;
    ASSERT_LT(number, 100000);
  }
  if (half_factor) {
    EXPECT_GT(errors, 2);
  }
}

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#if __GLIBC_PREREQ(2, 33)
#define COUNTS_MEMORY

// Bytes that are allocated and not freed, by any library.
double HeldBytes()
{
  const auto m = mallinfo2();
  return double(m.uordblks + m.hblkhd);
}

// Bytes that a PC with these options holds after set-ups and applications, and its reported factor bytes.
struct Held {
  double all, factor;
};
PetscErrorCode Hold(const TypeCase &t, Mat A, const std::string &options, Held *held)
{
  Vectors v(A);
  PetscReal d = 0;

  PetscFunctionBegin;
  PetscCall(PetscErrorCode(v.code));
  const double before = HeldBytes();
  Owned<PC> pc;
  PetscCall(MakePC(A, t.type, Expand(options, t.type), &pc));
  for (int turn = 0; turn < 4; ++turn) {
    const double last = HeldBytes();
    PetscCall(PetscObjectStateIncrease(object(A)));
    PetscCall(Apply(pc, v.b, v.x));
    if (turn == 0) PetscCall(VecCopy(v.x, v.y));
    PetscCall(Difference(v.x, v.y, &d));
    EXPECT_EQ(d, 0);
    if (turn > 1) {
      EXPECT_LE(HeldBytes(), last + 4096);
    }
  }
  held->all = HeldBytes() - before;
  PetscCall(PCFinegrainGetFactorBytes(pc, &held->factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Low-precision storage saves the bytes that it reports, after each factorization.
TEST_P(AllocationPerType, BlocksAreAsLargeAsSaid)
{
  Owned<DM> da;
  Owned<Mat> A;
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 5, 1, &da));
  OK(AssembleOnGrid(da, MATBAIJ, &A));
  OK(MakeSymmetric(A));
  OK(MatSetDM(A, da));
  Held working, less;
  OK(Hold(t, A, "", &working)); // the first one allocates more
  OK(Hold(t, A, "", &working));
  for (const std::string options :
       {"single", "single -@_diag_precision storage", "half", "half -@_diag_precision storage"}) {
    const bool half = options.find("half") == 0;
    if (half && !t.half) continue;
    SCOPED_TRACE(options);
    OK(Hold(t, A, "-@_precision " + options, &less));
    const double vector = half ? 990 * 5 * sizeof(PetscScalar) : 0; // a vector of the sweeps
    EXPECT_NEAR(working.all - less.all, working.factor - less.factor, 0.01 * working.factor + vector);
    if (half && !t.relaxes) {
      EXPECT_LE(less.factor, 0.35 * working.factor);
    }
  }
}

#endif
#endif

long ResidentKiB()
{
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmRSS:") {
      long kib;
      status >> kib;
      return kib;
    }
  return -1;
}

// In all formats, by each algorithm, with new values and with a new pattern.
TEST(Memory, SetUpsLeaveNothingBehind)
{
  if (Size() > 1) GTEST_SKIP() << "one rank";
  PetscInt setups = 2000;
  OK(PetscOptionsGetInt(nullptr, nullptr, "-setups", &setups, nullptr));
  long early = 0;
  PetscInt done = 0;
  for (int round = 0; done < setups; ++round)
    for (const TypeCase &t : AllTypes())
      for (const char *type : {MATAIJ, MATBAIJ, MATBAIJKOKKOS, MATSBAIJ})
        for (const std::string algorithm : {"sequential", "levels", "tasks"}) {
          Owned<DM> da;
          Owned<Mat> A;
          Owned<PC> pc;
          OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 1 + round % 5, 1, &da));
          OK(AssembleOnGrid(da, type == std::string(MATSBAIJ) ? MATBAIJ : type, &A));
          OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
          OK(MatConvert(A, type, MAT_INPLACE_MATRIX, A.in_place()));
          OK(MatSetDM(A, da));
          OK(MakePC(A, t.type, Expand("-@_corrections 1 -@_algorithm " + algorithm, t.type), &pc));
          Vectors v(A);
          OK(v.code);
          OK(Apply(pc, v.b, v.x));
          OK(MatShift(A, 1));
          OK(Apply(pc, v.b, v.x));
          done += 2;
          if (done >= setups / 4 && !early) early = ResidentKiB();
        }
  const long late = ResidentKiB();
  printf("%d set-ups: %ld KiB after a quarter of them, %ld KiB at the end\n", int(done), early, late);
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "AddressSanitizer keeps freed memory";
#endif
  EXPECT_LT(late, early + 2048);
}

} // namespace
