# SPDX-License-Identifier: BSD-2-Clause
# The lid-driven cavity at Re 50 with dolfinx, Taylor-Hood elements and Newton's method. The matrix is a saddle point
# matrix: its pressure rows have no diagonal block. The domain is a square, or with -dim 3 a cube. The program does
# not know finegrain.
import sys

import petsc4py

petsc4py.init(sys.argv)
import numpy
import ufl
from dolfinx import fem, mesh
from mpi4py import MPI
from petsc4py import PETSc
from strips import strips

n = PETSc.Options().getInt("n", 8)
diagonal = PETSc.Options().getString("diagonal", "crossed")
dim = PETSc.Options().getInt("dim", 2)
reynolds = 50
if dim == 2:
    domain = mesh.create_unit_square(MPI.COMM_WORLD, n, n, diagonal=getattr(mesh.DiagonalType, diagonal), partitioner=strips)
else:
    domain = mesh.create_unit_cube(MPI.COMM_WORLD, n, n, n, partitioner=strips)
cell = domain.ufl_cell()
W = fem.FunctionSpace(domain, ufl.VectorElement("Lagrange", cell, 2) * ufl.FiniteElement("Lagrange", cell, 1))
V, _ = W.sub(0).collapse()
Q, _ = W.sub(1).collapse()


def velocity(where, value):
    facets = mesh.locate_entities_boundary(domain, dim - 1, where)
    return fem.dirichletbc(value, fem.locate_dofs_topological((W.sub(0), V), dim - 1, facets), W.sub(0))


def wall(x):
    return numpy.isclose(x[1], 0) | sum(numpy.isclose(x[i], end) for i in (0, 2)[: dim - 1] for end in (0, 1)).astype(bool)


zero, lid, nothing = fem.Function(V), fem.Function(V), fem.Function(Q)
lid.interpolate(lambda x: numpy.stack((4 * x[0] * (1 - x[0]) * (1 if dim == 2 else 4 * x[2] * (1 - x[2])), *(0 * x[: dim - 1]))))
corner = fem.locate_dofs_geometrical((W.sub(1), Q), lambda x: numpy.isclose(x, 0).all(axis=0))
bcs = [velocity(wall, zero), velocity(lambda x: numpy.isclose(x[1], 1), lid), fem.dirichletbc(nothing, corner, W.sub(1))]

w = fem.Function(W)
(u, p), (v, q) = ufl.split(w), ufl.TestFunctions(W)
F = (ufl.inner(ufl.grad(u), ufl.grad(v)) / reynolds + ufl.inner(ufl.dot(u, ufl.nabla_grad(u)), v)
     - p * ufl.div(v) - q * ufl.div(u)) * ufl.dx
residual, derivative = fem.form(F), fem.form(ufl.derivative(F, w))


def copy(x):
    x.ghostUpdate(addv=PETSc.InsertMode.INSERT, mode=PETSc.ScatterMode.FORWARD)
    x.copy(w.vector)
    w.vector.ghostUpdate(addv=PETSc.InsertMode.INSERT, mode=PETSc.ScatterMode.FORWARD)


def function(snes, x, f):
    copy(x)
    with f.localForm() as local:
        local.set(0)
    fem.petsc.assemble_vector(f, residual)
    fem.petsc.apply_lifting(f, [derivative], [bcs], [x], -1.0)
    f.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
    fem.petsc.set_bc(f, bcs, x, -1.0)


def jacobian(snes, x, J, P):
    J.zeroEntries()
    fem.petsc.assemble_matrix(J, derivative, bcs)
    J.assemble()


snes = PETSc.SNES().create(domain.comm)
snes.setFunction(function, fem.petsc.create_vector(residual))
snes.setJacobian(jacobian, fem.petsc.create_matrix(derivative))
snes.getKSP().setType("gmres")
snes.setFromOptions()
x = fem.petsc.create_vector(residual)
snes.solve(None, x)
