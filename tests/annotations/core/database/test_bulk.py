"""Bulk inserts write the rows that the ORM would write."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError

from annotations.core.database.bulk import insert
from annotations.models import Coding, Judgement, Markable, Operation

FIELDS = ["coding", "markable", "category", "optional", "unsure", "note", "name", "head", "scheme_version"]


@pytest.fixture
def alice_coding(codings):
    return codings["alice"]


@pytest.fixture
def rows(alice_coding, text):
    """Return the values of a judgement of each markable, with primary keys of coding, markable and category."""
    category = alice_coding.text.project.categories.get(key="none")
    return [
        (alice_coding.pk, mark.pk, category.pk, False, True, f"% {mark.key} %s", "", [[mark.start, mark.end]], 1)
        for mark in Markable.objects.filter(text=text)
    ]


def test_rows_are_inserted(alice_coding, rows):
    insert(Judgement, FIELDS, rows)
    assert sorted(Judgement.objects.filter(coding=alice_coding).values_list(*FIELDS)) == sorted(rows)


def test_insert_refuses_row_that_breaks_constraint(alice_coding, rows):
    with pytest.raises(IntegrityError):
        insert(Judgement, FIELDS, [(*rows[0][:5], None, *rows[0][6:])])


def test_inserted_duration_is_read_unchanged(alice_coding, bob):
    spent = timedelta(days=1, microseconds=7)
    columns = ["text", "coder", "kind", "round", "occasion", "status", "version", "corrections", "place", "by_model"]
    values = (alice_coding.text_id, bob.pk, "text", alice_coding.round_id, 2, "open", 0, 0, 0, False)
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    insert(Coding, [*columns, "created_at", "reopen_request", "active_time"], [(*values, moment, "", spent)])
    assert Coding.objects.of_people().get(coder=bob, occasion=2).active_time == spent


@pytest.mark.parametrize("step", [None, uuid4()])
def test_inserted_times_uuids_and_json_are_read_unchanged(alice_coding, step):
    moment, uuid = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC), uuid4()
    payload = {"nested": [1, 2.5, None, "\u00e9\U0001f600 %s"], "empty": []}
    columns = ["coding", "sequence", "uuid", "kind", "payload", "user", "made_at", "applied_at", "step"]
    columns.append("scheme_version")
    row = (alice_coding.pk, 1, uuid, "judge", payload, alice_coding.coder_id, None, moment, step, 1)
    insert(Operation, columns, [row, (*row[:1], 2, uuid4(), "clear", [], *row[5:])])
    first, second = Operation.objects.filter(coding=alice_coding).order_by("sequence")
    assert (first.uuid, first.payload, first.made_at) == (uuid, payload, None)
    assert (first.applied_at, first.step) == (moment, step)
    assert (second.payload, second.applied_at) == ([], moment)
