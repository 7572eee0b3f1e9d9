"""Search for headers with untrusted regular expressions."""

import random
import re
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.formats.syntax.expressions import ExpressionError, find_matches
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

DUC = r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n"


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("--- model [0-9]+", "--- model 1\nA\n--- model 12\nB", ["--- model 1", "--- model 12"]),
        (DUC, "#4\n\n-----\n D07-B.M.100.H.G\n-----\n\nTalk", ["-----\n D07-B.M.100.H.G\n-----\n"]),
        (DUC, "#4\n\n-----\n D07-B.M.250.H.G\n-----\n\nTalk", []),
        ("^=+$", "==\na ==\n===\n", ["==", "==="]),
        ("(?m)^=+$", "a\n==", ["=="]),
        ("a?ab", "aab ab", ["aab", "ab"]),
        ("a{2}", "aaaaa", ["aa", "aa"]),
        ("xa{1,2}", "x xa xaaa", ["xa", "xaa"]),
        ("x[^ab]", "xaxbx.x\n", ["x.", "x\n"]),
        (r"x[\d\]-]", "x1x]x-xa", ["x1", "x]", "x-"]),
        (r"\D\w\S", "1a_! ", ["a_!"]),
        (r"\$\(\)\.", "$().", ["$()."]),
        ("ש+", "ששa𝒳", ["שש"]),
        ("[^a]", "\U0010ffff\0a", ["\U0010ffff", "\0"]),
        ("(Model|Summary) [0-9]+", "Model 1\nSummary 2", ["Model 1", "Summary 2"]),
        ("=.*?=", "== a = b =", ["==", "= b ="]),
        ("a|ab", "ab", ["a"]),
        (r"(?i)\bmodel\b", "Models MODEL", ["MODEL"]),
        (r"=(?s:.+)\z", "=\n=", ["=\n="]),
        ("a", "b" * 5000 + "a" + "b" * 5000, ["a"]),
        ("^b+$|c", f"a{'b' * 2001}\nc", ["c"]),
        ("ba*c", f"b{'a' * 20_000}c", []),
    ],
)
def test_expressions_find_expected_matches(pattern, text, expected):
    assert [text[start:end] for start, end in find_matches(pattern, text)] == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"(a)\1", r"RE2 refuses it: invalid escape sequence: \\1"),
        ("(?=a)b", r"RE2 refuses it: invalid perl operator: \(\?="),
        ("(?<=a)b", r"RE2 refuses it: invalid perl operator: \(\?<"),
        ("(?>a)b", "RE2 refuses it: invalid perl operator"),
        ("a++b", r"RE2 refuses it: bad repetition operator: \+\+"),
        ("a\\", r"RE2 refuses it: trailing \\"),
        ("*a", r"RE2 refuses it: no argument for repetition operator: \*"),
        ("(a", r"RE2 refuses it: missing \)"),
        ("[a", r"RE2 refuses it: missing \]"),
        ("[b-a]", "RE2 refuses it: invalid character class range: b-a"),
        ("a{3,2}", "RE2 refuses it: invalid repetition size"),
        ("((a{100}){100}){100}", "RE2 refuses it: invalid repetition size"),
        (r"\pL{1000}", "RE2 refuses it: pattern too large"),
        (r"\pL{5}", "it is too large"),
        ("a" * 201, "more than 200 characters"),
        ("a*", "it matches empty text"),
        ("", "it matches empty text"),
        ("^", "it matches empty text"),
        (r"a|\b", "it matches empty text"),
    ],
)
def test_unsupported_expressions_are_refused_with_reason(pattern, reason):
    with pytest.raises(ExpressionError, match=reason):
        find_matches(pattern, "aaaa é")


@pytest.mark.parametrize(
    ("pattern", "text", "reason"),
    [
        ("a", "a" * 1001, "more than 1000 times"),
        ("a+", "a" * 1001, "longer than 1000"),
        ("é+", "é" * 1001, "longer than 1000"),
        ("a+", "a" * 200_000, "longer than 1000"),
        ("ba*c", f"b{'a' * 1500}c", "longer than 1000"),
        ("a", "b" * 200_001, "200,000 characters"),
        (r"a\C", "aé", "parts of characters"),
        (r"\C", "é", "parts of characters"),
    ],
)
def test_excessive_matches_are_refused(pattern, text, reason):
    with pytest.raises(ExpressionError, match=reason):
        find_matches(pattern, text)


@pytest.mark.parametrize("filler", ["b", "é", "𝒳"])
def test_matches_are_found_anywhere_in_long_text(filler):
    places = [0, 999, 2500, 3501, 8007, 12_000, 19_999]
    text = list(filler * 20_000)
    for place in places:
        text[place] = "a"
    assert find_matches("a", "".join(text)) == [(place, place + 1) for place in places]
    assert find_matches(f"a{filler}*$|^a{filler}{{99}}", "".join(text)) == [(0, 100), (19_999, 20_000)]


LETTERS = "".join(random.Random(1).choices("ab", k=200_000))
HOSTILE = [
    ("(a+)+$", "a" * 199_999 + "b"),
    ("(a|a)*$", "a" * 199_999 + "b"),
    ("(.*a){20}", "a" * 200_000),
    ("a*" * 31 + "b", "a" * 200_000),
    ("[ab]*[ab]*[ab]*c", "ab" * 100_000),
    ("a?" * 31 + "a" * 31 + "b", "a" * 200_000),
    (".+x", "a" * 200_000),
    ("[^z]{60}z", "".join(chr(0x4E00 + number % 20_000) for number in range(200_000))),
    ("a[^z]*z", "a" * 200_000),
    # Each search sees as much of the text as it may, and finds one character.
    ("(?s)a.*z|a", "a" * 200_000),
    ("(?s)a(.*a.{40}){3}z|a", LETTERS),
]


@pytest.mark.parametrize(("pattern", "text"), HOSTILE)
def test_search_takes_linear_time(pattern, text):
    def search(length: int) -> None:
        with suppress(ExpressionError):
            find_matches(pattern, text[:length])

    assert_grows_with_input(search, 200_000)


ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", "-", r"\n", ".", "[a-b-]", r"\s", r"\W", "(a|ab)", "(a|b-)"])
TIMES = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{2,}", "*?", "+?", "??"])


@examples(300)
@given(
    st.lists(st.tuples(ATOMS, TIMES).map("".join), min_size=1, max_size=5),
    *(st.sampled_from(["", "^"]), st.sampled_from(["", "$"]), st.text("ab-\n é", max_size=14)),
)
def test_matches_equal_those_of_python(parts, line_start, line_end, text):
    whole = "".join([line_start, *parts, line_end])
    expected = [match.span() for match in re.finditer(whole, text, re.MULTILINE | re.ASCII)]
    if all(start < end for start, end in expected):
        assert find_matches(whole, text) == expected
    else:
        with pytest.raises(ExpressionError, match="it matches empty text"):
            find_matches(whole, text)


@examples(100)
@given(st.text(st.sampled_from("ab[](){}*+?|^$\\-.,1290nC")), st.text("ab1\né", max_size=8))
def test_random_expressions_are_searched_or_refused(pattern, text):
    try:
        places = find_matches(pattern, text)
    except ExpressionError:
        return
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(before[1] <= after[0] for before, after in pairwise(places))
