# SPDX-License-Identifier: BSD-2-Clause
"""Figures that sentences of README.md and docs quote, and the CSV files that they are computed from:
tests/docs/tables --check compares them to the digits that are shown."""
import csv
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
    """The machine in a file's first line, without the command."""
    return read(file)[0].split(", `")[0]


def gpu_solve(docs, method, algorithm):
    """Time of our solve over that of aijcusparse with its ILU."""
    file = docs / "performance/h200/solves.csv"
    time = {(r["matrix, preconditioner"], r["algorithm"]): number(r["solve"]) for r in rows(file)}
    return time["seqbaijkokkos, " + method, algorithm] / time["seqaijcusparse, ilu", ""]


def seconds(docs, method, largest, ranks=1):
    """Seconds in docs/tutorial.md's table."""
    return number(rows(docs / "performance/difficult.csv", preconditioner=method, ranks=ranks, largest_CFL=largest)[0]["all s"])


def difficult(docs):
    """Gains over the first command, and over the best of other preconditioners with default options."""
    end = seconds(docs, "gamg with fgbilu", 2000)
    theirs = [number(r["all s"]) for r in rows(docs / "performance/difficult.csv", ranks=1)
              if r["all s"] and "fgbilu" not in r["preconditioner"] and "unsmoothed" not in r["preconditioner"]]
    return [seconds(docs, "ILU(0), AIJ", 200) / end, min(theirs) / end]


def spread(values):
    """Numbers of a column, or the minimum and the maximum of many."""
    values = [number(v) if isinstance(v, str) else v for v in values]
    shown = [f"{v:.1f}" if v >= 3 else f"{v:.2f}" for v in values]
    return ", ".join(shown) if len(values) <= 5 else f"{min(values):.2f} to {max(values):.2f}"


def gains(cpu):
    """The table of docs/performance.md: PETSc's time over finegrain's, from the files of tests/bench/measure."""
    table = lambda name, **wanted: rows(cpu / f"{name}.csv", **wanted)  # noqa: E731
    sizes = "4, 5, 6, 8"

    def column(name, of, **wanted):
        return spread(r[of] for r in table(name, **wanted))

    def ratios(name, top, bottom):
        return spread(number(r[top]) / number(r[bottom]) for r in table(name) if r["n"] != "1")

    numbers = ", ".join(sorted({r["n"] for r in table("solves")}, key=int))

    def solve(theirs, ours):
        return spread(of_solves(cpu.parents[1], theirs, ours))

    def computer(file):
        machine, day = re.search(r"AMD (.*?),.*?, (\d{4}-\d\d-\d\d)", read(cpu / f"{file}.csv")[0]).groups()
        return f"{machine.removeprefix('EPYC (').removesuffix(')')}, {day}"

    sweeps = {key: spread(r["PETSc's / next"] for r in table("mcpi", problem=key[0]) if r["blocks, sums"] == key[1])
              for key in (("grid", "DSH"), ("mesh", "DSH"), ("grid", "working"), ("mesh", "working"))}
    of_level = [r for r in table("powerqilu") if r["which"].startswith("level, sequential") and "single" not in r["which"]]
    found = [
        ("`fgbilu`, application, n = 1 (by lines)", column("fgbilu", "PETSc's / it", n=1), "fgbilu"),
        (f"`fgbilu`, application, n = {sizes}", ratios("fgbilu", "PETSc apply", "fgbilu apply"), "fgbilu"),
        ("the same, stored in single precision", ratios("fgbilu", "PETSc apply", "single apply"), "fgbilu"),
        ("the same, stored in half precision", spread(r["PETSc / ours"] for r in table("storage") if r["n"] != "1" and r["storage"] == "half"), "fgbilu"),
        (f"`fgbilu`, refactorization, n = {sizes}", ratios("fgbilu", "PETSc refactor", "fgbilu refactor"), "fgbilu"),
        ("`mcpi`, a sweep after the first, half precision (DSH), grid, n = 4, 5, 6", sweeps["grid", "DSH"], "mcpi"),
        ("the same on a tetrahedral mesh", sweeps["mesh", "DSH"], "mcpi"),
        ("the same in working precision, grid", sweeps["grid", "working"], "mcpi"),
        ("the same in working precision, mesh", sweeps["mesh", "working"], "mcpi"),
        ("`powerqilu` by level sets, application", spread(r["PETSc's apply / it"] for r in of_level), "powerqilu"),
        ("`sip`, application, three grids", column("sip", "PETSc's apply / it", which="sequential"), "sip"),
        (f"products of `baijkokkos`, n = {', '.join(r['n'] for r in table('baijkokkos'))}", column("baijkokkos", "theirs / ours"), "baijkokkos"),
        ("set-up and GMRES, `baijkokkos` and `fgbilu` compared with AIJ and `ilu`, n = " + numbers, solve("seqaij, ilu", "seqbaijkokkos, fgbilu"), "solves"),
        ("the same without Eisenstat's trick", solve("seqaij, ilu", "seqbaijkokkos, fgbilu -pc_fgbilu_eisenstat false"), "solves"),
        ("the same in single precision", solve("seqaij, ilu", "seqbaijkokkos, fgbilu -pc_fgbilu_precision single"), "solves"),
        ("BAIJ and `fgbilu` compared with BAIJ and `ilu`", solve("seqbaij, ilu", "seqbaij, fgbilu"), "solves"),
    ]
    machines = {}
    for page in dict.fromkeys(page for _, _, page in found):
        machines.setdefault(computer(page), []).append(page)
    of_each = "; ".join(f"{', '.join(pages)}: {name}" for name, pages in machines.items())
    return markdown(f"One thread of an AMD EPYC with AVX-512 ({of_each}); speedup is PETSc's time over finegrain's",
                    ["what", "speedup"], [[what, gain] for what, gain, _ in found])


