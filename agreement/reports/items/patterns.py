"""The categories of all units by text and pattern."""

from __future__ import annotations

import numpy as np

from agreement.data.project_answers import ProjectAnswers
from agreement.measures.sums.patterns import LabelPatterns
from agreement.measures.values import Label
from agreement.reports.request.basis import cached, names_of, pick_texts, select_categories
from agreement.reports.request.parameters import Parameters


def read_patterns(answers: ProjectAnswers, parameters: Parameters) -> LabelPatterns:
    """Return how many coders gave each unit of the chosen texts which category, of `select_categories`.

    answers and parameters: as `resolve` returns them. The documents are the keys of all chosen texts, in their order.
    """
    texts = pick_texts(answers, parameters)
    key = ("patterns", parameters.without, tuple(text.pk for text in texts))
    return cached(answers, key, lambda: _find_patterns(answers, parameters))


def _find_patterns(answers: ProjectAnswers, parameters: Parameters) -> LabelPatterns:
    place = {name: number for number, name in enumerate(answers.categories)}

    def place_in_scheme(label: Label) -> tuple[int, list[str]]:
        return place.get(str(label), len(place)), sorted(names_of(label))

    data = select_categories(answers, parameters)
    used = np.bincount(data.codes[data.codes >= 0].ravel(), minlength=len(data.labels)) > 0
    labels = [label for label, is_used in zip(data.labels, used.tolist(), strict=True) if is_used]
    return LabelPatterns.from_data(data, sorted(labels, key=place_in_scheme))
