"""The queue of gold: cards, access, spot checks and error estimates."""

from fractions import Fraction
from uuid import uuid4

import numpy as np
import pytest

from annotations.adjudication.drafts import DraftRequest, draft_gold
from annotations.adjudication.error_estimate import CheckedSample, combine_samples, estimate_errors
from annotations.adjudication.proposal import Method
from annotations.adjudication.queue import sample_units
from annotations.coding import operations
from annotations.coding.operations import Change
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Membership
from annotations.planning.work.assignments import assign_texts
from annotations.projects.people.members import add_member
from tests.shared.coding import judge
from tests.shared.projects import person

QUEUE = "/api/v1/projects/tea/texts/tea/gold/queue/"
# What each says: the kettle (a), the stove (b), then three times “it” (c, d, e), and “that” (f).
ANSWERS = {
    "alice": {"a": "", "b": "", "c": "a", "d": "c", "e": "d", "f": ""},
    "bob": {"a": "", "b": "", "c": "a", "d": "c", "e": "b", "f": ""},
    "carol": {"a": "", "b": "", "c": "b", "d": "c", "e": "b", "f": ""},
}


@pytest.fixture
def coders(project, text, alice, bob):
    carol = person("carol")
    add_member(project, carol, Membership.Role.CODER)
    assign_texts(project, [text], [carol])
    return {"alice": alice, "bob": bob, "carol": carol}


@pytest.fixture
def gold(project, text, coders, keys) -> Coding:
    """Return gold owned by Charlie and drafted from the codings of three coders."""
    for name, answers in ANSWERS.items():
        coding = Coding.objects.of_people().select_related("coder", "text__project").get(coder__username=name)
        for label, antecedent in answers.items():
            # only Bob says of “that” that it refers to nothing
            category = "phrase" if antecedent else "none" if (name, label) == ("bob", "f") else "place"
            judge(coding, keys[label], category, *([keys[antecedent]] if antecedent else []))
        submit_coding(coding, coders[name])
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def labels(keys, units):
    return "".join(label for label, key in keys.items() if key in units)


def test_queue_lists_contested_entities_then_spot_checks(gold, keys, signed_in, charlie):
    found = signed_in(charlie).get(QUEUE).json()
    entities = [labels(keys, entity) for entity in found["entities"]]
    cards = [
        (card["kind"], entities[card["entity"]] if card["entity"] is not None else None) for card in found["cards"]
    ]
    assert cards == [("entity", "b"), ("entity", "f"), ("entity", "acde"), ("check", None)]
    shares = [card["disagreement"] for card in found["cards"][:3]]
    assert shares == [pytest.approx(1 / 3, abs=1e-4), pytest.approx(1 / 3, abs=1e-4), pytest.approx(2 / 12, abs=1e-4)]
    assert (found["method"], found["state"], found["left_off"], found["version"]) == ("most", "open", 0, 1)
    names = [coder["name"] for coder in found["coders"]]
    assert sorted(names) == ["alice", "bob", "carol"]
    assert [coder["letter"] for coder in found["coders"]] == ["A", "B", "C"]

    def cells(row):
        return {
            name: "".join(entities[number] for number in answer["entities"]) or answer["label"]
            for name, answer in zip(names, row["answers"], strict=True)
        }

    rows = {labels(keys, row["units"]): row for row in found["cards"][2]["rows"]}
    assert {units: (row["contested"], row["elsewhere"]) for units, row in rows.items()} == {
        "a": (True, False),  # Carol says of it that it is alone
        "b": (True, True),
        "cd": (False, False),  # no coder separates them
        "e": (True, False),
    }
    assert cells(rows["cd"]) == {"alice": "acde", "bob": "acde", "carol": "acde"}
    assert cells(rows["e"]) == {"alice": "acde", "bob": "b", "carol": "acde"}
    assert cells(found["cards"][1]["rows"][0]) == {"alice": "f", "bob": "none", "carol": "f"}
    assert found["judgements"][names.index("carol")][keys["e"]] == {"category": "phrase", "pointers": [keys["b"]]}
    assert found["judgements"][names.index("bob")][keys["f"]] == {"category": "none"}
    assert set(found["draft"]) == {keys[label] for label in "abcdef"}


def test_queue_hides_names_from_adjudicators(gold, signed_in, project, charlie):
    dora = person("dora")
    add_member(project, dora, Membership.Role.ADJUDICATOR)
    assert signed_in(dora).get(QUEUE).status_code == 404  # it is in the hands of Charlie
    Coding.objects.filter(pk=gold.pk).update(coder=dora)
    found = signed_in(dora).get(QUEUE).json()
    assert [coder["name"] for coder in found["coders"]] == [None] * 3
    assert not any(name in str(found) for name in ANSWERS)


