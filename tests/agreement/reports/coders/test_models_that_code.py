"""Codings of models do not change figures of people, and count if they are included."""

import re
from collections.abc import Iterable
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.proposal import Method
from annotations.adjudication.readiness import submissions_of
from annotations.coding.status import submit_coding
from annotations.models import Coding, Membership, Project, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.planning.work.progress import read_progress_matrix
from annotations.projects.people.members import add_member, set_group
from annotations.projects.people.model_coders import add_model
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.coding import judge_all, judgement
from tests.shared.projects import person

pytestmark = pytest.mark.django_db

ROOT = "/projects/walk/"
OF_AGREEMENT = ("", "groups/", "grid/", "data/", "items/", "planning/", "repeats/", "tables/", "tables/coders/")
IN_API = [
    *(f"/api/v1/projects/walk/agreement/{path}" for path in OF_AGREEMENT),
    *(f"/api/v1/projects/walk/{path}" for path in ("codings/", "texts/", "judgements/", "hours/", "datasheet/")),
]
PAGES = [
    *(f"{ROOT}agreement/{path}" for path in ("", "texts/", "coders/", "items/", "groups/", "compare/", "data/")),
    *(f"{ROOT}{path}" for path in ("", "texts/", "texts/text-1/", "progress/", "assignments/", "members/", "export/")),
]
RANDOM_PARTS = re.compile(r'csrf\S+ value="[^"]+"|"csrf[^}]+|\d+\S(?:second|minute)s?')
# The datasheet names them for who may know of them, apart from all that is of people.
MODELS_FIELD = re.compile(r'"models":\[[^]]*\]')


@pytest.fixture(scope="module")
def walk(module_rows) -> Project:
    """Make a project of two texts that three people have coded; Charlie manages, Mallory manages and codes."""
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK, coders=("alice", "bob", "dora")))
    add_member(project, person("mallory"), Membership.Role.MANAGER_CODER)
    add_member(project, person("victor"), Membership.Role.VIEWER)
    return project


@pytest.fixture
def model(walk) -> User:
    """Make a model code one text and begin the other."""
    user = add_model(walk, "gpt").membership.user
    assign_texts(walk, walk.texts.all(), [user])
    first, second = Coding.objects.of_coders().filter(coder=user).order_by("text__slug")
    for coding in (first, second):
        units = coding.text.markables.filter(level__coded=True).order_by("start", "-end")
        judge_all(coding, [judgement(unit.key, "none") for unit in units])
    submit_coding(first, user)
    return user


def api(client, path: str = "agreement/", **query: str):
    return client.get(f"/api/v1/projects/walk/{path}", query)


def read_pages(client, paths: Iterable[str]) -> list[tuple[str, int, str]]:
    """Return path, status and body of each page, without tokens and durations."""
    read = [(path, client.get(path)) for path in paths]
    return [(path, reply.status_code, RANDOM_PARTS.sub("", reply.content.decode())) for path, reply in read]


@pytest.mark.parametrize("name", ["alice", "mallory", "victor", "charlie"])
@pytest.mark.parametrize("opened", [False, True])
def test_model_codings_do_not_change_api_answers(signed_in, walk, name, opened, request):
    Project.objects.update(results_open=opened)
    client = signed_in(person(name))
    before = read_pages(client, IN_API)
    request.getfixturevalue("model")
    after = [(path, status, MODELS_FIELD.sub('"models":[]', body)) for path, status, body in read_pages(client, IN_API)]
    assert after == before
    assert any(status == 200 for _, status, _ in before)


@pytest.mark.parametrize("name", ["alice", "mallory"])
def test_model_codings_do_not_change_pages_of_coders(signed_in, walk, name, request):
    Project.objects.update(results_open=True)
    client = signed_in(person(name))
    before = read_pages(client, PAGES)
    request.getfixturevalue("model")
    assert read_pages(client, PAGES) == before
    assert sum(status == 200 for _, status, _ in before) > 6


def test_model_counts_if_included_or_named(signed_in, charlie, walk, model):
    client = signed_in(charlie)
    people = api(client).json()
    included = api(client, include="models").json()
    assert (people["coders"], included["coders"]) == (["alice", "bob", "dora"], ["alice", "bob", "dora", "gpt"])
    assert people["value"] != included["value"]
    named, by_group = api(client, coders="alice,gpt").json(), api(client, groups="model", coders="alice").json()
    assert named["coders"] == by_group["coders"] == ["alice", "gpt"]
    assert named["value"] == by_group["value"]
    assert named["parameters"]["include"] == "models"


def test_open_coding_of_model_needs_include_open(signed_in, charlie, walk, model):
    client = signed_in(charlie)
    left_out = [api(client, include=value).json()["codings_left_out"]["open"] for value in ("models", "models,open")]
    assert left_out == [1, 0]


@pytest.mark.parametrize("name", ["alice", "mallory"])
def test_coder_cannot_tell_model_from_unknown_name(signed_in, walk, model, name):
    set_group(walk, [Membership.objects.get(user=model).pk], "machines")
    Project.objects.update(results_open=True)
    client = signed_in(person(name))
    for field, known, unknown in (("coders", "gpt", "ghost"), ("groups", "machines", "ghosts")):
        told = [api(client, **{field: value}) for value in (known, unknown)]
        assert [reply.status_code for reply in told] == [400, 400]
        assert told[0].content == told[1].content.replace(unknown.encode(), known.encode())
    assert api(client, include="models").json() == api(client).json()


def test_coders_do_not_see_number_of_omitted_models(signed_in, charlie, walk, model):
    Project.objects.update(results_open=True)
    sentence = "2 codings by models are left out of these figures of people."
    address = f"{ROOT}agreement/"
    pages = {name: signed_in(person(name)).get(address).content.decode() for name in ("charlie", "victor", "alice")}
    assert {name: sentence in page for name, page in pages.items()} == {"charlie": True, "victor": True, "alice": False}
    assert "by models" not in pages["alice"]
    with_model = signed_in(charlie).get(address, {"include": "models"}).content.decode()
    assert sentence not in with_model
    assert "gpt" in with_model


def test_command_omits_models_unless_named(walk, model):
    printed = [StringIO(), StringIO()]
    call_command("agreement", "walk", format="json", stdout=printed[0])
    call_command("agreement", "walk", format="json", stdout=printed[1], coders="alice,gpt")
    assert ["gpt" in output.getvalue() for output in printed] == [False, True]
    with pytest.raises(CommandError, match="there is no 'ghost'"):
        call_command("agreement", "walk", coders="ghost")


@pytest.mark.parametrize(("method", "coder", "said"), [(Method.MOST, "", 3), (Method.CODER, "gpt", 4)])
def test_gold_draft_uses_model_only_if_named(walk, model, method, coder, said):
    report = draft_gold(walk, DraftRequest(method, coder=coder, texts=["text-1"], adjudicator="charlie"))
    assert report.drafted == ["text-1"]
    [draft] = Coding.objects.get(kind="gold").operations.filter(kind="draft")
    assert len(draft.payload["codings"]) == said


def test_progress_and_submissions_count_people_only(walk, model, charlie):
    project = Project.objects.visible_to(charlie).get(pk=walk.pk)
    submissions = submissions_of(project, Coding.Kind.TEXT, list(project.rounds.all()))
    assert {row.assigned for row in submissions.values()} == {3}
    assert "gpt" not in str(read_progress_matrix(project, charlie, "", None, timezone.localdate()))
    assert Text.objects.filter(project=walk).visible_to(model).count() == 2
