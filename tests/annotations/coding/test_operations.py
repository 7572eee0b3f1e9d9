"""Operations, the only path by which judgements change."""

import json
from threading import Barrier, Thread
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from annotations.coding import imported_codings, operations
from annotations.coding.decisions import Decision, OperationRejected
from annotations.coding.judgements import judgements_of
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Index, Judgement, Operation, Pointer
from annotations.schemes.project_scheme import SchemeKeys
from tests.annotations.coding.conftest import start_coding
from tests.shared.cases import examples
from tests.shared.coding import change, judge
from tests.shared.projects import make_project, person

NUL, SURROGATE = "\x00", "\ud800"


def decision(markable, category=None, pointers=(), **more):
    """Return the judgement of a markable as `judgements_of` returns it."""
    empty = {"indices": [], "note": "", "name": "", "head": [], "unsure": False, "optional": False}
    return {"markable": markable, "category": category, "pointers": list(pointers), **empty, **more}


def log(coding):
    return list(coding.operations.values_list("sequence", "kind"))


def rows(coding):
    """Return the rows of a coding in all tables, by natural keys."""
    pointers = Pointer.objects.filter(judgement__coding=coding)
    indices = Index.objects.filter(judgement__coding=coding)
    return (
        judgements_of(coding),
        sorted(pointers.values_list("judgement__markable__key", "target__key")),
        sorted(indices.values_list("judgement__markable__key", "entity")),
    )


@pytest.fixture
def send(coding, alice, keys):
    """Return a function that applies changes; their payloads name markables by labels."""

    def named(label):
        return keys.get(label, label) if isinstance(label, str) else label

    def made(payload, kind):
        payload = dict(payload)
        if "markable" in payload:
            payload["markable"] = named(payload["markable"])
        if isinstance(payload.get("pointers"), list):
            payload["pointers"] = [named(label) for label in payload["pointers"]]
        return change(kind, **payload)

    def apply(*payloads, kind="judge"):
        coding.refresh_from_db()
        return operations.apply(coding, alice, coding.version, [made(payload, kind) for payload in payloads])

    return apply


@pytest.fixture
def clusters(alice):
    """Return Alice's coding in a project with indices; its markables are "a" and "b"."""
    return start_coding(alice, "walk", "passonneau-2004", "[Anna](a) took [her](b) dog")


def test_judgement_is_stored_and_logged(coding, send, keys):
    note = "x" * 10_000
    assert send({"markable": "d", "category": "phrase", "pointers": ["c", "a", "b"], "note": note, "unsure": True}) == 1
    in_text_order = [keys[label] for label in "abc"]
    expected = decision(keys["d"], "phrase", in_text_order, note=note, unsure=True)
    assert judgements_of(coding) == {keys["d"]: expected}
    [entry] = coding.operations.all()
    assert (entry.sequence, entry.kind, entry.user) == (1, "judge", coding.coder)
    assert entry.payload["pointers"] == [keys[label] for label in "cab"]


def test_indices_keep_their_order(clusters, alice):
    [a, _] = clusters.text.markables.values_list("key", flat=True)
    operations.apply(clusters, alice, 0, [change(markable=a, category="refers", indices=["9", "10", "1"])])
    assert judgements_of(clusters)[a]["indices"] == ["9", "10", "1"]


def test_pointer_to_later_markable_is_accepted_if_scheme_allows_it(alice):
    coding = start_coding(alice, "muc", "muc-ident", "[it](a) was [the dog](b)")
    a, b = coding.text.markables.values_list("key", flat=True)
    judge(coding, a, "ident", b)
    assert judgements_of(coding)[a]["pointers"] == [b]


