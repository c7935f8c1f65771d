// SPDX-License-Identifier: BSD-2-Clause
// PCCPR: compared with two stages in plain dense arithmetic, on a flow of two phases, and its errors.
#include "fixture.hpp"

#include <algorithm>
#include <cmath>

using namespace finegrain::test;

namespace
{

using Dense = std::vector<std::vector<PetscScalar>>;

// Solves M x = b by elimination with row exchanges.
std::vector<PetscScalar> Solve(Dense M, std::vector<PetscScalar> b)
{
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (PetscAbsScalar(M[i][k]) > PetscAbsScalar(M[p][k])) p = i;
    std::swap(M[k], M[p]);
    std::swap(b[k], b[p]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const PetscScalar f = M[i][k] / M[k][k];
      for (std::size_t j = k; j < n; ++j) M[i][j] -= f * M[k][j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= M[k][j] * b[j];
    b[k] /= M[k][k];
  }
  return b;
}

Dense Transpose(const Dense &M)
{
  Dense T(M[0].size(), std::vector<PetscScalar>(M.size()));
  for (std::size_t i = 0; i < M.size(); ++i)
    for (std::size_t j = 0; j < M[i].size(); ++j) T[j][i] = M[i][j];
  return T;
}

std::vector<PetscScalar> Multiply(const Dense &M, const std::vector<PetscScalar> &x)
{
  std::vector<PetscScalar> y(M.size(), 0);
  for (std::size_t i = 0; i < M.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) y[i] += M[i][j] * x[j];
  return y;
}

// Weights of a block row in the definition of PCCPRWeightsType.
std::vector<PetscScalar> Weights(const Dense &A, std::size_t row, std::size_t n, std::size_t p, PCCPRWeightsType type)
{
  std::vector<PetscScalar> w(n, 1);
  if (type == PCCPR_WEIGHTS_SUM) return w;
  if (type == PCCPR_WEIGHTS_VECTOR) {
    for (std::size_t k = 0; k < n; ++k) w[k] = PetscScalar(PetscReal(1 + (row * n + k) % 5));
    return w;
  }
  std::fill(w.begin(), w.end(), PetscScalar(0));
  w[p] = 1;
  if (type == PCCPR_WEIGHTS_ROW) return w;
  Dense D(n, std::vector<PetscScalar>(n));
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) D[c][r] = A[row * n + r][row * n + c];
  w = Solve(D, w);
  PetscReal largest = 0;
  for (const PetscScalar x : w) largest = std::max(largest, PetscAbsScalar(x));
  for (PetscScalar &x : w) x /= largest;
  return w;
}

// z = C r + M^-1 (r - A C r) with C = P S^-1 W^T and M the diagonal of A; or the transpose.
std::vector<PetscScalar> TwoStages(const Dense &A, std::size_t n, std::size_t p, PCCPRWeightsType type,
                                   const std::vector<PetscScalar> &r, bool transposed)
{
  const std::size_t rows = A.size(), blocks = rows / n;
  Dense Wt(blocks, std::vector<PetscScalar>(rows, 0)), P(rows, std::vector<PetscScalar>(blocks, 0));
  for (std::size_t i = 0; i < blocks; ++i) {
    const std::vector<PetscScalar> w = Weights(A, i, n, p, type);
    for (std::size_t k = 0; k < n; ++k) Wt[i][i * n + k] = w[k];
    P[i * n + p][i] = 1;
  }
  Dense S(blocks, std::vector<PetscScalar>(blocks, 0));
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = 0; j < blocks; ++j)
      for (std::size_t k = 0; k < n; ++k) S[i][j] += Wt[i][i * n + k] * A[i * n + k][j * n + p];
  std::vector<PetscScalar> z(rows), residual(rows);
  const auto divide = [&](const std::vector<PetscScalar> &x) {
    std::vector<PetscScalar> y(rows);
    for (std::size_t i = 0; i < rows; ++i) y[i] = x[i] / A[i][i];
    return y;
  };
  const auto first = transposed ? divide(r) : Multiply(P, Solve(S, Multiply(Wt, r)));
  const auto product = Multiply(transposed ? Transpose(A) : A, first);
  for (std::size_t i = 0; i < rows; ++i) residual[i] = r[i] - product[i];
  const auto second =
    transposed ? Multiply(Transpose(Wt), Solve(Transpose(S), Multiply(Transpose(P), residual))) : divide(residual);
  for (std::size_t i = 0; i < rows; ++i) z[i] = first[i] + second[i];
  return z;
}

