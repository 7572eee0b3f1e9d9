"""Mails sent to an SMTP server."""

from collections.abc import Iterator
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest

from annotations.mail.delivery import Delivery
from annotations.mail.queue import queue
from annotations.models import Mail

pytestmark = pytest.mark.django_db


class Session(StreamRequestHandler):
    """An SMTP session that refuses addresses that begin with "no"."""

    def handle(self) -> None:
        self._say("220 ready")
        for line in self.rfile:
            command = line.decode().strip().upper()
            if command.startswith("RCPT TO:<NO"):
                self._say("550 unknown")
            elif command == "DATA":
                self._say("354 go on")
                assert isinstance(self.server, Server)
                self.server.mails.append(b"".join(iter(self.rfile.readline, b".\r\n")).decode())
                self._say("250 taken")
            elif command == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 well")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


class Server(ThreadingTCPServer):
    """A local mail server that keeps accepted mails."""

    daemon_threads = True

    def __init__(self) -> None:
        self.mails: list[str] = []
        super().__init__(("127.0.0.1", 0), Session)


@pytest.fixture
def server(mail_server) -> Iterator[Server]:
    """Return the mail server of the site."""
    with Server() as server:
        host, port = server.server_address[:2]
        options = {"host": host, "port": port, "timeout": 10}
        mail_server.MAILERS = {
            "default": {"BACKEND": "django.core.mail.backends.smtp.EmailBackend", "OPTIONS": options}
        }
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def test_wrong_addresses_do_not_block_other_mails(server):
    for address in ("nobody@example.org", '"a\x01b"@example.org', "eve@example.org"):
        queue("error", address=address, message="m", error="KeyError", request_id="r", time="t")
    assert Delivery().send_due() == 1
    [mail] = server.mails
    assert "To: eve@example.org" in mail
    assert "Subject: Error on the server: KeyError" in mail
    assert dict(Mail.objects.values_list("address", "state")) == {
        "nobody@example.org": "waiting",
        '"a\x01b"@example.org': "waiting",
        "eve@example.org": "sent",
    }
