"""A coding that a script works on: what was read of it, and under which version."""

from __future__ import annotations

from dataclasses import dataclass

from coindex.client.answers import CodingState


@dataclass(slots=True)
class Coding:
    """Somebody's coding of a text as it was read: `path` is where it is, `etag` names the state that was seen."""

    path: str
    round: str
    state: CodingState
    etag: str

    @property
    def version(self) -> int:
        """How many operations of it were seen; one that others have added since makes `save` a Conflict."""
        return self.state["coding"]["version"]

    @property
    def parameters(self) -> dict[str, str]:
        """The query that names it among the codings of the text."""
        return {"round": self.round} if self.round else {}
