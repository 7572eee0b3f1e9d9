"""The page of the paragraph for a paper."""

import re
from dataclasses import replace
from html import unescape

import pytest

from agreement.data.reading import read_answers
from agreement.reports import methods, overall
from agreement.reports.parameters import default_preset
from tests.shared.agreeing import WALK, answer, coded_project, links

URL = "/projects/walk/agreement/methods/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", WALK + "!"))


def paragraph(reply):
    return unescape(re.search(r'id="paragraph"><p>(.*?)</p>', reply.content.decode(), re.DOTALL)[1])


def written(project, parameters):
    found = read_answers(project)
    return methods.describe_methods(found, overall.compute_report(found, parameters))


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
    expected = written(walk, replace(CONVENTION, **asked))
    assert paragraph(reply) == expected.paragraph
    for reference in expected.references:
        assert f"<li>{reference}</li>" in unescape(reply.content.decode())


def test_the_paragraph_says_convention_figures_version_and_fingerprint(signed_in, charlie, walk):
    said = paragraph(signed_in(charlie).get(URL))
    report = overall.compute_report(read_answers(walk), CONVENTION)
    for part in (
        "2 coders annotated 3 texts by pointers",
        "Passonneau’s distance",
        "whole chain",
        f"{report.result.value:z.3f}",
        f"{report.interval.low:z.3f} to {report.interval.high:z.3f}",
        methods.program_name(),
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
