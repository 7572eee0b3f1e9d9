"""The documents as a static site: `make site` builds it into var/site from the Markdown files as they are."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([\w./-]+)\.md\)")

project = "Coindex"
author = "the Coindex developers"
copyright = f"2026, {author}"
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/**", "examples/README.md"]
# Generate heading anchors as GitHub does.
myst_heading_anchors = 6

html_theme = "furo"
html_title = f"Coindex {release}"
html_copy_source = False
html_show_sourcelink = False


def list_pages(_: Sphinx, page: str, source: list[str]) -> None:
    """Add the navigation of the site, from docs/README.md, to the front page and the index of documents."""
    if page not in ("README", "docs/README"):
        return
    index = ROOT / "docs" / "README.md"
    captions: dict[str, list[str]] = {}
    nested: list[str] = []
    item = ""
    for line in index.read_text(encoding="utf-8").splitlines():
        item = line if not line.startswith("  ") or line.startswith("  - ") else item
        if line.startswith("**"):
            captions[line.strip("*")] = []
            continue
        pages = [link.removeprefix("../") if link.startswith("../") else f"docs/{link}" for link in LINK.findall(line)]
        if item.startswith("  - "):
            nested += pages
        elif captions:
            captions[list(captions)[-1]] += pages
    if page == "docs/README":
        source[0] += _tree("", nested)
    else:
        source[0] += _tree("", ["docs/README"]) + "".join(_tree(*entry) for entry in captions.items())


def _tree(caption: str, pages: list[str]) -> str:
    options = f":hidden:\n:caption: {caption}\n" if caption else ":hidden:\n"
    return f"\n\n```{{toctree}}\n{options}\n" + "".join(f"/{page}\n" for page in pages) + "```\n"


def name_front_page(app: Sphinx, exception: Exception | None) -> None:
    """Make the front page the index of the folder."""
    if exception is None:
        shutil.copy(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")


def setup(app: Sphinx) -> None:
    app.connect("source-read", list_pages)
    app.connect("build-finished", name_front_page)
