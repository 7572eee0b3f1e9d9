"""Whether a submission has been viewed: until then its coder may reopen it.

It is viewed once another person is shown its answers: as a text, a row, a pyramid beside their own, or figures or a
file of the project's codings. With open results all submissions are viewed. The state of a coding and its number of
decided markables do not count.
"""

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from annotations.core.database.locks import sqlite_write_lock
from annotations.models import Coding, Project
from annotations.models.people.rights import Person, Right
from annotations.models.project import may_see_models
from annotations.projects.permissions import project_for


def results_for(user: Person, slug: str, right: Right = Right.SEE_RESULTS) -> Project:
    """Return the project for a reader of answers or figures of all codings; raise as `project_for`.

    The right must include seeing results. The project's submissions are viewed from then on.
    """
    project = project_for(user, slug, right)
    record_view(Coding.objects.of_coders().filter(text__project=project), user)
    return project


def results_with_models_for(user: Person, slug: str) -> Project:
    """Return the project for a reader of results of models. Raise Http404 if there are none.

    For coders, pages about models do not exist, even with open results; pyramids have no models.
    """
    project = project_for(user, slug)
    if not may_see_models(project) or project.answers == Project.Answers.SCUS:
        raise Http404("There is no such page.")
    return results_for(user, slug)


def record_view(codings: QuerySet[Coding], user: Person | None = None) -> None:
    """Record that the user is shown these codings, or figures of them. None: somebody on the server.

    Call it before reading the codings, so that none is reopened in between. It writes once for each submission.
    """
    new = codings.filter(status=Coding.Status.SUBMITTED, viewed_at=None).order_by("pk")
    if user is not None:
        new = new.exclude(coder=user.pk)
    if not new.exists():
        return
    with sqlite_write_lock(), transaction.atomic():
        keys = list(new.select_for_update(of=("self",)).values_list("pk", flat=True))
        Coding.objects.of_coders().filter(pk__in=keys).update(viewed_at=timezone.now())


def record_open_results(project: Project) -> None:
    """Record the submissions as viewed if results are open; call it before the project is changed.

    Coders have seen each other's answers, so they may not reopen their own after the results are closed.
    """
    if Project.objects.filter(pk=project.pk, results_open=True).exists():
        record_view(Coding.objects.of_coders().filter(text__project=project))


def is_viewed(coding: Coding) -> bool:
    """Return whether the submission has been viewed, or may have been because the results are open."""
    return coding.viewed_at is not None or coding.text.project.results_open
