"""The one bridge: rows of the database -> the answers of a project.

What was read of a text is cached in memory under the versions of its codings, so that a text is read again, and its
statistics are computed again, only after somebody has changed it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import batched
from threading import Lock

from agreement.data.answers.answers import TextAnswers
from agreement.data.answers.categories import Categories, read_categories
from agreement.data.answers.contents import TextContent, TextEntry, load_answers
from agreement.data.answers.questions import (
    QuestionSource,
    collect_values,
    list_questions,
    read_question,
    with_values,
)
from agreement.data.answers.reading import read_answers
from agreement.data.answers.summaries import StoredSummary, pack_summaries, unpack_summaries
from agreement.data.codings.gold import GOLD
from agreement.data.codings.reading import list_gold, read_codings, read_gold
from agreement.data.codings.state import KnownCodings, Mark, mark_codings, read_known_codings
from agreement.data.codings.table import CodingRow, CodingTable
from agreement.data.extract.cache import CACHED_PROJECTS, CACHED_QUESTIONS, ExtractCache, store_bounded
from agreement.data.extract.extract import Extract
from agreement.data.extract.selection import IS_GOLD, CodingLeftOut
from agreement.data.pyramids.words import read_word_answers
from agreement.data.storage.store import TableStore, is_worth_storing
from agreement.data.storage.tables import TextTables
from agreement.data.storage.versions import Version, digest_version
from annotations.core.database.snapshots import read_snapshot
from annotations.models import Project
from annotations.models.project import may_see_gold
from annotations.schemes.project_scheme import read_scheme

# Of more texts than this the answers are read some at a time; beyond so many judgements they do not stay in memory.
MOST_READ_AT_ONCE = 4_000
READ_AT_ONCE = 500
MOST_JUDGEMENTS = 1_000_000
# The name of the table of what is known of each text without its answers.
SUMMARIES = ("summaries without names",)


# The codings of projects as they were read last.
_codings: OrderedDict[int, KnownCodings] = OrderedDict()
_codings_lock = Lock()
_projects, _questions = ExtractCache[TextContent](CACHED_PROJECTS), ExtractCache[TextAnswers](CACHED_QUESTIONS)


def answer_kind(project: Project) -> str:
    """Return how the values of a project are made, as one of the answers of `Project`: pyramids index."""
    return Project.Answers.INDICES.value if project.answers == Project.Answers.SCUS else project.answers


def counted_units(project: Project, units: str = "") -> str:
    """Return what is counted of a project: of pyramids "words" unless `units` says "spans", else nothing."""
    return (units or "words") if project.answers == Project.Answers.SCUS else ""


def extract(
    project: Project,
    units: str = "",
    question: str = "",
    unasked: str = "missing",
    versions: frozenset[int] = frozenset(),
    *,
    gold: bool = False,
    models: bool = False,
) -> Extract:
    """Return the answers of every coder of the project. Five queries, and up to three where something has changed.

    units: what is counted of pyramids, "words" or "spans"; empty: words. Agreed pyramids and peers are left out; which
    of the other codings count is for `Extract.select` to say. question: the key of an attribute or relation, whose
    answers are returned then; empty: categories and chains, or the first attribute of a scheme without categories. An
    unknown one is as if none was asked for. unasked: "label" where it is a value that it was not asked. versions: only
    judgements that were last given under one of these versions of the scheme, with their pointers, count; empty: all
    of them. Of pyramids there are none. gold: only texts with gold that counts, which is among the answers as if `GOLD`
    were a coder; one query more. models: those of models, too. A scheme that
    asks more than categories takes some queries more. All is read in one snapshot, so that the answers fit together
    although coders go on saving.
    """
    source = _ProjectAnswers(project, _Reading(counted_units(project, units), versions, gold, models))
    with _snapshot_of(project):
        extracted = _read_all(source, question, unasked)
    source.store_summaries()
    return extracted if may_see_gold(project) else extracted.without_gold()


def read_current_codings(project: Project) -> KnownCodings:
    """Return the codings of the project as they are now. One query where nothing has changed."""
    with _snapshot_of(project) as snapshot:
        return snapshot.read_codings()


@dataclass(slots=True)
class _Snapshot:
    """What was known of the codings of a project before a snapshot: what others learn meanwhile may not be in it."""

    project: Project
    known: KnownCodings | None
    mark: Mark | None

    def read_codings(self) -> KnownCodings:
        """Return the codings as they are in the snapshot, with what is known of the log."""
        self.known = read_known_codings(self.project, self.known, self.mark)
        with _codings_lock:
            store_bounded(_codings, self.project.pk, self.known, CACHED_PROJECTS)
        return self.known


# The snapshot that is open, where answers are loaded within one.
_open_snapshot: ContextVar[_Snapshot | None] = ContextVar("open snapshot", default=None)


@contextmanager
def _snapshot_of(project: Project) -> Iterator[_Snapshot]:
    """Let all that is read of the project be of one snapshot."""
    outer = _open_snapshot.get()
    if outer is not None and outer.project.pk == project.pk:
        yield outer
        return
    with _codings_lock:
        known = _codings.get(project.pk)
    snapshot = _Snapshot(project, known, mark_codings(project, known))
    with read_snapshot():
        token = _open_snapshot.set(snapshot)
        try:
            yield snapshot
        finally:
            _open_snapshot.reset(token)


def _read_all(source: _ProjectAnswers, question: str, unasked: str) -> Extract:
    project = source.project
    categories, scheme_version = read_categories(project)
    codings = source.read_codings()
    coded = source.read(categories, scheme_version, codings)
    if not categories.asks_more or source.reading.units:
        return coded
    scheme = read_scheme(project.pk)
    questions = list_questions(scheme)
    coded = coded.with_questions(questions)
    asked = next((one for one in questions if one.key == question), None)
    if asked is None and not categories.keys and not question:
        asked = next(iter(questions), None)
    if asked is None:
        return coded
    return _read_asked(QuestionSource(project, scheme, asked, unasked, coded), codings, source.reading)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read of a project: what is counted, of which versions of the scheme (all where empty), and of whom."""

    units: str
    versions: frozenset[int]
    gold: bool
    models: bool

    def name(self, about: str) -> str:
        """Return under which name the answers are kept."""
        return " ".join(
            [
                about,
                *map(str, sorted(self.versions)),
                *(["gold"] if self.gold else []),
                *(["models"] if self.models else []),
            ]
        )


