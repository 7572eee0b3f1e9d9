"""The reliability data: the raw answers, and one integer for each value (Passonneau 2004)."""

import json
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Any, cast

import numpy as np
from rest_framework.serializers import ChoiceField

from agreement.data.columns import NO_CATEGORY, CodingAnswers
from agreement.data.documents import Document
from agreement.data.given_answers import describe_answer
from agreement.data.project_answers import ProjectAnswers, name_value
from agreement.data.texts import Snippet, read_keys, read_snippets
from agreement.measures import ReliabilityData
from agreement.measures.data.cells import MISSING
from agreement.measures.values import Ints, Readings, Value
from agreement.reports.basis import pick_texts, select_data
from agreement.reports.parameters import Parameters
from agreement.reports.request import AnalysisRequest, resolve
from agreement.reports.wording import nouns_for
from agreement.results.computations import PageSections, ResultPage, paginate, register
from agreement.results.tables import Cell, Column, FileForm, Kind, Table, columns_of
from annotations.formats.tables.matrix import Matrix, Row, write_csv, write_json
from annotations.formats.tables.matrix import Value as MatrixValue

PAGE_SIZE = 50
# Members of a set whose words are shown, too.
MAX_WORDS = 12
NOTE_RAW = (
    "Indices, or the category and the rows it points to; other targets by their keys. A question mark: the"
    " answer is incomplete."
)
NOTE_MATRIX = "Equal integers are equal values; the legend says which. Empty: no value."


@dataclass(frozen=True, eq=False)
class CanonicalForm:
    """A matrix of units by coders with an integer for each value, in text order: Table 2 of Passonneau 2004."""

    extract: ProjectAnswers
    texts: tuple[Document, ...]
    data: ReliabilityData
    numbers: Ints  # (units, coders), from 1: sets in the order of their members, then labels; 0: no value

    @cached_property
    def _codes(self) -> Ints:
        numbers, first = np.unique(self.numbers, return_index=True)
        codes = np.full(self.data.n_values + 1, MISSING, dtype=np.int64)
        codes[numbers] = self.data.codes.ravel()[first]
        return codes

    def value(self, number: int) -> Value:
        """Return the value that an integer stands for."""
        return self.data.value(int(self._codes[number]))

    @cached_property
    def row_of(self) -> Mapping[Hashable, int]:
        """The row of each unit, from 1."""
        return {unit: row for row, unit in enumerate(self.data.units, start=1)}

    @cached_property
    def judgements_by_value(self) -> Ints:
        """The number of judgements by integer; the first entry counts missing values."""
        return np.bincount(self.numbers.ravel(), minlength=self.data.n_values + 1)

    def raw_answers(self, rows: Sequence[int], labels: Mapping[str, str] | None = None) -> list[list[str]]:
        """Return the raw answers of each coder in these rows, counted from 0: Table 1 of Passonneau 2004.

        An answer is its indices, or its category by label or key, with the rows or keys of its targets.
        A plus joins targets that are meant together; an empty string is no answer.
        """
        line_of = {self.data.units[row]: line for line, row in enumerate(rows)}
        column = {coder: number for number, coder in enumerate(self.data.coders)}
        found = [[""] * len(column) for _ in rows]
        texts = [self.texts[number] for number in sorted({int(self.data.document_of_unit[row]) for row in rows})]
        keys = read_keys(texts) if self.extract.kind in ("pointers", "targets") else {}
        for _, coder, coding in self.extract.codings_in(texts):
            if coder in column:
                units = coding.members["key"][coding.marks["unit"]].tolist()
                for mark, unit in enumerate(units):
                    if unit in line_of and coding.marks["category"][mark] != NO_CATEGORY:
                        words = self._describe(coding, mark, labels or {}, keys)
                        found[line_of[unit]][column[coder]] = words
        return found

    def _describe(self, coding: CodingAnswers, mark: int, labels: Mapping[str, str], keys: Mapping[int, str]) -> str:
        answers = self.extract
        key = answers.categories[int(coding.marks["category"][mark])]
        category = labels.get(key, key)
        of_mark = coding.links[coding.links["of"] == mark]
        links = of_mark["to"].tolist()
        if answers.kind == "labels":
            names = "|".join(answers.categories[number] for number in links) or key
            return describe_answer(answers, coding, mark) if labels else names
        if not links:
            return category if coding.marks["complete"][mark] else f"{category}?"
        if answers.kind == "categories":
            second = answers.categories[links[0]]
            return f"{category}, {labels.get(second, second)}"
        if answers.kind == "indices":
            return ", ".join(answers.columns.indices[coding.place][link] for link in links)
        readings: dict[int, list[str]] = {}
        for number, link in zip(of_mark["reading"].tolist(), links, strict=True):
            member = int(coding.members["key"][link])
            readings.setdefault(number, []).append(str(self.row_of.get(member, keys[member])))
        return f"{category}: {', '.join(' + '.join(together) for together in readings.values())}"


