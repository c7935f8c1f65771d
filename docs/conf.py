# SPDX-License-Identifier: BSD-2-Clause
# Sphinx settings. Build: sphinx-build -W --keep-going -b html docs build/docs
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "finegrain"
author = "the authors of finegrain"
copyright = "the authors of finegrain, BSD-2-Clause"

extensions = ["myst_parser", "sphinx.ext.mathjax", "manual_pages"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["_build"]

html_theme = "sphinx_rtd_theme"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["finegrain.css"]
