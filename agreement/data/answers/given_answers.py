"""What coders answered on some markables, for people to read: read for what a page shows, not kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

import numpy as np
from django.db.models import Q

from agreement.data.answers.answers import CoderAnswers
from agreement.data.answers.contents import TextEntry
from agreement.data.answers.reading import select_texts
from agreement.data.codings.documents import row_key, shift_of
from agreement.data.extract.extract import Extract
from agreement.data.storage.records import NO_NAME, TextRecords
from annotations.core.database import bulk
from annotations.models import Index, Judgement, Pointer, Project
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.texts.keywords import covered_text


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One coder's answer on one markable: the category by key and label, antecedents or indices by their words.

    Of antecedents that are meant together the words are one, as in "Anna + Ben".
    `targets` are the keys of the antecedents, in the order of the text; of indices there are none. `n_readings` is how
    many alternatives the coder named.
    """

    coder: str
    category: str
    label: str
    antecedents: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    unsure: bool = False
    note: str = ""
    n_readings: int = 0

    @property
    def is_ambiguous(self) -> bool:
        """Whether the coder named several readings or indices."""
        return self.n_readings > 1

    def __str__(self) -> str:
        words = self.label or "no category"
        return f"{words} \N{RIGHTWARDS ARROW} {' | '.join(self.antecedents)}" if self.antecedents else words


@dataclass(frozen=True, slots=True)
class CoderMarks:
    """The units of which a coder wrote a note, and those where one was unsure."""

    note: frozenset[int]
    unsure: frozenset[int]


def read_marks(project: Project, extract: Extract) -> CoderMarks:
    """Return what the coders whose answers count noted and were unsure of. One query, where answers have changed."""
    if "marks" not in extract.cache:
        records = _read_marks(project, extract)
        note, unsure = (frozenset(records["unit"][records[field]].tolist()) for field in ("note", "unsure"))
        extract.cache["marks"] = CoderMarks(note, unsure)
    marks: CoderMarks = extract.cache["marks"]
    return marks


def _read_marks(project: Project, extract: Extract) -> TextRecords:
    """Return a record of each judgement with a note, or of which the coder was unsure, from their table."""

    def find(texts: Sequence[TextEntry]) -> TextRecords:
        return _find_marks(project, extract, texts)

    name = ("marks", *(tuple(sorted(names)) for names in extract.selected or ()))
    return extract.read_records(name, find, shared=extract.is_standard and not extract.question)


def _find_marks(project: Project, extract: Extract, texts: Sequence[TextEntry]) -> TextRecords:
    of_coding = {
        one.coding: (place, shift_of(text.pk)) for place, text in enumerate(texts) for one in text.content.codings
    }
    rows = (
        Judgement.objects.filter(coding__kind__in=INDEPENDENT_KINDS, **_select_codings(project, texts))
        .filter(Q(unsure=True) | ~Q(note=""), **_of_versions(extract))
        .order_by()
    )
    found = [
        (*of_coding[coding], markable, is_unsure, bool(words.strip()))
        for coding, markable, is_unsure, words in rows.values_list("coding_id", "markable_id", "unsure", "note")
        if coding in of_coding
    ]
    columns = np.array(sorted(found), dtype=np.int64).reshape(-1, 5)
    return TextRecords.of(
        [text.pk for text in texts],
        np.bincount(columns[:, 0], minlength=len(texts)),
        (),
        name=np.full(len(columns), NO_NAME, dtype=np.int8),
        unit=columns[:, 2] + columns[:, 1],
        unsure=columns[:, 3].astype(np.bool_),
        note=columns[:, 4].astype(np.bool_),
    )


def _select_codings(project: Project, texts: Sequence[TextEntry]) -> dict[str, Any]:
    """Return the filter of the judgements in some texts; of many all of the project are read."""
    return {f"coding__{name}": value for name, value in select_texts(project, [text.pk for text in texts]).items()}


