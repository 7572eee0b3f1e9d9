"""Export pyramids and peer summaries as files, with a report of losses."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import IO

from django.db.models import Q, QuerySet

from annotations.coding.pyramids.scus import PYRAMID_KINDS, contributors_of, pyramid_of_peer, scu_descriptions
from annotations.core.database.queries import read_snapshot
from annotations.core.processes.progress import Progress, reported
from annotations.formats import File, ducview
from annotations.formats.losses.reduction import OtherLoss
from annotations.formats.model.pyramid import (
    NOT_IN_PYRAMID,
    SCU,
    Contributor,
    ContributorPart,
    PeerAnnotation,
    Pyramid,
    Summary,
)
from annotations.models import Coding, Judgement, Segment
from annotations.models.coding import AGREED_KINDS
from annotations.transfers.exporting.codings import ExportReport, Package
from annotations.transfers.importing.files.addresses import folder_of

MAX_EXAMPLES = 5
MAX_EXAMPLE_LENGTH = 60
# A key that files can contain unchanged.
UID = re.compile(r"[1-9]\d{0,8}", re.ASCII)


@dataclass(frozen=True, slots=True)
class KeyedPyramid:
    """A pyramid in the model of the formats, and the keys of its SCUs by uid."""

    pyramid: Pyramid
    keys: Mapping[int, str]


def assign_uids(keys: Collection[str]) -> dict[str, int]:
    """Return a uid for each SCU key: the key itself if it is a number, else a free number."""
    uids = {key: int(key) for key in keys if UID.fullmatch(key)}
    free = (uid for uid in range(1, 10**9) if str(uid) not in uids)
    return uids | dict(zip(sorted(set(keys) - set(uids)), free, strict=False))


def pyramid_of(coding: Coding) -> KeyedPyramid:
    """Return the coder's pyramid, heaviest SCUs first, then by uid; notes become comments. Six queries."""
    descriptions = scu_descriptions(coding)
    contributors: dict[str, list[Contributor]] = {key: [] for key in descriptions}
    for keys, contributor in _contributors(coding).values():
        for key in keys:
            contributors.setdefault(key, []).append(contributor)
    uids = assign_uids(contributors)
    scus = []
    for key, of_scu in contributors.items():
        description = descriptions.get(key, {"label": "", "comment": ""})
        scus.append(SCU(uids[key], description["label"], tuple(of_scu), description["comment"]))
    docset = coding.text.docset
    assert docset is not None
    segments = Segment.objects.filter(text=coding.text_id, kind=Segment.Kind.SUMMARY).order_by("start")
    summaries = tuple(Summary(*row) for row in segments.values_list("label", "start", "end"))
    pyramid = Pyramid(coding.text.content, docset.boundary, summaries, tuple(scus))
    ordered = sorted(scus, key=lambda scu: (-pyramid.weight(scu), scu.uid))
    return KeyedPyramid(replace(pyramid, scus=tuple(ordered)), {uid: key for key, uid in uids.items()})


def peer_of(coding: Coding, pyramid: KeyedPyramid) -> PeerAnnotation:
    """Return the coder's annotation of a peer summary against `pyramid`."""
    marks: dict[int, list[Contributor]] = defaultdict(list)
    uids = {key: uid for uid, key in pyramid.keys.items()}
    outside = set(
        Judgement.objects.filter(coding=coding, category__takes_index=False).values_list("markable__key", flat=True)
    )
    for markable, (keys, contributor) in _contributors(coding).items():
        for key in keys:
            if key in uids:
                marks[uids[key]].append(contributor)
        if markable in outside:
            marks[NOT_IN_PYRAMID].append(contributor)
    return PeerAnnotation(
        pyramid.pyramid, coding.text.content, {uid: tuple(contributors) for uid, contributors in marks.items()}
    )


