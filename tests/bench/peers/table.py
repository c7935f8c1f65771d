"""Writes the tables of docs/performance/peers.md and docs/ranks.md from docs/performance/peers.csv and ranks.csv, which run.py
makes: table.py [--check]. With --check nothing is written, and the exit status says whether the pages have the numbers of the
files."""
import csv
import sys
from pathlib import Path

docs = Path(__file__).resolve().parents[3] / "docs"
end = "<!-- end -->\n"
groups = {
    "ILU, SOR": ["ilu", "ilu, baij", "icc", "asm", "sor", "pbjacobi"],
    "hypre": ["hypre euclid", "hypre boomeramg", "hypre boomeramg, threshold 0.5", "hypre boomeramg, nodal"],
    "gamg, ml": ["gamg", "gamg, unsmoothed", "ml"],
    "ours": ["fgbilu", "fgbilu, single", "fgbicc", "mcpi", "powerqilu, level 1"],
    "gamg with ours": ["gamg with fgbilu", "gamg, unsmoothed, with fgbilu", "gamg, unsmoothed, with mcpi"],
}


def read(name):
    lines = (docs / "performance" / name).read_text().splitlines()
    return lines[0].removeprefix("# "), list(csv.DictReader(lines[1:]))


def cell(rows, names):
    """The fastest of a group: seconds, iterations, name."""
    good = [r for r in rows if r["method"] in names and not r["trouble"]]
    if not good:
        return None, "none"
    best = min(good, key=lambda r: float(r["total s"]))
    return float(best["total s"]), f"{float(best['total s']):.2f} ({best['iterations']}) {best['method']}"


def summary(rows):
    out = ["| system | unknowns | n | " + " | ".join(groups) + " |", "|---" * (3 + len(groups)) + "|"]
    for name in dict.fromkeys(r["problem"] for r in rows):
        mine = [r for r in rows if r["problem"] == name]
        cells = [cell(mine, names) for names in groups.values()]
        least = min(t for t, _ in cells if t is not None)
        out.append(f"| {name} | {mine[0]['unknowns']} | {mine[0]['block']} | " +
                   " | ".join(f"**{text}**" if t == least else text for t, text in cells) + " |")
    return out


def times(name):
    machine, rows = read(name)
    parts = []
    for ranks in dict.fromkeys(r["ranks"] for r in rows):
        mine = [r for r in rows if r["ranks"] == ranks]
        parts += [f"## {ranks} rank{'s' if ranks != '1' else ''}", "", f"{machine}.", "All runs are in `docs/performance/peers.csv`.", ""] + summary(mine) + [""]
    return "\n".join(parts)


def iterations(name):
    machine, rows = read(name)
    methods, ranks = (list(dict.fromkeys(r[what] for r in rows)) for what in ("method", "ranks"))
    out = [f"{machine}; iterations on {', '.join(ranks)} ranks:", "", "| system | unknowns | n | " + " | ".join(methods) + " |", "|---" * (3 + len(methods)) + "|"]
    for system in dict.fromkeys(r["problem"] for r in rows):
        mine = {(r["method"], r["ranks"]): r for r in rows if r["problem"] == system}
        first = next(iter(mine.values()))
        cells = [", ".join(mine[m, k]["trouble"].split(":")[0] or mine[m, k]["iterations"] for k in ranks) for m in methods]
        out.append(f"| {system} | {first['unknowns']} | {first['block']} | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


def main():
    wrong = []
    for path, name, text in (("performance/peers.md", "peers.csv", times), ("ranks.md", "ranks.csv", iterations)):
        page, begin = docs / path, f"<!-- from {name} -->\n"
        before = page.read_text()
        head, rest = before.split(begin)
        after = head + begin + "\n" + text(name) + end + rest.split(end, 1)[1]
        if before != after:
            wrong.append(path)
            if "--check" not in sys.argv:
                page.write_text(after)
    if wrong and "--check" in sys.argv:
        sys.exit(f"not what their CSV files say: {', '.join(wrong)}; run tests/bench/peers/table.py")


if __name__ == "__main__":
    main()
