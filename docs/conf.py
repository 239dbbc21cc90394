"""How the documentation becomes a site: ``sphinx-build -W docs site``."""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_site"))

import contents  # noqa: E402 - it lies beside this file
import gallery  # noqa: E402
import notebooks  # noqa: E402
import printed  # noqa: E402
import reference  # noqa: E402
import tables  # noqa: E402

import myodyne  # noqa: E402

project = "myodyne"
author = "the authors of myodyne"
version = release = myodyne.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
root_doc = "index"
exclude_patterns = ["_site", "printed", "gallery/made", "notebooks"]
# Pages written as Markdown link to headings of others; formulas stand between dollars.
myst_enable_extensions = ["attrs_inline", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = [
    # Pages that begin with a heading of the second level, as those of decisions do.
    "myst.header",
    # Links to files beside the documentation, such as CONTRIBUTING.md, which are no pages of the site.
    "myst.xref_missing",
    # Types of parameters that are also names of attributes.
    "ref.python",
]
# A single backtick in a docstring marks a name.
default_role = "literal"
napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
# Headings of the reference are the names already.
toc_object_entries = False

html_theme = "pydata_sphinx_theme"
html_title = "myodyne"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "use_edit_page_button": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
}


def setup(app: Sphinx) -> None:
    """Write the pages of sections and reference before they are read, and give the front page its contents."""
    app.connect("builder-inited", lambda app: reference.write_pages(Path(app.srcdir)))
    app.connect("builder-inited", gallery.write_gallery)
    app.connect("builder-inited", lambda app: notebooks.write_notebooks(Path(app.srcdir)))
    app.connect("builder-inited", lambda app: contents.write_sections(Path(app.srcdir)))
    app.connect("source-read", contents.add_contents)
    app.connect("source-read", printed.add_tables)
    app.connect("source-read", tables.add_sources)
    app.connect("source-read", gallery.add_themes)
    app.connect("source-read", notebooks.add_links)
