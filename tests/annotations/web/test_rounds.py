"""The list of rounds and the page of a round."""

import re
from datetime import date

import pytest

from annotations.coding.status import submit_coding
from annotations.models import Membership, Round
from annotations.planning.rounds import change_round, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.projects.rounds import put_into_round
from tests.shared.coding import judge
from tests.shared.projects import person
from tests.shared.schemes import change_rows

URL = "/projects/tea/rounds/"
FIELDS = {"name": "pilot", "kind": "pilot", "starts_on": "2026-03-01", "ends_on": ""}


@pytest.fixture
def pilot(project) -> Round:
    return create_round(project, "pilot", kind="pilot")


def names(project):
    return list(Round.objects.filter(project=project).values_list("name", flat=True))


def rows(page):
    """Return the cells of the rows of the list."""
    body = page.partition("<tbody>")[2].partition("</tbody>")[0]
    return [[" ".join(cell.split()) for cell in row.split("</td>")] for row in body.split("</tr>") if row.strip()]


def test_new_round_copies_texts_of_another_round(manager, project, text):
    page = manager.post(URL, FIELDS | {"copied": "main"}, follow=True)
    assert page.redirect_chain[-1][0] == f"{URL}pilot/"
    assert "Made the round pilot." in page.content.decode()
    made = project.rounds.get(name="pilot")
    assert (made.kind, made.starts_on, made.ends_on) == ("pilot", date(2026, 3, 1), None)
    assert list(made.texts.all()) == [text]
    assert ">pilot</a>" in manager.get(URL).content.decode()


def test_wrong_round_fields_are_refused(manager, project):
    for fields, message in (
        ({"name": "main"}, "There is a round main already."),
        ({"ends_on": "2026-02-01"}, "It ends before it starts."),
        ({"copied": "ghost"}, "Select a valid choice"),
    ):
        reply = manager.post(URL, FIELDS | fields)
        assert (reply.status_code, message in reply.content.decode()) == (400, True), message
    assert names(project) == ["main"]


