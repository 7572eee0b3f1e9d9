"""Sums that a worker stores after a submission, so that whoever looks next finds them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.http import QueryDict
from django.tasks import task
from django.utils import timezone

from agreement.data.storage.store import LEAST_TEXTS
from agreement.models import SumsOrder
from agreement.reports.coders.coders import leave_out_each_coder
from agreement.reports.coders.days import count_days
from agreement.reports.coders.profiles import compute_profiles
from agreement.reports.coders.texts import compute_text_distances
from agreement.reports.coders.timing import read_times
from agreement.reports.items.ambiguity import summarize_ambiguity
from agreement.reports.items.categories import compute_category_kappa
from agreement.reports.items.highest import find_highest
from agreement.reports.items.items import compute_items
from agreement.reports.overall.distances import distribute_distances
from agreement.reports.overall.overall import compute_report
from agreement.reports.request.request import AnalysisRequest
from annotations.core.database.locks import DatabaseBusy, refuse_busy_database, try_sqlite_write_lock
from annotations.models import Project, Text

# The worker begins so long after a submission: what is submitted until then is of the same order.
DELAY = timedelta(minutes=1)
# An order this old is of a worker that has died, or is behind: the next submission gives it again.
LOST_AFTER = timedelta(hours=1)


def order_sums(sender: object, project: int, **_: object) -> None:  # noqa: ARG001 - Django's signature
    """Order the sums of a project, unless they are ordered: then it takes a query. Of few texts none are stored.

    On SQLite nobody waits for it: where somebody else is writing, the next submission orders them.
    """
    now = timezone.now()
    if SumsOrder.objects.filter(project=project, ordered_at__range=(now - LOST_AFTER, now + LOST_AFTER)).exists():
        return
    if Text.objects.filter(project=project).order_by()[:LEAST_TEXTS].count() < LEAST_TEXTS:
        return
    try:
        with try_sqlite_write_lock() as is_free:
            if not is_free:
                return
            with refuse_busy_database(), transaction.atomic():
                SumsOrder.objects.update_or_create(project_id=project, defaults={"ordered_at": now})
                later: Any = {"run_after": now + DELAY} if store_sums.get_backend().supports_defer else {}
                store_sums.using(**later).enqueue(project)
    except DatabaseBusy:
        return


@task()
def store_sums(project: int) -> None:
    """Compute what the pages of a project open with, by its own convention: tables are stored by who computes them."""
    SumsOrder.objects.filter(project=project).delete()
    found = Project.objects.filter(pk=project).first()
    if found is None:
        return
    request = AnalysisRequest.from_query(found, QueryDict())
    answers, parameters = request.extract, request.parameters
    compute_report(answers, parameters)
    distribute_distances(answers, parameters)
    if answers.units:
        return
    find_highest(answers, parameters)
    count_days(found, request.project_answers)
    compute_items(answers, parameters)
    summarize_ambiguity(answers, parameters)
    compute_category_kappa(answers, parameters)
    compute_profiles(answers, parameters)
    compute_text_distances(answers, parameters)
    read_times(found, request.project_answers)
    if parameters.is_alpha and len(answers.coders) > 1:
        leave_out_each_coder(answers, parameters)
