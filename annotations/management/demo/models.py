"""A model that codes in the demo: the baseline of `examples/`, whose client calls the program in this process."""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone

from annotations.models import Project, Round
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.model_coders import add_model, make_key, withdraw_keys

# The name of the model in each of its projects: a model belongs to one project.
NAMES = {"dialogue": "baseline", "notices": "baseline-notices"}
# The category for new mentions in each project.
NEW = {"dialogue": "none", "notices": "new"}


def load(project: Project) -> list[str]:
    """Let the baseline code open rounds; return its problems. Raise ImportError without httpx or examples."""
    import httpx

    from coindex.client import Client
    from examples import assignments, baseline_coder

    digest = hashlib.sha256(Path(baseline_coder.__file__).read_bytes()).hexdigest()
    model = add_model(project, NAMES[project.slug], version="rules", hash=digest, date=timezone.localdate())
    for round_ in project.rounds.exclude(kind__in=(Round.Kind.TRAINING, Round.Kind.RECHECK)):
        if not round_.is_closed:
            assign_texts(project, round_.texts.all(), [model.membership.user], round_)
    _, key = make_key(model, days=1)
    problems = []
    with _requests_in_transaction(), Client(_address(), key, transport=httpx.WSGITransport(WSGIHandler())) as client:
        for name, coding in assignments.assignments(client, project.slug, None):
            _, left = assignments.code(client, coding, baseline_coder.decide, new=NEW[project.slug], submit=True)
            problems += [f"{name}: {problem}" for problem in left]
    withdraw_keys(model)
    return problems


def _address() -> str:
    """Return an address at which the program answers, from its first allowed host."""
    name = settings.ALLOWED_HOSTS[0]
    return f"http://{'localhost' if name == '*' else name.lstrip('.')}"


@contextmanager
def _requests_in_transaction() -> Iterator[None]:
    """Answer requests in this process's transaction, with an open connection and without logging them."""
    signals = request_started, request_finished
    for signal in signals:
        signal.disconnect(close_old_connections)
    before = logging.root.manager.disable
    logging.disable(max(before, logging.INFO))
    try:
        yield
    finally:
        logging.disable(before)
        for signal in signals:
            signal.connect(close_old_connections)
