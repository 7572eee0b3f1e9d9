"""The gold of texts beside the answers of coders: which of it counts, and its name in place of a coder's.

Gold is no coding of a coder, and is read for comparisons with it alone: what is made of the answers of coders knows
nothing of it.
"""

from annotations.models import Coding, Project, Round

# In place of the name of a coder: no account can be called so.
GOLD = "(gold)"
# Why gold does not count; the first that fits holds. "uncoded": no coder has a coding of the text in the round.
REASONS_GOLD_LEFT_OUT = ("practice", "open", "uncoded")


def why_gold_is_left_out(status: str, round_kind: str) -> str:
    """Return why gold is nothing to compare results with, one of REASONS_GOLD_LEFT_OUT; empty where it is decided.

    The gold of a training round teaches: its texts were chosen for that, and coders were shown it.
    """
    if round_kind == Round.Kind.TRAINING:
        return "practice"
    return "" if status == Coding.Status.SUBMITTED else "open"


def has_gold(project: Project) -> bool:
    """Return whether there is any gold, whether it counts or not. A query."""
    return Coding.objects.filter(text__project=project, kind=Coding.Kind.GOLD).exists()
