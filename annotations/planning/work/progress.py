"""The progress of a project: totals, a page of the matrix of texts x coders, and the hours of coders."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotations.coding.active_time import WorkedDay, read_worked_days
from annotations.models import Coding, PlanText, Project, Round, RoundText, Text
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.models.people.rights import Person
from annotations.planning.work.pace import CoderPace, read_coder_paces
from annotations.planning.work.states import CodingState, State, read_states
from annotations.projects.rounds import find_round, rounds_of

PAGE_SIZE = 50
CODERS_ON_A_PAGE = 30
PROGRESS_COLUMNS = ("text", "title", "round", "coder", "state", "overdue", "due_on", "decided", "to_decide")
HOURS_RULE = (
    "The time between changes of a coder, by the coder’s own clock unless it is ahead. A pause of more than five "
    "minutes counts nothing; what goes past midnight is of the day on which it ends. What was imported is no work."
)
HOURS_COLUMNS = ("coder", "round", "text", "day", "active_seconds", "hours")


class CodingProgress(NamedTuple):
    """The progress of a project: texts, texts coded in any round or free in a pool, and codings that count."""

    n_texts: int
    n_assigned: int
    n_in_pools: int
    n_codings: int
    n_submitted: int


@dataclass(slots=True)
class Total:
    """The numbers of codings by state, and of markables, of a coder, round, text or project."""

    name: str
    submitted: int = 0
    complete: int = 0
    begun: int = 0
    not_begun: int = 0
    reopened: int = 0
    released: int = 0
    overdue: int = 0  # in any state
    decided: int = 0
    to_decide: int = 0
    left: int = 0  # markables to decide in the `to_submit` open codings of open rounds
    to_submit: int = 0
    to_mark: int = 0  # open codings in which the coder creates the markables
    pace: CoderPace | None = None  # of a coder, if known

    @property
    def codings(self) -> int:
        return self.submitted + self.complete + self.begun + self.not_begun + self.reopened + self.released

    def add(self, coding: CodingState) -> None:
        """Count a coding."""
        field = "not_begun" if coding.state == State.ASSIGNED else str(coding.state)
        setattr(self, field, getattr(self, field) + 1)
        self.overdue += coding.overdue
        self.decided += coding.decided
        self.to_decide += coding.to_decide
        if coding.is_to_do:
            self.left += max(coding.to_decide - coding.decided, 0)
            self.to_submit += 1
            self.to_mark += coding.is_to_mark


def total_by(codings: Iterable[CodingState], name_of: Callable[[CodingState], str]) -> list[Total]:
    """Return the totals of codings by name, in order of first appearance."""
    totals: dict[str, Total] = {}
    for coding in codings:
        name = name_of(coding)
        totals.setdefault(name, Total(name)).add(coding)
    return list(totals.values())


@dataclass(frozen=True, slots=True)
class ProgressRow:
    """A text in a round, with each coder's state; None for coders who do not code it."""

    text: Text
    round: Round
    cells: Sequence[CodingState | None]
    total: Total


@dataclass(frozen=True, slots=True)
class ProgressMatrix:
    """A page of the rows for a page of the coders, totals of all rows, and of rounds if there are several."""

    page: Page[RoundText]
    rows: Sequence[ProgressRow]
    coders: Sequence[str]
    totals: Page[Total]
    of_rounds: Sequence[Total]
    rounds: Sequence[Round]
    chosen: Round | None

    @property
    def round_choices(self) -> list[tuple[str, str]]:
        return [(round_.name, round_.name) for round_ in self.rounds]

    @property
    def several_rounds(self) -> bool:
        """Whether codings are named with their round."""
        return len(self.rounds) > 1


def read_progress(project: Project) -> CodingProgress:
    """Return the progress of codings that count in agreement, without practice and repeats. Two queries."""
    plans = PlanText.objects.filter(text=OuterRef("pk"), plan__pool=True, plan__round__closed_at=None)
    coded = Coding.objects.of_people().filter(text=OuterRef("pk"), kind__in=INDEPENDENT_KINDS)
    texts = project.texts.exclude(role=Text.Role.PEER).aggregate(
        n_texts=Count("pk"),
        n_assigned=Count("pk", filter=Exists(coded)),
        n_in_pools=Count("pk", filter=~Exists(coded) & Exists(plans)),
    )
    codings = Coding.objects.of_people().filter(text__project=project, kind__in=INDEPENDENT_KINDS, occasion=1)
    codings = codings.exclude(round__kind__in=(Round.Kind.TRAINING, Round.Kind.RECHECK))
    submitted = Q(status=Coding.Status.SUBMITTED)
    numbers = codings.aggregate(n_codings=Count("pk"), n_submitted=Count("pk", filter=submitted))
    return CodingProgress(**texts, **numbers)


