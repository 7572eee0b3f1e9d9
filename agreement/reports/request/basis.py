"""What every report rests on: the data that the parameters choose, its sums, the coefficient and its interval."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import batched, compress
from threading import Lock
from typing import Any, cast

import numpy as np

from agreement.data.answers.answers import NO_LABEL
from agreement.data.answers.contents import TextContent, TextEntry
from agreement.data.answers.question import name_value
from agreement.data.codings.documents import original_of
from agreement.data.extract.extract import Extract
from agreement.data.extract.reading import MOST_READ_AT_ONCE, READ_AT_ONCE
from agreement.data.extract.reliability import category_data, reliability_data, units_of_coders
from agreement.data.storage.tables import TextRows
from agreement.measures import (
    DistanceSums,
    Interval,
    ReliabilityData,
    Result,
    SumOptions,
    TextSums,
    alphas,
    combine,
    interval,
    interval_sums,
)
from agreement.measures.data.subsets import select_coders, select_units
from agreement.measures.options import ORDERED_DISTANCES, Options
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.tables import tabulate
from agreement.measures.values import Bools, Ints, Label
from agreement.reports.coefficients import COEFFICIENTS, CONVENTIONS
from agreement.reports.request.executors import compute_parts, is_configured
from agreement.reports.request.parameters import Parameters, distances_for

# What is kept of one text or one extract at most, and of values with a row for each unit; the oldest goes first.
CACHED_VALUES = 64
CACHED_MATRICES = 4
# The sums of each two coders, and of all but each, are stored where there are at most so many.
MOST_CODERS_STORED = 10
# Where fewer than one text in so many has the same sums as in another table, these are computed once more: to put sums
# together out of two tables takes longer than to read them from one.
LEAST_SHARE_JOINED = 50
# The texts whose sums another process is handed at a time, where a worker has such.
TEXTS_A_PART = 125

_cache_lock = Lock()


def distances_of(extract: Extract) -> tuple[str, ...]:
    """Return the distances that the values of the extract can have."""
    names = distances_for(extract.kind)
    negative = "ratio" in names and any(name.startswith("-") for name in extract.categories)
    return tuple(name for name in names if name != "ratio" or not negative)


class UnitTable:
    """The base of tables with a row for each unit of many texts, of which only few are cached."""

    __slots__ = ()


def pick_texts(extract: Extract, parameters: Parameters) -> tuple[TextEntry, ...]:
    """Return the texts that the parameters choose."""
    texts, rounds = parameters.selection("texts"), parameters.selection("rounds")
    if not texts and not rounds:
        return extract.texts
    return tuple(
        text for text in extract.texts if (not texts or text.slug in texts) and (not rounds or text.round in rounds)
    )


def pick_texts_to_draw(extract: Extract, parameters: Parameters) -> tuple[TextEntry, ...]:
    """Return the texts that the parameters choose in an order that no name changes: what is drawn depends on it."""
    return tuple(sorted(pick_texts(extract, parameters), key=lambda text: text.pk))


def count_left_out(extract: Extract, parameters: Parameters) -> dict[str, int]:
    """Return how many codings of the chosen texts and rounds are left out, by reason."""
    return extract.count_left_out(parameters.selection("texts"), parameters.selection("rounds"))


def count_other_versions(extract: Extract, parameters: Parameters) -> int | None:
    """Return how many judgements of the chosen texts and rounds are missing, as of versions of the scheme not chosen.

    None where judgements of all versions count.
    """
    if not extract.versions:
        return None
    return extract.count_other_versions(parameters.selection("texts"), parameters.selection("rounds"))


def other_versions_field(n: int | None) -> dict[str, int]:
    """Return the field of a report that says how many judgements are missing as of other versions, where it has one."""
    return {} if n is None else {"judgements_of_other_versions": n}


def cached[T](owner: Extract | TextContent, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Return the value that was computed of these answers under the key, or compute it now."""
    value: T | None = owner.cache.get(key)
    return store(owner, key, compute()) if value is None else value


def store[T](owner: Extract | TextContent, key: tuple[Hashable, ...], value: T) -> T:
    """Store a value computed of these answers in their cache; of large ones only few."""
    is_large = isinstance(value, ReliabilityData | UnitTable)
    limit = CACHED_MATRICES if is_large else CACHED_VALUES
    with _cache_lock:
        alike = [
            one for one, other in owner.cache.items() if isinstance(other, ReliabilityData | UnitTable) == is_large
        ]
        for old in alike[: max(len(alike) + 1 - limit, 0)]:
            owner.cache.pop(old, None)
        owner.cache[key] = value
    return value


