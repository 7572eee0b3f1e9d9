"""A batch of documents that an import checks, plans and writes in one transaction."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import batched
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.coding.log.replay import is_log_of
from annotations.core.database.bulk import MAX_KEYS
from annotations.formats import Document, Finding, FormatError
from annotations.formats.losses.lint import lint
from annotations.formats.model.alignment import align
from annotations.formats.model.format import ALIGN, CATEGORY, LANGUAGE, LEVEL, NEAR, QUESTION
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.formats.model.text import LANGUAGE_TAG
from annotations.models import Coding, Markable, Operation, Project, Round, Text, User
from annotations.projects.creation import exchange_scheme
from annotations.projects.people.members import find_adjudicator, get_or_create_coder
from annotations.projects.people.model_coders import ModelDescription, get_or_create_model
from annotations.projects.rounds import find_round, latest_round, open_round, refuse_closed, rounds_by_text
from annotations.transfers.exporting.gold import GOLD, SILVER
from annotations.transfers.importing.checking import (
    CheckedDocument,
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
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from annotations.transfers.importing.report import Failure, ImportFailed, ProjectChanged, Report
from annotations.transfers.importing.schemes.file_scheme import FoundScheme
from annotations.transfers.importing.schemes.naming import Naming
from annotations.transfers.importing.writing import PlannedText, report_plan


def has_texts(project: Project) -> bool:
    """Return whether the project has texts, so that it keeps its scheme."""
    return project.texts.exists() or project.docsets.exists()


@dataclass(slots=True)
class _TextEntry:
    """A text with its documents so far, and its round; `joins` if the import puts it into the round."""

    text: Text
    location: str
    markables: KnownMarkables = field(default_factory=KnownMarkables)
    documents: list[SourceDocument] = field(default_factory=list)
    checked: list[CheckedDocument] = field(default_factory=list)
    round: Round = field(init=False)
    joins: bool = True


class Batch:
    """The documents of a transaction: it checks each document, keeps failures and findings, and plans the rows."""

    def __init__(
        self, project: Project, documents: Sequence[SourceDocument], options: ImportOptions, found: FoundScheme | None
    ) -> None:
        """Create a batch with the scheme of the files or the project. Raise ImportFailed if the options are invalid."""
        self.project, self.documents, self.options, self.found = project, documents, options, found
        self.kind = Coding.Kind.GOLD if options.gold else Coding.Kind.TEXT
        self.gives_scheme = found is not None and not has_texts(project)
        if found is not None and self.gives_scheme:
            self.scheme = ImportScheme.from_files(project, found.spec, found.answers)
        else:
            self.scheme = ImportScheme.from_project(project)
        scheme = self.scheme
        if scheme.spec.main_level == "":
            raise ImportFailed(f"The scheme of {project.slug} has no level that is coded.")
        categories, main_level = scheme.constraints["categories"], scheme.spec.main_level
        self.naming = Naming.from_options(
            options.of_format, options.ways, scheme.levels, categories, scheme.questions, main_level
        )
        if found is not None:
            self.naming = replace(
                self.naming,
                levels=found.levels,
                categories=found.categories,
                questions=found.attributes,
                relations=found.relations,
            )
        coded = [source for source in documents if self.naming.keeps_answers(source.document, scheme.levels)]
        self.coded_files = {(source.file, source.coder) for source in coded}
        self.coded_texts = {source.document.name for source in coded}
        self.language = options.of_format.get(LANGUAGE.key, "")
        if self.language and not LANGUAGE_TAG.fullmatch(self.language):
            raise ImportFailed(f"language={self.language}: a language is called by its tag, such as de or pt-BR.")
        self.texts = dict(self._entries())
        self.failures: dict[str, Failure] = {}
        self.findings: list[Finding] = []
        self.unchanged = 0
        self.new_coders: list[str] = []
        self.other_spellings: dict[str, str] = {}

    def _entries(self) -> Iterator[tuple[str, _TextEntry]]:
        """Yield the project's texts that the documents name, with markables. Two queries for every 30,000 texts."""
        names = {source.document.name for source in self.documents}
        slugs = {slug for name in names for slug in slugs_of_name(name)}
        for batch in batched(slugs, MAX_KEYS):
            texts = {text.pk: text for text in Text.objects.filter(project=self.project, slug__in=batch)}
            known = {key: KnownMarkables() for key in texts}
            for markable in Markable.objects.filter(text__in=texts).select_related("level"):
                known[markable.text_id].markables[markable.key] = markable
            for key, text in texts.items():
                yield text.slug, _TextEntry(text, f"the text {text.slug} of the project", known[key])

    def put_chosen_first(self) -> list[SourceDocument]:
        """Return the documents; of each new text the copy that gives it its words comes first."""
        ordered = list(self.documents)
        copies: dict[str, list[int]] = {}
        for number, source in enumerate(ordered):
            if not source.document.without_text:
                copies.setdefault(self._slug(source.document), []).append(number)
        for slug, numbers in copies.items():
            if len(numbers) > 1 and slug not in self.texts:
                of_text = [self.documents[number] for number in numbers]
                in_order = order_copies(of_text, self.naming, self.scheme.levels)
                for number, source in zip(numbers, in_order, strict=True):
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
            entry = self.texts.setdefault(slug, _TextEntry(text, renamed.file))
            if entry.text.pk is None and not entry.checked:
                # All earlier documents of the text were refused, so it takes the content of this one.
                entry.text, entry.location, entry.markables = text, renamed.file, KnownMarkables()
            near = self.options.of_format.get(ALIGN.key) == NEAR
            refuse_equal_address(entry.documents, renamed)
            source = replace(source, document=align(renamed, entry.text.content, entry.location, near=near))
            entry.documents.append(source)
            refuse_duplicates(entry.documents)
            checked = check(source, self.scheme, entry.markables, self.options.predefined, self.naming)
            findings = check_empty(
                source,
                self.naming,
                file_coded=(source.file, source.coder) in self.coded_files,
                text_coded=source.document.name in self.coded_texts,
            )
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
        """Return the slug of the existing text with this name, else the slug for a new text."""
        slug, *earlier = slugs_of_name(document.name)
        if slug in self.texts:
            return slug
        titles = (compose(document.title), compose(document.name))
        known = (other for other in earlier if other in self.texts and self.texts[other].text.pk)
        return next((other for other in known if compose(self.texts[other].text.title) in titles), slug)

    def _fail(self, source: SourceDocument, message: str) -> None:
        self.failures.setdefault(source.file, Failure(source.file, message))

    def refuse_changes(self) -> None:
        """Give the project its new scheme. Raise an error if its scheme or a text was changed since the check.

        Call it in the transaction that writes.
        """
        if self.found is not None and self.gives_scheme:
            try:
                exchange_scheme(self.project, self.found.ready_made)
            except ValidationError as error:
                raise ImportFailed(" ".join(error.messages)) from None
            for level in self.project.levels.all():
                self.scheme.levels[level.key].pk = level.pk
        elif ImportScheme.from_project(self.project).spec != self.scheme.spec:
            raise ImportFailed("The scheme was changed while the files were read; try again.")
        self.refuse_corrected_texts()

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

    def find_rounds(self) -> None:
        """Find each text's round: the chosen round, its latest round, or the open round. Raise ImportFailed."""
        try:
            if name := self.options.round_name:
                of_new = find_round(self.project, name)
                refuse_closed(of_new)
            else:
                of_new = open_round(self.project)
        except ValidationError as error:
            raise ImportFailed(" ".join(error.messages)) from None
        rounds = rounds_by_text(self.project, [entry.text.pk for entry in self.texts.values() if entry.text.pk])
        for entry in self.texts.values():
            own = rounds.get(entry.text.pk, ()) if entry.text.pk else ()
            entry.round = of_new if name else latest_round(own) or of_new
            entry.joins = entry.round not in own

    def plan(self) -> list[PlannedText]:
        """Return the plan without refused files, for which no coder is created. Call it in the writing transaction."""
        while True:
            n_failures = len(self.failures)
            with transaction.atomic():
                plan = self._plan_texts(self._coders())
                if len(self.failures) == n_failures:
                    return plan
                transaction.set_rollback(True)

    def _coders(self) -> dict[str, User]:
        """Return the coders by name in the files, and refuse the files of coders who cannot code here."""
        coders: dict[str, User] = {}
        self.new_coders, self.other_spellings = [], {}
        accounts: dict[int, str] = {}
        member_keys = set(self.project.members.values_list("pk", flat=True))
        for name in sorted({source.coder for source in self._accepted() if source.coder is not None}):
            try:
                coder = coders[name] = self._coder(name)
            except ValidationError as error:
                way = "" if self.options.create else " --create makes missing coders."
                for source in self._accepted():
                    if source.coder == name:
                        self._fail(source, f"coder {name!r}: {' '.join(error.messages)}{way}")
                continue
            account = accounts.setdefault(coder.pk, coder.get_username())
            if account != name and account.casefold() == name.casefold():
                self.other_spellings[name] = account
            if coder.pk not in member_keys:
                member_keys.add(coder.pk)
                self.new_coders.append(coder.get_username())
        self._refuse_duplicate_coders(coders)
        return coders

    def _coder(self, name: str) -> User:
        """Return the account of a coder; gold in a folder of an export belongs to the importing user."""
        options = self.options
        if options.model is not None and not options.gold:
            return self._account_of(options.model, name)
        if not options.gold:
            return get_or_create_coder(
                self.project, name, create=options.create, join=options.join, trial=options.trial
            )
        if name not in (GOLD, SILVER) or self.project.members.filter(username__iexact=name).exists():
            return find_adjudicator(self.project, name)
        if options.by is None:
            raise ValidationError("this is the folder of an export: name the manager or adjudicator by --coder.")
        return find_adjudicator(self.project, options.by.get_username())

    def _account_of(self, model: ModelDescription, name: str) -> User:
        """Return the account of the model. Raise ValidationError if the files name another coder."""
        if name.casefold() != model.name.casefold():
            raise ValidationError(f"the import is of the model {model.name!r} alone: import other coders apart.")
        try:
            return get_or_create_model(self.project, model).membership.user
        except ValidationError as error:
            fields = (f"{field}: {' '.join(messages)}" for field, messages in error.message_dict.items())
            raise ValidationError("; ".join(fields)) from None

    def _refuse_duplicate_coders(self, coders: dict[str, User]) -> None:
        """Refuse a second file of a coder, in any spelling, for the same text; for gold, a second file of any coder."""
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

    def _plan_texts(self, coders: dict[str, User]) -> list[PlannedText]:
        """Return the plan of all texts in files that were not refused."""
        self._refuse_closed_rounds()
        existing = self._existing(coders)
        unchanged = self._unchanged(existing, coders)
        texts = []
        for slug in sorted(self.texts):
            entry = self.texts[slug]
            checked = [document for document in entry.checked if document.source.file not in self.failures]
            if checked:
                document = checked[0].source.document
                text = entry.text if entry.text.pk else new_text(self.project, slug, document, self.language)
                codings = []
                for coded in checked:
                    if coded.source.coder is not None:
                        coder = coders[coded.source.coder]
                        coding = existing.get((text.pk, coder.pk))
                        if coding is None or coding.pk not in unchanged:
                            codings.append((coded, coder, coding))
                texts.append(PlannedText(text, checked, codings, entry.round, entry.joins))
        return texts

    def _refuse_closed_rounds(self) -> None:
        for slug, entry in self.texts.items():
            for checked in entry.checked if entry.round.is_closed else ():
                if checked.source.coder is not None:
                    message = f"{slug} is in the round {entry.round}, which is closed: choose another for the import"
                    self._fail(checked.source, f"{checked.source.document.file}: {message}")

    def _existing(self, coders: dict[str, User]) -> dict[tuple[int, int], Coding]:
        """Return the locked codings of the texts in their rounds, by text and coder; gold counts for every coder."""
        round_of = {entry.text.pk: entry.round.pk for entry in self.texts.values() if entry.text.pk}
        by_key = {coder.pk for coder in coders.values()}
        if self.options.gold:
            of_kind = Coding.objects.filter(kind=Coding.Kind.GOLD)
        else:
            of_kind = Coding.objects.of_coders().filter(coder__in=by_key)
        return {
            (coding.text_id, coder): coding
            for batch in batched(round_of, MAX_KEYS)
            for coding in of_kind.select_for_update(of=("self",))
            .select_related("round", "coder")
            .filter(text__in=batch, occasion=1)
            if coding.round_id == round_of[coding.text_id]
            # a text and round have one gold, even if another user made it
            for coder in (by_key if self.options.gold else by_key & {coding.coder_id})
        }

    def _unchanged(self, existing: dict[tuple[int, int], Coding], coders: dict[str, User]) -> set[int]:
        """Return the codings that already equal their file; refuse files that would change other begun codings."""
        started = {coding.pk for coding in existing.values() if coding.is_begun}
        imported: dict[int, list[tuple[str, Any]]] = {}
        for batch in batched(started, MAX_KEYS):
            log = Operation.objects.filter(coding__in=batch).order_by("coding", "sequence")
            for key, kind, payload in log.values_list("coding_id", "kind", "payload"):
                imported.setdefault(key, []).append((kind, payload))
        unchanged = set()
        for entry in self.texts.values() if started else ():
            for checked in entry.checked:
                coder = coders.get(checked.source.coder or "")
                coding = existing.get((entry.text.pk, coder.pk)) if coder else None
                if coding is None or coding.pk not in started:
                    continue
                payload = {"judgements": [decision.payload() for decision in checked.decisions]}
                if is_log_of(imported[coding.pk], [("import", payload), ("submit", {})]):
                    unchanged.add(coding.pk)
                    continue
                has_done = (
                    f"{coding.coder} has already made gold of" if self.options.gold else f"{coder} has already coded"
                )
                message = f"{has_done} {entry.text.slug}; the existing coding is kept"
                self._fail(checked.source, f"{checked.source.document.file}: {message}")
        self.unchanged = len(unchanged)
        return unchanged

    def report(self, plan: Sequence[PlannedText]) -> Report:
        report = report_plan(plan)
        report.unchanged = self.unchanged
        report.new_coders = self.new_coders
        report.failures = list(self.failures.values())
        report.findings = [finding for finding in self.findings if finding.file not in self.failures]
        accepted = self._accepted()
        files = {source.coder: source.file for source in reversed(accepted)}
        report.findings += [
            Finding("other-spelling", f"the coder {name} is called {account} here", files[name])
            for name, account in self.other_spellings.items()
            if name in files
        ]
        for source in accepted:
            answers = [mark.answer for mark in source.document.marks if mark.answer and source.coder is None]
            report.n_answers_left_out += len(answers)
            report.n_links_left_out += sum(bool(answer.indices or answer.pointers) for answer in answers)
        report.names = {
            LEVEL.key: dict(self.naming.levels),
            CATEGORY.key: dict(self.naming.categories),
            QUESTION.key: self.naming.question_names,
        }
        if self.found is not None:
            report.new_scheme = scheme_to_json(self.found.spec, self.found.answers)
        return report
