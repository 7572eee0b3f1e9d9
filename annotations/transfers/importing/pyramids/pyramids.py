"""Import pyramid files, then peer files coded against them, each completely or not at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotations.coding import imported_codings
from annotations.coding.decisions import Decision, Description, OperationRejected, parse_operation
from annotations.coding.log.replay import is_log_of
from annotations.coding.pyramids.scus import summary_spans
from annotations.core.processes.progress import Progress, report_completion, reported
from annotations.core.text import common_length
from annotations.docsets.agreed_pyramid import fill_coding
from annotations.docsets.creation import add_peer, create_docset_from_text
from annotations.formats import Bundle, Finding, FormatError, ducview
from annotations.formats.model.format import one_file_bundles, stem
from annotations.formats.model.pyramid import NOT_IN_PYRAMID, PeerAnnotation, Pyramid
from annotations.models import Category, Coding, Docset, Level, Markable, Project, Round, Text, User
from annotations.models.docset import DOCSET_SLUG_LENGTH
from annotations.models.text import TEXT_SLUG_LENGTH
from annotations.projects.locks import lock_project
from annotations.projects.people.members import get_or_create_coder
from annotations.projects.rounds import current_round, refuse_closed
from annotations.schemes.project_scheme import SchemeKeys
from annotations.transfers.exporting.pyramids import pyramid_of
from annotations.transfers.importing.files.addresses import compose, slugs_of_name
from annotations.transfers.importing.files.sources import ReadResult, Source, name_and_coder, why_nothing
from annotations.transfers.importing.options import DEFAULTS, ImportOptions
from annotations.transfers.importing.pyramids.contributors import (
    ImportedContributor,
    describe_words,
    differences,
    imported_contributors,
    refuse_violations,
)
from annotations.transfers.importing.report import Failure, ImportFailed, Report

CONTRIBUTOR = "contributor"
# The end of the name, before the suffix, of an exported agreed pyramid.
AGREED_SUFFIX = ".agreed"


@dataclass(frozen=True, slots=True)
class PyramidFile:
    """A file that was read: its name without folders, suffix and coder, and its coder or None."""

    name: str
    coder: str | None
    annotation: Pyramid | PeerAnnotation

    @property
    def file(self) -> str:
        """The name of the file with its folders."""
        return self.annotation.file

    @property
    def slugs(self) -> list[str]:
        """The possible slugs of its docset or peer; a new one gets the first."""
        max_length = TEXT_SLUG_LENGTH if isinstance(self.annotation, PeerAnnotation) else DOCSET_SLUG_LENGTH
        slugs = (slug[:max_length].strip("-_") for slug in slugs_of_name(self.name))
        return [slug for slug in dict.fromkeys(slugs) if slug]


def read_pyramids(
    sources: Sequence[Source], coder_from: str, progress: Progress | None = None
) -> ReadResult[PyramidFile]:
    """Read the files as in `read_sources`. Agreed pyramids are left out; they would become a coder's own."""
    result = ReadResult[PyramidFile](left_out=[source.name for source in sources if source.ignored])
    for source in reported(sources, progress):
        if source.ignored:
            continue
        if source.in_folder and not one_file_bundles([source.name], ducview.FORMAT.suffixes):
            result.left_out.append(source.name)
            continue
        if _is_agreed_export(source.name, coder_from):
            message, fix = "it is of the agreed pyramid", "left out; the archive of a project brings agreed ones back"
            result.findings.append(Finding("agreed", message, source.name, fix=fix))
            continue
        try:
            annotation = ducview.read(Bundle.of(source.name, source.data))
            result.documents.append(PyramidFile(*name_and_coder(source.name, coder_from), annotation))
        except FormatError as error:
            result.failures.append(Failure(source.name, str(error)))
    if not (result.documents or result.failures or result.findings):
        result.reason = why_nothing(ducview.FORMAT, result.left_out)
    return result


def _is_agreed_export(file: str, coder_from: str) -> bool:
    """Return whether the file is named like an exported agreed pyramid, with or without a coder's name."""
    name = stem(file)
    return name.endswith(AGREED_SUFFIX) or (coder_from == "name" and name.rpartition(".")[0].endswith(AGREED_SUFFIX))


