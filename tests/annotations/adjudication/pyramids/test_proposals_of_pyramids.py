"""Proposals of agreed pyramids: rules checked on random pyramids, and small examples."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations.adjudication.proposal import Item, Method
from annotations.adjudication.pyramid_proposal import PyramidContent, PyramidProposal, Summaries, propose_pyramid
from annotations.coding.decisions import Description
from annotations.coding.pyramids.pyramid_rules import Contributor, PyramidOptions, held_words, pyramid_violations
from annotations.formats.model.keys import markable_key
from tests.shared.cases import examples

# Two summaries of six words: each of one letter, with a space after it.
WORDS = [(place, place + 1) for place in range(0, 24, 2)]
SPANS = [(0, 11), (12, 23)]
STRICT, FREE = PyramidOptions(True, True), PyramidOptions(False, False)


def summaries(options: PyramidOptions = STRICT) -> Summaries:
    return Summaries(SPANS, WORDS, options)


def key_of(words: Sequence[int]) -> str:
    """Return the key of the contributor with these words, given in text order."""
    parts: list[list[int]] = []
    for word in words:
        start, end = WORDS[word]
        if parts and parts[-1][1] + 1 == start:
            parts[-1][1] = end
        else:
            parts.append([start, end])
    return markable_key("contributor", parts)


def pyramid(scus: dict[str, list[list[int]]]) -> PyramidContent:
    """Return the pyramid of SCUs with the words of each contributor; a label is the key up to its dash."""
    of_key: dict[str, list[str]] = {}
    parts = {}
    for scu, contributors in scus.items():
        for words in contributors:
            key = key_of(words)
            of_key.setdefault(key, []).append(scu)
            parts[key] = [list(map(int, part.split("-"))) for part in key.partition(":")[2].split(",")]
    found = tuple(Contributor(key, parts[key], tuple(keys)) for key, keys in of_key.items())
    return PyramidContent(found, {scu: Description(scu, scu.partition("-")[0]) for scu in scus})


def content(found: PyramidProposal | PyramidContent) -> list[list[list[int]]]:
    """Return the words of each contributor of each SCU, in text order, without keys."""
    scus: dict[str, list[list[int]]] = {}
    for unit in found.contributors:
        for scu in unit.scus:
            scus.setdefault(scu, []).append(sorted(held_words(WORDS, unit.parts)))
    return sorted(sorted(contributors) for contributors in scus.values())


@st.composite
def pyramids(draw: st.DrawFn, options: PyramidOptions, suffix: str = "") -> PyramidContent:
    """Draw a pyramid that keeps the rules of the options."""
    scus: dict[str, list[list[int]]] = {}
    free = set(range(len(WORDS)))
    for number in range(draw(st.integers(0, 4))):
        for first in (0, 6):
            for _ in range(draw(st.integers(0, 1 if options.one_contributor else 2))):
                choice = sorted(word for word in free if first <= word < first + 6)
                words = sorted(draw(st.sets(st.sampled_from(choice), min_size=1, max_size=3))) if choice else []
                contributors = scus.setdefault(f"{'abcd'[number]}{suffix}", [])
                if words and words not in contributors:
                    contributors.append(words)
                    if options.words_exclusive:
                        free -= set(words)
    return pyramid({scu: contributors for scu, contributors in scus.items() if contributors})


OPTIONS = [STRICT, PyramidOptions(False, True), PyramidOptions(True, False), FREE]
METHODS = [Method.MOST, Method.AGREED, Method.CODER, Method.EMPTY]
by_options = st.sampled_from(OPTIONS)


def propose(codings: Sequence[PyramidContent], options: PyramidOptions, method: Method, coder: int) -> PyramidProposal:
    return propose_pyramid(summaries(options), codings, method, coder if method is Method.CODER else None)


@examples(30)
@given(st.data(), by_options, st.sampled_from(METHODS))
def test_draft_keeps_pyramid_rules(data, options, method):
    codings = [data.draw(pyramids(options, f"-{n}")) for n in range(3)]
    # what coders did before an option was changed stays as it is, so that drafts meet it
    now = data.draw(by_options)
    found = propose(codings, now, method, 1)
    assert list(pyramid_violations(found.contributors, now, summaries=SPANS)) == []
    assert {key for unit in found.contributors for key in unit.scus} == {scu.scu for scu in found.descriptions}
    assert len({scu.scu for scu in found.descriptions}) == len(found.descriptions)
    assert len({item.markable for item in found.contested}) == len(found.contested)


@examples(30)
@given(st.data(), by_options, st.sampled_from([Method.MOST, Method.AGREED, Method.CODER]))
def test_identical_pyramids_are_drafted_without_contested_items(data, options, method):
    drawn = data.draw(pyramids(options))
    found = propose([drawn, drawn, drawn], options, method, 1)
    assert content(found) == content(drawn)
    assert [*found.contributors] == sorted(
        (Contributor(c.key, tuple(map(tuple, c.parts)), c.scus) for c in found.contributors), key=lambda c: c.parts
    )
    assert found.contested == ()


@examples(30)
@given(st.data(), by_options, st.sampled_from(METHODS))
def test_draft_does_not_depend_on_order_of_coders(data, options, method):
    codings = [data.draw(pyramids(options, f"-{n}")) for n in range(3)]
    found = propose(codings, options, method, 0)
    for order in ((1, 2, 0), (1, 0, 2)):
        assert propose([codings[n] for n in order], options, method, order.index(0)) == found


@examples(30)
@given(st.data(), by_options)
def test_method_coder_drafts_pyramid_of_that_coder(data, options):
    codings = [data.draw(pyramids(options, f"-{n}")) for n in range(3)]
    assert content(propose(codings, options, Method.CODER, 2)) == content(codings[2])


SAME = {"sank": [[0, 1], [6, 7]], "rescued": [[3]]}


def test_majority_decides_words_and_best_match_decides_labels():
    codings = [pyramid(SAME), pyramid(SAME), pyramid({"went down": [[0, 1, 2], [6, 7]]})]
    found = propose_pyramid(summaries(), codings, Method.MOST)
    assert content(found) == content(codings[0])
    assert [scu.label for scu in found.descriptions] == ["sank", "rescued"]
    # the third coder has a word more in the first contributor, and lacks the other SCU
    assert found.contested == (Item(key_of([0, 1]), "category"), Item(key_of([3]), "category"))


def test_method_agreed_needs_all_coders_and_contests_the_rest():
    codings = [pyramid(SAME), pyramid(SAME), pyramid({"went down": [[0, 1, 2], [6, 7]]})]
    found = propose_pyramid(summaries(), codings, Method.AGREED)
    assert content(found) == [[[0, 1], [6, 7]]]
    assert found.contested == (Item(key_of([0, 1]), "category"), Item(key_of([3]), "category"))


def test_overlapping_extra_contributors_are_contested_once():
    codings = [pyramid(SAME), pyramid(SAME | {"new": [[9, 10]]}), pyramid(SAME | {"more": [[9, 10, 11]]})]
    found = propose_pyramid(summaries(), codings, Method.AGREED)
    assert content(found) == content(codings[0])
    assert found.contested == (Item(key_of([9, 10, 11]), "category"),)


@pytest.mark.parametrize("method", [Method.EMPTY, Method.MOST])
def test_empty_draft_contests_all_contributors(method):
    codings = [pyramid({"one": [[0]]}), pyramid({"other": [[8]]}), PyramidContent((), {})]
    found = propose_pyramid(summaries(), codings, method)
    assert (found.contributors, found.descriptions) == ((), ())
    assert found.contested == (Item(key_of([0]), "category"), Item(key_of([8]), "category"))


def test_nested_scus_are_drafted_if_words_may_be_shared():
    nested = {"inner": [[0, 1]], "outer": [[0, 1, 2], [7]]}
    moved = {"inner": [[0, 1]], "outer": [[0, 1, 2], [8]]}
    found = propose_pyramid(summaries(FREE), [pyramid(nested), pyramid(nested), pyramid(moved)], Method.MOST)
    assert content(found) == content(pyramid(nested))
    assert found.contested == (Item(key_of([7]), "category"), Item(key_of([8]), "category"))
