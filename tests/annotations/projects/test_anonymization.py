"""Deletion of users: names are removed and work is kept."""

import io
import json
import zipfile
from datetime import timedelta
from itertools import chain
from uuid import uuid4

import pytest
from axes.models import AccessAttempt
from django.apps import apps
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from agreement.discussion import add_remark
from agreement.models import Computation
from annotations.coding.status import submit_coding
from annotations.models import (
    Coding,
    IdempotencyRecord,
    ImportNames,
    Invitation,
    Mail,
    Operation,
    Token,
    Transfer,
    User,
)
from annotations.planning.work.assignments import assign_texts
from annotations.projects.anonymization import forget_person, pseudonym_of
from annotations.projects.people import invitations
from annotations.projects.people.members import add_member
from annotations.projects.people.model_coders import add_model
from annotations.projects.people.tokens import create_token
from annotations.transfers import orders
from annotations.transfers.archiving import archive_project
from annotations.transfers.exporting.dispatch import export_files
from tests.shared.coding import judge
from tests.shared.projects import DIALOGUE, make_project

NAME, PASSWORD = "alice", "correct horse battery"


@pytest.fixture
def known(project, codings, keys, alice, charlie, settings) -> User:
    """Return Alice with a row in every table that refers to a user."""
    settings.AXES_ENABLED = True
    alice.first_name, alice.last_name, alice.email = "Alice", "Aliceson", "alice@example.org"
    alice.set_password(PASSWORD)
    alice.save()
    judge(codings["alice"], keys["a"], "place")
    for coding in codings.values():
        coding.refresh_from_db()
        submit_coding(coding, coding.coder)
    create_token(alice, "alice's notebook", "manage", 30)
    _, secret = invitations.invite(project, "coder", charlie, days=7, note="for Alice Aliceson")
    Invitation.objects.update(used_by=alice, used_at=alice.date_joined)
    assert secret
    client = Client()
    client.post("/sign-in/", {"username": NAME, "password": "wrong"})
    client.post("/sign-in/", {"username": "Alice", "password": "wrong"})
    assert Client().post("/sign-in/", {"username": NAME, "password": PASSWORD}).status_code == 302
    assert client.post("/sign-in/", {"username": "ALICE", "password": "wrong"}).status_code == 200
    type_of_user = ContentType.objects.get_for_model(User)
    LogEntry.objects.create(
        user=charlie, content_type=type_of_user, object_id=alice.pk, object_repr=NAME, action_flag=CHANGE,
        change_message=json.dumps([{"added": {"name": "membership", "object": "alice (coder)"}}]),
    )  # fmt: skip
    take = {"coders": [], "texts": [], "unfinished": True, "options": {}}
    assert orders.carry_out(orders.order_export(project, alice, "jsonlines", take), alice)
    assert orders.carry_out(orders.order_export(project, charlie, "jsonlines", take | {"coders": [NAME]}), charlie)
    stored = {"project": project, "user": charlie, "kind": "import", "format": "conll2012", "state": "failed"}
    Transfer.objects.create(**stored, choices={"files": ["Alice.conll"]}, error="Alice.conll: line 3")
    IdempotencyRecord.objects.create(user=charlie, key=uuid4(), digest="x", status=200, body={"coder": NAME})
    ImportNames.objects.create(project=project, format="conll2012", names={"coders": {"Alice Aliceson": NAME}})
    path = f"/projects/tea/rounds/t/coders/{NAME}/"
    Mail.objects.create(user=charlie, kind="training", context={"path": path}, next_try_at=alice.date_joined)
    add_remark(project.texts.get().markables.get(key=keys["a"]), alice, "What of this?")
    Computation.objects.create(project=project, kind="grid", state="s", parameters={}, result={"coder": NAME})
    return alice


def database_content() -> str:
    """Return the rows of all tables as text."""
    rows = chain.from_iterable(model._base_manager.order_by("pk").values() for model in apps.get_models())
    return "\n".join(map(str, rows)).lower()


def test_deletion_removes_name_and_keeps_work(known, project, codings, django_capture_on_commit_callbacks):
    assert NAME in database_content()
    codings_before, log = Coding.objects.of_people().count(), list(Operation.objects.order_by("pk").values())
    files = [transfer.file for transfer in Transfer.objects.all() if transfer.file]
    assert len(files) == 2
    assert all(file.storage.exists(file.name) for file in files)
    with django_capture_on_commit_callbacks(execute=True):
        forgotten = forget_person(known)
    assert (forgotten.pseudonym, forgotten.deleted, forgotten.codings) == (f"person-{known.pk}", False, 1)
    assert NAME not in database_content()
    assert Coding.objects.of_people().count() == codings_before
    assert list(Operation.objects.order_by("pk").values()) == log
    assert Coding.objects.of_people().get(pk=codings["alice"].pk).coder.username == forgotten.pseudonym
    assert not any(file.storage.exists(file.name) for file in files)
    assert not Token.objects.exists()
    call_command("verify_log")


