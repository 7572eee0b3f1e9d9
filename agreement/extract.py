"""The one bridge: rows of the database -> reliability data."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from agreement.measures import ReliabilityData, chain_labels, index_labels
from agreement.measures.values import Value
from annotations.models import Coding, Index, Judgement, Markable, Pointer, Project, Text


@dataclass(frozen=True, slots=True)
class Unit:
    """A markable as the measures see it."""

    pk: int
    key: str
    label: str
    start: int
    end: int
    parts: Sequence[Sequence[int]]
    coded: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """What one coder said of one markable. `complete`: it says all that its category asks for."""

    category: str
    complete: bool
    pointers: frozenset[int]
    indices: frozenset[str]


@dataclass(slots=True)
class TextAnswers:
    """What the coders said of one text: markables in text order, answers by coder and markable."""

    pk: int
    slug: str
    title: str
    units: list[Unit] = field(default_factory=list)
    answers: dict[str, dict[int, Answer]] = field(default_factory=dict)
    submitted: set[str] = field(default_factory=set)

    @property
    def coded_units(self) -> list[Unit]:
        """The markables that are judged, in text order; the others are targets only."""
        return [unit for unit in self.units if unit.coded]


@dataclass(frozen=True, slots=True)
class Extract:
    """All answers of a project. `coders` are those who answered anything, by name; texts in that of their addresses."""

    answers: str
    unmarked: str
    coders: tuple[str, ...]
    texts: tuple[TextAnswers, ...]

    @property
    def fingerprint(self) -> str:
        """A short name for exactly these answers: equal for equal data, whatever the database."""
        digest = hashlib.sha256()
        for line in _lines(self):
            digest.update(json.dumps(line, ensure_ascii=False).encode())
            digest.update(b"\n")
        return digest.hexdigest()[:16]


def extract(project: Project) -> Extract:
    """Read the answers of every coder of the project. Five queries, whatever the size."""
    texts: dict[int, TextAnswers] = {}
    text_of: dict[int, tuple[int, str]] = {}
    codings = Coding.objects.filter(text__project=project).order_by("text__slug", "coder__username")
    for pk, text, slug, title, coder, status in codings.values_list(
        "pk", "text_id", "text__slug", "text__title", "coder__username", "status"
    ):
        answers = texts.setdefault(text, TextAnswers(text, slug, title))
        answers.answers[coder] = {}
        text_of[pk] = (text, coder)
        if status == Coding.Status.SUBMITTED:
            answers.submitted.add(coder)
    markables = Markable.objects.in_use().filter(text__in=texts).order_by("text", "start", "-end", "key")
    for text, *unit in markables.values_list("text_id", "pk", "key", "label", "start", "end", "parts", "level__coded"):
        texts[text].units.append(Unit(*unit))
    _read_answers(project, texts, text_of)
    coders = sorted({coder for text in texts.values() for coder, given in text.answers.items() if given})
    return Extract(project.answers, project.unmarked, tuple(coders), tuple(texts.values()))


def _read_answers(project: Project, texts: dict[int, TextAnswers], text_of: dict[int, tuple[int, str]]) -> None:
    pointers: dict[int, list[int]] = defaultdict(list)
    here = Pointer.objects.filter(judgement__coding__text__project=project)
    for judgement, target in here.values_list("judgement_id", "target_id"):
        pointers[judgement].append(target)
    indices: dict[int, list[str]] = defaultdict(list)
    named = Index.objects.filter(judgement__coding__text__project=project)
    for judgement, entity in named.values_list("judgement_id", "entity"):
        indices[judgement].append(entity)
    judgements = Judgement.objects.filter(coding__text__project=project, category__isnull=False)
    for pk, coding, markable, category, points_to, takes_index in judgements.values_list(
        "pk", "coding_id", "markable_id", "category__key", "category__points_to", "category__takes_index"
    ):
        text, coder = text_of[coding]
        targets, entities = pointers.get(pk, ()), indices.get(pk, ())
        complete = bool((points_to is None or targets) and (not takes_index or entities))
        texts[text].answers[coder][markable] = Answer(category, complete, frozenset(targets), frozenset(entities))


def contents_of(project: Project) -> dict[int, str]:
    """The content of each text of the project."""
    return dict(Text.objects.filter(project=project).values_list("pk", "content"))


def values_of(text: TextAnswers, coder: str, answers: str, *, chains: str, top: str, unmarked: str) -> dict[int, Value]:
    """One coder's value for each markable of the text, by markable; a markable that is not there has none.

    answers: "pointers", "indices" or "categories", what the scheme asks for. chains and top: as in chain_labels,
    where it asks for pointers. unmarked: what a markable means that the coder left out of a text handed in.
    An answer that lacks the antecedent or index its category asks for is an error of the data and has no value.
    """
    given = text.answers[coder]
    whole = {markable: answer for markable, answer in given.items() if answer.complete}
    order = [unit.pk for unit in text.coded_units]
    left_out = unmarked if coder in text.submitted else "missing"
    values: dict[int, Value]
    if answers == "indices":
        found = index_labels(order, {markable: answer.indices for markable, answer in whole.items()}, left_out)
        values = {unit: found[unit] for unit in order if unit in found}
    else:
        values = dict(
            chain_labels(
                order,
                {markable: answer.category for markable, answer in whole.items()},
                {markable: answer.pointers for markable, answer in whole.items() if answer.pointers},
                [unit.pk for unit in text.units if not unit.coded],
                mode=chains,
                top=top,
                unmarked=left_out,
            )
        )
    for markable in given.keys() - whole.keys():
        values.pop(markable, None)
    return values


def reliability_data(
    texts: Iterable[TextAnswers], coders: Sequence[str], answers: str, *, chains: str, top: str, unmarked: str
) -> ReliabilityData:
    """The matrix of units x coders of these texts: units are markables, documents are texts."""
    units, documents, rows = [], [], []
    for text in texts:
        columns = {
            coder: values_of(text, coder, answers, chains=chains, top=top, unmarked=unmarked) for coder in text.answers
        }
        for unit in text.coded_units:
            units.append(unit.pk)
            documents.append(text.pk)
            rows.append([columns[coder].get(unit.pk) if coder in columns else None for coder in coders])
    return ReliabilityData.from_values(units, coders, rows, documents)


def _lines(extracted: Extract) -> Iterator[list[object]]:
    yield [extracted.answers, extracted.unmarked]
    for text in extracted.texts:
        keys = {unit.pk: unit.key for unit in text.units}
        yield [text.slug, [unit.key for unit in text.units]]
        for coder, answers in sorted(text.answers.items()):
            yield [coder, coder in text.submitted]
            for markable, answer in sorted(answers.items(), key=lambda item: keys[item[0]]):
                targets = sorted(keys[target] for target in answer.pointers)
                yield [keys[markable], answer.category, targets, sorted(answer.indices)]
