"""Which round an import goes into."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError

from annotations.models import Project, Round, Text
from annotations.projects.rounds import find_round, latest_round, open_round, refuse_closed, rounds_by_text
from annotations.transfers.importing.report import ImportFailed


@dataclass(frozen=True, slots=True)
class RoundsOfTexts:
    """The rounds that texts are in, and the one that the import goes into: None where each text keeps its latest.

    `of_new` is that of new texts; where the project has no round it is one that is saved with the first of them.
    """

    of_text: Mapping[int, Sequence[Round]]
    chosen: Round | None = None
    of_new: Round | None = None

    @classmethod
    def read(cls, project: Project, name: str, texts: Collection[int]) -> RoundsOfTexts:
        """Return the rounds of these texts of the project.

        Raise ImportFailed for a name that no round has, and a closed round.
        """
        try:
            if not name:
                return cls(rounds_by_text(project, texts), of_new=open_round(project))
            chosen = find_round(project, name)
            refuse_closed(chosen)
        except ValidationError as error:
            raise ImportFailed(" ".join(error.messages)) from None
        return cls(rounds_by_text(project, texts), chosen, chosen)

    def round_for(self, text: Text) -> Round:
        """Return the round in which the text is coded by the files."""
        own = self.of_text.get(text.pk, ()) if text.pk else ()
        found = self.chosen or latest_round(own) or self.of_new
        assert found is not None, "one of the two is known"
        return found

    def is_new(self, text: Text, round_: Round) -> bool:
        """Return whether the text comes into the round by the import."""
        return text.pk is None or round_ not in self.of_text.get(text.pk, ())
