// SPDX-License-Identifier: BSD-2-Clause
// The grid from which PCMCPI's colors are computed.
#include "types.hpp"

using namespace finegrain::test;

namespace
{

TEST(McpiLife, GridOfTheKspColorsRedAndBlack)
{
  for (const char *exchange : {"none", "color"}) {
    Owned<DM> da;
    Owned<Mat> A, copy;
    Owned<KSP> ksp;
    PC pc;
    Owned<Vec> b, x;
    std::string text;
    OK(MakeGrid(2, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 2, 1, &da));
    OK(AssembleOnGrid(da, MATAIJ, &A));
    OK(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    OK(MatSetDM(copy, nullptr)); // only the KSP has the grid
    const Options set(std::string("-pc_mcpi_exchange ") + exchange);
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(SetGrid(ksp, da));
    OK(KSPSetOperators(ksp, copy, copy));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, PCMCPI));
    OK(KSPSetFromOptions(ksp));
    OK(MakeVectors(A, &b, &x));
    OK(KSPSolve(ksp, b, x));
    OK(ViewText(pc, &text));
    ExpectIn(text, {"coloring: redblack, 2 colors"});
  }
}

} // namespace
