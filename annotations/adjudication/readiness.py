"""Whether gold of a text is due: which coders have submitted it, and who has not yet."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.core.text import pluralize
from annotations.models import Coding, Membership, Project, Round, Text

# So many texts, and coders of one, are named in a question.
MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Submissions:
    """How many coders have submitted a text in a round, and the names of those who have it and have not, in order."""

    submitted: int = 0
    missing: tuple[str, ...] = ()

    @property
    def assigned(self) -> int:
        return self.submitted + len(self.missing)


def codings_of_coders(project: Project, kind: Coding.Kind) -> Any:
    """Return the codings that drafts are made of. Who adjudicates has seen the work of others."""
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.of_people().filter(text__project=project, kind=kind, occasion=1).order_by()
    return codings.exclude(coder__in=adjudicators)


def submissions_of(
    project: Project, kind: Coding.Kind, rounds: Collection[Round], texts: Collection[Text] | None = None
) -> Mapping[tuple[int, int], Submissions]:
    """Return the submissions of texts in rounds, by the keys of both; of all texts without `texts`. A query."""
    codings = codings_of_coders(project, kind).filter(round__in=rounds)
    if texts is not None:
        codings = codings.filter(text__in=texts)
    submitted: dict[tuple[int, int], int] = defaultdict(int)
    missing: dict[tuple[int, int], list[str]] = defaultdict(list)
    for text, round_, status, coder in codings.values_list("text", "round", "status", "coder__username"):
        if status == Coding.Status.SUBMITTED:
            submitted[text, round_] += 1
        else:
            missing[text, round_].append(coder)
    return {
        place: Submissions(submitted[place], tuple(sorted(missing[place])))
        for place in submitted.keys() | missing.keys()
    }


def is_early(round_: Round, submissions: Submissions) -> bool:
    """Return whether coders have yet to submit the text. Gold of training is made before they code."""
    return bool(submissions.missing) and round_.kind != Round.Kind.TRAINING


@dataclass(frozen=True, slots=True)
class EarlyText:
    """A text whose gold nobody has begun, and which some coders have not submitted yet."""

    text: Text
    submissions: Submissions

    def describe(self, *, names: bool) -> str:
        """Return how many have submitted it; with names, who has not."""
        found = self.submissions
        said = f"{self.text.title}: {found.submitted} of {pluralize(found.assigned, 'coder')} submitted it"
        if not names:
            return f"{said}."
        named = ", ".join(found.missing[:MOST_NAMED])
        more = f" and {len(found.missing) - MOST_NAMED} more" if len(found.missing) > MOST_NAMED else ""
        return f"{said}; missing: {named}{more}."


class GoldIsEarly(Exception):
    """Gold would begin before all coders have submitted, and nobody has said that it may. Nothing was done."""

    def __init__(self, texts: Sequence[EarlyText]) -> None:
        super().__init__("Not all coders have submitted.")
        self.texts = texts


def find_early(project: Project, places: Sequence[tuple[Text, Round]]) -> list[EarlyText]:
    """Return those of the texts, each in a round, that coders have yet to submit. A query where there is any."""
    if not places:
        return []
    rounds, texts = {round_.pk: round_ for _, round_ in places}, [text for text, _ in places]
    submissions = submissions_of(project, Coding.Kind.TEXT, list(rounds.values()), texts)
    found = [(round_, EarlyText(text, submissions.get((text.pk, round_.pk), Submissions()))) for text, round_ in places]
    return [early for round_, early in found if is_early(round_, early.submissions)]


def describe_early(texts: Sequence[EarlyText], *, names: bool) -> list[str]:
    """Return a sentence for each text, of the first ones, and how many more there are."""
    more = [f"And {pluralize(len(texts) - MOST_NAMED, 'other text')}."] if len(texts) > MOST_NAMED else []
    return [*(one.describe(names=names) for one in texts[:MOST_NAMED]), *more]
