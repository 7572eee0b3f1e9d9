"""Models as coders: managers add them, and their clients code with an API key."""

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client

from annotations.formats import plain
from annotations.models import Coding, Membership, ModelCoder, Project, Text, Token, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.accounts import make_reset_link, record_origin
from annotations.projects.people.members import CODING_ROLES, add_member, members_in_roles, remove_membership
from annotations.projects.people.model_coders import add_model, make_key
from annotations.transfers.importing.documents import import_documents
from annotations.transfers.importing.files.source_document import SourceDocument
from annotations.transfers.importing.options import ImportOptions
from tests.shared.projects import make_project

URL = "/api/v1/projects/tea/"
MODELS = f"{URL}models/"
JSON = {"content_type": "application/json"}
GPT = {"name": "gpt", "version": "4.1", "hash": "sha256:0123", "date": "2026-11-01"}


@pytest.fixture
def model(project) -> ModelCoder:
    """Make a model with an assigned text."""
    model = add_model(project, "gpt", version="4.1")
    assign_texts(project, project.texts.all(), [model.membership.user])
    return model


def client_of(model: ModelCoder) -> Client:
    return Client(headers={"Authorization": f"Bearer {make_key(model, 1)[1]}"})


def code(client: Client, keys: dict[str, str]) -> None:
    """Let the client judge every phrase and submit the coding."""
    changes = [
        {"uuid": str(uuid4()), "kind": "judge", "payload": {"markable": key, "category": "none"}}
        for label, key in keys.items()
        if label.isalpha()
    ]
    address = f"{URL}texts/tea/coding/"
    sent = client.post(f"{address}operations/", {"version": 0, "operations": changes}, **JSON)
    assert sent.status_code == 200, sent.content
    state = client.get(address)
    submitted = client.patch(address, {"status": "submitted"}, headers={"If-Match": state["ETag"]}, **JSON)
    assert submitted.status_code == 200, submitted.content


def test_manager_adds_model_and_lists_its_details(signed_in, charlie, project):
    client = signed_in(charlie)
    added = client.post(MODELS, GPT, **JSON)
    assert (added.status_code, added.json()) == (201, GPT | {"group": "model"})
    assert client.get(MODELS).json()["results"] == [added.json()]
    assert client.get(f"{MODELS}gpt/").json() == added.json()
    of_member = {"username": "gpt", "role": "coder", "group": "model", "is_model": True}
    assert client.get(f"{URL}members/gpt/").json() == of_member
    assert not User.objects.get(username="gpt").has_usable_password()


def test_wrong_models_are_refused_by_field(manager):
    for wrong in ({"name": "Alice"}, {"name": "a b"}, {"group": "a,b"}, {"date": "soon"}):
        answer = manager.post(MODELS, GPT | wrong, **JSON)
        assert (answer.status_code, list(answer.json()["errors"])) == (400, list(wrong))
    assert not ModelCoder.objects.exists()


def test_new_key_of_model_ends_former_key(signed_in, charlie, model):
    client = signed_in(charlie)
    keys = [client.post(f"{MODELS}gpt/key/", {}, **JSON).json()["key"] for _ in range(2)]
    answers = [Client(headers={"Authorization": f"Bearer {key}"}).get(URL).status_code for key in keys]
    assert answers == [401, 200]
    [token] = Token.objects.filter(user__username="gpt")
    assert token.scope == "annotate"
    assert client.delete(f"{MODELS}gpt/key/").status_code == 204
    assert Client(headers={"Authorization": f"Bearer {keys[1]}"}).get(URL).status_code == 401


def test_repeated_key_request_shows_key_once(signed_in, charlie, model):
    once = {"headers": {"Idempotency-Key": str(uuid4())}}
    first, second = (signed_in(charlie).post(f"{MODELS}gpt/key/", {}, **JSON, **once).json()["key"] for _ in range(2))
    assert first.startswith("coindex_")
    assert second is None


def test_client_codes_as_model_and_sees_only_own_work(model, codings, keys):
    client = client_of(model)
    assert [row["slug"] for row in client.get(f"{URL}texts/").json()["results"]] == ["tea"]
    code(client, keys)
    [row] = client.get(f"{URL}codings/").json()["results"]
    assert (row["coder"], row["status"]) == ("gpt", "submitted")
    assert client.get(f"{URL}texts/tea/codings/alice/").status_code == 404
    assert client.get(MODELS).status_code == 403


