"""Writes the tables of docs/performance/peers.md from docs/performance/peers.csv, which run.py makes: table.py [--check]. With
--check nothing is written, and the exit status says whether the page has the numbers of the file."""
import csv
import sys
from pathlib import Path

docs = Path(__file__).resolve().parents[3] / "docs/performance"
begin, end = "<!-- from peers.csv -->\n", "<!-- end -->\n"
groups = {
    "ILU, SOR": ["ilu", "ilu, baij", "icc", "asm", "sor", "pbjacobi"],
    "hypre": ["hypre euclid", "hypre boomeramg", "hypre boomeramg, threshold 0.5", "hypre boomeramg, nodal"],
    "gamg, ml": ["gamg", "gamg, unsmoothed", "ml"],
    "ours": ["fgbilu", "fgbilu, single", "fgbicc", "mcpi", "powerqilu, level 1"],
    "gamg with ours": ["gamg with fgbilu", "gamg, unsmoothed, with fgbilu", "gamg, unsmoothed, with mcpi"],
}


def read():
    lines = (docs / "peers.csv").read_text().splitlines()
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


def text():
    machine, rows = read()
    parts = []
    for ranks in dict.fromkeys(r["ranks"] for r in rows):
        mine = [r for r in rows if r["ranks"] == ranks]
        parts += [f"## {ranks} rank{'s' if ranks != '1' else ''}", "", f"{machine}.", "All runs are in `docs/performance/peers.csv`.", ""] + summary(mine) + [""]
    return "\n".join(parts)


def main():
    page = docs / "peers.md"
    before = page.read_text()
    head, rest = before.split(begin)
    after = head + begin + "\n" + text() + end + rest.split(end)[1]
    if "--check" in sys.argv:
        if before != after:
            sys.exit("docs/performance/peers.md is not what peers.csv says: run tests/bench/peers/table.py")
    else:
        page.write_text(after)


if __name__ == "__main__":
    main()
