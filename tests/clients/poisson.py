# SPDX-License-Identifier: BSD-2-Clause
# A Python program that does not know finegrain: three coupled Poisson problems on a grid, solved as the options say.
import sys
import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc

options = PETSc.Options()
n = options.getInt("n", 20)
da = PETSc.DMDA().create([n, n], dof=3, stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR)
A = da.createMatrix()
row, col = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
(i0, i1), (j0, j1) = da.getRanges()
for j in range(j0, j1):
    for i in range(i0, i1):
        for c in range(3):
            row.index, row.field = (i, j, 0), c
            for di, dj in ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)):
                if 0 <= i + di < n and 0 <= j + dj < n:
                    for d in range(3):
                        col.index, col.field = (i + di, j + dj, 0), d
                        A.setValueStencil(row, col, (4.1 if di == dj else -1) * (1 if c == d else 0.1 * (c - d)))
A.assemble()
b, x = A.createVecs()
b.set(1)
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setTolerances(rtol=1e-8)
ksp.setFromOptions()
ksp.solve(b, x)
PETSc.Sys.Print("residual is small:", (A * x - b).norm() < 1e-5 * b.norm(), "with", ksp.getPC().getType())
