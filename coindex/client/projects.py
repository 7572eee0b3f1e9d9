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
from coindex.client.connection import in_project, without_none
from coindex.client.frames import Lists, Rows


class Projects(Lists):
    """The settings of projects: fields, scheme, people, rounds and texts."""

    def projects(self, *, answers: str | None = None, archived: bool | None = None) -> Rows[Project]:
        """Return the projects in which you have a role."""
        return self.rows("projects/", list(Project.__annotations__), answers=answers, archived=archived)

    def project(self, project: str) -> Project:
        """Return a project."""
        return cast(Project, self.get(in_project(project)))

    def create_project(
        self, project: str, title: str, scheme: str, *, guidelines: str = "", coders_mark: bool = False
    ) -> Project:
        """Create a project from a ready-made scheme; with `coders_mark` its coders create markables.

        For an unknown scheme the error lists the available ones.
        """
        fields = {"slug": project, "title": title, "scheme": scheme, "guidelines": guidelines}
        return cast(Project, self.post_once("projects/", fields | {"coders_mark": coders_mark}))

    def change_project(self, project: str, **fields: Any) -> Project:
        """Change fields such as `title`, `guidelines`, `results_open` or `licence`."""
        return cast(Project, self.change("PATCH", in_project(project), fields))

    def clone_project(self, project: str, to: str, title: str, *, texts: bool = False) -> Project:
        """Create a copy of a project with its scheme and settings, and optionally its `texts`."""
        fields = {"slug": to, "title": title, "texts": texts}
        return cast(Project, self.post_once(in_project(project, "clones"), fields))

    def archive_project(self, project: str) -> Project:
        """Archive a project, which makes it read-only."""
        return cast(Project, self.request("PUT", in_project(project, "archived")).json())

    def open_project(self, project: str) -> Project:
        """Unarchive a project."""
        return cast(Project, self.request("DELETE", in_project(project, "archived"), repeatable=True).json())

    def delete_project(self, project: str, title: str) -> None:
        """Delete a project with all its data; `title` is its title, as a confirmation."""
        path = in_project(project)
        self.change_seen("DELETE", path, self.etag(path), params={"title": title})

    def scheme(self, project: str) -> Scheme:
        """Return the scheme of the project."""
        return cast(Scheme, self.get(in_project(project, "scheme")))

    def change_scheme(
        self, project: str, scheme: Mapping[str, Any], *, merges: Sequence[Mapping[str, str]] | None = None
    ) -> Scheme:
        """Replace the scheme by a changed result of `scheme`."""
        sent = without_none({**scheme, "merges": merges})
        return cast(Scheme, self.change("PUT", in_project(project, "scheme"), sent))

    def preview_scheme(
        self, project: str, scheme: Mapping[str, Any], *, merges: Sequence[Mapping[str, str]] | None = None
    ) -> Report:
        """Return the problems, effects and violations of `change_scheme` without changing anything."""
        path = in_project(project, "scheme", "preview")
        sent = without_none({**scheme, "merges": merges})
        return cast(Report, self.request("POST", path, json=sent, repeatable=True).json())

    def let_coders_mark(self, project: str, levels: Sequence[str]) -> Scheme:
        """Set the levels that coders mark themselves."""
        return cast(Scheme, self.change("PATCH", in_project(project, "scheme"), {"coders_mark": list(levels)}))

    def scheme_versions(self, project: str) -> Rows[Report]:
        """Return the versions of the scheme, of which there are none before the first change."""
        return self.rows_in(project, "scheme", "versions")

    def scheme_version(self, project: str, number: int) -> Scheme:
        """Return a version of the scheme."""
        return cast(Scheme, self.get(in_project(project, "scheme", "versions", number)))

    def export_scheme(self, project: str, to: str | os.PathLike[str], *, format: str = "json") -> Path:
        """Write the scheme into a file, in the format `json` or `mmax2`."""
        return self.download(in_project(project, "scheme", "export"), to, params={"format": format})

    def read_scheme(self, project: str, file: str | os.PathLike[str]) -> Report:
        """Return the `scheme` of a file, for `change_scheme`, with its `losses`. Nothing is changed."""
        path = in_project(project, "scheme", "read")
        with Path(file).open("rb") as stream:
            return cast(Report, self.request("POST", path, files={"file": stream}, repeatable=True).json())

    def guidelines(self, project: str) -> Rows[Report]:
        """Return the versions of the guidelines, the latest first."""
        return self.rows_in(project, "guidelines")

    def members(self, project: str, *, role: str | None = None, group: str | None = None) -> Rows[Member]:
        """Return the members of a project."""
        return self.rows_in(project, "members", row_type=Member, role=role, group=group)

    def member(self, project: str, username: str) -> Member:
        """Return a member."""
        return cast(Member, self.get(in_project(project, "members", username)))

    def add_member(self, project: str, username: str, role: str, *, group: str = "") -> Member:
        """Add a user as member."""
        fields = {"username": username, "role": role, "group": group}
        return cast(Member, self.post_once(in_project(project, "members"), fields))

    def change_member(
        self, project: str, username: str, *, role: str | None = None, group: str | None = None
    ) -> Member:
        """Change the role of a member, the group of coders, or both."""
        fields = without_none({"role": role, "group": group})
        return cast(Member, self.change("PATCH", in_project(project, "members", username), fields))

    def remove_member(self, project: str, username: str) -> None:
        """End the access of a member; codings stay."""
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
        """Add a model as coder, which cannot sign in; `hash` is a digest of prompt or weights, `date` its date."""
        fields = without_none({"name": name, "version": version, "hash": hash, "date": date, "group": group})
        return cast(Model, self.post_once(in_project(project, "models"), fields))

    def make_model_key(self, project: str, name: str, *, days: int = 90) -> ModelKey:
        """Create the API key of a model, which is shown only here; the previous key ends."""
        return cast(ModelKey, self.post_once(in_project(project, "models", name, "key"), {"days": days}))

    def end_model_key(self, project: str, name: str) -> None:
        """Revoke the key of a model: it cannot code until it has a new one."""
        self.request("DELETE", in_project(project, "models", name, "key"), repeatable=True)

    def invitations(self, project: str) -> Rows[Invitation]:
        """Return the invitations to a project."""
        return self.rows_in(project, "invitations", row_type=Invitation)

    def invite(
        self, project: str, role: str, *, days: int = 7, whom: str = "", max_uses: int = 1, address: str = ""
    ) -> NewInvitation:
        """Create an invitation link. It is returned only here, or sent to an `address`."""
        fields = {"role": role, "days": days, "whom": whom, "max_uses": max_uses, "address": address}
        return cast(NewInvitation, self.post_once(in_project(project, "invitations"), fields))

    def withdraw_invitation(self, project: str, invitation: int) -> None:
        """Withdraw an unused invitation."""
        self.request("DELETE", in_project(project, "invitations", invitation))

    def rounds(self, project: str) -> Rows[RoundRow]:
        """Return the rounds in their order, with their number of texts and their progress."""
        return self.rows_in(project, "rounds", row_type=RoundRow)

    def round(self, project: str, name: str) -> Round:
        """Return a round."""
        return cast(Round, self.get(in_project(project, "rounds", name)))

    def create_round(self, project: str, name: str, **fields: Any) -> Round:
        """Create a round after all others: `kind`, `starts_on`, `ends_on`, and the texts of the round `copy_of`."""
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
        """Add texts to a round, or remove texts from it."""
        path = in_project(project, "rounds", round, "texts")
        fields = {"add": list(add), "remove": list(remove)}
        return cast(dict[str, int], self.request("POST", path, json=fields, repeatable=True).json())

    def texts(self, project: str, **filters: Any) -> Rows[Text]:
        """Return the texts that you may see; `language`, `role`, `docset` and `round` filter, `ordering` sorts them."""
        return self.rows_in(project, "texts", row_type=Text, **filters)

    def text(self, project: str, text: str) -> TextDetail:
        """Return a text with its content and segments."""
        return cast(TextDetail, self.get(in_project(project, "texts", text)))

    def change_text(
        self, project: str, text: str, *, round: str | None = None, position: int | None = None
    ) -> TextDetail:
        """Move a text with its codings to a round, and to a position among the texts."""
        fields = without_none({"round": round, "position": position})
        return cast(TextDetail, self.change("PATCH", in_project(project, "texts", text), fields))

    def delete_text(self, project: str, text: str, *, begun: int = 0) -> None:
        """Delete a text with its codings; `begun` is the number of begun ones, as a confirmation."""
        path = in_project(project, "texts", text)
        self.change_seen("DELETE", path, self.etag(path), params={"begun": begun})

    def correct_text(self, project: str, text: str, content: str, *, preview: bool = False) -> Correction:
        """Correct the words of a text; markables move along. With `preview` nothing changes."""
        path, fields = in_project(project, "texts", text), {"content": content, "preview": preview}
        return cast(Correction, self.change_seen("POST", f"{path}corrections/", self.etag(path), fields))
