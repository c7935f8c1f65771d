# SPDX-License-Identifier: BSD-2-Clause
"""Figures that sentences of README.md and docs quote, and the CSV files that they are from: tests/docs/tables --check compares
them to the digits that are shown."""
import re
import statistics

import table as table_of_peers
from table import markdown, read


def rows(file, **wanted):
    """Rows of a CSV file whose columns have these values; _ stands for a blank in a column's name."""
    keys = {name.replace("_", " "): str(value) for name, value in wanted.items()}
    found = [row for row in read(file)[1] if all(row[name] == value for name, value in keys.items())]
    assert found, f"{file} has no row with {keys}"
    return found


def number(text):
    return float(re.match(r"[-+.\deE]+", text)[0])


def machine(file):
    """Of a file's first line, without the command."""
    return read(file)[0].split(", `")[0]


def gpu_solve(docs, method, algorithm):
    """Solve beside aijcusparse with its ILU."""
    file = docs / "performance/h200/solves.csv"
    time = {(r["matrix, preconditioner"], r["algorithm"]): number(r["solve"]) for r in rows(file)}
    return time["seqbaijkokkos, " + method, algorithm] / time["seqaijcusparse, ilu", ""]


def seconds(docs, method, largest, ranks=1):
    """Of docs/tutorial.md's table."""
    return number(rows(docs / "performance/difficult.csv", preconditioner=method, ranks=ranks, largest_CFL=largest)[0]["all s"])


def difficult(docs):
    """Gains over the command of today, and over the best of what others do as they come."""
    end = seconds(docs, "gamg with fgbilu", 2000)
    theirs = [number(r["all s"]) for r in rows(docs / "performance/difficult.csv", ranks=1)
              if r["all s"] and "fgbilu" not in r["preconditioner"] and "unsmoothed" not in r["preconditioner"]]
    return [seconds(docs, "ILU(0), AIJ", 200) / end, min(theirs) / end]


def spread(values):
    """Numbers of a column, or the least and the largest of many."""
    values = [number(v) if isinstance(v, str) else v for v in values]
    shown = [f"{v:.1f}" if v >= 3 else f"{v:.2f}" for v in values]
    return ", ".join(shown) if len(values) <= 5 else f"{min(values):.2f} to {max(values):.2f}"


