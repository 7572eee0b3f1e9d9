"""The page of the paragraph for a paper."""

import re
from dataclasses import replace
from html import unescape

import pytest

from agreement.data.reading import read_answers
from agreement.reports import methods, overall
from agreement.reports.parameters import default_preset
from tests.shared.agreeing import WALK, answer, coded_project

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