def cached_by_text[T](
    texts: Sequence[TextEntry], key: tuple[Hashable, ...], compute: Callable[[Sequence[TextEntry]], Iterable[T]]
) -> list[T]:
    """Return a value of each text: what was computed of its answers under the key, or is computed now."""
    values: dict[int, Any] = {text.pk: text.content.cache.get(key) for text in texts}
    missing = [text for text in texts if values[text.pk] is None]
    if missing:
        for text, value in zip(missing, compute(missing), strict=True):
            values[text.pk] = store(text.content, key, value)
    return [values[text.pk] for text in texts]


def select_data(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry] | None = None) -> ReliabilityData:
    """Return the values of the coders on the units of the chosen texts, or of these texts."""
    chosen = pick_texts(extract, parameters) if texts is None else tuple(texts)
    names, p = _names_of(extract, chosen), parameters
    second = _has_pairs(extract, p)
    key = ("data", second, p.chains, p.top, p.readings, p.unmarked, extract.coders, p.without, names)
    owner = chosen[0].content if len(chosen) == 1 else extract
    return cached(owner, key, lambda: _build_data(extract, parameters, chosen))


def select_categories(
    extract: Extract, parameters: Parameters, texts: Sequence[TextEntry] | None = None
) -> ReliabilityData:
    """Return the categories that the coders gave the units of the chosen texts, or of these."""
    chosen = pick_texts(extract, parameters) if texts is None else tuple(texts)
    key = ("categories", parameters.without, _names_of(extract, chosen))

    def compute() -> ReliabilityData:
        data, without = category_data(extract, chosen), parameters.selection("without")
        return select_units(data, ~mostly_labelled(data, without)) if without else data

    return cached(extract, key, compute)


def _names_of(extract: Extract, texts: tuple[TextEntry, ...]) -> tuple[int, ...] | None:
    """Return what tells a choice of texts from others; None for all of the extract."""
    return None if texts is extract.texts else tuple(text.pk for text in texts)


def _has_pairs(extract: Extract, parameters: Parameters) -> bool:
    """Return whether a value is a first choice with a second one, which only augmented kappa takes."""
    second = bool(extract.question and extract.question.second)
    return second and COEFFICIENTS[parameters.coefficient].of_labels


def _build_data(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry]) -> ReliabilityData:
    without = parameters.selection("without")
    data = reliability_data(
        extract,
        chains=parameters.chains,
        top=parameters.top,
        unmarked=parameters.unmarked,
        readings=parameters.readings,
        second=_has_pairs(extract, parameters),
        texts=texts,
    )
    return select_units(data, ~mostly_labelled(category_data(extract, texts), without)) if without else data


def mostly_labelled(categories: ReliabilityData, names: frozenset[str]) -> Bools:
    """Return the units to which more than half of their coders give one and the same of these categories."""
    codes = categories.codes
    n_coders = (codes >= 0).sum(axis=1)
    most = np.zeros(len(codes), dtype=np.bool_)
    for name in names:
        most |= 2 * np.isin(codes, codes_with(categories.labels, name)).sum(axis=1) > n_coders
    return most


def count_names(data: ReliabilityData, names: Sequence[str]) -> Ints:
    """Return how many coders gave each category, or each label of a set, to each unit: (units, names)."""
    counts = np.zeros((len(data.units), len(names)), dtype=np.int64)
    for column, name in enumerate(names):
        counts[:, column] = np.isin(data.codes, codes_with(data.labels, name)).sum(axis=1)
    return counts


def codes_with(labels: Sequence[Label], name: str) -> list[int]:
    """Return the places of the labels that are of this name: a set of labels is of the name of each."""
    return [place for place, label in enumerate(labels) if name in names_of(label)]


def names_of(label: Label) -> Collection[str]:
    """Return the names of the categories or values that a label stands for."""
    if isinstance(label, frozenset):
        return frozenset(map(str, label)) or (NO_LABEL,)
    return (name_value(label),)