def import_pyramids(
    project: Project,
    result: ReadResult[PyramidFile],
    options: ImportOptions = DEFAULTS,
    progress: Progress | None = None,
) -> Report:
    """Write the files as submitted codings, and report them. Raise ImportFailed with nothing changed."""
    report = Report(
        failures=list(result.failures), findings=list(result.findings), left_out=result.left_out, reason=result.reason
    )
    if not Level.objects.filter(project=project, coded=True, key=CONTRIBUTOR).exists():
        raise ImportFailed(f"The scheme has no level {CONTRIBUTOR!r} any more, of which contributors are.")
    files = sorted(result.documents, key=lambda file: isinstance(file.annotation, PeerAnnotation))
    categories = Category.objects.filter(project=project).order_by("-position")
    categories_by_use = dict(categories.values_list("takes_index", "key"))
    try:
        with transaction.atomic():
            lock_project(project.pk)  # no text of the project is corrected meanwhile
            for file in reported(files, progress):
                report.add(_FileWriter(project, options, file, categories_by_use).write())
            if options.trial:
                transaction.set_rollback(True)
            else:
                report_completion(progress, len(files))
    except IntegrityError as error:
        raise ImportFailed("The project changed while the files were read; try again.") from error
    return report


@dataclass(slots=True)
class _FileWriter:
    """A writer of one file. categories: the category of contributors with an SCU (True) and without (False)."""

    project: Project
    options: ImportOptions
    file: PyramidFile
    categories: Mapping[bool, str]
    report: Report = field(default_factory=Report)

    def write(self) -> Report:
        """Write the file and return its report. For an invalid file, write nothing and report a failure."""
        name, annotation = self.file.file, self.file.annotation
        try:
            with transaction.atomic():
                if isinstance(annotation, PeerAnnotation):
                    self._peer(annotation)
                else:
                    self._pyramid(annotation)
        except FormatError as error:
            return Report(failures=[Failure(name, str(error))])
        except OperationRejected as error:
            return Report(failures=[Failure(name, f"{name}: {error}")])
        except ValidationError as error:
            return Report(failures=[Failure(name, f"{name}: {_messages(error)}")])
        self.report.documents = 1
        self.report.findings[:0] = annotation.findings
        return self.report

    def _warn(self, code: str, message: str, fix: str = "") -> None:
        self.report.findings.append(Finding(code, message, self.file.file, fix=fix))

    def _pyramid(self, pyramid: Pyramid) -> None:
        docset = self._docset_of(pyramid)
        if docset is None:
            self.report.texts += 1
            docset = create_docset_from_text(
                self.project, self.file.slugs[0], self.file.name, pyramid.text, pyramid.boundary, pyramid.summaries
            )
        if self.file.coder is None:
            if pyramid.scus:
                self._warn("nobody", "it has no coder, so its SCUs are left out")
            return
        text = docset.texts.get(role=Text.Role.MODELS)
        contributors = imported_contributors(
            [(str(scu.uid), scu.contributors) for scu in pyramid.scus],
            text.content,
            self.file.file,
            self.report.findings,
        )
        summaries = summary_spans(text.pk)
        if summaries != [(summary.start, summary.end) for summary in pyramid.summaries]:
            self._warn("other-summaries", "its expression finds other summaries", "those of the docset hold")
        refuse_violations(contributors.values(), self.project, self.file.file, text.content, summaries)
        descriptions = []
        for scu in pyramid.scus:
            description = Description(str(scu.uid), scu.label, scu.comment)
            if scu.label or scu.comment:
                parse_operation("describe", description.payload())
                descriptions.append(description)
            elif not scu.contributors:
                self._warn("empty-scu", f"SCU {scu.uid} says nothing and is left out")
        self._fill(text, self._coder(self.file.coder), Coding.Kind.PYRAMID, contributors.values(), descriptions)

    def _docset_of(self, pyramid: Pyramid) -> Docset | None:
        """Return the docset of the file, or None. Raise FormatError if it has another text or the option is unknown."""
        docsets = Docset.objects.filter(project=self.project)
        named = self.options.of_format.get("docset")
        if named:
            docset = docsets.filter(slug=named).first()
        else:
            docset = _called(docsets, self.file) if isinstance(self.file.annotation, Pyramid) else None
        if docset is None and named:
            raise FormatError(f"{self.project.slug} has no docset {named!r}", self.file.file)
        texts = Text.objects.filter(project=self.project, role=Text.Role.MODELS)
        if docset is not None:
            content = texts.filter(docset=docset).values_list("content", flat=True).get()
            if content == pyramid.text:
                return docset
            message = f"the docset {docset.slug} has other summaries, {_first_difference(content, pyramid.text)}"
            raise FormatError(f"{message}; choose another docset or rename the file", self.file.file)
        text_with_content = texts.filter(content=pyramid.text).select_related("docset").first()
        if text_with_content is None:
            return None
        if isinstance(self.file.annotation, Pyramid):
            message = f"its text is that of the docset {text_with_content.docset}"
            self._warn("docset-by-text", message, "it belongs there")
        return text_with_content.docset

    def _peer(self, annotation: PeerAnnotation) -> None:
        docset = self._docset_of(annotation.pyramid)
        if docset is None:
            message = "no docset has the summaries of its pyramid; import the pyramid (.pyr) first, or with it"
            raise FormatError(message, self.file.file)
        peer = self._peer_text(annotation, docset)
        if self.file.coder is None:
            if annotation.marks:
                self._warn("nobody", "it has no coder, so its contributors are left out")
            return
        coder = self._coder(self.file.coder)
        kind, keys = self._pyramid_and_keys(annotation.pyramid, docset, coder)
        if annotation.comments:
            self._warn("peer-comments", f"comments on {len(annotation.comments)} SCUs of a peer", "left out")
        inside = [(keys[uid], contributors) for uid, contributors in annotation.marks.items() if uid != NOT_IN_PYRAMID]
        by_parts = imported_contributors(inside, peer.content, self.file.file, self.report.findings)
        outside = imported_contributors(
            [("", annotation.marks.get(NOT_IN_PYRAMID, ()))], peer.content, self.file.file, self.report.findings
        )
        for parts, contributor in outside.items():
            if parts in by_parts:
                message = f"{describe_words(peer.content, parts)} expresses an SCU and none"
                self._warn("in-and-out", message, "the SCU holds")
            else:
                by_parts[parts] = ImportedContributor(parts, [], contributor.comments)
        refuse_violations(by_parts.values(), self.project, self.file.file, peer.content, None)
        self._fill(peer, coder, kind, by_parts.values(), [])

    def _peer_text(self, annotation: PeerAnnotation, docset: Docset) -> Text:
        """Return the text of the peer: the text with its name, else with its content, else a new text."""
        slug = self.file.slugs[0]
        existing = _called(Text.objects.filter(project=self.project), self.file)
        if existing is not None:
            slug = existing.slug
            if (existing.docset_id, existing.role, existing.content) == (docset.pk, Text.Role.PEER, annotation.text):
                return existing
            message = f"the project has another text called {slug}; rename the file"
            if existing.docset_id == docset.pk and existing.role == Text.Role.PEER:
                difference = _first_difference(existing.content, annotation.text)
                message = f"the peer {slug} says something else, {difference}; rename the file"
            raise FormatError(message, self.file.file)
        equal = docset.texts.filter(role=Text.Role.PEER, content=annotation.text).first()
        if equal is not None:
            self._warn("peer-by-text", f"its text is that of the peer {equal}", "it belongs there")
            return equal
        self.report.texts += 1
        return add_peer(docset, slug, self.file.name, annotation.text)

    def _pyramid_and_keys(self, pyramid: Pyramid, docset: Docset, coder: User) -> tuple[Coding.Kind, dict[int, str]]:
        """Return the kind of the peer's coding and the keys of the SCUs, from the coder's or the agreed pyramid.

        Raise FormatError with the first difference if the file's pyramid is neither of the two.
        """
        codings = (
            Coding.objects.of_coders()
            .filter(text__docset=docset, text__role=Text.Role.MODELS)
            .select_related("text__docset")
        )
        own_pyramid = codings.filter(kind=Coding.Kind.PYRAMID, coder=coder).first()
        agreed_pyramid = codings.filter(kind=Coding.Kind.AGREED, status=Coding.Status.SUBMITTED).first()
        message = f"{coder} has no pyramid of the docset {docset.slug}; import it (.pyr) first, or with this file"
        for candidate, kind in ((own_pyramid, Coding.Kind.PEER), (agreed_pyramid, Coding.Kind.PEER_AGREED)):
            if candidate is None:
                continue
            keyed = pyramid_of(candidate)
            differing = differences(pyramid, keyed.pyramid)
            if not differing:
                for uid in _other_labels(pyramid, keyed.pyramid):
                    self._warn("other-label", f"SCU {uid} is called otherwise", "the label here holds")
                return kind, dict(keyed.keys)
            if candidate is own_pyramid:
                others = f" (and {len(differing) - 1} more)" if len(differing) > 1 else ""
                message = f"the pyramid in it is not that of {coder}: {differing[0]}{others}"
        raise FormatError(message, self.file.file)

    def _coder(self, name: str) -> User:
        member_keys = set(self.project.members.values_list("pk", flat=True))
        coder = get_or_create_coder(
            self.project, name, create=self.options.create, join=self.options.join, trial=self.options.trial
        )
        if coder.pk not in member_keys:
            self.report.new_coders.append(coder.get_username())
        return coder

    def _fill(
        self,
        text: Text,
        coder: User,
        kind: Coding.Kind,
        contributors: Iterable[ImportedContributor],
        descriptions: Sequence[Description],
    ) -> None:
        """Fill the coding, unless it already equals the file. Raise ValidationError if it was begun otherwise."""
        decisions = [
            Decision(
                contributor.key(CONTRIBUTOR),
                category=self.categories[bool(contributor.scus)],
                indices=tuple(contributor.scus),
                note=contributor.note,
            )
            for contributor in sorted(contributors, key=lambda contributor: contributor.parts)
        ]
        codings = Coding.objects.of_coders().select_for_update(of=("self",)).filter(text=text, coder=coder, kind=kind)
        latest = Round.objects.filter(texts=text).last() or current_round(self.project)
        coding = codings.select_related("round").first() or Coding(text=text, coder=coder, kind=kind, round=latest)
        refuse_closed(coding.round)
        if coding.is_begun:
            log = imported_codings.ImportedCoding(coding, coder, decisions, {}, SchemeKeys(), descriptions).log()
            if not is_log_of(list(coding.operations.order_by("sequence").values_list("kind", "payload")), log):
                raise ValidationError(f"{coder} has already coded {text.slug}; the existing coding is kept")
            self.report.unchanged += 1
            return
        keys = [decision.markable for decision in decisions]
        self.report.markables += len(keys) - Markable.objects.filter(text=text, key__in=keys).count()
        fill_coding(coding, self.options.by or coder, decisions, descriptions)
        self.report.codings += 1
        self.report.judgements += len(decisions)


