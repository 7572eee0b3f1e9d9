"""Let many coders work at once, and measure their waiting times: python -m benchmarks.load, or make load.

Each simulated coder does what a person's browser does (docs/scale.md). The server is started here, with data that are
deleted after their log is verified. For a server elsewhere: `--fill FILE`, with its settings, creates the project and
its coders and writes their names and password into a new file; then `--url ADDRESS --people FILE` lets them
work.
"""

import asyncio
import html
import itertools
import json
import os
import random
import re
import secrets
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import aiohttp
from yarl import URL

from benchmarks.data.documents import marked_text
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import DATABASES, migrate, percentiles, run_on, with_django
from benchmarks.environment.serving import MakeRunServer, Server
from benchmarks.environment.traffic import UnexpectedAnswer

PROJECT = "load"
TEXTS, MARKABLES = 6, 30
CHANGED = 3  # answers changed after a text was reopened
SIGN_IN_SECONDS = 0.5  # between sign-ins, before the measurement: hashing a password occupies a processor
TIMEOUT_SECONDS = 30.0
STATE = re.compile(r'<script id="coding-state" type="application/json">(.*?)</script>', re.DOTALL)
TOKEN = re.compile(r'data-coding="([^"]*)"')
CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]*)"')
KINDS = {
    "sign_in": "sign in",
    "open": "open the coding page",
    "save": "save a judgement",
    "submit": "submit",
    "reopen": "reopen",
    "list": "list of own texts",
}


class QuietMakeRunServer(MakeRunServer):
    """`make run` without its log, which has a line for each waiting request."""

    def command(self) -> list[str]:
        return ["sh", "-c", f"exec {shlex.join(super().command())} 2> /dev/null"]


class GunicornServer(Server):
    """Web and worker as in docker-compose.yml, in one session of processes."""

    def command(self) -> list[str]:
        python, bind = shlex.quote(sys.executable), f"127.0.0.1:{self.port}"
        worker = f"{python} manage.py db_worker --no-reload --verbosity 0"
        web = f"{python} -m gunicorn config.wsgi --config python:config.gunicorn --bind {bind}"
        return ["sh", "-c", f"exec 2> /dev/null; {worker} & exec {web}"]


@dataclass
class Tally:
    """The results of all coders: response times by kind of request, errors, and requests refused for overload."""

    durations: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    errors: Counter[str] = field(default_factory=Counter)
    sent_away: int = 0


