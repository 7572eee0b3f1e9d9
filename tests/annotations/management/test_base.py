"""What the commands of the program have in common."""

from django.core.management import get_commands, load_command_class


def test_no_command_of_ours_loads_the_pages_before_it_begins():
    names = [name for name, app in get_commands().items() if app in ("annotations", "agreement")]
    assert {"agreement", "backup", "db_worker", "restore"} <= set(names)
    with_checks = [name for name in names if load_command_class(get_commands()[name], name).requires_system_checks]
    assert with_checks == []
