"""Drafts of gold, against definitions over all pairs and all partitions."""

import random
import re
from itertools import combinations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agreement.measures import Readings, ReliabilityData, ceaf_m, consensus, index_labels
from benchmarks.adjudication import as_data, clusters, entities_of, simulate
from tests.agreement.measures.exact import Several, pair_votes, partitions
from tests.agreement.measures.strategies import chain_tables, data_of, one_document
from tests.shared.cases import examples
from tests.shared.growth import assert_grows_with_input

METHODS = ("most", "agreed", "coder", "empty")


def draft_of(data, method):
    return consensus(data, method, coder=data.coders[0] if method == "coder" else None)


def set_of(value):
    return value.members if isinstance(value, Readings) else value if isinstance(value, frozenset) else None


def as_exact(value):
    return Several(value.sets) if isinstance(value, Readings) else value


@examples(150)
@given(chain_tables(n_coders=1), st.integers(1, 4), st.sampled_from(["most", "agreed", "coder"]))
def test_draft_of_identical_codings_is_that_coding(drawn, n_coders, method):
    table, documents = drawn
    coding = {unit: row[0] for unit, row in table.items() if row[0] is not None}
    chains = {chain for value in coding.values() for chain in sets_of(value)}
    alone = {chain for value in coding.values() if len(sets_of(value)) == 1 for chain in sets_of(value)}
    # the chains of an ambiguous unit are known by the units that are in one alone
    assume(
        coding
        and chains == alone
        and all(chain in sets_of(coding[unit]) for chain in chains for unit in chain & coding.keys())
    )
    data = data_of({unit: row * n_coders for unit, row in table.items()}, documents)
    draft = draft_of(data, method)
    assert {unit: as_exact(value) for unit, value in draft.values.items()} == coding
    assert draft.contested == ()
    assert draft.objective == n_coders * len(joined_pairs(coding, documents))


def sets_of(value):
    return value.sets if isinstance(value, Several) else {value} if isinstance(value, frozenset) else set()


def joined_pairs(values, documents):
    """Return the pairs of nodes that a coding or draft joins."""
    table = {unit: [values.get(unit)] for unit in documents}
    return [pair for pair, vote in pair_votes(table, documents).items() if vote > 0]


@examples(100)
@given(chain_tables(), st.sampled_from(["most", "agreed", "empty"]), st.randoms(use_true_random=False))
def test_draft_ignores_order_and_names_of_coders(drawn, method, source):
    table, documents = drawn
    n_coders = len(next(iter(table.values()), []))
    order = source.sample(range(n_coders), n_coders)
    names = source.sample("STUVWXYZ", n_coders)
    permuted = {unit: [row[column] for column in order] for unit, row in table.items()}
    assert consensus(data_of(permuted, documents, names), method) == consensus(data_of(table, documents), method)


@examples(150)
@given(chain_tables(), st.sampled_from(METHODS))
def test_objective_sums_votes_of_joined_pairs(drawn, method):
    table, documents = drawn
    assume(table)
    draft = draft_of(data_of(table, documents), method)
    votes = pair_votes(table, documents)
    joined = joined_pairs({unit: as_exact(value) for unit, value in draft.values.items()}, documents)
    assert draft.objective == sum(votes[pair] for pair in joined if pair in votes)


@examples(100)
@given(chain_tables(ambiguous=False))
def test_no_coding_has_larger_objective_than_draft(drawn):
    table, documents = drawn
    data = data_of(table, documents)
    draft = consensus(data)
    votes = pair_votes(table, documents)
    clustered = {unit for unit, value in draft.values.items() if set_of(value) is not None}
    turns = {node for pair in votes for node in pair} - set(table)
    for column in range(len(data.coders)):
        coding = {unit: row[column] for unit, row in table.items()}
        joined = joined_pairs(coding, documents)
        assert draft.objective >= sum(votes[pair] for pair in joined if set(pair) <= clustered | turns)
    assert draft.objective >= 0


