"""What changes of the scheme leave to do: answers that are required since, and those from before."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Substr

from annotations.models import AttributeAnswer, Coding, Judgement, Project
from annotations.models.coding import complete


def incomplete_judgements(judgements: QuerySet[Judgement]) -> QuerySet[Judgement]:
    """Return those that answer something and lack what the scheme requires by now."""
    answered = Q(category__isnull=False) | Exists(AttributeAnswer.objects.filter(judgement=OuterRef("pk")))
    return judgements.filter(answered).exclude(complete())


def judged_before(project: Project, version: int) -> QuerySet[Judgement]:
    """Return the judgements that were last given before that version of the scheme, so without what it added."""
    return Judgement.objects.filter(coding__text__project=project, scheme_version__lt=version)


def list_judged_before(project: Project, version: int) -> QuerySet[Judgement]:
    """Return these judgements in the order of texts, coders and words, each with its `words`, for who sees all work."""
    place = "markable__start", "markable__end", "pk"
    words = Substr("coding__text__content", F("markable__start") + 1, F("markable__end") - F("markable__start"))
    judgements = judged_before(project, version).filter(coding__kind=Coding.Kind.TEXT).annotate(words=words)
    return (
        judgements.select_related("coding__text", "coding__coder", "category")
        .defer("coding__text__content")
        .order_by("coding__text__position", "coding__text__slug", "coding__coder__username", *place)
    )


@dataclass(frozen=True, slots=True)
class CodingToComplete:
    """A submitted coding, with how many of its judgements lack what the scheme requires by now."""

    text: str
    title: str
    coder: str
    judgements: int


def codings_to_complete(project: Project) -> list[CodingToComplete]:
    """Return the submitted codings that lack something, by text and coder, for those who see all work. One query.

    Nothing reopens them: who reopens one has its coder answer what is asked since.
    """
    judgements = Judgement.objects.filter(
        coding__text__project=project, coding__status=Coding.Status.SUBMITTED, coding__kind=Coding.Kind.TEXT
    )
    rows = (
        incomplete_judgements(judgements)
        .values("coding__text__slug", "coding__text__title", "coding__coder__username")
        .annotate(judgements=Count("pk"))
        .order_by("coding__text__slug", "coding__coder__username")
        .values_list("coding__text__slug", "coding__text__title", "coding__coder__username", "judgements")
    )
    return [CodingToComplete(*row) for row in rows]
