"""Import documents that a reader made from files.

Documents of equal name are one text, coded by different people. Markables of equal level and parts are the same. A file
is imported completely or not at all, whatever happens to the others; everything is written in one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import batched
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations.coding.log.replay import is_log_of
from annotations.core.database.bulk import MAX_KEYS
from annotations.core.processes.progress import Progress
from annotations.formats import Document, Finding, FormatError
from annotations.formats.losses.lint import lint
from annotations.formats.model.alignment import align
from annotations.formats.model.format import ALIGN, CATEGORY, LANGUAGE, LEVEL, NEAR, QUESTION
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.formats.model.text import LANGUAGE_TAG
from annotations.models import Coding, Markable, Operation, Project, Round, Text, User
from annotations.projects.creation import exchange_scheme
from annotations.projects.locks import lock_project
from annotations.projects.people.members import find_adjudicator, get_or_create_coder
from annotations.projects.people.model_coders import ModelDescription, get_or_create_model
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.exporting.gold import GOLD, SILVER
from annotations.transfers.importing.batches import plan_batches
from annotations.transfers.importing.checking import (
    CheckedDocument,
    CodedSources,
    ImportScheme,
    KnownMarkables,
    check,
    check_empty,
    fit_title,
    new_text,
    order_copies,
    refuse_duplicates,
    refuse_equal_address,
    refuse_placeholders,
    with_content,
)
from annotations.transfers.importing.files.addresses import compose, slugs_of_name
from annotations.transfers.importing.files.source_document import (
    Documents,
    SourceDocument,
    find_same_words,
    find_words_of_project,
)
from annotations.transfers.importing.files.sources import ReadResult
from annotations.transfers.importing.options import DEFAULTS, ImportOptions
from annotations.transfers.importing.report import Failure, ImportFailed, ProjectChanged, Report
from annotations.transfers.importing.rounds import RoundsOfTexts
from annotations.transfers.importing.schemes.file_scheme import FoundScheme, build_scheme
from annotations.transfers.importing.schemes.naming import Naming
from annotations.transfers.importing.writing import Plan, PlannedText, write_plan

# A batch is checked and written so often where others change what it was checked against meanwhile.
ATTEMPTS = 3
# Called in a transaction with the number of documents that are there with it.
type Written = Callable[[int], None]


def import_result(
    project: Project,
    result: ReadResult,
    options: ImportOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
    written: Written | None = None,
) -> Report:
    """Import what was read, as `import_documents` does; the report also names the files that could not be."""
    report = import_documents(project, result.documents, options, progress=progress, written=written)
    report.failures[:0] = result.failures
    report.left_out = result.left_out
    report.reason = result.reason
    return report


def import_documents(
    project: Project,
    documents: Documents,
    options: ImportOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
    written: Written | None = None,
) -> Report:
    """Write the documents to the project and report it. Raise ImportFailed if that fails.

    As many documents as memory holds are written in one transaction: files of it come in wholly or not at all. Of more,
    one transaction after the other is written; where one fails or is killed, those before stay, and importing the same
    files again goes on, since what is there already stays as it is. `written` is called in each with the number of
    documents that are there with it, `progress` with the numbers of checked documents and of all documents.
    """
    batches = plan_batches(documents)
    found = None
    if options.new_scheme:
        found = _found_scheme(project, documents, options, goes_on=len(batches) > 1)
    report, n_done = Report(), 0
    for numbers in batches:
        heard = _Heard(progress, written, n_done, max(len(documents), 1), report.documents)
        for attempt in range(ATTEMPTS):
            try:
                batch = [documents[number] for number in numbers]
                report.add(_import_batch(project, batch, options, found, heard))
                break
            except ProjectChanged:
                if attempt == ATTEMPTS - 1:
                    raise
        n_done += len(numbers)
    refused = {failure.file for failure in report.failures}

    def accepted() -> Iterator[SourceDocument]:
        return (source for source in documents if source.file not in refused)

    report.add(Report(findings=find_same_words(accepted())))
    if report.texts:
        report.add(Report(findings=find_words_of_project(project, accepted)))
    return report


@dataclass(frozen=True, slots=True)
class _Heard:
    """Who hears how far a batch is, as a part of all documents: some before it are read, some of these imported."""

    progress: Progress | None
    written: Written | None
    n_before: int
    n_all: int
    n_imported: int

    def check(self, n_done: int) -> None:
        """Say that so many documents of the batch are done."""
        if self.progress is not None:
            self.progress(self.n_before + n_done, self.n_all)

    def complete(self, n_done: int, report: Report) -> None:
        """Say that the batch is written; call it last in its transaction."""
        if self.written is not None:
            self.written(self.n_imported + report.documents)
        if self.progress is not None:
            self.progress(min(self.n_before + max(n_done, 1), self.n_all), self.n_all)


def _import_batch(
    project: Project,
    documents: Sequence[SourceDocument],
    options: ImportOptions,
    found: FoundScheme | None,
    heard: _Heard,
) -> Report:
    """Write the documents in one transaction. Raise ImportFailed if that fails; then nothing is changed.

    `found` is the scheme of the files, which a project without texts gets. Raise ProjectChanged where others changed
    what the documents were checked against.
    """
    is_given = found is not None and _has_texts(project)
    if found is None or is_given:
        scheme = ImportScheme.from_project(project)
    else:
        scheme = ImportScheme.from_files(project, found.spec, found.answers)
    if scheme.spec.main_level == "":
        raise ImportFailed(f"The scheme of {project.slug} has no level that is coded.")
    naming = Naming.from_options(
        options.of_format, options.ways, scheme.levels, scheme.categories, scheme.questions, scheme.spec.main_level
    )
    if found is not None:
        naming = replace(naming, levels=found.levels, categories=found.categories)
        naming = replace(naming, questions=found.attributes, relations=found.relations)
    where = CodedSources.of(documents, naming, scheme.levels)
    checker = _DocumentChecker.for_documents(project, scheme, options, naming, documents, where)
    for number, document in enumerate(checker.put_chosen_first(documents)):
        heard.check(number)
        checker.add(document)
    with _refuse_rows_of_others(), transaction.atomic():
        lock_project(project.pk)
        if found is not None and not is_given:
            _give_scheme(project, found, scheme)
        else:
            checker.refuse_changed_scheme()
        checker.refuse_corrected_texts()
        checker.rounds = RoundsOfTexts.read(project, options.round_name, checker.known_texts)
        plan = checker.plan()
        report = checker.report(plan)
        write_plan(project, plan, options.by)
        if options.trial or (found is not None and not is_given and report.empty):
            transaction.set_rollback(True)
        else:
            heard.complete(len(documents), report)
    report.names = {
        LEVEL.key: dict(naming.levels),
        CATEGORY.key: dict(naming.categories),
        QUESTION.key: naming.question_names,
    }
    if found is not None:
        report.new_scheme = scheme_to_json(found.spec, found.answers)
        if options.trial or report.empty:
            project.refresh_from_db(fields=["answers", "unmarked", "preset"])
    return report


@contextmanager
def _refuse_rows_of_others() -> Iterator[None]:
    """Raise ProjectChanged where rows that came meanwhile are in the way."""
    try:
        yield
    except IntegrityError as error:
        raise ProjectChanged("The project changed while the files were read; try again.") from error


def _has_texts(project: Project) -> bool:
    return project.texts.exists() or project.docsets.exists()


def _found_scheme(project: Project, documents: Documents, options: ImportOptions, *, goes_on: bool) -> FoundScheme:
    """Return the scheme of the files for a project that may get it. Raise ImportFailed.

    goes_on: the project may have got it already, with the first of the texts, before the import was stopped.
    """
    if _has_texts(project):
        if goes_on and (found := build_scheme(_Bare(documents))).is_like(read_scheme(project.pk).spec, project.answers):
            return found
        raise ImportFailed(
            f"{project.slug} has texts, so that it keeps its scheme: map the names of the files onto it."
        )
    for option in (LEVEL, CATEGORY, QUESTION):
        if named := options.of_format.get(option.key):
            raise ImportFailed(f"The scheme is made from the files: leave out {option.key}={named}.")
    return build_scheme(_Bare(documents), options.ways)


@dataclass(frozen=True, slots=True)
class _Bare:
    """The documents without their coders, as often as one likes."""

    sources: Documents

    def __iter__(self) -> Iterator[Document]:
        return (source.document for source in self.sources)


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
    options: ImportOptions
    naming: Naming
    coded: CodedSources
    texts: dict[str, _TextEntry] = field(default_factory=dict)
    failures: dict[str, Failure] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    unchanged: int = 0
    new_coders: list[str] = field(default_factory=list)
    other_spellings: dict[str, str] = field(default_factory=dict)
    rounds: RoundsOfTexts = field(default_factory=lambda: RoundsOfTexts({}))

    @classmethod
    def for_documents(
        cls,
        project: Project,
        scheme: ImportScheme,
        options: ImportOptions,
        naming: Naming,
        documents: Sequence[SourceDocument],
        coded: CodedSources,
    ) -> _DocumentChecker:
        """Return a checker with the texts that the documents name, and their markables. Two queries a 30,000 texts.

        Raise ImportFailed if the options name no language.
        """
        checker = cls(project, scheme, options, naming, coded)
        if checker.language and not LANGUAGE_TAG.fullmatch(checker.language):
            raise ImportFailed(f"language={checker.language}: a language is called by its tag, such as de or pt-BR.")
        slugs = {slug for entry in documents for slug in slugs_of_name(entry.document.name)}
        for batch in batched(slugs, MAX_KEYS):
            for text in Text.objects.filter(project=project, slug__in=batch):
                checker.texts[text.slug] = _TextEntry(text, f"the text {text.slug} of the project", KnownMarkables())
        texts = {entry.text.pk: entry for entry in checker.texts.values()}
        for keys in batched(texts, MAX_KEYS):
            for markable in Markable.objects.filter(text__in=keys).select_related("level"):
                texts[markable.text_id].markables.markables[markable.key] = markable
        return checker

    @property
    def language(self) -> str:
        """The language of new texts that name none; empty where the options say nothing."""
        return self.options.of_format.get(LANGUAGE.key, "")

    @property
    def is_near(self) -> bool:
        """Whether copies of a text may differ in a few characters."""
        return self.options.of_format.get(ALIGN.key) == NEAR

    @property
    def known_texts(self) -> list[int]:
        """The primary keys of the texts that the project has already."""
        return [entry.text.pk for entry in self.texts.values() if entry.text.pk]

    def put_chosen_first(self, documents: Sequence[SourceDocument]) -> list[SourceDocument]:
        """Return the documents, of each new text the copy first whose words it gets."""
        ordered = list(documents)
        copies: dict[str, list[int]] = {}
        for number, source in enumerate(documents):
            if not source.document.without_text:
                copies.setdefault(self._slug(source.document), []).append(number)
        for slug, numbers in copies.items():
            if len(numbers) > 1 and slug not in self.texts:
                of_text = order_copies([documents[number] for number in numbers], self.naming, self.scheme.levels)
                for number, source in zip(numbers, of_text, strict=True):
                    ordered[number] = source
        return ordered

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
            text = new_text(self.project, slug, renamed, self.language)
            entry = self.texts.setdefault(slug, _TextEntry(text, renamed.file, KnownMarkables()))
            if entry.text.pk is None and not entry.checked:
                # What came before was refused, and its text with it.
                entry.text, entry.location, entry.markables = text, renamed.file, KnownMarkables()
            refuse_equal_address(entry.documents, renamed)
            aligned = align(renamed, entry.text.content, entry.location, near=self.is_near)
            source = replace(source, document=aligned)
            entry.documents.append(source)
            refuse_duplicates(entry.documents)
            checked = check(source, self.scheme, entry.markables, self.options.predefined, self.naming)
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

    def plan(self) -> Plan:
        """Return what to write. Call it in the transaction that writes.

        If a file is refused here, plan again without it, so that no coder is created for a refused file.
        """
        while True:
            n_failures = len(self.failures)
            with transaction.atomic():
                plan = self._plan_texts(self._coders())
                if len(self.failures) == n_failures:
                    return plan
                transaction.set_rollback(True)

    def _coders(self) -> dict[str, User]:
        """Return the coders by their names in the files, and refuse the files of those that cannot code here."""
        coders: dict[str, User] = {}
        self.new_coders, self.other_spellings = [], {}
        accounts: dict[int, str] = {}
        member_keys = set(self.project.members.values_list("pk", flat=True))
        for name in sorted({entry.coder for entry in self._accepted() if entry.coder is not None}):
            try:
                if self.options.gold:
                    coders[name] = self._adjudicator(name)
                elif self.options.model is not None:
                    coders[name] = self._account_of(self.options.model, name)
                else:
                    coders[name] = get_or_create_coder(
                        self.project,
                        name,
                        create=self.options.create,
                        join=self.options.join,
                        trial=self.options.trial,
                    )
            except ValidationError as error:
                for entry in self._accepted():
                    if entry.coder == name:
                        way = "" if self.options.create else " --create makes missing coders."
                        self._fail(entry, f"coder {name!r}: {' '.join(error.messages)}{way}")
            else:
                account = accounts.setdefault(coders[name].pk, coders[name].get_username())
                if account != name and account.casefold() == name.casefold():
                    self.other_spellings[name] = account
                if coders[name].pk not in member_keys:
                    member_keys.add(coders[name].pk)
                    self.new_coders.append(coders[name].get_username())
        self._refuse_duplicate_coders(coders)
        return coders

    def _adjudicator(self, name: str) -> User:
        """Return whose the gold is that files name so; under the name of a folder of exports it is the importer's."""
        is_exported = name in (GOLD, SILVER) and not self.project.members.filter(username__iexact=name).exists()
        if not is_exported:
            return find_adjudicator(self.project, name)
        if self.options.by is None:
            raise ValidationError("this is the folder of an export: name the manager or adjudicator by --coder.")
        return find_adjudicator(self.project, self.options.by.get_username())

    def _account_of(self, model: ModelDescription, name: str) -> User:
        """Return the account of the model, which files name so. Raise ValidationError if they name somebody else."""
        if name.casefold() != model.name.casefold():
            raise ValidationError(f"the import is of the model {model.name!r} alone: import other coders apart.")
        try:
            return get_or_create_model(self.project, model).membership.user
        except ValidationError as error:
            fields = (f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
            raise ValidationError("; ".join(fields)) from None

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
                other = first.setdefault(0 if self.options.gold else coder.pk, source)
                if other is not source:
                    name, file = source.document.name, source.document.file
                    what = f"gold of {name}" if self.options.gold else f"{name} coded by {coder}"
                    self._fail(source, f"{file}: {what} stands in {other.document.file} too")

    def _accepted(self) -> list[SourceDocument]:
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
        """Raise ProjectChanged if a text was corrected, renamed or deleted since the files were checked against it."""
        expected = {entry.text.pk: (slug, entry.text.content) for slug, entry in self.texts.items() if entry.text.pk}
        for batch in batched(expected, MAX_KEYS):
            found = 0
            for pk, *now in Text.objects.filter(pk__in=batch).values_list("pk", "slug", "content").iterator():
                found += 1
                if tuple(now) != expected[pk]:
                    raise ProjectChanged("A text was corrected while the files were read; try again.")
            if found < len(batch):
                raise ProjectChanged("A text was deleted while the files were read; try again.")

    def _plan_texts(self, coders: dict[str, User]) -> Plan:
        """Return what to write: everything in the files that were not refused."""
        rounds = {slug: self.rounds.round_for(entry.text) for slug, entry in self.texts.items()}
        self._refuse_closed_rounds(rounds)
        round_of = {entry.text.pk: rounds[slug].pk for slug, entry in self.texts.items() if entry.text.pk}
        by_key = {coder.pk for coder in coders.values()}
        if self.options.gold:
            of_kind = Coding.with_gold.filter(kind=Coding.Kind.GOLD)
        else:
            of_kind = Coding.with_models.filter(coder__in=by_key)
        existing = {
            (coding.text_id, coder): coding
            for batch in batched(round_of, MAX_KEYS)
            for coding in of_kind.select_for_update(of=("self",))
            .select_related("round", "coder")
            .filter(text__in=batch, occasion=1)
            if coding.round_id == round_of[coding.text_id]
            # gold has been somebody's, and is nobody else's beside that
            for coder in (by_key if self.options.gold else by_key & {coding.coder_id})
        }
        unchanged = self._unchanged(existing, coders)
        kind = Coding.Kind.GOLD if self.options.gold else Coding.Kind.TEXT
        texts = []
        for slug in sorted(self.texts):
            entry = self.texts[slug]
            checked = [document for document in entry.checked if document.source.file not in self.failures]
            if checked:
                first = checked[0].source.document
                text = entry.text if entry.text.pk else new_text(self.project, slug, first, self.language)
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
                    who = (
                        f"{coding.coder} has already made gold of"
                        if self.options.gold
                        else f"{coder} has already coded"
                    )
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
        files = {source.coder: source.file for source in reversed(self._accepted())}
        report.findings += [
            Finding("other-spelling", f"the coder {name} is called {account} here", files[name])
            for name, account in self.other_spellings.items()
            if name in files
        ]
        for source in self._accepted():
            answers = [mark.answer for mark in source.document.marks if mark.answer and source.coder is None]
            report.n_answers_left_out += len(answers)
            report.n_links_left_out += sum(bool(answer.indices or answer.pointers) for answer in answers)
        return report
