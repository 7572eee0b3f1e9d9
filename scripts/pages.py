"""Serve the pages on a port of this machine: python -m scripts.pages PORT.

Waitress reads requests in one thread that waits for nobody, and gives each to one of the others when it is whole: a
client that sends slowly keeps none of them from its work. Behind a proxy that does this too, gunicorn serves with more
processes (docs/deploy.md).
"""

from __future__ import annotations

import signal
import sys

import waitress
from django.conf import settings

from config.wsgi import application

THREADS = 16
MOST_CONNECTIONS = 1000
SECONDS_OF_SILENCE = 60  # after which a connection is closed


def main(port: int) -> None:
    """Serve until a signal comes; requests that are being answered are answered."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    waitress.serve(
        application,
        host="127.0.0.1",
        port=port,
        threads=THREADS,
        connection_limit=MOST_CONNECTIONS,
        channel_timeout=SECONDS_OF_SILENCE,
        max_request_body_size=settings.UPLOAD_MAX_BYTES,
        asyncore_use_poll=True,
        ident=None,
        _quiet=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]))
