"""The projects of a user, and the steps that a new project needs before work can begin."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, OuterRef, Q
from django.urls import reverse

from annotations.models import Category, Coding, Level, Markable, Membership, Plan, Project, Question, Text, User
from annotations.models.people.rights import MANAGING_ROLES, Right
from annotations.models.project import ProjectQuerySet, may, may_change
from annotations.projects.people.members import CODING_ROLES

PAGE_SIZE = 24


@dataclass(frozen=True, slots=True)
class ProjectEntry:
    """A project in the list, with the numbers of texts and codings that the user may see."""

    project: Project
    role: str
    managers: Sequence[str]
    texts: int | None  # None: the user sees no list of texts
    assigned: int
    submitted: int
    n_news: int = 0  # the user's questions with a new answer
    n_unanswered: int = 0  # questions of coders that the user may answer


def find_projects(user: User, search: str = "", *, archived: bool = False) -> ProjectQuerySet:
    """Return the user's projects, archived or not, whose title or address has all words of the search."""
    projects = Project.objects.visible_to(user).filter(archived_at__isnull=not archived)
    for word in search.split():
        projects = projects.filter(Q(title__icontains=word) | Q(slug__icontains=word))
    return projects.order_by("title", "slug")


def describe_projects(user: User, projects: Sequence[Project]) -> list[ProjectEntry]:
    """Return the entries of these projects. Four queries."""
    codings = Coding.objects.of_coders().visible_to(user).once_for(user).filter(text__project__in=projects).order_by()
    counts = {"assigned": Count("pk"), "submitted": Count("pk", filter=Q(status=Coding.Status.SUBMITTED))}
    progress = {pk: numbers for pk, *numbers in codings.values_list("text__project").annotate(**counts)}
    texts = dict(Text.objects.filter(project__in=projects).order_by().values_list("project").annotate(Count("pk")))
    managers: dict[int, list[str]] = {}
    managing = Membership.objects.filter(project__in=projects, role__in=MANAGING_ROLES)
    for pk, name in managing.order_by("user__username").values_list("project", "user__username"):
        managers.setdefault(pk, []).append(name)
    news = Count("pk", filter=Q(coder=user.pk, has_news=True))
    waiting = Count("pk", filter=Q(needs_answer=True))
    asked = Question.objects.filter(text__project__in=projects).order_by().values_list("text__project")
    questions = {pk: numbers for pk, *numbers in asked.annotate(news=news, waiting=waiting)}
    return [
        ProjectEntry(
            project,
            Membership.Role(project.role).label,  # type: ignore[attr-defined]
            managers.get(project.pk, []),
            texts.get(project.pk, 0) if may(project, Right.READ_TEXTS) else None,
            assigned=progress.get(project.pk, (0, 0))[0],
            submitted=progress.get(project.pk, (0, 0))[1],
            n_news=questions.get(project.pk, (0, 0))[0],
            n_unanswered=questions.get(project.pk, (0, 0))[1] if may(project, Right.DISCUSS) else 0,
        )
        for project in projects
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of setting up a project: label, hint, address, and whether it is done."""

    label: str
    hint: str
    address: str
    done: bool


def steps_to_do(project: Project) -> list[Step]:
    """Return the steps of a project for its managers; none if all are done, or it is archived. One query."""
    if not may_change(project, Right.MANAGE):
        return []
    of_project = {"project": OuterRef("pk")}
    can_be_coded = (
        Exists(Level.objects.filter(coders_mark=True, **of_project))
        | Exists(Markable.objects.filter(text__project=OuterRef("pk"), predefined=True, level__coded=True))
        | Exists(Text.objects.filter(docset__isnull=False, **of_project))
    )
    coders = Membership.objects.filter(**of_project, role__in=CODING_ROLES, model=None)
    assigned = Exists(Coding.objects.of_people().filter(text__project=OuterRef("pk"))) | Exists(
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
