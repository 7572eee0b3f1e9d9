"""Who agrees with whom, how each coder works, in each text, and how far coders agree with themselves."""

from __future__ import annotations

from collections.abc import Mapping

from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import ChoiceField

from agreement.data.texts.muc import marked_texts_reader
from agreement.measures import LeaveOneOut
from agreement.reports.coders import coders as reports
from agreement.reports.coders.profiles import (
    FARTHEST_LINK,
    LONGEST_CHAIN,
    Profile,
    TextDistances,
    compute_profiles,
    find_farthest_texts,
    mean_seconds,
)
from agreement.reports.coders.repeats import RECHECK, UNMARKED, RepeatsReport, compare_occasions
from agreement.reports.coders.timing import read_project_work
from agreement.reports.links.coreference import SCORES
from agreement.reports.request.basis import effective_distance
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import Nouns, nouns_for
from agreement.results.computations import Result, count_judgements, register
from agreement.results.content import PageSections, TablesAndCharts
from agreement.results.figures.charts import Chart, describe_dots
from agreement.results.figures.confusion import build_confusion
from agreement.results.figures.plots import Dot, heat_map, line_chart, stacked_bars
from agreement.results.figures.times import build_times
from agreement.results.labels.labels import SCORE_LABELS, choice_label, selection_of
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, format_value
from annotations.coding.active_time import Activity

PAGE_ROWS = 20  # each cell is a link
MEASURES = {
    "coefficient": "coefficient",
    "observed_agreement": "observed agreement",
    "cohen_kappa": "Cohen’s kappa",
    "link_kappa": "kappa of links",
    **{name: f"{label}, F1" for name, label in SCORE_LABELS.items()},
}


MEASURE = {"measure": ChoiceField(list(MEASURES))}


@register
class Matrix(Result[reports.PairMatrix]):
    """A measure of each two coders, those beside each other who agree, and each coder with the others."""

    name = "matrix"
    takes = MEASURE

    def cost(self, request: AnalysisRequest) -> int:
        """Return how many judgements the pairs have: each is in as many as there are other coders."""
        pairs = count_judgements(request) * max(len(request.extract.coders) - 1, 0)
        return pairs * (4 if request.options.get("measure") in SCORES else 1)

    def compute(self, request: AnalysisRequest) -> reports.PairMatrix:
        measure = request.options.get("measure") or "coefficient"
        read_marked = marked_texts_reader(request.project) if measure in reports.CHAIN_MEASURES else None
        return reports.compute_pair_matrix(request.extract, request.parameters, measure, request.progress, read_marked)

    def tables(self, request: AnalysisRequest, report: reports.PairMatrix) -> list[Table]:
        return [_matrix_table(request, report), _rest_table(report)]

    def charts(self, request: AnalysisRequest, report: reports.PairMatrix) -> list[Chart]:
        coders, name = report.coders, MEASURES[report.measure]
        if len(coders) < 2:
            return []
        values = [[report.value(a, b) for b in coders] for a in coders]
        words = describe_dots([Dot(" and ".join(sorted(pair)), value) for pair, value in report.values.items()])
        figure = heat_map(coders, coders, values, name)
        return [Chart("matrix", f"Pairs of coders, {name}", figure, words, "matrix")]


def _rest_table(matrix: reports.PairMatrix) -> Table:
    return Table.of(
        "rest",
        f"Each coder and the others: {MEASURES[matrix.measure]}",
        [
            Column("coder", "Coder", cell=str),
            Column("value", "Mean of pairs", "figure", explanation="mean_of_pairs", cell=matrix.against_rest),
            Column("pairs", "Pairs with a value", "count", cell=matrix.count_pairs),
        ],
        matrix.coders,
    )


def _matrix_table(request: AnalysisRequest, matrix: reports.PairMatrix) -> Table:
    rows: list[list[Cell]] = []
    for a in matrix.coders:
        row: list[Cell] = [a]
        for b in matrix.coders:
            address = reverse("coder-pair", args=[request.project.slug, a, b]) + f"?{request.query}"
            row.append(None if a == b else Linked(matrix.value(a, b), address))
        rows.append(row)
    return Table(
        "matrix",
        f"Pairs of coders: {MEASURES[matrix.measure]}",
        [Column("coder", "Coder"), *(Column(name, name, "figure", explanation="pair_value") for name in matrix.coders)],
        rows,
        "Ordered by similarity.",
        page_rows=PAGE_ROWS,
    )


# The row of the category that most coders gave an item.
ANY_CATEGORY = "most frequent"


