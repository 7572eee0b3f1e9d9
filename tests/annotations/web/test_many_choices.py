"""Long lists: names typed instead of checkboxes, and the page shown after an action."""

import re

import pytest

from annotations.core.http import fields
from annotations.models import Membership, Round, Text, Transfer, User
from annotations.planning.rounds import create_round
from annotations.projects.rounds import put_into_round

ROUNDS = "/projects/tea/rounds/"
EXPORT = "/projects/tea/export/"
FEW = 3


@pytest.fixture
def texts(project, text) -> list[Text]:
    rows = [
        Text(project=project, slug=f"t{number}", title=f"Text {number}", content="Tea.", position=number + 2)
        for number in range(6)
    ]
    texts = Text.objects.bulk_create(rows)
    put_into_round(project.rounds.get(name="main"), texts)
    return texts


@pytest.fixture
def pilot(project, texts) -> Round:
    round_ = create_round(project, "pilot", kind="pilot")
    put_into_round(round_, texts[:2])
    return round_


@pytest.fixture
def few_choices(monkeypatch):
    for name in ("core.http.fields", "planning.forms"):
        monkeypatch.setattr(f"annotations.{name}.MAX_CHOICES", FEW)


@pytest.fixture
def short_pages(monkeypatch):
    monkeypatch.setattr("annotations.web.shared.PAGE_SIZE", 2)


PILOT, MAIN = ({"name": name, "kind": name, "with_texts": "1"} for name in ("pilot", "main"))


def slugs(round_):
    return [text.slug for text in round_.texts.all()]


def pages_of(page: str) -> list[str]:
    """Return the addresses of the previous and the next page."""
    return re.findall(r'<a class="button small[^"]*" href="([^"]*)" rel="(?:prev|next)"', page)


def test_round_form_adds_and_removes_texts_by_slug(manager, pilot, few_choices):
    assert 'name="add"' in manager.get(f"{ROUNDS}pilot/").content.decode()
    for between in ("{} {}", "{}, {}", "{}\r\n{}\r\n", " {},{} {}"):
        put_into_round(pilot, pilot.project.texts.filter(slug="t0"))
        change = PILOT | {"add": between.format("t2", "t3", "t2"), "remove": "t0"}
        page = manager.post(f"{ROUNDS}pilot/change/", change, follow=True).content.decode()
        assert "2 texts added, 1 removed." in page
        assert slugs(pilot) == ["t1", "t2", "t3"]
        manager.post(f"{ROUNDS}pilot/change/", PILOT | {"add": "", "remove": "t2 t3"})


def test_wrong_slugs_are_refused_and_round_keeps_its_texts(manager, pilot, few_choices):
    for sent, message in (
        ({"add": "t2 ghost"}, "There is no ghost:"),
        ({"remove": "t0 ghost T1"}, "There is no ghost, T1:"),
        ({"add": " ".join(f"g{number}" for number in range(8))}, "There is no g0, g1, g2, g3, g4 and 3 more:"),
        ({"add": "t2 t3", "remove": "t3"}, "t3: to be added and taken out."),
        ({"add": "t2\0"}, "Null characters are not allowed."),
        ({"add": " ".join(map(str, range(fields.MAX_NAMES + 1)))}, "Name at most 5,000 at once: these are 5,001."),
    ):
        reply = manager.post(f"{ROUNDS}pilot/change/", PILOT | {"add": "", "remove": ""} | sent)
        page = reply.content.decode()
        assert (reply.status_code, message in page) == (400, True), message
        for value in sent.values():
            assert value.replace("\0", "") in page.replace("\0", "")  # what was typed stays
        assert slugs(pilot) == ["t0", "t1"]
    reply = manager.post(f"{ROUNDS}main/change/", MAIN | {"add": "", "remove": "t0 t5"})
    assert reply.status_code == 400
    assert "in no other round than main" in reply.content.decode()
    assert "t0" in slugs(Round.objects.get(name="main"))


def test_page_links_after_error_lead_to_round_page(manager, project, texts, few_choices, short_pages):
    refused = manager.post(f"{ROUNDS}main/change/", MAIN | {"add": "ghost", "remove": ""}).content.decode()
    addresses = pages_of(refused)
    assert addresses == [f"{ROUNDS}main/?texts=2#texts", f"{ROUNDS}main/?gold=2#gold"]
    following = manager.get(addresses[0].partition("#")[0]).content.decode()
    assert "<code>t1</code>" in following


def exported_choices(client, sent) -> tuple[list[str], list[str]]:
    reply = client.post(EXPORT, {"format": "jsonlines"} | sent)
    assert reply.status_code == 302, reply.content.decode()
    made = Transfer.objects.latest("pk").choices
    return sorted(made["texts"]), sorted(made["coders"])


