"""A model beside the people who are chosen, and the items where people agree and it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from agreement.data.answers.given_answers import GivenAnswer
from agreement.data.texts.snippets import Snippet, read_snippets_and_texts
from agreement.reports.coders.alt_test import EPSILON, Q, read_levels
from agreement.reports.coders.models import (
    ComparedItems,
    choose_candidate,
    choose_people,
    compare_items,
    select_compared,
)
from agreement.reports.request.basis import count_left_out
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.request import AnalysisRequest
from agreement.reports.wording import list_codings_left_out
from agreement.sections.computations import compute_or_enqueue
from agreement.sections.content import PageSections, paginate
from agreement.sections.labels.addresses import item_address
from agreement.sections.pages.items.items import given_answers, group_answers
from agreement.sections.tables import Cell, Column, Composed, Table

PAGE_SIZE = 50


def build(request: AnalysisRequest) -> PageSections:
    """Return one model beside people; nothing where no model, or nobody to compare it with, has answers."""
    models = request.models

    def choose(parameters: Parameters, options: dict[str, str]) -> str:
        read_levels(options.get("epsilon", ""), options.get("q", ""))
        return choose_candidate(request.project_answers, parameters, models, options.get("candidate", ""))

    candidate = request.compute(choose)
    answers, parameters = request.project_answers, request.parameters
    counted = answers.select(parameters.selection("include"))
    people = choose_people(answers, parameters, models)
    context: dict[str, Any] = {
        "candidate": candidate,
        "candidates": [name for name in counted.coders if name in models],
        "has_models": bool(models),
        "n_people": len(people),
        "epsilon": request.options.get("epsilon", ""),
        "q": request.options.get("q", ""),
        "defaults": {"epsilon": EPSILON, "q": Q},
        "report_query": parameters.query(),
        "not_counted": list_codings_left_out(count_left_out(request.extract, parameters)),
    }
    if not candidate or len(people) < 2:
        return PageSections(context=context)
    # what a worker stores is found by them again
    request.options = {**request.options, "candidate": candidate}
    _, own = select_compared(answers, parameters, models, request.options)
    items = compare_items(answers, own, candidate)
    missed = items.missed
    shown, rows = paginate(request, missed.tolist(), PAGE_SIZE)
    sections = compute_or_enqueue(request, "models")
    table = _items_table(request, own, items, rows, candidate)
    return sections.extended([table], **context, shown=shown, n_missed=len(missed), n_agreed=int(items.agree.sum()))


def _items_table(
    request: AnalysisRequest, parameters: Parameters, items: ComparedItems, rows: list[int], candidate: str
) -> Table:
    """Return the items in these rows, with what people and the model answered."""
    units = [int(items.unit[row]) for row in rows]
    snippets, contents = read_snippets_and_texts(units)
    selected = request.project_answers.select(parameters.selection("include"), parameters.selection("coders"))
    answers = given_answers(selected, units, contents)
    query = urlencode(parameters.query())
    return Table(
        "items",
        f"Items where people agree and {candidate} does not",
        [
            Column("context", "In context"),
            Column("title", "Title"),
            Column("people_say", "People", explanation="answers"),
            Column("model_says", "Model"),
            Column("distance", "Distance", "figure", explanation="distance_to_people"),
            Column("n_people", "People", "count", place="file"),
            Column("words", "Words", place="file"),
            Column("text", "Text", place="file"),
            Column("key", "Key", place="file"),
        ],
        [
            _item_cells(request, items, row, snippets[unit], answers.get(unit, []), candidate, query)
            for row, unit in zip(rows, units, strict=True)
        ],
        "The item on which it is farthest from people comes first, then the one that most people coded.",
    )


def _item_cells(
    request: AnalysisRequest,
    items: ComparedItems,
    row: int,
    snippet: Snippet,
    answers: list[GivenAnswer],
    candidate: str,
    query: str,
) -> list[Cell]:
    text = items.texts[items.text[row]]
    address = item_address(request.project.slug, text, snippet.key, query)
    own = [one for one in answers if one.coder == candidate]
    of_people = [one for one in answers if one.coder != candidate]
    keyword = {"keyword": snippet.keyword, "address": address}
    return [
        Composed(str(snippet.keyword), "agreement/parts/items/item_keyword.html", keyword),
        text.label,
        _answers(of_people, named=True),
        _answers(own, named=False),
        1 - float(items.candidate[row]),
        int(items.n_people[row]),
        snippet.words,
        text.name,
        snippet.key,
    ]


def _answers(answers: list[GivenAnswer], *, named: bool) -> Composed:
    """Return answers in words, with who gave them, or alone."""
    words = "; ".join(f"{one.coder}: {one}" if named else str(one) for one in answers)
    groups = [one if named else replace(one, who="") for one in group_answers(answers)]
    return Composed(words, "agreement/parts/items/item_answers.html", groups)
