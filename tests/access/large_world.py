"""The world of `role_world.py` with n copies of everything."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import Model, QuerySet
from django.utils import timezone

from agreement.models import Flag, Mapping, Remark
from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.ownership import open_gold
from annotations.adjudication.proposal import Method
from annotations.api.lists import ArrayPages, CursorPages, ReportPages
from annotations.coding import operations
from annotations.formats.model.scheme_json import scheme_to_json
from annotations.models import (
    SCU,
    AttributeAnswer,
    Coding,
    Docset,
    GuidelinesVersion,
    Index,
    Invitation,
    Judgement,
    Markable,
    Membership,
    Operation,
    Plan,
    Pointer,
    Project,
    Question,
    Reply,
    Round,
    RoundText,
    SchemeVersion,
    Segment,
    Text,
    Token,
    TrainingDecision,
    Transfer,
    User,
)
from annotations.models.round import PlanCoder, PlanText
from annotations.planning.work.assignments import assign_texts
from annotations.schemes.project_scheme import read_scheme
from tests.shared.coding import change

# What holds a long list to a page.
SIZES_OF = {
    "agreement.api": ("discussion.LATEST",),
    "agreement.results": (
        "figures.charts.MAX_POINTS", "categories.PAGE_SIZE", "data.PAGE_SIZE",
        "items.items.PAGE_SIZE", "pyramids.peers.PAGE_SIZE", "pyramids.peers.STRIP", "pyramids.scores.MAX_DOTS",
        "pyramids.scores.PAGE_SIZE", "pyramids.scus.PAGE_SIZE", "agreement.PAGE_SIZE", "tables.MAX_ALIKE",
        "tables.MAX_ROWS",
    ),
    "agreement.web": ("forms.TOO_MANY", "discussion.PAGE_SIZE"),
    "annotations.core": ("http.fields.MAX_CHOICES",),
    "annotations.planning": (
        "plans.matrix.CODERS_ON_A_PAGE", "plans.matrix.MAX_PAIRED", "plans.matrix.PAGE_SIZE",
        "training.CODERS_ON_A_PAGE", "training.TEXTS_ON_A_PAGE", "work.progress.CODERS_ON_A_PAGE",
        "work.progress.PAGE_SIZE", "plans.forms.CODERS_ON_A_PAGE", "forms.MAX_CHOICES",
    ),
    "annotations.docsets": ("progress.MAX_PYRAMIDS",),
    "annotations.templatetags": ("paging.MAX_NAMES",),
    "annotations.texts": ("listing.MAX_CODERS", "listing.PAGE_SIZE"),
    "annotations.web": (
        "shared.PAGE_SIZE", "views.docsets.CODERS_ON_A_PAGE", "views.docsets.PEERS_ON_A_PAGE",
        "views.assignments.CODERS_ON_A_PAGE", "views.gold.MAX_CHIPS", "views.projects.MAX_OWN",
        "views.projects.PAGE_SIZE", "views.questions.PAGE_SIZE", "views.schemes.MAX_LISTED",
        "views.schemes.PAGE_SIZE",
    ),
}  # fmt: skip
SIZES = tuple(f"{package}.{name}" for package, names in SIZES_OF.items() for name in names)

type Change = Callable[[Model, int], None]


def shorten_pages(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """Let pages hold so many rows, choices or points, so that small projects fill them."""
    for name in SIZES:
        monkeypatch.setattr(name, length)
    for pages in (CursorPages, ArrayPages, ReportPages):
        monkeypatch.setattr(pages, "page_size", length)


def enlarge(here: SimpleNamespace, n: int, n_coders: int, n_rounds: int) -> None:
    """Add to the projects of `here` n texts, docsets, questions and so on, each with work, and coders and rounds."""
    coders = _people(here, n_coders)
    _decide(here)
    copies = _texts(here, coders, n)
    _training(here, coders)
    _rounds(here, copies, n_rounds)
    _records(here, n)
    _docsets(here, n)
    _projects(here, n)


def multiply(n: int, rows: Iterable[QuerySet[Any]], vary: Change) -> list[Any]:
    """Copy the rows n times, with what points from one to another; return the copies of the first queryset.

    vary: gives a copy what has to be its own, by the number of the copy.
    """
    taken: list[dict[tuple[type[Model], int], int]] = [{} for _ in range(n)]
    first: list[Any] = []
    for queryset in rows:
        originals = list(queryset)
        pairs = [(number, original) for number in range(n) for original in originals]
        copies = [_copy(original, taken[number], number, vary) for number, original in pairs]
        model = queryset.model
        for (number, original), made in zip(
            pairs, model._base_manager.bulk_create(copies, batch_size=500), strict=True
        ):
            taken[number][model, original.pk] = made.pk
        first = first or copies
    return first


def _copy(original: Model, taken: dict[tuple[type[Model], int], int], number: int, vary: Change) -> Model:
    made = copy.copy(original)
    made._state = copy.copy(original._state)
    made._state.fields_cache = {}
    made.pk, made._state.adding = None, True
    for field in made._meta.concrete_fields:
        if field.is_relation and (found := taken.get((field.related_model, getattr(made, field.attname)))):
            setattr(made, field.attname, found)
    vary(made, number)
    return made


def _rows_of(texts: QuerySet[Text]) -> Iterable[QuerySet[Any]]:
    """Yield everything that belongs to texts, in the order in which it is made."""
    codings = Coding._base_manager.filter(text__in=texts)
    yield from (model.objects.filter(text__in=texts) for model in (Segment, Markable, RoundText))
    yield codings
    judgements = Judgement.objects.filter(coding__in=codings)
    yield SCU.objects.filter(coding__in=codings)
    yield judgements
    yield from (model.objects.filter(judgement__in=judgements) for model in (Pointer, Index, AttributeAnswer))
    yield Operation.objects.filter(coding__in=codings)
    yield from (model.objects.filter(markable__text__in=texts) for model in (Flag, Remark))
    questions = Question.objects.filter(text__in=texts)
    yield questions
    yield Reply.objects.filter(question__in=questions)


def _people(here: SimpleNamespace, n: int) -> list[User]:
    coders = User.objects.bulk_create(
        [User(username=f"{here.names.name}-coder-{number:03}", password="!") for number in range(n)]
    )
    for project in (here.project, here.pyramids):
        Membership.objects.bulk_create(
            [
                Membership(project=project, user=coder, role="coder", group=f"group-{number % 3}")
                for number, coder in enumerate(coders)
            ]
        )
    return list(coders)


def _decide(here: SimpleNamespace) -> None:
    """Make a plan of the main round, in which everything is to be coded, and decide something of the text's gold."""
    draft_gold(here.project, DraftRequest(Method.EMPTY, texts=(here.text.slug,), round_name="main", early=True))
    gold = open_gold(here.project, here.text, "main", here.adjudicator)
    said = {"items": [[here.markable.key, "category"]], "source": "own", "reason": "slip", "section": "1", "note": "."}
    operations.apply(gold, gold.coder, gold.version, [change("decide", **said)])


