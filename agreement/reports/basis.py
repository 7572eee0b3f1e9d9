"""The basis of every report: the selected data, their sums, the coefficient and its interval."""

import hashlib
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from functools import partial
from itertools import batched, compress
from typing import Any

import numpy as np
from django.core.cache import caches

from agreement import measures
from agreement.data.columns import NO_LABEL
from agreement.data.documents import Document, original_of
from agreement.data.project_answers import ProjectAnswers, name_value
from agreement.data.reliability import category_data, reliability_data, units_of_anybody, units_of_coders
from agreement.measures import DistanceSums, Interval, ReliabilityData, Result, SumOptions, TextSums
from agreement.measures.data.subsets import select_coders, select_units
from agreement.measures.options import ORDERED_DISTANCES, Options
from agreement.measures.sums.overlaps import PairableUnits
from agreement.measures.sums.tables import tabulate
from agreement.measures.values import Bools, Ints, Label
from agreement.reports.parameters import COEFFICIENTS, CONVENTIONS, Parameters, distances_for
from annotations.core.processes.installed import program_version

# With fewer judgements, computing a figure is as fast as looking it up.
MIN_REMEMBERED = 20_000
SECONDS_REMEMBERED = 24 * 3600
# More texts are computed in batches, to bound the values in memory.
MAX_TEXTS_AT_ONCE = 500


def distances_of(extract: ProjectAnswers) -> tuple[str, ...]:
    """Return the distances that apply to the values of the extract."""
    names = distances_for(extract.kind)
    negative = "ratio" in names and any(name.startswith("-") for name in extract.categories)
    return tuple(name for name in names if name != "ratio" or not negative)


def pick_texts(extract: ProjectAnswers, parameters: Parameters) -> tuple[Document, ...]:
    """Return the texts that the parameters choose."""
    texts, rounds = parameters.selection("texts"), parameters.selection("rounds")
    if not texts and not rounds:
        return extract.texts
    return tuple(
        text for text in extract.texts if (not texts or text.slug in texts) and (not rounds or text.round in rounds)
    )


def pick_texts_to_draw(extract: ProjectAnswers, parameters: Parameters) -> tuple[Document, ...]:
    """Return the chosen texts in an order independent of names, since random draws depend on the order."""
    return tuple(sorted(pick_texts(extract, parameters), key=lambda text: text.pk))


def count_left_out(extract: ProjectAnswers, parameters: Parameters) -> dict[str, int]:
    """Return the number of codings left out of the chosen texts and rounds, by reason."""
    return extract.count_left_out(parameters.selection("texts"), parameters.selection("rounds"))


def count_other_versions(extract: ProjectAnswers, parameters: Parameters) -> int | None:
    """Return the number of missing judgements, given under unchosen scheme versions; None if all versions count."""
    texts, rounds = parameters.selection("texts"), parameters.selection("rounds")
    return extract.count_other_versions(texts, rounds) if extract.versions else None


def count_unanswered(extract: ProjectAnswers, parameters: Parameters) -> tuple[int, int]:
    """Return the numbers of judgements in the chosen texts not asked the question, and without an answer to it."""
    if extract.question is None:
        return 0, 0
    codings = extract.restrict(pick_texts(extract, parameters)).columns.codings
    return int(codings["unasked"].sum()), int(codings["unanswered"].sum())


