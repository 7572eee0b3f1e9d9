"""Kill -9 of web processes during saves: acknowledged saves are kept and none is applied twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

import pytest

from tests.faults.people import Window, at_work
from tests.faults.program import Program, wait_for


def kill_worker(program: Program, windows: Sequence[Window]) -> None:
    """Kill a web process while it answers somebody; the other one goes on, and the master starts a new one."""
    while not any(window.disconnected for window in windows):
        wait_for(lambda: len(program.web_workers()) == 2, "both are there")
        with suppress(ProcessLookupError):  # one that ends at this very moment: the other is tried
            os.kill(program.web_workers()[0], signal.SIGKILL)


def kill_master(program: Program, _: Sequence[Window]) -> None:
    """Kill the master; its workers see that within a second and end, and until then they answer."""
    assert program.process is not None
    program.process.kill()
    program.wait_until_web_has_ended()


def kill_all(program: Program, _: Sequence[Window]) -> None:
    program.kill()


@pytest.mark.parametrize("kill", [kill_worker, kill_master, kill_all])
def test_acknowledged_saves_survive_killed_web(program, kill):
    slug = kill.__name__.replace("_", "-")
    program.project(slug)
    windows = program.windows(slug)
    with at_work(windows):
        wait_for(lambda: sum(len(window.acknowledged) for window in windows) > 60, "saves are acknowledged")
        kill(program, windows)
    assert any(window.disconnected for window in windows)
    for window in windows:
        log, uncertain = program.log(window), [operation["uuid"] for operation in window.unsent]
        assert log[: len(window.acknowledged)] == window.acknowledged
        # What was under way has been carried out as a whole, or not at all.
        assert log[len(window.acknowledged) :] in ([], uncertain)
    program.verify_log()
    program.serve()
    for window in windows:
        window.send_all()  # the same again, by the version that the window had seen
        window.judge(3)
        window.send_all()
        assert program.log(window) == window.made == window.acknowledged == window.log
