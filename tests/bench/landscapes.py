#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Iterations of CG without a preconditioner on grids like ecology2: 200 x 200 cells, the middle one grounded, b = 1,
to 1e-6. They grow with the side of the grid, by which they are divided, and depend on the conductances, which
Heuveline et al. do not give. Prints docs/performance/landscapes.csv. Needs numpy."""
import numpy as np

SIDE = 200


def iterations(conductance):
    """conductance: of each cell; two neighbors are joined by their mean."""
    along_x, along_y = (conductance[:, 1:] + conductance[:, :-1]) / 2, (conductance[1:] + conductance[:-1]) / 2
    free = np.ones((SIDE, SIDE))
    free[SIDE // 2, SIDE // 2] = 0

    def multiply(x):
        y = np.zeros_like(x)
        flow = along_x * (x[:, 1:] - x[:, :-1])
        y[:, 1:] += flow
        y[:, :-1] -= flow
        flow = along_y * (x[1:] - x[:-1])
        y[1:] += flow
        y[:-1] -= flow
        return y * free

    r = free.copy()
    p, square, steps = r.copy(), (r * r).sum(), 0
    first = square
    while square > 1e-12 * first:
        q = multiply(p)
        r -= square / (p * q).sum() * q
        last, square, steps = square, (r * r).sum(), steps + 1
        p = r + square / last * p
    return steps


def patches(count, most):
    random = np.random.default_rng(1).random((count, count))
    return np.kron(10 + (most - 10) * random, np.ones((SIDE // count, SIDE // count)))


print("# CG without a preconditioner, 200 x 200 cells, `tests/bench/landscapes.py`")
print("conductances,iterations / cells of a side")
print(f"equal,{iterations(patches(1, 10)) / SIDE:.2f}")
print(f"10 to 15 in each cell,{iterations(patches(SIDE, 15)) / SIDE:.2f}")
for most in (15, 20, 40):
    print(f"10 to {most} in patches of 20 x 20 cells,{iterations(patches(10, most)) / SIDE:.2f}")
print("paper: 5391 iterations on 1000 x 1000 cells,5.39")
