// SPDX-License-Identifier: BSD-2-Clause
// Types that PETSc also has, inside other preconditioners and as a smoother. They must do what PETSc's do there: the
// same application up to rounding, and the same counts.
#include "types.hpp"

#include <algorithm>
#include <array>
#include <map>

using namespace finegrain::test;

namespace
{

using Prepare = std::function<PetscErrorCode(KSP)>;

// A solve with a PC that `options` describe, and one application of that PC.
PetscErrorCode Solve(Mat A, const std::string &options, const Prepare &prepare, PetscInt *iterations, Vec *applied)
{
  const Options set(options);
  Owned<KSP> ksp;
  PC pc;
  Owned<Vec> b;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPFGMRES));
  PetscCall(KSPSetTolerances(ksp, PetscSqrtReal(PETSC_MACHINE_EPSILON), 0, PETSC_DEFAULT, 200));
  PetscCall(KSPSetFromOptions(ksp));
  if (prepare) PetscCall(prepare(ksp));
  PetscCall(MakeVectors(A, &b, applied));
  PetscCall(KSPSolve(ksp, b, *applied));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  if (reason < 0) *iterations = reason;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(Apply(pc, b, *applied));
  PetscFunctionReturn(PETSC_SUCCESS);
}

Prepare OnGrid(DM da)
{
  return [da](KSP ksp) { return SetGrid(ksp, da); };
}

