"""Serve on a port of this machine, and run the worker for long jobs: python -m scripts.serve PORT.

The database is migrated first. Pages and worker are two ordinary programs, as in docker-compose.yml, which are started
and ended together. A worker that dies is started again; if the pages end, so does the worker.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
SECONDS_BETWEEN = 0.2  # between checks of the two programs
SECONDS_TO_END = 30.0  # before a program that does not end is killed
END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def pages(port: int) -> list[str]:
    """Return the command that serves the pages."""
    return [PYTHON, "-m", "scripts.pages", str(port)]


def worker() -> list[str]:
    """Return the command that runs long jobs."""
    return [PYTHON, "manage.py", "db_worker", "--no-reload", "--interval", "0.5", "--verbosity", "0"]


def start(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a program in a process group of its own: Ctrl+C reaches this program alone, which ends both."""
    return subprocess.Popen(command, cwd=ROOT, process_group=0)


def end(programs: Collection[subprocess.Popen[bytes]]) -> None:
    """Ask the programs to end, wait for them, and kill those that do not."""
    for program in programs:
        program.terminate()
    for program in programs:
        try:
            program.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
    """Leave `main` by its end."""
    raise SystemExit(0)


def main(port: int) -> int:
    """Serve until a signal comes or the pages end; return the pages' status."""
    for number in END_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # started by nohup, it outlives its terminal
            signal.signal(number, stop)
    subprocess.run([PYTHON, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, check=True)
    programs = {"pages": start(pages(port)), "worker": start(worker())}
    try:
        while (status := programs["pages"].poll()) is None:
            if programs["worker"].poll() is not None:
                print("The worker has died; another one starts.", file=sys.stderr, flush=True)
                time.sleep(1)
                programs["worker"] = start(worker())
            time.sleep(SECONDS_BETWEEN)
        return status
    finally:
        for number in END_SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # a second Ctrl+C does not leave one of them behind
        end(programs.values())


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
