// fgbilu wherever a PC may stand: inside other preconditioners, as a smoother, under SNES and TS. In each role it
// must do what PETSc's ILU(0) does there: the same application to rounding, the same counts.
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <map>

using namespace finegrain::test;

namespace
{

using Prepare = std::function<PetscErrorCode(KSP)>;

// The text of a role with a type for each @ in it.
std::string Cast(std::string role, const std::string &type)
{
  for (std::size_t at; (at = role.find('@')) != std::string::npos;) role.replace(at, 1, type);
  return role;
}

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

// How often fgbilu has been applied on all ranks.
int Applications()
{
  int count = EventCount("FGApply"), sum;
  MPI_Allreduce(&count, &sum, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  return sum;
}

Prepare OnGrid(DM da)
{
  return [da](KSP ksp) {
    PetscFunctionBegin;
    PetscCall(KSPSetDM(ksp, da));
#if PETSC_VERSION_LT(3, 25, 0)
    PetscCall(KSPSetDMActive(ksp, PETSC_FALSE));
#else
    PetscCall(KSPSetDMActive(ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
#endif
    PetscFunctionReturn(PETSC_SUCCESS);
  };
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

void ExpectTheSame(Mat A, const std::string &role, const char *reference, const Prepare &prepare = nullptr)
{
  SCOPED_TRACE(role);
  Owned<Vec> ours, theirs;
  PetscInt iterations, expected;
  PetscReal d;
  const int before = Applications();
  OK(Solve(A, Cast(role, reference), prepare, &expected, &theirs));
  EXPECT_EQ(Applications(), before);
  OK(Solve(A, Cast(role, PCFGBILU), prepare, &iterations, &ours));
  EXPECT_GT(Applications(), before) << "fgbilu has played no part";
  EXPECT_GT(expected, 0);
  EXPECT_EQ(iterations, expected);
  OK(Difference(ours, theirs, &d));
  EXPECT_LT(d, tolerance);
}

class Types : public ::testing::TestWithParam<const char *>
{
};
INSTANTIATE_TEST_SUITE_P(Roles, Types, ::testing::Values(MATAIJ, MATBAIJ));

// On a grid of three unknowns per point, which every rank has a part of.
TEST_P(Types, InsideOtherPreconditioners)
{
  Owned<DM> da;
  Owned<Mat> A;
  PetscMPIInt size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  OK(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3, 1, &da));
  OK(AssembleOnGrid(da, GetParam(), &A));
  for (const char *role :
       {"-pc_type bjacobi -sub_pc_type @", "-pc_type bjacobi -pc_bjacobi_local_blocks 3 -sub_pc_type @",
        "-pc_type bjacobi -sub_pc_type @ -sub_ksp_type gmres -sub_ksp_max_it 3",
        "-pc_type asm -pc_asm_overlap 1 -sub_pc_type @",
        "-pc_type asm -pc_asm_overlap 2 -pc_asm_type basic -sub_pc_type @",
        "-pc_type asm -pc_asm_local_blocks 2 -mat_partitioning_type average -sub_pc_type @",
        "-pc_type redundant -redundant_pc_type @"})
    ExpectTheSame(A, role, PCILU);
  for (const char *role : {"-pc_type @", "-pc_type ksp -ksp_pc_type @ -ksp_ksp_type gmres -ksp_ksp_max_it 3",
                           "-pc_type composite -pc_composite_type multiplicative -pc_composite_pcs @,jacobi",
                           "-pc_type composite -pc_composite_type additive -pc_composite_pcs jacobi,@",
                           "-pc_type bjacobi -pc_bjacobi_blocks 1 -sub_pc_type @"})
    ExpectTheSame(A, role, PCBJACOBI);
  if (size > 1 && std::string(GetParam()) == MATAIJ) // PETSc has these for MPIAIJ only
    for (const char *role :
         {"-pc_type gasm -sub_pc_type @", "-pc_type redundant -pc_redundant_number 2 -redundant_pc_type @",
          "-pc_type telescope -telescope_pc_type @"})
      ExpectTheSame(A, role, PCBJACOBI);
}

// One rank may own nothing here.
TEST_P(Types, InsideOthersWithUnevenRanks)
{
  Owned<Mat> A;
  OK(AssembleMatrix(scattered(40, 4, true), 3, GetParam(), 1, &A));
  for (const char *role : {"-pc_type bjacobi -sub_pc_type @", "-pc_type asm -pc_asm_overlap 1 -sub_pc_type @",
                           "-pc_type redundant -redundant_pc_type @"})
    ExpectTheSame(A, role, PCILU);
}

TEST(Roles, AijWithABlockSizeOfTheOptionsIsBaij)
{
  Owned<Mat> A, B, scalar;
  Owned<PC> p, q;
  PetscInt first, last, n;
  PetscReal d;
  OK(AssembleMatrix(star(5, 4, 3), 4, MATBAIJ, 1, &A));
  OK(AssembleMatrix(star(5, 4, 3), 4, MATAIJ, 1, &B));
  OK(MatGetOwnershipRange(B, &first, &last));
  OK(MatCreateAIJ(PETSC_COMM_WORLD, last - first, last - first, PETSC_DETERMINE, PETSC_DETERMINE, 28, nullptr, 28,
                  nullptr, &scalar)); // knows no blocks
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt *columns;
    const PetscScalar *values;
    OK(MatGetRow(B, row, &n, &columns, &values));
    OK(MatSetValues(scalar, 1, &row, n, columns, values, INSERT_VALUES));
    OK(MatRestoreRow(B, row, &n, &columns, &values));
  }
  OK(MatAssemblyBegin(scalar, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(scalar, MAT_FINAL_ASSEMBLY));
  OK(MakePC(A, PCFGBILU, "", &p));
  OK(MakePC(scalar, PCFGBILU, "-pc_fgbilu_block_size 4", &q));
  OK(ComparePCs(A, p, q, &d));
  EXPECT_EQ(d, 0);
}

// DMPlex sets them on all its matrices, for PCVPBJACOBI; PETSc's ILU(0) does not look at them.
TEST(Roles, VariableBlockSizesAreOfNoConcern)
{
  Owned<Mat> A;
  PetscInt rows, first = 1;
  OK(AssembleMatrix(star(5, 4, 3), 1, MATAIJ, 1, &A));
  OK(MatGetLocalSize(A, &rows, nullptr));
  std::vector<PetscInt> sizes;
  for (; rows > 0; rows -= sizes.back()) sizes.push_back(std::min(rows, first++ % 3 + 1));
  OK(MatSetVariableBlockSizes(A, PetscInt(sizes.size()), sizes.data()));
  ExpectTheSame(A, "-pc_type @", PCBJACOBI);
}

TEST(Roles, OptionsWithAPrefix)
{
  Owned<Mat> A;
  Owned<PC> pc;
  PC sub;
  KSP *subs;
  PetscInt count, first;
  PCFinegrainPrecisionType precision;
  const Options set("-my_pc_type bjacobi -my_sub_pc_type fgbilu -my_sub_pc_fgbilu_precision single "
                    "-sub_pc_fgbilu_schedule hyperplane -pc_fgbilu_block_size 5"); // the last two are not for it
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(PCCreate(PETSC_COMM_WORLD, &pc));
  OK(PCSetOptionsPrefix(pc, "my_"));
  OK(PCSetOperators(pc, A, A));
  OK(PCSetFromOptions(pc));
  OK(PCSetUp(pc));
  OK(PCSetUpOnBlocks(pc));
  OK(PCBJacobiGetSubKSP(pc, &count, &first, &subs));
  OK(KSPGetPC(subs[0], &sub));
  OK(PCFinegrainGetPrecision(sub, &precision));
  EXPECT_EQ(precision, PC_FINEGRAIN_PRECISION_SINGLE);
}

TEST(Roles, FieldsOfABlockSize)
{
  Owned<DM> da;
  Owned<Mat> A;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 3, 1, &da));
  OK(AssembleOnGrid(da, MATAIJ, &A));
  const std::string fields = " -pc_fieldsplit_block_size 3 -pc_fieldsplit_0_fields 0,1 -pc_fieldsplit_1_fields 2 "
                             "-fieldsplit_ksp_type preonly -fieldsplit_0_pc_type @ -fieldsplit_1_pc_type @";
  for (const char *type : {"additive", "multiplicative", "symmetric_multiplicative", "schur"})
    for (const Prepare &prepare : {Prepare(), OnGrid(da)}) // with a grid, fields get DMDAs of their own
      ExpectTheSame(A, "-pc_type fieldsplit -pc_fieldsplit_type " + std::string(type) + fields, PCBJACOBI, prepare);
}

// PETSc takes no BAIJ here.
TEST(Roles, FieldsOfBlockRows)
{
  Owned<Mat> A;
  Owned<IS> field[2];
  PetscInt first, last;
  OK(AssembleMatrix(star(5, 4, 3), 2, MATAIJ, 1, &A));
  OK(MatGetOwnershipRange(A, &first, &last));
  const PetscInt cut = first + (last - first) / 4 * 2;
  OK(ISCreateStride(PETSC_COMM_WORLD, cut - first, first, 1, &field[0]));
  OK(ISCreateStride(PETSC_COMM_WORLD, last - cut, cut, 1, &field[1]));
  OK(ISSetBlockSize(field[0], 2));
  OK(ISSetBlockSize(field[1], 2));
  ExpectTheSame(A, "-pc_type fieldsplit -fieldsplit_ksp_type preonly -fieldsplit_pc_type @", PCBJACOBI,
                Fields({field[0], field[1]}));
}

// [A, B; B^T, -C or nothing], A with blocks of 3.
TEST(Roles, SaddlePoint)
{
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
      OK(MatAssemblyBegin(part[1], MAT_FINAL_ASSEMBLY));
      OK(MatAssemblyEnd(part[1], MAT_FINAL_ASSEMBLY));
      OK(MatTranspose(part[1], MAT_INITIAL_MATRIX, &part[2]));
      const Mat parts[] = {part[0], part[1], part[2], stabilized ? part[3].get() : nullptr};
      OK(MatCreateNest(PETSC_COMM_WORLD, 2, nullptr, 2, nullptr, parts, &all));
      OK(MatNestGetISs(all, field, nullptr)); // which live as long as the nest
      if (!nest) {
        OK(MatConvert(all, MATAIJ, MAT_INITIAL_MATRIX, &flat));
      }
      const std::string schur =
        "-pc_type fieldsplit -pc_fieldsplit_type schur -fieldsplit_0_pc_type @ -fieldsplit_1_pc_type @ ";
      for (const char *more :
           {"-pc_fieldsplit_schur_precondition selfp -fieldsplit_ksp_type preonly",
            "-pc_fieldsplit_schur_precondition selfp -pc_fieldsplit_schur_fact_type lower -fieldsplit_ksp_rtol 1e-3",
            "-pc_fieldsplit_schur_precondition a11 -fieldsplit_ksp_type preonly"}) {
        if (!stabilized && std::string(more).find("a11") != std::string::npos) continue;
        ExpectTheSame(nest ? all : flat, schur + more, PCBJACOBI, Fields({field[0], field[1]}));
      }
    }
}

TEST(Roles, Smoother)
{
  for (const DMDAStencilType stencil : {DMDA_STENCIL_STAR, DMDA_STENCIL_BOX}) {
    Owned<DM> coarse, fine;
    Owned<Mat> A;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, stencil, 3, 1, &coarse));
    OK(DMRefine(coarse, PETSC_COMM_WORLD, &fine));
    OK(AssembleOnGrid(fine, MATAIJ, &A));
    for (const char *smoother : {"richardson", "chebyshev -mg_levels_ksp_chebyshev_esteig_steps 1", "gmres"})
      for (const char *cycle : {"multiplicative", "full", "kaskade"})
        ExpectTheSame(A,
                      "-pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both -mg_levels_pc_type @ -mg_levels_ksp_type " +
                        std::string(smoother) + " -pc_mg_type " + cycle,
                      PCBJACOBI, OnGrid(fine));
    // Without smoothed prolongators: PETSc scales them by an estimated eigenvalue, of which rounding leaves few
    // digits.
    ExpectTheSame(
      A,
      "-pc_type gamg -pc_gamg_agg_nsmooths 0 -mg_levels_ksp_chebyshev_esteig_steps 1 -mg_levels_pc_type @ "
      "-mg_coarse_sub_pc_type @ -pc_gamg_coarse_eq_limit 100",
      PCBJACOBI);
  }
}

