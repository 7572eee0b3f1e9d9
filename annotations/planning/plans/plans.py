"""Propose the plan of a round from the database, describe it, and apply it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from itertools import batched
from typing import Any, Self

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, Max

from annotations.mail.queue import is_enabled, notify
from annotations.models import Coding, Markable, Plan, PlanCoder, PlanText, Project, Round, RoundText, Text, User
from annotations.models.round import MAIN
from annotations.planning.plans.designs.draws import draw
from annotations.planning.plans.designs.proposing import propose
from annotations.planning.plans.designs.terms import (
    WEIGHT_UNIT,
    Assignment,
    Design,
    PlanParameters,
    PlanRefused,
    Proposal,
)
from annotations.planning.plans.designs.terms import PlanCoder as CoderTerms
from annotations.planning.plans.designs.terms import PlanText as TextTerms
from annotations.projects.locks import lock_project
from annotations.projects.people.members import BLIND_ROLES, CODING_ROLES, members_in_roles
from annotations.projects.rounds import current_round, find_round, open_round, put_into_round, refuse_closed

BATCH = 2_000
MAX_GENRES = 20  # with more different name prefixes, prefixes are not taken as genres


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """The request for a plan. coders: empty: all but adjudicators. Maxima and weights are by name."""

    parameters: PlanParameters
    round_name: str = ""
    coders: tuple[str, ...] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    maxima: Mapping[str, int] = field(default_factory=dict)
    due_on: date | None = None

    @classmethod
    def of(cls, sent: Mapping[str, Any]) -> Self:
        """Return the request from values whose names are fields of this class and of PlanParameters."""
        terms = {field_.name: sent[field_.name] for field_ in fields(PlanParameters) if field_.name in sent}
        own = {field_.name: sent[field_.name] for field_ in fields(cls) if field_.name in sent}
        parameters = PlanParameters(**{**terms, "design": Design(sent["design"])})
        return cls(**{**own, "parameters": parameters, "coders": tuple(sent["coders"])})


@dataclass(frozen=True, slots=True)
class PlannedText:
    """A text of a round with its data for plans."""

    pk: int
    slug: str
    title: str
    work: int
    stratum: str


@dataclass(frozen=True, slots=True)
class PlanView:
    """A proposal with its context. round_: None if it does not exist yet; unit: the unit of work."""

    request: PlanRequest
    round_: Round | None
    round_name: str
    texts: Sequence[PlannedText]
    coders: Mapping[str, User]
    unit: str
    proposal: Proposal
    begun: frozenset[tuple[str, str]]

    def terms(self) -> dict[str, Any]:
        """Return the terms of the design, without those that it does not use."""
        parameters = self.request.parameters
        return {
            "design": str(parameters.design),
            "k": None if parameters.design == Design.ALL else parameters.k,
            "share": parameters.share if parameters.design == Design.SHARE else None,
            "blocks": parameters.blocks if parameters.design == Design.BLOCKS else None,
            "seed": parameters.seed,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON, equal before and after it is applied with the same seed."""
        proposal, terms = self.proposal, self.terms()
        return {
            **terms,
            "k": terms["k"] or len(self.coders),
            "round": self.round_name,
            "pool": self.request.parameters.pool,
            "due_on": self.request.due_on.isoformat() if self.request.due_on else None,
            "calibration": list(proposal.calibration),
            "assignments": [{"text": text, "coders": list(names)} for text, names in proposal.assignments.items()],
            "unit": self.unit,
            "loads": [{"coder": load.coder, "texts": load.texts, "work": load.work} for load in proposal.loads],
            "pairs": [{"coders": [a, b], "texts": number} for a, b, number in proposal.pairs],
            "connected": proposal.connected,
        }


def plan_round(project: Project, name: str) -> Round | None:
    """Return the round of a plan, by default the open one; None: `main`, not created yet. Raise ValidationError."""
    round_ = find_round(project, name) if name else open_round(project)
    if round_.pk is None:
        return None
    refuse_closed(round_)
    return round_


