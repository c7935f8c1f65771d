# SPDX-License-Identifier: BSD-2-Clause
"""Solves one system of problems.py with one set of options, in a process of its own (run.py). Prints set-up,
iterations, solve and residual as a line of JSON. Arguments: folder, name, matrix type, then PETSc's
options."""
import json
import sys
import time

folder, name, kind = sys.argv[1:4]

import numpy
import petsc4py

petsc4py.init(sys.argv[:1] + sys.argv[4:])
from petsc4py import PETSc


def load(what):
    return PETSc.Viewer().createBinary(f"{folder}/{name}.{what}", "r")


A = PETSc.Mat().create()
A.setType("aij")
A.setOptionsPrefix("load_")
A.setFromOptions()
A.load(load("matrix"))
settings = json.load(open(f"{folder}/{name}.json"))
if settings["spd"]:  # PETSc 3.18 has no such flag for MPIBAIJ
    A.setOption(PETSc.Mat.Option.SPD, True)
if kind != "aij":
    A = A.convert(kind)
if settings["coordinates"]:  # a conversion would lose the null space
    c = PETSc.Vec().create()
    c.setBlockSize(3)
    c.setSizes(A.getSizes()[0])
    c.setUp()
    c.load(load("coordinates"))
    A.setNearNullSpace(PETSc.NullSpace().createRigidBody(c))
x, b = A.createVecs()
b.load(load("rhs"))
ksp = PETSc.KSP().create()
ksp.setOperators(A)
ksp.setType("cg" if settings["spd"] else "gmres")
if not settings["spd"]:
    ksp.setPCSide(PETSc.PC.Side.RIGHT)
ksp.setNormType(PETSc.KSP.NormType.UNPRECONDITIONED)  # the same test of convergence for all
ksp.setTolerances(rtol=1e-8, max_it=3000)
ksp.setFromOptions()
# A virtual machine may have to find memory that was not used before, which takes longer than a solve.
numpy.ones(2**27 // PETSc.COMM_WORLD.size)
start = time.perf_counter()
ksp.setUp()
ksp.getPC().setUpOnBlocks()
setup = time.perf_counter() - start
start = time.perf_counter()
ksp.solve(b, x)
solve = time.perf_counter() - start
r = b.duplicate()
A.mult(x, r)
r.aypx(-1, b)
residual = r.norm() / b.norm()
if PETSc.COMM_WORLD.rank == 0:
    print("RESULT " + json.dumps({"setup": setup, "iterations": ksp.getIterationNumber(), "solve": solve, "reason": int(ksp.getConvergedReason()),
                                  "residual": float(abs(residual))}))