def of_solves(docs, theirs, ours):
    """Set-up and solve of one matrix and preconditioner over those of another, for each number of unknowns of
    solves.csv."""
    time = {(int(r["n"]), r["matrix, preconditioner"]): number(r["set-up"]) + number(r["solve"]) for r in rows(docs / "performance/cpu/solves.csv")}
    return [time[n, theirs] / time[n, ours] for n in sorted({n for n, _ in time})]


def of_threads(cpu):
    """The table of docs/topics/threads.md: gain of several threads over sequential, which has one, from the files
    *_threads.csv."""
    stars = rows(cpu / "algorithms_threads.csv", method="dilu", algorithm="tasks")

    def tiles(n, what):
        return spread(1 / float(r[what + ", of sequential"]) for r in stars if r["n"] == str(n))

    def against(file, which, column, **wanted):
        """Sequential's time over the other's, matched by the columns that are not times."""
        time = {}
        for row in rows(cpu / f"{file}_threads.csv", **wanted):
            time[tuple(row[key] for key in ("problem", "n", "p", "grid") if key in row), row["which"]] = float(row[column])
        return spread(time[key, which.removesuffix(algorithm) + "sequential"] / t for (key, name), t in time.items() if name == which
                      for algorithm in ("levels", "tasks") if which.endswith(algorithm))

    points = ", ".join(dict.fromkeys(r["points"] for r in stars))
    found = [[f"`fgbilu`, n = {n}, tasks, {points}", tiles(n, "apply"), tiles(n, "factor")] for n in (1, 5)]
    for which in ("color, levels", "level, tasks"):
        found += [[f"`powerqilu`, {which}, n = {n}", against("powerqilu", which, "apply", n=n), against("powerqilu", which, "numeric", n=n)]
                  for n in (1, 5)]
    found += [["`sip`, tasks", against("sip", "tasks", "apply"), against("sip", "tasks", "numeric")],
              ["`-ksp_type sip`, tasks, an iteration", against("sip", "tasks", "iteration"), ""]]
    return markdown(machine(cpu / "algorithms_threads.csv"), ["type, algorithm", "application", "factorization"], found)


