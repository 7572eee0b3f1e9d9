"""What all coders say and a draft accepts unseen: a random sample of it to look at, and how much of it is wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from annotations.adjudication.decisions.log import renaming

# So many units are checked at a time.
SAMPLE_SIZE = 10


def sample_units(draft: UUID, payload: Mapping[str, Any]) -> list[str]:
    """Return what the draft answers and nobody contests, in the random order in which it is checked.

    The order is that of a hash keyed by the draft's operation: the same wherever the log is, and known to nobody
    before the draft is made. The keys are those of the draft.
    """
    contested = {markable for markable, _ in payload["contested"]}
    units = [
        one["markable"]
        for one in payload["judgements"]
        if one["markable"] not in contested and (one["category"] is not None or one.get("attributes"))
    ]
    return sorted(units, key=lambda key: hashlib.sha256(f"{draft} {key}".encode()).digest())


def follow_keys(keys: Sequence[str], log: Iterable[tuple[str, Mapping[str, Any]]]) -> list[str | None]:
    """Return the keys that markables have after corrections and moves; None where their words are gone."""
    found: list[str | None] = list(keys)
    for kind, payload in log:
        if (rename := renaming(kind, payload)) is not None:
            found = [key and rename(key) for key in found]
    return found
