"""The agreed pyramids of docsets: which of them count, who made them, and of whose pyramid they were drafted."""

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from agreement.data.gold import why_gold_is_left_out
from annotations.models import Coding, Operation, Project

# Why a docset is not compared; the first that fits holds. "missing": it has no agreed pyramid; "practice" and "open" as
# of gold; "uncoded": no coder has a pyramid that counts.
REASONS_DOCSET_LEFT_OUT = ("missing", "practice", "open", "uncoded")


@dataclass(frozen=True, slots=True)
class AgreedPyramid:
    """The agreed pyramid of a docset, whose model summaries are `text`: the coding, and why it does not count.

    `reason` is "practice" or "open", or empty where it counts. `authors` have it in hand or worked on it. `method` is
    that of its draft and `drafted_from` the coder whose pyramid alone that was, as the log has them; empty where there
    is no such.
    """

    coding: int
    text: int
    reason: str
    authors: frozenset[str]
    method: str = ""
    drafted_from: str = ""


def read_agreed_pyramids(project: Project) -> dict[int, AgreedPyramid]:
    """Return the agreed pyramids of a project by the primary keys of their texts. Three queries, or four."""
    agreed = Coding.objects.filter(text__project=project, kind=Coding.Kind.AGREED).order_by()
    # who orders a draft, or corrects the text, has decided nothing
    working = Operation.objects.filter(coding__in=agreed.values("pk"), user__isnull=False).order_by()
    working = working.exclude(kind__in=[Operation.Kind.DRAFT, Operation.Kind.CORRECT])
    authors = defaultdict[int, set[str]](set)
    for coding, name in working.values_list("coding", "user__username").distinct():
        authors[coding].add(name)
    drafts, columns = _read_drafts(project), ("pk", "text_id", "coder__username", "status", "round__kind")
    return {
        text: AgreedPyramid(
            pk, text, why_gold_is_left_out(status, kind), frozenset({coder, *authors[pk]}), *drafts.get(pk, ("", ""))
        )
        for pk, text, coder, status, kind in agreed.values_list(*columns)
    }


def agreed_state(project: Project) -> list[Hashable]:
    """Return which docsets and agreed pyramids there are, equal where nothing of these has changed. Two queries."""
    agreed = Coding.objects.filter(text__project=project, kind=Coding.Kind.AGREED)
    docsets = project.docsets.order_by("pk").values_list("pk", "slug")
    return [*docsets, *agreed.order_by("pk").values_list("pk", "status", "version", "coder_id", "round__kind")]


def _read_drafts(project: Project) -> dict[int, tuple[str, str]]:
    """Return of each agreed pyramid that was drafted the method, and the coder whose pyramid alone it was."""
    drafts = Operation.objects.filter(
        coding__text__project=project, coding__kind=Coding.Kind.AGREED, kind=Operation.Kind.DRAFT
    )
    method_text, coder_text = (Cast(KeyTextTransform(name, "payload"), TextField()) for name in ("method", "coder"))
    found = {
        coding: (method or "", coder)
        for coding, method, coder in drafts.order_by("sequence").values_list("coding", method_text, coder_text)
    }
    # each coding at its version is named by its last operation
    uuids = {UUID(coder) for _, coder in found.values() if coder}
    named = Operation.objects.filter(uuid__in=uuids, coding__text__project=project).order_by() if uuids else None
    names = {str(uuid): name for uuid, name in named.values_list("uuid", "coding__coder__username")} if named else {}
    return {coding: (method, names.get(coder or "", "")) for coding, (method, coder) in found.items()}