def view_plan(project: Project, request: PlanRequest, *, blind: bool = False) -> PlanView:
    """Return the proposal for the request without writing. Raise ValidationError."""
    # With `blind`, the proposal depends on nobody's begun work or taken texts: all assignments stay.
    if project.answers == Project.Answers.SCUS:
        raise ValidationError("Summaries are assigned docset by docset, on the page of each docset.")
    if blind and (request.parameters.move or request.parameters.removals):
        raise ValidationError("Who codes in a project and manages it does not move what is assigned to others.")
    round_ = plan_round(project, request.round_name)
    texts, unit = planned_texts(project, round_)
    coders = _coders_of(project, request)
    parameters = request.parameters
    codings = _codings_as_blind(round_, parameters) if blind else _codings_of(round_)
    if round_ is not None:
        drawn = PlanText.objects.filter(plan__round=round_, calibration=True).values_list("text__slug", flat=True)
        parameters = replace(parameters, calibration_texts=tuple(drawn))
    terms = [TextTerms(text.slug, text.work, text.stratum) for text in texts]
    members = [CoderTerms(name, request.weights.get(name, 1.0), request.maxima.get(name)) for name in sorted(coders)]
    try:
        proposal = propose(terms, members, parameters, codings)
    except PlanRefused as refused:
        raise ValidationError(str(refused)) from None
    begun = frozenset((row.text, row.coder) for row in codings if row.begun)
    asked, name = replace(request, parameters=parameters), round_.name if round_ else MAIN
    return PlanView(asked, round_, name, texts, coders, unit, proposal, begun)


def _codings_as_blind(round_: Round | None, parameters: PlanParameters) -> list[Assignment]:
    """Return the assignments that a coding manager may know. Raise ValidationError to assign texts of a pool."""
    is_pool = round_ is not None and Plan.objects.filter(round=round_, pool=True).exists()
    if is_pool and not parameters.pool:
        raise ValidationError(
            f"The round {round_} has a pool, and you are blind to what others take from it: keep it a pool, or ask a "
            "manager who does not code."
        )
    return [replace(row, begun=True) for row in _codings_of(round_, with_taken=not is_pool)]


def planned_texts(project: Project, round_: Round | None) -> tuple[list[PlannedText], str]:
    """Return the texts of the round, or of the project without a round, with their work and its unit."""
    texts = project.texts.filter(role=Text.Role.SOURCE)
    if round_ is not None:
        texts = texts.filter(memberships__round=round_)
    texts = texts.order_by("position", "slug")
    coded = Markable.objects.filter(text__in=texts.order_by().values("pk"), predefined=True, level__coded=True)
    counts = dict(coded.order_by().values_list("text").annotate(number=Count("pk")))
    unit = "markables" if counts else "words"
    columns = ("pk", "slug", "title", "language")
    rows = list(texts.values_list(*columns) if counts else texts.with_words().values_list(*columns, "words"))
    earlier: dict[int, str] = {}  # the last earlier round of each text
    if round_ is not None:
        others = RoundText.objects.filter(round__project=project, round__position__lt=round_.position)
        earlier = dict(others.order_by("round__position").values_list("text", "round__name"))
    genres = _genres([slug for _, slug, *_ in rows])
    planned = []
    for pk, slug, title, language, *words in rows:
        stratum = "\0".join([genres[slug], language, earlier.get(pk, "")])
        planned.append(PlannedText(pk, slug, title, words[0] if words else counts.get(pk, 0), stratum))
    return planned, unit


def _genres(slugs: Sequence[str]) -> Mapping[str, str]:
    """Return the prefix of each name as its genre, if the prefixes are few and none occurs once."""
    genres = {slug: slug.partition("-")[0] for slug in slugs}
    sizes = Counter(genres.values())
    return genres if len(sizes) <= MAX_GENRES and min(sizes.values(), default=0) > 1 else dict.fromkeys(slugs, "")


def _coders_of(project: Project, request: PlanRequest) -> dict[str, User]:
    """Return the chosen coders by name, by default all but adjudicators. Raise ValidationError."""
    members = users_by_name(
        members_in_roles(project, CODING_ROLES), [*request.coders, *request.weights, *request.maxima]
    )
    chosen = request.coders or {user.get_username() for user in members_in_roles(project, BLIND_ROLES)}
    return {name: user for name, user in members.items() if name in chosen}


def users_by_name(users: Iterable[User], named: Iterable[str]) -> dict[str, User]:
    """Return the users by name. Raise ValidationError for other names."""
    by_name = {user.get_username(): user for user in users}
    if unknown := sorted(set(named) - set(by_name)):
        raise ValidationError(f"There are no coders of these names in the project: {', '.join(unknown)}.")
    return by_name


