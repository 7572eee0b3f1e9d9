"""Whether somebody has looked at a submission: until then its coder may reopen it.

A submission is viewed as soon as somebody else than its coder is shown its answers, as a text to read, a row or a
pyramid beside their own, or figures or a file of the project's codings; and where the results are open to all coders.
That a coding is submitted, and how many markables are decided, is neither.
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
    """Return the project for somebody to whom answers or figures of all its codings are shown; raise as `project_for`.

    It takes the right to see results, or another one that includes that. Its submissions are viewed from then on.
    """
    project = project_for(user, slug, right)
    record_view(Coding.objects.of_coders().filter(text__project=project), user)
    return project


def results_with_models_for(user: Person, slug: str) -> Project:
    """Return the project for somebody to whom results of models are shown. Raise Http404 where there are none.

    Who codes is told of models as of a page that is not there, also when the results are open; pyramids have none.
    """
    project = project_for(user, slug)
    if not may_see_models(project) or project.answers == Project.Answers.SCUS:
        raise Http404("There is no such page.")
    return results_for(user, slug)


def record_view(codings: QuerySet[Coding], user: Person | None = None) -> None:
    """Record that the user is shown these codings, or figures of them. None for somebody on the server.

    Call it before they are read: what is reopened after that has been seen. It writes once a submission.
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
    """Record the submissions as viewed where the results are open: call it before the project, and so this, is changed.

    Coders have seen each other's answers by then, and change their own alone no more when the results are closed.
    """
    if Project.objects.filter(pk=project.pk, results_open=True).exists():
        record_view(Coding.objects.of_coders().filter(text__project=project))


def is_viewed(coding: Coding) -> bool:
    """Return whether somebody has looked at the submission, or may have: the results are open."""
    return coding.viewed_at is not None or coding.text.project.results_open