def gain(docs, method="fgbilu", threads=1, ranks=1):
    """For systems with blocks: median gain over the best of PETSc's ILU and SOR, number of systems, minimum and
    maximum."""
    pairs = table_of_peers.beside_ilu(rows(docs / "performance/gain.csv"), method, str(ranks), str(threads))
    found = [number(best["total s"]) / number(ours["total s"]) for best, ours in pairs if ours and best["block"] != "1"]
    return [statistics.median(found), len(found), min(found), max(found)]


def seconds_of(docs, problem, *methods):
    """Set-up and solve of a system of gain.csv, on one rank with one thread."""
    return [number(rows(docs / "performance/gain.csv", problem=problem, ranks=1, threads=1, method=m)[0]["total s"]) for m in methods]


def gains_of_precisions(docs):
    """Number of systems, then median, minimum and maximum gain in double and in single precision."""
    (median, count, least, largest), (of_single, _, *ends) = gain(docs), gain(docs, "fgbilu, single")
    return [count, median, least, largest, of_single, *ends]


def gmres(docs):
    """Set-up and GMRES of the model problem, over the faster of PETSc's ILU(0) on AIJ and on BAIJ: minimum and
    maximum gain."""
    time = {(r["n"], r["matrix, preconditioner"]): number(r["set-up"]) + number(r["solve"])
            for r in rows(docs / "performance/cpu/solves.csv", solver="gmres")}
    found = [min(time[n, "seqaij, ilu"], time[n, "seqbaij, ilu"]) / t for (n, name), t in time.items() if name == "seqbaijkokkos, fgbilu"]
    return [min(found), max(found)]


def gamg(docs):
    """Gain of the better gamg with fgbilu over the better gamg, on the systems where the latter finishes: minimum
    and maximum."""
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


def of_bound(docs):
    """Percentage of the bandwidth bound at which PETSc's ILU(0) runs at n = 5 and 6."""
    return [100 * measured(docs, "fgbilu", "least", n=n)[0] / measured(docs, "fgbilu", "PETSc apply", n=n)[0] for n in (5, 6)]


def with_set_up(docs):
    """Set-up and solve on a GPU: fgbilu's, aijcusparse's, and their ratio."""
    found = {(r["matrix, preconditioner"], r["algorithm"]): number(r["set-up"]) + number(r["solve"]) for r in rows(docs / "performance/h200/solves.csv")}
    ours, theirs = found["seqbaijkokkos, fgbilu", "tasks"], found["seqaijcusparse, ilu", ""]
    return [ours, theirs, ours / theirs]


def gains_of_single(docs):
    return [a / b for a, b in zip(measured(docs, "fgbilu", "fgbilu apply")[1:], measured(docs, "fgbilu", "single apply")[1:], strict=True)]


def of_scalars(docs, column, which, levels):
    """powerqilu's time over PETSc's, for scalars: minimum and maximum."""
    all_rows = rows(docs / "performance/cpu/powerqilu.csv", n=1)
    time = {(r["problem"], r["p"], r["which"]): float(r[column]) for r in all_rows}
    found = [t / time[problem, p, "PETSc"] for (problem, p, name), t in time.items() if name == which and int(p) in levels]
    return [min(found), max(found)]


def with_eisenstat(docs):
    """GMRES with the trick over without, set-up included: minimum and maximum gain."""
    time = {(r["n"], r["matrix, preconditioner"]): number(r["set-up"]) + number(r["solve"])
            for r in rows(docs / "performance/cpu/solves.csv", solver="gmres")}
    ours = "seqbaijkokkos, fgbilu"
    found = [time[n, ours + " -pc_fgbilu_eisenstat false"] / t for (n, name), t in time.items() if name == ours]
    return [min(found), max(found)]


