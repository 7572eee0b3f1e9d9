"""Results are shown in notebooks, in LaTeX and in charts, and packages that are missing are named."""

import subprocess
import sys
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot

from agreement import measures
from agreement.measures import alpha, alphas, fleiss_kappa, interval, pairwise
from agreement.measures.pyramids import Pyramid
from tests.agreement.measures.strategies import data_of
from tests.conftest import ROOT

mpl.use("agg")

ROWS = ["xxy", "xyy", "yyy", "xxx", "zzx", "yxy", "zzz", "xxy"]
DATA = data_of({i: list(row) for i, row in enumerate(ROWS)}, dict(enumerate("aabbccdd")))
OTHER = data_of({i: list(row) for i, row in enumerate(reversed(ROWS))}, dict(enumerate("aabbccdd")))
TWO = data_of({i: list(row[:2]) for i, row in enumerate(ROWS)}, dict(enumerate("aabbccdd")))
TEXTS = {text: [{"a", "b"}, {"c", text}] for text in "xyz"}
OTHERS = {text: [{"a", "c"}, {"b", text}] for text in "xy"} | {"z": [{"a", "b"}, {"c", "z"}]}
# What has a table and a chart, and the names of the points of the chart.
SHOWN = {
    "a coefficient": (alpha(DATA), ["alpha"]),
    "a kappa of categories": (fleiss_kappa(DATA), ["K", "K of x", "K of y", "K of z"]),
    "an interval": (interval(DATA, alpha), ["alpha"]),
    "a difference": (measures.difference(DATA, OTHER, alpha), ["difference"]),
    "a test": (measures.permutation_test(DATA, OTHER, alpha, n=10), ["first", "second"]),
    "pairs of coders": (pairwise(DATA, alpha), ["A, B", "A, C", "B, C"]),
    "without each coder": (measures.leave_one_out(DATA), ["alpha", "without A", "without B", "without C"]),
    "a forecast": (measures.forecast(DATA, alpha), ["value"]),
    "a score": (measures.b_cubed(TEXTS, OTHERS), ["recall", "precision", "F1"]),
    "a score with intervals": (measures.score_interval(TEXTS, OTHERS, measures.b_cubed), ["recall", "precision", "F1"]),
    "a share": (measures.binomial_interval(3, 10), ["share"]),
    "a mean": (measures.mean_interval([0.2, 0.4, 0.5]), ["value"]),
    "a peer": (measures.original(Pyramid({"s": ["m1", "m2"], "t": ["m1"]}), ["s"]), ["original"]),
    "rankings": (measures.score_correlation([1, 2, 3, 4], [2, 1, 3, 4]), ["Pearson", "Kendall", "Spearman"]),
    "rankings with intervals": (
        measures.score_correlation_interval([1, 2, 3, 4, 6], [2, 1, 3, 4, 5]),
        ["Pearson", "Spearman", "Kendall"],
    ),
}
every_result = pytest.mark.parametrize(("result", "names"), SHOWN.values(), ids=SHOWN)


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


@every_result
def test_matplotlib_chart_has_point_for_each_figure(result, names):
    ax = result.plot(backend="matplotlib")
    assert [label.get_text() for label in ax.get_yticklabels()] == names
    assert ax.get_xlabel() == result.axis


@every_result
def test_plotly_chart_has_same_points(result, names):
    ax, figure = result.plot(backend="matplotlib"), result.plot(backend="plotly")
    assert list(figure.layout.yaxis.ticktext) == names
    assert figure.layout.xaxis.title.text == result.axis
    assert np.array_equal(ax.lines[0].get_xdata(), figure.data[0].x, equal_nan=True)


@every_result
def test_latex_and_html_have_same_rows(result, names):
    latex, html = result.to_latex(), result._repr_html_()
    assert latex.startswith("\\begin{tabular}{l")
    assert latex.endswith("  \\bottomrule\n\\end{tabular}\n")
    assert latex.count("\\\\\n") == html.count("<tr>") > 0