// A solve, one with other values but the old preconditioner, one with a new preconditioner, one with a singular
// block. There PETSc's own outer types stay failed for good.
TEST_P(Types, ReuseAndFailureInside)
{
  Owned<Mat> values[3], A;
  OK(AssembleMatrix(star(5, 4, 3), 2, GetParam(), 1, &values[0]));
  OK(AssembleMatrix(star(5, 4, 3), 2, GetParam(), 2, &values[1]));
  OK(MatDuplicate(values[0], MAT_COPY_VALUES, &values[2]));
  OK(MakeSingular(values[2], 47, 2));
  OK(MatDuplicate(values[0], MAT_COPY_VALUES, &A));
  for (const char *role : {"-pc_type @", "-pc_type bjacobi -sub_pc_type @", "-pc_type asm -sub_pc_type @",
                           "-pc_type composite -pc_composite_pcs @"}) {
    SCOPED_TRACE(role);
    std::map<std::string, std::vector<PetscInt>> results; // iterations or the reason of failure, factorizations
    for (const char *type : {PCBJACOBI, PCFGBILU}) {
      const Options set(Cast(role, type));
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
    const auto &ours = results[PCFGBILU], &theirs = results[PCBJACOBI];
    auto expected = theirs;
    PetscInt again = 0; // factorizations of a reused bjacobi
#if PETSC_VERSION_GE(3, 26, 0)
    if (role == std::string("-pc_type @")) { // ours stands alone, and theirs inside
      EXPECT_GT(ours[2], theirs[2]);
      expected[2] = ours[2];
      expected[3] = 0;
      again = 1;
    }
    if (std::string(role).find("bjacobi") != std::string::npos) again = 1;
#endif
#if PETSC_VERSION_GE(3, 25, 0)
    // A composite sets up again what is inside, an ILU too, but not what is inside a bjacobi.
    if (std::string(role).find("composite") != std::string::npos) {
      expected[2] = theirs[4];
      expected[3] = 1;
      expected[6] = KSP_DIVERGED_PC_FAILED;
    }
#endif
    EXPECT_EQ(ours, expected);
    EXPECT_LT(theirs[6], 0);
    EXPECT_EQ((std::array{theirs[1], theirs[3], theirs[5], theirs[7]}), (std::array<PetscInt, 4>{1, again, 1, 1}));
  }
}

} // namespace
