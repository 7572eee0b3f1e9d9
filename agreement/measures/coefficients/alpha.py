"""Krippendorff's alpha, and what each unit adds to its disagreement."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..data.inputs import Data, as_data
from ..options import SET_DISTANCES, Options, SumOptions
from ..results import Result
from ..sums.overlaps import PairableUnits
from ..sums.sufficient_statistics import register_statistics
from ..sums.tables import as_numbers, tabulate, unit_disagreements
from ..sums.totals import alpha_from_totals, total_sums
from ..values import Distance
from .alpha_statistics import alpha_statistics, alphas_statistics
from .callable_distances import alpha_of_callable, callable_unit_disagreements


@dataclass(frozen=True)
class Contribution:
    """What one unit adds to observed disagreement: `observed` sums to Do over the units, `share` to 1."""

    unit: Hashable
    document: Hashable
    share: float
    observed: float


@register_statistics(alpha_statistics)
def alpha(
    data: Data,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> Result:
    """Return Krippendorff's alpha, 1 - Do/De, for any number of coders, with missing values.

    With n judgements on the units coded by two or more coders, m of them on unit u: Do is the sum over the
    units of the distances of all ordered pairs of judgements of u divided by m - 1, over n; De is the mean
    distance of all n(n - 1) ordered pairs of judgements (Krippendorff 1980; Passonneau 2004).

    `data` is ReliabilityData, a DataFrame, or a list or array of units x coders (the package krippendorff has coders x
    units), as in every function here: see `as_data`.
    `distance` is one of DISTANCES, or a symmetric callable of two values that is 0 for equal values; it
    is called for every pair of distinct values, and `empty` and `thirds` (see `distance`) are its own affair. Values
    with several readings are matched as `distance` says, in observed and in expected disagreement.
    "ordinal", "interval" and "ratio" are for labels that are numbers.
    `exclude_unit` takes the unit out of the sets that it was given: "none"; "observed", when the values of
    one unit are compared; "both", also when judgements of any two units are.
    Raises ValueError for an unknown option, for a callable that returns a negative or no finite number, and for
    a value that is no number where it must be.
    The value is None, with a note, where no unit has two coders and where no disagreement can be expected.

    >>> data = ReliabilityData.from_values(
    ...     ["A", "B"], ["Ann", "Bob"], [["place", "place"], ["place", "none"]], ["text", "text"])
    >>> alpha(data)
    <alpha = 0.0000: 2 units, 2 coders, 4 judgements, 2 values>
    """
    data = as_data(data)
    options = Options(distance, exclude_unit, empty, thirds)
    if not isinstance(distance, str):
        return alpha_of_callable(data, distance, options)
    sum_options = SumOptions((distance,), exclude_unit, empty, thirds)
    return alpha_from_totals(total_sums(tabulate(data, sum_options), distance), options)


@register_statistics(alphas_statistics)
def alphas(
    data: Data,
    distances: Sequence[str] = SET_DISTANCES,
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> dict[str, Result]:
    """Return `alpha` with each of several named distances, by name, from one pass over the data.

    The arguments, errors and digits are those of `alpha`. Raises ValueError also where distances for numbers
    are mixed with distances for sets.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 2], [1, 2], [2, 1]], ["a", "a", "b", "b"])
    >>> [(name, round(result.value, 3)) for name, result in alphas(data).items()][:2]
    [('nominal', 0.44), ('passonneau', 0.791)]
    """
    options = SumOptions(tuple(distances), exclude_unit, empty, thirds)
    sums = tabulate(as_data(data), options)
    return {name: alpha_from_totals(total_sums(sums, name), options.of(name)) for name in sums}


def contributions(
    data: Data,
    distance: str | Distance = "nominal",
    *,
    exclude_unit: str = "none",
    empty: str = "subset",
    thirds: str = "exact",
) -> tuple[Contribution, ...]:
    """Return what each unit adds to the observed disagreement of `alpha` with the same arguments, in data order.

    Units coded by fewer than two coders are not in it. Where there is no disagreement all shares are 0. Raises
    ValueError as `alpha` does.

    >>> data = ReliabilityData.from_chain_ids([[1, 1], [1, 1], [2, 1]], ["a", "a", "a"])
    >>> [round(one.share, 3) for one in contributions(data, "jaccard")]
    [0.25, 0.25, 0.5]
    """
    options = Options(distance, exclude_unit, empty, thirds)
    data = as_numbers(as_data(data), options)
    pairable = PairableUnits.from_data(data)
    if isinstance(distance, str):
        terms = unit_disagreements(pairable, options).tolist()
    else:
        terms = list(callable_unit_disagreements(data, distance, options).values())
    total, n = sum(terms), int(pairable.coders.sum())
    return tuple(
        Contribution(
            unit=data.units[row],
            document=data.documents[data.document_of_unit[row]],
            share=term / total if total else 0.0,
            observed=term / n,
        )
        for row, term in zip(pairable.rows.tolist(), terms, strict=True)
    )
