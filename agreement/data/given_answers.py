"""The answers of coders on some markables, for display: read for each page and not cached."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import batched
from typing import Any

from django.db.models import Q

from agreement.data.columns import NO_CATEGORY, CodingAnswers
from agreement.data.documents import row_key, shift_of
from agreement.data.judgements import select_texts
from agreement.data.project_answers import ProjectAnswers
from annotations.core.database import bulk
from annotations.models import Judgement, Markable, Project
from annotations.models.coding import INDEPENDENT_KINDS
from annotations.texts.keywords import covered_text

_Marks = dict[tuple[int, int], tuple[int, CodingAnswers, int]]  # unit, coding and mark, by coding and markable


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One coder's answer on one markable."""

    coder: str
    category: str  # its key
    label: str  # of the category
    antecedents: tuple[str, ...] = ()  # the words of targets, "Anna + Ben" if meant together, or the names of indices
    targets: tuple[str, ...] = ()  # the keys of the antecedents, in text order; empty for indices
    unsure: bool = False
    note: str = ""

    @property
    def is_ambiguous(self) -> bool:
        """Whether the coder named several readings or indices."""
        return len(self.antecedents) > 1

    def __str__(self) -> str:
        words = self.label or "no category"
        return f"{words} \N{RIGHTWARDS ARROW} {' | '.join(self.antecedents)}" if self.antecedents else words


@dataclass(frozen=True, slots=True)
class CoderMarks:
    """The units with a note of some coder, and the units of which some coder was unsure."""

    note: frozenset[int] = frozenset()
    unsure: frozenset[int] = frozenset()


def read_marks(project: Project, answers: ProjectAnswers) -> CoderMarks:
    """Return the units with notes or doubts of the coders whose answers count. One query."""
    rows = _judgements_of(answers, **select_texts(project, answers.texts, "coding__"))
    rows = rows.filter(Q(unsure=True) | ~Q(note="")).order_by()
    columns = answers.columns
    document_of = dict(zip(columns.codings["key"].tolist(), columns.document_of_coding.tolist(), strict=True))
    marks = [
        (markable + shift_of(answers.texts[document_of[coding]].pk), is_unsure, note.strip())
        for coding, markable, is_unsure, note in rows.values_list("coding_id", "markable_id", "unsure", "note")
        if coding in document_of
    ]
    noted, unsure = (unit for unit, _, note in marks if note), (unit for unit, is_unsure, _ in marks if is_unsure)
    return CoderMarks(frozenset(noted), frozenset(unsure))


def read_given_answers(
    answers: ProjectAnswers, units: Collection[int], contents: Mapping[int, str]
) -> dict[int, list[GivenAnswer]]:
    """Return the counted answers on each of these units, sorted by coder; empty for pyramids."""
    if answers.units:
        return {}
    wanted, marks = frozenset(units), _Marks()
    for text, _, coding in answers.codings_in([text for text in answers.texts if text.text_pk in contents]):
        for mark, unit in enumerate(coding.members["key"][coding.marks["unit"]].tolist()):
            if unit in wanted:
                marks[int(coding.coding["key"]), unit - shift_of(text.pk)] = unit, coding, mark
    antecedents = _read_antecedents(answers, marks, contents)
    found: dict[int, list[GivenAnswer]] = defaultdict(list)
    for some in batched({row_key(unit) for unit in wanted}, bulk.MAX_KEYS):
        rows = _judgements_of(answers, markable__in=some).order_by()
        columns = ("coding_id", "coding__coder__username", "markable_id", "unsure", "note")
        for pk, coder, markable, unsure, note in rows.values_list(*columns):
            if (pk, markable) not in marks:
                continue
            unit, coding, mark = marks[pk, markable]
            number, names, label, category = int(coding.marks["category"][mark]), list[str](), "", ""
            if number != NO_CATEGORY:
                label = describe_answer(answers, coding, mark)
                category = label if answers.question else answers.categories[number]
            if answers.kind == "indices":
                indices = answers.columns.indices[coding.place]
                names = sorted(indices[link] for link in coding.links["to"][coding.links["of"] == mark].tolist())
            readings = antecedents.get((pk, markable), {})
            targets = tuple(dict.fromkeys(key for keys in readings for key in keys))
            words = tuple(readings.values()) or tuple(names)
            found[unit].append(GivenAnswer(coder, category, label, words, targets, unsure, note.strip()))
    return {unit: sorted(given, key=lambda one: one.coder) for unit, given in found.items()}


def _judgements_of(answers: ProjectAnswers, **selection: Any) -> Any:
    """Return the judgements of coders under the scheme versions that were read."""
    of_versions = {"scheme_version__in": answers.versions} if answers.versions else {}
    return Judgement.objects.filter(coding__kind__in=INDEPENDENT_KINDS, **selection, **of_versions)


def describe_answer(answers: ProjectAnswers, coding: CodingAnswers, mark: int) -> str:
    """Return the names of the labels, or of the value, that a judgement gives to a question."""
    numbers = coding.links["to"][coding.links["of"] == mark].tolist() if answers.kind == "labels" else []
    categories = numbers or [int(coding.marks["category"][mark])]
    return ", ".join(answers.label(answers.categories[one]) for one in categories)


def _read_antecedents(
    answers: ProjectAnswers, marks: _Marks, contents: Mapping[int, str]
) -> dict[tuple[int, int], dict[tuple[str, ...], str]]:
    """Return the words of each reading of each mark, by the keys of its targets, in text order. One query."""
    readings: dict[tuple[int, int], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    if answers.kind in ("pointers", "targets"):
        for name, (_, coding, mark) in marks.items():
            for link in coding.links[coding.links["of"] == mark]:
                readings[name][int(link["reading"])].append(row_key(int(coding.members["key"][link["to"]])))
    pks = {pk for of_mark in readings.values() for together in of_mark.values() for pk in together}
    targets = {}
    for some in batched(pks, bulk.MAX_KEYS):
        rows = Markable.objects.filter(pk__in=some).order_by()
        for pk, text, start, end, key, parts in rows.values_list("pk", "text_id", "start", "end", "key", "parts"):
            targets[pk] = (start, -end, key, covered_text(contents[text], parts))
    return {
        name: {
            tuple(key for _, _, key, _ in together): " + ".join(words for *_, words in together)
            for together in sorted(sorted(targets[pk] for pk in pks) for pks in of_mark.values())
        }
        for name, of_mark in readings.items()
    }
