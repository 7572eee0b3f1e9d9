"""Gold beside the answers of who codes, once the results are open: where it differs from theirs, and why."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.db.models import Exists, OuterRef, QuerySet

from annotations.adjudication.decisions.listing import REASONS, ItemDecision, gold_decisions
from annotations.formats.model.keys import key_order
from annotations.models import Coding, Project, Round, User
from annotations.planning.plans.comparison import Answers, Comparer, Describer, Item, ReasonOfGold, read_answers
from annotations.schemes.project_scheme import question_labels, read_scheme


def codings_beside_gold(project: Project, user: User) -> QuerySet[Coding]:
    """Return the user's submitted codings with decided gold, not of training, nor of texts still to be coded again."""
    own = Coding.objects.of_people().filter(text__project=project, coder=user, kind=Coding.Kind.TEXT)
    open_texts = own.exclude(status=Coding.Status.SUBMITTED).order_by().values("text")
    gold = Coding.objects.filter(kind=Coding.Kind.GOLD, status=Coding.Status.SUBMITTED)
    has_gold = Exists(gold.filter(text=OuterRef("text"), round=OuterRef("round")))
    found = own.filter(has_gold, status=Coding.Status.SUBMITTED, occasion=1)
    found = found.exclude(text__in=open_texts).exclude(round__kind=Round.Kind.TRAINING).select_related("text", "round")
    return found.order_by("round__position", "round_id", "text__position", "text__slug")


@dataclass(frozen=True, slots=True)
class TextBesideGold:
    """A coding beside the gold of its text: how many judgements the gold has, and what differs."""

    coding: Coding
    n_items: int
    differences: tuple[Item, ...]


def compare_with_gold(project: Project, codings: Sequence[Coding]) -> list[TextBesideGold]:
    """Return what of codings differs from the gold of their texts. Seventeen queries at most, whatever their number."""
    texts = {one.text_id for one in codings}
    rows = Coding.objects.filter(text__in=texts, kind=Coding.Kind.GOLD, status=Coding.Status.SUBMITTED).order_by()
    gold = {(one.text_id, one.round_id): one for one in rows}
    pairs = [(one, gold[one.text_id, one.round_id]) for one in codings if (one.text_id, one.round_id) in gold]
    scheme = read_scheme(project.pk)
    answers = read_answers(project, scheme, [one.pk for pair in pairs for one in pair])
    decisions = gold_decisions([one for _, one in pairs])
    comparer = Comparer(scheme, project.answers, Round.PassMeasure.ANSWERS)
    labels = question_labels(project)

    def reasons_at(found: Sequence[ItemDecision], key: str) -> Iterator[ReasonOfGold]:
        for one in found:
            if one.item.markable == key and (one.reason or one.section or one.note):
                question, reason = one.item.question, REASONS[one.reason] if one.reason else ""
                yield ReasonOfGold(question, labels(question), str(one.reason), reason, one.section, one.note)

    compared = []
    for own, of_gold in pairs:
        describer = Describer(comparer, own.text.content)
        differences = tuple(
            replace(item, reasons=tuple(reasons_at(decisions[of_gold.pk], item.markable)))
            for item in _differences(describer, answers[own.pk], answers[of_gold.pk])
        )
        judged = sum(1 for one in answers[of_gold.pk].decisions.values() if one.category is not None or one.attributes)
        compared.append(TextBesideGold(own, judged, differences))
    return compared


def _differences(describer: Describer, own: Answers, gold: Answers) -> Iterator[Item]:
    """Yield the markables on which the two differ, in text order; also those that the coder alone answers."""
    for key in sorted(own.decisions.keys() | gold.decisions.keys(), key=key_order):
        item = describer.item(key, own, gold)
        if not item.is_as_gold and (item.is_judged or item.category is not None):
            yield item
