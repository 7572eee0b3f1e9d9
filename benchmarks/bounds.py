"""Measure the maximum cost of a single page request: docs/benchmarks-bounds.md."""

import time
from collections.abc import Iterator, Mapping
from typing import Any

from benchmarks.environment.command import conditions, make_parser, publish, table
from benchmarks.environment.processes import DATABASES, analyze, in_new_process, migrate, peak_mb, run_on

TEXTS, CODERS, MIN_SIZE = 5_000, 500, 12
CODERS_OF_A_TEXT, MARKABLES = 3, 4
NOT_PAGES = ("admin/", "api/", "sign-out/")


def measure(texts: int, n_coders: int) -> dict[str, dict[str, float]]:
    """Return seconds, bytes and memory of each project page on the configured database, which must be empty."""
    names = in_new_process(fill_database, texts, n_coders, method="fork")
    figures = {address: in_new_process(ask, address, method="fork") for address in addresses(names)}
    return {address: of_page for address, of_page in figures.items() if of_page}


def fill_database(texts: int, n_coders: int) -> dict[str, str]:
    """Create the project, and return the arguments of its URLs."""
    from benchmarks.data.projects import fill

    migrate()
    project = fill(texts, n_coders, MARKABLES, each=CODERS_OF_A_TEXT)
    first, second = project.memberships.filter(role="coder").order_by("pk")[:2]
    names = {
        "slug": project.slug,
        "text": "text-0000",
        "name": project.rounds.get().name,
        "key": "phrase:0-4",
        "first": first.user.username,
        "second": second.user.username,
    }
    analyze()
    return names


def addresses(names: Mapping[str, object]) -> Iterator[str]:
    """Yield the URL of each route whose arguments are among the names."""
    from django.urls import NoReverseMatch, get_resolver, reverse
    from django.urls.resolvers import URLPattern, URLResolver

    def patterns(resolver: URLResolver, before: str = "") -> Iterator[URLPattern]:
        for pattern in resolver.url_patterns:
            route = before + str(pattern.pattern)
            if isinstance(pattern, URLResolver):
                yield from patterns(pattern, route)
            elif not route.startswith(NOT_PAGES):
                yield pattern

    for pattern in patterns(get_resolver()):
        arguments = {name: names[name] for name in pattern.pattern.converters if name in names}
        try:
            yield reverse(pattern.name or "", kwargs=arguments)
        except NoReverseMatch:
            continue


def ask(address: str) -> dict[str, float]:
    """Return the figures of one page; {} if it does not answer a GET with 200."""
    from django.core.management import call_command
    from django.test import Client
    from django_tasks_db.models import DBTaskResult

    from annotations.models import User

    client = Client()
    client.force_login(User.objects.get(username="manager"))
    before, start = peak_mb(), time.process_time()
    response = client.get(address, HTTP_HOST="localhost")
    if response.status_code != 200:
        return {}
    figures = {"s": time.process_time() - start, "bytes": sum(map(len, response)), "mb": peak_mb() - before}
    if DBTaskResult.objects.ready().exists():
        start = time.process_time()
        call_command("db_worker", batch=True, startup_delay=False, verbosity=0)
        figures |= {"worker_s": time.process_time() - start, "worker_mb": peak_mb() - before}
        figures["bytes"] = sum(map(len, client.get(address, HTTP_HOST="localhost")))
    return figures


def report(figures: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of the tables of pages, the most expensive first."""
    yield conditions()
    for database, of_database in figures.items():
        yield ""
        if "why" in of_database:
            yield f"{database}: {of_database['why']}"
            continue
        rows = [
            (
                f"`{address}`",
                f"{page['s']:.2f}",
                f"{page['worker_s']:.1f}" if "worker_s" in page else "",
                f"{page.get('worker_mb', page['mb']):.0f}",
                f"{page['bytes'] / 1000:.0f}",
            )
            for address, page in sorted(of_database["pages"].items(), key=lambda item: (-item[1]["s"], item[0]))
        ]
        yield from table((database, "request, s", "worker, s", "memory, MB", "size, kB"), rows)


def main(arguments: list[str] | None = None) -> None:
    parser = make_parser("bounds", __doc__)
    parser.add_argument("--database", choices=DATABASES, action="append", help="of this alone")
    parser.add_argument("--smallest", action="store_true", help="a small project, to see that it runs")
    options = parser.parse_args(arguments)
    sizes = (MIN_SIZE, MIN_SIZE) if options.smallest else (TEXTS, CODERS)
    pages = {name: run_on(name, measure, *sizes) for name in options.database or DATABASES}
    figures = {name: result if "why" in result else {"pages": result} for name, result in pages.items()}
    publish(options, figures, report(figures))


if __name__ == "__main__":
    main()
