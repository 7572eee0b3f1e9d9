"""Coindex on a free port of this machine, and a browser: for benchmarks, screenshots and tests."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = {"LOCAL": "1", "DJANGO_SETTINGS_MODULE": "config.settings"}
DEADLINE = 120  # seconds for a server to start or to stop
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
    """Return the path of the system's Chromium, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Server:
    """A server with data in a folder and a `database` at a URL, or in the folder; it can be killed and restarted."""

    def __init__(self, data: str, *, database: str | None = None, variables: Mapping[str, str] | None = None) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.environment = os.environ | VARIABLES | {"DATA_DIR": data, **(variables or {})}
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
        """Return the command that serves, in one process, so that tests start quickly."""
        bind = f"127.0.0.1:{self.port}"
        gunicorn = ["-m", "gunicorn", "config.wsgi", "--bind", bind, "--threads", "4", "--log-level", "error"]
        return [sys.executable, *gunicorn]

    def start(self, page: str = "/sign-in/") -> None:
        """Start the server, and wait until it answers the page."""
        deadline = time.monotonic() + DEADLINE
        self.process = subprocess.Popen(
            self.command(), cwd=ROOT, env=self.environment, start_new_session=True, stdout=subprocess.DEVNULL
        )
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.address}{page}", timeout=DEADLINE)
                return
            except OSError:
                time.sleep(0.01)
        raise RuntimeError("The server did not start.")

    def kill(self) -> None:
        """Kill the server at once, with its workers, as a power failure would."""
        if self.process is None:
            return
        for pid in {self.process.pid, *self.processes()}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._wait()

    def stop(self) -> None:
        """Stop the server like its user (Ctrl+C), and wait for all its processes."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGINT)
            self._wait()

    def _wait(self) -> None:
        assert self.process is not None
        self.process.wait(DEADLINE)
        deadline = time.monotonic() + DEADLINE
        while self.processes():
            if time.monotonic() > deadline:
                raise RuntimeError("The server did not end.")
            time.sleep(0.01)
        self.process = None

    def processes(self) -> list[int]:
        """Return the running processes of the server; on Linux only."""
        if self.process is None:
            return []
        running = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # the process has ended meanwhile
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                running.append(int(folder.name))
        return running

    def processor_seconds(self) -> float:
        """Return the processor seconds that the server has used so far (Linux)."""
        ticks = 0
        for pid in self.processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


class MakeRunServer(Server):
    """The server as users start it: `make run`."""

    def command(self) -> list[str]:
        """Return `make run` with the environment of this process, even if that is older than requirements/."""
        environment = Path(sys.prefix)
        arguments = [f"VENV={environment}", f"PORT={self.port}", "-o", f"{environment}/.run-installed"]
        return ["make", "--silent", *arguments, "run"]


@contextmanager
def serving(data: str, *commands: Sequence[str]) -> Iterator[Server]:
    """Serve until the block ends. The commands, arguments of Python, create the data first."""
    server = Server(data)
    server.run("manage.py", "migrate", "--verbosity", "0")
    for command in commands:
        server.run(*command)
    try:
        server.start()
        yield server
    finally:
        server.kill()