def test_typed_names_select_the_same_as_checkboxes(manager, codings, texts, monkeypatch):
    ticked = exported_choices(manager, {"texts": ["tea", "t1"], "coders": ["alice", "bob"]})
    assert ticked[0]
    monkeypatch.setattr(fields, "MAX_CHOICES", 1)
    page = manager.get(EXPORT).content.decode()
    assert re.search(r'<textarea name="texts"[^>]*placeholder="7 to choose from', page)
    assert exported_choices(manager, {"texts": "t1\r\ntea, t1", "coders": "bob alice"}) == ticked
    reply = manager.post(EXPORT, {"format": "jsonlines", "texts": "tea ghost"})
    assert reply.status_code == 400
    assert "ghost is not one of the available choices" in reply.content.decode()
    assert "tea\nghost</textarea>" in reply.content.decode()


def test_new_round_takes_typed_name_of_round_to_copy(manager, project, pilot, few_choices):
    for number in range(4):
        create_round(project, f"more-{number}")
    assert '<input type="text" name="copied"' in manager.get(ROUNDS).content.decode()
    new = {"name": "copy", "kind": "main", "starts_on": "", "ends_on": ""}
    refused = manager.post(ROUNDS, new | {"copied": "ghost"})
    assert refused.status_code == 400
    assert "ghost is not one of the available choices" in refused.content.decode()
    manager.post(ROUNDS, new | {"copied": "pilot "})
    assert slugs(project.rounds.get(name="copy")) == ["t0", "t1"]


def test_wrong_page_number_shows_first_or_last_page(manager, project, pilot, short_pages):
    for name in ("a", "b", "c"):
        create_round(project, name)
    last = ["0", "-1", "99", "9" * 400]
    for number in [*last, "x", "", "1e9", "2&page=1"]:
        page = manager.get(f"{ROUNDS}?page={number}")
        assert page.status_code == 200
        assert ('rel="next"' not in page.content.decode()) == (number in last), number


def test_round_actions_redirect_to_list_page_with_round(manager, project, pilot, short_pages):
    for name in ("a", "b", "c"):
        create_round(project, name)  # main, pilot | a, b | c
    assert manager.post(f"{ROUNDS}b/order/", {"move": "down"}).url == f"{ROUNDS}?page=3"
    assert manager.post(f"{ROUNDS}b/close/", {"confirmed": "1"}).url == f"{ROUNDS}?page=3"
    assert manager.post(f"{ROUNDS}a/close/", {"confirmed": "1"}).url == f"{ROUNDS}?page=2"
    assert f'href="{ROUNDS}?page=3"' in manager.post(f"{ROUNDS}b/delete/").content.decode()
    after = manager.post(f"{ROUNDS}b/delete/", {"confirmed": "1"}, follow=True)
    assert after.redirect_chain[-1][0] == f"{ROUNDS}?page=3"
    assert "3 to 4 of 4" in after.content.decode()  # the page that was the third is there no longer
    assert manager.post(f"{ROUNDS}pilot/order/", {"move": "up"}).url == ROUNDS


def test_member_actions_redirect_to_list_page_with_member(manager, project, short_pages):
    users = User.objects.bulk_create([User(username=f"zoe{number}") for number in range(5)])
    Membership.objects.bulk_create([Membership(project=project, user=user, role="coder") for user in users[:4]])
    url = "/projects/tea/members/"
    names = list(project.memberships.values_list("user__username", flat=True))
    page = manager.post(url, {"username": "zoe4", "role": "coder"}).url
    assert page == f"{url}?page={len(names) // 2 + 1}"
    assert "zoe4" in manager.get(page).content.decode()
    third = project.memberships.get(user__username=names[2])
    assert manager.post(f"{url}?page=2", {"members": [third.pk], "group": "x", "set_group": "1"}).url == f"{url}?page=2"
    assert manager.post(f"{url}{third.pk}/remove/", {"confirmed": "1"}).url == f"{url}?page=2"


def test_link_to_gold_of_text_opens_page_with_text(manager, texts, short_pages):
    page = manager.get(f"{ROUNDS}main/?text=t3").content.decode()
    gold = page.partition('id="gold"')[2]
    assert ">Text 3</th>" in gold
    back = [address for address in pages_of(gold) if "gold=2" in address]
    assert back == [f"{ROUNDS}main/?text=t3&amp;gold=2#gold"]
    assert ">Text 3</th>" not in manager.get(f"{ROUNDS}main/?text=t3&gold=2").content.decode()
    assert manager.get(f"{ROUNDS}main/?text=ghost").status_code == 200
