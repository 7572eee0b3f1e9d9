"""The canonical form of the data: Tables 1 and 2 of Passonneau 2004, and other schemes."""

import pytest

from agreement.data.reading import read_answers
from agreement.measures import alpha
from agreement.reports.parameters import Parameters
from agreement.results.data import build_canonical_form
from annotations.models import Category, Coding
from tests.shared.agreeing import answer_indices, coded_project, convention, hand_in
from tests.shared.coding import judge
from tests.shared.schemes import change_rows

# Table 1: for each token the indices of three coders, 0 for NIL; Table 2: the integers.
TOKENS = "ABCDEFGHJKL"
TABLE_1 = ["111", "222", "333", "111", "222", "222", "444", "353", "403", "443", "222"]
TABLE_2 = [
    [1, 1, 1], [2, 2, 2], [4, 5, 3], [1, 1, 1], [2, 2, 2], [2, 2, 2], [6, 7, 8], [4, 9, 3], [6, 10, 3], [6, 7, 3],
    [2, 2, 2],
]  # fmt: skip
VALUES = ["AD", "BEFL", "CHJK", "CH", "C", "GJK", "GK", "G", "H", "J"]
CODERS = ("ra1", "ra2", "ra3")


@pytest.fixture
def newswire(db):
    project = coded_project("wire", "passonneau-2004", " ".join(f"[{name}]({name})" for name in TOKENS), coders=CODERS)
    for coding in Coding.objects.of_people().select_related("coder"):
        answer_indices(coding, TOKENS, " ".join(row[CODERS.index(coding.coder.username)] for row in TABLE_1))
    return hand_in(project)


def test_canonical_form_reproduces_tables_of_paper(newswire):
    form = build_canonical_form(read_answers(newswire), convention(newswire))
    assert form.data.coders == CODERS
    raw = [[cell.replace("none", "0") for cell in row] for row in form.raw_answers(range(11))]
    assert raw == [list(row) for row in TABLE_1]
    assert form.numbers.tolist() == TABLE_2
    values = [form.value(number) for number in range(1, 11)]
    assert ["".join(TOKENS[form.row_of[unit] - 1] for unit in sorted(value)) for value in values] == VALUES
    assert form.judgements_by_value.tolist() == [0, 6, 12, 4, 2, 1, 3, 2, 1, 1, 1]
    assert round(alpha(form.data).value, 6) == 0.449541


def test_non_singleton_none_is_value_of_its_own(newswire):
    change_rows(Category.objects.all(), singleton=False)
    form = build_canonical_form(read_answers(newswire), convention(newswire))
    assert form.data.n_values == 10
    assert form.value(10) == "none"
    # what ra2 called NIL is no set any more
    assert form.numbers[TOKENS.index("J")].tolist() == [6, 10, 3]
    assert alpha(form.data).value == alpha(form.data.to_frame()).value


def test_raw_answers_show_rows_of_targets_and_missing_pointer(project, codings, keys):
    judge(codings["alice"], keys["b"], "phrase", keys["a"])
    judge(codings["alice"], keys["c"], "phrase", keys["a"], keys["b"])
    judge(codings["bob"], keys["b"], "phrase")
    judge(codings["bob"], keys["c"], "place")
    form = build_canonical_form(read_answers(hand_in(project)), Parameters(unmarked="missing"))
    row = {key: form.row_of[unit] - 1 for unit, key in zip(form.data.units, "abcde", strict=False)}
    answers = form.raw_answers(range(len(form.data.units)))
    assert answers[row["b"]] == ["phrase: 1", "phrase?"]
    assert answers[row["c"]] == ["phrase: 1, 2", "place"]
    assert form.numbers[row["b"]].tolist()[1] == 0
