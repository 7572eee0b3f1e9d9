"""PostgreSQL restarts during saves: acknowledged saves are kept and the program reconnects."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from tests.faults.corpora import BEGIN, LARGE, SCHEME, carry_out, corpus, count_rows, expected_rows, order_import
from tests.faults.databases import Cluster, find_binaries, is_postgres, own_cluster
from tests.faults.people import Window, at_work
from tests.faults.program import Program, wait_for
from tests.shared.skipping import skip_or_fail_in_ci

N_RESTARTS = 2


@pytest.fixture
def restartable(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Cluster, Program]]:
    """Run the program on its own PostgreSQL server with fsync."""
    if not is_postgres():
        pytest.skip("there is no server to restart")
    installed = find_binaries()
    if installed is None:
        skip_or_fail_in_ci("no programs of PostgreSQL on this machine (Debian's package: postgresql)")
    with own_cluster(installed) as cluster:
        program = Program(tmp_path_factory.mktemp("restarted"), cluster.database(), django_db_blocker)
        try:
            program.run("manage.py", "migrate", "--verbosity", "0")
            program.serve()
            program.create_people()
            yield cluster, program
            program.verify_log()
        finally:
            program.end()


def wait_until_all_save(windows: list[Window], more: int = 5) -> None:
    """Wait until each window has so many more acknowledgements."""
    aims = [len(window.acknowledged) + more for window in windows]
    wait_for(
        lambda: all(len(window.acknowledged) >= aim for window, aim in zip(windows, aims, strict=True)), "all save"
    )


def test_acknowledged_saves_survive_database_restart(restartable):
    cluster, program = restartable
    program.project("restarted")
    program.project("brought", SCHEME, BEGIN)
    windows = program.windows("restarted")
    web, worker = program.web_workers(), program.worker.pid
    with at_work(windows, patient=True):
        wait_until_all_save(windows)
        for _ in range(N_RESTARTS):
            cluster.restart_immediately()
            wait_until_all_save(windows)
    assert any(window.disconnected for window in windows)
    for window in windows:
        window.send_all()
        assert program.log(window) == window.made == window.acknowledged == window.log
    # Nobody has started them anew, and what the worker is asked for is done.
    pk = order_import(program.manager, "brought", corpus(*LARGE))
    assert carry_out(program.manager, pk)["state"] == "done"
    with program.inside():
        assert count_rows("brought") == expected_rows(*LARGE)
    assert program.web_workers() == web
    assert (program.worker.poll(), program.worker.pid) == (None, worker)
