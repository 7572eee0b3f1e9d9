"""Serve on a port of this machine, and run the worker for long jobs: python -m scripts.serve PORT [--open].

The database is migrated to this version first. Pages and worker are two ordinary programs, as in docker-compose.yml,
which are started and stopped together. A worker that dies is restarted; if the pages end, the worker is stopped.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from types import FrameType

from annotations.core.processes.serving import AlreadyServed, hold_data

ROOT = Path(__file__).resolve().parent.parent
PYTHON = sys.executable
CHECK_SECONDS = 0.2  # between checks of the two programs
STOP_SECONDS = 30.0  # a program that has not stopped by then is killed
END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def manage(*command: str) -> list[str]:
    """Return the command line of a management command."""
    return [PYTHON, "manage.py", *command]


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start a program in its own process group: Ctrl+C reaches only this process, which stops both."""
    return subprocess.Popen(command, cwd=ROOT, process_group=0)


def end(programs: Collection[subprocess.Popen[bytes]]) -> None:
    """Stop the programs; kill a program that does not stop in time."""
    for program in programs:
        program.terminate()
    for program in programs:
        try:
            program.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a handler's signature
    """Leave `serve` through its cleanup."""
    raise SystemExit(0)


def run(pages: Sequence[str], worker: Sequence[str]) -> int:
    """Run both until a signal comes or the pages end; return the exit status of the pages."""
    programs = {"pages": start(pages), "worker": start(worker)}
    try:
        while (status := programs["pages"].poll()) is None:
            if programs["worker"].poll() is not None:
                print("The worker has died; another one starts.", file=sys.stderr, flush=True)
                time.sleep(1)
                programs["worker"] = start(worker)
            time.sleep(CHECK_SECONDS)
        return status
    finally:
        for number in END_SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # a second Ctrl+C must not interrupt the cleanup
        end(programs.values())


def serve(port: int, data: Path, *, demo: bool = False, options: Sequence[str] = ()) -> int:
    """Serve the data of a folder until a signal comes or the pages end; return the exit status."""
    for number in END_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores SIGHUP, so that the server outlives its terminal
            signal.signal(number, stop)
    try:
        with hold_data(data, f"http://127.0.0.1:{port}/"):
            for command in (["upgrade"], ["load_demo"]) if demo else (["upgrade"],):
                if status := subprocess.run(manage(*command), cwd=ROOT, process_group=0, check=False).returncode:
                    return status
            pages = [PYTHON, "-m", "scripts.pages", str(port), *options]
            return run(pages, manage("db_worker", "--no-reload", "--interval", "0.5", "--verbosity", "0"))
    except AlreadyServed as error:
        place = f" at {error.address}" if error.address else ""
        print(f"Coindex is already running on the data in {data}{place}. Stop it first.", file=sys.stderr)
    except OSError as error:
        print(f"{error.filename or data}: {error.strerror}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(serve(int(sys.argv[1]), Path(os.environ.get("DATA_DIR", ROOT / "var")), options=sys.argv[2:]))
