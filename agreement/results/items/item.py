"""One item: every coder's chain in the text, their sets and relations."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar, cast
from urllib.parse import urlencode

import numpy as np
from django.http import Http404
from rest_framework.serializers import CharField

from agreement.data.documents import row_key, shift_of
from agreement.data.keys import read_keys
from agreement.data.pyramids.pyramids import PyramidAnnotation, read_pyramids
from agreement.data.pyramids.words import scus_by_word
from agreement.data.question import name_value
from agreement.data.texts.snippets import read_snippets, read_snippets_and_texts
from agreement.measures.models.reading_groups import LEAST_IN_CAMPS
from agreement.measures.values import Ints, Readings
from agreement.reports.fields import WhereThere
from agreement.reports.items.items import CoderPair, ItemFilters, ItemReadings, ItemReport, Items, report_item
from agreement.reports.request.parameters import InvalidParameter
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import nouns_for
from agreement.results.computations import register
from agreement.results.content import PageSections
from agreement.results.figures.charts import Chart
from agreement.results.figures.plots import upset_plot
from agreement.results.items.items import OPTIONS, AnswerFields, OfItems, given_answers, read_items
from agreement.results.labels.labels import RELATION_LABELS, choice_label, item_address
from agreement.results.tables import Cell, Column, Table
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Contributor, summary_index
from annotations.models import Markable, Segment, Text
from annotations.texts.keywords import covered_text

SIDE_BY_SIDE = "columns"  # the view in which each coder has the text to themself


@dataclass(frozen=True, slots=True)
class ValueOfCoder:
    """The value of a coder: a label, or a set."""

    component: ClassVar = "Value"

    coder: str
    category: Annotated[str | None, "where the value is a label"]
    chain: Annotated[
        tuple[str, ...] | None, "where it is a set: the keys of its markables; of several readings those of all"
    ]
    labels: Annotated[WhereThere[tuple[str, ...] | None], "where it is a set of labels: their keys"] = None
    readings: Annotated[
        WhereThere[tuple[tuple[str, ...], ...] | None],
        "where it is several readings: the keys of the markables of each",
    ] = None


@dataclass(frozen=True, slots=True)
class ItemFields:
    """One unit: what every coder answered, and every pair of coders."""

    component: ClassVar = "ItemReport"

    text: str
    round: str
    key: str
    values: tuple[ValueOfCoder, ...]
    answers: tuple[AnswerFields, ...]
    pairs: tuple[CoderPair, ...]


@register
class ItemPage(OfItems[ItemReport]):
    """One unit: every coder's chain in the text, their sets and relations."""

    name, title = "item", "Item"
    template = "agreement/items/item.html"
    path = "agreement/items/<slug:text>/<str:key>/"
    options = (*OPTIONS, "view", "round")
    address = ("text", "key")
    gives = ItemFields
    takes = {
        "round": CharField(
            required=False, allow_blank=True, help_text="Of a text in several rounds this one, not the latest."
        )
    }
    api = "One unit: what every coder answered, and the relation of every pair of coders."

    def compute(self, request: AnalysisRequest) -> ItemReport:
        """Return what is known of the unit that the address names. Raises Http404."""
        text, key = (request.address[name] for name in self.address)
        report = report_item(request.extract, request.parameters, text, key, request.options.get("round", ""))
        if report is None:
            raise Http404("Item not found.")
        return report

    def fields(self, request: AnalysisRequest, report: ItemReport) -> ItemFields:
        names = read_keys([report.text])
        members = request.extract.restrict([report.text]).columns.members["key"].tolist()
        keys = {member: names[member] for member in members}
        given = given_answers(request.extract, [report.unit], read_snippets_and_texts([report.unit])[1])
        values = [
            _describe_value(coder, value, keys, of_units=report.of_units)
            for coder, value in report.values.items()
            if value is not None
        ]
        answers = tuple(map(AnswerFields.of, given.get(report.unit, ())))
        return ItemFields(report.text.slug, report.text.round, report.key, tuple(values), answers, report.pairs)

    def show(self, request: AnalysisRequest) -> PageSections:
        """Return one unit with its place among the items that are filtered. Raises Http404."""
        report = self.compute(request)
        filters = {name: value for name, value in request.options.items() if name not in ("view", "round")}
        view = request.options.get("view", "")
        if view not in ("", SIDE_BY_SIDE):
            raise InvalidParameter("view", f"{view!r} is not {SIDE_BY_SIDE}.")
        items, marks, readings = read_items(request)
        rows = items.select(ItemFilters(**filters), marks, readings)
        place = next(iter(np.flatnonzero(items.unit[rows] == report.unit).tolist()), None)
        about = Text.objects.select_related("docset").get(pk=report.text.text_pk)
        members, details = _details(request, report, about)
        return PageSections(
            tables=[*_readings_tables(report, readings), *_pairs_tables(report), *members.tables],
            charts=members.charts,
            context={
                "item": report,
                "item_query": request.full_query,
                "side_by_side": view == SIDE_BY_SIDE,
                "views": [
                    ("overlaid", request.address_with(view="")),
                    ("side by side", request.address_with(view=SIDE_BY_SIDE)),
                ],
                "ranked_share": float(items.share_of(rows[place])) if place is not None else None,
                "place": place + 1 if place is not None else None,
                "total": len(rows),
                "links": _neighbour_links(request, items, rows, place),
                "text": about,
                "round": report.text.round if report.text.is_one_of_several else "",
                "named": {"pointers": "Antecedent", "indices": "Index"}.get(request.extract.kind),
                "labels": request.extract.labels,
                **details,
            },
        )