def cached[T](answers: ProjectAnswers, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Return the result under the key from the cache of this request, or compute it."""
    if key not in answers.cache:
        answers.cache[key] = compute()
    value: T = answers.cache[key]
    return value


def remembered[T](
    answers: ProjectAnswers, key: tuple[Hashable, ...], compute: Callable[[], T], text: Document | None = None
) -> T:
    """Return the result under the key from the cache, or compute it; results on few judgements last one request only.

    text: the only text on which the result depends, so that answers in other texts do not invalidate it.
    """
    if not answers.state_name or answers.n_judgements < MIN_REMEMBERED:
        return cached(answers, key, compute)
    state = _state_of(answers, [text]) if text else answers.state_name
    return cached(answers, key, lambda: _remember(state, key, compute))


def _remember[T](state: str, key: tuple[Hashable, ...], compute: Callable[[], T]) -> T:
    """Return the cached result for the state of answers and the key, or compute it."""
    name = hashlib.blake2b(repr((program_version(), state, key)).encode(), digest_size=16).hexdigest()
    found: tuple[T] | None = caches["figures"].get(name)
    if found is None:
        found = (compute(),)
        caches["figures"].set(name, found, SECONDS_REMEMBERED)
    return found[0]


def select_data(
    answers: ProjectAnswers, parameters: Parameters, texts: Sequence[Document] | None = None
) -> ReliabilityData:
    """Return the values of the coders on the units of `texts`, or of the chosen texts."""
    chosen = pick_texts(answers, parameters) if texts is None else texts
    p, without = parameters, parameters.selection("without")
    # only augmented kappa takes pairs of a first and a second choice as values
    second = bool(answers.question and answers.question.second) and COEFFICIENTS[p.coefficient].of_labels

    def compute() -> ReliabilityData:
        of_texts = answers.restrict(chosen)
        data = reliability_data(
            of_texts, chains=p.chains, top=p.top, unmarked=p.unmarked, readings=p.readings, second=second
        )
        return select_units(data, ~mostly_labelled(category_data(of_texts), without)) if without else data

    key = ("data", second, p.chains, p.top, p.readings, p.unmarked, p.without, _names_of(answers, chosen))
    return cached(answers, key, compute)


def select_categories(
    answers: ProjectAnswers, parameters: Parameters, texts: Sequence[Document] | None = None
) -> ReliabilityData:
    """Return the categories that coders gave to the units of `texts`, or of the chosen texts."""
    chosen = pick_texts(answers, parameters) if texts is None else texts

    def compute() -> ReliabilityData:
        data, without = category_data(answers.restrict(chosen)), parameters.selection("without")
        return select_units(data, ~mostly_labelled(data, without)) if without else data

    return cached(answers, ("categories", parameters.without, _names_of(answers, chosen)), compute)


def choose_units(answers: ProjectAnswers, parameters: Parameters) -> Bools:
    """Return which units of these answers are compared; they are the rows of `select_data`."""
    chosen, without = units_of_anybody(answers), parameters.selection("without")
    if without:
        chosen[chosen] = ~mostly_labelled(category_data(answers), without)
    return chosen


def _names_of(answers: ProjectAnswers, texts: Sequence[Document]) -> tuple[int, ...] | None:
    """Return the cache key of a choice of texts; None for all texts."""
    return None if texts is answers.texts else tuple(text.pk for text in texts)


def mostly_labelled(categories: ReliabilityData, names: frozenset[str]) -> Bools:
    """Return which units get the same one of these categories from more than half of their coders."""
    codes = categories.codes
    n_coders = (codes >= 0).sum(axis=1)
    most = np.zeros(len(codes), dtype=np.bool_)
    for name in names:
        most |= 2 * np.isin(codes, codes_with(categories.labels, name)).sum(axis=1) > n_coders
    return most


def count_names(data: ReliabilityData, names: Sequence[str]) -> Ints:
    """Return the number of coders who gave each category, or each label of a set, to each unit: (units, names)."""
    counts = [np.isin(data.codes, codes_with(data.labels, name)).sum(axis=1) for name in names]
    return np.array(counts, dtype=np.int64).reshape(len(names), len(data.units)).T


def codes_with(labels: Sequence[Label], name: str) -> list[int]:
    """Return the codes of the labels with this name; a set has the names of all of its labels."""
    return [place for place, label in enumerate(labels) if name in names_of(label)]


def names_of(label: Label) -> Collection[str]:
    """Return the names of the categories or values in a label."""
    if isinstance(label, frozenset):
        return frozenset(map(str, label)) or (NO_LABEL,)
    return (name_value(label),)


def data_by_coders(
    answers: ProjectAnswers, parameters: Parameters, texts: Sequence[Document] | None = None
) -> Callable[..., ReliabilityData]:
    """Return a function that selects the data of some coders and texts, as if the project had no others."""
    chosen = pick_texts(answers, parameters) if texts is None else texts
    without = parameters.selection("without")
    complete = replace(parameters, without="")
    data = select_data(answers, complete, chosen)
    categories = select_categories(answers, complete, chosen) if without else None
    of_coders = units_of_coders(answers.restrict(chosen))
    of_coders = of_coders[of_coders.any(axis=1)]
    column = {coder: number for number, coder in enumerate(answers.coders)}

    def select(coders: Sequence[str], in_texts: Bools | None = None) -> ReliabilityData:
        columns = [column[coder] for coder in coders]
        selected = of_coders[:, columns].any(axis=1)
        if in_texts is not None:
            selected &= in_texts[data.document_of_unit]
        if categories is not None:
            selected &= ~mostly_labelled(select_coders(categories, columns), without)
        return select_units(select_coders(data, columns), selected)

    return select


def compute_by_parts[T](
    answers: ProjectAnswers,
    parameters: Parameters,
    name: str,
    compute: Callable[[Parameters, ProjectAnswers, Sequence[Document]], T],
) -> list[T]:
    """Return the results for batches of the chosen texts; results for unchanged batches are cached."""
    p, texts = replace(parameters, texts="", rounds=""), pick_texts(answers, parameters)
    if len(texts) <= MAX_TEXTS_AT_ONCE or p.distance == "ordinal":  # the ordinal distance depends on all values
        return [compute(p, answers, texts)]

    found = []
    for some in batched(texts, MAX_TEXTS_AT_ONCE):

        def compute_part(some: Sequence[Document] = some) -> T:
            part = answers.restrict(some)
            return compute(p, part, part.texts)

        is_large = answers.n_judgements >= MIN_REMEMBERED
        found.append(_remember(_state_of(answers, some), (name, p), compute_part) if is_large else compute_part())
    return found


def _state_of(answers: ProjectAnswers, texts: Sequence[Document]) -> str:
    """Return the cache key of the state of some texts; the version of a text changes with its answers."""
    question = answers.question.key if answers.question else ""

    def list_texts() -> list[tuple[Hashable, ...]]:
        return [
            (text.pk, text.slug, text.title, text.round, text.place, text.occasion, text.reason, text.version, *codings)
            for text, codings in zip(answers.texts, answers.rows_by_text(), strict=True)
        ]

    def compute() -> str:
        of_texts = cached(answers, ("texts",), list_texts)
        shared = answers.kind, answers.unmarked, answers.units, answers.singletons, question, answers.versions
        some = [of_texts[place] for place in answers.find_places(texts).tolist()]
        return repr((shared, answers.coders, answers.categories, some))

    return cached(answers, ("state", *(text.pk for text in texts)), compute)


def compute_sums(
    answers: ProjectAnswers, parameters: Parameters, texts: Sequence[Document] | None = None
) -> dict[str, DistanceSums]:
    """Return the contribution of each text to alpha, by distance."""
    chosen = pick_texts(answers, parameters) if texts is None else texts
    # computed once for all texts and distances, whichever are chosen
    shared = replace(parameters, distance="nominal", texts="", rounds="")

    def sum_part(p: Parameters, part: ProjectAnswers, texts: Sequence[Document]) -> list[TextSums]:
        return _sum_data(part, p, select_data(part, p, texts), texts)

    def compute() -> list[TextSums]:
        parts = compute_by_parts(answers, shared, "sums of texts", sum_part)
        return parts[0] if len(parts) == 1 else [TextSums.concatenate(part) for part in zip(*parts, strict=True)]

    sums = cached(answers, ("sums", shared), compute)
    if chosen is not answers.texts:
        sums = [part.select(answers.find_places(chosen)) for part in sums]
    return {name: part[name] for name in distances_of(answers) for part in sums if name in part}


def _sum_data(
    answers: ProjectAnswers, parameters: Parameters, data: ReliabilityData, texts: Sequence[Document]
) -> list[TextSums]:
    """Return the sums of the data of some texts, for each group of distances computed together."""
    p, together = parameters, _computed_together(distances_of(answers))
    options = [SumOptions(names, p.exclude_unit, p.empty, p.thirds) for names in together]
    return [tabulate(data, option) if texts else TextSums.without_texts(option) for option in options]


def compute_result(extract: ProjectAnswers, parameters: Parameters, texts: Sequence[Document] | None = None) -> Result:
    """Return the coefficient over `texts`, or over the chosen texts."""
    if parameters.is_alpha:
        result = measures.combine(compute_sums(extract, parameters, texts)[parameters.distance])
        return replace(result, parameters=result.parameters or coefficient_options(parameters))
    return coefficient_function(parameters)(select_data(extract, parameters, texts))


def compute_interval(
    answers: ProjectAnswers, parameters: Parameters, texts: Sequence[Document] | None = None
) -> Interval:
    """Return the coefficient with its interval over texts, all rounds pooled, or over components of a single text."""
    chosen = pick_texts(answers, parameters) if texts is None else texts
    # intervals of alpha are computed for every distance at once
    shared = replace(parameters, distance="nominal") if parameters.is_alpha else parameters
    key = ("intervals", shared, _names_of(answers, chosen))
    text = chosen[0] if len(chosen) == 1 else None
    intervals = remembered(answers, key, lambda: _compute_intervals(answers, parameters, chosen), text)
    return intervals[parameters.distance if parameters.is_alpha else ""]


def compute_interval_of(extract: ProjectAnswers, parameters: Parameters, coders: Sequence[str]) -> Interval:
    """Return alpha of some of the coders with its interval over the chosen texts."""
    p, texts = parameters, pick_texts(extract, parameters)
    key = ("data by coders", p.chains, p.top, p.readings, p.unmarked, p.without, _names_of(extract, texts))
    data = cached(extract, key, lambda: data_by_coders(extract, parameters, texts))(coders)
    if p.distance not in ORDERED_DISTANCES:
        [sums, *_] = _sum_data(extract, parameters, data, texts)
        if count_texts(sums[p.distance]) != 1:
            return measures.interval_sums(sums[p.distance], original=original_of)
    return interval_over_texts(data, coefficient_function(parameters))


def interval_over_texts(
    data: ReliabilityData, coefficient: Callable[..., Result], *arguments: Any, **options: Any
) -> Interval:
    """Return the interval of a coefficient over texts; all rounds of a text are one group."""
    return measures.interval(data, coefficient, *arguments, original=original_of, **options)


def count_texts(sums: DistanceSums) -> int:
    """Return the number of texts with pairable units."""
    return len(set(map(original_of, compress(sums.texts.documents, sums.n_units.tolist()))))


def _compute_intervals(
    extract: ProjectAnswers, parameters: Parameters, texts: Sequence[Document]
) -> dict[str, Interval]:
    """Return the intervals of alpha by distance, or the interval of another coefficient; notes have slugs of texts."""
    p, intervals = parameters, dict[str, Interval]()
    sums = compute_sums(extract, p, texts) if p.is_alpha else {}
    if not sums:
        intervals[""] = interval_over_texts(select_data(extract, p, texts), coefficient_function(p))
    elif set(sums).isdisjoint(ORDERED_DISTANCES) and count_texts(next(iter(sums.values()))) != 1:
        intervals = measures.interval_sums(sums, original=original_of)
    else:  # sums for distances of numbers are no averages of the texts' sums
        data, conventions = select_data(extract, p, texts), {name: getattr(p, name) for name in CONVENTIONS}
        for names in _computed_together(tuple(sums)):
            alphas = partial(measures.alphas, distances=names, **conventions)
            intervals |= measures.interval(data, alphas, original=original_of)
    for name, interval in intervals.items():
        if "document" in interval.note:
            before, without, pk = interval.note.rpartition("without document ")
            slugs = (repr(text.slug) for text in texts if without and str(text.text_pk) == pk)
            slug = next(slugs, pk.replace("document", "text"))
            intervals[name] = replace(interval, note=f"{before}{without}".replace("document", "text") + slug)
    return intervals


def _computed_together(distances: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the distances in groups: distances of sets and distances of numbers are computed differently."""
    of_numbers = tuple(name for name in distances if name in ORDERED_DISTANCES)
    of_sets = tuple(name for name in distances if name not in ORDERED_DISTANCES)
    return [names for names in (of_sets, of_numbers) if names]


def coefficient_function(parameters: Parameters) -> Callable[..., Result]:
    """Return the coefficient with its options, as a function of data."""
    return partial(COEFFICIENTS[parameters.coefficient].compute, **coefficient_options(parameters))


def pairable_units(data: ReliabilityData, parameters: Parameters) -> PairableUnits:
    """Return the units with values of two coders or more; a kappa with missing = "drop" needs values of all coders."""
    drop = not parameters.is_alpha and parameters.missing == "drop"
    return PairableUnits.from_data(data, max(len(data.coders), 2) if drop else 2)


def comparison(parameters: Parameters) -> Options:
    """Return the options for comparing two values, as far as the coefficient takes them."""
    options = {name: option for name, option in coefficient_options(parameters).items() if name in CONVENTIONS}
    return Options(effective_distance(parameters), **options)


def effective_distance(parameters: Parameters) -> str:
    """Return the distance between two values; nominal if the coefficient takes none."""
    return parameters.distance if parameters.takes_distance else "nominal"


def coefficient_options(parameters: Parameters) -> dict[str, Any]:
    """Return the arguments of the coefficient other than the data."""
    coefficient = COEFFICIENTS[parameters.coefficient]
    options = {name: getattr(parameters, name) for name in coefficient.options}
    return options | ({"p": float(parameters.primary_weight)} if coefficient.of_labels else {})