def _vary(coders: list[User], standing: User) -> Change:
    """Return what makes copies of texts their own; the coder of the number does what this one did."""

    def vary(row: Model, number: int) -> None:
        if isinstance(row, Text | Docset):
            row.slug, row.title = f"{row.slug}-{number:03}", f"{row.title} {number:03}"
        elif isinstance(row, Coding) and row.coder_id == standing.pk:
            row.coder_id = coders[number % len(coders)].pk
        elif isinstance(row, Operation | Question):
            row.uuid = uuid4()

    return vary


def _texts(here: SimpleNamespace, coders: list[User], n: int) -> list[Any]:
    """Copy the text: who coded it besides the two is another coder in each copy."""
    vary = _vary(coders, here.third)
    for slug in (here.draft.slug, here.drill.slug):
        texts = here.project.texts.filter(slug=slug)
        multiply(n, [texts, *_rows_of(texts)], vary)
    # Of the texts of training nobody takes more than a few.
    Coding.objects.of_people().filter(round=here.training, coder=here.other).exclude(text=here.drill).delete()
    texts = here.project.texts.filter(pk=here.text.pk)
    return multiply(n, [texts, *_rows_of(texts)], vary)


def _training(here: SimpleNamespace, coders: list[User]) -> None:
    """Let everybody have trained as the other coder has."""
    trained = Coding.objects.of_people().filter(text=here.drill, coder=here.other)
    judgements = Judgement.objects.filter(coding__in=trained)

    def vary(row: Model, number: int) -> None:
        if isinstance(row, Coding):
            row.coder_id = coders[number].pk

    multiply(len(coders), [trained, judgements, Operation.objects.filter(coding__in=trained)], vary)
    TrainingDecision.objects.bulk_create(
        [
            TrainingDecision(
                round=here.training,
                coder=coder,
                outcome="passed",
                reason="Known.",
                decided_by=here.manager,
                decided_at=timezone.now(),
            )
            for coder in coders
        ]
    )