def of_icc(docs):
    """Applications of fgbicc over those of fgbilu, and of PETSc's ICC(0) over those of fgbicc: minimum and
    maximum of each."""
    time = rows(docs / "performance/cpu/fgbicc.csv")
    ours = [number(r["fgbicc apply"]) / number(r["fgbilu apply"]) for r in time]
    theirs = [number(r["PETSc ICC(0) apply"]) / number(r["fgbicc apply"]) for r in time]
    return [min(ours), max(ours), min(theirs), max(theirs)]


def of_check(docs):
    """Cost of the check of the solution, in % of set-up and solve: median, number of solves, maximum."""
    none = " -pc_fgbilu_check_solution none"
    time = {(r["n"], r["solver"], r["matrix, preconditioner"]): number(r["set-up"]) + number(r["solve"])
            for r in rows(docs / "performance/cpu/check.csv")}
    cost = [100 * (time[n, solver, name.removesuffix(none)] / t - 1) for (n, solver, name), t in time.items() if name.endswith(none)]
    return [statistics.median(cost), len(cost), max(cost)]


def of_blocks(top, bottom):
    """Two columns whose first row has n = 1: minimum and maximum ratio of the other rows."""
    found = [a / b for a, b in zip(top[1:], bottom[1:], strict=True)]
    return [min(found), max(found)]


def of_systems(docs, ranks, *methods):
    """Rows of gain.csv with one thread: for each system those of the methods."""
    every = rows(docs / "performance/gain.csv", ranks=ranks, threads=1)
    by_method = {(r["problem"], r["method"]): r for r in every}
    return [[by_method[problem, m] for m in methods] for problem in dict.fromkeys(r["problem"] for r in every)]


def solves_of_single(docs, ranks):
    """fgbilu's time over that in single precision, for systems with blocks: median, minimum and maximum."""
    found = [number(w["total s"]) / number(s["total s"]) for w, s in of_systems(docs, ranks, "fgbilu", "fgbilu, single") if w["block"] != "1"]
    return [statistics.median(found), min(found), max(found)]


def iterations_of_storage(docs):
    """For each system, on one rank: iterations in working precision, single and half."""
    return [[number(r["iterations"]) for r in found]
            for found in of_systems(docs, 1, "fgbilu, eisenstat false", "fgbilu, single", "fgbilu, half")]


def more_by_half(docs):
    """Number of systems that keep their iterations, number that need more but not twice as many, and by how many
    per cent."""
    more = [100 * (half / working - 1) for working, _, half in iterations_of_storage(docs)]
    some = [m for m in more if 1 < m < 100]
    return [sum(m <= 1 for m in more), len(some), min(some), max(some)]


def of_pipeline(docs):
    """Efficiency of the model of a global factorization on 8, 64 and 4096 ranks, in %, with 64^3 and 16^3 points per rank."""
    return [number(rows(docs / "performance/pipeline_model.csv", points=f"{side}^3 per rank")[0][f"1 x {grid} ranks"])
            for side in (64, 16) for grid in ("2 x 4", "8 x 8", "64 x 64")]


def colors_and_levels(docs, matrix="circuit"):
    """A matrix with CG and three levels of fill: set-up and solve on one thread and on two."""
    table = {(row[0], row[1]): row for row in csv.reader((docs / "performance/cpu/powerq_times.csv").read_text().splitlines()[1:])}
    return [float(table[matrix, which][column]) for column in (5, 8) for which in ("PETSc ILU(3)", "ILU(3) by levels", "ILU(3,4)")]


def smoothers(docs):
    """Number of systems with blocks, number on which gamg does not finish, minimum and maximum time with fgbilu,
    number on which mcpi does not finish."""
    every = [r for r in rows(docs / "performance/peers.csv", ranks=1, threads=1) if r["block"] != "1"]
    of = {m: [r for r in every if r["method"] == m] for m in ("gamg", "gamg, unsmoothed, with fgbilu", "gamg, unsmoothed, with mcpi")}
    late = {m: sum(r["trouble"] == "time" for r in found) for m, found in of.items()}
    time = [number(r["total s"]) for r in of["gamg, unsmoothed, with fgbilu"]]
    return [len(of["gamg"]), late["gamg"], min(time), max(time), late["gamg, unsmoothed, with mcpi"]]


