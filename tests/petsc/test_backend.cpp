// Where a preconditioner runs. Most builds and machines have no device: then the refusal is what is tested.
#include "fixture.hpp"

using namespace finegrain::test;

namespace
{

TEST(Backend, OptionReachesTheGetterAndTheView)
{
  Mat                    A;
  PC                     pc;
  PCFinegrainBackendType backend;
  std::string            text;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &A));
  for (const auto &[option, expected] :
       {std::pair("", PC_FINEGRAIN_BACKEND_AUTO), std::pair("-pc_fgbilu_backend host", PC_FINEGRAIN_BACKEND_HOST)}) {
    OK(MakePC(A, PCFGBILU, option, &pc));
    OK(PCFinegrainGetBackend(pc, &backend));
    EXPECT_EQ(backend, expected);
    OK(ViewText(pc, &text));
    EXPECT_NE(text.find(std::string("not set up; back end ") + PCFinegrainBackendTypes[backend]), std::string::npos)
      << text;
    OK(PCSetUp(pc));
    OK(ViewText(pc, &text));
    EXPECT_NE(text.find("back end: host ("), std::string::npos) << text;
    OK(PCDestroy(&pc));
  }
  OK(MatDestroy(&A));
}

TEST(Backend, SetterDoesNothingForOtherTypes)
{
  PC                     pc;
  PCFinegrainBackendType backend;
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetType(pc, PCJACOBI));
  OK(PCFinegrainSetBackend(pc, PC_FINEGRAIN_BACKEND_DEVICE));
  EXPECT_NE(ExpectError([&] { return PCFinegrainGetBackend(pc, &backend); }).find("jacobi"), std::string::npos);
  OK(PCDestroy(&pc));
}

// On a device all forms of application agree with the host; where there is none, all ranks get an error that names
// option and remedy. Either way the preconditioner works on the host again afterwards.
TEST(Backend, DeviceAgreesWithTheHostOrSaysWhyNot)
{
  PetscBool expected;
  OK(PetscOptionsHasName(nullptr, nullptr, "-expect_device", &expected));
  for (const char *type : {MATAIJ, MATBAIJ})
    for (const char *options : {"", " -pc_fgbilu_corrections 2", " -pc_fgbilu_precision single"}) {
      Mat            A;
      PC             pc, host;
      PetscReal      d;
      PetscErrorCode code;
      std::string    text;
      OK(AssembleMatrix(box(6, 5, 4), 3, type, 1, &A));
      OK(MakePC(A, PCFGBILU, std::string("-pc_fgbilu_backend device") + options, &pc));
      OK(MakePC(A, PCFGBILU, options, &host));
      {
        ErrorCatcher catcher;
        code = PCSetUp(pc);
        text = catcher.first;
      }
      if (code) {
        EXPECT_FALSE(expected) << text; // -expect_device
        for (const char *word : {"-pc_fgbilu_backend device", "device back end", "-pc_fgbilu_backend host"})
          EXPECT_NE(text.find(word), std::string::npos) << "'" << word << "' is not in: " << text;
      } else {
        OK(ComparePCs(A, pc, host, &d));
        EXPECT_LT(d, tolerance);
        OK(ViewText(pc, &text));
        EXPECT_NE(text.find("back end: device ("), std::string::npos) << text;
      }
      OK(PCFinegrainSetBackend(pc, PC_FINEGRAIN_BACKEND_HOST));
      OK(ComparePCs(A, pc, host, &d));
      EXPECT_EQ(d, 0);
      OK(PCDestroy(&pc));
      OK(PCDestroy(&host));
      OK(MatDestroy(&A));
    }
}

} // namespace
