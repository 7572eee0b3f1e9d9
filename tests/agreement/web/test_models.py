"""The page Models and its address in the API."""

import csv
import json
from collections import defaultdict
from io import StringIO
from itertools import pairwise
from statistics import mean
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.measures import alt_test, cross_alpha, distance
from agreement.measures.values import Value
from agreement.reports.basis import select_data
from agreement.reports.request import resolve
from annotations.coding.status import submit_coding
from annotations.models import Coding, Markable, Membership, Project, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from annotations.projects.people.model_coders import add_model
from tests.shared.agreeing import answer, coded_project, convention
from tests.shared.coding import judge_all, judgement
from tests.shared.projects import person

PEOPLE = ("alice", "bob", "carol", "dora")
PAGE = "/projects/walk/agreement/models/"
API = "/api/v1/projects/walk/agreement/models/"
EVERYBODY = ",".join((*PEOPLE, "gpt"))


def add_coded_model(project: Project, name: str, *, submit: bool = True) -> User:
    """Make a model code all texts: the first markable is a place, the others point to the one before."""
    user = add_model(project, name).membership.user
    assign_texts(project, project.texts.all(), [user])
    for coding in Coding.objects.of_coders().filter(coder=user).select_related("text"):
        units = list(coding.text.markables.filter(level__coded=True).order_by("start", "-end"))
        given = [judgement(units[0].key, "place")]
        given += [judgement(unit.key, "phrase", before.key) for before, unit in pairwise(units)]
        judge_all(coding, given)
        if submit:
            submit_coding(coding, user)
    return user


def project_of(slug: str, n_texts: int) -> Project:
    contents = [" ".join(f"[w{n}](m{n})" for n in range(4 + number % 3)) + f" {number}" for number in range(n_texts)]
    return answer(coded_project(slug, "poesio-artstein-2005", *contents, coders=PEOPLE))


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    """Make a project of six texts by four people and a model."""
    project = project_of("walk", 6)
    add_coded_model(project, "gpt")
    for name, role in (("mallory", Membership.Role.MANAGER_CODER), ("victor", Membership.Role.VIEWER)):
        add_member(project, person(name), role)
    return project.pk


@pytest.fixture
def walk(walk_rows, charlie) -> Project:
    return Project.objects.get(pk=walk_rows)


@pytest.fixture
def fetch(signed_in, charlie, walk):
    client = signed_in(charlie)

    def fetch(table: str, **asked: str) -> list[dict[str, str]]:
        reply = client.get(PAGE, {"as": "csv", "table": table, **asked})
        assert reply.status_code == 200, reply.content
        return list(csv.DictReader(StringIO(reply.content.decode())))

    return fetch


@pytest.fixture
def data(walk):
    answers = read_answers(walk, models=True)
    return select_data(*resolve(answers, convention(walk, include="models", coders=EVERYBODY)))


def test_agreement_equals_library(fetch, data, signed_in, charlie):
    rows = {row["coder"]: row for row in fetch("agreement")}
    assert list(rows) == ["people with each other", "gpt", *PEOPLE]
    assert float(rows["gpt"]["value"]) == cross_alpha(data, ["gpt"], PEOPLE, distance="passonneau").value
    others = [name for name in PEOPLE if name != "bob"]
    assert float(rows["bob"]["value"]) == cross_alpha(data, ["bob"], others, distance="passonneau").value
    whole = signed_in(charlie).get("/api/v1/projects/walk/agreement/").json()
    among = rows["people with each other"]
    assert [float(among[name]) for name in ("value", "low", "high")] == [
        whole[name] for name in ("value", "low", "high")
    ]
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows.values())


