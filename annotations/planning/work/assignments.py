"""Assign texts to coders, in a round."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.mail.queue import is_enabled, notify
from annotations.models import Coding, Membership, Project, Round, Text, User
from annotations.projects.locks import lock_project
from annotations.projects.people.members import CODING_ROLES
from annotations.projects.people.model_coders import mark_codings_of_models
from annotations.projects.rounds import current_round, latest_round, put_into_round, refuse_closed, rounds_by_text

# The kind of coding of a text, by its role.
KIND_BY_ROLE: dict[str, str] = {
    Text.Role.SOURCE: Coding.Kind.TEXT,
    Text.Role.MODELS: Coding.Kind.PYRAMID,
    Text.Role.PEER: Coding.Kind.PEER,
}


@transaction.atomic
def assign_texts(
    project: Project, texts: Iterable[Text], coders: Iterable[User], round_: Round | None = None, *, kind: str = ""
) -> int:
    """Assign each text to each coder and return the number of new codings; existing codings stay.

    round_: where they are coded; a text that is not in it comes into it. None: `latest_round` of each text. Model
    summaries become the coder's own pyramid; a peer summary is coded against that, or with
    `docset_assignments.assign_peers`, which says another `kind`, against the agreed one. Raise ValidationError for a
    user who does not code in the project, for a text or round of another project, and for a closed round.
    """
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
    existing = _existing_codings(project, coders)
    missing = [
        coding
        for text in texts
        for coder in coders
        if _key(coding := Coding(text=text, coder=coder, kind=kind or KIND_BY_ROLE[text.role], round=round_of[text.pk]))
        not in existing
    ]
    mark_codings_of_models(project.pk, missing)
    Coding.objects.bulk_create(missing)
    _notify_coders(project, missing)
    return len(missing)


def _rounds_for(project: Project, texts: Sequence[Text], round_: Round | None) -> Mapping[int, Round]:
    """Return the round in which each text is assigned, which it is in afterwards. Raise ValidationError."""
    if round_ is not None and round_.project_id != project.pk:
        raise ValidationError(f"{round_} is not a round of {project.slug}.")
    round_ = round_ and Round.objects.get(pk=round_.pk)  # as it is now that the project is locked
    known = rounds_by_text(project)
    found: dict[int, Round] = {}
    new: dict[int, list[Text]] = defaultdict(list)
    for text in texts:
        own = known.get(text.pk, ())
        if round_ is not None and text.docset_id is not None and round_ not in own:
            raise ValidationError(f"{text} is a summary, which is coded in the round of its docset alone.")
        found[text.pk] = round_ or latest_round(own) or current_round(project)
        if found[text.pk] not in own:
            new[found[text.pk].pk].append(text)
    for one in {one.pk: one for one in found.values()}.values():
        refuse_closed(one)
        put_into_round(one, new[one.pk])
    return found


type CodingKey = tuple[int, int | None, str, int]


def _key(coding: Coding) -> CodingKey:
    return coding.text_id, coding.coder_id, coding.kind, coding.round_id


def _existing_codings(project: Project, coders: Iterable[User]) -> set[CodingKey]:
    codings = Coding.objects.of_coders().filter(text__project=project, coder__in=coders).order_by()
    return set(codings.values_list("text_id", "coder_id", "kind", "round_id"))


def _notify_coders(project: Project, codings: Iterable[Coding]) -> None:
    """Tell each coder which texts are new."""
    if not is_enabled():
        return
    new: dict[User, list[Text]] = defaultdict(list)
    for coding in codings:
        new[coding.coder].append(coding.text)
    for coder, texts in new.items():
        notify(coder, "assigned", project, texts)


@transaction.atomic
def unassign(text: Text, coder: str, kind: str = "", round_: Round | None = None) -> int:
    """Delete the assignments of a text to a coder that have not begun, of one kind and round or all of them.

    Return their number. Raise ValidationError if all have begun, and for a pyramid against which the coder has peers
    to score.
    """
    lock_project(text.project_id)
    codings = (
        Coding.objects.of_coders().not_begun().select_for_update(of=("self",)).filter(text=text, coder__username=coder)
    )
    codings = codings.filter(kind=kind) if kind else codings
    not_begun = list(codings.filter(round=round_) if round_ else codings)
    if not not_begun:
        raise ValidationError(f"{coder} has begun “{text}”; nothing was changed.")
    peers = Coding.objects.of_coders().filter(text__docset=text.docset_id, coder__username=coder, kind=Coding.Kind.PEER)
    if any(coding.kind == Coding.Kind.PYRAMID for coding in not_begun) and peers.exists():
        raise ValidationError(f"{coder} has peers to score against this pyramid; unassign these first.")
    Coding.objects.of_coders().filter(pk__in=[coding.pk for coding in not_begun]).delete()
    return len(not_begun)
