"""GET and POST /api/v1/projects/SLUG/texts/TEXT/coding/operations/."""

import json
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotations.coding.judgements import judgements_of
from annotations.models import Operation
from tests.shared.coding import judge

URL = "/api/v1/projects/tea/texts/tea/coding/operations/"
WRONG_LISTS: list[Any] = [[], None, "x", {"uuid": 1}, ["x"], [None], [{}]]


def operation(markable, category="none", made_at=None, **more):
    made = {"uuid": str(uuid4()), "kind": "judge", "payload": {"markable": markable, "category": category, **more}}
    return made | ({"made_at": made_at} if made_at else {})


@pytest.fixture
def post(signed_in, alice, codings):
    """Return a function that posts a body as Alice: text as it is, everything else as JSON."""
    client = signed_in(alice)

    def post(body, kind="application/json"):
        return client.post(URL, body if isinstance(body, str | bytes) else json.dumps(body), content_type=kind)

    return post


def batch(*sent, version=0):
    return {"version": version, "operations": list(sent)}


@pytest.mark.parametrize(("name", "status"), [("alice", 200), ("bob", 403), ("", 200), ("%61lice", 200), ("é", 403)])
def test_header_of_another_coder_blocks_reading_and_writing(signed_in, alice, codings, keys, name, status):
    client = signed_in(alice)
    headers = {"X-Coder": quote(name) if not name.startswith("%") else name}
    assert client.get(URL, headers=headers).status_code == status
    body = json.dumps(batch(operation(keys["a"])))
    answer = client.post(URL, body, content_type="application/json", headers=headers)
    assert answer.status_code == status
    assert bool(judgements_of(codings["alice"])) == (status == 200)
    if status == 403:
        assert answer.json()["code"] == "other_person"


def test_operations_are_applied_and_return_new_version(post, codings, keys):
    answer = post(batch(operation(keys["a"], "place", made_at="2026-01-02T03:04:05Z"), operation(keys["b"])))
    assert (answer.status_code, answer.json()) == (200, {"version": 2})
    judged = judgements_of(codings["alice"])
    assert {key: judgement["category"] for key, judgement in judged.items()} == {keys["a"]: "place", keys["b"]: "none"}
    first = Operation.objects.get(sequence=1)
    assert first.made_at.isoformat() == "2026-01-02T03:04:05+00:00"


def test_stale_version_returns_missed_operations(post, codings, keys):
    judge(codings["alice"], keys["a"], "place")
    answer = post(batch(operation(keys["a"])))
    assert answer.status_code == 409
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["code"], problem["status"], problem["version"]) == ("stale", 409, 1)
    [missed] = problem["missed"]
    assert set(missed) == {"uuid", "kind", "payload", "sequence", "step", "undoes"}
    assert missed["payload"]["category"] == "place"


def test_refused_operation_is_named_by_code_and_position(post, keys):
    answer = post(batch(operation(keys["a"]), operation(keys["1"])))
    assert answer.status_code == 400
    problem = answer.json()
    assert (problem["code"], problem["operation"]) == ("not_coded", 1)
    assert Operation.objects.count() == 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("version", {"operations": [operation("x")]}),
        *(("version", {"version": version, "operations": [operation("x")]}) for version in (-1, "one", 1.5, None, [0])),
        ("operations", {"version": 0}),
        *(("operations", {"version": 0, "operations": sent}) for sent in WRONG_LISTS),
        *(
            (f"operations.0.{name}", {"version": 0, "operations": [operation("x") | {name: value}]})
            for name, values in {
                "uuid": ("x", "\ud800"),
                "payload": ([], None),
                "made_at": ("yesterday", "\ud800"),
                "kind": ("import", "submit", "reopen", "ghost", "", None, 3, ["judge"], "\ud800"),
            }.items()
            for value in values
        ),
    ],
)
def test_wrong_types_are_refused_by_field(post, path, body):
    answer = post(body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    errors = answer.json()["errors"]
    for name in path.split("."):
        assert list(errors) == [name]
        errors = errors[name]
    assert Operation.objects.count() == 0


@pytest.mark.parametrize(
    "body",
    [
        *("[]", "null", '"x"', "3", "true", "", "{", "{]", "{'version': 0}", '{"version": NaN}', b"\xff"),
        *("[" * 100_000, '{"a":' * 100_000),
    ],
)
def test_invalid_json_is_refused(post, body):
    answer = post(body)
    assert (answer.status_code, answer["Content-Type"]) == (400, "application/problem+json")
    assert answer.json()["code"] in ("parse_error", "invalid")


def test_form_content_is_refused(post):
    answer = post("version=0", "application/x-www-form-urlencoded")
    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("name", ["\ud800", "\x00", "<b>"])
def test_refusals_handle_unusual_names(post, keys, name):
    sent = operation(keys["a"], name)
    assert post(batch(sent)).json()["code"] == "unknown_category"
    sent["payload"][name] = 1
    assert post(batch(sent)).json()["code"] == "bad_payload"


@pytest.mark.parametrize("version", [1, 2**31, 2**63, 10**30])
def test_version_ahead_is_refused(post, keys, version):
    assert post(batch(operation(keys["a"]), version=version)).json()["code"] == "version_ahead"


def test_saving_takes_few_queries_and_reads_no_text(post, keys):
    post(batch(operation(keys["a"])))
    with CaptureQueriesContext(connection) as queries:
        assert post(batch(operation(keys["b"]), operation(keys["a"], "place"), version=1)).status_code == 200
    asked = [query["sql"] for query in queries]
    assert len(asked) <= 16
    assert not any('"annotations_text"."content"' in sql for sql in asked)


def test_log_can_be_read_from_version(signed_in, alice, codings, keys):
    for label in "abc":
        judge(codings["alice"], keys[label], "none")
    judge(codings["bob"], keys["a"], "place")
    found = signed_in(alice).get(URL, {"since": 1}).json()
    assert [entry["sequence"] for entry in found["results"]] == [2, 3]
    assert set(found["results"][0]) == {
        *("sequence", "uuid", "kind", "payload", "step", "undoes", "made_at", "applied_at")
    }
    assert found["results"][0]["payload"]["markable"] == keys["b"]
    assert [entry["sequence"] for entry in signed_in(alice).get(URL).json()["results"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("bound", "most"), [("coding.operations.MAX_MISSED_BYTES", 2000), ("api.texts.SequencePagination.page_size", 2)]
)
def test_pages_of_log_are_limited_and_have_no_gaps(signed_in, alice, post, keys, monkeypatch, bound, most):
    monkeypatch.setattr(f"annotations.{bound}", most)
    post(batch(*(operation(keys["a"], note="n" * 900) for _ in range(7))))
    client, address, pages = signed_in(alice), f"{URL}?since=1", []
    while address:
        page = client.get(address).json()
        pages.append([entry["sequence"] for entry in page["results"]])
        address = page["next"]
    assert pages == [[2, 3], [4, 5], [6, 7]]


def test_wrong_since_is_refused_and_large_since_finds_nothing(signed_in, alice, codings):
    client = signed_in(alice)
    for since in ("-1", "x", "1.5", ""):
        answer = client.get(URL, {"since": since})
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid"), since
    assert client.get(URL, {"since": 10**30}).json()["results"] == []
