"""Import documents that a reader made from files.

Documents of equal name are one text, coded by different people. Markables of equal level and parts are the same. A file
is imported completely or not at all, whatever happens to the others; everything is written in one transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations.coding.replay import is_log_of
from annotations.core.bulk import MAX_KEYS
from annotations.core.progress import Progress, report_completion
from annotations.formats import Document, Finding, FormatError
from annotations.formats.losses.lint import lint
from annotations.formats.model.alignment import align
from annotations.formats.model.format import CATEGORY, LEVEL, QUESTION
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Coding, Markable, Operation, Project, Round, Text, User
from annotations.projects.creation import exchange_scheme
from annotations.projects.locks import lock_project
from annotations.projects.people.members import find_adjudicator, get_or_create_coder
from annotations.transfers.importing.addresses import compose, slugs_of_name
from annotations.transfers.importing.checking import (
    CheckedDocument,
    CodedSources,
    ImportScheme,
    KnownMarkables,
    check,
    check_empty,
    fit_title,
    new_text,
    refuse_duplicates,
    refuse_placeholders,
    with_content,
)
from annotations.transfers.importing.found_scheme import FoundScheme, build_scheme
from annotations.transfers.importing.naming import Naming
from annotations.transfers.importing.report import Failure, ImportFailed, Report
from annotations.transfers.importing.rounds import RoundsOfTexts
from annotations.transfers.importing.source_document import SourceDocument
from annotations.transfers.importing.sources import ReadResult
from annotations.transfers.importing.writing import Plan, PlannedText, write_plan

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


def import_result(project: Project, result: ReadResult, **options: object) -> Report:
    """Import what was read; the report also names the files that could not be. Options: see `import_documents`."""
    report = import_documents(project, result.documents, **options)  # type: ignore[arg-type]
    report.failures[:0] = result.failures
    report.left_out = result.left_out
    report.reason = result.reason
    return report


def import_documents(
    project: Project,
    documents: Sequence[SourceDocument],
    *,
    by: User | None = None,
    predefined: bool = False,
    create: bool = False,
    join: bool = False,
    trial: bool = False,
    progress: Progress | None = None,
    options: Mapping[str, str] = NO_OPTIONS,
    ways: Mapping[str, str] = NO_OPTIONS,
    new_scheme: bool = False,
    round_name: str = "",
    gold: bool = False,
) -> Report:
    """Write the documents to the project and report it. Raise ImportFailed if that fails; then nothing is changed.

    `by` is the user who imports; None if each coder counts as the author (command line). With `predefined`, the
    markables of these files are predefined, so that every coder sees them. With `create`, accounts are created for
    missing coders; with `join`, those who have accounts become members. A `trial` reports what would happen and changes
    nothing. `progress` is called with the numbers of checked documents and of all documents. `options` and `ways` are
    those of `Naming.from_options`. With `new_scheme`, a project without texts gets the scheme of the files. All
    of it goes into the round `round_name`; else each text keeps its latest round, and new ones come into the open one.
    With `gold`, the codings are gold: of each text in a round there is one, of a manager or adjudicator.
    """
    found = _found_scheme(project, documents, options) if new_scheme else None
    if found is None:
        scheme = ImportScheme.from_project(project)
    else:
        scheme = ImportScheme.from_files(project, found.spec, found.answers)
    if scheme.spec.main_level == "":
        raise ImportFailed(f"The scheme of {project.slug} has no level that is coded.")
    naming = Naming.from_options(
        options, ways, scheme.levels, scheme.categories, scheme.questions, scheme.spec.main_level
    )
    if found is not None:
        naming = replace(naming, levels=found.levels, categories=found.categories)
        naming = replace(naming, questions=found.attributes, relations=found.relations)
    checker = _DocumentChecker.for_documents(project, scheme, predefined, naming, documents)
    for number, document in enumerate(documents):
        if progress is not None:
            progress(number, len(documents))
        checker.add(document)
    try:
        with transaction.atomic():
            lock_project(project.pk)
            if found is not None:
                _give_scheme(project, found, scheme)
            else:
                checker.refuse_changed_scheme()
            checker.refuse_corrected_texts()
            checker.rounds, checker.gold = RoundsOfTexts.read(project, round_name), gold
            plan = checker.plan({"create": create, "join": join, "trial": trial})
            report = checker.report(plan)
            write_plan(project, plan, by)
            if trial or (found is not None and report.empty):
                transaction.set_rollback(True)
            else:
                report_completion(progress, len(documents))
    except IntegrityError as error:
        raise ImportFailed("The project changed while the files were read; try again.") from error
    report.names = {
        LEVEL.key: dict(naming.levels),
        CATEGORY.key: dict(naming.categories),
        QUESTION.key: naming.question_names,
    }
    if found is not None:
        report.new_scheme = scheme_to_json(found.spec, found.answers)
        if trial:
            project.refresh_from_db(fields=["answers", "unmarked", "preset"])
    return report


def _found_scheme(project: Project, documents: Sequence[SourceDocument], options: Mapping[str, str]) -> FoundScheme:
    """Return the scheme of the files for a project that may get it. Raise ImportFailed."""
    if project.texts.exists() or project.docsets.exists():
        raise ImportFailed(
            f"{project.slug} has texts, so that it keeps its scheme: map the names of the files onto it."
        )
    for option in (LEVEL, CATEGORY, QUESTION):
        if options.get(option.key):
            raise ImportFailed(f"The scheme is made from the files: leave out {option.key}={options[option.key]}.")
    return build_scheme([source.document for source in documents])


def _give_scheme(project: Project, found: FoundScheme, scheme: ImportScheme) -> None:
    """Write the scheme, and the primary keys of its levels to those by which documents were checked."""
    try:
        exchange_scheme(project, found.ready_made)
    except ValidationError as error:
        raise ImportFailed(" ".join(error.messages)) from None
    for level in project.levels.all():
        scheme.levels[level.key].pk = level.pk


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
    naming: Naming
    coded: CodedSources
    texts: dict[str, _TextEntry] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    unchanged: int = 0
    new_coders: list[str] = field(default_factory=list)
    rounds: RoundsOfTexts = field(default_factory=lambda: RoundsOfTexts({}))
    gold: bool = False

    @classmethod
    def for_documents(
        cls,
        project: Project,
        scheme: ImportScheme,
        predefined: bool,
        naming: Naming,
        documents: Sequence[SourceDocument],
    ) -> _DocumentChecker:
        """Return a checker with the texts that the documents name, and their markables. Two queries a 30,000 texts."""
        checker = cls(project, scheme, predefined, naming, CodedSources.of(documents, naming, scheme.levels))
        slugs = {slug for entry in documents for slug in slugs_of_name(entry.document.name)}
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
            slug = self._slug(source.document)
            if source.document.without_text:
                existing = self.texts.get(slug)
                source = replace(source, document=with_content(source.document, existing.text if existing else None))
            refuse_placeholders(source.document, self.naming)
            renamed = self.naming.rename(fit_title(source.document), self.scheme.levels)
            text = new_text(self.project, slug, renamed)
            entry = self.texts.setdefault(slug, _TextEntry(text, renamed.file, KnownMarkables()))
            if entry.text.pk is None and not entry.checked:
                # What came before was refused, and its text with it.
                entry.text, entry.location, entry.markables = text, renamed.file, KnownMarkables()
            aligned = align(renamed, entry.text.content, entry.location)
            source = replace(source, document=aligned)
            entry.documents.append(source)
            refuse_duplicates(entry.documents)
            checked = check(source, self.scheme, entry.markables, self.predefined, self.naming)
            findings = check_empty(source, self.coded, self.naming)
            entry.checked.append(checked)
        except FormatError as error:
            self._fail(source, str(error))
            return
        self.findings += [
            *source.document.findings,
            *lint(source.document, self.scheme.spec),
            *findings,
            *checked.findings,
        ]

    def _slug(self, document: Document) -> str:
        """Return the slug of the text: that of an existing text of this name, else the first that it can have."""
        slug, *earlier = slugs_of_name(document.name)
        if slug in self.texts:
            return slug
        titles = (compose(document.title), compose(document.name))
        known = (other for other in earlier if other in self.texts and self.texts[other].text.pk)
        return next((other for other in known if compose(self.texts[other].text.title) in titles), slug)

    def _fail(self, source: SourceDocument, message: str) -> None:
        self.failures.setdefault(source.file, Failure(source.file, message))

    def plan(self, options: Mapping[str, bool]) -> Plan:
        """Return what to write. Call it in the transaction that writes. `options` are those of `get_or_create_coder`.

        If a file is refused here, plan again without it, so that no coder is created for a refused file.
        """
        while True:
            n_failures = len(self.failures)
            with transaction.atomic():
                plan = self._plan_texts(self._coders(options))
                if len(self.failures) == n_failures:
                    return plan
                transaction.set_rollback(True)

    def _coders(self, options: Mapping[str, bool]) -> dict[str, User]:
        """Return the coders by their names in the files, and refuse the files of those that cannot code here."""
        coders: dict[str, User] = {}
        self.new_coders = []
        member_keys = set(self.project.members.values_list("pk", flat=True))
        for name in sorted({entry.coder for entry in self._accepted() if entry.coder is not None}):
            try:
                if self.gold:
                    coders[name] = find_adjudicator(self.project, name)
                else:
                    coders[name] = get_or_create_coder(self.project, name, **options)
            except ValidationError as error:
                for entry in self._accepted():
                    if entry.coder == name:
                        self._fail(entry, f"coder {name!r}: {' '.join(error.messages)}")
            else:
                if coders[name].pk not in member_keys:
                    member_keys.add(coders[name].pk)
                    self.new_coders.append(coders[name].get_username())
        self._refuse_duplicate_coders(coders)
        return coders

    def _refuse_duplicate_coders(self, coders: dict[str, User]) -> None:
        """Refuse files with a text that another file has from the same coder, spelled in another case.

        Of gold all coders are as one: a text has it once.
        """
        for entry in self.texts.values():
            first: dict[int, SourceDocument] = {}
            for source in [checked.source for checked in entry.checked]:
                coder = coders.get(source.coder or "")
                if coder is None or source.file in self.failures:
                    continue
                other = first.setdefault(0 if self.gold else coder.pk, source)
                if other is not source:
                    name, file = source.document.name, source.document.file
                    what = f"gold of {name}" if self.gold else f"{name} coded by {coder}"
                    self._fail(source, f"{file}: {what} stands in {other.document.file} too")

    def _accepted(self) -> Iterable[SourceDocument]:
        return [
            checked.source
            for entry in self.texts.values()
            for checked in entry.checked
            if checked.source.file not in self.failures
        ]

    def refuse_changed_scheme(self) -> None:
        """Raise ImportFailed if the scheme was changed since the files were checked by it."""
        if ImportScheme.from_project(self.project).spec != self.scheme.spec:
            raise ImportFailed("The scheme was changed while the files were read; try again.")

    def refuse_corrected_texts(self) -> None:
        """Raise ImportFailed if words of a text were corrected since the files were checked against it."""
        contents = {entry.text.pk: entry.text.content for entry in self.texts.values() if entry.text.pk}
        for batch in batched(contents, MAX_KEYS):
            for pk, content in Text.objects.filter(pk__in=batch).values_list("pk", "content").iterator():
                if content != contents[pk]:
                    raise ImportFailed("A text was corrected while the files were read; try again.")

    def _plan_texts(self, coders: dict[str, User]) -> Plan:
        """Return what to write: everything in the files that were not refused."""
        rounds = {slug: self.rounds.round_for(entry.text) for slug, entry in self.texts.items()}
        self._refuse_closed_rounds(rounds)
        round_of = {entry.text.pk: rounds[slug].pk for slug, entry in self.texts.items() if entry.text.pk}
        by_key = {coder.pk for coder in coders.values()}
        if self.gold:
            of_kind = Coding.with_gold.filter(kind=Coding.Kind.GOLD)
        else:
            of_kind = Coding.objects.filter(coder__in=by_key)
        existing = {
            (coding.text_id, coder): coding
            for batch in batched(round_of, MAX_KEYS)
            for coding in of_kind.select_for_update(of=("self",))
            .select_related("round", "coder")
            .filter(text__in=batch, occasion=1)
            if coding.round_id == round_of[coding.text_id]
            # gold has been somebody's, and is nobody else's beside that
            for coder in (by_key if self.gold else by_key & {coding.coder_id})
        }
        unchanged = self._unchanged(existing, coders)
        kind = Coding.Kind.GOLD if self.gold else Coding.Kind.TEXT
        texts = []
        for slug in sorted(self.texts):
            entry = self.texts[slug]
            checked = [document for document in entry.checked if document.source.file not in self.failures]
            if checked:
                first = checked[0].source.document
                text = entry.text if entry.text.pk else new_text(self.project, slug, first)
                into = rounds[slug]
                texts.append(PlannedText(text, first, checked, into, self.rounds.is_new(text, into)))
        return Plan(texts, coders, existing, unchanged, kind)

    def _refuse_closed_rounds(self, rounds: Mapping[str, Round]) -> None:
        """Refuse files with codings of texts whose round is closed."""
        for slug, entry in self.texts.items():
            for checked in entry.checked if rounds[slug].is_closed else ():
                if checked.source.coder is not None:
                    message = f"{slug} is in the round {rounds[slug]}, which is closed: choose another for the import"
                    self._fail(checked.source, f"{checked.source.document.file}: {message}")

    def _unchanged(self, existing: dict[tuple[int, int], Coding], coders: dict[str, User]) -> set[int]:
        """Return the codings that are just as in the file already; refuse files that would change others."""
        started = {coding.pk for coding in existing.values() if coding.is_begun}
        if not started:
            return set()
        imported: dict[int, list[tuple[str, Any]]] = {}
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
                if is_log_of(imported[coding.pk], [("import", payload), ("submit", {})]):
                    unchanged.add(coding.pk)
                else:
                    who = f"{coding.coder} has already made gold of" if self.gold else f"{coder} has already coded"
                    message = f"{who} {entry.text.slug}; the existing coding is kept"
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
