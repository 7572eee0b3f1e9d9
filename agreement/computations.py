"""What takes long is computed by a worker, while the page shows how far it is; what was found is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.tasks import task
from django.utils import timezone

from agreement.asked import Asked, asked_again
from agreement.models import Computation
from agreement.parts import conditions, pairs
from agreement.parts.part import Parts
from agreement.reports.basis import Progress, coders_of, keep
from agreement.reports.coders import SCORES

# Judgements, times the ways in which each is computed, that a page waits for: about a second.
AT_ONCE = 600_000
# Of one project so many are kept; the oldest go.
KEPT = 100
SECONDS_BETWEEN = 0.25
# What a worker has not finished by then it will not finish.
LOST = timedelta(hours=1)

BUILDERS: dict[str, Callable[[Asked, Progress | None], Parts]] = {
    "grid": conditions.grid,
    "compare": conditions.compare,
    "matrix": pairs.matrix,
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """What is being computed."""

    computation: Computation


def parts_of(page: Asked, kind: str) -> Parts | Waiting:
    """The parts of a page: computed now where that is quick, else found or being computed by a worker."""
    if cost(page, kind) <= AT_ONCE:
        return BUILDERS[kind](page, None)
    found = kept_parts(page, kind)
    if found is None:
        ordered = _ordered(page, kind)
        if ordered.finished_at and not ordered.error:
            found = kept_parts(page, kind)
        return found or Waiting(ordered)
    return found


def cost(page: Asked, kind: str) -> int:
    """About how many judgements are gone through."""
    judgements = sum(text.answers.n_judgements for text in page.extract.texts)
    n_coders = len(coders_of(page.extract, page.parameters))
    if kind == "matrix":  # each judgement is in as many pairs as there are other coders
        return judgements * max(n_coders - 1, 0) * (4 if page.own.get("measure") in SCORES else 1)
    conditions_ = {"pointers": 6, "indices": 3, "categories": 1}[page.project.answers]
    return judgements * conditions_ * (2 if kind == "compare" or page.parameters.without else 1)


def kept_parts(page: Asked, kind: str) -> Parts | None:
    """What a worker has found for exactly these answers and parameters."""
    key = ("parts", kind, page.parameters, tuple(sorted(page.own.items())))
    parts: Parts | None = page.extract.kept.get(key)
    if parts is None:
        found = _same(page, kind).filter(finished_at__isnull=False, error="").values_list("result", flat=True).first()
        parts = keep(page.extract, key, Parts.from_json(found)) if found else None
    return parts


def _same(page: Asked, kind: str) -> QuerySet[Computation]:
    return Computation.objects.filter(
        project=page.project,
        kind=kind,
        fingerprint=page.extract.fingerprint,
        parameters=page.parameters.query(),
        own=page.own,
    )


def _ordered(page: Asked, kind: str) -> Computation:
    """The computation of these parts, ordered now unless it is already."""
    there = _same(page, kind).defer("result").first()
    if there is not None:
        lost = not there.finished_at and timezone.now() - there.created_at > LOST  # its worker has died
        if there.error or lost:  # an error is shown once; who looks again tries again
            _same(page, kind).delete()
        if not lost:
            return there
    with transaction.atomic():
        made = Computation.objects.create(
            project=page.project,
            kind=kind,
            fingerprint=page.extract.fingerprint,
            parameters=page.parameters.query(),
            own=page.own,
        )
        old = Computation.objects.filter(project=page.project).order_by("-pk").values_list("pk", flat=True)[KEPT:]
        Computation.objects.filter(pk__in=list(old)).delete()
        compute.enqueue(made.pk)
    made.refresh_from_db()
    return made


@task()
def compute(pk: int) -> None:
    """Compute what was ordered. Where it fails, the page says so, and the worker's log why."""
    ordered = Computation.objects.select_related("project").filter(pk=pk).first()
    if ordered is None:
        return
    row = Computation.objects.filter(pk=pk)
    told = 0.0

    def progress(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN:
            told = time.monotonic()
            row.update(done=done, total=total)

    try:
        page = asked_again(ordered.project, ordered.parameters, ordered.own)
        if page.extract.fingerprint != ordered.fingerprint:
            raise Changed("Somebody has changed an answer meanwhile.")
        row.update(result=BUILDERS[ordered.kind](page, progress).as_json(), finished_at=timezone.now())
    except Changed as changed:
        row.update(error=str(changed), finished_at=timezone.now())
    except Exception:
        row.update(error="It could not be computed.", finished_at=timezone.now())
        raise


class Changed(Exception):
    """The answers are no longer those for which something was ordered."""
