"""What a new project needs before work can begin: each step done or to do, with the page where it is done."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import BooleanField, Exists, ExpressionWrapper, OuterRef, Q
from django.urls import reverse

from annotations.models import Category, Coding, Level, Markable, Membership, Plan, Project, Text
from annotations.models.people.rights import Right
from annotations.models.project import may_change
from annotations.projects.people.members import CODING_ROLES


@dataclass(frozen=True, slots=True)
class Step:
    """A step: what it is about, what to do, where, and whether it is done."""

    label: str
    hint: str
    address: str
    done: bool


def steps_to_do(project: Project) -> list[Step]:
    """Return the steps of a project, for who manages it; none where all are done, or it is archived. One query."""
    if not may_change(project, Right.MANAGE):
        return []
    of_project = {"project": OuterRef("pk")}
    can_be_coded = (
        Exists(Level.objects.filter(coders_mark=True, **of_project))
        | Exists(Markable.objects.filter(text__project=OuterRef("pk"), predefined=True, level__coded=True))
        | Exists(Text.objects.filter(docset__isnull=False, **of_project))
    )
    coders = Membership.objects.filter(**of_project, role__in=CODING_ROLES, model=None)
    assigned = Exists(Coding.objects.filter(text__project=OuterRef("pk"))) | Exists(
        Plan.objects.filter(round__project=OuterRef("pk"), pool=True)
    )
    if project.answers == Project.Answers.SCUS:
        texts = ("Docsets", "Add the summaries of a docset.", "docsets")
        assignments = ("Assignments", "Assign docsets to coders.", "docsets")
    else:
        texts = ("Texts", "Import or paste the texts, with markables unless coders mark.", "project-texts")
        assignments = ("Assignments", "Assign texts to coders.", "assign")
    conditions = {
        ("Scheme", "Check the categories that coders choose from.", "scheme"): Exists(
            Category.objects.filter(**of_project)
        ),
        texts: Exists(Text.objects.filter(**of_project)) & can_be_coded,
        ("People", "Add the coders.", "members"): Exists(coders),
        assignments: assigned,
        ("Guidelines", "Write what coders are to follow.", "scheme"): ~Q(guidelines=""),
    }
    wrapped = (ExpressionWrapper(Q(condition), BooleanField()) for condition in conditions.values())
    done = Project.objects.filter(pk=project.pk).values_list(*wrapped)[0]
    steps = [
        Step(label, hint, reverse(route, args=[project.slug]), bool(is_done))
        for (label, hint, route), is_done in zip(conditions, done, strict=True)
    ]
    return [] if all(step.done for step in steps) else steps
