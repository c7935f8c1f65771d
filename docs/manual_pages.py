# SPDX-License-Identifier: BSD-2-Clause
"""Makes manual pages of types, functions and enumerations from the comments in the sources.

PETSc's form: /*MC ... M*/ for types, /*@ ... @*/ for functions, /*E ... E*/ for enumerations. A function that gets what
another sets needs no comment. Before Sphinx reads them, writes a page for each name, manual/<kind>/<name>.md, and a
list of each kind, manual/<kind>.md. Names in code are links: to our pages, and to PETSc's.
"""

import re
from pathlib import Path

docs = Path(__file__).parent
kinds = {
    "types": ("Types", r"/\*MC\n(.*?)M\*/"),
    "functions": ("Functions", r"/\*@C?\n(.*?)@\*/"),
    "enumerations": ("Enumerations", r"/\*E\n(.*?)E\*/"),
}
theirs = {"PC": "PC", "KSP": "KSP", "Mat": "Mat", "MAT": "Mat", "Petsc": "Sys"}  # folders of PETSc's site
where = {}  # kind of each name of ours


def link(code):
    """A name in backquotes, as a link where there is a page of it."""
    name = code.removesuffix("()")
    if name in where:
        return f"[`{code}`](../{where[name]}/{name}.md)"
    prefix = re.match(r"Petsc|KSP|PC|Mat|MAT", name)
    if prefix and re.fullmatch(r"\w+", name) and name != prefix[0] and "_" not in name and "Finegrain" not in name:
        return f"[`{code}`](https://petsc.org/release/manualpages/{theirs[prefix[0]]}/{name}/)"
    return f"`{code}`"


def escape(text):
    """Markdown of a line of a comment: backquoted parts stay, the rest is plain text."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\*_<>$#\[\]|~])", r"\\\1", parts[i])
    for i in range(1, len(parts), 2):
        parts[i] = link(parts[i])
    return "".join(parts)


def is_heading(line):
    return re.fullmatch(r"(\w+ )*\w+:", line.strip()) is not None


def render(comment):
    """The section of one manual page, and its name."""
    lines = comment.strip("\n").split("\n")
    name = re.match(r"\s*(\w+)", lines[0])[1]
    out = []
    for line in lines:
        text = line.strip()
        item = re.match(r"[+.-]\s+(.*)", line)
        if item:
            words = re.match(r"(\S.*?)\s+- (.*)", item[1])
            out.append(f"- `{words[1]}`: {escape(words[2])}" if words and "*" not in words[1]
                       else f"- {escape(item[1].lstrip('* -'))}")
        elif text.startswith(".seealso:"):
            out += ["", "See also: " + escape(text[9:].strip())]
        elif is_heading(text):
            out += ["", f"**{text}**", ""]
        elif out and out[-1].startswith("- ") and text:
            out[-1] += " " + escape(text)
        else:
            out.append(escape(text))
    body = "\n".join(out)
    body = re.sub(r"^\s*\S+ - ", "", body)
    return name, body.strip()


def synopsis(name, header):
    """The declaration of a function or an enumeration."""
    found = re.search(rf"PetscErrorCode {name}\([^;]*;", header) or re.search(rf"typedef enum {{[^}}]*}} {name};", header)
    return f"```c\n#include <petscfinegrain.h>\n{found[0]}\n```\n\n" if found else ""


def getters(header, functions):
    """Comments of functions that get what others set, from the declarations and the comments of those."""
    named = {re.match(r"\s*(\w+)", c)[1]: c for c in functions}
    found = []
    for name, what, output in re.findall(r"PetscErrorCode (\w+Get\w+)\((PC|KSP) \w+, [^,;]*?(\w+)\);", header):
        setter = name.replace("Get", "Set", 1)
        if name in named or setter not in named:
            continue
        item = rf"[.+-]\s+{what.lower()}\s+- .*"
        found.append(f"   {name} - Gets what `{setter}()` set\n\n   Not Collective\n\n   Input Parameter:\n"
                     f".{re.search(item, named[setter])[0][1:]}\n\n   Output Parameter:\n.  {output} - its value, as `{setter}()` has it\n\n"
                     f"   {re.search('Level: .*', named[setter])[0]}\n\n.seealso: `{setter}()`\n")
    return found


def write(file, content):
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != content:
        file.write_text(content)


def generate(app=None):
    sources = sorted((docs / "../src/petsc").rglob("*.c*")) + sorted((docs / "../include").glob("*.h"))
    texts = [source.read_text() for source in sources]
    header = (docs / "../include/petscfinegrain.h").read_text()
    comments = {kind: [c for text in texts for c in re.findall(pattern, text, re.S)] for kind, (_, pattern) in kinds.items()}
    comments["functions"] += getters(header, comments["functions"])
    for kind, found in comments.items():
        where.update((re.match(r"\s*(\w+)", c)[1], kind) for c in found)
    for kind, (title, _) in kinds.items():
        found = dict(render(c) for c in comments[kind])
        rows, names = "", sorted(found)
        for name in names:
            write(docs / "manual" / kind / f"{name}.md", f"# {name}\n\n{synopsis(name, header)}{found[name]}\n")
            what = " ".join(found[name].split("\n\n")[0].split()).replace("](../", "](")
            rows += f"| [{name}]({kind}/{name}.md) | {what} |\n"
        tree = "".join(f"{kind}/{name}\n" for name in names)
        write(docs / "manual" / f"{kind}.md", f"# {title}\n\nDrawn from the comments in the sources.\n\n| name | what |\n|---|---|\n{rows}\n"
              f"```{{toctree}}\n:hidden:\n\n{tree}```\n")


def setup(app):
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}
