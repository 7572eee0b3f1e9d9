"""Who agrees with whom, and how each coder works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from agreement.asked import Asked, asked
from agreement.computations import parts_of
from agreement.figures import Chart, Dot, dots, lines, said, stacked
from agreement.measures import RELATIONS, LeaveOneOut
from agreement.parameters import Parameters
from agreement.parts.pairs import MEASURES
from agreement.reports import coders as reports
from agreement.reports import items as of_items
from agreement.reports.basis import kept, texts_of
from agreement.reports.course import seconds_a_judgement
from agreement.tables import Cell, Column, Linked, Table
from agreement.views.page import draws_charts, show
from agreement.wording import Nouns, nouns_of
from annotations.permissions import Right, project_for
from annotations.timing import Work, work_of


@login_required
@draws_charts
@require_safe
def coders(request: HttpRequest, slug: str) -> HttpResponse:
    """The matrix of pairs, each coder against the rest, and their profiles."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET, ["measure"])
    page.compute(lambda _, own: reports.check_measure(page.extract, own.get("measure") or "coefficient"))
    found = parts_of(page, "matrix")
    profiles = reports.profiles(page.extract, page.parameters)
    rest = reports.without_each(page.extract, page.parameters)
    work = kept(page.extract, ("work",), lambda: work_of(project))
    nouns = nouns_of(page.extract.units)
    tables = [_each(page, rest, work), *_counted(profiles, nouns)]
    if not page.extract.units:  # all that is compared of pyramids has one category
        tables += [_categories(page, profiles), _agreed(page), _confusion(page, page.parameters)]
    charts = _profile_charts(page, profiles, nouns)
    measure = page.own.get("measure") or "coefficient"
    measures = [
        (MEASURES[name], page.with_own(measure=name), name == measure) for name in reports.measures_for(project.answers)
    ]
    return show(
        request,
        "agreement/coders.html",
        page,
        tables,
        charts,
        found,
        coders=[profile.coder for profile in profiles],
        measures=measures,
    )


def _each(page: Asked, rest: LeaveOneOut, work: Mapping[tuple[int, str], Work]) -> Table:
    texts = texts_of(page.extract, page.parameters)
    profiles = {profile.coder: profile for profile in reports.profiles(page.extract, page.parameters)}
    rows = []
    for part in rest.parts:
        coder = str(part.name)
        profile = profiles[coder]
        rows.append(
            (
                coder,
                part.result.value,
                part.change,
                profile.n_judgements,
                profile.n_ambiguous,
                profile.mean_chain,
                profile.mean_link,
                seconds_a_judgement(texts, coder, work),
            )
        )
    return Table(
        "each",
        "Each coder",
        [
            Column("coder", "Coder"),
            Column("without", "All without this one", "figure"),
            Column("change", "Moves by", "figure"),
            Column("judgements", "Judgements", "count"),
            Column("ambiguous", "Marked ambiguous", "count"),
            Column("mean_chain", "Words of an SCU" if page.extract.units else "Members of a chain", "figure"),
            Column("mean_link", "Units back to an antecedent", "figure"),
            Column("seconds", "Time a judgement", "seconds"),
        ],
        rows,
        "A coefficient that rises without a coder says that this one hurts it, not that this one is wrong.",
    )


def _categories(page: Asked, profiles: list[reports.Profile]) -> Table:
    """How often each coder gives each category, and how far from the mean of all coders that is."""
    names = [name for name in page.extract.categories if any(one.categories[name] for one in profiles)]
    shares = {one.coder: _shares(one, names) for one in profiles}
    means = (
        [sum(share[place] for share in shares.values()) / len(shares) for place in range(len(names))] if shares else []
    )
    rows = []
    for one in profiles:
        cells: list[Cell] = [one.coder]
        for place, name in enumerate(names):
            cells += [one.categories[name], shares[one.coder][place], shares[one.coder][place] - means[place]]
        rows.append(cells)
    columns = [Column("coder", "Coder")]
    for name in names:
        columns += [
            Column(name, name, "count"),
            Column(f"{name}_share", "share", "percent"),
            Column(f"{name}_bias", "bias", "figure"),
        ]
    return Table("bias", "Categories by coder", columns, rows, "Bias is the share less the mean share of all coders.")


def _shares(profile: reports.Profile, names: list[str]) -> list[float]:
    return [profile.categories[name] / profile.n_judgements if profile.n_judgements else 0.0 for name in names]


def _agreed(page: Asked) -> Table:
    n, counts = reports.agreed_by(page.extract, page.parameters)
    columns = [Column("category", "Category"), *(Column(f"by_{k}", str(k), "count") for k in range(n, -1, -1))]
    return Table(
        "agreed",
        "On how many items so many coders give a category",
        columns,
        [(name, *row) for name, row in counts.items()],
        "Items that some coder did not judge are left out.",
    )


def _confusion(page: Asked, parameters: Parameters, pair: tuple[str, str] | None = None) -> Table:
    counts = reports.confusion(page.extract, parameters, pair)
    names = page.extract.categories
    caption = f"Categories of {pair[0]} (rows) and {pair[1]} (columns)" if pair else "Categories that meet on an item"
    return Table(
        "confusion",
        caption,
        [Column("category", "Category"), *(Column(name, name, "count") for name in names)],
        [(name, *row) for name, row in zip(names, counts.tolist(), strict=True)],
        "" if pair else "Each pair of coders on an item counts once in each order.",
    )


