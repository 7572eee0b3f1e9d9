"""May a coder code in the place of the others? To the digits of the library, by the command."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.measures import alt_test
from agreement.reports.basis import select_data
from agreement.reports.request import resolve
from annotations.models import Project
from tests.shared.agreeing import answer, coded_project, convention

FIVE = ("alice", "bob", "carol", "dora", "eve")


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    """Make a project of four texts by five coders."""
    contents = [" ".join(f"[w{n}](m{n})" for n in range(4 + 2 * number)) for number in range(4)]
    return answer(coded_project("walk", "poesio-artstein-2005", *contents, coders=FIVE)).pk


@pytest.fixture
def walk(walk_rows, charlie) -> Project:
    return Project.objects.get(pk=walk_rows)


def printed(**options):
    out = StringIO()
    call_command("agreement", "walk", report="alt-test", stdout=out, **options)
    return out.getvalue()


def test_figures_are_those_of_the_library(walk):
    found = json.loads(printed(candidate="eve", format="json", coders="alice,bob,carol,eve", epsilon=".2"))
    data = select_data(*resolve(read_answers(walk), convention(walk, coders="alice,bob,carol,eve")))
    expected = alt_test(data, "eve", distance="passonneau", epsilon=0.2)
    assert [row["human"] for row in found["rows"]] == ["alice", "bob", "carol"]
    ends = [
        {name: row.pop(name) for name in ("low", "high", "advantage_low", "advantage_high")} for row in found["rows"]
    ]
    assert all(one["low"] is None for one in ends)  # it takes five texts
    assert {name: found[name] for name in ("rows", "winning_rate", "epsilon", "n_units", "note")} == json.loads(
        json.dumps({name: expected.to_dict()[name] for name in ("rows", "winning_rate", "epsilon", "n_units", "note")})
    )
    assert found["parameters"]["distance"] == "passonneau"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "--candidate: name one of those who are compared and have answers: alice, bob, carol, dora, eve."),
        ({"candidate": "zoe"}, "--candidate: name one of"),
        ({"candidate": "eve", "coders": "alice,eve"}, "--candidate: it takes two other coders at least"),
        ({"candidate": "eve", "epsilon": "much"}, "--epsilon: 'much' is not a number from 0 and below 1, such as 0.1."),
        ({"candidate": "eve", "q": "0"}, "--q: '0' is not a number above 0 and below 1, such as 0.05."),
    ],
)
def test_what_cannot_be_tested_is_refused_with_the_option(walk, asked, message):
    with pytest.raises(CommandError) as refused:
        printed(**asked)
    assert str(refused.value).startswith(message)
