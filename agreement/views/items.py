"""On which items coders disagree, and how they do on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from agreement import actions, passage
from agreement.asked import Asked, asked
from agreement.figures import Chart, strip, upset
from agreement.forms import RemarkForm
from agreement.measures import RELATIONS
from agreement.measures.values import Ints
from agreement.models import Flag, Remark
from agreement.parameters import Parameters, WrongParameter
from agreement.reports import items as reports
from agreement.scu_items import lines as scu_lines
from agreement.scu_items import scus_of
from agreement.tables import Cell, Column, Linked, Table
from agreement.views.page import draws_charts, show
from agreement.wording import Nouns, nouns_of
from agreement.words import Words, words_of, words_of_units
from annotations.models import Markable, Project, Segment, Text, User
from annotations.permissions import Right, may, project_for

A_PAGE = 100
STRIP = 200
OWN = ("relation", "level", "category", "ambiguity", "flag", "sort")
SIDE_BY_SIDE = "columns"  # the view of an item in which each coder has the text to themself
AMBIGUITY = {"explicit": "marked as ambiguous", "implicit": "camps, unmarked", "either": "either"}


@login_required
@draws_charts
@require_safe
def items(request: HttpRequest, slug: str) -> HttpResponse:
    """The units by their share of the observed disagreement, filtered by how coders differ."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    discusses = may(project, Right.DISCUSS)
    page = asked(project, request.GET, _own(discusses))
    flagged = _flagged(project) if discusses else frozenset()

    def computed(parameters: Parameters, own: dict[str, str]) -> tuple[reports.Items, Ints]:
        found = reports.items(page.extract, parameters)
        return found, found.chosen(reports.Filters(**own), flagged)

    found, rows = page.compute(computed)
    shown = Paginator(rows, A_PAGE).get_page(request.GET.get("page"))
    here = [int(row) for row in (rows if "as" in request.GET else list(shown))]
    first = sorted(rows.tolist(), key=lambda row: -found.share[row])[:STRIP]
    words = words_of_units({int(found.unit[row]) for row in [*here, *first]})
    table = _table(page, found, here, words, flagged if discusses else None)
    share = [float(found.share[row]) for row in first]
    said = f"{len(rows)} items; the first carries {share[0]:.0%}" if share else "No item"
    many = f", the first ten together {sum(share[:10]):.0%}" if len(share) > 10 else ""
    chart = Chart(
        "items",
        "Share of the observed disagreement, item by item",
        strip([words[int(found.unit[row])].words for row in first], share, "share"),
        f"{said}{many} of the disagreement.",
        "items",
    )
    return show(
        request,
        "agreement/items.html",
        page,
        [table],
        [chart] if len(first) > 1 else [],
        shown=shown,
        total=len(found.unit),
        filters=_filters(page, found, flagged),
        sorts=[(name, page.with_own(sort=name), name == (page.own.get("sort") or "share")) for name in reports.SORTS],
    )


def _own(discusses: bool) -> tuple[str, ...]:
    """What the address of items may say besides the parameters: flags are for those who discuss."""
    return OWN if discusses else tuple(name for name in OWN if name != "flag")


def _table(
    page: Asked,
    found: reports.Items,
    rows: Sequence[int],
    words: dict[int, Words],
    flagged: frozenset[int] | None,
) -> Table:
    """The items in these rows; without the flags where `flagged` is None."""
    columns = [
        Column("words", "Words"),
        *([Column("context", "In context")] if page.extract.units == "words" else []),
        Column("text", "Text"),
        Column("share", "Share", "percent"),
        Column("values", "Values", "count"),
        Column("coders", "Coders", "count"),
        *(Column(name, name.capitalize(), "count") for name in RELATIONS),
        Column("ambiguity", "Ambiguity"),
        *([] if flagged is None else [Column("flag", "Flag")]),
        Column("observed", "Disagreement", "figure"),
        Column("key", "Key"),
    ]
    cells = []
    for row in map(int, rows):
        one, text = words[int(found.unit[row])], found.texts[found.text[row]]
        address = reverse("item", args=[page.project.slug, text.slug, one.key])
        explicit = int(found.explicit[row])
        cells.append(
            (
                Linked(one.words, f"{address}?{urlencode(page.parameters.query() | page.own)}"),
                *([one.context] if page.extract.units == "words" else []),
                text.slug,
                float(found.share[row]),
                int(found.n_values[row]),
                int(found.n_coders[row]),
                *found.relations[row].tolist(),
                f"marked by {explicit}" if explicit else "camps" if found.camps[row] else "",
                *([] if flagged is None else ["flagged" if one.pk in flagged else ""]),
                float(found.observed[row]),
                one.key,
            )
        )
    return Table("items", "Items by share of observed disagreement", columns, cells)


