// Every allocation of a set-up and an application may fail: that is an error of PETSc's, and the next set-up of the
// same PC gives the right result. And thousands of set-ups leave nothing behind. Options: -setups (2000), on one
// rank.
#include "failing.hpp"
#include "types.hpp"

#include <fstream>

using namespace finegrain::test;

namespace
{

PER_TYPE(AllocationPerType);

TEST_P(AllocationPerType, FailuresAreErrorsAndPass)
{
  for (const char *type : {MATBAIJ, MATAIJ})
    for (const Variant &variant :
         {Variant(""), Variant("-@_precision single -@_corrections 1"), Variant("-@_executor self")}) {
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
        catcher.first.reserve(4096); // the error's text needs none
        FailAllocation(number);
        const PetscErrorCode code = Apply(pc, v.b, v.x);
        const bool happened = StopFailing();
        errors += code != 0;
        if (code) {
          EXPECT_TRUE(happened);
          EXPECT_NE(catcher.first.find("emory"), std::string::npos) << number << ": " << catcher.first;
          OK(Apply(pc, v.b, v.x)); // as if nothing had been
        }
        OK(Difference(v.x, v.y, &d));
        EXPECT_EQ(d, 0) << "allocation " << number << (code ? ", again" : "");
        if (!happened) break;
        ASSERT_LT(number, 100000);
      }
      EXPECT_GT(errors, 20);
    }
}

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

// In all formats, by each executor, with new values and with a new pattern.
TEST(Memory, SetUpsLeaveNothingBehind)
{
  PetscInt setups = 2000;
  OK(PetscOptionsGetInt(nullptr, nullptr, "-setups", &setups, nullptr));
  long early = 0;
  PetscInt done = 0;
  for (int round = 0; done < setups; ++round)
    for (const TypeCase &t : AllTypes())
      for (const char *type : {MATAIJ, MATBAIJ, MATBAIJKOKKOS, MATSBAIJ})
        for (const std::string executor : {"natural", "launch", "self", "tile"}) {
          Owned<DM> da;
          Owned<Mat> A;
          Owned<PC> pc;
          OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 1 + round % 5, 1, &da));
          OK(AssembleOnGrid(da, type == std::string(MATSBAIJ) ? MATBAIJ : type, &A));
          OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
          OK(MatConvert(A, type, MAT_INPLACE_MATRIX, A.in_place()));
          OK(MatSetDM(A, da));
          OK(MakePC(A, t.type, Expand("-@_corrections 1 -@_executor " + executor, t.type), &pc));
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
