"""Decisions on gold: page, API and files, and the comparison of coders with gold."""

import json
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from agreement.data.reading import forget_answers
from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.states import gold_states
from annotations.coding import operations
from annotations.coding.operations import Change
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Membership, Project
from annotations.planning.rounds import add_texts, create_round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.agreeing import WALK, answer, coded_project, cost
from tests.shared.coding import close_gold, judge, judge_all, judgement
from tests.shared.projects import make_shared_project, person

PAGE, LIST = "/projects/tea/gold/decisions/", "/api/v1/projects/tea/gold/decisions/"
OWN_PAGE, OWN_LIST = "/projects/tea/gold/own/", "/api/v1/projects/tea/gold/own/"


@pytest.fixture(scope="module")
def closed_gold(module_rows: None) -> Coding:
    """Return closed gold of Charlie: "the kettle" follows Alice, "the stove" Bob, and "it" nobody."""
    project = make_shared_project()
    keys = dict(project.texts.get().markables.values_list("label", "key"))
    last = {}
    for coding in Coding.objects.of_people().select_related("coder", "text__project"):
        category = {"alice": "place", "bob": "none"}[coding.coder.username]
        answers = [judgement(keys[label], category) for label in "abc"]
        judge_all(coding, [*answers, judgement(keys["d"], "phrase", keys["c"])])
        submit_coding(coding, coding.coder)
        last[coding.coder.username] = str(coding.operations.latest("sequence").uuid)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    gold = Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")
    said = {"reason": "guideline", "section": "Places", "note": "See 3.2."}
    decide(gold, keys["a"], "place", source="coder", codings=[last["alice"]], **said)
    decide(gold, keys["b"], "none", source="coder", codings=[last["bob"]], reason="slip")
    decide(gold, keys["c"], "segment", source="own")
    close_gold(gold)
    return gold


@pytest.fixture
def project(closed_gold, db) -> Project:
    return Project.objects.get(slug="tea")


@pytest.fixture
def decided(project) -> Coding:
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def decide(gold: Coding, key: str, category: str, **said: object) -> None:
    gold.refresh_from_db()
    step = uuid4()
    answer = Change(uuid4(), "judge", {"markable": key, "category": category}, step=step)
    why = Change(uuid4(), "decide", {"items": [[key, "category"]], **said}, step=step)
    operations.apply(gold, gold.coder, gold.version, [answer, why])


@pytest.fixture
def adjudicator(project):
    user = person("ada")
    add_member(project, user, Membership.Role.ADJUDICATOR)
    return user


def test_decisions_show_names_to_managers_and_letters_to_others(
    decided, signed_in, charlie, adjudicator, keys, django_assert_max_num_queries
):
    client = signed_in(charlie)
    with django_assert_max_num_queries(25):
        answer = client.get(LIST).json()
    first, second, third = answer["results"]
    assert first | {"decided_at": ""} == {
        "text": "tea", "round": "main", "markable": keys["a"], "words": "the kettle", "question": "category",
        "answer": "place",
        "source": "coder", "coders": ["alice"], "reason": "guideline", "section": "Places", "note": "See 3.2.",
        "decided_by": "charlie", "decided_at": "", "changed": False,
    }  # fmt: skip
    assert (second["coders"], third["coders"], third["source"], third["reason"]) == (["bob"], [], "own", "")
    letters = signed_in(adjudicator).get(LIST).json()["results"]
    assert {decision["decided_by"] for decision in letters} == {None}
    assert sorted(decision["coders"][0] for decision in letters[:2]) == ["Coder A", "Coder B"]
    page = signed_in(adjudicator).get(PAGE).content.decode()
    assert letters[0]["coders"][0] in page
    assert not any(name in page for name in ("alice", "bob", "charlie"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("reason=slip", ["the stove"]),
        ("reason=none", ["it"]),
        ("section=Places", ["the kettle"]),
        ("source=coder", ["the kettle", "the stove"]),
        ("text=tea", ["the kettle", "the stove", "it"]),
        ("changed=true", []),
        ("round=main&page_size=2", ["the kettle", "the stove"]),
    ],
)
def test_decisions_are_filtered_and_paged(decided, signed_in, charlie, query, words):
    answer = signed_in(charlie).get(f"{LIST}?{query}").json()
    assert [row["words"] for row in answer["results"]] == words
    if "page_size" in query:
        following = signed_in(charlie).get(answer["next"]).json()
        assert ([row["words"] for row in following["results"]], following["next"]) == (["it"], None)


