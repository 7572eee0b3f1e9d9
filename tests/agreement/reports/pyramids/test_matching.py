"""Matching of SCUs and kinds of differences, against an exhaustive search."""

import random
from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from agreement.data.pyramids import DocsetInfo, PyramidAnnotation
from agreement.reports.pyramids import KINDS, PyramidByWords, compare_pyramids
from annotations.coding.pyramids.pyramid_rules import Contributor
from tests.shared.cases import cases
from tests.shared.growth import assert_grows_with_input

N_WORDS = 12
# Each word is three characters long, and a space follows.
SPANS = [(4 * place, 4 * place + 3) for place in range(N_WORDS)]
DOCSET = DocsetInfo(1, "d", "D", 1, ("one", "two"), ((0, 23), (24, 47)))


def pyramid(scus, agreed=False):
    """Return the pyramid of these SCUs: lists of contributors, each a set of the places of words."""
    contributors = [
        Contributor(f"{key}{number}", [[4 * word, 4 * word + 3] for word in sorted(words)], (key,))
        for key, several in scus.items()
        for number, words in enumerate(several)
    ]
    labels = {key: key.upper() for key in scus}
    return PyramidByWords(PyramidAnnotation(DOCSET, "ann", agreed, True, tuple(contributors), labels), SPANS)


def random_scus(rng, prefix):
    """Return up to five SCUs of up to three contributors, some of them empty."""
    return {
        f"{prefix}{number}": [
            frozenset(rng.sample(range(N_WORDS), rng.randint(1, 4))) for _ in range(rng.randint(0, 3))
        ]
        for number in range(rng.randint(1, 5))
    }


def assignments(first, second):
    """Yield every one-to-one assignment of SCUs that share words."""
    small, large, turned = (first, second, False) if len(first) <= len(second) else (second, first, True)
    for chosen in permutations(large, len(small)):
        pairs = zip(small, chosen, strict=True)
        yield {(b, a) if turned else (a, b) for a, b in pairs if small[a] & large[b]}


def best_pairs(first, second):
    """Return all sets of pairs with the largest sum of Jaccard coefficients, in fractions."""
    found = {}
    for pairs in assignments(first, second):
        total = sum((Fraction(len(first[a] & second[b]), len(first[a] | second[b])) for a, b in pairs), Fraction())
        found.setdefault(total, set()).add(frozenset(pairs))
    return found[max(found)]


def scus_holding(words, scus):
    """Return the SCUs with at least half of the words, of which none has more."""
    most = max((len(words & own) for own in scus.values()), default=0)
    return {key for key, own in scus.items() if own and len(words & own) == most and 2 * most >= len(words)}


def expected_kinds(agreed, own, pairs):
    """Return the number of differences of each kind, counted from the sets."""
    sets = [{key: frozenset().union(*several) for key, several in side.items() if several} for side in (agreed, own)]
    forth, back = dict(pairs), {b: a for a, b in pairs}
    kinds = Counter()
    for side, other, names, partners in ((0, 1, ("missing", "fused"), forth), (1, 0, ("extra", "split"), back)):
        for key in sets[side].keys() - partners.keys():
            kinds[names[bool(scus_holding(sets[side][key], sets[other]))]] += 1
    for key, partner in forth.items():
        rest = {name: words for name, words in sets[1].items() if name != partner}
        for words in agreed[key]:
            if not words & sets[1][partner]:
                inside = scus_holding(words, rest)
                if not inside:
                    kinds["omitted"] += 1
                elif min(inside) in back:
                    kinds["elsewhere"] += 1
            elif words - sets[1][partner]:
                kinds["shorter"] += 1
        rest = {name: words for name, words in sets[0].items() if name != key}
        for words in own[partner]:
            if not words & sets[0][key]:
                kinds["added"] += not scus_holding(words, rest)
            elif words - sets[0][key]:
                kinds["longer"] += 1
    return {kind: kinds[kind] for kind in KINDS}


def kinds_of(comparison):
    kinds = Counter(difference.kind for difference in comparison.differences)
    return {kind: kinds[kind] for kind in KINDS}


