"""The SCUs of a coding: those that a pyramid has, those that a peer summary is held against, and what is wrong."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotations.decisions import Description, Moving, Refused, Said
from annotations.models import SCU, Coding, Index, Judgement, Operation, Segment, Text
from annotations.pyramids import Contributor, Options, faults, summary_of

PYRAMIDS = (Coding.Kind.PYRAMID, Coding.Kind.AGREED)
# Against which pyramid a peer summary is coded.
AGAINST = {Coding.Kind.PEER: Coding.Kind.PYRAMID, Coding.Kind.PEER_AGREED: Coding.Kind.AGREED}


def pyramid_against(coding: Coding) -> Coding | None:
    """The pyramid against which a peer summary is coded; None where there is none yet, or it is no peer's coding."""
    kind = AGAINST.get(Coding.Kind(coding.kind))
    if kind is None:
        return None
    found = Coding.objects.filter(text__docset=coding.text.docset_id, text__role=Text.Role.MODELS, kind=kind)
    return (found.filter(coder=coding.coder_id) if kind == Coding.Kind.PYRAMID else found).first()


def check_pyramid(coding: Coding, said: Mapping[int, Said]) -> None:
    """Raise Refused where what was said last leaves contributors that cannot be; what was wrong before may stay."""
    touched: dict[str, int] = {}
    for position, one in said.items():
        if not isinstance(one, Description):
            touched[one.to if isinstance(one, Moving) else one.markable] = position
    if not touched:
        return
    project = coding.text.project
    peer = coding.kind in AGAINST
    if not peer:
        _refuse_outside(coding, touched)
    wrong = faults(
        contributors_of(coding),
        Options(project.one_contributor, project.words_exclusive),
        summaries=None if peer else summaries_of(coding.text_id),
        scus=_keys_for(coding) if peer else None,
    )
    for fault in wrong:
        positions = [touched[key] for key in fault.contributors if key in touched]
        if positions:
            raise Refused(fault.code, fault.message, max(positions))


def pyramid_seen(coding: Coding) -> Coding | None:
    """The pyramid against which a peer summary is coded, where its coder may see it.

    An agreed one is seen once it is handed in, and not while the coder is at work on a pyramid of their own.
    """
    against = pyramid_against(coding)
    if against is None or against.kind != Coding.Kind.AGREED:
        return against
    own = Coding.objects.filter(text=against.text_id, coder=coding.coder_id, kind=Coding.Kind.PYRAMID)
    at_work = own.filter(status=Coding.Status.OPEN).exists()
    return None if at_work or against.status != Coding.Status.SUBMITTED else against


def _keys_for(coding: Coding) -> set[str]:
    """The SCUs that the coder of a peer summary may name.

    While the agreed pyramid is taken back, those that they named before, so that their marks stay and an unmarking can
    be undone; whether the pyramid has them now is not told.
    """
    seen = pyramid_seen(coding)
    if seen is not None:
        return scu_keys(seen)
    if coding.kind != Coding.Kind.PEER_AGREED:
        return set()
    said = coding.operations.filter(kind__in=(Operation.Kind.JUDGE, Operation.Kind.IMPORT))
    named: set[str] = set()
    for payload in said.values_list("payload", flat=True):
        for judgement in payload.get("judgements", [payload]):
            named.update(judgement.get("indices", ()))
    return named


def _refuse_outside(coding: Coding, touched: Mapping[str, int]) -> None:
    """In a pyramid every contributor has an SCU, or waits for one; "no SCU" is an answer to peers."""
    said = Judgement.objects.filter(coding=coding, markable__key__in=touched, category__takes_index=False)
    for key in said.values_list("markable__key", flat=True)[:1]:
        raise Refused("not_in_pyramid", "What expresses no SCU of a pyramid is not marked.", touched[key])


def contributors_of(coding: Coding) -> list[Contributor]:
    """All that the coder marked, in text order, each with the SCUs that it expresses. Two queries."""
    scus: dict[int, list[str]] = defaultdict(list)
    for judgement, key in (
        Index.objects.filter(judgement__coding=coding).order_by("pk").values_list("judgement", "entity")
    ):
        scus[judgement].append(key)
    marked = Judgement.objects.filter(coding=coding, markable__level__coded=True)
    return [
        Contributor(key, parts, tuple(scus[pk]))
        for pk, key, parts in marked.order_by("markable__start", "-markable__end", "markable__key").values_list(
            "pk", "markable__key", "markable__parts"
        )
    ]


def summaries_of(text: int) -> list[tuple[int, int]]:
    """Where the model summaries of the text stand."""
    return list(
        Segment.objects.filter(text=text, kind=Segment.Kind.SUMMARY).order_by("start").values_list("start", "end")
    )


def scu_keys(coding: Coding) -> set[str]:
    """The keys of a pyramid's SCUs: those that have a contributor, and those of which something is said."""
    named = Index.objects.filter(judgement__coding=coding).values_list("entity", flat=True)
    return {*named, *SCU.objects.filter(coding=coding).values_list("key", flat=True)}


def descriptions_of(coding: Coding) -> dict[str, dict[str, str]]:
    """What is said of the SCUs of a pyramid, by their keys."""
    rows = SCU.objects.filter(coding=coding).order_by("pk").values_list("key", "label", "comment")
    return {key: {"label": label, "comment": comment} for key, label, comment in rows}


@dataclass(frozen=True, slots=True)
class Weighed:
    """An SCU with its weight: how many model summaries contribute to it, and what they say."""

    key: str
    label: str
    comment: str
    weight: int
    contributors: tuple[str, ...]

    def state(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "label": self.label,
            "comment": self.comment,
            "weight": self.weight,
            "contributors": list(self.contributors),
        }


def weighed(coding: Coding) -> list[Weighed]:
    """The SCUs of a pyramid, the heaviest first, then by label and key. Five queries."""
    text = Text.objects.get(pk=coding.text_id)
    summaries = summaries_of(text.pk)
    said = descriptions_of(coding)
    words: dict[str, list[str]] = defaultdict(list)
    found: dict[str, set[int]] = {key: set() for key in said}
    for one in contributors_of(coding):
        summary = summary_of(one.parts, summaries)
        for key in one.scus:
            found.setdefault(key, set())
            if summary is not None:
                found[key].add(summary)
            words[key].append(" … ".join(" ".join(text.content[start:end].split()) for start, end in one.parts))
    nothing = {"label": "", "comment": ""}
    rows = [
        Weighed(key, **said.get(key, nothing), weight=len(of), contributors=tuple(words[key]))
        for key, of in found.items()
    ]
    return sorted(rows, key=lambda one: (-one.weight, one.label.casefold(), one.key))
