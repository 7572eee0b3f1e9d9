"""The coefficient with its interval: beside alpha with every distance, text by text, and as a methods paragraph."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import ChoiceField

from agreement.data.coders import has_gold, read_groups
from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import SET_DISTANCES, Interval, bootstrap, bootstrap_sums
from agreement.measures.data.components import merge_documents
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.pairs import STEPS, count_distances
from agreement.reports import basis, methods, overall, wording
from agreement.reports.coders.differences import compare_groups, compare_occasions
from agreement.reports.coreference import compute_link_kappas
from agreement.reports.fields import copy_fields
from agreement.reports.gold import GoldReport, compare_with_gold
from agreement.reports.parameters import CHOICES, SETTINGS, InvalidParameter, Parameters, check_choice
from agreement.reports.request import AnalysisRequest, read_asked, resolve
from agreement.results import computations
from agreement.results.computations import PageSections, ResultPage, paginate, register
from agreement.results.figures.charts import Chart, Dot, bar_chart, dots_chart
from agreement.results.figures.sections import build_tenths
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, columns_of, with_ends
from annotations.core.processes.progress import reported
from annotations.models import Project
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.projects.letters import sees_names

# These distances take a few values only, so that bins between the values are empty.
STEPWISE = {"nominal": (), "passonneau": (1 / 3, 2 / 3)}
# Which figures of Passonneau (2006) can be recomputed from what the paper prints.
PUBLISHED = (
    "Of Table 1 the row of spans follows from Figure 1: Jaccard −.44 and MASI .14, MASI in its product form, the unit"
    " taken out of observed disagreement, .33 and .67 for thirds. Its nominal 0 needs the unit taken out of expected"
    " disagreement, too; under the convention of the other two it is −.44. The words of Table 1 (0, .64, .81) and all"
    " of Table 2 cannot be computed again, because the pyramids themselves are not published."
)
# The option of page and API, and its only value.
OPTION, BOOTSTRAP = "interval", "bootstrap"
REPLICATES, SEED = 2000, 0
# With more texts, a worker draws the replicates of the bootstrap.
MAX_TEXTS_DRAWN_AT_ONCE = 2000
OF_UNITS = (
    "All is in one text, whose units are drawn. They hang together by their chains, so this interval is too narrow:"
    " the one above leaves out what hangs together at once."
)
DISTANCES = (
    Column("distance", "Distance", labels=SETTINGS["distance"].choices),
    Column("value", "Alpha", "figure", explanation="alpha"),
    *ENDS,
    *columns_of("figure", observed="Observed", expected="Expected"),
)
LINKS = (
    Column("coders", "Coders", cell=lambda row: f"{row.first} – {row.second}"),
    Column("kappa", "Kappa", "figure", explanation="relation_kappa", cell="value"),
    *columns_of("count", both=("Both", "links_both"), only_first=("Only the first", "links_one")),
    Column("only_second", "Only the second", "count", explanation="links_one"),
    Column("possible", "Possible", "count", explanation="links_possible", cell="n_links"),
    Column("markables", "Markables", "count", explanation="links_units", cell="n_units"),
)
NOTE_LINKS = "Each link from a markable that both were asked about to a possible target is given or not."
PAGE_SIZE = 25
SORTS = ("text", "value", "shift", "units")
COLUMNS_OF_TEXTS = [
    *columns_of("text", text="Text", round="Round"),
    Column("value", "Value", "figure"),
    *ENDS,
    *columns_of("figure", observed="Observed", expected="Expected"),
    *columns_of("count", units="Units", coders=("Coders", "number_of_coders")),
    Column("shift", "Change without the text", "figure"),
    Column("note", "Left out"),
]


@dataclass(frozen=True, slots=True)
class DistanceBin:
    """A bin of the distribution of distances; both ends are equal if it has a single distance."""

    low: float  # exclusive
    high: float  # inclusive
    observed: float  # share of the pairs of judgements on the same unit, weighted as in alpha
    expected: float  # share of all pairs of judgements


def distribute_distances(extract: ProjectAnswers, parameters: Parameters) -> list[DistanceBin]:
    """Return the distribution of distances, weighted as in alpha; empty for ordered distances or without pairs."""
    extract, parameters = resolve(extract, parameters)
    options = basis.comparison(parameters)
    if options.ordered:  # ordered distances have no largest value
        return []
    distance, exclude_unit = str(options.distance), options.exclude_unit
    as_alpha = replace(parameters, coefficient="alpha", distance=distance, exclude_unit=exclude_unit)
    return basis.remembered(extract, ("distances", as_alpha), lambda: _distribute(extract, as_alpha))


def _distribute(extract: ProjectAnswers, parameters: Parameters) -> list[DistanceBin]:
    if not basis.pick_texts(extract, parameters):
        return []
    pairable = PairableUnits.from_data(basis.select_data(extract, parameters))
    counts = count_distances(pairable, basis.comparison(parameters))
    if not counts.observed.any():
        return []
    observed, expected = counts.observed, counts.expected
    bounds = [(0.0, 0.0), *pairwise([step / STEPS for step in range(STEPS + 1)]), (1.0, 1.0)]
    shares = zip(bounds, (observed / observed.sum()).tolist(), (expected / expected.sum()).tolist(), strict=True)
    bins = [DistanceBin(low, high, of_pairs, by_chance) for (low, high), of_pairs, by_chance in shares]
    if parameters.distance not in STEPWISE or counts.has_readings:  # with several readings any distance is possible
        return bins
    values = STEPWISE[parameters.distance]
    if values and parameters.thirds == "rounded":
        values = (0.33, 0.67)
    between = [replace(bin_, low=x, high=x) for x in values for bin_ in bins if bin_.low < x <= bin_.high]
    return [bins[0], *between, bins[-1]]


def _asks_for_bootstrap(request: AnalysisRequest) -> bool:
    value = request.options.get(OPTION, "")
    if value not in ("", BOOTSTRAP):
        raise InvalidParameter(OPTION, f"{value!r} is not {BOOTSTRAP}; without it intervals are by the jackknife.")
    return value == BOOTSTRAP


def _compute_bootstrap(request: AnalysisRequest) -> overall.Bootstrap:
    """Return the bootstrap over texts, or over units if a single text is used; an error becomes its note."""
    try:
        extract, parameters = resolve(request.extract, request.parameters)
        texts = basis.pick_texts_to_draw(extract, parameters)
        sums = basis.compute_sums(extract, parameters, texts)[parameters.distance] if parameters.is_alpha else None
        if sums is not None and int((sums.n_units > 0).sum()) == basis.count_texts(sums) != 1:
            drawn = bootstrap_sums(sums, n=REPLICATES, seed=SEED, report=request.progress)
        else:
            data = merge_documents(basis.select_data(extract, parameters, texts), original_of)
            coefficient = basis.coefficient_function(parameters)
            drawn = bootstrap(data, coefficient, n=REPLICATES, seed=SEED, report=request.progress)
    except ValueError as error:  # not every coefficient can draw the units of one text
        return overall.Bootstrap(None, None, None, None, 0, 0, 0, "", SEED, str(error))
    counts = {"replicates": drawn.n, "undefined": drawn.n_undefined, "drawn_from": drawn.n_groups}
    return copy_fields(overall.Bootstrap, drawn, **counts)


@register
class Agreement(ResultPage[overall.AgreementReport]):
    """The selected coefficient with its interval, and alpha with every distance."""

    name, title = "agreement", "Agreement"
    template = "agreement/overall/agreement.html"
    is_kept = True
    path = "agreement/"
    position, tab = 10, 100
    gives = overall.AgreementFigures
    takes = {
        OPTION: ChoiceField(
            [BOOTSTRAP], required=False, help_text="Also the percentiles of the bootstrap, in `bootstrap`."
        )
    }
    api = "Return the report, with `interval=bootstrap` also that: 503 with `Retry-After` while a worker computes it."
    rows = "texts"

    def compute(self, request: AnalysisRequest) -> overall.AgreementReport:
        return overall.compute_report(request.extract, request.parameters)

    def fields(self, request: AnalysisRequest, report: overall.AgreementReport) -> overall.AgreementFigures:
        """Return the report, with the bootstrap if it is requested. Raises StillComputing."""
        if not _asks_for_bootstrap(request):
            return overall.AgreementFigures.of(report)
        sections = Bootstrap().sections(request)
        if sections.waiting:
            raise computations.StillComputing
        [table] = sections.tables
        figures: dict[str, Any] = dict(zip((column.name for column in table.columns), table.rows[0], strict=True))
        return overall.AgreementFigures.of(report, overall.Bootstrap(**figures))

    def printed(self, request: AnalysisRequest) -> Sequence[Table]:
        """Return the table of the bootstrap if it is requested; the command prints the report itself in words."""
        return Bootstrap().printed(request) if _asks_for_bootstrap(request) else []

    def show(self, request: AnalysisRequest) -> PageSections:
        report = self.compute(request)
        distances = overall.compare_distances(request.extract, request.parameters)
        dots = [Dot(wording.choice_label("distance", p.distance), *with_ends(row)) for p, row in distances]
        chart = dots_chart("distances", "Alpha by distance, with 95% CI", dots, "alpha", overall.LIMITS)
        rows = [
            [
                Linked(p.distance, f"?{urlencode(p.query())}", p == request.parameters),
                *(*with_ends(row), row.result.observed, row.result.expected),
            ]
            for p, row in distances
        ]
        alphas = {p.distance: row.value for p, row in distances}
        table = Table("distances", "Alpha by distance", DISTANCES, rows)
        links = compute_link_kappas(report.extract, report.parameters)
        of_links = [Table.of("links", "Kappa of links, by pair of coders", LINKS, links, NOTE_LINKS)] if links else []
        drawn = _asks_for_bootstrap(request)
        replicates = Bootstrap().sections(request) if drawn else PageSections()
        sections = replicates.extended([table], [chart] if len(dots) > 1 else [])
        return sections.with_sections(Distribution().sections(request)).extended(
            [*build_units_tables(request), *of_links],
            coefficient=report.name,
            result=report.result,
            interval=report.interval,
            fingerprint=report.fingerprint,
            verdict=overall.describe_reliability(report),
            caution=overall.CAUTION,
            meaning=overall.explain_distances(alphas, wording.nouns_for(request.extract).chains),
            draws=drawn,
            draw_address=request.address_with(**{OPTION: "" if drawn else BOOTSTRAP}),
        )


@register
class Distribution(ResultPage[PageSections]):
    """The observed and expected shares of pairs by distance."""

    name = "distribution"
    work = 1

    def compute(self, request: AnalysisRequest) -> PageSections:
        bins = distribute_distances(request.extract, request.parameters)
        if not bins:
            return PageSections()
        name = wording.choice_label("distance", basis.effective_distance(request.parameters))
        title = f"Observed and expected distances: {name}"
        columns = [
            Column("distance", "Distance", explanation="distance_bin", cell=_bin_label),
            *columns_of("percent", observed=("Observed", "observed_share"), expected=("Expected", "expected_share")),
        ]
        note = "Observed: pairs of coders on one item, weighted as in alpha. Expected: all pairs of their judgements."
        table = Table.of("distribution", title, columns, bins, note)
        series = {"observed": [bin_.observed for bin_ in bins], "expected": [bin_.expected for bin_ in bins]}
        equal, apart = bins[0], bins[-1]
        words = (
            f"Equal values: {equal.observed:.0%} observed, {equal.expected:.0%} expected. Nothing in common:"
            f" {apart.observed:.0%} observed, {apart.expected:.0%} expected."
        )
        figure = bar_chart([_bin_label(bin_) for bin_ in bins], series, "distance", "share of pairs")
        return PageSections([table], [Chart("distribution", title, figure, words, "distribution")])


@register
class Bootstrap(ResultPage[PageSections]):
    """The coefficient with its bootstrap interval over texts, the number of replicates and the seed."""

    name = "bootstrap"

    def cost(self, request: AnalysisRequest) -> int:
        """Return the cost by the number of texts: the bootstrap draws sums of texts, not judgements."""
        n_texts = len(basis.pick_texts(request.extract, request.parameters))
        return computations.MAX_IMMEDIATE_COST * n_texts // MAX_TEXTS_DRAWN_AT_ONCE

    def compute(self, request: AnalysisRequest) -> PageSections:
        drawn = _compute_bootstrap(request)
        columns = [
            Column("value", "Value", "figure"),
            *ENDS,
            Column("standard_error", "Standard error", "figure"),
            *columns_of("count", replicates="Replicates", undefined="Undefined", drawn_from="Drawn from"),
            Column("by", "of", place="file"),
            Column("seed", "Seed", "count", place="file"),
            Column("note", "Notes"),
        ]
        title, note = "95% interval of the bootstrap: percentiles", OF_UNITS if drawn.by == "unit" else ""
        return PageSections([Table.of("bootstrap", title, columns, [drawn], note)], [])


def build_units_tables(request: AnalysisRequest) -> list[Table]:
    """Return alpha of words and of spans of pyramids by distance (Passonneau 2006, Tables 1 and 2), if both exist."""
    if not request.extract.units:
        return []
    address, rows = reverse("agreement", args=[request.project.slug]), dict[str, list[list[Cell]]]()
    for units in CHOICES["units"]:
        counted = replace(request.parameters, units=units)
        try:
            extract, parameters = resolve(read_asked(request.project, counted), replace(counted, coefficient="alpha"))
        except InvalidParameter:
            return []
        texts = basis.pick_texts(extract, parameters)
        of_docset = [(text.slug, text.title, [text]) for text in texts] if len(texts) > 1 else []
        for slug, title, chosen in [("", "all docsets", list(texts)), *of_docset]:
            cells = []
            for distance in SET_DISTANCES:
                cell = replace(parameters, distance=distance, texts=slug or parameters.texts)
                value = basis.compute_result(extract, cell, chosen).value
                cells.append(Linked(value, f"{address}?{urlencode(cell.query())}", cell == request.parameters))
            rows.setdefault(slug, []).append([units, title, *cells])
    columns = [
        *columns_of("text", units=("Counted", "counted"), docset="Docset"),
        *(Column(name, SETTINGS["distance"].choices[name], "figure") for name in SET_DISTANCES),
    ]
    caption = "Alpha by what is counted and by distance (Passonneau 2006, Tables 1 and 2)"
    return [Table("units", caption, columns, list(chain(*rows.values())), PUBLISHED)]


def _bin_label(bin_: DistanceBin) -> str:
    """Return the label of a bin; a bin of a single distance is labelled with it."""
    if bin_.low == bin_.high:
        return f"{bin_.low:.3g}"
    return f"{bin_.low:g} to {bin_.high:g}" if bin_.high < 1 else f"{bin_.low:g} to below 1"


@register
class Texts(ResultPage[PageSections]):
    """The coefficient in each text, and the change of the overall value without that text."""

    name, title = "texts", "By text"
    template = "agreement/overall/texts.html"
    is_kept = True
    position, tab = 60, 140
    takes = {"sort": ChoiceField(SORTS)}
    work = 60

    def compute(self, request: AnalysisRequest) -> PageSections:
        return _build_texts(request, _sort_texts(request))

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the texts of one page, or all texts, whose intervals a worker may have to compute."""
        shown, rows = paginate(request, _sort_texts(request), PAGE_SIZE)
        sections = self.sections(request) if request.page is None else _build_texts(request, rows)
        current = request.options.get("sort") or "text"
        tenths = build_tenths(request, rows)
        return sections.extended(
            tenths.tables,
            tenths.charts,
            shown=shown,
            sorts=[(name, request.address_with(sort=name), name == current) for name in SORTS],
            interval=overall.compute_report(request.extract, request.parameters).interval,
        )


