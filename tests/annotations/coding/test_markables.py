"""Markables marked by coders: making, moving, deleting, heads and names."""

from itertools import batched
from uuid import uuid4

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from agreement.data.reading import read_answers
from annotations.coding import operations
from annotations.coding.decisions import OperationRejected
from annotations.coding.judgements import judgements_of
from annotations.coding.state import coding_state
from annotations.coding.status import submit_coding
from annotations.formats.model.keys import markable_key, split_key
from annotations.models import Coding, Judgement, Markable, Operation, User
from annotations.projects.creation import create_project
from annotations.schemes.project_scheme import read_scheme, set_coder_marked_levels
from annotations.schemes.ready_made import SCHEMES
from tests.annotations.coding.conftest import count_steps, start_coding
from tests.shared.coding import change, judge
from tests.shared.growth import FACTOR, assert_grows_with_input

# put the kettle on the stove: the kettle 4-14, the stove 18-27
PUT, OWN, WIDER = "phrase:0-3", "phrase:8-14", "phrase:8-17"


@pytest.fixture
def project(project):
    set_coder_marked_levels(project, project.levels.filter(key="phrase"))
    return project


@pytest.fixture
def send(coding):
    def apply(kind, **payload):
        coding.refresh_from_db()
        return operations.apply(coding, coding.coder, coding.version, [change(kind, **payload)])

    return apply


def judgement_of(coding, key):
    return judgements_of(coding).get(key)


def keys_seen(coding):
    return set(Markable.objects.seen_in(coding.pk, coding.text_id).values_list("key", flat=True))


def refused_with(code, call, *arguments, **more):
    with pytest.raises(OperationRejected) as refused:
        call(*arguments, **more)
    assert refused.value.code == code


@given(st.lists(st.integers(0, 10**6), min_size=2, max_size=12, unique=True))
def test_key_contains_level_and_parts(edges):
    edges = sorted(edges)
    parts = tuple(zip(edges[::2], edges[1::2], strict=False))
    assert split_key(markable_key("phrase", parts)) == ("phrase", parts)


def test_judging_words_marks_them(coding, send, text):
    send("judge", markable=PUT, category="none")
    assert judgement_of(coding, PUT)["category"] == "none"
    mark = text.markables.get(key=PUT)
    assert (mark.parts, mark.start, mark.end, mark.predefined) == ([[0, 3]], 0, 3, False)


def test_discontinuous_and_crossing_words_are_marked(coding, send):
    send("judge", markable="phrase:0-3,8-14")
    send("judge", markable="phrase:4-10")
    send("judge", markable="phrase:8-17")
    assert {"phrase:0-3,8-14", "phrase:4-10", "phrase:8-17"} <= keys_seen(coding)


def test_coders_mark_the_same_words_without_seeing_each_other(codings, send, text):
    send("judge", markable=PUT, category="none")
    assert PUT not in keys_seen(codings["bob"])
    judge(codings["bob"], PUT, "place")
    assert text.markables.filter(key=PUT).count() == 1
    assert judgement_of(codings["alice"], PUT)["category"] == "none"
    assert judgement_of(codings["bob"], PUT)["category"] == "place"


def test_pointer_marks_its_target(coding, send, keys):
    send("judge", markable=keys["c"], category="phrase", pointers=[PUT])
    assert judgement_of(coding, PUT)["category"] is None
    assert judgement_of(coding, keys["c"])["pointers"] == [PUT]


def test_clearing_keeps_mark(coding, send):
    send("judge", markable=PUT, category="none")
    send("clear", markable=PUT)
    assert judgement_of(coding, PUT)["category"] is None


@pytest.mark.parametrize(
    "key",
    [
        *("phrase:3-3", "phrase:5-3", "phrase:0-3,3-8", "phrase:8-14,0-3", "phrase:0-100000"),
        "phrase:" + ",".join(f"{place}-{place + 1}" for place in range(0, 42, 2)),
        *("turn:0-3", "ghost:0-3", "nonsense"),
    ],
)
def test_wrong_keys_are_refused_and_change_nothing(coding, send, text, key):
    before = text.markables.count()
    refused_with("bad_markable", send, "judge", markable=key, category="none")
    assert text.markables.count() == before
    assert coding.operations.count() == 0


