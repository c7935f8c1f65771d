#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints tables from the folder that ./study has written, and draws its pictures there: cavity.png, center lines of the
cavity, and street.png, the vortex street.

usage: plot.py folder                                           tables and pictures of a study
       plot.py -vtk prefix flow.png [x0,x1,y0,y1] [vorticity]   the flow that `navierstokes -vtk prefix` wrote

"""
import glob
import math
import os
import re
import sys

SECONDS = ["residual", "exchange of it", "Jacobian", "set-up of the preconditioner", "its application", "products", "linear solves in all"]


def read(path):
    """Reads the output of a program."""
    text = open(path, encoding="utf-8").read()
    found = {"text": text}
    steps = re.search(r"^(\d+) steps, (\d+) linear iterations", text, re.M)
    found["steps"], found["iterations"] = (int(steps[1]), int(steps[2])) if steps else (0, 0)
    rows = re.findall(r"^ *\d+ +[0-9.]+ +([0-9.e+-]+) +\d+", text, re.M)
    found["residual"] = float(rows[-1]) if rows else 0
    line = re.search(r"^seconds:(.*)", text, re.M)
    found["seconds"] = {name: float(value) for name, value in re.findall(r" ([A-Za-z -]+) ([0-9.]+)", line[1])} if line else {}
    return found


def number(run, what):
    found = re.search(re.escape(what) + r" ([-+0-9.e]+)", run["text"])
    return found[1] if found else ""


def error(run, what, of):
    """The relative difference of a number from a published one."""
    found = re.search(re.escape(what) + r".*?" + re.escape(of) + r" [-0-9.]+ \(([-+0-9.]+ %)\)", run["text"])
    return found[1] if found else ""


def runs(folder, kind):
    for path in sorted(glob.glob(os.path.join(folder, kind + "_*.txt")), key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]):
        yield os.path.basename(path)[len(kind) + 1:-4].split("_"), read(path)


def table(title, head, rows):
    rows = list(rows)
    if rows:
        print(f"{title}\n\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|")
        for row in rows:
            print("| " + " | ".join(str(cell) for cell in row) + " |")
        print()


def published(folder):
    botella = "Botella and Peyret"
    table("Cavity", ["Re", "cells", "least u", "most v", "least v", f"of {botella}: least u", "most v", "least v", "of Ghia, Ghia and Shin: u", "v"],
          ([key[0], key[1], *(number(run, name) for name in ("least u", "most v", "least v")), *(error(run, name, botella) for name in ("least u", "most v", "least v")),
            number(run, "Shin: u differs by"), number(run, "at most, v by")] for key, run in runs(folder, "cavity")))
    known = "Albensoeder and Kuhlmann"
    table("Cube", ["Re", "cells", "steps", "linear iterations", "least u", "most v", "least v", f"of {known}: least u", "most v", "least v"],
          ([key[0], key[1], run["steps"], run["iterations"], *(number(run, name) for name in ("least u", "most v", "least v")),
            *(error(run, name, known) for name in ("least u", "most v", "least v"))] for key, run in runs(folder, "cube")))
    table("Cylinder", ["Re", "cells", "wake", "of Dennis and Chang", "of Fornberg", "drag", "of Dennis and Chang", "of Fornberg"],
          ([key[0], key[1], number(run, "behind the cylinder"), error(run, "wake", "Dennis and Chang"), error(run, "wake", "Fornberg"),
            number(run, "drag"), error(run, "drag", "Dennis and Chang"), error(run, "drag", "Fornberg")] for key, run in runs(folder, "cylinder")))
    table("Vortex street", ["Re", "cells", "Strouhal's number"], ([key[0], key[1], number(run, "periods:")] for key, run in runs(folder, "street")))
    table("Convection", ["Ra", "cells", "Nusselt's number", "of de Vahl Davis"],
          ([key[0], key[1], number(run, "first scalar"), error(run, "first scalar", "de Vahl Davis")] for key, run in runs(folder, "convection")))
    table("Step", ["Re", "cells", "x1/S", "steps", "linear iterations"], ([key[0], key[1], number(run, "x1/S"), run["steps"], run["iterations"]] for key, run in runs(folder, "step")))
    table("Turbulent step", ["Re", "cells", "pseudo-time steps", "linear iterations", "s", "set-up, s", "applications, s"],
          ([key[0], key[1], run["steps"], run["iterations"], *(f"{run['seconds'].get(name, 0):.1f}" for name in ("linear solves in all", "set-up of the preconditioner", "its application"))]
           for key, run in runs(folder, "turbulent")))


def histories(folder):
    """Squares of the residuals' norms, as in the paper's Table 1."""
    rows = {}
    for key, run in runs(folder, "table1"):
        for step, norm in re.findall(r"^ *(\d+) KSP .* true resid norm ([0-9.e+-]+)", run["text"], re.M):
            rows.setdefault(int(step), {})[key[0]] = float(norm) ** 2
    table("Sums of squares of the residual", ["step", "fgbilu", "PETSc's ILU(0)", "relative difference"],
          ([step, f"{row['fgbilu']:.12E}", f"{row['ilu']:.12E}", f"{abs(row['fgbilu'] / row['ilu'] - 1):.0e}"]
           for step, row in sorted(rows.items()) if len(row) == 2 and row["ilu"] > 0))


def costs(folder):
    counts = {(key[0], int(key[1])): run for key, run in runs(folder, "corrections")}
    table("Corrections: linear iterations (seconds of the linear solves)", ["corrections", "one block a rank", "27 blocks, all in the factor", "27 blocks, joints left out"],
          ([k, *(f"{counts[way, k]['iterations']} ({counts[way, k]['seconds'].get('linear solves in all', 0):.2f})" for way in ("one", "factor", "left"))]
           for k in range(6) if all((way, k) in counts for way in ("one", "factor", "left"))))
    found = [("_".join(key), run) for key, run in runs(folder, "breakdown")]
    table("Breakdown, s", ["solver", "residual reached", "iterations", *SECONDS],
          ([name.replace("_", " "), f"{run['residual']:.1e}", run["iterations"], *(f"{run['seconds'].get(part, 0):.2f}" for part in SECONDS)] for name, run in found))
    scaled = []
    for way in ("strong", "weak"):
        times = {(key[0], int(key[1])): run for key, run in runs(folder, way)}
        for kind in sorted({key[0] for key in times}):
            if (kind, 1) in times and (kind, 2) in times:
                one, two = times[kind, 1], times[kind, 2]
                scaled.append([way, kind, f"{one['iterations']}, {two['iterations']}"] + [
                    f"{one['seconds'].get(part, 0):.2f}, {two['seconds'].get(part, 0):.2f}" for part in ("residual", "Jacobian", "set-up of the preconditioner", "its application", "products", "linear solves in all")])
    table("One and two ranks, s", ["", "type", "iterations", "residual", "Jacobian", "set-up", "application", "products", "linear solves"], scaled)


def draw_cavity(folder, picture):
    """Center lines of the finest cavities, and the points of Ghia, Ghia and Shin."""
    import matplotlib.pyplot as plot
    cells = max(int(name.split("_")[-1][:-4]) for name in glob.glob(os.path.join(folder, "lines_*.txt")))
    figure, panels = plot.subplots(1, 2, figsize=(5, 2.9), layout="constrained", sharey=True)
    for color, reynolds in zip(("C0", "C1", "C2"), (100, 400, 1000)):
        path = os.path.join(folder, f"lines_{reynolds}_{cells}.txt")
        if not os.path.exists(path):
            continue
        parts = re.split(r"^# (.*)\n", open(path, encoding="utf-8").read(), flags=re.M)[1:]
        for name, text in zip(parts[::2], parts[1::2]):
            points = [tuple(map(float, line.split())) for line in text.splitlines()]
            mark = dict(marker="o", linestyle="", markersize=3) if "Ghia" in name else dict(label=f"Re {reynolds}")
            panels[0 if name.startswith("y") else 1].plot([p[0] for p in points], [p[1] for p in points], color=color, **mark)
    panels[0].set(xlabel="y / side, at x = 1/2", ylabel="velocity / velocity of the lid", title="u")
    panels[1].set(xlabel="x / side, at y = 1/2", title="v")
    panels[0].plot([], [], "o", color="0.3", markersize=3, label="Ghia et al.")
    panels[0].legend(frameon=False)
    for panel in panels:
        panel.grid(alpha=0.3)
    figure.suptitle(f"Lid-driven cavity, {cells} x {cells} cells", fontsize=9)
    figure.savefig(picture)


def cell_vorticity(places, speed):
    """Centers of the cells between points of a plane, and vorticity as the circulation around each cell by its area."""
    corners = [(slice(None, -1), slice(None, -1)), (slice(None, -1), slice(1, None)), (slice(1, None), slice(1, None)), (slice(1, None), slice(None, -1))]
    circulation = area = 0
    for a, b in zip(corners, corners[1:] + corners[:1]):
        edge, mean = places[b] - places[a], (speed[b] + speed[a]) / 2
        circulation = circulation + mean[..., 0] * edge[..., 0] + mean[..., 1] * edge[..., 1]
        area = area + (places[a][..., 0] * places[b][..., 1] - places[b][..., 0] * places[a][..., 1]) / 2
    return sum(places[corner] for corner in corners)[..., :2] / 4, circulation / area


def read_flow(prefix):
    """Points and velocities of the first plane of each piece. Needs vtk."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    paths = sorted(glob.glob(prefix + "_[0-9]*.vts"))
    if not paths:
        sys.exit(f"no {prefix}_0.vts: navierstokes -vtk {prefix} writes it")
    for path in paths:
        reader = vtk.vtkXMLStructuredGridReader()
        reader.SetFileName(path)
        reader.Update()
        grid = reader.GetOutput()
        ends = grid.GetExtent()
        shape = (ends[5] - ends[4] + 1, ends[3] - ends[2] + 1, ends[1] - ends[0] + 1)
        yield (vtk_to_numpy(grid.GetPoints().GetData()).reshape(*shape, 3)[0],
               vtk_to_numpy(grid.GetPointData().GetArray("velocity")).reshape(*shape, 3)[0])


