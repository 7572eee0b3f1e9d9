"""Compare the server's response times with a plain application on the same database."""

from __future__ import annotations

import os
import random
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks.data.documents import marked_text
from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import DATABASES, analyze, migrate, milliseconds, percentiles, run_on, seconds_of
from benchmarks.environment.serving import MakeRunServer, Server
from benchmarks.environment.traffic import KINDS, Coder, run_together

if TYPE_CHECKING:
    from annotations.models import Coding

# The maximum time of a request as a multiple of the plain application's; for `mixed`, the minimum share of its rate.
GOALS = {"read": 1.7, "save_one": 3.5, "save_100": 2.2, "list_50": 6.0, "mixed": 0.4}
REQUESTS = {
    "read": "read a coding of 100 judgements",
    "save_one": "save one judgement",
    "save_100": "save 100 judgements with pointers",
    "list_50": "list 50 texts",
}
# The data: eight coders of fifty texts, with API keys and a session.
N_TEXTS, N_CODERS, N_MARKABLES = 50, 8, 100
# The texts by purpose: each figure has its own codings, and so has the plain application.
MIXED, MIXED_PLAIN, ONE, ONE_PLAIN, HUNDRED, HUNDRED_PLAIN = range(6)
# The benchmark sends far more requests than people do, so rate limits are lifted.
ENVIRONMENT = {"API_REQUESTS_A_MINUTE": "1000000000"}
THREADS = 16  # as in scripts/pages.py


class Plain(Server):
    """The plain application, served by waitress in one process with as many threads as `make run`."""

    def command(self) -> list[str]:
        listen = [f"--listen=127.0.0.1:{self.port}", f"--threads={THREADS}"]
        return [sys.executable, "-m", "waitress", *listen, "benchmarks.plain:application"]


def fill_database() -> dict[str, Any]:
    """Create a project, coders with keys and a session, and their judgements of the measured texts."""
    from django.test import Client

    from annotations.models import Coding, User
    from annotations.projects.people.tokens import create_token
    from benchmarks.data.projects import make_project

    coders = User.objects.bulk_create([User(username=f"coder{number}") for number in range(N_CODERS)])
    project = make_project("bench", {f"text-{n:02}": marked_text(N_MARKABLES) for n in range(N_TEXTS)}, coders)
    keys = list(project.texts.get(slug="text-00").markables.values_list("key", flat=True))
    judgements: list[dict[str, object]] = [{"markable": keys[0], "category": "none", "pointers": []}]
    judgements += [{"markable": key, "category": "phrase", "pointers": [before]} for before, key in pairwise(keys)]
    codings = {}
    for number in range(HUNDRED_PLAIN + 1):
        of_text = Coding.objects.of_people().filter(text__slug=f"text-{number:02}").order_by("pk")
        codings[number] = list(of_text if number in (MIXED, MIXED_PLAIN) else of_text.filter(coder=coders[0]))
        judge(codings[number], judgements)
    client = Client()
    client.force_login(coders[0])
    data_set = {
        "judgements": judgements,
        "keys": [{"Authorization": f"Bearer {create_token(coder, 'bench', 'annotate', 1)[1]}"} for coder in coders],
        "session": client.cookies["sessionid"].value,
        "codings": {number: [(coding.pk, coding.version) for coding in rows] for number, rows in codings.items()},
    }
    analyze()
    return data_set


def judge(codings: Sequence[Coding], judgements: Sequence[Mapping[str, Any]]) -> None:
    """Judge all markables of codings by operations."""
    from annotations.coding import operations

    for coding in codings:
        changes = [operations.Change(uuid4(), "judge", payload) for payload in judgements]
        coding.version = operations.apply(coding, coding.coder, 0, changes)


