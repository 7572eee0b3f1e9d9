"""Cases from the literature and from other programs, each with its expected value."""

import json
from fractions import Fraction
from functools import partial

import pytest
from pandas import DataFrame, Series

from agreement import measures
from agreement.measures import alpha, bennett_s, beta, cohen_kappa, distance, fleiss_kappa, gwet_ac1, pairwise
from tests.agreement.measures.strategies import one_document
from tests.conftest import ROOT

REFERENCE = ROOT / "tests" / "reference"
CASES = json.loads((REFERENCE / "coefficients.json").read_text())["cases"]
TEXTS = json.loads((REFERENCE / "coreference_scores.json").read_text())["cases"]


def value(cell):
    return frozenset(cell) if isinstance(cell, list) else cell


def data_of(case):
    rows = case.get("data")
    if rows is None:
        rows = [row["values"] for row in case["rows"] for _ in range(row["count"])]
    values = [[value(cell) for cell in row] for row in rows]
    if case["params"].get("members") == "labels":
        frame = DataFrame(values, columns=["Ann", "Bob", "Cid"])
        return measures.ReliabilityData.from_frame(frame, Series(case["params"]["documents"]), members="labels")
    return one_document(values)


def metric(case):
    """Return our name of the distance; the file describes masi_product in words."""
    return case["params"]["metric"].split()[0].replace("_", "-")


def of_table(case):
    """Return the distance of two categories that the case gives as a table."""
    categories, table = case["params"]["categories"], case["params"]["distance_matrix"]
    return lambda a, b: table[categories.index(a)][categories.index(b)]


def weighted(coefficient, case):
    given = case["params"].get("metric") or case["params"]["weights"]
    if given == "matrix":
        return coefficient(data_of(case), of_table(case)).value
    return coefficient(data_of(case), given, categories=case["params"].get("categories")).value


def of_category(case):
    [found] = [c for c in fleiss_kappa(data_of(case)).categories if c.category == case["params"]["category"]]
    return found.value


def randolph(case):
    data, n = data_of(case), case["params"].get("n_categories", 0)
    unused = [f"unused {i}" for i in range(n - len(data.labels))]
    return bennett_s(data, categories=[*data.labels, *unused]).value


def of_pair(case):
    [[a, b]] = case["data"]
    return distance(value(a), value(b), metric(case))


def plain(coefficient, attribute="value", **options):
    return lambda case: getattr(coefficient(data_of(case), **options), attribute)


# what each coefficient of the file is called here
CALLED = {
    "percent": plain(measures.observed_agreement),
    "S": plain(bennett_s),
    "brennan_prediger": plain(bennett_s),
    "randolph_kappa": randolph,
    "scott_pi": plain(measures.scott_pi),
    "cohen_kappa": plain(cohen_kappa),
    "cohen_kappa_ase": plain(cohen_kappa, "standard_error"),
    "cohen_kappa_ase0": plain(cohen_kappa, "standard_error_null"),
    "weighted_kappa": partial(weighted, cohen_kappa),
    "light_kappa": lambda case: pairwise(data_of(case), cohen_kappa).mean,
    "fleiss_kappa": plain(fleiss_kappa),
    "multi_pi": plain(fleiss_kappa),
    "fleiss_kappa_gwet_missing": plain(fleiss_kappa, missing="available"),
    "fleiss_kappa_se0_fleiss1979": plain(fleiss_kappa, "standard_error_null"),
    "fleiss_kappa_se_fleiss1971": plain(fleiss_kappa, "standard_error_null", variance="1971"),
    "fleiss_category_kappa": of_category,
    "multi_kappa": plain(measures.multi_kappa),
    "conger_kappa": plain(measures.multi_kappa),
    "beta": partial(weighted, beta),
    "gwet_ac1": plain(gwet_ac1),
    "gwet_ac2": partial(weighted, gwet_ac1),
    "alpha": lambda case: alpha(data_of(case), metric(case)).value,
    "alpha_Do": lambda case: alpha(data_of(case), metric(case)).observed,
    "alpha_De": lambda case: alpha(data_of(case), metric(case)).expected,
    "distance": of_pair,
}


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_coefficients_equal_reference_values(case):
    found = CALLED[case["coefficient"]](case)
    exact = case.get("recomputed_exact")
    if case["expected"] is None:
        assert found is None
    elif case.get("reproduces", True):
        assert found == pytest.approx(case["expected"], abs=case["tolerance"])
    else:
        assert found != pytest.approx(case["expected"], abs=case["tolerance"])
    if exact is not None:
        assert found == pytest.approx(float(Fraction(exact)), abs=1e-12)


def test_only_known_reference_figure_is_not_reproduced():
    assert [case["id"] for case in CASES if not case.get("reproduces", True)] == ["warrens2012_ex2a_multi_kappa"]


def test_every_distance_has_reference_case():
    named = {metric(case) for case in CASES if "metric" in case["params"] if case["coefficient"].startswith("alpha")}
    named |= {metric(case) for case in CASES if case["coefficient"] == "distance"}
    assert named == set(measures.DISTANCES)


@pytest.mark.parametrize("case", [case for case in CASES if case["expected"] is None], ids=lambda case: case["id"])
def test_degenerate_case_has_note(case):
    assert alpha(data_of(case), metric(case)).note


SCORES = {
    "muc": measures.muc,
    "bcub": measures.b_cubed,
    "ceafm": measures.ceaf_m,
    "ceafe": measures.ceaf_e,
    "lea": measures.lea,
    "blanc": partial(measures.blanc, boundary="key"),
    "blanc_ua": measures.blanc,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=text["name"]) for text in TEXTS])
def test_scores_equal_scores_of_shared_tasks(text):
    for name, compute in SCORES.items():
        score = compute(text["key"], text["response"])
        found = [score.recall, score.precision, score.f1]
        assert found == pytest.approx([text["expected"][name][part] for part in "rpf"], abs=1e-9), name
        if name in text["exact"]:
            assert found == pytest.approx([float(Fraction(part)) for part in text["exact"][name]], abs=1e-12), name
