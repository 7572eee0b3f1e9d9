"""Who reads a comparison with gold: whose names are shown, and of which texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agreement.data.project_answers import ProjectAnswers
from agreement.reports.request.parameters import InvalidParameter, Parameters
from annotations.models import Membership, Project
from annotations.projects.letters import letters_of_coders, sees_names

LETTERS = "letters"


@dataclass(frozen=True, slots=True)
class Reader:
    """Somebody who reads: managers see names, all others letters, but for their own name.

    Who codes (`codes`) reads of texts that they have submitted alone, and of the answers of others nothing but figures.
    """

    sees_names: bool
    name: str = ""
    codes: bool = False

    @classmethod
    def of(cls, project: Project, username: str) -> Reader:
        """Return the reader for whom the project was read, whose name is this."""
        role = project.role  # type: ignore[attr-defined]
        codes = role in (Membership.Role.CODER, Membership.Role.MANAGER_CODER)
        return cls(sees_names(project), username if codes else "", codes)

    @classmethod
    def from_option(cls, option: str) -> Reader:
        """Return the reader that `as_option` names."""
        who, _, name = option.partition(" ")
        return cls(who != LETTERS, name, bool(name))

    def as_option(self) -> str:
        """Return the reader in a word; empty for one who sees names."""
        return "" if self.sees_names else f"{LETTERS} {self.name}".strip()

    def check(self, parameters: Parameters) -> None:
        """Raise InvalidParameter where coders are chosen by names that the reader does not see."""
        if parameters.coders and not self.sees_names:
            raise InvalidParameter(
                "coders", "here coders are letters, and cannot be chosen by name: leave out coders and groups."
            )

    def name_coders(self, project: Project, coders: Iterable[str]) -> dict[str, str]:
        """Return what each coder of the project is called; letters are in an order that tells nothing of names."""
        names = list(coders)
        if self.sees_names:
            return {name: name for name in names}
        called = letters_of_coders(project, names)
        return called | {name: name for name in names if name == self.name}

    def documents(self, answers: ProjectAnswers) -> frozenset[int] | None:
        """Return the documents of which somebody who codes may read; None for all. `answers` are all of the project.

        These are texts that they have submitted, and that are not before them in another round.
        """
        if not self.codes:
            return None
        columns = answers.columns
        own = [
            (answers.texts[columns.document_of_coding[place]], bool(columns.codings["submitted"][place]))
            for place, number in enumerate(columns.codings["coder"].tolist())
            if answers.names[number] == self.name
        ]
        is_open = {text.text_pk for text, is_submitted in own if not is_submitted}
        return frozenset(text.pk for text, _ in own if text.text_pk not in is_open)
