"""What managers and adjudicators say of an item, and its flag for the guidelines."""

import pytest
from django.http import Http404

from agreement import discussion as written
from agreement.models import Flag, Remark
from annotations.models import Project
from tests.conftest import make_project
from tests.shared.agreeing import answer, links, table

AGREEMENT = "/projects/tea/agreement/"
WHO = [("manager", 302), ("adjudicator", 302), ("viewer", 403), ("coder", 403), ("outsider", 404)]


@pytest.fixture
def item(project, keys):
    """Return the address of an item that both coders have judged."""
    answer(project)
    return f"{AGREEMENT}items/tea/{keys['c']}/"


@pytest.fixture
def markable(text, keys):
    return text.markables.get(key=keys["c"])


@pytest.fixture
def discussed(item, markable, people):
    """Give the item a flag, a remark of the manager and one of the adjudicator, and return the remarks."""
    written.set_flag(markable, people["manager"], True)
    return [
        written.add_remark(markable, people["manager"], "Which kettle?"),
        written.add_remark(markable, people["adjudicator"], "The guidelines are silent."),
    ]


def withdrawal(item, remark):
    return f"{item}remarks/{remark.pk}/withdraw/"


@pytest.mark.parametrize(("role", "status"), WHO)
def test_managers_and_adjudicators_say_something_of_an_item(signed_in, people, item, role, status):
    reply = signed_in(people[role]).post(f"{item}remarks/", {"body": " It is unclear. \nVery. "})
    assert reply.status_code == status
    found = [(one.author, one.body) for one in Remark.objects.all()]
    assert found == ([(people[role], "It is unclear. \nVery.")] if status == 302 else [])


@pytest.mark.parametrize(("role", "status"), WHO)
def test_managers_and_adjudicators_flag_an_item_and_take_the_flag_away(signed_in, people, item, markable, role, status):
    client = signed_in(people[role])
    for _ in range(2):
        assert client.post(f"{item}flag/", {"on": "1"}).status_code == status
    assert Flag.objects.filter(markable=markable).count() == (status == 302)
    written.set_flag(markable, people["manager"], True)
    assert client.post(f"{item}flag/").status_code == status
    assert Flag.objects.exists() == (status != 302)


def test_what_was_said_is_read_with_its_author(signed_in, people, item, discussed):
    for role in ("manager", "adjudicator"):
        page = signed_in(people[role]).get(item).content.decode()
        assert page.index("Which kettle?") < page.index("The guidelines are silent.")
        assert "charlie, <time" in page
        assert "adam, <time" in page
        assert "flagged for the guidelines by charlie" in page


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("role", ["viewer", "coder", "outsider"])
def test_nobody_else_sees_a_remark_or_a_flag(signed_in, people, item, discussed, role, opened):
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
def test_nobody_else_learns_of_a_flag_by_asking(signed_in, people, item, discussed, role):
    Project.objects.update(results_open=True)
    client = signed_in(people[role])
    with_flag = [
        client.get(f"{AGREEMENT}items/", asked).content
        for asked in ({"as": "csv", "table": "items"}, {"as": "csv", "table": "items", "flag": "set"})
    ]
    Flag.objects.all().delete()
    without = [
        client.get(f"{AGREEMENT}items/", asked).content
        for asked in ({"as": "csv", "table": "items"}, {"as": "csv", "table": "items", "flag": "set"})
    ]
    assert with_flag == without


@pytest.mark.parametrize("opened", [False, True])
def test_nobody_else_writes_even_where_results_are_open(signed_in, people, item, discussed, opened):
    Project.objects.update(results_open=opened)
    for role in ("viewer", "coder", "outsider"):
        client = signed_in(people[role])
        for address, data in (
            (f"{item}remarks/", {"body": "mine"}),
            (f"{item}flag/", {}),
            *((withdrawal(item, one), {}) for one in discussed),
        ):
            assert client.post(address, data).status_code == (404 if role == "outsider" else 403)
    assert (Remark.objects.count(), Flag.objects.count()) == (2, 1)