Dense WholeMatrix(const Couplings &couplings, PetscInt n, int seed)
{
  const std::size_t rows = couplings.size() * std::size_t(n);
  Dense A(rows, std::vector<PetscScalar>(rows, 0));
  for (std::size_t i = 0; i < couplings.size(); ++i)
    for (const PetscInt j : couplings[i])
      for (PetscInt r = 0; r < n; ++r)
        for (PetscInt c = 0; c < n; ++c)
          A[i * std::size_t(n) + std::size_t(r)][std::size_t(j * n + c)] =
            EntryValue(PetscInt(i) * n + r, j * n + c, n, seed, couplings[i].size());
  return A;
}

// A vector with entries that depend on the global row, and its copy on every rank.
PetscErrorCode Entries(Vec v, std::vector<PetscScalar> *all, const std::function<PetscScalar(PetscInt)> &entry)
{
  PetscInt first, last, rows;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &first, &last));
  PetscCall(VecGetSize(v, &rows));
  for (PetscInt i = first; i < last; ++i) PetscCall(VecSetValue(v, i, entry(i), INSERT_VALUES));
  PetscCall(VecAssemblyBegin(v));
  PetscCall(VecAssemblyEnd(v));
  for (PetscInt i = 0; i < rows; ++i) all->push_back(entry(i));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The largest difference from the oracle, relative to its largest entry, on this rank.
