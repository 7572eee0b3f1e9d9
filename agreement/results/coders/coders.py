"""Agreement of pairs of coders, profiles of coders, disagreement by text, and self-agreement."""

from dataclasses import replace

from django.urls import reverse
from django.utils.http import urlencode
from rest_framework.serializers import ChoiceField

from agreement.data.texts import matches_by_muc6
from agreement.reports.basis import effective_distance, pick_texts, remembered
from agreement.reports.coders import coders as reports
from agreement.reports.coders.differences import RECHECK, UNMARKED, RepeatsReport, compare_occasions
from agreement.reports.coders.profiles import (
    Profile,
    compute_profiles,
    compute_text_distances,
    read_project_work,
    seconds_per_judgement,
)
from agreement.reports.coreference import SCORES
from agreement.reports.items import SHARE_DIGITS
from agreement.reports.parameters import check_choice
from agreement.reports.request import AnalysisRequest
from agreement.reports.wording import LABELS, SCORE_LABELS, choice_label, nouns_for, selection_of
from agreement.results.computations import PageSections, ResultPage, count_judgements, register
from agreement.results.figures.charts import Chart, Dot, describe_dots, heat_map, line_chart, stacked_bars
from agreement.results.figures.sections import build_confusion, build_times
from agreement.results.tables import ENDS, Cell, Column, Linked, Table, columns_of, format_value

PAGE_ROWS = 20  # each cell is a link
MAX_CHAIN_LENGTH = 10  # chains of this length or more are counted together
FARTHEST_LINK = 20  # links of this distance or more are counted together
MAX_TEXTS = 30  # in the table of distances by text; its file has all
MEASURES = {**LABELS["pair_measures"], **{name: f"{label}, F1" for name, label in SCORE_LABELS.items()}}
MEASURE = {"measure": ChoiceField(list(MEASURES))}


@register
class Matrix(ResultPage[reports.PairMatrix]):
    """A measure of each pair of coders, ordered by similarity, and each coder's mean with the others."""

    name = "matrix"
    takes = MEASURE

    def cost(self, request: AnalysisRequest) -> int:
        """Return the number of judgements in all pairs, times four for coreference scores."""
        pairs = count_judgements(request) * max(len(request.extract.coders) - 1, 0)
        return pairs * (4 if request.options.get("measure") in SCORES else 1)

    def compute(self, request: AnalysisRequest) -> reports.PairMatrix:
        measure = request.options.get("measure") or "coefficient"
        muc6 = measure in reports.CHAIN_MEASURES and matches_by_muc6(request.project)
        return reports.compute_pair_matrix(request.extract, request.parameters, measure, request.progress, muc6=muc6)

    def tables(self, request: AnalysisRequest, report: reports.PairMatrix) -> list[Table]:
        def link(a: str, b: str) -> Cell:
            address = f"{reverse('coder-pair', args=[request.project.slug, a, b])}?{request.query}"
            return None if a == b else Linked(report.value(a, b), address)

        title, coders = MEASURES[report.measure], report.coders
        columns = [Column("coder", "Coder")]
        columns += [Column(name, name, "figure", explanation="pair_value") for name in coders]
        rows = [[a, *(link(a, b) for b in coders)] for a in coders]
        of_rest = [
            Column("coder", "Coder", cell=str),
            Column("value", "Mean of pairs", "figure", explanation="mean_of_pairs", cell=report.against_rest),
            Column("pairs", "Pairs with a value", "count", cell=lambda row: len(report.of_coder(row))),
        ]
        return [
            Table("matrix", f"Pairs of coders: {title}", columns, rows, "Ordered by similarity.", PAGE_ROWS),
            Table.of("rest", f"Each coder and the others: {title}", of_rest, coders),
        ]

    def charts(self, request: AnalysisRequest, report: reports.PairMatrix) -> list[Chart]:
        coders, name = report.coders, MEASURES[report.measure]
        words = describe_dots([Dot(" and ".join(sorted(pair)), value) for pair, value in report.values.items()])
        figure = heat_map(coders, coders, [[report.value(a, b) for b in coders] for a in coders], name)
        return [Chart("matrix", f"Pairs of coders, {name}", figure, words, "matrix")] if len(coders) > 1 else []


