"""What coders answered on some markables, for people to read: read for what a page shows, not kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import Any

from django.db.models import Q

from agreement.data.columns import NO_CATEGORY, CodingAnswers
from agreement.data.documents import row_key, shift_of
from agreement.data.judgements import MAX_TEXTS_IN_QUERY
from agreement.data.project_answers import ProjectAnswers
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

    note: frozenset[int] = frozenset()
    unsure: frozenset[int] = frozenset()


def read_marks(project: Project, answers: ProjectAnswers) -> CoderMarks:
    """Return what the coders whose answers count noted and were unsure of. One query."""
    texts = {text.text_pk for text in answers.texts}
    name, value = ("text__project", project) if len(texts) > MAX_TEXTS_IN_QUERY else ("text__in", texts)
    chosen = {f"coding__{name}": value, "coding__kind__in": INDEPENDENT_KINDS}
    rows = Judgement.objects.filter(**chosen, **_of_versions(answers)).filter(Q(unsure=True) | ~Q(note="")).order_by()
    shifts, note, unsure = _counted_codings(answers), set[int](), set[int]()
    for coding, markable, is_unsure, words in rows.values_list("coding_id", "markable_id", "unsure", "note"):
        if coding in shifts:
            unit = markable + shifts[coding]
            note.update([unit] if words.strip() else [])
            unsure.update([unit] if is_unsure else [])
    return CoderMarks(frozenset(note), frozenset(unsure))


def read_given_answers(
    answers: ProjectAnswers, labels: Mapping[str, str], units: Collection[int], contents: Mapping[int, str]
) -> dict[int, list[GivenAnswer]]:
    """Return what each coder whose answers count said of these units, by the names of the coders.

    `contents` has the texts of their markables. Three queries, where a database takes so many keys at once.
    """
    counted, question = _counted_codings(answers, contents), answers.question
    words = _words_by_unit(answers, frozenset(units), contents) if question else {}
    found: dict[int, list[GivenAnswer]] = defaultdict(list)
    wanted = frozenset(units)
    for some in batched({row_key(unit) for unit in wanted}, bulk.MAX_KEYS):
        links = _read_links(some, contents, question.key if question and question.kind == "targets" else "")
        rows = Judgement.objects.filter(
            markable__in=some, coding__kind__in=INDEPENDENT_KINDS, **_of_versions(answers)
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
    return {unit: sorted(given, key=lambda one: one.coder) for unit, given in found.items()}


def _of_versions(answers: ProjectAnswers) -> dict[str, Any]:
    """Return the filter of the judgements that were read, of all versions of the scheme or of some."""
    return {"scheme_version__in": answers.versions} if answers.versions else {}


def _counted_codings(answers: ProjectAnswers, texts: Container[int] | None = None) -> dict[int, int]:
    """Return the codings that count, each with what keys of units there have more than those of markables.

    texts: only those in some texts.
    """
    return {
        coding: shift_of(text.pk)
        for text, rows in zip(answers.texts, answers.rows_by_text(), strict=True)
        if texts is None or text.text_pk in texts
        for _, coding in rows
    }


def _words_by_unit(answers: ProjectAnswers, units: frozenset[int], texts: Container[int]) -> dict[tuple[int, str], str]:
    """Return what each coder answered to the question on these units of some texts, in words."""
    words = {}
    for _, coder, coding in answers.codings_in([text for text in answers.texts if text.text_pk in texts]):
        keys = coding.members["key"][coding.marks["unit"]].tolist()
        for mark, key in enumerate(keys):
            if key in units and coding.marks["category"][mark] != NO_CATEGORY:
                words[key, coder] = describe_answer(answers, coding, mark)
    return words


def describe_answer(answers: ProjectAnswers, coding: CodingAnswers, mark: int) -> str:
    """Return in words the labels or the value that a judgement gives to a question."""
    numbers = coding.links["to"][coding.links["of"] == mark].tolist() if answers.kind == "labels" else []
    categories = numbers or [int(coding.marks["category"][mark])]
    return ", ".join(answers.label(answers.categories[one]) for one in categories)


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
