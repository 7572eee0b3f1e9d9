"""Pyramids and peer summaries: rows -> files of a format, with a report of what that could not hold."""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet

from annotations.exporting import Exported, export, folder_of
from annotations.formats import FORMATS, PYRAMID_FORMATS, Format, PyramidFormat, ducview
from annotations.formats.archive import add
from annotations.formats.losses import LOSSES_FILE, Lost
from annotations.formats.pyramid import NOT_IN_PYRAMID, SCU, Contributor, Part, PeerAnnotation, Pyramid, Summary
from annotations.models import Coding, Judgement, Project, Segment
from annotations.models.coding import KINDS_OF_AGREED
from annotations.moment import one_moment
from annotations.progress import Progress
from annotations.scus import PYRAMIDS, contributors_of, descriptions_of, pyramid_against

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 60
# A key that a file can hold as it is.
UID = re.compile(r"[1-9]\d{0,8}", re.ASCII)


def formats_of(project: Project) -> Mapping[str, Format] | Mapping[str, PyramidFormat]:
    """The formats in which the codings of the project come in and go out."""
    return PYRAMID_FORMATS if project.answers == Project.Answers.SCUS else FORMATS


def check_format(project: Project, format_key: str) -> None:
    """Raise ValidationError where the project's codings are not held by that format, and say which hold them."""
    if format_key in formats_of(project):
        return
    if project.answers == Project.Answers.SCUS:
        labels = ", ".join(f"{one.label} ({key})" for key, one in PYRAMID_FORMATS.items())
        message = f"{project.slug} is a project of pyramids, which this format does not hold; use {labels}."
    else:
        label = PYRAMID_FORMATS[format_key].label
        message = f"{label} belong to projects of the scheme “pyramid”; {project.slug} is none. Make one for them."
    raise ValidationError(message)


@dataclass(frozen=True, slots=True)
class Keyed:
    """A pyramid as files hold it, and the keys of its SCUs by their uids."""

    pyramid: Pyramid
    keys: Mapping[int, str]

    @property
    def uids(self) -> dict[str, int]:
        return {key: uid for uid, key in self.keys.items()}


def uids_of(keys: Collection[str]) -> dict[str, int]:
    """A uid for each key of an SCU: the number that it is, else one that is free."""
    uids = {key: int(key) for key in keys if UID.fullmatch(key)}
    free = (uid for uid in range(1, 10**9) if str(uid) not in uids)
    return uids | dict(zip(sorted(set(keys) - set(uids)), free, strict=False))


def pyramid_of(coding: Coding) -> Keyed:
    """The coder's pyramid, the heaviest SCUs first, then by uid; comments of contributors are notes. Six queries."""
    said, notes = descriptions_of(coding), _notes(coding)
    contributors: dict[str, list[Contributor]] = {key: [] for key in said}
    for one in contributors_of(coding):
        for key in one.scus:
            made = Contributor(_parts(one.parts), comment=notes.get(one.key, ""))
            contributors.setdefault(key, []).append(made)
    nothing = {"label": "", "comment": ""}
    uids = uids_of(contributors)
    scus = [
        SCU(uids[key], said.get(key, nothing)["label"], tuple(of), said.get(key, nothing)["comment"])
        for key, of in contributors.items()
    ]
    docset = coding.text.docset
    assert docset is not None
    stretches = Segment.objects.filter(text=coding.text_id, kind=Segment.Kind.SUMMARY).order_by("start")
    summaries = tuple(Summary(*row) for row in stretches.values_list("label", "start", "end"))
    pyramid = Pyramid(coding.text.content, docset.boundary, summaries, tuple(scus))
    ordered = sorted(scus, key=lambda scu: (-pyramid.weight(scu), scu.uid))
    return Keyed(
        Pyramid(pyramid.text, pyramid.boundary, summaries, tuple(ordered)), {uid: key for key, uid in uids.items()}
    )


def peer_of(coding: Coding, against: Keyed) -> PeerAnnotation:
    """What the coder says of a peer summary; `against` is the pyramid that it is held against."""
    marks: dict[int, list[Contributor]] = defaultdict(list)
    notes, uids = _notes(coding), against.uids
    outside = set(
        Judgement.objects.filter(coding=coding, category__takes_index=False).values_list("markable__key", flat=True)
    )
    for one in contributors_of(coding):
        made = Contributor(_parts(one.parts), comment=notes.get(one.key, ""))
        for key in one.scus:
            if key in uids:
                marks[uids[key]].append(made)
        if one.key in outside:
            marks[NOT_IN_PYRAMID].append(made)
    return PeerAnnotation(against.pyramid, coding.text.content, {uid: tuple(of) for uid, of in marks.items()})


def _parts(parts: Sequence[Sequence[int]]) -> tuple[Part, ...]:
    return tuple(Part(start, end) for start, end in parts)


