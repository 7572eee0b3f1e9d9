"""How gunicorn serves Coindex: `gunicorn config.wsgi --config python:config.gunicorn`; its options may say more."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

workers = 2
threads = 8
preload_app = True
loglevel = "warning"
# It would be a file in the home directory, which a container cannot write, and nobody here asks for it.
control_socket_disable = True

# Read before the program, and before forks: what they count for /metrics goes into a folder that is new at each start.
_started_in = os.getpid()
_own_folder = ""
if _given := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    Path(_given).mkdir(parents=True, exist_ok=True)
    for _counts in Path(_given).glob("*.db"):
        _counts.unlink()
else:
    _own_folder = os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="coindex-metrics-")


def child_exit(server: Any, worker: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Let go of what only a living process has."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Delete the folder with what was counted, if it was made here."""
    if os.getpid() == _started_in and _own_folder:
        shutil.rmtree(_own_folder, ignore_errors=True)
