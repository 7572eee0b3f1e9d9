"""Ask a server on this machine whether it is ready: `python -m config.probe URL`. The exit status is 0 if it is."""

import sys
import urllib.error
import urllib.request

import environ


def main(url: str) -> int:
    """Return 0 if the server is ready. The Host header is one of ALLOWED_HOSTS, since it answers no other."""
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
    sys.exit(main(sys.argv[1]))
