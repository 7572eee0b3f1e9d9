"""Coindex on a free port of this machine, and the browser to look at it: for benchmarks, pictures and tests."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium() -> str | None:
    """The system's Chromium, where there is one."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Server:
    """A server whose data lies in a folder of its own; it can be killed and started again at the same address."""

    def __init__(self, data: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | {
            "LOCAL": "1",
            "DATA_DIR": data,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        self.environment.pop("DATABASE_URL", None)
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, *command: str) -> None:
        """Run Python with these arguments on the server's data."""
        subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.environment, check=True, stdout=subprocess.DEVNULL
        )

    def start(self) -> None:
        """Serve, and wait until it answers."""
        bind = f"127.0.0.1:{self.port}"
        gunicorn = ["-m", "gunicorn", "config.wsgi", "--bind", bind, "--threads", "4", "--log-level", "error"]
        self.process = subprocess.Popen(
            [sys.executable, *gunicorn], cwd=ROOT, env=self.environment, start_new_session=True
        )
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{self.address}/sign-in/")
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("The server did not start.")

    def kill(self) -> None:
        """End it at once, with its workers, as a power failure would."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


@contextmanager
def serving(data: str, *commands: Sequence[str]) -> Iterator[Server]:
    """A server until the block ends. The commands, arguments of Python, fill its data first."""
    server = Server(data)
    server.run("manage.py", "migrate", "--verbosity", "0")
    for command in commands:
        server.run(*command)
    try:
        server.start()
        yield server
    finally:
        server.kill()
