"""A result is a number, and becomes a dictionary."""

import json

import pytest

from agreement import measures
from agreement.measures import alpha, alphas, bootstrap, cohen_kappa, fleiss_kappa, interval
from tests.agreement.measures.strategies import data_of

ROWS = ["xx", "xy", "yy", "xx", "zz", "yx", "zz", "xx"]
DATA = data_of({i: list(row) for i, row in enumerate(ROWS)}, dict(enumerate("aabbccdd")))
OTHER = data_of({i: list(row[::-1]) for i, row in enumerate(ROWS[1:] + ROWS[:1])}, dict(enumerate("aabbccdd")))
FIGURES = [
    alpha(DATA),
    fleiss_kappa(DATA),
    interval(DATA, alpha),
    bootstrap(DATA, alpha, n=20),
    measures.jackknife(DATA, alpha),
    measures.difference(DATA, OTHER),
    measures.permutation_test(DATA, OTHER, n=20),
    measures.mean_interval([0.2, 0.5, 0.6, 0.1, 0.9]),
]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: type(figure).__name__)
def test_results_convert_to_number_string_and_json(figure):
    found = json.loads(json.dumps(figure.to_dict()))
    assert found.get("value", found.get("difference")) == figure.value
    assert found["note"] == figure.note
    assert float(figure) == figure.value
    assert f"{figure:.3f}" == f"{figure.value:.3f}"
    assert f"{figure:>9.2f}" == f"{figure.value:>9.2f}"
    assert f"{figure}" == str(figure) == repr(figure)


def test_result_without_value_refuses_conversion_to_float():
    undefined = alpha([["x", "x"], ["x", "x"]])
    assert f"{undefined:.3f}" == "undefined"
    with pytest.raises(ValueError, match="only one value is used, so that chance would agree as well"):
        float(undefined)
    with pytest.raises(ValueError, match="only one value is used"):
        float(interval([["x", "x"], ["x", "x"]], alpha))


def test_dictionary_of_interval_has_coefficient_and_bounds():
    masi = interval(DATA, alphas)["masi"]
    found = masi.to_dict()
    assert [found[name] for name in ("coefficient", "value", "low", "high")] == [
        "alpha",
        masi.value,
        masi.low,
        masi.high,
    ]
    assert (found["method"], found["by"], found["n_groups"]) == ("jackknife-log", "document", 4)
    assert found["parameters"] == dict(masi.result.parameters)
    assert "replicates" not in bootstrap(DATA, alpha, n=5).to_dict()


def test_dictionary_of_kappa_has_z_and_categories():
    found = fleiss_kappa(DATA)
    as_dict = found.to_dict()
    assert (as_dict["z"], as_dict["p_value"]) == (found.z, found.p_value)
    assert [part["value"] for part in as_dict["categories"]] == [part.value for part in found.categories]


def test_p_value_follows_z_in_rows():
    rows = cohen_kappa(DATA)._rows()
    names = list(rows)
    assert names.index("p") == names.index("z") + 1
    assert rows["p"] == f"{cohen_kappa(DATA).p_value:.4g}"


def test_scores_and_correlations_convert_to_dictionaries():
    score = measures.b_cubed(["ABC"], ["AB", "C"]).to_dict()
    assert (score.pop("note"), score) == ("", pytest.approx({"recall": 5 / 9, "precision": 1.0, "f1": 5 / 7}))
    found = measures.score_correlation([1, 2, 3, 4], [1, 3, 2, 4])
    assert found.to_dict()["kendall_p"] == found.kendall_p
    assert "(p = " in repr(found)
    assert "(p = " in found._repr_html_()
