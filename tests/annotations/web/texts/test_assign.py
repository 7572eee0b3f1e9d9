"""The page Assignments: plans, previews and manual changes."""

import re
from datetime import date, timedelta

import pytest
from django.utils import timezone

from annotations.models import Coding, Plan, User
from annotations.planning.plans.matrix import PAGE_SIZE
from annotations.planning.plans.plans import apply_plan
from annotations.planning.pool import take_next_text
from annotations.projects.people.members import add_member
from tests.shared.coding import judge
from tests.shared.plans import bring_texts, make_large_project, plan_request
from tests.shared.projects import person

URL = "/projects/large/assign/"
PLAN = {"design": "k", "k": "2", "seed": "7"}


@pytest.fixture
def large(db):
    return make_large_project()


@pytest.fixture
def manager(large, signed_in):
    return signed_in(person("charlie"))


def parts(*names):
    return {f"part-{person(name).pk}": "on" for name in names or ("ann", "ben", "cem", "dee")}


def checked(page):
    """Return text and coder of the checked cells."""
    rows = re.findall(r'<tr data-text="([^"]+)">(.*?)</tr>', page, re.DOTALL)
    return {
        (text, coder)
        for text, cells in rows
        for coder in re.findall(r'<input type="checkbox" data-coder="([^"]+)"[^>]*? checked', cells)
    }


def assigned():
    return set(Coding.objects.of_people().values_list("text__slug", "coder__username"))


def test_new_project_previews_plan_and_assigns_it(manager):
    page = manager.get(URL).content.decode()
    assert "24 new assignments" in page
    assert not Coding.objects.of_people().exists()
    fields = dict(re.findall(r'name="([-\w]+)" value="([^"]*)"[^>]*? checked', page))
    assert fields["design"] == "k"
    answer = manager.post(URL, {"design": "k", "k": "2", "seed": "1", **parts()}, follow=True)
    assert "24 assignments created." in answer.content.decode()
    assert checked(page) == assigned() == checked(answer.content.decode())


def test_address_determines_plan_and_preview(manager):
    whole = manager.get(URL, PLAN).content.decode()
    part = manager.get(URL, {**PLAN, "part": "preview"}).content.decode()
    assert "<form" not in part
    assert checked(part) == checked(whole)
    assert checked(manager.get(URL, {**PLAN, "seed": "8"}).content.decode()) != checked(whole)


def test_preview_button_works_without_scripts(manager):
    answer = manager.post(URL, {**PLAN, "preview": "1", "csrfmiddlewaretoken": "x"})
    assert answer.url == f"{URL}?design=k&k=2&seed=7"
    assert not Coding.objects.of_people().exists()


def test_manual_changes_apply_to_preview_and_plan(manager):
    before = checked(manager.get(URL, PLAN).content.decode())
    text, coder = min(before)
    other = next(name for name in ("ann", "ben", "cem", "dee") if (text, name) not in before)
    changes = {**PLAN, "changes": f"-{text}/{coder};+{text}/{other}"}
    assert checked(manager.get(URL, changes).content.decode()) == before - {(text, coder)} | {(text, other)}
    manager.post(URL, changes)
    assert assigned() == before - {(text, coder)} | {(text, other)}


def test_manager_changes_cells_of_applied_plan(manager, large):
    apply_plan(large, plan_request())
    text, coder = min(assigned())
    address = "/projects/large/rounds/main/cell/"
    assert manager.post(address, {"text": text, "coder": coder, "on": "0"}).json() == {"on": False}
    assert (text, coder) not in assigned()
    assert manager.post(address, {"text": text, "coder": coder, "on": "1"}).json() == {"on": True}
    coding = Coding.objects.of_people().get(text__slug=text, coder__username=coder)
    judge(coding, coding.text.markables.first().key, "none")
    answer = manager.post(address, {"text": text, "coder": coder, "on": "0"})
    assert answer.status_code == 400
    assert "has begun" in answer.json()["error"]
    for wrong in ({"text": "ghost", "coder": coder}, {"text": text, "coder": "mallory"}, {}):
        assert manager.post(address, {**wrong, "on": "1"}).status_code == 404


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"k": "9"}, "k is 9, but 4 people code here"),
        ({"k": "x"}, "Enter a whole number"),
        ({"k": "1"}, "allow groups that share no texts"),
        ({"changes": "what"}, "no changes of cells"),
        ({"round": "ghost"}, "There is no round|Round: Select a valid choice"),
    ],
)
def test_wrong_plan_assigns_nothing(manager, fields, reason):
    for answer in (manager.get(URL, {**PLAN, **fields}), manager.post(URL, {**PLAN, **fields})):
        assert re.search(reason, answer.content.decode())
    assert not Plan.objects.exists()
    assert not Coding.objects.of_people().exists()


