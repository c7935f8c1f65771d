# SPDX-License-Identifier: BSD-2-Clause
"""Tables of docs/compare.md and docs/topics/ranks.md from the CSV files of run.py; tests/docs/tables inserts
them."""
import csv
import statistics
import textwrap

groups = {
    "ILU, SOR": ["ilu", "ilu, baij", "icc", "asm", "sor", "eisenstat", "pbjacobi", "fieldsplit, ilu"],
    "hypre": ["hypre euclid", "hypre boomeramg", "hypre boomeramg, threshold 0.5", "hypre boomeramg, nodal", "fieldsplit, hypre boomeramg"],
    "gamg, ml": ["gamg", "gamg, unsmoothed", "ml", "fieldsplit, gamg"],
    "finegrain": ["fgbilu", "fgbilu, eisenstat false", "fgbilu, single", "fgbilu, half", "fgbicc", "mcpi", "powerqilu, level 1", "fieldsplit, fgbilu"],
    "multigrid with finegrain": ["cpr", "cpr, sum", "gamg with fgbilu", "gamg, unsmoothed, with fgbilu", "gamg, unsmoothed, with mcpi",
                            "fieldsplit, gamg, unsmoothed, with fgbilu"],
}


def read(file):
    lines = file.read_text().splitlines()
    return lines[0].removeprefix("# "), list(csv.DictReader(lines[1:]))


def markdown(first, head, rows):
    """A table below a sentence that ends with a colon."""
    lines = [textwrap.fill(f"{first}:", 100, break_long_words=False, break_on_hyphens=False), ""]
    return "\n".join(lines + ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def cell(rows, names):
    """The fastest of a group: seconds, iterations, name."""
    good = [r for r in rows if r["method"] in names and not r["trouble"]]
    if not good:
        return None, "none"
    best = min(good, key=lambda r: float(r["total s"]))
    return float(best["total s"]), f"{float(best['total s']):.2f} ({best['iterations']}) {best['method']}"


def times(file, wanted=""):
    """The fastest of each group, on one rank with one thread, of all systems or those of `systems=a,b`."""
    machine, every = read(file)
    systems = wanted.partition("systems=")[2].split(",")
    alone = [r for r in every if r["ranks"] == r["threads"] == "1" and (systems == [""] or r["problem"] in systems)]
    out = []
    for name in dict.fromkeys(r["problem"] for r in alone):
        mine = [r for r in alone if r["problem"] == name]
        cells = [cell(mine, names) for names in groups.values()]
        least = min(t for t, _ in cells if t is not None)
        out.append([name, *(f"**{text}**" if t == least else text for t, text in cells)])
    return markdown(f"{machine}, one rank of one thread, seconds (iterations)", ["system", *groups], out)


def iterations(file):
    machine, rows = read(file)
    methods, ranks = (list(dict.fromkeys(r[what] for r in rows)) for what in ("method", "ranks"))
    out = []
    for system in dict.fromkeys(r["problem"] for r in rows):
        mine = {(r["method"], r["ranks"]): r for r in rows if r["problem"] == system}
        first = next(iter(mine.values()))
        cells = [", ".join(mine[m, k]["trouble"].split(":")[0] or mine[m, k]["iterations"] for k in ranks) for m in methods]
        out.append([system, first["unknowns"], first["block"], *cells])
    names = [m.replace("exchange color", "global") for m in methods]
    return markdown(f"{machine}; iterations on {', '.join(ranks)} ranks", ["system", "unknowns", "n", *names], out)


def beside_ilu(rows, method, ranks, threads):
    """Rows of the best of PETSc's ILU and SOR, with one thread per rank, and of a method of ours; None if there
    is none."""
    for name in dict.fromkeys(r["problem"] for r in rows):
        mine = [r for r in rows if r["problem"] == name and r["ranks"] == ranks and not r["trouble"]]
        theirs = [r for r in mine if r["method"] in groups["ILU, SOR"] and r["threads"] == "1"]
        found = [r for r in mine if r["method"] == method and r["threads"] == threads]
        if theirs:
            yield min(theirs, key=lambda r: float(r["total s"])), found[0] if found else None


def gain(file):
    """Speedup of each of finegrain's methods over the best of PETSc's ILU and SOR, on one rank with one thread,
    and medians over the systems with blocks."""
    machine, rows = read(file)
    ours = ["fgbilu", "fgbilu, single"]
    tables, medians = [], []
    for ranks, threads in dict.fromkeys((r["ranks"], r["threads"]) for r in rows):
        out, gains = {}, {m: [] for m in ours}
        for m in ours:
            for best, found in beside_ilu(rows, m, ranks, threads):
                gained = float(best["total s"]) / float(found["total s"]) if found else None
                text = f"{float(best['total s']):.2f} ({best['iterations']}) {best['method']}"
                row = out.setdefault(best["problem"], [best["problem"], text])
                row.append(f"{gained:.2f} ({found['iterations']})" if found else "none")
                if found and best["block"] != "1":
                    gains[m].append(gained)
        tables.append(out.values())
        medians.append([ranks, threads, *(f"{statistics.median(gains[m]):.2f}" for m in ours)])
    of_one = markdown(f"{machine}, one rank of one thread, seconds and speedups (iterations)", ["system", "best of PETSc's ILU and SOR", *ours], tables[0])
    return of_one + "\n" + markdown("Medians of the systems with n > 1", ["ranks", "threads of each", *ours], medians)
