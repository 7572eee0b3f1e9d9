"""Lists of codings, markables, judgements and operations."""

from base64 import b64encode
from urllib.parse import urlencode

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Coding, Markable, Membership, Text
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.transfers import orders
from tests.shared.coding import judge
from tests.shared.projects import make_project
from tests.shared.pyramids import docset, models_of, pyramid_project

URL = "/api/v1/projects/tea/"
JSON = {"content_type": "application/json"}
LISTS = ["codings", "markables", "judgements", "operations"]


@pytest.fixture
def judged(codings, keys):
    """Let Alice point twice and write a note, and let Bob give one answer."""
    judge(codings["alice"], keys["c"], "phrase", keys["a"], keys["b"], note="either", unsure=True)
    judge(codings["alice"], keys["a"], "none")
    judge(codings["bob"], keys["a"], "place")
    return codings


def rows(client, name, **query):
    answer = client.get(f"{URL}{name}/", query)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def test_codings_show_progress(signed_in, charlie, judged):
    assert rows(signed_in(charlie), "codings", coder="alice") == [
        {"text": "tea", "coder": "alice", "kind": "text", "round": "main", "occasion": 1, "status": "open"}
        | {"version": 2, "to_decide": 6, "decided": 2, "reopen_request": ""}
        | {"state": "begun", "due_on": None, "overdue": False}
    ]


def test_coder_sees_only_own_codings(signed_in, bob, judged):
    assert [row["coder"] for row in rows(signed_in(bob), "codings")] == ["bob"]
    assert rows(signed_in(bob), "codings", coder="alice") == []
    for name in LISTS[1:]:
        assert signed_in(bob).get(f"{URL}{name}/").status_code == 403


def test_judgements_have_pointers_in_text_order(signed_in, charlie, judged, keys):
    [row] = rows(signed_in(charlie), "judgements", coder="alice", category="phrase")
    assert row == {
        "text": "tea", "coder": "alice", "kind": "text", "round": "main", "occasion": 1, "scheme_version": 1,
        "markable": keys["c"], "category": "phrase", "pointers": [keys["a"], keys["b"]], "indices": [],
        "optional": False, "unsure": True, "note": "either", "name": "", "head": [],
    }  # fmt: skip
    assert len(rows(signed_in(charlie), "judgements")) == 3
    assert len(rows(signed_in(charlie), "judgements", unsure="true")) == 1


def test_markables_have_their_words(signed_in, charlie, project, keys):
    found = {row["key"]: row["words"] for row in rows(signed_in(charlie), "markables", level="phrase")}
    assert found[keys["a"]] == "the kettle"
    assert len(found) == 6


def test_deleted_markables_are_not_listed(signed_in, charlie, project, text):
    level = project.levels.get(key="phrase")
    Markable.objects.create(level=level, text=text, key="phrase:0-1", parts=[[0, 1]], start=0, end=1, predefined=False)
    assert "phrase:0-1" not in [row["key"] for row in rows(signed_in(charlie), "markables")]


def test_operations_are_listed_in_order(signed_in, charlie, judged):
    found = rows(signed_in(charlie), "operations")
    assert [(row["coder"], row["sequence"], row["kind"]) for row in found] == [
        ("alice", 1, "judge"),
        ("alice", 2, "judge"),
        ("bob", 1, "judge"),
    ]
    assert len(rows(signed_in(charlie), "operations", after=found[1]["applied_at"])) == 1


def test_rows_of_other_projects_are_not_listed(manager, alice, judged):
    other = make_project("other")
    add_member(other, alice, "coder")
    before = [rows(manager, name) for name in LISTS]
    assign_texts(other, other.texts.all(), [alice])
    coding = Coding.objects.of_people().select_related("coder").get(text__project=other)
    judge(coding, coding.text.markables.filter(level__coded=True)[0].key, "none")
    assert [rows(manager, name) for name in LISTS] == before


