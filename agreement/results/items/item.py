"""The page of an item: every coder's chain in the text, and the relations of their sets."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from typing import Annotated, Any, cast

import numpy as np
from django.http import Http404
from rest_framework.serializers import CharField

from agreement.data.documents import Document, row_key, shift_of
from agreement.data.given_answers import read_given_answers
from agreement.data.judgements import scus_by_word
from agreement.data.project_answers import ProjectAnswers, name_value
from agreement.data.pyramids import PyramidAnnotation, read_pyramids
from agreement.data.texts import read_keys, read_snippets, read_snippets_and_texts
from agreement.measures import distance, relation
from agreement.measures.models.reading_groups import MIN_IN_CAMPS
from agreement.measures.values import Ints, Readings, Value, remove_unit
from agreement.reports.basis import distances_of, select_data
from agreement.reports.fields import WhereThere
from agreement.reports.items import ItemFilters, ItemReadings, Items
from agreement.reports.parameters import InvalidParameter, Parameters
from agreement.reports.request import AnalysisRequest, resolve
from agreement.reports.wording import RELATION_LABELS, choice_label, item_address, nouns_for
from agreement.results.computations import PageSections, register
from agreement.results.figures.charts import Chart, upset_plot
from agreement.results.items.items import OPTIONS, AnswerFields, OfItems, read_items
from agreement.results.tables import Cell, Column, Table
from annotations.coding.markables.markables import Parts
from annotations.coding.pyramids.pyramid_rules import Contributor, summary_index
from annotations.models import Markable, Segment, Text
from annotations.texts.keywords import covered_text

SIDE_BY_SIDE = "columns"  # the view with a copy of the text for each coder
VIEWS = {"": "overlaid", SIDE_BY_SIDE: "side by side"}


@dataclass(frozen=True, slots=True)
class ValueOfCoder:
    """The value of a coder: a label, or a set."""

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
class CoderPair:
    """Two coders on one unit."""

    first: str
    second: str
    relation: str
    distances: dict[str, float]


@dataclass(frozen=True, slots=True)
class ItemReport:
    """One unit: every coder's value, and every pair of coders; `units` has all units of its text."""

    text: Document
    unit: int
    key: str
    values: dict[str, Value | None]
    pairs: tuple[CoderPair, ...]
    units: frozenset[int]
    of_units: bool

    @property
    def chains(self) -> dict[str, frozenset[Hashable]]:
        """The chains by coder, for coders who have one; several readings are merged."""
        if not self.of_units:
            return {}
        return {
            coder: value.members if isinstance(value, Readings) else value
            for coder, value in self.values.items()
            if isinstance(value, frozenset | Readings)
        }


@dataclass(frozen=True, slots=True)
class ItemFields:
    """One unit in the API: every coder's value and answer, and every pair of coders."""

    text: str
    round: str
    key: str
    values: tuple[ValueOfCoder, ...]
    answers: tuple[AnswerFields, ...]
    pairs: tuple[CoderPair, ...]


