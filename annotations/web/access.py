"""Access to the pages of a project, and the context that all of them share."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from types import MappingProxyType
from typing import Any, cast

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from annotations.models import Project, User
from annotations.models.people.rights import Right
from annotations.models.project import may_change
from annotations.projects.permissions import project_for

type View = Callable[..., HttpResponse]


def signed_in_user(request: HttpRequest) -> User:
    """Return the signed-in user, on pages that require one."""
    return cast(User, request.user)


def project_page(
    right: Right = Right.VIEW_PROJECT,
    *,
    post: Right | None = None,
    archived: bool = False,
    changes: bool = False,
    methods: Sequence[str] = ("GET", "HEAD"),
) -> Callable[[View], View]:
    """Pass a view its project if the user has `right` (for a POST: `post`); refuse the request otherwise."""

    def decorate(view: View) -> View:
        @require_http_methods(list(methods))
        @wraps(view)
        def wrapped(request: HttpRequest, slug: str, **address: Any) -> HttpResponse:
            needed = post if post is not None and request.method == "POST" else right
            project = project_for(request.user, slug, needed, archived=archived, changes=changes)
            return view(request, project, **address)

        return wrapped

    return decorate


# A page with a form, and the target of a button on another page.
project_form = partial(project_page, methods=("GET", "HEAD", "POST"))
project_action = partial(project_page, methods=("POST",))


def show(
    request: HttpRequest,
    project: Project,
    template: str,
    context: Mapping[str, Any] = MappingProxyType({}),
    *,
    form: forms.BaseForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Return a page of a project; its status is 400 if the form has errors."""
    shared = {"project": project, "manages": may_change(project, Right.MANAGE)}
    if form is not None:
        shared["form"] = form
        status = 400 if form.errors else status
    return render(request, template, shared | dict(context), status=status)