def _sort_texts(request: AnalysisRequest) -> list[Document]:
    report, sort = overall.compute_report(request.extract, request.parameters), request.options.get("sort") or "text"
    check_choice("sort", sort, SORTS)
    if sort == "text":
        return list(basis.pick_texts(report.extract, report.parameters))
    keys = {
        "value": lambda text: (text.result.value is None, text.result.value or 0.0),
        "shift": lambda text: (text.shift is None, -abs(text.shift or 0.0)),
        "units": lambda text: -text.result.n_units,
    }
    return [row.text for row in sorted(report.texts, key=keys[sort])]


def _build_texts(request: AnalysisRequest, texts: Sequence[Document]) -> PageSections:
    def compute() -> list[tuple[overall.TextReport, Interval]]:
        report = overall.compute_report(request.extract, request.parameters)
        return [
            (report.of_text(text), basis.compute_interval(request.extract, request.parameters, [text]))
            for text in reported(texts, request.progress)
        ]

    key = ("by text", request.parameters, tuple(text.pk for text in texts))
    cells: list[list[Cell]] = []
    dots = []
    for row, interval in basis.remembered(request.extract, key, compute):
        text, result = row.text, row.result
        notes = [*(f"{count} {why}" for why, count in result.left_out.items()), *filter(None, [result.note])]
        query = urlencode(request.parameters.query() | wording.selection_of(text))
        link = Linked(text.title, f"{reverse('items', args=[request.project.slug])}?{query}")
        figures = (result.value, interval.low, interval.high, result.observed, result.expected)
        cells.append([link, text.round, *figures, result.n_units, result.n_coders, row.shift, "; ".join(notes)])
        dots.append(Dot(text.label, result.value, interval.low, interval.high))
    note = (
        f"The CI of one text is over {wording.name_components(request.extract)}, in eight groups. The change is that of"
        " the value of all texts when the text is left out."
    )
    chart = dots_chart("texts", "Agreement by text, with 95% CI", dots, "value", overall.LIMITS)
    return PageSections([Table("texts", "By text", COLUMNS_OF_TEXTS, cells, note)], [chart] if dots else [])


