"""GET /api/v1/projects/SLUG/agreement/, items/, one item, and tables/."""

from io import StringIO

import pandas as pd
import pytest

from agreement.data.reading import read_answers
from agreement.discussion import set_flag
from agreement.reports import overall
from agreement.reports.fields import as_json
from agreement.reports.parameters import CHOICES, OF_QUESTIONS, Parameters
from agreement.reports.request import choices_of
from agreement.results import computations
from annotations.coding.status import submit_coding
from annotations.models import Membership, Project
from annotations.projects.people.members import add_member
from tests.shared.agreeing import WALK, coded_project, convention, hand_in
from tests.shared.agreeing import answer as answer_all
from tests.shared.coding import judge
from tests.shared.projects import make_project
from tests.shared.pyramids import pyramid_project

URL = "/api/v1/projects/tea/agreement/"

# All texts are in the answer: no page is before or after it.
WHOLE = {"next": None, "previous": None}


@pytest.fixture
def judged(project, codings, keys):
    """Make two coders agree on some items and disagree on others."""
    for label, pointers in {"c": "a", "d": "c", "e": "d", "f": "b"}.items():
        judge(codings["alice"], keys[label], "phrase", keys[pointers])
    for label, pointers in {"c": "a", "d": "ac", "e": "b"}.items():
        judge(codings["bob"], keys[label], "phrase", *(keys[target] for target in pointers))
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["b"], "place")
    judge(codings["bob"], keys["f"], "segment", keys["3"])
    hand_in(project)


def test_api_accepts_every_choice_of_every_parameter(signed_in, charlie, project, judged):
    client, names = signed_in(charlie), [name for name in CHOICES if name not in ("units", *OF_QUESTIONS)]
    every = {name: choices_of(name, "pointers", Parameters()) for name in names}
    for name, choice in ((name, choice) for name, choices in every.items() for choice in choices):
        asked = {name: choice} | ({"chains": "none"} if choice == "augmented_kappa" else {})
        found = client.get(URL, asked).json()
        expected = overall.compute_report(read_answers(project), convention(project, **asked))
        assert found == as_json(overall.AgreementFigures.of(expected)) | WHOLE
        assert found["parameters"][name] == choice


@pytest.mark.parametrize("rest", ["", "grid/", "items/", "items/tea/phrase:4-14/"])
def test_error_names_wrong_parameter(signed_in, charlie, judged, rest):
    for name, value in (("distance", "ghost"), ("ghost", "1"), ("preset", "ghost"), ("thirds", "\x00"), ("top", "é")):
        answer = signed_in(charlie).get(URL + rest, {name: value})
        assert answer.status_code == 400
        assert (answer.json()["code"], list(answer.json()["errors"])) == ("invalid", [name])


@pytest.fixture
def indexed(charlie):
    project = make_project("walk", "passonneau-2004", "[Anna](a) took [her](b) dog")
    add_member(project, charlie, Membership.Role.MANAGER)
    return project


def test_api_refuses_chains_in_index_scheme(signed_in, charlie, indexed):
    client = signed_in(charlie)
    assert client.get("/api/v1/projects/walk/agreement/").status_code == 200
    for asked in ({"chains": "none"}, {"preset": "poesio-artstein-2005-k"}):
        answer = client.get("/api/v1/projects/walk/agreement/", asked)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, ["chains"])


def test_unsuitable_preset_does_not_break_pages(signed_in, charlie, indexed):
    Project.objects.update(preset="poesio-artstein-2005-k")
    for address in ("/api/v1{}", "/api/v1{}grid/", "/api/v1{}items/", "{}", "{}headline/", "{}items/"):
        assert signed_in(charlie).get(address.format("/projects/walk/agreement/")).status_code == 200, address


def test_texts_are_paginated_and_figures_cover_all_texts(charlie, alice, bob, signed_in):
    answer_all(coded_project("walks", "poesio-artstein-2005", *[WALK] * 5))
    client = signed_in(charlie)
    whole = client.get("/api/v1/projects/walks/agreement/").json()
    found, address = [], "/api/v1/projects/walks/agreement/?page_size=2"
    while address:
        page = client.get(address).json()
        assert page["value"] == whole["value"]
        assert len(page["texts"]) <= 2
        found += page["texts"]
        address = page["next"]
    assert found == whole["texts"]
    assert len(found) == 5
    assert client.get("/api/v1/projects/walks/agreement/?cursor=x").status_code == 404