class _ProjectAnswers:
    """The answers of a project that are read in one way: at once, or where they are needed."""

    def __init__(self, project: Project, reading: _Reading) -> None:
        self.project, self.reading = project, reading
        self.key = project.pk, reading.name(reading.units)
        self.store = TableStore(project.pk, self.key[1])
        self._contents: list[TextContent] = []
        self._n_read = 0

    def read_codings(self) -> CodingTable:
        """Return the codings as they are in the snapshot."""
        with _snapshot_of(self.project) as snapshot:
            known = None if self.reading.models else snapshot.read_codings().table
            codings = known or read_codings(self.project, models=True)
        return read_gold(self.project, codings) if self.reading.gold else codings

    def read(self, categories: Categories, scheme_version: Hashable, codings: CodingTable) -> Extract:
        """Return the categories that coders gave, and the chains that they made."""
        project, reading = self.project, self.reading
        labels = tuple(categories.labels.items())
        gold_left_out = tuple(sorted(codings.gold_left_out.items()))
        gold = () if reading.gold or reading.units else list_gold(project)
        about = scheme_version, labels, project.unmarked, codings.managers, gold_left_out, gold
        if (recalled := _projects.recall(self.key, about, codings)) is not None:
            before, changed = recalled
            if changed:
                before = before.with_texts(self._read_changes(categories, scheme_version, codings, changed))
                _projects.remember(self.key, about, codings, before)
            return before
        versions = _versions_of(codings, scheme_version, codings.headings)

        def read(changed: list[int]) -> dict[int, TextContent]:
            return self._read_contents(categories, codings, {text: versions[text] for text in changed})

        contents = _projects.read_changed(self.key, versions, read)
        self._contents = list(contents.values())
        extracted = _projects.assemble(
            self.key,
            (about, codings.headings, versions),
            lambda: Extract.of_texts(
                answer_kind(project),
                project.unmarked,
                categories.keys,
                tuple(heading.entry(contents[text]) for text, heading in codings.headings.items()),
                units=reading.units,
                singletons=categories.singletons,
                labels=categories.labels,
                managers=codings.managers,
                versions=reading.versions,
                gold_left_out=dict(gold_left_out),
                left_out=tuple(CodingLeftOut(text, GOLD, IS_GOLD, round_) for text, round_ in gold),
                tables=_projects.tables_of(self.key, lambda: TextTables(self.store)),
            ),
        )
        return _projects.remember(self.key, about, codings, extracted)

    def _read_changes(
        self, categories: Categories, scheme_version: Hashable, codings: CodingTable, changed: frozenset[int]
    ) -> dict[int, TextEntry]:
        """Return those documents whose codings alone have changed."""
        versions = _versions_of(codings, scheme_version, changed)

        def read(texts: list[int]) -> dict[int, TextContent]:
            return self._read_contents(categories, codings, {text: versions[text] for text in texts})

        contents = _projects.read_some(self.key, versions, read)
        return {text: codings.headings[text].entry(content) for text, content in contents.items()}

    def store_summaries(self) -> None:
        """Store the summaries of the codings, where many texts were read. Call it outside of a snapshot."""
        contents, self._contents = self._contents, []
        if self._n_read and is_worth_storing(self._n_read, len(contents)):
            summaries = {content.pk: content.summary for content in contents}
            self.store.save(SUMMARIES, pack_summaries(summaries, [one.version for one in contents if one.version]))

    def load(self, contents: Sequence[TextContent]) -> None:
        """Give these documents their answers, as they are now."""
        with _snapshot_of(self.project):
            categories, scheme_version = read_categories(self.project)
            codings = self.read_codings()
            present = [content.pk for content in contents if content.pk in codings.headings]
            versions = _versions_of(codings, scheme_version, present)
            answers = self._read_answers(categories, codings, present)
        for content in contents:
            is_current = versions.get(content.pk) == content.version
            content.take(
                answers.get(content.pk) or TextAnswers.empty(content.pk, categories.keys), is_outdated=not is_current
            )
        if any(content.is_outdated for content in contents):
            _projects.forget(self.key)

    def load_all(self, content: TextContent) -> None:
        """Give a document, and all of the project that have none yet, their answers."""
        others = [one for one in _projects.known(self.key) if one is not content and not one.is_loaded]
        self.load([content, *others])

    def _read_contents(
        self, categories: Categories, codings: CodingTable, versions: Mapping[int, Version]
    ) -> dict[int, TextContent]:
        """Return these documents: with what is stored of them where that is of these versions, else with answers."""
        contents: dict[int, TextContent] = {}
        if is_worth_storing(len(versions), len(codings.headings)):
            stored = _unpack(self.store.load(SUMMARIES), versions)
            for text, summary in stored.items():
                contents[text] = TextContent(text, summary, versions[text], self)
        missing = [text for text in versions if text not in contents]
        self._n_read = len(missing)
        n_judgements = 0
        for batch in batched(missing, READ_AT_ONCE if len(missing) > MOST_READ_AT_ONCE else MOST_READ_AT_ONCE):
            for text, answers in self._read_answers(categories, codings, list(batch)).items():
                content = contents[text] = TextContent.of(answers, versions[text], self)
                n_judgements += content.n_judgements
                if n_judgements > MOST_JUDGEMENTS:
                    content.drop()
        return contents

    def _read_answers(self, categories: Categories, codings: CodingTable, texts: list[int]) -> dict[int, TextAnswers]:
        rows = _rows_of(codings, texts)
        if self.reading.units == "words":
            return read_word_answers(self.project, categories, rows, texts)
        return read_answers(
            self.project,
            categories,
            rows,
            texts,
            self.reading.versions,
            all_marks=self.reading.gold or self.reading.models,
        )