def test_deletion_waits_for_running_export_of_user(known, project, charlie):
    running = {"project": project, "user": charlie, "kind": "export", "format": "muc", "state": "running", "total": 1}
    transfer = Transfer.objects.create(**running, choices={"coders": [NAME]})
    with pytest.raises(ValidationError, match="once it has ended"):
        forget_person(known)
    Transfer.objects.filter(pk=transfer.pk).update(heartbeat_at=timezone.now() - timedelta(hours=1))
    forget_person(known)
    assert NAME not in database_content()


def test_deletion_keeps_exports_of_similar_names(known, charlie, bob):
    other = make_project("other", "poesio-artstein-2005", DIALOGUE)
    done = {"user": charlie, "project": other, "kind": "export", "format": "muc", "state": "done"}
    kept = Transfer.objects.create(**done, choices={"coders": ["malice"]})
    forget_person(known)
    assert list(Transfer.objects.all()) == [kept]


def test_deletion_ends_sessions_keys_and_passwords(known, alice):
    client = Client()
    client.force_login(alice)
    _, key = create_token(alice, "n", "read", 1)
    forget_person(known)
    assert client.get("/").status_code == 302
    assert not Session.objects.exists()
    assert not AccessAttempt.objects.exists()
    assert Client().get("/api/v1/projects/", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    for name in (NAME, pseudonym_of(known)):
        assert Client().post("/sign-in/", {"username": name, "password": PASSWORD}).status_code == 200
    User.objects.create_user(NAME, password=PASSWORD)  # the name is free
    assert Client().post("/sign-in/", {"username": NAME, "password": PASSWORD}).status_code == 302


def test_archive_and_export_contain_pseudonym_only(known, project, bob):
    forgotten = forget_person(known)
    archive, export = io.BytesIO(), io.BytesIO()
    archive_project(project, archive)
    export_files(project, "jsonlines", export, coders=[], texts=[], unfinished=True, options={})
    for out in (archive, export):
        with zipfile.ZipFile(out) as opened:
            held = b"".join([*map(opened.read, opened.namelist()), *map(str.encode, opened.namelist())])
        assert forgotten.pseudonym.encode() in held
        assert NAME.encode() not in held.lower()


def test_results_show_pseudonym_and_same_figures(known, project, signed_in, charlie):
    client = signed_in(charlie)
    page, figures = "/projects/tea/agreement/coders/", "/api/v1/projects/tea/agreement/"
    before = client.get(figures).json()
    assert NAME in client.get(page).content.decode()
    forgotten = forget_person(known)
    after = client.get(page).content.decode()
    assert NAME not in after.lower()
    assert forgotten.pseudonym in after
    now = client.get(figures).json()
    before["coders"] = sorted(name.replace(NAME, forgotten.pseudonym) for name in before["coders"])
    assert json.dumps(now) == json.dumps(before).replace(NAME, forgotten.pseudonym)


def test_account_without_work_is_deleted(project, mallory, charlie):
    add_member(project, mallory, "viewer")
    create_token(mallory, "n", "read", 1)
    assert str(forget_person(mallory)) == "Account deleted; it had no work."
    assert not User.objects.filter(username__in=("mallory", f"person-{mallory.pk}")).exists()


def test_taken_pseudonym_gets_number(known):
    User.objects.create_user(f"Person-{known.pk}")
    assert forget_person(known).pseudonym == f"person-{known.pk}-2"


def test_model_keeps_codings_under_name_of_model(project, text):
    user = add_model(project, "gpt").membership.user
    assign_texts(project, [text], [user])
    assert forget_person(user).pseudonym == f"model-{user.pk}"
    assert Coding.objects.of_coders().get(coder=user).by_model
    assert forget_person(User.objects.get(pk=user.pk)).pseudonym == f"model-{user.pk}"


def test_second_deletion_changes_nothing(known):
    first = forget_person(known)
    before = database_content()
    assert forget_person(User.objects.get(pk=known.pk)) == first
    assert database_content() == before


def test_only_manager_and_only_superuser_are_not_deleted(project, charlie, mallory):
    create_token(charlie, "n", "read", 1)
    before = database_content()
    with pytest.raises(ValidationError, match="charlie is the only manager"):
        forget_person(charlie)
    assert database_content() == before
    add_member(project, mallory, "manager")
    forget_person(charlie)
    root = User.objects.create_superuser("root")
    with pytest.raises(ValidationError, match="root is the only superuser"):
        forget_person(root)


def test_admin_log_keeps_names_that_contain_deleted_name(known, charlie):
    other = LogEntry.objects.create(user=charlie, object_repr="malice and alice.b", action_flag=CHANGE)
    forget_person(known)
    other.refresh_from_db()
    assert other.object_repr == "malice and alice.b"


def test_command_reports_pseudonym_and_reasons(known, capsys):
    call_command("forget_person", NAME)
    assert capsys.readouterr().out == (
        f"The account is now person-{known.pk} and cannot sign in. 1 codings and their log are kept.\n"
    )
    with pytest.raises(CommandError, match="No user is called 'alice'"):
        call_command("forget_person", NAME)
    with pytest.raises(CommandError, match=r"only manager.*\nNothing was changed"):
        call_command("forget_person", "charlie")