def _filters(
    page: Asked, found: reports.Items, flagged: frozenset[int]
) -> list[tuple[str, list[tuple[str, str, int, bool]]]]:
    """The filters as chips: (label, address, how many items, is it on) under a name each."""
    levels = sorted(set(found.level))
    ambiguity = AMBIGUITY | ({"explicit": "in several SCUs"} if page.extract.units else {})
    groups: list[tuple[str, str, list[tuple[str, str]]]] = [
        ("relation", "Some pair of coders", [(name, name) for name in RELATIONS]),
        ("ambiguity", "Ambiguity", [(name, ambiguity[name]) for name in reports.AMBIGUITY]),
        ("category", "Some coder says", [] if page.extract.units else [(name, name) for name in found.names]),
        ("level", "Level", [(name, name) for name in levels] if len(levels) > 1 else []),
        ("flag", "Guidelines", [("set", "flagged")] if flagged else []),
    ]
    chips = []
    for name, label, choices in groups:
        made = []
        for value, words in choices:
            on = page.own.get(name) == value
            number = len(found.chosen(reports.Filters(**{name: value}), flagged))
            if number or on:
                made.append((words, page.with_own(**{name: "" if on else value}), number, on))
        if made:
            chips.append((label, made))
    return chips


@login_required
@draws_charts
@require_safe
def item(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """One unit: every coder's chain in the text, their sets and relations, and what people say of it."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    discusses = may(project, Right.DISCUSS)
    page = asked(project, request.GET, (*_own(discusses), "view"))
    flagged = _flagged(project) if discusses else frozenset()
    found = page.compute(lambda parameters, _: reports.item(page.extract, parameters, text, key))
    if found is None:
        raise Http404("There is no such unit.")

    def computed(parameters: Parameters, own: dict[str, str]) -> tuple[reports.Items, list[int]]:
        ranked = reports.items(page.extract, parameters)
        if own.get("view", SIDE_BY_SIDE) != SIDE_BY_SIDE:
            raise WrongParameter("view", f"{own['view']!r} is not {SIDE_BY_SIDE}.")
        filters = {name: value for name, value in own.items() if name != "view"}
        return ranked, ranked.chosen(reports.Filters(**filters), flagged).tolist()

    ranked, rows = page.compute(computed)
    place = next((number for number, row in enumerate(rows) if int(ranked.unit[row]) == found.unit), None)
    neighbours = (
        {}
        if place is None
        else {name: rows[at] for name, at in (("previous", place - 1), ("next", place + 1)) if 0 <= at < len(rows)}
    )
    around = words_of_units({int(ranked.unit[row]) for row in neighbours.values()})
    query = urlencode(page.parameters.query() | page.own)
    links = {
        name: reverse("item", args=[slug, ranked.texts[ranked.text[row]].slug, around[int(ranked.unit[row])].key])
        + f"?{query}"
        for name, row in neighbours.items()
    }
    about = Text.objects.select_related("docset").get(pk=found.text.pk)
    nouns = nouns_of(page.extract.units)
    shown = _in_the_text(found, about, nouns, project if page.extract.units else None)
    members, charts = shown.pop("members")
    return show(
        request,
        "agreement/item.html",
        page,
        [*_item_tables(found), *members],
        charts,
        item=found,
        item_query=query,
        side_by_side=page.own.get("view") == SIDE_BY_SIDE,
        views=[("overlaid", page.with_own(view="")), ("side by side", page.with_own(view=SIDE_BY_SIDE))],
        ranked_share=float(ranked.share[rows[place]]) if place is not None else None,
        place=place + 1 if place is not None else None,
        total=len(rows),
        links=links,
        text=about,
        discusses=discusses,
        remarks=Remark.objects.filter(markable=found.unit).select_related("author") if discusses else [],
        flag=Flag.objects.filter(markable=found.unit).select_related("author").first() if discusses else None,
        remark_form=RemarkForm(),
        **shown,
    )


def _item_tables(found: reports.ItemReport) -> list[Table]:
    if not found.pairs:
        return []
    names = list(found.pairs[0].distances)
    columns = [
        Column("coders", "Coders"),
        Column("relation", "Relation"),
        *(Column(name, name, "figure") for name in names),
    ]
    rows: list[tuple[Cell, ...]] = [
        (f"{one.first} – {one.second}", one.relation, *one.distances.values()) for one in found.pairs
    ]
    if len(found.pairs) > 1:
        means = [sum(one.distances[name] for one in found.pairs) / len(found.pairs) for name in names]
        rows.append(("mean of the pairs", "", *means))
    return [Table("pairs", "Every pair of coders", columns, rows)]


def _in_the_text(
    found: reports.ItemReport, about: Text, nouns: Nouns, of_pyramids: Project | None = None
) -> dict[str, Any]:
    """Every coder's chain in words, with and without the unit, and the text with the numbers of the coders."""
    units = {
        pk: (label, words_of(about.content, parts), parts, (start, -end))
        for pk, label, parts, start, end in Markable.objects.filter(
            pk__in={found.unit}.union(*(value for value in found.values.values() if isinstance(value, frozenset)))
        ).values_list("pk", "label", "parts", "start", "end")
    }
    coded = set(found.text.answers.units)
    coders: list[dict[str, Any]] = []
    holders: dict[int, list[int]] = {found.unit: []}
    for number, (coder, value) in enumerate(found.values.items(), start=1):
        chain = sorted(value, key=lambda pk: units[cast(int, pk)][3]) if isinstance(value, frozenset) else None
        for pk in chain or ():
            holders.setdefault(cast(int, pk), []).append(number)
        members = None if chain is None else [(pk == found.unit, units[cast(int, pk)][1]) for pk in chain]
        rest = None if members is None else [said for itself, said in members if not itself]
        coders.append({"number": number, "coder": coder, "value": value, "chain": members, "rest": rest})
    kind = Segment.Kind.SUMMARY if of_pyramids else Segment.Kind.TURN
    turns = list(Segment.objects.filter(text=about.pk, kind=kind).values_list("start", "end", "label", "speaker"))
    who = _members(found, {pk: said for pk, (_, said, *_) in units.items()}, nouns)
    if of_pyramids:
        unit = units[found.unit][2]
        for one, more in zip(coders, scus_of(of_pyramids, about, unit, list(found.values)), strict=True):
            one |= more
        return {
            "label": "",
            "words": units[found.unit][1],
            "coders": coders,
            "scus": True,
            "lines": scu_lines(about.content, turns, {one["number"]: one["contributors"] for one in coders}, unit),
            "columns": [
                (one, scu_lines(about.content, turns, {one["number"]: one["contributors"]}, unit)) for one in coders
            ],
            "members": who,
        }
    parts = {pk: [(start, end) for start, end in units[pk][2]] for pk in holders if pk in coded}
    label, words, *_ = units[found.unit]
    return {
        "label": label,
        "words": words,
        "coders": coders,
        "lines": passage.lines(about.content, turns, parts, holders, found.unit),
        "columns": [
            _column(about.content, turns, parts, one, found.unit) for one in coders if one["chain"] is not None
        ],
        "members": who,
    }


def _column(
    content: str,
    turns: list[tuple[int, int, str, str]],
    parts: dict[int, list[tuple[int, int]]],
    one: dict[str, Any],
    unit: int,
) -> tuple[dict[str, Any], list[passage.Line]]:
    """The text with the chain of one coder alone."""
    mine = {pk: spans for pk, spans in parts.items() if pk == unit or pk in one["value"]}
    return one, passage.lines(content, turns, mine, {}, unit)


def _members(found: reports.ItemReport, words: dict[int, str], nouns: Nouns) -> tuple[list[Table], list[Chart]]:
    """Which coders have which members in their chain."""
    chains = {coder: value for coder, value in found.values.items() if isinstance(value, frozenset)}
    if len(chains) < 2:
        return [], []
    members: dict[frozenset[str], list[str]] = {}
    for pk in sorted(frozenset().union(*chains.values())):
        combination = frozenset(coder for coder, chain in chains.items() if pk in chain)
        members.setdefault(combination, []).append(words[pk])
    ordered = sorted(members.items(), key=lambda one: (-len(one[1]), sorted(one[0])))
    rows = [(" and ".join(sorted(who)), len(what), ", ".join(what)) for who, what in ordered]
    title = f"Which coders have which {'members' if nouns.unit == 'markable' else nouns.units} in their {nouns.chain}"
    columns = [Column("coders", "Coders"), Column("number", "Members", "count"), Column("members", "Which")]
    said = "; ".join(f"{who}: {what}" for who, _, what in rows)
    chart = Chart("chains", title, upset(list(chains), members), f"In the {nouns.chain} of {said}.", "members")
    return [Table("members", title, columns, rows)], [chart]


def _flagged(project: Project) -> frozenset[int]:
    return frozenset(Flag.objects.filter(markable__text__project=project).values_list("markable_id", flat=True))


@login_required
@require_POST
def remark(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Say something of an item."""
    project = project_for(request.user, slug, Right.DISCUSS)
    markable = actions.unit_of(project, text, key)
    form = RemarkForm(request.POST)
    if form.is_valid():
        actions.remark(markable, cast(User, request.user), form.cleaned_data["body"])
    else:
        messages.error(request, f"The remark is not kept: {form.errors['body'].as_text()}")
    return _back(request, slug, text, key)


@login_required
@require_POST
def withdraw(request: HttpRequest, slug: str, text: str, key: str, pk: int) -> HttpResponse:
    """Take one's own remark away."""
    project = project_for(request.user, slug, Right.DISCUSS)
    found = Remark.objects.filter(
        pk=pk, markable=actions.unit_of(project, text, key), author=cast(User, request.user)
    ).first()
    if found is None:
        raise Http404("There is no such remark of yours.")
    actions.withdraw(found, cast(User, request.user))
    return _back(request, slug, text, key)


@login_required
@require_POST
def flag(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """Flag an item for the guidelines, or take the flag away."""
    project = project_for(request.user, slug, Right.DISCUSS)
    actions.set_flag(actions.unit_of(project, text, key), cast(User, request.user), request.POST.get("on") == "1")
    return _back(request, slug, text, key)


def _back(request: HttpRequest, slug: str, text: str, key: str) -> HttpResponse:
    """The item again, as it was looked at."""
    query = request.GET.urlencode()
    return redirect(reverse("item", args=[slug, text, key]) + (f"?{query}" if query else "") + "#discussion")