def joined(pieces):
    """The pieces, with the mean velocity at points of several pieces, each of which weights its own cells more."""
    import numpy
    points = numpy.round(numpy.concatenate([places.reshape(-1, 3) for places, _ in pieces]), 8)
    speeds = numpy.concatenate([speed.reshape(-1, 3) for _, speed in pieces])
    _, point, copies = numpy.unique(points, axis=0, return_inverse=True, return_counts=True)
    point = point.ravel()
    means = numpy.array([numpy.bincount(point, column) / copies for column in speeds.T]).T[point]
    ends = numpy.cumsum([places.shape[0] * places.shape[1] for places, _ in pieces])[:-1]
    return [(places, part.reshape(places.shape)) for (places, _), part in zip(pieces, numpy.split(means, ends))]


def draw_velocity(axes, prefix):
    """Velocity along x, with the outlines of the pieces."""
    import numpy
    for places, speed in joined(list(read_flow(prefix))):
        filled = axes.contourf(places[..., 0], places[..., 1], speed[..., 0], levels=numpy.linspace(-0.4, 1.4, 19), cmap="RdBu_r", extend="both")
        for line in (places[0], places[-1], places[:, 0], places[:, -1]):
            axes.plot(line[:, 0], line[:, 1], color="k", linewidth=0.5)
    return filled


