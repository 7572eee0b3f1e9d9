"""The page of two coders."""

from dataclasses import replace

import pytest

from agreement.extract import extract
from agreement.measures import RELATIONS
from agreement.parameters import Parameters, opening
from agreement.reports import coders as reports
from agreement.reports import items
from annotations.models import Project
from tests.agreeing import (
    KINDS,
    LOOKERS,
    ODD,
    WALK,
    WRONG,
    answer,
    coded_project,
    cost,
    digits,
    figures,
    links,
    of_size,
    table,
)
from tests.conftest import judge

AGREEMENT = "/projects/walk/agreement/"
URL = f"{AGREEMENT}coders/alice/bob/"
CONVENTION = opening("poesio-artstein-2005", "pointers")
THREE = ("alice", "bob", "carol")


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=THREE))


def expected(project, parameters):
    two = replace(parameters, coders="alice,bob")
    found = extract(project)
    return [digits(reports.matrix(found, two, name).value("alice", "bob")) for name in reports.MEASURES]


@pytest.mark.parametrize("asked", [{}, {"distance": "dice"}, {"coefficient": "fleiss_kappa"}, {"texts": "text-1"}])
def test_two_coders_have_every_measure_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    assert figures(page, "measures") == expected(walk, Parameters(**asked) if asked else CONVENTION)
    assert len(figures(page, "measures")) == len(reports.MEASURES)


def test_a_measure_of_two_is_that_of_the_matrix(signed_in, charlie, walk):
    client = signed_in(charlie)
    matrix = client.get(f"{AGREEMENT}coders/", {"distance": "masi", "measure": "ceaf_e"}).content.decode()
    names = [row[0] for row in table(matrix, "matrix")]
    of_alice = [value for value, name in zip(table(matrix, "matrix")[names.index("alice")][1:], names, strict=True)]
    page = client.get(URL, {"distance": "masi"}).content.decode()
    assert dict(table(page, "measures"))["CEAF of entities, F1"] == of_alice[names.index("bob")]


def test_relations_and_categories_of_the_two_are_counted(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found, two = extract(walk), replace(CONVENTION, coders="alice,bob")
    counts = items.items(found, two).relations.sum(axis=0).tolist()
    assert [row[0] for row in table(page, "relations")] == list(RELATIONS)
    assert figures(page, "relations") == [digits(count, count / sum(counts)) for count in counts]
    rows = reports.confusion(found, two, ("alice", "bob"))
    assert figures(page, "confusion") == [digits(*row) for row in rows.tolist()]


def test_in_the_other_order_the_categories_change_sides(signed_in, charlie, walk):
    client = signed_in(charlie)
    there, back = (client.get(f"{AGREEMENT}coders/{pair}/").content.decode() for pair in ("alice/bob", "bob/alice"))
    assert figures(there, "measures") == figures(back, "measures")
    assert figures(back, "confusion") == [list(row) for row in zip(*figures(there, "confusion"), strict=True)]
    assert figures(back, "confusion") != figures(there, "confusion")


def test_a_relation_leads_to_as_many_items_as_it_counts(signed_in, charlie, walk):
    client = signed_in(charlie)
    page = client.get(URL).content.decode()
    for [name, count, _] in table(page, "relations"):
        [address] = links(page, f"relation={name}")
        found = client.get(address).content.decode()
        assert len(table(found, "items")) == int(count), name


def test_links_keep_the_parameters(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"distance": "dice"}).content.decode()
    for target in ("agreement/?", "coders/?", "relation=identity", "&as=csv"):
        assert links(page, target)
        assert all("distance=dice" in one for one in links(page, target))


def test_other_coders_in_the_address_do_not_change_the_two(signed_in, charlie, walk):
    client = signed_in(charlie)
    plain, asked = (client.get(URL, {"coders": who, "top": "chain"}) for who in ("", "alice,carol"))
    assert figures(plain.content.decode(), "measures") == figures(asked.content.decode(), "measures")


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_gets_400_its_name_and_the_projects_convention(signed_in, charlie, walk, name, value):
    reply = signed_in(charlie).get(URL, {"distance": "dice"} | {name: value})
    page = reply.content.decode()
    assert reply.status_code == 400
    assert f"<p>{name}: " in page
    assert figures(page, "measures") == expected(walk, CONVENTION)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["coders", "measure", "page", "x"])
def test_odd_values_do_no_harm(signed_in, charlie, walk, name, odd):
    reply = signed_in(charlie).get(URL, {name: odd})
    assert reply.status_code in (200, 400)
    assert b"<script>1" not in reply.content


@pytest.mark.parametrize(
    "pair", ["alice/alice", "alice/charlie", "ghost/bob", "alice/%00", "%3Cscript%3E1/bob", "alice/Bob"]
)
def test_who_has_not_answered_makes_no_pair(signed_in, charlie, walk, pair):
    assert signed_in(charlie).get(f"{AGREEMENT}coders/{pair}/").status_code == 404


def test_a_coder_without_answers_makes_no_pair_yet(signed_in, charlie):
    coded_project("walk", "poesio-artstein-2005", WALK)
    assert signed_in(charlie).get(URL).status_code == 404


@pytest.mark.parametrize(("role", "status"), LOOKERS)
def test_who_sees_results_sees_a_pair(signed_in, people, project, role, status):
    answer(project)
    assert signed_in(people[role]).get("/projects/tea/agreement/coders/alice/bob/").status_code == status


def test_open_results_show_coders_the_pair_that_they_are(signed_in, alice, project):
    answer(project)
    Project.objects.update(results_open=True)
    assert signed_in(alice).get("/projects/tea/agreement/coders/alice/bob/").status_code == 200


def test_a_pair_is_only_read(signed_in, charlie, walk):
    assert signed_in(charlie).post(URL).status_code == 405


def test_a_pair_costs_the_same_queries_at_any_size(signed_in, charlie):
    for slug, size in (("small", 2), ("large", 5)):
        of_size(slug, size)
    address = "/projects/{}/agreement/coders/alice/bob/"
    small, large = (cost(signed_in(charlie), address.format(slug)) for slug in ("small", "large"))
    assert small == large <= 10


def test_two_who_share_no_text_have_a_page(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK, WALK)
    for name, slug in (("alice", "text-1"), ("bob", "text-2")):
        coding = project.texts.get(slug=slug).codings.get(coder__username=name)
        judge(coding, coding.text.markables.filter(level__coded=True).first().key, "none")
    for asked in ({}, {"texts": "text-1"}, {"coefficient": "fleiss_kappa"}):
        assert signed_in(charlie).get(URL, asked).status_code == 200


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scheme_has_its_pairs(signed_in, charlie, kind):
    project = answer(coded_project("walk", kind, WALK))
    page = signed_in(charlie).get(URL).content.decode()
    assert len(figures(page, "measures")) == len(reports.measures_for(project.answers))
    assert sum(int(row[1]) for row in table(page, "relations")) == 5
