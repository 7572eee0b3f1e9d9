"""What pyramids are used for and how far they can be trusted: scores, the study of two coders, SCU pairs, peers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from agreement.asked import Asked, asked
from agreement.forms import PyramidForm
from agreement.parameters import Parameters, WrongParameter
from agreement.parts import pyramids as parts
from agreement.parts import scus as parts_of_scus
from agreement.parts.part import Parts
from agreement.pyramids import Pyramids, read, require_pyramids
from agreement.reports import peers as of_peers
from agreement.reports import scores as of_scores
from agreement.reports import scus as of_scus
from agreement.reports import study as of_study
from agreement.tables import Table
from agreement.views.page import draws_charts, show
from annotations.permissions import Right, project_for

A_PAGE = 100
CARDS = 20
SUBSUMPTION = "subsumption"
MEANS = (("", "rounded, halves up"), ("interpolate", "interpolated"))
WHICH = (("original", "original"), ("", "modified, or coverage"), ("comprehensive", "comprehensive"))

type Fields = Mapping[str, tuple[str, Sequence[tuple[str, str]]]]


@login_required
@draws_charts
@require_safe
def scores(request: HttpRequest, slug: str) -> HttpResponse:
    """The scores of every peer by every coder, and of every system."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    require_pyramids(project)
    page = asked(project, request.GET, ["docset", "mean", "score"])

    def computed(_: Parameters, own: dict[str, str]) -> tuple[Pyramids, of_scores.Report, str]:
        pyramids, score = _read(page, own), of_scores.check_score(own.get("score", ""))
        return pyramids, of_scores.report(pyramids, own.get("docset", ""), own.get("mean") or "round"), score

    pyramids, report, score = page.compute(computed)
    found = parts.scores(report, score)
    shown = Paginator(range(len(report.peers)), A_PAGE).get_page(request.GET.get("page"))
    fields = {
        "docset": _docsets(pyramids),
        "score": ("Score of the charts", WHICH),
        "mean": ("Mean number of SCUs", MEANS),
    }
    return _show(request, "scores", page, pyramids, found, fields, "scores", shown, report=report)


@login_required
@draws_charts
@require_safe
def study(request: HttpRequest, slug: str) -> HttpResponse:
    """The paradigmatic reliability study: scores of the same peers by the own pyramids of two coders."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    require_pyramids(project)
    page = asked(project, request.GET, ["docset", "mean", "score", "first", "second"])

    def computed(_: Parameters, own: dict[str, str]) -> tuple[Pyramids, of_study.Report, of_study.OfPair | None, str]:
        pyramids, score = _read(page, own), of_scores.check_score(own.get("score", ""))
        docset, mean = own.get("docset", ""), own.get("mean") or "round"
        two = own.get("first", ""), own.get("second", "")
        whole = of_study.report(pyramids, docset, mean)
        chosen = of_study.report(pyramids, docset, mean, *two) if any(two) else whole
        return pyramids, whole, chosen.pair(*two), score

    pyramids, report, pair, score = page.compute(computed)
    found = parts.study(report, pair, score, lambda first, second: page.with_own(first=first, second=second))
    fields = {
        "docset": _docsets(pyramids),
        "score": ("Score of the ranks", WHICH),
        "mean": ("Mean number of SCUs", MEANS),
    }
    if len(report.coders) > 2:
        names = [("", "the first pair"), *((name, name) for name in report.coders)]
        fields |= {"first": ("One coder", names), "second": ("The other", names)}
    several = not page.own.get("docset") and len(pyramids.docsets) > 1
    return _show(
        request, "study", page, pyramids, found, fields, report=report, pair=pair, several=several, coders=report.coders
    )


@login_required
@require_safe
def scus(request: HttpRequest, slug: str) -> HttpResponse:
    """The SCUs of two coders of one docset: matched and related, or the subsumption table."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    require_pyramids(project)
    page = asked(project, request.GET, ["docset", "first", "second", "kind", "sort", "view"])

    def computed(_: Parameters, own: dict[str, str]) -> tuple[Pyramids, of_scus.Report | None, list[of_scus.Pair]]:
        if own.get("view", SUBSUMPTION) != SUBSUMPTION:
            raise WrongParameter("view", f"{own['view']!r} is not {SUBSUMPTION}.")
        pyramids = read(project)
        report = of_scus.report(pyramids, *(own.get(name, "") for name in ("docset", "first", "second")))
        return pyramids, report, report.chosen(own.get("kind", ""), own.get("sort") or "size") if report else []

    pyramids, report, chosen = page.compute(computed)
    if report is None:
        n_pyramids = len(pyramids.own)
        fields = {"docset": _docsets(pyramids, "")}
        return _show(request, "scus", page, pyramids, Parts([], []), fields, report=None, n_pyramids=n_pyramids)
    shown: Any
    if page.own.get("view"):
        shown = Paginator(report.subsumed, A_PAGE).get_page(request.GET.get("page"))
        cards = []
        found = parts_of_scus.subsumption(report, report.subsumed if "as" in request.GET else list(shown))
    else:
        shown = Paginator(chosen, CARDS).get_page(request.GET.get("page"))
        cards = [_card(report, one) for one in shown]
        kind = page.own.get("kind", "")
        found = parts_of_scus.pairs(report, chosen, lambda kind: page.with_own(kind=kind), kind)
    return _show(
        request,
        "scus",
        page,
        pyramids,
        found,
        _of_scus(pyramids, report),
        report=report,
        subsumption=bool(page.own.get("view")),
        shown=shown,
        cards=cards,
        filters=_filters(page, report),
        everything=page.with_own(kind=""),
        sorts=[
            (words, page.with_own(sort=name), name == (page.own.get("sort") or "size"))
            for name, words in parts_of_scus.SORTS.items()
        ],
        views=[
            ("Pairs of SCUs", page.with_own(view=""), not page.own.get("view")),
            ("Subsumption table", page.with_own(view=SUBSUMPTION), bool(page.own.get("view"))),
        ],
    )


