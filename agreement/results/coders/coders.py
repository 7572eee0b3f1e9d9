"""Who agrees with whom, and how each coder works."""

from __future__ import annotations

from collections.abc import Mapping

from agreement.measures import LeaveOneOut
from agreement.reports.coders import coders as reports
from agreement.reports.coders.profiles import FARTHEST_LINK, LONGEST_CHAIN, Profile, compute_profiles, mean_seconds
from agreement.reports.coders.repeats import compare_occasions
from agreement.reports.coders.timing import read_project_work
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import Nouns, nouns_for
from agreement.results.coders.coder_texts import build_coder_texts
from agreement.results.coders.matrix import MEASURES, Matrix
from agreement.results.coders.repeats import build_repeats_table
from agreement.results.computations import register
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart
from agreement.results.figures.confusion import build_confusion
from agreement.results.figures.plots import line_chart, stacked_bars
from agreement.results.figures.times import build_times
from agreement.results.page import ResultPage
from agreement.results.tables import ENDS, Cell, Column, Table
from annotations.coding.active_time import Activity

# The row of the category that most coders gave an item.
ANY_CATEGORY = "most frequent"


@register
class Coders(ResultPage[PageSections]):
    """The matrix of pairs, each coder against the rest, in each text, and their profiles."""

    name, title = "coders", "Coders"
    template = "agreement/coders/coders.html"
    position, tab = 70, 120
    options = ("measure",)

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
            repeated=bool(repeats.repeats.coders or repeats.rechecks.coders),
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
