"""The site of the manual: its chapters, the results, and a reference of the Python API.

pip install '.[docs]' && sphinx-build -W -c experiments/manual experiments site
"""

import importlib.metadata
import pathlib
import re

project = "azjax"
release = importlib.metadata.version("azjax")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"azjax {release}"
root_doc = "README"  # of experiments, the list of chapters
include_patterns = ["README.md", "manual/*.md", "manual/*.rst", "results/**"]
myst_heading_anchors = 4  # as GitHub gives them
default_role = "code"  # of docstrings
smartquotes = False
highlight_language = "none"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_inherit_docstrings = False

TOCTREE = """

```{{toctree}}
:hidden:
:glob:

{entries}
```
"""
INDEX = '<meta http-equiv="refresh" content="0; url=README.html">\n'


def prepare_page(app, document, source):
    """Drops links to folders, and lists chapters and results, as tables do on GitHub."""
    folder = (pathlib.Path(app.srcdir) / document).parent

    def keep_or_drop(link):
        return link[1] if (folder / link[2]).is_dir() else link[0]

    source[0] = re.sub(r"\[([^\]]*)\]\(([^)\s#]+)\)", keep_or_drop, source[0])
    if document == "README":
        chapters = re.findall(r"^\| \[[^\]]*\]\((manual/\w+)\.md\)", source[0], re.MULTILINE)
        entries = [*chapters, "manual/reference", "results/README"]
        source[0] += TOCTREE.format(entries="\n".join(entries))
    if document == "results/README":
        source[0] += TOCTREE.format(entries="*\n*/report")


def write_index(app, error):
    """Leads from the folder of the site to its first page."""
    if error is None:
        pathlib.Path(app.outdir, "index.html").write_text(INDEX)


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", prepare_page)
    app.connect("build-finished", write_index)