PetscErrorCode FarFrom(const std::vector<PetscScalar> &oracle, Vec z, PetscReal *d)
{
  const PetscScalar *array;
  PetscInt first, last;
  PetscReal scale = 0;

  PetscFunctionBegin;
  for (const PetscScalar x : oracle) scale = std::max(scale, PetscAbsScalar(x));
  PetscCall(VecGetOwnershipRange(z, &first, &last));
  PetscCall(VecGetArrayRead(z, &array));
  *d = 0;
  for (PetscInt i = first; i < last; ++i) {
    const PetscReal e = PetscAbsScalar(array[i - first] - oracle[std::size_t(i)]) / scale;
    *d = e <= *d ? *d : e; // NaN stays
  }
  PetscCall(VecRestoreArrayRead(z, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const std::string exact =
  "-cpr_pressure_pc_type redundant -cpr_pressure_redundant_pc_type lu -cpr_full_pc_type jacobi ";

TEST(Cpr, EqualsTwoStagesInDenseArithmetic)
{
  for (const PetscInt n : {2, 3, 5})
    for (const char *type : {MATAIJ, MATBAIJ, MATBAIJKOKKOS})
      for (const PCCPRWeightsType weights :
           {PCCPR_WEIGHTS_QUASIIMPES, PCCPR_WEIGHTS_SUM, PCCPR_WEIGHTS_ROW, PCCPR_WEIGHTS_VECTOR})
        for (const bool transposed : {false, true}) {
          const PetscInt p = n - 1;
          const Couplings couplings = scattered(14, 3, false);
          SCOPED_TRACE(std::string(type) + " " + PCCPRWeightsTypes[weights] + (transposed ? " transposed" : ""));
          Owned<Mat> A;
          Owned<PC> pc;
          Owned<Vec> given;
          std::vector<PetscScalar> r, w;
          PetscReal d;
          OK(AssembleMatrix(couplings, n, type, 1, &A));
          if (!strcmp(type, MATAIJ)) {
            OK(MatSetBlockSize(A, n));
          }
          Vectors v(A);
          OK(v.code);
          OK(Entries(v.b, &r, [](PetscInt i) { return PetscScalar(PetscReal(1 + (i * 7) % 11)); }));
          OK(MakePC(A, PCCPR, exact + "-pc_cpr_pressure " + std::to_string(p), &pc));
          OK(VecDuplicate(v.b, &given));
          OK(Entries(given, &w, [](PetscInt i) { return PetscScalar(PetscReal(1 + i % 5)); }));
          if (weights == PCCPR_WEIGHTS_VECTOR) {
            OK(PCCPRSetWeightsVector(pc, given));
          } else {
            OK(PCCPRSetWeights(pc, weights));
          }
          OK(VecSet(v.x, NAN));
          OK(transposed ? PCApplyTranspose(pc, v.b, v.x) : PCApply(pc, v.b, v.x));
          OK(FarFrom(TwoStages(WholeMatrix(couplings, n, 1), std::size_t(n), std::size_t(p), weights, r, transposed),
                     v.x, &d));
          EXPECT_LT(d, tolerance) << n;
        }
}

// New values equal a new PC, with the pattern of the first; other patterns, sizes of blocks and resets too.
TEST(Cpr, FollowsTheMatrix)
{
  Owned<Mat> A, B, wide;
  Owned<PC> pc, fresh;
  KSP pressure;
  Mat before, after;
  PetscReal d;
  OK(AssembleMatrix(star(6, 5, 1), 3, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(6, 5, 1), 3, MATAIJ, 2, &B));
  OK(AssembleMatrix(box(6, 5, 1), 3, MATAIJ, 1, &wide));
  OK(MakePC(A, PCCPR, exact, &pc));
  OK(PCSetUp(pc));
  OK(PCCPRGetPressureKSP(pc, &pressure));
  OK(KSPGetOperators(pressure, &before, nullptr));
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(MakePC(B, PCCPR, exact, &fresh));
  OK(ComparePCs(A, pc, fresh, &d));
  EXPECT_EQ(d, 0);
  OK(KSPGetOperators(pressure, &after, nullptr));
  EXPECT_EQ(before, after); // no new pattern
  OK(PCSetOperators(pc, wide, wide));
  OK(MakePC(wide, PCCPR, exact, &fresh));
  OK(ComparePCs(wide, pc, fresh, &d));
  EXPECT_EQ(d, 0);
  OK(PCReset(pc));
  OK(PCSetOperators(pc, B, B));
  OK(PCCPRSetPressure(pc, 2));
  OK(MakePC(B, PCCPR, exact + "-pc_cpr_pressure 2", &fresh));
  OK(ComparePCs(B, pc, fresh, &d));
  EXPECT_EQ(d, 0);
}

// SBAIJ is read as MatMult() multiplies, and an AIJ matrix gets its blocks from the option.
TEST(Cpr, ReadsWhatMatMultMultiplies)
{
  Owned<Mat> A, S, scalar;
  Owned<PC> pc, other;
  PetscReal d;
  OK(AssembleMatrix(star(6, 5, 1), 3, MATBAIJ, 1, &A));
  OK(MakeSymmetric(A));
  OK(MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE));
  OK(MatConvert(A, MATSBAIJ, MAT_INITIAL_MATRIX, &S));
  OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &scalar));
  OK(MatSetBlockSizes(scalar, 1, 1));
  OK(MakePC(A, PCCPR, exact, &pc));
  OK(MakePC(S, PCCPR, exact, &other));
  OK(ComparePCs(A, other, pc, &d));
  EXPECT_LT(d, tolerance);
  OK(MakePC(scalar, PCCPR, exact + "-pc_cpr_block_size 3", &other));
  OK(ComparePCs(A, other, pc, &d));
  EXPECT_LT(d, tolerance);
}

