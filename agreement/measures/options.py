"""The options that coefficients take, checked in one place."""

from dataclasses import dataclass

from .values import Distance

SET_DISTANCES = ("nominal", "passonneau", "jaccard", "dice", "masi", "masi-product")
ORDERED_DISTANCES = ("ordinal", "interval", "ratio")
DISTANCES = SET_DISTANCES + ORDERED_DISTANCES
EXCLUDE_UNIT = ("none", "observed", "both")
EMPTY = ("subset", "disjoint")
THIRDS = ("exact", "rounded")
MISSING_RULES = ("drop", "available")


def check_option(option: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise ValueError, naming the option and what it may be, unless `given` is one of `allowed`."""
    if value not in allowed:
        raise ValueError(f"{option} is {value!r}; it must be one of {', '.join(map(repr, allowed))}")


@dataclass(frozen=True)
class Options:
    """The comparison of two values: the distance (a name or a callable) and its conventions."""

    distance: str | Distance = "nominal"
    exclude_unit: str = "none"
    empty: str = "subset"
    thirds: str = "exact"

    def __post_init__(self) -> None:
        if not callable(self.distance):
            check_option("distance", self.distance, DISTANCES)
        check_option("exclude_unit", self.exclude_unit, EXCLUDE_UNIT)
        check_option("empty", self.empty, EMPTY)
        check_option("thirds", self.thirds, THIRDS)

    @property
    def ordered(self) -> bool:
        """Whether the distance needs numeric labels."""
        return self.distance in ORDERED_DISTANCES

    def parameters(self) -> dict[str, str]:
        """Return the options as text, for a result to carry."""
        distance = self.distance
        name = distance if isinstance(distance, str) else str(getattr(distance, "__name__", type(distance).__name__))
        return vars(self) | {"distance": name}


@dataclass(frozen=True)
class SumOptions:
    """The comparison of values for sums of several named distances, with common conventions."""

    distances: tuple[str, ...] = SET_DISTANCES
    exclude_unit: str = "none"
    empty: str = "subset"
    thirds: str = "exact"

    def __post_init__(self) -> None:
        object.__setattr__(self, "distances", tuple(dict.fromkeys(self.distances)))
        ordered = [name for name in self.distances if self.of(name).ordered]
        if ordered and len(ordered) < len(self.distances):
            raise ValueError(f"the distance {ordered[0]!r} is of numbers, the others of sets: compute it apart")

    def of(self, distance: str) -> Options:
        """Return the options with one of the distances."""
        return Options(distance, self.exclude_unit, self.empty, self.thirds)
