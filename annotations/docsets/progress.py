"""The progress of docsets and the texts of summaries and peers, as far as a user may see them."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotations.coding.markables.tokenization import token_spans
from annotations.coding.pyramids.scus import PYRAMID_KINDS
from annotations.core.database.queries import count_subquery
from annotations.core.text import pluralize
from annotations.models import SCU, Coding, Docset, Index, Judgement, Markable, Project, Segment, Text, User
from annotations.models.coding import AGREED_KINDS
from annotations.models.people.rights import Person, Right
from annotations.models.project import may
from annotations.projects.people.peer_names import coded_slug, coded_title, hide_name, is_blind_to_peers

MAX_PYRAMIDS = 10


@dataclass(frozen=True, slots=True)
class CodingProgress:
    """The progress of a coding of summaries: its numbers of SCUs and contributors."""

    docset: str
    text: str
    title: str
    coder: str
    kind: str
    is_submitted: bool
    scus: int
    contributors: int
    reopen_request: str = ""

    @property
    def is_pyramid(self) -> bool:
        """Whether it is a pyramid, not a coding of a peer."""
        return self.kind in PYRAMID_KINDS

    @property
    def route_ending(self) -> str:
        """The suffix of its routes, which differ for agreed pyramids and peers with them."""
        return "-agreed" if self.kind in AGREED_KINDS else ""

    @property
    def is_started(self) -> bool:
        """Whether it has an SCU or a contributor."""
        return bool(self.scus or self.contributors)

    @property
    def description(self) -> str:
        """The name of the coded text, as pages show it."""
        return describe(self.kind, self.title)

    @property
    def progress_text(self) -> str:
        """The numbers of SCUs and contributors, as pages show them."""
        if not self.is_started:
            return "not started"
        return f"{pluralize(self.scus, 'SCU')}, {pluralize(self.contributors, 'contributor')}"


def describe(kind: str, title: str) -> str:
    """Return the name of a docset's coded text, as pages show it, from the kind of coding and the title of a peer."""
    names: dict[str, str] = {
        Coding.Kind.PYRAMID: "Pyramid",
        Coding.Kind.AGREED: "Agreed pyramid",
        Coding.Kind.PEER_AGREED: f"{title}, against the agreed pyramid",
    }
    return names.get(kind, title)


@dataclass(slots=True)
class DocsetOverview:
    """A docset as a user sees it: a coder only sees own codings and their texts."""

    slug: str
    title: str
    summaries: int
    words: int
    peers: int
    codings: list[CodingProgress] = field(default_factory=list)

    @property
    def pyramids(self) -> list[CodingProgress]:
        return [coding for coding in self.codings if coding.kind == Coding.Kind.PYRAMID]

    @property
    def named_pyramids(self) -> list[CodingProgress]:
        return self.pyramids[:MAX_PYRAMIDS]

    @property
    def n_more_pyramids(self) -> int:
        return len(self.pyramids) - len(self.named_pyramids)

    @property
    def agreed(self) -> CodingProgress | None:
        return next((coding for coding in self.codings if coding.kind == Coding.Kind.AGREED), None)

    @property
    def peer_codings(self) -> list[CodingProgress]:
        return [coding for coding in self.codings if not coding.is_pyramid]

    @property
    def n_submitted_peers(self) -> int:
        return sum(coding.is_submitted for coding in self.peer_codings)


def docset_overviews(project: Project, user: Person, docsets: Iterable[Docset]) -> list[DocsetOverview]:
    """Return docsets of the project as the user sees them, by title. Four queries."""
    keys = [docset.pk for docset in docsets]
    summaries = Segment.objects.filter(text__docset=OuterRef("pk"), kind=Segment.Kind.SUMMARY)
    words = Markable.objects.filter(text__docset=OuterRef("pk"), text__role=Text.Role.MODELS, level__coded=False)
    peers = Text.objects.visible_to(user).filter(docset=OuterRef("pk"), role=Text.Role.PEER)
    rows = (
        Docset.objects.filter(pk__in=keys)
        .order_by("title", "slug")
        .values_list("slug", "title", count_subquery(summaries), count_subquery(words), count_subquery(peers))
    )
    overviews = {slug: DocsetOverview(slug, *fields) for slug, *fields in rows}
    codings = visible_codings(project, user).filter(text__docset__in=keys)
    for coding in codings_progress(codings, blind=is_blind_to_peers(project)):
        overviews[coding.docset].codings.append(coding)
    return list(overviews.values())


def docset_overview(docset: Docset, project: Project, user: Person) -> DocsetOverview:
    """Return one docset as the user sees it. Four queries."""
    return docset_overviews(project, user, [docset])[0]


