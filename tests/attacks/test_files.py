"""Uploaded files: where they are stored, how they are served, and that they load nothing external."""

from __future__ import annotations

import re
import socket
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

from annotations.formats import Answer, Bundle, Document, Format, FormatError, Links, Mark, ducview
from annotations.formats.losses.reduction import reduce_document
from annotations.models import Transfer
from tests.access.role_asking import World, actor
from tests.access.role_matrix import AGREEMENT, PAGES
from tests.access.role_world import upload
from tests.annotations.formats.laws.test_laws import WRITTEN, written
from tests.annotations.formats.test_ducview import PEER, PYRAMID
from tests.annotations.web.transfers.test_import import CONLL
from tests.shared.documents import INDEXING

SCRIPT = b"<html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>"
OPENED = ("page.html", "picture.svg", "a.xml", "a.js", "a.pdf", "a.swf", "a.txt", "a", ".htaccess")
OUT = (
    "../../../../tmp/coindex-out.conll", "..\\..\\coindex-out.conll", "/tmp/coindex-out.conll", "C:\\coindex-out.conll",
    "a/../../coindex-out.conll", "....//....//coindex-out.conll", "%2e%2e%2fcoindex-out.conll", "..%c0%afcoindex-out",
    "coindex\u2215out.conll", "x" * 5000 + ".conll", ".", "..", "CON", "a\tb.conll", "-rf.conll", "a;b.conll",
    'a".conll',
    "\u202egpj.conll", "a\r\nX-Evil: 1.conll",
)  # fmt: skip
BESIDE = (
    "/static/../config/settings.py", "/static/%2e%2e/config/settings.py", "/static/..%2fconfig/settings.py",
    "/static//etc/passwd", "/static/css/../../manage.py", "/static/..\\manage.py", "/static/%00", "/static/",
    "/transfers/../static/css/base/base.css", "/manage.py", "/.git/config", "/.env", "/var/secret-key",
)  # fmt: skip


def send(world: World, name: str, content: bytes) -> Any:
    """Import a file under exactly this name, as no browser sends it; keep the changes, and return the answer."""
    fields = {"format": "conll2012", "whose": "nobody"}
    parts = [f'Content-Disposition: form-data; name="{field}"\r\n\r\n{fields[field]}'.encode() for field in fields]
    parts.append(b'Content-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s' % (name.encode(), content))
    body = b"--xxxxx\r\n" + b"\r\n--xxxxx\r\n".join(parts) + b"\r\n--xxxxx--\r\n"
    world.sign_in("manager")
    kind = "multipart/form-data; boundary=xxxxx"
    return world.client.generic("POST", "/projects/tea/import/", body, content_type=kind)


def find_transfer(reply: Any) -> Transfer:
    return Transfer.objects.get(pk=reply["Location"].split("/")[-2])


def files_below(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file()}


def test_uploads_are_served_as_attachments(world):
    for name in OPENED:
        made = find_transfer(send(world, name, SCRIPT))
        for address in (f"/transfers/{made.pk}/file/", f"/api/v1/transfers/{made.pk}/file/"):
            taken = world.ask("GET", address, "manager")
            assert taken["Content-Type"] == "application/octet-stream"
            assert taken["Content-Disposition"].startswith("attachment")
            assert taken["X-Content-Type-Options"] == "nosniff"
            assert "script-src 'self'" in taken["Content-Security-Policy"]
            assert b"".join(taken) == SCRIPT


def test_file_names_cannot_leave_upload_folder(world, media_root):
    before = files_below(media_root.parent)
    for name in OUT:
        reply = send(world, name, CONLL.encode())
        assert reply.status_code in (302, 400), name
        if reply.status_code == 302:
            taken = world.ask("GET", reply["Location"] + "file/", "manager")
            said = taken["Content-Disposition"]
            assert not re.search(r"[/\\\r\n\0]", unquote(said.partition("utf-8''")[2]) or said.replace('\\"', "")), name
            assert "X-Evil" not in taken
    new = files_below(media_root.parent) - before
    assert new
    assert {path.parent for path in new} == {media_root / "transfers"}
    assert not Path("/tmp/coindex-out.conll").exists()


def test_names_in_zip_cannot_leave_upload_folder(world, media_root):
    before = files_below(media_root.parent)
    for name in ("../x.conll", "/x.conll", "a/../../x.conll", "..\\x.conll"):
        out = BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(name, CONLL)
        assert find_transfer(send(world, "a.zip", out.getvalue())).state == Transfer.State.FAILED
    assert {path.parent for path in files_below(media_root.parent) - before} == {media_root / "transfers"}


@pytest.mark.parametrize("address", BESIDE)
def test_paths_outside_static_folder_are_not_served(admin_client, settings, address):
    settings.WHITENOISE_AUTOREFRESH = False  # as in production
    assert admin_client.get(address).status_code in (404, 400)


def test_invalid_project_slugs_are_refused(world):
    for slug in ("../x", "a/b", "..", "%2e", "a\0b", "new", "a b", "\u0430"):
        for address, body in (
            ("/projects/new/archive/", {"file": upload, "slug": slug}),
            ("/projects/new/", {"title": "T", "slug": slug, "scheme": "muc-ident"}),
        ):
            reply = world.ask("POST", address, "superuser", body)
            assert reply.status_code in (200, 302, 400), (address, slug)
            assert not any('INSERT INTO "annotations_project"' in write for write in world.writes), (address, slug)


