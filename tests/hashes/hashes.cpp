// SPDX-License-Identifier: BSD-2-Clause
// Hashes of the results of all types: one line for each set of options, over block sizes, matrices, algorithms and
// forms of application. Two builds that print the same lines give bitwise identical results. expected.txt has the
// hashes for real double precision, of 1, 2 and 3 ranks; run this before and after a change that must not change any
// bit.
// Options: -verbose prints a line for each result.
#include "../petsc/fixture.hpp"

#include <cstdint>
#include <cstring>

using namespace finegrain::test;

namespace
{

using Hash = std::uint64_t;

struct Case {
  const char *type, *text;
  bool grid = false; // needs a grid
};
constexpr Case cases[] = {
  {PCFGBILU, ""},
  {PCFGBILU, "-pc_fgbilu_factor dilu"},
  {PCFGBILU, "-pc_fgbilu_factor ilu0 -pc_fgbilu_schedule level"},
  {PCFGBILU, "-pc_fgbilu_precision single"},
  {PCFGBILU, "-pc_fgbilu_precision single -pc_fgbilu_diag_precision storage"},
  {PCFGBILU, "-pc_fgbilu_schedule level -pc_fgbilu_ordering rcm"},
  {PCFGBILU, "-pc_fgbilu_corrections 2"},
  {PCFGBILU, "-pc_fgbilu_corrections 1 -pc_fgbilu_factor ilu0"},
  {PCFGBILU, "-pc_fgbilu_corrections 2 -pc_fgbilu_precision single"},
  {PCFGBILU, "-pc_fgbilu_shift_type inblocks -pc_fgbilu_shift_amount 0.3"},
  {PCFGBILU, "-pc_fgbilu_precision half"},
  {PCFGBICC, ""},
  {PCFGBICC, "-pc_fgbicc_precision single -pc_fgbicc_corrections 1"},
  {PCFGBICC, "-pc_fgbicc_schedule level -pc_fgbicc_ordering rcm"},
  {PCMCPI, "-pc_mcpi_its 3"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_precision single"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_precision single -pc_mcpi_sum_precision single"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_precision half"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_precision half -pc_mcpi_sum_precision single"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_precision half -pc_mcpi_scaling row -pc_mcpi_diag_precision storage"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_precision bfloat16"},
  {PCMCPI, "-pc_mcpi_its 2 -pc_mcpi_sweep symmetric -pc_mcpi_omega 1.1"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_sweep backward -pc_mcpi_coloring sl"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_coloring lf -pc_mcpi_coloring_balance"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_exchange none"},
  {PCMCPI, "-pc_mcpi_its 3 -pc_mcpi_exchange color -pc_mcpi_coloring jp"},
  {PCMCPI, "-pc_mcpi_its 2 -pc_mcpi_corrections 1"},
  {PCPOWERQILU, ""},
  {PCPOWERQILU, "-pc_powerqilu_levels 1"},
  {PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_precision single"},
  {PCPOWERQILU, "-pc_powerqilu_levels 2 -pc_powerqilu_power 2"},
  {PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_power 1 -pc_powerqilu_drop after"},
  {PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_power 1 -pc_powerqilu_drop none"},
  {PCPOWERQILU, "-pc_powerqilu_levels 2 -pc_powerqilu_schedule level"},
  {PCPOWERQILU, "-pc_powerqilu_levels 1 -pc_powerqilu_corrections 1 -pc_powerqilu_coloring sl"},
  {PCSIP, "-pc_sip_alpha 0.92", true},
  {PCSIP, "-pc_sip_alpha 0.5,0.3 -pc_sip_alternate", true},
  {PCSIP, "-pc_sip_alpha 0 -pc_sip_its 2", true},
  {PCSIP, "-pc_sip_corrections 1 -pc_sip_alpha 0.4", true},
  {PCSIP, "-pc_sip_precision single -pc_sip_alpha 0.3", true},
};
constexpr PetscInt sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 11};
constexpr const char *algorithms[] = {"sequential", "levels", "tasks", "auto"};

void add(Hash *hash, const void *data, std::size_t bytes) // FNV-1a
{
  const auto *c = static_cast<const unsigned char *>(data);
  for (std::size_t i = 0; i < bytes; ++i) *hash = (*hash ^ c[i]) * 1099511628211u;
}
constexpr Hash start = 14695981039346656037u;

// Adds the entries of this rank.
PetscErrorCode AddVec(Hash *hash, Vec v)
{
  const PetscScalar *array;
  PetscInt length;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &length));
  PetscCall(VecGetArrayRead(v, &array));
  add(hash, array, std::size_t(length) * sizeof(PetscScalar));
  PetscCall(VecRestoreArrayRead(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// True if an application has several steps. PETSc computes the residuals between transposed steps, and its builds
// differ.
bool repeats(const std::string &options)
{
  for (const char *word : {"corrections", "alternate", "sip_its"})
    if (options.find(word) != std::string::npos) return true;
  return false;
}

// All forms of application.
PetscErrorCode AddPC(Hash *hash, Mat A, PC pc, bool also_transposed)
{
  Owned<Vec> b, x;

  PetscFunctionBegin;
  PetscCall(MakeVectors(A, &b, &x));
  for (const auto apply : {PCApply, PCApplyTranspose}) {
    if (apply == PCApplyTranspose && !also_transposed) continue;
    PetscCall(FinegrainVecFlag(x));
    PetscCall(apply(pc, b, x));
    PetscCall(AddVec(hash, x));
  }
  {
    constexpr PetscInt columns = 3;
    Owned<Mat> B, X;
    PetscInt rows;
    PetscScalar *to;
    const PetscScalar *from;
    PetscCall(VecGetLocalSize(b, &rows));
    PetscCall(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DECIDE, columns, nullptr, &B));
    PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(MatDenseGetArray(B, &to));
    for (PetscInt c = 0; c < columns; ++c)
      for (PetscInt r = 0; r < rows; ++r) to[c * rows + r] = from[r] * PetscReal(c + 1);
    PetscCall(MatDenseRestoreArray(B, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
    PetscCall(PCMatApply(pc, B, X));
    PetscCall(MatDenseGetArrayRead(X, &from));
    add(hash, from, std::size_t(columns * rows) * sizeof(PetscScalar));
    PetscCall(MatDenseRestoreArrayRead(X, &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Computes the hash of all ranks' hashes, on rank 0.
PetscErrorCode Collect(Hash *hash)
{
  PetscMPIInt ranks;
  std::vector<Hash> all;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  all.resize(std::size_t(ranks));
  PetscCallMPI(MPI_Gather(hash, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, 0, PETSC_COMM_WORLD));
  *hash = start;
  add(hash, all.data(), all.size() * sizeof(Hash));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Print(const char *name, Hash hash)
{
  PetscFunctionBegin;
  PetscCall(Collect(&hash));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: %016llx\n", name, static_cast<unsigned long long>(hash)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Problem {
  const char *name;
  Owned<DM> da = {};
  Owned<Mat> A = {};
};

PetscErrorCode MakeProblems(PetscInt n, std::vector<Problem> *problems)
{
  PetscFunctionBegin;
  for (const char *type : {MATAIJ, MATBAIJ}) {
    Problem grid{type}, other{type};
    PetscCall(MakeGrid(3, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, n, 1, &grid.da));
    PetscCall(AssembleOnGrid(grid.da, type, &grid.A));
    problems->push_back(std::move(grid));
    PetscCall(AssembleMatrix(scattered(300, 4, true), n, type, 1, &other.A));
    problems->push_back(std::move(other));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AddProduct(Hash *hash, Mat A)
{
  Owned<Mat> K;
  Owned<Vec> b, x;

  PetscFunctionBegin;
  PetscCall(MatConvert(A, MATBAIJKOKKOS, MAT_INITIAL_MATRIX, &K));
  PetscCall(MakeVectors(K, &b, &x));
  for (const auto multiply : {MatMult, MatMultTranspose}) {
    PetscCall(FinegrainVecFlag(x));
    PetscCall(multiply(K, b, x));
    PetscCall(AddVec(hash, x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Adds the iterates of a KSP without norms, which do not depend on PETSc's sums over ranks.
PetscErrorCode AddSolve(Hash *hash, const Problem &p, const char *options)
{
  Owned<KSP> ksp;
  PC pc;
  Owned<Vec> b, x;
  const Options set(options);

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, p.A, p.A));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_NONE));
  PetscCall(KSPSetConvergenceTest(ksp, KSPConvergedSkip, nullptr, nullptr));
  PetscCall(KSPSetTolerances(ksp, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 5));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetDM(pc, p.da));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(MakeVectors(p.A, &b, &x));
  PetscCall(FinegrainVecFlag(x));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(AddVec(hash, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool takes(const Case &o, const char *algorithm)
{
  return !(std::strstr(o.text, "exchange color") &&
           (!std::strcmp(algorithm, "tasks") || !std::strcmp(algorithm, "auto")));
}

PetscErrorCode Run(PetscBool verbose)
{
  // Ranks differ in their exchanges only, which do not depend on algorithms and block sizes.
  const std::vector<PetscInt> block =
    Size() == 1 ? std::vector<PetscInt>(std::begin(sizes), std::end(sizes)) : std::vector<PetscInt>{1, 5};
  const std::size_t engine = Size() == 1 ? std::size(algorithms) : 1;
  std::vector<std::vector<Problem>> problems(block.size());

  PetscFunctionBegin;
  for (std::size_t s = 0; s < block.size(); ++s) PetscCall(MakeProblems(block[s], &problems[s]));
  for (const Case &o : cases) {
    const std::string name = std::string(o.type) + (*o.text ? " " : "") + o.text;
    Hash all = start;
    for (const auto &of_size : problems)
      for (const Problem &p : of_size) {
        if (o.grid && !p.da) continue;
        for (std::size_t e = 0; e < engine; ++e) {
          const char *algorithm = algorithms[e];
          if (!takes(o, algorithm) || (!std::strcmp(algorithm, "auto") && !p.da)) continue;
          Owned<PC> pc;
          Hash one = start;
          PetscCall(MakePC(p.A, o.type, std::string(o.text) + " -pc_" + o.type + "_algorithm " + algorithm, &pc));
          if (p.da) PetscCall(PCSetDM(pc, p.da));
          PetscCall(AddPC(&one, p.A, pc, !repeats(o.text)));
          if (verbose) {
            PetscInt n;
            PetscCall(MatGetBlockSize(p.A, &n));
            PetscCall(Print((name + ", n = " + std::to_string(n) + ", " + p.name +
                             (p.da ? ", grid, " : ", scattered, ") + algorithm)
                              .c_str(),
                            one));
          }
          add(&all, &one, sizeof(one));
        }
      }
    PetscCall(Print(name.c_str(), all));
  }
  Hash products = start;
  for (const auto &of_size : problems)
    for (const Problem &p : of_size) PetscCall(AddProduct(&products, p.A));
  PetscCall(Print("baijkokkos", products));
  const char *sip = "-ksp_type sip -pc_sip_alpha 0.4,0.2 -pc_sip_alternate"; // KSPREFINE's residuals are PETSc's
  Hash solves = start;
  for (const auto &of_size : problems) PetscCall(AddSolve(&solves, of_size[0], sip));
  PetscCall(Print(sip, solves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
{
  PetscBool verbose = PETSC_FALSE;
  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscFinegrainInitializePackage());
  PetscCall(PetscOptionsGetBool(nullptr, nullptr, "-verbose", &verbose, nullptr));
  PetscCall(Run(verbose));
  PetscCall(PetscFinalize());
  return 0;
}
