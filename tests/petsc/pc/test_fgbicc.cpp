// SPDX-License-Identifier: BSD-2-Clause
// Properties of fgbicc alone: it equals PETSc's ICC(0) on scalar stars and the DILU of fgbilu on blocks, reads SBAIJ
// matrices without conversion, and refuses some matrices. test_types_*.cpp test the rest for all types.
#include "fixture.hpp"

using namespace finegrain::test;

namespace
{

// A symmetric matrix, of which SBAIJ stores the upper triangle.
PetscErrorCode AssembleSymmetric(const Couplings &couplings, PetscInt n, MatType type, int seed, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(AssembleMatrix(couplings, n, MATBAIJ, seed, A));
  PetscCall(MakeSymmetric(*A));
  if (std::string(type) != MATBAIJ) PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeIcc(Mat A, PC *pc)
{
  PetscFunctionBegin;
  const Options set("-sub_pc_type icc -sub_pc_factor_mat_ordering_type natural");
  PetscCall(PCCreate(PetscObjectComm(object(A)), pc));
  PetscCall(PCSetType(*pc, PCBJACOBI));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc));
  PetscCall(PCSetUp(*pc));
  PetscCall(PCSetUpOnBlocks(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Fgbicc, EqualsIccOfPetscOnScalarStars)
{
  for (const Couplings &c : {star(23, 1, 1), star(7, 6, 1), star(5, 4, 3)}) {
    Owned<Mat> A;
    Owned<PC> ours, theirs;
    PetscReal d;
    OK(AssembleSymmetric(c, 1, MATAIJ, 1, &A));
    OK(MakePC(A, PCFGBICC, "", &ours));
    OK(MakeIcc(A, &theirs));
    OK(ComparePCs(A, ours, theirs, &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST(Fgbicc, EqualsTheDiluOfFgbiluOnBlocks)
{
  for (const Couplings &c : {star(5, 4, 3), box(4, 4, 2), scattered(40, 3, true)})
    for (const PetscInt n : {1, 3, 5, 9})
      for (const MatType type : {MATAIJ, MATBAIJ, MATSBAIJ}) {
        Owned<Mat> A;
        Owned<PC> ours, theirs;
        PetscReal d;
        OK(AssembleSymmetric(c, n, type, 1, &A));
        OK(MakePC(A, PCFGBICC, "", &ours));
        OK(MakePC(A, PCFGBILU, "-pc_fgbilu_factor dilu", &theirs));
        OK(ComparePCs(A, ours, theirs, &d));
        EXPECT_LT(d, tolerance) << type << ", blocks of " << n;
      }
}

// Returns the line of the view that begins with `start`.
std::string LineOf(const std::string &text, const std::string &start)
{
  const std::size_t at = text.find(start);
  EXPECT_NE(at, std::string::npos) << start << " is not in\n" << text;
  return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Fgbicc, SbaijIsReadAsItIsAndGivesTheBitsOfBaij)
{
  for (const PetscInt n : {1, 2, 5}) {
    Owned<Mat> full, upper, next, next_upper;
    Owned<PC> p, q;
    std::string of_full, of_upper;
    PetscReal d;
    OK(AssembleSymmetric(star(5, 4, 3), n, MATBAIJ, 1, &full));
    OK(AssembleSymmetric(star(5, 4, 3), n, MATSBAIJ, 1, &upper));
    OK(MakePC(full, PCFGBICC, "", &p));
    OK(MakePC(upper, PCFGBICC, "", &q));
    OK(ComparePCs(full, p, q, &d));
    EXPECT_EQ(d, 0) << n;
    OK(ViewText(p, &of_full));
    OK(ViewText(q, &of_upper));
    EXPECT_EQ(of_full.find("SBAIJ"), std::string::npos);
    ExpectIn(of_upper, {"per rank; SBAIJ is read as it is\n"});
    for (const char *line : {"ignored blocks: ", "schedule: "})
      EXPECT_EQ(LineOf(of_upper, line), LineOf(of_full, line));
    // New values.
    const int analyses = EventCount("FGAnalyze");
    OK(AssembleSymmetric(star(5, 4, 3), n, MATBAIJ, 2, &next));
    OK(AssembleSymmetric(star(5, 4, 3), n, MATSBAIJ, 2, &next_upper));
    OK(MatCopy(next, full, SAME_NONZERO_PATTERN));
    OK(MatCopy(next_upper, upper, SAME_NONZERO_PATTERN));
    OK(ComparePCs(full, p, q, &d));
    EXPECT_EQ(d, 0) << n;
    EXPECT_EQ(EventCount("FGAnalyze"), analyses);
  }
}

// Residuals need the whole matrix. It is requested beforehand, or by a solver after set-up.
TEST(Fgbicc, CorrectionsOnSbaijAreThoseOnBaij)
{
  Owned<Mat> full, upper;
  Owned<PC> p, q;
  PetscReal d;
  OK(AssembleSymmetric(star(5, 4, 3), 3, MATBAIJ, 1, &full));
  OK(AssembleSymmetric(star(5, 4, 3), 3, MATSBAIJ, 1, &upper));
  OK(MakePC(full, PCFGBICC, "-pc_fgbicc_corrections 2", &p));
  OK(MakePC(upper, PCFGBICC, "-pc_fgbicc_corrections 2", &q));
  OK(ComparePCs(full, p, q, &d));
  EXPECT_EQ(d, 0);
  for (const char *solver : {"-ksp_type refine", "-ksp_type richardson -pc_fgbicc_apply_richardson fixed"}) {
    SCOPED_TRACE(solver);
    PetscInt iterations[2];
    Owned<Vec> b, x, y;
    OK(MakeVectors(full, &b, &x));
    OK(VecDuplicate(x, &y));
    const Options set(std::string(solver) + " -pc_type fgbicc -ksp_rtol 1e-4");
    for (const int k : {0, 1}) {
      Owned<KSP> ksp;
      KSPConvergedReason reason;
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPSetOperators(ksp, k ? upper : full, k ? upper : full));
      OK(KSPSetFromOptions(ksp));
      OK(KSPSetUp(ksp));
      OK(KSPSolve(ksp, b, k ? y : x));
      OK(KSPGetConvergedReason(ksp, &reason));
      OK(KSPGetIterationNumber(ksp, &iterations[k]));
      EXPECT_GT(reason, 0);
    }
    EXPECT_EQ(iterations[1], iterations[0]);
    OK(Difference(y, x, &d));
    EXPECT_LT(d, tolerance);
  }
}

TEST(Fgbicc, IsSymmetricAsConjugateGradientsNeedIt)
{
  Owned<Mat> A;
  Owned<PC> pc;
  Owned<Vec> b, x, y, z;
  PetscScalar one, two;
  OK(AssembleSymmetric(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBICC, "", &pc));
  OK(MakeVectors(A, &b, &x));
  OK(VecDuplicate(x, &y));
  OK(VecDuplicate(x, &z));
  OK(Apply(pc, b, x));
  OK(VecCopy(b, z));
  OK(VecPointwiseMult(z, z, x)); // another vector
  OK(Apply(pc, z, y));
  OK(VecTDot(x, z, &one));
  OK(VecTDot(b, y, &two));
  EXPECT_LT(PetscAbsScalar(one - two), tolerance * PetscAbsScalar(one));
  OK(PCApplyTranspose(pc, b, y));
  PetscReal d;
  OK(Difference(y, x, &d));
  EXPECT_EQ(d, 0);
}

TEST(Fgbicc, RefusesWhatIsNotSymmetric)
{
  Owned<Mat> A, B;
  Owned<PC> pc, other;
  OK(AssembleMatrix(scattered(40, 3, false), 2, MATBAIJ, 1, &A));
  OK(MakePC(A, PCFGBICC, "", &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"-pc_type fgbicc", "symmetric nonzero pattern", "fgbilu"});
  OK(AssembleMatrix(star(5, 4, 3), 2, MATBAIJ, 1, &B));
  OK(MatSetOption(B, MAT_SYMMETRIC, PETSC_FALSE));
  OK(MakePC(B, PCFGBICC, "", &other));
  ExpectIn(ExpectError([&] { return PCSetUp(other); }), {"-pc_type fgbicc", "MAT_SYMMETRIC", "fgbilu"});
  OK(MatSetOption(B, MAT_SYMMETRIC, PETSC_TRUE)); // the next regular matrix works
  OK(PCSetUp(other));
}

// PETSc's flags of a matrix are checked at every set-up, for a reused preconditioner as for a new one.
TEST(Fgbicc, RefusesWhatIsSymmetricNoMore)
{
  const std::vector<std::pair<const char *, std::function<PetscErrorCode(Mat)>>> changes = {
    {"MatDiagonalScale()",
     [](Mat A) {
       Owned<Vec> rows;
       return PetscErrorCode(MatCreateVecs(A, nullptr, &rows) || VecSetRandom(rows, nullptr) ||
                             MatDiagonalScale(A, rows, nullptr));
     }},
    {"MatIsSymmetric()",
     [](Mat A) {
       PetscInt first, last;
       PetscBool is_symmetric;
       PetscFunctionBegin;
       PetscCall(MatGetOwnershipRange(A, &first, &last));
       if (first < last) PetscCall(MatSetValue(A, first, first + 1, 7, INSERT_VALUES));
       PetscCall(Assemble(A));
       PetscCall(MatIsSymmetric(A, 0, &is_symmetric));
       PetscFunctionReturn(PETSC_SUCCESS);
     }},
    {"MatSetOption()",
     [](Mat A) { return PetscErrorCode(MatScale(A, 2) || MatSetOption(A, MAT_SYMMETRIC, PETSC_FALSE)); }}};
  for (const auto &[name, change] : changes)
    for (const MatType type : {MATAIJ, MATBAIJ}) {
      SCOPED_TRACE(std::string(name) + ", " + type);
      if (type == std::string(MATBAIJ) && std::string(name) == "MatIsSymmetric()") continue; // for scalars only
      Owned<Mat> A;
      Owned<PC> kept, fresh;
      const std::vector<std::string> words = {"-pc_type fgbicc", "MAT_SYMMETRIC", "fgbilu"};
      OK(AssembleSymmetric(star(5, 4, 3), 2, type, 1, &A));
      OK(MakePC(A, PCFGBICC, "", &kept));
      OK(PCSetUp(kept));
      OK(change(A));
      ExpectIn(ExpectError([&] { return PCSetUp(kept); }), words);
      OK(MakePC(A, PCFGBICC, "", &fresh));
      ExpectIn(ExpectError([&] { return PCSetUp(fresh); }), words);
      OK(MakeSymmetric(A));
      OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
      OK(PCSetUp(kept));
      OK(PCSetUp(fresh));
    }
}

} // namespace
