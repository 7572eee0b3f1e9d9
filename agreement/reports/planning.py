"""How many texts are enough: the interval of other numbers of texts and coders, and what it can show."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Forecast, forecast, forecast_interval
from agreement.measures.data.components import merge_documents
from agreement.measures.uncertainty.forecasts import FEWEST, MOST, SAMPLES
from agreement.reports.overall.overview import RELIABLE, TENTATIVE
from agreement.reports.request.basis import (
    cached,
    coefficient_function,
    compute_interval,
    count_left_out,
    count_other_versions,
    other_versions_field,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve
from annotations.core.text import pluralize

OPTIONS = ("margin", "bound", "difference", "power", "sample")
POWER, DIFFERENCE = 0.8, 0.1
# Margins that are offered; the one that is asked for without a word is the first that is not there yet.
MARGINS = (0.2, 0.15, 0.1, 0.08, 0.05, 0.04, 0.03, 0.02, 0.01)
# Numbers of texts and coders for which a row is made, besides those that are there and those that are enough.
SIZES = (3, 5, 8, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800, 1000, 1500, 2000, 3000, 5000, MOST)
MORE_CODERS = (1, 2, 3, 5, 10)
# Beyond so many times the texts there is a row only for what is enough.
FARTHEST = 6
INTERVAL_IS = "95% CI"


@dataclass(frozen=True, slots=True)
class Targets:
    """What is to be reached: a margin, a bound to be above, a difference to be seen, and with what probability.

    `sample`: "groups" where the coders are those that are meant, "both" where they stand for others. None is left to
    what is at hand.
    """

    margin: float | None = None
    bound: float | None = None
    difference: float = DIFFERENCE
    power: float = POWER
    sample: str = SAMPLES[0]

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Targets:
        """Return the targets that an address or a command names. Raises InvalidParameter."""
        sample = options.get("sample") or SAMPLES[0]
        if sample not in SAMPLES:
            raise InvalidParameter("sample", f"{sample!r} is not one of {', '.join(SAMPLES)}.")
        return cls(
            _parse(options, "margin", 0.001, 2),
            _parse(options, "bound", -1, 0.999),
            _parse(options, "difference", 0.001, 2) or DIFFERENCE,
            _parse(options, "power", 0.5, 0.999) or POWER,
            sample,
        )


def _parse(options: Mapping[str, str], name: str, low: float, high: float) -> float | None:
    text = options.get(name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not isfinite(value) or not low <= value <= high:
        raise InvalidParameter(name, f"give a number from {low:g} to {high:g}, such as 0.05.")
    return value


@dataclass(frozen=True, slots=True)
class Size:
    """What so many texts give: the interval, its margin, and the power to be above the bound and to see a difference.

    `extrapolated`: there are fewer texts. `enough` has the names of what it is the first size to reach.
    """

    n_texts: int
    low: float
    high: float
    margin: float
    power_above: float | None
    power_of_difference: float | None
    extrapolated: bool
    enough: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanningReport:
    """How many texts are enough for the targets; `texts_for` has None for more than MOST, and where no number is."""

    parameters: Parameters
    targets: Targets
    forecast: Forecast
    texts_for: Mapping[str, int | None]
    margins: tuple[tuple[float, int | None], ...]
    sizes: tuple[Size, ...]
    coders: tuple[tuple[int, tuple[float, ...]], ...]
    coder_sizes: tuple[int, ...]
    codings_left_out: Mapping[str, int]
    other_versions: int | None = None

    @property
    def margin(self) -> float | None:
        """Half the width of the interval at hand."""
        one = self.forecast
        return None if one.low is None or one.high is None else (one.high - one.low) / 2

    def describe(self) -> str:
        """Return how far the interval reaches now, and how many texts are enough, in words."""
        one, targets = self.forecast, self.targets
        if self.margin is None or targets.margin is None:
            note = one.note.replace("document", "text")
            return f"{note[:1].upper()}{note[1:]}."
        texts = pluralize(one.n_documents, "text") + (
            f" and {pluralize(one.n_coders, 'coder')}, who stand for others" if one.n_coders else ""
        )
        parts = [
            f"{INTERVAL_IS} is ±{_shorten(self.margin, 3)} with {texts}",
            self._describe_target("margin", f"±{_shorten(targets.margin)}"),
        ]
        if targets.bound is not None and one.value is not None and not one.n_coders:
            if one.value > targets.bound:
                parts.append(self._describe_target("bound", f"an interval above {_shorten(targets.bound)}"))
            else:
                parts.append(f"the value is not above {_shorten(targets.bound)}, so that no number of texts shows it")
            parts.append(self._describe_target("difference", f"a difference of {_shorten(targets.difference)}"))
        return f"{'; '.join(parts)}."

    def _describe_target(self, name: str, what: str) -> str:
        n, chance = self.texts_for[name], "" if name == "margin" else f" in {self.targets.power:.0%} of cases"
        if n is None:
            return f"no number of texts up to {MOST:,} is enough for {what}{chance}"
        each = " in each of two rounds" if name == "difference" else ""
        already = "already " if name == "margin" and n <= self.forecast.n_documents else "about "
        return f"{already}{pluralize(n, 'text')}{each} for {what}{chance}"

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that the API and the command give."""
        one, targets = self.forecast, self.targets
        return {
            "parameters": self.parameters.query(),
            "sample": targets.sample,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "margin": self.margin,
            "n_texts": one.n_documents,
            "n_coders": one.n_coders,
            "targets": {
                name: {"value": getattr(targets, name), "texts": self.texts_for.get(name)}
                for name in ("margin", "bound", "difference")
            },
            "power": targets.power,
            "margins": [{"margin": margin, "texts": n} for margin, n in self.margins],
            "sizes": [
                {
                    "texts": size.n_texts,
                    "low": size.low,
                    "high": size.high,
                    "margin": size.margin,
                    "power_above": size.power_above,
                    "power_of_difference": size.power_of_difference,
                    "extrapolated": size.extrapolated,
                }
                for size in self.sizes
            ],
            "coders": [
                {
                    "coders": n,
                    "margins": [
                        {"texts": texts, "margin": margin}
                        for texts, margin in zip(self.coder_sizes, margins, strict=True)
                    ],
                }
                for n, margins in self.coders
            ],
            "description": self.describe(),
            "codings_left_out": dict(self.codings_left_out),
            **other_versions_field(self.other_versions),
            "note": one.note,
        }