def read_given_answers(
    extract: Extract, labels: Mapping[str, str], units: Collection[int], contents: Mapping[int, str]
) -> dict[int, list[GivenAnswer]]:
    """Return what each coder whose answers count said of these units, by the names of the coders.

    `contents` has the texts of their markables. Three queries, where a database takes so many keys at once.
    """
    counted, question = _counted_codings(extract, contents), extract.question
    words = _words_by_unit(extract, frozenset(units)) if question else {}
    found: dict[int, list[GivenAnswer]] = defaultdict(list)
    wanted = frozenset(units)
    for some in batched({row_key(unit) for unit in wanted}, bulk.MAX_KEYS):
        links = _read_links(some, contents, question.key if question and question.kind == "targets" else "")
        rows = Judgement.objects.filter(
            markable__in=some, coding__kind__in=INDEPENDENT_KINDS, **_of_versions(extract)
        ).order_by()
        for pk, coding, coder, markable, category, unsure, note in rows.values_list(
            "pk", "coding_id", "coding__coder__username", "markable_id", "category__key", "unsure", "note"
        ):
            unit = markable + counted.get(coding, 0)
            if coding in counted and unit in wanted:
                antecedents, n_readings = (
                    links.get(pk, ((), 0)) if not question or question.kind == "targets" else ((), 0)
                )
                if question:
                    category = label = words.get((unit, coder), "")
                else:
                    category, label = category or "", labels.get(category or "", category or "")
                found[unit].append(
                    GivenAnswer(
                        coder,
                        category,
                        label,
                        tuple(words for words, _ in antecedents),
                        tuple(dict.fromkeys(key for _, keys in antecedents for key in keys)),
                        unsure,
                        note.strip(),
                        n_readings,
                    )
                )
    return {unit: sorted(answers, key=lambda one: one.coder) for unit, answers in found.items()}


def _of_versions(extract: Extract) -> dict[str, Any]:
    """Return the filter of the judgements that were read, of all versions of the scheme or of some."""
    return {"scheme_version__in": extract.versions} if extract.versions else {}


def _counted_codings(extract: Extract, texts: Container[int]) -> dict[int, int]:
    """Return the codings in some texts that count, each with what keys of units there have more than of markables."""
    return {
        one.coding: shift_of(text.pk) for text in extract.texts if text.text_pk in texts for one in text.content.codings
    }


def _words_by_unit(extract: Extract, units: frozenset[int]) -> dict[tuple[int, str], str]:
    """Return what each coder answered to the question on these units, in words."""
    words = {}
    for text in extract.texts:
        members = text.answers.units
        for work in text.answers.coder_answers:
            for answer, place in enumerate(work.unit.tolist()):
                if members[place] in units:
                    words[members[place], work.coder] = describe_answer(extract, work, answer)
    return words


def describe_answer(extract: Extract, work: CoderAnswers, answer: int) -> str:
    """Return in words the labels or the value that a judgement gives to a question."""
    begin, end = np.searchsorted(work.link_of, (answer, answer + 1)).tolist()
    numbers = work.link_to[begin:end].tolist() if extract.kind == "labels" else []
    return ", ".join(extract.label(extract.categories[one]) for one in numbers or [int(work.category[answer])])


type Links = dict[int, tuple[Sequence[tuple[str, tuple[str, ...]]], int]]


def _read_links(units: Sequence[int], contents: Mapping[int, str], relation: str = "") -> Links:
    """Return words and keys of each reading of each judgement, in the order of the text, or the names of indices.

    relation: the key of the relation whose targets they are; without it those of identity. With them is the number of
    readings or indices.
    """
    readings: dict[int, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    judged = {"judgement__markable__in": units, "judgement__coding__kind__in": INDEPENDENT_KINDS}
    wanted: dict[str, Any] = {"relation__key": relation} if relation else {"relation__identity": True}
    pointers = Pointer.objects.filter(**wanted, **judged)
    for judgement, text, key, parts, reading in pointers.order_by(
        "target__start", "-target__end", "target__key"
    ).values_list("judgement_id", "target__text_id", "target__key", "target__parts", "reading"):
        readings[judgement][reading][key] = covered_text(contents[text], parts)
    links: Links = {}
    for judgement, of_judgement in readings.items():
        # readings that a deletion made equal are one
        distinct = {tuple(words): " + ".join(words.values()) for words in of_judgement.values()}
        links[judgement] = [(words, keys) for keys, words in distinct.items()], len(distinct)
    indices: dict[int, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for judgement, entity in Index.objects.filter(**judged).order_by("entity").values_list("judgement_id", "entity"):
        indices[judgement].append((entity, ()))
    return links | {judgement: (names, len(names)) for judgement, names in indices.items()}