@pytest.mark.parametrize("name", LISTS)
def test_lists_have_pages_and_take_few_queries(manager, judged, name, django_assert_max_num_queries):
    for query in ({"coder__password__startswith": "a"}, {"ghost": "1"}, {"ordering": "coder__password"}):
        answer = manager.get(f"{URL}{name}/", query)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, list(query))
    with django_assert_max_num_queries(8):
        whole = rows(manager, name)
    address, found = f"{URL}{name}/?page_size=2", []
    while address:
        page = manager.get(address).json()
        assert len(page["results"]) <= 2
        found += page["results"]
        address = page["next"]
    assert found == whole
    assert len(whole) >= 2


def test_new_assignments_keep_existing_codings(signed_in, charlie, alice, project, judged):
    Text.objects.create(project=project, slug="rest", title="Rest", content="x")
    sent = {"texts": ["rest", "tea"], "coders": ["alice"]}
    answer = signed_in(charlie).post(f"{URL}codings/", sent, **JSON)
    assert answer.json() == {"new": 1}
    assert [row["version"] for row in rows(signed_in(charlie), "codings", coder="alice")] == [0, 2]


def test_wrong_assignments_are_refused_by_field(manager, mallory, judged):
    for sent, field in (
        ({"texts": ["ghost"], "coders": ["alice"]}, "texts"),
        ({"texts": ["tea"], "coders": ["charlie"]}, "coders"),
        ({"texts": ["tea"], "coders": ["mallory"]}, "coders"),
        ({"texts": [], "coders": ["alice"]}, "texts"),
        ({"texts": ["tea"], "coders": ["alice"], "status": "submitted"}, "status"),
    ):
        answer = manager.post(f"{URL}codings/", sent, **JSON)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, [field])


OWN, OF_ALICE = f"{URL}texts/tea/coding/", f"{URL}texts/tea/codings/alice/"


def test_coder_submits_and_manager_reopens(signed_in, alice, charlie, judged):
    seen = signed_in(alice).get(OWN)["ETag"]
    done = signed_in(alice).patch(OWN, {"status": "submitted"}, headers={"If-Match": seen}, **JSON)
    assert (done.status_code, done.json()["coding"]["status"]) == (200, "submitted")
    again = signed_in(charlie).patch(OF_ALICE, {"status": "open"}, headers={"If-Match": done["ETag"]}, **JSON)
    assert (again.json()["coding"]["status"], again.json()["coding"]["version"]) == ("open", 4)
    judged["alice"].refresh_from_db()
    assert judged["alice"].status == "open"


def test_manager_cannot_submit_and_coder_cannot_act_as_manager(signed_in, alice, charlie, judged):
    anything = {"headers": {"If-Match": "*"}, **JSON}
    assert signed_in(charlie).patch(OF_ALICE, {"status": "submitted"}, **anything).status_code == 403
    submit_coding(judged["alice"], alice)
    assert signed_in(alice).patch(OF_ALICE, {"status": "open"}, **anything).status_code == 403


def test_coder_reopens_submission_until_viewed_then_asks(signed_in, alice, charlie, judged):
    anything = {"headers": {"If-Match": "*"}, **JSON}
    submit_coding(judged["alice"], alice)
    assert signed_in(alice).patch(OWN, {"status": "open"}, **anything).json()["coding"]["status"] == "open"
    submit_coding(judged["alice"], alice)
    rows(signed_in(charlie), "judgements")
    late = signed_in(alice).patch(OWN, {"status": "open"}, **anything)
    assert (late.status_code, late.json()["code"]) == (400, "viewed")
    asked = signed_in(alice).patch(OWN, {"status": "open", "reason": "A slip."}, **anything)
    assert asked.json()["coding"]["status"] == "submitted"
    assert rows(signed_in(charlie), "codings", coder="alice")[0]["reopen_request"] == "A slip."
    signed_in(charlie).patch(OF_ALICE, {"status": "open", "reason": "As asked."}, **anything)
    assert rows(signed_in(charlie), "codings", coder="alice")[0]["reopen_request"] == ""
    assert judged["alice"].operations.last().payload == {"reason": "As asked."}


