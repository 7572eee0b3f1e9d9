"""The designer of a project's scheme, and the sample coding page that tries it."""

import json
import re
from dataclasses import asdict
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.csp import CSP
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.csp import csp_override

from annotations.core.http.etags import etag_of
from annotations.formats.model.scheme_json import SchemeShapeError, ShapeProblem, scheme_from_json, scheme_to_json
from annotations.models import Coding, Project
from annotations.models.people.rights import Right
from annotations.models.project import may
from annotations.schemes.consistency import BOUNDS, check_scheme
from annotations.schemes.design.consequences import consequences_of
from annotations.schemes.design.sample import SLUG, sample_state
from annotations.schemes.design.wording import describe_differences
from annotations.schemes.project_scheme import read_scheme, scheme_state
from annotations.schemes.ready_made import DESIGNED, STARTING_POINTS
from annotations.web import markdown
from annotations.web.access import project_action, project_page, show, signed_in_user
from annotations.web.views.schemes import may_exchange

KINDS = {name: kind for kind, (name, _) in BOUNDS.items()}
QUESTION = re.compile(
    rf"(?P<list>{'|'.join(KINDS)})\[(?P<number>\d+)\](?:\.values\[(?P<value>\d+)\])?(?:\.(?P<field>.+))?"
)
# Only the designer may embed the sample page in a frame.
in_frame_of_designer = csp_override(cast(Any, {**settings.SECURE_CSP, "frame-ancestors": [CSP.SELF]}))


@project_page(Right.MANAGE, changes=True)
def edit_scheme(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the designer with the saved scheme."""
    if project.answers not in DESIGNED:
        messages.info(request, "The questions of pyramids are always the same: their scheme has options only.")
        return redirect("scheme", project.slug)
    spec = read_scheme(project.pk).spec
    state = scheme_to_json(spec, project.answers)
    sees_work, has_texts = may(project, Right.MANAGE_WORK), project.texts.exists()
    start = {
        "scheme": state,
        "version": etag_of(scheme_state(project)),
        "user": signed_in_user(request).get_username(),
        # Only users who see all work may learn of gold and of codings by models.
        "assigned": Coding.objects.filter(text__project=project).exists() if sees_work else has_texts,
        "sees_work": sees_work,
        "has_texts": has_texts,
        "starts": [
            {
                "key": start_scheme.key,
                "label": start_scheme.label,
                "description": start_scheme.description,
                "scheme": scheme_to_json(start_scheme.spec, start_scheme.answers),
            }
            for start_scheme in STARTING_POINTS.values()
            if start_scheme.answers in DESIGNED
        ],
    }
    context = {"start": start, "may_exchange": may_exchange(project)}
    return show(request, project, "annotations/schemes/edit_scheme.html", context)


@project_action(Right.MANAGE)
def draft(request: HttpRequest, project: Project) -> HttpResponse:
    """Return a draft's problems, changes and effects, a sample coding, and the changes saved since it was opened."""
    opened = request.POST.get("opened")
    try:
        sent = json.loads(request.POST.get("scheme", ""))
        spec, answers = scheme_from_json(sent)
        before = scheme_from_json(json.loads(opened))[0] if opened else None
    except SchemeShapeError as error:
        shape = [_problem_at_question(problem, sent) for problem in error.problems]
        return JsonResponse({"problems": shape, "sample": None, "changes": [], "consequences": [], "theirs": []})
    except (ValueError, RecursionError):
        return JsonResponse({"detail": "The field scheme holds the scheme as JSON."}, status=400)
    if answers not in DESIGNED:
        return JsonResponse({"detail": "Pyramids have a page of their own."}, status=400)
    saved, changes = read_scheme(project.pk).spec, []
    if answers != project.answers:
        changes = [f"Answers are {Project.Answers(answers).label}, no longer {project.get_answers_display()}."]
    verdict: dict[str, Any] = {
        "problems": [asdict(problem) for problem in check_scheme(spec)],
        "sample": sample_state(spec, answers, signed_in_user(request).get_username()),
        "changes": changes + describe_differences(saved, spec),
        "consequences": [asdict(consequence) for consequence in consequences_of(spec, answers)],
        "theirs": describe_differences(before, saved) if before is not None else [],
    }
    return JsonResponse(verdict)


def _problem_at_question(problem: ShapeProblem, sent: Any) -> dict[str, str]:
    """Return a problem of the JSON with its question, named by key because a label may be missing."""
    match = QUESTION.fullmatch(problem.path)
    if match is None:
        return {"kind": "", "question": "", "message": str(problem)}
    question = sent[match["list"]][int(match["number"])]
    key = question.get("key", "") if isinstance(question, dict) else ""
    parts = [f"Value {int(match['value']) + 1}"] if match["value"] else []
    parts += [match["field"]] if match["field"] else []
    return {"kind": KINDS[match["list"]], "question": str(key), "message": f"{', '.join(parts)}: {problem.message}"}


@project_page()
@xframe_options_sameorigin
@in_frame_of_designer
def sample(request: HttpRequest, project: Project) -> HttpResponse:
    """Show the coding page with the scheme on a sample text; nothing is saved."""
    if project.answers not in DESIGNED:
        return redirect("scheme", project.slug)
    state = sample_state(read_scheme(project.pk).spec, project.answers, signed_in_user(request).get_username())
    context = {
        "text": {"slug": SLUG, "title": state["text"]["title"]},
        "coding_state": state,
        "guidelines_html": markdown.render(project.guidelines),
        "practice": True,
        "agreed": "",
        "script": "js/scheme/sample.js",
    }
    return show(request, project, "annotations/workbench/sample.html", context)
