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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DEADLINE = 120  # seconds, for a server to start or to end
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
    """A server whose data lies in a folder of its own; it can be killed and started again at the same address.

    database: where its database is, if not in that folder; given: further variables of its environment.
    """

    def __init__(self, data: str, *, database: str | None = None, given: Mapping[str, str] | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | {
            "LOCAL": "1",
            "DATA_DIR": data,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            **(given or {}),
        }
        self.environment.pop("DATABASE_URL", None)
        if database is not None:
            self.environment["DATABASE_URL"] = database
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, *command: str) -> None:
        """Run Python with these arguments on the server's data."""
        subprocess.run(
            [sys.executable, *command], cwd=ROOT, env=self.environment, check=True, stdout=subprocess.DEVNULL
        )

    def command(self) -> list[str]:
        """What serves: one process, so that tests have little to start."""
        bind = f"127.0.0.1:{self.port}"
        gunicorn = ["-m", "gunicorn", "config.wsgi", "--bind", bind, "--threads", "4", "--log-level", "error"]
        return [sys.executable, *gunicorn]

    def start(self, page: str = "/sign-in/") -> float:
        """Serve, and wait until the page is answered; how many seconds that took."""
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            self.command(), cwd=ROOT, env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL
        )
        while time.perf_counter() - begin < DEADLINE and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.address}{page}", timeout=DEADLINE)
                return time.perf_counter() - begin
            except OSError:
                time.sleep(0.01)
        raise RuntimeError("The server did not start.")

    def kill(self) -> None:
        """End it at once, with its workers, as a power failure would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as the person does who started it (Ctrl+C), and wait for all its processes."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self.process is None:
            return
        os.killpg(self.process.pid, how)
        self.process.wait(DEADLINE)
        until = time.monotonic() + DEADLINE
        while self.processes():
            if time.monotonic() > until:
                raise RuntimeError("The server did not end.")
            time.sleep(0.01)
        self.process = None

    def processes(self) -> list[int]:
        """The processes of the server that run, where the system tells (Linux)."""
        if self.process is None:
            return []
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has ended meanwhile
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.append(int(folder.name))
        return found

    def busy(self) -> float:
        """The seconds for which processors worked for the server so far (Linux)."""
        ticks = 0
        for pid in self.processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float | None:
        """The memory of all its processes, what they share counted once (PSS; Linux alone has it)."""
        if not Path("/proc/self/smaps_rollup").exists():
            return None
        kilobytes = 0
        for pid in self.processes():
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return kilobytes / 1000


class Made(Server):
    """The server as people start it: `make run`."""

    def command(self) -> list[str]:
        """The environment is the one that runs this; that it is older than requirements/ is no matter."""
        environment = Path(sys.prefix)
        made = [f"VENV={environment}", f"PORT={self.port}", "-o", f"{environment}/.run-installed"]
        return ["make", "--silent", *made, "run"]


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
