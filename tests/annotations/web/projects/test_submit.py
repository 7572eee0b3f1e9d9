"""Submitting a coding."""

import pytest

from annotations.coding import operations
from annotations.coding.status import reopen_coding
from annotations.formats.model.scheme import CATEGORY, Condition
from annotations.models import Attribute
from annotations.projects.permissions import own_coding
from annotations.schemes.project_scheme import set_coder_marked_levels
from annotations.texts.changes import delete_project, project_deletion_figures
from annotations.web.views import coding as pages
from tests.shared.coding import change, judge
from tests.shared.schemes import BRIDGING, change_rows, coding_of, rich_project

URL = "/projects/tea/texts/tea/submit/"


def status(coding):
    coding.refresh_from_db()
    return coding.status


def test_coder_submits_own_coding(signed_in, alice, codings, keys):
    judge(codings["alice"], keys["a"], "none")
    client = signed_in(alice)
    assert client.post(URL).url == "/projects/tea/"
    assert {name: status(coding) for name, coding in codings.items()} == {"alice": "submitted", "bob": "open"}
    assert list(codings["alice"].operations.values_list("kind", flat=True)) == ["judge", "submit"]
    assert "Submitted “Tea”" in client.get("/projects/tea/").content.decode()


@pytest.mark.parametrize("step", ["submit", "reopen"])
def test_action_in_project_deleted_meanwhile_answers_not_found(signed_in, alice, codings, project, step, monkeypatch):
    client = signed_in(alice)
    if step == "reopen":
        client.post(URL)

    def own_coding_before_the_deletion(*args, **options):
        coding = own_coding(*args, **options)
        delete_project(project, project_deletion_figures(project).tag)
        return coding

    monkeypatch.setattr(pages, "own_coding", own_coding_before_the_deletion)
    assert client.post(f"/projects/tea/texts/tea/{step}/").status_code == 404


@pytest.fixture
def rich(alice):
    """Return a coding without required answers, and a function that judges with the given attributes."""
    coding = coding_of(rich_project("rich", BRIDGING, alice))
    change_rows(coding.text.project.attributes.all(), required=False)
    kettle, stove = coding.text.markables.filter(level__coded=True).order_by("start").values_list("key", flat=True)[:2]
    answers = {
        "use": {"markable": kettle, "category": "place"},
        "gender": {"markable": kettle, "category": "place"},
        "how": {"markable": stove, "category": "none", "relations": {"bridging": [kettle]}},
    }

    def send(attribute, **attributes):
        payload = answers[attribute] | ({"attributes": attributes} if attributes else {})
        coding.refresh_from_db()
        operations.apply(coding, alice, coding.version, [change("judge", **payload)])
        coding.refresh_from_db()

    return coding, send


@pytest.mark.parametrize(
    ("attribute", "answer", "message"),
    [
        ("use", "a", "Answer “use” for “the kettle” first."),
        ("gender", "n", "Answer “gender” for the chain of “the kettle” first."),
        ("how", "own", "Answer “how related” for “the stove” first."),
    ],
)
def test_submission_names_missing_answer_by_words_of_text(signed_in, alice, rich, attribute, answer, message):
    coding, send = rich
    send(attribute)
    client, [judged] = signed_in(alice), coding.judgements.all()
    url = "/projects/rich/texts/tea/submit/"
    client.post(url)
    assert status(coding) == "submitted"  # nothing is required
    reopen_coding(coding, alice)
    change_rows(Attribute.objects.filter(key=attribute), required=True)
    sent = client.post(url)
    assert sent.url == f"/projects/rich/texts/tea/code/#{judged.markable.key}"
    assert message in client.get(sent.url).content.decode()
    address = "/api/v1/projects/rich/texts/tea/coding/"
    refused = client.patch(address, {"status": "submitted"}, "application/json", headers={"If-Match": "*"})
    problem = refused.json()
    assert (refused.status_code, problem["code"], problem["detail"]) == (400, "missing_attribute", message)
    missing = {"attribute": attribute, "markable": judged.markable.key, "of_chain": attribute == "gender"}
    assert problem["missing"] == [missing]
    send(attribute, **{attribute: answer})
    client.post(url)
    assert status(coding) == "submitted"


def test_submission_counts_missing_answers(signed_in, alice, rich):
    coding, send = rich
    change_rows(Attribute.objects.filter(key="gender"), asked_if=Condition(CATEGORY, ("place", "none")).state())
    change_rows(coding.text.project.attributes.all(), required=True)
    send("use")
    send("how")
    client = signed_in(alice)
    page = client.get(client.post("/projects/rich/texts/tea/submit/").url).content.decode()
    assert "Answer “use” for “the kettle” first. In all, 4 required answers are missing." in page


@pytest.mark.parametrize("coders_mark", [False, True])
def test_untouched_text_can_be_submitted(signed_in, alice, rich, coders_mark):
    coding, _ = rich
    project = coding.text.project
    change_rows(project.attributes.all(), required=True)
    if coders_mark:
        coding.text.markables.all().delete()
        set_coder_marked_levels(project, project.levels.filter(coded=True))
    signed_in(alice).post("/projects/rich/texts/tea/submit/")
    assert status(coding) == "submitted"
