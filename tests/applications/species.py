# SPDX-License-Identifier: BSD-2-Clause
# Four species in a mixture, in a cube of n^3 points: each diffuses along the gradients of all (Maxwell and Stefan),
# is convected and reacts. Implicit time steps with matrices of scipy, solved by petsc4py on one rank. The program
# does not know finegrain.
import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy
import scipy.sparse as sparse
from petsc4py import PETSc

n = PETSc.Options().getInt("n", 12)
steps = PETSc.Options().getInt("steps", 2)
species, dt, speed = 4, 0.05, 10.0
h = 1 / (n + 1)
one = sparse.identity(n)


def along_axes(line):
    return sum(sparse.kron(sparse.kron(a, b), c) for a, b, c in ((line, one, one), (one, line, one), (one, one, line)))


diffusion = along_axes(sparse.diags([-1 / h**2, 2 / h**2, -1 / h**2], [-1, 0, 1], (n, n)))
upwind = along_axes(sparse.diags([-speed / h, speed / h], [-1, 0], (n, n)))
between = numpy.diag([1.0, 0.7, 0.5, 0.2]) + 0.1 * numpy.array([[0, 1, -1, 0.5], [0.5, 0, 1, -1], [-1, 0.5, 0, 1], [1, -1, 0.5, 0]])
moved = (sparse.kron(diffusion, between) + sparse.kron(upwind, numpy.identity(species))).tocsr()

along = (numpy.arange(n) + 1) * h
place = numpy.sin(numpy.pi * along[:, None, None]) * numpy.sin(numpy.pi * along[None, :, None]) * along[None, None, :]
c = numpy.repeat(place.ravel()[:, None], species, axis=1) * numpy.array([1.0, 0.1, 0.5, 0.2])
points = numpy.arange(n**3 + 1)
ksp = PETSc.KSP().create()
ksp.setFromOptions()
for step in range(steps):
    # Each species is consumed by the one before it, which grows by as much: c[i] c[i-1], with the second factor at
    # the last time step.
    reaction = numpy.zeros((n**3, species, species))
    for i in range(species):
        reaction[:, i, i] = 1 / dt + 40 * c[:, i - 1]
        reaction[:, i - 1, i] = -40 * c[:, i - 1]
    jacobian = moved + sparse.bsr_matrix((reaction, points[:-1], points), shape=moved.shape).tocsr()
    jacobian.sort_indices()
    A = PETSc.Mat().createAIJ(jacobian.shape, csr=(jacobian.indptr, jacobian.indices, jacobian.data))
    A.setBlockSize(species)
    A.convert(PETSc.Options().getString("matrix", "aij"))
    b = A.createVecLeft()
    b.array[:] = c.ravel() / dt
    ksp.setOperators(A)
    x = A.createVecRight()
    ksp.solve(b, x)
    c = x.array.reshape(-1, species)