@register
class Coders(ResultPage[PageSections]):
    """The matrix of pairs, each coder against the others, overall and by text, and the profiles of coders."""

    name, title = "coders", "Coders"
    template = "agreement/coders/coders.html"
    is_kept = True
    position, tab = 70, 120
    takes = MEASURE

    def cost(self, request: AnalysisRequest) -> int:
        """Return the cost of the matrix; leaving out each coder in turn takes as many judgements."""
        return Matrix().cost(request)

    def state(self, request: AnalysisRequest) -> list[str]:
        """Return the state of all answers, with repeats and rechecks."""
        return [request.project_answers.state]

    def compute(self, request: AnalysisRequest) -> PageSections:
        """Return all but the distances by text, because a page shows few of their rows and a file all."""
        profiles = compute_profiles(request.extract, request.parameters)
        repeats = compare_occasions(request.project_answers, request.parameters)
        times = remembered(request.extract, ("times", request.parameters), lambda: build_times(request))
        distributions = _build_distributions(request, profiles)
        tables = [_coders_table(request, profiles), *Repeats().tables(request, repeats)]
        tables += [*times.tables, *distributions.tables]
        charts = [*times.charts, *distributions.charts]
        if not request.extract.units:  # all units of pyramids have one category
            bias = _build_bias(request, profiles)
            confusion = build_confusion(request, request.parameters)
            tables += [*bias.tables, *_agreeing_tables(request), *confusion.tables]
            charts += bias.charts
        return Matrix().build(request).extended(tables, charts)

    def show(self, request: AnalysisRequest) -> PageSections:
        measure = request.options.get("measure") or "coefficient"
        measures = reports.measures_for(request.extract.kind)
        check_choice("measure", measure, measures)
        sections, by_text = self.sections(request), build_coder_texts(request)
        n_before = len([table for table in sections.tables if table.key in ("matrix", "rest", "each", "repeats")])
        tables = [*sections.tables[:n_before], *by_text.tables, *sections.tables[n_before:]]
        return replace(sections, tables=tables, charts=[*by_text.charts, *sections.charts]).extended(
            coders=request.extract.coders,
            answered=bool(request.extract.known_coders),
            has_chains=request.extract.has_chains,
            measures=[(MEASURES[name], request.address_with(measure=name), name == measure) for name in measures],
        )


def _coders_table(request: AnalysisRequest, profiles: list[Profile]) -> Table:
    answers, parameters = request.extract, request.parameters

    def measure_seconds() -> dict[str, float | None]:
        work = read_project_work(request.project, request.project_answers).activities
        return seconds_per_judgement(answers, pick_texts(answers, parameters), work)

    seconds = remembered(answers, ("seconds per judgement", parameters), measure_seconds)
    without = reports.intervals_without_each_coder(answers, parameters)
    of_chains = [
        Column("ambiguous", "Marked ambiguous", "count"),
        Column("mean_chain", "Words of an SCU" if answers.units else "Members of a chain", "figure"),
        Column("mean_link", "Antecedent distance (units)", "figure"),
    ]
    parts = {part.name: part for part in reports.leave_out_each_coder(answers, parameters).parts}
    columns = [
        Column("coder", "Coder"),
        Column("without", "Without this coder", "figure", cell=lambda row: parts[row.coder].result.value),
        Column("low", "from", "figure", cell=lambda row: without[row.coder].low),
        Column("high", "to", "figure", cell=lambda row: without[row.coder].high),
        Column("change", "Change", "figure", cell=lambda row: parts[row.coder].change),
        Column("judgements", "Judgements", "count"),
        *(of_chains if answers.has_chains or not answers.question else []),
        Column("seconds", "Time per judgement", "seconds", cell=lambda row: seconds[row.coder]),
    ]
    note = "A higher value without a coder means that this coder disagrees with the rest, not that they are wrong."
    note += " Means of pairs have no CI here; the page of a pair has those of the pair."
    return Table.of("each", "Each coder", columns, profiles, note)


