"""The command of the worker: what it is told, and what does not end it."""

from __future__ import annotations

import logging

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError

from annotations.core.heartbeat import LOST_AFTER
from annotations.management.commands import db_worker

ONCE = ["db_worker", "--batch", "--no-startup-delay", "--interval=0"]


@pytest.fixture(autouse=True)
def queue(db, settings, monkeypatch):
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    # a worker begins with a connection of its own, but here it works in the transaction of the test
    monkeypatch.setattr("django_tasks_db.management.commands.db_worker.close_old_connections", lambda: None)


def raise_error(error):
    def prune():
        raise error

    return prune


def test_what_cannot_be_deleted_does_not_end_the_worker_and_is_in_the_log(monkeypatch, caplog):
    monkeypatch.setattr(db_worker, "prune", raise_error(PermissionError("a file")))
    call_command(*ONCE, verbosity=0)
    [told] = [one for one in caplog.records if one.name == db_worker.__name__ and one.levelno == logging.ERROR]
    assert told.exc_info is not None
    assert told.exc_info[0] is PermissionError


def test_a_database_that_does_not_answer_is_for_whoever_starts_again(monkeypatch):
    monkeypatch.setattr(db_worker, "prune", raise_error(OperationalError("gone")))
    with pytest.raises(OperationalError):
        call_command(*ONCE, verbosity=0)


@pytest.mark.parametrize("seconds", ["901", "0", "-1", "nan", "inf", "x"])
def test_a_worker_that_others_would_take_for_dead_does_not_start(seconds):
    with pytest.raises(CommandError, match="stuck-after"):
        call_command(*ONCE, f"--stuck-after={seconds}", verbosity=0)


def test_a_worker_may_be_silent_until_it_is_taken_for_dead():
    call_command(*ONCE, f"--stuck-after={LOST_AFTER.total_seconds()}", verbosity=0)
