"""The one bridge: rows of the database -> reliability data.

What was read of a text is cached in memory under the versions of its codings, so that a text is read again, and its
statistics are computed again, only after somebody has changed it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import batched
from threading import Lock

import numpy as np

from agreement.data.answers.answers import (
    NO_LABEL,
    NOT_ASKED,
    CoderAnswers,
    Extract,
    TextAnswers,
    TextContent,
    TextEntry,
    load_answers,
)
from agreement.data.answers.categories import Categories, read_categories
from agreement.data.answers.links import number_alternatives
from agreement.data.answers.questions import (
    QuestionSource,
    collect_values,
    list_questions,
    read_question,
    with_values,
)
from agreement.data.answers.summaries import Summary, pack_summaries, unpack_summaries
from agreement.data.codings.reading import read_codings, read_gold
from agreement.data.codings.state import KnownCodings, Mark, mark_codings, read_known_codings
from agreement.data.codings.table import CodingRow, CodingTable
from agreement.data.pyramids.words import read_word_answers
from agreement.data.reading import read_answers
from agreement.data.storage.store import TableStore, is_worth_storing
from agreement.data.storage.tables import TextTables
from agreement.data.storage.versions import Version, digest_version
from agreement.measures import Answers, ReliabilityData, indexed_values, labelled_values, pointed_values
from agreement.measures.data.answers import label_sets
from agreement.measures.data.subsets import select_units
from agreement.measures.values import Bools, Ints, Label
from annotations.core.database.snapshots import read_snapshot
from annotations.models import Project
from annotations.schemes.project_scheme import read_scheme

# How many projects a process remembers, and how many questions: one of 240,000 judgements takes some 20 MB.
CACHED_PROJECTS = 8
CACHED_QUESTIONS = 16

# Of more texts than this the answers are read some at a time; beyond so many judgements they do not stay in memory.
MOST_READ_AT_ONCE = 4_000
READ_AT_ONCE = 500
MOST_JUDGEMENTS = 1_000_000
# The name of the table of what is known of each text without its answers.
SUMMARIES = ("summaries",)

# By project, and what is counted or asked.
type Key = tuple[int, str]


class _Cache[Text]:
    """The texts of each key with their versions, what is made of all of them with its state, and their tables."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.texts: OrderedDict[Key, dict[int, tuple[Hashable, Text]]] = OrderedDict()
        self.extracts: OrderedDict[Key, tuple[Hashable, Extract]] = OrderedDict()
        self.recent: OrderedDict[Key, tuple[Hashable, int, Extract]] = OrderedDict()
        self.tables: OrderedDict[Key, TextTables] = OrderedDict()
        self.lock = Lock()

    def read_changed(
        self, key: Key, versions: Mapping[int, Hashable], read: Callable[[list[int]], Mapping[int, Text]]
    ) -> dict[int, Text]:
        """Return the texts as of these versions: those that have changed are read, the others are in memory."""
        with self.lock:
            known = dict(self.texts.get(key, {}))
        changed = [text for text in versions if text not in known or known[text][0] != versions[text]]
        if changed:
            answers = read(changed)
            known |= {text: (versions[text], answers[text]) for text in changed}
        known = {text: known[text] for text in versions}
        with self.lock:
            _store(self.texts, key, known, self.size)
        return {text: answers for text, (_, answers) in known.items()}

    def read_some(
        self, key: Key, versions: Mapping[int, Hashable], read: Callable[[list[int]], Mapping[int, Text]]
    ) -> dict[int, Text]:
        """Return some texts as of these versions; the others of the key stay as they are."""
        with self.lock:
            known = self.texts.get(key, {})
            found = {text: known[text][1] for text in versions if text in known and known[text][0] == versions[text]}
        changed = [text for text in versions if text not in found]
        answers = {**found, **(read(changed) if changed else {})}
        with self.lock:
            _store(
                self.texts,
                key,
                self.texts.get(key, {}) | {one: (versions[one], answers[one]) for one in changed},
                self.size,
            )
        return answers

    def assemble(self, key: Key, state: Hashable, build: Callable[[], Extract]) -> Extract:
        """Return the extract of a state: the one before where nothing has changed."""
        with self.lock:
            before = self.extracts.get(key)
        if before is not None and before[0] == state:
            return before[1]
        extracted = build()
        with self.lock:
            _store(self.extracts, key, (state, extracted), self.size)
        return extracted

    def recall(self, key: Key, about: Hashable, codings: CodingTable) -> tuple[Extract, frozenset[int]] | None:
        """Return the last extract, and the documents whose codings alone are others; None where more may be."""
        with self.lock:
            found = self.recent.get(key)
        if found is None or found[0] != about:
            return None
        changed = codings.changed_since(found[1])
        return None if changed is None or not found[2].has(changed) else (found[2], changed)

    def remember(self, key: Key, about: Hashable, codings: CodingTable, extracted: Extract) -> Extract:
        """Remember of which codings an extract was made."""
        with self.lock:
            _store(self.recent, key, (about, codings.number, extracted), self.size)
        return extracted

    def tables_of(self, key: Key, build: Callable[[], TextTables]) -> TextTables:
        """Return the tables of a key."""
        with self.lock:
            tables = self.tables.get(key) or build()
            _store(self.tables, key, tables, self.size)
        return tables

    def known(self, key: Key) -> list[Text]:
        """Return the texts of a key that are in memory."""
        with self.lock:
            return [text for _, text in self.texts.get(key, {}).values()]

    def forget(self, key: Key) -> None:
        """Forget the texts of a key, and what is made of them."""
        with self.lock:
            for one in (self.texts, self.extracts, self.recent):
                one.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        with self.lock:
            for one in (self.texts, self.extracts, self.recent, self.tables):
                one.clear()