def gains(cpu):
    """The table of docs/performance.md: PETSc's time over ours, out of the files of tests/bench/measure."""
    table = lambda name, **wanted: rows(cpu / f"{name}.csv", **wanted)  # noqa: E731
    sizes = "4, 5, 6, 8"

    def column(name, of, **wanted):
        return spread(r[of] for r in table(name, **wanted))

    def ratios(name, top, bottom):
        return spread(number(r[top]) / number(r[bottom]) for r in table(name) if r["n"] != "1")

    solves = {(r["n"], r["matrix, preconditioner"]): number(r["set-up"]) + number(r["solve"]) for r in table("solves", solver="gmres")}
    numbers = sorted({n for n, _ in solves}, key=int)

    def solve(theirs, ours):
        return spread(solves[n, theirs] / solves[n, ours] for n in numbers)

    sweeps = {key: spread(r["PETSc's / next"] for r in table("mcpi", problem=key[0]) if r["blocks, sums"] == key[1])
              for key in (("grid", "DSH"), ("mesh", "DSH"), ("grid", "working"), ("mesh", "working"))}
    of_level = [r for r in table("powerqilu") if r["which"].startswith("level, sequential") and "single" not in r["which"]]
    found = [
        ("`fgbilu`, application, n = 1 (by lines)", column("fgbilu", "PETSc's / it", n=1), "fgbilu"),
        (f"`fgbilu`, application, n = {sizes}", ratios("fgbilu", "PETSc apply", "fgbilu apply"), "fgbilu"),
        ("the same, stored in single precision", ratios("fgbilu", "PETSc apply", "single apply"), "fgbilu"),
        ("the same, in half", spread(r["PETSc / ours"] for r in table("storage") if r["n"] != "1" and r["storage"] == "half"), "fgbilu"),
        (f"`fgbilu`, refactorization, n = {sizes}", ratios("fgbilu", "PETSc refactor", "fgbilu refactor"), "fgbilu"),
        ("`fgbilu`, eight vectors by `PCMatApply()`, n = 1, 4, 5, 6, 8", column("vectors", "PETSc's / it"), "fgbilu"),
        ("`mcpi`, a sweep after the first, half precision (DSH), grid, n = 4, 5, 6", sweeps["grid", "DSH"], "mcpi"),
        ("the same on a tetrahedral mesh", sweeps["mesh", "DSH"], "mcpi"),
        ("the same in working precision, grid", sweeps["grid", "working"], "mcpi"),
        ("and on the mesh", sweeps["mesh", "working"], "mcpi"),
        ("`powerqilu` by level sets, application", spread(r["PETSc's apply / it"] for r in of_level), "powerqilu"),
        ("`powerqilu` by level sets, numeric factorization, n = 5", spread(r["PETSc's numeric / it"] for r in of_level if r["n"] == "5"), "powerqilu"),
        ("`sip`, application, three grids", column("sip", "PETSc's apply / it", which="sequential"), "sip"),
        ("`sip`, an iteration as a solver", column("sip", "PETSc's iteration / it", which="sequential"), "sip"),
        (f"products of `baijkokkos`, n = {', '.join(r['n'] for r in table('baijkokkos'))}", column("baijkokkos", "theirs / ours"), "baijkokkos"),
        ("GMRES with `baijkokkos` and `fgbilu`, whole solve beside AIJ, n = " + ", ".join(numbers), solve("seqaij, ilu", "seqbaijkokkos, fgbilu"), "solves"),
        ("the same without Eisenstat's trick", solve("seqaij, ilu", "seqbaijkokkos, fgbilu -pc_fgbilu_eisenstat false"), "solves"),
        ("the same in single precision", solve("seqaij, ilu", "seqbaijkokkos, fgbilu -pc_fgbilu_precision single"), "solves"),
        ("BAIJ with `-pc_type fgbilu` alone, beside BAIJ and `ilu`", solve("seqbaij, ilu", "seqbaij, fgbilu"), "solves"),
    ]
    return markdown(machine(cpu / "fgbilu.csv"), ["what", "PETSc's time over ours", "table"],
                    [[what, gain, f"[{page}](performance/{page}.md)"] for what, gain, page in found])


def of_threads(cpu):
    """The table of docs/topics/threads.md: what several threads gain over sequential, which has one, out of the files *_threads.csv."""
    stars = rows(cpu / "algorithms_threads.csv", method="dilu", algorithm="tasks")

    def tiles(n, what):
        return spread(1 / float(r[what + ", of sequential"]) for r in stars if r["n"] == str(n))

    def against(file, which, column, **wanted):
        """By what is not in the columns of times: sequential's time over the other's."""
        time = {}
        for row in rows(cpu / f"{file}_threads.csv", **wanted):
            time[tuple(row[key] for key in ("problem", "n", "p", "grid") if key in row), row["which"]] = float(row[column])
        return spread(time[key, which.removesuffix(algorithm) + "sequential"] / t for (key, name), t in time.items() if name == which
                      for algorithm in ("levels", "tasks") if which.endswith(algorithm))

    points = ", ".join(dict.fromkeys(r["points"] for r in stars))
    found = [(f"`fgbilu`, n = {n}, tasks, {points}: {what}", tiles(n, column))
             for n in (1, 5) for what, column in (("application", "apply"), ("factorization", "factor"))]
    for which in ("color, levels", "level, tasks"):
        for n, problem in ((1, "scalars"), (5, "n = 5")):
            found += [(f"`powerqilu`, {which}, {problem}: {what}", against("powerqilu", which, column, n=n))
                      for what, column in (("application", "apply"), ("factorization", "numeric"))]
    found += [(f"`sip`, tasks: {what}", against("sip", "tasks", column)) for what, column in
              (("application", "apply"), ("factorization", "numeric"), ("iteration", "iteration"))]
    return markdown(machine(cpu / "algorithms_threads.csv"), ["what", "one thread's time over theirs"], found)


