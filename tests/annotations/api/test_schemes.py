"""/api/v1/projects/SLUG/scheme/: reading, saving, previews and versions."""

import pytest

from annotations.formats.model.scheme_json import scheme_from_json
from annotations.models import Category, SchemeVersion
from annotations.projects.people.members import add_member
from annotations.schemes.project_scheme import read_scheme
from tests.shared.coding import judge
from tests.shared.projects import person

URL = "/api/v1/projects/tea/scheme/"
JSON = {"content_type": "application/json"}
GENDER = {"key": "gender", "label": "gender", "values": [{"key": "f", "label": "f"}, {"key": "m", "label": "m"}]}


@pytest.fixture
def begun(codings, keys):
    """Let Alice call one markable a place."""
    judge(codings["alice"], keys["a"], "place")
    return codings["alice"]


def scheme_of(client):
    answer = client.get(URL)
    return answer.json(), answer["ETag"]


def put(client, scheme, seen="*"):
    return client.put(URL, scheme, headers={"If-Match": seen}, **JSON)


def merged(scheme):
    """Return the scheme with the category place merged into none."""
    categories = [category for category in scheme["categories"] if category["key"] != "place"]
    return scheme | {"categories": categories, "merges": [{"question": "category", "value": "place", "into": "none"}]}


def test_scheme_is_read_changed_and_sent_back(manager, begun, project):
    scheme, seen = scheme_of(manager)
    answer = put(manager, scheme | {"attributes": [GENDER]}, seen)
    assert answer.status_code == 200
    assert (answer.json()["scheme_version"], answer.json()["attributes"][0]["values"][1]["key"]) == (2, "m")
    assert scheme_of(manager) == (answer.json(), answer["ETag"])
    refused = put(manager, scheme, seen)
    assert (refused.status_code, refused.json()["code"]) == (412, "changed_meanwhile")
    assert manager.put(URL, scheme, **JSON).status_code == 428
    assert read_scheme(project.pk).spec.attributes[0].key == "gender"


def test_problems_name_their_paths_and_change_nothing(manager, begun, project):
    scheme, seen = scheme_of(manager)
    before = read_scheme(project.pk).spec
    wrong = [GENDER | {"asked_if": {"question": "ghost", "values": ["x"]}}, {"key": "number", "label": "number"}]
    answer = put(manager, scheme | {"attributes": wrong}, seen)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_scheme")
    assert answer["Content-Type"] == "application/problem+json"
    assert [(problem["path"], problem["question"], problem["message"]) for problem in answer.json()["problems"]] == [
        ("attributes[0]", "gender", "It is asked by the answer to 'ghost', which is no earlier question with values."),
        ("attributes[1]", "number", "It has no values."),
    ]
    answer = put(manager, scheme | {"levels": [{"key": "a b"}], "merges": []}, seen)
    assert [problem["path"] for problem in answer.json()["problems"]] == ["levels[0].key", "levels[0]"]
    for merges in ("x", [{"question": "category"}]):
        assert put(manager, scheme | {"merges": merges}, seen).json()["problems"][0]["path"].startswith("merges")
    assert read_scheme(project.pk).spec == before
    assert not SchemeVersion.objects.exists()


def test_categories_in_use_stay_and_their_texts_are_listed(manager, begun):
    scheme, seen = scheme_of(manager)
    answer = put(manager, merged(scheme) | {"merges": []}, seen).json()
    assert answer["problems"] == [
        {
            "kind": "category",
            "question": "place",
            "path": "",
            "message": "It is in use: retire it, or merge it into another. Judgements: 1, texts: 1, coders: 1.",
        }
    ]
    assert answer["violations"] == [
        {"kind": "category", "question": "place", "text": "tea", "title": "Tea", "judgements": 1, "coders": 1}
    ]
    assert Category.objects.filter(key="place").exists()