def report_item(
    extract: ProjectAnswers, parameters: Parameters, text_slug: str, key: str, round_name: str = ""
) -> ItemReport | None:
    """Return one unit in the named or the latest round; None if it does not exist. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    texts = [one for one in extract.texts if one.slug == text_slug and round_name in ("", one.round)]
    if not texts:
        return None
    text = texts[-1]
    units, keys = set(extract.units_in(text)), read_keys([text])
    unit = next((one for one, name in keys.items() if name == key and one in units), None)
    if unit is None:
        return None
    data = select_data(extract, replace(parameters, without=""), [text])
    codes = dict(zip(data.coders, data.codes[list(data.units).index(unit)].tolist(), strict=True))
    [own] = extract.rows_by_text([text])
    values = {name: data.value(codes[name]) if codes[name] >= 0 else None for name, _ in sorted(own) if name in codes}
    # the ordinal distance depends on all values
    names, pairs = [name for name in distances_of(extract) if name != "ordinal"], []
    for (first, a), (second, b) in combinations(values.items(), 2):
        if a is None or b is None:
            continue
        related = relation(a, b, unit)
        if parameters.exclude_unit != "none" and extract.has_chains:
            a, b = remove_unit(a, unit), remove_unit(b, unit)
        apart = {name: distance(a, b, name, empty=parameters.empty, thirds=parameters.thirds) for name in names}
        pairs.append(CoderPair(first, second, related, apart))
    return ItemReport(text, unit, key, values, tuple(pairs), frozenset(units), data.members == "units")


@register
class ItemPage(OfItems[ItemReport]):
    """The page of a unit: every coder's chain in the text, and the relations of their sets."""

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
        text, key = (request.address[name] for name in self.address)
        report = report_item(request.extract, request.parameters, text, key, request.options.get("round", ""))
        if report is None:
            raise Http404("Item not found.")
        return report

    def fields(self, request: AnalysisRequest, report: ItemReport) -> ItemFields:
        names = read_keys([report.text])
        members = request.extract.restrict([report.text]).columns.members["key"].tolist()
        keys = {member: names[member] for member in members}
        given = read_given_answers(request.extract, [report.unit], read_snippets_and_texts([report.unit])[1])
        judged = [(coder, value) for coder, value in report.values.items() if value is not None]
        values = tuple(_describe_value(*one, keys, of_units=report.of_units) for one in judged)
        answers = tuple(map(AnswerFields.of, given.get(report.unit, ())))
        return ItemFields(report.text.slug, report.text.round, report.key, values, answers, report.pairs)

    def show(self, request: AnalysisRequest) -> PageSections:
        report, view = self.compute(request), request.options.get("view", "")
        filters = {name: value for name, value in request.options.items() if name not in ("view", "round")}
        if view not in VIEWS:
            raise InvalidParameter("view", f"{view!r} is not {SIDE_BY_SIDE}.")
        items, marks, readings = read_items(request)
        rows = items.select(ItemFilters(**filters), marks, readings)
        about = Text.objects.select_related("docset").get(pk=report.text.text_pk)
        context = {
            "item": report,
            "side_by_side": view == SIDE_BY_SIDE,
            "views": [(name, request.address_with(view=key)) for key, name in VIEWS.items()],
            "total": len(rows),
            "text": about,
            "named": {"pointers": "Antecedent", "indices": "Index"}.get(request.extract.kind),
            **_place_of(request, items, rows, report.unit),
        }
        tables = [*_readings_tables(report, readings), *_pairs_tables(report)]
        return PageSections(tables, context=context).with_sections(_details(request, report, about))


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


def _place_of(request: AnalysisRequest, items: Items, rows: Ints, unit: int) -> dict[str, Any]:
    place = next(iter(np.flatnonzero(items.unit[rows] == unit).tolist()), None)
    if place is None:
        return {}
    neighbours = {name: rows[at] for name, at in (("previous", place - 1), ("next", place + 1)) if 0 <= at < len(rows)}
    snippets, links = read_snippets({int(items.unit[row]) for row in neighbours.values()}), {}
    query = request.address_with(round="").removeprefix("?")
    for name, row in neighbours.items():
        key = snippets[int(items.unit[row])].key
        links[name] = item_address(request.project.slug, items.texts[items.text[row]], key, query)
    return {"place": place + 1, "ranked_share": float(items.share_of(rows[place])), "links": links}


def _readings_tables(report: ItemReport, readings: ItemReadings) -> list[Table]:
    """Return the coders of each reading, by the model; empty for fewer than four coders or a single reading."""
    one = readings.units.get(report.unit)
    if one is None or len(one.groups) < 2 or sum(map(len, one.groups)) < MIN_IN_CAMPS:
        return []
    likely = {"ambiguous": " It is likely ambiguous.", "slip": " It is likely a slip."}
    columns = [Column("coders", "Coders"), Column("meant", "Probability that it is meant", "probability")]
    rows = [(", ".join(map(str, group)), p) for group, p in zip(one.groups, one.probabilities, strict=True)]
    note = f"Two readings have a probability of {one.posterior:.2f}.{likely.get(readings.verdict(report.unit), '')}"
    return [Table("readings", "Readings", columns, rows, note)]


