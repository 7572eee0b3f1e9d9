"""Pyramids and peer summaries of files -> rows.

A file is imported wholly or not at all, and does not keep the others from it. Pyramids come before the peers that are
held against them, whatever the order of the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from annotations import actions, docsets, operations
from annotations.decisions import Decision, Description, Refused, read
from annotations.formats import PYRAMID_FORMATS, Bundle, Finding, FormatError, ducview
from annotations.formats.format import alone, stem
from annotations.formats.pyramid import NOT_IN_PYRAMID, PeerAnnotation, Pyramid
from annotations.importing import ImportFailed, Report, import_brought, read_sources
from annotations.importing.marked import Marked, differences, marked, refuse_faults, words
from annotations.importing.report import Failure
from annotations.importing.sources import Source, name_and_coder
from annotations.models import Category, Coding, Docset, Level, Markable, Project, Text, User
from annotations.models.pyramid import DOCSET_SLUG_LENGTH
from annotations.models.text import TEXT_SLUG_LENGTH
from annotations.progress import Progress
from annotations.pyramid_files import check_format, pyramid_of
from annotations.scus import summaries_of

CONTRIBUTOR = "contributor"
# Before the suffix of what an export has of the agreed pyramid.
AGREED = ".agreed"


def import_sources(
    project: Project,
    format_key: str,
    sources: Sequence[Source],
    coder_from: str,
    options: Mapping[str, str],
    *,
    by: User | None = None,
    predefined: bool = False,
    create: bool = False,
    trial: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Read files of any format of the project's and import them; see import_documents and read_sources.

    Options of pyramids: docset, the address of that which the files belong to; empty: the one that is named as the
    file, else the one of the same text. Raises ImportFailed where the project does not take the format.
    """
    try:
        check_format(project, format_key)
    except ValidationError as error:
        raise ImportFailed(" ".join(error.messages)) from None
    how = {"by": by, "create": create, "trial": trial, "progress": progress}
    if format_key not in PYRAMID_FORMATS:
        brought = read_sources(format_key, sources, coder_from, options)
        return import_brought(project, brought, predefined=predefined, **how)
    return import_pyramids(project, read_pyramids(sources, coder_from), docset=options.get("docset", ""), **how)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class PyramidFile:
    """A file that was read: its name without folders, suffix and coder, and the coder, or None."""

    name: str
    coder: str | None
    held: Pyramid | PeerAnnotation

    @property
    def file(self) -> str:
        return self.held.file


@dataclass(slots=True)
class BroughtPyramids:
    """What files brought: those that were read, those that could not be, and those that are of another format."""

    files: list[PyramidFile] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def read_pyramids(sources: Sequence[Source], coder_from: str) -> BroughtPyramids:
    """Read the files. coder_from: where a coder's name stands, as read_sources takes it; nobody: summaries only.

    What an export has of the agreed pyramid is left out: read, it would be somebody's own.
    """
    brought = BroughtPyramids(left_out=[source.name for source in sources if source.aside])
    for source in sources:
        if source.aside:
            continue
        if source.found and not alone([source.name], ducview.FORMAT.suffixes):
            brought.left_out.append(source.name)
            continue
        if _of_agreed(source.name, coder_from):
            message, fix = "it is of the agreed pyramid", "left out; the archive of a project brings agreed ones back"
            brought.findings.append(Finding("agreed", message, source.name, fix=fix))
            continue
        try:
            held = ducview.read(Bundle.of(source.name, source.data))
            brought.files.append(PyramidFile(*name_and_coder(source.name, coder_from), held))
        except FormatError as error:
            brought.failures.append(Failure(source.name, str(error)))
    return brought


def _of_agreed(file: str, coder_from: str) -> bool:
    """Whether the file is called as an export calls what is of the agreed pyramid, with or without a coder's name."""
    name = stem(file)
    return name.endswith(AGREED) or (coder_from == "name" and name.rpartition(".")[0].endswith(AGREED))


