"""Units counted by text and pattern give the kappa, the interval and the pairs of the units one by one."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import ReliabilityData, collapse, fleiss_kappa, interval
from agreement.measures.coefficients.kappas import PatternKappa
from agreement.measures.options import MISSING_RULES
from agreement.measures.sums.patterns import LabelPatterns
from agreement.measures.uncertainty.jackknife import interval_statistics

LABELS = (None, "a", "b", "c")
FIGURES = ("value", "observed", "expected", "standard_error_null")
COUNTS = ("n_units", "n_coders", "n_values", "n_judgements", "left_out", "note", "parameters")


@st.composite
def labelled_data(draw):
    n_coders = draw(st.integers(1, 4))
    rows = st.lists(st.sampled_from(LABELS), min_size=n_coders, max_size=n_coders)
    values = draw(st.lists(rows, min_size=1, max_size=25))
    texts = draw(st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)))
    return ReliabilityData.from_values(range(len(values)), [f"coder {n}" for n in range(n_coders)], values, texts)


def kappa_of(data, missing):
    used = (data.codes >= 0).sum(axis=1) >= (len(data.coders) if missing == "drop" else 1)
    n_coders_used = int((data.codes[used] >= 0).any(axis=0).sum())
    return PatternKappa(LabelPatterns.from_data(data), len(data.coders), n_coders_used, missing)


@pytest.mark.parametrize("missing", MISSING_RULES)
@given(data=labelled_data(), merges=st.booleans())
def test_kappa_of_patterns_equals_kappa_of_units(missing, data, merges):
    found = kappa_of(data, missing)
    if merges and {"a", "b"} & set(data.labels):
        data = collapse(data, {"a": "both", "b": "both"})
        found = PatternKappa(
            found.patterns.collapse({"a": "both", "b": "both"}), found.n_coders, found.n_coders_used, missing
        )
    result, expected = found.result(), fleiss_kappa(data, missing=missing)
    assert [getattr(result, name) for name in COUNTS] == [getattr(expected, name) for name in COUNTS]
    figures = [getattr(expected, name) for name in FIGURES]
    assert [getattr(result, name) for name in FIGURES] == pytest.approx(figures, abs=1e-12)
    of_labels = {part.category: part for part in expected.categories}
    assert {part.category for part in result.categories} == of_labels.keys()
    for part in result.categories:
        assert part.n_judgements == of_labels[part.category].n_judgements
        assert part.value == pytest.approx(of_labels[part.category].value, abs=1e-9)


@pytest.mark.parametrize("missing", MISSING_RULES)
@given(data=labelled_data())
def test_interval_of_patterns_equals_interval_of_data(missing, data):
    found = kappa_of(data, missing)
    if np.count_nonzero(found.pairable_texts) == 1:  # then it is over components, which need the data
        return
    summed = interval_statistics(found.result(), found.statistics, found.left_out_texts)
    expected = interval(data, fleiss_kappa, missing=missing)
    assert summed.note == expected.note
    assert (summed.low, summed.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(data=labelled_data())
def test_concatenated_patterns_of_texts_equal_patterns_of_all_data(data):
    order, whole = sorted(data.labels), LabelPatterns.from_data(data, sorted(data.labels))
    parts = [data.of_documents([document]) for document in data.documents]
    found = LabelPatterns.concatenate([LabelPatterns.from_data(part, sorted(part.labels)) for part in parts], order)
    assert (found.labels, list(found.documents)) == (order, list(whole.documents))
    for count in ("count_in_texts", "count_judgements", "count_pairs"):
        assert getattr(found, count)().tolist() == getattr(whole, count)().tolist()
    assert found.collapse({"a": "b"}).count_pairs().tolist() == whole.collapse({"a": "b"}).count_pairs().tolist()
    assert np.asarray(found.sums_by_text() @ np.eye(2 + len(order))).tolist() == pytest.approx(
        np.asarray(whole.sums_by_text() @ np.eye(2 + len(order)))
    )


@given(data=labelled_data())
def test_patterns_count_pairs_of_labels(data):
    pairs = np.zeros((len(data.labels), len(data.labels)), dtype=int)
    for row in data.codes.tolist():
        for a, b in permutations(row, 2):
            if min(a, b) >= 0:
                pairs[a, b] += 1
    patterns = LabelPatterns.from_data(data)
    assert patterns.count_pairs().tolist() == pairs.tolist()
    assert patterns.n_units.sum() == len(data.units)
    judgements = [int((data.codes == code).sum()) for code in range(len(data.labels))]
    assert patterns.count_judgements().tolist() == judgements


@pytest.mark.parametrize("rows", [[], [[]], [[None]], [[None, None], [None, None]], [["a", None], [None, None]]])
def test_patterns_of_little_or_no_data_have_counts(rows):
    coders = [f"coder {number}" for number in range(len(rows[0]) if rows else 0)]
    data = ReliabilityData.from_values(range(len(rows)), coders, rows, [0] * len(rows))
    patterns = LabelPatterns.from_data(data)
    assert int(patterns.n_units.sum()) == len(rows)
    assert patterns.count_in_texts().tolist() == ([len(rows)] if rows else [])
    assert int(patterns.count_judgements().sum()) == int((data.codes >= 0).sum())