def test_queue_keeps_answers_of_draft_when_coding_changes(gold, keys, coders, charlie, signed_in):
    client = signed_in(charlie)
    before = client.get(QUEUE)
    assert client.get(QUEUE, headers={"If-None-Match": before["ETag"]}).status_code == 304
    coding = Coding.objects.of_people().select_related("coder", "text__project", "round").get(coder=coders["carol"])
    reopen_coding(coding, charlie, "Look again.")
    judge(coding, keys["e"], "none")
    assert client.get(QUEUE).json() == before.json()


def test_queue_lists_decided_items_with_their_steps(gold, keys, charlie, signed_in):
    client = signed_in(charlie)
    step = uuid4()
    item = [keys["e"], "category"]
    decide = Change(uuid4(), "decide", {"items": [item], "source": "draft", "reason": "slip"}, step=step)
    operations.apply(gold, charlie, 1, [decide])
    found = client.get(QUEUE).json()
    assert [item for item in found["contested"] if item[2]] == [[*item, True]]
    decides = [{"items": [item], "source": "draft", "reason": "slip"}]
    assert found["steps"] == [{"step": str(step), "undoes": None, "decides": decides, "markables": [], "replaces": []}]
    undoing = uuid4()
    operations.apply(gold, charlie, 2, [Change(undoing, "decide", dict(decide.payload), undoes=step)])
    judge(gold, keys["f"], "place")
    found = client.get(QUEUE).json()
    assert [item for item in found["contested"] if item[2]] == [[keys["f"], "category", True]]
    assert [(step["step"] == str(undoing), step["undoes"], step["markables"]) for step in found["steps"][1:]] == [
        (True, str(step), []),
        (False, None, [keys["f"]]),
    ]


def test_sample_orders_uncontested_items_at_random(gold, keys, charlie, signed_in):
    operation = gold.operations.get()
    sample = sample_units(operation.uuid, operation.payload)
    assert sorted(sample) == sorted([keys["c"], keys["d"]])
    found = signed_in(charlie).get(f"{QUEUE}?checks=1").json()
    assert found["sample"] == 2
    assert [row["units"] for row in found["cards"][-1]["rows"]] == [sample[:1]]
    assert found["judgements"][0].keys() >= {sample[0]}
    assert signed_in(charlie).get(f"{QUEUE}?checks=0").json()["cards"][-1]["kind"] == "entity"
    orders = {tuple(sample_units(uuid4(), operation.payload)) for _ in range(40)}
    assert len(orders) == 2


def test_queue_is_empty_without_draft(project, text, charlie, signed_in):
    client = signed_in(charlie)
    assert client.get(QUEUE).status_code == 404
    Coding.objects.create(text=text, round=text.rounds.get(), kind="gold", coder=charlie)
    found = client.get(QUEUE).json()
    assert (found["method"], found["cards"], found["coders"]) == (None, [], [])
    assert client.get(f"{QUEUE}?checks=no").status_code == 400
    assert client.get(f"{QUEUE}?round=moon").status_code == 404


def test_queue_takes_fixed_number_of_queries(gold, charlie, project, text, keys, signed_in, django_assert_num_queries):
    client = signed_in(charlie)
    client.get(QUEUE)
    with django_assert_num_queries(16):
        client.get(QUEUE)
    Coding.objects.filter(pk=gold.pk).delete()
    for name in ("eve", "frank"):
        coder = person(name)
        add_member(project, coder, Membership.Role.CODER)
        assign_texts(project, [text], [coder])
        coding = Coding.objects.of_people().select_related("coder", "text__project").get(coder=coder)
        judge(coding, keys["a"], "place")
        submit_coding(coding, coder)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    with django_assert_num_queries(16):
        assert len(client.get(QUEUE).json()["coders"]) == 5


def test_estimate_uses_checks_in_order_of_sample(gold, keys, charlie):
    order = sample_units(*gold.operations.filter(kind="draft").values_list("uuid", "payload").get())
    first, second = order

    def estimate():
        return estimate_errors([gold])[gold.round_id]

    def check(key: str, source: str) -> None:
        gold.refresh_from_db()
        payload = {"items": [[key, "category"]], "source": source}
        operations.apply(gold, charlie, gold.version, [Change(uuid4(), "decide", payload)])

    assert (estimate().checked, estimate().unseen, estimate().low) == (0, len(order), None)
    check(second, "own")  # not the first of the order: somebody came upon it
    assert estimate().checked == 0
    check(first, "draft")
    found = estimate()
    assert (found.checked, found.wrong, found.unseen, found.share) == (2, 1, 0, 0.5)
    assert (found.low, found.high) == (0.5, 0.5)  # there are no others
    of_many = combine_samples([CheckedSample(2, 1, 10**6)])
    # of one wrong in two: the shares p at which p^2 and (1-p)^2 are .025
    assert (of_many.low, of_many.high) == pytest.approx((1 - 0.975**0.5, 0.975**0.5))
    share = "50.0 % of all, 95 % interval 50.0 % to 50.0 %"
    assert str(found) == f"1 of 2 checked wrong, which makes {share}; 0 not checked"


