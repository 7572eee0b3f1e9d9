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

_pages = [one for one in RESULTS.values() if isinstance(one, ResultPage)]
PAGES: list[ResultPage[Any]] = sorted((one for one in _pages if one.template), key=lambda page: page.position)
ENDPOINTS: list[ResultPage[Any]] = [one for one in _pages if one.api]
_named = {one.report_name or one.name: one for one in RESULTS.values()}
REPORTS: dict[str, Result[Any]] = dict(sorted(_named.items()))


def pages_for(project: Project) -> dict[str, ResultPage[Any]]:
    """Return the pages that list all of something in a project, by their names: those that the reader may see."""
    return {page.name: page for page in PAGES if page.position and page.is_in(project)}
