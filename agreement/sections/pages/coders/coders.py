"""Who agrees with whom, and how each coder works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.http import Http404
from django.urls import reverse
from django.utils.http import urlencode

from agreement.data.storage.records import TextRecords
from agreement.data.texts.muc import marked_texts_reader
from agreement.measures import RELATIONS, LeaveOneOut
from agreement.reports.coders import coders as reports
from agreement.reports.coders.profiles import FARTHEST_LINK, LONGEST_CHAIN, Profile, compute_profiles, mean_seconds
from agreement.reports.coders.repeats import RepeatsReport, compare_occasions
from agreement.reports.coders.timing import read_times
from agreement.reports.items.items import compute_items
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import Nouns, nouns_for
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections
from agreement.sections.deferred.pairs import MEASURES
from agreement.sections.figures.alignment import build_alignment
from agreement.sections.figures.charts import Chart, Dot, describe_dots, dot_plot, line_chart, stacked_bars
from agreement.sections.figures.coder_texts import build_coder_texts
from agreement.sections.figures.confusion import build_confusion
from agreement.sections.figures.times import build_times
from agreement.sections.labels.labels import RELATION_LABELS
from agreement.sections.tables import Cell, Column, Linked, Table

CODED_AGAIN = {"unmarked": "unmarked", "recheck": "in a recheck"}
# The row of all coders together.
ALL_CODERS = "all coders"
# The row of the category that most coders gave an item.
ANY_CATEGORY = "most frequent"


def build(request: AnalysisRequest) -> PageSections:
    """Return the matrix of pairs, each coder against the rest, and their profiles."""
    request.compute(lambda _, options: reports.check_measure(request.extract, options.get("measure") or "coefficient"))
    matrix = compute_or_enqueue(request, "matrix")
    profiles = compute_profiles(request.extract, request.parameters)
    rest = reports.leave_out_each_coder(request.extract, request.parameters)
    times_at_work = read_times(request.project, request.project_answers)
    nouns = nouns_for(request.extract)
    by_text, times = build_coder_texts(request), build_times(request)
    repeats = compare_occasions(request.project_answers, request.parameters)
    tables = [
        _coders_table(request, rest, times_at_work),
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
    measure = request.options.get("measure") or "coefficient"
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


def build_pair(request: AnalysisRequest, first: str, second: str) -> PageSections:
    """Return every measure of two coders, how they differ, and on which categories. Raises Http404."""
    counted = request.project_answers.select(request.parameters.selection("include"))
    if first == second or not {first, second} <= set(counted.known_coders):
        raise Http404("Unknown pair of coders.")
    # It comes first: where the text is a wrong one, all others are of the project's own parameters.
    alignment, choices = build_alignment(request, first, second)

    def restrict(parameters: Parameters) -> Parameters:
        return replace(parameters, coders=f"{first},{second}")

    read_marked = marked_texts_reader(request.project)
    measures = request.compute(
        lambda parameters, _: reports.measure_pair(request.project_answers, parameters, first, second, read_marked)
    )
    key_of_muc6 = f" Scores match markables by the rules of MUC-6, with {first} as the key; the matrix has their mean"
    parameters = restrict(request.parameters)
    relations = compute_items(request.project_answers, parameters).relations.sum(axis=0).tolist()
    address = reverse("items", args=[request.project.slug]) + f"?{urlencode(parameters.query())}"
    tables = [
        Table(
            "measures",
            f"{first} and {second}",
            [
                Column("measure", "Measure"),
                Column("value", "Value", "figure"),
                Column("low", "from", "figure"),
                Column("high", "to", "figure"),
                Column("note", "Notes"),
            ],
            [(MEASURES[one.measure], one.value, one.low, one.high, one.note) for one in measures],
            "95% CI over the texts, or over the connected components of a single text."
            + (f"{key_of_muc6} with either as the key." if read_marked else ""),
        ),
        Table(
            "relations",
            "Relations of their values",
            [
                Column("relation", "Relation", labels=RELATION_LABELS),
                Column("items", "Items", "count"),
                Column("share", "Share", "percent", explanation="share_of_relation"),
            ],
            [
                (Linked(name, f"{address}&relation={name}"), count, count / max(sum(relations), 1))
                for name, count in zip(RELATIONS, relations, strict=True)
            ],
        ),
    ]
    charts: list[Chart] = []
    if not request.extract.units and {first, second} <= set(counted.coders):
        confusion = build_confusion(request, parameters, (first, second))
        tables += confusion.tables
        charts += confusion.charts
    tables += alignment.tables
    charts += alignment.charts
    dots = [Dot(MEASURES[one.measure], one.value, one.low, one.high) for one in measures]
    title = f"{first} and {second} by every measure"
    chart = Chart("measures", title, dot_plot(dots, "value"), describe_dots(dots), "measures")
    return PageSections(
        tables,
        [chart, *charts],
        context={"first": first, "second": second, "has_chains": request.extract.has_chains, **choices},
    )


def _coders_table(request: AnalysisRequest, rest: LeaveOneOut, times: TextRecords) -> Table:
    profiles = {profile.coder: profile for profile in compute_profiles(request.extract, request.parameters)}
    seconds = mean_seconds(request.extract, request.parameters, times)
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
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("change", "Change", "figure"),
            Column("judgements", "Judgements", "count"),
            *(of_chains if chained else []),
            Column("seconds", "Time per judgement", "seconds"),
        ],
        rows,
        "A higher value without a coder means that this coder disagrees with the rest, not that they are wrong."
        " Means of pairs have no CI here; the page of a pair has those of the pair.",
    )


def build_repeats_table(report: RepeatsReport) -> Table:
    """Return how far coders agree with themselves, in the texts that they coded again."""
    parts = [("unmarked", report.repeats), ("recheck", report.rechecks)]
    rows = [(how, one) for how, part in parts for one in (*part.coders, *([part.together] if part.together else []))]
    return Table(
        "repeats",
        "Each coder with themself",
        [
            Column("coder", "Coder"),
            Column("coded_again", "How", labels=CODED_AGAIN),
            Column("shown_again", "Coded again", "count"),
            Column("codings", "Counted", "count", explanation="coded_again_counted"),
            Column("texts", "Texts", "count"),
            Column("units", "Units", "count"),
            Column("self_agreement", "Self-agreement", "figure"),
            Column("low", "from", "figure"),
            Column("high", "to", "figure"),
            Column("between_coders", "Between coders", "figure"),
            Column("note", "Notes"),
        ],
        [
            (
                one.coder or ALL_CODERS,
                how,
                one.shown_again,
                one.codings,
                one.texts,
                one.interval.result.n_units if one.interval else 0,
                one.interval.value if one.interval else None,
                one.interval.low if one.interval else None,
                one.interval.high if one.interval else None,
                one.between.value if one.between else None,
                one.note,
            )
            for how, one in rows
        ],
        "The first occasion against the second, with the settings of this page and a 95% CI over texts. Unmarked: texts"
        " shown again within a round. In a recheck: texts of a round of that kind, which coders knowingly coded again,"
        " against the latest round before it that counts. All coders: the codings of all of them together. Every"
        " other figure is of first occasions, unless repeats are included. Between coders: all coders in the same"
        " texts.",
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
