"""The JSON of a report: the fields of its dataclass, in their order, described by their types.

n_units: Annotated[int, "that both judged"]        the description in the schema of the API
texts: PageOnly[tuple[Document, ...]]              for pages only, not in the JSON
links: WhereThere[tuple[Link, ...] | None] = None  left out if it is None or an empty text
interval: Flat[Interval]                           the fields of another dataclass, inlined
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Self, TypeVar, get_args, get_type_hints

from agreement.measures import Interval
from agreement.reports.parameters import Parameters

T = TypeVar("T")
PAGE_ONLY, WHERE_THERE, FLAT = object(), object(), object()
PageOnly = Annotated[T, PAGE_ONLY]
WhereThere = Annotated[T, WHERE_THERE]
Flat = Annotated[T, FLAT]

# Fields of several reports.
type SchemeDocument = dict[str, Any]
LeftOut = Annotated[Mapping[str, int], "codings that do not count, by reason"]
OtherVersions = Annotated[
    WhereThere[int | None], "with versions: judgements that are missing, as last given under others"
]
Low = Annotated[float | None, "of its 95% interval"]


@dataclass(frozen=True, slots=True)
class GivenField:
    """A field of the JSON: its name, its type and the metadata of its annotation."""

    name: str
    type: Any
    marks: tuple[Any, ...]


@cache
def given_fields(report: type) -> tuple[GivenField, ...]:
    """Return the fields of the JSON of a dataclass."""
    hints, given = get_type_hints(report, include_extras=True), list[GivenField]()
    for name in (field.name for field in fields(report)):
        marks = getattr(hints[name], "__metadata__", ())
        given.append(GivenField(name, get_args(hints[name])[0] if marks else hints[name], marks))
    return tuple(field for field in given if PAGE_ONLY not in field.marks)


def as_json(value: Any) -> Any:
    """Return a report, or a part of one, as plain data."""
    if isinstance(value, Parameters):
        return value.query()
    if is_dataclass(value):
        return dict(_given_values(value))
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    return value


def _given_values(report: Any) -> Iterator[tuple[str, Any]]:
    for field in given_fields(report.__class__):
        value = getattr(report, field.name)
        if FLAT in field.marks:
            yield from _given_values(value)
        elif WHERE_THERE not in field.marks or value not in (None, ""):
            yield field.name, as_json(value)


def copy_fields[R](report: type[R], /, *sources: object, **others: Any) -> R:
    """Return a report with `others` and the fields that it shares with the sources; earlier sources win."""
    names = [field.name for field in fields(report) if field.name not in others]  # type: ignore[arg-type]
    copied = {name: getattr(source, name) for source in reversed(sources) for name in names if hasattr(source, name)}
    return report(**copied, **others)


@dataclass(frozen=True, slots=True)
class GroupInterval:
    """A coefficient with its interval."""

    value: float | None
    low: Low
    high: float | None
    n_units: int
    note: Annotated[str, "Why there is no value or no interval."]

    @classmethod
    def of(cls, interval: Interval) -> Self:
        return copy_fields(cls, interval, interval.result, note=interval.note or interval.result.note)


@dataclass(frozen=True, slots=True)
class AgreementBesideGold(GroupInterval):
    """The agreement among coders in the texts in which they are compared with gold."""

    is_there: PageOnly[bool] = True

    @classmethod
    def missing(cls, note: str) -> Self:
        """Return a missing agreement, with the reason as its note."""
        return cls(None, None, None, 0, note, is_there=False)
