"""The page of the paragraph for a paper."""

import re
from html import unescape

import pytest

from agreement.extract import extract
from agreement.parameters import Parameters, opening
from agreement.reports import methods, overall
from tests.agreeing import KINDS, LOOKERS, ODD, WALK, WRONG, answer, coded_project, costs, links

URL = "/projects/walk/agreement/methods/"
CONVENTION = opening("poesio-artstein-2005", "pointers")


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + "."))


def paragraph(reply):
    return unescape(re.search(r'id="paragraph"><p>(.*?)</p>', reply.content.decode(), re.DOTALL)[1])


def written(project, parameters):
    found = extract(project)
    return methods.methods(found, overall.report(found, parameters))


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"distance": "masi", "exclude_unit": "both", "empty": "disjoint"},
        {"coefficient": "fleiss_kappa"},
        {"without": "none", "texts": "text-1", "unmarked": "label"},
    ],
)
def test_the_paragraph_and_what_it_cites_are_those_of_the_report(signed_in, charlie, walk, asked):
    reply = signed_in(charlie).get(URL, asked)
    expected = written(walk, Parameters(**asked) if asked else CONVENTION)
    assert paragraph(reply) == expected.paragraph
    for reference in expected.references:
        assert f"<li>{reference}</li>" in unescape(reply.content.decode())


def test_the_paragraph_says_convention_figures_version_and_fingerprint(signed_in, charlie, walk):
    said = paragraph(signed_in(charlie).get(URL))
    report = overall.report(extract(walk), CONVENTION)
    for part in (
        "2 coders annotated 2 texts by pointers",
        "Passonneau’s distance",
        "whole chain",
        f"{report.result.value:z.3f}",
        f"{report.interval.low:z.3f} to {report.interval.high:z.3f}",
        methods.software(),
        report.fingerprint,
    ):
        assert part in said


def test_the_paragraph_says_what_was_left_out(signed_in, charlie, walk):
    said = paragraph(signed_in(charlie).get(URL, {"without": "none", "coders": "alice,bob"}))
    assert "more than half of their coders give none are left out" in said
    assert "Only these coders were used: alice, bob." in said


def test_without_answers_it_says_that_there_is_no_figure(signed_in, charlie):
    coded_project("walk", "poesio-artstein-2005", WALK)
    assert "The coefficient is undefined" in paragraph(signed_in(charlie).get(URL))


def test_links_keep_the_parameters(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"top": "chain"}).content.decode()
    for target in ("agreement/?", "grid/?", "compare/?", "course/?"):
        assert links(page, target)
        assert all("top=chain" in one for one in links(page, target))


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_gets_400_its_name_and_the_projects_convention(signed_in, charlie, walk, name, value):
    reply = signed_in(charlie).get(URL, {name: value})
    assert reply.status_code == 400
    assert f"<p>{name}: " in reply.content.decode()
    assert paragraph(reply) == written(walk, CONVENTION).paragraph


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["rounds", "distance", "page", "x"])
def test_odd_values_do_no_harm(signed_in, charlie, walk, name, odd):
    reply = signed_in(charlie).get(URL, {name: odd})
    assert reply.status_code in (200, 400)
    assert b"<script>1" not in reply.content


@pytest.mark.parametrize(("role", "status"), LOOKERS)
def test_who_sees_results_sees_the_paragraph(signed_in, people, role, status):
    assert signed_in(people[role]).get("/projects/tea/agreement/methods/").status_code == status


def test_the_paragraph_is_only_read(signed_in, charlie, walk):
    assert signed_in(charlie).post(URL).status_code == 405


def test_the_paragraph_costs_the_same_queries_at_any_size(signed_in, charlie):
    small, large = costs(signed_in(charlie), "agreement/methods/")
    assert small == large <= 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answered", [False, True])
def test_every_kind_of_scheme_has_its_paragraph(signed_in, charlie, kind, answered):
    project = coded_project("walk", kind, WALK)
    if answered:
        answer(project)
    reply = signed_in(charlie).get(URL)
    assert reply.status_code == 200
    assert ("undefined" in paragraph(reply)) != answered
    assert ("sets" in paragraph(reply)) == (project.answers != "categories")