@pytest.fixture
def agreed_gold(text, keys, coders, project, charlie) -> Coding:
    """Return gold without contested items: six markables, all "place"."""
    for name, coder in coders.items():
        coding = Coding.objects.of_people().select_related("coder", "text__project").get(coder__username=name)
        for label in "abcdef":
            judge(coding, keys[label], "place")
        submit_coding(coding, coder)
    draft_gold(project, DraftRequest(Method.MOST, adjudicator="charlie"))
    return Coding.objects.select_related("text__project", "coder", "round").get(kind="gold")


def sample_of(gold: Coding) -> list[str]:
    return sample_units(*gold.operations.filter(kind="draft").values_list("uuid", "payload").get())


def accept(gold: Coding, key: str) -> None:
    gold.refresh_from_db(fields=["version"])
    payload = {"items": [[key, "category"]], "source": "draft"}
    operations.apply(gold, gold.coder, gold.version, [Change(uuid4(), "decide", payload)])


def checked_and_wrong(gold: Coding) -> tuple[int, int]:
    found = estimate_errors([gold])[gold.round_id]
    return found.checked, found.wrong


def test_note_on_checked_item_is_no_error(agreed_gold):
    first, second, third, *_ = sample_of(agreed_gold)
    judge(agreed_gold, first, "place", note="As everybody says.")
    judge(agreed_gold, second, "none")
    accept(agreed_gold, third)
    assert checked_and_wrong(agreed_gold) == (3, 1)
    judge(agreed_gold, second, "place")  # it was right after all
    assert checked_and_wrong(agreed_gold) == (3, 0)


def test_chance_change_at_start_of_sample_is_no_check(agreed_gold):
    first, second, *rest = sample_of(agreed_gold)
    judge(agreed_gold, first, "none")
    assert checked_and_wrong(agreed_gold) == (0, 0)
    accept(agreed_gold, second)
    assert checked_and_wrong(agreed_gold) == (2, 1)
    for key in rest:
        judge(agreed_gold, key, "none")
    assert checked_and_wrong(agreed_gold) == (6, 5)  # all that there was to check


def exact_share(samples: list[tuple[int, int, int]]) -> Fraction:
    """Return the share of errors if unchecked units of each text are wrong as often as its checked ones."""
    wrong = sum(
        (wrong + Fraction(wrong, checked) * unseen for checked, wrong, unseen in samples if checked), Fraction(0)
    )
    return wrong / sum(checked + unseen for checked, _, unseen in samples if checked)


def test_long_text_weighs_more_than_short_one_with_equal_checks():
    samples = [(10, 5, 10), (10, 0, 1990), (0, 0, 7)]
    found = combine_samples([CheckedSample(*sample) for sample in samples])
    assert (found.checked, found.wrong, found.unseen, found.unreached) == (20, 5, 2007, 7)
    assert found.share == pytest.approx(float(exact_share(samples)))
    assert found.share == pytest.approx(10 / 2020)
    assert found.low == pytest.approx(10 / 2020, abs=5 / 2020)
    assert found.high < 0.35
    assert str(found).endswith("; 2007 not checked, 7 of them in texts without a check")


@pytest.mark.parametrize(("wrong", "low", "high"), [(0, 0, 2 / 12), (3, 3 / 12, 5 / 12), (10, 10 / 12, 1)])
def test_interval_stays_within_possible_shares(wrong, low, high):
    found = combine_samples([CheckedSample(10, wrong, 2)])
    assert (found.low, found.high) == pytest.approx((low, high))
    of_all = combine_samples([CheckedSample(10, wrong, 0)])
    assert of_all.low == of_all.high


@pytest.mark.parametrize("sizes", [(20, 2000), (10, 10, 10, 500), (20, 50, 100, 300, 1000), (30,) * 8])
@pytest.mark.parametrize("shares", [(0.3, 0.02), (0.02, 0.2), (0.05, 0.05)])
def test_interval_covers_true_share_in_95_percent_of_runs(sizes, shares):
    """Draw ten units of each text without replacement, from short and long texts with different shares of errors."""
    source = np.random.default_rng(3)
    totals = np.array(sizes)
    wrong = np.rint(np.where(totals < 60, *shares) * totals).astype(int)
    drawn, runs = np.minimum(totals, 10), 500
    covered = 0
    for _ in range(runs):
        found = source.hypergeometric(wrong, totals - wrong, drawn)
        rows = zip(drawn.tolist(), found.tolist(), (totals - drawn).tolist(), strict=True)
        estimate = combine_samples([CheckedSample(*row) for row in rows])
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low - 1e-9 <= wrong.sum() / totals.sum() <= estimate.high + 1e-9
    assert covered / runs >= 0.95
