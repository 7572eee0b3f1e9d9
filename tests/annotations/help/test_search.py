"""The search in the manuals."""

import pytest

from annotations.help.search import EXCERPT_LENGTH, MAX_RESULTS, search


def test_a_heading_with_the_word_comes_first():
    assert search("antecedent")[0].section.title == "Antecedent"
    assert search("Jaccard distance")[0].section.title == "Jaccard distance"


def test_every_word_occurs_in_each_section_in_any_case():
    matches = search("UNDO chains")
    assert matches
    for match in matches:
        text = f"{match.section.title} {match.section.text}".casefold()
        assert "undo" in text
        assert "chains" in text


def test_the_words_are_marked_in_the_excerpt():
    excerpts = [match.excerpt for match in search("weight of an SCU")]
    assert any({"weight", "scu"} <= {words.casefold() for words, marked in one if marked} for one in excerpts)
    assert all(sum(len(words) for words, _ in one) < EXCERPT_LENGTH + 10 for one in excerpts)


@pytest.mark.parametrize("query", ["", "   ", "??", "zyzzyva", "undo zyzzyva"])
def test_without_a_word_or_a_section_nothing_is_found(query):
    assert search(query) == []


def test_the_results_are_bounded():
    assert len(search("a")) == MAX_RESULTS
    assert search("text " * 1000)
