"""Serve the pages on a port of this machine: python -m scripts.pages PORT [--open].

Waitress reads requests in one thread that never blocks, and passes complete requests to the others: a client that
sends slowly blocks none of them. A body is kept on disk until it is complete; the limit of its size depends on the
URL and on whether a session or key is sent. Behind a proxy that does all this too, gunicorn serves with
more processes (docs/deploy.md).
"""

import copy
import signal
import sys
import webbrowser
from http.cookies import CookieError, SimpleCookie
from threading import Thread

import waitress
from django.conf import settings
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser

from config.limits.uploads import most_bytes
from config.wsgi import application

# isort: split
# The import above has loaded Django, which models need.
from annotations.projects.people.first_account import make_link

THREADS = 16
MAX_CONNECTIONS = 1000
IDLE_SECONDS = 60  # a connection is closed after this time without data


class Parser(HTTPRequestParser):  # type: ignore[misc]
    """A parser that refuses bodies over the program's limit; slightly larger ones are read, and answered by a page."""

    def __init__(self, adjustments: Adjustments) -> None:
        super().__init__(copy.copy(adjustments))

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        forms: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        path = self.path.removeprefix(settings.PATH_PREFIX)
        self.adj.max_request_body_size = forms + (most_bytes(path) if self._may_be_signed_in() else forms)

    def _may_be_signed_in(self) -> bool:
        """Return whether a session or key is sent, which the program verifies later."""
        if "AUTHORIZATION" in self.headers:
            return True
        try:
            return settings.SESSION_COOKIE_NAME in SimpleCookie(self.headers.get("COOKIE", ""))
        except CookieError:
            return False


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection whose requests are read by `Parser`."""

    parser_class = Parser


def main(port: int, *options: str) -> None:
    """Serve until a signal comes, after which running requests are completed; `--open` opens a browser."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        server = waitress.create_server(
            application,
            host="127.0.0.1",
            port=port,
            threads=THREADS,
            connection_limit=MAX_CONNECTIONS,
            channel_timeout=IDLE_SECONDS,
            asyncore_use_poll=True,
            ident=None,
        )
    except OSError as error:
        sys.exit(f"Port {port} cannot be used: {error.strerror}.")
    server.channel_class = Channel
    address = f"http://127.0.0.1:{port}{settings.PATH_PREFIX}"
    print(f"Coindex is at {address}/ (stop with Ctrl+C)", flush=True)
    if link := make_link():
        print(f"Make the first account, once and within a day, at\n    {address}{link}", flush=True)
    if "--open" in options:
        # Some browsers block their caller until they end.
        Thread(target=webbrowser.open, args=[f"{address}{link or '/'}"], daemon=True).start()
    server.run()


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
