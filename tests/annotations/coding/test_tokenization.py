import pytest

from annotations.coding.markables.tokenization import token_spans


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("The ferry sank, at dawn.", ["The", "ferry", "sank", "at", "dawn"]),
        ("They don't, the U.S. won't.", ["They", "don't", "the", "U.S", "won't"]),
        ("2,500 people; 3.5% -- a walk-out", ["2,500", "people", "3.5", "a", "walk-out"]),
        ("end-\nof", ["end", "of"]),
        ("", []),
        (" \n-- ...", []),
        ("naïve cafe\u0301s", ["naïve", "cafe\u0301s"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("السَّلام عليكم", ["السَّلام", "عليكم"]),
        ("東京は雨", ["東", "京", "は", "雨"]),
        ("abc東", ["abc", "東"]),
        ("😀 ok", ["ok"]),
    ],
)
def test_words_are_runs_of_letters_digits_and_joiners(content, expected):
    assert [content[start:end] for start, end in token_spans(content)] == expected
