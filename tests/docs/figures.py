# SPDX-License-Identifier: BSD-2-Clause
"""Figures that sentences of README.md and docs quote, and the CSV files that they are from: tests/docs/tables --check compares
them to the digits that are shown."""
import csv
import re


def rows(file, **wanted):
    """Rows of a CSV file whose columns have these values; _ stands for a blank in a column's name."""
    lines = file.read_text().splitlines()
    keys = {name.replace("_", " "): str(value) for name, value in wanted.items()}
    found = [row for row in csv.DictReader(lines[1:]) if all(row[name] == value for name, value in keys.items())]
    assert found, f"{file} has no row with {keys}"
    return found


def number(text):
    return float(re.match(r"[-+.\deE]+", text)[0])


def gpu_solve(docs, method, executor):
    """Solve beside aijcusparse with its ILU."""
    file = docs / "performance/h200/solves.csv"
    time = {(r["matrix, preconditioner"], r["executor"]): number(r["solve"]) for r in rows(file)}
    return time["seqbaijkokkos, " + method, executor] / time["seqaijcusparse, ilu", ""]


# Page, sentence with the figures in parentheses, what they are.
figures = [
    ("README.md", r"`fgbilu` took ([\d.]+) of the time of `aijcusparse`", lambda docs: [gpu_solve(docs, "fgbilu", "self")]),
]


def check(docs):
    wrong = []
    for page, sentence, values in figures:
        text = " ".join(((docs if page != "README.md" else docs.parent) / page).read_text().split())
        found = re.search(sentence, text)
        if not found:
            wrong.append(f"{page}: no sentence {sentence}")
            continue
        for shown, value in zip(found.groups(), values(docs), strict=True):
            digits = len(shown.partition(".")[2])
            if f"{value:.{digits}f}" != shown:
                wrong.append(f"{page}: {shown} in '{found[0]}' is {value:.{digits + 2}f} now")
    return wrong
