"""No work is lost: without a network, through a restart of the server, in two windows and on two machines."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import judgement, saved
from tests.browser.test_coding import CODE, open_coding, ready

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parent.parent.parent
NAME, PASSWORD = "alice", "coindex-demo"


def test_minutes_without_network_are_worked_through_and_arrive(sign_in, alice, codings, keys):
    page = open_coding(sign_in, alice)
    page.context.set_offline(True)
    for key in ("4", "Enter", "3", "Enter", "1", "a"):
        page.keyboard.press(key)
    expect(page.locator("#save-state")).to_have_attribute("data-state", "waiting")
    expect(page.locator("#progress-text")).to_have_text("3 of 6 decided")
    expect(page.locator("#save-state")).to_have_text(re.compile("^4 waiting, no connection$"))
    page.context.set_offline(False)
    saved(page)
    assert [judgement(codings["alice"], keys[label])["category"] for label in "abc"] == ["none", "place", "phrase"]


def test_another_window_shows_at_once_what_was_saved_in_this_one(sign_in, alice, codings):
    first = open_coding(sign_in, alice)
    second = first.context.new_page()
    second.goto(CODE)
    ready(second)
    first.keyboard.press("4")
    saved(first)
    expect(second.locator("#progress-text")).to_have_text("1 of 6 decided")
    expect(second.locator("#save-state")).to_have_text("Changed elsewhere: merged")


def test_two_machines_without_network_converge_without_loss(sign_in, alice, codings, keys):
    here, there = (open_coding(sign_in, alice) for _ in range(2))
    for page in (here, there):
        page.context.set_offline(True)
    for key in ("4", "Enter", "3"):
        here.keyboard.press(key)
    for key in ("End", "3", "ArrowLeft", "4", "Home", "3"):  # the first markable is judged on both
        there.keyboard.press(key)
    for page in (here, there):
        page.context.set_offline(False)
        saved(page)
    # Who comes first learns of the other as soon as the window is looked at again.
    here.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    for page in (here, there):
        expect(page.locator("#progress-text")).to_have_text("4 of 6 decided")
        expect(page.locator("#text .is-current")).to_have_count(1)
    judged = {label: judgement(codings["alice"], keys[label])["category"] for label in "abef"}
    assert judged == {"a": "place", "b": "place", "e": "none", "f": "place"}
    assert codings["alice"].operations.filter(payload__markable=keys["a"]).count() == 2  # the log keeps both


def test_steps_of_several_answers_are_kept_together(sign_in, alice, codings):
    page = open_coding(sign_in, alice)
    for key in ("4", "Enter", "4", "Enter", "1", "a", "Enter", "1", "a", "Enter", "1", "a"):
        page.keyboard.press(key)
    saved(page)
    page.keyboard.press("p")
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    saved(page)
    steps = codings["alice"].operations.exclude(step=None).values_list("step", flat=True)
    assert len(steps) > 1
    assert len(set(steps)) == 1


@pytest.fixture
def server(tmp_path):
    """A server of its own with the demo, that can be stopped and started again at the same address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"LOCAL": "1", "DATA_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    environment.pop("DATABASE_URL", None)
    for command in ("migrate", "load_demo"):
        subprocess.run(
            [sys.executable, "manage.py", command], cwd=ROOT, env=environment, check=True, capture_output=True
        )

    class Server:
        address = f"http://127.0.0.1:{port}"
        process: subprocess.Popen[bytes] | None = None

        def start(self) -> None:
            command = [
                "-m",
                "gunicorn",
                "config.wsgi",
                "--bind",
                f"127.0.0.1:{port}",
                "--threads",
                "4",
                "--log-level",
                "error",
            ]
            self.process = subprocess.Popen(
                [sys.executable, *command], cwd=ROOT, env=environment, start_new_session=True
            )
            for _ in range(100):
                try:
                    urllib.request.urlopen(f"{self.address}/sign-in/")
                    return
                except OSError:
                    time.sleep(0.1)
            pytest.fail("the server did not start")

        def kill(self) -> None:
            assert self.process is not None
            os.killpg(self.process.pid, signal.SIGKILL)  # with its workers
            self.process.wait()

    running = Server()
    running.start()
    yield running
    running.kill()


def test_the_server_is_killed_in_the_middle_and_nothing_is_lost(server, browser: Browser):
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    page.goto("/sign-in/?next=/projects/dialogue/texts/generator/code/")
    page.get_by_label("Username").fill(NAME)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("#progress-text")).to_have_text("0 of 46 decided")
    for _ in range(3):
        page.keyboard.press("4")
        page.keyboard.press("Enter")
    saved(page)
    page.keyboard.press("4")  # on its way, or not
    server.kill()
    for _ in range(5):
        page.keyboard.press("Enter")
        page.keyboard.press("4")
    expect(page.locator("#progress-text")).to_have_text("9 of 46 decided")
    expect(page.locator("#save-state")).to_have_attribute("data-state", "waiting")
    server.start()
    expect(page.locator("#save-state")).to_have_attribute("data-state", re.compile("saved|merged"), timeout=60_000)
    page.reload()
    expect(page.locator("#progress-text")).to_have_text("9 of 46 decided")
    log = page.request.get("/api/v1/projects/dialogue/texts/generator/coding/operations/").json()["results"]
    assert [entry["sequence"] for entry in log] == list(range(1, 10))
    assert len({entry["payload"]["markable"] for entry in log}) == 9
    context.close()