@login_required
@draws_charts
@require_safe
def peers(request: HttpRequest, slug: str) -> HttpResponse:
    """What several coders found in the same peers against the agreed pyramid, and where they differ."""
    project = project_for(request.user, slug, Right.SEE_RESULTS)
    require_pyramids(project)
    page = asked(project, request.GET, ["docset"])

    def computed(_: Parameters, own: dict[str, str]) -> tuple[Pyramids, of_peers.Report]:
        pyramids = _read(page, own)
        return pyramids, of_peers.report(pyramids, own.get("docset", ""))

    pyramids, report = page.compute(computed)
    shown = Paginator(report.items, A_PAGE).get_page(request.GET.get("page"))
    found = parts.peers(report, report.items if "as" in request.GET else list(shown))
    agreed = any(one.agreed for one in pyramids.built)
    fields = {"docset": _docsets(pyramids)}
    return _show(request, "peers", page, pyramids, found, fields, report=report, shown=shown, agreed=agreed)


def _read(page: Asked, own: Mapping[str, str]) -> Pyramids:
    return read(page.project, own.get("docset", ""))


def _docsets(pyramids: Pyramids, everything: str = "all together") -> tuple[str, list[tuple[str, str]]]:
    choices = [(one.slug, one.title) for one in pyramids.docsets]
    return "Docset", [("", everything), *choices] if everything and len(choices) > 1 else choices


def _of_scus(pyramids: Pyramids, report: of_scus.Report) -> Fields:
    """Docsets that have two pyramids, and the coders of the one that is shown."""
    there = dict.fromkeys(docset for docset, *_ in of_scus.pairs_of_coders(pyramids))
    coders = [one.coder for one in pyramids.own if one.docset == report.docset]
    names = [(name, name) for name in coders] if len(coders) > 2 else []
    docsets = [(one.slug, one.title) for one in there]
    return {"docset": ("Docset", docsets), "first": ("One coder", names), "second": ("The other", names)}


def _filters(page: Asked, report: of_scus.Report) -> list[tuple[str, str, int, bool]]:
    """The relations as chips: label, address, how many pairs, is it on."""
    on = page.own.get("kind", "")
    return [("all", page.with_own(kind=""), len(report.pairs), not on)] + [
        (parts_of_scus.KINDS[kind], page.with_own(kind=kind), number, kind == on)
        for kind, number in report.counts().items()
    ]


def _card(report: of_scus.Report, one: of_scus.Pair) -> tuple[dict[str, Any], list[tuple[str, list[Any]]]]:
    """A pair for the template, and its rows: a summary with what each coder's contributors say there."""
    a, b = report.first.coder, report.second.coder
    sizes = [f"{one.shared} words of both" if one.first and one.second else f"{one.shared} words of others, too"]
    sizes += [f"{count} only of {name}" for name, count in ((a, one.only_first), (b, one.only_second)) if count]
    about = {
        "first": one.first,
        "second": one.second,
        "others": one.others,
        "name": " – ".join(side.label for side in (one.first, one.second) if side),
        "words": parts_of_scus.KINDS[one.kind],
        "size": ", ".join(sizes),
    }
    names = report.docset.summaries
    rows = [
        (
            names[place] if place >= 0 else "outside the summaries",
            [side.said.get(place, ()) if side else () for side in (one.first, one.second)],
        )
        for place in one.summaries
    ]
    return about, rows


def _show(
    request: HttpRequest,
    name: str,
    page: Asked,
    pyramids: Pyramids,
    found: Parts,
    fields: Fields,
    cut: str = "",
    shown: Any = None,
    **context: Any,
) -> HttpResponse:
    """The page; of the table `cut` only the rows `shown`, unless it is taken along."""
    own = {name: value for name, value in page.own.items() if value}
    tables = [_cut(table, shown) if table.key == cut and "as" not in request.GET else table for table in found.tables]
    return show(
        request,
        f"agreement/{name}.html",
        page,
        tables,
        found.charts,
        choices=PyramidForm(fields, own),
        kept=page.parameters.query() | {name: value for name, value in own.items() if name not in fields},
        asked_of_api=urlencode({name: value for name, value in own.items() if name in API}),
        n_docsets=len(pyramids.docsets),
        n_peers=pyramids.n_peers,
        **{"shown": shown, **context},
    )


# What the API takes, too.
API = ("docset", "mean", "first", "second")


def _cut(table: Table, rows: Sequence[int]) -> Table:
    return Table(table.key, table.caption, table.columns, [table.rows[row] for row in rows], table.note)
