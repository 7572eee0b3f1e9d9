"""The registry of results and pages; each module of this package registers its own."""

from importlib import import_module
from operator import attrgetter
from pkgutil import walk_packages
from typing import Any

from agreement import results
from agreement.results.computations import RESULTS, ResultPage
from annotations.models import Project

for module in walk_packages(results.__path__, f"{results.__name__}."):
    import_module(module.name)

type Pages = list[ResultPage[Any]]
PAGES: Pages = sorted((page for page in RESULTS.values() if page.template), key=attrgetter("position"))
ENDPOINTS: Pages = [page for page in RESULTS.values() if page.api]
REPORTS: dict[str, ResultPage[Any]] = dict(sorted((page.report_name or page.name, page) for page in RESULTS.values()))


def pages_for(project: Project) -> dict[str, ResultPage[Any]]:
    """Return the listed pages of a project that its reader may see, by name."""
    return {page.name: page for page in PAGES if page.position and page.is_in(project)}
