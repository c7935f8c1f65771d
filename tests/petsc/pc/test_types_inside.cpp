// SPDX-License-Identifier: BSD-2-Clause
// Every type inside other preconditioners, as a smoother and under Krylov methods: it is applied, and the solves
// converge. test_types_roles.cpp compares types that PETSc also has with PETSc's.
#include "refine.hpp"
#include "types.hpp"

#include <algorithm>

using namespace finegrain::test;

namespace
{

PER_TYPE(InsidePerType);

// Types that PETSc does not have cannot be compared. They must be applied, and the solves must converge, with and
// without a DM.
TEST_P(InsidePerType, TakesPartAndConverges)
{
  Owned<DM> coarse, da;
  Owned<Mat> A;
  OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 3, 1, &coarse));
  OK(DMRefine(coarse, PETSC_COMM_WORLD, &da));
  OK(AssembleOnGrid(da, MATAIJ, &A));
  if (t.symmetric) {
    OK(MakeSymmetric(A));
  }
  const std::string mg = "-pc_type mg -pc_mg_levels 2 -pc_mg_galerkin both {mg_levels_} -mg_levels_ksp_max_it 2 ";
  const std::string fields =
    "-pc_type fieldsplit -pc_fieldsplit_block_size 3 -pc_fieldsplit_0_fields 0,1 "
    "-pc_fieldsplit_1_fields 2 -fieldsplit_ksp_type preonly {fieldsplit_0_} {fieldsplit_1_} ";
  const std::vector<std::string> whole = {
    "{}", "-pc_type ksp {ksp_}",
    "-pc_type composite -pc_composite_type multiplicative -pc_composite_pcs @,jacobi {sub_0_}"};
  const std::vector<std::string> parts = {"-pc_type bjacobi {sub_}",
                                          "-pc_type bjacobi -pc_bjacobi_local_blocks 3 {sub_}",
                                          "-pc_type asm -pc_asm_overlap 1 {sub_}",
                                          "-pc_type redundant {redundant_}",
                                          fields,
                                          fields + "-pc_fieldsplit_type schur",
                                          "-pc_type gamg {mg_levels_}"};
  // A type for grids can be used on a part that is a grid: a rank's rows with a given box, and the fields of a DM.
  PetscInt m[3];
  OK(DMDAGetCorners(da, nullptr, nullptr, nullptr, &m[0], &m[1], &m[2]));
  const std::string box = std::to_string(m[0]) + "," + std::to_string(m[1]) + "," + std::to_string(m[2]);
  const std::vector<std::string> boxes = {
    "-pc_type bjacobi {sub_} -sub_pc_@_grid " + box,
    "-pc_type asm -pc_asm_overlap 0 {sub_} -sub_pc_@_block_size 3 -sub_pc_@_grid " + box};
  const std::string fields_of_dm = "-pc_type fieldsplit {fieldsplit_} -fieldsplit_ksp_type preonly";
  for (std::size_t k = 0; k < std::min<std::size_t>(t.variants.size(), 5); ++k)
    for (const bool with_grid : {false, true}) {
      std::vector<std::string> roles = whole;
      const std::vector<std::string> &more = t.needs_grid ? boxes : parts;
      roles.insert(roles.end(), more.begin(), more.end());
      if (t.needs_grid && with_grid) roles.push_back(fields_of_dm);
      if (with_grid)
        roles.insert(roles.end(), {mg + "-mg_levels_ksp_type richardson", mg + "-mg_levels_ksp_type chebyshev"});
      for (const std::string &role : roles) {
        const std::string options =
          Cast(role, t.type, [&](const std::string &prefix) { return with(t.variants[k].options, prefix); });
        SCOPED_TRACE(options);
        refine::Outcome out;
        PetscReal residual;
        const int before = Applications();
        OK(refine::SolveWith(A, with_grid ? da.get() : nullptr, "-ksp_type fgmres " + options, &out, &residual));
        EXPECT_GT(Applications(), before);
        EXPECT_GT(out.reason, 0);
        EXPECT_LT(out.its, 40);
        EXPECT_LT(residual, 10 * PetscSqrtReal(PETSC_MACHINE_EPSILON));
      }
    }
}

// Krylov methods and others, without an outer preconditioner.
TEST_P(InsidePerType, ServesKrylovMethodsAndRichardson)
{
  Owned<Mat> A;
  OK(Matrix(Shape::scattered, 3, MATAIJ, &A));
  for (const Variant &v : t.variants)
    for (const std::string method :
         {"-ksp_type gmres -ksp_pc_side right", "-ksp_type refine -ksp_refine_inner 2",
          "-ksp_type richardson -@_apply_richardson tolerance", "-ksp_type richardson", "-ksp_type bcgs"}) {
      if (v.one_step() && method.find("@_apply_richardson") != std::string::npos) continue;
      SCOPED_TRACE(method + v.options);
      refine::Outcome out;
      PetscReal residual;
      const int before = Applications();
      OK(refine::SolveWith(A, nullptr, with(method + " -pc_type " + t.type + " " + v.options), &out, &residual));
      EXPECT_GT(Applications(), before);
      EXPECT_GT(out.reason, 0);
      EXPECT_LT(residual, 10 * PetscSqrtReal(PETSC_MACHINE_EPSILON));
    }
}

TEST_P(InsidePerType, ReadsOptionsWithItsPrefixOnly)
{
  if (t.needs_grid) GTEST_SKIP() << "a part of the matrix does not know it";
  Owned<Mat> A;
  Owned<PC> pc;
  PC sub;
  KSP *subs;
  PetscInt count, first;
  PCFinegrainPrecisionType precision;
  const Options set("-my_pc_type bjacobi -my_sub_pc_type " + std::string(t.type) + " " +
                    with("-@_precision single", "my_sub_") + " " + with("-@_algorithm tasks", "sub_") + " " +
                    with("-@_block_size 5")); // the last two do not apply to this PC
  OK(Matrix(Shape::star, 2, MATAIJ, &A));
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

} // namespace
