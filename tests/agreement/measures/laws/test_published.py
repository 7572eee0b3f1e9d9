"""Published figures, and which conventions reproduce them."""

from fractions import Fraction
from functools import partial

import pytest

from agreement.measures import alpha, chain_labels, distance, fleiss_kappa, index_labels, relation
from tests.agreement.measures.strategies import one_document

# Passonneau 2004, Table 1: the indices of three coders; None is NIL
INDICES = {
    "A": (1, 1, 1), "B": (2, 2, 2), "C": (3, 3, 3), "D": (1, 1, 1), "E": (2, 2, 2), "F": (2, 2, 2),
    "G": (4, 4, 4), "H": (3, 5, 3), "J": (4, None, 3), "K": (4, 4, 3), "L": (2, 2, 2),
}  # fmt: skip
# Table 2: the same in canonical form
TABLE_2 = {
    "A": [1, 1, 1], "B": [2, 2, 2], "C": [4, 5, 3], "D": [1, 1, 1], "E": [2, 2, 2], "F": [2, 2, 2],
    "G": [6, 7, 8], "H": [4, 9, 3], "J": [6, 10, 3], "K": [6, 7, 3], "L": [2, 2, 2],
}  # fmt: skip
CLASSES = ["AD", "BEFL", "CHJK", "CH", "C", "GJK", "GK", "G", "H", "J"]


@pytest.fixture(scope="module")
def newswire():
    coders = [index_labels(list(INDICES), {m: {row[c]} - {None} for m, row in INDICES.items()}) for c in range(3)]
    return one_document({m: [values[m] for values in coders] for m in INDICES}, ["RA.1", "RA.2", "RA.3"])


def test_canonical_matrix_equals_table_2_of_passonneau_2004(newswire):
    frame = newswire.to_frame()
    assert dict(zip(frame.index, frame.to_numpy().tolist(), strict=True)) == TABLE_2
    assert list(frame.columns) == ["RA.1", "RA.2", "RA.3"]
    assert ["".join(sorted(value)) for value in newswire.values] == CLASSES


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"distance": "nominal"}, 0.449541),
        ({"distance": "passonneau", "exclude_unit": "both", "thirds": "rounded"}, 0.743381),
        ({"distance": "passonneau", "exclude_unit": "both", "thirds": "exact"}, 0.742154),
        ({"distance": "passonneau", "exclude_unit": "none"}, 0.762376),
    ],
)
def test_alpha_of_passonneau_2004_is_reproduced(newswire, options, expected):
    assert alpha(newswire, **options).value == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("a", "b", "unit", "expected"),
    [
        ("CH", "CHJK", "C", "subsumption"),
        ("GJK", "CHJK", "J", "intersection"),
        ("GK", "CHJK", "K", "disjunction"),
        ("AD", "AD", "A", "identity"),
        ("C", "CH", "C", "subsumption"),
    ],
)
def test_relations_of_passonneau_2004_exclude_unit(a, b, unit, expected):
    assert relation(frozenset(a), frozenset(b), unit=unit) == expected
    assert relation(frozenset(b), frozenset(a), unit=unit) == expected


def test_relations_of_labels_and_of_sets_with_unit():
    assert relation(frozenset("GK"), frozenset("CHJK")) == "intersection"
    assert relation(frozenset("GK"), frozenset("CHJ")) == "disjunction"
    assert relation("place", "place") == "identity"
    assert relation("place", "none", unit="place") == "category"
    assert relation("place", frozenset(["place"])) == "category"


# Passonneau 2006: two coders' sets for x, y and z
FIGURE_2 = [("xy", "xyz"), ("xy", "xyz"), ("z", "xyz")]
FIGURE_3 = [("xy", "x"), ("xy", "yz"), ("z", "yz")]


@pytest.mark.parametrize(
    ("figure", "name", "expected"),
    [
        (FIGURE_2, "jaccard", Fraction(5, 9)),
        (FIGURE_2, "masi", Fraction(10, 27)),
        (FIGURE_3, "jaccard", Fraction(4, 9)),
        (FIGURE_3, "masi", Fraction(7, 27)),  # 6/27 in print, from two Jaccard values that the text misstates
    ],
)
def test_mean_similarities_of_masi_2006_figures_are_reproduced(figure, name, expected):
    similarities = [1 - distance(frozenset(a), frozenset(b), name) for a, b in figure]
    assert sum(similarities) / 3 == pytest.approx(float(expected))


@pytest.mark.parametrize(
    ("name", "exclude_unit", "expected"),
    [
        ("jaccard", "observed", -0.4444),
        ("masi-product", "observed", 0.1386),
        ("nominal", "observed", -0.4444),
        ("nominal", "both", 0.0),
    ],
)
def test_alpha_of_masi_2006_table_1_spans_is_reproduced(name, exclude_unit, expected):
    everything = frozenset(range(1, 8))
    first = [frozenset({1, 2, 3, 4})] * 4 + [frozenset({5, 7}), frozenset({6}), frozenset({5, 7})]
    data = one_document({span: [value, everything] for span, value in enumerate(first, 1)})
    result = alpha(data, name, exclude_unit=exclude_unit, thirds="rounded")
    assert result.value == pytest.approx(expected, abs=5e-5)


def test_chains_of_poesio_artstein_2005_figure_1_are_reproduced():
    labels = partial(chain_labels, mode="full", top="chain")
    plain = labels("ABC", dict.fromkeys("ABC", "phrase"), {"B": {"A"}, "C": {"B"}})
    assert plain == dict.fromkeys("ABC", frozenset("ABC"))
    ambiguous = labels("DEF", dict.fromkeys("DEF", "phrase"), {"F": {"D", "E"}})
    assert ambiguous == {"D": frozenset("DF"), "E": frozenset("EF"), "F": frozenset("DEF")}


@pytest.mark.parametrize("direct", [True, False])
def test_direct_and_indirect_discourse_antecedents_give_one_chain(direct):
    # Poesio & Artstein 2005, example 2: the second "that" points to the turn, or to the first "that"
    pointers = {"that 1": {"turn 3"}, "that 2": {"turn 3" if direct else "that 1"}}
    values = chain_labels(
        ["that 1", "that 2"], {"that 1": "segment", "that 2": "segment"}, pointers, discourse=["turn 3"]
    )
    assert values == dict.fromkeys(pointers, frozenset(["that 1", "that 2", "turn 3"]))


def ten_units(unanimous, last):
    return [[label] * len(last) for label in unanimous] + [list(last)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (ten_units("AAABBBCCC", "AB"), 0.849624),
        (ten_units("AAAAAAAAA", "BC"), 0.459459),
        # three coders: the slides count the last unit as no agreement at all, and so does K
        (ten_units("AAABBBCCC", "ABC"), 0.85),
        (ten_units("AAAAAAAAA", "ABC"), 0.210526),
    ],
)
def test_k_of_reliability_slides_is_reproduced(rows, expected):
    assert fleiss_kappa(one_document(rows)).value == pytest.approx(expected, abs=5e-7)