def _contributors(coding: Coding) -> dict[str, tuple[Sequence[str], Contributor]]:
    """Return the contributors of a coding by markable, each with the keys of its SCUs."""
    notes = dict(Judgement.objects.filter(coding=coding).exclude(note="").values_list("markable__key", "note"))
    return {
        contributor.key: (
            contributor.scus,
            Contributor(
                tuple(ContributorPart(start, end) for start, end in contributor.parts),
                comment=notes.get(contributor.key, ""),
            ),
        )
        for contributor in contributors_of(coding)
    }


type Losses = dict[str, list[str]]  # examples by kind


def export_pyramids(codings: QuerySet[Coding], out: IO[bytes] | None, progress: Progress | None) -> ExportReport:
    """Write a zip of files, with a folder for each coder and the report of losses."""
    report, texts = ExportReport(), set[int]()
    losses: Losses = defaultdict(list)
    codings_in_order = codings.order_by("coder__username", "text__slug", "kind").select_related("coder", "text__docset")
    with read_snapshot():
        files = list(_files(list(codings_in_order), losses))
    with Package(out) as package:
        # Progress cannot be written within the snapshot, so this follows it.
        for coding, file in reported(files, progress):
            report.codings += 1
            texts.add(coding.text_id)
            package.add("", [file])
        report.texts, report.files = len(texts), package.n_files
        report.losses = [
            OtherLoss(kind, len(examples), tuple(examples[:MAX_EXAMPLES])) for kind, examples in sorted(losses.items())
        ]
        package.add_losses(report.losses)
    return report


def _files(codings: Sequence[Coding], losses: Losses) -> Iterator[tuple[Coding, File]]:
    """Yield the codings with their files; each pyramid is read once for all its peers."""
    pyramids: dict[int, KeyedPyramid] = {}

    def pyramid(coding: Coding) -> KeyedPyramid:
        if coding.pk not in pyramids:
            pyramids[coding.pk] = pyramid_of(coding)
        return pyramids[coding.pk]

    for coding in codings:
        source = f"{coding.coder.get_username()}, {coding.text.slug}"
        agreed_suffix = ".agreed" if coding.kind in AGREED_KINDS else ""
        path = f"{folder_of(coding.coder.get_username())}/{coding.text.slug}{agreed_suffix}"
        if coding.kind in PYRAMID_KINDS:
            keyed = pyramid(coding)
            _record_losses(coding, keyed, source, losses)
            for loss in ducview.find_losses(keyed.pyramid):
                losses["what the file cannot hold of a pyramid"].append(f"{source}: {loss}")
            yield coding, File(f"{path}{ducview.PYRAMID_SUFFIX}", ducview.write_pyramid(keyed.pyramid))
            continue
        pyramid_coding = pyramid_of_peer(coding)
        if pyramid_coding is None:
            losses["peers without the pyramid that they are held against"].append(source)
            continue
        annotation = peer_of(coding, pyramid(pyramid_coding))
        _record_losses(coding, None, source, losses)
        for loss in ducview.find_losses(annotation):
            losses["what the file cannot hold of a peer"].append(f"{source}: {loss}")
        yield coding, File(f"{path}{ducview.PEER_SUFFIX}", ducview.write_peer(annotation))


def _record_losses(coding: Coding, keyed: KeyedPyramid | None, source: str, losses: Losses) -> None:
    text = coding.text
    if text.title != text.slug:
        losses["titles (the file has the address)"].append(f"{source}: {text.title}")
    if text.system:
        losses["which system wrote a peer"].append(f"{source}: {text.system}")
    if keyed is not None:
        for uid, key in keyed.keys.items():
            if key != str(uid):
                losses["keys of SCUs that are no numbers (others instead)"].append(
                    f"{source}: {key[:MAX_EXAMPLE_LENGTH]}"
                )
    judged = coding.judgements.filter(markable__level__coded=True)
    for key in judged.filter(unsure=True).values_list("markable__key", flat=True):
        losses["answers called unsure"].append(f"{source}: {key}")
    unassigned = judged.filter(Q(category=None) | Q(category__takes_index=True), indices=None)
    for key in unassigned.values_list("markable__key", flat=True):
        losses["contributors without an SCU"].append(f"{source}: {key}")
