"""Import documents that a reader made from files.

Documents of equal name are one text, coded by different people. Markables of equal level and parts are the same. A file
is imported completely or not at all, whatever happens to the others; everything is written in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations.core.bulk import MAX_KEYS
from annotations.core.progress import Progress
from annotations.formats import Finding, FormatError
from annotations.formats.losses.lint import lint
from annotations.models import Coding, Markable, Operation, Project, Text, User
from annotations.projects.members import get_or_create_coder
from annotations.transfers.importing.checking import (
    CheckedDocument,
    ImportScheme,
    KnownMarkables,
    check,
    new_text,
    refuse_duplicates,
    refuse_other_text,
    slug_or_empty,
    text_slug,
    with_content,
)
from annotations.transfers.importing.report import Failure, ImportFailed, Report
from annotations.transfers.importing.sources import ReadResult, SourceDocument
from annotations.transfers.importing.writing import Plan, PlannedText, write_plan


def import_result(project: Project, result: ReadResult, **options: object) -> Report:
    """Import what was read; the report also names the files that could not be. Options: see `import_documents`."""
    report = import_documents(project, result.documents, **options)  # type: ignore[arg-type]
    report.failures[:0] = result.failures
    report.left_out = result.left_out
    return report


def import_documents(
    project: Project,
    documents: Sequence[SourceDocument],
    *,
    by: User | None = None,
    predefined: bool = False,
    create: bool = False,
    trial: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Write the documents to the project and report it. Raise ImportFailed if that fails; then nothing is changed.

    `by` is the user who imports; None if each coder counts as the author (command line). With `predefined`, the
    markables of these files are predefined, so that every coder sees them. With `create`, missing coders are created. A
    `trial` reports what would happen and changes nothing. `progress` is called with the numbers of checked documents
    and of all documents.
    """
    scheme = ImportScheme.from_project(project)
    if scheme.spec.main_level == "":
        raise ImportFailed(f"The scheme of {project.slug} has no level that is coded.")
    checker = _DocumentChecker.for_documents(project, scheme, predefined, documents)
    for number, document in enumerate(documents):
        if progress is not None and number % 50 == 0:
            progress(number, len(documents))
        checker.add(document)
    try:
        with transaction.atomic():
            plan = checker.plan(create)
            report = checker.report(plan)
            write_plan(project, plan, by)
            if trial:
                transaction.set_rollback(True)
    except IntegrityError as error:
        raise ImportFailed("The project changed while the files were read; try again.") from error
    return report


@dataclass(slots=True)
class _TextEntry:
    """A text with the documents read for it so far."""

    text: Text
    location: str
    markables: KnownMarkables
    documents: list[SourceDocument] = field(default_factory=list)
    checked: list[CheckedDocument] = field(default_factory=list)


