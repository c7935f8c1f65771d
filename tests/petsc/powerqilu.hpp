// SPDX-License-Identifier: BSD-2-Clause
// Matrices, colors and oracles for the tests of PCPOWERQILU: files of the report, orders by the colors of |A|^q, and
// PETSc's ILU(p).
#pragma once
#include "mcpi.hpp"

#include <cstdio>
#include <cstdlib>

namespace finegrain::test::powerqilu
{

// Loads a file of tutorials/matrices; every rank has the whole matrix.
inline PetscErrorCode LoadMatrix(const std::string &name, Mat *A, PetscInt block = 1)
{
  const std::string path = std::string(FINEGRAIN_MATRICES) + "/" + name;
  std::FILE *file = std::fopen(path.c_str(), "r");
  char line[1024];
  long rows, entries, i, j;
  double value;

  PetscFunctionBegin;
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s", path.c_str());
  do PetscCheck(std::fgets(line, sizeof(line), file), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s ends", path.c_str());
  while (line[0] == '%');
  PetscCheck(std::sscanf(line, "%ld %*d %ld", &rows, &entries) == 2, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s",
             line);
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, PetscInt(rows), PetscInt(rows), 30, nullptr, A));
  PetscCall(MatSetBlockSize(*A, block));
  for (; entries > 0; --entries) {
    PetscCheck(std::fscanf(file, "%ld %ld %lf", &i, &j, &value) == 3, PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "%s ends",
               path.c_str());
    PetscCall(MatSetValue(*A, PetscInt(i - 1), PetscInt(j - 1), PetscScalar(value), INSERT_VALUES));
    PetscCall(MatSetValue(*A, PetscInt(j - 1), PetscInt(i - 1), PetscScalar(value), INSERT_VALUES));
  }
  std::fclose(file);
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Rows that are connected by at most `power` couplings, in either direction, within their rank in A.
inline PetscErrorCode FindPower(const Couplings &couplings, Mat A, PetscInt n, PetscInt power, Couplings *result)
{
  const PetscInt *cut;
  PetscMPIInt size;
  Couplings both{couplings.size()};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm(object(A)), &size));
  PetscCall(MatGetOwnershipRanges(A, &cut));
  const auto owner = [&](PetscInt row) { return std::upper_bound(cut, cut + size + 1, row * n) - cut; };
  for (PetscInt i = 0; i < PetscInt(couplings.size()); ++i)
    for (const PetscInt j : couplings[std::size_t(i)])
      if (owner(i) == owner(j)) {
        both[std::size_t(i)].insert(j);
        both[std::size_t(j)].insert(i);
      }
  *result = both;
  for (PetscInt k = 1; k < power; ++k) {
    const Couplings last = *result;
    for (std::size_t i = 0; i < last.size(); ++i)
      for (const PetscInt j : last[i]) (*result)[i].insert(both[std::size_t(j)].begin(), both[std::size_t(j)].end());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The rows of each rank by the colors of |A|^power. Returns the maximum number of colors over ranks.
inline PetscErrorCode FindOrder(const Couplings &couplings, Mat A, PetscInt n, PetscInt power,
                                std::vector<PetscInt> *order)
{
  Couplings graph;

  PetscFunctionBegin;
  PetscCall(FindPower(couplings, A, n, power, &graph));
  PetscCall(mcpi::FindColorOrder(graph, A, n, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// PETSc's ILU(p) on each rank, set up.
inline PetscErrorCode MakeIlu(Mat A, PetscInt levels, PC *pc, const char *ordering = MATORDERINGNATURAL)
{
  PetscFunctionBegin;
  const Options set("-sub_pc_type ilu -sub_pc_factor_levels " + std::to_string(levels) +
                    " -sub_pc_factor_mat_ordering_type " + ordering);
  PetscCall(PCCreate(PetscObjectComm(object(A)), pc));
  PetscCall(PCSetType(*pc, PCBJACOBI));
  PetscCall(PCSetOperators(*pc, A, A));
  PetscCall(PCSetFromOptions(*pc)); // otherwise set-up reads no options
  PetscCall(PCSetUp(*pc));
  PetscCall(PCSetUpOnBlocks(*pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// Number of blocks of that factor on all ranks.
inline PetscErrorCode CountBlocks(PC pc, PetscInt n, PetscInt *blocks)
{
  KSP *sub;
  PC ilu;
  Mat factor;
  MatInfo info;
  PetscInt rows;

  PetscFunctionBegin;
  PetscCall(PCBJacobiGetSubKSP(pc, nullptr, nullptr, &sub));
  PetscCall(KSPGetPC(sub[0], &ilu));
  PetscCall(PCFactorGetMatrix(ilu, &factor));
  PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
  PetscCall(MatGetLocalSize(factor, &rows, nullptr));
  *blocks = rows ? PetscInt(info.nz_used) / (n * n) : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, blocks, 1, MPIU_INT, MPI_SUM, PetscObjectComm(object(pc))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

// The view of a PC of ours after its set-up.
inline std::string ViewOf(Mat A, const std::string &options)
{
  Owned<PC> pc;
  std::string text;
  EXPECT_EQ(static_cast<int>(MakePC(A, PCPOWERQILU, options, &pc)), 0);
  EXPECT_EQ(static_cast<int>(PCSetUp(pc)), 0);
  EXPECT_EQ(static_cast<int>(ViewText(pc, &text)), 0);
  return text;
}

} // namespace finegrain::test::powerqilu