# The codings of projects as they were read last.
_codings: OrderedDict[int, KnownCodings] = OrderedDict()
_codings_lock = Lock()
_projects, _questions = _Cache[TextContent](CACHED_PROJECTS), _Cache[TextAnswers](CACHED_QUESTIONS)


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
    """Return the answers of every coder of the project. Four queries, and up to three where something has changed.

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
    return extracted


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
            _store(_codings, self.project.pk, self.known, CACHED_PROJECTS)
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
        about = scheme_version, labels, project.unmarked, codings.managers, gold_left_out
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
            self.store.save(SUMMARIES, pack_summaries(contents))

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
            for text, (keys, summaries) in stored.items():
                contents[text] = TextContent(text, summaries, keys, versions[text], self)
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
    """Return on what the answers in some documents depend, in two numbers each."""
    scheme = digest_version(scheme_version)
    return {text: digest_version((scheme, *version)) for text, version in codings.versions_of(texts)}


def _rows_of(codings: CodingTable, texts: Sequence[int]) -> list[CodingRow]:
    return [row for rows in codings.rows_of(texts).values() for row in rows]


def _unpack(stored: bytes | None, versions: Mapping[int, Version]) -> dict[int, Summary]:
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


def reliability_data(
    extracted: Extract,
    *,
    chains: str,
    top: str,
    unmarked: str,
    readings: str = "union",
    plural: str = "targets",
    second: bool = False,
    texts: Sequence[TextEntry] | None = None,
) -> ReliabilityData:
    """Return the matrix of units x coders of the texts: units are markables, documents are texts.

    chains, top and plural: as in `chain_labels`, where the scheme asks for pointers; readings: as there. unmarked: what
    a markable means that a coder left out of a submitted text. second: a judgement with a second choice has both as its
    value, as a pair. An answer that lacks the antecedent or index its category asks for is an error of the data and has
    no value. `texts` restricts the data to some of them. A markable that none of the extract's coders was given or
    marked is no unit.
    """
    texts = extracted.texts if texts is None else texts
    load_answers(texts)
    answers = _concatenate([text.answers for text in texts], extracted)
    if extracted.question and extracted.kind != "targets":
        data = _values_of_question(extracted, answers, unmarked, second)
    elif extracted.kind == Project.Answers.INDICES:
        data = indexed_values(answers, unmarked=unmarked, singletons=extracted.singletons, readings=readings)
    else:
        data = pointed_values(answers, mode=chains, top=top, unmarked=unmarked, readings=readings, plural=plural)
    return select_units(data, units_of_coders(extracted, texts).any(axis=1))


def _values_of_question(extracted: Extract, answers: Answers, unmarked: str, second: bool) -> ReliabilityData:
    """Return the data of labels, of sets of them, or of numbers."""
    if extracted.kind == "labels":
        return label_sets(answers, empty=NO_LABEL, unmarked=unmarked)
    if extracted.kind == "numbers":
        answers = replace(answers, labels=[_number(name) for name in extracted.categories])
    return labelled_values(answers, unmarked=unmarked, second=second)


def _number(name: str) -> Label:
    """Return the number of a value; what stands in place of one has none."""
    return name if name == NOT_ASKED else float(name)


def category_data(extracted: Extract, texts: Sequence[TextEntry]) -> ReliabilityData:
    """Return the categories alone, complete or not, as a matrix of units x coders; what nobody answered is missing.

    Of a question with several labels these are the sets of labels, and of numbers their names.

    Units are those of `reliability_data`.
    """
    load_answers(texts)
    answers = _concatenate([text.answers for text in texts], extracted, complete_only=False)
    data = label_sets(answers, empty=NO_LABEL) if extracted.kind == "labels" else labelled_values(answers)
    return select_units(data, units_of_coders(extracted, texts).any(axis=1))


def units_of_coders(extracted: Extract, texts: Sequence[TextEntry]) -> Bools:
    """Return which markables of the texts each of the extract's coders was given or has marked: (markables, coders).

    Markables that every coder is given have True for all, also where nobody was chosen.
    """
    load_answers(texts)
    column = {coder: number for number, coder in enumerate(extracted.coders)}
    parts = []
    for text in texts:
        of_text = np.repeat(text.answers.given[:, np.newaxis], max(len(column), 1), axis=1)
        for one in text.answers.coder_answers:
            if one.coder in column:
                of_text[one.marked, column[one.coder]] = True
        parts.append(of_text)
    return np.concatenate([np.zeros((0, max(len(column), 1)), dtype=np.bool_), *parts])


def clear_cache() -> None:
    """Drop all that is cached in memory, as a restart does."""
    _projects.clear()
    _questions.clear()
    with _codings_lock:
        _codings.clear()


def _store[K, V](cache: OrderedDict[K, V], key: K, value: V, size: int) -> None:
    cache[key] = value
    cache.move_to_end(key)
    while len(cache) > size:
        cache.popitem(last=False)


def _concatenate(texts: Sequence[TextAnswers], extracted: Extract, *, complete_only: bool = True) -> Answers:
    """Return the answers of the extract's coders in some of the texts, one after the other."""
    coders = extracted.coders
    column = {coder: number for number, coder in enumerate(coders)}
    sizes = np.array([(len(text.units), len(text.others)) for text in texts], dtype=np.int64).reshape(-1, 2)
    first_unit, first_other = np.cumsum(sizes, axis=0).T - sizes.T
    n_units = int(sizes[:, 0].sum())
    parts = [(t, one) for t, text in enumerate(texts) for one in text.coder_answers if one.coder in column]
    text_of = np.array([t for t, _ in parts], dtype=np.int64)
    coder_of = np.array([column[one.coder] for _, one in parts], dtype=np.int64)
    judged = np.array([len(one.unit) for _, one in parts], dtype=np.int64)
    linked = np.array([len(one.link_of) for _, one in parts], dtype=np.int64)
    # an answer of another version is one without a value, so that it is no silence; these stand at the end
    others = np.array([len(one.other_versions) for _, one in parts], dtype=np.int64)
    handed_in = np.zeros((len(texts), len(coders)), dtype=np.bool_)
    handed_in[text_of, coder_of] = [one.submitted for _, one in parts]
    link_to = _join([one.link_to for _, one in parts])
    if extracted.kind in ("pointers", "targets"):
        text = np.repeat(text_of, linked)
        other = link_to - sizes[text, 0]
        link_to = np.where(other < 0, first_unit[text] + link_to, n_units + first_other[text] + other)
    category = _join([one.category for _, one in parts])
    complete = np.concatenate([np.zeros(0, dtype=np.bool_), *(one.complete for _, one in parts)])
    return Answers(
        units=[pk for text in texts for pk in text.units],
        others=[pk for text in texts for pk in text.others],
        coders=coders,
        documents=[text.pk for text in texts],
        labels=extracted.categories,
        document_of_unit=np.repeat(np.arange(len(texts)), sizes[:, 0]),
        unit=_join([*(one.unit for _, one in parts), *(one.other_versions for _, one in parts)])
        + np.concatenate((np.repeat(first_unit[text_of], judged), np.repeat(first_unit[text_of], others))),
        coder=np.concatenate((np.repeat(coder_of, judged), np.repeat(coder_of, others))),
        label=np.concatenate(
            (np.where(complete, category, -1) if complete_only else category, np.full(others.sum(), -1))
        ),
        link_of=_join([one.link_of for _, one in parts]) + np.repeat(np.cumsum(judged) - judged, linked),
        link_to=link_to,
        handed_in=handed_in,
        reading=_join_readings([one for _, one in parts]),
    )


def _join_readings(parts: list[CoderAnswers]) -> Ints | None:
    """Return the reading of each link; None where each is a reading of its own."""
    if all(one.reading is None for one in parts):
        return None
    return _join([number_alternatives(one.link_of) if one.reading is None else one.reading for one in parts])


def _join(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])
