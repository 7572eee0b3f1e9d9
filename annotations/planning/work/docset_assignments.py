"""Assign the pyramid and the peers of a docset to coders."""

from __future__ import annotations

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction

from annotations.docsets.agreed_pyramid import pyramids_of
from annotations.models import Coding, Docset, Text, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.locks import lock_project


@transaction.atomic
def assign_docset(docset: Docset, coders: Iterable[User], *, pyramid: bool, peers: Iterable[Text], agreed: bool) -> int:
    """Assign the pyramid to coders, and peers against it or the agreed one; return the number of new codings.

    Raise ValidationError as `assign_texts` and `assign_peers` do, and if a coder would have peers but no pyramid.
    """
    lock_project(docset.project_id)
    coders, peers, n_new = list(coders), list(peers), 0
    if pyramid:
        pyramids = Coding.objects.of_coders().filter(text__docset=docset, kind=Coding.Kind.PYRAMID)
        # The lock keeps others from changing this number.
        n_new -= pyramids.count()
        assign_texts(docset.project, docset.texts.filter(role=Text.Role.MODELS), coders)
        n_new += pyramids.count()
    if peers and not agreed:
        pyramid_coders = (
            Coding.objects.of_coders()
            .filter(text__docset=docset, kind=Coding.Kind.PYRAMID)
            .values_list("coder", flat=True)
        )
        for coder in coders:
            if coder.pk not in set(pyramid_coders):
                raise ValidationError(f"{coder} has no pyramid of {docset} to annotate peers with. Assign one too.")
    if peers:
        n_new += assign_peers(docset, peers, coders, agreed=agreed)
    return n_new


@transaction.atomic
def assign_peers(docset: Docset, peers: Iterable[Text], coders: Iterable[User], *, agreed: bool) -> int:
    """Assign each peer to each coder, against their own pyramid or the agreed one; return the number of new codings.

    Raise ValidationError for a user who does not code, for a text that is no peer of the docset, if no agreed pyramid
    is submitted, and for a coder who would see it while their own pyramid is open.
    """
    lock_project(docset.project_id)
    coders, peers = list(coders), list(peers)
    for peer in peers:
        if peer.docset_id != docset.pk or peer.role != Text.Role.PEER:
            raise ValidationError(f"{peer} is not a peer summary of {docset}.")
    if agreed and not pyramids_of(docset).filter(kind=Coding.Kind.AGREED, status=Coding.Status.SUBMITTED).exists():
        raise ValidationError(f"{docset} has no submitted agreed pyramid.")
    if agreed:
        _refuse_open_pyramids(docset, coders)
    kind = Coding.Kind.PEER_AGREED if agreed else Coding.Kind.PEER
    return assign_texts(docset.project, peers, coders, kind=kind)


def _refuse_open_pyramids(docset: Docset, coders: Iterable[User]) -> None:
    """Raise ValidationError naming the coders whose own pyramid of the docset is still open."""
    open_pyramids = pyramids_of(docset).filter(kind=Coding.Kind.PYRAMID, status=Coding.Status.OPEN, coder__in=coders)
    names = list(open_pyramids.order_by("coder__username").values_list("coder__username", flat=True))
    if names:
        raise ValidationError(
            f"Coders of peers see the agreed pyramid. Their own pyramid of {docset} is not submitted "
            f"by {', '.join(names)}."
        )
