# SPDX-License-Identifier: BSD-2-Clause
# Sets options of fgbilu by keyword; listed in docs/use.md.
import finegrain
from petsc4py import PETSc

finegrain.load()
A = PETSc.Mat().createAIJ([100, 100], nnz=1, bsize=2)
for i in range(100):
    A[i, i] = 2
A.assemble()
pc = PETSc.PC().create()
pc.setOperators(A)
pc.setType(finegrain.FGBILU)
finegrain.configure(pc, precision="single", corrections=1)
pc.setUp()
print(finegrain.factor_bytes(pc), "bytes")