// The recipe of docs/types/cpr.md by PETSc's options alone, with exact solvers.
TEST(Cpr, EqualsPetscsCompositeWithTheWeightRow)
{
  Owned<Mat> A;
  Owned<PC> pc, composite;
  PetscReal d;
  OK(AssembleMatrix(star(6, 5, 1), 2, MATAIJ, 1, &A));
  OK(MakePC(A, PCCPR, exact + "-pc_cpr_weights row", &pc));
  {
    const Options set("-sub_0_pc_fieldsplit_type additive -sub_0_pc_fieldsplit_block_size 2 "
                      "-sub_0_pc_fieldsplit_0_fields 0 -sub_0_pc_fieldsplit_1_fields 1 "
                      "-sub_0_fieldsplit_0_ksp_type preonly -sub_0_fieldsplit_0_pc_type redundant "
                      "-sub_0_fieldsplit_0_redundant_pc_type lu -sub_0_fieldsplit_1_ksp_type richardson "
                      "-sub_0_fieldsplit_1_ksp_max_it 0 -sub_0_fieldsplit_1_pc_type none");
    OK(MakePC(A, PCCOMPOSITE, "-pc_composite_type multiplicative -pc_composite_pcs fieldsplit,jacobi", &composite));
    OK(ComparePCs(A, pc, composite, &d)); // the first application reads the options of the parts
  }
  EXPECT_LT(d, tolerance);
}

// A part that fails on one rank is a failure on all, and the next solve ends as with the part alone.
TEST(Cpr, FailsOnAllRanksIfOneFails)
{
  std::vector<int> alone;
  for (const std::string &options : {std::string("-pc_type bjacobi -sub_pc_type ilu"),
                                     std::string("-pc_type cpr -pc_cpr_weights sum -cpr_pressure_pc_type jacobi "
                                                 "-cpr_full_pc_type bjacobi -cpr_full_sub_pc_type ilu"),
                                     std::string("-pc_type lag -lag_pc_type bjacobi -lag_sub_pc_type ilu")}) {
    SCOPED_TRACE(options);
    Owned<Mat> A, B;
    Owned<KSP> ksp;
    KSPConvergedReason first, second;
    OK(AssembleMatrix(star(6, 5, 1), 2, MATAIJ, 1, &A));
    OK(AssembleMatrix(star(6, 5, 1), 2, MATAIJ, 1, &B));
    Vectors v(A);
    OK(v.code);
    OK(MakeSingular(A, 0, 2));
    const Options set(options);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSetFromOptions(ksp));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetConvergedReason(ksp, &first));
    EXPECT_EQ(int(first), int(KSP_DIVERGED_PC_FAILED));
    OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSolve(ksp, v.b, v.x));
    OK(KSPGetConvergedReason(ksp, &second));
    if (alone.empty()) alone.push_back(int(second));
    EXPECT_EQ(int(second), alone[0]);
  }
}

TEST(Cpr, FailsWithAReasonAndRecovers)
{
  Owned<Mat> A, B;
  Owned<KSP> ksp;
  KSPConvergedReason reason;
  std::string text;
  OK(AssembleMatrix(star(6, 5, 1), 2, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(6, 5, 1), 2, MATAIJ, 1, &B));
  Vectors v(A);
  OK(v.code);
  OK(MakeSingular(A, 7, 2));
  {
    const Options set("-pc_type cpr " + exact);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, A, A));
    OK(KSPSetFromOptions(ksp));
  }
  OK(InfoText([&] { return KSPSolve(ksp, v.b, v.x); }, &text));
  if (Rank() == 0) ExpectIn(text, {"block row 7", "-pc_cpr_weights sum or row"});
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_EQ(int(reason), int(KSP_DIVERGED_PC_FAILED));
  OK(MatCopy(B, A, SAME_NONZERO_PATTERN));
  OK(KSPSolve(ksp, v.b, v.x));
  OK(KSPGetConvergedReason(ksp, &reason));
  EXPECT_GT(int(reason), 0);
  OK(MakeSingular(A, 7, 2));
  OK(KSPSetOperators(ksp, A, A)); // set-up before the solve
  OK(KSPSetErrorIfNotConverged(ksp, PETSC_TRUE));
  ExpectIn(ExpectError([&] { return KSPSolve(ksp, v.b, v.x); }), {"block row 7", "-pc_cpr_weights sum or row"});
}