class Listener:
    """A local server that must not be contacted, and a record of other attempts."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.setblocking(False)
        self.tried: list[object] = []
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}"

    def was_contacted(self) -> bool:
        try:
            self.socket.accept()[0].close()
        except BlockingIOError:
            return False
        return True


@pytest.fixture
def listener(monkeypatch) -> Iterator[Listener]:
    """Listen for connections of libraries in C; record and refuse those and the look-ups that Python tries."""
    made = Listener()

    def refuse(*arguments: object, **more: object) -> Any:
        made.tried.append(arguments)
        raise OSError("no connections here")

    with monkeypatch.context() as patched:
        for name in ("connect", "connect_ex"):
            patched.setattr(socket.socket, name, refuse)
        for name in ("getaddrinfo", "gethostbyname", "create_connection"):
            patched.setattr(socket, name, refuse)
        yield made
    made.socket.close()


def test_listener_detects_connection():
    made = Listener()
    assert not made.was_contacted()
    socket.create_connection(made.socket.getsockname()).close()
    assert made.was_contacted()
    made.socket.close()


def test_listener_records_connections_of_python(listener):
    with pytest.raises(OSError, match="no connections"):
        urlopen("http://example.org/", timeout=5)
    assert listener.tried


SECRET = "a word of a file that nobody asked for"
LINKED = Document(
    "walk",
    "walk",
    "Anna saw her dog and Anna",
    [Mark(((0, 4),), "mention", answer=Answer(category="refers", indices=("Anna",)))],
    links=Links.INDICES,
    scheme=INDEXING,
)


def insert_references(data: bytes, address: str, kept: Path) -> Iterator[bytes]:
    """Yield the file with each construct that refers to a network address or a local file."""
    text = data.decode()
    root = re.search(r"<([A-Za-z][\w:.-]*)[^>]*>", text)
    yield text.replace(
        "Anna", f'#include "{address}/x" @import url({address}/x) {address}/x <img src="{address}/x">'
    ).encode()
    if not root:
        return
    body = text[root.start() :]
    for where in (address, kept.as_uri()):
        for prolog in (
            f'<?xml-stylesheet type="text/xsl" href="{where}/x.xsl"?>',
            f'<?xml-model href="{where}/x.rng"?>',
            f'<!DOCTYPE {root[1]} SYSTEM "{where}/x.dtd">',
            f'<!DOCTYPE {root[1]} PUBLIC "-//x//EN" "{where}/x.dtd">',
            f'<!DOCTYPE {root[1]} [<!ENTITY x SYSTEM "{where}">]>',
            f'<!DOCTYPE {root[1]} [<!ENTITY % x SYSTEM "{where}/x.ent"> %x;]>',
        ):
            yield (prolog + body).encode()
            yield (prolog + body.replace("Anna", "&x;")).encode()
        schema = f' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="urn:x {where}/x.xsd"'
        head = len(root[1]) + 1
        yield (body[:head] + schema + f' xml:base="{where}/"' + body[head:]).encode()
        for inner in (
            f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{where}" parse="text"/>',
            f'<imports><import location="{where}"/><import name="{where}"/></imports>',
        ):
            yield body.replace(root[0], root[0] + inner, 1).encode()


def read_words(format_: Format, files: Mapping[str, bytes]) -> str:
    """Return everything that the format reads from the files, and its errors, as one string."""
    said = []
    for names in format_.bundles(sorted(files), format_.suffixes):
        try:
            said.append(str(format_.read(Bundle(names[0], {name: files[name] for name in names}))))
        except FormatError as error:
            said.append(str(error))
    return "\n".join(said)


@pytest.fixture
def secret(tmp_path) -> Path:
    kept = tmp_path / "secret"
    kept.write_text(SECRET, encoding="utf-8")
    return kept


@pytest.mark.parametrize("format_", WRITTEN, ids=lambda format_: format_.key)
def test_formats_load_no_external_resources(listener, secret, format_):
    document, _ = reduce_document(replace(LINKED), format_.supported_features)
    files, tried = written(format_, document), 0
    for name, data in files.items():
        for changed in insert_references(data, listener.address, secret):
            assert SECRET not in read_words(format_, files | {name: changed})
            tried += changed != data
    assert tried
    assert (listener.tried, listener.was_contacted()) == ([], False)


def test_ducview_loads_no_external_resources(listener, secret):
    for name, data, read in (
        ("rain.pyr", ducview.write_pyramid(PYRAMID), ducview.read_pyramid),
        ("rain.pan", ducview.write_peer(PEER), ducview.read_peer),
    ):
        for changed in insert_references(data.replace(b"Rain", b"Anna"), listener.address, secret):
            try:
                said = str(read(Bundle.of(name, changed)))
            except FormatError as error:
                said = str(error)
            assert SECRET not in said
    assert (listener.tried, listener.was_contacted()) == ([], False)


def test_imports_and_pages_contact_no_other_host(listener, world):
    here = world.here
    here.project.guidelines = f"[a]({listener.address}/a) ![b]({listener.address}/b) <{listener.address}/c>"
    here.project.save()
    for content in (CONLL.replace("Anna", f"{listener.address}/x"), listener.address, f'<a href="{listener.address}">'):
        send(world, "links.conll", content.encode())
    for row in (*PAGES, *AGREEMENT):
        if "GET" in row.methods:
            world.ask("GET", world.address(row), actor(row.methods["GET"]))
    assert (listener.tried, listener.was_contacted()) == ([], False)