@examples(100)
@given(chain_tables(n_coders=3, ambiguous=False))
def test_no_move_or_merge_increases_objective(drawn):
    table, documents = drawn
    draft = consensus(data_of(table, documents))
    votes = pair_votes(table, documents)
    votes |= {(second, first): vote for (first, second), vote in votes.items()}
    entities = {value for value in draft.values.values() if isinstance(value, frozenset)}
    for entity in entities:
        for node in entity & table.keys():
            own = sum(votes[node, other] for other in entity - {node})
            assert own >= 0
            for other_entity in entities - {entity}:
                if documents[node] == documents[min(other_entity & table.keys())]:
                    assert own >= sum(votes[node, other] for other in other_entity)
    for first, second in combinations(entities, 2):
        assert sum(votes.get((node, other), 0) for node in first for other in second) <= 0


def best_and_found(codings):
    """Return the largest objective of all partitions, and that of the draft."""
    table = dict(enumerate(rows_of(codings)))
    votes = pair_votes(table, dict.fromkeys(table, "text"))
    draft = consensus(one_document(table))
    best = max(
        sum(vote for (first, second), vote in votes.items() if partition[first] == partition[second])
        for partition in partitions(list(table))
    )
    return best, draft.objective


def rows_of(codings):
    chains = [
        [frozenset(u for u, other in enumerate(coding) if other == number) for number in coding] for coding in codings
    ]
    return list(zip(*chains, strict=True))


def test_drafts_of_random_chains_are_nearly_optimal():
    source = random.Random(1)
    pairs = [best_and_found([[source.randrange(3) for _ in range(6)] for _ in range(3)]) for _ in range(60)]
    assert all(found <= best for best, found in pairs)
    assert sum(found == best for best, found in pairs) >= 57
    assert sum(found for _, found in pairs) >= 0.98 * sum(best for best, _ in pairs)


@pytest.mark.parametrize("noise", [0.1, 0.3])
def test_draft_of_noisy_coders_is_best_partition(noise):
    for seed in range(20):
        source = random.Random(seed)
        truth = [source.randrange(3) for _ in range(7)]
        codings = [[source.randrange(4) if source.random() < noise else number for number in truth] for _ in range(3)]
        best, found = best_and_found(codings)
        assert found == best


def test_draft_is_nearer_to_truth_than_coders():
    moves, single = [], []
    for seed in range(5):
        truth, codings = simulate(300, 3, 0.1, seed)
        moves.append(1 - ceaf_m(clusters(truth), entities_of(consensus(as_data(codings)))).recall)
        single += [1 - ceaf_m(clusters(truth), clusters(coding)).recall for coding in codings]
    assert sum(moves) / len(moves) < 0.03
    assert sum(single) / len(single) > 0.07


def test_time_to_draft_is_linear_in_units():
    texts = {n: as_data(simulate(n, 5, 0.2, 1)[1]) for n in (500, 2000)}
    assert_grows_with_input(lambda n: consensus(texts[n]), 2000)


ALONE = {unit: frozenset(unit) for unit in "ABCD"}


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (["place", "place", "none"], "place"),
        (["place", "none", None], None),
        (["place", "place", None], "place"),
        (["place", ALONE["A"], ALONE["A"]], ALONE["A"]),
        (["place", "place", ALONE["A"]], "place"),
        (["place", ALONE["A"]], None),
        ([ALONE["A"], ALONE["A"], None], ALONE["A"]),
    ],
)
def test_most_frequent_answer_wins_and_tie_stays_undecided(row, value):
    draft = consensus(one_document({"A": row, "B": ["new"] * len(row)}))
    assert draft.values == {"A": value, "B": "new"}
    assert draft.contested == ("A",)


@pytest.mark.parametrize("row", [["place", None], ["place", None, None], [ALONE["A"], "place", None, None]])
def test_unit_marked_by_half_of_coders_is_contested(row):
    draft = consensus(one_document({"A": row, "B": ["new"] * len(row)}))
    assert (draft.values, draft.contested) == ({"B": "new"}, ("A",))


def test_coders_count_only_in_documents_they_coded():
    table = {"A": ["place", None, None], "B": ["new", "new", "new"]}
    draft = consensus(data_of(table, {"A": "one", "B": "other"}))
    assert draft.values == {"A": "place", "B": "new"}
    assert draft.contested == ()


def test_labels_do_not_vote_against_pairs():
    both = frozenset("AB")
    table = {"A": [both, "none", ALONE["A"], both], "B": [both, ALONE["B"], ALONE["B"], both]}
    draft = consensus(one_document(table))
    assert draft.values == {"A": both, "B": both}
    assert draft.objective == 1