@dataclass
class Coder:
    """A simulated coder with a browser's cookies."""

    browser: aiohttp.ClientSession
    address: str
    name: str
    password: str
    texts: list[str]
    think: float  # mean pause before an answer, in seconds
    draw: random.Random
    tally: Tally
    until: float = 0.0
    is_signed_in: bool = False

    async def sign_in(self, begin: float) -> None:
        """Sign in after `begin` seconds."""
        await asyncio.sleep(begin)
        with self._counting_errors():
            page = await self._ask("", "GET", "/sign-in/")
            form = {"username": self.name, "password": self.password, "csrfmiddlewaretoken": _match(CSRF, page)}
            await self._ask("sign_in", "POST", "/sign-in/", form=form)
            self.is_signed_in = True

    async def work(self, until: float) -> None:
        """Code one text after the other until that time, if the sign-in succeeded."""
        if not self.is_signed_in:
            return
        self.until = until
        await self._pause()
        for text in itertools.cycle(self.texts):
            with self._counting_errors():
                await self._code(text)
            if self._is_over():
                return
            await self._pause()

    @contextmanager
    def _counting_errors(self) -> Iterator[None]:
        try:
            yield
        except (aiohttp.ClientError, TimeoutError, UnexpectedAnswer) as error:
            self.tally.errors[str(error)[:200] or type(error).__name__] += 1

    async def _pause(self) -> None:
        await asyncio.sleep(min(self.draw.expovariate(1 / self.think), 5 * self.think))

    def _is_over(self) -> bool:
        return time.perf_counter() > self.until

    async def _code(self, text: str) -> None:
        """Judge all markables of the text and submit it, reopen it and change some answers, unless the time is up."""
        path = f"/projects/{PROJECT}/texts/{text}"
        state, page = await self._open(path)
        if state["coding"]["status"] == "submitted":
            state, page = await self._reopen(path, page)
        keys = [markable["key"] for markable in state["markables"]]
        await self._judge(text, state, page, self.draw.sample(keys, len(keys)))
        if self._is_over():
            return
        await self._submit(path, page)
        state, page = await self._reopen(path, page)
        await self._judge(text, state, page, self.draw.sample(keys, CHANGED))
        if not self._is_over():
            await self._submit(path, page)

    async def _open(self, path: str) -> tuple[dict[str, Any], str]:
        page = await self._ask("open", "GET", f"{path}/code/")
        return json.loads(_match(STATE, page)), page

    async def _reopen(self, path: str, page: str) -> tuple[dict[str, Any], str]:
        await self._ask("reopen", "POST", f"{path}/reopen/", form={"csrfmiddlewaretoken": _match(CSRF, page)})
        return await self._open(path)

    async def _judge(self, text: str, state: dict[str, Any], page: str, keys: list[str]) -> None:
        path = f"/api/v1/projects/{PROJECT}/texts/{text}/coding/operations/"
        headers = {"X-Coder": quote(self.name), "X-Coding": html.unescape(_match(TOKEN, page))}
        version = state["coding"]["version"]
        for key in keys:
            await self._pause()
            if self._is_over():
                return
            category = self.draw.choice(("place", "none"))
            payload: dict[str, object] = {"markable": key, "category": category, "pointers": []}
            operation = {"uuid": str(uuid4()), "kind": "judge", "payload": payload}
            sent = {"version": version, "operations": [operation]}
            version = json.loads(await self._ask("save", "POST", path, sent=sent, headers=headers))["version"]

    async def _submit(self, path: str, page: str) -> None:
        form = {"csrfmiddlewaretoken": _match(CSRF, page), "coding": html.unescape(_match(TOKEN, page))}
        await self._ask("submit", "POST", f"{path}/submit/", form=form)
        await self._ask("list", "GET", f"/projects/{PROJECT}/")

    async def _ask(
        self,
        kind: str,
        method: str,
        path: str,
        *,
        form: dict[str, str] | None = None,
        sent: object = None,
        headers: dict[str, str] | None = None,
    ) -> str:
        """Return the body of the response, retrying if the server asks for it. Forms must be answered by a redirect."""
        all_headers = {"Referer": f"{self.address}{path}"} | (headers or {})
        cookies = self.browser.cookie_jar.filter_cookies(URL(self.address))
        if sent is not None and "csrftoken" in cookies:
            all_headers["X-CSRFToken"] = cookies["csrftoken"].value
        has_failed = False
        while True:
            start = time.perf_counter()
            pending = self.browser.request(
                method, f"{self.address}{path}", data=form, json=sent, headers=all_headers, allow_redirects=False
            )
            try:
                async with pending as answer:
                    body = await answer.text()
            except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
                # The server closed an idle connection just as it was reused: browsers repeat the request, too. Repeated
                # operations count once.
                if has_failed:
                    raise
                has_failed = True
                continue
            if answer.status == 429:
                self.tally.sent_away += 1
                await asyncio.sleep(float(answer.headers.get("Retry-After", 1)) + self.draw.random())
                continue
            if answer.status != (302 if form is not None else 200):
                raise UnexpectedAnswer(f"{kind}: {answer.status} {body[:100]}")
            if kind:
                self.tally.durations[kind].append(time.perf_counter() - start)
            return body


def _match(pattern: re.Pattern[str], page: str) -> str:
    match = pattern.search(page)
    if match is None:
        raise UnexpectedAnswer(f"a page without {pattern.pattern[:40]}")
    return match.group(1)


async def work_together(address: str, people: dict[str, Any], seconds: float, think: float) -> tuple[Tally, float]:
    """Let all coders sign in and work for `seconds`; return the tally and the elapsed seconds."""
    tally = Tally()
    async with AsyncExitStack() as browsers:
        coders = []
        for number, name in enumerate(people["coders"]):
            draw = random.Random(number)
            jar = aiohttp.CookieJar(unsafe=True)  # accepts hosts that are IP addresses
            session = aiohttp.ClientSession(cookie_jar=jar, timeout=aiohttp.ClientTimeout(total=TIMEOUT_SECONDS))
            browser = await browsers.enter_async_context(session)
            texts = draw.sample(people["texts"], len(people["texts"]))
            coders.append(Coder(browser, address, name, people["password"], texts, think, draw, tally))
        await asyncio.gather(*(coder.sign_in(SIGN_IN_SECONDS * number) for number, coder in enumerate(coders)))
        begin = time.perf_counter()
        await asyncio.gather(*(coder.work(begin + seconds) for coder in coders))
        return tally, time.perf_counter() - begin