def test_list_shows_progress_and_scheme_version_of_rounds(manager, project, pilot, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    submit_coding(codings["bob"], codings["bob"].coder)
    page = manager.get(URL).content.decode()
    first, second = rows(page)
    assert [cell.rpartition(">")[2] for cell in first[3:6]] == ["0", "1", "1"]
    assert "scheme 1" in first[6]
    assert "not begun" in second[6]
    assert "Delete pilot" in page
    assert "Delete main" not in page


def test_coding_manager_sees_no_progress_of_others(signed_in, people, project, pilot, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    page = signed_in(people["manager-coder"]).get(URL).content.decode()
    assert "Submitted" not in page
    assert "begun" not in signed_in(people["manager-coder"]).get(f"{URL}main/").content.decode()
    assert "Submitted" in signed_in(people["viewer"]).get(URL).content.decode()


def test_rounds_move_up_and_down(manager, project, pilot):
    manager.post(f"{URL}pilot/order/", {"move": "up"})
    assert names(project) == ["pilot", "main"]
    manager.post(f"{URL}pilot/order/", {"move": "down"})
    manager.post(f"{URL}pilot/order/", {"move": "sideways"})
    assert names(project) == ["main", "pilot"]


def test_managers_rename_rounds_but_not_to_taken_names(manager, project, pilot):
    page = manager.post(f"{URL}pilot/change/", FIELDS | {"name": "first", "kind": "main"}, follow=True)
    assert "Saved the round first." in page.content.decode()
    assert names(project) == ["main", "first"]
    refused = manager.post(f"{URL}first/change/", FIELDS | {"name": "main"})
    assert (refused.status_code, names(project)) == (400, ["main", "first"])


def test_kind_of_round_with_submissions_changes_once_confirmed(manager, project, codings):
    submit_coding(codings["bob"], codings["bob"].coder)
    fields = {"name": "main", "kind": "training"}
    page = manager.post(f"{URL}main/change/", fields).content.decode()
    assert "1 submitted coding: they stay out of figures" in page
    assert project.rounds.get().kind == "main"
    manager.post(f"{URL}main/change/", fields | {"confirmed": "1"})
    assert project.rounds.get().kind == "training"


def test_round_form_changes_texts_all_or_none(manager, project, text, pilot):
    other = project.texts.create(slug="milk", title="Milk", content="Milk.")
    fields = FIELDS | {"name": "pilot", "with_texts": "1"}
    manager.post(f"{URL}pilot/change/", fields | {"texts": [text.pk, other.pk]})
    assert set(pilot.texts.all()) == {text, other}
    page = manager.post(f"{URL}pilot/change/", fields | {"texts": []}, follow=True)
    assert page.status_code == 400  # "milk" is in no other round
    assert "in no other round than pilot" in page.content.decode()
    assert set(pilot.texts.all()) == {text, other}
    manager.post(f"{URL}pilot/change/", fields | {"texts": [other.pk]})
    assert set(pilot.texts.all()) == {other}


def test_round_form_saves_fields_and_texts_together(manager, project, text, pilot):
    page = manager.get(f"{URL}pilot/").content.decode()
    assert page.count(">Save") == 1
    sent = FIELDS | {"name": "first", "with_texts": "1", "texts": [text.pk]}
    said = manager.post(f"{URL}pilot/change/", sent, follow=True).content.decode()
    assert "Saved the round first. 1 text added, 0 removed." in said
    assert set(pilot.texts.all()) == {text}
    refused = manager.post(f"{URL}main/change/", {"name": "other", "kind": "main", "with_texts": "1", "texts": []})
    assert refused.status_code == 400  # codings are in main: neither its name nor its texts change
    assert set(names(project)) == {"main", "first"}


def test_round_closes_once_confirmed_and_reopens(manager, project, codings):
    page = manager.post(f"{URL}main/close/").content.decode()
    assert "Not submitted: 2 codings." in page
    assert not project.rounds.get().is_closed
    manager.post(f"{URL}main/close/", {"confirmed": "1"})
    assert project.rounds.get().is_closed
    assert ">closed</span>" in manager.get(URL).content.decode()
    manager.post(f"{URL}main/close/", {"open": "1"})
    assert not project.rounds.get().is_closed


def test_empty_round_is_deleted_once_confirmed(manager, project, pilot):
    assert "Delete the round pilot?" in manager.post(f"{URL}pilot/delete/").content.decode()
    assert names(project) == ["main", "pilot"]
    manager.post(f"{URL}pilot/delete/", {"confirmed": "1"})
    assert names(project) == ["main"]
    page = manager.post(f"{URL}main/delete/", {"confirmed": "1"}, follow=True).content.decode()
    assert "The round main has codings" in page


@pytest.mark.parametrize(
    ("obstacle", "reason"),
    [("text", "“Milk”: in no other round than pilot."), ("required", "Texts of main require this training")],
)
def test_deletion_page_names_obstacles_of_round(manager, project, pilot, obstacle, reason):
    if obstacle == "text":
        put_into_round(pilot, [project.texts.create(slug="milk", title="Milk", content="Milk.")])
    else:
        required = change_round(pilot, kind="training")
        change_round(project.rounds.get(name="main"), required_round=required)
    for sent in ({}, {"confirmed": "1"}):
        page = manager.post(f"{URL}pilot/delete/", sent).content.decode()
        assert reason in page
        assert "The round pilot cannot be deleted now" in page
        assert 'name="confirmed"' not in page
    assert "pilot" in names(project)


def test_training_round_with_submissions_stays_training(manager, project, codings):
    submit_coding(codings["bob"], codings["bob"].coder)
    Round.objects.filter(project=project).update(kind="training", scheme_version=1)
    page = manager.post(f"{URL}main/change/", {"name": "main", "kind": "main"})
    assert page.status_code == 400
    assert "Coders have trained in it" in page.content.decode()


def test_texts_are_assigned_in_open_rounds_only(manager, project, text, alice, pilot):
    put_into_round(pilot, [text])
    page = manager.get("/projects/tea/assign/", {"round": "pilot"}).content.decode()
    assert '<option value="pilot" selected>' in page
    plan = {"design": "all", f"part-{alice.pk}": "on", "round": "pilot"}
    manager.post("/projects/tea/assign/", plan)
    assert pilot.codings.of_people().get().coder == alice
    change_round(pilot, closed=True)
    assert "Select a valid choice" in manager.post("/projects/tea/assign/", plan).content.decode()
    refused = manager.get("/projects/tea/assign/", {"round": "pilot"})
    assert "The round pilot is closed" in refused.content.decode()


def test_coder_list_names_rounds_if_there_are_several(signed_in, project, text, alice, pilot, codings):
    client = signed_in(alice)
    assert "?round=" not in client.get("/projects/tea/").content.decode()
    assign_texts(project, [text], [alice], pilot)
    page = client.get("/projects/tea/").content.decode()
    for name in ("main", "pilot"):
        assert f'href="/projects/tea/texts/tea/code/?round={name}"' in page
        assert f"<td>{name}</td>" in page
    change_round(pilot, closed=True)
    assert ">closed</span>" in client.get("/projects/tea/").content.decode()


def test_overview_has_row_per_text_and_round(manager, project, text, alice, pilot, codings):
    assign_texts(project, [text], [alice], pilot)
    page = manager.get("/projects/tea/").content.decode()
    assert "?coder=alice&amp;round=pilot" in page
    assert "?coder=alice&amp;round=main" in page
    version = manager.get("/projects/tea/texts/tea/", {"coder": "alice", "round": "main", "beside": "bob"})
    assert version.status_code == 200
    assert manager.get("/projects/tea/texts/tea/", {"coder": "bob", "round": "pilot"}).status_code == 404


def test_list_takes_fixed_number_of_queries(signed_in, people, project, text, django_assert_max_num_queries):
    clients = [signed_in(people[role]) for role in ("manager", "viewer")]
    costs = []
    for client in clients:
        client.get(URL)
        with django_assert_max_num_queries(9) as before:
            client.get(URL)
        costs.append(len(before))
    for number in range(5):
        round_ = create_round(project, f"r{number}", copied=project.rounds.get(name="main"))
        assign_texts(project, [text], [people["coder"]], round_)
    for client, cost in zip(clients, costs, strict=True):
        with django_assert_max_num_queries(cost):
            client.get(URL)


def test_archived_project_shows_rounds_without_forms(manager, project, charlie):
    add_member(project, charlie, Membership.Role.MANAGER)
    manager.post("/projects/tea/archive/", {"confirmed": "1"})
    page = manager.get(URL).content.decode()
    assert "<td>main</td>" in page
    assert "Make round" not in page
    assert manager.post(URL, FIELDS).status_code == 403
    assert names(project) == ["main"]


def test_coding_manager_does_not_see_that_round_has_begun(signed_in, project, codings, keys):
    add_member(project, person("maya"), Membership.Role.MANAGER_CODER)
    maya, api = signed_in(person("maya")), "/api/v1/projects/tea/rounds/"
    change = FIELDS | {"name": "main", "kind": "recheck"}

    def seen():
        pages = [maya.get(URL), maya.get(f"{URL}main/"), maya.post(f"{URL}main/change/", change), maya.get(api)]
        tag = maya.get(f"{api}main/")["ETag"]
        return [re.sub(r'name="csrf[^>]*', "", page.content.decode()) for page in pages], tag

    before = seen()
    judge(codings["alice"], keys["a"], "place")
    submit_coding(codings["alice"], codings["alice"].coder)
    assert project.rounds.get().has_begun
    assert seen() == before
    assert "Submitted codings: they stay out of figures" in before[0][2]
    assert "scheme 1" in signed_in(person("charlie")).get(URL).content.decode()


def test_overview_asks_for_markables_unless_coders_mark(manager, project, text):
    step = "Import or paste the texts, with markables unless coders mark."
    assert step not in manager.get("/projects/tea/").content.decode()
    text.markables.all().delete()
    assert step in manager.get("/projects/tea/").content.decode()
    change_rows(project.levels.filter(coded=True), coders_mark=True)
    assert step not in manager.get("/projects/tea/").content.decode()