def test_agreed_draft_keeps_unanimous_answers():
    ids = [[1, 1], [1, 1], [1, 2], [2, 2]]
    draft = consensus(ReliabilityData.from_chain_ids(ids, ["text"] * 4), "agreed")
    assert [sorted(value) for value in draft.values.values()] == [[0, 1], [0, 1], [2], [3]]
    table = {"A": ["place", "place"], "B": ["place", "none"], "C": [ALONE["C"], "none"], "D": ["none", None]}
    draft = consensus(one_document(table), "agreed")
    assert draft.values == {"A": "place", "B": None, "C": None}
    assert draft.contested == ("B", "C", "D")


def test_empty_draft_contests_all_marked_units():
    draft = consensus(one_document({"A": ["place", "place"], "B": [None, None]}), "empty")
    assert (draft.values, draft.contested, draft.objective) == ({}, ("A",), 0)
    draft = consensus(ReliabilityData.from_values([], ["A"], [], []))
    assert (draft.values, draft.contested, draft.objective) == ({}, (), 0)


def test_ambiguous_unit_is_in_entities_of_majority():
    values = index_labels("DEF", {"D": {1}, "E": {2}, "F": {1, 2}}, readings="matched")
    single = index_labels("DEF", {"D": {1}, "E": {2}, "F": {2}})
    two_of_three = one_document({u: [values[u], values[u], single[u]] for u in "DEF"}, "XYZ")
    draft = consensus(two_of_three)
    assert draft.values == values
    assert draft.contested == ("F",)
    one_of_three = one_document({u: [values[u], single[u], single[u]] for u in "DEF"}, "XYZ")
    assert consensus(one_of_three).values == single


@pytest.mark.parametrize("method", ["most", "agreed"])
def test_ambiguous_units_do_not_join_entities(method):
    values = index_labels("ABCDE", {"A": {1}, "B": {2}, "C": {1, 2}, "D": {1, 2}, "E": {2}}, readings="matched")
    first, second = frozenset({"A", "C", "D", "turn"}), frozenset("BCDE")
    values |= {"A": first, "C": Readings([first, second]), "D": Readings([first, second])}
    assert consensus(one_document({unit: [values[unit]] * 3 for unit in "ABCDE"}), method).values == values


def test_turn_is_in_entity_of_units_that_point_to_it():
    together = frozenset({"A", "B", "turn"})
    draft = consensus(one_document({"A": [together, together, ALONE["A"]], "B": [together, together, ALONE["B"]]}))
    assert draft.values == {"A": together, "B": together}


def test_labels_alone_are_decided_by_majority():
    frame = [[{"joy", "fear"}, {"fear", "joy"}, {"joy"}], [{"joy"}, {"fear"}, None]]
    rows = [[None if cell is None else frozenset(cell) for cell in row] for row in frame]
    data = ReliabilityData.from_values("AB", "XYZ", rows, ["text"] * 2, members="labels")
    draft = consensus(data)
    assert draft.values == {"A": frozenset({"joy", "fear"}), "B": None}
    assert draft.contested == ("A", "B")
    assert consensus([["a", "b", "a"]]).values == {0: "a"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "majority"}, "method is 'majority'; it must be one of 'most', 'agreed', 'coder', 'empty'"),
        ({"method": "coder"}, 'give `coder` with method="coder", and only with it'),
        ({"coder": "A"}, 'give `coder` with method="coder", and only with it'),
        ({"method": "coder", "coder": "Z"}, "there is no coder 'Z' among ['A', 'B']"),
    ],
)
def test_consensus_refuses_wrong_method_or_coder(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        consensus(one_document({"A": ["x", "x"]}), **arguments)


def test_consensus_refuses_counts_and_sets_without_unit():
    with pytest.raises(ValueError, match="these data are counts"):
        consensus(ReliabilityData.from_counts([[2, 0], [1, 1]]))
    with pytest.raises(ValueError, match=r"'B' is not in a set that is its value: .* mode=\"full\""):
        consensus(one_document({"A": ["x", "x"], "B": [frozenset("A"), "x"]}))