@pytest.mark.parametrize(("epsilon", "q"), [("", ""), ("0", "0.2")])
def test_alt_test_equals_library(fetch, data, epsilon, q):
    asked = {name: value for name, value in (("epsilon", epsilon), ("q", q)) if value}
    test = alt_test(data, "gpt", distance="passonneau", epsilon=float(epsilon or 0.1), q=float(q or 0.05))
    rows = fetch("alt_test", **asked)
    for name in ("candidate_score", "human_score", "difference", "p_value", "adjusted", "advantage_probability"):
        assert [float(row[name]) for row in rows] == [getattr(row, name) for row in test.rows], name
    advantage = ("advantage_probability", "advantage_low", "advantage_high")
    for value, low, high in (("difference", "low", "high"), advantage):
        known = [row for row in rows if row[low]]
        assert known
        assert all(float(row[low]) < float(row[value]) < float(row[high]) for row in known)
        assert all(row["note"].startswith("no interval: ") for row in rows if row not in known)
    over_texts, published = fetch("verdict", **asked)
    assert float(over_texts["winning_rate"]) == test.winning_rate
    assert float(published["winning_rate"]) == test.published_winning_rate
    assert (over_texts["passes"] == "yes", published["passes"] == "yes") == (test.passed, test.published_passed)


def score(value: Value, others: list[Value]) -> float:
    return mean(1 - distance(value, other, "passonneau") for other in others)


def scores_by_hand(data) -> dict[tuple[int, object], tuple[float, float, bool]]:
    """Return the scores of the model and of people on each unit, and whether all people agree."""
    found = {}
    for unit, document, codes in zip(data.units, data.document_of_unit.tolist(), data.codes.tolist(), strict=True):
        values = {coder: data.value(code) for coder, code in zip(data.coders, codes, strict=True)}
        model, people = values.pop("gpt"), list(values.values())
        own = mean(score(people[place], people[:place] + people[place + 1 :]) for place in range(len(people)))
        found[document, unit] = score(model, people), own, len(set(people)) == 1
    return found


def test_text_differences_equal_definition_worst_first(fetch, data, walk):
    by_text = defaultdict(list)
    for (document, _), (model, people, _) in scores_by_hand(data).items():
        by_text[document].append((model, people))
    expected = sorted(mean(m for m, _ in rows) - mean(p for _, p in rows) for rows in by_text.values())
    rows = fetch("texts")
    assert [float(row["difference"]) for row in rows] == pytest.approx(expected)
    assert sum(int(row["items"]) for row in rows) == len(data.units)
    assert {row["text"] for row in rows} == {text.title for text in walk.texts.all()}


def test_categories_count_each_item_once(fetch, data, signed_in, charlie):
    rows = fetch("categories")
    assert sum(int(row["items"]) for row in rows) == len(data.units)
    differences = [float(row["difference"]) for row in rows]
    assert differences == sorted(differences)
    assert {row["category"] for row in rows} <= {"phrase", "none", "no most frequent answer"}
    found = signed_in(charlie).get(API).json()["categories"]
    assert [row["difference"] for row in found] == differences


def test_items_list_disagreement_of_model_with_unanimous_people(fetch, data, walk):
    scores = scores_by_hand(data)
    keys = dict(Markable.objects.filter(text__project=walk).values_list("pk", "key"))
    expected = {keys[unit]: 1 - model for (_, unit), (model, _, agree) in scores.items() if agree and model < 1}
    rows = fetch("items")
    assert len(rows) == sum(agree and model < 1 for model, _, agree in scores.values()) > 0
    assert {row["key"]: pytest.approx(float(row["distance"])) for row in rows} == expected
    distances = [float(row["distance"]) for row in rows]
    assert distances == sorted(distances, reverse=True)


def test_item_page_labels_model(signed_in, charlie, walk):
    client = signed_in(charlie)
    page = client.get(PAGE).content.decode()
    address = next(part.partition('"')[0] for part in page.split('href="')[1:] if "/agreement/items/text-" in part)
    item = client.get(address.replace("&amp;", "&")).content.decode()
    assert "gpt (model)" in item
    assert "alice (model)" not in item


def test_only_chosen_people_are_compared(fetch):
    assert [row["human"] for row in fetch("alt_test", coders="alice,dora")] == ["alice", "dora"]
    assert [row["coder"] for row in fetch("agreement", coders="alice,dora,gpt")][2:] == ["alice", "dora"]