def data_by_coders(
    extract: Extract, parameters: Parameters, texts: Sequence[TextEntry] | None = None
) -> Callable[[Sequence[str]], ReliabilityData]:
    """Return a function that gives the data of some coders, as a project that holds these coders alone would have them.

    A unit is what one of them was given or has marked; what most of them call a category is left out where the
    parameters leave out that category.
    """
    chosen = pick_texts(extract, parameters) if texts is None else tuple(texts)
    without = parameters.selection("without")
    complete = replace(parameters, without="")
    data = select_data(extract, complete, chosen)
    categories = select_categories(extract, complete, chosen) if without else None
    of_coders = units_of_coders(extract, chosen)
    of_coders = of_coders[of_coders.any(axis=1)]
    column = {coder: number for number, coder in enumerate(extract.coders)}

    def select(coders: Sequence[str]) -> ReliabilityData:
        columns = [column[coder] for coder in coders]
        selected = of_coders[:, columns].any(axis=1)
        if categories is not None:
            selected &= ~mostly_labelled(select_coders(categories, columns), without)
        return select_units(select_coders(data, columns), selected)

    return select


def compute_sums(
    extract: Extract, parameters: Parameters, texts: Sequence[TextEntry] | None = None
) -> dict[str, DistanceSums]:
    """Return what each text adds to alpha, by distance. The sums of a text are computed once for its answers.

    Those of the codings that count, of all coders, are stored for all processes.
    """
    chosen = pick_texts(extract, parameters) if texts is None else texts

    def compute(missing: Sequence[TextEntry]) -> ReliabilityData:
        return select_data(extract, parameters, missing)

    return _read_sums(extract, parameters, chosen, None, compute)


def compute_sums_of(
    extract: Extract, parameters: Parameters, coders: Sequence[str], texts: Sequence[TextEntry] | None = None
) -> dict[str, DistanceSums]:
    """Return the same of some of the coders, as a project that holds these coders alone would have them."""
    chosen = pick_texts(extract, parameters) if texts is None else texts
    others = [place for place, coder in enumerate(extract.coders) if coder not in coders]
    has_others = has_codings(extract, chosen)[:, others].any(axis=1)
    is_nearly_all = (len(chosen) - np.count_nonzero(has_others)) * LEAST_SHARE_JOINED <= len(chosen)
    with_others = chosen if is_nearly_all else list(compress(chosen, has_others.tolist()))

    def compute(missing: Sequence[TextEntry]) -> ReliabilityData:
        return data_by_coders(extract, parameters, missing)(coders)

    sums = _read_sums(extract, parameters, with_others, tuple(coders), compute)
    if is_nearly_all:
        return sums
    # where nobody else has coded, the sums are those of all
    of_all = compute_sums(extract, parameters, list(compress(chosen, (~has_others).tolist())))
    together = [sums[names[0]].texts for names in _computed_together(tuple(sums))]
    rest = [of_all[one.options.distances[0]].texts for one in together]
    order = np.argsort(np.concatenate((np.flatnonzero(has_others), np.flatnonzero(~has_others))))
    joined = [TextSums.concatenate(parts).select(order) for parts in zip(together, rest, strict=True)]
    return {name: one[name] for name in sums for one in joined if name in one}


def has_codings(extract: Extract, texts: Sequence[TextEntry]) -> Bools:
    """Return whether each coder of the extract has answered in each of the texts: (texts, coders)."""

    def compute() -> Bools:
        of_texts = [text.content.coders for text in extract.texts]
        number = {coders: place for place, coders in enumerate(dict.fromkeys(of_texts))}  # few are different
        found = np.array([[coder in coders for coder in extract.coders] for coders in number], dtype=np.bool_)
        return found.reshape(len(number), len(extract.coders))[[number[coders] for coders in of_texts]]

    of_all = cached(extract, ("codings",), compute)
    return of_all if texts is extract.texts else of_all[extract.find_places(texts)]


def _read_sums(
    extract: Extract,
    parameters: Parameters,
    texts: Sequence[TextEntry],
    coders: tuple[str, ...] | None,
    select: Callable[[Sequence[TextEntry]], ReliabilityData],
) -> dict[str, DistanceSums]:
    """Return the sums of texts from their table, by distance; where some are missing, of the data of these."""
    distances, sums = distances_of(extract), []
    for names in _computed_together(distances):
        if texts:
            compute = partial(_sum_texts, select, names, parameters)
            sums.append(read_rows(extract, parameters, TextSums, names, texts, compute, coders))
        else:
            sums.append(TextSums.without_texts(SumOptions(tuple(names), **_conventions(parameters))))
    return {name: one[name] for name in distances for one in sums if name in one}