def _versions_of(codings: CodingTable, scheme_version: Hashable, texts: Iterable[int]) -> dict[int, Version]:
    """Return the version of the answers in each of some documents."""
    return codings.versions_of(texts, digest_version(scheme_version))


def _rows_of(codings: CodingTable, texts: Sequence[int]) -> list[CodingRow]:
    return [row for rows in codings.rows_of(texts).values() for row in rows]


def _unpack(stored: bytes | None, versions: Mapping[int, Version]) -> dict[int, StoredSummary]:
    """Return the summaries that are stored of these versions; none where another version of the program stored them."""
    if stored is None:
        return {}
    try:
        return unpack_summaries(stored, versions)
    except ValueError:
        return {}


def _read_asked(source: QuestionSource, codings: CodingTable, reading: _Reading) -> Extract:
    """Return the answers to a question besides the category."""
    key = source.project.pk, reading.name(f"{source.question.key} {source.unasked}")
    load_answers(source.coded.texts)
    by_text = {text.pk: text.answers for text in source.coded.texts}
    # the answers of the other questions are of the same versions of codings
    versions: dict[int, Hashable] = {text: (source.version, answers) for text, answers in by_text.items()}

    def read(changed: list[int]) -> dict[int, TextAnswers]:
        rows = _rows_of(codings, changed)
        return read_question(source, rows, [by_text[text] for text in changed])

    texts = list(_questions.read_changed(key, versions, read).values())
    values = collect_values(source, texts)
    about = source.question, tuple(values.items()), source.coded
    named = [with_values(text, tuple(values)) for text in texts]
    return _questions.assemble(
        key, (about, tuple(map(id, texts))), lambda: source.coded.with_question(source.question, values, named)
    )


def clear_cache() -> None:
    """Drop all that is cached in memory, as a restart does."""
    _projects.clear()
    _questions.clear()
    with _codings_lock:
        _codings.clear()
