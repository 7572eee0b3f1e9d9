"""Health checks of containers by exit status: `python -m config.probe URL`, or `worker` for this machine's worker."""

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

import environ

from annotations.core.processes.heartbeat import host_name, living


def look_for_worker() -> int:
    """Return 0 if this machine has a living worker."""
    folder = Path(os.environ.get("DATA_DIR", "var")) / "workers"
    if any(name.startswith(f"{host_name()}.") for name in living(folder)):
        return 0
    sys.stderr.write(f"no worker of this machine has reported in {folder}\n")
    return 1


def ask(url: str) -> int:
    """Return 0 if the server is ready. The Host header is one of ALLOWED_HOSTS, as the server rejects others."""
    [allowed, *_] = environ.FileAwareEnv().list("ALLOWED_HOSTS", default=["127.0.0.1"])
    host = "127.0.0.1" if allowed == "*" else allowed.lstrip(".")
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Host": host}), timeout=4):  # noqa: S310
            return 0
    except urllib.error.HTTPError as error:
        sys.stderr.write(f"{error.code} {error.read(500).decode(errors='replace')}\n")
    except OSError as error:
        sys.stderr.write(f"{error}\n")
    return 1


if __name__ == "__main__":
    sys.exit(look_for_worker() if sys.argv[1] == "worker" else ask(sys.argv[1]))
