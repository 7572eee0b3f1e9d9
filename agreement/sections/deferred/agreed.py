"""Coders and groups against the agreed pyramids of docsets, as tables and charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from agreement.data.pyramids.agreed_pyramids import read_contents
from agreement.measures import ScoreInterval
from agreement.reports.gold.readers import Reader
from agreement.reports.pyramids.agreed import (
    AgainstAgreed,
    AgreedReport,
    LocatedDifference,
    Matching,
    compare_with_agreed,
    count_differences,
    read_agreed_source,
)
from agreement.reports.pyramids.matching import KINDS
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out, list_docsets_left_out
from agreement.sections.content import TablesAndCharts
from agreement.sections.deferred.gold import ENDS, Names, agreement_table, find_coder
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot, line_chart
from agreement.sections.tables import Cell, Column, Table
from annotations.core.processes.progress import Progress
from annotations.core.text import pluralize

MOST_SCUS = 50
MOST_DIFFERENCES = 200
MOST_DOCSETS = 100
# In front of what is not compared.
NOT_COMPARED = "Not compared: "
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


def build_agreed(request: AnalysisRequest, progress: Progress | None = None) -> TablesAndCharts:
    """Return every coder against agreed pyramids, as the reader of the options may see it, and the differences."""
    answers, reader = request.project_answers, Reader.from_option(request.options.get("reader", ""))
    source = read_agreed_source(request.project, answers, reader.documents(answers))
    report = compare_with_agreed(source, request.parameters, progress)
    called = reader.name_coders(request.project, answers.known_coders)
    chosen = find_coder(request.options.get("coder", ""), called)
    tables = build_tables(report, called, in_full=not reader.codes, names=reader.sees_names)
    return TablesAndCharts([*tables, *_difference_tables(report, called, chosen)], _charts(report, called))


def build_tables(report: AgreedReport, called: Names, *, in_full: bool = True, names: bool = True) -> list[Table]:
    """Return the figures of each coder and of groups, what coders agree, docsets, SCUs, and the course of it.

    in_full and names: as in `AgreedReport.as_dict`.
    """
    tables = [_scus_table(report, called, in_full=in_full, names=names), _words_table(report, called)]
    tables += [_each_table(report, called), agreement_table(report.agreement, report.parameters, "these docsets")]
    if in_full and report.groups:
        tables.append(_groups_table(report))
    if report.scus:
        tables.append(_agreed_scus_table(report))
    tables.append(_docsets_table(report, called))
    return [*tables, *_trend_tables(report, called)]


def _ends(one: ScoreInterval) -> tuple[float | None, float | None]:
    return one.low, one.high


def _f1_cells(one: Matching) -> list[Cell]:
    return [one.f1.value, *_ends(one.f1)]


def _scus_table(report: AgreedReport, called: Names, *, in_full: bool, names: bool) -> Table:
    rows: list[list[Cell]] = [
        [
            *(called[one.name], *_f1_cells(one.scus), one.scus.recall.value, one.scus.precision.value),
            *(one.scus.matched, one.scus.agreed, one.scus.own, one.n_identical, one.n_docsets),
            _note_of(one, names=names),
        ]
        for one in report.coders
    ]
    return Table(
        "scus",
        "SCUs of each coder that match those of the agreed pyramid",
        [
            Column("coder", "Coder"),
            Column("f1", "F1", "figure"),
            *ENDS,
            Column("recall", "Recall", "figure", explanation="match_recall"),
            Column("precision", "Precision", "figure", explanation="match_precision"),
            Column("matched", "Matched", "count", explanation="matched_scus"),
            Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus"),
            Column("own", "Coder’s SCUs", "count", explanation="own_scus"),
            Column("identical", "Same words", "count", explanation="identical_scus"),
            Column("docsets", "Docsets", "count", explanation="agreed_docsets"),
            Column("note", "Notes"),
        ],
        rows,
        _describe_matching(report, in_full=in_full, names=names),
    )


def _note_of(one: AgainstAgreed, *, names: bool) -> str:
    drafted = f"the agreed pyramid of {pluralize(one.n_drafted, 'docset')} was drafted from this coder’s alone"
    return "; ".join(filter(None, [one.scus.f1.note, drafted if one.n_drafted and names else ""]))


def _describe_matching(report: AgreedReport, *, in_full: bool, names: bool) -> str:
    """Return how SCUs are matched, what agreed pyramids began with, and what is not compared."""
    sentences = [
        "Each SCU is matched with one of the agreed pyramid at most, so that the sum of what the pairs share (Jaccard"
        " of their words) is as large as it can be, as on the page SCUs. Intervals are of F1, over docsets."
    ]
    begun = [f"{BEGINNINGS[method]} ({report.methods[method]})" for method in BEGINNINGS if report.methods.get(method)]
    if begun:
        sentences.append(f"Agreed pyramids began with: {', '.join(begun)}.")
    if report.n_drafted and not names:
        sentences.append("A coder whose pyramid alone was the draft is nearer to what came of it.")
    left_out = [
        list_docsets_left_out(report.docsets_left_out) if in_full else "",
        list_codings_left_out(report.codings_left_out),
        f"{pluralize(report.n_by_authors, 'pyramid')} of who made the agreed one" if report.n_by_authors else "",
        f"{pluralize(report.n_empty, 'SCU')} without words" if report.n_empty else "",
    ]
    if any(left_out):
        sentences.append(f"{NOT_COMPARED}{'; '.join(filter(None, left_out))}.")
    return " ".join(sentences)


def _words_table(report: AgreedReport, called: Names) -> Table:
    rows: list[list[Cell]] = [
        [
            *(called[one.name], *_f1_cells(one.words), one.words.recall.value, one.words.precision.value),
            *(one.words.matched, one.words.agreed, one.words.own, one.words.f1.note),
        ]
        for one in report.coders
    ]
    return Table(
        "words",
        "Words of contributors in SCUs that match",
        [
            Column("coder", "Coder"),
            Column("f1", "F1", "figure"),
            *ENDS,
            Column("recall", "Recall", "figure", explanation="match_recall"),
            Column("precision", "Precision", "figure", explanation="match_precision"),
            Column("matched", "In both", "count", explanation="matched_words"),
            Column("agreed", "Agreed words", "count", explanation="agreed_words"),
            Column("own", "Coder’s words", "count", explanation="own_words"),
            Column("note", "Notes"),
        ],
        rows,
        "A match takes one word that both SCUs have: here is how much of them. Words count once for each SCU that they"
        " are in. Intervals are of F1, over docsets.",
    )


def _each_table(report: AgreedReport, called: Names) -> Table:
    rows: list[list[Cell]] = [
        [called[one.name], what, label, getattr(matching, name).value, *_ends(getattr(matching, name))]
        for one in report.coders
        for what, matching in (("SCUs", one.scus), ("words", one.words))
        for name, label in (("recall", "recall"), ("precision", "precision"), ("f1", "F1"))
    ]
    return Table(
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
    )


def _groups_table(report: AgreedReport) -> Table:
    return Table(
        "groups",
        "Groups of coders against agreed pyramids",
        [
            Column("group", "Group"),
            Column("coders", "Coders", "count"),
            Column("f1", "F1 of SCUs", "figure"),
            *ENDS,
            Column("words_f1", "F1 of words", "figure", explanation="f1"),
            Column("words_low", "from", "figure", explanation="low"),
            Column("words_high", "to", "figure", explanation="high"),
            Column("matched", "Matched", "count", explanation="matched_scus"),
            Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus"),
            Column("own", "Coders’ SCUs", "count", explanation="own_scus"),
            Column("docsets", "Docsets", "count", explanation="agreed_docsets"),
        ],
        [
            (
                *(one.name, len(one.coders), *_f1_cells(one.scus), *_f1_cells(one.words)),
                *(one.scus.matched, one.scus.agreed, one.scus.own, one.n_docsets),
            )
            for one in report.groups
        ],
        "The pyramids of all coders of a group together, docset by docset: an agreed SCU counts once for each of them.",
    )


def _agreed_scus_table(report: AgreedReport) -> Table:
    shown = report.scus[:MOST_SCUS]
    n = len(report.scus)
    rest = f" The first {MOST_SCUS} of {n:,}." if n > MOST_SCUS else ""
    return Table(
        "lacking",
        "Agreed SCUs that coders lack most",
        [
            Column("scu", "SCU", explanation="agreed_scu"),
            Column("docset", "Docset"),
            Column("weight", "Weight", "count"),
            Column("coders", "Coders", "count", explanation="scu_coders"),
            Column("matched", "Matched by", "count", explanation="scu_matched"),
            Column("missing", "Missing", "count", explanation="scu_missing"),
            Column("fused", "Fused", "count", explanation="scu_fused"),
        ],
        [
            (one.label, one.text.label, one.weight, one.n_coders, one.n_matched, one.n_missing, one.n_fused)
            for one in shown
        ],
        f"Those that fewest of their coders have come first, then the heaviest.{rest}",
    )


def _docsets_table(report: AgreedReport, called: Names) -> Table:
    ordered = sorted(report.docsets, key=lambda one: one.mean_f1)
    n = len(ordered)
    rest = f" The first {MOST_DOCSETS} of {n:,}: choose docsets to see others." if n > MOST_DOCSETS else ""
    rows: list[list[Cell]] = [
        [one.text.label, one.n_scus, one.mean_f1, *(one.f1(coder.name) for coder in report.coders)]
        for one in ordered[:MOST_DOCSETS]
    ]
    return Table(
        "docsets",
        "F1 of SCUs in each docset",
        [
            Column("docset", "Docset"),
            Column("agreed", "Agreed SCUs", "count", explanation="agreed_scus"),
            Column("mean", "Mean of coders", "figure", explanation="docset_f1"),
            *(Column(called[one.name], called[one.name], "figure", explanation="docset_f1") for one in report.coders),
        ],
        rows,
        f"Those with the lowest mean come first.{rest}",
    )


def _trend_tables(report: AgreedReport, called: Names) -> list[Table]:
    def table(key: str, caption: str, values: Sequence[Mapping[str, float | None]]) -> Table:
        rows: list[list[Cell]] = [
            [period.last.label, period.n_docsets, *(of_period[one.name] for one in report.coders)]
            for period, of_period in zip(report.periods, values, strict=True)
        ]
        return Table(
            key,
            caption,
            [
                Column("last", "Until the docset", explanation="agreed_period"),
                Column("docsets", "Docsets", "count", explanation="agreed_docsets"),
                *(Column(called[one.name], called[one.name], "figure", explanation="f1") for one in report.coders),
            ],
            rows,
            "In order of the last work on each docset; imported ones come first.",
        )

    return [
        table("trend", "F1 of SCUs over docsets", [one.scus for one in report.periods]),
        table("trend_words", "F1 of words over docsets", [one.words for one in report.periods]),
    ]


def _difference_tables(report: AgreedReport, called: Names, chosen: str) -> list[Table]:
    differences = {name: one for name, one in report.differences.items() if chosen in ("", name)}
    found = count_differences(differences)
    total = sum(one.number for one in found)
    who = called[chosen] if chosen else "all coders"
    rows: list[list[Cell]] = [
        [
            *(KINDS[one.kind], one.number, one.number / total, len(one.coders), one.n_docsets),
            *(_name_example(one.example), MEANINGS[one.kind]),
        ]
        for one in found
    ]
    counts = Table(
        "differences",
        f"How {who} differ from agreed pyramids" if not chosen else f"How {who} differs from agreed pyramids",
        [
            Column("kind", "Difference", explanation="difference_kind"),
            Column("number", "Number", "count", explanation="difference_number"),
            Column("share", "Share", "percent", explanation="difference_share"),
            Column("coders", "Coders", "count", explanation="difference_coders"),
            Column("docsets", "Docsets", "count", explanation="difference_docsets"),
            Column("example", "Example", explanation="difference_example"),
            Column("meaning", "Meaning", explanation="difference_meaning"),
        ],
        rows,
        "Contributors are compared where their SCUs match; of one without a match the SCU itself is the difference.",
    )
    return [counts, _places_table(report, called, chosen)] if chosen else [counts]


def _name_example(one: LocatedDifference) -> str:
    return f"{_name_scus(one)}, {one.text.label}"


def _name_scus(one: LocatedDifference) -> str:
    """Return the SCU of the agreed pyramid, or where it has none, the coder's."""
    return f"“{one.agreed or one.own}”"


