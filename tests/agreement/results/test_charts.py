"""Plotly accepts the charts, and the charts show the given values."""

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest

from agreement.results.figures import charts
from agreement.results.figures.charts import (
    MAX_IN_WORDS,
    Chart,
    Dot,
    band_chart,
    describe_dots,
    dot_plot,
    heat_map,
    line_chart,
    stacked_bars,
    strip_plot,
    upset_plot,
)  # fmt: skip

LONG = "a very long name of a text or a coder that does not fit "
ALIKE = [f"{LONG}one", f"{LONG}two"]
ROWS = [Dot("tea", 0.5, 0.25, 1.0), Dot("walk", -0.125), Dot("none", None), Dot("one-sided", 0.5, None, 0.75)]
MEMBERS = {
    frozenset({"alice", "bob"}): ["the kettle", "it"],
    frozenset({"alice"}): ["that"],
    frozenset({"bob"}): [LONG],
    frozenset({"alice", "carol"}): ["x", "y", "z"],
}
MANY = [str(n) for n in range(MAX_IN_WORDS + 1)]
BUILT = {
    "dots": dot_plot(ROWS, "alpha", [0.667, 0.8]),
    "dots of nothing": dot_plot([], "alpha"),
    "dots of None": dot_plot([Dot("x", None)], "alpha"),
    "heat": heat_map(["a", "b"], ["a", "b", "c"], [[None, 0.5, 1], [0.25, None, -1]], "alpha"),
    "heat of nothing": heat_map([], [], [], "alpha"),
    "heat of many": heat_map(["a"], MANY, [[0.5] * len(MANY)], "alpha"),
    "lines": line_chart(["1", "2"], {f"coder {n}": [0.5, None] for n in range(12)}, "alpha"),
    "lines of nothing": line_chart([], {}, "alpha"),
    "dots of shares": dot_plot(ROWS, "accuracy", share=True),
    "lines of shares": line_chart(["1", "2"], {"ann": [1, 1]}, "accuracy", share=True),
    "stacked": stacked_bars(["a", "b"], {f"part {n}": [0.1, 0.1] for n in range(10)}, "share"),
    "stacked nothing": stacked_bars([], {}, "share"),
    "heat of counts": heat_map(["a"], ["a", "b"], [[1200, 0]], "items", ("ann", "ben")),
    "band": band_chart([Dot("1", None), Dot("2", 0.5), Dot("40", 0.75, 0.5, 0.875)], "texts", "alpha", [0.8]),
    "band of nothing": band_chart([], "texts", "alpha"),
    "strip": strip_plot(["it", LONG], [0.75, 0.25], "share"),
    "strip of nothing": strip_plot([], [], "share"),
    "upset": upset_plot(["alice", "bob", "carol"], MEMBERS),
    "upset of nothing": upset_plot(["alice"], {}),
}


@pytest.mark.parametrize("name", BUILT)
def test_plotly_accepts_figure_with_every_trace(name):
    figure = go.Figure(BUILT[name])
    assert len(figure.data) == len(BUILT[name]["data"])
    assert "height" in figure.to_plotly_json()["layout"]
    assert Chart("one", "One", BUILT[name], "", "one").is_empty == ("nothing" in name or name == "dots of None")


def test_dot_plot_skips_missing_values_and_intervals():
    figure = BUILT["dots"]
    [trace] = figure["data"]
    assert (trace["x"], trace["y"]) == ([0.5, -0.125, 0.5], [0, 1, 2])
    assert figure["layout"]["yaxis"]["ticktext"] == ["tea", "walk", "one-sided"]
    assert (trace["error_x"]["arrayminus"], trace["error_x"]["array"]) == ([0.25, 0, 0], [0.5, 0, 0])
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [0.667, 0.8]
    assert describe_dots(ROWS) == "tea 0.500 (0.250 to 1.000); walk −0.125; one-sided 0.500."
    many = [Dot(f"text {n}", n / 10) for n in (5, 1, 9, 2, 3, 4, 6, 7, 8)]
    assert describe_dots(many) == "9 values, from 0.100 (text 1) to 0.900 (text 9)."
    assert describe_dots(many[:8]).count(";") == 7