@register
class Coders(ResultPage[PageSections]):
    """The matrix of pairs, each coder against the rest, in each text, and their profiles."""

    name, title = "coders", "Coders"
    template = "agreement/coders/coders.html"
    is_kept = True
    position, tab = 70, 120
    takes = MEASURE

    def show(self, request: AnalysisRequest) -> PageSections:
        measure = request.options.get("measure") or "coefficient"
        reports.check_measure(request.extract, measure)
        matrix = Matrix().sections(request)
        profiles = compute_profiles(request.extract, request.parameters)
        rest = reports.leave_out_each_coder(request.extract, request.parameters)
        work = read_project_work(request.project, request.project_answers).activities
        nouns = nouns_for(request.extract)
        by_text, times = build_coder_texts(request), build_times(request)
        repeats = compare_occasions(request.project_answers, request.parameters)
        tables = [
            _coders_table(request, rest, work),
            build_repeats_table(repeats),
            *by_text.tables,
            *times.tables,
            *_distribution_tables(profiles, nouns),
        ]
        if not request.extract.units:  # all that is compared of pyramids has one category
            tables += [
                _bias_table(request, profiles),
                *_agreeing_tables(request),
                *build_confusion(request, request.parameters).tables,
            ]
        return matrix.extended(
            tables,
            [*by_text.charts, *times.charts, *_profile_charts(request, profiles, nouns)],
            coders=[profile.coder for profile in profiles],
            answered=bool(request.extract.known_coders),
            repeated=bool(repeats.coders or repeats.rechecks),
            has_chains=request.extract.has_chains,
            measures=[
                (MEASURES[name], request.address_with(measure=name), name == measure)
                for name in reports.measures_for(request.extract.kind)
            ],
        )


def _coders_table(request: AnalysisRequest, rest: LeaveOneOut, work: Mapping[tuple[int, str], Activity]) -> Table:
    profiles = {profile.coder: profile for profile in compute_profiles(request.extract, request.parameters)}
    seconds = mean_seconds(request.extract, request.parameters, work)
    without = reports.intervals_without_each_coder(request.extract, request.parameters)
    chained = request.extract.has_chains or not request.extract.question
    rows = []
    for part in rest.parts:
        coder = str(part.name)
        profile = profiles[coder]
        rows.append(
            (
                coder,
                part.result.value,
                without[coder].low,
                without[coder].high,
                part.change,
                profile.n_judgements,
                *((profile.n_ambiguous, profile.mean_chain, profile.mean_link) if chained else ()),
                seconds[coder],
            )
        )
    of_chains = [
        Column("ambiguous", "Marked ambiguous", "count"),
        Column("mean_chain", "Words of an SCU" if request.extract.units else "Members of a chain", "figure"),
        Column("mean_link", "Antecedent distance (units)", "figure"),
    ]
    return Table(
        "each",
        "Each coder",
        [
            Column("coder", "Coder"),
            Column("without", "Without this coder", "figure"),
            *ENDS,
            Column("change", "Change", "figure"),
            Column("judgements", "Judgements", "count"),
            *(of_chains if chained else []),
            Column("seconds", "Time per judgement", "seconds"),
        ],
        rows,
        "A higher value without a coder means that this coder disagrees with the rest, not that they are wrong."
        " Means of pairs have no CI here; the page of a pair has those of the pair.",
    )


def _bias_table(request: AnalysisRequest, profiles: list[Profile]) -> Table:
    """Return how often each coder gives each category, and how far from the mean of all coders that is."""
    names = [name for name in request.extract.countable if any(one.categories[name] for one in profiles)]
    shares = _category_shares(profiles, names)
    means = [sum(each) / len(shares) for each in zip(*shares.values(), strict=True)]
    rows = []
    for one in profiles:
        cells: list[Cell] = [one.coder]
        for place, name in enumerate(names):
            share = shares[one.coder][place] if one.coder in shares else None
            cells += [one.categories[name], share, None if share is None else share - means[place]]
        rows.append(cells)
    columns = [Column("coder", "Coder")]
    for name in names:
        columns += [
            Column(name, request.extract.label(name), "count", explanation="category_count"),
            Column(f"{name}_share", "share", "percent", explanation="category_share"),
            Column(f"{name}_bias", "bias", "figure", explanation="bias"),
        ]
    return Table("bias", "Categories by coder", columns, rows, "Bias: the share minus the mean share of all coders.")


def _category_shares(profiles: list[Profile], names: list[str]) -> dict[str, list[float]]:
    """Return the share of each category among the judgements of a coder, of those who have any."""
    return {
        one.coder: [one.categories[name] / one.n_judgements for name in names] for one in profiles if one.n_judgements
    }