def _describe_value(coder: str, value: object, keys: dict[int, str], *, of_units: bool) -> ValueOfCoder:
    def of(members: frozenset[Hashable]) -> tuple[str, ...]:
        return tuple(key for unit, key in keys.items() if unit in members)

    if isinstance(value, Readings):
        return ValueOfCoder(coder, None, of(value.members), readings=tuple(sorted(map(of, value.sets))))
    if not isinstance(value, frozenset):
        return ValueOfCoder(coder, name_value(value), None)
    if of_units:
        return ValueOfCoder(coder, None, of(value))
    return ValueOfCoder(coder, None, None, labels=tuple(sorted(map(str, value))))


def _neighbour_links(request: AnalysisRequest, items: Items, rows: Ints, place: int | None) -> dict[str, str]:
    if place is None:
        return {}
    neighbours = {name: rows[at] for name, at in (("previous", place - 1), ("next", place + 1)) if 0 <= at < len(rows)}
    snippets = read_snippets({int(items.unit[row]) for row in neighbours.values()})
    options = {name: one for name, one in request.options.items() if name != "round"}
    query = urlencode(request.parameters.query() | options)
    return {
        name: item_address(
            request.project.slug, items.texts[items.text[row]], snippets[int(items.unit[row])].key, query
        )
        for name, row in neighbours.items()
    }


def _readings_tables(report: ItemReport, readings: ItemReadings) -> list[Table]:
    """Return who gives the same reading of an item, by the model; nothing of fewer than four coders who differ."""
    one = readings.units.get(report.unit)
    if one is None or len(one.groups) < 2 or sum(map(len, one.groups)) < LEAST_IN_CAMPS:
        return []
    likely = {"ambiguous": " It is likely ambiguous.", "slip": " It is likely a slip."}
    return [
        Table(
            "readings",
            "Readings",
            [Column("coders", "Coders"), Column("meant", "Probability that it is meant", "probability")],
            [(", ".join(map(str, group)), p) for group, p in zip(one.groups, one.probabilities, strict=True)],
            f"Two readings have a probability of {one.posterior:.2f}.{likely.get(readings.verdict(report.unit), '')}",
        )
    ]


