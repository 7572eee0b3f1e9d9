"""Letters instead of names of coders, where gold is judged and compared."""

from collections.abc import Iterable

from django.utils.crypto import salted_hmac

from annotations.core.text import letters
from annotations.models import Coding, Project
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.models.people.rights import Right
from annotations.models.project import may

SALT = "agreement.reports.gold.readers"


def sees_names(project: Project) -> bool:
    """Return whether the reader of the project sees whose answers are compared with gold."""
    return may(project, Right.MANAGE_WORK) and may(project, Right.ADJUDICATE)


def letters_of_coders(project: Project, names: Iterable[str]) -> dict[str, str]:
    """Return a letter for each coder, in an order that discloses no names. `names` are all coders of the project."""
    shuffled = sorted(names, key=lambda name: salted_hmac(SALT, f"{project.pk} {name}", algorithm="sha256").digest())
    return {name: f"Coder {letters(number)}" for number, name in enumerate(shuffled)}


def shuffle_codings(text: int, codings: Iterable[int]) -> list[int]:
    """Return the codings of a text in the order of their letters beside gold, which discloses no names."""
    salt = "annotations.adjudication.queue"
    return sorted(codings, key=lambda coding: salted_hmac(salt, f"{text} {coding}", algorithm="sha256").digest())


def names_of_coders(project: Project) -> list[str]:
    """Return the names of all coders of the project, who have letters. One query."""
    codings = Coding.objects.of_people().filter(text__project=project, kind__in=INDEPENDENT_KINDS).order_by()
    return list(codings.values_list("coder__username", flat=True).distinct())