def _notes(coding: Coding) -> dict[str, str]:
    return dict(Judgement.objects.filter(coding=coding).exclude(note="").values_list("markable__key", "note"))


@dataclass(slots=True)
class _Losses:
    """What files cannot hold, by what it is."""

    found: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, what: str, where: str) -> None:
        self.found[what].append(where)

    def told(self) -> list[Lost]:
        return [Lost(what, len(of), tuple(of[:MOST_EXAMPLES])) for what, of in sorted(self.found.items())]


def export_files(
    project: Project,
    format_key: str,
    out: IO[bytes] | None,
    *,
    options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    coders: Sequence[str] = (),
    texts: Sequence[str] = (),
    unfinished: bool = False,
) -> Exported:
    """Export codings in any format of the project's; see exporting.export. Raises ValidationError on another."""
    check_format(project, format_key)
    if format_key not in PYRAMID_FORMATS:
        which = {"coders": coders, "texts": texts, "unfinished": unfinished}
        return export(project, format_key, out, options=options, progress=progress, **which)
    codings = Coding.objects.filter(text__project=project).exclude(kind=Coding.Kind.TEXT)
    if coders:
        codings = codings.filter(coder__username__in=coders)
    if texts:
        codings = codings.filter(text__slug__in=texts)
    if not unfinished:
        codings = codings.filter(status=Coding.Status.SUBMITTED)
    return _export(codings, out, progress)


def _export(codings: QuerySet[Coding], out: IO[bytes] | None, progress: Progress | None) -> Exported:
    """Write a zip of files, a folder for each coder, and the list of losses."""
    report, losses, texts = Exported(), _Losses(), set[int]()
    archive = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) if out is not None else None
    ordered = codings.order_by("coder__username", "text__slug", "kind").select_related("coder", "text__docset")
    with one_moment():
        found = list(_files(list(ordered), losses))
    # Only now: in a moment in which one reads nothing can be written, not even how far one is.
    for number, (coding, path, data) in enumerate(found):
        if progress is not None and number % 50 == 0:
            progress(number, len(found))
        report.codings, report.files = report.codings + 1, report.files + 1
        texts.add(coding.text_id)
        if archive is not None:
            add(archive, path, data)
    report.texts, report.losses = len(texts), losses.told()
    if archive is not None:
        if report.losses:
            add(archive, LOSSES_FILE, "".join(f"{loss}\n" for loss in report.losses).encode())
        archive.close()
    return report


def _files(codings: Sequence[Coding], losses: _Losses) -> Iterator[tuple[Coding, str, bytes]]:
    """The codings with their files; a pyramid is read once, however many peers are held against it."""
    pyramids: dict[int, Keyed] = {}

    def pyramid(coding: Coding) -> Keyed:
        if coding.pk not in pyramids:
            pyramids[coding.pk] = pyramid_of(coding)
        return pyramids[coding.pk]

    for coding in codings:
        where = f"{coding.coder.get_username()}, {coding.text.slug}"
        agreed = ".agreed" if coding.kind in KINDS_OF_AGREED else ""
        path = f"{folder_of(coding.coder.get_username())}/{coding.text.slug}{agreed}"
        if coding.kind in PYRAMIDS:
            keyed = pyramid(coding)
            _tell(coding, keyed, where, losses)
            for said in ducview.lost(keyed.pyramid):
                losses.add("what the file cannot hold of a pyramid", f"{where}: {said}")
            yield coding, f"{path}{ducview.PYRAMID_SUFFIX}", ducview.write_pyramid(keyed.pyramid)
            continue
        against = pyramid_against(coding)
        if against is None:
            losses.add("peers without the pyramid that they are held against", where)
            continue
        annotation = peer_of(coding, pyramid(against))
        _tell(coding, None, where, losses)
        for said in ducview.lost(annotation):
            losses.add("what the file cannot hold of a peer", f"{where}: {said}")
        yield coding, f"{path}{ducview.PEER_SUFFIX}", ducview.write_peer(annotation)


def _tell(coding: Coding, keyed: Keyed | None, where: str, losses: _Losses) -> None:
    """What the rows say that no file has a place for."""
    text = coding.text
    if text.title != text.slug:
        losses.add("titles (the file has the address)", f"{where}: {text.title}")
    if text.system:
        losses.add("which system wrote a peer", f"{where}: {text.system}")
    if keyed is not None:
        for uid, key in keyed.keys.items():
            if key != str(uid):
                losses.add("keys of SCUs that are no numbers (others instead)", f"{where}: {key[:LONGEST_EXAMPLE]}")
    judged = coding.judgements.filter(markable__level__coded=True)
    for key in judged.filter(unsure=True).values_list("markable__key", flat=True):
        losses.add("answers called unsure", f"{where}: {key}")
    waiting = judged.filter(Q(category=None) | Q(category__takes_index=True), indices=None)
    for key in waiting.values_list("markable__key", flat=True):
        losses.add("contributors without an SCU", f"{where}: {key}")
