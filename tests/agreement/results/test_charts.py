"""Figures are what Plotly accepts, and show what they are given."""

import plotly.graph_objects as go  # type: ignore[import-untyped]
import pytest

from agreement.results.figures import charts
from agreement.results.figures.charts import (
    MOST_IN_WORDS,
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
)

LONG = "a very long name of a text or a coder that does not fit "
ALIKE = [f"{LONG}one", f"{LONG}two"]
ROWS = [Dot("tea", 0.5, 0.25, 1.0), Dot("walk", -0.125), Dot("none", None), Dot("one-sided", 0.5, None, 0.75)]
MEMBERS = {
    frozenset({"alice", "bob"}): ["the kettle", "it"],
    frozenset({"alice"}): ["that"],
    frozenset({"bob"}): [LONG],
    frozenset({"alice", "carol"}): ["x", "y", "z"],
}
BUILT = {
    "dots": dot_plot(ROWS, "alpha", [0.667, 0.8]),
    "dots of nothing": dot_plot([], "alpha"),
    "dots of None": dot_plot([Dot("x", None)], "alpha"),
    "heat": heat_map(["a", "b"], ["a", "b", "c"], [[None, 0.5, 1], [0.25, None, -1]], "alpha"),
    "heat of nothing": heat_map([], [], [], "alpha"),
    "heat of many": heat_map(["a"], [str(n) for n in range(MOST_IN_WORDS + 1)], [[0.5] * (MOST_IN_WORDS + 1)], "alpha"),
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
def test_plotly_accepts_the_figure_and_keeps_every_trace(name):
    figure = BUILT[name]
    assert len(go.Figure(figure).data) == len(figure["data"])
    assert go.Figure(figure).to_plotly_json()["layout"].keys() >= {"height"}


def test_a_value_that_is_not_there_leaves_no_dot():
    [trace] = BUILT["dots"]["data"]
    assert trace["x"] == [0.5, -0.125, 0.5]
    assert trace["y"] == [0, 1, 2]
    assert BUILT["dots"]["layout"]["yaxis"]["ticktext"] == ["tea", "walk", "one-sided"]
    assert BUILT["dots of None"]["data"][0]["x"] == []


def test_intervals_are_whiskers_to_their_ends_and_half_an_interval_is_none():
    whiskers = BUILT["dots"]["data"][0]["error_x"]
    assert (whiskers["arrayminus"], whiskers["array"]) == ([0.25, 0, 0], [0.5, 0, 0])
    assert whiskers["symmetric"] is False


@pytest.mark.parametrize(("kind", "axis"), [("dots", "xaxis"), ("lines", "yaxis")])
def test_the_axis_of_shares_alone_does_not_go_beyond_0_and_1(kind, axis):
    layout = go.Figure(BUILT[f"{kind} of shares"]).to_plotly_json()["layout"]
    ends = layout[axis]["autorangeoptions"]
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
def test_two_names_that_are_cut_alike_stay_two(figure, axis):
    found = figure["layout"][axis]
    assert found["tickvals"] == [0, 1]
    first, second = found["ticktext"]
    assert first == second
    assert len(first) == charts.WIDEST_LABEL
    assert first.endswith("…")


def test_a_heat_map_has_a_cell_for_each_value_and_none_for_what_is_not_there():
    [trace] = BUILT["heat"]["data"]
    assert trace["z"] == [[None, 0.5, 1], [0.25, None, -1]]
    assert trace["text"] == [["", "0.50", "1.00"], ["0.25", "", "-1.00"]]
    assert trace["customdata"][1] == ["b – a", "b – b", "b – c"]
    assert trace["hoverongaps"] is False


def test_a_wide_heat_map_has_no_figures_in_its_cells():
    wide, narrow = (
        heat_map(["a"], [str(n) for n in range(width)], [[0.5] * width], "alpha")["data"][0]["texttemplate"]
        for width in (MOST_IN_WORDS + 1, MOST_IN_WORDS)
    )
    assert (wide, narrow) == ("", "%{text}")


def test_a_line_has_a_gap_where_there_is_no_value():
    trace = BUILT["lines"]["data"][0]
    assert (trace["name"], trace["x"], trace["y"]) == ("coder 0", [0, 1], [0.5, None])


def test_a_strip_counts_items_from_one():
    [trace] = BUILT["strip"]["data"]
    assert (trace["x"], trace["y"]) == ([1, 2], [0.75, 0.25])
    assert trace["customdata"][0] == "it"
    assert len(trace["customdata"][1]) == charts.WIDEST_LABEL


def test_combinations_of_coders_come_by_their_number_of_members_and_dots_say_who():
    bars, grid = BUILT["upset"]["data"]
    assert bars["y"] == [3, 2, 1, 1]
    assert bars["customdata"][:3] == ["x, y, z", "the kettle, it", "that"]
    filled = {
        (x, y)
        for x, y, symbol in zip(grid["x"], grid["y"], grid["marker"]["symbol"], strict=True)
        if symbol == "circle"
    }
    # alice 0, bob 1, carol 2
    assert filled == {(0, 0), (0, 2), (1, 0), (1, 1), (2, 0), (3, 1)}
    assert len(grid["x"]) == 4 * 3
    assert BUILT["upset"]["layout"]["yaxis2"]["ticktext"] == ["alice", "bob", "carol"]


def test_a_few_dots_are_all_said():
    assert describe_dots(ROWS) == "tea 0.500 (0.250 to 1.000); walk −0.125; one-sided 0.500."


def test_of_many_dots_the_ends_are_said():
    rows = [Dot(f"text {n}", n / 10) for n in (5, 1, 9, 2, 3, 4, 6, 7, 8)]
    assert describe_dots(rows) == "9 values, from 0.100 (text 1) to 0.900 (text 9)."
    assert describe_dots(rows[:8]).count(";") == 7


@pytest.mark.parametrize("name", BUILT)
def test_a_chart_is_empty_where_no_trace_has_a_value(name):
    chart = Chart("one", "One", BUILT[name], "", "one")
    assert chart.is_empty == ("nothing" in name or name == "dots of None")


def test_a_heat_map_of_counts_has_whole_numbers_from_none_to_the_largest():
    [trace] = BUILT["heat of counts"]["data"]
    assert trace["text"] == [["1,200", "0"]]
    assert (trace["zmin"], trace["zmax"]) == (0, 1200)
    layout = BUILT["heat of counts"]["layout"]
    assert [layout[axis]["title"]["text"] for axis in ("yaxis", "xaxis")] == ["ann", "ben"]


def test_a_heat_map_of_coefficients_has_one_scale_that_reaches_as_far_as_the_values():
    [trace] = BUILT["heat"]["data"]
    assert (trace["zmin"], trace["zmax"]) == (-1, 1)


def test_a_band_has_numbers_as_places_and_whiskers_where_there_are_intervals():
    [trace] = BUILT["band"]["data"]
    assert (trace["x"], trace["y"]) == ([2.0, 40.0], [0.5, 0.75])
    assert (trace["error_y"]["arrayminus"], trace["error_y"]["array"]) == ([0, 0.25], [0, 0.125])
    assert BUILT["band"]["layout"]["xaxis"]["dtick"] == 4