def test_only_its_author_takes_a_remark_away(signed_in, people, item, discussed):
    mine, theirs = discussed
    client = signed_in(people["manager"])
    page = client.get(item).content.decode()
    assert withdrawal(item, mine) in page
    assert withdrawal(item, theirs) not in page
    assert client.post(withdrawal(item, theirs)).status_code == 404
    assert client.post(withdrawal(item, mine)).status_code == 302
    assert list(Remark.objects.all()) == [theirs]
    with pytest.raises(Http404):
        written.withdraw_remark(theirs.markable, theirs.pk, people["manager"])


def test_a_remark_is_taken_away_at_its_own_item_only(signed_in, people, item, discussed, keys):
    client = signed_in(people["manager"])
    other = f"{AGREEMENT}items/tea/{keys['d']}/"
    assert client.post(withdrawal(other, discussed[0])).status_code == 404
    assert client.post(f"{item}remarks/{10**30}/withdraw/").status_code == 404
    assert Remark.objects.count() == 2


@pytest.mark.parametrize("body", ["", "  \n ", "x" * 5001, "a\x00b"])
def test_an_empty_or_too_long_remark_is_refused(signed_in, people, item, body):
    page = signed_in(people["manager"]).post(f"{item}remarks/", {"body": body}, follow=True).content.decode()
    assert "Comment not saved" in page
    assert not Remark.objects.exists()


def test_a_remark_of_full_length_is_kept(signed_in, people, item):
    signed_in(people["manager"]).post(f"{item}remarks/", {"body": "ä" * 5000})
    assert len(Remark.objects.get().body) == 5000


def test_a_remark_is_markdown(signed_in, people, item):
    page = signed_in(people["manager"]).post(f"{item}remarks/", {"body": "*the door*\n\n- one"}, follow=True)
    assert "<p><em>the door</em></p>\n<ul>\n<li>one</li>" in page.content.decode()


def test_a_remark_cannot_bring_html(signed_in, people, item):
    client = signed_in(people["manager"])
    page = client.post(f"{item}remarks/", {"body": "<script>1</script>\n<b>"}, follow=True).content.decode()
    assert "<p>&lt;script&gt;1&lt;/script&gt;\n&lt;b&gt;</p>" in page
    assert "<script>1" not in page


def test_one_comes_back_to_the_item_as_it_was_looked_at(signed_in, people, item, discussed):
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


@pytest.mark.parametrize("action", ["remarks/", "flag/", "remarks/1/withdraw/"])
def test_nothing_is_written_by_looking(signed_in, people, item, action):
    assert signed_in(people["manager"]).get(item + action, {"body": "x", "on": "1"}).status_code == 405
    assert not Remark.objects.exists()
    assert not Flag.objects.exists()


@pytest.mark.parametrize("place", ["tea/phrase:900-901", "ghost/phrase:4-14", "tea/turn:0-27", "tea/%00"])
def test_what_is_no_item_has_no_remarks(signed_in, people, item, place):
    client = signed_in(people["manager"])
    for action in ("remarks/", "flag/", "remarks/1/withdraw/"):
        reply = client.post(f"{AGREEMENT}items/{place}/{action}", {"body": "x", "on": "1"})
        assert reply.status_code == 404
    assert not Remark.objects.exists()


def test_another_projects_item_is_not_there(signed_in, people, item, discussed, keys):
    other = make_project("other")
    there = f"/projects/other/agreement/items/tea/{keys['c']}/"
    client = signed_in(people["manager"])
    for address in (f"{there}remarks/", f"{there}flag/", withdrawal(there, discussed[0])):
        assert client.post(address, {"body": "x", "on": "1"}).status_code == 404
    mine = other.texts.get()
    mine.slug = "elsewhere"
    mine.save()
    assert client.post(f"{AGREEMENT}items/elsewhere/{keys['c']}/remarks/", {"body": "x"}).status_code == 404
    assert (Remark.objects.count(), Flag.objects.count()) == (2, 1)


def test_flagged_items_can_be_found(signed_in, people, item, discussed):
    client = signed_in(people["manager"])
    page = client.get(f"{AGREEMENT}items/").content.decode()
    assert links(page, "flag=set")
    rows = table(page, "items")
    flagged = table(client.get(f"{AGREEMENT}items/", {"flag": "set"}).content.decode(), "items")
    assert len(flagged) == 1 < len(rows)
    assert flagged[0] in [row for row in rows if "flagged" in row]
