"""Two hosts with web and worker behind a proxy: killed processes lose and repeat no work."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import pytest
from django_tasks_db.models import DBTaskResult
from pytest_django import DjangoDbBlocker

from annotations.transfers import orders
from tests.faults.conftest import launch
from tests.faults.corpora import (
    BEGIN,
    LARGE,
    SCHEME,
    carry_out,
    content,
    corpus,
    count_rows,
    expected_rows,
    fetch,
    order_export,
    order_import,
)
from tests.faults.databases import Database, is_postgres
from tests.faults.people import Person, Window, at_work
from tests.faults.program import Program, wait_for
from tests.faults.proxy import Proxy, running
from tests.faults.transfers.test_killed_transfers import has_begun


@dataclass(frozen=True)
class Hosts:
    """Two hosts that share a database and the folder of files, and the proxy that leads to both."""

    first: Program
    second: Program
    proxy: Proxy

    def __iter__(self) -> Iterator[Program]:
        yield from (self.first, self.second)


@pytest.fixture(scope="module")
def hosts(
    template: Database, nginx: str, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Hosts]:
    if not is_postgres():
        pytest.skip("SQLite is for one host")
    with ExitStack() as stack:
        first = launch(stack, tmp_path_factory.mktemp("hosts"), template, django_db_blocker)
        second = Program(first.folder, first.database, django_db_blocker)
        stack.callback(second.end)
        second.serve()
        proxy = stack.enter_context(running(Proxy(nginx, tmp_path_factory.mktemp("nginx"), first.port, second.port)))
        address = f"https://127.0.0.1:{proxy.https}"
        first.people = {name: replace(person, address=address) for name, person in first.people.items()}
        yield Hosts(first, second, proxy)
        first.verify_log()


def wait_until_all_save(windows: Sequence[Window]) -> None:
    """Wait until each window has more acknowledged saves."""
    before = [len(window.acknowledged) for window in windows]
    wait_for(
        lambda: all(len(window.acknowledged) > number + 2 for window, number in zip(windows, before, strict=True)),
        "everybody saves",
    )


def kill_worker_of(hosts: Hosts, transfer: int) -> Program:
    """Kill the worker that carries the transfer out as soon as it has begun to, and return its host."""
    with hosts.first.inside():
        wait_for(lambda: has_begun(transfer, len(corpus(*LARGE))), "the import begins", pause=0.001)
        [task] = DBTaskResult.objects.running().filter(args_kwargs__args=[transfer])
    pid = int(task.worker_ids[-1].split(".")[1])
    [host] = [host for host in hosts if host.worker is not None and host.worker.pid == pid]
    os.kill(pid, signal.SIGKILL)
    assert host.worker is not None
    host.worker.wait()
    return host


def ask(person: Person, host: Program, path: str) -> object:
    """Return what one of the hosts answers."""
    answer = replace(person, address=host.address).get(path)
    assert answer.status == 200, answer
    return answer.body


def test_coding_and_imports_continue_when_either_host_fails(hosts):
    program, slug = hosts.first, "two-hosts"
    program.project(slug)
    windows, manager = program.windows(slug), program.manager
    with at_work(windows, patient=True):
        for number, host in enumerate(hosts):
            wait_until_all_save(windows)
            imported = f"imported-{number}"
            program.project(imported, SCHEME, BEGIN)
            host.kill()  # all processes of its web at once
            wait_until_all_save(windows)
            host.serve()
            pk = order_import(manager, imported, corpus(*LARGE))
            assert manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"
            other = kill_worker_of(hosts, pk)
            program.expire_heartbeat(pk)
            assert (fetch(manager, pk)["state"], fetch(manager, pk)["error"]) == ("failed", orders.LOST_MESSAGE)
            again = order_import(manager, imported, corpus(*LARGE))  # by the worker that is left
            assert carry_out(manager, again)["state"] == "done"
            other.serve()
            with program.inside():
                assert count_rows(imported) == expected_rows(*LARGE)
        wait_until_all_save(windows)
    assert sum(window.disconnected for window in windows) > 0
    for window in windows:
        window.send_all()
        assert program.log(window) == window.made == window.acknowledged == window.log
    program.verify_log()


def test_hosts_show_same_figures_after_save(hosts):
    program, slug = hosts.first, "same-figures"
    program.project(slug)
    windows = program.windows(slug)
    page = f"/projects/{slug}/agreement/?include=open"
    seen = []
    for number, window in enumerate(windows):
        host = [hosts.first, hosts.second][number % 2]
        direct = replace(window, person=replace(window.person, address=host.address))
        direct.judge(30)
        direct.send_all()
        found = [ask(program.manager, host, page) for host in hosts]
        assert found[0] == found[1]
        seen.append(str(found[0]))
    assert len(set(seen)) == len(seen)


def test_hosts_share_uploads_and_exports(hosts):
    program, slug = hosts.first, "files-of-one"
    program.project(slug, SCHEME, BEGIN)
    at_first, at_second = (replace(program.manager, address=host.address) for host in hosts)
    assert carry_out(at_second, order_import(at_first, slug, corpus(2, 50)))["state"] == "done"
    pk = order_export(at_second, slug)
    assert carry_out(at_second, pk)["state"] == "done"
    files = content(at_first, pk)
    assert {"coder1/long.txt", "coder2/long.txt"} <= files.keys()
    assert files == content(at_second, pk)
