"""The data as they are compared, as tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from agreement.data.texts.snippets import Snippet, read_snippets
from agreement.measures.values import Readings, Value
from agreement.reports.data.canonical import CanonicalForm, build_canonical_form
from agreement.reports.data.matrix import reliability_matrix
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import nouns_for
from agreement.results.computations import register
from agreement.results.content import PageSections, paginate
from agreement.results.page import FileForm, ResultPage
from agreement.results.tables import Cell, Column, Kind, Table
from annotations.formats.tables.matrix import Matrix, write_csv, write_json

PAGE_SIZE = 50
# So many members of a set stand in words, too.
MOST_WORDS = 12
NOTE_RAW = (
    "Indices, or the category and the rows it points to; other targets by their keys. A question mark: the"
    " answer is incomplete."
)
NOTE_MATRIX = "Equal integers are equal values; the legend says which. Empty: no value."


def _file_of(write: Callable[[Matrix], bytes]) -> Callable[[AnalysisRequest], bytes]:
    return lambda request: write(reliability_matrix(request.extract, request.parameters))


@register
class Data(ResultPage[Matrix]):
    """What coders answered, the values that are compared as one integer each, and what the integers stand for."""

    name, route = "data", "agreement-data"
    template = "agreement/data.html"
    position = 170
    draws_charts = False
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
        """Return what coders answered, the integers of their values, and the legend of the integers on the page."""
        form = build_canonical_form(request.extract, request.parameters)
        shown, rows = paginate(request, range(len(form.data.units)), PAGE_SIZE)
        used = sorted(set(form.numbers[rows].ravel().tolist()) - {0})
        values = [form.value(number) for number in used]
        if form.data.members == "labels":
            values = [request.extract.describe(value) for value in values]
        labels = request.extract.labels if request.page is not None else {}  # a file has keys
        members = {cast(int, member) for value in values for one in _sets_of(value) for member in one}
        snippets = read_snippets({form.unit_of(row) for row in rows} | members)
        return PageSections(
            [
                _units_table(form, rows, snippets, "raw", "Answers", form.raw_answers(rows, labels), NOTE_RAW),
                _units_table(
                    form,
                    rows,
                    snippets,
                    "matrix",
                    "Values as integers",
                    [[number or None for number in of_unit] for of_unit in form.numbers[rows].tolist()],
                    NOTE_MATRIX,
                ),
                _legend_table(form, used, values, snippets, nouns_for(request.extract).units, labels),
            ],
            context={"shown": shown, "nouns": nouns_for(request.extract)},
        )


def _units_table(
    form: CanonicalForm,
    rows: Sequence[int],
    snippets: dict[int, Snippet],
    key: str,
    caption: str,
    cells: Sequence[Sequence[Cell]],
    note: str,
) -> Table:
    """Return a row for each unit, a column for each coder."""
    kind: Kind = "count" if key == "matrix" else "text"
    columns = [
        Column("row", "Row", "count"),
        Column("text", "Text"),
        Column("words", "Words"),
        *(Column(str(coder), str(coder), kind, explanation="coder_value") for coder in form.data.coders),
        Column("key", "Key"),
    ]
    lines: list[list[Cell]] = []
    for row, of_unit in zip(rows, cells, strict=True):
        snippet = snippets[form.unit_of(row)]
        lines.append([row + 1, form.text_of(row).name, snippet.words, *of_unit, snippet.key])
    return Table(key, caption, columns, lines, note)


def _sets_of(value: Value) -> Collection[frozenset[Hashable]]:
    """Return the set that a value is, or those of its readings; a label is none."""
    if isinstance(value, Readings):
        return value.sets
    return (value,) if isinstance(value, frozenset) else ()


def _words(members: Sequence[int], snippets: Mapping[int, Snippet]) -> str:
    words = "; ".join(snippets[member].words for member in members[:MOST_WORDS])
    return words + ("; …" if len(members) > MOST_WORDS else "")


def _legend_table(
    form: CanonicalForm,
    numbers: Sequence[int],
    values: Sequence[Value],
    snippets: dict[int, Snippet],
    units: str,
    labels: Mapping[str, str],
) -> Table:
    """Return what each integer stands for."""
    lines: list[list[Cell]] = []
    for number, value in zip(numbers, values, strict=True):
        rows, words = str(value), ""
        if isinstance(value, frozenset | Readings):
            sets = sorted(
                sorted(
                    (cast(int, member) for member in one),
                    key=lambda member: (form.row_of.get(member, len(form.row_of) + 1), member),
                )
                for one in _sets_of(value)
            )
            rows, words = (
                " or ".join(parts)
                for parts in (
                    [", ".join(str(form.row_of.get(one, snippets[one].key)) for one in members) for members in sets],
                    [_words(members, snippets) for members in sets],
                )
            )
        lines.append([number, rows, words, int(form.judgements_by_value[number])])
    return Table(
        "legend",
        "Legend of the integers",
        [
            Column("value", "Value", "count", explanation="integer"),
            Column("members", "Rows, or category", labels=labels, explanation="legend"),
            Column("words", "Words"),
            Column("judgements", "Judgements", "count"),
        ],
        lines,
        f"A set is the rows of its {units}; others are given by their key.",
    )
