# SPDX-License-Identifier: BSD-2-Clause
# Sphinx settings. Build: sphinx-build -W --keep-going -b html docs build/docs
import re
import sys
from pathlib import Path

folder = Path(__file__).parent
sys.path.insert(0, str(folder))

project = "finegrain"
header = (folder / "../include/petscfinegrain.h").read_text()
release = version = re.search(r'PETSCFINEGRAIN_VERSION "(.*)"', header)[1]
publication = dict(re.findall(r'^(\w+)="(.*)"$', (folder / "../.packaging/publication").read_text(), re.M))
author = publication["authors"]
copyright = f"{author}, BSD-2-Clause"

extensions = ["myst_parser", "sphinx.ext.mathjax", "manual_pages", "bench_tables"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]

html_theme = "sphinx_rtd_theme"
html_show_sourcelink = False
html_use_index = False  # no page has entries for it
html_baseurl = publication["site"]
# Links at the end of each page (_templates/footer.html).
html_context = {"addresses": [(text, publication[name]) for text, name in (("Repository", "repository"), ("Issues", "tracker"))
                              if publication[name]]}
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["finegrain.css"]
html_theme_options = {"navigation_depth": 2, "collapse_navigation": True}

# Formulas by KaTeX from Debian's libjs-katex, which is copied into the site: no network is needed to read it.
katex = Path("/usr/share/javascript/katex")
if katex.exists():
    html_static_path.append(str(katex))
    html_css_files.append("katex.min.css")
    mathjax_path, mathjax_options = "katex.min.js", {"defer": "defer"}
    html_js_files = [(name, {"defer": "defer"}) for name in ("contrib/auto-render.js", "formulas.js")]