def test_submission_with_outdated_etag_is_refused(signed_in, alice, judged, keys):
    seen = signed_in(alice).get(OWN)["ETag"]
    judge(judged["alice"], keys["b"], "place")
    answer = signed_in(alice).patch(OWN, {"status": "submitted"}, headers={"If-Match": seen}, **JSON)
    assert (answer.status_code, answer.json()["code"]) == (412, "changed_meanwhile")
    judged["alice"].refresh_from_db()
    assert judged["alice"].status == "open"


def test_manager_reads_coding_as_its_coder_does(signed_in, alice, bob, charlie, judged):
    own = signed_in(alice).get(OWN)
    seen = signed_in(charlie).get(OF_ALICE)
    assert (seen.json(), seen["ETag"]) == (own.json(), own["ETag"])
    assert signed_in(bob).get(OF_ALICE).status_code == 404
    assert signed_in(charlie).get(f"{URL}texts/tea/codings/a%00b/").status_code == 404


def test_pages_show_all_rows_of_equal_order(signed_in, charlie, project):
    many = [Text(project=project, slug=f"t{number}", title="Same", content="x") for number in range(1600)]
    Text.objects.bulk_create(many)
    client, seen = signed_in(charlie), []
    address = f"{URL}texts/?ordering=round&page_size=500"
    for _ in range(4):
        answer = client.get(address).json()
        seen += [row["slug"] for row in answer["results"]]
        if answer["next"] is None:
            break
        address = answer["next"]
    assert seen == sorted(project.texts.values_list("slug", flat=True))


def cursor(**parts):
    return b64encode(urlencode(parts).encode()).decode()


WRONG = ["ghost", "%", cursor(p="abc"), cursor(p="1.5"), cursor(p="\0"), cursor(o="9" * 30), cursor(p="1", o="-1")]


@pytest.mark.parametrize(
    "name", [*LISTS, "texts", "members", "invitations", "transfers", "texts/tea/coding/operations"]
)
def test_wrong_cursors_cause_no_server_error(signed_in, alice, judged, name):
    alice.is_superuser = True  # who may read every list
    alice.save()
    client = signed_in(alice)
    for wrong in WRONG:
        answer = client.get(f"{URL}{name}/", {"cursor": wrong})
        assert answer.status_code in (200, 404), answer.content
        if answer.status_code == 200:
            assert len(answer.json()["results"]) <= 100


def test_invalid_times_are_refused(manager, judged):
    for moment in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "yesterday"):
        for name in ("after", "before"):
            answer = manager.get(f"{URL}operations/", {name: moment})
            assert (answer.status_code, list(answer.json()["errors"])) == (400, [name])
    assert rows(manager, "operations", after="2020-01-01T00:00:00+14:00")
    assert rows(manager, "operations", after="2999-01-01T00:00:00Z") == []


def test_transfers_are_filtered_by_format(signed_in, charlie, project):
    take = {"coders": [], "texts": [], "unfinished": True, "options": {}}
    orders.order_export(project, charlie, "jsonlines", take)
    assert [row["format"] for row in rows(signed_in(charlie), "transfers", format="jsonlines")] == ["jsonlines"]
    assert rows(signed_in(charlie), "transfers", format="json") == []


def test_accept_header_refuses_no_request(manager, judged):
    for accepted in ("text/csv", "application/zip", "text/html", "*/*"):
        asked = {"Accept": accepted}
        table = manager.get(f"{URL}agreement/data/?form=csv", headers=asked)
        assert (table.status_code, table["Content-Type"].split(";")[0]) == (200, "text/csv")
        assert manager.get(f"{URL}texts/", headers=asked).json()["results"]
        assert manager.get(f"{URL}ghost/", headers=asked).status_code == 404


def test_model_summaries_are_not_assigned_as_texts(signed_in, charlie, bob):
    made = docset(pyramid_project("ferry"), bob)
    add_member(made.project, charlie, Membership.Role.MANAGER)
    sent = {"texts": [models_of(made).slug], "coders": ["bob"]}
    before = Coding.objects.of_people().count()
    answer = signed_in(charlie).post("/api/v1/projects/ferry/codings/", sent, **JSON)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["texts"])
    assert Coding.objects.of_people().count() == before