@dataclass(frozen=True, slots=True)
class Task:
    """A text of a docset with its codings by coder, as primary keys; a docset without codings has an empty task."""

    docset: Docset | DocsetOverview
    title: str = ""
    slug: str = ""
    kind: str = ""
    codings: dict[str, int] = field(default_factory=dict)

    def matches(self, words: Iterable[str]) -> bool:
        """Return whether each word is in the title or address of the docset or the text."""
        names = f"{self.docset.title}\n{self.docset.slug}\n{self.title}\n{self.slug}".casefold()
        return all(word.casefold() in names for word in words)


def list_tasks(docsets: QuerySet[Docset], codings: QuerySet[Coding], *, blind: bool) -> list[Task]:
    """Return the tasks by docset, in its order; with `blind`, peers have the names that coders see. Two queries."""
    tasks: dict[int, dict[tuple[str, str], Task]] = {}
    by_key = {docset.pk: docset for docset in docsets.only("title", "slug")}
    for pk, docset_pk, text_pk, slug, title, kind, coder_pk, coder in codings.order_by().values_list(
        "pk", "text__docset", "text", "text__slug", "text__title", "kind", "coder", "coder__username"
    ):
        if docset_pk not in by_key:  # created after the docsets were read
            continue
        if blind and kind not in PYRAMID_KINDS:
            slug, title = coded_slug(coder_pk, text_pk), coded_title(coder_pk, text_pk)
        task = tasks.setdefault(docset_pk, {}).setdefault((slug, kind), Task(by_key[docset_pk], title, slug, kind))
        task.codings[coder] = pk
    listed: list[Task] = []
    for pk, docset in by_key.items():
        in_order = sorted(
            tasks.get(pk, {}).values(), key=lambda task: (KIND_ORDER.index(task.kind), task.title, task.slug)
        )
        listed += in_order or [Task(docset)]
    return listed


def tasks_in(overview: DocsetOverview) -> list[Task]:
    """Return the tasks of a docset that has been read with its codings; none without codings."""
    tasks: dict[tuple[str, str], Task] = {}
    for coding in overview.codings:
        task = tasks.setdefault((coding.text, coding.kind), Task(overview, coding.title, coding.text, coding.kind))
        task.codings[coding.coder] = 0
    return list(tasks.values())


@dataclass(frozen=True, slots=True)
class ProgressTable:
    """The tasks of a docset on a page, with a cell for each coder shown; None if the task is not assigned."""

    docset: Docset | DocsetOverview
    coders: list[str]
    rows: list[tuple[str, list[CodingProgress | None]]]


def progress_tables(
    tasks: Iterable[Task], coders: Collection[str], codings: Iterable[CodingProgress]
) -> list[ProgressTable]:
    """Return a table of these tasks for each docset, with its own coders among the given ones."""
    cells = {(coding.docset, coding.text, coding.kind, coding.coder): coding for coding in codings}
    tables = []
    for docset, group in groupby(tasks, key=lambda task: task.docset):
        docset_tasks = list(group)
        shown = sorted({coder for task in docset_tasks for coder in task.codings} & set(coders))
        rows = [
            (describe(task.kind, task.title), [cells.get((docset.slug, task.slug, task.kind, who)) for who in shown])
            for task in docset_tasks
            if task.codings
        ]
        tables.append(ProgressTable(docset, shown, rows))
    return tables


def coders_in(tasks: Iterable[Task]) -> list[str]:
    """Return the usernames of all coders of these tasks, sorted."""
    return sorted({coder for task in tasks for coder in task.codings})


def visible_docsets(project: Project, user: Person) -> QuerySet[Docset]:
    """Return all docsets for users who see all work, otherwise those with a coding of the user."""
    docsets = Docset.objects.filter(project=project).order_by("title", "slug")
    if may(project, Right.SEE_RESULTS):
        return docsets
    coded = Coding.objects.of_people().filter(coder=user.pk, text__docset__isnull=False).order_by()
    return docsets.filter(pk__in=coded.values("text__docset"))


def find_docset(project: Project, user: Person, slug: str) -> Docset:
    """Return the docset if the user sees it. Raise Http404 otherwise."""
    refuse_other_projects(project)
    return get_object_or_404(visible_docsets(project, user).select_related("project"), slug=slug)


def refuse_other_projects(project: Project) -> None:
    """Raise Http404 unless it is a project of pyramids."""
    if project.answers != Project.Answers.SCUS:
        raise Http404("Only projects with the pyramid scheme have docsets.")


def visible_codings(project: Project, user: Person) -> QuerySet[Coding]:
    """Return the codings of summaries that the user sees."""
    return Coding.objects.of_coders().visible_to(user).filter(text__project=project, text__docset__isnull=False)


