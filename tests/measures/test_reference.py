"""Cases from the literature and from other programs, each with its expected value."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from agreement.measures import DISTANCES, alpha, distance, fleiss_kappa

from .strategies import one_document

CASES = json.loads((Path(__file__).parents[1] / "reference" / "coefficients.json").read_text())["cases"]
CALLED = {
    "interval": lambda a, b: (a - b) ** 2,
    "ratio": lambda a, b: ((a - b) / (a + b)) ** 2,
}


def value(cell):
    return frozenset(cell) if isinstance(cell, list) else cell


def data_of(case):
    rows = case.get("data")
    if rows is None:
        rows = [row["values"] for row in case["rows"] for _ in range(row["count"])]
    return one_document([[value(cell) for cell in row] for row in rows])


def metric(case):
    name = case["params"]["metric"].split()[0].replace("_", "-")
    return CALLED.get(name, name)


def named(*coefficients):
    return [
        pytest.param(case, id=case["id"])
        for case in CASES
        if case["coefficient"] in coefficients
        and ("metric" not in case["params"] or metric(case) in [*DISTANCES, *CALLED.values()])
    ]


def assert_expected(found, case):
    if case["expected"] is None:
        assert found is None
    else:
        assert found == pytest.approx(case["expected"], abs=case["tolerance"])
        assert found == pytest.approx(float(Fraction(case["recomputed_exact"])), abs=1e-12)


@pytest.mark.parametrize("case", named("alpha"))
def test_alpha_gives_the_reference_value(case):
    assert_expected(alpha(data_of(case), metric(case)).value, case)


@pytest.mark.parametrize("case", named("alpha_Do"))
def test_observed_disagreement_is_the_reference_value(case):
    assert_expected(alpha(data_of(case), metric(case)).observed, case)


@pytest.mark.parametrize("case", named("alpha_De"))
def test_expected_disagreement_is_the_reference_value(case):
    assert_expected(alpha(data_of(case), metric(case)).expected, case)


@pytest.mark.parametrize("case", named("distance"))
def test_distance_gives_the_reference_value(case):
    [[a, b]] = case["data"]
    assert_expected(distance(value(a), value(b), metric(case)), case)


@pytest.mark.parametrize("case", named("fleiss_kappa", "multi_pi"))
def test_k_gives_the_reference_value(case):
    assert_expected(fleiss_kappa(data_of(case)).value, case)


@pytest.mark.parametrize("case", named("fleiss_kappa_gwet_missing"))
def test_k_of_what_is_available_gives_the_reference_value(case):
    assert_expected(fleiss_kappa(data_of(case), missing="available").value, case)
