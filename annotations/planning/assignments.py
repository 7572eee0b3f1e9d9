"""Assign texts to coders."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.mail.queue import is_enabled, notify
from annotations.models import Coding, Membership, Project, Text, User
from annotations.projects.locks import lock_project
from annotations.projects.members import CODING_ROLES

# The kind of coding of a text, by its role.
KIND_BY_ROLE: dict[str, str] = {
    Text.Role.SOURCE: Coding.Kind.TEXT,
    Text.Role.MODELS: Coding.Kind.PYRAMID,
    Text.Role.PEER: Coding.Kind.PEER,
}


@transaction.atomic
def assign_texts(project: Project, texts: Iterable[Text], coders: Iterable[User]) -> int:
    """Assign each text to each coder and return the number of new codings; existing codings stay.

    Model summaries become the coder's own pyramid; a peer summary is coded against that, or with
    `docset_assignments.assign_peers` against the agreed one. Raise ValidationError for a user who does not code in the
    project, and for a text of another project.
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
    before = Coding.objects.filter(text__project=project).count()
    new_texts = texts_without_coding(texts, coders) if is_enabled() else {}
    Coding.objects.bulk_create(
        [Coding(text=text, coder=coder, kind=KIND_BY_ROLE[text.role]) for text in texts for coder in coders],
        ignore_conflicts=True,
    )
    for coder, own in new_texts.items():
        notify(coder, "assigned", project, own)
    return Coding.objects.filter(text__project=project).count() - before


def texts_without_coding(texts: Iterable[Text], coders: Iterable[User]) -> dict[User, list[Text]]:
    """Return the coders with those of the texts of which they have no coding, leaving out who has one of each."""
    texts = list(texts)
    pairs = set(Coding.objects.filter(text__in=texts, coder__in=coders).values_list("text_id", "coder_id"))
    missing = {coder: [text for text in texts if (text.pk, coder.pk) not in pairs] for coder in coders}
    return {coder: own for coder, own in missing.items() if own}


@transaction.atomic
def unassign(text: Text, coder: str, kind: str = "") -> int:
    """Delete the assignments of a text to a coder that have not begun, of one kind or all; return their number.

    Raise ValidationError if all have begun, and for a pyramid against which the coder has peers to score.
    """
    lock_project(text.project_id)
    codings = Coding.objects.not_begun().select_for_update(of=("self",)).filter(text=text, coder__username=coder)
    not_begun = list(codings.filter(kind=kind) if kind else codings)
    if not not_begun:
        raise ValidationError(f"{coder} has begun “{text}”; nothing was changed.")
    peers = Coding.objects.filter(text__docset=text.docset_id, coder__username=coder, kind=Coding.Kind.PEER)
    if any(coding.kind == Coding.Kind.PYRAMID for coding in not_begun) and peers.exists():
        raise ValidationError(f"{coder} has peers to score against this pyramid; unassign these first.")
    Coding.objects.filter(pk__in=[coding.pk for coding in not_begun]).delete()
    return len(not_begun)
