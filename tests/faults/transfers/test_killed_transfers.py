"""Kill -9 during imports and exports: all or nothing, a true state, and success on repetition."""

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
    carry_out,
    content,
    corpus,
    count_rows,
    expected_rows,
    fetch,
    import_long_text,
    many_texts,
    order,
    order_export,
    order_import,
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


def assert_import_failed_and_can_be_repeated(program: Program, slug: str, pk: int, size: tuple[int, int]):
    """Assert that an import whose process was killed is reported as failed and can be ordered again."""
    manager, address = program.manager, f"/transfers/{pk}/"
    with program.inside():
        assert count_rows(slug) == NOTHING
    # Nobody knows yet that it is dead: who works on it may be slow.
    assert fetch(manager, pk)["state"] == "running"
    assert manager.call("DELETE", address).status == 409
    program.expire_heartbeat(pk)
    found = fetch(manager, pk)
    assert (found["state"], found["error"], found["report"]) == ("failed", orders.LOST_MESSAGE, None)
    assert manager.post(f"{address}carry-out/").status == 409
    again = order_import(manager, slug, corpus(*size))
    assert carry_out(manager, again)["state"] == "done"
    with program.inside():
        assert count_rows(slug) == expected_rows(*size)
    assert manager.call("DELETE", address).status == 204


def test_import_can_be_repeated_after_worker_is_killed(program):
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
    assert_import_failed_and_can_be_repeated(program, slug, pk, LARGE)


def test_repeated_import_adds_only_missing_texts(program):
    """The import has several transactions: committed texts stay, and none is imported twice."""
    slug, manager = "many-killed", program.manager
    program.project(slug, SCHEME, BEGIN)
    pk = order(manager, f"/projects/{slug}/imports/", {"format": "text", "whose": "nobody"}, [many_texts(MANY)])
    assert manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"

    def count_written() -> int:
        state, written = Transfer.objects.values_list("state", "written").get(pk=pk)
        assert state in ("checked", "running"), "it was over before it could be stopped"
        return written

    with program.inside():
        wait_for(count_written, "the first texts are in", pause=0.001)
    os.kill(program.worker.pid, signal.SIGKILL)
    program.worker.wait()
    wait_until_nobody_writes(program)
    with program.inside():
        written = count_written()
        assert Text.objects.filter(project__slug=slug).count() - 1 == written
        assert 0 < written < MANY
    program.serve()
    program.expire_heartbeat(pk)
    found = fetch(manager, pk)
    assert (found["state"], found["error"]) == (
        "failed",
        f"{orders.LOST_MESSAGE} {orders.STAYS}{written}. {orders.GOES_ON}",
    )
    again = order(manager, f"/projects/{slug}/imports/", {"format": "text", "whose": "nobody"}, [many_texts(MANY)])
    assert fetch(manager, again)["report"]["texts"] == MANY - written
    assert carry_out(manager, again)["state"] == "done"
    with program.inside():
        slugs = list(Text.objects.filter(project__slug=slug).values_list("slug", flat=True))
    assert sorted(slugs) == sorted(["tea", *(f"t{number}" for number in range(MANY))])


def test_import_can_be_repeated_after_web_is_killed(program):
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
    assert_import_failed_and_can_be_repeated(program, slug, pk, SMALL)


def test_partial_export_is_not_served_and_can_be_repeated(program):
    slug, manager = "export-killed", program.manager
    program.project(slug, SCHEME, BEGIN)
    with program.inside():
        import_long_text(slug)
    pk = order_export(manager, slug)
    before = program.files()
    assert manager.post(f"/transfers/{pk}/carry-out/").body["state"] == "running"
    wait_for(lambda: program.files() - before, "the worker begins to write the file", pause=0.001)
    program.worker.send_signal(signal.SIGSTOP)
    assert fetch(manager, pk)["state"] == "running"
    program.worker.kill()
    program.worker.wait()
    [partial] = program.files() - before
    assert manager.get(f"/transfers/{pk}/file/").status == 404
    program.serve()
    program.expire_heartbeat(pk)
    assert (fetch(manager, pk)["state"], fetch(manager, pk)["error"]) == ("failed", orders.LOST_MESSAGE)
    assert manager.get(f"/transfers/{pk}/file/").status == 404
    again = order_export(manager, slug)
    assert partial.exists()  # it might be of one that is being written
    assert carry_out(manager, again)["state"] == "done"
    assert {f"coder{number}/long.txt" for number in range(1, 9)} <= set(content(manager, again))
    # The next day it goes, whatever is ordered then.
    os.utime(partial, times=(time.time() - orders.ORPHAN_AGE.total_seconds() - 1,) * 2)
    order_export(manager, slug)
    assert not partial.exists()


def test_verify_log_finds_no_error_after_kills(program):
    program.run("manage.py", "verify_log")
