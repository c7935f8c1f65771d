#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints tables from the folder that ./study has written, and draws center lines, a flow with its blocks, and
times.

usage: plot.py folder navierstokes.png           tables and a picture of a study
       plot.py -vtk prefix flow.png [x0,x1,y0,y1] [vorticity]  the flow that `navierstokes -vtk prefix` wrote

"""
import glob
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
    return found


def draw_lines(axes, folder):
    """Center lines of the finest cavities, and the points of Ghia, Ghia and Shin."""
    for color, reynolds in zip(("C0", "C1", "C2"), (100, 400, 1000)):
        path = os.path.join(folder, f"lines_{reynolds}_128.txt")
        if not os.path.exists(path):
            continue
        parts = re.split(r"^# (.*)\n", open(path, encoding="utf-8").read(), flags=re.M)[1:]
        for name, text in zip(parts[::2], parts[1::2]):
            points = [tuple(map(float, line.split())) for line in text.splitlines()]
            mark = dict(marker="o", linestyle="", markersize=3) if "Ghia" in name else dict(linestyle="-" if name.startswith("y") else "--", label=f"Re {reynolds}, {name[-1]}")
            axes.plot([p[0] for p in points], [p[1] for p in points], color=color, **mark)
    axes.set_xlabel("y of u, x of v")
    axes.set_title("Cavity, 128 x 128: center lines; circles: Ghia et al.")
    axes.legend(fontsize=7)


def vorticity(places, speed):
    """Vorticity of a plane of points, by differences along its own two directions."""
    import numpy
    (xi, eta), (ui, ueta), (vi, veta), (yi, yeta) = (
        numpy.gradient(a, edge_order=2)[::-1] for a in (places[..., 0], speed[..., 0], speed[..., 1], places[..., 1]))
    return (vi * yeta - veta * yi + ui * eta - ueta * xi) / (xi * yeta - eta * yi)


def draw_flow(axes, prefix, title, spins=False):
    """Velocity along x in the first plane of a flow with the outlines of its pieces, or its vorticity. Needs vtk."""
    import numpy
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
        sizes = grid.GetDimensions()
        shape = (sizes[2], sizes[1], sizes[0])
        places = vtk_to_numpy(grid.GetPoints().GetData()).reshape(*shape, 3)[0]
        speed = vtk_to_numpy(grid.GetPointData().GetArray("velocity")).reshape(*shape, 3)[0]
        if spins:
            filled = axes.contourf(places[..., 0], places[..., 1], vorticity(places, speed), levels=numpy.linspace(-3.05, 3.05, 62), cmap="RdBu_r", extend="both")
            continue
        filled = axes.contourf(places[..., 0], places[..., 1], speed[..., 0], levels=numpy.linspace(-0.4, 1.4, 19), cmap="RdBu_r", extend="both")
        for line in (places[0], places[-1], places[:, 0], places[:, -1]):
            axes.plot(line[:, 0], line[:, 1], color="k", linewidth=0.5)
    axes.set_aspect("equal")
    axes.set_title(title)
    return filled


def draw_breakdown(axes, found):
    parts = [("residual", "residual"), ("Jacobian", "Jacobian"), ("set-up of the preconditioner", "set-up"), ("its application", "application"), ("products", "products")]
    left = [0.0] * len(found)
    names = [name.replace("_", " ") for name, _ in found]
    for part, label in parts:
        values = [run["seconds"].get(part, 0) for _, run in found]
        axes.barh(names, values, left=left, label=label)
        left = [a + b for a, b in zip(left, values)]
    rest = [max(run["seconds"].get("linear solves in all", 0) - sum(run["seconds"].get(part, 0) for part, _ in parts[3:]), 0) for _, run in found]
    axes.barh(names, rest, left=left, label="rest of KSP", color="0.7")
    axes.set_xlabel("seconds of 20 steps, cube of 48 x 48 x 48, two ranks")
    axes.legend(fontsize=7)


def flow_alone(prefix, picture, limits, spins):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    ends = [float(number) for number in limits.split(",")] if limits else [0, 8, 0, 5]
    figure, axes = plot.subplots(figsize=(8, 0.3 + 8 * (ends[3] - ends[2]) / (ends[1] - ends[0])) if spins else (8, 5), layout="constrained")
    if spins:
        draw_flow(axes, prefix, "", True)
        axes.set_axis_off()
        axes.add_patch(plot.Circle((0, 0), 0.5, color="0.3"))
    else:
        figure.colorbar(draw_flow(axes, prefix, "velocity along x; lines: pieces of the blocks"))
    if limits:
        axes.axis(ends)
    figure.savefig(picture, dpi=120)


def main():
    if len(sys.argv) > 3 and sys.argv[1] == "-vtk" and sys.argv[5:] in ([], ["vorticity"]):
        flow_alone(sys.argv[2], sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else "", sys.argv[5:] == ["vorticity"])
        return
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = sys.argv[1]
    published(folder)
    histories(folder)
    found = costs(folder)
    try:
        import matplotlib
    except ImportError:
        print("No plot: this needs Python's matplotlib")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plot
    figure, axes = plot.subplots(3, 1, figsize=(8, 12), layout="constrained")
    draw_lines(axes[0], folder)
    try:
        draw_flow(axes[1], os.path.join(folder, "street"), "Cylinder, Re 100: velocity along x; lines: four blocks")
        axes[1].axis([-2, 12, -3.5, 3.5])
    except ImportError:
        axes[1].set_axis_off()
    draw_breakdown(axes[2], found)
    figure.savefig(sys.argv[2], dpi=100)


main()