PHRASE = {"markable": "c", "category": "phrase"}
REFUSED = [
    ("not_coded", {"markable": "1", "category": "none"}),
    ("unknown_markable", {"markable": "phrase:900-901", "category": "none"}),
    ("unknown_markable", {**PHRASE, "pointers": ["phrase:900-901"]}),
    ("unknown_category", {"markable": "c", "category": "ghost"}),
    ("unknown_category", {"markable": "c", "category": ""}),
    ("unknown_category", {"markable": "c", "category": NUL}),
    ("no_pointer_here", {"markable": "c", "category": "none", "pointers": ["a"]}),
    ("no_pointer_here", {"markable": "c", "category": None, "pointers": ["a"]}),
    ("double_pointer", {**PHRASE, "pointers": ["a", "a"]}),
    ("points_at_itself", {**PHRASE, "pointers": ["c"]}),
    ("wrong_level", {**PHRASE, "pointers": ["1"]}),
    ("wrong_level", {"markable": "c", "category": "segment", "pointers": ["a"]}),
    ("points_later", {**PHRASE, "pointers": ["d"]}),
    ("points_later", {"markable": "c", "category": "segment", "pointers": ["3"]}),
    ("no_index_here", {"markable": "c", "category": "none", "indices": ["1"]}),
    ("no_index_here", {"markable": "c", "category": None, "indices": ["1"]}),
    ("note_too_long", {"markable": "c", "category": "none", "note": "x" * 10_001}),
]
WRONG_TARGETS: dict[str, list[Any]] = {
    "pointers": ["a", None, {"a": 1}, [1], [NUL], [[]], ["a", ["b"]], [[["a"]]]],
    "relations": [[], {"bridging": "a"}, {NUL: ["a"]}],
}
MALFORMED = [
    {},
    {"category": "none"},
    {"markable": "c", NUL: 1},
    *({"markable": value} for value in (None, 3, ["a"], NUL, SURROGATE)),
    *({"markable": "c", "category": value} for value in (3, ["none"])),
    *({**PHRASE, name: value} for name, values in WRONG_TARGETS.items() for value in values),
    *({**PHRASE, "attributes": {"gender": value}} for value in (None, True, {"a": 1}, [1], NUL, 10**16, float("nan"))),
    *({"markable": "c", name: value} for name in ("note", "name") for value in (3, None, f"a{NUL}b", f"a{SURROGATE}")),
    *({"markable": "c", "head": value} for value in (None, [[28]], [["28", "30"]], [[True, 30]])),
    *({"markable": "c", name: value} for name, value in {"unsure": 1, "optional": None, "ghost": 1}.items()),
    {"markable": "c", "indices": [SURROGATE]},
]


def refused_with(code, call, *arguments, **more):
    with pytest.raises(OperationRejected) as refused:
        call(*arguments, **more)
    assert refused.value.code == code
    return refused.value


@pytest.mark.parametrize(("code", "payload"), REFUSED + [("bad_payload", payload) for payload in MALFORMED])
def test_wrong_judgement_is_refused_and_changes_nothing(coding, send, code, payload):
    assert refused_with(code, send, payload).position == 0
    assert rows(coding) == ({}, [], [])
    assert log(coding) == []


@pytest.mark.parametrize("kind", ["import", "submit", "reopen", "Judge", "", "ghost"])
def test_other_kinds_of_operation_are_refused(send, coding, kind):
    refused_with("unknown_kind", send, {"markable": "c"}, kind=kind)
    assert coding.operations.count() == 0


def test_too_many_antecedents_are_refused(alice):
    coding = start_coding(alice, "muc", "muc-ident", "[a](a) [b](b) [c](c)")
    a, b, c = coding.text.markables.values_list("key", flat=True)
    refused_with("too_many_pointers", judge, coding, c, "ident", a, b)


@pytest.mark.parametrize(
    ("code", "category", "indices"),
    [
        ("no_index_here", "none", ["1"]),
        ("double_index", "refers", ["1", "1"]),
        ("bad_index", "refers", [""]),
        ("bad_index", "refers", ["x" * 201]),
        ("bad_payload", "refers", ["\x00"]),
        ("bad_payload", "refers", [1]),
    ],
)
def test_bad_indices_are_refused(clusters, code, category, indices):
    key = clusters.text.markables.first().key
    refused_with(code, judge, clusters, key, category, indices=indices)
    assert not Index.objects.exists()


def test_pointers_are_refused_in_scheme_with_indices(clusters):
    a, b = clusters.text.markables.values_list("key", flat=True)
    refused_with("no_pointer_here", judge, clusters, b, "refers", a)


def test_markable_of_other_text_is_unknown(send, project):
    other = make_project("other", marked="[a long way off](z) it stands")
    key = other.texts.get().markables.get().key
    refused_with("unknown_markable", send, {"markable": key, "category": "none"})


def test_mark_of_other_coder_is_refused_like_missing_mark(send, codings, text):
    level = text.project.levels.get(key="phrase")
    mark = text.markables.create(level=level, key="phrase:0-3", parts=[[0, 3]], start=0, end=3, predefined=False)
    Judgement.objects.create(coding=codings["bob"], markable=mark)
    seen = refused_with("unknown_markable", send, {"markable": "phrase:0-3", "category": "none"})
    absent = refused_with("unknown_markable", send, {"markable": "phrase:0-4", "category": "none"})
    assert str(seen).replace("0-3", "0-4") == str(absent)