def codings_progress(codings: QuerySet[Coding], *, blind: bool) -> list[CodingProgress]:
    """Return the progress, pyramids first, then by text and coder; `blind` as in `list_tasks`. Three queries."""
    contributors = Judgement.objects.filter(coding=OuterRef("pk"), markable__level__coded=True)
    has_contributor = Index.objects.filter(judgement__coding=OuterRef("coding"), entity=OuterRef("key"))
    n_scus = Counter(
        _count_by_coding(Index.objects.filter(judgement__coding__in=codings), "judgement__coding", "entity")
    )
    n_scus.update(_count_by_coding(SCU.objects.filter(~Exists(has_contributor), coding__in=codings), "coding", "key"))
    rows = codings.annotate(contributors=count_subquery(contributors)).values_list(
        "pk", "text_id", "coder_id", "text__docset__slug", "text__slug", "text__title", "coder__username", "kind",
        "status", "contributors", "reopen_request"
    )  # fmt: skip
    progress = []
    for pk, text_pk, coder_pk, docset, text, title, coder, kind, status, contributors, ask in rows.order_by():
        if blind and kind not in PYRAMID_KINDS:
            text, title = coded_slug(coder_pk, text_pk), coded_title(coder_pk, text_pk)
        submitted = status == Coding.Status.SUBMITTED
        progress.append(CodingProgress(docset, text, title, coder, kind, submitted, n_scus[pk], contributors, ask))
    return sorted(progress, key=lambda coding: (KIND_ORDER.index(coding.kind), coding.title, coding.text, coding.coder))


KIND_ORDER: list[str] = [
    Coding.Kind.PYRAMID,
    Coding.Kind.AGREED,
    Coding.Kind.PEER,
    Coding.Kind.PEER_AGREED,
    Coding.Kind.TEXT,
]


def next_of_coder(project: Project, user: Person) -> CodingProgress | None:
    """Return the user's next coding: the first started open one, or else the first open one. Four queries."""
    own = visible_codings(project, user).filter(coder=user.pk, status=Coding.Status.OPEN)
    order = {slug: n for n, slug in enumerate(visible_docsets(project, user).values_list("slug", flat=True))}
    progress = codings_progress(own, blind=is_blind_to_peers(project))
    return min(progress, key=lambda coding: (not coding.is_started, order[coding.docset]), default=None)


def _count_by_coding(rows: QuerySet[Any], coding: str, field: str) -> dict[int, int]:
    counted = rows.order_by().values(coding).annotate(number=Count(field, distinct=True))
    return dict(counted.values_list(coding, "number"))


@dataclass(frozen=True, slots=True)
class SummaryText:
    """A model summary or a peer, with the slug of its text, and the system of a peer."""

    name: str
    content: str
    language: str
    direction: str
    slug: str = ""
    system: str = ""

    @property
    def words(self) -> int:
        return len(token_spans(self.content))


def visible_summaries(docset: Docset, user: Person) -> list[SummaryText]:
    """Return the model summaries; none for a user who codes only peers. One query."""
    texts = Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.MODELS).order_by()
    segments = Segment.objects.filter(text__in=texts, kind=Segment.Kind.SUMMARY).order_by("start")
    rows = segments.values_list(
        "label", "start", "end", "text__content", "text__language", "text__direction", "text__slug"
    )
    return [
        SummaryText(label, content[start:end], language, direction, slug)
        for label, start, end, content, language, direction, slug in rows
    ]


def find_peers(docset: Docset, user: User, search: str = "", *, blind: bool) -> list[Text]:
    """Return the peers that the user may read and whose names contain all words, by title, without content.

    With `blind`, they have the user's coded names, and no system. One query.
    """
    peers = list(Text.objects.visible_to(user).filter(docset=docset, role=Text.Role.PEER).defer("content"))
    for peer in peers if blind else ():
        hide_name(peer, user.pk)
    words = search.casefold().split()
    matching = [peer for peer in peers if all(word in f"{peer.title}\n{peer.slug}".casefold() for word in words)]
    return sorted(matching, key=lambda peer: (peer.title, peer.slug))


def read_peers(peers: Iterable[Text]) -> list[SummaryText]:
    """Return the content of these peers. One query."""
    by_key = {peer.pk: peer for peer in peers}
    contents = dict(Text.objects.filter(pk__in=by_key).values_list("pk", "content"))
    return [
        SummaryText(peer.title, contents[pk], peer.language, peer.direction, peer.slug, peer.system)
        for pk, peer in by_key.items()
        if pk in contents
    ]