@pytest.mark.parametrize(("kind", "axis"), [("dots", "xaxis"), ("lines", "yaxis")])
def test_axis_of_shares_ends_at_0_and_1(kind, axis):
    ends = BUILT[f"{kind} of shares"]["layout"][axis]["autorangeoptions"]
    assert -0.05 < ends["clipmin"] <= 0
    assert 1 <= ends["clipmax"] < 1.05
    assert "autorangeoptions" not in BUILT[kind]["layout"][axis]


@pytest.mark.parametrize(
    ("figure", "axis"),
    [
        (dot_plot([Dot(name, 0.5) for name in ALIKE], "alpha"), "yaxis"),
        (heat_map(ALIKE, ["x"], [[1], [2]], "alpha"), "yaxis"),
        (heat_map(["x"], ALIKE, [[1, 2]], "alpha"), "xaxis"),
        (line_chart(ALIKE, {"x": [1, 2]}, "alpha"), "xaxis"),
        (stacked_bars(ALIKE, {"x": [1, 1]}, "share"), "yaxis"),
        (upset_plot(ALIKE, {frozenset(ALIKE[:1]): ["x"]}), "yaxis2"),
    ],
)
def test_equal_shortened_labels_stay_apart(figure, axis):
    found = figure["layout"][axis]
    assert found["tickvals"] == [0, 1]
    assert found["ticktext"] == [f"{LONG[: charts.WIDEST_LABEL - 1]}…"] * 2


def test_heat_map_leaves_missing_cells_empty():
    [trace] = BUILT["heat"]["data"]
    assert trace["z"] == [[None, 0.5, 1], [0.25, None, -1]]
    assert trace["text"] == [["", "0.50", "1.00"], ["0.25", "", "-1.00"]]
    assert trace["customdata"][1] == ["b – a", "b – b", "b – c"]
    assert (trace["zmin"], trace["zmax"], trace["texttemplate"]) == (-1, 1, "%{text}")
    assert BUILT["heat of many"]["data"][0]["texttemplate"] == ""
    [trace], layout = BUILT["heat of counts"]["data"], BUILT["heat of counts"]["layout"]
    assert (trace["text"], trace["zmin"], trace["zmax"]) == ([["1,200", "0"]], 0, 1200)
    assert [layout[axis]["title"]["text"] for axis in ("yaxis", "xaxis")] == ["ann", "ben"]


def test_line_bar_strip_and_band_charts_have_their_values():
    line, part, [strip], [band] = (
        BUILT["lines"]["data"][0], BUILT["stacked"]["data"][3], BUILT["strip"]["data"], BUILT["band"]["data"],
    )  # fmt: skip
    assert (line["name"], line["x"], line["y"]) == ("coder 0", [0, 1], [0.5, None])
    assert (part["x"], BUILT["stacked"]["layout"]["barmode"]) == ([0.1, 0.1], "stack")
    assert (strip["x"], strip["y"], strip["customdata"][0]) == ([1, 2], [0.75, 0.25], "it")
    assert len(strip["customdata"][1]) == charts.WIDEST_LABEL
    assert (band["x"], band["y"]) == ([2.0, 40.0], [0.5, 0.75])
    assert (band["error_y"]["arrayminus"], band["error_y"]["array"]) == ([0, 0.25], [0, 0.125])


def test_upset_plot_sorts_combinations_by_size():
    bars, grid = BUILT["upset"]["data"]
    assert bars["y"] == [3, 2, 1, 1]
    assert bars["customdata"][:3] == ["x, y, z", "the kettle, it", "that"]
    dots = zip(grid["x"], grid["y"], grid["marker"]["symbol"], strict=True)
    # alice 0, bob 1, carol 2
    assert {(x, y) for x, y, symbol in dots if symbol == "circle"} == {(0, 0), (0, 2), (1, 0), (1, 1), (2, 0), (3, 1)}
    assert len(grid["x"]) == 4 * 3
