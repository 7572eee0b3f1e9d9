"""Concurrent writers: coders of one text, windows of one coder, and repeated operations."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from uuid import uuid4

from tests.faults.conftest import WRITING_SECONDS
from tests.faults.people import Answer, Window, at_work
from tests.faults.program import Program

N_WINDOWS = 8


def test_eight_coders_save_without_conflict(program):
    program.project("eight-coders")
    windows = program.windows("eight-coders")
    assert len(windows) == N_WINDOWS
    with at_work(windows, patient=True):
        Event().wait(WRITING_SECONDS)
    for window in windows:
        window.send_all()
        assert window.acknowledged
        assert program.log(window) == window.made == window.acknowledged == window.log
        assert window.stale == 0  # nobody else writes there


def test_eight_windows_of_coder_read_same_log(program):
    program.project("eight-windows")
    [coder, *_] = program.coders
    windows = [program.window("eight-windows", coder, seed) for seed in range(N_WINDOWS)]
    with at_work(windows, patient=True):
        Event().wait(WRITING_SECONDS)
    for window in windows:
        window.send_all()
    log = program.log(windows[0])
    assert len(log) == len(set(log))
    assert set(log) == {uuid for window in windows for uuid in window.made}
    for window in windows:
        window.read()
        assert window.log == log
        own = set(window.made)
        assert [uuid for uuid in log if uuid in own] == window.made == window.acknowledged
    assert sum(window.stale for window in windows) > 0  # else they were not at it all at once


def send_at_once(windows: list[Window], batches: list[list[dict]]) -> list[Answer]:
    """Send the batches of all windows at the same moment, and return the answers."""
    together = Barrier(len(windows))

    def send(window: Window, batch: list[dict]) -> Answer:
        together.wait()
        return window.person.post(window.path, {"version": window.version, "operations": batch})

    with ThreadPoolExecutor(len(windows)) as pool:
        return list(pool.map(send, windows, batches))


def operation(window: Window, category: str) -> dict:
    return {
        "uuid": str(uuid4()),
        "kind": "judge",
        "payload": {"markable": window.markables[0], "category": category, "pointers": []},
    }


def open_windows(program: Program, slug: str) -> list[Window]:
    program.project(slug)
    return [program.window(slug, program.coders[0]) for _ in range(N_WINDOWS)]


def test_operation_sent_by_eight_clients_is_applied_once(program):
    windows, sent = open_windows(program, "same"), []
    for version in range(10):
        repeated = operation(windows[0], "place")
        sent.append(repeated["uuid"])
        answers = send_at_once(windows, [[repeated]] * N_WINDOWS)
        assert [(answer.status, answer.body) for answer in answers] == [(200, {"version": version + 1})] * N_WINDOWS
        for window in windows:
            window.version = version + 1
    assert program.log(windows[0]) == sent
    # Long after, by who has seen nothing since: nothing is done again, and what was missed is told.
    late = windows[0].person.post(windows[0].path, {"version": 0, "operations": [repeated]})
    assert (late.status, late.body["code"], late.body["version"]) == (409, "stale", 10)
    assert [missed["uuid"] for missed in late.body["missed"]] == sent == program.log(windows[0])


def test_overlapping_batches_apply_each_operation_once(program):
    windows, expected = open_windows(program, "overlapping"), []
    for _ in range(10):
        first, second = operation(windows[0], "place"), operation(windows[0], "none")
        expected += [first["uuid"], second["uuid"]]
        answers = send_at_once(windows, [[first], [first, second]] * (N_WINDOWS // 2))
        for window in windows:
            window.version += 2
        assert {(answer.status, answer.body["version"]) for answer in answers[1::2]} == {(200, windows[0].version)}
        for answer in answers[::2]:
            if answer.status == 409:  # it came after both
                assert [entry["uuid"] for entry in answer.body["missed"]] == expected[-2:]
            else:
                assert (answer.status, answer.body["version"]) == (200, windows[0].version - 1)
    assert program.log(windows[0]) == expected