@pytest.mark.parametrize("asked", [{"candidate": "alice"}, {"q": "2"}, {"coders": "alice"}, {"x": "1"}])
def test_api_error_names_wrong_field(signed_in, charlie, walk, asked):
    reply = signed_in(charlie).get(API, asked)
    assert (reply.status_code, list(reply.json()["errors"])) == (400, list(asked))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "--candidate: name one of those who are compared and have answers: alice, bob, carol, dora"),
        ({"candidate": "zoe"}, "--candidate: name one of"),
        ({"candidate": "dora", "coders": "alice,dora"}, "--candidate: it takes two other coders at least"),
        ({"candidate": "dora", "epsilon": "much"}, "--epsilon: 'much' is not a number from 0 and below 1"),
        ({"candidate": "dora", "q": "0"}, "--q: '0' is not a number above 0 and below 1"),
    ],
)
def test_command_error_names_wrong_option(walk, asked, message):
    with pytest.raises(CommandError) as refused:
        call_command("agreement", "walk", report="alt-test", **asked)
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("name", ["alice", "mallory"])
def test_coder_cannot_see_models_page(signed_in, walk, name, opened):
    Project.objects.update(results_open=opened)
    client = signed_in(person(name))
    for address in (PAGE, API, f"{API[:-7]}tables/models/", f"{API[:-7]}tables/models/items/"):
        missing = client.get(address.replace("models", "nothing"))
        reply = client.get(address)
        expected = 404 if opened or "tables" not in address else 403
        assert (reply.status_code, missing.status_code) == (expected, expected), address
        assert b"gpt" not in reply.content
    for address in ("/projects/walk/", "/projects/walk/agreement/coders/?include=models", f"{API[:-7]}tables/"):
        content = client.get(address).content.decode()
        assert "gpt" not in content
        assert "agreement/models/" not in content
        assert '"models"' not in content


@pytest.mark.parametrize(
    ("coders", "submit", "said"),
    [
        (("alice", "bob"), None, "No model codes here"),
        (("alice", "bob"), False, "No model has submitted a text yet"),
        (("alice",), True, "Two people are needed"),
    ],
)
def test_empty_page_says_what_is_missing(signed_in, charlie, db, coders, submit, said):
    project = answer(coded_project("empty", "poesio-artstein-2005", "[a](a) [b](b) [c](c)", coders=coders))
    if submit is not None:
        add_coded_model(project, "llm", submit=submit)
    reply = signed_in(charlie).get("/projects/empty/agreement/models/")
    assert reply.status_code == 200
    assert f"<h2>{said}</h2>" in reply.content.decode()
    assert signed_in(charlie).get("/api/v1/projects/empty/agreement/models/").status_code == 400


@pytest.mark.parametrize("path", ["coders/", "coders/alice/gpt/", "groups/", "texts/", "models/"])
def test_pages_label_models_and_files_keep_names(signed_in, charlie, walk, path):
    client, address = signed_in(charlie), f"/projects/walk/agreement/{path}"
    page = client.get(address, {"include": "models"}).content.decode()
    assert path == "texts/" or "gpt (model)" in page  # which has no coders by name
    assert "alice (model)" not in page
    assert "gpt (model) (model)" not in page
    if path == "coders/":
        asked = {"include": "models", "table": "matrix"}
        files = {
            form: client.get(address, asked | {"as": form}).content.decode() for form in ("csv", "json", "markdown")
        }
        rows = json.dumps(json.loads(files["json"])["rows"])
        assert ["gpt (model)" in file for file in (files["csv"], rows, files["markdown"])] == [False, False, True]


def test_datasheet_lists_models_for_managers_only(signed_in, charlie, walk):
    def sheet(name: str) -> dict[str, Any]:
        return signed_in(person(name)).get("/api/v1/projects/walk/datasheet/").json()

    Project.objects.update(results_open=True)
    [model] = sheet("charlie")["models"]
    assert (model["name"], model["n_codings"], model["n_submitted"]) == ("gpt", 6, 6)
    assert sheet("charlie")["n_coders"] == sheet("alice")["n_coders"] == 4
    assert sheet("alice")["models"] == []
    page = signed_in(charlie).get("/projects/walk/datasheet/").content.decode()
    assert "Models that code, apart from these coders" in page
    assert "gpt" not in signed_in(person("alice")).get("/projects/walk/datasheet/").content.decode()
