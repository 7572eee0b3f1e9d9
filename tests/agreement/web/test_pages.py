"""Tests of every page of results; tests/access/role_matrix.py has the access by role and method."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from types import MappingProxyType
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.cache import cache

from agreement.data.reading import forget_answers, read_answers
from agreement.reports.coders import coders
from agreement.reports.methods import describe_methods
from agreement.reports.overall import compute_report
from agreement.reports.parameters import default_preset
from agreement.results import course, grid
from agreement.results.registry import PAGES as REGISTERED
from annotations.models import Project
from tests.agreement.web.test_models import add_coded_model
from tests.shared.agreeing import (
    KINDS,
    ODD_VALUES,
    WALK,
    WRONG_PARAMETERS,
    answer,
    coded_project,
    cost,
    decide_gold,
    figures,
    links,
    of_size,
    table,
)
from tests.shared.cases import cases

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class ResultPage:
    """A page of results: its address in a project, and its parameters.

    chosen: parameters of its own with a value each; wrong: parameters of its own with values that they do not take;
    odd: parameters in which odd values are tried; queries: how many it takes at most, of a project of any size.
    """

    path: str
    table: str = ""
    queries: int | None = None
    chosen: Mapping[str, str] = field(default=NOTHING)
    wrong: tuple[tuple[str, str], ...] = ()
    odd: tuple[str, ...] = ()
    needs_answers: bool = False

    def address(self, slug: str = "walk") -> str:
        return f"/projects/{slug}/{self.path}"


PAGES = {
    "overview": ResultPage("agreement/", "distances", 10),
    "grid": ResultPage("agreement/grid/", "grid", 10, odd=("without", "texts")),
    "compare": ResultPage("agreement/compare/", "compare", 10, odd=("coders",)),
    "methods": ResultPage("agreement/methods/", "", 12, odd=("rounds",)),
    "data": ResultPage("agreement/data/", "matrix", 12, odd=("coders",)),
    "difference": ResultPage(
        "agreement/difference/",
        "",
        11,
        chosen={"by": "group", "first": "alice,bob", "second": "alice,carol"},
        wrong=(("by", "ghost"), ("first", "ghost")),
        odd=("by", "first", "second"),
    ),
    "groups": ResultPage("agreement/groups/", "", 12, odd=("groups", "coders")),
    "models": ResultPage(
        "agreement/models/",
        "",
        13,
        wrong=(("candidate", "ghost"), ("candidate", "\x00"), ("epsilon", "-1"), ("q", "0")),
        odd=("candidate", "epsilon", "q"),
    ),
    "gold": ResultPage(
        "agreement/gold/", "accuracy", 15, wrong=(("coder", "ghost"), ("coder", "\x00")), odd=("coder",)
    ),
    "coreference": ResultPage(
        "agreement/coreference/",
        "scores",
        chosen={"first": "alice", "second": "carol"},
        wrong=(("first", "ghost"), ("second", "alice")),
        odd=("first", "second"),
    ),
    "texts": ResultPage(
        "agreement/texts/",
        "texts",
        13,
        chosen={"sort": "value"},
        wrong=(("sort", "ghost"), ("sort", "\x00")),
        odd=("texts", "sort"),
    ),
    "coders": ResultPage(
        "agreement/coders/",
        "matrix",
        11,
        chosen={"measure": "muc"},
        wrong=(("measure", "ghost"), ("measure", "\x00")),
        odd=("measure", "coders"),
    ),
    "pair": ResultPage(
        "agreement/coders/alice/bob/",
        "measures",
        13,
        chosen={"text": "text-1"},
        wrong=(("text", "ghost"), ("text", "\x00")),
        odd=("coders", "measure", "text"),
        needs_answers=True,
    ),
    "categories": ResultPage(
        "agreement/categories/",
        "table",
        13,
        chosen={"texts": "text-1", "merge": "place:thing,segment:thing"},
        wrong=(("merge", "ghost:x"), ("merge", "place"), ("merge", "place:"), ("merge", "\x00:x")),
        odd=("merge", "merge_place", "merge_ghost", "without"),
    ),
    "course": ResultPage(
        "agreement/course/",
        "coders",
        11,
        chosen={"by": "round"},
        wrong=(("by", "ghost"), ("by", "\x00"), ("by", "round,week")),
        odd=("by", "rounds"),
    ),
    "planning": ResultPage(
        "agreement/planning/",
        "enough",
        10,
        chosen={"margin": "0.1"},
        wrong=(("margin", "0"), ("bound", "1"), ("difference", "nan"), ("power", "\x00"), ("sample", "coders")),
        odd=("margin", "bound", "difference", "power", "sample"),
    ),
    "items": ResultPage(
        "agreement/items/",
        "items",
        14,
        chosen={"relation": "category"},
        wrong=(
            *((name, "ghost") for name in ("relation", "category", "sort", "text")),
            *(
                ("level", "turn"),
                ("ambiguity", "x"),
                ("flag", "1"),
                ("relation", "\x00"),
                ("note", "1"),
                ("unsure", "yes"),
            ),
        ),
        odd=("relation", "level", "category", "sort"),
        needs_answers=True,
    ),
    "item": ResultPage(
        "agreement/items/text-1/phrase:10-13/",
        "pairs",
        wrong=(("view", "ghost"),),
        odd=("view", "relation"),
        needs_answers=True,
    ),
    "allows": ResultPage("scheme/allows/", queries=13),
    "datasheet": ResultPage("datasheet/", "agreement", 30, odd=("coders", "texts")),
}
for page in REGISTERED:  # a page that nobody has named here is asked for what every page may be
    if page.name not in PAGES and page.uses_answers and not page.address:
        PAGES[page.name] = ResultPage(page.path)
# Addresses that are no page of the table, or take more, and how many queries they take.
OTHER_QUERIES = {
    "/projects/{}/agreement/headline/": 24,
    "/api/v1/projects/{}/agreement/": 21,
    "/api/v1/projects/{}/agreement/grid/": 21,
    "/api/v1/projects/{}/agreement/items/": 21,
    "/api/v1/projects/{}/agreement/data/": 16,
}
EMPTY = {
    "agreement/": "undefined",
    "agreement/headline/": "No answers yet.",
    "agreement/methods/": "The coefficient is undefined",
    "agreement/coders/": "Two coders are needed",
    "agreement/categories/": "once two coders have judged the same markable",
    "agreement/course/?by=week": "No activity yet",
    "agreement/items/": "Nothing to compare yet",
    "agreement/flags/": "No open flags or questions",
    "agreement/difference/?by=round": "nothing to compare by round",
    "agreement/planning/": "no forecast yet",
    "agreement/groups/": "No coder is in a group",
    "agreement/models/": "No model codes here",
    "agreement/gold/": "No gold yet",
}
every_page = pytest.mark.parametrize("result_page", PAGES.values(), ids=PAGES)


def paragraph(page: str) -> str:
    return unescape("".join(re.findall(r'id="paragraph"><p>(.*?)</p>', page, re.DOTALL)))


def shown(page: str) -> tuple[list[str], str]:
    """Return all figures of a page, and its methods paragraph."""
    return re.findall(r'<data value="([^"]*)"', page), paragraph(page)


@pytest.mark.slow
@every_page
def test_wrong_parameter_gets_400_and_figures_of_convention(signed_in, charlie, walk, result_page):
    client = signed_in(charlie)
    usual = shown(client.get(result_page.address()).content.decode())
    for name, value in (*WRONG_PARAMETERS, *result_page.wrong):
        reply = client.get(result_page.address(), {"distance": "dice"} | dict(result_page.chosen) | {name: value})
        page = reply.content.decode()
        assert reply.status_code == 400, (name, value)
        assert f"<p>{name}: " in page, (name, value)
        assert shown(page) == usual, (name, value)
        assert "<b>&#x27;" not in page


@pytest.mark.slow
@every_page
def test_odd_values_get_200_or_400(signed_in, charlie, walk, result_page):
    client = signed_in(charlie)
    for place, name in enumerate(("distance", "as", "page", "x", *result_page.odd)):
        for odd in cases(ODD_VALUES[place % 2 :: 2], full=ODD_VALUES):
            reply = client.get(result_page.address(), {name: odd}, follow=True)
            assert reply.status_code in (200, 400), (name, odd)
            assert b"<script>1" not in reply.content or reply["Content-Type"].startswith("text/plain"), (name, odd)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answered", [False, True])
def test_every_scheme_has_every_page(signed_in, charlie, kind, answered):
    project = coded_project("kind", kind, WALK)
    if answered:
        answer(project)
    client = signed_in(charlie)
    pages = {}
    for name, page in PAGES.items():
        if name != "item" and (answered or not page.needs_answers):
            reply = client.get(page.address("kind"))
            assert reply.status_code == 200, name
            pages[name] = reply.content.decode()
    for name in ("grid", "compare", "coders", "course"):
        assert any(figures(pages[name], PAGES[name].table)) == answered, name
    for measure in coders.measures_for(project.answers):
        reply = client.get(PAGES["coders"].address("kind"), {"measure": measure})
        assert any(figures(reply.content.decode(), "matrix")) == answered, measure
    for by in course.GROUPINGS:
        reply = client.get(PAGES["course"].address("kind"), {"by": by})
        assert any(figures(reply.content.decode(), "coders")) == answered, by
    assert len(table(pages["grid"], "grid")) == len(grid.CONSTRUCTIONS[project.answers])
    assert ("table-antecedents" in pages["grid"]) == (project.answers == "pointers")
    assert ("Exclude the item from its own set" in pages["compare"].partition('id="table-compare"')[2]) == (
        project.answers != "categories" and default_preset(project.preset, project.answers).parameters.is_alpha
    )
    answers = read_answers(project)
    parameters = default_preset(project.preset, project.answers).parameters
    written = describe_methods(answers, compute_report(answers, parameters))
    assert paragraph(pages["methods"]) == written.paragraph
    assert all(f"<li>{reference}</li>" in unescape(pages["methods"]) for reference in written.references)
    assert [row[2] != "–" for row in table(pages["texts"], "texts")] == [answered]
    assert bool(table(pages["categories"], "table")) == answered
    assert ("Merge categories" in pages["categories"]) == (answered and project.categories.count() > 2)
    if answered:
        assert len(figures(pages["pair"], "measures")) == len(coders.measures_for(project.answers))
        assert sum(int(row[1]) for row in table(pages["pair"], "relations")) == 5


def test_empty_parameter_is_ignored(signed_in, charlie, walk):
    for page in PAGES.values():
        for name in page.chosen:
            assert signed_in(charlie).get(page.address(), {name: ""}).status_code == 200, name


def test_links_and_downloads_keep_parameters(signed_in, charlie, walk):
    taken_along = set()
    for name, result_page in PAGES.items():
        asked = {"distance": "dice"} | result_page.chosen
        page = signed_in(charlie).get(result_page.address(), asked).content.decode()
        results = [address for address in links(page, "agreement/") if "?" in address]
        if result_page.path.startswith("agreement/"):
            assert len(results) > 6, name
            assert all("distance=dice" in address for address in results), name
        downloads = [parse_qs(urlsplit(address).query) for address in links(page, "as=")]
        taken_along |= {name} if downloads else set()
        assert all(asked.items() <= {key: value for key, [value] in query.items()}.items() for query in downloads), name
        for key, value in result_page.chosen.items():
            assert f'<input type="hidden" name="{key}" value="{value}">' in page, name
    assert len(taken_along) > 14


def test_empty_page_says_what_is_missing(signed_in, charlie):
    coded_project("empty", "poesio-artstein-2005", WALK)
    for path, words in EMPTY.items():
        reply = signed_in(charlie).get(f"/projects/empty/{path}")
        assert (reply.status_code, words in reply.content.decode()) == (200, True), path


def test_only_managers_see_round_and_mapping_forms(signed_in, people, project):
    answer(project)
    for role in ("manager", "adjudicator", "viewer"):
        client, is_manager = signed_in(people[role]), role == "manager"
        assert bool(links(client.get("/projects/tea/agreement/texts/").content.decode(), "round/")) == is_manager
        page = client.get("/projects/tea/agreement/categories/", {"merge": "place:y"}).content.decode()
        assert ("categories/mapping/" in page) == is_manager


@pytest.mark.slow
def test_pages_take_fixed_number_of_queries(signed_in, charlie):
    client, slugs = signed_in(charlie), ("small", "large")

    def check(addresses, forget=lambda: None):
        for address, bound in addresses.items():
            costs = []
            for slug in slugs:
                forget()
                cache.clear()
                costs.append(cost(client, address.format(slug)))
            assert costs[0] == costs[1] <= bound, address

    for slug, size in zip(slugs, (2, 5), strict=True):
        of_size(slug, size)
        client.get(PAGES["items"].address(slug))  # the first view is recorded
    # for submissions that nobody has viewed, whether codings have changed, for given markables, and for gold
    check({page.address("{}"): page.queries + 4 for page in PAGES.values() if page.queries is not None})
    check({"/api/v1/projects/{}/agreement/items/": 14})
    check(OTHER_QUERIES, forget_answers)
    for slug in slugs:
        project = Project.objects.get(slug=slug)
        add_coded_model(project, f"model-of-{slug}")
        decide_gold(project, "bob", m1="place")
        client.get(PAGES["models"].address(slug))
    check({PAGES["models"].address("{}"): 22, PAGES["gold"].address("{}"): 26}, forget_answers)
