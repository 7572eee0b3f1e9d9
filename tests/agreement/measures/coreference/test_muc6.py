"""Which markables are the same by the rules of MUC-6."""

import pytest

from agreement.measures import KeyMarkable, match_muc6, muc

TEXT = "The Lowell Bay Port Authority, the city's largest dock operator, said it took a pier and the pier's rent."


def place(string, after=0):
    start = TEXT.index(string, after)
    return start, start + len(string)


def matched(key, response):
    """Return the matched pairs; key and response are one cluster each."""
    return match_muc6(TEXT, key, response, [list(key)], [list(response)])


@pytest.mark.parametrize(
    ("string", "matches"),
    [
        ("The Lowell Bay Port Authority", True),
        ("Lowell Bay Port Authority", True),
        ("Authority", True),
        ("The Lowell Bay Port", False),  # without the head
        ("Authority, the city's", False),  # beyond the markable
    ],
)
def test_response_must_contain_minimum_and_stay_within_markable(string, matches):
    key = {1: KeyMarkable(*place("The Lowell Bay Port Authority"), minimum="Authority")}
    assert (matched(key, {"r": place(string)}).pairs == {"r": 1}) is matches


def test_match_ignores_leading_articles():
    for key_string, string in [("a pier", "pier"), ("pier", "pier"), ("a pier", "a pier")]:
        key = {1: KeyMarkable(*place(key_string))}
        assert matched(key, {"r": place(string)}).pairs == {"r": 1}
    key = {1: KeyMarkable(*place("a pier"), minimum="a pier")}
    assert matched(key, {"r": place("pier")}).pairs == {"r": 1}


def test_minimum_may_have_alternatives_and_occur_twice():
    key = {1: KeyMarkable(*place("a pier and the pier"), minimum="rent|pier")}
    with pytest.raises(ValueError, match="the MIN 'rent' of markable 1 is not in it"):
        matched({1: KeyMarkable(*place("a pier"), minimum="rent")}, {})
    assert matched(key, {"r": place("the pier")}).pairs == {"r": 1}


def test_optional_markable_counts_only_if_response_has_it():
    key = {1: KeyMarkable(*place("it")), 2: KeyMarkable(*place("operator"), optional=True)}
    without = matched(key, {"r": place("it")})
    assert without.key == [{1}]
    with_it = matched(key, {"r": place("it"), "s": place("operator")})
    assert with_it.key == with_it.response == [{1, 2}]
    beyond = matched(key, {"r": place("it"), "s": place("dock operator")})
    assert (beyond.key, beyond.response) == ([{1}], [{1, ("response", "s")}])


def test_equal_strings_match_first_and_markables_match_once():
    whole = KeyMarkable(*place("the city's largest dock operator"), minimum="operator")
    key = {"long": whole, "short": KeyMarkable(*place("dock operator"), minimum="operator")}
    response = {"r": place("dock operator"), "s": place("the city's largest dock operator")}
    assert matched(key, response).pairs == {"r": "short", "s": "long"}
    assert matched(key, {"r": place("operator")}).pairs == {"r": "short"}
    assert len(matched({1: whole}, {"r": place("operator"), "s": place("dock operator")}).pairs) == 1


def test_muc6_recall_ignores_missing_optional_markables():
    key = {
        1: KeyMarkable(*place("it")),
        2: KeyMarkable(*place("operator"), optional=True),
        3: KeyMarkable(*place("rent")),
    }
    sides = match_muc6(TEXT, key, {"r": place("it"), "s": place("rent")}, [[1, 2, 3]], [["r", "s"]])
    score = muc(sides.key, sides.response)
    assert (score.recall, score.precision, score.f1) == (1.0, 1.0, 1.0)


def test_error_names_wrong_markable():
    with pytest.raises(ValueError, match=r"markable 1 is at 0 to 999 in a text of"):
        matched({1: KeyMarkable(0, 999)}, {})
    with pytest.raises(ValueError, match="2 is in a cluster and is no markable"):
        match_muc6(TEXT, {1: KeyMarkable(*place("it"))}, {}, [[1, 2]], [])
