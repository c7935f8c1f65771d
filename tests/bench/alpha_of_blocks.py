#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The largest alpha of -pc_type sip for which coupled unknowns of a point still converge.

    alpha_of_blocks.py <plugin> [<matrix> <block size> <I,J,K>]...

Solves model problems, and matrices that a program has written with -ksp_view_mat binary:<matrix>, by GMRES(30),
preconditioned from the left, to 1e-5, for several alpha. Prints iterations and, after a slash, the decimal
exponent of the true residual relative to b; "div." for more than 400, and "fails" if the check of the solution
refuses it. docs/types/sip.md shows its table. Needs petsc4py and numpy.
"""
import sys

import numpy as np
import petsc4py

petsc4py.init([sys.argv[0], "-dll_append", sys.argv[1]])
from petsc4py import PETSc  # noqa: E402

alphas = [0, 0.3, 0.5, 0.7, 0.8, 0.9, 0.92, 0.95]
velocity = lambda x: np.array([np.sin(np.pi * x[0]) * np.cos(np.pi * x[1]),
                               -np.cos(np.pi * x[0]) * np.sin(np.pi * x[1]), 0.3 * np.sin(np.pi * x[2])])


def assemble(dims, n, diagonal, lower, upper):
    """A BAIJ matrix of a star from its blocks: diagonal(ijk), lower(axis, ijk), upper(axis, ijk)."""
    size = dims[0] * dims[1] * dims[2]
    A = PETSc.Mat().createBAIJ([size * n, size * n], n, nnz=7)
    stride = (1, dims[0], dims[0] * dims[1])
    for p in range(size):
        ijk = (p % dims[0], p // dims[0] % dims[1], p // stride[2])
        A.setValuesBlocked([p], [p], diagonal(ijk))
        for a in range(3):
            if ijk[a] > 0:
                A.setValuesBlocked([p], [p - stride[a]], lower(a, ijk))
            if ijk[a] + 1 < dims[a]:
                A.setValuesBlocked([p], [p + stride[a]], upper(a, ijk))
    A.assemble()
    return A


def diffusion(dims, viscosity, first, reaction):
    """-viscosity_i Laplace u_i + sum over axes of first[a] du/dx_a + reaction u, central differences, times h^2."""
    h, V, n = 1 / max(dims), np.diag(np.array(viscosity, float)), len(viscosity)
    C = [np.array(first[a], float) if a in first else np.zeros((n, n)) for a in range(3)]
    axes = sum(d > 1 for d in dims)
    return assemble(dims, n, lambda ijk: 2 * axes * V + h * h * np.array(reaction, float),
                    lambda a, ijk: -V - h / 2 * C[a], lambda a, ijk: -V + h / 2 * C[a])


def upwind(dims, jacobian, cfl, viscosity=0.0):
    """One implicit step of a linear hyperbolic system, first-order finite volumes; jacobian(axis, x)."""
    n = len(jacobian(0, (0, 0, 0)))

    def parts(a, ijk):
        w, R = np.linalg.eig(jacobian(a, [(i + 0.5) / d for i, d in zip(ijk, dims)]))
        size = np.sqrt(w.real**2 + (0.05 * abs(w).max()) ** 2)
        return [(R @ np.diag((w.real + s * size) / 2) @ np.linalg.inv(R)).real for s in (1, -1)]

    axes = [a for a in range(3) if dims[a] > 1]
    V = viscosity * np.eye(n)
    return assemble(dims, n, lambda ijk: np.eye(n) / cfl + sum(p - m + 2 * V for p, m in (parts(a, ijk) for a in axes)),
                    lambda a, ijk: -parts(a, ijk)[0] - V, lambda a, ijk: parts(a, ijk)[1] - V)


def artificial_compressibility(d):
    def jacobian(a, x):
        J, u = np.zeros((d + 1, d + 1)), velocity(x)[:d]
        J[0, 1 + a] = J[1 + a, 0] = 1
        J[1:, 1:] += u[a] * np.eye(d)
        J[1:, 1 + a] += u
        return J
    return jacobian


def euler(d, mach):
    """Conservative variables."""
    def jacobian(a, x):
        u, rho, n = mach * velocity(x)[:d] + 0.1, 1 + 0.1 * x[0], d + 2
        J, T = u[a] * np.eye(n), np.zeros((n, n))
        J[0, 1 + a], J[1 + a, -1], J[-1, 1 + a] = rho, 1 / rho, 1
        T[0, 0], T[-1, 0], T[-1, -1] = 1, u @ u / 2, 1 / 0.4
        T[1:-1, 0], T[1:-1, 1:-1], T[-1, 1:-1] = u, rho * np.eye(d), rho * u
        return T @ J @ np.linalg.inv(T)
    return jacobian


def pressure(small):
    """Velocities and a pressure with diffusion `small`, as a matrix of first derivatives."""
    return dict(viscosity=[1, 1, small], first={0: [[0, 0, 1], [0, 0, 0], [1, 0, 0]], 1: [[0, 0, 0], [0, 0, 1], [0, 1, 0]]})


plane, cube, none = (24, 24, 1), (10, 10, 10), np.zeros((3, 3))
problems = {
    "artificial compressibility 2D, CFL 10": lambda: upwind(plane, artificial_compressibility(2), 10, 0.1),
    "artificial compressibility 2D, CFL 1e4": lambda: upwind(plane, artificial_compressibility(2), 1e4, 0.001),
    "artificial compressibility 3D, CFL 1e6": lambda: upwind(cube, artificial_compressibility(3), 1e6, 0.01),
    "Euler 2D, Mach 0.3, CFL 1e4": lambda: upwind(plane, euler(2, 0.3), 1e4),
    "Euler 2D, Mach 2, CFL 1e3": lambda: upwind(plane, euler(2, 2), 1e3),
    "Euler 3D, Mach 0.3, CFL 100": lambda: upwind(cube, euler(3, 0.3), 100),
    "consolidation (Biot)": lambda: diffusion(plane, **pressure(1e-3), reaction=np.diag([0, 0, 1])),
    "Stokes, stabilized by 1e-2": lambda: diffusion(plane, **pressure(1e-2), reaction=none),
    "Stokes, stabilized by h^2": lambda: diffusion(plane, **pressure(1 / 576), reaction=none),
    "Stokes, stabilized by 1e-4": lambda: diffusion(plane, **pressure(1e-4), reaction=none),
    "two temperatures, exchange 1e6": lambda: diffusion(plane, [1, 0.01], {}, 1e6 * np.array([[1, -1], [-1, 1]])),
    "Brusselator": lambda: diffusion(plane, [1, 0.5], {}, [[-10, 40], [-20, 30]]),
    "Helmholtz, damped, real and imaginary part": lambda: diffusion(plane, [1, 1], {}, [[-100, -100], [100, -100]]),
    "velocity and vorticity, Re 20": lambda: diffusion(
        plane, [1, 1, 1], {0: [[0, 0, 0], [0, 0, -1], [0, 0, 10]], 1: [[0, 0, 1], [0, 0, 0], [0, 0, -10]]}, none),
    "shallow water, step 1": lambda: diffusion(
        plane, [0.2] * 3, {0: [[0, 10, 0], [10, 0, 0], [0, 0, 0]], 1: [[0, 0, 10], [0, 0, 0], [10, 0, 0]]},
        [[1, 0, 0], [0, 1, -50], [0, 50, 1]]),
}


def read(name, n):
    viewer = PETSc.Viewer().createBinary(name, "r")
    A = PETSc.Mat().create()
    A.setType("baij")
    A.setBlockSize(n)
    return A.load(viewer)


def solve(A, dims, alpha):
    options = PETSc.Options()
    for name, value in {"type": "sip", "sip_grid": ",".join(map(str, dims)), "sip_alpha": alpha}.items():
        options[f"pc_{name}"] = value
    b, x = A.createVecs()
    x.setRandom(PETSc.Random().create())
    A.mult(x, b)
    ksp = PETSc.KSP().create()
    ksp.setOperators(A)
    ksp.setTolerances(rtol=1e-5, max_it=400, divtol=1e300)
    ksp.setFromOptions()
    ksp.solve(b, x)
    if ksp.reason == PETSc.KSP.ConvergedReason.DIVERGED_PCSETUP_FAILED:
        return "fails"
    if ksp.reason < 0:
        return "div."
    r = b - A * x
    return f"{ksp.its} / {np.log10(r.norm() / b.norm()):.0f}"


print("| problem | " + " | ".join(f"alpha {a}" for a in alphas) + " |\n" + "|---" * (len(alphas) + 1) + "|")
cases = [(name, make, plane if "3D" not in name else cube) for name, make in problems.items()]
for k in range(2, len(sys.argv), 3):
    cases.append((sys.argv[k].split("/")[-1], lambda k=k: read(sys.argv[k], int(sys.argv[k + 1])),
                  tuple(map(int, sys.argv[k + 2].split(",")))))
for name, make, dims in cases:
    A = make()
    print(f"| {name} | " + " | ".join(solve(A, dims, a) for a in alphas) + " |", flush=True)
