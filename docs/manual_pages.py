# SPDX-License-Identifier: BSD-2-Clause
"""Makes manual pages of types, functions and enumerations from the comments in the sources.

PETSc's form: /*MC ... M*/ for types, /*@ ... @*/ for functions, /*E ... E*/ for enumerations.
Writes manual/types.md, manual/functions.md and manual/enumerations.md before Sphinx reads them.
"""

import re
from pathlib import Path

docs = Path(__file__).parent
pages = {
    "types": ("Manual pages of types", r"/\*MC\n(.*?)M\*/"),
    "functions": ("Manual pages of functions", r"/\*@C?\n(.*?)@\*/"),
    "enumerations": ("Manual pages of enumerations", r"/\*E\n(.*?)E\*/"),
}


def escape(text):
    """Markdown of a line of a comment: backquoted parts stay, the rest is plain text."""
    parts = text.split("`")
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\*_<>$#\[\]|~])", r"\\\1", parts[i])
    return "`".join(parts)


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
    return name, f"## {name}\n\n{body.strip()}\n"


def generate(app=None):
    sources = sorted((docs / "../src/petsc").rglob("*.c*")) + sorted((docs / "../include").glob("*.h"))
    texts = [source.read_text() for source in sources]
    (docs / "manual").mkdir(exist_ok=True)
    for page, (title, pattern) in pages.items():
        found = dict(render(c) for text in texts for c in re.findall(pattern, text, re.S))
        content = f"# {title}\n\nDrawn from the comments in the sources.\n\n"
        content += "\n".join(found[name] for name in sorted(found))
        file = docs / "manual" / f"{page}.md"
        if not file.exists() or file.read_text() != content:
            file.write_text(content)


def setup(app):
    app.connect("builder-inited", generate)
    return {"parallel_read_safe": True}
