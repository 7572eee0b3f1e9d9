"""The items with the highest share of the disagreement."""

from __future__ import annotations

from dataclasses import dataclass

from agreement.data.documents import Document
from agreement.data.project_answers import ProjectAnswers
from agreement.reports.items.items import SHARE_DIGITS, compute_items
from agreement.reports.request.basis import remembered
from agreement.reports.request.parameters import Parameters
from agreement.reports.request.resolution import resolve

# So many items are listed at most.
MOST = 5


@dataclass(frozen=True, slots=True)
class HighItem:
    """An item: the text and unit, its share of the observed disagreement, and pairs of coders by relation."""

    text: Document
    unit: int
    share: float
    relations: tuple[int, ...]


def find_highest(answers: ProjectAnswers, parameters: Parameters) -> list[HighItem]:
    """Return the items with the highest share, as `Items.highest` orders them; none with a share of 0.

    Raises InvalidParameter.
    """
    answers, parameters = resolve(answers, parameters)
    return remembered(answers, ("highest items", parameters), lambda: _find_highest(answers, parameters))


def _find_highest(answers: ProjectAnswers, parameters: Parameters) -> list[HighItem]:
    items = compute_items(answers, parameters)
    rows = items.highest(MOST)
    shares = items.share_of(rows)
    return [
        HighItem(items.texts[items.text[row]], int(items.unit[row]), float(share), tuple(items.relations[row].tolist()))
        for row, share in zip(rows.tolist(), shares.tolist(), strict=True)
        if round(share, SHARE_DIGITS) > 0
    ]