def taken(file):
    """What auto takes on one thread and on all, and its times over those of sequential, of auto.csv and auto_threads.csv."""
    found = {}
    several = file.with_name(f"{file.stem}_threads.csv")
    for part in (file, several):
        for row in read(part)[1]:
            if row["algorithm"].startswith("auto: "):
                found.setdefault((row["points"], row["n"], row["method"]), []).extend(
                    [row["algorithm"].removeprefix("auto: "), row["apply, of sequential"], row["factor, of sequential"]])
    threads = re.search(r"(\d+) thread", read(several)[0])[1]
    head = ["points", "n", "method"]
    for t in ("1 thread", f"{threads} threads"):
        head += [f"{t}: auto takes", "apply, of sequential", "set-up, of sequential"]
    return markdown(f"{read(file)[0]}, and with {threads}", head, [[*key, *row] for key, row in found.items()])


def gain(docs, method="fgbilu", threads=1):
    """Of systems with blocks, one rank: the median gain over the best of PETSc's ILU and SOR, how many systems, the least and the largest."""
    pairs = table_of_peers.beside_ilu(rows(docs / "performance/gain.csv"), method, "1", str(threads))
    found = [number(best["total s"]) / number(ours["total s"]) for best, ours in pairs if ours and best["block"] != "1"]
    return [statistics.median(found), len(found), min(found), max(found)]


def gamg(docs):
    """Over the better gamg, of those systems on which it ends: the least and the largest gain of the better gamg with fgbilu."""
    every = [r for r in rows(docs / "performance/peers.csv", ranks=1, threads=1) if r["block"] != "1" and not r["trouble"]]
    found = []
    for problem in dict.fromkeys(r["problem"] for r in every):
        time = {r["method"]: number(r["total s"]) for r in every if r["problem"] == problem}
        theirs = [time[m] for m in ("gamg", "gamg, unsmoothed") if m in time]
        if theirs:
            found.append(min(theirs) / min(time[m] for m in ("gamg with fgbilu", "gamg, unsmoothed, with fgbilu") if m in time))
    return [min(found), max(found)]


def measured(docs, file, column, **wanted):
    return [number(row[column]) for row in rows(docs / f"performance/cpu/{file}.csv", **wanted)]


def gains_of_single(docs):
    return [a / b for a, b in zip(measured(docs, "fgbilu", "fgbilu apply")[1:], measured(docs, "fgbilu", "single apply")[1:], strict=True)]


def of_scalars(docs, column, which, levels):
    """powerqilu's time over PETSc's, of scalars: the least and the largest."""
    all_rows = rows(docs / "performance/cpu/powerqilu.csv", n=1)
    time = {(r["problem"], r["p"], r["which"]): float(r[column]) for r in all_rows}
    found = [t / time[problem, p, "PETSc"] for (problem, p, name), t in time.items() if name == which and int(p) in levels]
    return [min(found), max(found)]


