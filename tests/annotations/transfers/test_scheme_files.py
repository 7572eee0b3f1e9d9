"""Export and import of schemes by page, API and command."""

import io
import json
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotations.models import Project
from annotations.projects.creation import create_project
from annotations.schemes.project_scheme import read_scheme
from annotations.schemes.ready_made import SCHEMES
from tests.shared.schemes import RICH, change_rows

NEW = b"""[entities]
Person
Place
[attributes]
Fame Arg:<ENTITY>, Value:high|low
"""


@pytest.fixture
def manager(client, db, django_user_model):
    user = django_user_model.objects.create_user("maria", password="x")
    client.force_login(user)
    return user


@pytest.fixture
def rich(manager) -> Project:
    return create_project("rich", "Rich", RICH, manager=manager)


@pytest.fixture
def plain(manager) -> Project:
    return create_project("plain", "Plain", SCHEMES["clusters"], manager=manager)


def spec_of(project):
    return read_scheme(project.pk).spec


def test_pages_copy_scheme_to_other_project(client, rich, plain):
    exported = client.get(reverse("export-scheme", args=[rich.slug]))
    assert exported["Content-Disposition"] == 'attachment; filename="rich-scheme.json"'
    address = reverse("import-scheme", args=[plain.slug])
    preview = client.post(address, {"file": SimpleUploadedFile("rich.json", exported.content)})
    assert (preview.status_code, preview.context["problems"]) == (200, [])
    assert spec_of(plain) != spec_of(rich)
    fields = preview.context["confirmation"].initial
    assert client.post(address, fields).status_code == 302
    assert spec_of(plain) == spec_of(rich)
    plain.refresh_from_db()
    assert plain.answers == "pointers"


def test_mmax2_scheme_comes_with_list_of_losses(client, rich):
    exported = client.get(reverse("export-scheme", args=[rich.slug]), {"format": "mmax2"})
    with zipfile.ZipFile(io.BytesIO(exported.content)) as archive:
        assert "bridging: its help is left out" in archive.read("LOSSES.txt").decode()
        assert "Schemes/phrase_scheme.xml" in archive.namelist()


@pytest.mark.parametrize("address", ["export-scheme", "api-scheme-export"])
def test_export_refuses_format_that_is_only_read(client, rich, address):
    response = client.get(reverse(address, args=[rich.slug]), {"format": "brat"})
    assert (response.status_code, b"written as json or mmax2" in response.content) == (400, True)


def test_invalid_scheme_file_is_refused_with_line(client, plain):
    file = SimpleUploadedFile("annotation.conf", b"Person\n")
    response = client.post(reverse("import-scheme", args=[plain.slug]), {"file": file})
    assert response.status_code == 400
    message = "annotation.conf:1: a line stands before the first section, such as [entities]"
    assert response.context["form"].errors["file"] == [message]


def test_scheme_changed_meanwhile_is_not_overwritten(client, plain):
    address = reverse("import-scheme", args=[plain.slug])
    preview = client.post(address, {"file": SimpleUploadedFile("annotation.conf", NEW)})
    change_rows(plain.levels.all(), label="changed")
    response = client.post(address, preview.context["confirmation"].initial)
    assert response.status_code == 409
    assert [level.label for level in spec_of(plain).levels] == ["changed"]


@pytest.mark.parametrize("scheme", ["{", "[" * 10_000, '{"levels": 3}', ""])
def test_invalid_confirmation_changes_nothing(client, plain, scheme):
    before = spec_of(plain)
    response = client.post(reverse("import-scheme", args=[plain.slug]), {"scheme": scheme, "tag": "x"})
    assert (response.status_code, spec_of(plain)) == (302, before)


def test_api_reads_scheme_file_for_put(client, plain):
    file = SimpleUploadedFile("annotation.conf", NEW)
    read = client.post(reverse("api-scheme-read", args=[plain.slug]), {"file": file}).json()
    assert [category["key"] for category in read["scheme"]["categories"]] == ["Person", "Place"]
    assert read["losses"] == []
    tag = client.get(reverse("api-scheme", args=[plain.slug]))["ETag"]
    body = {"data": json.dumps(read["scheme"]), "content_type": "application/json"}
    response = client.put(reverse("api-scheme", args=[plain.slug]), **body, headers={"If-Match": tag})
    assert response.status_code == 200, response.content
    assert [attribute.key for attribute in spec_of(plain).attributes] == ["Fame"]
    refused = client.post(reverse("api-scheme-read", args=[plain.slug]), {"file": SimpleUploadedFile("a.xml", b"<a/>")})
    assert (refused.status_code, "no scheme was found in it" in refused.content.decode()) == (400, True)


def test_command_exports_and_imports_scheme(rich, plain, tmp_path, capsys):
    file = tmp_path / "scheme.json"
    call_command("scheme", "export", str(file), "--project=rich")
    call_command("scheme", "import", str(file), "--project=plain", "--user=maria", "--trial")
    assert spec_of(plain) != spec_of(rich)
    call_command("scheme", "import", str(file), "--project=plain", "--user=maria")
    assert spec_of(plain) == spec_of(rich)
    assert "plain: has 2 levels, 4 categories, 3 relations, 7 attributes" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["export", "FILE", "--project=ghost"], "There is no project 'ghost'"),
        (["import", "FILE", "--project=plain", "--user=ghost"], "There is no account 'ghost'"),
        (["import", "FILE", "--project=plain", "--user=maria"], "No such file"),
        (["import", "CONF", "--project=plain", "--user=maria"], "annotation.conf:1: a line stands before"),
    ],
)
def test_command_reports_errors(plain, tmp_path, arguments, message):
    (tmp_path / "annotation.conf").write_text("Person\n")
    places = {"FILE": str(tmp_path / "ghost.json"), "CONF": str(tmp_path / "annotation.conf")}
    with pytest.raises(CommandError, match=message):
        call_command("scheme", *[places.get(each, each) for each in arguments])