def read_progress_matrix(
    project: Project,
    user: Person,
    round_name: str,
    number: str | None,
    today: date,
    coders_number: str | None = None,
    *,
    marks_final: bool = False,
) -> ProgressMatrix:
    """Return the progress matrix of a project, or of a round. Raise ValidationError. At most seven queries."""
    # marks_final: whether to mark codings that nobody may reopen, which discloses gold and repeats.
    chosen = find_round(project, round_name) if round_name else None
    rounds = rounds_of(project)
    names = {round_.pk: round_.name for round_ in rounds}
    order = {round_.pk: position for position, round_ in enumerate(rounds)}
    states = read_states(codings_of(project, user, chosen), today)
    totals = total_by(sorted(states, key=lambda state: state.coder), lambda state: state.coder)
    totals_shown = Paginator(totals, CODERS_ON_A_PAGE).get_page(coders_number)
    coders = [total.name for total in totals_shown]
    shown = Paginator(_memberships(project, user, chosen), PAGE_SIZE).get_page(number)
    cells = {(state.text, state.round, state.coder): state for state in states}
    on_page = {(membership.text_id, membership.round_id): Total(membership.text.title) for membership in shown}
    for state in states:
        if (state.text, state.round) in on_page:
            on_page[state.text, state.round].add(state)
    for key in _final_codings({membership.text_id for membership in shown}) if marks_final else ():
        if key in cells:
            cells[key] = replace(cells[key], is_final=True)
    rows = []
    for membership in shown:
        place = membership.text_id, membership.round_id
        row_cells = [cells.get((*place, coder)) for coder in coders]
        rows.append(ProgressRow(membership.text, membership.round, row_cells, on_page[place]))
    paces = read_coder_paces(project, {total.name: total.left for total in totals}, today, chosen) if totals else {}
    for total in totals:
        total.pace = paces.get(total.name)
    of_rounds = total_by(sorted(states, key=lambda state: order[state.round]), lambda state: names[state.round])
    return ProgressMatrix(shown, rows, coders, totals_shown, of_rounds if len(of_rounds) > 1 else (), rounds, chosen)


def codings_of(project: Project, user: Person, round_: Round | None = None) -> QuerySet[Coding]:
    """Return the codings of the project or round that the user sees; repeats only once."""
    codings: QuerySet[Coding] = Coding.objects.of_coders().visible_to(user).once_for(user).filter(text__project=project)
    return codings.filter(round=round_) if round_ is not None else codings


def _final_codings(texts: Collection[int]) -> QuerySet[Coding, tuple[int, int, str]]:
    """Return text, round and coder of final codings: their coder has seen the gold, or has the text again."""
    gold = Coding.objects.filter(text=OuterRef("text"), round=OuterRef("round"), kind=Coding.Kind.GOLD)
    is_seen = Q(round__kind=Round.Kind.TRAINING) & Exists(gold.filter(status=Coding.Status.SUBMITTED))
    codings = Coding.objects.of_coders().filter(Q(occasion__gt=1) | is_seen, text__in=texts).order_by()
    return codings.values_list("text_id", "round_id", "coder__username")


def _memberships(project: Project, user: Person, round_: Round | None) -> QuerySet[RoundText]:
    """Return the texts in their rounds, in the order of texts, then of rounds."""
    texts = Text.objects.visible_to(user).filter(project=project)
    rows = RoundText.objects.filter(round__project=project, text__in=texts.order_by())
    rows = rows.filter(round=round_) if round_ is not None else rows
    rows = rows.select_related("text", "round").defer("text__content")
    return rows.order_by("text__position", "text__slug", "round__position", "round_id")


def progress_rows(project: Project, user: Person, round_name: str, today: date) -> list[list[str]]:
    """Return the rows of the progress file, for each coding or text without any. Raise ValidationError."""
    chosen = find_round(project, round_name) if round_name else None
    states: dict[tuple[int, int], list[CodingState]] = {}
    for state in sorted(read_states(codings_of(project, user, chosen), today), key=lambda state: state.coder):
        states.setdefault((state.text, state.round), []).append(state)
    rows = []
    for membership in _memberships(project, user, chosen):
        text, round_ = membership.text, membership.round
        head = [text.slug, text.title, round_.name]
        text_states = states.get((text.pk, round_.pk), ())
        for state in text_states:
            due = state.due_on.isoformat() if state.due_on else ""
            figures = [str(state.decided), str(state.to_decide)]
            rows.append([*head, state.coder, str(state.state), "yes" if state.overdue else "no", due, *figures])
        if not text_states:
            rows.append([*head, *[""] * (len(PROGRESS_COLUMNS) - len(head))])
    return rows


def worked_days(project: Project, round_name: str = "") -> list[WorkedDay]:
    """Return the active time of each coder by round, text and day. Raise ValidationError. Two queries."""
    return read_worked_days(project, find_round(project, round_name) if round_name else None)


def hours_rows(days: Sequence[WorkedDay]) -> Iterator[list[str]]:
    for row in days:
        seconds = round(row.seconds)
        yield [row.coder, row.round, row.text, row.day.isoformat(), str(seconds), f"{row.seconds / 3600:.3f}"]
