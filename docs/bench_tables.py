# SPDX-License-Identifier: BSD-2-Clause
"""Makes a page of each CSV file of measurements, data/<name>.md, and a list of them, data.md, before Sphinx reads them.

Pages quote a few rows of a file (tests/docs/tables) and link to its page here, `data/<name>.md`: the name is the path of the file in
docs/performance or docs/applications, with - for /.
"""

import csv
from pathlib import Path

from manual_pages import write

docs = Path(__file__).parent
sources = ("performance", "applications")


def name_of(file):
    """performance/cpu/fgbilu.csv: cpu-fgbilu."""
    return "-".join(file.relative_to(docs).with_suffix("").parts[1:])


def files():
    return sorted(file for source in sources for file in (docs / source).rglob("*.csv"))


def show(cell):
    """A number and its unit, as in 24 % or 15 x 15 x 15, stay in one line."""
    return (cell.replace(" ", "\u00a0") if cell[:1].isdigit() and len(cell) < 16 else cell).replace("|", r"\|")


def render(file):
    lines = file.read_text().splitlines()
    first = [line.removeprefix("# ") for line in lines if line.startswith("#")]
    head, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    table = "\n".join("| " + " | ".join(map(show, row)) + " |" for row in rows)
    title = name_of(file)
    return f"# {title}\n\n{' '.join(first)}\n\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + f"|\n{table}\n"


def generate(app=None):
    rows, tree = "", ""
    for file in files():
        name = name_of(file)
        write(docs / "data" / f"{name}.md", render(file))
        rows += f"| [{name}](data/{name}.md) | `docs/{file.relative_to(docs)}` |\n"
        tree += f"data/{name}\n"
    write(docs / "data.md", "# Full tables\n\nOne page for each file of measurements. The first line says machine, date, commit and command.\n\n"
          f"| table | file |\n|---|---|\n{rows}\n```{{toctree}}\n:hidden:\n\n{tree}```\n")


def setup(app):
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}
