"""The matrix of a plan or of what is assigned: texts x coders, a page of it, with the totals of all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet

from annotations.models import Coding, Project, Round, User
from annotations.planning.plans.plans import PlannedText, PlanView, planned_texts
from annotations.planning.work.pace import seconds_of_work

PAGE_SIZE = 50
CODERS_ON_A_PAGE = 24
# Of more coders only the range of the numbers of shared texts is shown.
MOST_PAIRED = 24


@dataclass(frozen=True, slots=True)
class Cell:
    """Whether a coder has a text. `state` is new, removed, begun, submitted, assigned, or nothing."""

    coder: str
    is_on: bool
    state: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether it stays as it is, as somebody has worked on it."""
        return self.state in ("begun", "submitted")


@dataclass(frozen=True, slots=True)
class Row:
    text: PlannedText
    number: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Column:
    """A coder, with how many texts they have and how much work, in markables or words, and in hours at the pace."""

    name: str
    texts: int
    work: int
    hours: float | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A page of rows, and of all rows the columns and how many texts two coders share.

    The rows have a cell for each column, or for those of a page of them.
    """

    page: Page[PlannedText]
    rows: Sequence[Row]
    columns: Sequence[Column]
    pairs: Mapping[tuple[str, str], int]
    unit: str
    coders: Page[Column] | None = None

    def for_coders(self, number: str | None) -> Matrix:
        """Return the same with the cells of a page of the coders."""
        shown = Paginator(self.columns, CODERS_ON_A_PAGE).get_page(number)
        first, last = max(shown.start_index() - 1, 0), shown.end_index()
        return replace(self, rows=[replace(row, cells=row.cells[first:last]) for row in self.rows], coders=shown)

    @property
    def pair_rows(self) -> list[tuple[str, list[int | None]]]:
        """The numbers of shared texts as a square; nothing where there are too many coders to show it."""
        names = [column.name for column in self.columns]
        if not 1 < len(names) <= MOST_PAIRED:
            return []
        shared = {**self.pairs, **{(b, a): number for (a, b), number in self.pairs.items()}}
        return [(a, [None if a == b else shared.get((a, b), 0) for b in names]) for a in names]

    @property
    def fewest_shared(self) -> int:
        return min(self.pairs.values(), default=0)

    @property
    def most_shared(self) -> int:
        return max(self.pairs.values(), default=0)

    @property
    def hours(self) -> float | None:
        """How long all of it takes."""
        hours = [column.hours for column in self.columns if column.hours is not None]
        return sum(hours) if hours else None


def matrix_of_plan(
    view: PlanView, page: str | None, seconds: float | None, submitted: Iterable[tuple[str, str]] = ()
) -> Matrix:
    """Return the matrix of a proposal."""
    proposal, done = view.proposal, set(submitted)
    shown = Paginator(view.texts, PAGE_SIZE).get_page(page)
    new, removed, names = set(proposal.new), set(proposal.removed), sorted(view.coders)

    def cell(text: str, coder: str) -> Cell:
        place = (text, coder)
        if coder not in proposal.assignments[text]:
            return Cell(coder, False, "removed" if place in removed else "")
        if place in new:
            return Cell(coder, True, "new")
        return Cell(coder, True, "submitted" if place in done else "begun" if place in view.begun else "assigned")

    rows = [
        Row(text, len(proposal.assignments[text.slug]), [cell(text.slug, name) for name in names]) for text in shown
    ]
    columns = [Column(load.coder, load.texts, load.work, _hours(load.work, seconds)) for load in proposal.loads]
    return Matrix(shown, rows, columns, {(a, b): number for a, b, number in proposal.pairs}, view.unit)


def matrix_of_round(
    project: Project, round_: Round, coders: Sequence[User], page: str | None, *, blind: bool
) -> Matrix:
    """Return the matrix of what is assigned in a round, a page of its rows. The totals are the database's.

    With `blind` nothing says what is begun, or taken from a pool.
    """
    texts, unit = planned_texts(project, round_)
    work = {text.pk: text.work for text in texts}
    seconds = None if blind else seconds_of_work(project, work)
    shown = Paginator(texts, PAGE_SIZE).get_page(page)
    codings = Coding.objects.of_people().filter(round=round_, kind=Coding.Kind.TEXT, occasion=1).order_by()
    if blind:
        codings = codings.assigned()
    states: dict[int, dict[str, str]] = defaultdict(dict)
    rows_shown = codings.filter(text__in=[text.pk for text in shown])
    for text, coder, version, corrections, status in rows_shown.values_list(
        "text", "coder__username", "version", "corrections", "status"
    ):
        begun = "submitted" if status == Coding.Status.SUBMITTED else "begun" if version > corrections else "assigned"
        states[text][coder] = "assigned" if blind else begun
    members = {coder.get_username() for coder in coders}
    counts, works = Counter[str](), Counter[str]()
    for text, coder in codings.values_list("text", "coder__username"):
        counts[coder] += 1
        works[coder] += work.get(text, 0)
    names = sorted(members | set(counts))
    rows = [
        Row(
            text,
            len(states[text.pk]),
            [Cell(name, name in states[text.pk], states[text.pk].get(name, "")) for name in names],
        )
        for text in shown
    ]
    columns = [Column(name, counts[name], works[name], _hours(works[name], seconds)) for name in names]
    return Matrix(shown, rows, columns, _shared_texts(codings, names), unit)


def _shared_texts(codings: QuerySet[Coding], names: Sequence[str]) -> dict[tuple[str, str], int]:
    """Return how many texts two coders share, counted by the database."""
    other = "text__codings"
    same = Q(
        **{
            f"{other}__round": F("round"),
            f"{other}__kind": Coding.Kind.TEXT,
            f"{other}__occasion": 1,
            f"{other}__coder__username__gt": F("coder__username"),
        }
    )
    found = (
        codings.filter(same).values_list("coder__username", f"{other}__coder__username").annotate(number=Count("pk"))
    )
    shared = {(a, b): number for a, b, number in found}
    return {pair: shared.get(pair, 0) for pair in combinations(names, 2)}


def _hours(work: int, seconds: float | None) -> float | None:
    return None if seconds is None else work * seconds / 3600
