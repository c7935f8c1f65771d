#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Linear systems that are hard to solve or hard to judge: fields in other units, penalties, saddle points,
convection, weak diagonals, tiny pivots, and matrices of PETSc's programs. table.py solves them.

A system is its rows as dictionaries from column to value (None: a program wrote the matrix), the block size, the
scale of unknowns (x is that of the solution 1 to 2), and the grid of points (None: none)."""
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import numpy as np

# Matrices of PETSc's programs: name, program, its block size, options, prefix of its KSP, grid of points.
programs = [(f"ex19 {m}x{m}", "snes/tutorials/ex19.c", 4,
             f"-da_grid_x {m} -da_grid_y {m} -lidvelocity 100 -snes_max_it 1 -dm_mat_type aij", "", (m, m, 1))
            for m in (8, 24, 40)] + [
    ("ex30 12x12", "snes/tutorials/ex30.c", 4, "-ni 12 -nj 12 -snes_max_it 1 -ksp_max_it 1", "", None),
    ("ex42 6x6x6", "ksp/ksp/tutorials/ex42.c", 4, "-mx 6 -stokes_ksp_max_it 1", "stokes_", None),
    ("ex43 16x16", "ksp/ksp/tutorials/ex43.c", 3, "-mx 16 -my 16 -stokes_ksp_max_it 1", "stokes_", None),
    ("ex48 5x5x3", "snes/tutorials/ex48.c", 2, "-M 5 -P 3 -snes_max_it 1 -ksp_max_it 5", "", None),
    ("ex56 5x5x5", "ksp/ksp/tutorials/ex56.c", 3, "-ne 5 -ksp_max_it 1", "", None),
]
folder = tempfile.TemporaryDirectory()


def run_programs(build):
    """Runs PETSc's programs. Must be called before MPI is initialized here, which they would inherit. Exits with
    77 if a program is missing."""
    for name, path, _, options, prefix, _ in programs:
        compiler = Path(__file__).resolve().parents[1] / "clients/compile"
        made = subprocess.run([compiler, build, path], stdout=subprocess.PIPE, text=True)
        made.returncode and sys.exit(made.returncode)
        command = [made.stdout.strip(), *options.split(), "-viewer_binary_skip_info"]
        command += [a for what in ("mat", "rhs") for a in (f"-{prefix}ksp_view_{what}", f"binary:{name}.{what}")]
        ran = subprocess.run(command, cwd=folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if not Path(folder.name, f"{name}.rhs").exists():
            sys.exit(f"{' '.join(command)}\n{ran.stdout}")


def convection(m, peclet=0):
    """Diffusion and convection on m x m points, central differences."""
    rows = []
    for j in range(m):
        for i in range(m):
            row = {j * m + i: 4.0}
            for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                if 0 <= i + di < m and 0 <= j + dj < m:
                    row[(j + dj) * m + i + di] = -1 + peclet * (di + dj)
            rows.append(row)
    return rows


def two_fields(s, order, m=12, symmetric=False):
    """Two coupled fields, the second in units in which its numbers are s times as large; the equations are not
    scaled."""
    n, rows = m * m, []
    for i, row in enumerate(convection(m)):
        rows.append({c: v * s for c, v in row.items()})
        rows[i].update({n + i: 0.05} if symmetric else {n + i: -0.3, n + (i + 1) % n: 0.3})
    for i, row in enumerate(convection(m)):
        rows.append({n + c: (v + 0.1 * (c == i)) / s for c, v in row.items()})
        rows[n + i].update({i: 0.05} if symmetric else {i: 0.3, (i - 1) % n: -0.3})
    scale = np.repeat([1, s], n)
    if order == "after":
        return rows, 1, scale, None
    place = [2 * c if c < n else 2 * (c - n) + 1 for c in range(2 * n)]
    mixed = [None] * (2 * n)
    for i, row in enumerate(rows):
        mixed[place[i]] = {place[c]: v for c, v in row.items()}
    return mixed, 2 if order == "blocked" else 1, np.tile([1, s], n), None


def other_rows(system):
    """The same system with each equation times a power of ten from -6 to 6."""
    powers = np.random.RandomState(1).randint(-6, 7, len(system[0]))
    return [{c: v * 10.0**p for c, v in row.items()} for row, p in zip(system[0], powers)], *system[1:]


def other_columns(system, which):
    """The same system with other units of unknowns: a power of ten from -5 to 5 for each, or 1e7 for half of
    them, or from 1 to 1e6 from the first to the last."""
    n = len(system[0])
    random = np.random.RandomState(2)
    units = {"each": 10.0 ** random.uniform(-5, 5, n), "halves": np.where(np.arange(n) < n // 2, 1, 1e7),
             "graded": 10.0 ** np.linspace(0, 6, n)}[which]
    return [{c: v * units[c] for c, v in row.items()} for row in system[0]], system[1], 1 / units, None


def weak(f, bs, m=10, seed=3):
    """Random couplings of blocks on a star; f times the block size is added to the diagonal."""
    random, star = np.random.RandomState(seed), convection(m)
    rows = [{} for _ in range(len(star) * bs)]
    for i, row in enumerate(star):
        for c in row:
            block = random.uniform(-1, 1, (bs, bs)) + (c == i) * f * bs * np.eye(bs)
            for r in range(bs):
                rows[i * bs + r].update({c * bs + k: block[r, k] for k in range(bs)})
    return rows, bs, 1, (m, m, 1)


def tiny_pivot(n=40, k=12):
    """Tridiagonal; the second pivot of rows k and k + 1 is zero up to rounding, 0.3 - (0.1 + 0.2)."""
    D = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    D[k], D[:, k], D[k + 1, k:k + 2] = 0, 0, 0
    D[k, k] = D[k, k + 1] = D[k + 1, k + 2] = D[k + 2, k + 1] = 1
    D[k + 1, k:k + 2] = 0.1 + 0.2, 0.3
    return [{c: D[r, c] for c in np.flatnonzero(D[r])} for r in range(n)], 1, 1, None


def flow(m, px, py):
    """Diffusion and convection on m x m points with central differences and these cell Peclet numbers."""
    rows = []
    for j in range(m):
        for i in range(m):
            row = {j * m + i: 4.0}
            for di, dj, value in ((-1, 0, -1 - px), (1, 0, -1 + px), (0, -1, -1 - py), (0, 1, -1 + py)):
                if 0 <= i + di < m and 0 <= j + dj < m:
                    row[(j + dj) * m + i + di] = value
            rows.append(row)
    return rows, 1, 1, (m, m, 1)


def mixed_units(s, m=30):
    """The unknowns have the units 1, sqrt(s), s in turn, and the equations the inverse ones."""
    units = s ** (np.arange(m * m) % 3 / 2)
    rows = [{c: v * units[c] / units[2 - r % 3] for c, v in row.items()} for r, row in enumerate(convection(m))]
    return rows, 1, 1, None


def penalty(value, m=30):
    """Adds this value to the diagonal of every 17th row."""
    return [{c: v + value * (c == r and r % 17 == 0) for c, v in row.items()}
            for r, row in enumerate(convection(m))], 1, 1, (m, m, 1)


def saddle(regularization, m=20, density=0.1, seed=7):
    """A Laplacian with m constraints."""
    random, n = np.random.RandomState(seed), m * m
    rows = convection(m) + [{n + k: -regularization} for k in range(m)]
    for k in range(m):
        for c in np.flatnonzero(random.uniform(size=n) < density):
            rows[n + k][int(c)] = rows[int(c)][n + k] = random.uniform()
    return rows, 1, 1, None


def stretched(ratio, m=40):
    """A Laplacian on points whose distances grow by this ratio along an axis."""
    h, rows = ratio ** np.arange(m + 1), []
    for j in range(m):
        for i in range(m):
            row = {j * m + i: 1 / h[i] + 1 / h[i + 1] + 2}
            for di, dj, value in ((-1, 0, -1 / h[i]), (1, 0, -1 / h[i + 1]), (0, -1, -1), (0, 1, -1)):
                if 0 <= i + di < m and 0 <= j + dj < m:
                    row[(j + dj) * m + i + di] = value
            rows.append(row)
    return rows, 1, 1, (m, m, 1)


def shifted(shift, m=20):
    """A Laplacian less a multiple of the identity: indefinite."""
    return [{c: v - shift * (c == r) for c, v in row.items()} for r, row in enumerate(convection(m))], 1, 1, (m, m, 1)


def all_systems():
    """Pairs of name and system."""
    for s, order in product((1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9), ("after", "interleaved", "blocked")):
        yield f"units {s:g} {order}", two_fields(s, order)
    for s in (1e-6, 1, 1e6):
        yield f"units {s:g} after, symmetric", two_fields(s, "after", symmetric=True)
    yield "units 1e6 after, rows", other_rows(two_fields(1e6, "after"))
    for which in ("each", "halves", "graded"):
        star, fields = (convection(16, 0.5), 1, 1, (16, 16, 1)), two_fields(1, "blocked")
        yield f"units of unknowns, {which}", other_columns(star, which)
        yield f"units of unknowns, {which}, rows", other_rows(other_columns(star, which))
        yield f"units of unknowns, {which}, n = 2", other_columns(fields, which)
        yield f"units of unknowns, {which}, n = 3", other_columns(weak(2, 3), which)
    for m, (px, py) in product((16, 32, 48), ((2, 2), (3, 3), (5, 5), (5, 0), (3, 1), (10, 2), (4, -4))):
        yield f"flow {m}x{m}, Peclet {px} {py}", flow(m, px, py)
    for s in (1e3, 1e6, 1e9):
        yield f"mixed units {s:g}", mixed_units(s)
    for value in (1e6, 1e20, 1e30):
        yield f"penalty {value:g}", penalty(value)
    for regularization in (1, 1e-2, 1e-6):
        yield f"saddle point {regularization:g}", saddle(regularization)
    for ratio in (1.2, 1.5):
        yield f"stretched {ratio:g}", stretched(ratio)
    for shift in (0.1, 0.5, 2):
        yield f"Helmholtz {shift:g}", shifted(shift)
    for peclet in (0.5, 2, 5, 10):
        yield f"central {peclet:g}", (convection(16, peclet), 1, 1, (16, 16, 1))
    for peclet in (2, 5, 10):
        yield f"central {peclet:g}, rows", other_rows((convection(16, peclet), 1, 1, (16, 16, 1)))
    for f, bs in product((0.3, 0.5, 0.8, 1.2, 2), (1, 3)):
        yield f"weak {f:g}, n = {bs}", weak(f, bs)
    for m in (20, 40, 80):
        yield f"Poisson {m}x{m}", (convection(m), 1, 1, (m, m, 1))
    yield "tiny pivot", tiny_pivot()
    for name, _, bs, _, _, grid in programs:
        yield name, (None, bs, 1, grid)
