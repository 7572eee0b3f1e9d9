"""Assignments, codings, questions and gold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import httpx

from coindex.client.answers import (
    CodingRow,
    CodingState,
    GoldState,
    JudgementRow,
    LoggedOperation,
    MarkableRow,
    OperationRow,
    Plan,
    Question,
    Report,
)
from coindex.client.connection import in_project
from coindex.client.errors import Conflict
from coindex.client.frames import PAGE, Lists, Rows
from coindex.client.operations import Operation

# Your own coding of a text, the gold of the text, or the agreed pyramid of a docset.
type Whose = Literal["own", "gold", "agreed"]
PLACES: dict[str, tuple[str, ...]] = {"own": ("coding",), "gold": ("gold", "coding"), "agreed": ("agreed", "coding")}


@dataclass(slots=True)
class Coding:
    """A coding of a text as it was read: `path` is its address, `etag` the tag of the state."""

    path: str
    round: str
    state: CodingState
    etag: str

    @property
    def version(self) -> int:
        """The number of operations that were read; if others have been added since, `save` raises Conflict."""
        return self.state["coding"]["version"]

    @property
    def parameters(self) -> dict[str, str]:
        """The query that names the coding among the codings of the text."""
        return {"round": self.round} if self.round else {}


class Codings(Lists):
    """The assignments, codings, questions and gold of a project."""

    def codings(self, project: str, **filters: Any) -> Rows[CodingRow]:
        """Return the codings that you may see; `text`, `coder`, `round`, `kind` and `status` filter them."""
        return self.rows_in(project, "codings", row_type=CodingRow, **filters)

    def markables(self, project: str, **filters: Any) -> Rows[MarkableRow]:
        """Return the markables; `text`, `level` and `predefined` filter them."""
        return self.rows_in(project, "markables", row_type=MarkableRow, **filters)

    def judgements(self, project: str, **filters: Any) -> Rows[JudgementRow]:
        """Return the judgements; `text`, `coder`, `round`, `category`, `level` and others filter them."""
        return self.rows_in(project, "judgements", row_type=JudgementRow, **filters)

    def operations(self, project: str, **filters: Any) -> Rows[OperationRow]:
        """Return the operations of all codings; `text`, `coder`, `kind`, `after` and `before` filter them."""
        return self.rows_in(project, "operations", row_type=OperationRow, **filters)

    def hours(self, project: str, *, round: str | None = None) -> Report:
        """Return the `rule` of active time and its `days` by coder, round and text, from all pages."""
        return self.whole(in_project(project, "hours"), "days", round=round)

    def assign(self, project: str, texts: Sequence[str], coders: Sequence[str], *, round: str | None = None) -> int:
        """Assign texts to coders, and return the number of new codings. Existing codings stay."""
        fields: dict[str, Any] = {"texts": list(texts), "coders": list(coders)}
        created = self.post_once(in_project(project, "codings"), fields | ({"round": round} if round else {}))
        return cast(int, created["new"])

    def plan(self, project: str, design: str, *, apply: bool = False, **terms: Any) -> Plan:
        """Preview a plan, or assign its texts with `apply`; docs/api.md has the terms."""
        return cast(Plan, self.post_once(in_project(project, "plans"), {"design": design, "apply": apply, **terms}))

    def plans(self, project: str) -> Rows[Report]:
        """Return the plans of the rounds."""
        return self.rows_in(project, "plans")

    def repeat(self, project: str, *, apply: bool = False, **terms: Any) -> Report:
        """Preview the texts that coders are shown again, or assign them with `apply`."""
        return cast(Report, self.post_once(in_project(project, "repeats"), {"apply": apply, **terms}))

    def pools(self, project: str) -> list[Report]:
        """Return the pools from which you can take texts."""
        return cast(list[Report], self.get(in_project(project, "pool")))

    def take_text(self, project: str, *, round: str = "") -> Report:
        """Take the next text of a pool."""
        return cast(Report, self.post_once(in_project(project, "pool"), {"round": round}))

    def coding(self, project: str, text: str, *, round: str = "", of: Whose = "own") -> Coding:
        """Return your coding of a text in a round (by default its latest), its gold, or the agreed pyramid."""
        return self._read(Coding(in_project(project, "texts", text, *PLACES[of]), round, _NOTHING, ""))

    def save(self, coding: Coding, operations: Iterable[Operation]) -> int:
        """Add operations to a coding, all or none, and return its version. Raise Conflict if others were added since.

        After a Conflict read the coding again. An operation sent twice is applied once.
        """
        fields = {"version": coding.version, "operations": list(operations)}
        path = f"{coding.path}operations/"
        answer = self.request("POST", path, params=coding.parameters, json=fields, repeatable=True)
        coding.state["coding"]["version"] = version = cast(int, answer.json()["version"])
        return version

    def submit(self, coding: Coding) -> None:
        """Submit a coding. Raise Conflict if it differs from the coding that was read and saved here."""
        self._change_status(coding, {"status": "submitted"})

    def reopen(self, coding: Coding, reason: str = "") -> None:
        """Reopen your own coding if nobody has viewed it; otherwise request it from the managers with a `reason`."""
        self._change_status(coding, {"status": "open", **({"reason": reason} if reason else {})})

    def log(self, coding: Coding, since: int = 0) -> Rows[LoggedOperation]:
        """Return the operations of a coding after a version."""
        parameters = {**coding.parameters, "since": since}
        return Rows(self, f"{coding.path}operations/", parameters, list(LoggedOperation.__annotations__))

    def coding_of(
        self, project: str, text: str, coder: str, *, round: str | None = None, occasion: int | None = None
    ) -> CodingState:
        """Return a coder's coding of a text, if you may see it."""
        path = in_project(project, "texts", text, "codings", coder)
        return cast(CodingState, self.get(path, round=round, occasion=occasion))

    def reopen_coding_of(
        self, project: str, text: str, coder: str, *, reason: str = "", round: str | None = None
    ) -> None:
        """Reopen a coder's coding, with a `reason` for the coder."""
        path = in_project(project, "texts", text, "codings", coder)
        self.change("PATCH", path, {"status": "open", "reason": reason}, params={"round": round})

    def unassign(self, project: str, text: str, coder: str, *, round: str | None = None) -> None:
        """Unassign a text from a coder who has not begun it."""
        self.change("DELETE", in_project(project, "texts", text, "codings", coder), params={"round": round})

    def questions(self, project: str, **filters: Any) -> Rows[Question]:
        """Return the questions that you may see; `needs_answer`, `has_news` and `resolved` filter them."""
        return self.rows_in(project, "questions", row_type=Question, **filters)

    def question(self, project: str, question: str) -> Question:
        """Return a question with its replies."""
        return cast(Question, self.get(in_project(project, "questions", question)))

    def ask(self, project: str, text: str, body: str, *, markable: str = "", version: int | None = None) -> Question:
        """Ask about a text that you code, or about one of its markables."""
        fields = {"text": text, "body": body, "markable": markable, "version": version}
        return cast(Question, self.post_once(in_project(project, "questions"), fields))

    def reply(self, project: str, question: str, body: str, *, resolve: bool = False) -> Question:
        """Reply to a question."""
        path = in_project(project, "questions", question, "replies")
        return cast(Question, self.post_once(path, {"body": body, "resolve": resolve}))

    def gold_states(self, project: str, *, round: str | None = None) -> Rows[GoldState]:
        """Return the states of the gold of texts."""
        return self.rows_in(project, "gold", row_type=GoldState, round=round)

    def draft_gold(self, project: str, method: str, **choices: Any) -> Report:
        """Draft the gold of texts: by `most`, `agreed`, `coder` or `empty`. Existing gold stays."""
        path = in_project(project, "gold")
        return cast(Report, self.request("POST", path, json={"method": method, **choices}).json())

    def open_gold(self, project: str, text: str, round: str, *, early: bool = False) -> Report:
        """Open the gold of a text, to work on it as `coding(project, text, round=round, of="gold")`."""
        path = in_project(project, "rounds", round, "gold")
        return cast(Report, self.post_once(path, {"text": text, "early": early}))

    def gold_decisions(self, project: str, **filters: Any) -> Rows[Report]:
        """Return the decisions on gold."""
        return self.rows_in(project, "gold", "decisions", **filters)

    def whole(self, path: str, name: str, **parameters: Any) -> Report:
        """Return a report with the rows of `name` from all its pages."""
        report: Report = self.get(path, page_size=PAGE, **parameters)
        address: Any = report.get("next")
        while address:
            # use only the query of the next address: the key must not go to another server
            page = self.request("GET", path, params=httpx.URL(address).params).json()
            report[name] += page[name]
            address = page["next"]
        return report | {"next": None, "previous": None} if "next" in report else report

    def _read(self, coding: Coding) -> Coding:
        answer = self.request("GET", coding.path, params=coding.parameters)
        coding.state, coding.etag = answer.json(), answer.headers["ETag"]
        return coding

    def _change_status(self, coding: Coding, fields: dict[str, str]) -> None:
        """Change the status under the current tag, if the version is still the one that was read."""
        answer = self.request("GET", coding.path, params=coding.parameters)
        version = answer.json()["coding"]["version"]
        if version != coding.version:
            message = f"The coding has {version} operations, of which {coding.version} were seen: read it again."
            raise Conflict(409, "stale", message, {"version": version})
        path, etag = coding.path, answer.headers["ETag"]
        coding.state = self.change_seen("PATCH", path, etag, fields, params=coding.parameters)
        self._read(coding)


_NOTHING = cast(CodingState, {})