def _called[Named: (Docset, Text)](rows: QuerySet[Named], file: PyramidFile) -> Named | None:
    """Return the row with the slug of the file, or with a slug of an earlier version and the file's name as title."""
    slug, *earlier = file.slugs
    found = {row.slug: row for row in rows.filter(slug__in=[slug, *earlier])}
    titled = (found[other] for other in earlier if other in found and compose(found[other].title) == file.name)
    return found.get(slug) or next(titled, None)


def _messages(error: ValidationError) -> str:
    if hasattr(error, "error_dict"):
        return " ".join(f"{name}: {' '.join(texts)}" for name, texts in error.message_dict.items())
    return " ".join(error.messages)


def _first_difference(project_text: str, file_text: str) -> str:
    """Return the position of the first difference of two texts, as messages show it."""
    position = common_length(project_text, file_text)
    line = project_text.count("\n", 0, position) + 1
    return f"from line {line} on ({_excerpt(project_text, position)} here, {_excerpt(file_text, position)} in the file)"


def _excerpt(text: str, position: int) -> str:
    shown = " ".join(text[max(0, position - 15) : position + 15].split())
    return f"“{shown}”" if position < len(text) else "nothing more"


def _other_labels(file_pyramid: Pyramid, project_pyramid: Pyramid) -> list[int]:
    labels = {scu.uid: scu.label.split() for scu in project_pyramid.scus}
    return [scu.uid for scu in file_pyramid.scus if labels.get(scu.uid, scu.label.split()) != scu.label.split()]
