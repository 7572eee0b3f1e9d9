"""The command `coindex`, which serves or runs a management command."""

from __future__ import annotations

import argparse
import difflib
import socket
import sys
import webbrowser
from collections.abc import Sequence

from coindex.place import Place, Unusable

FIRST_PORT, PORTS = 8000, 100
OVERVIEW = """\
usage: coindex [COMMAND] [--data DIR | --demo] ...

Annotation projects whose answers are sets, and how reliable they are.

  coindex                      serve your data on the first free port from 8000
                               (--port N; --open: open a browser)
  coindex demo                 serve the demo projects, which have a folder of their own
  coindex import FILE.zip      make a project of its archive
  coindex import FORMAT PATH… --project SLUG [--create]
                               import coded texts
  coindex export SLUG FILE.zip
                               write the archive of a project
  coindex export FORMAT FILE.zip --project SLUG
                               export codings
  coindex agreement SLUG       print the agreement of a project
  coindex plan SLUG            plan who codes what
  coindex backup [FILE.zip]    write everything into one file
  coindex restore FILE.zip     read a backup into an empty data folder
  coindex move-to postgres://…
                               copy everything to an empty PostgreSQL database
  coindex doctor               say what is wrong, and what to do
  coindex manage …             any other command of management; alone it lists them
  coindex version

Each but version works on your data (by default in {folder}),
on that in another folder by --data DIR, on that of the demo by --demo.
COMMAND --help says more.
"""
WINDOWS = (
    "Coindex runs on Linux and macOS. On Windows use it in WSL (`wsl --install`, and there `uvx coindex demo`), or "
    "the containers of docs/deploy.md."
)
SHORTCUTS = ("import", "export", "agreement", "backup", "doctor", "move-to", "plan", "restore")
COMMANDS = ("demo", *SHORTCUTS, "manage", "version")
HELP, VERSION = {"-h", "--help", "help"}, {"--version", "version"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, and return its exit status."""
    if sys.platform == "win32":
        return fail(WINDOWS)
    parser = argparse.ArgumentParser(prog="coindex", add_help=False, allow_abbrev=False)
    parser.add_argument("--data", metavar="DIR")
    parser.add_argument("--demo", action="store_true")
    options, args = parser.parse_known_args(arguments)
    command = args.pop(0) if args and (args[0] in HELP | VERSION or not args[0].startswith("-")) else ""
    place = Place.find(options.data, options.demo or command == "demo")
    if command in HELP:
        sys.stdout.write(OVERVIEW.format(folder=Place.find(None, False).data))
        return 0
    if command and command not in COMMANDS and command not in VERSION:
        matches = difflib.get_close_matches(command, COMMANDS, n=1)
        hint = f" Did you mean `{matches[0]}`?" if matches else ""
        return fail(f"There is no command `{command}`.{hint} `coindex --help` lists them.", status=2)
    try:
        return carry_out(command, args, place)
    except Unusable as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return 130


def fail(reason: str, status: int = 1) -> int:
    """Print the reason of a failure, and return the exit status."""
    sys.stderr.write(f"{reason}\n")
    return status


def carry_out(command: str, arguments: Sequence[str], place: Place) -> int:
    """Run a command. Raise Unusable if the place cannot be used."""
    if command in ("", "demo"):
        return serve(f"coindex {command}".strip(), arguments, place)
    # Import the program only after its place is known, which decides its settings and modules.
    from coindex import shortcuts

    if command in VERSION:
        return shortcuts.print_version()
    if command == "manage":
        return shortcuts.manage(arguments, place)
    if command == "doctor":
        return shortcuts.doctor(arguments, place)
    return shortcuts.run_shortcut(command, arguments, place)


def serve(program: str, arguments: Sequence[str], place: Place) -> int:
    """Serve the data until a signal comes."""
    parser = argparse.ArgumentParser(
        prog=program, description="Serve on this machine, until Ctrl+C.", allow_abbrev=False
    )
    parser.add_argument("--port", type=_port, metavar="N", help=f"the port (default: the first free from {FIRST_PORT})")
    parser.add_argument("--open", action="store_true", help="open a browser")
    parser.add_argument(
        "--data", metavar="DIR", help=f"the folder of the data (default: {Place.find(None, False).data})"
    )
    parser.add_argument("--demo", action="store_true", help="the demo, which has a folder of its own in it")
    options = parser.parse_args(arguments)
    place.enter()
    from annotations.core.processes.serving import served_at
    from scripts import serve as server

    if address := served_at(place.data):
        if options.open:
            webbrowser.open(address)
        return fail(f"Coindex is already running on the data in {place.data}, at {address}. Stop it first.")
    port = options.port or next(filter(is_free, range(FIRST_PORT, FIRST_PORT + PORTS)), 0)
    if not port:
        raise Unusable(f"No port from {FIRST_PORT} to {FIRST_PORT + PORTS - 1} is free. Choose another by --port.")
    if not is_free(port):
        raise Unusable(f"Port {port} is in use, or may not be used. Choose another by --port, or leave it out.")
    sys.stdout.write(f"{place.describe()}\n")
    sys.stdout.flush()
    return server.serve(port, place.data, demo=place.demo, options=["--open"] if options.open else [])


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**16:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {2**16 - 1}")
    return int(text)


def is_free(port: int) -> bool:
    """Return whether the port of this machine is free and may be used."""
    with socket.socket() as client, socket.socket() as server:
        if client.connect_ex(("127.0.0.1", port)) == 0:
            return False
        # Recently closed connections do not block the port.
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