def _pairs_tables(report: ItemReport) -> list[Table]:
    if not report.pairs:
        return []
    names = list(report.pairs[0].distances)
    columns = [
        Column("coders", "Coders"),
        Column("relation", "Relation", labels=RELATION_LABELS),
        *(Column(name, choice_label("distance", name), "figure") for name in names),
    ]
    rows: list[tuple[Cell, ...]] = [
        (f"{one.first} – {one.second}", one.relation, *one.distances.values()) for one in report.pairs
    ]
    if len(report.pairs) > 1:
        means = [sum(one.distances[name] for one in report.pairs) / len(report.pairs) for name in names]
        rows.append(("mean of pairs", "", *means))
    return [Table("pairs", "Every pair of coders", columns, rows)]


def _details(request: AnalysisRequest, report: ItemReport, about: Text) -> tuple[PageSections, dict[str, Any]]:
    """Return the members of chains, and for the template each chain in words and in the text."""
    chains, unit, of_pyramids = report.chains, report.unit, bool(request.extract.units)
    shift = shift_of(report.text.pk)
    named = {row_key(cast(int, pk)) for pk in {unit}.union(*chains.values())}
    markables = Markable.objects.filter(pk__in=named).order_by("start", "-end").values_list("pk", "label", "parts")
    units = {pk + shift: (label, covered_text(about.content, parts), parts) for pk, label, parts in markables}
    label, words, unit_parts = units[unit]
    given = given_answers(request.extract, [unit], {about.pk: about.content})
    answers = {one.coder: one for one in given.get(unit, ())}
    coders: list[dict[str, Any]] = []
    holders: dict[int, list[int]] = {unit: []}
    for number, (coder, value) in enumerate(report.values.items(), start=1):
        answer, members = answers.get(coder), chains.get(coder)
        chain = [pk for pk in units if pk in members] if members is not None else None
        shown = value is not None or (answer is not None and bool(answer.category))
        for pk in chain if chain is not None else [unit] if shown else []:
            holders.setdefault(pk, []).append(number)
        coders.append(
            {
                "number": number,
                "coder": coder,
                "value": value if value is None or coder in chains else report.describe(value),
                "answer": answer,
                "shown": shown,
                "chain": None if chain is None else [(pk == unit, units[pk][1]) for pk in chain],
            }
        )
    kind = Segment.Kind.SUMMARY if of_pyramids else Segment.Kind.TURN
    turns = list(Segment.objects.filter(text=about.pk, kind=kind).values_list("start", "end", "label", "speaker"))
    content = _members_content(request, report, {pk: words for pk, (_, words, _) in units.items()})
    details: dict[str, Any] = {"label": label, "words": words, "coders": coders}
    if of_pyramids:
        pyramids = read_pyramids(request.project, about.docset.slug if about.docset else "")
        own_pyramids = {one.coder: one for one in pyramids.own}
        for one in coders:
            one |= _describe_scus(own_pyramids.get(one["coder"]), about.content, unit_parts)
        columns = [(one, _draw_summaries(about.content, turns, [one], unit_parts)) for one in coders]
        lines = _draw_summaries(about.content, turns, coders, unit_parts)
        return content, details | {"label": "", "scus": True, "lines": lines, "columns": columns}
    parts = {pk: units[pk][2] for pk in holders if pk in report.units}
    columns = []
    for one in coders:
        if one["shown"]:
            own = {pk: spans for pk, spans in parts.items() if pk == unit or pk in chains.get(one["coder"], ())}
            columns.append((one, build_lines(about.content, turns, own, {}, unit)))
    lines = build_lines(about.content, turns, parts, holders, unit)
    return content, details | {"has_chains": bool(chains), "lines": lines, "columns": columns}


