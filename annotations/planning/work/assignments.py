"""Assign texts to coders in a round or docset, replace a coder, and release idle work."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max, OuterRef, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotations.docsets.agreed_pyramid import pyramids_of
from annotations.mail.queue import is_enabled, notify
from annotations.models import Coding, Docset, Membership, Operation, Project, Round, Text, User
from annotations.projects.locks import lock_project
from annotations.projects.people.members import CODING_ROLES, members_in_roles
from annotations.projects.people.model_coders import mark_codings_of_models
from annotations.projects.rounds import current_round, latest_round, put_into_round, refuse_closed, rounds_by_text

MAX_DAYS = 3650
KIND_BY_ROLE: dict[str, str] = {
    Text.Role.SOURCE: Coding.Kind.TEXT,
    Text.Role.MODELS: Coding.Kind.PYRAMID,
    Text.Role.PEER: Coding.Kind.PEER,
}


@transaction.atomic
def assign_texts(
    project: Project, texts: Iterable[Text], coders: Iterable[User], round_: Round | None = None, *, kind: str = ""
) -> int:
    """Assign each text to each coder and return the number of new codings. Raise ValidationError."""
    # round_: the round, to which the texts are added; None: the `latest_round` of each. kind: needed for peers coded
    # with the agreed pyramid.
    lock_project(project.pk)
    coders, texts = list(coders), list(texts)
    members = dict(Membership.objects.filter(project=project).values_list("user_id", "role"))
    for coder in coders:
        if members.get(coder.pk) not in CODING_ROLES:
            raise ValidationError(f"{coder} is not a coder of {project.slug}.")
    for text in texts:
        if text.project_id != project.pk:
            raise ValidationError(f"{text} is not a text of {project.slug}.")
    round_of = _rounds_for(project, texts, round_)
    codings = Coding.objects.of_coders().filter(text__project=project, coder__in=coders).order_by()
    existing = set(codings.values_list("text_id", "coder_id", "kind", "round_id"))
    missing = []
    for text in texts:
        coding_kind, in_round = kind or KIND_BY_ROLE[text.role], round_of[text.pk]
        missing += [
            Coding(text=text, coder=coder, kind=coding_kind, round=in_round)
            for coder in coders
            if (text.pk, coder.pk, coding_kind, in_round.pk) not in existing
        ]
    mark_codings_of_models(project.pk, missing)
    Coding.objects.bulk_create(missing)
    _notify_coders(project, missing)
    return len(missing)


def _rounds_for(project: Project, texts: Sequence[Text], round_: Round | None) -> Mapping[int, Round]:
    """Return the round of each text, and add the texts to their rounds. Raise ValidationError."""
    if round_ is not None and round_.project_id != project.pk:
        raise ValidationError(f"{round_} is not a round of {project.slug}.")
    round_ = round_ and Round.objects.get(pk=round_.pk)  # reread now that the project is locked
    known = rounds_by_text(project)
    chosen: dict[int, Round] = {}
    new: dict[int, list[Text]] = defaultdict(list)
    for text in texts:
        own = known.get(text.pk, ())
        if round_ is not None and text.docset_id is not None and round_ not in own:
            raise ValidationError(f"{text} is a summary, which is coded in the round of its docset alone.")
        chosen[text.pk] = round_ or latest_round(own) or current_round(project)
        if chosen[text.pk] not in own:
            new[chosen[text.pk].pk].append(text)
    for used in {row.pk: row for row in chosen.values()}.values():
        refuse_closed(used)
        put_into_round(used, new[used.pk])
    return chosen


def _notify_coders(project: Project, codings: Iterable[Coding]) -> None:
    """Notify each coder of new texts."""
    if not is_enabled():
        return
    new: dict[User, list[Text]] = defaultdict(list)
    for coding in codings:
        new[coding.coder].append(coding.text)
    for coder, texts in new.items():
        notify(coder, "assigned", project, texts)


@transaction.atomic
def unassign(text: Text, coder: str, kind: str = "", round_: Round | None = None) -> int:
    """Delete assignments of a text to a coder that have not begun; return their number. Raise ValidationError."""
    lock_project(text.project_id)
    codings = Coding.objects.of_coders().not_begun().filter(text=text, coder__username=coder)
    codings = codings.filter(kind=kind) if kind else codings
    codings = codings.filter(round=round_) if round_ else codings
    not_begun = list(codings.select_for_update(of=("self",)))
    if not not_begun:
        raise ValidationError(f"{coder} has begun “{text}”; nothing was changed.")
    peers = Coding.objects.of_coders().filter(text__docset=text.docset_id, coder__username=coder, kind=Coding.Kind.PEER)
    if any(coding.kind == Coding.Kind.PYRAMID for coding in not_begun) and peers.exists():
        raise ValidationError(f"{coder} has peers to score against this pyramid; unassign these first.")
    Coding.objects.of_coders().filter(pk__in=[coding.pk for coding in not_begun]).delete()
    return len(not_begun)


@transaction.atomic
def assign_docset(docset: Docset, coders: Iterable[User], *, pyramid: bool, peers: Iterable[Text], agreed: bool) -> int:
    """Assign the pyramid, and peers with it or the agreed one; return the number of new ones. Raise ValidationError."""
    lock_project(docset.project_id)
    coders, peers, n_new = list(coders), list(peers), 0
    if pyramid:
        n_new += assign_texts(docset.project, docset.texts.filter(role=Text.Role.MODELS), coders)
    if peers and not agreed:
        pyramids = Coding.objects.of_coders().filter(text__docset=docset, kind=Coding.Kind.PYRAMID)
        pyramid_coders = set(pyramids.values_list("coder", flat=True))
        for coder in coders:
            if coder.pk not in pyramid_coders:
                raise ValidationError(f"{coder} has no pyramid of {docset} to annotate peers with. Assign one too.")
    if peers:
        n_new += assign_peers(docset, peers, coders, agreed=agreed)
    return n_new


@transaction.atomic
def assign_peers(docset: Docset, peers: Iterable[Text], coders: Iterable[User], *, agreed: bool) -> int:
    """Assign each peer to each coder, and return the number of new codings. Raise ValidationError."""
    lock_project(docset.project_id)
    coders, peers = list(coders), list(peers)
    for peer in peers:
        if peer.docset_id != docset.pk or peer.role != Text.Role.PEER:
            raise ValidationError(f"{peer} is not a peer summary of {docset}.")
    if not agreed:
        return assign_texts(docset.project, peers, coders, kind=Coding.Kind.PEER)
    if not pyramids_of(docset).filter(kind=Coding.Kind.AGREED, status=Coding.Status.SUBMITTED).exists():
        raise ValidationError(f"{docset} has no submitted agreed pyramid.")
    open_pyramids = pyramids_of(docset).filter(kind=Coding.Kind.PYRAMID, status=Coding.Status.OPEN, coder__in=coders)
    names = list(open_pyramids.order_by("coder__username").values_list("coder__username", flat=True))
    if names:
        raise ValidationError(
            f"Coders of peers see the agreed pyramid. Their own pyramid of {docset} is not submitted "
            f"by {', '.join(names)}."
        )
    return assign_texts(docset.project, peers, coders, kind=Coding.Kind.PEER_AGREED)


@dataclass(frozen=True, slots=True)
class FreedPlaces:
    """The number of codings unassigned, and of begun codings released with their work kept."""

    unassigned: int
    released: int


@transaction.atomic
def replace_coder(project: Project, round_: Round, coder: User, other: User) -> FreedPlaces:
    """Give a coder's open texts to another, who codes begun texts from the start. Raise ValidationError."""
    lock_project(project.pk)
    refuse_closed(Round.objects.get(pk=round_.pk))
    if coder == other:
        raise ValidationError("Choose two different people.")
    if not members_in_roles(project, CODING_ROLES).filter(pk=other.pk).exists():
        raise ValidationError(f"{other} is not a coder of {project.slug}.")
    codings = Coding.objects.first_occasions(round_)
    theirs = set(codings.filter(coder=other).values_list("text_id", flat=True))
    rows = codings.filter(coder=coder, status=Coding.Status.OPEN, released_at=None).exclude(text__in=theirs)
    open_codings = list(rows.select_for_update(of=("self",)).order_by("place", "pk"))
    place = codings.filter(coder=other).aggregate(last=Max("place"))["last"] or 0
    new = [
        Coding(text_id=coding.text_id, coder=other, round=round_, place=place + number)
        for number, coding in enumerate(open_codings, 1)
    ]
    freed = _free_places(open_codings)
    Coding.objects.bulk_create(new)
    if new and is_enabled():
        notify(other, "assigned", project, project.texts.filter(pk__in=[coding.text_id for coding in new]))
    return freed


