"""Tables and charts that take long: a worker computes and stores them, while the page shows how far it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.tasks import task
from django.utils import timezone

from agreement.data.pyramids.agreed_pyramids import agreed_state
from agreement.models import Computation
from agreement.reports.links.coreference import SCORES
from agreement.reports.methods.methods import program_name
from agreement.reports.overall.overall import CONSTRUCTIONS
from agreement.reports.request.basis import pick_texts, store
from agreement.reports.request.executors import computing_as_configured
from agreement.reports.request.request import AnalysisRequest
from agreement.sections.content import PageSections, TablesAndCharts
from agreement.sections.deferred import (
    agreed,
    bootstrap,
    conditions,
    coreference,
    course,
    difference,
    gold,
    groups,
    models,
    pairs,
    planning,
    texts,
)
from annotations.core.processes.progress import Cancelled, Progress, progress_recorder
from annotations.core.processes.queue import LONG_PRIORITY, LONG_QUEUE, is_abandoned

# Judgements, times the ways in which each is computed, that a page waits for: about a second.
MAX_IMMEDIATE_COST = 600_000
# Above so many texts a worker draws the replicates of the bootstrap.
MOST_TEXTS_DRAWN_AT_ONCE = 2000
# How often a judgement is gone through: drawn with its text, permuted, compared with gold or the agreed pyramid.
WORK_OF_A_JUDGEMENT = {"texts": 60, "agreed": 20, "gold": 80, "difference": 20, "groups": 60, "models": 60}
# Results of one project that are stored; the oldest go.
MAX_STORED = 100
# A result this recent is shown although somebody has changed an answer since: coders always do.
FRESH = timedelta(minutes=1)
# The result of another version of the program may have another form, or other figures.
VERSION_MARK = hashlib.sha256(program_name().encode()).hexdigest()[:4]

BUILDERS: dict[str, Callable[[AnalysisRequest, Progress | None], TablesAndCharts]] = {
    "agreed": agreed.build_agreed,
    "bootstrap": bootstrap.build_bootstrap,
    "grid": conditions.build_grid,
    "compare": conditions.build_comparison,
    "matrix": pairs.build_matrix,
    "texts": texts.build_all_texts,
    "coreference": coreference.build_scores,
    "course": course.build_course,
    "difference": difference.build_difference,
    "gold": gold.build_gold,
    "groups": groups.build_groups,
    "models": models.build_models,
    "planning": planning.build_planning,
}


def compute_or_enqueue(request: AnalysisRequest, kind: str) -> PageSections:
    """Return the tables and charts of a kind: computed now where that is quick, else what a worker has of them."""
    if estimate_cost(request, kind) <= MAX_IMMEDIATE_COST:
        return _as_sections(BUILDERS[kind](request, None))
    state = _data_state(request, kind)
    result = _load_result(request, kind, state)
    if result is not None:
        return _as_sections(result)
    finished = _matching(request, kind).filter(finished_at__isnull=False, error="", state__endswith=VERSION_MARK)
    latest = finished.order_by("-finished_at").first()
    as_of = latest.finished_at if latest else None
    before = TablesAndCharts.from_json(latest.result) if latest and latest.result else None
    if before and as_of and abs(timezone.now() - as_of) < FRESH:  # the clock may have been set back since
        return _as_sections(before, None, as_of)
    computation = _enqueue(request, kind, state)
    if computation.finished_at and not computation.error:  # a worker that is quick, or the same process
        return _as_sections(_load_result(request, kind, computation.state))
    return _as_sections(before, computation, as_of if before else None)


def estimate_cost(request: AnalysisRequest, kind: str) -> int:
    """Return about how many judgements are gone through."""
    texts = pick_texts(request.extract, request.parameters)
    judgements = sum(text.content.n_judgements for text in texts)
    n_coders = len(request.extract.coders)
    constructions = len(CONSTRUCTIONS[request.extract.kind])
    if kind in WORK_OF_A_JUDGEMENT:
        return judgements * WORK_OF_A_JUDGEMENT[kind]
    if kind == "course":  # each judgement is in as many pairs as there are other coders
        return judgements * max(n_coders - 1, 1)
    if kind == "matrix":  # as with course
        return judgements * max(n_coders - 1, 0) * (4 if request.options.get("measure") in SCORES else 1)
    if kind == "coreference":  # two coders, seven scores
        return judgements * 80 // max(n_coders, 1)
    if kind == "bootstrap":  # sums of texts are drawn, however many judgements they have
        return MAX_IMMEDIATE_COST * len(texts) // MOST_TEXTS_DRAWN_AT_ONCE
    if kind == "planning":  # without each coder in turn, where they are a sample
        return judgements * (n_coders + 1 if request.options.get("sample") == "both" else 1)
    # Tables have a column a coder, and of some coefficients each text is left out with a sum for each two coders.
    of_coders = len(texts) * n_coders**2 // (100 if kind == "compare" else 1000)
    return judgements * constructions * (2 if kind == "compare" or request.parameters.without else 1) + of_coders


def _as_sections(
    content: TablesAndCharts | None, waiting: Computation | None = None, as_of: datetime | None = None
) -> PageSections:
    return PageSections(content.tables, content.charts, waiting, as_of) if content else PageSections(waiting=waiting)


def _data_state(request: AnalysisRequest, kind: str) -> str:
    """Return a digest of what a result depends on: answers, rounds, names of categories, the version of the program.

    What is compared with gold or agreed pyramids depends on these, too.
    """
    extract = request.extract
    about: list[Any] = [extract.state, extract.digest_of_headings, sorted(extract.labels.items())]
    if kind == "gold":
        about.append(request.answers_with_gold.state)
    elif kind == "models":  # the coders who are chosen are people
        about.append(request.project_answers.select(request.parameters.selection("include")).state)
    elif kind == "agreed":
        about.append(agreed_state(request.project))
    digest = hashlib.sha256(json.dumps(about).encode()).hexdigest()
    return digest[: 16 - len(VERSION_MARK)] + VERSION_MARK


def _load_result(request: AnalysisRequest, kind: str, state: str) -> TablesAndCharts | None:
    """Return the result of this state that a worker has stored."""
    key = ("computation", kind, state, request.parameters, tuple(sorted(request.options.items())))
    result: TablesAndCharts | None = request.extract.cache.get(key)
    if result is None:
        finished = _matching(request, kind).filter(state=state, finished_at__isnull=False, error="")
        data = finished.values_list("result", flat=True).first()
        result = store(request.extract, key, TablesAndCharts.from_json(data)) if data else None
    return result


def _matching(request: AnalysisRequest, kind: str) -> QuerySet[Computation]:
    return Computation.objects.filter(
        project=request.project, kind=kind, parameters=request.parameters.query(), own=request.options
    )


def _enqueue(request: AnalysisRequest, kind: str, state: str) -> Computation:
    """Return the computation of a kind, which is enqueued now unless it is already."""
    current = _matching(request, kind).filter(Q(finished_at=None) | ~Q(error="")).defer("result").first()
    if current is not None:
        lost = is_lost(current)
        if current.error or lost:  # an error is shown once; who looks again tries again
            Computation.objects.filter(pk=current.pk).delete()
        if not lost:
            return current
    project = request.project
    with transaction.atomic():
        computation = Computation.objects.create(
            project=project, kind=kind, state=state, parameters=request.parameters.query(), own=request.options
        )
        old = Computation.objects.filter(project=project).order_by("-pk").values_list("pk", flat=True)[MAX_STORED:]
        Computation.objects.filter(pk__in=list(old)).delete()
        compute.enqueue(computation.pk)
    computation.refresh_from_db()
    return computation


def is_lost(computation: Computation) -> bool:
    """Return whether no worker computes it any more, nor will."""
    path, is_begun = compute.module_path, bool(computation.total)
    return not computation.finished_at and is_abandoned(
        path, computation.pk, computation.heartbeat_at, is_begun=is_begun
    )


@task(queue_name=LONG_QUEUE, priority=LONG_PRIORITY)
def compute(pk: int) -> None:
    """Compute what was enqueued, of the answers as they are now. Where it fails the page says so, and the log why."""
    computation = Computation.objects.select_related("project").filter(pk=pk).first()
    if computation is None:
        return
    row = Computation.objects.filter(pk=pk)
    try:
        request = AnalysisRequest.from_stored(computation.project, computation.parameters, computation.own)
        with computing_as_configured():
            result = BUILDERS[computation.kind](request, progress_recorder(row)).as_json()
    except Cancelled:  # its row was deleted
        return
    except BaseException:  # also where the worker is told to end
        row.update(error="It could not be computed.", finished_at=timezone.now())
        raise
    row.update(result=result, state=_data_state(request, computation.kind), finished_at=timezone.now())
