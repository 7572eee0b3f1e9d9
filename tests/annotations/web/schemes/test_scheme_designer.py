"""The scheme designer and its sample text."""

import json
import re
from dataclasses import replace
from pathlib import Path

from django.contrib.staticfiles import finders

from annotations.coding.status import submit_coding
from annotations.formats.model.scheme import AttributeSpec, ValueSpec
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import Coding
from annotations.revision.saving import save_scheme
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import STARTING_POINTS
from annotations.templatetags.modules import imported_modules
from tests.shared.coding import judge, judge_rest

EDIT = "/projects/tea/scheme/edit/"
DRAFT = "/projects/tea/scheme/draft/"
SAMPLE = "/projects/tea/scheme/sample/"


def state(reply, name="scheme-start-state"):
    """Return the JSON that the page holds under that id."""
    page = reply.content.decode()
    start = page.index(f'<script id="{name}" type="application/json">')
    return json.loads(page[page.index(">", start) + 1 : page.index("</script>", start)])


def draft_of(client, scheme):
    return client.post(DRAFT, {"scheme": json.dumps(scheme)})


def test_designer_starts_with_saved_scheme(manager, project, django_assert_max_num_queries):
    with django_assert_max_num_queries(20):
        start = state(manager.get(EDIT))
    assert start["scheme"] == scheme_to_json(read_scheme(project.pk).spec, "pointers")
    assert [point["key"] for point in start["starts"]] == [key for key in STARTING_POINTS if key != "pyramid"]


def test_start_state_tells_if_texts_exist_or_are_assigned(manager, project):
    def in_use():
        start = state(manager.get(EDIT))
        return start["assigned"], start["has_texts"]

    assert in_use() == (True, True)
    Coding.objects.of_people().all().delete()
    assert in_use() == (False, True)
    project.texts.all().delete()
    assert in_use() == (False, False)


def test_draft_is_checked_without_being_saved(manager, project):
    scheme = scheme_to_json(STARTING_POINTS["arrau-like"].spec, "pointers")
    verdict = draft_of(manager, scheme).json()
    assert verdict["problems"] == []
    assert verdict["sample"]["scheme"]["attributes"] == scheme["attributes"]
    assert "bridging" in verdict["sample"]["scheme"]["constraints"]["relations"]
    assert "New relation: bridging, asked if the category is new." in verdict["changes"]
    assert {consequence["topic"] for consequence in verdict["consequences"]} >= {"Measures", "Pages"}
    assert [category.key for category in project.categories.all()] == ["phrase", "segment", "place", "none"]
    labels = scheme_to_json(STARTING_POINTS["multi-label"].spec, "categories")
    changes = draft_of(manager, labels).json()["changes"]
    assert changes[0] == "Answers are categories alone, no longer pointers to antecedents."


def test_problems_of_draft_name_their_question(manager, project):
    scheme = scheme_to_json(read_scheme(project.pk).spec, "pointers")
    attribute = {"key": "gender", "label": "gender", "asked_if": {"question": "number", "values": ["sg"]}}
    verdict = draft_of(manager, scheme | {"attributes": [attribute]}).json()
    places = [(problem["kind"], problem["question"]) for problem in verdict["problems"]]
    assert places == [("attribute", "gender")] * 2
    assert verdict["problems"][0]["message"] == "It has no values."
    values = [{"key": "f", "label": "f"}, {"key": "m", "label": ""}]
    scheme["levels"][1]["label"] = ""
    scheme["attributes"] = [{"key": "gender", "label": "gender", "values": values}]
    problems = draft_of(manager, scheme).json()["problems"]
    assert [(problem["kind"], problem["question"], problem["message"]) for problem in problems] == [
        ("level", "turn", "label: This is empty."),
        ("attribute", "gender", "Value 2, label: This is empty."),
    ]


def test_invalid_drafts_are_refused(manager):
    scus = '{"answers": "scus", "levels": [], "categories": []}'
    for sent in ("", "{", "[" * 100_000, "null", '{"answers": "pointers"}', scus):
        reply = manager.post(DRAFT, {"scheme": sent})
        assert reply.status_code == 400 or reply.json()["problems"]
        assert reply.json().get("sample") is None


def test_members_try_scheme_in_frame_of_same_site(signed_in, people, project):
    for role in ("coder", "viewer", "manager"):
        reply = signed_in(people[role]).get(SAMPLE)
        assert state(reply, "coding-state")["practice"] is True
        assert b"data-operations" not in reply.content
        assert reply["X-Frame-Options"] == "SAMEORIGIN"
        assert "frame-ancestors 'self'" in reply["Content-Security-Policy"]
    assert signed_in(people["coder"]).get(EDIT).status_code == 403


def test_sample_text_preloads_its_modules_and_coding_modules(manager):
    links = re.findall(r'<link rel="modulepreload" href="/static/([^"]+)">', manager.get(SAMPLE).content.decode())
    assert len(links) == len(set(links))
    assert set(links) == {*imported_modules("js/scheme/sample.js"), *imported_modules("js/coding/main.js")}


def test_history_lists_changes_of_each_version(signed_in, people, project, codings, keys, charlie):
    page = signed_in(people["coder"])
    url = "/projects/tea/scheme/versions/"
    assert "One version so far" in page.get(url).content.decode()
    judge(codings["alice"], keys["a"], "none")
    spec = read_scheme(project.pk).spec
    for label in ("gender", "number"):
        attribute = AttributeSpec(label, label, values=(ValueSpec("x", "x"),))
        spec = replace(spec, attributes=(*spec.attributes, attribute))
        save_scheme(project, spec, charlie)
    answer = page.get(url).content.decode()
    places = [answer.index(words) for words in ("New attribute: number.", "New attribute: gender.", "the first")]
    assert places == sorted(places)
    assert answer.count("charlie") == 2


def test_lists_mark_submitted_texts_that_lack_new_required_answers(
    manager, signed_in, alice, project, codings, keys, charlie
):
    judge_rest(codings["alice"])
    codings["alice"].refresh_from_db()
    submit_coding(codings["alice"], alice)
    lists = ((charlie, "/projects/tea/texts/"), (alice, "/projects/tea/"))
    mark = '<span class="chip warn">to complete</span>'
    assert not any(mark in signed_in(user).get(page).content.decode() for user, page in lists)
    attribute = AttributeSpec("gender", "gender", required=True, values=(ValueSpec("f", "f"),))
    save_scheme(project, replace(read_scheme(project.pk).spec, attributes=(attribute,)), charlie)
    assert all(mark in signed_in(user).get(page).content.decode() for user, page in lists)


def test_start_scripts_of_designer_stay_small():
    files = [finders.find(name) for name in imported_modules("js/scheme/main.js")]
    assert sum(Path(file).stat().st_size for file in files if isinstance(file, str)) < 108_000
