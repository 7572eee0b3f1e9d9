"""The page of two coders."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.measures import RELATIONS
from agreement.reports import items
from agreement.reports.coders import coders as reports
from agreement.reports.parameters import default_preset
from agreement.reports.wording import RELATION_LABELS
from tests.conftest import judge
from tests.shared.agreeing import WALK, coded_project, digits, figures, hand_in, links, table

AGREEMENT = "/projects/walk/agreement/"
URL = f"{AGREEMENT}coders/alice/bob/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


def expected(project, parameters):
    two = replace(parameters, coders="alice,bob")
    found = read_answers(project)
    matrices = {name: reports.compute_pair_matrix(found, two, name) for name in reports.MEASURES}
    pair = {one.measure: one for one in reports.measure_pair(found, parameters, "alice", "bob")}
    return [digits(matrix.value("alice", "bob"), pair[name].low, pair[name].high) for name, matrix in matrices.items()]


@pytest.mark.parametrize("asked", [{}, {"coefficient": "fleiss_kappa"}, {"texts": "text-1", "coders": "alice,carol"}])
def test_two_coders_have_every_measure_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    assert figures(page, "measures") == expected(walk, replace(CONVENTION, **asked))
    assert len(figures(page, "measures")) == len(reports.MEASURES)


def test_relations_and_categories_of_the_two_are_counted(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found, two = read_answers(walk), replace(CONVENTION, coders="alice,bob")
    counts = items.compute_items(found, two).relations.sum(axis=0).tolist()
    assert [row[0] for row in table(page, "relations")] == list(RELATION_LABELS.values())
    assert figures(page, "relations") == [digits(count, count / sum(counts)) for count in counts]
    rows = reports.confusion_matrix(found, two, ("alice", "bob"))
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
    for name, [_, count, _] in zip(RELATIONS, table(page, "relations"), strict=True):
        [address] = links(page, f"relation={name}")
        found = client.get(address).content.decode()
        assert len(table(found, "items")) == int(count), name


@pytest.mark.parametrize(
    "pair", ["alice/alice", "alice/charlie", "ghost/bob", "alice/%00", "%3Cscript%3E1/bob", "alice/Bob"]
)
def test_who_has_not_answered_makes_no_pair(signed_in, charlie, walk, pair):
    assert signed_in(charlie).get(f"{AGREEMENT}coders/{pair}/").status_code == 404


def test_two_who_share_no_text_have_a_page(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK, WALK)
    for name, slug in (("alice", "text-1"), ("bob", "text-2")):
        coding = project.texts.get(slug=slug).codings.of_people().get(coder__username=name)
        judge(coding, coding.text.markables.filter(level__coded=True).first().key, "none")
    hand_in(project)
    for asked in ({}, {"texts": "text-1"}, {"coefficient": "fleiss_kappa"}):
        assert signed_in(charlie).get(URL, asked).status_code == 200
