"""The work that changes of a scheme leave: judgements without newly required answers, and older judgements."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import Least, RowNumber, Substr

from annotations.core.text import one_line
from annotations.models import AttributeAnswer, Coding, Judgement, Operation, Project
from annotations.models.coding import complete
from annotations.models.people.rights import Person

MAX_JUDGEMENTS = 8  # judgements of a coding whose words are listed
MAX_WORDS_LENGTH = 60  # characters of the words of a judgement


def incomplete_judgements(judgements: QuerySet[Judgement]) -> QuerySet[Judgement]:
    """Return the judgements with an answer that lack an answer required by the current scheme."""
    return judgements.filter(_answered()).exclude(complete())


def _answered() -> Q:
    return Q(category__isnull=False) | Q(Exists(AttributeAnswer.objects.filter(judgement=OuterRef("pk"))))


def judged_before(judgements: QuerySet[Judgement], version: int) -> QuerySet[Judgement]:
    """Return the judgements last given before that version of the scheme, which lack its additions."""
    return judgements.filter(scheme_version__lt=version)


def judgements_of_texts(project: Project, user: Person) -> QuerySet[Judgement]:
    """Return the non-empty judgements of texts that the user may see."""
    codings = Coding.objects.of_coders().visible_to(user).filter(text__project=project, kind=Coding.Kind.TEXT)
    return Judgement.objects.filter(_answered(), coding__in=codings)


@dataclass(frozen=True, slots=True)
class CodingLeft:
    """A coding, and the number of its judgements to look at again."""

    pk: int
    text: str
    title: str
    coder: str
    status: str
    imported: bool  # whether answers were imported, which may lack even earlier requirements
    judgements: int


type CodingRows = QuerySet[Judgement, tuple[int, str, str, str, str, bool, int]]


def codings_of(judgements: QuerySet[Judgement]) -> CodingRows:
    """Return the codings of judgements, by text and coder, as rows for `CodingLeft`. Submitted ones stay submitted."""
    names = ("coding__text__slug", "coding__text__title", "coding__coder__username", "coding__status")
    imports = Operation.objects.filter(coding=OuterRef("coding"), kind=Operation.Kind.IMPORT)
    rows = judgements.values("coding", *names).annotate(imported=Exists(imports), judgements=Count("pk"))
    ordered = rows.order_by("coding__text__position", "coding__text__slug", "coding__coder__username")
    values: CodingRows = ordered.values_list("coding", *names, "imported", "judgements")
    return values


def words_of(judgements: QuerySet[Judgement], codings: Iterable[int]) -> dict[int, list[str]]:
    """Return the words of the first MAX_JUDGEMENTS judgements of a coding, in text order, with text between parts."""
    text, start = "coding__text__content", F("markable__start")
    first = (
        judgements.filter(coding__in=list(codings))
        .annotate(
            place=Window(
                RowNumber(),
                partition_by=[F("coding")],
                order_by=["markable__start", F("markable__end").desc(), "markable__key"],
            ),
            words=Substr(text, start + 1, Least(F("markable__end") - start, MAX_WORDS_LENGTH)),
        )
        .filter(place__lte=MAX_JUDGEMENTS)
        .order_by("coding", "place")
    )
    by_coding: dict[int, list[str]] = {}
    for coding, words in first.values_list("coding", "words"):
        by_coding.setdefault(coding, []).append(one_line(words))
    return by_coding