def test_chart_shows_interval_of_result():
    found = interval(DATA, alpha)
    figure = found.plot(backend="plotly")
    [value], reach = figure.data[0].x, figure.data[0].error_x
    assert (value - reach.arrayminus[0], value + reach.array[0]) == pytest.approx((found.low, found.high))
    assert found.axis == "value, 95% interval"


def test_chart_lists_several_results_from_top_to_bottom():
    ax = measures.plot(interval(DATA, alphas), backend="matplotlib")
    assert [label.get_text() for label in ax.get_yticklabels()] == list(interval(DATA, alphas))
    assert ax.yaxis_inverted()
    of_two = measures.plot({"K": fleiss_kappa(DATA), "kappa": measures.cohen_kappa(TWO)}, backend="plotly")
    assert list(of_two.layout.yaxis.ticktext) == ["K, K", "K, K of x", "K, K of y", "K, K of z", "kappa"]


def test_chart_uses_given_axes():
    _, axes = pyplot.subplots(1, 2)
    assert alpha(DATA).plot(axes[1]) is axes[1]


def test_chart_of_undefined_value_has_name_without_point():
    figure = alpha([["a"]]).plot(backend="plotly")
    assert np.isnan(figure.data[0].x).all()
    assert figure.layout.yaxis.ticktext == ("alpha",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"backend": "bokeh"}, "backend is 'bokeh'; it is one of matplotlib, plotly"),
        ({"ax": SimpleNamespace(), "backend": "plotly"}, "ax is an Axes of Matplotlib, and the backend plotly"),
    ],
)
def test_plot_refuses_wrong_backend_or_axes(arguments, message):
    with pytest.raises(ValueError, match=message):
        alpha(DATA).plot(**arguments)


def test_latex_escapes_names():
    found = measures.Result("50% & more_", 0.5, 0.1, 0.2, 1, 2, 2, 2).to_latex()
    assert r"50\% \& more\_ & 0.5000 \\" in found


def test_latex_of_pairs_is_matrix_of_coders():
    assert pairwise(DATA, alpha).to_latex().splitlines()[2] == r"   & A & B & C \\"


MISSING = {
    "a chart": (["matplotlib", "plotly"], "alpha([[1, 1], [2, 1]]).plot()", "needs matplotlib (extra matplotlib)"),
    "a chart of Plotly": (["plotly"], "alpha([[1, 1], [2, 1]]).plot(backend='plotly')", "needs plotly (extra plotly)"),
    "a DataFrame": (["pandas"], "as_data([[1, 1], [2, 1]]).to_frame()", "a DataFrame needs pandas (extra pandas)"),
    "a corpus": (["duckdb"], "over(['x.parquet'], SumOptions(('masi',)))", "needs duckdb (extra parquet)"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("packages", "call", "message"), MISSING.values(), ids=MISSING)
def test_error_names_missing_package_and_extra(packages, call, message):
    hidden = f"import sys; sys.modules.update(dict.fromkeys({packages}))"
    code = f"{hidden}; from agreement.measures import *; {call}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "ImportError" in done.stderr
    assert message in done.stderr


@pytest.mark.slow
def test_library_works_without_pandas():
    code = (
        "import sys; sys.modules['pandas'] = None; from agreement.measures import *\n"
        "data = as_data([['a', 'a', 'b'], ['b', 'b', 'b'], [{1}, {1, 2}, {1}]] * 9)\n"
        "print(interval(data, alphas), bootstrap(data, alpha, n=10), pairwise(data, alpha)._repr_html_())\n"
        "print(leave_one_out(data), data._repr_html_(), fleiss_kappa(data).to_latex())\n"
        "print(alpha(ReliabilityData.from_csv('docs/examples/judgements.csv'), 'masi'))\n"
        "print(over(['docs/examples/judgements.csv'], SumOptions(('masi',))))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