def _pairs_tables(report: ItemReport) -> list[Table]:
    if not report.pairs:
        return []
    names = list(report.pairs[0].distances)
    columns = [Column("coders", "Coders"), Column("relation", "Relation", labels=RELATION_LABELS)]
    columns += [Column(name, choice_label("distance", name), "figure") for name in names]
    rows: list[list[Cell]] = [
        [f"{one.first} – {one.second}", one.relation, *one.distances.values()] for one in report.pairs
    ]
    if len(report.pairs) > 1:
        means = [sum(one.distances[name] for one in report.pairs) / len(report.pairs) for name in names]
        rows.append(["mean of pairs", "", *means])
    return [Table("pairs", "Every pair of coders", columns, rows)]


def _details(request: AnalysisRequest, report: ItemReport, about: Text) -> PageSections:
    """Return the members of chains, and for the template every chain in words and in the text."""
    extract, chains, unit, content = request.extract, report.chains, report.unit, about.content
    of_pyramids, shift = bool(extract.units), shift_of(report.text.pk)
    named = {row_key(cast(int, pk)) for pk in {unit}.union(*chains.values())}
    markables = Markable.objects.filter(pk__in=named).order_by("start", "-end").values_list("pk", "label", "parts")
    units = {pk + shift: (label, covered_text(content, parts), parts) for pk, label, parts in markables}
    label, words, unit_parts = units[unit]
    answers = {one.coder: one for one in read_given_answers(extract, [unit], {about.pk: content}).get(unit, ())}
    pyramids = read_pyramids(request.project, about.docset.slug if about.docset else "").own if of_pyramids else ()
    own_pyramids = {pyramid.coder: pyramid for pyramid in pyramids}
    coders: list[dict[str, Any]] = []
    drawn: list[dict[Hashable, Parts]] = []  # marked parts of the text, by coder
    holders: dict[Hashable, list[int]] = defaultdict(list)
    for number, (coder, value) in enumerate(report.values.items(), start=1):
        answer, members = answers.get(coder), chains.get(coder)
        chain = [pk for pk in units if pk in members] if members is not None else None
        shown = value is not None or (answer is not None and bool(answer.category))
        described: dict[str, Any] = {
            "number": number,
            "coder": coder,
            "value": value if value is None or coder in chains else extract.describe(value),
            "answer": answer,
            "shown": shown,
            "chain": None if chain is None else [(pk == unit, units[pk][1]) for pk in chain],
        }
        marked = chain if chain is not None else [unit] if shown else []
        own: dict[Hashable, Parts] = {pk: units[pk][2] for pk in marked if pk in report.units}
        if of_pyramids:
            described["scus"], contributors = _describe_scus(own_pyramids.get(coder), content, unit_parts)
            own = {(number, place): one.parts for place, one in enumerate(contributors)}
        for key in own:
            holders[key].append(number)
        coders.append(described)
        drawn.append({unit: unit_parts, **own})
    kind = Segment.Kind.SUMMARY if of_pyramids else Segment.Kind.TURN
    turns = list(Segment.objects.filter(text=about.pk, kind=kind).values_list("start", "end", "label", "speaker"))
    every = {key: parts for own in drawn for key, parts in own.items()} or {unit: unit_parts}
    return _members_content(request, report, {pk: words for pk, (_, words, _) in units.items()}).extended(
        label="" if of_pyramids else label,
        words=words,
        coders=coders,
        lines=build_lines(content, turns, every, holders, unit),
        columns=[
            (coder, build_lines(content, turns, own, holders if of_pyramids else {}, unit))
            for coder, own in zip(coders, drawn, strict=True)
            if of_pyramids or coder["shown"]
        ],
        scus=of_pyramids,
        has_chains=bool(chains) and not of_pyramids,
    )