URL_OF_ITEMS = "/api/v1/projects/tea/agreement/items/"


@pytest.fixture
def judged_items(project, codings, keys):
    """Make Alice and Bob differ on c by category and on d by one more antecedent, and agree on a."""
    alice, bob = codings["alice"], codings["bob"]
    for coding in (alice, bob):
        judge(coding, keys["a"], "none")
        judge(coding, keys["b"], "none")
    judge(alice, keys["c"], "phrase", keys["a"])
    judge(bob, keys["c"], "place", unsure=True, note=" or the stove ")
    judge(alice, keys["d"], "phrase", keys["a"])
    judge(bob, keys["d"], "phrase", keys["a"], keys["b"])
    judge(alice, keys["e"], "none")
    hand_in(project)


def test_item_has_words_answers_and_relations(signed_in, charlie, judged_items, keys):
    found = {item["label"]: item for item in signed_in(charlie).get(URL_OF_ITEMS).json()["results"]}
    assert set(found) == set("abcd")
    assert found["c"] == {
        "text": "tea", "title": "Tea", "round": "main", "key": keys["c"], "words": "it", "label": "c",
        "n_coders": 2, "n_values": 2, "relations": {"category": 1}, "n_ambiguous": 0, "camps": False, "verdict": "",
        "n_pointers": 0, "chain_size": 3, "flagged": False,
        **{name: found["c"][name] for name in ("share", "observed", "posterior")},
        "in_context": {
            "before": "put the kettle on the stove / is ", "words": "it",
            "after": " hot? / it will be, give it a minute / that is fine",
        },
        "answers": [
            {"coder": "alice", "category": "phrase", "category_label": "phrase", "antecedents": ["the kettle"],
             "targets": [keys["a"]], "unsure": False, "note": ""},
            {"coder": "bob", "category": "place", "category_label": "place", "antecedents": [], "targets": [],
             "unsure": True, "note": "or the stove"},
        ],
    }  # fmt: skip
    # two coders who differ: nobody can tell
    assert 0 < found["a"]["posterior"] < found["c"]["posterior"] < 0.5
    assert 0 < found["d"]["posterior"] < 0.5
    assert [found[label]["n_pointers"] for label in "abcd"] == [3, 1, 0, 0]
    assert [found[label]["chain_size"] for label in "abcd"] == [3, 2, 3, 3]
    assert (found["d"]["n_ambiguous"], found["d"]["camps"]) == (1, False)
    assert found["d"]["relations"] == {"subsumption": 1} or found["d"]["relations"] == {"intersection": 1}
    assert found["a"]["relations"] == {"identity": 1}


def test_item_pages_link_to_each_other(signed_in, charlie, judged_items):
    client = signed_in(charlie)
    whole = [item["key"] for item in client.get(URL_OF_ITEMS).json()["results"]]
    first = client.get(URL_OF_ITEMS, {"page_size": 3, "sort": "text"}).json()
    second = client.get(first["next"]).json()
    assert [item["label"] for item in first["results"] + second["results"]] == ["a", "b", "c", "d"]
    assert (first["previous"], second["next"]) == (None, None)
    assert client.get(second["previous"]).json()["results"] == first["results"]
    assert len(whole) == 4
    assert len(client.get(URL_OF_ITEMS, {"page_size": 10**9}).json()["results"]) == 4
    assert client.get(URL_OF_ITEMS, {"cursor": "ghost"}).status_code == 404


def test_viewer_does_not_see_flags(signed_in, people, judged_items, text, keys):
    set_flag(text.markables.get(key=keys["a"]), people["manager"], True)
    seen = {
        role: {item["label"]: item["flagged"] for item in signed_in(people[role]).get(URL_OF_ITEMS).json()["results"]}
        for role in ("manager", "viewer")
    }
    assert seen["manager"] == {"a": True, "b": False, "c": False, "d": False}
    assert set(seen["viewer"].values()) == {None}
    assert signed_in(people["viewer"]).get(URL_OF_ITEMS, {"flag": "set"}).status_code == 400
    assert len(signed_in(people["manager"]).get(URL_OF_ITEMS, {"flag": "set"}).json()["results"]) == 1