def plan_size(extract: ProjectAnswers, parameters: Parameters, targets: Targets) -> PlanningReport:
    """Return how many texts are enough, foretold from what is coded. Raises InvalidParameter."""
    extract, parameters = resolve(extract, parameters)
    key = ("planning", parameters, targets)
    return cached(extract, key, lambda: _plan_size(extract, parameters, targets))


def _plan_size(extract: ProjectAnswers, parameters: Parameters, targets: Targets) -> PlanningReport:
    found = _forecast(extract, parameters, targets.sample)
    left_out = count_left_out(extract, parameters), count_other_versions(extract, parameters)
    if found.note or found.low is None or found.high is None or found.value is None:
        return PlanningReport(parameters, targets, found, {}, (), (), (), (), *left_out)
    targets = _complete(targets, found.value, (found.high - found.low) / 2)
    texts_for: dict[str, int | None] = {
        "margin": found.documents_for_margin(targets.margin or MARGINS[-1]),
        "bound": found.documents_above(targets.bound or 0.0, targets.power),
        "difference": found.documents_for_difference(targets.difference, targets.power),
    }
    wanted = sorted({*MARGINS, targets.margin or MARGINS[-1]}, reverse=True)
    margins = tuple((margin, found.documents_for_margin(margin)) for margin in wanted)
    coders, coder_sizes = _vary_coders(found)
    sizes = _sizes(found, targets, texts_for)
    return PlanningReport(parameters, targets, found, texts_for, margins, sizes, coders, coder_sizes, *left_out)


def _forecast(extract: ProjectAnswers, parameters: Parameters, sample: str) -> Forecast:
    """Return the forecast: of these coders from the interval of the pages, where it is one of several texts."""
    if sample == SAMPLES[0]:
        return forecast_interval(compute_interval(extract, parameters))
    slugs: dict[Hashable, str] = {text.pk: text.slug for text in extract.texts}  # a note names a text by it
    data = merge_documents(select_data(extract, parameters), slugs.__getitem__)
    return forecast(data, coefficient_function(parameters), sample=sample)


def _complete(targets: Targets, value: float, margin: float) -> Targets:
    """Return the targets with what they leave open: the next smaller margin, and the highest bound that is passed."""
    smaller = next((one for one in MARGINS if one <= 0.9 * margin), MARGINS[-1])
    bound = next((one for one in (RELIABLE, TENTATIVE) if one < value), TENTATIVE)
    return Targets(
        smaller if targets.margin is None else targets.margin,
        bound if targets.bound is None else targets.bound,
        targets.difference,
        targets.power,
        targets.sample,
    )


def _sizes(found: Forecast, targets: Targets, texts_for: Mapping[str, int | None]) -> tuple[Size, ...]:
    here = found.n_documents
    enough = {n for n in texts_for.values() if n is not None}
    farthest = max(FARTHEST * here, min(max(enough, default=0), 2 * FARTHEST * here))
    numbers = sorted({here, *enough, *(n for n in SIZES if FEWEST <= n <= farthest)})
    return tuple(_size(found, targets, n, texts_for) for n in numbers)


def _size(found: Forecast, targets: Targets, n: int, texts_for: Mapping[str, int | None]) -> Size:
    low, high = found.bounds(n) or (0.0, 0.0)
    if n == found.n_documents and found.low is not None and found.high is not None:
        low, high = found.low, found.high
    return Size(
        n,
        low,
        high,
        (high - low) / 2,
        found.power_above(targets.bound or 0.0, n),
        found.power_of_difference(targets.difference, n),
        n > found.n_documents,
        tuple(name for name, number in texts_for.items() if number == n),
    )


def _vary_coders(found: Forecast) -> tuple[tuple[tuple[int, tuple[float, ...]], ...], tuple[int, ...]]:
    """Return by number of coders the margins of the texts at hand, of twice and of four times as many."""
    if not found.n_coders:
        return (), ()
    sizes = tuple(found.n_documents * times for times in (1, 2, 4))
    numbers = [found.n_coders, *(found.n_coders + more for more in MORE_CODERS)]
    return tuple((c, tuple(found.margin(n, c) or 0.0 for n in sizes)) for c in numbers), sizes


def _shorten(number: float, digits: int | None = None) -> str:
    """Return a number as the field prints it: .052, without the zero before the point."""
    text = f"{number:.{digits}f}" if digits else f"{number:g}"
    return text.removeprefix("0") if text.startswith("0.") else text.replace("-0.", "\N{MINUS SIGN}.")