def _agreeing_tables(request: AnalysisRequest) -> list[Table]:
    """Return Table 2 of Poesio & Artstein 2005: so many coders, and so many or more."""
    counts = reports.count_agreeing_coders(request.extract, request.parameters)
    most = max((one.n_coders for one in counts), default=0)
    several = len({one.n_coders for one in counts}) > 1

    def build(key: str, caption: str, column: str, label: str, numbers: range, rows: list[list[Cell]]) -> Table:
        columns = [
            Column("category", "Category", labels=request.extract.labels),
            *([Column("judged_by", "Judged by", "count")] if several else []),
        ]
        columns += [Column(f"{column}_{k}", label.format(k), "count", explanation="items_per_coders") for k in numbers]
        return Table(key, caption, columns, rows, "Items that fewer than two coders judged are left out.")

    def head(one: reports.AgreementCounts) -> list[Cell]:
        return [one.category or ANY_CATEGORY, *([one.n_coders] if several else [])]

    exactly, at_least = range(most, -1, -1), range(most, 0, -1)
    return [
        build(
            "agreed",
            "Items by number of coders choosing the category",
            "by",
            "{}",
            exactly,
            [
                [*head(one), *(one.units[k] if k <= one.n_coders else None for k in exactly)]
                for one in counts
                if one.category
            ],
        ),
        build(
            "agreed_at_least",
            "Items by minimum number of coders choosing the category",
            "at_least",
            "{} or more",
            at_least,
            [[*head(one), *(one.at_least(k) if k <= one.n_coders else None for k in at_least)] for one in counts],
        ),
    ]


def _profile_charts(request: AnalysisRequest, profiles: list[Profile], nouns: Nouns) -> list[Chart]:
    names = [name for name in request.extract.countable if any(one.categories[name] for one in profiles)]
    labels = [request.extract.label(name) for name in names]
    shares = _category_shares(profiles, names)
    charts = [
        Chart(
            "bias",
            "Shares of categories by coder",
            stacked_bars(
                list(shares),
                {name: [share[place] for share in shares.values()] for place, name in enumerate(labels)},
                "share of judgements",
            ),
            " ".join(_describe_shares(coder, labels, share) for coder, share in shares.items()),
            "bias",
        )
    ]
    charts = [] if request.extract.units else charts
    for key, title, unit, last, counts in _distributions(profiles, nouns):
        if any(counts.values()):
            sizes = range(1, max(min(last, max(max(one, default=1) for one in counts.values())), 2) + 1)
            series = {coder: _cap_counts(one, last, list(sizes)) for coder, one in counts.items()}
            labels = [f"{size}{'+' if size == last else ''}" for size in sizes]
            words = f"{title}, by coder; the table has every number."
            charts.append(Chart(key, title, line_chart(labels, series, unit), words, key))
    return charts


def _distributions(
    profiles: list[Profile], nouns: Nouns
) -> list[tuple[str, str, str, int, dict[str, Mapping[int, int]]]]:
    """Return what is counted of each coder: key, title, unit, the size from which on all count together, the counts."""
    lengths = {one.coder: one.chain_lengths for one in profiles}
    distances = {one.coder: one.link_distances for one in profiles}
    long = "Chain length" if nouns.chain == "chain" else f"{nouns.units.capitalize()} per {nouns.chain}"
    return [
        ("chains", long, nouns.chains, LONGEST_CHAIN, lengths),
        ("links", "Antecedent distance", "pointers", FARTHEST_LINK, distances),
    ]


def _distribution_tables(profiles: list[Profile], nouns: Nouns) -> list[Table]:
    """Return every length and distance that occurs, and how often each coder has it."""
    heads = {"chains": Column("members", "Members", "count"), "links": Column("back", "Distance (units)", "count")}
    return [
        Table(
            key,
            title,
            [heads[key], *(Column(coder, coder, "count", explanation=f"{key}_of_coder") for coder in counts)],
            [(size, *(one.get(size, 0) for one in counts.values())) for size in sorted(set().union(*counts.values()))],
            "Below 1: the antecedent comes later." if key == "links" else "",
        )
        for key, title, _, _, counts in _distributions(profiles, nouns)
        if any(counts.values())
    ]


def _describe_shares(coder: str, names: list[str], shares: list[float]) -> str:
    return f"{coder}: {', '.join(f'{name} {share:.0%}' for name, share in zip(names, shares, strict=True))}."