@dataclass(slots=True)
class _DocumentChecker:
    """Checks one document after the other, and keeps the failures and findings."""

    project: Project
    scheme: ImportScheme
    predefined: bool
    texts: dict[str, _TextEntry] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    unchanged: int = 0
    new_coders: list[str] = field(default_factory=list)

    @classmethod
    def for_documents(
        cls, project: Project, scheme: ImportScheme, predefined: bool, documents: Sequence[SourceDocument]
    ) -> _DocumentChecker:
        """Return a checker with the texts that the documents name, and their markables. Two queries a 30,000 texts."""
        checker = cls(project, scheme, predefined)
        slugs = {slug_or_empty(entry.document) for entry in documents}
        for batch in batched(slugs, MAX_KEYS):
            for text in Text.objects.filter(project=project, slug__in=batch):
                checker.texts[text.slug] = _TextEntry(text, f"the text {text.slug} of the project", KnownMarkables())
        texts = {entry.text.pk: entry for entry in checker.texts.values()}
        for keys in batched(texts, MAX_KEYS):
            for markable in Markable.objects.filter(text__in=keys).select_related("level"):
                texts[markable.text_id].markables.markables[markable.key] = markable
        return checker

    def add(self, source: SourceDocument) -> None:
        """Check the document; an error refuses its file."""
        if source.file in self.failures:
            return
        try:
            if source.document.without_text:
                existing = self.texts.get(slug_or_empty(source.document))
                source = replace(source, document=with_content(source.document, existing.text if existing else None))
            slug = text_slug(source.document)
            text = new_text(self.project, slug, source.document)
            entry = self.texts.setdefault(slug, _TextEntry(text, source.document.file, KnownMarkables()))
            entry.documents.append(source)
            refuse_duplicates(entry.documents)
            refuse_other_text(entry.text.content, entry.location, source.document)
            entry.checked.append(check(source, self.scheme, entry.markables, self.predefined))
        except FormatError as error:
            self._fail(source, str(error))
            return
        self.findings += [*source.document.findings, *lint(source.document, self.scheme.spec)]
        if source.coder is not None and not any(mark.answer for mark in source.document.marks):
            self.findings.append(Finding("nothing-coded", "no markable is coded in it", source.document.file))

    def _fail(self, source: SourceDocument, message: str) -> None:
        self.failures.setdefault(source.file, Failure(source.file, message))

    def plan(self, create: bool) -> Plan:
        """Return what to write. Call it in the transaction that writes.

        If a file is refused here, plan again without it, so that no coder is created for a refused file.
        """
        while True:
            n_failures = len(self.failures)
            with transaction.atomic():
                plan = self._plan_texts(self._coders(create))
                if len(self.failures) == n_failures:
                    return plan
                transaction.set_rollback(True)

    def _coders(self, create: bool) -> dict[str, User]:
        """Return the coders by their names in the files, and refuse the files of those that cannot code here."""
        coders: dict[str, User] = {}
        self.new_coders = []
        for name in sorted({entry.coder for entry in self._accepted() if entry.coder is not None}):
            member_keys = set(self.project.members.values_list("pk", flat=True))
            try:
                coders[name] = get_or_create_coder(self.project, name, create=create)
            except ValidationError as error:
                for entry in self._accepted():
                    if entry.coder == name:
                        self._fail(entry, f"coder {name!r}: {' '.join(error.messages)}")
            else:
                if coders[name].pk not in member_keys:
                    self.new_coders.append(coders[name].get_username())
        self._refuse_duplicate_coders(coders)
        return coders

    def _refuse_duplicate_coders(self, coders: dict[str, User]) -> None:
        """Refuse files with a text that another file has from the same coder, spelled in another case."""
        for entry in self.texts.values():
            first: dict[int, SourceDocument] = {}
            for source in [checked.source for checked in entry.checked]:
                coder = coders.get(source.coder or "")
                if coder is None or source.file in self.failures:
                    continue
                other = first.setdefault(coder.pk, source)
                if other is not source:
                    name, file = source.document.name, source.document.file
                    self._fail(source, f"{file}: {name} coded by {coder} stands in {other.document.file} too")

    def _accepted(self) -> Iterable[SourceDocument]:
        return [
            checked.source
            for entry in self.texts.values()
            for checked in entry.checked
            if checked.source.file not in self.failures
        ]

    def _plan_texts(self, coders: dict[str, User]) -> Plan:
        """Return what to write: everything in the files that were not refused."""
        existing = {
            (coding.text_id, coding.coder_id): coding
            for batch in batched((entry.text.pk for entry in self.texts.values() if entry.text.pk), MAX_KEYS)
            for coding in Coding.objects.select_for_update(of=("self",)).filter(
                text__in=batch, coder__in=coders.values()
            )
        }
        unchanged = self._unchanged(existing, coders)
        texts = []
        for slug in sorted(self.texts):
            entry = self.texts[slug]
            checked = [document for document in entry.checked if document.source.file not in self.failures]
            if checked:
                first = checked[0].source.document
                text = entry.text if entry.text.pk else new_text(self.project, slug, first)
                texts.append(PlannedText(text, first, checked))
        return Plan(texts, coders, existing, unchanged)

    def _unchanged(self, existing: dict[tuple[int, int], Coding], coders: dict[str, User]) -> set[int]:
        """Return the codings that are just as in the file already; refuse files that would change others."""
        started = {coding.pk for coding in existing.values() if coding.version}
        if not started:
            return set()
        imported: dict[int, list[object]] = {}
        for batch in batched(started, MAX_KEYS):
            log = Operation.objects.filter(coding__in=batch).order_by("coding", "sequence")
            for key, kind, payload in log.values_list("coding_id", "kind", "payload"):
                imported.setdefault(key, []).append((kind, payload))
        unchanged = set()
        for entry in self.texts.values():
            for checked in entry.checked:
                coder = coders.get(checked.source.coder or "")
                coding = existing.get((entry.text.pk, coder.pk)) if coder else None
                if coding is None or coding.pk not in started:
                    continue
                payload = {"judgements": [decision.payload() for decision in checked.decisions]}
                if imported[coding.pk] == [("import", payload), ("submit", {})]:
                    unchanged.add(coding.pk)
                else:
                    message = f"{coder} has coded {entry.text.slug} already; it stays as it is"
                    self._fail(checked.source, f"{checked.source.document.file}: {message}")
        self.unchanged = len(unchanged)
        return unchanged

    def report(self, plan: Plan) -> Report:
        """Return the report of the import."""
        report = plan.report()
        report.unchanged = self.unchanged
        report.new_coders = self.new_coders
        report.failures = list(self.failures.values())
        report.findings = [finding for finding in self.findings if finding.file not in self.failures]
        return report