Prepare Fields(const std::array<IS, 2> &fields)
{
  return [fields](KSP ksp) {
    PC pc;
    PetscFunctionBegin;
    PetscCall(KSPGetPC(ksp, &pc));
    for (IS is : fields) PetscCall(PCFieldSplitSetIS(pc, nullptr, is));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
}

// Skips types without an equivalent in PETSc.
class RolesPerType : public PerType
{
protected:
  void SetUp() override
  {
    if (!t.reference) GTEST_SKIP() << "PETSc has none like it";
  }

  std::string ours(const std::string &role) const
  {
    return Cast(role, t.type, [this](const std::string &prefix) { return with(t.as_reference, prefix); });
  }
  // PETSc's type if the matrix is on one rank, else that type on each rank by bjacobi.
  std::string theirs(const std::string &role, bool on_one_rank) const
  {
    if (on_one_rank) return Cast(role, t.reference, [](const std::string &) { return ""; });
    return Cast(role, PCBJACOBI,
                [this](const std::string &prefix) { return "-" + prefix + "sub_pc_type " + t.reference; });
  }

  void expect_the_same(Mat A, const std::string &role, bool on_one_rank = false, const Prepare &prepare = nullptr)
  {
    SCOPED_TRACE(role);
    Owned<Vec> mine, reference;
    PetscInt iterations, expected;
    PetscReal d;
    const int before = Applications();
    OK(Solve(A, theirs(role, on_one_rank), prepare, &expected, &reference));
    EXPECT_EQ(Applications(), before);
    OK(Solve(A, ours(role), prepare, &iterations, &mine));
    EXPECT_GT(Applications(), before) << "it has played no part";
    EXPECT_GT(expected, 0);
    EXPECT_EQ(iterations, expected);
    OK(Difference(mine, reference, &d));
    EXPECT_LT(d, tolerance);
  }
  // PETSc's ICC crashes on a BAIJ matrix without rows.
  bool crashes(const std::string &type) const
  {
    return std::string(t.reference) == PCICC && type == MATBAIJ && Size() > 2;
  }
  PetscErrorCode MakeGridMatrix(PetscInt dim, DMDAStencilType stencil, MatType type, DM *da, Mat *A) const
  {
    PetscFunctionBegin;
    PetscCall(MakeGrid(dim, DM_BOUNDARY_NONE, stencil, 3, 1, da));
    PetscCall(AssembleOnGrid(*da, type, A));
    if (t.symmetric) PetscCall(MakeSymmetric(*A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};
INSTANTIATE_TEST_SUITE_P(Types, RolesPerType, ::testing::ValuesIn(AllTypes()),
                         [](const auto &row) { return std::string(row.param.type); });

// On a grid with three unknowns per point, of which every rank has a part.
TEST_P(RolesPerType, InsideOtherPreconditioners)
{
  for (const char *type : {MATAIJ, MATBAIJ}) {
    Owned<DM> da;
    Owned<Mat> A;
    OK(MakeGridMatrix(3, DMDA_STENCIL_STAR, type, &da, &A));
    for (const char *role :
         {"{}", "-pc_type ksp {ksp_} -ksp_ksp_type gmres -ksp_ksp_max_it 3",
          "-pc_type composite -pc_composite_type multiplicative -pc_composite_pcs @,jacobi {sub_0_}",
          "-pc_type composite -pc_composite_type additive -pc_composite_pcs jacobi,@ {sub_1_}"})
      expect_the_same(A, role);
    if (t.needs_grid) continue; // the other roles give it parts of the matrix
    expect_the_same(A, "-pc_type bjacobi -pc_bjacobi_blocks 1 {sub_}");
    for (const char *role :
         {"-pc_type bjacobi {sub_}", "-pc_type bjacobi -pc_bjacobi_local_blocks 3 {sub_}",
          "-pc_type bjacobi {sub_} -sub_ksp_type gmres -sub_ksp_max_it 3", "-pc_type asm -pc_asm_overlap 1 {sub_}",
          "-pc_type asm -pc_asm_overlap 2 -pc_asm_type basic {sub_}",
          "-pc_type asm -pc_asm_local_blocks 2 -mat_partitioning_type average {sub_}",
          "-pc_type redundant {redundant_}"})
      expect_the_same(A, role, true);
    if (Size() > 1 && std::string(type) == MATAIJ) // PETSc supports these for MPIAIJ only
      for (const char *role : {"-pc_type gasm {sub_}", "-pc_type redundant -pc_redundant_number 2 {redundant_}",
                               "-pc_type telescope {telescope_}"})
        expect_the_same(A, role);
  }
}

// One rank may have no rows here.
TEST_P(RolesPerType, InsideOthersWithUnevenRanks)
{
  if (t.needs_grid) GTEST_SKIP() << "they give it parts of the matrix";
  for (const char *type : {MATAIJ, MATBAIJ}) {
    Owned<Mat> A;
    if (crashes(type)) continue;
    OK(Matrix(Shape::scattered, 3, type, &A));
    for (const char *role :
         {"-pc_type bjacobi {sub_}", "-pc_type asm -pc_asm_overlap 1 {sub_}", "-pc_type redundant {redundant_}"})
      expect_the_same(A, role, true);
  }
}

// DMPlex sets variable block sizes on all its matrices, for PCVPBJACOBI; PETSc's types ignore them.
TEST_P(RolesPerType, WithVariableBlockSizes)
{
  Owned<Mat> A;
  PetscInt rows, first = 1;
  OK(Matrix(Shape::star, 1, MATAIJ, &A));
  OK(MatGetLocalSize(A, &rows, nullptr));
  std::vector<PetscInt> sizes;
  for (; rows > 0; rows -= sizes.back()) sizes.push_back(std::min(rows, first++ % 3 + 1));
  OK(MatSetVariableBlockSizes(A, PetscInt(sizes.size()), sizes.data()));
  expect_the_same(A, "{}");
}

TEST_P(RolesPerType, OnFieldsOfABlockSize)
{
  if (t.needs_grid) GTEST_SKIP() << "a field does not know it";
  Owned<DM> da;
  Owned<Mat> A;
  OK(MakeGridMatrix(2, DMDA_STENCIL_BOX, MATAIJ, &da, &A));
  const std::string fields = " -pc_fieldsplit_block_size 3 -pc_fieldsplit_0_fields 0,1 -pc_fieldsplit_1_fields 2 "
                             "-fieldsplit_ksp_type preonly {fieldsplit_0_} {fieldsplit_1_}";
  for (const char *type : {"additive", "multiplicative", "symmetric_multiplicative", "schur"})
    for (const Prepare &prepare : {Prepare(), OnGrid(da)}) // with a grid, fields get DMDAs of their own
      expect_the_same(A, "-pc_type fieldsplit -pc_fieldsplit_type " + std::string(type) + fields, false, prepare);
}

// PETSc does not support BAIJ here.
TEST_P(RolesPerType, OnFieldsOfBlockRows)
{
  if (t.needs_grid) GTEST_SKIP() << "a field does not know it";
  Owned<Mat> A;
  Owned<IS> field[2];
  PetscInt first, last;
  OK(Matrix(Shape::star, 2, MATAIJ, &A));
  OK(MatGetOwnershipRange(A, &first, &last));
  const PetscInt cut = first + (last - first) / 4 * 2;
  OK(ISCreateStride(PETSC_COMM_WORLD, cut - first, first, 1, &field[0]));
  OK(ISCreateStride(PETSC_COMM_WORLD, last - cut, cut, 1, &field[1]));
  OK(ISSetBlockSize(field[0], 2));
  OK(ISSetBlockSize(field[1], 2));
  expect_the_same(A, "-pc_type fieldsplit -fieldsplit_ksp_type preonly {fieldsplit_}", false,
                  Fields({field[0], field[1]}));
}

// [A, B; B^T, -C or nothing], A with blocks of 3.
TEST_P(RolesPerType, OnASaddlePoint)
{
  if (t.needs_grid || t.symmetric) GTEST_SKIP() << "no grid, and not definite";
  for (const bool stabilized : {true, false})
    for (const bool nest : {true, false}) {
      Owned<Mat> part[4], all, flat;
      IS field[2];
      PetscInt n[2], first, last;
      OK(AssembleMatrix(star(5, 4, 3), 3, nest ? MATBAIJ : MATAIJ, 1, &part[0]));
      OK(AssembleMatrix(star(5, 4, 3), 1, MATAIJ, 2, &part[3]));
      OK(MatScale(part[3], -1));
      OK(MatGetLocalSize(part[0], &n[0], nullptr));
      OK(MatGetLocalSize(part[3], &n[1], nullptr));
      OK(MatCreateAIJ(PETSC_COMM_WORLD, n[0], n[1], PETSC_DETERMINE, PETSC_DETERMINE, 2, nullptr, 2, nullptr,
                      &part[1]));
      OK(MatGetOwnershipRange(part[1], &first, &last));
      for (PetscInt i = first; i < last; ++i)
        for (const PetscInt j : {i / 3, (i / 3 + 1) % 60})
          OK(MatSetValue(part[1], i, j, EntryValue(i, j, 3, 5, 4), INSERT_VALUES));
      OK(Assemble(part[1]));
      OK(MatTranspose(part[1], MAT_INITIAL_MATRIX, &part[2]));
      const Mat parts[] = {part[0], part[1], part[2], stabilized ? part[3].get() : nullptr};
      OK(MatCreateNest(PETSC_COMM_WORLD, 2, nullptr, 2, nullptr, parts, &all));
      OK(MatNestGetISs(all, field, nullptr)); // these live as long as the nest
      if (!nest) {
        OK(MatConvert(all, MATAIJ, MAT_INITIAL_MATRIX, &flat));
      }
      const std::string schur = "-pc_type fieldsplit -pc_fieldsplit_type schur {fieldsplit_0_} {fieldsplit_1_} ";
      for (const char *more :
           {"-pc_fieldsplit_schur_precondition selfp -fieldsplit_ksp_type preonly",
            "-pc_fieldsplit_schur_precondition selfp -pc_fieldsplit_schur_fact_type lower -fieldsplit_ksp_rtol 1e-3",
            "-pc_fieldsplit_schur_precondition a11 -fieldsplit_ksp_type preonly"}) {
        if (!stabilized && std::string(more).find("a11") != std::string::npos) continue;
        expect_the_same(nest ? all : flat, schur + more, false, Fields({field[0], field[1]}));
      }
    }
}

TEST_P(RolesPerType, AsSmoother)
{
  for (const DMDAStencilType stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX}) {
    Owned<DM> coarse, fine;
    Owned<Mat> A;
    if (t.needs_grid && stencil == DMDA_STENCIL_BOX) continue;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, stencil, 3, 1, &coarse));
    OK(DMRefine(coarse, PETSC_COMM_WORLD, &fine));
    OK(AssembleOnGrid(fine, MATAIJ, &A));
    if (t.symmetric) {
      OK(MakeSymmetric(A));
    }
    for (const char *smoother : {"richardson", "chebyshev -mg_levels_ksp_chebyshev_esteig_steps 1", "gmres"})
      for (const char *cycle : {"multiplicative", "full", "kaskade"})
        expect_the_same(A,
                        "-pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both {mg_levels_} -mg_levels_ksp_type " +
                          std::string(smoother) + " -pc_mg_type " + cycle,
                        false, OnGrid(fine));
    if (t.needs_grid) continue; // coarser matrices have no grid
    // Without smoothed prolongators: PETSc scales them by an estimated eigenvalue, of which rounding leaves few
    // digits.
    expect_the_same(A, "-pc_type gamg -pc_gamg_agg_nsmooths 0 -mg_levels_ksp_chebyshev_esteig_steps 1 {mg_levels_} "
                       "{mg_coarse_sub_} -pc_gamg_coarse_eq_limit 100");
  }
}

// A solve, one with other values but the old preconditioner, one with a new preconditioner, and one with a singular
// block. The last one ends the test, because PETSc's outer types stay failed.
TEST_P(RolesPerType, ReusedAndFailingInside)
{
  for (const char *format : {MATAIJ, MATBAIJ}) {
    Owned<Mat> values[3], A;
    if (crashes(format)) continue;
    OK(Matrix(Shape::star, 2, format, &values[0], 1));
    OK(Matrix(Shape::star, 2, format, &values[1], 2));
    OK(MatDuplicate(values[0], MAT_COPY_VALUES, &values[2]));
    OK(MakeSingular(values[2], 47, 2));
    OK(MatDuplicate(values[0], MAT_COPY_VALUES, &A));
    for (const char *role : {"{}", "-pc_type bjacobi {sub_}", "-pc_type asm {sub_}",
                             "-pc_type composite -pc_composite_pcs @ {sub_0_}"}) {
      if (t.needs_grid && std::string(role).find("{sub_}") != std::string::npos) continue;
      SCOPED_TRACE(role);
      std::map<std::string, std::vector<PetscInt>> results; // iterations or the reason of failure, factorizations
      for (const char *type : {PCBJACOBI, t.type}) {
        const Options set(type == t.type ? ours(role) : theirs(role, false));
        Owned<KSP> ksp;
        Owned<Vec> b, x;
        OK(MakeVectors(A, &b, &x));
        OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
        OK(KSPSetOperators(ksp, A, A));
        OK(KSPSetFromOptions(ksp));
        for (const int step : {0, 1, 2, 3}) {
          KSPConvergedReason reason;
          PetscInt iterations;
          const int before = Factorizations();
          OK(MatCopy(values[std::array{0, 1, 1, 2}[std::size_t(step)]], A, SAME_NONZERO_PATTERN));
          OK(KSPSetReusePreconditioner(ksp, PetscBool(step == 1)));
          OK(KSPSolve(ksp, b, x));
          OK(KSPGetConvergedReason(ksp, &reason));
          OK(KSPGetIterationNumber(ksp, &iterations));
          results[type].push_back(reason < 0 ? PetscInt(reason) : iterations);
          results[type].push_back(Factorizations() - before);
        }
      }
      const auto &ours = results[t.type], &theirs = results[PCBJACOBI];
      auto expected = theirs;
      PetscInt again = 0; // factorizations of a reused bjacobi
#if PETSC_VERSION_GE(3, 26, 0)
      if (role == std::string("{}")) { // ours is the outer PC, theirs is inside
        EXPECT_GT(ours[2], theirs[2]);
        expected[2] = ours[2];
        expected[3] = 0;
        again = 1;
      }
      if (std::string(role).find("bjacobi") != std::string::npos) again = 1;
#endif
#if PETSC_VERSION_GE(3, 20, 0)
      // A composite sets up its inner PCs again, also an ILU, but not those inside a bjacobi.
      if (std::string(role).find("composite") != std::string::npos) {
        expected[2] = theirs[4];
        expected[3] = 1;
        expected[6] = KSP_DIVERGED_PC_FAILED;
      }
#endif
      if (std::string(t.reference) != PCILU) expected[6] = ours[6]; // PETSc's ICC fails in the solver
      EXPECT_EQ(ours, expected);
      EXPECT_LT(ours[6], 0);
      EXPECT_LT(theirs[6], 0);
      EXPECT_EQ((std::array{theirs[1], theirs[3], theirs[5], theirs[7]}), (std::array<PetscInt, 4>{1, again, 1, 1}));
    }
  }
}

} // namespace
