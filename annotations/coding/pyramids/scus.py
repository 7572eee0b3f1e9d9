"""The SCUs of pyramids and of peer summaries, and checks of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from annotations.coding.decisions import Description, MoveMarkable, OperationRejected, WritingOperation
from annotations.coding.pyramids.pyramid_rules import (
    Contributor,
    PyramidOptions,
    contributing_summaries,
    pyramid_violations,
)
from annotations.models import SCU, Coding, Index, Judgement, Operation, Segment, Text

PYRAMID_KINDS = (Coding.Kind.PYRAMID, Coding.Kind.AGREED)
# Operations that may name an SCU for the first time.
NAMING_KINDS = (Operation.Kind.JUDGE, Operation.Kind.DESCRIBE, Operation.Kind.IMPORT, Operation.Kind.DRAFT)
# The kind of pyramid that each kind of peer coding is compared with.
PYRAMID_OF_PEER_KIND = {Coding.Kind.PEER: Coding.Kind.PYRAMID, Coding.Kind.PEER_AGREED: Coding.Kind.AGREED}


def pyramid_of_peer(coding: Coding) -> Coding | None:
    """Return the pyramid for a coding of a peer summary; None if there is none or the coding is of no peer."""
    kind = PYRAMID_OF_PEER_KIND.get(Coding.Kind(coding.kind))
    if kind is None:
        return None
    pyramids = Coding.objects.of_coders().filter(
        text__docset=coding.text.docset_id, text__role=Text.Role.MODELS, kind=kind
    )
    return (pyramids.filter(coder=coding.coder_id) if kind == Coding.Kind.PYRAMID else pyramids).first()


def check_pyramid(coding: Coding, operations: Mapping[int, WritingOperation]) -> None:
    """Raise OperationRejected if a batch, by position, leaves invalid contributors; earlier violations may stay."""
    touched: dict[str, int] = {}
    for position, operation in operations.items():
        if not isinstance(operation, Description):
            touched[operation.to if isinstance(operation, MoveMarkable) else operation.markable] = position
    if not touched:
        return
    project = coding.text.project
    is_peer = coding.kind in PYRAMID_OF_PEER_KIND
    if not is_peer:  # in a pyramid each contributor has an SCU or waits for one
        outside = Judgement.objects.filter(coding=coding, markable__key__in=touched, category__takes_index=False)
        for key in outside.values_list("markable__key", flat=True)[:1]:
            message = "Words that express no SCU are not marked in a pyramid."
            raise OperationRejected("not_in_pyramid", message, touched[key])
    violations = pyramid_violations(
        contributors_of(coding),
        PyramidOptions(project.one_contributor, project.words_exclusive),
        summaries=None if is_peer else summary_spans(coding.text_id),
        scus=_allowed_scu_keys(coding) if is_peer else None,
    )
    for violation in violations:
        positions = [touched[key] for key in violation.contributors if key in touched]
        if positions:
            raise OperationRejected(violation.code, violation.message, max(positions))


def visible_pyramid_of_peer(coding: Coding) -> Coding | None:
    """Return the pyramid for a coding of a peer summary, if its coder may see it."""
    # An agreed pyramid is visible once it is submitted, and not while the coder's own pyramid is open.
    pyramid = pyramid_of_peer(coding)
    if pyramid is None or pyramid.kind != Coding.Kind.AGREED:
        return pyramid
    own_pyramids = Coding.objects.of_coders().filter(
        text=pyramid.text_id, coder=coding.coder_id, kind=Coding.Kind.PYRAMID
    )
    is_coding = own_pyramids.filter(status=Coding.Status.OPEN).exists()
    return None if is_coding or pyramid.status != Coding.Status.SUBMITTED else pyramid


def _allowed_scu_keys(coding: Coding) -> set[str]:
    """Return the keys of the SCUs that the coder of a peer summary may name."""
    # While the agreed pyramid is reopened, the keys in the coding's own log are allowed: judgements stay, and an
    # unmarking can be undone. Whether the pyramid still has them is not disclosed.
    pyramid = visible_pyramid_of_peer(coding)
    if pyramid is not None:
        return scu_keys(pyramid)
    if coding.kind != Coding.Kind.PEER_AGREED:
        return set()
    operations = coding.operations.filter(kind__in=(Operation.Kind.JUDGE, Operation.Kind.IMPORT))
    keys: set[str] = set()
    for payload in operations.values_list("payload", flat=True):
        for judgement in payload.get("judgements", [payload]):
            keys.update(judgement.get("indices", ()))
    return keys


def contributors_of(coding: Coding) -> list[Contributor]:
    """Return the contributors of a coding in text order, each with SCUs. Two queries."""
    scus: dict[int, list[str]] = defaultdict(list)
    indices = Index.objects.filter(judgement__coding=coding).order_by("pk")
    for judgement, key in indices.values_list("judgement", "entity"):
        scus[judgement].append(key)
    judgements = Judgement.objects.filter(coding=coding, markable__level__coded=True)
    return [
        Contributor(key, parts, tuple(scus[pk]))
        for pk, key, parts in judgements.order_by("markable__start", "-markable__end", "markable__key").values_list(
            "pk", "markable__key", "markable__parts"
        )
    ]


def summary_spans(text: int) -> list[tuple[int, int]]:
    """Return the spans of the model summaries of the text, in text order."""
    return list(
        Segment.objects.filter(text=text, kind=Segment.Kind.SUMMARY).order_by("start").values_list("start", "end")
    )


def scu_keys(coding: Coding) -> set[str]:
    """Return the keys of a pyramid's SCUs that have a contributor, a label or a comment."""
    contributed = Index.objects.filter(judgement__coding=coding).values_list("entity", flat=True)
    return {*contributed, *SCU.objects.filter(coding=coding).values_list("key", flat=True)}


