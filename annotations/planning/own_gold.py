"""Gold beside a coder's own answers, once the results are open: differences and reasons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, QuerySet

from annotations.adjudication.decisions.listing import REASONS, ItemDecision, gold_decisions
from annotations.formats.model.keys import key_order
from annotations.models import Coding, Project, Round, User
from annotations.planning.plans.comparison import Answers, Comparer, Describer, Item, ReasonOfGold, read_answers
from annotations.schemes.project_scheme import question_labels, read_scheme


def codings_beside_gold(project: Project, user: User) -> QuerySet[Coding]:
    """Return the user's submitted codings with decided gold, without training and texts still open to the user."""
    own = Coding.objects.of_people().filter(text__project=project, coder=user, kind=Coding.Kind.TEXT)
    open_texts = own.exclude(status=Coding.Status.SUBMITTED).order_by().values("text")
    gold = Coding.objects.filter(kind=Coding.Kind.GOLD, status=Coding.Status.SUBMITTED)
    has_gold = Exists(gold.filter(text=OuterRef("text"), round=OuterRef("round")))
    rows = own.filter(has_gold, status=Coding.Status.SUBMITTED, occasion=1)
    rows = rows.exclude(text__in=open_texts).exclude(round__kind=Round.Kind.TRAINING).select_related("text", "round")
    return rows.order_by("round__position", "round_id", "text__position", "text__slug")


@dataclass(frozen=True, slots=True)
class TextBesideGold:
    """A coding beside the gold of its text: the number of judgements in gold, and the differences."""

    coding: Coding
    n_items: int
    differences: tuple[Item, ...]


def compare_with_gold(project: Project, codings: Sequence[Coding]) -> list[TextBesideGold]:
    """Return the differences between codings and the gold of their texts. At most seventeen queries, for any number."""
    texts = {coding.text_id for coding in codings}
    rows = Coding.objects.filter(text__in=texts, kind=Coding.Kind.GOLD, status=Coding.Status.SUBMITTED).order_by()
    gold = {(coding.text_id, coding.round_id): coding for coding in rows}
    pairs = [(own, gold[own.text_id, own.round_id]) for own in codings if (own.text_id, own.round_id) in gold]
    scheme = read_scheme(project.pk)
    answers = read_answers(project, scheme, [coding.pk for pair in pairs for coding in pair])
    decisions = gold_decisions([coding for _, coding in pairs])
    comparer = Comparer(scheme, project.answers, Round.PassMeasure.ANSWERS)
    labels = question_labels(project)

    def reasons_at(item_decisions: Sequence[ItemDecision], key: str) -> Iterator[ReasonOfGold]:
        for row in item_decisions:
            if row.item.markable == key and (row.reason or row.section or row.note):
                question, reason = row.item.question, REASONS[row.reason] if row.reason else ""
                yield ReasonOfGold(question, labels(question), str(row.reason), reason, row.section, row.note)

    compared = []
    for own, decided in pairs:
        describer = Describer(comparer, own.text.content)
        differences = tuple(
            replace(item, reasons=tuple(reasons_at(decisions[decided.pk], item.markable)))
            for item in _differences(describer, answers[own.pk], answers[decided.pk])
        )
        judged = sum(1 for d in answers[decided.pk].decisions.values() if d.category is not None or d.attributes)
        compared.append(TextBesideGold(own, judged, differences))
    return compared


def _differences(describer: Describer, own: Answers, gold: Answers) -> Iterator[Item]:
    """Yield the markables that differ, in text order, including markables that only the coder judged."""
    for key in sorted(own.decisions.keys() | gold.decisions.keys(), key=key_order):
        item = describer.item(key, own, gold)
        if not item.is_as_gold and (item.is_judged or item.category is not None):
            yield item