def _build_bias(request: AnalysisRequest, profiles: list[Profile]) -> PageSections:
    names = [name for name in request.extract.countable if any(profile.categories[name] for profile in profiles)]
    labels = [request.extract.label(name) for name in names]
    shares = {
        row.coder: [row.categories[name] / row.n_judgements for name in names] for row in profiles if row.n_judgements
    }
    columns, rows = [Column("coder", "Coder")], [list[Cell]([profile.coder]) for profile in profiles]
    for place, (name, label) in enumerate(zip(names, labels, strict=True)):
        mean = sum(share[place] for share in shares.values()) / len(shares)
        for profile, cells in zip(profiles, rows, strict=True):
            share = shares[profile.coder][place] if profile.coder in shares else None
            cells += [profile.categories[name], share, None if share is None else share - mean]
        columns += [
            Column(name, label, "count", explanation="category_count"),
            Column(f"{name}_share", "share", "percent", explanation="category_share"),
            Column(f"{name}_bias", "bias", "figure", explanation="bias"),
        ]
    series = {label: [share[place] for share in shares.values()] for place, label in enumerate(labels)}
    words = [
        f"{coder}: {', '.join(f'{label} {share:.0%}' for label, share in zip(labels, of_coder, strict=True))}."
        for coder, of_coder in shares.items()
    ]
    figure = stacked_bars(list(shares), series, "share of judgements")
    chart = Chart("bias", "Shares of categories by coder", figure, " ".join(words), "bias")
    note = "Bias: the share minus the mean share of all coders."
    return PageSections([Table("bias", "Categories by coder", columns, rows, note)], [chart])


def _agreeing_tables(request: AnalysisRequest) -> list[Table]:
    """Return items by number of agreeing coders, exact and minimum (Poesio & Artstein 2005, Table 2)."""
    counts = reports.count_agreeing_coders(request.extract, request.parameters)
    most = max((count.n_coders for count in counts), default=0)
    several = len({count.n_coders for count in counts}) > 1
    head = [Column("category", "Category", labels=request.extract.labels)]
    head += [Column("judged_by", "Judged by", "count")] if several else []
    tables = []
    for key, how, column, label, least in (
        ("agreed", "number of coders", "by", "{}", 0),
        ("agreed_at_least", "minimum number of coders", "at_least", "{} or more", 1),
    ):
        rows: list[list[Cell]] = []
        for count in counts:
            if count.category or least:
                units = [count.at_least(k) if least else count.units[k] for k in range(count.n_coders, least - 1, -1)]
                empty = [None] * (most - count.n_coders)
                rows.append([count.category or "most frequent", *([count.n_coders] if several else []), *empty, *units])
        columns = [
            Column(f"{column}_{k}", label.format(k), "count", explanation="items_per_coders")
            for k in range(most, least - 1, -1)
        ]
        caption, note = f"Items by {how} choosing the category", "Items that fewer than two coders judged are left out."
        tables.append(Table(key, caption, [*head, *columns], rows, note))
    return tables


def _build_distributions(request: AnalysisRequest, profiles: list[Profile]) -> PageSections:
    nouns, tables, charts = nouns_for(request.extract), [], []
    long = "Chain length" if nouns.chain == "chain" else f"{nouns.units.capitalize()} per {nouns.chain}"
    members, back = Column("members", "Members", "count"), Column("back", "Distance (units)", "count")
    later = "Below 1: the antecedent comes later."
    for key, title, unit, last, field, head, note in (
        ("chains", long, nouns.chains, MAX_CHAIN_LENGTH, "chain_lengths", members, ""),
        ("links", "Antecedent distance", "pointers", FARTHEST_LINK, "link_distances", back, later),
    ):
        counts: dict[str, dict[int, int]] = {profile.coder: getattr(profile, field) for profile in profiles}
        if not (sizes := sorted(set().union(*counts.values()))):
            continue
        columns = [head, *(Column(coder, coder, "count", explanation=f"{key}_of_coder") for coder in counts)]
        rows = [(size, *(tally.get(size, 0) for tally in counts.values())) for size in sizes]
        tables.append(Table(key, title, columns, rows, note))
        drawn = range(1, max(min(last, sizes[-1]), 2) + 1)
        series = {  # larger values count as the last one
            coder: [sum(n for size, n in tally.items() if min(size, last) == place) for place in drawn]
            for coder, tally in counts.items()
        }
        figure = line_chart([f"{size}{'+' if size == last else ''}" for size in drawn], series, unit)
        charts.append(Chart(key, title, figure, f"{title}, by coder; the table has every number.", key))
    return PageSections(tables, charts)


