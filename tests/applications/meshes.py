# SPDX-License-Identifier: BSD-2-Clause
"""A square of triangles and a cube of tetrahedra in Gmsh's format 2, so that getdp needs no mesh generator.
Region 1 is the inside, region 2 the boundary."""
from itertools import accumulate, permutations, product


def write(path, nodes, elements):
    """Writes nodes by their coordinates, numbered from 0, and elements: Gmsh's type (1 line, 2 triangle, 4
    tetrahedron), region, nodes."""
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    lines += [f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(nodes, 1)]
    lines += ["$EndNodes", "$Elements", str(len(elements))]
    lines += [f"{i} {kind} 2 {region} {region} {' '.join(str(1 + node) for node in corners)}" for i, (kind, region, corners) in enumerate(elements, 1)]
    path.write_text("\n".join(lines + ["$EndElements"]) + "\n")


def write_square(path, n):
    def node(i, j):
        return i + (n + 1) * j

    elements = []
    for i in range(n):
        for a, b in ((node(i, 0), node(i + 1, 0)), (node(i, n), node(i + 1, n)), (node(0, i), node(0, i + 1)), (node(n, i), node(n, i + 1))):
            elements.append((1, 2, (a, b)))
        for j in range(n):
            elements.append((2, 1, (node(i, j), node(i + 1, j + 1), node(i, j + 1))))
            elements.append((2, 1, (node(i, j), node(i + 1, j), node(i + 1, j + 1))))
    write(path, [(i / n, j / n, 0) for j in range(n + 1) for i in range(n + 1)], elements)


def write_cube(path, n):
    """Each of n^3 cells is six tetrahedra, one for each order in which the axes lead from its first corner to its
    last."""
    step = (1, n + 1, (n + 1)**2)

    def walk(start, axes):
        """The numbers of the nodes on the way."""
        return list(accumulate((step[axis] for axis in axes), initial=sum(at * s for at, s in zip(start, step))))

    elements = []
    for cell in product(range(n), repeat=3):
        elements += [(4, 1, walk(cell, axes)) for axes in permutations(range(3))]
        for axis in range(3):
            face = [other for other in range(3) if other != axis]
            for place, end in ((0, 0), (n - 1, n)):
                if cell[axis] == place:
                    start = [end if a == axis else cell[a] for a in range(3)]
                    elements += [(2, 2, walk(start, axes)) for axes in (face, face[::-1])]
    write(path, [(i / n, j / n, k / n) for k in range(n + 1) for j in range(n + 1) for i in range(n + 1)], elements)