def _members_content(request: AnalysisRequest, report: ItemReport, words: Mapping[int, str]) -> PageSections:
    """Return which coders have which members in their chain; nothing of fewer than two chains."""
    chains, nouns = report.chains, nouns_for(request.extract)
    if len(chains) < 2:
        return PageSections()
    members: dict[frozenset[str], list[str]] = {}
    for pk in sorted(words):
        combination = frozenset(coder for coder, chain in chains.items() if pk in chain)
        if combination:
            members.setdefault(combination, []).append(words[pk])
    ordered = sorted(members.items(), key=lambda one: (-len(one[1]), sorted(one[0])))
    rows = [(" and ".join(sorted(who)), len(what), ", ".join(what)) for who, what in ordered]
    title = f"Which coders have which {'members' if nouns.unit == 'markable' else nouns.units} in their {nouns.chain}"
    columns = [
        Column("coders", "Coders"),
        Column("number", "Members", "count", explanation="number"),
        Column("members", "Which", explanation="which"),
    ]
    listing = "; ".join(f"{who}: {what}" for who, _, what in rows)
    chart = Chart("chains", title, upset_plot(list(chains), members), f"In the {nouns.chain} of {listing}.", "members")
    return PageSections([Table("members", title, columns, rows)], [chart])


# A turn or a summary: start, end, label, speaker.
type Stretches = Sequence[tuple[int, int, str, str]]


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A run of the text under the same markables.

    `badges` are the coders whose chain has a markable that ends here, `of` those whose chain has any, for the script.
    """

    words: str
    marked: bool
    current: bool
    badges: Sequence[int]
    of: str


@dataclass(frozen=True, slots=True)
class Line:
    """A turn, or all of a text that has none."""

    label: str
    speaker: str
    pieces: Sequence[TextPiece]


def build_lines(
    content: str, turns: Stretches, parts: Mapping[int, Parts], holders: Mapping[int, Iterable[int]], current: int
) -> list[Line]:
    """Return the text in lines of pieces.

    parts: of each markable that is shown. holders: by markable the numbers of the coders whose chain it is in.
    """
    spans = [
        (start, end, markable, end == max(stop for _, stop in of_markable))
        for markable, of_markable in parts.items()
        for start, end in of_markable
    ]

    def numbers(markables: Iterable[int]) -> list[int]:
        return sorted({number for markable in markables for number in holders.get(markable, ())})

    lines = []
    for start, end, label, speaker in sorted(turns) or [(0, len(content), "", "")]:
        inside = [span for span in spans if span[0] < end and span[1] > start]
        cuts = {start, end, *(max(span[0], start) for span in inside), *(min(span[1], end) for span in inside)}
        pieces = []
        for left, right in pairwise(sorted(cuts)):
            covering = [span for span in inside if span[0] <= left and span[1] >= right]
            over = [markable for _, _, markable, _ in covering]
            ending = [markable for _, last, markable, is_last in covering if is_last and last == right]
            of = " ".join(map(str, numbers(over)))
            pieces.append(TextPiece(content[left:right], bool(over), current in over, numbers(ending), of))
        lines.append(Line(label, speaker, pieces))
    return lines


def _describe_scus(annotation: PyramidAnnotation | None, content: str, parts: Parts) -> dict[str, Any]:
    if annotation is None:
        return {"scus": [], "contributors": []}
    pairs = [(one.parts, key) for one in annotation.contributors for key in one.scus]
    keys = set().union(*scus_by_word([(start, end) for start, end in parts], pairs).values())
    contributors = [one for one in annotation.contributors if keys.intersection(one.scus)]

    def in_summary(one: Contributor) -> tuple[str, str]:
        place = summary_index(one.parts, annotation.docset.stretches)
        return "" if place is None else annotation.docset.summaries[place], covered_text(content, one.parts)

    scus = [
        {
            "label": label,
            "weight": annotation.pyramid.weights[key],
            "contributors": [in_summary(one) for one in contributors if key in one.scus],
        }
        for key, label in annotation.labels.items()
        if key in keys
    ]
    return {"scus": scus, "contributors": contributors}


def _draw_summaries(content: str, summaries: Stretches, coders: Sequence[Mapping[str, Any]], unit: Parts) -> list[Line]:
    """Return the summaries with the contributors of these coders, and the unit."""
    spans: dict[int, Parts] = {0: unit}
    holders: dict[int, list[int]] = {}
    for one in coders:
        for contributor in one["contributors"]:
            holders[len(spans)] = [one["number"]]
            spans[len(spans)] = contributor.parts
    return build_lines(content, summaries, spans, holders, 0)