def test_plan_keeps_weights_maxima_and_due_date(manager, large):
    ann, ben = person("ann").pk, person("ben").pk
    fields = {f"weight-{ann}": "0.5", f"maximum-{ben}": "3", "due_on": "2026-12-24", **parts("ann", "ben", "cem")}
    manager.post(URL, {**PLAN, **fields})
    plan = Plan.objects.get()
    assert plan.due_on == date(2026, 12, 24)
    assert set(plan.coders.values_list("coder__username", "weight", "maximum")) == {
        ("ann", 500, None), ("ben", 1000, 3), ("cem", 1000, None),
    }  # fmt: skip
    page = manager.get(URL).content.decode()
    assert re.search(rf'name="weight-{ann}" value="0.5"', page)
    assert "due 24 December 2026" in page
    assert 'name="due_on" value="2026-12-24"' in page  # as browsers read it, or applying again would end the date


def test_manager_replaces_coder_and_releases_idle_texts(manager, large):
    apply_plan(large, plan_request())
    ann, eve = person("ann"), person("eve")
    add_member(large, eve, "coder")
    answer = manager.post("/projects/large/rounds/main/replace/", {"coder": ann.pk, "other": eve.pk}, follow=True)
    assert "6 texts assigned to eve in place of ann." in answer.content.decode()
    assert "ann" not in {name for _, name in assigned()}
    answer = manager.post("/projects/large/rounds/main/replace/", {"coder": ann.pk}, follow=True)
    assert "Choose who is replaced" in answer.content.decode()
    Coding.objects.of_people().update(created_at=timezone.now() - timedelta(days=9))
    answer = manager.post("/projects/large/rounds/main/release/", {"days": "7"}, follow=True)
    assert "24 assignments that nobody had begun taken away" in answer.content.decode()
    answer = manager.post("/projects/large/rounds/main/release/", {"days": "0"}, follow=True)
    assert "greater than or equal to 1" in answer.content.decode()


def test_coder_sees_due_date_and_order_of_texts(large, signed_in):
    apply_plan(large, plan_request(due_on=timezone.localdate() - timedelta(days=1)))
    page = signed_in(person("ann")).get("/projects/large/").content.decode()
    assert "overdue" in page
    places = list(
        Coding.objects.of_people().filter(coder__username="ann").order_by("place").values_list("text__slug", flat=True)
    )
    found = re.findall(r'<th scope="row"><a href="/projects/large/texts/([-\w]+)/code/', page)
    assert found == places != sorted(places)


def test_coder_takes_next_text_of_pool(large, signed_in):
    apply_plan(large, plan_request(pool=True, k=1))
    client = signed_in(person("ann"))
    assert "Take the next text" in client.get("/projects/large/").content.decode()
    answer = client.post("/projects/large/pool/next/", {"round": "main"})
    [coding] = Coding.objects.of_people().all()
    assert answer.url == f"/projects/large/texts/{coding.text.slug}/code/"
    for _ in range(11):
        take_next_text(large, person("ben"))
    page = client.get("/projects/large/").content.decode()
    assert "Take the next text" not in page
    assert "No text of the round main is left for you." in page
    answer = client.post("/projects/large/pool/next/", {"round": "main"}, follow=True)
    assert "is left for you" in answer.content.decode()


def test_coding_manager_sees_no_states_and_cannot_unassign(large, signed_in):
    add_member(large, person("maya"), "manager-coder")
    apply_plan(large, plan_request())
    client = signed_in(person("maya"))
    before = [client.get(URL).content, client.get(URL, PLAN).content]
    for coding in Coding.objects.of_people().exclude(coder__username="maya"):
        judge(coding, coding.text.markables.first().key, "none")
    strip = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')
    after = [client.get(URL).content, client.get(URL, PLAN).content]
    assert [strip.sub(b"", page) for page in before] == [strip.sub(b"", page) for page in after]
    text, coder = min(assigned())
    sent = {"text": text, "coder": coder, "on": "0"}
    assert client.post("/projects/large/rounds/main/cell/", sent).status_code == 403


@pytest.mark.slow
def test_assignments_page_takes_fixed_number_of_queries(manager, large, django_assert_max_num_queries):
    bring_texts(large, [f"u{number:02}" for number in range(PAGE_SIZE)])
    for address in (f"{URL}?design=k&k=2", URL):
        if address == URL:
            apply_plan(large, plan_request())
        with django_assert_max_num_queries(28):
            page = manager.get(address).content.decode()
        assert page.count("<tr data-text=") == PAGE_SIZE
        assert "1 to 50 of 62" in page
        assert (
            manager.get(f"{address}{'&' if '?' in address else '?'}page=2").content.decode().count("data-text=") == 12
        )


