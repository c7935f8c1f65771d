#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints a table from the folder that ./study has written, and plots it: nonlinear residuals over steps, linear
ones over sweeps.

usage: plot.py folder euler.png

"""
import glob
import os
import re
import sys

COLORS = {"DS": "tab:blue", "DSH": "tab:red", "DSH_restarted": "tab:green"}
LINES = {1: "-", 2: "--", 4: ":"}
MARKERS = {1: "o", 2: "s", 4: "^"}
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


def plot(flows, linear, target):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6))
    for (name, ranks), (residuals, *_) in flows.items():
        # The curves coincide: lines for DS, markers for the others.
        style = {"linestyle": LINES.get(ranks, "-."), "linewidth": 1.5} if name == "DS" else {
            "linestyle": "none", "marker": MARKERS.get(ranks, "x"), "markersize": 3 + 5 / ranks, "markevery": 2, "fillstyle": "none"}
        left.semilogy(residuals, color=COLORS[name], label=f"{name}, {ranks} rank{'s' * (ranks > 1)}", **style)
    left.set_xlabel("pseudo-time step, 15 sweeps each")
    left.set_ylabel("nonlinear residual, relative")
    for name, points in linear.items():
        right.semilogy(*zip(*points), "-", marker="" if name == "DS" else "o", color=COLORS[name], markersize=3.5,
                       linewidth=2.5 if name == "DS" else 1, label=NAMES.get(name, name))
    right.set_xlabel("sweeps")
    right.set_ylabel("linear residual, relative")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend(fontsize=8, frameon=False)
    figure.tight_layout()
    figure.savefig(target, dpi=90)


def main(folder, target):
    flows, linear = read_flows(folder), read_linear(folder)
    print_tables(flows, linear)
    try:
        plot(flows, linear, target)
    except ImportError:
        print("No plot: this needs Python's matplotlib", file=sys.stderr)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
