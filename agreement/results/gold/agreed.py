"""Coders and groups against the agreed pyramids of docsets, as tables and charts."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from agreement.data.pyramids.agreed_pyramids import agreed_state, read_contents
from agreement.reports.gold.readers import Frequent
from agreement.reports.pyramids.agreed import (
    AgainstAgreed,
    AgreedReport,
    LocatedDifference,
    compare_with_agreed,
    count_differences,
    read_agreed_source,
)
from agreement.reports.pyramids.matching import KINDS
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out, list_docsets_left_out
from agreement.results.computations import ResultPage, register
from agreement.results.figures.charts import Chart
from agreement.results.gold.texts import agreement_table, build_trends, coders_chart, read_names, reader_of
from agreement.results.tables import ENDS, Cell, Column, Table, figure_columns, with_ends
from annotations.core.text import pluralize

MOST_SCUS = 50
MOST_DIFFERENCES = 200
MOST_DOCSETS = 100
TRENDS = [("trend", "F1 of SCUs", "F1", "scus_f1"), ("trend_words", "F1 of words", "F1", "words_f1")]
TO_SEE = ": choose docsets to see others"
MEANINGS = {
    "missing": "an agreed SCU without a match, and no SCU of the coder has half of its words",
    "fused": "an agreed SCU without a match: an SCU of the coder that matches another has half of its words or more",
    "split": "an SCU of the coder without a match: an agreed SCU that matches another has half of its words or more",
    "extra": "an SCU of the coder without a match, and no agreed SCU has half of its words",
    "elsewhere": "no word of it is in the SCU that matches, and half or more in another one that matches an agreed SCU",
    "omitted": "no word of it is in the SCU that matches, and no other SCU of the coder has half of it",
    "added": "no word of it is in the agreed SCU that matches, and no other agreed one has half of it",
    "shorter": "some of its words are not in the SCU that matches",
    "longer": "some of the coder’s words are not in the agreed SCU that matches",
}
BEGINNINGS = {
    "most": "a draft of what most coders say",
    "agreed": "a draft of what all coders say",
    "coder": "a draft of one coder’s pyramid",
    "empty": "an empty draft",
    "": "no draft",
}


@register
class Agreed(ResultPage[AgreedReport]):
    """Every coder against agreed pyramids, as the reader may see it, and the differences: the page Gold of pyramids."""

    name = "agreed"
    chooses_coders = True
    work = 20

    def state(self, request: AnalysisRequest) -> list[Any]:
        return [agreed_state(request.project)]

    def compute(self, request: AnalysisRequest) -> AgreedReport:
        answers, reader = request.project_answers, reader_of(request)
        reader.check(request.parameters)
        source = read_agreed_source(request.project, answers, reader.documents(answers))
        report = compare_with_agreed(source, request.parameters, request.progress)
        return report.for_reader(read_names(request), in_full=not reader.codes, names=reader.sees_names)

    def tables(self, request: AnalysisRequest, report: AgreedReport) -> list[Table]:
        return [*_build_tables(report), *_difference_tables(report, request.options.get("coder", ""))]

    def charts(self, request: AnalysisRequest, report: AgreedReport) -> list[Chart]:
        of_scus = coders_chart(report, "scus", "F1 of SCUs against agreed pyramids", "F1", "scus.f1")
        of_words = coders_chart(report, "words", "F1 of words in SCUs that match", "F1", "words.f1")
        return [of_scus, of_words, *build_trends(report, TRENDS).charts]

    def printed(self, request: AnalysisRequest) -> list[Table]:
        return _build_tables(self.compute(request))


def _build_tables(report: AgreedReport) -> list[Table]:
    """Return the figures of each coder and of groups, what coders agree, docsets, SCUs, and the course of it."""
    coder = Column("coder", "Coder", cell="name")
    docsets = Column("docsets", "Docsets", "count", explanation="agreed_docsets", cell="n_docsets")
    rows: list[list[Cell]] = [
        [one.name, what, label, *with_ends(getattr(matching, name))]
        for one in report.coders
        for what, matching in (("SCUs", one.scus), ("words", one.words))
        for name, label in (("recall", "recall"), ("precision", "precision"), ("f1", "F1"))
    ]
    tables = [
        Table.of(
            "scus",
            "SCUs of each coder that match those of the agreed pyramid",
            [
                coder,
                *_matching_columns("scus"),
                *_scu_columns("Coder’s SCUs"),
                Column("identical", "Same words", "count", explanation="identical_scus", cell="n_identical"),
                docsets,
                Column("note", "Notes", cell=_note_of),
            ],
            report.coders,
            _describe_matching(report),
        ),
        Table.of(
            "words",
            "Words of contributors in SCUs that match",
            [
                coder,
                *_matching_columns("words"),
                Column("matched", "In both", "count", explanation="matched_words", cell="words.matched"),
                Column("agreed", "Agreed words", "count", explanation="agreed_words", cell="words.agreed"),
                Column("own", "Coder’s words", "count", explanation="own_words", cell="words.own"),
                Column("note", "Notes", cell="words.f1.note"),
            ],
            report.coders,
            "A match takes one word that both SCUs have: here is how much of them. Words count once for each SCU that"
            " they are in. Intervals are of F1, over docsets.",
        ),
        Table(
            "each",
            "Recall, precision and F1 with their intervals",
            [
                Column("coder", "Coder"),
                Column("of", "Of", explanation="match_of"),
                Column("figure", "Figure", explanation="match_figure"),
                Column("value", "Value", "figure", explanation="match_value"),
                *ENDS,
            ],
            rows,
        ),
        agreement_table(report, "these docsets"),
    ]
    if report.groups:
        columns = [
            Column("group", "Group", cell="name"),
            Column("coders", "Coders", "count", cell=lambda row: len(row.coders)),
            *figure_columns(Column("f1", "F1 of SCUs", "figure"), "scus.f1"),
            *figure_columns(Column("words_f1", "F1 of words", "figure", explanation="f1"), "words.f1", "words_"),
            *_scu_columns("Coders’ SCUs"),
            docsets,
        ]
        each = "docset by docset: an agreed SCU counts once for each of them."
        note = f"The pyramids of all coders of a group together, {each}"
        tables.append(Table.of("groups", "Groups of coders against agreed pyramids", columns, report.groups, note))
    if report.scus:
        columns = [
            Column("scu", "SCU", explanation="agreed_scu", cell="label"),
            Column("docset", "Docset", cell="text.label"),
            Column("weight", "Weight", "count"),
            Column("coders", "Coders", "count", explanation="scu_coders", cell="n_coders"),
            Column("matched", "Matched by", "count", explanation="scu_matched", cell="n_matched"),
            Column("missing", "Missing", "count", explanation="scu_missing", cell="n_missing"),
            Column("fused", "Fused", "count", explanation="scu_fused", cell="n_fused"),
        ]
        note = "Those that fewest of their coders have come first, then the heaviest."
        note += _name_first(MOST_SCUS, len(report.scus))
        tables.append(Table.of("lacking", "Agreed SCUs that coders lack most", columns, report.scus[:MOST_SCUS], note))
    return [*tables, _docsets_table(report), *build_trends(report, TRENDS).tables]


def _matching_columns(of: str) -> list[Column]:
    return [
        *figure_columns(Column("f1", "F1", "figure"), f"{of}.f1"),
        Column("recall", "Recall", "figure", explanation="match_recall", cell=f"{of}.recall.value"),
        Column("precision", "Precision", "figure", explanation="match_precision", cell=f"{of}.precision.value"),
    ]


def _scu_columns(own: str) -> list[Column]:
    return [
        Column("matched", "Matched", "count", explanation="matched_scus", cell="scus.matched"),
        Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus", cell="scus.agreed"),
        Column("own", own, "count", explanation="own_scus", cell="scus.own"),
    ]


def _note_of(one: AgainstAgreed) -> str:
    drafted = f"the agreed pyramid of {pluralize(one.n_drafted or 0, 'docset')} was drafted from this coder’s alone"
    return "; ".join(filter(None, [one.scus.f1.note, drafted if one.n_drafted else ""]))


def _describe_matching(report: AgreedReport) -> str:
    """Return how SCUs are matched, what agreed pyramids began with, and what is not compared."""
    sentences = [
        "Each SCU is matched with one of the agreed pyramid at most, so that the sum of what the pairs share (Jaccard"
        " of their words) is as large as it can be, as on the page SCUs. Intervals are of F1, over docsets."
    ]
    begun = [f"{BEGINNINGS[method]} ({report.methods[method]})" for method in BEGINNINGS if report.methods.get(method)]
    if begun:
        sentences.append(f"Agreed pyramids began with: {', '.join(begun)}.")
    if report.n_drafted and all(one.n_drafted is None for one in report.coders):
        sentences.append("A coder whose pyramid alone was the draft is nearer to what came of it.")
    left_out = [
        list_docsets_left_out(report.docsets_left_out),
        list_codings_left_out(report.codings_left_out),
        f"{pluralize(report.n_by_authors, 'pyramid')} of who made the agreed one" if report.n_by_authors else "",
        f"{pluralize(report.n_empty, 'SCU')} without words" if report.n_empty else "",
    ]
    if any(left_out):
        sentences.append(f"Not compared: {'; '.join(filter(None, left_out))}.")
    return " ".join(sentences)


def _name_first(most: int, n: int, rest: str = "") -> str:
    """Return that the first rows of a table are here alone; empty where all are."""
    return f" The first {most} of {n:,}{rest}." if n > most else ""


def _docsets_table(report: AgreedReport) -> Table:
    coders = [one.name for one in report.coders]
    rows: list[list[Cell]] = []
    for docset in sorted(report.docsets, key=lambda one: one.mean_f1)[:MOST_DOCSETS]:
        f1 = {one.name: one.f1 for one in docset.coders}
        rows.append([docset.label, docset.n_scus, docset.mean_f1, *map(f1.get, coders)])
    columns = [
        Column("docset", "Docset"),
        Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus"),
        Column("mean", "Mean of coders", "figure", explanation="docset_f1"),
        *(Column(coder, coder, "figure", explanation="docset_f1") for coder in coders),
    ]
    note = f"Those with the lowest mean come first.{_name_first(MOST_DOCSETS, len(report.docsets), TO_SEE)}"
    return Table("docsets", "F1 of SCUs in each docset", columns, rows, note)


def _difference_tables(report: AgreedReport, chosen: str) -> list[Table]:
    found = count_differences({name: one for name, one in report.differences.items() if chosen in ("", name)})
    total, kind = sum(one.number for one in found), attrgetter("example.difference.kind")

    def count_docsets(row: Frequent[LocatedDifference]) -> int:
        return len({one.text.text_pk for _, one in row.found})

    def name_example(one: LocatedDifference) -> str:
        """Return the SCU of the agreed pyramid, or where it has none, the coder's."""
        return f"“{one.agreed or one.own}”, {one.text.label}"

    columns = [
        Column("kind", "Difference", explanation="difference_kind", cell=lambda row: KINDS[kind(row)]),
        Column("number", "Number", "count", explanation="difference_number"),
        Column("share", "Share", "percent", explanation="difference_share", cell=lambda row: row.number / total),
        Column("coders", "Coders", "count", explanation="difference_coders", cell="n_coders"),
        Column(
            "docsets",
            "Docsets",
            "count",
            explanation="difference_docsets",
            cell=lambda row: len({one.text.text_pk for _, one in row.found}),
        ),
        Column("example", "Example", explanation="difference_example", cell=lambda row: name_example(row.example)),
        Column("meaning", "Meaning", explanation="difference_meaning", cell=lambda row: MEANINGS[kind(row)]),
    ]
    who = f"{chosen} differs" if chosen else "all coders differ"
    note = "Contributors are compared where their SCUs match; of one without a match the SCU itself is the difference."
    tables = [Table.of("differences", f"How {who} from agreed pyramids", columns, found, note)]
    if chosen:
        differences = report.differences.get(chosen, ())
        shown = differences[:MOST_DIFFERENCES]
        contents = read_contents({one.text.text_pk for one in shown if one.difference.parts})

        def words_of(one: LocatedDifference) -> str:
            content = contents.get(one.text.text_pk, "")
            return " … ".join(" ".join(content[start:end].split()) for start, end in one.difference.parts)

        columns = [
            Column("docset", "Docset", cell="text.label"),
            Column("kind", "Difference", explanation="difference_kind", cell=lambda row: KINDS[row.difference.kind]),
            Column("agreed", "Agreed SCU", explanation="agreed_scu"),
            Column("own", "Coder’s SCU", explanation="own_scu"),
            Column("words", "Contributor", explanation="difference_words", cell=words_of),
        ]
        note = f"In the order of docsets.{_name_first(MOST_DIFFERENCES, len(differences), TO_SEE)}"
        tables.append(Table.of("places", f"Where agreed pyramids differ from {chosen}", columns, shown, note))
    return tables
