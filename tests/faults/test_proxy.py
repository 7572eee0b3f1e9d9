"""The program behind deploy/nginx.conf: slow clients and large bodies block nobody else."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from benchmarks.environment.serving import Server
from tests.faults.proxy import HOST, Proxy, free_port, running
from tests.shared.cases import cases

SLOW = 100
MANAGER = "manager"
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def program(nginx: str, tmp_path_factory: pytest.TempPathFactory, migrated_file: Path) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("data")
    server = Server(str(data), variables={"BEHIND_PROXY": "1", "ALLOWED_HOSTS": f"{HOST},127.0.0.1"})
    shutil.copyfile(migrated_file, data / "coindex.sqlite3")
    server.run(
        *("manage.py", "shell", "--verbosity", "0", "--command"),
        f"from annotations.models import User; User.objects.create_superuser({MANAGER!r}, password={PASSWORD!r})",
    )
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def proxy(nginx: str, program: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with running(Proxy(nginx, tmp_path_factory.mktemp("nginx"), program.port)) as made:
        yield made


@pytest.fixture(scope="module")
def manager(proxy: Proxy) -> dict[str, str]:
    """Return the headers with which somebody who has signed in sends forms, with their token."""
    token, headers = read_form(proxy)
    form = f"csrfmiddlewaretoken={token}&username={MANAGER}&password={PASSWORD.replace(' ', '+')}".encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = proxy.ask("POST", "/sign-in/", form, **headers, **kind)
    assert answer.status == 302
    cookies = [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie") or ()]
    token = next(cookie.partition("=")[2] for cookie in cookies if cookie.startswith("csrftoken="))
    return headers | {"Cookie": "; ".join(cookies), "X-CSRFToken": token}


def post(path: str, length: int, headers: Mapping[str, str] | None = None) -> str:
    sent = {"Host": HOST, "Content-Length": str(length)} | dict(headers or {})
    return f"POST {path} HTTP/1.1\r\n{''.join(f'{name}: {value}\r\n' for name, value in sent.items())}\r\n"


@pytest.mark.parametrize(
    "begun",
    cases(
        [pytest.param(post("/projects/", 50_000) + "u" * 1000, id="bodies of any form")],
        full=[
            pytest.param(post("/sign-in/", 1000) + "u", id="bodies of a form"),
            pytest.param("GET / HTTP/1.1\r\nX", id="headers"),
        ],
    ),
)
def test_slow_clients_block_nobody_and_are_disconnected(proxy, begun):
    with ExitStack() as stack:
        slow = [stack.enter_context(proxy.open(begun)) for _ in range(SLOW)]
        for _ in range(8):
            assert proxy.ask("GET", "/healthz").status == 200
            assert proxy.ask("GET", "/sign-in/").status == 200
        with suppress(ConnectionResetError):  # which is one way to cut somebody off; to wait longer is none
            cut = slow[0].recv(1000)
            assert cut == b"" or b" 408 " in cut


MAX_BYTES = {
    "/sign-in/": 64 * 1024,
    "/admin/login/": 64 * 1024,
    "/invitations/abc/": 64 * 1024,
    "/api/v1/projects/x/texts/y/coding/operations/": 6 * 1024**2,
    "/projects/x/import/": 60 * 1024**2,
    "/api/v1/projects/x/imports/": 60 * 1024**2,
    "/projects/new/archive/": 60 * 1024**2,
    "/api/v1/archives/": 60 * 1024**2,
}


def test_proxy_refuses_too_large_bodies_before_upload(proxy, manager):
    def is_waited_for(path: str) -> bool:
        """Return whether the proxy waits for the body."""
        with proxy.open(post(path, MAX_BYTES[path], manager)) as connection:
            connection.settimeout(1)
            try:
                connection.recv(100)
                return False
            except TimeoutError:
                return True

    for path, most in MAX_BYTES.items():
        with proxy.open(post(path, most + 1, manager)) as connection:
            assert b" 413 " in connection.recv(100), path
    with ThreadPoolExecutor(len(MAX_BYTES)) as pool:
        assert list(pool.map(is_waited_for, MAX_BYTES)) == [True] * len(MAX_BYTES)


UPLOADS = ("/projects/x/import/", "/projects/new/archive/", "/api/v1/projects/x/imports/", "/api/v1/archives/")
LARGE = ("/projects/x/texts/", "/api/v1/projects/x/texts/y/coding/operations/")


def stored_bytes(proxy: Proxy) -> int:
    """Return the number of bytes of bodies in temporary files of nginx."""
    count = 0
    master = proxy.process.pid
    for worker in Path(f"/proc/{master}/task/{master}/children").read_text().split():
        for opened in Path(f"/proc/{worker}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                if opened.readlink().is_relative_to(proxy.folder / "body"):
                    count += opened.stat().st_size
    return count


@pytest.mark.parametrize("path", [*UPLOADS, *LARGE])
@pytest.mark.parametrize("made_up", [{}, {"Cookie": "sessionid=made-up"}, {"Authorization": "Bearer made-up"}])
def test_proxy_refuses_anonymous_uploads_unread(proxy, path, made_up):
    status = b" 401 " if path.startswith("/api/") else b" 302 "
    with ExitStack() as stack:
        for _ in range(20):
            connection = stack.enter_context(proxy.open(post(path, 5_000_000, made_up) + "u" * 500_000))
            answer = connection.recv(10_000)
            assert status in answer.split(b"\r\n")[0]
        if status == b" 401 ":
            assert b"WWW-Authenticate: Bearer" in answer
            assert b'"code": "not_authenticated"' in answer
        else:
            assert f"Location: https://{HOST}/sign-in/?next={path}".encode() in answer
        assert stored_bytes(proxy) == 0
    if not made_up:  # of unknown length
        head = f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nTransfer-Encoding: chunked\r\n\r\n"
        with proxy.open(f"{head}40000\r\n{'u' * 0x40000}\r\n") as connection:
            assert connection.recv(100).split()[1] in (b"401", b"302")
            assert stored_bytes(proxy) == 0


@pytest.mark.parametrize(("path", "most"), [(UPLOADS[0], 10), (LARGE[1], 20)])
def test_proxy_limits_simultaneous_uploads(proxy, manager, path, most):
    with ExitStack() as stack:
        waiting = [stack.enter_context(proxy.open(post(path, 5_000_000, manager) + "u" * 100_000)) for _ in range(most)]
        until = time.monotonic() + 20
        while stored_bytes(proxy) < most * 90_000:  # all are let in and read
            assert time.monotonic() < until
            time.sleep(0.05)
        with proxy.open(post(path, 5_000_000, manager)) as connection:
            assert b" 429 " in connection.recv(100)
        assert proxy.ask("GET", "/healthz").status == 200
    del waiting


def test_large_form_keeps_its_address(proxy, manager):
    for size in (10, 100_000):
        answer = proxy.ask("POST", "/projects/gh%6Fst/import?a=%20b", b"x" * size, **manager)
        assert (answer.status, answer.getheader("Location")) == (301, "/projects/ghost/import/?a=%20b")


def test_proxy_refuses_uploads_if_program_is_down(nginx, tmp_path):
    with running(Proxy(nginx, tmp_path, free_port())) as alone, alone.open(post(UPLOADS[0], 5_000_000)) as connection:
        answer = connection.recv(1000)
        assert b" 503 " in answer
        assert b"Retry-After: 60" in answer


def include_shared_part(text: str, folder: Path) -> str:
    """Return the configuration of another nginx that includes our part, as in docs/deploy.md."""
    _, line, part = text.partition("# For another nginx:")
    assert line
    own = "".join(f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"pid {folder}/nginx.pid; events {{}} http {{ access_log off; {own} #{part}"


def test_included_configuration_keeps_headers_and_limits(nginx, program, tmp_path):
    with running(Proxy(nginx, tmp_path, program.port, wrap=include_shared_part)) as other:
        assert other.ask("GET", "/sign-in/").status == 200  # told of HTTPS and the host, it redirects nobody
        assert_forwarded_address_is_ignored(other, "somebody")
        for path, length, status in ((UPLOADS[0], 5_000_000, b"302"), ("/sign-in/", 65_537, b"413")):
            with other.open(post(path, length)) as connection:
                assert connection.recv(100).split()[1] == status


PREFIX = "/tools/coindex"


def set_path_prefix(text: str, folder: Path) -> str:
    """Return the configuration with the two lines for a path prefix of docs/deploy.md."""
    for line, changed in (
        ('set $prefix "";', f"set $prefix {PREFIX};"),
        ("# rewrite ^/tools/coindex(/.*)$ $1;", f"rewrite ^{PREFIX}(/.*)$ $1;"),
    ):
        assert text.count(line) == 1
        text = text.replace(line, changed)
    return text


def test_path_prefix_keeps_limits(nginx, tmp_path, migrated_folder):
    (tmp_path / "nginx").mkdir()
    server = Server(
        str(migrated_folder),
        variables={"BEHIND_PROXY": "1", "ALLOWED_HOSTS": f"{HOST},127.0.0.1", "PATH_PREFIX": PREFIX},
    )
    server.start()
    try:
        with running(Proxy(nginx, tmp_path / "nginx", server.port, wrap=set_path_prefix)) as proxy:
            page = proxy.ask("GET", f"{PREFIX}/sign-in/")
            assert page.status == 200
            assert f'href="{PREFIX}/help/"' in page.read().decode()
            assert proxy.ask("GET", f"{PREFIX}/static/css/base/base.css").status == 200
            large = proxy.ask("POST", f"{PREFIX}/projects/x/import/", b"x" * 100_000)
            next_page = f"https://{HOST}{PREFIX}/sign-in/?next={PREFIX}/projects/x/import/"
            assert (large.status, large.getheader("Location")) == (302, next_page)
            assert proxy.ask("POST", f"{PREFIX}/api/v1/archives/", b"x" * 100_000).status == 401
            with proxy.open(post(f"{PREFIX}/sign-in/", 65_537)) as connection:
                assert b" 413 " in connection.recv(100)
    finally:
        server.kill()


def read_form(proxy: Proxy) -> tuple[str, dict[str, str]]:
    """Return the token of a form, and the headers with which a browser sends it."""
    page = proxy.ask("GET", "/sign-in/")
    token = page.read().decode().split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    cookie = str(page.getheader("Set-Cookie")).split(";")[0]
    return token, {"Cookie": cookie, "Origin": f"https://{HOST}", "Referer": f"https://{HOST}/sign-in/"}


def test_upload_passes_proxy_intact(proxy, manager):
    """The token stands behind the file: a form without one is refused (403), with one there is only no such project."""
    headers = dict(manager)
    token = headers.pop("X-CSRFToken")
    for sent, status in (({"csrfmiddlewaretoken": token}, 404), ({}, 403)):
        body = encode_multipart(BOUNDARY, {"files": SimpleUploadedFile("a.txt", b"x" * 20_000_000)} | sent)
        answer = proxy.ask("POST", "/projects/x/import/", body, Content_Type=MULTIPART_CONTENT, **headers)
        assert answer.status == status


def assert_forwarded_address_is_ignored(proxy: Proxy, name: str) -> None:
    token, headers = read_form(proxy)
    headers |= {"Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-Proto": "http"}
    form = f"csrfmiddlewaretoken={token}&username={name}&password=wrong".encode()
    found = [
        proxy.ask("POST", "/sign-in/", form, X_Forwarded_For=f"10.0.0.{number}", **headers).status
        for number in range(11)
    ]
    assert (found[0], found[-1]) == (200, 429)


def test_proxy_ignores_forwarded_headers_of_clients(proxy):
    assert_forwarded_address_is_ignored(proxy, "nobody")


def test_http_redirects_to_https_except_acme_challenge(proxy):
    for method, host, path, status in (
        ("GET", HOST, "/projects/?a=b", 308),
        ("POST", HOST, "/sign-in/", 308),
        ("GET", HOST, "/.well-known/acme-challenge/ghost", 404),
        ("GET", "evil.example", "/projects/", 400),
    ):
        connection = HTTPConnection("127.0.0.1", proxy.http, timeout=20)
        connection.request(method, path, b"x=1" if method == "POST" else None, headers={"Host": host})
        answer = connection.getresponse()
        assert answer.status == status
        assert answer.getheader("Location") == (f"https://{host}{path}" if status == 308 else None)