def test_mark_may_end_at_last_character_and_not_beyond(coding, send, text):
    length = len(text.content)
    send("judge", markable=f"phrase:0-{length}")
    refused_with("bad_markable", send, "judge", markable=f"phrase:0-{length + 1}")


def test_marking_is_refused_if_project_forbids_it(coding, send, project):
    set_coder_marked_levels(project, [])
    refused_with("unknown_markable", send, "judge", markable=PUT, category="none")


def test_forty_marks_take_at_most_eighteen_queries(coding, alice, django_assert_max_num_queries):
    batch = [change("judge", markable=f"phrase:{place}-{place + 2}", category="none") for place in range(40)]
    read_scheme(coding.text.project_id)
    with django_assert_max_num_queries(18):
        operations.apply(coding, alice, 0, batch)


def test_deletion_removes_mark_its_judgement_and_pointers_to_it(coding, send, keys):
    send("judge", markable=PUT, category="none")
    send("judge", markable=keys["c"], category="phrase", pointers=[PUT, keys["a"]])
    send("unmark", markable=PUT)
    assert judgement_of(coding, PUT) is None
    assert judgement_of(coding, keys["c"])["pointers"] == [keys["a"]]
    assert PUT not in keys_seen(coding)


def test_second_deletion_is_accepted(coding, send):
    send("judge", markable=PUT)
    send("unmark", markable=PUT)
    assert send("unmark", markable=PUT) == 3


def test_judgement_of_deleted_mark_marks_it_again(coding, send):
    send("judge", markable=PUT, category="none")
    send("unmark", markable=PUT)
    send("judge", markable=PUT, category="place")
    assert judgement_of(coding, PUT)["category"] == "place"


def test_predefined_markables_are_not_deleted_or_moved(send, keys):
    refused_with("given", send, "unmark", markable=keys["a"])
    refused_with("given", send, "move", markable=keys["a"], to=PUT)


def test_deleted_mark_is_no_unit(coding, send, project, codings):
    send("judge", markable=PUT, category="none")
    send("unmark", markable=PUT)
    for submitted in codings.values():
        submit_coding(submitted, submitted.coder)
    answers, keys = read_answers(project), {markable.pk: markable.key for markable in coding.text.markables.all()}
    units = {keys[unit] for unit in answers.columns.units["key"].tolist()}
    assert PUT not in units
    assert units


@pytest.mark.parametrize(("kind", "more"), [("unmark", {}), ("move", {"to": WIDER})])
def test_deletion_and_move_keep_marks_of_other_coders(codings, send, keys, kind, more):
    for coding in codings.values():
        judge(coding, OWN, "none")
        judge(coding, keys["c"], "phrase", OWN)
    send(kind, markable=OWN, **more)
    assert judgement_of(codings["bob"], OWN)["category"] == "none"
    assert judgement_of(codings["bob"], WIDER) is None
    assert judgement_of(codings["bob"], keys["c"])["pointers"] == [OWN]


def test_moving_edge_keeps_judgement_and_pointers(coding, send, keys):
    send("judge", markable=OWN, category="phrase", pointers=[keys["a"]], note="hm", unsure=True)
    send("judge", markable=keys["c"], category="phrase", pointers=[OWN])
    send("move", markable=OWN, to=WIDER)
    assert judgement_of(coding, OWN) is None
    moved = judgement_of(coding, WIDER)
    assert (moved["pointers"], moved["note"], moved["unsure"]) == ([keys["a"]], "hm", True)
    assert judgement_of(coding, keys["c"])["pointers"] == [WIDER]


@pytest.mark.parametrize(
    ("markable", "to", "code"),
    [
        ("phrase:0-2", PUT, "unknown_markable"),
        (OWN, "phrase:4-14", "already_marked"),
        *((OWN, bad, "bad_markable") for bad in ("phrase:9-9", "turn:8-17")),
    ],
)
def test_bad_move_is_refused(coding, send, markable, to, code):
    send("judge", markable=OWN, category="none")
    refused_with(code, send, "move", markable=markable, to=to)
    assert judgement_of(coding, OWN)["category"] == "none"