@pytest.fixture
def paged_coders(large, monkeypatch):
    """Let the form show two of the four coders at once."""
    for module in ("planning.plans.forms", "web.views.assignments"):
        monkeypatch.setattr(f"annotations.{module}.CODERS_ON_A_PAGE", 2)


def rows_of(page):
    """Return participation, weight and maximum of each coder with a row."""
    fields = re.findall(r'<input type="(?:checkbox|number)" name="(part|weight|maximum)-(\d+)"([^>]*)>', page)
    found: dict[str, list[str]] = {}
    for name, key, more in fields:
        value = re.search(r'value="([^"]*)"', more)
        said = "on" if name == "part" and " checked" in more else value[1] if value and name != "part" else ""
        found.setdefault(User.objects.get(pk=key).username, []).append(said)
    return found


def hidden(page):
    """Return the hidden fields for coders without a row."""
    return dict(re.findall(r'<input type="hidden" name="(others|rows)" value="([^"]*)">', page))


def test_turning_pages_of_coders_keeps_entered_values(manager, paged_coders):
    first = manager.get(URL).content.decode()
    assert rows_of(first) == {"ann": ["on", "", ""], "ben": ["on", "", ""]}
    assert "4 of 4 take part" in first
    ann, ben = person("ann").pk, person("ben").pk
    plan = PLAN | {"k": "1", "allow_unconnected": "on"}
    sent = {**plan, **hidden(first), f"part-{ann}": "on", f"weight-{ann}": "0.5", f"maximum-{ann}": "3"}
    second = manager.post(URL, {**sent, "turn": "2"}, follow=True)
    assert "#plan-coders" in second.redirect_chain[0][0]
    page = second.content.decode()
    assert rows_of(page) == {"cem": ["on", "", ""], "dee": ["on", "", ""]}
    assert "3 of 4 take part" in page
    back = manager.post(URL, {**plan, **hidden(page), **parts("cem"), "turn": "1"}, follow=True).content.decode()
    assert rows_of(back) == {"ann": ["on", "0.5", "3"], "ben": ["", "", ""]}
    assert "2 of 4 take part" in back
    manager.post(URL, {**plan, **hidden(back), f"part-{ann}": "on", f"weight-{ann}": "0.5", f"maximum-{ann}": "3"})
    planned = Plan.objects.get().coders.values_list("coder__username", "maximum")
    assert set(planned) == {("ann", 3), ("cem", None)}
    assert ben not in Coding.objects.of_people().values_list("coder", flat=True)


def test_coders_are_found_by_name_and_selected_at_once(manager, paged_coders):
    first = manager.get(URL).content.decode()
    none = manager.post(URL, {**PLAN, **hidden(first), **parts("ann", "ben"), "tick": "none"}, follow=True)
    assert "0 of 4 take part" in none.content.decode()
    kept = {**PLAN, **hidden(none.content.decode()), "find": "E"}
    found = manager.post(URL, {**kept, "turn": "1"}, follow=True).content.decode()
    assert list(rows_of(found)) == ["ben", "cem"]
    assert "1 to 2 of 3" in found
    ticked = manager.post(URL, {**kept, **hidden(found), "tick": "all"}, follow=True).content.decode()
    assert "3 of 4 take part" in ticked
    assert {coder for _, coder in checked(ticked)} == {"ben", "cem", "dee"}
    nobody = manager.post(URL, {**kept, "find": "ghost", "turn": "1"}, follow=True).content.decode()
    assert "No coder matches." in nobody


def test_error_in_hidden_row_names_its_coder(manager, paged_coders):
    first = manager.get(URL).content.decode()
    ann = person("ann").pk
    sent = {**PLAN, **hidden(first), f"part-{ann}": "on", f"weight-{ann}": "much", "turn": "2"}
    assert "ann: weight: Enter a number." in manager.post(URL, sent, follow=True).content.decode()
    unread = manager.get(URL, {**PLAN, "others": "ann"}).content.decode()
    assert "The coders who take part are not legible in this address" in unread


def test_coder_of_long_list_is_replaced_by_name(manager, large, monkeypatch):
    apply_plan(large, plan_request())
    before = Coding.objects.of_people().filter(coder=person("ann")).count()
    monkeypatch.setattr("annotations.core.http.fields.MAX_CHOICES", 3)
    page = manager.get(URL).content.decode()
    assert re.search(r'<input type="text" name="coder"[^>]*list="replace_coder-choices"', page)
    address = re.search(r'action="([^"]*/replace/)"', page)[1]
    wrong = manager.post(address, {"coder": "ghost", "other": "dee"}, follow=True).content.decode()
    assert "Choose who is replaced by whom." in wrong
    manager.post(address, {"coder": " ann ", "other": "dee"})
    assert Coding.objects.of_people().filter(coder=person("ann")).count() < before