def test_item_detail_has_value_of_every_coder_and_every_pair(signed_in, charlie, judged_items, keys):
    found = signed_in(charlie).get(f"{URL_OF_ITEMS}tea/{keys['c']}/").json()
    assert (found["text"], found["key"]) == ("tea", keys["c"])
    assert found["values"] == [
        {"coder": "alice", "category": None, "chain": [keys["a"], keys["c"], keys["d"]]},
        {"coder": "bob", "category": "place", "chain": None},
    ]
    assert [(answer["coder"], answer["category"], answer["note"]) for answer in found["answers"]] == [
        ("alice", "phrase", ""),
        ("bob", "place", "or the stove"),
    ]
    [pair] = found["pairs"]
    assert (pair["first"], pair["second"], pair["relation"]) == ("alice", "bob", "category")
    assert set(pair["distances"].values()) == {1.0}
    of_two = signed_in(charlie).get(f"{URL_OF_ITEMS}tea/{keys['d']}/").json()["values"]
    assert of_two[1]["chain"] == [keys["a"], keys["b"], keys["d"]]  # in the order of the text
    alone = signed_in(charlie).get(f"{URL_OF_ITEMS}tea/{keys['e']}/").json()
    assert ([value["coder"] for value in alone["values"]], alone["pairs"]) == (["alice"], [])


URL_OF_TABLES, PAGE = "/api/v1/projects/tea/agreement/tables/", "/projects/tea/agreement/"


@pytest.fixture
def judged_tables(codings, keys):
    for coder, antecedent in (("alice", "a"), ("bob", "b")):
        judge(codings[coder], keys["c"], "phrase", keys[antecedent])
        judge(codings[coder], keys["a"], "none")
        submit_coding(codings[coder], codings[coder].coder)


def test_tables_index_lists_pages_of_project(signed_in, charlie, project):
    found = signed_in(charlie).get(URL_OF_TABLES).json()
    assert {"coders", "texts", "categories", "course", "pair"} <= {page["page"] for page in found}
    assert all(page["about"].endswith(".") for page in found)
    assert "scores" not in {page["page"] for page in found}
    add_member(pyramid_project(), charlie, "viewer")
    assert "scores" in {page["page"] for page in signed_in(charlie).get(URL_OF_TABLES.replace("tea", "ferry")).json()}


@pytest.mark.slow
def test_csv_of_every_table_has_its_columns_and_rows(signed_in, charlie, judged_tables):
    client = signed_in(charlie)
    pages = [page["page"] for page in client.get(URL_OF_TABLES).json()]
    number = 0
    for page in pages:
        two = {"first": "alice", "second": "bob"} if page == "pair" else {}
        for table in client.get(f"{URL_OF_TABLES}{page}/", two).json():
            taken = client.get(f"{URL_OF_TABLES}{page}/{table['key']}/", {"form": "csv", **two})
            frame = pd.read_csv(StringIO(taken.content.decode()))
            assert list(frame.columns) == [column["name"] for column in table["columns"]]
            assert len(frame) == table["rows"]
            number += 1
    assert number >= 15


def test_table_from_api_equals_download_of_page(signed_in, charlie, judged_tables):
    client = signed_in(charlie)
    for form in ("csv", "json", "latex", "markdown", None):
        of_page = client.get(f"{PAGE}coders/", {"as": form or "json", "table": "each", "distance": "masi"})
        of_api = client.get(f"{URL_OF_TABLES}coders/each/", ({"form": form} if form else {}) | {"distance": "masi"})
        assert (of_api.content, of_api["Content-Type"]) == (of_page.content, of_page["Content-Type"]), form


def test_wrong_parameter_gets_400_and_unknown_page_404(signed_in, charlie, judged_tables):
    client = signed_in(charlie)
    for query in ("each/?form=xls", "each/?distance=ghost", "each/?ghost=1", "ghost/", "?distance=ghost"):
        answer = client.get(f"{URL_OF_TABLES}coders/{query}")
        assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json"), query
    for address in ("ghost/", "ghost/each/", "pair/", "scores/"):
        assert client.get(f"{URL_OF_TABLES}{address}").status_code == 404, address


def test_table_gets_503_while_it_is_computed(signed_in, charlie, judged_tables, settings, monkeypatch):
    settings.TASKS = {"default": {"BACKEND": "django.tasks.backends.dummy.DummyBackend", "QUEUES": []}}
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 0)
    answer = signed_in(charlie).get(f"{URL_OF_TABLES}grid/grid/")
    assert (answer.status_code, answer.json()["code"], answer["Retry-After"]) == (503, "still_computing", "5")
    [task] = signed_in(charlie).get("/api/v1/projects/tea/tasks/").json()
    assert (task["kind"], task["state"]) == ("grid", "waiting")