@pytest.mark.parametrize(
    "query",
    [
        *(f"{name}={value}" for name in ("text", "round") for value in ("moon", "%00")),
        "reason=moon",
        "source=moon",
        "changed=moon",
        "ordering=moon",
    ],
)
def test_wrong_filter_of_decisions_is_named(decided, signed_in, charlie, query):
    client, name = signed_in(charlie), query.partition("=")[0]
    answer = client.get(f"{LIST}?{query}")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, [name])
    if name == "ordering":
        return
    assert client.get(f"{PAGE}file/?{query}").status_code == 400
    reply = client.get(f"{PAGE}?{query}")
    assert reply.status_code == 400
    if name in ("text", "round"):
        head, _, below = reply.content.decode().partition(f"There is no {name}")
        assert head.rpartition("<div")[2].startswith(' class="notice error" role="alert"')
        assert "<caption>" in below  # the list is there all the same


def test_decisions_page_counts_reasons_and_links_markables(
    decided, signed_in, charlie, keys, django_assert_max_num_queries
):
    client = signed_in(charlie)
    with django_assert_max_num_queries(30):
        page = client.get(PAGE).content.decode()
    for words in ("Guideline gap 1", "Slip 1", "No reason given 1", "Ambiguous text 0", ">Places 1<"):
        assert words in page
    assert f'/projects/tea/texts/tea/gold/code/?round=main#{keys["a"]}"' in page
    filtered = client.get(f"{PAGE}?reason=slip").content.decode()
    assert ">the stove</a>" in filtered
    assert ">the kettle</a>" not in filtered
    assert "No such decision" in client.get(f"{PAGE}?section=Moon").content.decode()
    assert PAGE in client.get("/projects/tea/rounds/main/").content.decode()


def test_decisions_are_exported_as_csv_json_and_by_command(decided, signed_in, charlie, tmp_path, capsys):
    listed = signed_in(charlie).get(LIST).json()["results"]
    file = signed_in(charlie).get(f"{PAGE}file/?format=json")
    found = json.loads(file.content)
    assert [row | {"decided_at": ""} for row in found] == [row | {"decided_at": ""} for row in listed]
    assert signed_in(charlie).get(f"{PAGE}file/?format=xml").status_code == 400
    table = signed_in(charlie).get(f"{PAGE}file/?reason=guideline").content.decode().splitlines()
    assert table[0].startswith("text,round,markable,words,question,source,coders,reason,section,note,decided_by")
    assert ",the kettle,category,coder,alice,guideline,Places,See 3.2.,charlie," in table[1]
    out = tmp_path / "decisions.json"
    call_command("export_decisions", "tea", str(out), "--format=json")
    assert json.loads(out.read_text()) == found
    assert capsys.readouterr().out == "tea: 3 decisions written.\n"
    with pytest.raises(CommandError, match="no round 'moon'"):
        call_command("export_decisions", "tea", str(out), "--round=moon")
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("export_decisions", "tea", str(tmp_path))


def decided_project(slug: str, size: int) -> Project:
    """Make a project of `size` texts with closed gold, each with a decision with reason and one without."""
    project = answer(coded_project(slug, "sortal-classes", *[WALK] * size))
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    category = project.categories.earliest("position").key
    for gold in Coding.objects.filter(kind="gold", text__project=project).select_related("text__project", "coder"):
        [rests_on, _] = gold.operations.get(kind="draft").payload["codings"]
        first, second, *others = gold.text.markables.order_by("start").values_list("key", flat=True)
        for key in (first, second):
            decide(gold, key, category, source="coder", codings=[rests_on], reason="slip", section="Classes")
        for key in (second, *others):  # what was decided is answered anew, too
            judge(gold, key, None)
            judge(gold, key, category)
        close_gold(gold)
    project.results_open = True
    project.save()
    return project


@pytest.mark.slow
def test_decisions_and_files_take_fixed_number_of_queries(
    signed_in, alice, charlie, tmp_path, django_assert_max_num_queries
):
    sizes = {"small": 2, "large": 8}
    for slug, size in sizes.items():
        decided_project(slug, size)
    manager, coder = signed_in(charlie), signed_in(alice)
    visits = [
        (manager, "/api/v1/projects/{}/gold/decisions/?page_size=100"),
        (manager, "/projects/{}/gold/decisions/"),
        (manager, "/projects/{}/gold/decisions/file/?format=csv"),
        (manager, "/projects/{}/gold/decisions/file/?format=json"),
        (manager, "/projects/{}/datasheet/"),
        (manager, "/api/v1/projects/{}/datasheet/?form=markdown"),
        (coder, "/api/v1/projects/{}/gold/own/"),
        (coder, "/projects/{}/gold/own/"),
    ]
    costs: dict[str, list[int]] = {}
    for slug in sizes:
        for client, address in visits:
            client.get(address.format(slug))  # the first view is recorded
            forget_answers()
            costs.setdefault(address, []).append(cost(client, address.format(slug)))
    assert {address: both for address, both in costs.items() if both[0] != both[1]} == {}
    for slug, size in sizes.items():
        listed = manager.get(visits[0][1].format(slug)).json()["results"]
        all_gold = list(Coding.objects.filter(kind="gold", text__project__slug=slug))
        n_contested = sum(len(state.contested) for state in gold_states(all_gold))
        assert len(listed) >= max(2 * size, n_contested)
        assert len({decision["text"] for decision in listed}) == size
        assert len(coder.get(visits[-2][1].format(slug)).json()["results"]) == size
        out = tmp_path / slug
        with django_assert_max_num_queries(20):
            call_command("export_decisions", slug, str(out), "--format=json")
        assert len(json.loads(out.read_text())) == len(listed)