def _cap_counts(counts: Mapping[int, int], last: int, sizes: list[int]) -> list[int]:
    """Return the counts of these sizes; what is beyond the last counts there."""
    capped = dict.fromkeys(sizes, 0)
    for size, count in counts.items():
        if size > 0:
            capped[min(size, last)] = capped.get(min(size, last), 0) + count
    return [capped[size] for size in sizes]


MOST_TEXTS = 30  # on the page; the file of the table has all


def build_coder_texts(request: AnalysisRequest) -> TablesAndCharts:
    """Return the mean distance of each coder in each text, the texts with most disagreement first."""
    most = MOST_TEXTS if request.page is not None else None
    shown, n_texts = find_farthest_texts(request.extract, request.parameters, most)
    if not shown:
        return TablesAndCharts([], [])
    name = choice_label("distance", effective_distance(request.parameters))
    title = f"Disagreement of each coder by text: {name} distance from the others"
    coders = request.extract.coders
    rest = f" The {len(shown)} of {n_texts} texts with most; files have all." if len(shown) < n_texts else ""
    table = Table(
        "by_text",
        title,
        [
            Column("text", "Text"),
            Column("all", "All coders", "figure", explanation="all_distance"),
            *(Column(coder, coder, "figure", explanation="coder_distance") for coder in coders),
        ],
        [_row(request, one) for one in shown],
        "Mean distances, ordered by disagreement. A high figure says that a coder differs, not that they are wrong."
        + rest,
    )
    mapped = shown[:MOST_TEXTS]
    figure = heat_map(
        [one.text.label for one in mapped],
        coders,
        [one.coders for one in mapped],
        "mean distance",
        addresses=[_address(request, one) for one in mapped],
    )
    return TablesAndCharts([table], [Chart("by_text", title, figure, _describe(mapped, coders), "by_text")])


def _row(request: AnalysisRequest, one: TextDistances) -> list[Cell]:
    return [Linked(one.text.label, _address(request, one)), one.mean, *one.coders]


def _address(request: AnalysisRequest, one: TextDistances) -> str:
    """Return where the items of the text are."""
    query = urlencode(request.parameters.query() | selection_of(one.text))
    return f"{reverse('items', args=[request.project.slug])}?{query}"


def _describe(texts: list[TextDistances], coders: tuple[str, ...]) -> str:
    """Return the text with most disagreement, and the coder who is farthest from the others in any text."""
    cells = [
        (value, coder, one.text.label)
        for one in texts
        for coder, value in zip(coders, one.coders, strict=True)
        if value is not None
    ]
    value, coder, title = max(cells, key=lambda cell: cell[0])
    first = texts[0]
    return (
        f"Most disagreement in {first.text.label}, {format_value(first.mean, 'figure')}; farthest from the others is"
        f" {coder} in {title}, {format_value(value, 'figure')}."
    )


CODED_AGAIN = {UNMARKED: "unmarked", RECHECK: "in a recheck"}
# The row of all coders together.
ALL_CODERS = "all coders"


@register
class Repeats(ResultPage[RepeatsReport]):
    """How far each coder agrees with themself: a table of the page Coders."""

    name = "repeats"
    gives = RepeatsReport
    api = "How far each coder agrees with themself, in texts that they were shown again within a round."
    api_route = "api-agreement-repeats"
    chooses_coders = True

    def compute(self, request: AnalysisRequest) -> RepeatsReport:
        return compare_occasions(request.project_answers, request.parameters)

    def tables(self, request: AnalysisRequest, report: RepeatsReport) -> list[Table]:
        return [build_repeats_table(report)]


def build_repeats_table(report: RepeatsReport) -> Table:
    """Return how far coders agree with themselves, in the texts that they coded again."""
    return Table.of(
        "repeats",
        "Each coder with themself",
        [
            Column("coder", "Coder", cell=lambda row: row.coder or ALL_CODERS),
            Column("coded_again", "How", labels=CODED_AGAIN),
            Column("shown_again", "Coded again", "count"),
            Column("codings", "Counted", "count", explanation="coded_again_counted"),
            Column("texts", "Texts", "count"),
            Column("units", "Units", "count", cell="n_units"),
            Column("self_agreement", "Self-agreement", "figure", cell="value"),
            *ENDS,
            Column("between_coders", "Between coders", "figure", cell="between"),
            Column("note", "Notes"),
        ],
        [row for part in report.parts for row in part.rows],
        "The first occasion against the second, with the settings of this page and a 95% CI over texts. Unmarked: texts"
        " shown again within a round. In a recheck: texts of a round of that kind, which coders knowingly coded again,"
        " against the latest round before it that counts. All coders: the codings of all of them together. Every"
        " other figure is of first occasions, unless repeats are included. Between coders: all coders in the same"
        " texts.",
    )
