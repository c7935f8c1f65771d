// SPDX-License-Identifier: BSD-2-Clause
// Every allocation of a set-up and of its first use may fail on one rank. That must be an error on all ranks, and
// the next set-up must give the right result. A rank that waits for a failed one would wait until the time limit.
#include "failing.hpp"
#include "types.hpp"

#include <functional>

using namespace finegrain::test;

namespace
{

// A collective use of a PC of some type; every allocation of a set-up and of its first use may fail.
struct Use {
  const char *type, *options;
  std::function<PetscErrorCode(PC, Vectors &)> apply;
  bool applies_only = true; // otherwise it makes a new KSP
};

PetscErrorCode ApplyTransposed(PC pc, Vectors &v)
{
  PetscFunctionBegin;
  PetscCall(PCApplyTranspose(pc, v.b, v.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Solves for three columns and returns the last one.
PetscErrorCode ApplyToSeveral(PC pc, Vectors &v)
{
  Owned<Mat> B, X;
  Mat A;
  Vec column;
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(PCSetUp(pc));
  PetscCall(PCGetOperators(pc, nullptr, &A));
  PetscCall(MatGetLocalSize(A, &rows, nullptr));
  PetscCall(MatCreateDense(PetscObjectComm(object(pc)), rows, PETSC_DECIDE, PETSC_DETERMINE, 3, nullptr, &B));
  PetscCall(MatCreateDense(PetscObjectComm(object(pc)), rows, PETSC_DECIDE, PETSC_DETERMINE, 3, nullptr, &X));
  for (PetscInt c = 0; c < 3; ++c) {
    PetscCall(MatDenseGetColumnVecWrite(B, c, &column));
    PetscCall(VecCopy(v.b, column));
    PetscCall(MatDenseRestoreColumnVecWrite(B, c, &column));
  }
  PetscCall(PCMatApply(pc, B, X));
  PetscCall(MatDenseGetColumnVecRead(X, 2, &column));
  PetscCall(VecCopy(column, v.x));
  PetscCall(MatDenseRestoreColumnVecRead(X, 2, &column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ApplyInParts(PC pc, Vectors &v)
{
  PetscFunctionBegin;
  PetscCall(PCApplySymmetricLeft(pc, v.b, v.x));
  PetscCall(PCApplySymmetricRight(pc, v.x, v.y));
  PetscCall(VecCopy(v.y, v.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveWithIt(PC pc, Vectors &v)
{
  Owned<KSP> ksp;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm(object(pc)), &ksp));
  PetscCall(KSPSetPC(ksp, pc));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, v.b, v.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// An error on one rank is an error on all ranks: none waits for another that has returned.
TEST(AllocationOnRanks, FailuresAreEverybodys)
{
  if (Size() == 1) GTEST_SKIP() << "one rank";
  const auto plain = [](PC pc, Vectors &v) { return Apply(pc, v.b, v.x); };
  const Options solver("-ksp_type gmres -ksp_max_it 3 -ksp_norm_type preconditioned");
  const Use uses[] = {
    {PCFGBILU, "", plain},
    {PCFGBILU, "", ApplyTransposed},
    {PCFGBILU, "", ApplyToSeveral},
    {PCFGBILU, "-pc_fgbilu_corrections 2", plain},
    {PCFGBILU, "-pc_fgbilu_precision half", ApplyTransposed},
    {PCFGBILU, "-pc_fgbilu_precision half", ApplyInParts},
    {PCFGBILU, "-pc_fgbilu_eisenstat", SolveWithIt, false},
    {PCFGBILU, "-ksp_max_it 12", SolveWithIt, false},                      // chooses the trick by default
    {PCFGBILU, "-pc_fgbilu_eisenstat -ksp_type bicg", SolveWithIt, false}, // uses transposed products
    {PCFGBILU, "-pc_fgbilu_global", plain},
    {PCFGBILU, "-pc_fgbilu_global", ApplyTransposed},
    {PCFGBILU, "-pc_fgbilu_global -pc_fgbilu_eisenstat", SolveWithIt, false},
    {PCFGBICC, "-pc_fgbicc_corrections 1", plain},
    {PCMCPI, "-pc_mcpi_exchange sweep", plain},
    {PCMCPI, "-pc_mcpi_exchange sweep", ApplyTransposed},
    {PCMCPI, "-pc_mcpi_exchange color -pc_mcpi_coloring jp -pc_mcpi_precision half", ApplyToSeveral},
    {PCPOWERQILU, "-pc_powerqilu_levels 1", plain},
    {PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_global", plain},
    {PCPOWERQILU, "-pc_powerqilu_levels 2 -pc_powerqilu_global", ApplyTransposed},
    {PCSIP, "-pc_sip_alpha 0.5,0.8 -pc_sip_its 2", plain},
    {PCSIP, "-pc_sip_global", plain}};
  for (const char *type : {MATAIJ, MATBAIJKOKKOS})
    for (const Use &use : uses) {
      if (Size() > 2 && type == std::string(MATBAIJKOKKOS)) continue; // tested on two ranks
      SCOPED_TRACE(std::string(use.type) + " " + use.options + " " + type);
      Owned<DM> da;
      Owned<Mat> A;
      Owned<PC> sound;
      PetscReal d;
      OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
      OK(AssembleOnGrid(da, type, &A));
      if (use.type == std::string(PCFGBICC)) {
        OK(MakeSymmetric(A));
      }
      OK(MatSetDM(A, da));
      OK(MakePC(A, use.type, use.options, &sound));
      Vectors v(A), w(A);
      OK(v.code);
      OK(w.code);
      OK(use.apply(sound, w));
      if (use.applies_only) { // again, without allocations: an error on one rank would make the others wait
        FailAllocation(0);
        const int code = use.apply(sound, v);
        EXPECT_FALSE(StopFailing());
        OK(code);
      }
      int errors = 0;
      // First every allocation is tested, then fewer, because a set-up has hundreds. With more ranks than cores each
      // test is slow.
      const long dense = Size() == 2 ? 30 : 8;
      for (long number = 0, step = 1, all = 1; all; number += step, step = 1 + number / dense) {
        const int who = int(number) % Size();
        Owned<PC> pc;
        OK(MakePC(A, use.type, use.options, &pc));
        OK(VecSet(v.x, PETSC_INFINITY));
        ErrorCatcher catcher;
        catcher.first.reserve(4096); // so that the error's text allocates nothing
        if (Rank() == who) FailAllocation(number);
        int code = use.apply(pc, v) != 0;
        const int happened = StopFailing();
        int codes[2] = {code, -code};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
        ASSERT_EQ(codes[0], -codes[1]) << "allocation " << number << " of rank " << who;
        errors += code;
        if (code) {
          ExpectIn(catcher.first, {Rank() == who ? "emory" : "Another rank has failed"});
          OK(VecSet(v.x, PETSC_INFINITY));
          OK(use.apply(pc, v)); // as if no error had happened
        }
        OK(Difference(v.x, w.x, &d));
        EXPECT_EQ(d, 0) << "allocation " << number << (code ? ", again" : "");
        all = happened;
        MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_MAX, PETSC_COMM_WORLD);
      }
      EXPECT_GT(errors, 20);
    }
}

// Products and assembly of baijkokkos.
TEST(AllocationOnRanks, MatricesToo)
{
  if (Size() == 1) GTEST_SKIP() << "one rank";
  Owned<Mat> A;
  std::vector<PetscInt> i, j;
  std::vector<PetscScalar> values;
  PetscInt first, last;
  OK(AssembleMatrix(star(6, 5, 4), 2, MATBAIJKOKKOS, 1, &A));
  OK(MatGetOwnershipRange(A, &first, &last));
  const Couplings couplings = star(6, 5, 4);
  for (PetscInt row = first / 2; row < last / 2; ++row)
    for (const PetscInt col : couplings[std::size_t(row)]) { // neighbors set some rows
      i.push_back(row % 7 ? row : (row + 60) % 120);
      j.push_back(row % 7 ? col : i.back());
      for (int k = 0; k < 4; ++k) values.push_back(PetscScalar(k + 1));
    }
  std::vector<PetscInt> rows, cols; // PETSc may change them
  const auto use = [&](Mat B, Vectors &v) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MatBAIJKokkosSetPreallocationCOO(B, PetscCount(rows.size()), rows.data(), cols.data()));
    PetscCall(MatSetValuesCOO(B, values.data(), INSERT_VALUES));
    PetscCall(MatMult(B, v.b, v.x));
    PetscCall(MatMultTransposeAdd(B, v.b, v.x, v.x));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  const auto make = [&](Mat *B) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, B));
    PetscCall(MatSetSizes(*B, last - first, last - first, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetBlockSize(*B, 2));
    PetscCall(MatSetType(*B, MATBAIJKOKKOS));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  Owned<Mat> sound;
  Vectors v(A), w(A);
  PetscReal d;
  OK(v.code);
  OK(w.code);
  OK(make(&sound));
  rows = i;
  cols = j;
  OK(use(sound, w));
  int errors = 0;
  for (long number = 0, all = 1; all; ++number) {
    const int who = int(number) % Size();
    Owned<Mat> B;
    OK(make(&B));
    rows = i;
    cols = j;
    ErrorCatcher catcher;
    catcher.first.reserve(4096);
    if (Rank() == who) FailAllocation(number);
    const int code = use(B, v) != 0;
    all = StopFailing();
    int codes[2] = {code, -code};
    MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
    ASSERT_EQ(codes[0], -codes[1]) << "allocation " << number << " of rank " << who;
    errors += code;
    if (code) {
      rows = i;
      cols = j;
      OK(use(B, v));
    }
    OK(Difference(v.x, w.x, &d));
    EXPECT_EQ(d, 0);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_LONG, MPI_MAX, PETSC_COMM_WORLD);
  }
  EXPECT_GT(errors, 10);
}

} // namespace