def _members_content(request: AnalysisRequest, report: ItemReport, words: Mapping[int, str]) -> PageSections:
    """Return the members of chains by combination of coders; empty for fewer than two chains."""
    chains, nouns = report.chains, nouns_for(request.extract)
    if len(chains) < 2:
        return PageSections()
    members: dict[frozenset[str], list[str]] = defaultdict(list)
    for pk in sorted(words):
        if who := frozenset(coder for coder, chain in chains.items() if pk in chain):
            members[who].append(words[pk])
    ordered = sorted(members.items(), key=lambda one: (-len(one[1]), sorted(one[0])))
    rows = [(" and ".join(sorted(who)), len(what), ", ".join(what)) for who, what in ordered]
    title = f"Which coders have which {'members' if nouns.unit == 'markable' else nouns.units} in their {nouns.chain}"
    columns = [Column("coders", "Coders"), Column("number", "Members", "count")]
    columns += [Column("members", "Which", explanation="which")]
    listing = "; ".join(f"{who}: {what}" for who, _, what in rows)
    chart = Chart("chains", title, upset_plot(list(chains), members), f"In the {nouns.chain} of {listing}.", "members")
    return PageSections([Table("members", title, columns, rows)], [chart])


def build_lines(
    content: str,
    turns: Sequence[tuple[int, int, str, str]],
    parts: Mapping[Hashable, Parts],
    holders: Mapping[Hashable, Sequence[int]],
    current: Hashable,
) -> list[dict[str, Any]]:
    """Return the text as one line per turn, or a single line without turns, cut into pieces where markables change.

    turns: start, end, label and speaker. holders: the numbers of the coders who marked each key. `badges` of a piece
    has the coders whose markable ends with it, `of` has all coders who marked it, for the script.
    """

    def numbers(keys: Iterable[Hashable]) -> list[int]:
        return sorted({number for key in keys for number in holders.get(key, ())})

    ends = {key: max(end for _, end in spans) for key, spans in parts.items()}
    spans = [(start, end, key) for key, of_key in parts.items() for start, end in of_key]
    lines = []
    for first, last, label, speaker in sorted(turns) or [(0, len(content), "", "")]:
        inside = [(max(start, first), min(end, last), key) for start, end, key in spans if start < last and end > first]
        cuts = {first, last, *(cut for start, end, _ in inside for cut in (start, end))}
        pieces = []
        for left, right in pairwise(sorted(cuts)):
            over = [key for start, end, key in inside if start <= left and end >= right]
            piece = {"words": content[left:right], "marked": bool(over), "current": current in over}
            badges = numbers(key for key in over if ends[key] == right)
            pieces.append({**piece, "badges": badges, "of": " ".join(map(str, numbers(over)))})
        lines.append({"label": label, "speaker": speaker, "pieces": pieces})
    return lines


def _describe_scus(
    annotation: PyramidAnnotation | None, content: str, parts: Parts
) -> tuple[list[dict[str, Any]], list[Contributor]]:
    """Return the SCUs of a coder with words in these parts of the text, and their contributors."""
    if annotation is None:
        return [], []
    pairs = [(one.parts, key) for one in annotation.contributors for key in one.scus]
    keys = set().union(*scus_by_word([(start, end) for start, end in parts], pairs).values())
    contributors = [one for one in annotation.contributors if keys.intersection(one.scus)]
    places = [summary_index(one.parts, annotation.docset.stretches) for one in contributors]
    summaries = ["" if place is None else annotation.docset.summaries[place] for place in places]
    words, weights = [covered_text(content, one.parts) for one in contributors], annotation.pyramid.weights
    shown = list(zip(summaries, words, contributors, strict=True))
    scus: list[dict[str, Any]] = []
    for key, label in annotation.labels.items():
        if key in keys:
            of_scu = [(summary, text) for summary, text, one in shown if key in one.scus]
            scus.append({"label": label, "weight": weights[key], "contributors": of_scu})
    return scus, contributors
