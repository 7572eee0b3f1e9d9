"""Rows written past the ORM are those that the ORM would write."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from annotations.core.database import bulk
from annotations.core.database.bulk import delete, insert, update, upsert
from annotations.models import Judgement, Markable, Operation, Pointer

FIELDS = ["coding", "markable", "category", "optional", "unsure", "note", "name", "head", "scheme_version"]


@pytest.fixture
def alices(codings):
    return codings["alice"]


@pytest.fixture
def rows(alices, text):
    """Return the values of a judgement of each markable, with primary keys of coding, markable and category."""
    category = alices.text.project.categories.get(key="none")
    return [
        (alices.pk, one.pk, category.pk, False, True, f"% {one.key} %s", "", [[one.start, one.end]], 1)
        for one in Markable.objects.filter(text=text)
    ]


@transaction.atomic
def delete_and_check(keys):
    delete(Judgement, "id", keys)
    connection.check_constraints()


def kept(alices):
    return list(Judgement.objects.filter(coding=alices).order_by("pk").values_list(*FIELDS))


def test_rows_that_are_not_there_are_inserted_and_their_keys_given(alices, rows):
    found = upsert(Judgement, FIELDS, rows, unique=["coding", "markable"])
    assert sorted(kept(alices)) == sorted(rows)
    assert found == {(one.coding_id, one.markable_id): one.pk for one in Judgement.objects.filter(coding=alices)}


def test_rows_that_are_there_are_changed_and_keep_their_keys(alices, rows):
    before = upsert(Judgement, FIELDS, rows[:2], unique=["coding", "markable"])
    others = [(*row[:5], "other", *row[6:]) for row in rows]
    after = upsert(Judgement, FIELDS, reversed(others), unique=["coding", "markable"])
    assert sorted(kept(alices)) == sorted(others)
    assert before.items() < after.items()


def test_more_rows_than_a_statement_takes_are_written_by_several(alices, rows, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(bulk, "MAX_ROWS", 2)
    with django_assert_num_queries(-(-len(rows) // 2)):
        found = upsert(Judgement, FIELDS, rows, unique=["coding", "markable"])
    assert len(found) == len(rows) == len(kept(alices))


def test_nothing_to_write_asks_nothing(alices, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert upsert(Judgement, FIELDS, [], unique=["coding", "markable"]) == {}


def test_a_row_against_a_constraint_is_refused_as_by_the_orm(alices, rows):
    with pytest.raises(IntegrityError):
        upsert(Judgement, FIELDS, [(*rows[0][:5], None, *rows[0][6:])], unique=["coding", "markable"])


@pytest.mark.parametrize("step", [None, uuid4()])
def test_moments_identifiers_and_json_are_read_again_as_they_were(alices, step):
    moment, uuid = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC), uuid4()
    payload = {"nested": [1, 2.5, None, "\u00e9\U0001f600 %s"], "empty": []}
    columns = [
        "coding",
        "sequence",
        "uuid",
        "kind",
        "payload",
        "user",
        "made_at",
        "applied_at",
        "step",
        "scheme_version",
    ]
    row = (alices.pk, 1, uuid, "judge", payload, alices.coder_id, None, moment, step, 1)
    insert(Operation, columns, [row, (*row[:1], 2, uuid4(), "clear", [], *row[5:])])
    first, second = Operation.objects.filter(coding=alices).order_by("sequence")
    assert (first.uuid, first.payload, first.made_at, first.applied_at, first.step) == (
        uuid,
        payload,
        None,
        moment,
        step,
    )
    assert (second.payload, second.applied_at) == ([], moment)


def test_one_row_is_updated_with_values_converted_for_the_database(alices, rows):
    first, second, *_ = upsert(Judgement, FIELDS, rows, unique=["coding", "markable"]).values()
    update(Judgement, first, note="'; % %s", head=[[1, 2]], optional=True)
    changed = Judgement.objects.get(pk=first)
    assert (changed.note, changed.head, changed.optional, changed.unsure) == ("'; % %s", [[1, 2]], True, True)
    assert Judgement.objects.get(pk=second).optional is False


def test_rows_are_deleted_by_the_values_of_a_field_more_than_one_statement_takes(alices, rows, monkeypatch):
    monkeypatch.setattr(bulk, "MAX_KEYS", 2)
    first, second, third, *others = upsert(Judgement, FIELDS, rows, unique=["coding", "markable"]).values()
    delete(Judgement, "id", [first, second, third])
    assert set(alices.judgements.values_list("pk", flat=True)) == set(others)
    delete(Judgement, "id", [])
    assert alices.judgements.count() == len(others)


def test_rows_that_others_refer_to_are_not_deleted(alices, rows, text):
    keys = list(upsert(Judgement, FIELDS, rows, unique=["coding", "markable"]).values())
    relation = text.project.relations.first()
    Pointer.objects.create(judgement_id=keys[0], relation=relation, target=text.markables.first())
    with pytest.raises(IntegrityError):
        delete_and_check(keys[:1])