def draw_vorticity(axes, prefix):
    """Vorticity around a cylinder. Contours run between the centers of cells, also of neighboring pieces, so that no seam shows."""
    import matplotlib.pyplot as plot
    import numpy
    centers, values = zip(*(cell_vorticity(*piece) for piece in joined(list(read_flow(prefix)))))
    x, y = numpy.concatenate([part.reshape(-1, 2) for part in centers]).T
    filled = axes.tricontourf(x, y, numpy.concatenate([part.ravel() for part in values]), levels=numpy.linspace(-3.05, 3.05, 62), cmap="RdBu_r", extend="both")
    axes.add_patch(plot.Circle((0, 0), 0.5, color="0.3"))
    axes.set(xlabel="x / D", ylabel="y / D")
    return filled


def draw_flow(prefix, picture, limits=None, spins=False):
    import matplotlib.pyplot as plot
    ends = limits or [0, 8, 0, 5]
    figure, axes = plot.subplots(figsize=(5, 0.95 + 5 * (ends[3] - ends[2]) / (ends[1] - ends[0])), layout="constrained")
    filled = (draw_vorticity if spins else draw_velocity)(axes, prefix)
    axes.set_aspect("equal")
    bar = figure.colorbar(filled, orientation="horizontal", aspect=40, shrink=0.9,
                          label="vorticity in U / D: blue clockwise, red counterclockwise" if spins else "velocity along x; lines: pieces of the blocks")
    if spins:
        bar.set_ticks(range(-3, 4))
    if limits:
        axes.axis(limits)
    figure.savefig(picture)


def sub_iterations(folder):
    """Geometric means over the time steps."""
    rows = []
    for (pc, which), run in runs(folder, "subiterations"):
        histories = [[float(r) for r in line.split()] for line in re.findall(r"^ *[0-9.]+ +7 +\S+ +7((?: \d\.\d{3}e[-+]\d+){7})", run["text"], re.M)]
        if histories:
            means = [math.exp(sum(map(math.log, column)) / len(histories)) for column in zip(*histories)]
            solver = f"fgbilu, corrections {which}" if pc == "fgbilu" else "mcpi DSH" if which == "half" else "mcpi DS"
            rows.append([solver, len(histories), *(f"{mean:.4f}" for mean in means), f"{run['seconds'].get('linear solves in all', 0):.2f}"])
    table("Sub-iterations: residual relative to the first of its time step", ["solver", "time steps", *map(str, range(1, 8)), "linear solves, s"], rows)


def main():
    study = len(sys.argv) == 2 and not sys.argv[1].startswith("-")
    if not study and not (len(sys.argv) > 3 and sys.argv[1] == "-vtk" and sys.argv[5:] in ([], ["vorticity"])):
        sys.exit(__doc__)
    if study:
        published(sys.argv[1])
        histories(sys.argv[1])
        costs(sys.argv[1])
        sub_iterations(sys.argv[1])
    try:
        import matplotlib
    except ImportError:
        print("No picture: this needs Python's matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"font.size": 8, "axes.titlesize": 9, "figure.dpi": 200})
    if not study:
        limits = [float(number) for number in sys.argv[4].split(",")] if len(sys.argv) > 4 else None
        draw_flow(sys.argv[2], sys.argv[3], limits, sys.argv[5:] == ["vorticity"])
        return
    if glob.glob(os.path.join(sys.argv[1], "lines_*.txt")):
        draw_cavity(sys.argv[1], os.path.join(sys.argv[1], "cavity.png"))
    street = os.path.join(sys.argv[1], "street")
    if os.path.exists(street + "_0.vts"):
        try:
            draw_flow(street, street + ".png", [-1.5, 13, -2.6, 2.6], True)
        except ImportError:
            print("No picture of the vortex street: this needs Python's vtk", file=sys.stderr)


main()
