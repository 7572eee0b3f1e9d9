"""Remarks and flags of items, and the page of flags and comments."""

import re

import pytest

from agreement import discussion as written
from agreement.discussion import add_remark, resolve_flag, set_flag
from agreement.models import Flag, Remark
from annotations.models import Project
from tests.shared.agreeing import answer, coded_project, cost

AGREEMENT = "/projects/tea/agreement/"


@pytest.fixture
def item(project, keys):
    answer(project)
    return f"{AGREEMENT}items/tea/{keys['c']}/"


@pytest.fixture
def markable(text, keys):
    return text.markables.get(key=keys["c"])


@pytest.fixture
def discussed(item, markable, people):
    """Flag the item, add a remark of the manager and one of the adjudicator, and return them."""
    written.set_flag(markable, people["manager"], True)
    return [
        written.add_remark(markable, people["manager"], "Which kettle?"),
        written.add_remark(markable, people["adjudicator"], "The guidelines are silent."),
    ]


def withdrawal(item, remark):
    return f"{item}remarks/{remark.pk}/withdraw/"


def test_item_page_shows_remarks_and_flag_with_author(signed_in, people, item, discussed):
    manager = signed_in(people["manager"])
    said = " *the door*\n\n- <script>1</script>\n" + "ä" * 4000
    for _ in range(2):
        assert manager.post(f"{item}flag/", {"on": "1"}).status_code == 302
    assert manager.post(f"{item}remarks/", {"body": said}).status_code == 302
    assert (Remark.objects.last().body, Flag.objects.count()) == (said.strip(), 1)
    for role in ("manager", "adjudicator"):
        page = signed_in(people[role]).get(item).content.decode()
        assert page.index("Which kettle?") < page.index("The guidelines are silent.")
        for words in ("charlie, <time", "adam, <time", "flagged for the guidelines by charlie", "<em>the door</em>"):
            assert words in page
        assert ("<li>&lt;script&gt;1" in page, "<script>1" in page) == (True, False)
    assert manager.post(f"{item}flag/").status_code == 302
    assert not Flag.objects.exists()


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("role", ["viewer", "coder", "outsider"])
def test_other_roles_do_not_see_remarks_or_flags(signed_in, people, item, discussed, role, opened):
    Project.objects.update(results_open=opened)
    client = signed_in(people[role])
    expected = 404 if role == "outsider" else 200 if opened or role == "viewer" else 403
    for address in (item, f"{AGREEMENT}items/", f"{AGREEMENT}items/?flag=set", f"{item}?flag=set"):
        reply = client.get(address)
        assert reply.status_code in (expected, 400 if expected == 200 else expected)
        page = reply.content.decode()
        for secret in ("Which kettle?", "silent", "flagged", "Discussion", "remarks/"):
            assert secret not in page, (address, secret)


@pytest.mark.parametrize("role", ["viewer", "coder"])
def test_flag_filter_reveals_nothing_to_other_roles(signed_in, people, item, discussed, role):
    Project.objects.update(results_open=True)
    client, asked = signed_in(people[role]), {"as": "csv", "table": "items"}

    def seen():
        return [client.get(f"{AGREEMENT}items/", asked | more).content for more in ({}, {"flag": "set"})]

    with_flag = seen()
    Flag.objects.all().delete()
    assert seen() == with_flag


def test_author_deletes_remark_at_its_item_only(signed_in, people, item, discussed, keys):
    mine, theirs = discussed
    client = signed_in(people["manager"])
    page = client.get(item).content.decode()
    assert (withdrawal(item, mine) in page, withdrawal(item, theirs) in page) == (True, False)
    assert client.post(withdrawal(f"{AGREEMENT}items/tea/{keys['d']}/", mine)).status_code == 404
    assert client.post(f"{item}remarks/{10**30}/withdraw/").status_code == 404
    assert Remark.objects.count() == 2
    assert client.post(withdrawal(item, mine)).status_code == 302
    assert list(Remark.objects.all()) == [theirs]


def test_empty_or_too_long_remark_or_reason_is_refused(signed_in, people, item):
    client = signed_in(people["manager"])
    remarks = [("remarks/", {"body": body}, "Comment not saved") for body in ("", "  \n ", "x" * 5001, "a\x00b")]
    flags = [("flag/", {"on": "1", "reason": reason}, "Flag not saved") for reason in ("x" * 501, "a\x00b")]
    for action, sent, said in (*remarks, *flags):
        assert said in client.post(f"{item}{action}", sent, follow=True).content.decode()
    assert not Remark.objects.exists()
    assert not Flag.objects.exists()


def test_remark_forms_redirect_to_item_with_query(signed_in, people, item, discussed):
    client = signed_in(people["manager"])
    query = "distance=dice&relation=intersection"
    for address in (f"{item}remarks/", f"{item}flag/", withdrawal(item, discussed[0])):
        reply = client.post(f"{address}?{query}", {"body": "x"})
        assert (reply.status_code, reply.url) == (302, f"{item}?{query}#discussion")
    page = client.get(f"{item}?{query}").content.decode()
    assert page.count("distance=dice") >= 3
    for action in ("flag/", "remarks/"):
        assert f'action="{item}{action}?' in page
        assert "relation=intersection" in page.partition(f'action="{item}{action}?')[2].partition('"')[0]


