# SPDX-License-Identifier: BSD-2-Clause
# Poisson's equation on the unit square with dolfinx, linear elements. The program does not know finegrain: options
# choose the solver.
import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc
from strips import strips

n = PETSc.Options().getInt("n", 24)
domain = mesh.create_unit_square(MPI.COMM_WORLD, n, n, partitioner=strips)
V = fem.FunctionSpace(domain, ("Lagrange", 1))
facets = mesh.locate_entities_boundary(domain, 1, lambda x: numpy.isclose(x[0], 0) | numpy.isclose(x[0], 1))
bc = fem.dirichletbc(PETSc.ScalarType(0), fem.locate_dofs_topological(V, 1, facets), V)
u, v, x = ufl.TrialFunction(V), ufl.TestFunction(V), ufl.SpatialCoordinate(domain)
f = 10 * ufl.exp(-((x[0] - 0.5) ** 2 + (x[1] - 0.5) ** 2) / 0.02)
a = fem.form(ufl.inner(ufl.grad(u), ufl.grad(v)) * ufl.dx)
L = fem.form(ufl.inner(f, v) * ufl.dx)

A = fem.petsc.assemble_matrix(a, bcs=[bc])
A.assemble()
b = fem.petsc.assemble_vector(L)
fem.petsc.apply_lifting(b, [a], [[bc]])
b.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
fem.petsc.set_bc(b, [bc])

ksp = PETSc.KSP().create(domain.comm)
ksp.setOperators(A)
ksp.setFromOptions()
solution = fem.Function(V)
ksp.solve(b, solution.vector)
