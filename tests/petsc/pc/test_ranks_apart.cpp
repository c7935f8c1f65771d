// SPDX-License-Identifier: BSD-2-Clause
// Ranks with different properties: leading dimensions, grids, pending messages of the program. No rank waits for
// another that takes another path.
#include "types.hpp"

#include <cmath>

using namespace finegrain::test;

namespace
{

PER_TYPE(RanksApartPerType);

// A dense matrix with a leading dimension of `stride` on this rank.
PetscErrorCode MakeDense(PetscInt rows, PetscInt stride, PetscInt columns, std::vector<PetscScalar> *values, Mat *B)
{
  PetscFunctionBegin;
  values->assign(std::size_t(stride * columns), PetscScalar(std::nan("")));
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, rows, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PetscCall(MatSetType(*B, MATDENSE));
  PetscCall(MatDenseSetLDA(*B, stride));
  PetscCall(MatSeqDenseSetPreallocation(*B, values->data()));
  PetscCall(MatMPIDenseSetPreallocation(*B, values->data()));
  PetscCall(Assemble(*B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST_P(RanksApartPerType, ColumnsLieApartOnSomeRanks)
{
  constexpr PetscInt columns = 3;
  for (const Variant &v : t.variants)
    for (const bool of_b : {false, true}) { // otherwise of the result
      SCOPED_TRACE(v.options);
      Owned<Mat> A, B, X;
      Owned<PC> pc;
      std::vector<PetscScalar> b, x;
      PetscInt rows;
      PetscReal d;
      OK(Matrix(Shape::star, 3, MATBAIJ, &A));
      OK(MatGetLocalSize(A, &rows, nullptr));
      const PetscInt apart = rows + (Rank() == Size() - 1 ? 5 : 0);
      OK(MakeDense(rows, of_b ? apart : rows, columns, &b, &B));
      OK(MakeDense(rows, of_b ? rows : apart, columns, &x, &X));
      Vectors u(A);
      OK(u.code);
      for (PetscInt c = 0; c < columns; ++c) {
        Vec column;
        OK(MatDenseGetColumnVecWrite(B, c, &column));
        OK(VecCopy(u.b, column));
        OK(VecScale(column, PetscScalar(1 << c)));
        OK(MatDenseRestoreColumnVecWrite(B, c, &column));
      }
      OK(Make(A, v.options, &pc));
      OK(PCSetUp(pc));
      OK(PCMatApply(pc, B, X));
      OK(Apply(pc, u.b, u.y));
      for (PetscInt c = 0; c < columns; ++c) {
        Vec column;
        OK(MatDenseGetColumnVecRead(X, c, &column));
        OK(VecCopy(column, u.x));
        OK(MatDenseRestoreColumnVecRead(X, c, &column));
        OK(VecScale(u.x, PetscReal(1) / PetscReal(1 << c)));
        OK(Difference(u.x, u.y, &d));
        EXPECT_EQ(d, 0);
      }
    }
}

// A grid is set on one rank only.
TEST(RanksApart, AGridOnOneRankAlone)
{
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> pc;
  PetscInt ijk[3], i, j, k;
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 1, 1, &da));
  OK(AssembleOnGrid(da, MATAIJ, &A));
  OK(DMDAGetCorners(da, &i, &j, &k, &ijk[0], &ijk[1], &ijk[2]));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_global", &pc));
  OK(PCFinegrainSetGrid(pc, Rank() == 0 ? 1 : 0, ijk));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"-pc_fgbilu_grid", "-pc_powerqilu_global"});
  OK(PCFinegrainSetGrid(pc, 0, nullptr));
  OK(PCSetUp(pc));
}

// A pending receive of the program for any tag must not get a message of ours.
TEST(RanksApart, MessagesOfTheProgramAreUnderWay)
{
  if (Size() < 2) GTEST_SKIP() << "one rank";
  Owned<DM> da;
  Owned<Mat> A;
  Owned<PC> pc;
  MPI_Comm comm;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  double got[2048] = {}, sent = 42;
  int count = 1;
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 1, 1, &da));
  OK(AssembleOnGrid(da, MATAIJ, &A));
  OK(MakePC(A, PCFGBILU, "-pc_fgbilu_global", &pc));
  OK(PetscObjectGetComm(object(A), &comm));
  if (Rank() == 1) MPI_Irecv(got, 2048, MPI_DOUBLE, 0, 0, comm, &request);
  MPI_Barrier(comm);
  OK(PCSetUp(pc));
  if (Rank() == 0) MPI_Send(&sent, 1, MPI_DOUBLE, 1, 0, comm);
  if (Rank() == 1) {
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    EXPECT_EQ(got[0], 42);
  }
  EXPECT_EQ(count, 1);
}

} // namespace