@pytest.mark.parametrize("place", ["tea/phrase:900-901", "ghost/phrase:4-14", "tea/turn:0-27", "tea/%00"])
def test_unknown_item_gets_404_and_no_remarks(signed_in, people, item, place):
    client = signed_in(people["manager"])
    for rest in ("", "remarks/", "flag/"):
        reply = client.get(f"/api/v1{AGREEMENT}items/{place}/{rest}")
        assert (reply.status_code, reply.json()["code"]) == (404, "not_found")
    assert client.get(f"{AGREEMENT}items/{place}/").status_code == 404
    for action in ("remarks/", "flag/", "remarks/1/withdraw/"):
        reply = client.post(f"{AGREEMENT}items/{place}/{action}", {"body": "x", "on": "1"})
        assert reply.status_code == 404
    assert not Remark.objects.exists()


URL = "/projects/tea/agreement/flags/"


@pytest.fixture
def markables(text):
    return {markable.label: markable for markable in text.markables.filter(level__coded=True)}


@pytest.fixture
def flagged(markables, people):
    set_flag(markables["c"], people["manager"], True, " What of *kettles*? ")
    set_flag(markables["d"], people["manager"], True)
    resolve_flag(markables["d"], people["adjudicator"])
    add_remark(markables["c"], people["adjudicator"], "See *the door*.")
    add_remark(markables["e"], people["manager"], "A bare comment")


def listed_keys(page):
    return re.findall(r'<h2 id="flag-[^>]*>.*?/items/tea/([^/]*)/', page)


@pytest.mark.parametrize("asked", [{}, {"state": "ghost"}, {"state": "\x00"}, {"page": "99"}, {"page": "x"}])
def test_list_shows_open_flags_with_context_and_comments(signed_in, people, flagged, markables, asked):
    page = signed_in(people["adjudicator"]).get(URL, asked).content.decode()
    assert listed_keys(page) == [markables["c"].key]
    said = ('stove / is </span><a href="', "What of *kettles*?", "by charlie, <time", "<p>See <em>the door</em>.</p>")
    assert all(words in page for words in said)
    assert "A bare comment" not in page


def test_resolved_flags_and_bare_comments_have_their_lists(signed_in, people, flagged, markables):
    client = signed_in(people["manager"])
    page = client.get(URL, {"state": "resolved"}).content.decode()
    assert listed_keys(page) == [markables["d"].key]
    assert "resolved by adam, <time" in page
    assert ">Resolve<" not in page
    page = client.get(URL, {"state": "comments"}).content.decode()
    assert listed_keys(page) == [markables["e"].key]
    assert "A bare comment" in page


def test_resolved_flag_stays_readable(signed_in, people, flagged, markables):
    client = signed_in(people["adjudicator"])
    address = f"/projects/tea/agreement/items/tea/{markables['c'].key}/"
    reply = client.post(f"{address}flag/resolve/", {"from": "flags"}, follow=True)
    assert reply.redirect_chain == [(URL, 302)]
    assert "No open flags or questions" in reply.content.decode()
    flag = Flag.objects.get(markable=markables["c"])
    assert (flag.resolved_by, flag.resolved_at is None) == (people["adjudicator"], False)
    page = client.get(address).content.decode()
    assert "resolved by adam" in page
    assert "What of *kettles*?" in page
    before = flag.resolved_at
    assert "There is no open flag" in client.post(f"{address}flag/resolve/", follow=True).content.decode()
    assert Flag.objects.get(pk=flag.pk).resolved_at == before


def test_flagging_again_reopens_resolved_flag(signed_in, people, flagged, markables):
    address = f"/projects/tea/agreement/items/tea/{markables['d'].key}/flag/"
    signed_in(people["adjudicator"]).post(address, {"on": "1", "reason": "again"})
    flag = Flag.objects.get(markable=markables["d"])
    found = (flag.author, flag.reason, flag.resolved_at, flag.resolved_by)
    assert found == (people["adjudicator"], "again", None, None)


def test_resolved_flag_does_not_flag_item(signed_in, people, flagged, markables):
    client, address = signed_in(people["manager"]), "/api/v1/projects/tea/agreement/items/tea/{}/flag/"
    shown = [client.get(address.format(markables[label].key)).json() for label in "cda"]
    assert [(flag["flagged"], flag["reason"], flag["resolved_by"]) for flag in shown] == [
        (True, "What of *kettles*?", None),
        (False, "", "adam"),
        (False, "", None),
    ]


def test_list_is_paginated_and_takes_fixed_number_of_queries(signed_in, charlie):
    client = signed_in(charlie)

    def queries(slug, size):
        project = coded_project(slug, "poesio-artstein-2005", " ".join(f"[w{n}](m{n})" for n in range(size)))
        for markable in project.texts.get().markables.all():
            set_flag(markable, charlie, True)
            for number in range(12):
                add_remark(markable, charlie, f"comment {number}")
        return cost(client, f"/projects/{slug}/agreement/flags/")

    assert queries("small", 2) == queries("large", 30) <= 14
    pages = [client.get("/projects/large/agreement/flags/", {"page": page}).content.decode() for page in (1, 2)]
    assert [page.count("<article") for page in pages] == [25, 5]
    assert ("comment 0<" in pages[0], "2 earlier comments" in pages[0]) == (False, True)