def _profile_charts(page: Asked, profiles: list[reports.Profile], nouns: Nouns) -> list[Chart]:
    names = [name for name in page.extract.categories if any(one.categories[name] for one in profiles)]
    shares = {one.coder: _shares(one, names) for one in profiles}
    charts = [
        Chart(
            "bias",
            "Shares of the categories, coder by coder",
            stacked(
                list(shares),
                {name: [share[place] for share in shares.values()] for place, name in enumerate(names)},
                "share of judgements",
            ),
            " ".join(_said(coder, names, found) for coder, found in shares.items()),
            "bias",
        )
    ]
    charts = [] if page.extract.units else charts
    for key, title, unit, last, counts in _distributions(profiles, nouns):
        if any(counts.values()):
            sizes = range(1, max(min(last, max(max(one, default=1) for one in counts.values())), 2) + 1)
            series = {coder: _capped(one, last, list(sizes)) for coder, one in counts.items()}
            labels = [f"{size}{'+' if size == last else ''}" for size in sizes]
            words = f"{title}, by coder; the table has every number."
            charts.append(Chart(key, title, lines(labels, series, unit), words, key))
    return charts


def _distributions(
    profiles: list[reports.Profile], nouns: Nouns
) -> list[tuple[str, str, str, int, dict[str, Mapping[int, int]]]]:
    """What there is to count of each coder: key, title, what is counted, from where on together, the counts."""
    lengths = {one.coder: one.chain_lengths for one in profiles}
    distances = {one.coder: one.link_distances for one in profiles}
    long = "How long chains are" if nouns.chain == "chain" else f"How many {nouns.units} {nouns.chains} have"
    return [
        ("chains", long, nouns.chains, reports.LONGEST_CHAIN, lengths),
        ("links", "How far back antecedents are", "pointers", reports.FARTHEST_LINK, distances),
    ]


def _counted(profiles: list[reports.Profile], nouns: Nouns) -> list[Table]:
    """Every length and distance that there is, and how often each coder has it."""
    heads = {"chains": Column("members", "Members", "count"), "links": Column("back", "Units back", "count")}
    return [
        Table(
            key,
            title,
            [heads[key], *(Column(coder, coder, "count") for coder in counts)],
            [(size, *(one.get(size, 0) for one in counts.values())) for size in sorted(set().union(*counts.values()))],
            "Where it is less than 1 the antecedent comes later." if key == "links" else "",
        )
        for key, title, _, _, counts in _distributions(profiles, nouns)
        if any(counts.values())
    ]


def _said(coder: str, names: list[str], shares: list[float]) -> str:
    return f"{coder}: {', '.join(f'{name} {share:.0%}' for name, share in zip(names, shares, strict=True))}."


def _capped(counts: Mapping[int, int], last: int, sizes: list[int]) -> list[int]:
    """The counts of these sizes; what is beyond the last counts there."""
    found = dict.fromkeys(sizes, 0)
    for size, count in counts.items():
        if size > 0:
            found[min(size, last)] = found.get(min(size, last), 0) + count
    return [found[size] for size in sizes]


@login_required
@draws_charts
@require_safe
def pair(request: HttpRequest, slug: str, first: str, second: str) -> HttpResponse:
    """Two coders: every measure of them, how they differ, and on which categories."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    page = asked(project, request.GET)
    if first == second or not {first, second} <= set(page.extract.coders):
        raise Http404("There are no such two coders.")

    def of_two(parameters: Parameters) -> Parameters:
        return replace(parameters, coders=f"{first},{second}")

    def computed(parameters: Parameters, _: dict[str, str]) -> list[tuple[str, float | None]]:
        return [
            (name, reports.matrix(page.extract, of_two(parameters), name).value(first, second))
            for name in reports.measures_for(project.answers)
        ]

    measures = page.compute(computed)
    items = of_items.items(page.extract, of_two(page.parameters))
    relations = items.relations.sum(axis=0).tolist()
    address = reverse("items", args=[slug]) + f"?{urlencode(of_two(page.parameters).query())}"
    tables = [
        Table(
            "measures",
            f"{first} and {second}",
            [Column("measure", "Measure"), Column("value", "Value", "figure")],
            [(MEASURES[name], value) for name, value in measures],
        ),
        Table(
            "relations",
            "How their values are related",
            [Column("relation", "Relation"), Column("items", "Items", "count"), Column("share", "Share", "percent")],
            [
                (Linked(name, f"{address}&relation={name}"), count, count / max(sum(relations), 1))
                for name, count in zip(RELATIONS, relations, strict=True)
            ],
        ),
    ]
    if not page.extract.units:
        tables.append(_confusion(page, of_two(page.parameters), (first, second)))
    rows = [Dot(MEASURES[name], value) for name, value in measures]
    charts = [Chart("measures", f"{first} and {second} by every measure", dots(rows, "value"), said(rows), "measures")]
    return show(request, "agreement/pair.html", page, tables, charts, first=first, second=second)