def test_codings_of_models_are_unlisted_but_readable_by_name(signed_in, alice, charlie, model, keys):
    code(client_of(model), keys)
    manager = signed_in(charlie)
    assert {row["coder"] for row in manager.get(f"{URL}codings/").json()["results"]} == {"alice", "bob"}
    assert {row["coder"] for row in manager.get(f"{URL}judgements/").json()["results"]} == set()
    assert manager.get(f"{URL}texts/tea/codings/gpt/").status_code == 200
    coders = members_in_roles(model.membership.project, CODING_ROLES)
    assert set(coders.values_list("username", flat=True)) == {"alice", "bob"}
    assert set(Coding.objects.of_people().values_list("coder__username", flat=True)) == {"alice", "bob"}


def test_coding_manager_cannot_see_models(signed_in, mallory, project, model, keys):
    add_member(project, mallory, Membership.Role.MANAGER_CODER)
    code(client_of(model), keys)
    client = signed_in(mallory)
    for opened in (False, True):
        Project.objects.update(results_open=opened)
        members = {row["username"] for row in client.get(f"{URL}members/").json()["results"]}
        assert members == {"alice", "bob", "charlie", "mallory"}
        assert client.get(f"{URL}members/gpt/").status_code == client.get(f"{URL}members/ghost/").status_code == 404
        assert client.get(MODELS).status_code == 403
        for name in ("gpt", "ghost"):
            answer = client.post(f"{URL}codings/", {"texts": ["tea"], "coders": [name]}, **JSON)
            assert answer.json()["errors"] == {"coders": [f"There is no '{name}' here."]}
            assert client.get(f"{URL}texts/tea/codings/{name}/").status_code == 404


def test_coding_manager_cannot_detect_model_by_adding_it(signed_in, mallory, project, model):
    add_member(project, mallory, Membership.Role.MANAGER_CODER)
    client = signed_in(mallory)
    for name in ("gpt", "ghost"):
        answer = client.post(f"{URL}members/", {"username": name, "role": "viewer"}, **JSON)
        assert answer.json()["errors"] == {"username": ["No user has this username."]}
        page = client.post("/projects/tea/members/", {"username": name, "role": "viewer"}).content.decode()
        assert "No user has this username." in page


def test_import_marks_codings_of_models(project):
    add_model(project, "gpt")
    document = plain.parse("Tom saw [her](x)", "dog.txt")
    import_documents(project, [SourceDocument(document, "gpt")], ImportOptions(of_format={"empty": "take"}))
    assert Coding.objects.of_coders().get(coder__username="gpt").by_model
    assert not Coding.objects.of_people().filter(text__slug="dog").exists()


def test_manager_assigns_texts_to_model(signed_in, charlie, project):
    add_model(project, "gpt")
    answer = signed_in(charlie).post(f"{URL}codings/", {"texts": ["tea"], "coders": ["gpt"]}, **JSON)
    assert answer.json() == {"new": 1}
    assert Coding.objects.of_coders().get(coder__username="gpt").by_model


def test_model_has_only_coder_role_in_its_project(project, model):
    user = model.membership.user
    for role in set(Membership.Role.values) - {"coder"}:
        with pytest.raises(ValidationError, match="it codes, and does nothing else"):
            add_member(project, user, role)
    with pytest.raises(ValidationError, match="a model of another project"):
        add_member(make_project("other"), user, Membership.Role.CODER)


def test_only_models_without_codings_are_removed(project, model):
    with pytest.raises(ValidationError, match="withdraw its key"):
        remove_membership(model.membership)
    idle = add_model(project, "idle")
    make_key(idle, 1)
    remove_membership(idle.membership)
    assert not Token.objects.exists()


def test_models_get_no_password_link(charlie, model):
    record_origin(model.membership.project, model.membership.user)
    with pytest.raises(ValidationError, match="A link can be made only"):
        make_reset_link(model.membership, charlie)


def test_markables_of_models_are_hidden_from_people(project, text, model):
    coding = Coding.objects.of_coders().get(coder=model.membership.user)
    level = project.levels.get(key="phrase")
    own = text.markables.create(level=level, key="phrase:0-3", parts=[[0, 3]], start=0, end=3, predefined=False)
    coding.judgements.create(markable=own)
    assert own not in text.markables.in_use()
    assert Text.objects.filter(pk=text.pk).visible_to(model.membership.user).exists()
