// SPDX-License-Identifier: BSD-2-Clause
// PCFGBICC: manual page, view. It has no settings of its own, but another default shift.
#include "pc/options/settings.hpp"
#include "pc/solve/life_cycle.hpp"
#include "pc/types.hpp"

using namespace finegrain;

// The default is that of PCICC. For complex symmetric matrices no M is positive definite.
struct Fgbicc : PC_Finegrain {
#if !defined(PETSC_USE_COMPLEX)
  Fgbicc() { settings.shift_type = MAT_SHIFT_POSITIVE_DEFINITE; }
#endif
};

// The type reads the upper triangle only, so it rejects a matrix that PETSc knows to be unsymmetric: from
// MatSetOption(), MatIsSymmetric(), or MatDiagonalScale() with two vectors. Values are not compared, because that
// would need a transposed copy at every set-up.
static PetscErrorCode PCCheck_FGBICC(PC pc)
{
  const MPI_Comm comm = PetscObjectComm(reinterpret_cast<PetscObject>(pc));
  PetscBool known, symmetric;

  PetscFunctionBegin;
  PetscCall(MatIsSymmetricKnown(pc->pmat, &known, &symmetric));
  PetscCheck(!known || symmetric, comm, PETSC_ERR_ARG_INCOMP, "%s",
             PCFinegrainText(
               pc, "@type fgbicc reads the upper triangle of a symmetric matrix, and MAT_SYMMETRIC says that this "
                   "one is not: use @type fgbilu, or MatSetOption() if it is symmetric")
               .c_str());
#if defined(PETSC_USE_COMPLEX)
  PetscBool hermitian;
  PetscCall(MatIsHermitianKnown(pc->pmat, &known, &hermitian));
  PetscCheck(!known || !hermitian || symmetric, comm, PETSC_ERR_SUP, "%s",
             PCFinegrainText(pc,
                             "@type fgbicc factors complex symmetric matrices, and MAT_HERMITIAN says that this one "
                             "is Hermitian: use @type fgbilu")
               .c_str());
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCOptions_FGBICC(PC pc, EngineOptions *options)
{
  PetscFunctionBegin;
  options->factor = FactorKind::icc;
  if (PCFinegrainData<PC_Finegrain>(pc).settings.corrections % 2)
    PetscCall(PetscInfo(pc,
                        "M with an odd number of corrections is indefinite where an eigenvalue of M^-1 A is above "
                        "2: if KSPCG diverges, use an even number, or none\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PCView_FGBICC(PC pc, PetscViewer viewer)
{
  const PC_Finegrain &e = PCFinegrainData<PC_Finegrain>(pc);

  PetscFunctionBegin;
  if (!e.analysis.analyzed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "factor: block incomplete Cholesky (DILU, lower blocks only), in %s order, per rank%s\n",
    e.settings.ordering.c_str(), e.analysis.op.symmetric ? "; SBAIJ is read as it is" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#if defined(PETSC_USE_COMPLEX)
static const char shift_types[] = "none,inblocks";
#else
static const char shift_types[] = "none,inblocks,positive_definite";
#endif

static const PCFinegrainTypeSetting rows[] = {{&settings::precision, "working,single"},
                                              {&settings::shift_type, shift_types},
                                              {&settings::schedule, "auto,hyperplane,level"},
                                              {&settings::ordering},
                                              {&settings::tile},
                                              {&settings::grid_coupling}};

static const char citation[] =
  "@article{MeijerinkVanDerVorst1977,\n"
  "  title   = {An iterative solution method for linear systems of which the coefficient matrix is a symmetric\n"
  "             {M}-matrix},\n"
  "  author  = {Meijerink, J. A. and van der Vorst, H. A.},\n"
  "  journal = {Mathematics of Computation},\n"
  "  volume  = {31},\n"
  "  year    = {1977}\n"
  "}\n";

PCFinegrainType fgbicc_type = {.name = PCFGBICC,
                               .method = Method::factorization,
                               .rows = rows,
                               .options = PCOptions_FGBICC,
                               .view = PCView_FGBICC,
                               .create = PCFinegrainConstruct<Fgbicc, fgbicc_type>,
                               .citation = citation,
                               .pivot_remedy = "if the matrix is indefinite, use @type fgbilu; else try @_shift_type "
                                               "inblocks with @_shift_amount 1e-8 to 1e-3",
                               .accuracy_remedy = "try @_ordering rcm, or @type fgbilu",
                               .ranks_remedy = "use @type mcpi",
                               .check_matrix = PCCheck_FGBICC,
                               .reads_upper = true};

/*MC
   PCFGBICC - "fgbicc": block incomplete Cholesky factorization of symmetric matrices on wavefronts, per rank

   Options Database Keys:
+  -pc_fgbicc_schedule <auto,hyperplane,level>             - `PCFinegrainSetSchedule()`
.  -pc_fgbicc_tile <I,J,K>                                 - `PCFinegrainSetTile()`
.  -pc_fgbicc_precision <working,single>                   - `PCFinegrainSetPrecision()`
.  -pc_fgbicc_shift_type <none,inblocks,positive_definite> - `PCFinegrainSetShift()`
.  -pc_fgbicc_grid_coupling <coupled,block_jacobi>         - `PCFinegrainSetGridCoupling()`
-  -pc_fgbicc_ordering <natural,tiles,rcm,...>             - `PCFinegrainSetOrdering()`

   `PCFINEGRAIN` lists the options that all types have.

   Level: beginner

   Notes:
   For symmetric AIJ, BAIJ and SBAIJ matrices, sequential or parallel, with blocks of 1 to 32 rows. Each rank factors
   the square that it owns as M = (D + L) D^-1 (D + L)^T. L is the lower part of the matrix, and D makes the diagonal
   blocks of M those of the matrix: d_i = a_ii - sum l_ik d_k^-1 l_ik^T. If no two neighbors of a row are coupled, as
   on 5- and 7-point stars, this is incomplete Cholesky factorization without square roots; on other patterns it is
   the DILU of `PCFGBILU`. On scalars of a star it equals `PCBJACOBI` with `PCICC`, to rounding.

   The type reads the upper triangle of the matrix and of diagonal blocks, as `PCICC` does, and does not compare it
   with the lower one. Every set-up rejects a matrix if `MAT_SYMMETRIC` is known to be false, as after
   `MatIsSymmetric()` and after `MatDiagonalScale()` with two different vectors. SBAIJ matrices are read without a
   conversion, except with corrections.

   The upper blocks of the factor are not stored: on a 7-point star it has 57 % of the blocks of `PCFGBILU`. An
   application reads the lower blocks twice. M is symmetric, as `KSPCG` needs; it is positive definite if the
   diagonal blocks D are. Complex matrices are symmetric here, not Hermitian.

   A singular diagonal block sets the failed reason `PC_FACTOR_NUMERIC_ZEROPIVOT`, and a value that is not finite
   `PC_FACTOR_OTHER`, on all ranks; -info names the block row. The result is bitwise identical for all schedules,
   algorithms and numbers of threads.

   References:
.  * - J. A. Meijerink, H. A. van der Vorst, An iterative solution method for linear systems of which the coefficient
       matrix is a symmetric M-matrix, Mathematics of Computation 31 (1977)

.seealso: `PCCreate()`, `PCSetType()`, `PCType`, `PC`, `PCICC`, `PCFGBILU`, `KSPCG`
M*/
