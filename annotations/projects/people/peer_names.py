"""Coded names of peer summaries for their coders: random, and different for each coder.

Coders who do not see results see neither the name of a peer nor its system. So knowledge of a system cannot sway the
scores.
"""

from base64 import b32encode

from django.utils.crypto import salted_hmac

from annotations.models import Coding, Project, Text
from annotations.models.people.rights import Right
from annotations.models.project import may

CODE_LENGTH = 6
PREFIX = "peer-"


def is_blind_to_peers(project: Project) -> bool:
    """Return whether the reader of the project is shown no names of peers."""
    return not may(project, Right.SEE_RESULTS)


def coded_slug(coder: int, text: int) -> str:
    """Return the coder's permanent address of the peer, which works for nobody else."""
    digest = salted_hmac("annotations.projects.people.peer_names", f"{coder}:{text}", algorithm="sha256").digest()
    return PREFIX + b32encode(digest).decode()[:CODE_LENGTH].lower()


def coded_title(coder: int, text: int) -> str:
    """Return the coder's name for the peer."""
    return f"Peer {coded_slug(coder, text).removeprefix(PREFIX).upper()}"


def hide_name(text: Text, coder: int) -> None:
    """Replace the names of a text by the coder's coded names if it is a peer. The text must not be saved."""
    if text.role == Text.Role.PEER:
        text.slug, text.title, text.system = coded_slug(coder, text.pk), coded_title(coder, text.pk), ""


def find_slug(project: Project, coder: int, slug: str) -> str:
    """Return the slug of the peer with this coded slug of the coder; the given slug if there is none."""
    if slug.startswith(PREFIX):
        own = Coding.objects.of_coders().filter(coder=coder, text__project=project, text__role=Text.Role.PEER)
        for pk, actual in own.values_list("text_id", "text__slug").distinct():
            if coded_slug(coder, pk) == slug:
                return str(actual)
    return slug
