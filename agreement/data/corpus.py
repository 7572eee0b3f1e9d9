"""What a project consists of, counted: texts, markables, codings of each coder, and the days of the work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from django.db.models import Count, Max, Min, Q, Sum
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


@dataclass(frozen=True, slots=True)
class MarkableCounts:
    """The markables of a level: those that came with the texts, and those that coders marked."""

    level: str
    given: int
    marked: int


@dataclass(frozen=True, slots=True)
class CodingCounts:
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
        found: dict[str, TextSize] = {}
        for (_, language), size in self.sizes.items():
            found[language] = found.get(language, TextSize()) + size
        return dict(sorted(found.items(), key=lambda one: (-one[1].texts, one[0])))

    @property
    def roles(self) -> dict[str, TextSize]:
        """The texts of each role."""
        found: dict[str, TextSize] = {}
        for (role, _), size in self.sizes.items():
            found[role] = found.get(role, TextSize()) + size
        return found


def read_corpus(project: Project) -> Corpus:
    """Return what the project consists of. Six queries."""
    return Corpus(
        _read_sizes(project),
        _read_segments(project),
        _read_markables(project),
        _read_coders(project),
        _read_days(project),
        _read_guidelines(project),
    )


def _read_sizes(project: Project) -> dict[tuple[str, str], TextSize]:
    rows = project.texts.with_words().order_by().values_list("role", "language")
    sizes = rows.annotate(n=Count("pk"), n_words=Sum("words"), n_characters=Sum(Length("content")))
    return {(role, language): TextSize(*size) for role, language, *size in sorted(sizes)}


def _read_segments(project: Project) -> dict[str, int]:
    rows = Segment.objects.filter(text__project=project).order_by().values_list("kind")
    return dict(sorted(rows.annotate(n=Count("pk"))))


def _read_markables(project: Project) -> tuple[MarkableCounts, ...]:
    of_level = (
        Markable.objects.in_use()
        .filter(text__project=project)
        .order_by()
        .values_list("level__position", "level__label")
    )
    given = Q(predefined=True)
    rows = of_level.annotate(given=Count("pk", filter=given), marked=Count("pk", filter=~given))
    return tuple(MarkableCounts(*counts) for _, *counts in sorted(rows))


def _read_coders(project: Project) -> dict[str, CodingCounts]:
    adjudicators = project.memberships.filter(role=Membership.Role.ADJUDICATOR).values("user")
    codings = Coding.objects.filter(text__project=project, occasion=1).exclude(kind__in=AGREED_KINDS)
    rows = codings.exclude(coder__in=adjudicators).order_by().values_list("coder__username", "status")
    counts: dict[str, Counter[str]] = {}
    for coder, status, n in sorted(rows.annotate(n=Count("pk"))):
        counts.setdefault(coder, Counter())[status] = n
    return {
        coder: CodingCounts(of_coder.total(), of_coder[Coding.Status.SUBMITTED]) for coder, of_coder in counts.items()
    }


def _read_days(project: Project) -> tuple[date, date] | None:
    operations = Operation.objects.filter(coding__text__project=project).exclude(coding__kind=Coding.Kind.GOLD)
    operations = operations.exclude(coding__by_model=True)
    days = operations.exclude(kind__in=Operation.MANAGING_KINDS).aggregate(
        first=Min("applied_at"), last=Max("applied_at")
    )
    if days["first"] is None:
        return None
    return timezone.localdate(days["first"]), timezone.localdate(days["last"])


def _read_guidelines(project: Project) -> tuple[int, date] | None:
    latest = GuidelinesVersion.objects.filter(project=project).values_list("number", "created_at").first()
    return (latest[0], timezone.localdate(latest[1])) if latest else None
