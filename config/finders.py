"""Finders of static files outside our own folders."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage, Storage

FILE = "plotly.min.js"


class PlotlyFinder(BaseFinder):
    """The finder of the single script in Plotly's package, as plotly/plotly.min.js."""

    def __init__(self, *_: Any, **__: Any) -> None:
        spec = find_spec("plotly")  # locates the package without importing it
        if spec is None or spec.origin is None:
            raise ImproperlyConfigured("Plotly is not installed: the charts need its script.")
        self.folder = Path(spec.origin).parent / "package_data"
        self.storage = FileSystemStorage(location=self.folder)
        self.storage.prefix = "plotly"  # type: ignore[attr-defined]

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        # Django takes any result that is no list for a match, so "not found" is an empty list.
        matches = [str(self.folder / FILE)] if path == f"plotly/{FILE}" else []
        return matches[0] if matches and not find_all else matches

    def list(self, _: Any) -> Iterator[tuple[str, Storage]]:
        yield FILE, self.storage
