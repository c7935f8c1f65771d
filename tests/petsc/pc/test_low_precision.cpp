// SPDX-License-Identifier: BSD-2-Clause
// Low-precision factors need as many iterations as those in working precision, and with -ksp_type refine reach as
// many digits. docs/topics/precision.md quotes the table that this prints.
#include "flows.hpp"
#include "refine.hpp"

#include <cstdio>

using namespace finegrain::test;
using finegrain::test::refine::Outcome;

namespace
{

struct FlowMatrix {
  const char *name;
  std::function<PetscErrorCode(DM *, Mat *)> assemble;
};

const std::vector<FlowMatrix> flows = {{"diffusion of 3 unknowns",
                                        [](DM *da, Mat *A) {
                                          return AssembleStar(PETSC_COMM_WORLD, {{16, 15, 14}, {3}, 2, 5}, da, A);
                                        }},
                                       {"diffusion of 8 unknowns",
                                        [](DM *da, Mat *A) {
                                          return AssembleStar(PETSC_COMM_WORLD, {{10, 9, 8}, {8}, 2, 5}, da, A);
                                        }},
                                       {CompressibleFlow::name,
                                        [](DM *da, Mat *A) {
                                          return AssembleFlow(CompressibleFlow(100), {20, 16, 12}, da, A);
                                        }},
                                       {TwoPhaseFlow::name, [](DM *da, Mat *A) {
                                          return AssembleFlow(TwoPhaseFlow(), {24, 20, 8}, da, A);
                                        }}};

const std::vector<FlowMatrix> small_flows = {flows[0],
                                             {CompressibleFlow::name,
                                              [](DM *da, Mat *A) {
                                                return AssembleFlow(CompressibleFlow(100), {10, 8, 6}, da, A);
                                              }},
                                             {TwoPhaseFlow::name, [](DM *da, Mat *A) {
                                                return AssembleFlow(TwoPhaseFlow(), {8, 6, 4}, da, A);
                                              }}};

const std::vector<std::string> factors = {"-pc_type fgbilu", "-pc_type fgbilu -pc_fgbilu_factor ilu0",
                                          "-pc_type powerqilu -pc_powerqilu_levels 1",
                                          "-pc_type sip -pc_sip_alpha 0.5"};

// Completes options with the type that they name.
std::string with(const std::string &options, const std::string &more)
{
  const std::size_t first = options.find("-pc_type ") + 9;
  const std::string name = options.substr(first, options.find(' ', first) - first);
  std::string all = options;
  for (std::size_t at = 0; at < more.size();) {
    const std::size_t end = std::min(more.find(' ', at), more.size());
    const std::string word = more.substr(at, end - at);
    all += " " + (word[0] == '-' ? "-pc_" + name + "_" + word.substr(1) : word);
    at = end + 1;
  }
  return all;
}

PetscErrorCode SolveFlow(Mat A, DM da, const std::string &options, Vec b, Vec x, Outcome *out)
{
  Owned<KSP> ksp;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(SetGrid(ksp, da));
  const Options set(options);
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(VecSet(x, 0));
  PetscCall(refine::Solve(ksp, b, x, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(LowPrecision, FactorsTakeTheIterationsOfWorkingPrecision)
{
  if (sizeof(PetscReal) != 8 || sizeof(PetscScalar) != 8) GTEST_SKIP() << "counts of real double precision";
  const std::vector<std::string> storage = {"", "-precision single", "-precision half"};
  for (const FlowMatrix &flow : flows) {
    Owned<DM> da;
    Owned<Mat> A;
    OK(flow.assemble(&da, &A));
    Vectors v(A);
    OK(v.code);
    for (const std::string &factor : factors) {
      std::string line;
      PetscInt working = 0;
      for (const std::string &s : storage) {
        Outcome out;
        const std::string options =
          with(factor, s) + " -pc_fgbilu_eisenstat false -ksp_type fgmres -ksp_rtol 1e-8 -ksp_max_it 1000";
        OK(SolveFlow(A, da, options, v.b, v.x, &out));
        EXPECT_GT(out.reason, 0) << flow.name << options;
        if (s.empty()) working = out.its;
        line += " " + std::to_string(out.its) + " |";
        EXPECT_LE(double(out.its), std::max(double(working) + 1, double(working) * 1.05))
          << flow.name << ", " << options;
      }
      if (Rank() == 0) std::printf("| %s | `%s` |%s\n", flow.name, factor.c_str(), line.c_str());
    }
  }
}

// A stationary iteration, hence few cells. It runs to 1e-12, or to the residual that rounding errors cause in
// working precision too.
TEST(LowPrecision, RefinementReachesTheDigitsOfWorkingPrecision)
{
  if (sizeof(PetscReal) != 8) GTEST_SKIP() << "not in double precision";
  const std::vector<std::string> storage = {"", "-precision half"};
  for (const FlowMatrix &flow : small_flows) {
    Owned<DM> da;
    Owned<Mat> A;
    OK(flow.assemble(&da, &A));
    Vectors v(A);
    OK(v.code);
    PetscReal norm, working = 0;
    OK(VecNorm(v.b, NORM_2, &norm));
    for (const std::string &s : storage) {
      Outcome out;
      PetscReal rest;
      const std::string options =
        with(factors[0], s) + " -ksp_type refine -ksp_refine_inner 1 -ksp_rtol 1e-12 -ksp_max_it 20000";
      OK(SolveFlow(A, da, options, v.b, v.x, &out));
      OK(refine::ResidualNorm(A, v.b, v.x, &rest));
      if (s.empty()) working = rest;
      EXPECT_LT(working, PetscReal(1e-11) * norm) << flow.name;
      EXPECT_LT(rest, std::max(PetscReal(1.01e-12) * norm, 2 * working)) << flow.name << ", " << options;
    }
  }
}

} // namespace
