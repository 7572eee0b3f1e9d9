"""kill -9 in the middle of imports and exports: all or nothing, what is said of them is true, and again they work."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from annotations.models import Text, Transfer
from annotations.transfers import orders
from tests.faults.corpora import (
    BEGIN,
    LARGE,
    MANY,
    NOTHING,
    SCHEME,
    SMALL,
    all_of,
    bring_long,
    brought,
    carry_out,
    content,
    corpus,
    many_texts,
    order,
    order_export,
    order_import,
    told,
)
from tests.faults.people import NoAnswer
from tests.faults.program import Program, signal_all, wait_for


def has_begun(pk: int, files: int) -> bool:
    """Return whether a process carries the transfer out and has counted its files. Call it inside."""
    state, total = Transfer.objects.values_list("state", "total").get(pk=pk)
    assert state in ("checked", "running"), "it was over before it could be stopped"
    return state == "running" and total == files


def wait_until_nobody_writes(program: Program) -> None:
    with program.watched() as is_written:
        wait_for(lambda: not is_written(), "the transaction of who was killed ends")


def check_that_it_came_to_nothing_and_comes_again(program: Program, slug: str, pk: int, size: tuple[int, int]):
    """Assert that an import whose process was killed is reported as failed and can be ordered again."""
    manager, address = program.manager, f"/transfers/{pk}/"
    with program.inside():
        assert brought(slug) == NOTHING
    # Nobody knows yet that it is dead: who works on it may be slow.
    assert told(manager, pk)["state"] == "running"
    assert manager.call("DELETE", address).status == 409
    program.let_time_pass(pk)
    found = told(manager, pk)
    assert (found["state"], found["error"], found["report"]) == ("failed", orders.LOST_MESSAGE, None)
    assert manager.post(f"{address}carry-out/").status == 409
    again = order_import(manager, slug, corpus(*size))
    assert carry_out(manager, again)["state"] == "done"
    with program.inside():
        assert brought(slug) == all_of(*size)
    assert manager.call("DELETE", address).status == 204


def test_an_import_whose_worker_is_killed_comes_in_wholly_when_it_is_ordered_again(program):
    slug, manager = "worker-killed", program.manager
    program.project(slug, SCHEME, BEGIN)
    pk = order_import(manager, slug, corpus(*LARGE))
    assert manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"
    program.stop_writing(lambda: [program.worker.pid], lambda: has_begun(pk, len(corpus(*LARGE))))
    # Whoever reads meanwhile waits for nobody, and sees nothing of it.
    assert [text["slug"] for text in manager.get(f"/projects/{slug}/texts/").body["results"]] == ["tea"]
    os.kill(program.worker.pid, signal.SIGKILL)
    program.worker.wait()
    wait_until_nobody_writes(program)
    program.serve()
    check_that_it_came_to_nothing_and_comes_again(program, slug, pk, LARGE)


def test_an_import_of_many_texts_whose_worker_is_killed_goes_on_when_it_is_ordered_again(program):
    """Of more texts than a transaction holds some are in by then: they stay, and nothing is there twice."""
    slug, manager = "many-killed", program.manager
    program.project(slug, SCHEME, BEGIN)
    pk = order(manager, f"/projects/{slug}/imports/", {"format": "text", "whose": "nobody"}, [many_texts(MANY)])
    assert manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"

    def are_in() -> int:
        state, written = Transfer.objects.values_list("state", "written").get(pk=pk)
        assert state in ("checked", "running"), "it was over before it could be stopped"
        return written

    with program.inside():
        wait_for(are_in, "the first texts are in", pause=0.001)
    os.kill(program.worker.pid, signal.SIGKILL)
    program.worker.wait()
    wait_until_nobody_writes(program)
    with program.inside():
        written = are_in()
        assert Text.objects.filter(project__slug=slug).count() - 1 == written
        assert 0 < written < MANY
    program.serve()
    program.let_time_pass(pk)
    found = told(manager, pk)
    assert (found["state"], found["error"]) == (
        "failed",
        f"{orders.LOST_MESSAGE} {orders.STAYS}{written}. {orders.GOES_ON}",
    )
    again = order(manager, f"/projects/{slug}/imports/", {"format": "text", "whose": "nobody"}, [many_texts(MANY)])
    assert told(manager, again)["report"]["texts"] == MANY - written
    assert carry_out(manager, again)["state"] == "done"
    with program.inside():
        slugs = list(Text.objects.filter(project__slug=slug).values_list("slug", flat=True))
    assert sorted(slugs) == sorted(["tea", *(f"t{number}" for number in range(MANY))])


def test_an_import_whose_web_process_is_killed_comes_in_wholly_when_it_is_ordered_again(program):
    slug, manager = "web-killed", program.manager
    program.project(slug, SCHEME, BEGIN)
    pk = order_import(manager, slug, corpus(*SMALL))
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(manager.post, f"/transfers/{pk}/carry-out/")
        stopped = program.stop_writing(program.web_workers, lambda: has_begun(pk, len(corpus(*SMALL))))
        signal_all(stopped, signal.SIGKILL)
        with pytest.raises(NoAnswer):
            asked.result()
    wait_until_nobody_writes(program)
    check_that_it_came_to_nothing_and_comes_again(program, slug, pk, SMALL)


def test_an_export_whose_worker_is_killed_is_served_to_nobody_and_works_when_it_is_ordered_again(program):
    slug, manager = "export-killed", program.manager
    program.project(slug, SCHEME, BEGIN)
    with program.inside():
        bring_long(slug)
    pk = order_export(manager, slug)
    before = program.files()
    assert manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"
    wait_for(lambda: program.files() - before, "the worker begins to write the file", pause=0.001)
    program.worker.send_signal(signal.SIGSTOP)
    assert told(manager, pk)["state"] == "running"
    program.worker.kill()
    program.worker.wait()
    [partial] = program.files() - before
    assert manager.get(f"/transfers/{pk}/file/").status == 404
    program.serve()
    program.let_time_pass(pk)
    assert (told(manager, pk)["state"], told(manager, pk)["error"]) == ("failed", orders.LOST_MESSAGE)
    assert manager.get(f"/transfers/{pk}/file/").status == 404
    again = order_export(manager, slug)
    assert partial.exists()  # it might be of one that is being written
    assert carry_out(manager, again)["state"] == "done"
    assert {f"coder{number}/long.txt" for number in range(1, 9)} <= set(content(manager, again))
    # The next day it goes, whatever is ordered then.
    os.utime(partial, times=(time.time() - orders.ORPHAN_AGE.total_seconds() - 1,) * 2)
    order_export(manager, slug)
    assert not partial.exists()


def test_the_command_that_verifies_finds_nothing_of_all_that(program):
    """As an administrator runs it after a crash."""
    program.run("manage.py", "verify_log")
