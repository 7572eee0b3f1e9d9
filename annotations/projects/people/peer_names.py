"""The names under which those who score peer summaries see them: by chance, and others for each coder.

Neither a peer's name nor its system is shown to a coder who does not see the results, so that what is known of a system
cannot sway the scores.
"""

from base64 import b32encode

from django.utils.crypto import salted_hmac

from annotations.models import Coding, Project, Text
from annotations.models.people.rights import Right
from annotations.models.project import may

CODE_LENGTH = 6
PREFIX = "peer-"


def is_blind_to_peers(project: Project) -> bool:
    """Return whether the user for whom the project was read is shown no names of peers."""
    return not may(project, Right.SEE_RESULTS)


def coded_slug(coder: int, text: int) -> str:
    """Return the address under which the coder finds the peer: the same each time, and nobody else's."""
    digest = salted_hmac("annotations.projects.people.peer_names", f"{coder}:{text}", algorithm="sha256").digest()
    return PREFIX + b32encode(digest).decode()[:CODE_LENGTH].lower()


def coded_title(coder: int, text: int) -> str:
    """Return the name under which the coder sees the peer."""
    return f"Peer {coded_slug(coder, text).removeprefix(PREFIX).upper()}"


def hide_name(text: Text, coder: int) -> None:
    """Give a text that is shown to the coder, and not saved, its coded names if it is a peer."""
    if text.role == Text.Role.PEER:
        text.slug, text.title, text.system = coded_slug(coder, text.pk), coded_title(coder, text.pk), ""


def find_slug(project: Project, coder: int, slug: str) -> str:
    """Return the slug of the peer that the coder finds under this one; the slug itself if there is none."""
    if slug.startswith(PREFIX):
        own = Coding.objects.of_coders().filter(coder=coder, text__project=project, text__role=Text.Role.PEER)
        for pk, real in own.values_list("text_id", "text__slug").distinct():
            if coded_slug(coder, pk) == slug:
                return str(real)
    return slug