def _places_table(report: AgreedReport, called: Names, chosen: str) -> Table:
    differences = report.differences.get(chosen, ())
    shown, n = differences[:MOST_DIFFERENCES], len(differences)
    contents = read_contents({one.text.text_pk for one in shown if one.difference.parts})
    rest = f" The first {MOST_DIFFERENCES} of {n:,}: choose docsets to see others." if n > MOST_DIFFERENCES else ""
    rows: list[list[Cell]] = [
        [
            *(one.text.label, KINDS[one.difference.kind], one.agreed, one.own),
            _words_of(one, contents.get(one.text.text_pk, "")),
        ]
        for one in shown
    ]
    return Table(
        "places",
        f"Where agreed pyramids differ from {called[chosen]}",
        [
            Column("docset", "Docset"),
            Column("kind", "Difference", explanation="difference_kind"),
            Column("agreed", "Agreed SCU", explanation="agreed_scu"),
            Column("own", "Coder’s SCU", explanation="own_scu"),
            Column("words", "Contributor", explanation="difference_words"),
        ],
        rows,
        f"In the order of docsets.{rest}",
    )


def _words_of(one: LocatedDifference, content: str) -> str:
    return " … ".join(" ".join(content[start:end].split()) for start, end in one.difference.parts)


def _charts(report: AgreedReport, called: Names) -> list[Chart]:
    charts = []
    matchings: list[tuple[str, str, Callable[[AgainstAgreed], Matching]]] = [
        ("scus", "F1 of SCUs against agreed pyramids, with 95% CI", lambda one: one.scus),
        ("words", "F1 of words in SCUs that match, with 95% CI", lambda one: one.words),
    ]
    for key, title, matching_of in matchings:
        points = [
            Dot(called[one.name], matching_of(one).f1.value, *_ends(matching_of(one).f1)) for one in report.coders
        ]
        charts.append(Chart(key, title, dot_plot(points, "F1"), describe_dots(points), key))
    if len(report.periods) < 2:
        return charts
    labels = [one.last.label for one in report.periods]
    for key, name, values in (
        ("trend", "F1 of SCUs", [one.scus for one in report.periods]),
        ("trend_words", "F1 of words", [one.words for one in report.periods]),
    ):
        series = {called[one.name]: [period[one.name] for period in values] for one in report.coders}
        words = f"{name} of each coder, in order of the last work on each docset; the table has every value."
        charts.append(Chart(key, f"{name} over docsets", line_chart(labels, series, "F1"), words, key))
    return charts
