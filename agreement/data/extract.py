"""The one bridge: rows of the database -> reliability data.

What was read of a text is cached in memory under the versions of its codings, so that a text is read again, and its
statistics are computed again, only after somebody has changed it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

import numpy as np

from agreement.data.answers import NO_LABEL, NOT_ASKED, CoderAnswers, Extract, TextAnswers, TextEntry
from agreement.data.links import number_alternatives
from agreement.data.questions import (
    QuestionSource,
    collect_values,
    list_questions,
    read_question,
    with_values,
)
from agreement.data.reading import (
    Categories,
    CodingTable,
    read_answers,
    read_categories,
    read_codings,
    read_word_answers,
)
from agreement.measures import Answers, ReliabilityData, indexed_values, labelled_values, pointed_values
from agreement.measures.data.answers import label_sets
from agreement.measures.data.subsets import select_units
from agreement.measures.values import Bools, Ints, Label
from annotations.core.snapshots import read_snapshot
from annotations.models import Project
from annotations.schemes.project_scheme import read_scheme

# How many projects a process remembers, and how many questions: one of 240,000 judgements takes some 20 MB.
CACHED_PROJECTS = 8
CACHED_QUESTIONS = 16

type Versions = tuple[Hashable, ...]

# By project, and what is counted or asked.
type Key = tuple[int, str]


class _Cache:
    """The texts of each key with their versions, and what is made of all of them with its state."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.texts: OrderedDict[Key, dict[int, tuple[Versions, TextAnswers]]] = OrderedDict()
        self.extracts: OrderedDict[Key, tuple[Hashable, Extract]] = OrderedDict()
        self.lock = Lock()

    def read_changed(
        self, key: Key, versions: Mapping[int, Versions], read: Callable[[list[int]], dict[int, TextAnswers]]
    ) -> dict[int, TextAnswers]:
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

    def clear(self) -> None:
        """Forget everything."""
        with self.lock:
            self.texts.clear()
            self.extracts.clear()


_projects, _questions = _Cache(CACHED_PROJECTS), _Cache(CACHED_QUESTIONS)


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
) -> Extract:
    """Return the answers of every coder of the project. Four queries, and up to three where something has changed.

    units: what is counted of pyramids, "words" or "spans"; empty: words. Agreed pyramids and peers are left out; which
    of the other codings count is for `Extract.select` to say. question: the key of an attribute or relation, whose
    answers are returned then; empty: categories and chains, or the first attribute of a scheme without categories. An
    unknown one is as if none was asked for. unasked: "label" where it is a value that it was not asked. versions: only
    judgements that were last given under one of these versions of the scheme, with their pointers, count; empty: all
    of them. Of pyramids there are none. gold: only texts with gold that counts, which is among the answers as if `GOLD`
    were a coder; one query more. A scheme that asks more than categories takes some queries more. All is read in one
    snapshot, so that the answers fit together although coders go on saving.
    """
    units = counted_units(project, units)
    with read_snapshot():
        categories, scheme_version = read_categories(project)
        codings = read_codings(project)
        codings = codings.with_gold(project) if gold else codings
        reading = _Reading(units, versions, gold)
        coded = _read_coded(project, reading, categories, scheme_version, codings)
        if not categories.asks_more or units:
            return coded
        scheme = read_scheme(project.pk)
        questions = list_questions(scheme)
        coded = coded.with_questions(questions)
        asked = next((one for one in questions if one.key == question), None)
        if asked is None and not categories.keys and not question:
            asked = next(iter(questions), None)
        if asked is None:
            return coded
        return _read_asked(QuestionSource(project, scheme, asked, unasked, coded), codings, reading)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What is read of a project: what is counted, of which versions of the scheme (all where empty), and gold."""

    units: str
    versions: frozenset[int]
    gold: bool

    def name(self, about: str) -> str:
        """Return under which name the answers are kept."""
        return " ".join([about, *map(str, sorted(self.versions)), *(["gold"] if self.gold else [])])


def _read_coded(
    project: Project, reading: _Reading, categories: Categories, scheme_version: Hashable, codings: CodingTable
) -> Extract:
    """Return the categories that coders gave, and the chains that they made."""
    key, units = (project.pk, reading.name(reading.units)), reading.units
    versions = {text: (scheme_version, *(row.version for row in rows)) for text, rows in codings.rows.items()}

    def read(changed: list[int]) -> dict[int, TextAnswers]:
        rows = [row for text in changed for row in codings.rows[text]]
        if units == "words":
            return read_word_answers(project, categories, rows, changed)
        return read_answers(project, categories, rows, changed, reading.versions, gold=reading.gold)

    texts = _projects.read_changed(key, versions, read)
    labels = tuple(categories.labels.items())
    gold_left_out = tuple(sorted(codings.gold_left_out.items()))
    about = scheme_version, labels, project.unmarked, codings.managers, gold_left_out
    return _projects.assemble(
        key,
        (about, tuple(codings.headings.items()), tuple(versions.values())),
        lambda: Extract.of_texts(
            answer_kind(project),
            project.unmarked,
            categories.keys,
            tuple(heading.entry(texts[text]) for text, heading in codings.headings.items()),
            units=units,
            singletons=categories.singletons,
            labels=categories.labels,
            managers=codings.managers,
            versions=reading.versions,
            gold_left_out=dict(gold_left_out),
        ),
    )


def _read_asked(source: QuestionSource, codings: CodingTable, reading: _Reading) -> Extract:
    """Return the answers to a question besides the category."""
    key = source.project.pk, reading.name(f"{source.question.key} {source.unasked}")
    by_text = {text.pk: text.answers for text in source.coded.texts}
    # the answers of the other questions are of the same versions of codings
    versions: dict[int, Versions] = {text: (source.version, answers) for text, answers in by_text.items()}

    def read(changed: list[int]) -> dict[int, TextAnswers]:
        rows = [row for text in changed for row in codings.rows[text]]
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
    answers = _concatenate([text.answers for text in texts], extracted, complete_only=False)
    data = label_sets(answers, empty=NO_LABEL) if extracted.kind == "labels" else labelled_values(answers)
    return select_units(data, units_of_coders(extracted, texts).any(axis=1))


def units_of_coders(extracted: Extract, texts: Sequence[TextEntry]) -> Bools:
    """Return which markables of the texts each of the extract's coders was given or has marked: (markables, coders).

    Markables that every coder is given have True for all, also where nobody was chosen.
    """
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


def _store[V](cache: OrderedDict[Key, V], key: Key, value: V, size: int) -> None:
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