@register
class Methods(ResultPage[methods.MethodsText]):
    """A paragraph for a paper, with all conventions, figures, the version and the fingerprint."""

    name, title = "methods", "Methods text"
    template = "agreement/methods.html"
    position = 160
    draws_charts = False

    def compute(self, request: AnalysisRequest) -> methods.MethodsText:
        answers, parameters = request.project_answers, request.parameters
        report = overall.compute_report(request.extract, parameters)
        compared = compare_groups(answers, parameters, read_groups(request.project), differences=False)
        repeats = compare_occasions(answers, parameters)
        return methods.describe_methods(request.extract, report, compared, repeats, _compare_with_gold(request))

    def fields(self, request: AnalysisRequest, report: methods.MethodsText) -> dict[str, Any]:
        return {"paragraph": report.paragraph, "references": list(map(str, report.references)), "bibtex": report.bibtex}

    def preface(self, report: methods.MethodsText) -> str:
        return "\n".join([report.paragraph, *map(str, report.references)])

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return the paragraph, and for pyramids the table of alpha by words and by spans."""
        return PageSections(build_units_tables(request), context={"methods": self.compute(request)})


def _compare_with_gold(request: AnalysisRequest) -> GoldReport | None:
    """Return the comparison with gold for adjudicators; None without gold, or if hidden names select coders."""
    project, parameters = request.project, request.parameters
    may_compare = project.answers != Project.Answers.SCUS and may(project, Right.ADJUDICATE) and has_gold(project)
    if not may_compare or (parameters.coders and not sees_names(project)):
        return None
    return compare_with_gold(project, request.project_answers, request.answers_with_gold, parameters, details=False)