def on_gpu(docs, n):
    """An application of fgbilu, in ns/point: on the GPU, on a core, and their ratio."""
    gpu = number(rows(docs / "performance/h200/waiting.csv", points="128^3", n=n)[0]["tasks, asking, polls acquire"])
    core = number(rows(docs / "performance/cpu/algorithms.csv", points="128^3", n=n, method="dilu", algorithm="sequential")[0]["apply ns/point"])
    return [gpu, core, gpu / core]


def gpu_iteration(docs, method, algorithm):
    """Comparison with aijcusparse and its ILU."""
    time = {(r["matrix, preconditioner"], r["algorithm"]): r for r in rows(docs / "performance/h200/solves.csv")}
    ours, theirs = time["seqbaijkokkos, " + method, algorithm], time["seqaijcusparse, ilu", ""]
    return [number(ours["an iteration"]) / number(theirs["an iteration"]), number(ours["iterations"]), number(theirs["iterations"])]


def several(count):
    """Pattern of a list of figures: 1, 2 and 3."""
    return ", ".join([r"([\d.]+)"] * (count - 1)) + r" and ([\d.]+)"


# Page, sentence with the figures in parentheses, function that computes them.
figures = [
    ("topics/multigrid.md", r"Of (\w+) systems with several unknowns per point \(one core, limit of 25 s for each\), gamg with default options did not "
     r"finish on (\w+)\. The recipe, with the option for elasticity below, needed ([\d.]+) to ([\d.]+) s", lambda docs: smoothers(docs)[:4]),
    ("topics/ranks.md", r"predicts efficiencies of (\d+), (\d+) and (\d+) % on 8, 64 and 4096 ranks; with 16\^3 points (\d+), (\d+) and (\d+) %", of_pipeline),
    ("topics/multigrid.md", r"reached the limit of time on (\w+) of the", lambda docs: smoothers(docs)[4:]),
    ("topics/gpu.md", r"needed ([\d.]+) ns per point on the GPU and ([\d.]+) ns on the core: ([\d.]+) of the time", lambda docs: on_gpu(docs, 5)),
    ("topics/gpu.md", r"needed ([\d.]+) ns per point on the GPU and ([\d.]+) ns on the core, ([\d.]+) of the time", lambda docs: on_gpu(docs, 1)),
    ("topics/gpu.md", r"took ([\d.]+) of the time with `fgbilu`", lambda docs: gpu_iteration(docs, "fgbilu", "tasks")[:1]),
    ("topics/gpu.md", r"and ([\d.]+) with `powerqilu`, which needed (\d+) iterations instead of (\d+)", lambda docs: gpu_iteration(docs, "powerqilu", "")),
    ("types/fgbilu.md", r"with n = 1 to 8 are ([\d.]+) to ([\d.]+) times as fast with the trick as without", with_eisenstat),
    ("types/fgbicc.md", r"takes ([\d.]+) to ([\d.]+) times as long as that of `fgbilu`, because it reads each block twice. It is "
     r"([\d.]+) to ([\d.]+) times as fast as PETSc's ICC\(0\)", of_icc),
    ("topics/stability.md", r"([\d.]+) % of set-up and solve in the median of (\d+) solves of 32 to 52 iterations, (\d+) % at most", of_check),
    ("README.md", r"`fgbilu` took ([\d.]+) of the time of `aijcusparse`", lambda docs: [gpu_solve(docs, "fgbilu", "tasks")]),
    *[(page, r"compared with the best of PETSc's ILU and SOR on (\w+) coupled systems: median ([\d.]+) \(([\d.]+) to ([\d.]+)\) "
       r"in double precision, ([\d.]+) \(([\d.]+) to ([\d.]+)\) in single", gains_of_precisions) for page in ("README.md", "index.md")],
    ("index.md", r"set-up and GMRES are ([\d.]+) to ([\d.]+) times as fast as with PETSc's ILU\(0\), on AIJ or BAIJ, whichever is faster", gmres),
    ("choosing.md", r"Compared with the faster of PETSc's ILU and SOR, it is ([\d.]+) times as fast in the median of (\w+) systems \(([\d.]+) to ([\d.]+)\)",
     gain),
    ("choosing.md", r"With `-pc_fgbilu_precision single` the median is ([\d.]+)", lambda docs: gain(docs, "fgbilu, single")[:1]),
    ("choosing.md", r"fgbilu`: ([\d.]+) times as fast as PETSc's ILU on BAIJ, ([\d.]+) times in single precision",
     lambda docs: [seconds_of(docs, "euler", "ilu, baij")[0] / t for t in seconds_of(docs, "euler", "fgbilu", "fgbilu, single")]),
    ("examples/euler.md", r"need ([\d.]+) s with `fgbilu`, ([\d.]+) s with it in single precision, ([\d.]+) s with PETSc's ILU on BAIJ and "
     r"([\d.]+) s with SOR", lambda docs: seconds_of(docs, "euler", "fgbilu", "fgbilu, single", "ilu, baij", "sor")),
    ("choosing.md", r"it is ([\d.]+) to ([\d.]+) times as fast as gamg with default options", gamg),
    ("types/mcpi.md", r"is about (\w+) times as fast as one of PETSc's SOR, on a tetrahedral mesh with five unknowns", lambda docs: [
     measured(docs, "mcpi", "PETSc's / next", problem="mesh", n=5, **{"blocks,_sums": "DSH"})[0]]),
    ("topics/precision.md", r"in single precision is ([\d.]+) to ([\d.]+) times as fast for n = 4 to 8",
     lambda docs: [f(gains_of_single(docs)) for f in (min, max)]),
    ("topics/precision.md", r"needs ([\d.]+) ns/point at n = 5 instead of ([\d.]+)",
     lambda docs: [measured(docs, "fgbilu", column, n=5)[0] for column in ("single apply", "fgbilu apply")]),
    ("topics/precision.md", r"is ([\d.]+) times as fast as with working precision in the median \(([\d.]+) to ([\d.]+)\) on one core, "
     r"and ([\d.]+) times \(([\d.]+) to ([\d.]+)\) on two ranks", lambda docs: [x for ranks in (1, 2) for x in solves_of_single(docs, ranks)]),
    ("topics/precision.md", r"in half precision is ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+) times as fast as PETSc's ILU",
     lambda docs: measured(docs, "storage", "PETSc / ours", storage="half")[1:]),
    ("topics/precision.md", r"and ([\d.]+) to ([\d.]+) times as fast as in `single`",
     lambda docs: of_blocks(measured(docs, "fgbilu", "single apply"), measured(docs, "storage", "apply", storage="half"))),
    ("topics/precision.md", r"factorization takes ([\d.]+) to ([\d.]+) times as long",
     lambda docs: of_blocks(measured(docs, "storage", "refactor", storage="half"), measured(docs, "fgbilu", "fgbilu refactor"))),
    ("topics/precision.md", r"a sweep is ([\d.]+) to ([\d.]+) times as fast as with blocks in single",
     lambda docs: [f(measured(docs, "mcpi", "DS / it", **{"blocks,_sums": "DSH"})) for f in (min, max)]),
    ("topics/precision.md", r"takes ([\d.]+) ns/point in single as in working precision, and ([\d.]+) in half",
     lambda docs: [measured(docs, "fgbilu", "single apply", n=1)[0], measured(docs, "storage", "apply", n=1, storage="half")[0]]),
    ("topics/precision.md", r"On (\d+) of the (\d+) systems", lambda docs: [sum(s <= w + 1 for w, s, _ in iterations_of_storage(docs)),
                                                                          len(iterations_of_storage(docs))]),
    ("topics/precision.md", r"elasticity_long\): (\d+) instead of (\d+)", lambda docs: max(iterations_of_storage(docs), key=lambda r: r[1] / r[0])[1::-1]),
    ("topics/precision.md", r"In half precision (\w+) systems keep their iterations to within 1 %, (\w+) need (\d+) to (\d+) % more", more_by_half),
    ("types/powerqilu.md", r"need ([\d.]+) s with PETSc, ([\d.]+) s with level sets and ([\d.]+) s with colors on one thread, "
     r"and ([\d.]+), ([\d.]+) and ([\d.]+) s on two", colors_and_levels),
    ("types/sip.md", r"is ([\d.]+) to ([\d.]+) times as fast as one of PETSc's ILU\(0\)",
     lambda docs: [f(measured(docs, "sip", "PETSc's apply / it", which="sequential")) for f in (min, max)]),
    ("reproduction.md", f"Ecology needs {several(3)} s on one thread, and {several(3)} s on two", lambda docs: colors_and_levels(docs, "ecology")),
    ("compare.md", r"with default options is ([\d.]+) times as fast as the best of PETSc's ILU and SOR in the median of (\w+) systems with blocks, "
     r"and ([\d.]+) to ([\d.]+) times as fast in all; single precision has ([\d.]+) in the median",
     lambda docs: [*gain(docs), gain(docs, "fgbilu, single")[0]]),
    ("compare.md", r"# Why the median is ([\d.]+)", lambda docs: gain(docs)[:1]),
    ("compare.md", r"the medians of double precision are ([\d.]+), ([\d.]+) and (\d+\.\d+)",
     lambda docs: [gain(docs, "fgbilu, eisenstat false", threads, ranks)[0] for threads, ranks in ((1, 1), (2, 1), (1, 2))]),
    ("compare.md", r"compared with the better of smoothed and unsmoothed it is ([\d.]+) to ([\d.]+) times as fast", gamg),
    ("gpu_times.md", r"an iteration with `fgbilu` takes ([\d.]+) of the time with `aijcusparse`", lambda docs: [gpu_solve(docs, "fgbilu", "tasks")]),
    ("gpu_times.md", r"`fgbilu` needs (\d+) ms, PETSc (\d+) ms, ([\d.]+) of the time", with_set_up),
    ("kernels.md", f"At n = 1, 4, 5, 6, 8 an application is {several(5)} times as fast as PETSc's, a refactorization {several(5)} times",
     lambda docs: measured(docs, "fgbicc", "PETSc's / it") + measured(docs, "fgbicc", "PETSc's / it, refactor")),
    ("kernels.md", f"with DSH is {several(3)} times as fast as with DS on the grid at n = 4, 5, 6, and {several(3)} "
     r"times on the mesh\. \[The bytes\]\(numerics.md\) allow ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+), ([\d.]+), ([\d.]+)\.",
     lambda docs: [x for column in ("DS / it", "bytes of DS / its") for x in measured(docs, "mcpi", column, **{"blocks,_sums": "DSH"})]),
    ("kernels.md", f"it is {several(5)} times as fast as these two. It is {several(5)} times as fast as `MatMult",
     lambda docs: measured(docs, "eisenstat", "ours / it") + measured(docs, "eisenstat", "PETSc / it")),
    ("kernels.md", f"Applications need {several(3)} ns, and are {several(3)} times as fast as PETSc's. Iterations need {several(3)} ns, "
     f"and are {several(3)} times as fast. Factorizations have {several(3)} times PETSc's speed", lambda docs: [
         x for column in ("apply", "PETSc's apply / it", "iteration", "PETSc's iteration / it", "PETSc's numeric / it")
         for x in measured(docs, "sip", column, which="sequential")]),
    ("kernels.md", f"products are {several(4)} times as fast as `MATBAIJ`'s, at {several(4)} % of the bound .*?"
     f"Transposed products are {several(4)} times", lambda docs: [
         x for column in ("theirs / ours", "of least", "transposed, theirs / ours") for x in measured(docs, "baijkokkos", column)]),
    ("performance.md", r"are ([\d.]+) times as fast in the median of (\w+) systems with blocks, ([\d.]+) to ([\d.]+) times in all\. "
     r"On two threads the median is ([\d.]+), on two ranks (\d+\.\d+)",
     lambda docs: [*gain(docs), gain(docs, threads=2)[0], gain(docs, ranks=2)[0]]),
    ("performance.md", r"run at (\d+) and (\d+) % of the bandwidth bound there, so that working precision gains only ([\d.]+) and ([\d.]+)",
     lambda docs: [*of_bound(docs), *(measured(docs, "fgbilu", "PETSc's / it", n=n)[0] for n in (5, 6))]),
    ("performance.md", r"with scalars\*\*: ([\d.]+) to ([\d.]+) times PETSc's symbolic factorization by level sets with p >= 1, "
     r"([\d.]+) to ([\d.]+) times with p = 0, ([\d.]+) to ([\d.]+) times by colors",
     lambda docs: [*of_scalars(docs, "symbolic", "level, sequential", {1, 2, 3}), *of_scalars(docs, "symbolic", "level, sequential", {0}),
                   *of_scalars(docs, "symbolic", "color, sequential", {0, 1, 2, 3})]),
    ("performance.md", r"phase of scalars\*\*: ([\d.]+) to ([\d.]+) of PETSc's time by level sets",
     lambda docs: of_scalars(docs, "numeric", "level, sequential", {0, 1, 2, 3})),
    ("types/baijkokkos.md", r"On one core products are ([\d.]+) to ([\d.]+) times as fast",
     lambda docs: [f(measured(docs, "baijkokkos", "theirs / ours")) for f in (min, max)]),
    ("tutorial.md", r"starts at (\d+) s and ends at (\d+) s; with PETSc's own ILU in the same multigrid it needs (\d+) s", lambda docs: [
     seconds(docs, "ILU(0), AIJ", 200), seconds(docs, "gamg with fgbilu", 2000), seconds(docs, "gamg, unsmoothed, ILU(0)", 2000)]),
    ("tutorial.md", r"## 1\. PETSc's ILU\(0\): (\d+) s", lambda docs: [seconds(docs, "ILU(0), AIJ", 200)]),
    ("tutorial.md", r"## 2\. Block storage: (\d+) s", lambda docs: [seconds(docs, "ILU(0), BAIJ", 200)]),
    ("tutorial.md", r"## 3\. `fgbilu`: (\d+) s, in single precision (\d+) s",
     lambda docs: [seconds(docs, method, 200) for method in ("fgbilu", "fgbilu, single")]),
    ("tutorial.md", r"## 4\. Longer time steps: (\d+) s", lambda docs: [seconds(docs, "fgbilu, single", 2000)]),
    ("tutorial.md", r"this step reaches (\d+) s", lambda docs: [seconds(docs, "ILU(0), BAIJ", 2000)]),
    ("tutorial.md", r"## 5\. Multigrid with `fgbilu` as smoother: (\d+) s", lambda docs: [seconds(docs, "gamg with fgbilu", 2000)]),
    ("tutorial.md", r"Two ranks need (\d+) s", lambda docs: [seconds(docs, "gamg with fgbilu", 2000, 2)]),
    ("tutorial.md", r"needs as many iterations, and (\d+) s", lambda docs: [seconds(docs, "gamg, unsmoothed, ILU(0)", 2000)]),
    ("tutorial.md", r"The program is ([\d.]+) times as fast as at the start, and ([\d.]+) times as fast as with the best", difficult),
    ("tutorial.md", r"finegrain's own share is (\d+\.\d+)",
     lambda docs: [seconds(docs, "gamg, unsmoothed, ILU(0)", 2000) / seconds(docs, "gamg with fgbilu", 2000)]),
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
