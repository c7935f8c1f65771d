# SPDX-License-Identifier: BSD-2-Clause
"""A square of triangles in Gmsh's format 2, so that getdp needs no mesh generator."""


def write_square(path, n):
    def node(i, j):
        return 1 + i + (n + 1) * j

    nodes = [f"{node(i, j)} {i / n} {j / n} 0" for j in range(n + 1) for i in range(n + 1)]
    # Type (1 a line, 2 a triangle), two tags of which the first is getdp's region, nodes.
    elements = []
    for i in range(n):
        for a, b in ((node(i, 0), node(i + 1, 0)), (node(i, n), node(i + 1, n)), (node(0, i), node(0, i + 1)), (node(n, i), node(n, i + 1))):
            elements.append(f"1 2 2 2 {a} {b}")
        for j in range(n):
            for third in (node(i, j + 1), node(i + 1, j)):
                corner = (node(i, j), node(i + 1, j + 1))
                triangle = (corner[0], corner[1], third) if third == node(i, j + 1) else (corner[0], third, corner[1])
                elements.append("2 2 1 1 " + " ".join(map(str, triangle)))
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes)), *nodes, "$EndNodes", "$Elements", str(len(elements)),
             *(f"{number} {element}" for number, element in enumerate(elements, 1)), "$EndElements"]
    path.write_text("\n".join(lines) + "\n")
