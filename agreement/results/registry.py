"""All results by their names, and the pages among them: each module of this package registers its own."""

from __future__ import annotations

from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from agreement import results
from agreement.results.computations import RESULTS, Result
from agreement.results.page import ResultPage
from annotations.models import Project

for module in walk_packages(results.__path__, f"{results.__name__}."):
    import_module(module.name)

_pages = [page for page in RESULTS.values() if isinstance(page, ResultPage)]
PAGES: list[ResultPage[Any]] = sorted((page for page in _pages if page.template), key=lambda page: page.position)
ENDPOINTS: list[ResultPage[Any]] = [page for page in _pages if page.api]
_named = {result.report_name or result.name: result for result in RESULTS.values()}
REPORTS: dict[str, Result[Any]] = dict(sorted(_named.items()))


def pages_for(project: Project) -> dict[str, ResultPage[Any]]:
    """Return the pages that list all of something in a project, by name, as far as the reader may see them."""
    return {page.name: page for page in PAGES if page.position and page.is_in(project)}