def alternate(ask: Callable[[Coder], None], clients: Mapping[str, Coder], requests: int) -> dict[str, dict[str, float]]:
    """Return each client's median request time and processor time, alternating clients for equal conditions."""
    block = max(requests // 8, 1)
    times: dict[str, list[float]] = {name: [] for name in clients}
    cpu_seconds = dict.fromkeys(clients, 0.0)
    for client in clients.values():
        for _ in range(3):
            ask(client)
    while min(map(len, times.values())) < requests:
        for name, client in clients.items():
            cpu_before = client.server.processor_seconds()
            times[name] += [seconds_of(partial(ask, client)) for _ in range(block)]
            cpu_seconds[name] += client.server.processor_seconds() - cpu_before
    return {
        name: {"p50_ms": milliseconds(statistics.median(own)), "cpu_ms": milliseconds(cpu_seconds[name] / len(own))}
        for name, own in times.items()
    }


def measure(requests: int, seconds: float) -> dict[str, Any]:
    """Return all figures on the configured database, which must be empty."""
    data, database = os.environ["DATA_DIR"], os.environ.get("DATABASE_URL")
    server = MakeRunServer(data, database=database, variables=ENVIRONMENT)
    plain = Plain(data, database=database)
    try:
        migrate()
        data_set = fill_database()
        server.start()
        plain.start("/texts/")
        results = {"requests": single_client(server, plain, data_set, requests)}
        # eight clients at once, for each of the two servers
        ours = [coindex_coder(server, data_set, MIXED, by_key, n) for n, by_key in enumerate(data_set["keys"])]
        theirs = [plain_coder(plain, data_set, MIXED_PLAIN, n) for n in range(N_CODERS)]
        results["mixed"] = {"ours": let_work(ours, seconds), "plain": let_work(theirs, seconds)}
    finally:
        server.kill()
        plain.kill()
    ratios_ = ratios(**results)
    no_errors = not results["mixed"]["ours"]["errors"]
    return {
        "ratios": ratios_,
        "met": {name: is_met(name, ratios_[name]) for name in GOALS} | {"no_errors": no_errors},
        **results,
    }


def ratios(requests: Mapping[str, Any], mixed: Mapping[str, Any]) -> dict[str, float]:
    """Return the times of requests as multiples of the plain application's, and the share of its mixed rate."""
    ratios_ = {name: ways["key"]["p50_ms"] / ways["plain"]["p50_ms"] for name, ways in requests.items()}
    ratios_["mixed"] = mixed["ours"]["ops_per_s"] / mixed["plain"]["ops_per_s"]
    return {name: round(ratio, 2) for name, ratio in ratios_.items()}


def is_met(name: str, ratio: float) -> bool:
    """Return whether a ratio meets its goal."""
    return ratio >= GOALS[name] if name == "mixed" else ratio <= GOALS[name]


def coindex_coder(
    server: Server, data_set: dict[str, Any], text: int, headers: dict[str, str], coder: int = 0
) -> Coder:
    """Return a coder who uses the API of Coindex."""
    project = "/api/v1/projects/bench/texts/"
    coding = f"{project}text-{text:02}/coding/"
    version = data_set["codings"][text][coder][1]
    return Coder(server, headers, coding, f"{coding}operations/", project, data_set["judgements"], version)


def plain_coder(server: Server, data_set: dict[str, Any], text: int, coder: int = 0) -> Coder:
    """Return a coder who uses the plain application."""
    pk, version = data_set["codings"][text][coder]
    coding = f"/codings/{pk}/"
    return Coder(server, {}, coding, coding, "/texts/", data_set["judgements"], version)


def single_client(server: Server, plain: Server, data_set: dict[str, Any], requests: int) -> dict[str, Any]:
    """Return the figures of one client: each request by key, by session and to the plain application."""
    draw, key = random.Random(1), data_set["keys"][0]
    one, hundred = (coindex_coder(server, data_set, text, key) for text in (ONE, HUNDRED))
    one_plain, hundred_plain = (plain_coder(plain, data_set, text) for text in (ONE_PLAIN, HUNDRED_PLAIN))
    token = "b" * 32
    session = {"Cookie": f"sessionid={data_set['session']}; csrftoken={token}", "X-CSRFToken": token}
    signed_in = coindex_coder(server, data_set, MIXED, session)
    clients_by_name = {"key": one, "session": signed_in, "plain": one_plain}
    asks: dict[str, tuple[Callable[[Coder], None], dict[str, Coder]]] = {
        "read": (Coder.read, clients_by_name),
        "save_one": (lambda coder: coder.save_one(draw), clients_by_name),
        "save_100": (Coder.save_all, {"key": hundred, "plain": hundred_plain}),
        "list_50": (Coder.list, clients_by_name),
    }
    results = {name: alternate(ask, clients, requests) for name, (ask, clients) in asks.items()}
    data_set["codings"][MIXED][0] = (data_set["codings"][MIXED][0][0], signed_in.version)
    return results


def let_work(clients: Sequence[Coder], seconds: float) -> dict[str, Any]:
    """Return the figures of a server's clients working at once."""
    cpu_before = clients[0].server.processor_seconds()
    rate = run_together(clients, seconds)
    cpu_seconds = clients[0].server.processor_seconds() - cpu_before
    errors = [error for client in clients for error in client.errors]
    times_by_kind = {kind: [time for client in clients for time in client.durations[kind]] for kind in KINDS}
    return {
        "ops_per_s": round(rate, 1),
        "errors": len(errors),
        "first_error": errors[0] if errors else "",
        "cpu_ms": milliseconds(cpu_seconds / max(sum(map(len, times_by_kind.values())), 1)),
    } | {name: time for kind, times in times_by_kind.items() for name, time in percentiles(kind, times).items()}


def report(figures_by_database: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables of each database."""
    yield conditions("django")
    for database, figures in figures_by_database.items():
        yield from ("", f"## {database}", "")
        if "why" in figures:
            yield figures["why"]
            continue
        yield from (*single_client_table(figures), "", *eight_clients_table(figures))


def judged(name: str, figures: dict[str, Any]) -> tuple[str, str]:
    """Return a ratio and its goal as cells, with a note if the goal is missed."""
    ratio, goal = figures["ratios"][name], GOALS[name]
    return f"{ratio:.2f}", f"{goal:g}" if is_met(name, ratio) else f"{goal:g}, missed"


def single_client_table(figures: dict[str, Any]) -> list[str]:
    """Return the table of one client."""
    rows = []
    for name, label in REQUESTS.items():
        ways = figures["requests"][name]
        cells = [f"{ways[way][figure]:.1f}" for way in ("key", "plain") for figure in ("p50_ms", "cpu_ms")]
        session = f"{ways['session']['p50_ms']:.1f}" if "session" in ways else ""
        rows.append((label, *judged(name, figures), *cells[:2], session, *cells[2:]))
    return table(("", "times plain", "goal", "by key", "work", "by session", "plain", "work"), rows)


def eight_clients_table(figures: dict[str, Any]) -> list[str]:
    """Return the table of eight clients."""
    rows = []
    for name, label in (("ours", "Coindex"), ("plain", "plain")):
        side = figures["mixed"][name]
        times = [side[f"{kind}_{share}_ms"] for kind in ("read", "save") for share in ("p50", "p99")]
        rows.append(
            (
                label,
                f"{side['ops_per_s']:.0f}",
                *(judged("mixed", figures) if name == "ours" else ("", "")),
                side["errors"],
                f"{side['cpu_ms']:.1f}",
                *("" if time is None else f"{time:.0f}" for time in times),
            )
        )
    header = ("errors", "work", "read, p50", "p99", "save, p50", "p99")
    return table(("", "answers a second", "of plain", "goal", *header), rows)


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("server", __doc__)
    parser.add_argument("--requests", type=int, default=200, help="of one kind by one client")
    parser.add_argument("--seconds", type=float, default=10, help="of eight clients at once")
    parser.add_argument("--database", choices=DATABASES, action="append", help="of this alone")
    options = parser.parse_args(arguments)
    amounts = (options.requests, options.seconds)
    figures = {name: run_on(name, measure, *amounts) for name in options.database or DATABASES}
    publish(options, figures | {"about": {"goals": GOALS, "conditions": conditions("django")}}, report(figures))


if __name__ == "__main__":
    main()
