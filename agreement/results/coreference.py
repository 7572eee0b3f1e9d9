"""Coreference scores of two coders, as tables."""

from itertools import combinations

from rest_framework.serializers import CharField

from agreement.data.texts import matches_by_muc6
from agreement.measures.coreference.scores import WITHOUT_MUC
from agreement.reports.basis import count_left_out, count_other_versions
from agreement.reports.coreference import SCORES, CoreferenceReport, ScoreFigures, compare_chains, select_pair
from agreement.reports.parameters import InvalidParameter
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import SCORE_LABELS, describe_versions, list_left_out
from agreement.results.computations import PageSections, ResultPage, count_judgements, register
from agreement.results.figures.charts import Chart, Dot, dots_chart
from agreement.results.tables import ENDS, Cell, Column, Table, columns_of, with_ends

NOTE = (
    "Mentions are the markables in a coder’s chains; those in the chains of one coder only count as missed. Counts are"
    " added over the texts that both have coded before they are divided. Intervals are of F1, over texts."
)
NOTE_MUC6 = " Markables match by the rules of MUC-6: least words, leading articles, optional markables."
NOTE_PARTS = "Where neither coder has a link in a text, its CoNLL average is the mean of the other two scores."
NOTE_TEXTS = "The alpha is that of these two coders in the text, as the page Agreement computes it."
SCORE_COLUMNS = [
    Column("score", "Score"),
    *columns_of("figure", recall="Recall", precision="Precision", f1="F1"),
    *ENDS,
    Column("note", "Notes"),
]


@register
class Coreference(ResultPage[CoreferenceReport]):
    """Coreference scores of two coders, or of a coder and a key: recall, precision and F1, over all texts and in
    each.
    """

    name, title = "coreference", "Coreference scores"
    template = "agreement/coders/coreference.html"
    position = 90
    gives = CoreferenceReport
    takes = {
        "first": CharField(help_text="The coder who is taken for the key."),
        "second": CharField(help_text="The coder who is compared with the key."),
    }
    api = "Coreference scores of two coders: the second against the first, over all texts and in each, in pages."
    chooses_coders = True
    rows = "texts"

    def cost(self, request: AnalysisRequest) -> int:
        """Return how often the judgements of two coders are gone through for seven scores."""
        return count_judgements(request) * 80 // max(len(request.extract.coders), 1)

    def compute(self, request: AnalysisRequest) -> CoreferenceReport:
        first, second = (request.options.get(name, "") for name in self.options)
        muc6 = matches_by_muc6(request.project)
        return compare_chains(request.project_answers, request.parameters, first, second, muc6=muc6)

    def tables(self, request: AnalysisRequest, report: CoreferenceReport) -> list[Table]:
        return [_scores_table(report), *_text_tables(report)]

    def charts(self, request: AnalysisRequest, report: CoreferenceReport) -> list[Chart]:
        dots = [Dot(SCORE_LABELS[name], one.f1) for name, one in report.overall.scores.items()]
        return [dots_chart("scores", "F1 of each score", dots, "F1")]

    def show(self, request: AnalysisRequest) -> PageSections:
        pair = _choose_pair(request)
        if pair is None:
            return PageSections()
        request.options = dict(zip(self.options, pair, strict=True))
        of_pair, parameters = select_pair(request.project_answers, request.parameters, *pair)
        left_out = count_left_out(of_pair, parameters)
        versions_left_out = describe_versions(parameters.scheme_versions, count_other_versions(of_pair, parameters))
        return self.sections(request).extended(
            pair=pair, not_counted=list_left_out(left_out), versions_left_out=versions_left_out
        )


def _choose_pair(request: AnalysisRequest) -> tuple[str, str] | None:
    """Return the coders that the address names, or the first two; None where there are no two."""
    first, second = (request.options.get(name, "") for name in ("first", "second"))
    if not request.extract.has_chains:
        return None
    if not first and not second:
        return next(combinations(request.extract.coders, 2), None)
    if not first or not second:
        raise InvalidParameter("second" if first else "first", "name two coders, first and second.")
    return first, second


def score_cells(name: str, one: ScoreFigures) -> list[Cell]:
    """Return the cells of SCORE_COLUMNS."""
    return [SCORE_LABELS[name], one.recall, one.precision, *with_ends(one), one.notes]


def _scores_table(report: CoreferenceReport) -> Table:
    rows = [score_cells(name, one) for name, one in report.overall.scores.items()]
    note = NOTE + (NOTE_MUC6 if report.matched_by_muc6 else "") + describe_in_several(report.n_in_several)
    notes = {str(row[-1]) for row in rows}
    if len(notes) == 1:
        rows = [[*row[:-1], ""] for row in rows]
        note += "".join(f" {one.capitalize()}." for one in notes if one)
    return Table("scores", f"{report.second} against {report.first}", SCORE_COLUMNS, rows, note)


def describe_in_several(n: int) -> str:
    """Return a sentence about the mentions with several indices or readings, empty where there are none."""
    if not n:
        return ""
    mentions = "1 mention has" if n == 1 else f"{n} mentions have"
    return (
        f" {mentions} several indices or readings: each is scored by the one whose other mentions, or antecedents, come"
        " first in the text."
    )


def _text_tables(report: CoreferenceReport) -> list[Table]:
    # Table 3 of Passonneau 2004, with F1 beside it
    of_muc = [
        Column("text", "Text", cell="title"),
        Column("muc_recall", "MUC recall", "figure", cell="muc.recall"),
        Column("muc_precision", "MUC precision", "figure", cell="muc.precision"),
        Column("muc_f1", "MUC F1", "figure", cell="muc.f1"),
        Column("alpha", "Alpha", "figure"),
        Column("link_kappa", "Kappa of links", "figure", cell="link_kappa.value"),
    ]
    of_each = [
        Column(f"{name}_{part}", f"{SCORE_LABELS[name]} {label}", "figure", explanation=part, cell=f"{name}.{part}")
        for name in SCORES
        for part, label in (("recall", "R"), ("precision", "P"), ("f1", "F1"))
    ]
    texts = [one.scores for one in report.texts]
    note = NOTE_PARTS if any(one.conll_average.note == WITHOUT_MUC for one in texts) else ""
    return [
        Table.of("texts", "By text (Passonneau 2004, Table 3)", of_muc, [report.overall, *texts], NOTE_TEXTS),
        Table.of("each", "Every score in each text", [Column("text", "Text", cell="title"), *of_each], texts, note),
    ]
