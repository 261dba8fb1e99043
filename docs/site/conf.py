"""What Sphinx is told; `docs.site.build` writes the pages and starts it."""

import tomllib
from pathlib import Path
from typing import Any

from docs.site.docstrings import as_rst

_project = tomllib.loads(
    (Path(__file__).parent.parent.parent / "pyproject.toml").read_text(encoding="utf-8")
)["project"]

project = "Hiddenhand"
version = release = _project["version"]
author = "the Hiddenhand maintainers"
project_copyright = author
extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
default_role = "py:obj"  # what docstrings have in single quotes
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_maximum_signature_line_length = 88
add_module_names = False
suppress_warnings = ["myst.header"]  # pages written by programs begin with a table's heading
html_theme = "pydata_sphinx_theme"
html_title = "Hiddenhand"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_extra_path = ["root", "../write-a-game-in-one-page.md"]  # llms.txt, and the page that it names
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 5,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}


def _docstring(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Lists of parameters, which are written as ``name: meaning`` here, become lists."""
    lines[:] = as_rst(lines)


def setup(app: Any) -> None:
    """See Sphinx."""
    app.connect("autodoc-process-docstring", _docstring)
