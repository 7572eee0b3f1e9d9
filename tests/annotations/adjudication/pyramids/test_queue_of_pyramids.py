"""The queue of an agreed pyramid: compared with a slow computation, API, and access."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import compress
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.measures import match_sets
from annotations.adjudication.decisions.log import GoldLog
from annotations.adjudication.error_estimate import estimate_errors
from annotations.adjudication.proposal import Method
from annotations.adjudication.pyramid_proposal import PyramidContent, PyramidProposal
from annotations.adjudication.pyramid_queue import PyramidQueueBuilder, pyramid_of
from annotations.adjudication.queue import Column, DraftContent, Kind, Queue
from annotations.adjudication.states import ContestedItem, GoldState
from annotations.coding.decisions import Decision
from annotations.coding.operations import Change
from annotations.coding.pyramids.pyramid_rules import PyramidOptions, held_words
from annotations.coding.state import coding_state
from annotations.coding.status import reopen_coding
from annotations.formats.model.keys import split_key
from annotations.models import Coding, Membership, Operation, User
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.annotations.adjudication.pyramids import test_proposals_of_pyramids as proposals
from tests.annotations.adjudication.pyramids.conftest import BOATS, DAWN, agreed_of, draft, send
from tests.annotations.adjudication.pyramids.test_decisions_on_pyramids import decide
from tests.annotations.adjudication.pyramids.test_proposals_of_pyramids import METHODS, OPTIONS, WORDS, key_of, pyramid
from tests.shared.cases import examples
from tests.shared.pyramids import build, codings_of, contributor, models_of, says

QUEUE = "/api/v1/projects/ferry/texts/sinking/agreed/queue/"


def decisions_of(found: PyramidContent | PyramidProposal) -> dict[str, Decision]:
    return {unit.key: Decision(unit.key, category="scu", indices=unit.scus) for unit in found.contributors}


def queue_of(
    codings: Sequence[PyramidContent], proposal: PyramidProposal, options: PyramidOptions, checks: int = 0
) -> Queue:
    """Return the queue of a draft of pyramids without decisions."""
    columns = [
        Column(name, "", name, decisions_of(of), of.descriptions) for name, of in zip("ABC", codings, strict=False)
    ]
    drafted = decisions_of(proposal)
    named = {scu.scu: scu for scu in proposal.descriptions}
    sample = [key for key in drafted if key not in {item.markable for item in proposal.contested}]
    state = GoldState(Coding(), GoldLog(), tuple(ContestedItem(item, decided=False) for item in proposal.contested))
    content = DraftContent(drafted, sample, named, {key: key for key in drafted})
    return PyramidQueueBuilder(proposals.summaries(options), state, columns, content).build([], checks)


def words_of(key: str) -> frozenset[int]:
    place = split_key(key)
    assert place is not None
    return frozenset(held_words(WORDS, place.parts))


def held_by(content: PyramidContent, options: PyramidOptions) -> list[tuple[str, frozenset[int]]]:
    """Return pairs of an SCU and the words of one contributor."""
    return [(scu, words_of(contributor.key)) for contributor in content.contributors for scu in contributor.scus]


def scus_of(held: Sequence[tuple[str, frozenset[int]]]) -> dict[str, frozenset[int]]:
    found: dict[str, frozenset[int]] = {}
    for scu, words in held:
        found[scu] = found.get(scu, frozenset()) | words
    return dict(sorted(found.items(), key=lambda item: sorted(item[1])))


type CellAnswer = tuple[frozenset[str], frozenset[frozenset[int]]] | None


def cell_of(
    words: frozenset[int], held: Sequence[tuple[str, frozenset[int]]], names: Mapping[str, str]
) -> tuple[CellAnswer, frozenset[str]]:
    """Return the cell of these words (names of SCUs and overlapping marked words) and the keys of the SCUs."""
    exact = [pair for pair in held if pair[1] == words]
    near = exact or [pair for pair in held if pair[1] & words]
    if not near:
        return None, frozenset()
    own = frozenset(scu for scu, _ in near)
    return (frozenset(names[scu] for scu in own), frozenset(of for _, of in near if of != words)), own


@examples(40)
@given(st.data(), st.sampled_from(OPTIONS), st.sampled_from(METHODS))
def test_queue_equals_slow_computation(data, options, method):
    codings = [data.draw(proposals.pyramids(options, f"-{n}")) for n in range(3)]
    proposal = proposals.propose(codings, options, method, 1)
    queue = queue_of(codings, proposal, options)

    drafted = PyramidContent(proposal.contributors, {scu.scu: scu for scu in proposal.descriptions})
    held = [held_by(coding, options) for coding in codings]
    of_draft = scus_of(held_by(drafted, options))
    draft_names = {scu: f"draft {scu}" for scu in of_draft}
    contested = {item.markable for item in proposal.contested}
    expected: dict[str, tuple[CellAnswer, list[CellAnswer], object]] = {}
    names = []
    for pairs in held:
        scus = scus_of(pairs)
        by_place = [dict(enumerate(each.values())) for each in (scus, of_draft)]
        matched = {[*scus][pair.first]: [*of_draft][pair.second] for pair in match_sets(*by_place) if pair.matched}
        names.append({scu: f"draft {matched[scu]}" if scu in matched else str(sorted(scus[scu])) for scu in scus})
    for key in {*decisions_of(drafted), *contested}:
        words = words_of(key)
        of_coders = [cell_of(words, pairs, called) for pairs, called in zip(held, names, strict=True)]
        own = cell_of(words, held_by(drafted, options), draft_names)[0] if key in decisions_of(drafted) else None
        given_by = [said for said, _ in of_coders]
        alone = not any(given_by) or any(said is not None and said[1] for said in given_by)
        together = key if alone else (tuple(of_coders), own, key in contested)
        expected[key] = own, given_by, together

    def named_answer(answer) -> CellAnswer:
        if answer is None:
            return None
        called = [f"draft {queue.scus[n].scu}" if n < queue.drafted else _words_of_entity(queue, n)
                  for n in answer.entities]  # fmt: skip
        return frozenset(called), frozenset(words_of(key) for key, _ in answer.units)

    seen = set()
    for card in queue.cards:
        for row in card.rows:
            for key in row.units:
                own, given_by, together = expected[key]
                assert (named_answer(row.draft), [named_answer(answer) for answer in row.answers]) == (own, given_by)
                assert row.contested == (key in contested)
                assert {other for other in expected if expected[other][2] == together} == set(row.units)
                seen.add(key)
    assert contested <= seen  # everything contested is on a card

    has_pyramid = [bool(pairs) for pairs in held]
    shares = []
    for card in queue.cards:
        keys = [key for row in card.rows for key in row.units if not row.elsewhere]
        if card.kind is Kind.ENTITY:
            scu = f"draft {queue.scus[card.entity].scu}"
            assert set(keys) == {key for key, (own, _, _) in expected.items() if own is not None and scu in own[0]}
            assert {key for row in card.rows if row.elsewhere for key in row.units} == {
                key
                for key, (own, given_by, _) in expected.items()
                if any(said is not None and scu in said[0] for said in given_by) and not (own and scu in own[0])
            }
            assert contested & set(keys)
        rows = [(own, compress(given_by, has_pyramid)) for own, given_by, _ in map(expected.__getitem__, keys)]
        answers = [said != own for own, given_by in rows for said in given_by]
        share = Fraction(sum(answers), len(answers)) if answers else Fraction(0)
        assert card.disagreement == pytest.approx(float(share))
        if card.kind is Kind.ENTITY:
            shares.append(card.disagreement)
    assert shares == sorted(shares, reverse=True)
    assert [card.kind for card in queue.cards] == sorted((card.kind for card in queue.cards), key=str)
    assert len({scu.scu for scu in queue.scus}) == len(queue.scus) == len(queue.entities)


def _words_of_entity(queue: Queue, number: int) -> str:
    return str(sorted(frozenset[int]().union(*map(words_of, queue.entities[number]))))


def test_row_shows_coders_with_other_words_or_scus():
    first = pyramid({"sank": [[0, 1], [6, 7]], "rescued": [[3], [9]]})
    other = pyramid({"went down": [[0, 1, 2], [6, 7]], "saved": [[3]], "boats": [[9, 10]]})
    codings = [first, first, other]
    queue = queue_of(codings, proposals.propose(codings, OPTIONS[0], Method.MOST, 0), OPTIONS[0], checks=5)
    assert [queue.scus[n].label for n in range(queue.drafted)] == ["sank", "rescued"]
    assert [scu.label for scu in queue.scus[queue.drafted :]] == ["boats"]
    sank, rescued, check = queue.cards  # of equal shares, in text order
    assert (sank.entity, rescued.entity, check.kind) == (0, 1, Kind.CHECK)
    assert sank.disagreement == rescued.disagreement == pytest.approx(1 / 6)
    [of_three, of_nine] = rescued.rows
    assert of_three.units == (key_of([3]),)
    assert (of_three.contested, of_nine.contested) == (False, True)
    assert of_nine.answers[2].entities == (2,)
    assert of_nine.answers[2].units == ((key_of([9, 10]), 2),)
    assert sank.rows[0].answers[2].units == ((key_of([0, 1, 2]), 0),)


def test_scu_missing_from_draft_has_one_card_with_one_row():
    first = pyramid({"sank": [[0, 1], [6, 7]]})
    other = pyramid({"sank": [[0, 1], [6, 7]], "boats": [[4], [10]]})
    codings = [first, first, other]
    queue = queue_of(codings, proposals.propose(codings, OPTIONS[0], Method.MOST, 0), OPTIONS[0])
    [card] = queue.cards
    assert (card.kind, card.entity) == (Kind.UNIT, None)
    [row] = card.rows
    assert row.units == (key_of([4]), key_of([10]))
    assert (row.answers[0], row.draft) == (None, None)
    assert queue.scus[1].label == "boats"


def test_pyramid_lists_contributors_in_text_order():
    found = pyramid_of({key: Decision(key, category="scu", indices=("a",)) for key in (key_of([3]), key_of([0]))}, {})
    assert [unit.key for unit in found.contributors] == [key_of([0]), key_of([3])]


def test_api_returns_queue_of_docset_without_names(ferry, signed_in, django_assert_max_num_queries):
    agreed = draft(ferry)
    client = signed_in(User.objects.get(username="adam"))
    client.get(QUEUE)
    with django_assert_max_num_queries(20):
        found = client.get(QUEUE).json()
    boats = contributor(agreed.text, *BOATS["boats"])
    [card, check] = found["cards"]
    assert (card["kind"], [row["units"] for row in card["rows"]]) == ("unit", [[boats]])
    assert [coder["name"] for coder in found["coders"]] == [None, None]  # letters alone
    said = {answer["entities"][0] for answer in card["rows"][0]["answers"] if answer is not None}
    assert found["scus"][said.pop()] == {"key": "BOATS", "label": "Boats"}
    assert found["scus"][: found["drafted"]] == [{"key": "AT DAWN", "label": "At Dawn"}]
    assert (found["method"], found["state"], found["left_off"], found["sample"]) == ("most", "open", 0, 2)
    assert check["kind"] == "check"
    assert {row["units"][0] for row in check["rows"]} == {contributor(agreed.text, words) for words in DAWN["at dawn"]}
    assert not any(name in str(found) for name in ("alice", "bob"))


def test_queue_takes_fixed_number_of_queries_for_more_scus(ferry, signed_in, charlie, django_assert_max_num_queries):
    bob = codings_of(models_of(ferry))["bob"]
    reopen_coding(bob, charlie)
    for number, words in enumerate(("ferry sank", "Forty people", "rescued", "went down")):
        send(bob, "judge", says(contributor(bob.text, words), f"more {number}").payload)
    Coding.objects.of_people().filter(pk=bob.pk).update(status="submitted")
    draft(ferry)
    client = signed_in(User.objects.get(username="adam"))
    client.get(QUEUE)
    with django_assert_max_num_queries(20):
        found = client.get(QUEUE).json()
    assert len(found["cards"]) == 6


def test_queue_ignores_later_coding_and_follows_moved_contributors(ferry, signed_in, charlie):
    agreed = draft(ferry, Method.CODER, coder="bob")
    client = signed_in(User.objects.get(username="adam"))
    before = client.get(QUEUE).json()
    bob = codings_of(models_of(ferry))["bob"]
    reopen_coding(bob, charlie)
    boats, fewer = contributor(agreed.text, *BOATS["boats"]), contributor(agreed.text, "saved forty people")
    send(bob, "unmark", {"markable": boats})
    assert client.get(QUEUE).json() == before
    send(agreed, "move", {"markable": boats, "to": fewer})
    after = client.get(QUEUE).json()
    rows = [row for card in after["cards"] for row in card["rows"] if row["contested"]]
    assert [row["units"] for row in rows] == [[fewer]]
    assert sorted(cell is None for cell in rows[0]["answers"]) == [False, True]  # of the words that the draft had there
    assert after["contested"] == [[fewer, "category", True]]


def test_coding_page_names_coders_by_letters_of_queue(ferry, signed_in, charlie):
    agreed = draft(ferry)
    columns = {column["coding"]: column["letter"] for column in signed_in(agreed.coder).get(QUEUE).json()["coders"]}
    add_member(ferry.project, charlie, Membership.Role.CODER)
    assign_texts(ferry.project, [models_of(ferry)], [charlie])
    late = codings_of(models_of(ferry))["charlie"]
    build(late, {"boats": ["Boats saved forty people"]})
    others = coding_state(agreed, ferry.project)["pyramid"]["others"]
    submissions = Operation.objects.filter(uuid__in=columns).select_related("coding")
    keys = {f"Coder {columns[str(row.uuid)]}": {*row.coding.scus.values_list("key", flat=True)} for row in submissions}
    assert {row["coder"]: {scu["key"] for scu in row["scus"]} for row in others} == keys | {"Coder C": {"boats"}}
    assert [row["coder"] for row in others] == ["Coder A", "Coder B", "Coder C"]


def test_queue_is_empty_without_draft(ferry, signed_in):
    agreed = draft(ferry)
    agreed.operations.all().delete()
    found = signed_in(User.objects.get(username="adam")).get(QUEUE).json()
    assert (found["method"], found["cards"]) == (None, [])


def test_queue_is_refused_to_managers_and_coders(ferry, signed_in, alice, charlie):
    draft(ferry)
    add_member(ferry.project, charlie, Membership.Role.MANAGER)
    assert signed_in(charlie).get(QUEUE).status_code == 404
    assert signed_in(alice).get(QUEUE).status_code == 403


@pytest.mark.parametrize("checks", ["-1", "x", "1001"])
def test_wrong_number_of_checks_is_refused(ferry, signed_in, checks):
    draft(ferry)
    reply = signed_in(User.objects.get(username="adam")).get(QUEUE, {"checks": checks})
    assert (reply.status_code, "checks" in reply.json()["errors"]) == (400, True)


def test_spot_checks_yield_error_estimate(ferry, signed_in):
    agreed = draft(ferry)
    [first, second] = [
        row["units"][0] for row in signed_in(User.objects.get(username="adam")).get(QUEUE).json()["cards"][-1]["rows"]
    ]
    assert estimate_errors([agreed])[agreed.round_id].unseen == 2
    decide(agreed, first, source="draft")
    decide(agreed, second, Change(uuid4(), "unmark", {"markable": second}))
    found = estimate_errors([agreed_of(ferry)])[agreed.round_id]
    assert (found.checked, found.wrong, found.unseen) == (2, 1, 0)