def test_batch_of_too_many_operations_is_refused(coding, alice, keys):
    batch = [change(markable=keys["a"], category="none") for _ in range(operations.MAX_OPERATIONS + 1)]
    assert refused_with("too_many_operations", operations.apply, coding, alice, 0, batch).position is None
    assert operations.apply(coding, alice, 0, batch[:-1]) == operations.MAX_OPERATIONS


def test_very_long_list_of_pointers_is_refused(send):
    pointers = [f"phrase:{number}-{number + 1}" for number in range(300_000)]
    refused_with("bad_payload", send, {**PHRASE, "pointers": pointers})


@pytest.mark.parametrize("bad", [{"markable": "ghost", "category": "none"}, {"markable": "c", "ghost": 1}])
@pytest.mark.parametrize("position", [0, 1, 3])
def test_bad_operation_refuses_batch_and_reports_its_position(coding, send, position, bad):
    batch = [{"markable": label, "category": "none"} for label in "abd"]
    batch.insert(position, bad)
    with pytest.raises(OperationRejected) as refused:
        send(*batch)
    assert refused.value.position == position
    assert rows(coding) == ({}, [], [])
    assert log(coding) == []


def test_position_counts_known_operations_of_the_batch_too(coding, alice, keys):
    known = [change(markable=keys[label], category="none") for label in "ab"]
    operations.apply(coding, alice, 0, known)
    batch = [*known, change(markable=keys["c"], category="none"), change(markable="ghost", category="none")]
    assert refused_with("unknown_markable", operations.apply, coding, alice, 0, batch).position == 3


def test_repeated_operation_counts_once(coding, alice, keys):
    once = change(markable=keys["a"], category="none")
    assert operations.apply(coding, alice, 0, [once]) == 1
    assert operations.apply(coding, alice, 0, [once]) == 1
    assert operations.apply(coding, alice, 1, [once, once]) == 1
    assert log(coding) == [(1, "judge")]


def test_first_of_two_operations_with_same_uuid_counts(coding, alice, keys):
    uuid = uuid4()
    payloads = ({"markable": keys["a"], "category": category} for category in ("none", "place"))
    batch = [operations.Change(uuid, "judge", payload) for payload in payloads]
    assert operations.apply(coding, alice, 0, batch) == 1
    assert judgements_of(coding)[keys["a"]]["category"] == "none"


def test_resent_batch_with_more_operations_is_accepted(coding, alice, keys):
    lost = [change(markable=keys[label], category="none") for label in "ab"]
    operations.apply(coding, alice, 0, lost)
    assert operations.apply(coding, alice, 0, [*lost, change(markable=keys["a"], category="place")]) == 3
    assert judgements_of(coding)[keys["a"]]["category"] == "place"


def test_two_codings_may_share_uuid(codings, keys):
    twin = change(markable=keys["a"], category="none")
    for coding in codings.values():
        assert operations.apply(coding, coding.coder, 0, [twin]) == 1


def test_stale_version_returns_missed_operations_and_changes_nothing(coding, alice, keys):
    missed = change(markable=keys["a"], category="none")
    seen = change(markable=keys["b"], category="none")
    operations.apply(coding, alice, 0, [seen])
    operations.apply(coding, alice, 1, [missed])
    before = rows(coding)
    with pytest.raises(operations.VersionConflict) as stale:
        operations.apply(coding, alice, 1, [change(markable=keys["a"], category="place")])
    assert stale.value.version == 2
    [told] = stale.value.missed
    assert (told["uuid"], told["sequence"], told["kind"]) == (missed.uuid, 2, "judge")
    assert told["payload"] == missed.payload
    assert rows(coding) == before


@pytest.mark.parametrize("bound", ["MAX_MISSED", "MAX_MISSED_BYTES"])
def test_missed_operations_arrive_in_bounded_parts(coding, alice, keys, monkeypatch, bound):
    missed = [change(markable=keys[label], category="none") for label in "aaaaaaaa"]
    operations.apply(coding, alice, 0, missed)
    three = sum(len(json.dumps(dict(change.payload))) for change in missed[:3])
    monkeypatch.setattr(operations, bound, {"MAX_MISSED": 3, "MAX_MISSED_BYTES": three}[bound])
    late = change(markable=keys["a"], category="place")
    version, told = 0, []
    while version < 8:
        with pytest.raises(operations.VersionConflict) as stale:
            operations.apply(coding, alice, version, [late])
        assert len(stale.value.missed) == min(3, 8 - version)
        version = stale.value.version
        told += [operation["uuid"] for operation in stale.value.missed]
    assert told == [change.uuid for change in missed]
    assert operations.apply(coding, alice, version, [late]) == 9