def build_canonical_form(extract: ProjectAnswers, parameters: Parameters) -> CanonicalForm:
    """Return the selected data in their canonical form. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    data = select_data(extract, parameters)
    return CanonicalForm(extract, pick_texts(extract, parameters), data, data.canonical_numbers)


def reliability_matrix(extract: ProjectAnswers, parameters: Parameters) -> Matrix:
    """Return the matrix of values of the selected units and coders, with markables as keys."""
    data = select_data(extract, parameters)
    texts = pick_texts(extract, parameters)
    slugs = {text.pk: text.name for text in texts}
    keys: dict[Hashable, str] = dict(read_keys(texts).items())
    of_members = keys if data.members == "units" else {}
    values = {code: _value_in_keys(data.value(code), of_members) for code in range(data.n_values)} | {MISSING: None}
    documents = [slugs[data.documents[number]] for number in data.document_of_unit.tolist()]
    rows = tuple(
        Row(text, keys[unit], tuple(values[code] for code in codes))
        for text, unit, codes in zip(documents, data.units, data.codes.tolist(), strict=True)
    )
    return Matrix(tuple(map(str, data.coders)), rows)


def _value_in_keys(value: Value, keys: Mapping[Hashable, str]) -> MatrixValue:
    """Return a value with the members of its sets as keys; labels stay."""
    if isinstance(value, Readings):
        return frozenset(frozenset(map(keys.__getitem__, reading)) for reading in value.sets)
    if isinstance(value, tuple):  # a first choice and a second one
        return " | ".join(map(str, value))
    return frozenset(keys.get(unit, str(unit)) for unit in value) if isinstance(value, frozenset) else name_value(value)


def _file_of(write: Callable[[Matrix], bytes]) -> Callable[[AnalysisRequest], bytes]:
    return lambda request: write(reliability_matrix(request.extract, request.parameters))


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The values of a unit."""

    text: str
    unit: Annotated[str, "The markable's key."]
    values: Annotated[Mapping[str, Any], "By coder a label, a list of keys of markables, or null."]


