"""The command `coindex`: it serves, or opens a door to a command of management."""

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
DOORS = ("import", "export", "agreement", "backup", "doctor", "move-to", "plan", "restore")
COMMANDS = ("demo", *DOORS, "manage", "version")
HELP, VERSION = {"-h", "--help", "help"}, {"--version", "version"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line, and return the status for the shell."""
    if sys.platform == "win32":
        return fail(WINDOWS)
    where = argparse.ArgumentParser(prog="coindex", add_help=False, allow_abbrev=False)
    where.add_argument("--data", metavar="DIR")
    where.add_argument("--demo", action="store_true")
    options, rest = where.parse_known_args(arguments)
    command = rest.pop(0) if rest and (rest[0] in HELP | VERSION or not rest[0].startswith("-")) else ""
    place = Place.find(options.data, options.demo or command == "demo")
    if command in HELP:
        sys.stdout.write(OVERVIEW.format(folder=Place.find(None, False).data))
        return 0
    if command and command not in COMMANDS and command not in VERSION:
        close = difflib.get_close_matches(command, COMMANDS, n=1)
        meant = f" Did you mean `{close[0]}`?" if close else ""
        return fail(f"There is no command `{command}`.{meant} `coindex --help` lists them.", status=2)
    try:
        return carry_out(command, rest, place)
    except Unusable as error:
        return fail(str(error))
    except KeyboardInterrupt:
        return 130


def fail(reason: str, status: int = 1) -> int:
    """Say why nothing was done, and return the status for the shell."""
    sys.stderr.write(f"{reason}\n")
    return status


def carry_out(command: str, arguments: Sequence[str], place: Place) -> int:
    """Carry out a command. Raise Unusable where the place is not."""
    if command in ("", "demo"):
        return serve(f"coindex {command}".strip(), arguments, place)
    # The program is imported where its place is known: its settings and modules are of there.
    from coindex import doors

    if command in VERSION:
        return doors.print_version()
    if command == "manage":
        return doors.manage(arguments, place)
    if command == "doctor":
        return doors.doctor(arguments, place)
    return doors.open_door(command, arguments, place)


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
    """Return whether a program may listen on the port of this machine, and none does."""
    with socket.socket() as client, socket.socket() as server:
        if client.connect_ex(("127.0.0.1", port)) == 0:
            return False
        # Connections that have ended lately do not keep it.
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
