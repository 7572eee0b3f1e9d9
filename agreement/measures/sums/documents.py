"""Alpha as sums over documents.

Documents are independent: sets of different documents share no member, so they are at distance 1 without
being compared. What a document adds is a few numbers, and `combine` makes alpha of them. Only the labels
and the empty set are the same value in every document.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..data.inputs import Data, as_data
from ..options import SET_DISTANCES, SumOptions
from ..results import Result
from .tables import tabulate
from .text_sums import DistanceSums, DocumentSums, TextSums
from .totals import alpha_from_totals, total_sums


def document_sums(
    data: Data,
    distance: str = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> DistanceSums:
    """Return the sums of each document of the data, in the order of `data.documents`.

    The arguments are those of `alpha`, but `distance` must be a name: a callable may relate values of
    different documents. The sums of a document do not depend on the others in the data.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> [sums] = document_sums(data, "jaccard")
    >>> sums.n_judgements, sums.overlapping, combine([sums]) == combine(document_sums(data, "jaccard"))
    (6, 26, True)
    """
    data = as_data(data)
    if not isinstance(distance, str):
        raise ValueError("distance must be a name: sums over documents do not exist for a callable")
    return documents_sums(data, [distance], exclude_unit=exclude_unit, empty=empty, thirds=thirds)[distance]


def documents_sums(
    data: Data,
    distances: Sequence[str] = SET_DISTANCES,
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> TextSums:
    """Return `document_sums` with each of several named distances, by name, from one pass over the data.

    Raises ValueError also where distances for numbers are mixed with distances for sets.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> documents_sums(data)["jaccard"] == document_sums(data, "jaccard")
    True
    """
    return tabulate(as_data(data), SumOptions(tuple(distances), exclude_unit, empty, thirds))


def combine(sums: Iterable[DocumentSums]) -> Result:
    """Return alpha of all the documents whose sums are given, in any order: the same digits as `alpha` of the data.

    Each document is to be given once. Raises ValueError if the sums were made with different parameters.
    Without any sums the result is undefined and has no parameters.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 1], [2, 1]], ["a", "a", "b", "b"])
    >>> combine(reversed(document_sums(data, "masi")))
    <alpha = 0.2000: 4 units, 2 coders, 8 judgements, 6 values>
    """
    given = DistanceSums.from_sequence(sums)
    result = alpha_from_totals(total_sums(given.texts, given.distance), given.options)
    return result if len(given) else replace(result, parameters={})
