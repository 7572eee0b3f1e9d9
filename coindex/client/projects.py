"""Projects: their fields, scheme, people, rounds and texts."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from coindex.client.answers import (
    Correction,
    Invitation,
    Member,
    Model,
    ModelKey,
    NewInvitation,
    Project,
    Report,
    Round,
    RoundRow,
    Scheme,
    Text,
    TextDetail,
)
from coindex.client.connection import in_project, without_nothing
from coindex.client.frames import Lists, Rows


class Projects(Lists):
    """What managers set up."""

    def projects(self, *, answers: str | None = None, archived: bool | None = None) -> Rows[Project]:
        """Return the projects that you are in."""
        return self.rows("projects/", list(Project.__annotations__), answers=answers, archived=archived)

    def project(self, project: str) -> Project:
        """Return a project."""
        return cast(Project, self.get(in_project(project)))

    def create_project(
        self, project: str, title: str, scheme: str, *, guidelines: str = "", coders_mark: bool = False
    ) -> Project:
        """Make a project with this address from a ready-made scheme; its coders mark themselves with `coders_mark`.

        A scheme that there is not is an error that lists those that there are.
        """
        fields = {"slug": project, "title": title, "scheme": scheme, "guidelines": guidelines}
        return cast(Project, self.post_once("projects/", fields | {"coders_mark": coders_mark}))

    def change_project(self, project: str, **fields: Any) -> Project:
        """Change fields such as `title`, `guidelines`, `results_open` or `licence`."""
        return cast(Project, self.change("PATCH", in_project(project), fields))

    def clone_project(self, project: str, to: str, title: str, *, texts: bool = False) -> Project:
        """Make a project with the same scheme and settings, and with the same `texts` if wanted."""
        fields = {"slug": to, "title": title, "texts": texts}
        return cast(Project, self.post_once(in_project(project, "clones"), fields))

    def archive_project(self, project: str) -> Project:
        """Archive a project: it can be read only."""
        return cast(Project, self.request("PUT", in_project(project, "archived")).json())

    def open_project(self, project: str) -> Project:
        """Open an archived project again."""
        return cast(Project, self.request("DELETE", in_project(project, "archived"), repeatable=True).json())

    def delete_project(self, project: str, title: str) -> None:
        """Delete a project with everything in it. `title` is its title, so that no other one is deleted."""
        path = in_project(project)
        self.change_seen("DELETE", path, self.etag(path), params={"title": title})

    def scheme(self, project: str) -> Scheme:
        """Return what the project asks, and what it allows."""
        return cast(Scheme, self.get(in_project(project, "scheme")))

    def change_scheme(
        self, project: str, scheme: Mapping[str, Any], *, merges: Sequence[Mapping[str, str]] | None = None
    ) -> Scheme:
        """Put another scheme in its place: what `scheme` returns, changed."""
        sent = without_nothing({**scheme, "merges": merges})
        return cast(Scheme, self.change("PUT", in_project(project, "scheme"), sent))

    def preview_scheme(
        self, project: str, scheme: Mapping[str, Any], *, merges: Sequence[Mapping[str, str]] | None = None
    ) -> Report:
        """Say what `change_scheme` would do: problems, effects and violations. Nothing is changed."""
        path = in_project(project, "scheme", "preview")
        sent = without_nothing({**scheme, "merges": merges})
        return cast(Report, self.request("POST", path, json=sent, repeatable=True).json())

    def let_coders_mark(self, project: str, levels: Sequence[str]) -> Scheme:
        """Say which levels coders mark themselves: these alone."""
        return cast(Scheme, self.change("PATCH", in_project(project, "scheme"), {"coders_mark": list(levels)}))

    def scheme_versions(self, project: str) -> Rows[Report]:
        """Return the versions of the scheme: none as long as there is one."""
        return self.rows_in(project, "scheme", "versions")

    def scheme_version(self, project: str, number: int) -> Scheme:
        """Return what was asked under a version."""
        return cast(Scheme, self.get(in_project(project, "scheme", "versions", number)))

    def export_scheme(self, project: str, to: str | os.PathLike[str], *, format: str = "json") -> Path:
        """Write the scheme into a file, in the format `json` or `mmax2`."""
        return self.download(in_project(project, "scheme", "export"), to, params={"format": format})

    def read_scheme(self, project: str, file: str | os.PathLike[str]) -> Report:
        """Return the `scheme` that a file has, for `change_scheme`, with its `losses`. Nothing is changed."""
        path = in_project(project, "scheme", "read")
        with Path(file).open("rb") as opened:
            return cast(Report, self.request("POST", path, files={"file": opened}, repeatable=True).json())

    def guidelines(self, project: str) -> Rows[Report]:
        """Return the versions of the guidelines, the latest first."""
        return self.rows_in(project, "guidelines")

    def members(self, project: str, *, role: str | None = None, group: str | None = None) -> Rows[Member]:
        """Return who is in a project."""
        return self.rows_in(project, "members", row_type=Member, role=role, group=group)

    def member(self, project: str, username: str) -> Member:
        """Return a member."""
        return cast(Member, self.get(in_project(project, "members", username)))

    def add_member(self, project: str, username: str, role: str, *, group: str = "") -> Member:
        """Let somebody in who has an account."""
        fields = {"username": username, "role": role, "group": group}
        return cast(Member, self.post_once(in_project(project, "members"), fields))

    def change_member(
        self, project: str, username: str, *, role: str | None = None, group: str | None = None
    ) -> Member:
        """Give a member another role, put them into a group of coders, or both."""
        fields = without_nothing({"role": role, "group": group})
        return cast(Member, self.change("PATCH", in_project(project, "members", username), fields))

    def remove_member(self, project: str, username: str) -> None:
        """End the access of a member; what they coded stays."""
        self.change("DELETE", in_project(project, "members", username))

    def models(self, project: str) -> Rows[Model]:
        """Return the models that code in a project."""
        return self.rows_in(project, "models", row_type=Model)

    def model(self, project: str, name: str) -> Model:
        """Return a model that codes."""
        return cast(Model, self.get(in_project(project, "models", name)))

    def add_model(
        self,
        project: str,
        name: str,
        *,
        version: str = "",
        hash: str = "",
        date: str | None = None,
        group: str | None = None,
    ) -> Model:
        """Make a model a coder, which cannot sign in: `hash` is a digest of its prompt or weights, `date` its day."""
        fields = without_nothing({"name": name, "version": version, "hash": hash, "date": date, "group": group})
        return cast(Model, self.post_once(in_project(project, "models"), fields))

    def make_model_key(self, project: str, name: str, *, days: int = 90) -> ModelKey:
        """Make the key with which a client codes as the model; it is shown this once, and the one before ends."""
        return cast(ModelKey, self.post_once(in_project(project, "models", name, "key"), {"days": days}))

    def end_model_key(self, project: str, name: str) -> None:
        """End the key of a model: it codes no more until it has another one."""
        self.request("DELETE", in_project(project, "models", name, "key"), repeatable=True)

    def invitations(self, project: str) -> Rows[Invitation]:
        """Return who is invited."""
        return self.rows_in(project, "invitations", row_type=Invitation)

    def invite(
        self, project: str, role: str, *, days: int = 7, whom: str = "", max_uses: int = 1, address: str = ""
    ) -> NewInvitation:
        """Make a link that lets somebody in. It is shown this once, or sent to an `address`."""
        fields = {"role": role, "days": days, "whom": whom, "max_uses": max_uses, "address": address}
        return cast(NewInvitation, self.post_once(in_project(project, "invitations"), fields))

    def withdraw_invitation(self, project: str, invitation: int) -> None:
        """Take an invitation back that nobody has used."""
        self.request("DELETE", in_project(project, "invitations", invitation))

    def rounds(self, project: str) -> Rows[RoundRow]:
        """Return the rounds in their order, with how many texts they have and how far these are."""
        return self.rows_in(project, "rounds", row_type=RoundRow)

    def round(self, project: str, name: str) -> Round:
        """Return a round."""
        return cast(Round, self.get(in_project(project, "rounds", name)))

    def create_round(self, project: str, name: str, **fields: Any) -> Round:
        """Make a round after all others: `kind`, `starts_on`, `ends_on`, and the texts of the round `copy_of`."""
        return cast(Round, self.post_once(in_project(project, "rounds"), {"name": name, **fields}))

    def change_round(self, project: str, round: str, **fields: Any) -> Round:
        """Change a round: `name`, `kind`, dates, its `place`, or whether it is `closed`."""
        return cast(Round, self.change("PATCH", in_project(project, "rounds", round), fields))

    def delete_round(self, project: str, round: str) -> None:
        """Delete a round without codings."""
        self.change("DELETE", in_project(project, "rounds", round))

    def change_round_texts(
        self, project: str, round: str, *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> dict[str, int]:
        """Put texts into a round, too, or take them out of it."""
        path = in_project(project, "rounds", round, "texts")
        fields = {"add": list(add), "remove": list(remove)}
        return cast(dict[str, int], self.request("POST", path, json=fields, repeatable=True).json())

    def texts(self, project: str, **filters: Any) -> Rows[Text]:
        """Return the texts that you see: `language`, `role`, `docset` and `round` filter, `ordering` orders them."""
        return self.rows_in(project, "texts", row_type=Text, **filters)

    def text(self, project: str, text: str) -> TextDetail:
        """Return a text with its content and segments."""
        return cast(TextDetail, self.get(in_project(project, "texts", text)))

    def change_text(
        self, project: str, text: str, *, round: str | None = None, position: int | None = None
    ) -> TextDetail:
        """Move a text with its codings to a round, and to a place among the texts."""
        fields = without_nothing({"round": round, "position": position})
        return cast(TextDetail, self.change("PATCH", in_project(project, "texts", text), fields))

    def delete_text(self, project: str, text: str, *, begun: int = 0) -> None:
        """Delete a text with its codings; `begun` confirms how many of these have begun."""
        path = in_project(project, "texts", text)
        self.change_seen("DELETE", path, self.etag(path), params={"begun": begun})

    def correct_text(self, project: str, text: str, content: str, *, preview: bool = False) -> Correction:
        """Give a text other words: markables move with them. With `preview` nothing changes."""
        path, fields = in_project(project, "texts", text), {"content": content, "preview": preview}
        return cast(Correction, self.change_seen("POST", f"{path}corrections/", self.etag(path), fields))
