# SPDX-License-Identifier: BSD-2-Clause
# A cantilever under its own weight with dolfinx: three coupled displacements on tetrahedra. The program does not
# know finegrain.
import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc
from strips import strips

n = PETSc.Options().getInt("n", 4)
domain = mesh.create_box(MPI.COMM_WORLD, [numpy.zeros(3), numpy.array([4.0, 1.0, 1.0])], [4 * n, n, n], partitioner=strips)
V = fem.VectorFunctionSpace(domain, ("Lagrange", 1))
clamped = mesh.locate_entities_boundary(domain, 2, lambda x: numpy.isclose(x[0], 0))
bc = fem.dirichletbc(numpy.zeros(3, dtype=PETSc.ScalarType), fem.locate_dofs_topological(V, 2, clamped), V)
mu, lambda_ = 1.0, 1.25


def stress(u):
    return 2 * mu * ufl.sym(ufl.grad(u)) + lambda_ * ufl.div(u) * ufl.Identity(3)


u, v = ufl.TrialFunction(V), ufl.TestFunction(V)
weight = fem.Constant(domain, numpy.array([0, 0, -0.01], dtype=PETSc.ScalarType))
a = fem.form(ufl.inner(stress(u), ufl.sym(ufl.grad(v))) * ufl.dx)
L = fem.form(ufl.inner(weight, v) * ufl.dx)

A = fem.petsc.assemble_matrix(a, bcs=[bc])  # AIJ, with a block size of 3
A.assemble()
b = fem.petsc.assemble_vector(L)
fem.petsc.apply_lifting(b, [a], [[bc]])
b.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
fem.petsc.set_bc(b, [bc])

kind = PETSc.Options().getString("matrix", "aij")
A.convert(kind)
places = b.duplicate()  # b has the matrix's block size
places.array[:] = V.tabulate_dof_coordinates()[: places.local_size // 3].ravel()
A.setNearNullSpace(PETSc.NullSpace().createRigidBody(places))
ksp = PETSc.KSP().create(domain.comm)
ksp.setOperators(A)
ksp.setFromOptions()
solution = fem.Function(V)
ksp.solve(b, solution.vector)
