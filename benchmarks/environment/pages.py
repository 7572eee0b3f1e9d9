"""What each page of a project costs: every address that answers GET, each asked in a process of its own."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import get_context
from typing import Any

NOT_PAGES = ("admin/", "api/", "sign-out/")


def addresses(names: Mapping[str, object]) -> Iterator[str]:
    """Yield the address of each route whose arguments are among the names."""
    from django.urls import NoReverseMatch, get_resolver, reverse
    from django.urls.resolvers import URLPattern, URLResolver

    def patterns(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, URLPattern]]:
        for one in resolver.url_patterns:
            route = before + str(one.pattern)
            if isinstance(one, URLResolver):
                yield from patterns(one, route)
            elif not route.startswith(NOT_PAGES):
                yield route, one

    for _, pattern in patterns(get_resolver()):
        arguments = {name: names[name] for name in pattern.pattern.converters if name in names}
        try:
            yield reverse(pattern.name or "", kwargs=arguments)
        except NoReverseMatch:
            continue


def measure_pages(fill: Callable[[], dict[str, object]], user: str) -> dict[str, dict[str, float]]:
    """Return seconds, bytes and memory of each page for the user, each asked in a process that has just begun.

    fill: makes the project, in a process of its own, and returns what addresses are made of. Seconds are of the
    processor. What a page hands to a worker is carried out too, and counted beside the request.
    """
    names = _in_process(fill)
    asked = {address: _in_process(_ask, user, address) for address in addresses(names)}
    return {address: figures for address, figures in asked.items() if figures}


def _in_process(work: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """Return what the work returns in a process of its own, which begins as this one is."""
    context = get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sending.send(work(*arguments)))
    process.start()
    sending.close()
    result: dict[str, Any] = receiving.recv()
    process.join()
    return result


def _ask(user: str, address: str) -> dict[str, float]:
    """Return the figures of one page, {} if it takes no GET."""
    from django.core.management import call_command
    from django.test import Client
    from django_tasks_db.models import DBTaskResult

    from annotations.models import User

    client = Client()
    client.force_login(User.objects.get(username=user))
    before, start = peak_mb(), time.process_time()
    response = client.get(address, HTTP_HOST="localhost")
    if response.status_code != 200:
        return {}
    figures = {"s": time.process_time() - start, "bytes": _size(response), "mb": peak_mb() - before}
    if DBTaskResult.objects.ready().exists():
        start = time.process_time()
        call_command("db_worker", batch=True, startup_delay=False, verbosity=0)
        figures |= {"worker_s": time.process_time() - start, "worker_mb": peak_mb() - before}
        figures["bytes"] = _size(client.get(address, HTTP_HOST="localhost"))
    return figures


def _size(response: Any) -> int:
    return sum(map(len, response))


def peak_mb() -> float:
    """Return the most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