def _sum_texts(
    select: Callable[[Sequence[TextEntry]], ReliabilityData],
    distances: Sequence[str],
    parameters: Parameters,
    texts: Sequence[TextEntry],
) -> TextSums:
    options = SumOptions(tuple(distances), **_conventions(parameters))
    if not is_configured() or len(texts) <= TEXTS_A_PART:
        return tabulate(select(texts), options)
    parts = [select(part) for part in batched(texts, TEXTS_A_PART)]
    return TextSums.concatenate(compute_parts(partial(tabulate, options=options), parts))


def read_rows[R: TextRows](
    extract: Extract,
    parameters: Parameters,
    form: type[R],
    about: Sequence[str],
    texts: Sequence[TextEntry],
    compute: Callable[[Sequence[TextEntry]], R],
    coders: tuple[str, ...] | None = None,
) -> R:
    """Return the rows of some texts from their table; what it lacks is computed.

    about: what the rows are, and on which further options they depend. coders: of whom alone they are; None: of all. Of
    many texts some are computed at a time, and the answers that were read for that do not stay in memory.
    """

    if not texts:
        return compute(texts)

    def compute_some(places: Sequence[int]) -> R:
        missing = [texts[place] for place in places]
        if len(missing) <= MOST_READ_AT_ONCE:
            return compute(missing)
        parts = []
        for batch in batched(missing, READ_AT_ONCE):
            unread = [text.content.root for text in batch if not text.content.root.is_loaded]
            parts.append(compute(batch))
            for content in unread:
                content.drop()
        return form.concatenate(parts)

    return extract.tables.read(
        (*_rows_name(extract, parameters, about), coders),
        form,
        extract.contents if texts is extract.texts else [text.content for text in texts],
        compute_some,
        present=lambda: extract.contents,
        shared=_is_stored(extract, coders),
    )


def _rows_name(extract: Extract, parameters: Parameters, about: Sequence[str]) -> tuple[Hashable, ...]:
    """Return on what the rows of a table depend besides the answers."""
    p = parameters
    of_data = (
        _has_pairs(extract, p),
        p.chains,
        p.top,
        p.readings,
        p.unmarked,
        ",".join(sorted(p.selection("without"))),
    )
    of_question = (p.question, p.unasked) if extract.question else ()
    of_selection = () if extract.is_standard else (p.include, p.coders)
    return (*of_data, p.exclude_unit, p.empty, p.thirds, *about, of_question, of_selection)


def _is_stored(extract: Extract, coders: Sequence[str] | None) -> bool:
    """Return whether the sums of the extract, or of some of its coders, are stored for all processes."""
    if not extract.is_standard or extract.question:
        return False
    n = len(extract.coders)
    return coders is None or (n <= MOST_CODERS_STORED and len(coders) in (2, n - 1))


def compute_result(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry] | None = None) -> Result:
    """Return the coefficient over the chosen texts, or these."""
    if parameters.is_alpha:
        result = combine(compute_sums(extract, parameters, texts)[parameters.distance])
        return replace(result, parameters=result.parameters or _coefficient_options(parameters))
    return coefficient_function(parameters)(select_data(extract, parameters, texts))


def compute_interval(extract: Extract, parameters: Parameters, texts: Sequence[TextEntry] | None = None) -> Interval:
    """Return the coefficient with its interval over texts, or over components where one text is used.

    A text that was coded in several rounds is left out of all of them at once.
    """
    chosen = pick_texts(extract, parameters) if texts is None else tuple(texts)
    names = None if texts is None else tuple(text.pk for text in chosen)
    # those of alpha are computed with every distance at once
    shared = replace(parameters, distance="nominal") if parameters.is_alpha else parameters
    key = ("intervals", shared, extract.coders, names)
    # those of one text are kept with it: it outlives the extract
    owner = chosen[0].content if len(chosen) == 1 else extract
    intervals = cached(owner, key, lambda: _name_texts(_compute_intervals(extract, parameters, chosen), chosen))
    return intervals[parameters.distance if parameters.is_alpha else ""]


def compute_result_of(
    extract: Extract, parameters: Parameters, coders: Sequence[str], texts: Sequence[TextEntry] | None = None
) -> Result:
    """Return alpha of some of the coders, over the chosen texts or these."""
    result = combine(compute_sums_of(extract, parameters, coders, texts)[parameters.distance])
    return replace(result, parameters=result.parameters or _coefficient_options(parameters))


