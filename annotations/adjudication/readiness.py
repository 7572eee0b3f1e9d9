"""Whether gold of a text is due: which coders have submitted the text, and which have not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotations.core.text import pluralize
from annotations.models import Coding, Membership, Project, Round, Text

# Texts, and coders of each text, named in a question.
MAX_NAMED = 10


@dataclass(frozen=True, slots=True)
class Submissions:
    """The number of coders who have submitted a text in a round, and the sorted names of those who have not."""

    submitted: int = 0
    missing: tuple[str, ...] = ()

    @property
    def assigned(self) -> int:
        return self.submitted + len(self.missing)


def codings_of_coders(project: Project, kind: Coding.Kind) -> Any:
    """Return the codings for drafts. Adjudicators are excluded, as they have seen the work of others."""
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.of_people().filter(text__project=project, kind=kind, occasion=1).order_by()
    return codings.exclude(coder__in=adjudicators)


def submissions_of(
    project: Project, kind: Coding.Kind, rounds: Collection[Round], texts: Collection[Text] | None = None
) -> Mapping[tuple[int, int], Submissions]:
    """Return the submissions by primary keys of text and round; without `texts` for all texts. One query."""
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
    return {key: Submissions(submitted[key], tuple(sorted(missing[key]))) for key in submitted.keys() | missing.keys()}


def is_early(round_: Round, submissions: Submissions) -> bool:
    """Return whether coders have yet to submit the text. Gold of training precedes their work anyway."""
    return bool(submissions.missing) and round_.kind != Round.Kind.TRAINING


@dataclass(frozen=True, slots=True)
class EarlyText:
    """A text without gold that some coders have not submitted."""

    text: Text
    submissions: Submissions

    def describe(self, *, names: bool) -> str:
        """Return the number of submissions in words, with `names` also the missing coders."""
        counts = self.submissions
        start = f"{self.text.title}: {counts.submitted} of {pluralize(counts.assigned, 'coder')} submitted it"
        if not names:
            return f"{start}."
        named = ", ".join(counts.missing[:MAX_NAMED])
        more = f" and {len(counts.missing) - MAX_NAMED} more" if len(counts.missing) > MAX_NAMED else ""
        return f"{start}; missing: {named}{more}."


class GoldIsEarly(Exception):
    """Gold would begin before all coders have submitted, without permission to do so. Nothing was done."""

    def __init__(self, texts: Sequence[EarlyText]) -> None:
        super().__init__("Not all coders have submitted.")
        self.texts = texts


def find_early(project: Project, places: Sequence[tuple[Text, Round]]) -> list[EarlyText]:
    """Return the texts, each in a round, that coders have yet to submit. One query if there are any."""
    if not places:
        return []
    rounds, texts = {round_.pk: round_ for _, round_ in places}, [text for text, _ in places]
    submissions = submissions_of(project, Coding.Kind.TEXT, list(rounds.values()), texts)
    pairs = [(round_, EarlyText(text, submissions.get((text.pk, round_.pk), Submissions()))) for text, round_ in places]
    return [early for round_, early in pairs if is_early(round_, early.submissions)]


def describe_early(texts: Sequence[EarlyText], *, names: bool) -> list[str]:
    """Return a sentence for each of the first texts, and one with the number of the others."""
    more = [f"And {pluralize(len(texts) - MAX_NAMED, 'other text')}."] if len(texts) > MAX_NAMED else []
    return [*(text.describe(names=names) for text in texts[:MAX_NAMED]), *more]