def build_coder_texts(request: AnalysisRequest) -> PageSections:
    """Return the mean distance of each coder in each text, the texts with most disagreement first."""
    texts = [row for row in compute_text_distances(request.extract, request.parameters) if row.mean is not None]
    if not texts:
        return PageSections()
    # rounded, so that texts with equal distances stay in order
    texts.sort(key=lambda row: -round(row.mean or 0.0, SHARE_DIGITS))
    shown = texts[:MAX_TEXTS] if request.page is not None else texts
    distance = choice_label("distance", effective_distance(request.parameters))
    title = f"Disagreement of each coder by text: {distance} distance from the others"
    coders, items = request.extract.coders, reverse("items", args=[request.project.slug])
    addresses = [f"{items}?{urlencode(request.parameters.query() | selection_of(row.text))}" for row in shown]
    rest = f" The {len(shown)} of {len(texts)} texts with most; files have all." if len(shown) < len(texts) else ""
    columns = [Column("text", "Text"), Column("all", "All coders", "figure", explanation="all_distance")]
    columns += [Column(coder, coder, "figure", explanation="coder_distance") for coder in coders]
    rows: list[list[Cell]] = [
        [Linked(row.text.label, address), row.mean, *row.coders] for row, address in zip(shown, addresses, strict=True)
    ]
    note = "Mean distances, ordered by disagreement. A high figure says that a coder differs, not that they are wrong."
    mapped = shown[:MAX_TEXTS]
    labels, values = [row.text.label for row in mapped], [row.coders for row in mapped]
    figure = heat_map(labels, coders, values, "mean distance", addresses=addresses[:MAX_TEXTS])
    cells = [(value, coder, row.text.label) for row in mapped for coder, value in zip(coders, row.coders, strict=True)]
    farthest, coder, label = max((cell for cell in cells if cell[0] is not None), key=lambda cell: cell[0] or 0.0)
    words = (
        f"Most disagreement in {mapped[0].text.label}, {format_value(mapped[0].mean, 'figure')}; farthest from the"
        f" others is {coder} in {label}, {format_value(farthest, 'figure')}."
    )
    table = Table("by_text", title, columns, rows, note + rest)
    return PageSections([table], [Chart("by_text", title, figure, words, "by_text")])


CODED_AGAIN = {UNMARKED: "unmarked", RECHECK: "in a recheck"}
NOTE_ON_REPEATS = (
    "The first occasion against the second, with the settings of this page and a 95% CI over texts. Unmarked: texts"
    " shown again within a round. In a recheck: texts of a round of that kind, which coders knowingly coded again,"
    " against the latest round before it that counts. All coders: the codings of all of them together. Every other"
    " figure is of first occasions, unless repeats are included. Between coders: all coders in the same texts."
)


@register
class Repeats(ResultPage[RepeatsReport]):
    """The agreement of each coder with themself: a table of the page Coders."""

    name = "repeats"
    gives = RepeatsReport
    api = "How far each coder agrees with themself, in texts that they were shown again within a round."
    api_route = "api-agreement-repeats"
    chooses_coders = True

    def compute(self, request: AnalysisRequest) -> RepeatsReport:
        return compare_occasions(request.project_answers, request.parameters)

    def tables(self, request: AnalysisRequest, report: RepeatsReport) -> list[Table]:
        columns = [
            Column("coder", "Coder", cell=lambda row: row.coder or "all coders"),
            Column("coded_again", "How", labels=CODED_AGAIN),
            *columns_of("count", shown_again="Coded again", codings=("Counted", "coded_again_counted"), texts="Texts"),
            Column("units", "Units", "count"),
            Column("self_agreement", "Self-agreement", "figure", cell="value"),
            *ENDS,
            Column("between_coders", "Between coders", "figure", cell="between"),
            Column("note", "Notes"),
        ]
        rows = filter(None, [*report.coders, report.all_coders, *report.rechecks, report.all_rechecks])
        return [Table.of("repeats", "Each coder with themself", columns, rows, NOTE_ON_REPEATS)]
