"""What pages say of a project, as it was followed from look to look and as another process finds it anew."""

from collections import OrderedDict
from contextlib import contextmanager
from uuid import uuid4

import numpy as np
from django.test import Client
from django.urls import reverse

from agreement.data import reading
from agreement.data.reading import read_answers
from agreement.reports import basis
from agreement.reports.coders.profiles import count_days
from agreement.reports.items import compute_items, find_highest
from agreement.reports.overall import compute_report
from agreement.reports.request import resolve
from agreement.results.registry import PAGES
from annotations.models import User
from annotations.planning.work.progress import read_progress
from annotations.planning.work.remaining import count_remaining
from tests.shared.agreeing import convention


def figures(project):
    """Return what pages say, to the last digit."""
    found, parameters = read_answers(project), convention(project, distance="masi", unmarked="")
    report, with_gold = compute_report(found, parameters), read_answers(project, gold=True)
    selected, resolved = resolve(found, parameters)
    return {
        "result": report.result,
        "interval": (report.interval.low, report.interval.high, report.interval.note),
        "fingerprint": report.fingerprint,
        "left out": report.codings_left_out,
        "coders": (found.coders, selected.coders, found.known_coders),
        "rounds": (found.rounds, selected.rounds),
        "reasons": found.reasons_left_out,
        "texts": [(text.slug, text.title, text.round) for text in selected.texts],
        "parts": sorted((part.text, part.coder, part.reason, part.round) for part in selected.left_out),
        "highest": [
            (item.text.slug, item.unit, item.share, item.relations) for item in find_highest(found, parameters)
        ],
        "items": [
            array.tolist()
            for array in vars(compute_items(selected, resolved)).values()
            if isinstance(array, np.ndarray)
        ],
        "days": count_days(project, found),
        "progress": read_progress(project),
        "remaining": count_remaining(project),
        "of selections": [
            compute_report(read_answers(project), convention(project, **asked)).result
            for asked in ({"include": "open"}, {"coders": ",".join(found.known_coders[:2])})
        ],
        "resolved": resolved,
        "gold": (with_gold.fingerprint, with_gold.gold_left_out, [(text.slug, text.round) for text in with_gold.texts]),
        "of questions": [
            (
                question.key,
                read_answers(project, question=question.key).fingerprint,
                read_answers(project, question=question.key).categories,
            )
            for question in found.questions
        ],
        "pages": kept_pages(project),
    }


def kept_pages(project):
    """Return what a manager is shown on the pages that are kept as they were rendered."""
    client = Client()
    client.force_login(User.objects.filter(memberships__project=project, memberships__role="manager").first())
    answers = {page.name: client.get(reverse(page.route, args=[project.slug])) for page in PAGES if page.is_kept}
    return {name: answer.content.decode().partition('<nav class="breadcrumbs"')[2] for name, answer in answers.items()}


@contextmanager
def another_process(patch):
    """Let nothing be known that was read before, and nothing be stored: as in a process that has just begun."""
    with patch.context() as apart:
        apart.setattr(reading, "_answers", OrderedDict())
        apart.setattr(reading, "MIN_STORED", 10**9)
        apart.setattr(basis, "MIN_REMEMBERED", 10**9)
        apart.setattr(basis, "MAX_TEXTS_AT_ONCE", 10**9)
        apart.setattr("agreement.web.pages.read_state", lambda _project: uuid4())
        yield
