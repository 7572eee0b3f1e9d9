"""What the functions take as data, and what they refuse."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import measures
from agreement.measures import (
    SET_DISTANCES,
    ReliabilityData,
    alpha,
    alphas,
    beta,
    difference,
    distance,
    fleiss_kappa,
    interval,
    jackknife,
)
from tests.agreement.measures import exact
from tests.agreement.measures.checks import assert_result, close
from tests.agreement.measures.strategies import one_document
from tests.shared.cases import examples

ROWS = [[1, 1], [1, 2], [2, 2], [None, 1], [3, 3], [1, 3]]
FRAME = pd.DataFrame(ROWS, columns=["Ann", "Bob"])
TABLES = {
    "lists": ROWS,
    "tuples": tuple(map(tuple, ROWS)),
    "rows that are arrays": [np.array(row, dtype=object) for row in ROWS],
    "an array of numbers": np.array(ROWS, dtype=float),
    "an array of objects": np.array(ROWS, dtype=object),
    "a frame": FRAME,
    "a frame with what pandas says for nothing": FRAME.convert_dtypes(),
}
FUNCTIONS = [
    "alpha", "alphas", "augmented_kappa", "bennett_s", "beta", "cohen_kappa", "contributions", "count_alpha",
    "document_sums", "documents_sums", "fleiss_kappa", "gwet_ac1", "leave_one_out", "multi_kappa",
    "observed_agreement", "relation_counts", "scott_pi",
]  # fmt: skip


def plain(found):
    return found.tolist() if isinstance(found, np.ndarray) else found


@pytest.mark.parametrize("table", TABLES)
def test_tables_have_units_as_rows_and_coders_as_columns(table):
    found = measures.as_data(TABLES[table])
    assert (len(found.units), len(found.coders), found.documents) == (6, 2, (None,))
    assert alpha(TABLES[table]) == alpha(one_document(ROWS))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_coefficient_accepts_table(name):
    function, whole = getattr(measures, name), ReliabilityData.from_values(range(6), range(2), ROWS, [None] * 6)
    assert plain(function(ROWS)) == plain(function(whole))


def test_every_interval_and_test_accepts_table():
    rows = ROWS * 3
    for function in (interval, jackknife, measures.bootstrap):
        assert function(rows, fleiss_kappa) == function(measures.as_data(rows), fleiss_kappa)
    assert measures.pairwise(rows, alpha).mean == alpha(rows).value
    assert difference(rows, rows[::-1]).n_groups == 18
    assert len(measures.split_components(rows).documents) == len(rows)
    assert measures.collapse([["a", "b"], ["b", "b"]], {"a": "c"}).labels == ("c", "b")
    with pytest.raises(ValueError, match="too few documents to permute"):
        measures.permutation_test(rows, rows)


@pytest.mark.parametrize("kind", [set, list, frozenset])
def test_sets_may_be_frozensets_sets_or_lists(kind):
    rows = [[{"a", "b"}, {"a"}], [{"a", "b"}, {"b"}], ["none", {"b"}]]
    expected = alphas(one_document([[frozenset(v) if isinstance(v, set) else v for v in row] for row in rows]))
    given_rows = [[kind(v) if isinstance(v, set) else v for v in row] for row in rows]
    assert alphas(given_rows) == expected
    assert alphas(pd.DataFrame(given_rows)) == expected


@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ("abc", "str is no"),
        ({"a": 1}, "dict is no"),
        ([1, 2], "list is no"),
        (np.zeros(3), "array of 1 dimensions is no"),
        (None, "NoneType is no"),
        (FRAME["Ann"], "Series is no"),
    ],
)
def test_error_lists_accepted_types_of_data(wrong, what):
    with pytest.raises(TypeError, match=f"{what} reliability data: give ReliabilityData, a DataFrame .*, or a list or"):
        alpha(wrong)


def test_data_refuse_ragged_rows_and_unknown_members():
    with pytest.raises(ValueError, match="row 1 has 1 cells where the first has 2"):
        alpha([["a", "b"], ["a"]])
    with pytest.raises(ValueError, match="members is 'words'; it must be one of 'units', 'labels'"):
        ReliabilityData.from_frame(FRAME, members="words")


LONG = {"document": ["a", "a"], "unit": [1, 1], "coder": ["Ann", "Bob"], "label": ["x", "y"]}


@pytest.mark.parametrize("columns", [["unit", "coder", "label"], ["Coder", "Ann"], ["document", "Ann", "Bob"]])
def test_error_for_long_table_points_to_from_records(columns):
    frame = pd.DataFrame([[1] * len(columns)], columns=columns)
    with pytest.raises(ValueError, match=r"and each column is a coder here: .* by ReliabilityData.from_records"):
        ReliabilityData.from_frame(frame)
    with pytest.raises(ValueError, match="from_records"):
        alpha(pd.DataFrame(LONG))
    assert alpha(ReliabilityData.from_records(pd.DataFrame(LONG))).n_units == 1


@pytest.mark.parametrize("names", [["document", "unit"], ["unit", "document"], [None, None]])
def test_index_of_two_levels_names_documents_and_units(names):
    pairs = [("one", "A"), ("one", "B"), ("two", "A"), ("two", "C")]
    cells = [[{"A", "B"}, {"A"}], [{"A", "B"}, {"B"}], [{"A", "C"}, "none"], [{"A", "C"}, {"A", "C"}]]
    flipped = names[1] == "document"
    index = pd.MultiIndex.from_tuples([p[::-1] if flipped else p for p in pairs], names=names)
    data = ReliabilityData.from_frame(pd.DataFrame(cells, index=index, columns=["Ann", "Bob"]))
    assert list(data.documents) == ["one", "two"]
    assert data.units == tuple(index)
    table = {
        unit: [frozenset((text, m) for m in v) if isinstance(v, set) else v for v in row]
        for unit, (text, _), row in zip(pairs, pairs, cells, strict=True)
    }
    for name in SET_DISTANCES:
        value, *_ = exact.alpha(table, name, "both")
        assert alpha(data, name, exclude_unit="both").value == pytest.approx(float(value))


def test_members_named_by_document_and_unit_are_kept():
    index = pd.MultiIndex.from_tuples([("one", "A"), ("one", "B")])
    frame = pd.DataFrame({"Ann": [{("one", "A"), "B"}, {"B"}]}, index=index)
    assert ReliabilityData.from_frame(frame).values[0] == frozenset({("one", "A"), ("one", "B")})


COUNTS = [[3, 0, 0], [2, 1, 0], [0, 2, 1], [1, 1, 1], [0, 0, 2], [0, 0, 0]]


def test_coefficients_of_counts_equal_coefficients_of_judgements():
    rows = [["x", "x", "x"], ["x", "y", "x"], ["y", "z", "y"], ["z", "x", "y"], [None, "z", "z"], [None] * 3]
    data = ReliabilityData.from_counts(COUNTS, "xyz")
    for coefficient in (alpha, fleiss_kappa, measures.observed_agreement, measures.bennett_s, measures.gwet_ac1):
        assert coefficient(data).value == pytest.approx(coefficient(rows).value)
    scus = [[1, 2], [0, 0], [3, 1]]
    assert measures.count_alpha(scus).value == alpha(one_document(scus), measures.count_dice).value
    frame = pd.DataFrame(COUNTS, columns=["x", "y", "z"])
    assert ReliabilityData.from_counts(frame).labels == ("x", "y", "z")
    assert ReliabilityData.from_counts(COUNTS).labels == (0, 1, 2)


@pytest.mark.parametrize(
    "call",
    [
        measures.multi_kappa,
        beta,
        lambda data: measures.pairwise(data, alpha),
        measures.leave_one_out,
        lambda data: interval(data, alpha, sample="coders"),
    ],
)
def test_functions_that_need_coders_refuse_counts(call):
    with pytest.raises(ValueError, match="these data are counts: which coder gave what is not known"):
        call(ReliabilityData.from_counts(COUNTS))


@pytest.mark.parametrize(
    ("counts", "categories", "message"),
    [
        ([1, 2], None, "two dimensions: units and categories"),
        ([[1, -1]], "xy", "unit 0, category 'y': -1 is no count"),
        ([[1, 0.5]], "xy", "unit 0, category 'y': 0.5 is no count"),
        ([[1, 2]], "x", "2 columns of counts, 1 categories"),
    ],
)
def test_error_names_wrong_counts(counts, categories, message):
    with pytest.raises(ValueError, match=message):
        ReliabilityData.from_counts(counts, categories)


@st.composite
def label_tables(draw):
    """Draw ({unit: row}, {unit: document}) of sets of categories, which are the same in every document."""
    n_coders = draw(st.integers(1, 3))
    cells = st.one_of(st.none(), st.frozensets(st.sampled_from("pqr")), st.sampled_from(["none"]))
    rows = draw(
        st.lists(st.tuples(st.lists(cells, min_size=n_coders, max_size=n_coders), st.sampled_from("xyz")), max_size=9)
    )
    return {f"u{i}": row for i, (row, _) in enumerate(rows)}, {f"u{i}": text for i, (_, text) in enumerate(rows)}


def labelled(table, documents):
    n_coders = len(next(iter(table.values()), []))
    return ReliabilityData.from_values(
        list(table), "ABC"[:n_coders], table.values(), list(documents.values()), members="labels"
    )


@examples(80)
@given(
    label_tables(),
    st.sampled_from(SET_DISTANCES),
    st.sampled_from(["none", "observed", "both"]),
    st.sampled_from(["subset", "disjoint"]),
)
def test_label_sets_are_compared_across_documents(drawn, name, exclude_unit, empty):
    table, documents = drawn
    data = labelled(table, documents)
    options = {"exclude_unit": exclude_unit, "empty": empty}
    value, *_ = expected = exact.alpha(table, name, empty=empty)
    found = alpha(data, name, **options)
    assert_result(found, expected)
    sums = measures.document_sums(data, name, **options)
    assert close(measures.combine(sums).value, value)
    called = alpha(data, lambda a, b: distance(a, b, name, empty=empty), exclude_unit=exclude_unit)
    assert close(called.value, value)
    of_beta, *_ = exact.kappa("beta", table, "available", exact.similarity(name, empty))
    assert close(beta(data, name, empty=empty).value, of_beta)
    assert sum(part.observed for part in measures.contributions(data, name, **options)) == pytest.approx(
        found.observed or 0.0
    )


@examples(30)
@given(label_tables(), st.sampled_from(SET_DISTANCES), st.randoms(use_true_random=False))
def test_intervals_of_label_sets_leave_out_each_document(drawn, name, random):
    table, documents = drawn
    data = labelled(table, documents)
    without = exact.without_each(table, documents, lambda rest: exact.alpha(rest, name)[0])
    found = jackknife(data, alpha, name)
    if found.by == "document":
        assert [found.values[found.groups.index(text)] for text in without] == [
            value if value is None else pytest.approx(float(value)) for value in without.values()
        ]
    if interval(data, alpha, name).by == "document":
        assert measures.interval_sums(measures.document_sums(data, name)).high == pytest.approx(
            interval(data, alpha, name).high
        )
    else:
        assert interval(data, alpha, name).n_groups == len(exact.judgements(table))
    units = measures.bootstrap(data, alpha, name, by="unit", n=5, seed=1)
    assert units.result == alpha(data, name)


def test_jackknife_of_label_sets_leaves_out_each_unit():
    rows = [["pq", "p"], ["q", "qr"], ["pr", "pr"], ["r", "q"], ["pq", "q"]]
    table = {i: [frozenset(v) for v in row] for i, row in enumerate(rows)}
    found = jackknife(labelled(table, dict.fromkeys(table, "text")), alpha, "masi", exclude_unit="both")
    for left, value in zip(found.groups, found.values, strict=True):
        rest = {unit: row for unit, row in table.items() if unit != left}
        assert value == pytest.approx(float(exact.alpha(rest, "masi")[0]))


def test_relation_counts_of_label_sets_equal_relations_of_sets():
    rows = [["pq", "p"], ["pq", "qr"], ["p", "r"], ["p", "p"]]
    data = labelled({i: [frozenset(v) for v in row] for i, row in enumerate(rows)}, dict(enumerate("aabb")))
    kinds = ["subsumption", "intersection", "disjunction", "identity"]
    assert [measures.relation(*(frozenset(v) for v in row)) for row in rows] == kinds
    assert measures.relation_counts(data).tolist() == [
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [1, 0, 0, 0, 0],
    ]


def test_rounds_of_label_sets_can_be_compared():
    rows = [["pq", "p"], ["q", "qr"], ["pr", "pr"], ["r", "q"], ["pq", "q"], ["p", "p"], ["q", "q"], ["r", "r"]]
    table = {i: [frozenset(v) for v in row] for i, row in enumerate(rows)}
    first = labelled(table, {i: i // 2 for i in table})
    second = labelled({i: row[:1] * 2 for i, row in table.items()}, {i: i // 2 for i in table})
    assert difference(first, second, alpha, "masi").difference < 0
    assert measures.permutation_test(first, second, alpha, "masi", n=50).p_value > 0
    whole = first.of_documents([0, 1, 2, 3])
    assert (whole.members, alpha(whole, "masi")) == ("labels", alpha(first, "masi"))


def test_difference_on_one_text_of_label_sets_resamples_units():
    rows = {i: [frozenset("pq"), frozenset("p" if i % 3 else "q")] for i in range(9)}
    other = {i: [frozenset("p"), frozenset("p" if i % 2 else "q")] for i in range(9)}
    first, second = (labelled(table, dict.fromkeys(table, "text")) for table in (rows, other))
    assert difference(first, second, alpha, "jaccard").n_groups == 9
