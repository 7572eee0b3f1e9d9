"""Ask a server on this machine whether it is ready: `python -m config.probe URL`. Ends with 0 where it is."""

import sys
import urllib.error
import urllib.request

import environ


def main(url: str) -> int:
    """Ask as somebody who came by the server's own name, which is the only one that it answers to."""
    [named, *_] = environ.FileAwareEnv().list("ALLOWED_HOSTS", default=["127.0.0.1"])
    host = "127.0.0.1" if named == "*" else named.lstrip(".")
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
