"""The agreed pyramid of a docset: an adjudicator's copy of one coder's pyramid, or a draft from several pyramids."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet

from annotations.coding import imported_codings
from annotations.coding.active_time import hand_over
from annotations.coding.decisions import Decision, Description
from annotations.coding.judgements import decisions_of
from annotations.coding.pyramids.scus import scu_descriptions
from annotations.coding.rules import Rules
from annotations.models import Coding, Docset, Markable, Membership, Project, Text, User
from annotations.projects.locks import lock_project
from annotations.projects.viewing import record_view
from annotations.schemes.project_scheme import SchemeKeys


@transaction.atomic
def start_agreed_pyramid(docset: Docset, adjudicator: User, start: Coding) -> Coding:
    """Create the agreed pyramid as the adjudicator's copy of a coder's submitted one. Raise ValidationError."""
    lock_project(docset.project_id)
    refuse_other_than_adjudicator(docset.project, adjudicator)
    if start.text.docset_id != docset.pk or start.kind != Coding.Kind.PYRAMID:
        raise ValidationError("An agreed pyramid starts with a pyramid of its docset.")
    if start.status != Coding.Status.SUBMITTED:
        raise ValidationError(f"{start.coder} has not submitted this pyramid.")
    if pyramids_of(docset).filter(kind=Coding.Kind.AGREED).exists():
        raise ValidationError(f"{docset} already has an agreed pyramid.")
    record_view(Coding.objects.of_coders().filter(pk=start.pk), adjudicator)
    coding = Coding(text=start.text, coder=adjudicator, kind=Coding.Kind.AGREED, round=start.round)
    descriptions = [Description(key, **description) for key, description in scu_descriptions(start).items()]
    fill_coding(coding, adjudicator, decisions_of(start), descriptions, submitted=False)
    return coding


@transaction.atomic
def reassign_agreed_pyramid(docset: Docset, adjudicator: User) -> Coding:
    """Assign the agreed pyramid, with its log, to another adjudicator. Raise ValidationError for its current owner."""
    lock_project(docset.project_id)
    refuse_other_than_adjudicator(docset.project, adjudicator)
    agreed = pyramids_of(docset).filter(kind=Coding.Kind.AGREED).select_for_update(of=("self",)).first()
    if agreed is None:
        raise ValidationError(f"{docset} has no agreed pyramid.")
    if agreed.coder_id == adjudicator.pk:
        raise ValidationError(f"{adjudicator} already has the agreed pyramid.")
    hand_over(agreed, adjudicator)
    return agreed


def fill_coding(
    coding: Coding,
    user: User,
    decisions: Sequence[Decision],
    descriptions: Sequence[Description],
    *,
    submitted: bool = True,
) -> None:
    """Fill an untouched coding of summaries with contributors and SCUs, creating missing markables.

    Raise OperationRejected if the scheme does not allow a decision. Call it inside a transaction.
    """
    markables, keys = create_contributors(coding, decisions)
    imported_codings.import_codings(
        [imported_codings.ImportedCoding(coding, user, decisions, markables, keys, descriptions, submitted)]
    )


def create_contributors(coding: Coding, decisions: Sequence[Decision]) -> tuple[dict[str, int], SchemeKeys]:
    """Check decisions, and create missing markables; return their keys and the scheme's. Raise OperationRejected."""
    rules = Rules.for_coding(coding, {decision.markable for decision in decisions})
    for decision in decisions:
        rules.check(decision)
    for markable in rules.new.values():
        markable.text_id = coding.text_id
    Markable.objects.bulk_create(rules.new.values(), ignore_conflicts=True)
    contributors = Markable.objects.filter(text=coding.text_id, level__coded=True)
    return dict(contributors.values_list("key", "pk")), rules.keys


def pyramids_of(docset: Docset) -> QuerySet[Coding]:
    """Return the pyramids of a docset, coders' own and agreed."""
    return Coding.objects.of_coders().filter(text__docset=docset, text__role=Text.Role.MODELS)


def submitted_pyramids(docset: Docset) -> QuerySet[Coding]:
    """Return the coders' submitted pyramids of a docset, which an agreed pyramid may start with."""
    return Coding.objects.of_people().filter(
        text__docset=docset, kind=Coding.Kind.PYRAMID, status=Coding.Status.SUBMITTED
    )


def refuse_other_than_adjudicator(project: Project, person: User) -> None:
    """Raise ValidationError unless the person is an adjudicator of the project."""
    role = Membership.objects.filter(project=project, user=person).values_list("role", flat=True).first()
    if role != Membership.Role.ADJUDICATOR:
        raise ValidationError(f"{person} is not an adjudicator of {project.slug}.")