def test_preview_lists_effects_and_saves_nothing(manager, begun, project):
    scheme, seen = scheme_of(manager)
    fewer = merged(scheme)
    preview = manager.post(f"{URL}preview/", fewer, **JSON)
    assert preview.status_code == 200
    assert preview.json() == {
        "problems": [], "violations": [], "changes": True, "asks_otherwise": True,
        "effects": [
            {
                "kind": "category", "question": "category", "change": "place is merged into none.",
                "judgements": 1, "texts": 1, "coders": 1,
            }
        ],
    }  # fmt: skip
    assert scheme_of(manager) == (scheme, seen)
    assert put(manager, fewer, seen).status_code == 200
    assert begun.judgements.get().category.key == "none"
    assert manager.post(f"{URL}preview/", {"levels": 1}, **JSON).json()["problems"][0]["message"]


def test_every_version_can_be_read(manager, signed_in, alice, begun):
    first, _ = scheme_of(manager)
    put(manager, first | {"attributes": [GENDER]})
    versions = signed_in(alice).get(f"{URL}versions/").json()["results"]
    assert [(version["number"], version["author"]) for version in versions] == [(2, "charlie"), (1, None)]
    derived = {"constraints", "scheme_version"}
    old = signed_in(alice).get(f"{URL}versions/1/").json()
    assert old == {name: value for name, value in first.items() if name not in derived}
    assert scheme_from_json(old)[1] == "pointers"
    assert signed_in(alice).get(f"{URL}versions/2/").json()["attributes"][0]["key"] == "gender"
    assert signed_in(alice).get(f"{URL}versions/3/").status_code == 404


def test_coding_manager_changes_only_labels_of_assigned_scheme(signed_in, project, begun):
    # whether a change is refused would tell of the answers of others
    maya = person("maya")
    add_member(project, maya, "manager-coder")
    client = signed_in(maya)
    scheme, _ = scheme_of(client)
    categories = [category | {"label": category["label"].upper()} for category in scheme["categories"]]
    assert put(client, scheme | {"categories": categories}).status_code == 200
    fewer = scheme | {"categories": scheme["categories"][:2]}
    assert put(client, fewer).status_code == 403
    assert client.post(f"{URL}preview/", fewer, **JSON).status_code == 403


def test_judgements_are_filtered_by_completeness_and_version(manager, begun):
    scheme, _ = scheme_of(manager)
    put(manager, scheme | {"attributes": [GENDER | {"required": True}]})
    rows = "/api/v1/projects/tea/judgements/"
    for query, count in (
        ({"incomplete": "true"}, 1), ({"incomplete": "false"}, 0), ({"judged_before": 2}, 1), ({"judged_before": 1}, 0),
    ):  # fmt: skip
        assert len(manager.get(rows, query).json()["results"]) == count, query
    [operation] = manager.get("/api/v1/projects/tea/operations/").json()["results"]
    assert operation["scheme_version"] == 1


def test_merge_is_undone_once(manager, begun):
    scheme, _ = scheme_of(manager)
    put(manager, merged(scheme))
    keys = [category["key"] for category in scheme["categories"]]
    undone = manager.post(f"{URL}versions/2/undo/")
    assert (undone.status_code, undone.json()["scheme_version"]) == (200, 3)
    assert [category["key"] for category in undone.json()["categories"]] == keys
    assert begun.judgements.get().category.key == "place"
    again = manager.post(f"{URL}versions/2/undo/")
    assert again.status_code == 400
    assert "merged no answers" in str(again.json()["errors"])


def test_unknown_versions_are_not_found(manager, begun):
    for number in (2, 2**31, 10**30):
        assert manager.get(f"{URL}versions/{number}/").status_code == 404
        assert manager.post(f"{URL}versions/{number}/undo/", **JSON).status_code in (400, 404)
        rows = manager.get(f"/api/v1/projects/tea/judgements/?judged_before={number}")
        assert len(rows.json()["results"]) == 1
