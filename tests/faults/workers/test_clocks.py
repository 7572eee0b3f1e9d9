"""Wrong clocks of coders' machines and of the server."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from annotations.coding.active_time import IDLE_THRESHOLD, active_time, read_work
from annotations.coding.judgements import judgements_of
from annotations.coding.log.replay import log_mismatches
from annotations.core.processes.progress import LOST_AFTER
from annotations.models import Coding, Membership, Transfer
from annotations.projects.people import invitations
from annotations.projects.people.tokens import create_token, find_token
from annotations.transfers import orders
from tests.shared.agreeing import hand_in
from tests.shared.coding import judge

OPERATIONS = "/api/v1/projects/tea/texts/tea/coding/operations/"
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
# As coders' machines may have them: never set, far ahead, far behind, of the other end of the world, or none.
ABSURD = (
    "1970-01-01T00:00:07Z",
    "2126-03-02T12:00:00Z",
    "1601-01-01T00:00:00Z",
    "9998-12-31T23:59:59.999999Z",
    "2026-03-02T12:00:00+14:00",
    None,
)

type Clock = Callable[[datetime], None]


@pytest.fixture
def server_clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a function that sets the server's clock; from then on the clock stands still."""

    def set_to(moment: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: moment)

    return set_to


def sent(client: Client, version: int, markable: str, made_at: str | None) -> tuple[int, dict]:
    payload = {"markable": markable, "category": "none", "pointers": []}
    operation = {"uuid": str(uuid4()), "kind": "judge", "payload": payload, "made_at": made_at}
    sent = {"version": version, "operations": [operation]}
    reply = client.post(OPERATIONS, sent, content_type="application/json")
    return reply.status_code, reply.json()


def assert_pages_answer(client: Client, *pages: str) -> None:
    assert {page: client.get(f"/projects/tea/{page}").status_code for page in pages} == dict.fromkeys(pages, 200)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Auckland", "America/Los_Angeles"])
def test_log_order_ignores_clocks_of_coders(project, codings, keys, alice, charlie, signed_in, settings, zone):
    settings.TIME_ZONE = zone
    client = signed_in(alice)
    for version, made_at in enumerate(ABSURD):
        assert sent(client, version, keys["abcdef"[version]], made_at) == (200, {"version": version + 1})
    log = client.get(OPERATIONS).json()["results"]
    assert [entry["sequence"] for entry in log] == list(range(1, len(ABSURD) + 1))
    assert [entry["payload"]["markable"] for entry in log] == [keys[label] for label in "abcdef"]
    state = client.get("/api/v1/projects/tea/texts/tea/coding/").json()
    assert 0 <= state["coding"]["seconds"] <= IDLE_THRESHOLD.total_seconds() * (len(ABSURD) - 1)
    for coding in codings.values():  # so that there is something to compare
        judge(coding, keys["a"], "none")
    hand_in(project)
    pages = ("", "agreement/", "agreement/course/", "agreement/coders/", "agreement/coders/alice/bob/")
    assert_pages_answer(signed_in(charlie), *pages)
    coding = Coding.objects.of_people().get(pk=codings["alice"].pk)
    assert list(log_mismatches(coding)) == []


@pytest.mark.parametrize(
    "made_at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "+010000-01-01T00:00:00Z", "yesterday", 7]
)
def test_invalid_time_is_refused(codings, keys, alice, signed_in, made_at):
    status, body = sent(signed_in(alice), 0, keys["a"], made_at)
    assert (status, body["code"]) == (400, "invalid")
    assert not codings["alice"].operations.exists()


def test_active_time_is_bounded():
    draw = random.Random(1)
    for _ in range(200):
        spread = draw.choice([10, 3600, 86_400, 10**9])
        moments = [NOON + timedelta(seconds=draw.uniform(-spread, spread)) for _ in range(draw.randint(1, 30))]
        spent = active_time(moments)
        assert timedelta() <= spent <= IDLE_THRESHOLD * (len(moments) - 1)
        assert spent <= max(moments) - min(moments)


def test_clock_set_back_keeps_log_order_and_active_time(project, codings, keys, alice, server_clock):
    coding, times = codings["alice"], [NOON, NOON - timedelta(days=400), NOON + timedelta(minutes=1), NOON]
    for label, moment in zip("abca", times, strict=True):
        server_clock(moment)
        judge(coding, keys[label], "place" if moment == NOON else "none")
    coding.refresh_from_db()
    log = coding.operations.order_by("sequence").values_list("sequence", "applied_at", "payload__markable")
    assert list(log) == [
        (place, moment, keys[label]) for place, (label, moment) in enumerate(zip("abca", times, strict=True), start=1)
    ]
    assert judgements_of(coding)[keys["a"]]["category"] == "place"
    assert coding.active_time == timedelta(seconds=60)
    [work] = read_work(project).activities.values()
    assert (work.seconds, work.operations, work.first, work.last) == (60, 4, min(times), max(times))
    assert list(log_mismatches(coding)) == []


def test_pages_work_after_clock_is_set_back(project, codings, keys, charlie, signed_in, server_clock):
    now = timezone.now()
    moments = [now, now - timedelta(days=20_000), now]
    for moment, coding, label in zip(moments, [*codings.values(), codings["alice"]], "aab", strict=True):
        server_clock(moment)
        judge(coding, keys[label], "none")
    server_clock(now)
    hand_in(project)
    assert_pages_answer(signed_in(charlie), "", "agreement/", "agreement/course/", "agreement/coders/")


def test_key_expires_by_server_clock(alice, server_clock):
    server_clock(NOON)
    _, secret = create_token(alice, "notebook", "read", 1)
    for moment, holds in (
        (NOON + timedelta(hours=23), True),
        (NOON + timedelta(days=1), False),
        (NOON - timedelta(days=30), True),  # set back: it has not ended yet
        (NOON + timedelta(days=400), False),
    ):
        server_clock(moment)
        assert (find_token(secret) is not None) is holds


def test_invitation_expires_by_server_clock(project, charlie, mallory, server_clock):
    server_clock(NOON)
    invitation, secret = invitations.invite(project, "coder", charlie, days=2)
    server_clock(NOON + timedelta(days=2))
    assert invitations.find_invitation(secret) is None
    with pytest.raises(ValidationError, match="has been used or has expired"):
        invitations.accept(invitation, mallory)
    server_clock(NOON + timedelta(days=1))
    invitations.accept(invitation, mallory)
    assert Membership.objects.filter(project=project, user=mallory).exists()
    assert invitations.find_invitation(secret) is None  # once, whatever the clock


def test_transfer_fails_only_with_heartbeat_far_off(project, charlie):
    """A heartbeat of next year was written while the clock was ahead."""
    made = orders.order_export(project, charlie, "jsonlines", {"unfinished": True})
    minute = timedelta(seconds=60)
    for ahead, state, error in (
        (minute - LOST_AFTER, Transfer.State.RUNNING, ""),
        (LOST_AFTER - minute, Transfer.State.RUNNING, ""),
        (timedelta(days=365), Transfer.State.FAILED, orders.LOST_MESSAGE),
    ):
        Transfer.objects.update(state=Transfer.State.RUNNING, total=1, heartbeat_at=timezone.now() + ahead)
        made.refresh_from_db()
        orders.mark_if_lost(made)
        assert (made.state, made.error) == (state, error)
