"""kill -9 of the web server in the middle of a stream of saves: what was acknowledged is there, nothing is twice."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress

import pytest

from tests.faults.people import Window, at_work
from tests.faults.program import Program, wait_for


def a_worker(program: Program, windows: Sequence[Window]) -> None:
    """Kill a web process while it answers somebody; the other one goes on, and the master starts a new one."""
    while not any(window.broken_off for window in windows):
        wait_for(lambda: len(program.web_workers()) == 2, "both are there")
        with suppress(ProcessLookupError):  # one that ends at this very moment: the other is tried
            os.kill(program.web_workers()[0], signal.SIGKILL)


def the_master(program: Program, _: Sequence[Window]) -> None:
    """Kill the master; its workers see that within a second and end, and until then they answer."""
    assert program.process is not None
    program.process.kill()
    program.wait_until_web_has_ended()


def everything(program: Program, _: Sequence[Window]) -> None:
    program.kill()


@pytest.mark.parametrize("kill", [a_worker, the_master, everything])
def test_what_was_acknowledged_outlives_a_kill_and_the_rest_arrives_once(program, kill):
    slug = kill.__name__.replace("_", "-")
    program.project(slug)
    windows = program.windows(slug)
    with at_work(windows):
        wait_for(lambda: sum(len(one.acknowledged) for one in windows) > 60, "saves are acknowledged")
        kill(program, windows)
    assert any(window.broken_off for window in windows)
    for window in windows:
        log, uncertain = program.log(window), [one["uuid"] for one in window.unsent]
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