@pytest.mark.parametrize("seed", cases(range(60), full=range(60, 1000)))
def test_matching_equals_exhaustive_search(seed):
    rng = random.Random(seed)
    agreed, own = random_scus(rng, "a"), random_scus(rng, "c")
    sides = [pyramid(agreed, agreed=True), pyramid(own)]
    sets = [{key: frozenset().union(*several) for key, several in side.items() if several} for side in (agreed, own)]
    found = compare_pyramids(*sides)
    pairs = frozenset(found.partners.items())
    assert pairs in best_pairs(*sets)
    assert [side.n_empty for side in sides] == [sum(not several for several in side.values()) for side in (agreed, own)]
    counts = found.counts
    assert (counts.agreed, counts.own, counts.matched) == (len(sets[0]), len(sets[1]), len(pairs))
    assert counts.identical == sum(sets[0][a] == sets[1][b] for a, b in pairs)
    assert (counts.agreed_words, counts.own_words) == tuple(sum(map(len, side.values())) for side in sets)
    assert counts.matched_words == sum(len(sets[0][a] & sets[1][b]) for a, b in pairs)
    assert kinds_of(found) == expected_kinds(agreed, own, pairs)


def test_random_pyramids_have_every_kind_of_difference():
    kinds = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        kinds.update(kinds_of(compare_pyramids(pyramid(random_scus(rng, "a")), pyramid(random_scus(rng, "c")))))
    assert set(+kinds) == set(KINDS)


@pytest.mark.parametrize(
    ("agreed", "own", "kind"),
    [
        ({"a": [{0, 1}], "b": [{6, 7}]}, {"c": [{0, 1}]}, "missing"),
        ({"a": [{0, 1, 2}], "b": [{6}]}, {"c": [{0, 1, 2}, {6}]}, "fused"),
        ({"a": [{0, 1, 2}, {6}]}, {"c": [{0, 1, 2}], "d": [{6}]}, "split"),
        ({"a": [{0, 1}]}, {"c": [{0, 1}], "d": [{8}]}, "extra"),
        ({"a": [{0, 1}, {6}], "b": [{2, 3}]}, {"c": [{0, 1}], "d": [{2, 3}, {6}]}, "elsewhere"),
        ({"a": [{0, 1}, {6}]}, {"c": [{0, 1}]}, "omitted"),
        ({"a": [{0, 1}]}, {"c": [{0, 1}, {6}]}, "added"),
        ({"a": [{0, 1, 2}]}, {"c": [{0, 1}]}, "shorter"),
        ({"a": [{0, 1}]}, {"c": [{0, 1, 2}]}, "longer"),
    ],
)
def test_minimal_pyramids_have_one_kind_of_difference(agreed, own, kind):
    found = kinds_of(compare_pyramids(pyramid(agreed), pyramid(own)))
    assert {name for name, number in found.items() if number} == {kind}
    assert found[kind] == 1


def test_matching_ignores_order_of_scus_and_contributors():
    for seed in range(20):
        rng = random.Random(seed)
        agreed, own = random_scus(rng, "a"), random_scus(rng, "c")
        turned = [{key: side[key][::-1] for key in reversed(side)} for side in (agreed, own)]
        first, second = (compare_pyramids(pyramid(side), pyramid(other)) for side, other in ((agreed, own), turned))
        assert (first.counts, first.partners) == (second.counts, second.partners)
        assert kinds_of(first) == kinds_of(second)


@pytest.mark.slow
def test_time_is_linear_in_contributors():
    spans = [(4 * place, 4 * place + 3) for place in range(80_000)]
    docset = DocsetInfo(1, "d", "D", 1, ("one",), ((0, 320_000),))

    def long_pyramid(n, prefix, shift):
        contributors = tuple(
            Contributor(
                f"{prefix}{number}", [[4 * (number + shift), 4 * (number + shift) + 3]], (f"{prefix}{number % 9}",)
            )
            for number in range(n)
        )
        labels = {f"{prefix}{number}": "" for number in range(9)}
        return PyramidAnnotation(docset, "ann", False, True, contributors, labels)

    def compare(n):
        sides = [PyramidByWords(long_pyramid(n, *side), spans[: n + 1]) for side in (("a", 0), ("c", 1))]
        assert compare_pyramids(*sides).counts.matched_words == n - 1

    assert_grows_with_input(compare, 40_000)
