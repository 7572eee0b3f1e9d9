"""The bootstrap of the coefficient: how far it varies over random samples of the texts."""

from __future__ import annotations

from agreement.data.documents import original_of
from agreement.data.project_answers import ProjectAnswers
from agreement.measures import Interval, bootstrap, bootstrap_sums
from agreement.measures.data.components import merge_documents
from agreement.reports.request.basis import (
    coefficient_function,
    compute_sums,
    count_texts,
    pick_texts_to_draw,
    select_data,
)
from agreement.reports.request.parameters import InvalidParameter, Parameters
from agreement.reports.request.resolution import resolve
from annotations.core.processes.progress import Progress

# The option of page and API, and what it can be.
OPTION, BOOTSTRAP = "interval", "bootstrap"
REPLICATES, SEED = 2000, 0


def asks_for_bootstrap(value: str) -> bool:
    """Return whether the bootstrap is asked for. Raises InvalidParameter for what is no interval."""
    if value not in ("", BOOTSTRAP):
        raise InvalidParameter(OPTION, f"{value!r} is not {BOOTSTRAP}; without it intervals are by the jackknife.")
    return value == BOOTSTRAP


def compute_bootstrap(extract: ProjectAnswers, parameters: Parameters, progress: Progress | None = None) -> Interval:
    """Return the percentiles of replicates of the texts; where one is used, of its units.

    Raises InvalidParameter, and ValueError for a coefficient whose values of one text cannot be drawn.
    """
    extract, parameters = resolve(extract, parameters)
    texts = pick_texts_to_draw(extract, parameters)
    if parameters.is_alpha:
        sums = compute_sums(extract, parameters, texts)[parameters.distance]
        if int((sums.n_units > 0).sum()) == count_texts(sums) != 1:
            return bootstrap_sums(sums, n=REPLICATES, seed=SEED, report=progress)
    data = merge_documents(select_data(extract, parameters, texts), original_of)
    return bootstrap(data, coefficient_function(parameters), n=REPLICATES, seed=SEED, report=progress)
