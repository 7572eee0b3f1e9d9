"""The docsets of a project: their summaries, pyramids and peers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agreement.data.pyramids.pyramids import PeerMarks, PyramidAnnotation, Pyramids


@dataclass(frozen=True, slots=True)
class DocsetDescription:
    """A docset: its model summaries, the pyramids of coders, and the agreed one, whose SCUs are None without it.

    `n_peers` were scored by somebody, and submitted, against the agreed pyramid or the coder's own.
    """

    slug: str
    title: str
    n_summaries: int
    n_pyramids: int
    n_submitted: int
    agreed: str
    n_scus: int | None
    n_contributors: int | None
    n_peers: int

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        names = ("slug", "title", "n_summaries", "n_pyramids", "n_submitted", "agreed", "n_scus", "n_contributors")
        return {name: getattr(self, name) for name in (*names, "n_peers")}


def describe_docsets(pyramids: Pyramids) -> tuple[DocsetDescription, ...]:
    """Return the docsets by their addresses."""
    return tuple(
        _describe(
            docset.slug,
            docset.title,
            len(docset.summaries),
            [one for one in pyramids.annotations if one.docset.pk == docset.pk],
            [one for one in pyramids.peer_marks if one.peer.docset.pk == docset.pk],
        )
        for docset in pyramids.docsets
    )


def _describe(
    slug: str, title: str, n_summaries: int, pyramids: Sequence[PyramidAnnotation], marks: Sequence[PeerMarks]
) -> DocsetDescription:
    own = [one for one in pyramids if not one.agreed]
    agreed = next((one for one in pyramids if one.agreed), None)
    return DocsetDescription(
        slug,
        title,
        n_summaries,
        len(own),
        sum(one.submitted for one in own),
        "" if agreed is None else "submitted" if agreed.submitted else "open",
        len(agreed.labels) if agreed else None,
        len(agreed.contributors) if agreed else None,
        len({one.peer.slug for one in marks if one.submitted}),
    )