def test_round_page_drafts_gold_again_once_confirmed(decided, codings, signed_in, charlie, keys):
    client, round_page = signed_in(charlie), "/projects/tea/rounds/main/"
    assert "Draft again" not in client.get(round_page).content.decode()  # it is closed
    reopen_coding(decided, charlie)
    codings["bob"].refresh_from_db()
    reopen_coding(codings["bob"], charlie)
    judge(codings["bob"], keys["b"], "place")
    submit_coding(codings["bob"], codings["bob"].coder)
    page = client.get(round_page).content.decode()
    assert "1 markable changed since" in page
    assert 'name="again" value="true"' in page
    assert "Work changed since 1" in client.get(PAGE).content.decode()
    order = {"method": "most", "again": "true"}
    assert "Draft gold again?" in client.post(f"{round_page}gold/", order).content.decode()
    assert decided.operations.filter(kind="draft").count() == 1
    assert client.post(f"{round_page}gold/", order | {"confirmed": "1"}).status_code == 302
    assert decided.operations.filter(kind="draft").count() == 2
    assert [row["words"] for row in client.get(LIST).json()["results"]] == ["the kettle", "the stove", "it"]
    again = client.post("/api/v1/projects/tea/gold/", order | {"again": True}, "application/json").json()
    assert again == {"drafted": ["tea"], "begun": []}
    [row] = client.get("/api/v1/projects/tea/gold/").json()["results"]
    assert (row["contested"], row["decided"], row["changed"]) == (4, 2, 0)  # the third points at nothing


@pytest.mark.parametrize("field", ["coder", "adjudicator"])
def test_impossible_user_names_are_refused_by_field(decided, signed_in, charlie, field):
    client = signed_in(charlie)
    for name in ("x" * 100_000, "a\x00b", ["alice"], None, 3.5, "nobody"):
        order = {"method": "coder" if field == "coder" else "most", field: name}
        answer = client.post("/api/v1/projects/tea/gold/", order, "application/json")
        assert (answer.status_code, field in answer.json()["errors"]) == (400, True), name


def test_coder_sees_no_gold_before_results_are_open(decided, signed_in, alice):
    for address in (PAGE, f"{PAGE}file/", OWN_PAGE, LIST, OWN_LIST):
        assert signed_in(alice).get(address).status_code == 403, address
    assert "gold" not in signed_in(alice).get("/projects/tea/").content.decode().lower()


def test_coder_sees_where_gold_differs_once_results_are_open(
    decided, project, signed_in, bob, django_assert_max_num_queries
):
    Project.objects.update(results_open=True)
    client = signed_in(bob)
    for address in (PAGE, f"{PAGE}file/", LIST):
        assert client.get(address).status_code == 403
    with django_assert_max_num_queries(40):
        [result] = client.get(OWN_LIST).json()["results"]
    assert (result["text"], result["round"], result["items"]) == ("tea", "main", 4)
    assert [(row["words"], row["category"], row["gold_category"], row["reasons"]) for row in result["differences"]] == [
        (
            "the kettle",
            "none",
            "place",
            [{"question": "category", "reason": "guideline", "section": "Places", "note": "See 3.2."}],
        ),
        ("it", "none", "segment", []),
    ]
    page = client.get(OWN_PAGE).content.decode()
    assert "Guideline gap: Places" in page
    assert "See 3.2." in page
    assert not any(word in page for word in ("alice", "charlie", "Coder A", "the stove"))
    assert OWN_PAGE in client.get("/projects/tea/").content.decode()
    assert OWN_PAGE in client.get("/projects/tea/agreement/gold/").content.decode()


def test_coder_sees_no_gold_of_open_or_training_texts(decided, project, text, codings, signed_in, alice, bob, charlie):
    Project.objects.update(results_open=True)
    assert len(signed_in(bob).get(OWN_LIST).json()["results"]) == 1
    second = create_round(project, "second")
    add_texts(second, [text])
    assign_texts(project, [text], [bob], second)
    assert signed_in(bob).get(OWN_LIST).json()["results"] == []
    assert "Nothing to compare" in signed_in(bob).get(OWN_PAGE).content.decode()
    assert len(signed_in(alice).get(OWN_LIST).json()["results"]) == 1
    text.rounds.filter(name="main").update(kind="training")
    assert signed_in(alice).get(OWN_LIST).json()["results"] == []
    text.rounds.filter(name="main").update(kind="main")
    reopen_coding(decided, charlie)
    assert signed_in(alice).get(OWN_LIST).json()["results"] == []
