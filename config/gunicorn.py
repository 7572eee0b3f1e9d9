"""The options of gunicorn for Coindex: `gunicorn config.wsgi --config python:config.gunicorn`."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

workers = 2
threads = 8
preload_app = True
loglevel = "warning"
# It would need a writable home directory, which a container lacks, and is not used.
control_socket_disable = True

# Set before the program is loaded and forked: the counts for /metrics are in a folder that is new at each start.
_started_in = os.getpid()
_own_folder = ""
if _given := os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    Path(_given).mkdir(parents=True, exist_ok=True)
    for _counts in Path(_given).glob("*.db"):
        _counts.unlink()
else:
    _own_folder = os.environ["PROMETHEUS_MULTIPROC_DIR"] = tempfile.mkdtemp(prefix="coindex-metrics-")


def child_exit(server: Any, worker: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Remove the metrics that only apply to a living process."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]


def on_exit(server: Any) -> None:  # noqa: ARG001 - gunicorn's signature
    """Delete the folder of counts if it was created here."""
    if os.getpid() == _started_in and _own_folder:
        shutil.rmtree(_own_folder, ignore_errors=True)
