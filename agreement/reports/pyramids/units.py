"""Alpha of pyramids by words and by spans, with every distance: Passonneau 2006, Tables 1 and 2, side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import SET_DISTANCES
from agreement.measures.results import Result
from agreement.reports.request.basis import compute_result, pick_texts
from agreement.reports.request.parameters import UNITS, Parameters
from agreement.reports.request.resolution import resolve

# Which figures of the paper follow from what it prints, and which cannot be had.
PUBLISHED = (
    "Of Table 1 the row of spans follows from Figure 1: Jaccard −.44 and MASI .14, MASI in its product form, the unit"
    " taken out of observed disagreement, .33 and .67 for thirds. Its nominal 0 needs the unit taken out of expected"
    " disagreement, too; under the convention of the other two it is −.44. The words of Table 1 (0, .64, .81) and all"
    " of Table 2 cannot be computed again, because the pyramids themselves are not published."
)


@dataclass(frozen=True, slots=True)
class UnitsRow:
    """Alpha by distance of what is counted: over all docsets where `docset` is empty."""

    units: str
    docset: str
    title: str
    cells: tuple[tuple[Parameters, Result], ...]


def compare_units(extract_of: Callable[[str], ProjectAnswers], parameters: Parameters) -> list[UnitsRow]:
    """Return words and spans over all docsets chosen, then in each of several; all but distance and units as asked.

    extract_of: the answers with words or spans as units. Raises InvalidParameter.
    """
    rows: dict[str, list[UnitsRow]] = {}
    for units in UNITS:
        extract, resolved = resolve(extract_of(units), replace(parameters, coefficient="alpha", units=units))
        texts = pick_texts(extract, resolved)
        of_docset = [(text.slug, text.title, [text]) for text in texts] if len(texts) > 1 else []
        for slug, title, chosen in [("", "all docsets", list(texts)), *of_docset]:
            cells = [replace(resolved, distance=distance) for distance in SET_DISTANCES]
            cell_results = tuple(
                (replace(cell, texts=slug or cell.texts), compute_result(extract, cell, chosen)) for cell in cells
            )
            rows.setdefault(slug, []).append(UnitsRow(units, slug, title, cell_results))
    return [row for of_docset in rows.values() for row in of_docset]
