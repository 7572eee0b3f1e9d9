"""The search in the manuals."""

import pytest

from annotations.help.search import EXCERPT_LENGTH, MAX_RESULTS, search


def test_section_titled_with_query_comes_first():
    assert search("antecedent")[0].section.title == "Antecedent"
    assert search("Jaccard distance")[0].section.title == "Jaccard distance"


def test_results_have_all_words_in_any_case():
    matches = search("UNDO chains")
    assert matches
    for match in matches:
        text = f"{match.section.title} {match.section.text}".casefold()
        assert "undo" in text
        assert "chains" in text


def test_excerpt_marks_words_of_query():
    excerpts = [match.excerpt for match in search("weight of an SCU")]
    assert any({"weight", "scu"} <= {words.casefold() for words, marked in excerpt if marked} for excerpt in excerpts)
    assert all(sum(len(words) for words, _ in excerpt) < EXCERPT_LENGTH + 10 for excerpt in excerpts)


@pytest.mark.parametrize("query", ["", "   ", "??", "zyzzyva", "undo zyzzyva"])
def test_unmatched_query_finds_nothing(query):
    assert search(query) == []


def test_number_of_results_is_limited():
    assert len(search("a")) == MAX_RESULTS
    assert search("text " * 1000)
