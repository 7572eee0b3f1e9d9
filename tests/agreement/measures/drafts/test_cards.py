"""What adjudication has to decide of a draft."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import Readings, ReliabilityData, cards, consensus, index_labels
from tests.agreement.measures.strategies import chain_tables, data_of, one_document
from tests.shared.cases import examples


def sets_of(value):
    if isinstance(value, Readings):
        return value.sets
    return {value} if isinstance(value, frozenset) else set()


def joined(column, first, second):
    """Say whether one coder has each of two units in the value of the other."""
    return all(
        any(unit in members for members in sets_of(column[other])) for unit, other in ((first, second), (second, first))
    )


def as_given(table, documents):
    data = data_of(table, documents)
    values = [data.value(code) for code in range(data.n_values)]
    rows = [[None if code < 0 else values[code] for code in row] for row in data.codes.tolist()]
    return data, dict(zip(data.units, rows, strict=True))


@examples(150)
@given(chain_tables(), st.sampled_from(["most", "agreed", "empty"]))
def test_cards_cover_contested_units_and_their_entities(drawn, method):
    data, given_rows = as_given(*drawn)
    draft = consensus(data, method)
    found = cards(data, draft)
    assert {unit for card in found for row in card.rows if row.contested for unit in row.units} == set(draft.contested)
    for card in found:
        units = [unit for row in card.rows for unit in row.units]
        assert len(units) == len(set(units))
        assert any(row.contested for row in card.rows)
        if card.entity is None:
            assert len(card.rows) == 1
            assert not sets_of(card.rows[0].draft)
        else:
            assert set(units) == card.entity & given_rows.keys()
    entities = {entity for unit in draft.contested for entity in sets_of(draft.values.get(unit))}
    assert {card.entity for card in found} - {None} == entities


@examples(150)
@given(chain_tables(), st.sampled_from(["most", "agreed"]))
def test_row_has_units_that_no_coder_separates(drawn, method):
    data, given_rows = as_given(*drawn)
    for card in cards(data, consensus(data, method)):
        for row in card.rows:
            for unit in row.units[1:]:
                columns = list(zip(given_rows[row.units[0]], given_rows[unit], strict=True))
                assert all((first is None) == (other is None) for first, other in columns)
                for column, pair in enumerate(columns):
                    coding = {name: values[column] for name, values in given_rows.items()}
                    assert pair[0] == pair[1] or joined(coding, row.units[0], unit)


@examples(100)
@given(chain_tables(ambiguous=False))
def test_some_coder_separates_rows_of_entity(drawn):
    data, given_rows = as_given(*drawn)
    for card in cards(data, consensus(data)):
        answers = [{tuple(given_rows[unit]) for unit in row.units} for row in card.rows]
        assert len(set().union(*answers)) == len(card.rows)
        assert all(len(of_row) == 1 for of_row in answers)


@examples(100)
@given(chain_tables(ambiguous=False))
def test_row_answers_follow_values_of_coders(drawn):
    data, given_rows = as_given(*drawn)
    draft = consensus(data)
    entities = {value for value in draft.values.values() if isinstance(value, frozenset)}
    for card in cards(data, draft):
        columns = [data.coders.index(coder) for coder in card.coders]
        answered = different = 0
        for row in (*card.rows, *card.elsewhere):
            for unit in row.units:
                for column, answer in zip(columns, row.answers, strict=True):
                    own = given_rows[unit][column]
                    assert isinstance(answer, frozenset) == isinstance(own, frozenset)
                    assert answer == own or (answer in entities and answer & own)
            assert row.contested == any(answer != row.draft for answer in row.answers) or row.draft is None
            assert dict(row.votes) == {answer: row.answers.count(answer) for answer in row.answers}
        for row in card.rows:
            answered += len(row.units) * len(row.answers)
            different += len(row.units) * sum(answer != row.draft for answer in row.answers)
        assert card.disagreement == float(Fraction(different, answered))
        for row in card.elsewhere:
            assert row.draft != card.entity
            assert card.entity in row.answers


def test_most_contested_entities_come_first():
    ids = [[1, 1, 1], [1, 1, 1], [1, 1, 2], [3, 3, 3], [3, 5, 6], [3, 3, 3], [7, 7, 7]]
    chains = ReliabilityData.from_chain_ids(ids, ["text"] * 7)
    rows = [[chains.value(code) for code in row] for row in chains.codes.tolist()]
    rows += [["place", "none", "place"], ["none"] * 3, ["place", "none", frozenset({9})]]
    found = cards(one_document(rows), consensus(one_document(rows)))
    shown = [(card.entity and sorted(card.entity), [row.units for row in card.rows]) for card in found]
    assert shown == [
        ([4], [(4,)]),
        ([0, 1, 2], [(0, 1), (2,)]),
        (None, [(7,)]),
        (None, [(9,)]),
    ]
    assert [card.disagreement for card in found] == [1 / 3, 1 / 9, 1 / 3, 1.0]
    assert [row.contested for row in found[1].rows] == [False, True]
    assert found[1].rows[1].votes == {frozenset({0, 1, 2}): 2, frozenset({2}): 1}


def test_card_shows_units_that_some_coder_put_into_entity():
    ids = [[1, 1, 1], [1, 1, 1], [2, 2, 1], [1, 3, 1]]
    data = ReliabilityData.from_chain_ids(ids, ["text"] * 4)
    first, second = cards(data, consensus(data))
    assert (first.entity, [row.units for row in first.elsewhere]) == (frozenset({2}), [])
    assert (second.entity, [row.units for row in second.elsewhere]) == (frozenset({0, 1, 3}), [(2,)])
    assert second.elsewhere[0].answers == (frozenset({2}), frozenset({2}), second.entity)
    # a chain that is no entity of the draft stays as it is
    assert second.rows[1].answers == (second.entity, frozenset({3}), second.entity)


def test_card_has_coders_of_its_document():
    table = {"A": ["x", None, "y"], "B": ["x", "y", "x"]}
    found = cards(data_of(table, {"A": "one", "B": "other"}), consensus(data_of(table, {"A": "one", "B": "other"})))
    assert [(card.document, card.coders, card.rows[0].answers) for card in found] == [
        ("one", ("A", "C"), ("x", "y")),
        ("other", ("A", "B", "C"), ("x", "y", "x")),
    ]


def test_ambiguous_unit_is_on_cards_of_all_its_entities():
    values = index_labels("DEF", {"D": {1}, "E": {2}, "F": {1, 2}}, readings="matched")
    single = index_labels("DEF", {"D": {1}, "E": {2}, "F": {2}})
    data = one_document({unit: [values[unit], values[unit], single[unit]] for unit in "DEF"})
    found = cards(data, consensus(data))
    assert [(sorted(card.entity), [row.units for row in card.rows]) for card in found] == [
        (["D", "F"], [("D",), ("F",)]),
        (["E", "F"], [("E",), ("F",)]),
    ]
    assert found[0].rows[1].answers == (values["F"], values["F"], values["E"])


def test_cards_refuse_draft_of_other_data():
    draft = consensus(one_document({"A": ["x"], "B": ["x"]}))
    with pytest.raises(ValueError, match="'B' of the draft is no unit of the data"):
        cards(one_document({"A": ["x"]}), draft)
