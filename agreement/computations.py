"""What takes long is computed by a worker, while the page shows how far it is; what was found is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.tasks import task
from django.utils import timezone

from agreement.asked import Asked, asked_again
from agreement.models import Computation
from agreement.parts import conditions, pairs, texts
from agreement.parts.part import Parts
from agreement.reports.basis import coders_of, keep, texts_of
from agreement.reports.coders import SCORES
from agreement.reports.methods import software
from annotations.progress import Progress, is_lost, telling

# Judgements, times the ways in which each is computed, that a page waits for: about a second.
AT_ONCE = 600_000
# Of one project so many are kept; the oldest go.
KEPT = 100
# What was found so lately is shown as it is, although somebody has changed an answer since: coders always do.
FRESH = timedelta(minutes=1)
# What another version of the program found may have another form, or other figures.
VERSION_MARK = hashlib.sha256(software().encode()).hexdigest()[:4]

BUILDERS: dict[str, Callable[[Asked, Progress | None], Parts]] = {
    "grid": conditions.grid,
    "compare": conditions.compare,
    "matrix": pairs.matrix,
    "texts": texts.every_text,
}


@dataclass(frozen=True, slots=True)
class Found:
    """The parts of a page and, where they are being computed, how far that is.

    `as_of` is set where the parts are of answers that have changed since.
    """

    parts: Parts | None
    waiting: Computation | None = None
    as_of: datetime | None = None


def parts_of(page: Asked, kind: str) -> Found:
    """The parts of a page: computed now where that is quick, else what a worker found or is finding."""
    if cost(page, kind) <= AT_ONCE:
        return Found(BUILDERS[kind](page, None))
    state = _state(page)
    parts = _found(page, kind, state)
    if parts is not None:
        return Found(parts)
    done = _same(page, kind).filter(finished_at__isnull=False, error="", state__endswith=VERSION_MARK)
    latest = done.order_by("-finished_at").first()
    as_of = latest.finished_at if latest else None
    before = Parts.from_json(latest.result) if latest and latest.result else None
    if before and as_of and timezone.now() - as_of < FRESH:
        return Found(before, None, as_of)
    ordered = _ordered(page, kind, state)
    if ordered.finished_at and not ordered.error:  # a worker that is quick, or the same process
        return Found(_found(page, kind, ordered.state))
    return Found(before, ordered, as_of if before else None)


def cost(page: Asked, kind: str) -> int:
    """About how many judgements are gone through."""
    judgements = sum(text.answers.n_judgements for text in texts_of(page.extract, page.parameters))
    if kind == "texts":  # each is drawn from thousands of times
        return judgements * 60
    if kind == "matrix":  # each judgement is in as many pairs as there are other coders
        n_coders = len(coders_of(page.extract, page.parameters))
        return judgements * max(n_coders - 1, 0) * (4 if page.own.get("measure") in SCORES else 1)
    constructions = {"pointers": 6, "indices": 3, "categories": 1, "scus": 3}[page.project.answers]
    return judgements * constructions * (2 if kind == "compare" or page.parameters.without else 1)


def _state(page: Asked) -> str:
    """Of what a computation is: the answers, the rounds of the texts, and the version of the program."""
    rounds = [(text.slug, text.title, text.round) for text in page.extract.texts]
    digest = hashlib.sha256(json.dumps([page.extract.fingerprint, rounds]).encode()).hexdigest()
    return digest[: 16 - len(VERSION_MARK)] + VERSION_MARK


def _found(page: Asked, kind: str, state: str) -> Parts | None:
    """What a worker has found of this state."""
    key = ("parts", kind, state, page.parameters, tuple(sorted(page.own.items())))
    parts: Parts | None = page.extract.kept.get(key)
    if parts is None:
        done = _same(page, kind).filter(state=state, finished_at__isnull=False, error="")
        found = done.values_list("result", flat=True).first()
        parts = keep(page.extract, key, Parts.from_json(found)) if found else None
    return parts


def _same(page: Asked, kind: str) -> QuerySet[Computation]:
    return Computation.objects.filter(project=page.project, kind=kind, parameters=page.parameters.query(), own=page.own)


def _ordered(page: Asked, kind: str, state: str) -> Computation:
    """The computation of these parts, ordered now unless it is already."""
    there = _same(page, kind).filter(Q(finished_at=None) | ~Q(error="")).defer("result").first()
    if there is not None:
        lost = not there.finished_at and is_lost(there.told_at)
        if there.error or lost:  # an error is shown once; who looks again tries again
            Computation.objects.filter(pk=there.pk).delete()
        if not lost:
            return there
    with transaction.atomic():
        made = Computation.objects.create(
            project=page.project, kind=kind, state=state, parameters=page.parameters.query(), own=page.own
        )
        old = Computation.objects.filter(project=page.project).order_by("-pk").values_list("pk", flat=True)[KEPT:]
        Computation.objects.filter(pk__in=list(old)).delete()
        compute.enqueue(made.pk)
    made.refresh_from_db()
    return made


@task()
def compute(pk: int) -> None:
    """Compute what was ordered, of the answers as they are now. Where it fails the page says so, and the log why."""
    ordered = Computation.objects.select_related("project").filter(pk=pk).first()
    if ordered is None:
        return
    row = Computation.objects.filter(pk=pk)
    try:
        page = asked_again(ordered.project, ordered.parameters, ordered.own)
        result = BUILDERS[ordered.kind](page, telling(row)).as_json()
    except BaseException:  # also where the worker is told to end
        row.update(error="It could not be computed.", finished_at=timezone.now())
        raise
    row.update(result=result, state=_state(page), finished_at=timezone.now())