def test_batch_of_moves_is_checked_at_its_end(coding, alice, keys):
    batch = [
        change("judge", markable=OWN),
        change("judge", markable=keys["b"], category="phrase", pointers=[OWN]),
        change("move", markable=OWN, to="phrase:33-38"),
        change("move", markable="phrase:33-38", to=WIDER),
    ]
    with pytest.raises(OperationRejected) as refused:
        operations.apply(coding, alice, 0, batch[:3])
    assert (refused.value.code, refused.value.position) == ("points_later", 2)
    assert operations.apply(coding, alice, 0, batch) == 4
    assert judgement_of(coding, keys["b"])["pointers"] == [WIDER]


def test_request_limits_pointers_that_follow_moves(coding, alice, keys, monkeypatch):
    monkeypatch.setattr(operations, "MAX_MOVED_POINTERS", 5)
    pointing = [change("judge", markable=keys[label], category="phrase", pointers=[OWN]) for label in "cd"]
    operations.apply(coding, alice, 0, [change("judge", markable=OWN), *pointing])
    there, back = {"markable": OWN, "to": WIDER}, {"markable": WIDER, "to": OWN}
    with pytest.raises(OperationRejected) as refused:
        operations.apply(coding, alice, 3, [change("move", **move) for move in (there, back, there)])
    assert (refused.value.code, refused.value.position) == ("too_many_operations", None)
    assert operations.apply(coding, alice, 3, [change("move", **move) for move in (there, back)]) == 5


