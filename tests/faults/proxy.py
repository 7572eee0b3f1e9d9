"""Nginx as deploy/nginx.conf has it, on free ports of this machine."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path

from tests.conftest import ROOT

HOST = "coindex.example"
PROGRAMS = "programs"
CONFIGURATION = ROOT / "deploy" / "nginx.conf"
UNVERIFIED = ssl._create_unverified_context()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class Proxy:
    """Nginx with the configuration of the repository, and the program behind it: at one port, or more of them by turns.

    `wrap` puts the configuration into that of another nginx.
    """

    def __init__(
        self, nginx: str, folder: Path, *programs: int, wrap: Callable[[str, Path], str] | None = None
    ) -> None:
        self.folder = folder
        self.http, self.https = free_port(), free_port()
        (folder / "certificates" / "challenges").mkdir(parents=True)
        subprocess.run(
            [
                *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={HOST}"),
                *("-keyout", folder / "certificates" / "privkey.pem"),
                *("-out", folder / "certificates" / "fullchain.pem"),
            ],
            check=True,
            capture_output=True,
        )
        text = CONFIGURATION.read_text(encoding="utf-8")
        for there, here in (
            (" /tmp/", f" {folder}/"),
            (" /certificates", f" {folder}/certificates"),
            (" 8080", f" 127.0.0.1:{self.http}"),
            (" 8443", f" 127.0.0.1:{self.https}"),
            ("web:8000", PROGRAMS if programs[1:] else f"127.0.0.1:{programs[0]}"),
        ):
            assert there in text
            text = text.replace(there, here)
        if programs[1:]:  # as a name with more than one address
            servers = "".join(f"server 127.0.0.1:{port}; " for port in programs)
            text = text.replace("http {", f"http {{ upstream {PROGRAMS} {{ {servers}}}", 1)
        if wrap is not None:
            text = wrap(text, folder)
        if os.getuid() == 0:  # else it gives up its rights, and does not get into a folder of tests
            text = f"user root;\n{text}"
        (folder / "nginx.conf").write_text(text, encoding="utf-8")
        self.process = subprocess.Popen(
            [nginx, "-c", folder / "nginx.conf", "-p", folder, "-e", "stderr", "-g", "daemon off;"]
        )
        until = time.monotonic() + 30
        while socket.socket().connect_ex(("127.0.0.1", self.https)):
            assert self.process.poll() is None, "nginx refuses the configuration"
            assert time.monotonic() < until
            time.sleep(0.05)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> HTTPResponse:
        connection = HTTPSConnection("127.0.0.1", self.https, timeout=20, context=UNVERIFIED)
        connection.request(method, path, body, {"Host": HOST} | {k.replace("_", "-"): v for k, v in headers.items()})
        return connection.getresponse()

    def open(self, sent: str) -> ssl.SSLSocket:
        """Connect, send this and wait."""
        plain = socket.create_connection(("127.0.0.1", self.https), timeout=40)
        secure = UNVERIFIED.wrap_socket(plain, server_hostname=HOST)
        secure.sendall(sent.encode())
        return secure


@contextmanager
def running(made: Proxy) -> Iterator[Proxy]:
    try:
        yield made
    finally:
        made.process.terminate()
        made.process.wait(30)
