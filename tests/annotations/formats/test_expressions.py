"""Searching headers with regular expressions from strangers."""

import re
import time
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotations.formats import boundary
from annotations.formats.boundary import NotUnderstood, matches

DUC = r"[-]*\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]*\n"


def found(pattern: str, text: str) -> list[str]:
    return [text[start:end] for start, end in matches(pattern, text)]


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
        ("a{2,}", "a aa aaa", ["aa", "aaa"]),
        ("xa{1,2}", "x xa xaaa", ["xa", "xaa"]),
        ("x[^ab]", "xaxbx.x\n", ["x.", "x\n"]),
        (r"x[\d\]-]", "x1x]x-xa", ["x1", "x]", "x-"]),
        (r"x[a-c\-]", "xaxcx-xd", ["xa", "xc", "x-"]),
        (r"\D\w\S", "1a_! ", ["a_!"]),
        ("x.", "x\nx\rx\u2028x\x85xa", ["xa"]),
        (r"\$\(\)\.", "$().", ["$()."]),
        (r"x\t", "x\t", ["x\t"]),
        ("x]}", "x]}", ["x]}"]),
        ("ש+", "ששa𝒳", ["שש"]),
    ],
)
def test_simple_expressions_find_what_they_say(pattern, text, expected):
    assert found(pattern, text) == expected


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("(a+)+$", r"'\(' is not understood at its place 1"),
        ("a|b", r"'\|' is not understood at its place 2"),
        (r"(a)\1", "is not understood"),
        (r"a\1", r"'\\1' is not understood"),
        (r"a\b", r"'\\b' is not understood"),
        (r"\pL", r"'\\p' is not understood"),
        ("a\\", r"'\\' is not understood"),
        ("a$b", r"'\$' is not understood at its place 2"),
        ("a^b", r"'\^' is not understood at its place 2"),
        ("*a", r"'\*' is not understood at its place 1"),
        ("a{b", r"'\{' is not understood at its place 2"),
        ("a+?b", "lazy and possessive"),
        ("a++b", "lazy and possessive"),
        ("a{2}{3}", "lazy and possessive"),
        ("[a", "a class is not closed"),
        ("[]", "a class is empty"),
        ("[b-a]", "ends before it begins"),
        (r"[a-\d]", "no first or no last"),
        ("[a[b]]", r"'\[' is not understood within a class"),
        ("[a-z&&[b]]", "'&' is not understood within a class"),
        ("a{3,2}", "is no number of times"),
        ("a{0}", "is no number of times"),
        ("a{999}", "more than 64 steps"),
        ("a" * 65, "more than 64 steps"),
        ("a{60}b{60}", "more than 64 steps"),
        ("a" * 201, "more than 200 characters"),
        ("a*", "found everywhere"),
        ("", "found everywhere"),
        ("^$", "found everywhere"),
    ],
)
def test_other_expressions_are_refused_with_the_reason(pattern, reason):
    with pytest.raises(NotUnderstood, match=reason):
        matches(pattern, "aaaa")


@pytest.mark.parametrize(
    ("pattern", "text", "reason"),
    [
        ("a", "a" * 1001, "more than 1000 times"),
        ("a+", "a" * 1500, "longer than 1000"),
        ("ba*c", f"b{'a' * 1500}c", "longer than 1000"),
        ("a", "b" * 200_001, "200,000 characters"),
    ],
)
def test_what_finds_too_much_is_refused(pattern, text, reason):
    with pytest.raises(NotUnderstood, match=reason):
        matches(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 200_000 + "b"),
        ("(a|a)*$", "a" * 200_000 + "b"),
        ("(.*a){20}", "a" * 200_000),
        ("a*" * 31 + "b", "a" * 200_000),
        ("[ab]*[ab]*[ab]*c", "ab" * 100_000),
        ("a?" * 31 + "a" * 31 + "b", "a" * 200_000),
        (".+x", "a" * 200_000),
        ("[^z]{60}z", "".join(chr(0x4E00 + number % 20_000) for number in range(200_000))),
        ("a[^z]*z", "a" * 200_000),
    ],
)
def test_an_expression_that_would_run_for_ever_ends(pattern, text):
    started = time.process_time()
    with suppress(NotUnderstood):
        assert matches(pattern, text) == []
    assert time.process_time() - started < 10


def test_a_class_is_inverted_up_to_the_last_character():
    assert boundary._inverse(boundary._inverse(boundary.WORDS)) == boundary.WORDS
    assert boundary._inverse((("\0", boundary.LAST),)) == ()
    assert found("[^a]", "\U0010ffff\0a") == ["\U0010ffff", "\0"]


ATOMS = st.sampled_from(["a", "b", "[ab]", "[^a]", "-", r"\n", ".", "[a-b-]", r"\s", r"\W"])
TIMES = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "{2,}"])


@settings(deadline=None, max_examples=300)
@given(
    st.lists(st.tuples(ATOMS, TIMES).map("".join), min_size=1, max_size=5).map("".join),
    st.booleans(),
    st.booleans(),
    st.text("ab-\n ", max_size=14),
)
def test_the_earliest_longest_matches_are_found_that_a_search_by_trial_finds(pattern, line_start, line_end, text):
    expected, start = [], 0
    while start < len(text):
        ends = [
            end
            for end in range(start + 1, len(text) + 1)
            if re.fullmatch(pattern, text[start:end])
            and (not line_start or start == 0 or text[start - 1] == "\n")
            and (not line_end or end == len(text) or text[end] == "\n")
        ]
        if ends:
            expected.append((start, max(ends)))
        start = max(ends, default=start + 1)
    whole = "^" * line_start + pattern + "$" * line_end
    if re.fullmatch(pattern, ""):
        with pytest.raises(NotUnderstood, match="found everywhere"):
            matches(whole, text)
    else:
        assert matches(whole, text) == expected


@settings(deadline=None)
@given(st.text(st.sampled_from("ab[](){}*+?|^$\\-.,1290n")), st.text("ab1\n", max_size=8))
def test_any_expression_is_searched_or_refused(pattern, text):
    try:
        places = matches(pattern, text)
    except NotUnderstood:
        return
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
