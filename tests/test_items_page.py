"""The page of the items on which coders disagree."""

import re

import pytest

from agreement import reports
from agreement.extract import contents_of, extract
from agreement.parameters import opening
from annotations import actions
from annotations.models import Coding, Membership
from tests.conftest import judge, make_project

URL = "/projects/tea/agreement/items/"


@pytest.fixture
def judged(codings, keys, project):
    alice, bob = codings["alice"], codings["bob"]
    for coding in (alice, bob):
        judge(coding, keys["a"], "none")
    judge(alice, keys["c"], "phrase", keys["a"])
    judge(bob, keys["c"], "place")
    judge(alice, keys["e"], "none")
    parameters = opening(project.preset, project.answers)
    return reports.items(extract(project), parameters, contents_of(project))


def links(page):
    return re.findall(r'<th scope="row"><a href="/projects/tea/agreement/items/tea/([^/]*)/', page)


def test_items_stand_in_the_order_of_the_report(signed_in, charlie, judged, keys):
    page = signed_in(charlie).get(URL).content.decode()
    assert links(page) == [item.key for item in judged]
    assert links(page)[0] == keys["c"]
    assert f'<data value="{judged[0].share!r}">' in page
    assert "1 category" in page


def test_links_keep_the_parameters(signed_in, charlie, judged):
    page = signed_in(charlie).get(URL, {"distance": "dice"}).content.decode()
    assert "distance=dice" in re.search(r'href="([^"]*items/tea/[^"]*)"', page)[1]


def test_without_pairs_there_is_nothing_to_compare(signed_in, charlie, project):
    assert "Nothing to compare yet" in signed_in(charlie).get(URL).content.decode()


def test_many_items_come_in_pages(signed_in, alice, bob, charlie):
    project = make_project("tea", "sortal-classes", " ".join(f"[w{number}](m{number})" for number in range(101)))
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    for coder in (alice, bob):
        actions.add_member(project, coder, Membership.Role.CODER)
    actions.assign(project, project.texts.all(), [alice, bob])
    category = project.categories.first()
    for coding in Coding.objects.all():
        coding.judgements.bulk_create(
            coding.judgements.model(coding=coding, markable=markable, category=category)
            for markable in coding.text.markables.all()
        )
    client = signed_in(charlie)
    pages = [client.get(URL, {"page": number}).content.decode() for number in (1, 2)]
    found = [links(page) for page in pages]
    assert [len(page) for page in found] == [100, 1]
    assert len(set(found[0] + found[1])) == 101
    for beyond in ("99", "x", "-1"):
        assert client.get(URL, {"page": beyond}).status_code == 200


def test_words_of_the_text_cannot_bring_html(signed_in, alice, bob, charlie):
    project = make_project("tea", "sortal-classes", "[<script>1</script>](a) x")
    actions.add_member(project, charlie, Membership.Role.MANAGER)
    for coder in (alice, bob):
        actions.add_member(project, coder, Membership.Role.CODER)
    actions.assign(project, project.texts.all(), [alice, bob])
    key = project.texts.get().markables.get().key
    for coding in Coding.objects.all():
        judge(coding, key, "person")
    for address in (URL, f"{URL}tea/{key}/"):
        content = signed_in(charlie).get(address).content.decode()
        assert "&lt;script&gt;1" in content
        assert "<script>1" not in content


@pytest.mark.parametrize(
    ("role", "expected"),
    [("manager", 200), ("adjudicator", 200), ("viewer", 200), ("coder", 403), ("outsider", 404)],
)
def test_who_sees_results_sees_items(signed_in, people, role, expected):
    assert signed_in(people[role]).get(URL).status_code == expected


def test_k_takes_no_unit_out_of_its_sets(signed_in, charlie, project, judged):
    client = signed_in(charlie)
    pages = [
        client.get(f"/projects/tea/agreement/items/?coefficient=fleiss_kappa&exclude_unit={option}").content
        for option in ("none", "both")
    ]
    shares = [re.findall(rb'<data value="([^"]+)"', page) for page in pages]
    assert shares[0]
    assert shares[0] == shares[1]
