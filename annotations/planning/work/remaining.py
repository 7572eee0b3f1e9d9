"""The work left in codings that are not submitted."""

from dataclasses import astuple, dataclass
from typing import Any

from django.db.models import IntegerField, QuerySet

from annotations.coding.required_answers import count_lacking
from annotations.core.database.compiled_queries import compiled_query
from annotations.core.text import pluralize
from annotations.models import Coding, Project, Round


@dataclass(frozen=True, slots=True)
class Remaining:
    """The number of markables left to decide, and of open codings."""

    markables: int = 0
    codings: int = 0
    to_mark: int = 0  # open codings whose markables coders create, so that the work left is unknown
    words: int = 0  # words of the texts of these codings

    def __add__(self, other: "Remaining") -> "Remaining":
        return Remaining(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def sentences(self) -> str:
        """The work left, in sentences for pages."""
        if not self.codings:
            return "No coding is left to submit."
        markables = pluralize(self.markables, "markable") if self.markables else "No markable"
        said = [f"{pluralize(self.codings, 'coding')} {_be(self.codings)} not submitted."]
        if self.markables or self.to_mark < self.codings:
            said.append(f"{markables} {_be(self.markables)} left to decide{' so far' if self.to_mark else ''}.")
        if self.to_mark:
            some = f"{self.to_mark} of " if self.to_mark < self.codings else ""
            which = f"In {some}these codings" if self.codings > 1 else "In this coding"
            words = pluralize(self.words, "word")
            said.append(f"{which} ({words}) coders create the markables, so how many are left is not known.")
        return " ".join(said)


def _be(count: int) -> str:
    return "is" if count <= 1 else "are"


@compiled_query(IntegerField())
def _open_codings(project: int) -> QuerySet[Any, Any]:
    codings = Coding.objects.of_people().filter(
        text__project=project, round__closed_at=None, kind=Coding.Kind.TEXT, occasion=1, status=Coding.Status.OPEN
    )
    own: QuerySet[Any, Any] = codings.exclude(round__kind=Round.Kind.TRAINING).order_by().with_progress()
    return own.values_list("pk", "text_id", "round__name", "to_decide", "decided", "is_to_mark")


def count_remaining(project: Project) -> dict[str, Remaining]:
    """Return the work left in open rounds, by round, without training and repeats. Four queries at most."""
    rows = _open_codings(project.pk)
    lacking = count_lacking(project, [pk for pk, *_, decided, _ in rows if decided])
    begun = Coding.objects.filter(text__project=project, status=Coding.Status.OPEN).order_by().values("text")
    texts: QuerySet[Any, Any] = project.texts.filter(pk__in=begun).order_by().with_words()
    words = dict(texts.values_list("pk", "words")) if any(is_to_mark for *_, is_to_mark in rows) else {}
    by_round: dict[str, Remaining] = {}
    for pk, text, name, to_decide, decided, is_to_mark in rows:
        marked = (1, words[text]) if is_to_mark else (0, 0)
        markables = max(to_decide - decided + lacking.get(pk, 0), 0)
        by_round[name] = by_round.get(name, Remaining()) + Remaining(markables, 1, *marked)
    return by_round
