#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints a table from the folder that ./study has written, and draws two pictures there: study_mcpi_steps.png, nonlinear
residuals over steps, and study_mcpi_sweeps.png, linear ones over sweeps.

usage: plot.py folder

"""
import glob
import os
import re
import sys

COLORS = {"DS": "tab:blue", "DSH": "tab:red", "DSH_restarted": "tab:green"}
LINES = {1: "-", 2: "--", 4: ":"}
MARKERS = {1: "o", 2: "s", 4: "^"}
PRECISIONS = {"DS": "DS (single)", "DSH": "DSH (half)"}
NAMES = {f"{name}_restarted": f"{name}, restarted every 15 sweeps" for name in ("DSH",)}


def read_flow(path):
    """Residuals of the steps, the seconds of each task, and the line of the totals."""
    residuals, seconds, totals = [], {}, ""
    for line in open(path, encoding="utf-8"):
        if step := re.match(r" *\d+ +(?:[\d.]+ +)?(\d\.\d+e[-+]\d+)", line):
            residuals.append(float(step.group(1)))
        if line.startswith("seconds:"):
            seconds = {task: float(time) for task, time in re.findall(r"([A-Za-z][A-Za-z -]*) ([0-9.]+)", line[8:])}
        if line.startswith("mass in"):
            totals = line.strip()
    return residuals, seconds, totals


def read_flows(folder):
    flows = {}
    for path in glob.glob(os.path.join(folder, "flow_*_*.txt")):
        name, ranks = re.match(r"flow_(\w+)_(\d+)\.txt", os.path.basename(path)).groups()
        flows[name, int(ranks)] = read_flow(path)
    return dict(sorted(flows.items()))


def read_linear(folder):
    return {name: [[float(x) for x in line.split()] for line in open(path, encoding="utf-8")]
            for name in COLORS if os.path.exists(path := os.path.join(folder, f"linear_{name}.txt"))}


def print_tables(flows, linear):
    first = next(iter(flows.values()))[0]
    tasks = list(next(iter(flows.values()))[1])
    print("| solver | ranks | steps | residual | largest difference from the first row | " + " | ".join(f"{t} (s)" for t in tasks) + " |")
    print("|---" * (5 + len(tasks)) + "|")
    for (name, ranks), (residuals, seconds, _) in flows.items():
        apart = max(abs(a / b - 1) for a, b in zip(residuals, first))
        print(f"| {name} | {ranks} | {len(residuals) - 1} | {residuals[-1]:.1e} | {apart:.1e} | "
              + " | ".join(f"{s:.3f}" for s in seconds.values()) + " |")
    print("\n" + "\n".join(sorted({totals for *_, totals in flows.values()})))
    sweeps = sorted({int(s) for points in linear.values() for s, _ in points if s % 15 == 0 and s > 0})
    print("\n| linear residual after sweeps | " + " | ".join(map(str, sweeps)) + " |\n" + "|---" * (1 + len(sweeps)) + "|")
    for name, points in linear.items():
        after = {int(s): f"{r:.1e}" for s, r in points}
        print(f"| {NAMES.get(name, name)} | " + " | ".join(after.get(s, "") for s in sweeps) + " |")


def plot_flows(flows, target):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for (name, ranks), (residuals, *_) in flows.items():
        # The curves coincide: lines for DS, markers for the others.
        style = {"linestyle": LINES.get(ranks, "-."), "linewidth": 1.5} if name == "DS" else {
            "linestyle": "none", "marker": MARKERS.get(ranks, "x"), "markersize": 3 + 4 / ranks, "markevery": 2, "fillstyle": "none"}
        axes.semilogy(residuals, color=COLORS[name], label=f"{PRECISIONS.get(name, name)}, {ranks} rank{'s' * (ranks > 1)}", **style)
    axes.set_xlabel("pseudo-time steps of 15 sweeps each")
    axes.set_ylabel("residual of the flow / first one")
    save(figure, axes, target)


def plot_linear(linear, target):
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3), layout="constrained")
    for name, points in linear.items():
        axes.semilogy(*zip(*points), "-", marker="" if name == "DS" else "o", color=COLORS[name], markersize=3,
                      linewidth=2.5 if name == "DS" else 1, label=PRECISIONS.get(name, NAMES.get(name, name)))
    axes.set_xlabel("sweeps of mcpi")
    axes.set_ylabel("residual of one linear system / first one")
    save(figure, axes, target)


def save(figure, axes, target):
    axes.grid(alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(target)


def main(folder):
    flows, linear = read_flows(folder), read_linear(folder)
    print_tables(flows, linear)
    try:
        import matplotlib
    except ImportError:
        print("No picture: this needs Python's matplotlib", file=sys.stderr)
        return
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"font.size": 8, "figure.dpi": 200})
    plot_flows(flows, os.path.join(folder, "study_mcpi_steps.png"))
    plot_linear(linear, os.path.join(folder, "study_mcpi_sweeps.png"))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