TEST(Cpr, NamesWhatIsWrong)
{
  Owned<Mat> A, scalar;
  Owned<PC> pc, other;
  Owned<Vec> shorter;
  PetscInt n, unknown;
  PCCPRWeightsType weights;
  PC full;
  const auto set_weights = reinterpret_cast<PetscErrorCode (*)(PC, int)>(PCCPRSetWeights); // as C calls it
  OK(AssembleMatrix(star(5, 4, 1), 3, MATAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 1), 1, MATAIJ, 1, &scalar));
  OK(MakePC(scalar, PCCPR, "", &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"blocks of one row", "-pc_cpr_block_size"});
  OK(PCCPRSetBlockSize(pc, 7)); // wells would be such rows
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"does not divide", "-pc_cpr_block_size"});
  OK(MakePC(A, PCCPR, "-pc_cpr_pressure 3", &pc));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"unknown 3", "-pc_cpr_pressure", "PCCPRSetPressure()"});
  OK(PCCPRSetPressure(pc, 2));
  OK(PCSetUp(pc)); // an error is no obstacle for the next set-up
  OK(PCCPRSetWeights(pc, PCCPR_WEIGHTS_VECTOR));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"-pc_cpr_weights is vector", "PCCPRSetWeightsVector()"});
  OK(VecCreateMPI(PETSC_COMM_WORLD, 2, PETSC_DETERMINE, &shorter));
  OK(PCCPRSetWeightsVector(pc, shorter));
  ExpectIn(ExpectError([&] { return PCSetUp(pc); }), {"vector of weights has 2", "PCCPRSetWeightsVector()"});
  ExpectIn(ExpectError([&] { return PCCPRSetPressure(pc, -1); }), {"-pc_cpr_pressure is -1"});
  ExpectIn(ExpectError([&] { return PCCPRSetBlockSize(pc, 1); }), {"-pc_cpr_block_size is 1", "2 to 32"});
  ExpectIn(ExpectError([&] { return set_weights(pc, 4); }), {"0 for quasiimpes"});
  OK(PCCPRGetBlockSize(pc, &n));
  OK(PCCPRGetPressure(pc, &unknown));
  OK(PCCPRGetWeights(pc, &weights));
  OK(PCCPRGetFullPC(pc, &full));
  EXPECT_EQ(n, 0);
  EXPECT_EQ(unknown, 2);
  EXPECT_EQ(weights, PCCPR_WEIGHTS_VECTOR);
  EXPECT_STREQ(object(full)->type_name, PCFGBILU);
  OK(PCCreate(PETSC_COMM_WORLD, &other));
  OK(PCSetType(other, PCNONE));
  OK(PCCPRSetPressure(other, -1)); // for other types setters do nothing
  ExpectIn(ExpectError([&] { return PCCPRGetFullPC(other, &full); }), {"-pc_type cpr", "none"});
}

TEST(Cpr, ShowsItsStages)
{
  Owned<Mat> A;
  Owned<PC> pc;
  std::string text;
  OK(AssembleMatrix(star(5, 4, 1), 3, MATBAIJ, 1, &A));
  OK(MakePC(A, PCCPR, exact + "-pc_cpr_weights sum -pc_cpr_pressure 1", &pc));
  OK(PCSetUp(pc));
  OK(ViewText(pc, &text));
  if (Rank() == 0)
    ExpectIn(text, {"pressure: unknown 1 of each block; weights sum", "first stage, for the pressure:",
                    "type: redundant", "second stage, for all unknowns:", "type: jacobi"});
}

} // namespace