def _rounds(here: SimpleNamespace, texts: list[Any], n: int) -> None:
    """Make as many rounds as texts: in each, a text is coded again, and all of them in the round that pages show."""
    names = [f"{here.round.name}-{number:03}" for number in range(n)]
    rounds = Round.objects.bulk_create(
        [Round(project=here.project, name=name, position=number + 9) for number, name in enumerate(names)]
    )
    pairs = list(zip(rounds, texts, strict=False))
    RoundText.objects.bulk_create([RoundText(round=round_, text=text) for round_, text in pairs])
    RoundText.objects.bulk_create([RoundText(round=here.round, text=text) for text in texts])
    Coding.objects.bulk_create(
        [Coding(text=text, coder=here.other, round=round_, status="submitted", version=1) for round_, text in pairs]
    )
    plan = Plan.objects.create(round=here.round, design="all")
    PlanText.objects.bulk_create([PlanText(plan=plan, text=text, coders=1) for text in texts])
    assign_texts(here.project, texts, [here.coder], here.round)
    PlanCoder.objects.bulk_create(
        [
            PlanCoder(plan=plan, coder_id=user)
            for user in here.project.memberships.filter(role="coder").values_list("user_id", flat=True)
        ]
    )


def _records(here: SimpleNamespace, n: int) -> None:
    """Copy what has been done in the project once: versions, invitations, transfers, keys, flags."""

    def vary(row: Model, number: int) -> None:
        if isinstance(row, GuidelinesVersion):
            row.number += number + 1
        elif isinstance(row, Invitation | Token):
            row.digest = f"{number:064}"
        elif isinstance(row, Mapping):
            row.name = f"mapping {number:03}"

    project = here.project
    Mapping.objects.create(project=project, name="all", classes={"place": "none"}, author=here.manager)
    for rows in (
        GuidelinesVersion.objects.filter(project=project),
        Invitation.objects.filter(project=project),
        Transfer.objects.filter(project=project, kind="import"),
        Transfer.objects.filter(pk=here.taken.pk),
        Token.objects.filter(user=here.coder),
        Mapping.objects.filter(project=project),
    ):
        assert rows, rows.model
        multiply(n, [rows], vary)
    scheme = scheme_to_json(read_scheme(project.pk).spec, project.answers)
    SchemeVersion.objects.bulk_create(
        [
            SchemeVersion(
                project=project, number=number, author=here.manager, scheme=scheme, merges=[], created_at=timezone.now()
            )
            for number in range(1, n + 2)
        ]
    )
    Project.objects.filter(pk=project.pk).update(scheme_version=n + 1)
    Token.objects.filter(user=here.coder).update(expires_at=timezone.now() + timedelta(days=9))


def _docsets(here: SimpleNamespace, n: int) -> None:
    docsets = Docset.objects.filter(project=here.pyramids)
    texts = Text.objects.filter(docset__in=docsets)
    vary = _vary(list(User.objects.filter(username__startswith=f"{here.names.name}-coder-")), here.third)
    multiply(n, [docsets, texts, *_rows_of(texts)], vary)


def crowd(here: SimpleNamespace, n: int) -> None:
    """Let all coders have one text and one pyramid that they have not begun, and one of them n peers of a docset."""
    coders = User.objects.filter(username__startswith=f"{here.names.name}-coder-")

    def vary(row: Model, number: int) -> None:
        assert isinstance(row, Text)
        row.slug, row.title = f"crowd-{number:03}", f"Crowd {number:03}"

    peers = multiply(n, [Text.objects.filter(pk=here.peer.pk)], vary)
    everybody = [(here.text, coder, here.coding.round, "text") for coder in coders]
    everybody += [(here.models, coder, here.pyramid.round, "pyramid") for coder in coders]
    everybody += [(peer, here.coder, here.pyramid.round, "peer") for peer in peers]
    Coding.objects.bulk_create(
        [Coding(text=text, coder=coder, round=round_, kind=kind) for text, coder, round_, kind in everybody]
    )


def _projects(here: SimpleNamespace, n: int) -> None:
    """Let the manager and the coder be in many projects."""
    projects = Project.objects.bulk_create(
        [Project(slug=f"more-{number:03}", title=f"More {number}", answers="categories") for number in range(n)]
    )
    Membership.objects.bulk_create(
        [
            Membership(project=project, user=user, role=role)
            for project in projects
            for user, role in ((here.manager, "manager"), (here.coder, "coder"))
        ]
    )
