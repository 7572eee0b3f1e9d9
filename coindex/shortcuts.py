"""Commands on the data of a place: each is a management command under a shorter name."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from coindex.place import Place, Unusable, find_program

NO_DEMO = "There is no demo yet: `coindex demo` makes it."
HELP = {"-h", "--help"}
OF_ARCHIVES = {
    "import": "coindex import FILE.zip [--slug NEW] [--trial] makes a project of its archive. Coded texts:\n\n",
    "export": "coindex export SLUG FILE.zip writes the archive of a project. Codings:\n\n",
}


def print_version() -> int:
    find_program()
    from annotations.core.processes.installed import program_version

    sys.stdout.write(f"Coindex {program_version()}\n")
    return 0


def manage(arguments: Sequence[str], place: Place) -> int:
    set_up(place)
    from django.core.management import execute_from_command_line

    execute_from_command_line(["coindex", *arguments])
    return 0


def doctor(arguments: Sequence[str], place: Place) -> int:
    """Run the checks of the doctor; first that all libraries load, and without data only checks that need none."""
    place.enter()
    from annotations.core.processes.installed import broken_libraries

    if broken := broken_libraries():
        reasons = " ".join(f"{package} cannot be loaded: {reason}." for package, reason in broken.items())
        raise Unusable(f"{reasons} Install Coindex again, in a new environment of this Python on this machine.")
    if not place.has_database and not arguments:
        sys.stdout.write(f"There is no data in {place.data} yet: `coindex{' demo' * place.demo}` makes it.\n")
        arguments = ["--only", "versions", "settings", "disk", "static", "mail"]
    elif place.demo and not arguments:  # a demo needs no backups
        arguments = ["--only", "versions", "settings", "disk", "static", "mail", "database", "worker", "logs"]
    set_up(place)
    return run("doctor", "doctor", arguments)


def run_shortcut(name: str, arguments: Sequence[str], place: Place) -> int:
    """Run a management command under its short name, on a database of this version."""
    if HELP.intersection(arguments):
        sys.stdout.write(OF_ARCHIVES.get(name, ""))
        set_up(place)
        return run(name, f"{name}_codings" if name in OF_ARCHIVES else command_of(name, arguments), arguments)
    if place.demo and not place.has_database:
        raise Unusable(NO_DEMO)
    set_up(place)
    upgrade(place)
    return run(name, command_of(name, arguments), arguments)


def command_of(name: str, arguments: Sequence[str]) -> str:
    """Return the management command; imports and exports have one for codings and one for archives."""
    if name not in OF_ARCHIVES:
        return name.replace("-", "_")
    from annotations.formats import FORMATS, PYRAMID_FORMATS

    has_format = bool(FORMATS.keys() & {*arguments[:1]} or PYRAMID_FORMATS.keys() & {*arguments[:1]})
    has_project = any(argument.partition("=")[0] == "--project" for argument in arguments)
    return f"{name}_codings" if has_format or has_project else f"{name}_project"


def set_up(place: Place) -> None:
    """Load the program. Raise Unusable if its settings are wrong."""
    place.enter()
    import django
    from django.core.exceptions import ImproperlyConfigured

    sys.argv[0] = "coindex"  # remedies name commands after this
    try:
        django.setup()
    except ImproperlyConfigured as error:
        raise Unusable(str(error)) from error


def upgrade(place: Place) -> None:
    """Migrate the database to this version, unless it is being served. Raise Unusable if it cannot be used."""
    from django.core.management import CommandError, call_command

    from annotations.core.processes.serving import AlreadyServed, hold_data

    try:
        try:
            with hold_data(place.data):
                call_command("upgrade", stdout=sys.stderr)  # stdout may be redirected into a file
        except AlreadyServed:
            call_command("upgrade", check=True)
    except CommandError as error:
        raise Unusable(str(error)) from error


def run(name: str, command: str, arguments: Sequence[str]) -> int:
    """Run a management command under its short name."""
    from django.core.management import get_commands, load_command_class

    app = get_commands()[command]
    loaded = load_command_class(app, command) if isinstance(app, str) else app
    loaded.run_from_argv(["coindex", name, *arguments])
    return 0