@pytest.mark.slow
def test_moves_take_time_linear_in_pointers(alice):
    most, first, wider = 4_000, "phrase:0-1", "phrase:0-3"
    codings = {count: with_pointers_to(first, alice, count) for count in (most, most // FACTOR)}

    def move(count: int) -> None:
        coding = codings[count]
        coding.refresh_from_db()
        there, back = {"markable": first, "to": wider}, {"markable": wider, "to": first}
        operations.apply(coding, alice, coding.version, [change("move", **move) for move in (there, back, there, back)])

    assert_grows_with_input(move, most)


def with_pointers_to(target: str, coder: User, count: int) -> Coding:
    """Return a coding of the person in which `count` markables point to the target."""
    coding = start_coding(coder, f"pointers-{count}", "poesio-artstein-2005", "x " * (count + 2))
    project = coding.text.project
    set_coder_marked_levels(project, project.levels.filter(key="phrase"))
    keys = [f"phrase:{2 * place}-{2 * place + 1}" for place in range(2, count + 2)]
    for batch in batched(keys, operations.MAX_OPERATIONS):
        pointing = [change("judge", markable=key, category="phrase", pointers=[target]) for key in batch]
        operations.apply(coding, coder, coding.version, pointing)
        coding.refresh_from_db()
    return coding


def test_batch_applies_marks_and_answers_in_order(coding, alice, keys):
    batch = [
        change("judge", markable=OWN, category="none"),
        change("move", markable=OWN, to=WIDER),
        change("judge", markable=keys["c"], category="phrase", pointers=[WIDER]),
        change("unmark", markable=WIDER),
        change("judge", markable=PUT, category="none"),
    ]
    assert operations.apply(coding, alice, 0, batch) == 5
    assert set(judgements_of(coding)) == {keys["c"], PUT}
    assert judgement_of(coding, keys["c"])["pointers"] == []


def test_head_lies_within_markable(coding, send, keys):
    send("judge", markable=keys["a"], category="none", head=[[8, 14]])
    assert judgement_of(coding, keys["a"])["head"] == [[8, 14]]
    for head in ([[0, 3]], [[8, 15]], [[8, 8]], [[9, 8]], [[4, 10], [12, 18]]):
        refused_with("bad_head", send, "judge", markable=keys["a"], category="none", head=head)


def test_move_removes_parts_of_head_outside_new_words(coding, send):
    send("judge", markable=WIDER, head=[[8, 14], [15, 17]])
    send("move", markable=WIDER, to=OWN)
    assert judgement_of(coding, OWN)["head"] == [[8, 14]]


def test_head_and_name_belong_to_one_coder(codings, send, keys):
    send("judge", markable=keys["a"], category="none", head=[[8, 14]], name="Kettle")
    judge(codings["bob"], keys["a"], "none")
    assert judgement_of(codings["bob"], keys["a"])["head"] == []
    assert judgement_of(codings["bob"], keys["a"])["name"] == ""


def test_long_name_is_refused(send, keys):
    refused_with("name_too_long", send, "judge", markable=keys["a"], name="x" * 201)


def test_log_stores_step_and_undone_step(coding, alice, keys):
    step, taken_back = uuid4(), uuid4()
    payload = {"markable": keys["a"], "category": "none"}
    first = operations.Change(uuid4(), "judge", payload, step=step, undoes=taken_back)
    operations.apply(coding, alice, 0, [first])
    assert list(coding.operations.values_list("step", "undoes")) == [(step, taken_back)]
    with pytest.raises(operations.VersionConflict) as stale:
        operations.apply(coding, alice, 0, [change("judge", **payload)])
    assert (stale.value.missed[0]["step"], stale.value.missed[0]["undoes"]) == (step, taken_back)


def test_new_project_allows_marking_on_coded_levels(alice):
    project = create_project("own", "Own", SCHEMES["poesio-artstein-2005"], coders_mark=True)
    assert dict(project.levels.values_list("key", "coders_mark")) == {"phrase": True, "turn": False}


def test_coders_never_mark_target_levels(project):
    set_coder_marked_levels(project, project.levels.all())
    assert dict(project.levels.values_list("key", "coders_mark")) == {"phrase": True, "turn": False}


def test_text_without_markables_is_coded_if_coders_mark(alice):
    coding = start_coding(alice, "bare", "poesio-artstein-2005", "Nobody has marked anything here.")
    set_coder_marked_levels(coding.text.project, coding.text.project.levels.filter(coded=True))
    judge(coding, "phrase:0-6", "none")
    [found] = Coding.objects.of_people().filter(pk=coding.pk).with_progress()
    assert (found.decided, found.to_decide) == (1, 1)
    assert Judgement.objects.count() == Operation.objects.count() == 1


def mark_many(coding, count):
    """Mark up to `count` phrases that nobody else has marked."""
    level, text = coding.text.project.levels.get(key="phrase"), coding.text
    spans = [(start, end) for start in range(len(text.content)) for end in range(start + 1, len(text.content))]
    taken = {*text.markables.values_list("start", "end")}
    marks = Markable.objects.bulk_create(
        Markable(text=text, level=level, key=f"phrase:{a}-{b}", parts=[[a, b]], start=a, end=b, predefined=False)
        for a, b in spans[1:count]
        if (a, b) not in taken
    )
    Judgement.objects.bulk_create(Judgement(coding=coding, markable=mark) for mark in marks)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite counts what it does")
def test_marks_of_others_do_not_slow_reading_of_own_coding(project, codings, django_assert_num_queries):
    bob = Coding.objects.of_people().select_related("text__docset", "coder").get(pk=codings["bob"].pk)
    own = Coding.objects.of_people().filter(coder=bob.coder)
    reading = [lambda: coding_state(bob, project), lambda: list(own.all().with_progress())]
    for work in reading:
        work()  # queries are compiled once
    before = [count_steps(work) for work in reading]
    mark_many(codings["alice"], 1000)
    after = [count_steps(work) for work in reading]
    assert all(now <= then + 2 for now, then in zip(after, before, strict=True)), (before, after)


def test_coding_state_lists_markables_seen_by_coder(project, codings):
    judge(codings["alice"], PUT, "none")
    for coding in codings.values():
        read = Coding.objects.of_people().select_related("text__docset", "coder").get(pk=coding.pk)
        in_order = Markable.objects.seen_in(coding.pk, coding.text_id).values_list("key", flat=True)
        assert [markable["key"] for markable in coding_state(read, project)["markables"]] == list(in_order)
        assert (PUT in keys_seen(coding)) == (coding == codings["alice"])