# Page, sentence with the figures in parentheses, what they are.
figures = [
    ("README.md", r"`fgbilu` took ([\d.]+) of the time of `aijcusparse`", lambda docs: [gpu_solve(docs, "fgbilu", "tasks")]),
    *[(page, r"beside the best of PETSc's ILU and SOR: ([\d.]+) times as fast in the median of (\w+) systems, ([\d.]+) to ([\d.]+)", gain)
      for page in ("README.md", "index.md", "choosing.md")],
    ("choosing.md", r"([\d.]+) in the median with `-pc_fgbilu_precision single`", lambda docs: gain(docs, "fgbilu, single")[:1]),
    ("choosing.md", r"against the better gamg it is ([\d.]+) to ([\d.]+) times as fast", gamg),
    ("choosing.md", r"is about (\w+) times as fast on a tetrahedral mesh with five unknowns", lambda docs: [measured(docs, "mcpi", "PETSc's / next",
     problem="mesh", n=5, **{"blocks,_sums": "DSH"})[0]]),
    ("choosing.md", r"an application ([\d.]+) to ([\d.]+) times as fast for n = 4 to 8", lambda docs: [f(gains_of_single(docs)) for f in (min, max)]),
    ("topics/precision.md", r"at n = 5 takes ([\d.]+) ns a point instead of ([\d.]+)",
     lambda docs: [measured(docs, "fgbilu", column, n=5)[0] for column in ("single apply", "fgbilu apply")]),
    ("topics/precision.md", r"in single precision is ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+) times as fast as PETSc's ILU",
     lambda docs: measured(docs, "storage", "PETSc / ours", storage="half")[1:]),
    ("performance.md", r"with scalars\*\*: ([\d.]+) to ([\d.]+) times PETSc's symbolic factorization by level sets with p >= 1, "
     r"([\d.]+) to ([\d.]+) times with p = 0, ([\d.]+) to ([\d.]+) times by colors",
     lambda docs: [*of_scalars(docs, "symbolic", "level, sequential", {1, 2, 3}), *of_scalars(docs, "symbolic", "level, sequential", {0}),
                   *of_scalars(docs, "symbolic", "color, sequential", {0, 1, 2, 3})]),
    ("performance.md", r"phase of scalars\*\*: ([\d.]+) to ([\d.]+) of PETSc's time by level sets",
     lambda docs: of_scalars(docs, "numeric", "level, sequential", {0, 1, 2, 3})),
    ("types/baijkokkos.md", r"On one core they are ([\d.]+) to ([\d.]+) times as fast",
     lambda docs: [f(measured(docs, "baijkokkos", "theirs / ours")) for f in (min, max)]),
    ("tutorial.md", r"50 a step\. \*\*(\d+) s\.\*\*", lambda docs: [seconds(docs, "ILU(0), AIJ", 200)]),
    ("tutorial.md", r"iterations are the same\. \*\*(\d+) s\.\*\*", lambda docs: [seconds(docs, "ILU(0), BAIJ", 200)]),
    ("tutorial.md", r"libpetscfinegrain.so`\.\) \*\*(\d+) s\.\*\*", lambda docs: [seconds(docs, "fgbilu", 200)]),
    ("tutorial.md", r"does not need the others\. \*\*(\d+) s\.\*\*", lambda docs: [seconds(docs, "fgbilu, single", 200)]),
    ("tutorial.md", r"iterations a step\. \*\*(\d+) s\*\*, and (\d+) s with BAIJ",
     lambda docs: [seconds(docs, "fgbilu, single", 2000), seconds(docs, "ILU(0), BAIJ", 2000)]),
    ("tutorial.md", r"instead of 94\. \*\*(\d+) s\*\*, and (\d+) s on two ranks",
     lambda docs: [seconds(docs, "gamg with fgbilu", 2000), seconds(docs, "gamg with fgbilu", 2000, 2)]),
    ("tutorial.md", r"as many iterations, and (\d+) s", lambda docs: [seconds(docs, "gamg, unsmoothed, ILU(0)", 2000)]),
    ("tutorial.md", r"is ([\d.]+) times as fast as the command of today, and ([\d.]+) times as fast as the best", difficult),
]


words = "none one two three four five six seven eight nine ten eleven".split()


def check(docs):
    wrong = []
    for page, sentence, values in figures:
        text = " ".join(((docs if page != "README.md" else docs.parent) / page).read_text().split())
        found = re.search(sentence, text)
        if not found:
            wrong.append(f"{page}: no sentence {sentence}")
            continue
        for shown, value in zip(found.groups(), values(docs), strict=True):
            if shown in words:
                shown = str(words.index(shown))
            digits = len(shown.partition(".")[2])
            if f"{value:.{digits}f}" != shown:
                wrong.append(f"{page}: {shown} in '{found[0]}' is {value:.{digits + 2}f} now")
    return wrong