def test_missed_import_too_large_for_response_requires_reload(text, alice, monkeypatch):
    coding = Coding(text=text, coder=person("new"), round=text.rounds.get())
    decisions = [Decision(markable.key, note="n" * 500) for markable in text.markables.filter(level__key="phrase")]
    rows = dict(text.markables.values_list("key", "pk"))
    imported = imported_codings.ImportedCoding(coding, alice, decisions, rows, SchemeKeys(), submitted=False)
    imported_codings.import_codings([imported])
    late = change(markable=decisions[0].markable, category="none")
    monkeypatch.setattr(operations, "MAX_MISSED_BYTES", 2000)
    # Pages of 0.1.0 keep their answers for this code, and send them when they are loaded again.
    refused_with("version_ahead", operations.apply, coding, coding.coder, 0, [late])
    assert operations.apply(coding, coding.coder, 1, [late]) == 2


def test_resent_batch_larger_than_response_is_no_conflict(coding, alice, keys, monkeypatch):
    monkeypatch.setattr(operations, "MAX_MISSED", 1)
    batch = [change(markable=keys[label], category="none") for label in "abc"]
    assert operations.apply(coding, alice, 0, batch) == operations.apply(coding, alice, 0, batch) == 3


def test_future_version_is_refused(coding, alice, keys):
    refused_with("version_ahead", operations.apply, coding, alice, 1, [change(markable=keys["a"])])
    assert coding.operations.count() == 0


def test_stale_version_is_reported_before_bad_operations(coding, alice, keys):
    operations.apply(coding, alice, 0, [change(markable=keys["a"], category="none")])
    with pytest.raises(operations.VersionConflict):
        operations.apply(coding, alice, 0, [change(markable="ghost")])


def test_submitted_coding_refuses_operations_until_reopened(coding, send, alice, charlie):
    send({"markable": "a", "category": "none"})
    submit_coding(coding, alice)
    refused_with("submitted", send, {"markable": "b", "category": "none"})
    refused_with("submitted", send, {"markable": "a"}, kind="clear")
    assert log(coding) == [(1, "judge"), (2, "submit")]
    reopen_coding(coding, charlie)
    assert send({"markable": "b", "category": "none"}) == 4


def test_resent_batch_is_acknowledged_after_submission(coding, alice, keys):
    once = change(markable=keys["a"], category="none")
    operations.apply(coding, alice, 0, [once])
    submit_coding(coding, alice)
    assert operations.apply(coding, alice, 0, [once]) == 2


def test_second_submission_is_not_logged(coding, alice):
    assert submit_coding(coding, alice) == submit_coding(coding, alice) == 1
    assert log(coding) == [(1, "submit")]


# Any sequence of operations

PHRASES, TURNS = "abcdef", "1234"
TURN_OF = dict(zip(PHRASES, "112334", strict=True))


@st.composite
def legal(draw):
    """Draw (kind, payload) with labels for keys; the pointers are in text order."""
    label = draw(st.sampled_from(PHRASES))
    if draw(st.integers(0, 4)) == 0:
        return "clear", {"markable": label}
    category = draw(st.sampled_from(["phrase", "segment", "place", "none", None]))
    targets = {"phrase": PHRASES[: PHRASES.index(label)], "segment": TURNS[: TURNS.index(TURN_OF[label]) + 1]}
    pointers = draw(st.sets(st.sampled_from(targets[category]))) if targets.get(category) else ()
    flags = {"unsure": draw(st.booleans()), "optional": draw(st.booleans()), "note": draw(st.sampled_from(["", "né"]))}
    return "judge", {"markable": label, "category": category, "pointers": sorted(pointers), **flags}