def import_pyramids(
    project: Project,
    brought: BroughtPyramids,
    *,
    docset: str = "",
    by: User | None = None,
    create: bool = False,
    trial: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Write what files brought into the project and say what that did; codings are handed in.

    docset: the address of the docset that all files belong to. by, create, trial, progress: as import_documents takes
    them. Raises ImportFailed, and then nothing is changed.
    """
    report = Report(failures=list(brought.failures), findings=list(brought.findings), left_out=brought.left_out)
    writing = _Writing(project, docset, by, create, report)
    files = sorted(brought.files, key=lambda one: isinstance(one.held, PeerAnnotation))
    try:
        with transaction.atomic():
            for number, one in enumerate(files):
                if progress is not None:
                    progress(number, len(files))
                writing.take(one)
            if trial:
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise ImportFailed("The project changed while the files were read; try again.") from error
    return report


@dataclass(slots=True)
class _Writing:
    """Writes file after file and tells the report."""

    project: Project
    docset: str
    by: User | None
    create: bool
    report: Report
    categories: dict[bool, str] = field(init=False)

    def __post_init__(self) -> None:
        if not Level.objects.filter(project=self.project, coded=True, key=CONTRIBUTOR).exists():
            raise ImportFailed(f"The scheme has no level {CONTRIBUTOR!r} any more, of which contributors are.")
        taking = Category.objects.filter(project=self.project).order_by("-position")
        self.categories = dict(taking.values_list("takes_index", "key"))

    def take(self, one: PyramidFile) -> None:
        """Write all of a file; where something is wrong with it, nothing, and the report says what."""
        told = Report()
        try:
            with transaction.atomic():
                if isinstance(one.held, PeerAnnotation):
                    self._peer(one, one.held, told)
                else:
                    self._pyramid(one, one.held, told)
        except (FormatError, Refused) as error:
            message = str(error) if isinstance(error, FormatError) else f"{one.file}: {error}"
            self.report.failures.append(Failure(one.file, message))
        except ValidationError as error:
            self.report.failures.append(Failure(one.file, f"{one.file}: {_all_messages(error)}"))
        else:
            told.documents = 1
            for name in ("documents", "texts", "markables", "codings", "judgements", "unchanged"):
                setattr(self.report, name, getattr(self.report, name) + getattr(told, name))
            self.report.new_coders += told.new_coders
            self.report.findings += [*one.held.findings, *told.findings]

    def _pyramid(self, one: PyramidFile, pyramid: Pyramid, told: Report) -> None:
        docset = self._docset_of(one, pyramid, told) or self._new_docset(one, pyramid, told)
        if one.coder is None:
            if pyramid.scus:
                _odd(told, one, "nobody", "it is nobody's, so its SCUs are left out")
            return
        text = docset.texts.get(role=Text.Role.MODELS)
        found = marked(
            [(str(scu.uid), scu.contributors) for scu in pyramid.scus], text.content, one.file, told.findings
        )
        summaries = summaries_of(text.pk)
        if summaries != [(summary.start, summary.end) for summary in pyramid.summaries]:
            _odd(told, one, "other-summaries", "its expression finds other summaries", "those of the docset hold")
        refuse_faults(found.values(), self.project, one.file, text.content, summaries)
        descriptions = []
        for scu in pyramid.scus:
            description = Description(str(scu.uid), scu.label, scu.comment)
            if scu.label or scu.comment:
                read("describe", description.payload())
                descriptions.append(description)
            elif not scu.contributors:
                _odd(told, one, "empty-scu", f"SCU {scu.uid} says nothing and is left out")
        self._fill(text, self._coder(one.coder, told), Coding.Kind.PYRAMID, found.values(), descriptions, told)

    def _docset_of(self, one: PyramidFile, pyramid: Pyramid, told: Report) -> Docset | None:
        """The docset that the file belongs to, or None. Raises FormatError where its text is another."""
        named = self.docset or (_slug_of(one) if isinstance(one.held, Pyramid) else "")
        docset = Docset.objects.filter(project=self.project, slug=named).first() if named else None
        if docset is None and self.docset:
            raise FormatError(f"{self.project.slug} has no docset {self.docset!r}", one.file)
        texts = Text.objects.filter(project=self.project, role=Text.Role.MODELS)
        if docset is not None:
            content = texts.filter(docset=docset).values_list("content", flat=True).get()
            if content != pyramid.text:
                place = _first_difference(content, pyramid.text)
                message = (
                    f"the docset {docset.slug} has other summaries, {place}; choose another docset or rename the file"
                )
                raise FormatError(message, one.file)
            return docset
        same = texts.filter(content=pyramid.text).select_related("docset").first()
        if same is None:
            return None
        if isinstance(one.held, Pyramid):
            _odd(told, one, "docset-by-text", f"its text is that of the docset {same.docset}", "it belongs there")
        return same.docset

    def _new_docset(self, one: PyramidFile, pyramid: Pyramid, told: Report) -> Docset:
        told.texts += 1
        return docsets.docset_of(
            self.project, _slug_of(one), one.name, pyramid.text, pyramid.boundary, pyramid.summaries
        )

    def _peer(self, one: PyramidFile, annotation: PeerAnnotation, told: Report) -> None:
        docset = self._docset_of(one, annotation.pyramid, told)
        if docset is None:
            message = "no docset has the summaries of its pyramid; import the pyramid (.pyr) first, or with it"
            raise FormatError(message, one.file)
        peer = self._peer_text(one, annotation, docset, told)
        if one.coder is None:
            if annotation.marks:
                _odd(told, one, "nobody", "it is nobody's, so its contributors are left out")
            return
        coder = self._coder(one.coder, told)
        kind, keys = self._against(one, annotation.pyramid, docset, coder, told)
        if annotation.comments:
            count = len(annotation.comments)
            _odd(told, one, "peer-comments", f"comments on {count} SCUs of a peer", "left out")
        inside = [(keys[uid], of) for uid, of in annotation.marks.items() if uid != NOT_IN_PYRAMID]
        found = marked(inside, peer.content, one.file, told.findings)
        outside = marked([("", annotation.marks.get(NOT_IN_PYRAMID, ()))], peer.content, one.file, told.findings)
        for parts, mark in outside.items():
            if parts in found:
                message = f"{words(peer.content, parts)} expresses an SCU and none"
                _odd(told, one, "in-and-out", message, "the SCU holds")
            else:
                found[parts] = Marked(parts, [], mark.comments)
        refuse_faults(found.values(), self.project, one.file, peer.content, None)
        self._fill(peer, coder, kind, found.values(), [], told)

    def _peer_text(self, one: PyramidFile, annotation: PeerAnnotation, docset: Docset, told: Report) -> Text:
        """The peer's text: that of the name, else the one that says the same, else a new one."""
        slug = _slug_of(one)
        there = Text.objects.filter(project=self.project, slug=slug).first()
        if there is not None:
            if (there.docset_id, there.role, there.content) == (docset.pk, Text.Role.PEER, annotation.text):
                return there
            message = f"the project has another text called {slug}; rename the file"
            if there.docset_id == docset.pk and there.role == Text.Role.PEER:
                place = _first_difference(there.content, annotation.text)
                message = f"the peer {slug} says something else, {place}; rename the file"
            raise FormatError(message, one.file)
        same = docset.texts.filter(role=Text.Role.PEER, content=annotation.text).first()
        if same is not None:
            _odd(told, one, "peer-by-text", f"its text is that of the peer {same}", "it belongs there")
            return same
        told.texts += 1
        return docsets.add_peer(docset, slug, one.name, annotation.text)

    def _against(
        self, one: PyramidFile, pyramid: Pyramid, docset: Docset, coder: User, told: Report
    ) -> tuple[Coding.Kind, dict[int, str]]:
        """What the peer is held against, and the keys of its SCUs: the coder's own pyramid, else the agreed one.

        Raises FormatError where neither is the pyramid in the file, and says in what the own one differs.
        """
        codings = Coding.objects.filter(text__docset=docset, text__role=Text.Role.MODELS).select_related("text__docset")
        own = codings.filter(kind=Coding.Kind.PYRAMID, coder=coder).first()
        agreed = codings.filter(kind=Coding.Kind.AGREED, status=Coding.Status.SUBMITTED).first()
        message = f"{coder} has no pyramid of the docset {docset.slug}; import it (.pyr) first, or with this file"
        for against, kind in ((own, Coding.Kind.PEER), (agreed, Coding.Kind.PEER_AGREED)):
            if against is None:
                continue
            keyed = pyramid_of(against)
            different = differences(pyramid, keyed.pyramid)
            if not different:
                for uid in _other_labels(pyramid, keyed.pyramid):
                    _odd(told, one, "other-label", f"SCU {uid} is called otherwise", "the label here holds")
                return kind, dict(keyed.keys)
            if against is own:
                more = f" (and {len(different) - 1} more)" if len(different) > 1 else ""
                message = f"the pyramid in it is not that of {coder}: {different[0]}{more}"
        raise FormatError(message, one.file)

    def _coder(self, name: str, told: Report) -> User:
        member = self.project.members.filter(username__iexact=name).exists()
        coder = actions.coder_of(self.project, name, create=self.create)
        if not member:
            told.new_coders.append(coder.get_username())
        return coder

    def _fill(
        self,
        text: Text,
        coder: User,
        kind: Coding.Kind,
        found: Iterable[Marked],
        descriptions: Sequence[Description],
        told: Report,
    ) -> None:
        """Fill the coding, unless it says the same already. Raises ValidationError where somebody has begun it."""
        decisions = [
            Decision(mark.key(CONTRIBUTOR), self.categories[bool(mark.scus)], indices=tuple(mark.scus), note=mark.note)
            for mark in sorted(found, key=lambda mark: mark.parts)
        ]
        codings = Coding.objects.select_for_update(of=("self",)).filter(text=text, coder=coder, kind=kind)
        coding = codings.first() or Coding(text=text, coder=coder, kind=kind)
        if coding.version:
            log = operations.Filled(coding, coder, decisions, {}, {}, descriptions).log()
            if list(coding.operations.order_by("sequence").values_list("kind", "payload")) != log:
                raise ValidationError(f"{coder} has coded {text.slug} already; it stays as it is")
            told.unchanged += 1
            return
        keys = [decision.markable for decision in decisions]
        told.markables += len(keys) - Markable.objects.filter(text=text, key__in=keys).count()
        docsets.fill(coding, self.by or coder, decisions, descriptions)
        told.codings += 1
        told.judgements += len(decisions)


def _slug_of(one: PyramidFile) -> str:
    longest = TEXT_SLUG_LENGTH if isinstance(one.held, PeerAnnotation) else DOCSET_SLUG_LENGTH
    slug = slugify(one.name, allow_unicode=False)[:longest].strip("-_")
    if not slug:
        raise FormatError(f"no address can be made of the name {one.name!r}", one.file)
    return slug


def _odd(told: Report, one: PyramidFile, code: str, message: str, fix: str = "") -> None:
    told.findings.append(Finding(code, message, one.file, fix=fix))


def _all_messages(error: ValidationError) -> str:
    if hasattr(error, "error_dict"):
        return " ".join(f"{name}: {' '.join(of)}" for name, of in error.message_dict.items())
    return " ".join(error.messages)


def _first_difference(here: str, there: str) -> str:
    """Where two texts part, in words."""
    place = next((at for at, (one, other) in enumerate(zip(here, there, strict=False)) if one != other), None)
    if place is None:
        place = min(len(here), len(there))
    line = here.count("\n", 0, place) + 1
    return f"from line {line} on ({_shown(here, place)} here, {_shown(there, place)} in the file)"


def _shown(text: str, place: int) -> str:
    return f"“{' '.join(text[max(0, place - 15) : place + 15].split())}”" if place < len(text) else "nothing more"


def _other_labels(one: Pyramid, other: Pyramid) -> list[int]:
    labels = {scu.uid: scu.label.split() for scu in other.scus}
    return [scu.uid for scu in one.scus if labels.get(scu.uid, scu.label.split()) != scu.label.split()]