def scu_numbers(coding: Coding) -> dict[str, int]:
    """Return the permanent numbers of a pyramid's SCUs: the order in which its log names them, even deleted ones."""
    operations = coding.operations.filter(kind__in=NAMING_KINDS).order_by("sequence")
    keys: dict[str, None] = {}
    for payload in operations.values_list("payload", flat=True):
        for judgement in payload.get("judgements", [payload]):
            keys.update(dict.fromkeys(str(key) for key in judgement.get("indices", ())))
        keys.update(dict.fromkeys(scu["scu"] for scu in payload.get("scus", [payload]) if "scu" in scu))
    return {key: number for number, key in enumerate(keys, 1)}


def scu_descriptions(coding: Coding) -> dict[str, dict[str, str]]:
    """Return the label and comment of each SCU of a pyramid, by SCU key."""
    rows = SCU.objects.filter(coding=coding).order_by("pk").values_list("key", "label", "comment")
    return {key: {"label": label, "comment": comment} for key, label, comment in rows}


@dataclass(frozen=True, slots=True)
class WeightedSCU:
    """An SCU with its weight (the number of model summaries that contribute to it) and its contributors' words."""

    key: str
    label: str
    comment: str
    weight: int
    contributors: tuple[str, ...]

    def state(self) -> dict[str, Any]:
        return asdict(self) | {"contributors": list(self.contributors)}


def weighted_scus(coding: Coding) -> list[WeightedSCU]:
    """Return the SCUs of a pyramid, heaviest first, then by label and key. Five queries."""
    text = Text.objects.get(pk=coding.text_id)
    summaries = summary_spans(text.pk)
    descriptions = scu_descriptions(coding)
    contributors = contributors_of(coding)
    words: dict[str, list[str]] = defaultdict(list)
    for contributor in contributors:
        for key in contributor.scus:
            words[key].append(" … ".join(" ".join(text.content[start:end].split()) for start, end in contributor.parts))
    nothing = {"label": "", "comment": ""}
    rows = [
        WeightedSCU(key, **descriptions.get(key, nothing), weight=len(set(indices)), contributors=tuple(words[key]))
        for key, indices in contributing_summaries(contributors, summaries, descriptions).items()
    ]
    return sorted(rows, key=lambda scu: (-scu.weight, scu.label.casefold(), scu.key))
