"""What changes of the scheme leave to do: answers that are required since, and those from before."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from annotations.models import AttributeAnswer, Coding, Judgement, Operation, Project
from annotations.models.coding import complete
from annotations.models.rights import Person


def incomplete_judgements(judgements: QuerySet[Judgement]) -> QuerySet[Judgement]:
    """Return those that answer something and lack what the scheme requires by now."""
    return judgements.filter(_answered()).exclude(complete())


def _answered() -> Q:
    return Q(category__isnull=False) | Q(Exists(AttributeAnswer.objects.filter(judgement=OuterRef("pk"))))


def judged_before(judgements: QuerySet[Judgement], version: int) -> QuerySet[Judgement]:
    """Return those that were last given before that version of the scheme, so without what it added."""
    return judgements.filter(scheme_version__lt=version)


def judgements_of_texts(project: Project, user: Person) -> QuerySet[Judgement]:
    """Return the judgements of texts that the user may see, with something in them."""
    codings = Coding.objects.visible_to(user).filter(text__project=project, kind=Coding.Kind.TEXT)
    return Judgement.objects.filter(_answered(), coding__in=codings)


@dataclass(frozen=True, slots=True)
class CodingLeft:
    """A coding, with how many of its judgements there are to look at again.

    imported: whether answers of it came by an import, which may lack what the scheme asked already.
    """

    text: str
    title: str
    coder: str
    status: str
    imported: bool
    judgements: int


type CodingRows = QuerySet[Judgement, tuple[str, str, str, str, bool, int]]


def codings_of(judgements: QuerySet[Judgement]) -> CodingRows:
    """Return the codings of judgements, in the order of texts and coders, as rows for `CodingLeft`.

    Nothing reopens one that is submitted: who reopens it has its coder answer what is asked since.
    """
    names = ("coding__text__slug", "coding__text__title", "coding__coder__username", "coding__status")
    imports = Operation.objects.filter(coding=OuterRef("coding"), kind=Operation.Kind.IMPORT)
    rows = judgements.values("coding", *names).annotate(imported=Exists(imports), judgements=Count("pk"))
    ordered = rows.order_by("coding__text__position", "coding__text__slug", "coding__coder__username")
    found: CodingRows = ordered.values_list(*names, "imported", "judgements")
    return found
