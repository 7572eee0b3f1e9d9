"""Agreement: the figures of the pages, their tables, and the discussion of items."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from coindex.client.answers import Agreement, Report, Task
from coindex.client.coding import Codings
from coindex.client.connection import in_project
from coindex.client.frames import Rows, frame_of

if TYPE_CHECKING:
    import pandas as pd

# Further reports; PAGED has the field that is a list in pages.
type ReportName = Literal[
    "compare", "coreference", "gold", "groups", "models", "peers", "planning", "repeats", "scores", "scus", "study"
]
PAGED = {"coreference": "texts", "gold": "docsets", "models": "items", "peers": "items", "scores": "peers"}


class Results(Codings):
    """The results of the agreement pages. `parameters` are described in docs/api.md, such as `distance` or `coders`."""

    def agreement(self, project: str, **parameters: Any) -> Agreement:
        """Return the agreement of a project, overall and by text; wait for long computations."""
        return cast(Agreement, self.whole(in_project(project, "agreement"), "texts", **parameters))

    def report(self, project: str, name: ReportName, **parameters: Any) -> Report:
        """Return another report: `compare` with `by`, `first` and `second`, `groups`, `gold`, and so on."""
        path = in_project(project, "agreement", name)
        if name in PAGED:
            return self.whole(path, PAGED[name], **parameters)
        return cast(Report, self.get(path, **parameters))

    def grid(self, project: str, **parameters: Any) -> list[Report]:
        """Return the coefficients of every construction of chains by every distance."""
        return cast(list[Report], self.get(in_project(project, "agreement", "grid"), **parameters))

    def items(self, project: str, **parameters: Any) -> Rows[Report]:
        """Return the items by their share of the disagreement, the largest first."""
        return self.rows_in(project, "agreement", "items", **parameters)

    def item(self, project: str, text: str, key: str, **parameters: Any) -> Report:
        """Return an item with all coders' answers."""
        return cast(Report, self.get(in_project(project, "agreement", "items", text, key), **parameters))

    def matrix(self, project: str, **parameters: Any) -> pd.DataFrame:
        """Return the reliability data behind agreement: one row a unit, one column a coder."""
        path = in_project(project, "agreement", "data")
        rows = self.get(path, **parameters)
        return frame_of({"text": row["text"], "unit": row["unit"], **row["values"]} for row in rows)

    def pages_of_results(self, project: str) -> list[Report]:
        """Return the agreement pages that have tables."""
        return cast(list[Report], self.get(in_project(project, "agreement", "tables")))

    def tables(self, project: str, page: str, **parameters: Any) -> list[Report]:
        """Return the tables of a page."""
        return cast(list[Report], self.get(in_project(project, "agreement", "tables", page), **parameters))

    def table(self, project: str, page: str, table: str, **parameters: Any) -> pd.DataFrame:
        """Return a table of a page, with unrounded numbers."""
        return frame_of(self.get(in_project(project, "agreement", "tables", page, table), **parameters)["rows"])

    def save_table(
        self,
        project: str,
        page: str,
        table: str,
        to: str | os.PathLike[str],
        form: Literal["csv", "json", "latex", "markdown"] = "csv",
        **parameters: Any,
    ) -> Path:
        """Write a table of a page into a file."""
        path = in_project(project, "agreement", "tables", page, table)
        return self.download(path, to, params={**parameters, "form": form})

    def datasheet(self, project: str, **parameters: Any) -> Report:
        """Return the datasheet of the corpus."""
        return cast(Report, self.get(in_project(project, "datasheet"), **parameters))

    def tasks(self, project: str) -> list[Task]:
        """Return the hundred latest background tasks of a project, the latest first."""
        return cast(list[Task], self.get(in_project(project, "tasks")))

    def flag(self, project: str, text: str, key: str) -> Report:
        """Flag an item for discussion in the guidelines."""
        return cast(Report, self.request("PUT", in_project(project, "agreement", "items", text, key, "flag")).json())

    def unflag(self, project: str, text: str, key: str) -> None:
        """Remove the flag of an item."""
        self.request("DELETE", in_project(project, "agreement", "items", text, key, "flag"), repeatable=True)

    def remarks(self, project: str, text: str, key: str) -> Rows[Report]:
        """Return the remarks of managers and adjudicators on an item."""
        return self.rows_in(project, "agreement", "items", text, key, "remarks")

    def remark(self, project: str, text: str, key: str, body: str) -> Report:
        """Add a remark on an item."""
        path = in_project(project, "agreement", "items", text, key, "remarks")
        return cast(Report, self.post_once(path, {"body": body}))

    def mappings(self, project: str) -> Rows[Report]:
        """Return the saved mappings of categories."""
        return self.rows_in(project, "agreement", "mappings")

    def save_mapping(self, project: str, name: str, classes: dict[str, str]) -> Report:
        """Save a mapping of categories under a name."""
        path = in_project(project, "agreement", "mappings")
        return cast(Report, self.post_once(path, {"name": name, "classes": classes}))
