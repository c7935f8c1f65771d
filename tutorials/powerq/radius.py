#!/usr/bin/env python3
"""Drop-off for level scheduling (section 3.12 of Heuveline, Lukarski and Weiss): entries of L and U of ILU(p) within a
radius of the diagonal are dropped after the factorization. Prints level sets of what is left and iterations of CG
(b = 1, x_0 = 0, to 1e-6 of the residual norm), by dense loops: for small matrices. finegrain has no such option.

    radius.py <Matrix Market file> [...]
"""
import sys

import numpy as np


def read(name):
    with open(name) as f:
        symmetric = "symmetric" in f.readline()
        lines = [line.split() for line in f if not line.startswith("%")]
    a = np.zeros((int(lines[0][0]),) * 2)
    for row, col, value in lines[1:]:
        a[int(row) - 1, int(col) - 1] = float(value)
        if symmetric:
            a[int(col) - 1, int(row) - 1] = float(value)
    return a


def factor(a, p):
    """L (less its unit diagonal) and U in one matrix, and the pattern."""
    n, f = len(a), a.copy()
    level = np.where(a != 0, 0, n)
    for i in range(n):
        for k in range(i):
            if level[i, k] <= p:
                f[i, k] /= f[k, k]
                level[i, k + 1 :] = np.minimum(level[i, k + 1 :], level[i, k] + level[k, k + 1 :] + 1)
                f[i, k + 1 :] -= f[i, k] * f[k, k + 1 :]
        f[i, level[i] > p] = 0
    return f, level <= p


def count_levels(pattern):
    coupled = pattern | pattern.T
    level = np.zeros(len(pattern), int)
    for i in range(len(pattern)):
        before = np.nonzero(coupled[i, :i])[0]
        level[i] = level[before].max() + 1 if len(before) else 0
    return level.max() + 1


def iterate(a, f):
    inverse = np.linalg.inv(np.triu(f)) @ np.linalg.inv(np.tril(f, -1) + np.eye(len(a)))
    x, r = np.zeros(len(a)), np.ones(len(a))
    enough = 1e-6 * np.linalg.norm(r)
    p = z = inverse @ r
    rz = r @ z
    for k in range(1, 100000):
        q = a @ p
        if p @ q <= 0 or rz <= 0:
            return "indefinite"
        x, r = x + rz / (p @ q) * p, r - rz / (p @ q) * q
        if np.linalg.norm(r) <= enough:
            return str(k)
        z = inverse @ r
        p, rz = z + r @ z / rz * p, r @ z
    return "not at all"


print("| matrix | p | radius | level sets | entries left | iterations |\n|---|---|---|---|---|---|")
for name in sys.argv[1:]:
    a = read(name)
    distance = np.abs(np.subtract.outer(np.arange(len(a)), np.arange(len(a))))
    for p in (0, 1, 3):
        f, pattern = factor(a, p)
        for radius in (0, 1, 2, 5, 10):
            kept = pattern & ((distance == 0) | (distance > radius))
            left = (kept.sum() - len(a)) / (pattern.sum() - len(a))
            print(
                f"| {name.split('/')[-1]} | {p} | {radius} | {count_levels(kept)} | {100 * left:.0f} % | "
                f"{iterate(a, np.where(kept, f, 0))} |"
            )