@register
class Data(ResultPage[Matrix]):
    """The raw answers of coders, the compared values as integers, and the legend of the integers."""

    name, title, route = "data", "Data", "agreement-data"
    template = "agreement/data.html"
    position = 170
    draws_charts = False
    gives = list[MatrixRow]
    takes = {
        "form": ChoiceField(
            ["json", "csv", "raw"], required=False, help_text="How the matrix is written: raw is CSV, too."
        )
    }
    api = """\
The reliability data with which the agreement is computed: a row a unit, a value for each coder.

Values are labels or sets of units, as the parameters ask for. CSV is read by `ReliabilityData.from_matrix`; in
csv an apostrophe keeps spreadsheets from computing cells, in raw it does not."""
    api_route = "api-data"
    forms = {
        "json": FileForm(_file_of(write_json), "application/json", "json"),
        "csv": FileForm(_file_of(write_csv), "text/csv; charset=utf-8", "csv"),
        "raw": FileForm(_file_of(partial(write_csv, raw=True)), "text/csv; charset=utf-8", "csv"),
    }

    def compute(self, request: AnalysisRequest) -> Matrix:
        return reliability_matrix(request.extract, request.parameters)

    def fields(self, request: AnalysisRequest, report: Matrix) -> Any:
        return json.loads(write_json(report))

    def show(self, request: AnalysisRequest) -> PageSections:
        form, nouns = build_canonical_form(request.extract, request.parameters), nouns_for(request.extract)
        shown, rows = paginate(request, range(len(form.data.units)), PAGE_SIZE)
        numbers = form.numbers[rows]
        used = sorted(set(numbers.ravel().tolist()) - {0})
        values = [form.value(number) for number in used]
        if form.data.members == "labels":
            values = [request.extract.describe(value) for value in values]
        labels = request.extract.labels if request.page is not None else {}  # files keep the keys
        members = {cast(int, member) for value in values for reading in _sets_of(value) for member in reading}
        units = [cast(int, form.data.units[row]) for row in rows]
        names = [form.texts[number].name for number in form.data.document_of_unit[rows].tolist()]
        snippets = read_snippets({*units, *members})

        def list_units(key: str, caption: str, kind: Kind, cells: Sequence[Sequence[Cell]], note: str) -> Table:
            columns = [
                Column("row", "Row", "count"),
                *columns_of("text", text="Text", words="Words"),
                *(Column(str(coder), str(coder), kind, explanation="coder_value") for coder in form.data.coders),
                Column("key", "Key"),
            ]
            lines = [
                [row + 1, name, snippets[unit].words, *of_unit, snippets[unit].key]
                for row, name, unit, of_unit in zip(rows, names, units, cells, strict=True)
            ]
            return Table(key, caption, columns, lines, note)

        integers = [[number or None for number in of_unit] for of_unit in numbers.tolist()]
        legend: list[list[Cell]] = [
            [number, *_describe_value(form, value, snippets), int(form.judgements_by_value[number])]
            for number, value in zip(used, values, strict=True)
        ]
        columns = [
            Column("value", "Value", "count", explanation="integer"),
            Column("members", "Rows, or category", labels=labels, explanation="legend"),
            Column("words", "Words"),
            Column("judgements", "Judgements", "count"),
        ]
        note = f"A set is the rows of its {nouns.units}; others are given by their key."
        return PageSections(
            [
                list_units("raw", "Answers", "text", form.raw_answers(rows, labels), NOTE_RAW),
                list_units("matrix", "Values as integers", "count", integers, NOTE_MATRIX),
                Table("legend", "Legend of the integers", columns, legend, note),
            ],
            context={"shown": shown},
        )


def _sets_of(value: Value) -> Collection[frozenset[Hashable]]:
    """Return the set of a value, or a set for each of its readings; a label has none."""
    if isinstance(value, Readings):
        return value.sets
    return (value,) if isinstance(value, frozenset) else ()


def _describe_value(form: CanonicalForm, value: Value, snippets: Mapping[int, Snippet]) -> tuple[str, str]:
    """Return the rows and the words of a value's members, or its category without words."""
    if not isinstance(value, frozenset | Readings):
        return str(value), ""

    def place_of(member: int) -> tuple[int, int]:
        return form.row_of.get(member, len(form.row_of) + 1), member

    sets = sorted(sorted((cast(int, member) for member in reading), key=place_of) for reading in _sets_of(value))
    rows = (", ".join(str(form.row_of.get(pk, snippets[pk].key)) for pk in members) for members in sets)
    words = (
        "; ".join([*(snippets[pk].words for pk in members[:MAX_WORDS]), *(["…"] if members[MAX_WORDS:] else [])])
        for members in sets
    )
    return " or ".join(rows), " or ".join(words)