def measure(address: str, people: dict[str, Any], seconds: float, think: float) -> dict[str, Any]:
    """Return the figures of coders working against a server."""
    own = time.process_time()
    tally, passed = asyncio.run(work_together(address, people, seconds, think))
    requests = sum(len(times) for kind, times in tally.durations.items() if kind != "sign_in")
    figures: dict[str, Any] = {
        "coders": len(people["coders"]),
        "seconds": round(passed, 1),
        "requests": requests,
        "requests_per_s": round(requests / passed, 1),
        "saves_per_s": round(len(tally.durations["save"]) / passed, 1),
        "errors": sum(tally.errors.values()),
        "first_errors": tally.errors.most_common(3),
        "sent_away": tally.sent_away,
        "clients_processor_s": round(time.process_time() - own, 1),
    }
    for kind, times in tally.durations.items():
        figures |= {f"{kind}_n": len(times), **percentiles(kind, times)}
    return figures


def measure_own(coders: int, seconds: float, think: float) -> dict[str, Any]:
    """Return the figures on the configured database, which must be empty. The log is verified at the end."""
    data, database = os.environ["DATA_DIR"], os.environ.get("DATABASE_URL")
    kind = GunicornServer if database else QuietMakeRunServer
    server = kind(data, database=database)
    migrate()
    people = fill(coders)
    try:
        server.start()
        before = server.processor_seconds()
        figures = measure(server.address, people, seconds, think)
        figures["server_processor_s"] = round(server.processor_seconds() - before, 1)
    finally:
        server.kill()
    server.run("manage.py", "verify_log", PROJECT)
    return figures


def fill(coders: int) -> dict[str, Any]:
    """Create the project with its texts and coders, who share a random password. Return their names."""
    from django.contrib.auth.hashers import make_password
    from django.db import connection

    from annotations.models import User
    from benchmarks.data.projects import make_project

    password = secrets.token_urlsafe(16)
    hashed = make_password(password)
    names = [f"load-coder-{number}" for number in range(1, coders + 1)]
    slugs = [f"text-{number}" for number in range(1, TEXTS + 1)]
    users = User.objects.bulk_create([User(username=name, password=hashed) for name in names])
    make_project(PROJECT, dict.fromkeys(slugs, marked_text(MARKABLES)), users)
    connection.close()
    return {"coders": names, "password": password, "texts": slugs}


def report(figures_by_database: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"{conditions()} Coders and server share the machine."
    for database, figures in figures_by_database.items():
        yield ""
        if "why" in figures:
            yield f"{database}: {figures['why']}"
            continue
        yield (
            f"{database}: {figures['coders']} coders for {figures['seconds']:.0f} s, {figures['errors']} errors, "
            f"{figures['requests_per_s']:.1f} requests and {figures['saves_per_s']:.1f} saves a second; "
            f"asked to come again: {figures['sent_away']}."
        )
        rows = [
            (label, figures[f"{kind}_n"], *(f"{figures[f'{kind}_{share}_ms']:.0f}" for share in ("p50", "p99")))
            for kind, label in KINDS.items()
            if figures[f"{kind}_n"]
        ]
        yield from ("", *table(("", "number", "p50 ms", "p99 ms"), rows), "")
        yield f"Processor seconds of the coders: {figures['clients_processor_s']}"
        if "server_processor_s" in figures:
            yield f"Processor seconds of web and worker: {figures['server_processor_s']}"
        yield from (f"{number} times: {error}" for error, number in figures["first_errors"])


def main(arguments: list[str] | None = None) -> int:
    parser = make_parser("load", __doc__)
    parser.add_argument("--coders", type=int, default=200, help="simulated coders (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=120, help="for which they work (default: %(default)s)")
    parser.add_argument("--think", type=float, default=3, help="mean seconds before an answer (default: %(default)s)")
    parser.add_argument("--database", choices=DATABASES, action="append", help="on this alone")
    parser.add_argument("--url", help="the address of a server that runs already")
    parser.add_argument("--people", type=Path, metavar="FILE", help="what --fill wrote about that server")
    parser.add_argument("--fill", type=Path, metavar="FILE", help="make project and coders where the settings lead")
    options = parser.parse_args(arguments)
    if options.fill:
        with open(os.open(options.fill, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123
            json.dump(with_django(fill, options.coders), file)
        return 0
    if bool(options.url) != bool(options.people):
        parser.error("--url and --people belong together; --fill writes the file.")
    if options.url:
        people = json.loads(options.people.read_text(encoding="utf-8"))
        people["coders"] = people["coders"][: options.coders]
        results = {options.url: measure(options.url.rstrip("/"), people, options.seconds, options.think)}
    else:
        own = (options.coders, options.seconds, options.think)
        results = {name: run_on(name, measure_own, *own) for name in options.database or DATABASES}
    publish(options, results, report(results))
    return int(any(figures.get("errors", 0) > 0 for figures in results.values()))


if __name__ == "__main__":
    sys.exit(main())