@transaction.atomic
def release_idle(project: Project, round_: Round, days: int) -> FreedPlaces:
    """Release open codings without work for this number of days; begun work stays. Raise ValidationError."""
    lock_project(project.pk)
    refuse_closed(Round.objects.get(pk=round_.pk))
    if not 0 < days <= MAX_DAYS:
        raise ValidationError(f"Choose from 1 to {MAX_DAYS} days.")
    last = Operation.objects.filter(coding=OuterRef("pk")).order_by("-sequence").values("applied_at")[:1]
    since = timezone.now() - timedelta(days=days)
    idle = Coding.objects.first_occasions(round_).filter(status=Coding.Status.OPEN, released_at=None)
    idle = idle.annotate(last=Coalesce(Subquery(last), "created_at")).filter(last__lt=since)
    return _free_places(list(idle.select_for_update(of=("self",))))


def _free_places(codings: Sequence[Coding]) -> FreedPlaces:
    """Unassign locked codings that have not begun, and release the others."""
    begun = [coding.pk for coding in codings if coding.is_begun]
    unbegun = [coding.pk for coding in codings if not coding.is_begun]
    Coding.objects.of_people().filter(pk__in=begun).update(released_at=timezone.now())
    Coding.objects.of_people().filter(pk__in=unbegun).delete()
    return FreedPlaces(len(unbegun), len(begun))
