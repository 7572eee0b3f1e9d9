"""Intervals and tests: that a replicate is what it says, and what comes of many."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from importlib import import_module
from itertools import product
from multiprocessing import get_context
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import SET_DISTANCES, alpha, alphas, beta, bootstrap, cohen_kappa, fleiss_kappa, jackknife
from agreement.measures.uncertainty.resampling import CoefficientCall, resample
from tests.agreement.measures import exact
from tests.agreement.measures.checks import values_of
from tests.agreement.measures.strategies import OPTIONS, data_of, number_tables, one_document, tables
from tests.shared.cases import examples

few = examples(40)


def close(found, expected):
    if expected is None:
        return np.isnan(found)
    return found == pytest.approx(float(expected), abs=1e-9)


def assert_replicate(data, weights, coefficient, *arguments, **options):
    """Assert that weighted sums give the coefficient of data in which each document stands as often as its weight."""
    statistics = CoefficientCall(coefficient, arguments, options).statistics(data, "document")
    used = [data.documents.index(document) for document in statistics.groups]
    found = statistics.weighted_coefficients(np.array([weights], dtype=float)[:, used])[0]
    sample = resample(data, np.repeat(np.arange(len(weights)), weights), "document")
    expected = coefficient(sample, *arguments, **options)
    results = [expected] if not isinstance(expected, dict) else expected.values()
    for value, result in zip(found, results, strict=True):
        assert close(value, result.value)


@few
@given(tables(), OPTIONS, st.sampled_from(["drop", "available"]), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_replicate_of_documents_equals_figures_of_sample(drawn, options, missing, weights):
    data = data_of(*drawn)
    weights = weights[: len(data.documents)]
    assert_replicate(data, weights, alphas, **options)
    for coefficient in (fleiss_kappa, measures.multi_kappa, measures.observed_agreement):
        assert_replicate(data, weights, coefficient, missing=missing)
    for name in ("masi", "jaccard"):
        assert_replicate(data, weights, beta, name, missing=missing)
    if len(data.cells.starts) == 1:  # all categories are given, as a sample may lack some
        categories = [*data.labels, *list(range(3))[: data.n_values]]
        for coefficient in (measures.bennett_s, measures.gwet_ac1):
            assert_replicate(data, weights, coefficient, categories=categories)


@few
@given(number_tables(), st.sampled_from(["ordinal", "interval", "ratio"]), st.lists(st.integers(0, 2), min_size=3))
def test_replicate_of_numbers_equals_alpha_of_sample(drawn, name, weights):
    data = data_of(*drawn)
    assert_replicate(data, weights[: len(data.documents)], alpha, name)


def assert_replicate_of_units(data, table, random, expected, coefficient, *arguments, **options):
    """Assert that weighted sums give the exact figure of a table in which units stand as often as their weight."""
    statistics = CoefficientCall(coefficient, arguments, options).statistics(data, "unit")
    weights = [random.randrange(3) for _ in statistics.groups]
    copies = {(copy, u): table[u] for u, n in zip(statistics.groups, weights, strict=True) for copy in range(n)}
    value, *_ = expected(copies)
    assert close(statistics.weighted_coefficients(np.array([weights], dtype=float))[0, 0], value)


@few
@given(tables(), OPTIONS, st.sampled_from(SET_DISTANCES), st.randoms(use_true_random=False))
def test_replicate_of_units_equals_exact_figures_of_copies(drawn, options, name, random):
    table, documents = drawn
    check = partial(assert_replicate_of_units, data_of(table, documents), table, random)
    check(lambda copies: exact.alpha(copies, name, **options, own=lambda unit: unit[1]), alpha, name, **options)
    check(lambda copies: exact.kappa("K", copies), fleiss_kappa)
    check(lambda copies: exact.kappa("multi-kappa", copies), measures.multi_kappa)
    check(lambda copies: exact.kappa("beta", copies, similar=exact.similarity("masi")), partial(beta, distance="masi"))


@few
@given(number_tables(), st.sampled_from(["ordinal", "interval", "ratio"]), st.randoms(use_true_random=False))
def test_replicate_of_units_with_numbers_equals_exact_alpha(drawn, name, random):
    table, documents = drawn
    assert_replicate_of_units(
        data_of(table, documents),
        table,
        random,
        lambda copies: exact.alpha(copies, exact.ordered_distance(name, copies)),
        alpha,
        name,
    )


def three_texts():
    ids = [[1, 1], [1, 2], [1, 1], [2, 1], [1, 1], [1, 1], [2, 3], [2, 3], [1, 1], [4, 4]]
    return measures.ReliabilityData.from_chain_ids(ids, list("aabbcccddd"))


@pytest.mark.parametrize("coefficient", [alpha, fleiss_kappa, measures.multi_kappa])
def test_sums_and_recomputed_data_give_same_replicates(coefficient):
    data = three_texts()
    fast = bootstrap(data, coefficient, n=50, seed=3)
    slow = bootstrap(data, lambda sample: coefficient(sample), n=50, seed=3)
    assert fast.replicates == pytest.approx(slow.replicates, nan_ok=True)
    assert (fast.low, fast.high) == (pytest.approx(slow.low), pytest.approx(slow.high))


def test_interval_has_percentiles_of_replicates():
    found = bootstrap(three_texts(), alpha, "jaccard", n=200, seed=1, level=0.8)
    defined = found.replicates[~np.isnan(found.replicates)]
    assert (found.low, found.high) == (np.quantile(defined, 0.1), np.quantile(defined, 0.9))
    assert found.standard_error == pytest.approx(stdev(defined))
    assert found.n_undefined == 200 - len(defined)
    assert found.low < found.value < found.high
    how = "percentile bootstrap, 200 replicates of 4 documents"
    assert repr(found).startswith(
        f"<alpha = {found.value:.4f}, 80% interval {found.low:.4f} to {found.high:.4f} ({how}"
    )
    assert "interval" in found._repr_html_()


def test_bootstrap_t_uses_standard_error_of_each_replicate():
    data = three_texts()
    found = bootstrap(data, alpha, "jaccard", method="t", n=60, seed=4)
    random, own = np.random.default_rng(4), jackknife(data, alpha, "jaccard").standard_error
    shifts = []
    for _ in range(60):
        sample = resample(data, np.repeat(np.arange(4), np.bincount(random.integers(0, 4, 4), minlength=4)), "document")
        drawn = jackknife(sample, alpha, "jaccard")
        if drawn.standard_error is not None and drawn.standard_error > 1e-9:
            shifts.append((drawn.value - found.value) / drawn.standard_error)
    assert found.method == "bootstrap-t"
    assert found.n_undefined == 60 - len(shifts)
    assert found.low == pytest.approx(found.value - np.quantile(shifts, 0.975) * own)
    assert found.high == pytest.approx(found.value - np.quantile(shifts, 0.025) * own)


def test_bootstrap_t_of_undefined_coefficient_has_note():
    found = bootstrap(one_document([["x", "x"], ["x", "x"]]), alpha, method="t", n=5)
    assert (found.low, found.note) == (None, "only one value is used, so that chance would agree as well")
    alike = bootstrap(data_of({"A": ["x", "y"], "B": ["x", "y"]}, {"A": "one", "B": "two"}), alpha, method="t", n=5)
    assert (alike.low, alike.n_undefined) == (None, 5)
    assert alike.note.startswith("no interval: the coefficient does not vary over samples")


def test_alphas_use_same_samples_as_each_distance_alone():
    data = three_texts()
    together = bootstrap(data, alphas, n=100, seed=5)
    for name, interval in together.items():
        alone = bootstrap(data, alpha, name, n=100, seed=5)
        assert interval.replicates == pytest.approx(alone.replicates, nan_ok=True)


def test_seed_determines_samples():
    data = three_texts()
    first, same, other = (bootstrap(data, alpha, n=20, seed=seed).replicates.tolist() for seed in (1, 1, 2))
    assert first == same != other


@pytest.mark.parametrize("coefficient", [alpha, lambda data: alpha(data)])
def test_documents_without_pairable_units_are_not_drawn(coefficient):
    table = {"a1": ["x", "x"], "a2": ["y", "x"], "b1": ["y", "y"], "b2": ["y", "x"], "c1": [None, None]}
    data = data_of(table, {unit: unit[0] for unit in table})
    found = bootstrap(data, coefficient, n=30)
    assert (found.by, found.n_groups) == ("document", 2)
    assert found.replicates == pytest.approx(bootstrap(data, alpha, n=30).replicates, nan_ok=True)
    assert jackknife(data, coefficient).groups == ("a", "b")


def test_units_of_one_document_are_drawn_except_for_callables_on_sets():
    found = bootstrap(one_document([["x", "x"], ["y", "y"], ["x", "y"], ["y", "y"]]), alpha, n=50)
    assert (found.by, found.n_groups) == ("unit", 4)
    labels = one_document([["x", "x"], ["y", "y"], [("x", "y"), "y"], ["y", "y"]])
    assert bootstrap(labels, measures.augmented_kappa, 0.6, n=20).low is not None
    with pytest.raises(ValueError, match="draw documents"):
        bootstrap(one_document({u: [frozenset("AB")] * 2 for u in "AB"}), alpha, lambda a, b: 1.0, n=5)


def test_undefined_coefficient_has_note_instead_of_interval():
    found = bootstrap(one_document([["x", "x"], ["x", "x"]]), alpha, n=10)
    assert (found.value, found.low, found.high, found.standard_error) == (None, None, None, None)
    assert (found.n_undefined, found.result.note) == (10, "only one value is used, so that chance would agree as well")
    how = "percentile bootstrap, 10 replicates of 2 units, 10 undefined"
    assert repr(found) == f"<alpha undefined ({how}); {found.result.note}>"
    for coefficient in (alpha, fleiss_kappa, cohen_kappa):
        assert bootstrap(one_document([]), coefficient, n=5).low is None
        assert jackknife(one_document([]), coefficient).standard_error is None


@pytest.mark.parametrize("by", ["document", "unit"])
def test_jackknife_leaves_out_each_group(by):
    data = three_texts() if by == "document" else one_document(["xx", "yy", "xy", "yy", "zz"])
    found = jackknife(data, alpha)
    groups = range(len(found.groups))
    values = [alpha(resample(data, np.array([g for g in groups if g != left]), by)).value for left in groups]
    assert found.values == pytest.approx(values)
    n = len(groups)
    assert found.bias == pytest.approx((n - 1) * (mean(values) - found.value))
    assert found.standard_error**2 == pytest.approx((n - 1) / n * sum((v - mean(values)) ** 2 for v in values))
    assert found.low < found.value < found.high
    slow = jackknife(data, lambda sample: alpha(sample))
    assert slow.values == pytest.approx(found.values)
    assert f"jackknife, over {n} {by}s" in repr(found)
    assert "standard error" in found._repr_html_()


def test_jackknife_of_undefined_coefficient_has_note():
    found = jackknife(data_of({"A": ["x", "y"], "B": ["x", "x"]}, {"A": "one", "B": "two"}), alpha)
    assert found.values == (None, 0.0)
    assert (found.bias, found.standard_error, found.low, found.high) == (None, None, None, None)
    assert found.note == "no interval: the coefficient is undefined without document 'one'"


def round_of(agree, texts="abcdef"):
    """Return the data of texts of three units; the coders fully agree on the first `agree` texts."""
    rows = [["x", "x"], ["y", "y"], ["x", "y"]], [["x", "x"], ["y", "y"], ["x", "x"]]
    table = {f"{text}{i}": row for t, text in enumerate(texts) for i, row in enumerate(rows[t < agree])}
    return data_of(table, {unit: unit[0] for unit in table})


def exact_p_value(first, second):
    """Return the p-value over all ways to exchange the codings of texts between the two rounds."""
    at_hand, far = abs(alpha(first).value - alpha(second).value), []
    for swap in product([0, 1], repeat=len(first.documents)):
        lots = [], []
        for document, swapped in zip(first.documents, swap, strict=True):
            for r, data in enumerate((first, second)):
                lots[r ^ swapped].extend(values_of(data.of_documents([document])).values())
        values = [alpha(one_document(rows)).value for rows in lots]
        far.append(abs(values[0] - values[1]) >= at_hand - 1e-12)
    return mean(far)


def test_paired_permutation_test_approximates_exact_p_value():
    first, second = round_of(6), round_of(1)
    found = measures.permutation_test(first, second, n=4000, seed=2)
    assert found.paired
    assert found.difference == pytest.approx(alpha(first).value - alpha(second).value)
    assert found.p_value == pytest.approx(exact_p_value(first, second), abs=0.03)
    assert "paired permutations" in repr(found)
    assert "difference" in found._repr_html_()


def test_equal_rounds_have_p_value_1():
    assert measures.permutation_test(round_of(3), round_of(3), n=200).p_value == 1.0


def test_rounds_of_different_documents_are_permuted_unpaired():
    first, second = round_of(6), round_of(0, "uvwxyz")
    found = measures.permutation_test(first, second, n=999, seed=1)
    assert not found.paired
    assert 0.001 <= found.p_value < 0.05
    slow = measures.permutation_test(first, second, lambda data: alpha(data), n=99, seed=1)
    assert slow.p_value == measures.permutation_test(first, second, n=99, seed=1).p_value


def test_note_names_undefined_round():
    blank = data_of({"a1": ["x", "x"], "b1": ["x", "x"]}, {"a1": "a", "b1": "b"})
    found = measures.permutation_test(round_of(1), blank, n=10)
    assert (found.p_value, found.note) == (None, "the coefficient of the second is undefined")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data: bootstrap(data, alpha, n=1), "n is 1: at least two replicates"),
        (lambda data: bootstrap(data, alpha, level=1), "level is 1; it must be between 0 and 1"),
        (lambda data: bootstrap(data, alpha, by="text"), "by is 'text'; it must be one of 'document', 'unit'"),
        (lambda data: bootstrap(data, alpha, method="bca"), "method is 'bca'; it must be one of 'percentile', 't'"),
        (lambda data: bootstrap(data, lambda d: alpha(d), method="t"), "the bootstrap-t is for coefficients that are"),
        (lambda data: jackknife(data, alpha, by="coder"), "by is 'coder'"),
        (lambda data: measures.permutation_test(data, data, n=0), "n is 0: at least one permutation"),
        (
            lambda data: measures.permutation_test(one_document([["x", "y"]]), one_document([["x", "x"]])),
            "too few documents",
        ),
    ],
)
def test_resampling_refuses_wrong_options(call, message):
    with pytest.raises(ValueError, match=message):
        call(three_texts())


@pytest.mark.parametrize(
    "make",
    [
        partial(ThreadPoolExecutor, 1),
        partial(ThreadPoolExecutor, 3),
        pytest.param(partial(ProcessPoolExecutor, 2, mp_context=get_context("spawn")), marks=pytest.mark.slow),
    ],
    ids=["a thread", "threads", "processes"],
)
def test_every_executor_draws_same_replicates(make, monkeypatch):
    monkeypatch.setattr(import_module("agreement.measures.uncertainty.bootstrap"), "_BLOCKS_A_TASK", 1)
    random = np.random.default_rng(1)  # sums of nominal distances are integers: no digit depends on NumPy's threads
    data = measures.ReliabilityData.from_chain_ids(
        random.integers(1, 4, (1200, 2)).tolist(), np.repeat(np.arange(600), 2).tolist()
    )
    told: list[tuple[int, int]] = []
    with make() as executor:
        found = bootstrap(data, alpha, "nominal", executor=executor, report=lambda *numbers: told.append(numbers))
        of_sums = measures.bootstrap_sums(measures.document_sums(data, "nominal"), executor=executor)
    here = bootstrap(data, alpha, "nominal")
    assert found.replicates.tolist() == of_sums.replicates.tolist() == here.replicates.tolist()
    assert told == [(833, 2000), (1666, 2000), (2000, 2000)]
    first, second = here.replicates[:833], here.replicates[833:1666]
    assert first.tolist() != second.tolist()
