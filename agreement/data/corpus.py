"""What a project consists of, counted: texts, markables, codings of each coder, and the days of the work."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple

from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone

from annotations.models import Coding, GuidelinesVersion, Markable, Membership, Operation, Project, Segment
from annotations.models.coding import AGREED_KINDS


@dataclass(frozen=True, slots=True)
class TextSize:
    """How many texts there are, with their words (what white space separates) and characters."""

    texts: int = 0
    words: int = 0
    characters: int = 0

    def __add__(self, other: TextSize) -> TextSize:
        return TextSize(self.texts + other.texts, self.words + other.words, self.characters + other.characters)


class MarkableCounts(NamedTuple):
    """The markables of a level: those that came with the texts, and those that coders marked."""

    level: str
    given: int
    marked: int


class CodingCounts(NamedTuple):
    """How many codings somebody has, and has submitted. What is shown again within a round counts once."""

    codings: int
    submitted: int


@dataclass(frozen=True, slots=True)
class Corpus:
    """The texts of a project, by role and language, its markables by level, and the codings of each coder, by name.

    Codings of adjudicators are left out, as in every figure. `work` is the first and the last day on which a coder did
    something, and `guidelines` the latest version of the guidelines with its day; None without any.
    """

    sizes: Mapping[tuple[str, str], TextSize]
    segments: Mapping[str, int]
    markables: tuple[MarkableCounts, ...]
    coders: Mapping[str, CodingCounts]
    work: tuple[date, date] | None
    guidelines: tuple[int, date] | None

    @property
    def size(self) -> TextSize:
        """All texts together."""
        return sum(self.sizes.values(), start=TextSize())

    @property
    def languages(self) -> dict[str, TextSize]:
        """The texts of each language, that of most texts first."""
        return dict(sorted(self._sum_sizes(1).items(), key=lambda one: (-one[1].texts, one[0])))

    @property
    def roles(self) -> dict[str, TextSize]:
        """The texts of each role."""
        return self._sum_sizes(0)

    def _sum_sizes(self, place: int) -> dict[str, TextSize]:
        found = defaultdict[str, TextSize](TextSize)
        for key, size in self.sizes.items():
            found[key[place]] += size
        return dict(found)


def read_corpus(project: Project) -> Corpus:
    """Return what the project consists of. Six queries."""
    texts = project.texts.with_words().order_by().values_list("role", "language")
    sizes: QuerySet[Any, Any] = texts.annotate(n=Count("pk"), n_words=Sum("words"), n_characters=Sum(Length("content")))
    segments = Segment.objects.filter(text__project=project).order_by().values_list("kind").annotate(n=Count("pk"))
    markables = Markable.objects.in_use().filter(text__project=project).order_by()
    given, columns = Q(predefined=True), ("level__position", "level__label")
    counts = markables.values_list(*columns).annotate(
        given=Count("pk", filter=given), marked=Count("pk", filter=~given)
    )
    guidelines = GuidelinesVersion.objects.filter(project=project).values_list("number", "created_at").first()
    return Corpus(
        {(role, language): TextSize(*size) for role, language, *size in sorted(sizes)},
        dict(sorted(segments)),
        tuple(MarkableCounts(*of_level) for _, *of_level in sorted(counts)),
        _read_coders(project),
        _read_days(project),
        (guidelines[0], timezone.localdate(guidelines[1])) if guidelines else None,
    )


def _read_coders(project: Project) -> dict[str, CodingCounts]:
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.filter(text__project=project, occasion=1).exclude(kind__in=AGREED_KINDS)
    rows = codings.exclude(coder__in=adjudicators).order_by().values_list("coder__username", "status")
    counts = defaultdict[str, Counter[str]](Counter)
    for coder, status, n in sorted(rows.annotate(n=Count("pk"))):
        counts[coder][status] = n
    return {coder: CodingCounts(own.total(), own[Coding.Status.SUBMITTED]) for coder, own in counts.items()}


def _read_days(project: Project) -> tuple[date, date] | None:
    operations = Operation.objects.filter(coding__text__project=project, coding__by_model=False)
    operations = operations.exclude(coding__kind=Coding.Kind.GOLD).exclude(kind__in=Operation.MANAGING_KINDS)
    days = operations.aggregate(first=Min("applied_at"), last=Max("applied_at"))
    return (timezone.localdate(days["first"]), timezone.localdate(days["last"])) if days["first"] else None
