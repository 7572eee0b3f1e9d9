"""The page of the flags and comments of a project."""

import re

import pytest

from agreement.discussion import add_remark, resolve_flag, set_flag
from agreement.models import Flag
from tests.shared.agreeing import coded_project, cost

URL = "/projects/tea/agreement/flags/"


@pytest.fixture
def markables(text):
    return {one.label: one for one in text.markables.filter(level__coded=True)}


@pytest.fixture
def flagged(markables, people):
    """Flag c and d, resolve d, and comment on c and e."""
    set_flag(markables["c"], people["manager"], True, " What of *kettles*? ")
    set_flag(markables["d"], people["manager"], True)
    resolve_flag(markables["d"], people["adjudicator"])
    add_remark(markables["c"], people["adjudicator"], "See *the door*.")
    add_remark(markables["e"], people["manager"], "A bare comment")


def listed(page):
    return re.findall(r'<h2 id="flag-[^>]*>.*?/items/tea/([^/]*)/', page)


@pytest.mark.parametrize("asked", [{}, {"state": "ghost"}, {"state": "\x00"}, {"page": "99"}, {"page": "x"}])
def test_open_flags_are_listed_in_context_with_reason_and_comments(signed_in, people, flagged, markables, asked):
    page = signed_in(people["adjudicator"]).get(URL, asked).content.decode()
    assert listed(page) == [markables["c"].key]
    for said in (
        'stove / is </span><a href="',
        "What of *kettles*?",
        "by charlie, <time",
        "<p>See <em>the door</em>.</p>",
    ):
        assert said in page
    assert "A bare comment" not in page


def test_resolved_flags_and_comments_without_a_flag_have_lists_of_their_own(signed_in, people, flagged, markables):
    client = signed_in(people["manager"])
    page = client.get(URL, {"state": "resolved"}).content.decode()
    assert listed(page) == [markables["d"].key]
    assert "resolved by adam, <time" in page
    assert ">Resolve<" not in page
    page = client.get(URL, {"state": "comments"}).content.decode()
    assert listed(page) == [markables["e"].key]
    assert "A bare comment" in page


def test_a_flag_is_resolved_from_the_list_and_stays_readable(signed_in, people, flagged, markables):
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


def test_flagging_again_opens_a_resolved_flag(signed_in, people, flagged, markables):
    address = f"/projects/tea/agreement/items/tea/{markables['d'].key}/flag/"
    signed_in(people["adjudicator"]).post(address, {"on": "1", "reason": "again"})
    flag = Flag.objects.get(markable=markables["d"])
    assert (flag.author, flag.reason, flag.resolved_at, flag.resolved_by) == (
        people["adjudicator"],
        "again",
        None,
        None,
    )


@pytest.mark.parametrize("reason", ["x" * 501, "a\x00b"])
def test_a_reason_that_is_too_long_is_refused(signed_in, people, markables, reason):
    address = f"/projects/tea/agreement/items/tea/{markables['a'].key}/flag/"
    page = signed_in(people["manager"]).post(address, {"on": "1", "reason": reason}, follow=True).content.decode()
    assert "Flag not saved" in page
    assert not Flag.objects.exists()


def test_resolved_flag_is_no_mark_of_an_item(signed_in, people, flagged, markables):
    client, address = signed_in(people["manager"]), "/api/v1/projects/tea/agreement/items/tea/{}/flag/"
    shown = [client.get(address.format(markables[label].key)).json() for label in "cda"]
    assert [(one["flagged"], one["reason"], one["resolved_by"]) for one in shown] == [
        (True, "What of *kettles*?", None),
        (False, "", "adam"),
        (False, "", None),
    ]


def test_page_is_bounded_and_takes_the_same_queries_at_any_size(signed_in, charlie):
    client = signed_in(charlie)

    def queries(slug, size):
        project = coded_project(slug, "poesio-artstein-2005", " ".join(f"[w{n}](m{n})" for n in range(size)))
        for one in project.texts.get().markables.all():
            set_flag(one, charlie, True)
            for number in range(12):
                add_remark(one, charlie, f"comment {number}")
        return cost(client, f"/projects/{slug}/agreement/flags/")

    assert queries("small", 2) == queries("large", 30) <= 14
    pages = [client.get("/projects/large/agreement/flags/", {"page": page}).content.decode() for page in (1, 2)]
    assert [page.count("<article") for page in pages] == [25, 5]
    assert ("comment 0<" in pages[0], "2 earlier comments" in pages[0]) == (False, True)
