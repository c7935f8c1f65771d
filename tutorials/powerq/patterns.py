#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Computes the nonzero patterns of Figures 3 and 6 to 15 of Heuveline, Lukarski and Weiss: a matrix, L + U of ILU(p)
and the matrix sorted by level sets, the matrix sorted by the colors of |A|^q, and L + U of ILU(p,q) in that
order, without dropped entries. Draws eight of them.

Colors, levels and fill are computed here by plain loops, for small matrices. The results are compared with the
table that the program has printed for the same matrix with -all: colors, groups, fill and dropped entries. Exit
status 1 if they differ.

usage: patterns.py matrix.mtx table.txt patterns.png

"""
import os
import sys

sys.dont_write_bytecode = True  # no cache folder for plot.py

from plot import read

MOST = 3  # levels of fill


def read_pattern(path):
    """The columns of each row of a Matrix Market file, including the diagonal."""
    lines = open(path, encoding="utf-8")
    symmetric = "symmetric" in next(lines)
    size, *entries = (line.split() for line in lines if not line.startswith("%"))
    rows = [{i} for i in range(int(size[0]))]
    for entry in entries:
        i, j = int(entry[0]) - 1, int(entry[1]) - 1
        rows[i].add(j)
        if symmetric:
            rows[j].add(i)
    return rows


def color_power(rows, q):
    """Colors of |A|^q: row after row, the smallest color that no row within q steps has."""
    color = []
    for i in range(len(rows)):
        near = {i}
        for _ in range(q):
            near = set().union(*(rows[j] for j in near))
        taken = {color[j] for j in near if j < i}
        color.append(next(c for c in range(len(rows)) if c not in taken))
    return color


def sort_by(key):
    """Rows sorted by key; rows with equal keys keep their order."""
    return sorted(range(len(key)), key=key.__getitem__)


def permute(rows, order):
    place = {row: p for p, row in enumerate(order)}
    return [{place[j] for j in rows[i]} for i in order]


def fill(rows, p):
    """The columns of each row of L + U of ILU(p)."""
    factor = []
    for i, row in enumerate(rows):
        level, k = dict.fromkeys(row, 0), -1
        while (k := min((j for j in level if k < j < i), default=i)) < i:
            for j, above in factor[k].items():
                found = level[k] + above + 1
                if j > k and found <= p:
                    level[j] = min(found, level.get(j, found))
        factor.append(level)
    return [set(level) for level in factor]


def find_levels(rows):
    """Level sets: a row follows all rows of its lower part."""
    level = []
    for i, row in enumerate(rows):
        level.append(max((level[j] + 1 for j in row if j < i), default=0))
    return level


def entries(rows):
    return sum(map(len, rows))


class Panels:
    """Prepares the drawing, by row and column, and collects differences from the table."""

    def __init__(self, name, matrix, table):
        self.matrix, self.table, self.wrong = matrix, table, []
        self.drawn = {(0, MOST + 3): (f"A = {name}", matrix, matrix)}
        for p in range(MOST + 1):
            self.add_levels(p)
            self.add_colors(p)

    def compare(self, name, **found):
        name = name if name in self.table else f"{name} after"
        for what, value in found.items():
            if self.table[name][what] != str(value):
                self.wrong.append(f"{name}: {what} are {value}, and {self.table[name][what]} in the table")

    def ratio(self, rows):
        return f"{entries(rows) / entries(self.matrix):.3f}"

    def add_levels(self, p):
        factor = fill(self.matrix, p)
        level = find_levels(factor)
        order, groups = sort_by(level), max(level) + 1
        self.compare(f"ILU({p}) by levels", groups=groups, fill=self.ratio(factor), dropped=0)
        sorted_matrix = permute(self.matrix, order)
        self.drawn[p, 0] = f"ILU({p}), {groups} level sets", permute(factor, order), sorted_matrix
        self.drawn[p, 1] = f"A by these {groups}", sorted_matrix, sorted_matrix

    def add_colors(self, largest):
        """The matrix by the colors of |A|^q, q = largest + 1, and ILU(p,q) for all p with these colors."""
        q = largest + 1
        color = color_power(self.matrix, q)
        order, colors = sort_by(color), max(color) + 1
        matrix = permute(self.matrix, order)
        self.drawn[largest, 2] = f"A by {colors} colors of $|A|${f'$^{q}$' if q > 1 else ''}", matrix, matrix
        for p in range(largest, MOST + 1):
            complete = fill(matrix, p)
            kept = [{j for j in row if i == j or color[order[i]] != color[order[j]]} for i, row in enumerate(complete)]
            dropped = entries(complete) - entries(kept)
            self.compare(f"ILU({p},{q})" if p else "ILU(0)", colors=colors, fill=self.ratio(kept), dropped=dropped)
            self.drawn[p, 2 + q] = f"ILU({p},{q}){f', {dropped} dropped' if dropped else ''}", kept, matrix


def draw(panels, target):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from PIL import Image

    figure, axes = plt.subplots(2, 4, figsize=(5, 3.3), layout="constrained")
    # Above without fill, below with the most of it.
    chosen = [(0, MOST + 3), (0, 0), (0, 2), (0, 3), (MOST, 3), (MOST, 0), (MOST, 2), (MOST, MOST + 3)]
    for panel, place in zip(axes.flat, chosen):
        title, rows, matrix = panels.drawn[place]
        for pattern, color in ([row - old for row, old in zip(rows, matrix)], "tab:orange"), (matrix, "black"):
            points = [(j, i) for i, row in enumerate(pattern) for j in row]
            if points:
                panel.plot(*zip(*points), ",", color=color)
        panel.set(xlim=(-0.5, len(rows) - 0.5), ylim=(len(rows) - 0.5, -0.5), xticks=[], yticks=[], aspect="equal")
        panel.set_title(title.replace(", ", "\n"), fontsize=7.5)
    figure.supxlabel("black: entries of A, orange: fill", fontsize=7.5)
    figure.savefig(target, dpi=200)
    Image.open(target).convert("RGB").quantize(16).save(target, optimize=True)  # reduces the size to a third


def main(matrix, table, target):
    name = os.path.basename(matrix)
    panels = Panels(os.path.splitext(name)[0], read_pattern(matrix), read(table)[1])
    for line in panels.wrong:
        print(f"{name}: {line}")
    if panels.wrong:
        return 1
    print(f"{name}: {len(panels.drawn)} patterns, which fit the table")
    try:
        draw(panels, target)
    except ImportError:
        print("No plot: this needs Python's matplotlib", file=sys.stderr)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
