"""The gold that an export contains, and the texts that it leaves out, by reason."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from annotations.adjudication.states import GoldState, State, gold_states
from annotations.coding.required_answers import describe_hole
from annotations.formats.losses.reduction import MAX_EXAMPLES, OtherLoss
from annotations.models import Coding, Project, RoundText, Text
from annotations.projects.rounds import COUNTED_KINDS
from annotations.schemes.project_scheme import question_labels

# The two exports of gold, which also name their folders.
GOLD, SILVER = "gold", "silver"

WITHOUT_GOLD = "texts without gold"
UNDECIDED = "texts whose gold is not decided (export silver to have the drafts)"
NOT_CLOSED = "texts whose gold has no draft and is not closed"
DECIDED = "texts whose gold is decided (export gold to have it)"
WITHOUT_DRAFT = "texts whose gold has no draft"
EMPTY = "texts whose gold has no answer"
HOLES = "answers that the scheme asks for and the gold lacks"


def check_gold(project: Project, gold: str, coders: Sequence[object], *, unfinished: bool) -> None:
    """Raise ValidationError by field if the options do not suit gold, or a member has the name of its folder."""
    if project.answers == Project.Answers.SCUS:
        raise ValidationError(
            {"gold": "What is decided about summaries is the agreed pyramid, which other exports have."}
        )
    for name, is_set in (("coders", bool(coders)), ("unfinished", unfinished)):
        if is_set:
            raise ValidationError({name: "Gold is of no coder: name neither coders nor unfinished codings with it."})
    if project.members.filter(username__iexact=gold).exists():
        raise ValidationError(
            {"gold": f"A member of the project is called {gold!r}: the folder would be taken for theirs."}
        )


def select_gold(
    project: Project, gold: str, texts: Sequence[str], rounds: Sequence[str]
) -> tuple[QuerySet[Coding], list[OtherLoss], list[OtherLoss]]:
    """Return at most one gold coding of each text, the texts left out by reason, and the missing answers.

    Gold is closed or decided; the last round with such gold counts. Silver is a draft with undecided answers, in the
    last round with gold. Gold that older versions closed may lack answers.
    """
    in_rounds = Q(round__name__in=rounds) if rounds else Q(round__kind__in=COUNTED_KINDS)
    if texts:
        in_rounds &= Q(text__slug__in=texts)
    members = RoundText.objects.filter(in_rounds, round__project=project, text__docset=None)
    slugs: dict[int, str] = {}
    places: set[tuple[int, int]] = set()
    for text, slug, round_ in members.order_by("text__slug").values_list("text_id", "text__slug", "round_id"):
        slugs[text] = slug
        places.add((text, round_))
    rows = Coding.objects.filter(in_rounds, text__project=project, kind=Coding.Kind.GOLD)
    states: dict[int, list[GoldState]] = {text: [] for text in slugs}
    for state in gold_states(list(rows.order_by("round__position", "round_id"))):
        if (state.coding.text_id, state.coding.round_id) in places:
            states[state.coding.text_id].append(state)
    chosen: list[GoldState] = []
    left_out: dict[str, list[str]] = defaultdict(list)
    for text, slug in slugs.items():
        fitting = [state for state in states[text] if not _why_left_out(state, gold)]
        if gold == SILVER:
            fitting = [state for state in fitting if state is states[text][-1]]
        if fitting:
            chosen.append(fitting[-1])
        else:
            left_out[_why_left_out(states[text][-1], gold) if states[text] else WITHOUT_GOLD].append(slug)
    codings = Coding.objects.filter(pk__in=[state.coding.pk for state in chosen])
    reasons = [OtherLoss(why, len(names), tuple(names[:MAX_EXAMPLES])) for why, names in left_out.items()]
    return codings, reasons, _count_holes(project, [state for state in chosen if state.holes], slugs)


def _count_holes(project: Project, gold: Sequence[GoldState], slugs: Mapping[int, str]) -> list[OtherLoss]:
    """Return the number of missing answers, with examples. Three queries if `gold` is not empty."""
    if not gold:
        return []
    labels = question_labels(project)
    first = gold[:MAX_EXAMPLES]
    contents = dict(Text.objects.filter(pk__in=[state.coding.text_id for state in first]).values_list("pk", "content"))
    examples = [
        f"{slugs[state.coding.text_id]}: {describe_hole(hole, contents[state.coding.text_id], labels)}"
        for state in first
        for hole in state.holes[:MAX_EXAMPLES]
    ]
    return [OtherLoss(HOLES, sum(len(state.holes) for state in gold), tuple(examples[:MAX_EXAMPLES]))]


def _why_left_out(state: GoldState, gold: str) -> str:
    """Return why this gold is left out of the export; empty if it is included."""
    is_open = state.state is State.OPEN
    if is_open and state.draft is None:
        return WITHOUT_DRAFT if gold == SILVER else NOT_CLOSED
    if state.is_empty and not state.n_open:
        return EMPTY
    if gold == SILVER:
        return "" if is_open else DECIDED
    return UNDECIDED if is_open else ""