def _codings_of(round_: Round | None, *, with_taken: bool = True) -> list[Assignment]:
    """Return the assignments in the round, with or without texts taken from a pool."""
    if round_ is None:
        return []
    codings = Coding.objects.first_occasions(round_).order_by()
    codings = codings if with_taken else codings.assigned()
    columns = ("text__slug", "coder__username", "version", "corrections", "status", "place", "released_at")
    assignments = []
    for text, coder, version, corrections, status, place, released_at in codings.values_list(*columns):
        begun = version > corrections or status == Coding.Status.SUBMITTED
        assignments.append(Assignment(text, coder, begun, place, released_at is not None))
    return assignments


@transaction.atomic
def apply_plan(project: Project, request: PlanRequest, *, blind: bool = False) -> PlanView:
    """Apply the plan and record it; a second time changes nothing. Raise ValidationError or ProjectArchived."""
    lock_project(project.pk)
    round_ = plan_round(project, request.round_name)
    if round_ is None:
        round_ = current_round(project)
        put_into_round(round_, project.texts.filter(role=Text.Role.SOURCE).defer("content"))
    view = view_plan(project, replace(request, round_name=round_.name), blind=blind)
    plan = _record(round_, view)
    _write_codings(project, round_, view)
    _record_texts(plan, view)
    return view


def _record(round_: Round, view: PlanView) -> Plan:
    """Write the terms of the plan."""
    request, parameters = view.request, view.request.parameters
    plan, _ = Plan.objects.update_or_create(
        round=round_,
        defaults={
            **view.terms(),
            "calibration": parameters.calibration,
            "pool": parameters.pool,
            "allow_unconnected": parameters.allow_unconnected,
            "due_on": request.due_on,
        },
    )
    PlanCoder.objects.filter(plan=plan).delete()
    PlanCoder.objects.bulk_create(
        PlanCoder(
            plan=plan,
            coder=user,
            weight=round(request.weights.get(name, 1.0) * WEIGHT_UNIT),
            maximum=request.maxima.get(name),
        )
        for name, user in view.coders.items()
    )
    return plan


def _record_texts(plan: Plan, view: PlanView) -> None:
    """Write the number of coders for each text, in the random order in which a pool offers them."""
    seed, calibration = view.request.parameters.seed, set(view.proposal.calibration)
    order = sorted(view.texts, key=lambda text: (draw(seed, "pool", text.slug), text.slug))
    PlanText.objects.filter(plan=plan).delete()
    PlanText.objects.bulk_create(
        (
            PlanText(
                plan=plan,
                text_id=text.pk,
                coders=view.proposal.needed[text.slug],
                position=position,
                calibration=text.slug in calibration,
            )
            for position, text in enumerate(order)
        ),
        batch_size=BATCH,
    )


def _write_codings(project: Project, round_: Round, view: PlanView) -> None:
    keys = {text.slug: text.pk for text in view.texts}
    codings = Coding.objects.first_occasions(round_)
    _delete_codings(codings, view.proposal.removed, keys)
    places = dict(codings.order_by().values_list("coder__username").annotate(last=Max("place")))
    new = set(view.proposal.new)
    if new and view.request.parameters.pool:  # a manager blind to a pool may add a text that the coder has taken
        new -= set(codings.order_by().values_list("text__slug", "coder__username"))
    rows: list[Coding] = []
    for name, order in view.proposal.orders.items():
        last = places.get(name, 0)
        for slug in order:
            if (slug, name) in new:
                last += 1
                rows.append(Coding(text_id=keys[slug], coder=view.coders[name], round=round_, place=last))
    Coding.objects.bulk_create(rows, batch_size=BATCH)
    if is_enabled():
        titles = {text.pk: Text(pk=text.pk, slug=text.slug, title=text.title, project=project) for text in view.texts}
        for name, user in view.coders.items():
            if own := [titles[row.text_id] for row in rows if row.coder.get_username() == name]:
                notify(user, "assigned", project, own)


def _delete_codings(codings: Any, removed: Iterable[tuple[str, str]], keys: Mapping[str, int]) -> None:
    """Delete the removed codings that have not begun; codings begun meanwhile stay."""
    pairs = {(keys[text], coder) for text, coder in removed}
    if pairs:
        rows = codings.not_begun().filter(status=Coding.Status.OPEN).select_for_update(of=("self",))
        candidates = rows.values_list("pk", "text_id", "coder__username")
        removable = [pk for pk, text, coder in candidates if (text, coder) in pairs]
        for part in batched(removable, BATCH):
            Coding.objects.of_people().filter(pk__in=part).delete()
