#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints tables from the folder that ./study has written, and draws two pictures there: study_step_flow.png, the flow at the
smallest and largest Re, and study_step.png, x1/S against Re.

usage: plot.py folder

"""
import glob
import os
import re
import sys

# docs/examples/step.md lists the sources. Circles: measured, read off Armaly et al.'s figure 4; dashes: computed by
# them, figure 13a.
MEASURED = {100: 3.03, 200: 5.0, 300: 6.60, 389: 8.05}
COMPUTED = {50: 1.92, 75: 2.54, 100: 3.10, 150: 4.13, 200: 5.03, 250: 5.95, 300: 6.78, 350: 7.51, 400: 8.10}
WAYS = {"sip": "sip alone", "cg": "cg with sip", "fcg": "fcg with sip", "mg": "fcg with mg, sip its smoother"}


def read(path):
    """Reads the output of a program: last row of its table, x1/S, seconds."""
    text = open(path, encoding="utf-8").read()
    row = [line.split() for line in text.splitlines() if re.match(r" *\d+ +\d+ +\d+ +\d", line)][-1]
    found = re.search(r"^real ([0-9.]+)", text, re.M)
    return {
        "steps": int(row[0]), "momentum": int(row[1]), "pressure": int(row[2]), "x1": float(row[5]),
        "steady": "\nsteady" in text, "seconds": float(found[1]) if found else 0,
        "against": dict(re.findall(r"^(\w+ by [A-Z]\w+).* ([-+][0-9.]+) %", text, re.M)),
    }


def tables(folder):
    runs = {}
    for path in glob.glob(os.path.join(folder, "flow_*.txt")):
        _, re_number, height, cells, way, ranks = os.path.basename(path)[:-4].split("_")
        runs[int(re_number), height, cells, way, int(ranks)] = read(path)
    print("| Re | step | cells | steps | x1/S | measured by Armaly et al. | computed by Armaly et al. | computed by Erturk |\n" + "|---" * 8 + "|")
    for (re_number, height, cells, way, ranks), run in sorted(runs.items(), key=lambda item: (-float(item[0][1] == "0.94"), item[0])):
        if way == "fcg" and ranks == 1:
            against = [run["against"].get(name, "") for name in ("measured by Armaly", "computed by Armaly", "computed by Erturk")]
            print(f"| {re_number} | {height} | {cells} | {run['steps']} | {run['x1']:.3f} | " + " | ".join(a + " %" if a else "" for a in against) + " |")
    print("\n| Re | cells | pressure by | ranks | steps | pressure iterations | a step | seconds | x1/S |\n" + "|---" * 9 + "|")
    studied = {(key[0], key[2]) for key in runs if key[3] != "fcg"}
    for (re_number, height, cells, way, ranks), run in sorted(runs.items(), key=lambda item: (item[0][0], item[0][2], list(WAYS).index(item[0][3]), item[0][4])):
        if (re_number, cells) in studied and height == "0.94":
            steps = str(run["steps"]) if run["steady"] else f"> {run['steps']}"
            print(f"| {re_number} | {cells} | {WAYS[way]} | {ranks} | {steps} | {run['pressure']} | {run['pressure'] / run['steps']:.1f} | {run['seconds']:.1f} | {run['x1']:.3f} |")
    return runs


def vectors(path):
    """The Vecs of a PETSc binary file: coordinates along x and y, components of the velocity, pressure."""
    import numpy
    data, at, found = open(path, "rb").read(), 0, []
    while at < len(data):
        n = int.from_bytes(data[at + 4:at + 8], "big")
        found.append(numpy.frombuffer(data, ">f8", n, at + 8).astype(float))
        at += 8 + 8 * n
    return found


def draw_flow(axes, path, re_number, x1):
    """Speed, and streamlines through points of the recirculation and of the flow above it."""
    import numpy
    x, y, u, v, _ = vectors(path)
    nx, ny = len(x) - 1, len(y) - 1
    u, v = u.reshape(ny, nx), v.reshape(ny, nx)
    # Velocities are on upper faces: the mean with the face before is at the center.
    u[:, 1:] = (u[:, 1:] + u[:, :-1]) / 2
    v[1:] = (v[1:] + v[:-1]) / 2
    cx, cy = (x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2
    step = y[ny // 2]
    solid = (cx[None, :] < 0) & (cy[:, None] < step)
    speed = numpy.ma.array(numpy.hypot(u, v), mask=solid)
    filled = axes.contourf(cx / step, cy / step, speed, levels=numpy.linspace(0, 1.5, 16), cmap="YlGnBu", extend="max")
    gx, gy = numpy.linspace(max(cx[0], -step), 12 * step, 400), numpy.linspace(cy[0], cy[-1], 120)
    columns = numpy.array([numpy.interp(gx, cx, row) for row in numpy.where(solid, 0, u)])
    gu = numpy.array([numpy.interp(gy, cy, column) for column in columns.T]).T
    columns = numpy.array([numpy.interp(gx, cx, row) for row in numpy.where(solid, 0, v)])
    gv = numpy.array([numpy.interp(gy, cy, column) for column in columns.T]).T
    axes.streamplot(gx / step, gy / step, gu, gv, color="0.25", linewidth=0.5, arrowsize=0.5, density=(1.6, 0.8))
    axes.fill([x[0] / step, 0, 0, x[0] / step], [0, 0, 1, 1], color="0.6")
    axes.plot(x1, 0, "^", color="tab:red", clip_on=False, markersize=7)
    axes.set(xlim=(-1, 12), ylim=(0, y[-1] / step), ylabel="y/S", title=f"Re {re_number}: reattachment at x1 = {x1:.2f} S")
    return filled


def own_lengths(runs):
    """x1/S of the runs with the step of Armaly et al."""
    return {key: run["x1"] for key, run in runs.items() if key[1] == "0.94" and key[3] == "fcg" and key[4] == 1}


def picture_of_flow(folder, runs, path):
    import matplotlib.pyplot as pyplot
    fields = sorted(glob.glob(os.path.join(folder, "fields_*.bin")), key=lambda name: int(re.findall(r"\d+", name)[-1]))
    figure, panels = pyplot.subplots(2, 1, figsize=(5, 3.3), layout="constrained", sharex=True)
    own = own_lengths(runs)
    for axes, name in zip(panels, (fields[0], fields[-1])):
        re_number = int(re.findall(r"\d+", name)[-1])
        fine = max((key for key in own if key[0] == re_number), key=lambda key: int(key[2].split("x")[0]))
        filled = draw_flow(axes, name, re_number, own[fine])
    panels[1].set_xlabel("x/S")
    figure.colorbar(filled, ax=panels, orientation="horizontal", aspect=40, ticks=(0, 0.5, 1, 1.5), label="speed / mean speed of the inlet")
    figure.savefig(path)


def picture_of_lengths(runs, path):
    import matplotlib.pyplot as pyplot
    figure, axes = pyplot.subplots(figsize=(5, 3.3), layout="constrained")
    own = own_lengths(runs)
    axes.plot(COMPUTED.keys(), COMPUTED.values(), "--", color="0.5", label="Armaly et al., computed")
    axes.errorbar(MEASURED.keys(), MEASURED.values(), yerr=[0.05 * value for value in MEASURED.values()], fmt="o", color="0.2", mfc="none",
                  capsize=3, label="Armaly et al., measured, with 5 %")
    for cells, mark in zip(sorted({key[2] for key in own}, key=lambda name: int(name.split("x")[0])), ("x", "+", "1")):
        points = sorted((key[0], x1) for key, x1 in own.items() if key[2] == cells)
        axes.plot(*zip(*points), mark, markersize=8, mew=1.5, label=f"step, {cells.replace('x', ' x ')} cells")
    axes.set(xlabel="Re", ylabel="length of the recirculation, x1/S", xlim=(40, 410), ylim=(1.5, 9))
    axes.grid(color="0.9")
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    everything = tables(sys.argv[1])
    try:
        import matplotlib
        matplotlib.use("Agg")
        matplotlib.rcParams.update({"font.size": 8, "axes.titlesize": 9, "figure.dpi": 200})
        picture_of_flow(sys.argv[1], everything, os.path.join(sys.argv[1], "study_step_flow.png"))
        picture_of_lengths(everything, os.path.join(sys.argv[1], "study_step.png"))
    except ImportError:
        print("No matplotlib, no picture", file=sys.stderr)
