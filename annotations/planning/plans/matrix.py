"""The matrix of a plan or of assignments: texts x coders, one page of it, with overall totals."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from django.core.paginator import Page, Paginator

from annotations.models import Coding, Project, Round, User
from annotations.planning.plans.plans import PlannedText, PlanView, planned_texts
from annotations.planning.work.pace import seconds_of_work

PAGE_SIZE = 50
CODERS_ON_A_PAGE = 24
MAX_PAIRED = 24  # with more coders, only the range of the numbers of shared texts is shown


@dataclass(frozen=True, slots=True)
class Cell:
    """A coder's assignment to a text. `state` is new, removed, begun, submitted, assigned or empty."""

    coder: str
    is_on: bool
    state: str = ""

    @property
    def is_fixed(self) -> bool:
        """Whether the assignment cannot change, because work on it has begun."""
        return self.state in ("begun", "submitted")


@dataclass(frozen=True, slots=True)
class Row:
    text: PlannedText
    number: int
    cells: Sequence[Cell]


@dataclass(frozen=True, slots=True)
class Column:
    """A coder with the number of texts and their work, in markables or words, and in hours at the current pace."""

    name: str
    texts: int
    work: int
    hours: float | None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A page of rows, with columns and numbers of shared texts over all rows."""

    page: Page[PlannedText]
    rows: Sequence[Row]
    columns: Sequence[Column]
    pairs: Mapping[tuple[str, str], int]
    unit: str
    coders: Page[Column] | None = None

    def for_coders(self, number: str | None) -> "Matrix":
        """Return the matrix with the cells of one page of coders."""
        shown = Paginator(self.columns, CODERS_ON_A_PAGE).get_page(number)
        first, last = max(shown.start_index() - 1, 0), shown.end_index()
        return replace(self, rows=[replace(row, cells=row.cells[first:last]) for row in self.rows], coders=shown)

    @property
    def pair_rows(self) -> list[tuple[str, list[int | None]]]:
        """The numbers of shared texts as a square; empty if there are too many coders."""
        names = [column.name for column in self.columns]
        if not 1 < len(names) <= MAX_PAIRED:
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
        """The hours of all work; None if no pace is known."""
        hours = [column.hours for column in self.columns if column.hours is not None]
        return sum(hours) if hours else None


def matrix_of_plan(view: PlanView, page: str | None, seconds: float | None) -> Matrix:
    """Return the matrix of a proposal. seconds: the time for a markable or word."""
    new, begun = set(view.proposal.new), view.begun
    states = {
        text: {
            coder: "new" if (text, coder) in new else "begun" if (text, coder) in begun else "assigned"
            for coder in coders
        }
        for text, coders in view.proposal.assignments.items()
    }
    pairs = {(a, b): number for a, b, number in view.proposal.pairs}
    return _arrange(view.texts, view.unit, sorted(view.coders), states, page, seconds, pairs, view.proposal.removed)


def matrix_of_round(
    project: Project, round_: Round, coders: Sequence[User], page: str | None, *, blind: bool
) -> Matrix:
    """Return the matrix of assignments. `blind` hides begun work and texts taken from a pool."""
    texts, unit = planned_texts(project, round_)
    seconds = None if blind else seconds_of_work(project, {text.pk: text.work for text in texts})
    codings = Coding.objects.first_occasions(round_).order_by()
    if blind:
        codings = codings.assigned()
    states: dict[str, dict[str, str]] = defaultdict(dict)
    for text, coder, version, corrections, status in codings.values_list(
        "text__slug", "coder__username", "version", "corrections", "status"
    ):
        begun = "submitted" if status == Coding.Status.SUBMITTED else "begun" if version > corrections else "assigned"
        states[text][coder] = "assigned" if blind else begun
    names = sorted({coder.get_username() for coder in coders}.union(*states.values()))
    shared = Counter(pair for coder_states in states.values() for pair in combinations(sorted(coder_states), 2))
    pairs = {pair: shared[pair] for pair in combinations(names, 2)}
    return _arrange(texts, unit, names, states, page, seconds, pairs)


def _arrange(
    texts: Sequence[PlannedText],
    unit: str,
    names: Sequence[str],
    states: Mapping[str, Mapping[str, str]],
    page: str | None,
    seconds: float | None,
    pairs: Mapping[tuple[str, str], int],
    removed: Collection[tuple[str, str]] = (),
) -> Matrix:
    """Return a page of the matrix. states: by text, for the coders who have it."""
    shown, gone = Paginator(texts, PAGE_SIZE).get_page(page), set(removed)
    rows = []
    for text in shown:
        text_states = states.get(text.slug, {})
        cells = [
            Cell(name, name in text_states, text_states.get(name, "removed" if (text.slug, name) in gone else ""))
            for name in names
        ]
        rows.append(Row(text, len(text_states), cells))
    work = {text.slug: text.work for text in texts}
    counts, works = Counter[str](), Counter[str]()
    for slug, text_states in states.items():
        counts.update(text_states.keys())
        works.update(dict.fromkeys(text_states, work.get(slug, 0)))
    columns = [
        Column(name, counts[name], works[name], None if seconds is None else works[name] * seconds / 3600)
        for name in names
    ]
    return Matrix(shown, rows, columns, pairs, unit)