def compute_interval_of(extract: Extract, parameters: Parameters, coders: Sequence[str]) -> Interval:
    """Return alpha of some of the coders with its interval over the chosen texts."""
    sums = compute_sums_of(extract, parameters, coders)[parameters.distance]
    if count_texts(sums) != 1 and parameters.distance not in ORDERED_DISTANCES:
        return interval_sums(sums, original=original_of)
    return interval_over_texts(data_by_coders(extract, parameters)(coders), coefficient_function(parameters))


def interval_over_texts(
    data: ReliabilityData, coefficient: Callable[..., Result], *arguments: Any, **options: Any
) -> Interval:
    """Return the interval of a coefficient, a text that was coded in several rounds being one group."""
    return interval(data, coefficient, *arguments, original=original_of, **options)


def count_texts(sums: DistanceSums) -> int:
    """Return how many texts have pairable units."""
    documents = compress(sums.texts.documents, sums.n_units.tolist())
    return len(set(map(original_of, documents)))


def _compute_intervals(extract: Extract, parameters: Parameters, texts: tuple[TextEntry, ...]) -> dict[str, Interval]:
    """Return the intervals of alpha by distance: all come from one pass over the data; of others the only one."""
    if not parameters.is_alpha:
        return {"": interval_over_texts(select_data(extract, parameters, texts), coefficient_function(parameters))}
    sums = compute_sums(extract, parameters, texts)
    n_used = count_texts(next(iter(sums.values())))
    # the sums of numbers are no averages of what texts add
    if n_used != 1 and not set(sums) & set(ORDERED_DISTANCES):
        return interval_sums(sums, original=original_of)
    data, intervals = select_data(extract, parameters, texts), dict[str, Interval]()
    for names in _computed_together(tuple(sums)):
        compute = partial(alphas, distances=names, **cast(Any, _conventions(parameters)))
        intervals |= interval(data, compute, original=original_of)
    return intervals


def _computed_together(distances: Sequence[str]) -> list[list[str]]:
    """Return the distances in groups: those of numbers are found by another way than those of sets."""
    ordered = [name for name in distances if name in ORDERED_DISTANCES]
    others = [name for name in distances if name not in ORDERED_DISTANCES]
    return [one for one in (others, ordered) if one]


def _name_texts(intervals: dict[str, Interval], texts: Sequence[TextEntry]) -> dict[str, Interval]:
    """Return the intervals with notes of texts, and the address of one that a note has by its primary key."""
    if not any("document" in one.note for one in intervals.values()):
        return intervals
    notes = {f"without document {text.text_pk}": f"without text {text.slug!r}" for text in texts}
    named = {}
    for name, one in intervals.items():
        before, without, rest = one.note.rpartition("without document ")
        note = before.replace("document", "text") + notes.get(
            without + rest, (without + rest).replace("document", "text")
        )
        named[name] = replace(one, note=note)
    return named


def coefficient_function(parameters: Parameters) -> Callable[..., Result]:
    """Return the coefficient with its options, as a function of data."""
    return partial(COEFFICIENTS[parameters.coefficient].compute, **_coefficient_options(parameters))


def pairable_units(data: ReliabilityData, parameters: Parameters) -> PairableUnits:
    """Return the units that are compared: of two coders or more, or of all where a kappa drops all others."""
    drop = not parameters.is_alpha and parameters.missing == "drop"
    return PairableUnits.from_data(data, max(len(data.coders), 2) if drop else 2)


def comparison(parameters: Parameters) -> Options:
    """Return how two values are compared, with the distance."""
    return Options(effective_distance(parameters), **comparison_options(parameters))


def effective_distance(parameters: Parameters) -> str:
    """Return the distance by which two values are compared: nominal, where the coefficient takes none."""
    return parameters.distance if parameters.takes_distance else "nominal"


def comparison_options(parameters: Parameters) -> dict[str, str]:
    """Return how two values are compared, besides the distance, as far as the coefficient leaves a choice."""
    return {name: one for name, one in _coefficient_options(parameters).items() if name in CONVENTIONS}


def _conventions(parameters: Parameters) -> dict[str, str]:
    return {name: getattr(parameters, name) for name in CONVENTIONS}


def _coefficient_options(parameters: Parameters) -> dict[str, Any]:
    coefficient = COEFFICIENTS[parameters.coefficient]
    options = {name: getattr(parameters, name) for name in coefficient.options}
    return options | ({"p": float(parameters.primary_weight)} if coefficient.of_labels else {})