@examples(20, HealthCheck.function_scoped_fixture)
@given(
    batches=st.lists(st.tuples(st.lists(legal(), min_size=1, max_size=4), st.integers(0, 3)), min_size=1, max_size=4)
)
def test_random_batches_store_last_answers_and_log_replays_them(codings, keys, batches):
    def keyed(payload):
        named = {name: keys[value] if name == "markable" else value for name, value in payload.items()}
        if "pointers" in named:
            named["pointers"] = [keys[label] for label in named["pointers"]]
        return named

    alice, bob = codings["alice"], codings["bob"]
    with transaction.atomic():
        model: dict[str, object] = {}
        sent: list[operations.Change] = []
        for batch, again in batches:
            changes = [operations.Change(uuid4(), kind, keyed(payload)) for kind, payload in batch]
            resent = sent[len(sent) - again :]
            assert operations.apply(alice, alice.coder, len(sent), [*resent, *changes]) == len(sent) + len(changes)
            sent += changes
            for change in changes:
                key = change.payload["markable"]
                if change.kind == "clear":
                    model.pop(key, None)
                else:
                    model[key] = decision(key) | change.payload
        assert judgements_of(alice) == model
        assert list(judgements_of(alice)) == [keys[label] for label in PHRASES if keys[label] in model]
        links = sum(len(entry["pointers"]) for entry in model.values())
        assert (Judgement.objects.count(), Pointer.objects.count()) == (len(model), links)
        entries = list(alice.operations.all())
        assert [entry.sequence for entry in entries] == list(range(1, len(sent) + 1))
        assert [entry.uuid for entry in entries] == [change.uuid for change in sent]
        for entry in entries:
            replayed = operations.Change(entry.uuid, entry.kind, entry.payload)
            operations.apply(bob, bob.coder, entry.sequence - 1, [replayed])
        assert rows(bob) == rows(alice)
        transaction.set_rollback(True)


@pytest.mark.django_db(transaction=True)
def test_concurrent_tabs_lose_no_operation(codings, keys):
    coding, gate = codings["alice"], Barrier(2)
    acknowledged: list[object] = []
    troubles: list[Exception] = []

    def tab(labels, category):
        try:
            gate.wait(timeout=20)
            version = 0
            for number in range(15):
                batch = [change(markable=keys[label], category=category, note=f"{number}") for label in labels]
                while True:
                    try:
                        version = operations.apply(coding, coding.coder, version, batch)
                        break
                    except operations.VersionConflict as stale:
                        version = stale.version
                acknowledged.extend(change.uuid for change in batch)
        except Exception as trouble:  # told to the test, which fails by it
            troubles.append(trouble)
        finally:
            connection.close()

    tabs = [Thread(target=tab, args=("abc", "none")), Thread(target=tab, args=("cd", "place"))]
    for thread in tabs:
        thread.start()
    for thread in tabs:
        thread.join(timeout=120)
    assert troubles == []
    entries = list(Operation.objects.filter(coding=coding).order_by("sequence"))
    assert {entry.uuid for entry in entries} == set(acknowledged)
    assert [entry.sequence for entry in entries] == list(range(1, 15 * 5 + 1))
    coding.refresh_from_db()
    assert coding.version == 75
    last = {entry.payload["markable"]: entry.payload for entry in entries}
    assert judgements_of(coding) == {key: decision(key) | payload for key, payload in last.items()}


def test_hundred_judgements_take_as_many_queries_as_one(alice):
    marked = " ".join(f"[w{number}](m{number})" for number in range(101))
    coding = start_coding(alice, "long", "poesio-artstein-2005", marked)
    first, *others = coding.text.markables.values_list("key", flat=True)
    judge(coding, first, "none")

    def cost(keys):
        coding.refresh_from_db()
        batch = [change(markable=key, category="phrase", pointers=[first]) for key in keys]
        with CaptureQueriesContext(connection) as queries:
            operations.apply(coding, alice, coding.version, batch)
        return len(queries)

    assert cost(others[:1]) == cost(others) <= 13


def test_resent_batch_still_reports_later_operations(coding, alice, keys):
    once, other = change(markable=keys["a"], category="none"), change(markable=keys["a"], category="place")
    operations.apply(coding, alice, 0, [once])
    operations.apply(coding, alice, 1, [other])
    for seen, more in ((0, []), (1, []), (1, [change(markable=keys["c"], category="none")])):
        with pytest.raises(operations.VersionConflict) as missed:
            operations.apply(coding, alice, seen, [once, *more])
        assert [operation["uuid"] for operation in missed.value.missed] == [once.uuid, other.uuid][seen:]
    assert operations.apply(coding, alice, 2, [once]) == 2
    assert log(coding) == [(1, "judge"), (2, "judge")]
