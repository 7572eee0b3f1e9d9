"""Import files, each completely or not at all. Equal names are one text; equal levels and parts one markable."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from annotations.core.processes.progress import Progress
from annotations.formats import FORMATS, PYRAMID_FORMATS
from annotations.formats.model.document import weigh
from annotations.formats.model.format import CATEGORY, LEVEL, QUESTION
from annotations.models import Project
from annotations.projects.locks import ProjectArchived, lock_project, refuse_archived
from annotations.schemes.project_scheme import read_scheme
from annotations.transfers.importing.batch import Batch, has_texts
from annotations.transfers.importing.files.addresses import slugs_of_name
from annotations.transfers.importing.files.source_document import SourceDocument, find_same_words, find_words_of_project
from annotations.transfers.importing.files.sources import Source, read_sources
from annotations.transfers.importing.options import DEFAULTS, ImportOptions
from annotations.transfers.importing.pyramids.pyramids import import_pyramids, read_pyramids
from annotations.transfers.importing.report import ImportFailed, ProjectChanged, Report
from annotations.transfers.importing.schemes.file_scheme import FoundScheme, build_scheme
from annotations.transfers.importing.schemes.naming import find_names, remember_names
from annotations.transfers.importing.writing import write_plan
from annotations.transfers.project_formats import check_format

# The maximum number and weight of documents in one transaction, unless a single file has more.
# On SQLite coders wait for the transaction, which takes a second at most.
MAX_DOCUMENTS, MAX_WEIGHT = 1000, 40_000
# The number of attempts to check and write a batch if others change the project meanwhile.
ATTEMPTS = 3
# Called in a transaction with the number of documents written so far, including its own.
type Written = Callable[[int], None]


def import_documents(
    project: Project,
    documents: Sequence[SourceDocument],
    options: ImportOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
    written: Written | None = None,
) -> Report:
    """Write the documents to the project, in transactions of whole files. Raise ImportFailed.

    If a transaction fails, the earlier ones are kept, and another import of the same files continues. `written` is
    called in each with the number of documents so far, `progress` with the numbers of checked and of all documents.
    """
    batches = plan_batches(documents)
    found = None
    if options.new_scheme:
        found = _found_scheme(project, documents, options, goes_on=len(batches) > 1)
    importer = _Importer(project, options, found, progress, written, max(len(documents), 1))
    for numbers in batches:
        importer.add([documents[number] for number in numbers])
    report = importer.report
    refused = {failure.file for failure in report.failures}
    accepted = [source for source in documents if source.file not in refused]
    report.add(Report(findings=find_same_words(accepted)))
    if report.texts:
        report.add(Report(findings=find_words_of_project(project, accepted)))
    return report


def _found_scheme(
    project: Project, documents: Sequence[SourceDocument], options: ImportOptions, *, goes_on: bool
) -> FoundScheme:
    """Return the scheme of the files for a project that may get it. Raise ImportFailed.

    goes_on: an interrupted import may have given the project this scheme and its first texts.
    """
    of_files = [source.document for source in documents]
    if has_texts(project):
        if goes_on and (found := build_scheme(of_files)).is_like(read_scheme(project.pk).spec, project.answers):
            return found
        raise ImportFailed(
            f"{project.slug} has texts, so that it keeps its scheme: map the names of the files onto it."
        )
    for option in (LEVEL, CATEGORY, QUESTION):
        if named := options.of_format.get(option.key):
            raise ImportFailed(f"The scheme is made from the files: leave out {option.key}={named}.")
    return build_scheme(of_files, options.ways)


@dataclass(slots=True)
class _Importer:
    """A writer of batches, which collects their report and reports progress."""

    project: Project
    options: ImportOptions
    found: FoundScheme | None
    progress: Progress | None
    written: Written | None
    n_documents: int
    n_done: int = 0
    report: Report = field(default_factory=Report)

    def add(self, documents: Sequence[SourceDocument]) -> None:
        """Check and write a batch in one transaction. Raise ImportFailed, with nothing of it written, if it fails."""
        for attempts_left in reversed(range(ATTEMPTS)):
            try:
                self.report.add(self._write(documents))
                break
            except IntegrityError as error:
                if not attempts_left:
                    raise ImportFailed("The project changed while the files were read; try again.") from error
            except ProjectChanged:
                if not attempts_left:
                    raise
        self.n_done += len(documents)

    def _write(self, documents: Sequence[SourceDocument]) -> Report:
        batch = Batch(self.project, documents, self.options, self.found)
        for number, document in enumerate(batch.put_chosen_first()):
            if self.progress is not None:
                self.progress(self.n_done + number, self.n_documents)
            batch.add(document)
        with transaction.atomic():
            lock_project(self.project.pk)
            batch.refuse_changes()
            batch.find_rounds()
            plan = batch.plan()
            report = batch.report(plan)
            write_plan(self.project, plan, batch.kind, self.options.by)
            if self.options.trial or (batch.gives_scheme and report.empty):
                transaction.set_rollback(True)
            else:  # reported last in the transaction
                if self.written is not None:
                    self.written(self.report.documents + report.documents)
                if self.progress is not None:
                    self.progress(min(self.n_done + max(len(documents), 1), self.n_documents), self.n_documents)
        if self.found is not None and (self.options.trial or report.empty):
            self.project.refresh_from_db(fields=["answers", "unmarked", "preset"])
        return report


def plan_batches(documents: Sequence[SourceDocument]) -> list[Sequence[int]]:
    """Return the document numbers of each batch by slug; a file or text is never split."""
    batches: list[Sequence[int]] = []
    together, weight = list[int](), 0
    for group in _groups(documents):
        added = sum(weigh(documents[number].document) for number in group)
        if together and (len(together) + len(group) > MAX_DOCUMENTS or weight + added > MAX_WEIGHT):
            batches.append(sorted(together))
            together, weight = [], 0
        together += group
        weight += added
    return [*batches, sorted(together)]


def _groups(documents: Sequence[SourceDocument]) -> Iterator[list[int]]:
    """Yield groups of document numbers that share files or texts, sorted by the first slugs of their texts."""
    keys: list[list[tuple[str, str]]] = []
    numbers_by_key: dict[tuple[str, str], list[int]] = {}
    for number, source in enumerate(documents):
        keys.append([*(("slug", slug) for slug in slugs_of_name(source.document.name)), ("file", source.file)])
        for key in keys[-1]:
            numbers_by_key.setdefault(key, []).append(number)
    for first in sorted(key for key in numbers_by_key if key[0] == "slug"):
        group, left = set[int](), [first]
        while left:
            for number in numbers_by_key.pop(left.pop(), ()):
                if number not in group:
                    group.add(number)
                    left += keys[number]
        if group:
            yield sorted(group)


def import_sources(
    project: Project,
    format_key: str,
    sources: Sequence[Source],
    coder_from: str,
    options: ImportOptions = DEFAULTS,
    *,
    progress: Progress | None = None,
    written: Written | None = None,
) -> Report:
    """Read files, import them and remember the mapping of names; see `import_documents` and `read_sources`.

    Pyramid files have the option `docset`, the slug of their docset. Without it, the docset has the name of the file or
    the same text. Raise ImportFailed if the project is archived, or if the format does not suit the project.
    """
    try:
        refuse_archived(project)
        check_format(project, format_key)
    except ProjectArchived as error:
        raise ImportFailed(str(error)) from None
    except ValidationError as error:
        raise ImportFailed(" ".join(error.messages)) from None
    if format_key not in PYRAMID_FORMATS:
        result = read_sources(format_key, sources, coder_from, options.of_format, project, progress)
        options = replace(
            options, ways=FORMATS[format_key].ways, new_scheme=options.new_scheme and bool(result.documents)
        )
        report = import_documents(project, result.documents, options, progress=progress, written=written)
        report.failures[:0] = result.failures
        report.left_out, report.reason = result.left_out, result.reason
        if options.trial:
            report.found = find_names(source.document for source in result.documents)
        elif not report.empty:
            remember_names(project, format_key, report.names)
        return report
    if options.new_scheme:
        raise ImportFailed("Files of pyramids bring no scheme.")
    if options.gold:
        raise ImportFailed("Files of pyramids bring no gold: what is decided about a docset is its agreed pyramid.")
    if options.model is not None:
        raise ImportFailed("Files of pyramids bring no codings of models: pages of pyramids show people alone.")
    return import_pyramids(project, read_pyramids(sources, coder_from, progress), options, progress)
