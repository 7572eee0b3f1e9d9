"""Figures do not depend on the number of texts that are computed at a time."""

import random
from dataclasses import replace

import numpy as np
import pytest

from agreement.data.reading import read_answers
from agreement.reports import basis
from agreement.reports.coders.coders import confusion_matrix, count_together
from agreement.reports.coders.profiles import compute_text_distances
from agreement.reports.items import compute_items, count_by_filter, find_highest, summarize_ambiguity
from agreement.reports.parameters import Parameters
from agreement.reports.request import resolve
from agreement.results.categories import compute_agreement_totals, compute_category_kappa
from annotations.planning.rounds import move_to_round
from tests.shared.letters import THREE, sorted_out
from tests.shared.questions import any_answers, question_project

# Of categories, of pointers, and of a question of labels, of numbers and of relations.
CASES = [
    *(("categories", asked) for asked in (
        {}, {"coefficient": "fleiss_kappa", "missing": "drop"}, {"coefficient": "augmented_kappa"},
        {"coefficient": "gwet_ac1"}, {"rounds": "second"}, {"texts": "text-1,text-3"}, {"coders": "alice,bob"},
        {"without": "person"},
    )),
    *(("", asked) for asked in (
        {}, {"distance": "masi", "chains": "none"}, {"coefficient": "augmented_kappa", "chains": "none"},
        {"distance": "passonneau", "top": "chain", "exclude_unit": "observed"}, {"coefficient": "beta"},
        {"distance": "masi", "chains": "partial", "readings": "matched"},
    )),
    ("topics", {}), ("topics", {"distance": "masi"}), ("bridging", {"distance": "jaccard", "chains": "none"}),
    *(("count", asked) for asked in ({}, {"distance": "interval"}, {"distance": "ordinal"}, {"distance": "ratio"})),
]  # fmt: skip


def figures(answers, parameters):
    """Return all figures that are computed in batches of texts."""
    selected, resolved = resolve(replace(answers, cache={}), parameters)
    items = compute_items(selected, resolved)
    totals = compute_agreement_totals(selected, resolved)
    interval = basis.compute_interval(selected, resolved)
    numbers = [
        *(column.ravel() for column in vars(items).values() if isinstance(column, np.ndarray)),
        [share for item in find_highest(selected, resolved) for share in (item.unit, item.share, *item.relations)],
        [mean for text in compute_text_distances(selected, resolved) for mean in (*text.coders, text.mean)],
        confusion_matrix(selected, resolved).ravel(),
        count_together(selected, resolved).ravel(),
        [*totals.rows_of_texts, *totals.counts, totals.n_judgements, totals.agreement, *totals.specific],
        [compute_category_kappa(selected, resolved).value, interval.value, interval.low, interval.high],
    ]
    counts = summarize_ambiguity(selected, resolved), count_by_filter(selected, resolved), interval.note
    return [np.array(column, dtype=np.float64) for column in numbers], counts


@pytest.mark.django_db
@pytest.mark.parametrize(("question", "asked"), CASES, ids=str)
def test_figures_do_not_depend_on_texts_per_batch(question, asked, monkeypatch):
    if question == "categories":
        project, question = sorted_out(THREE | {"text-4": {"alice": "p", "carol": "g"}}), ""
        move_to_round(project, project.texts.filter(slug__in=["text-2", "text-3"]), "second")
    else:
        given = any_answers(random.Random(4), texts=4)
        for attributes in (fields["attributes"] for own in given.values() for fields in own.values()):
            attributes |= {"count": abs(attributes["count"])} if "count" in attributes else {}  # ratio is of such alone
        project = question_project("asked", given)
    answers, parameters = read_answers(project, question=question), Parameters(**asked)
    monkeypatch.setattr(basis, "MIN_REMEMBERED", 10**9)
    monkeypatch.setattr(basis, "MAX_TEXTS_AT_ONCE", 10**9)
    numbers, counts = figures(answers, parameters)
    monkeypatch.setattr(basis, "MIN_REMEMBERED", 0)
    for n_texts in (1, 2, 2):  # again, of what is remembered
        monkeypatch.setattr(basis, "MAX_TEXTS_AT_ONCE", n_texts)
        found, found_counts = figures(replace(answers, state_name=f"{answers.state_name} {n_texts}"), parameters)
        assert found_counts == counts
        for column, expected in zip(found, numbers, strict=True):
            np.testing.assert_allclose(column, expected, rtol=0, atol=1e-12)
