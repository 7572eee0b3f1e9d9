"""A worker stores the sums of a project after submissions: one order at a time, and none inside a coder's save."""

import pytest

from agreement.data.extract.reading import clear_cache
from agreement.data.storage import store
from agreement.models import StoredSums, SumsOrder
from agreement.sections import stored_sums
from annotations.coding.decisions import OperationRejected
from annotations.coding.status import reopen_coding, submit_coding
from annotations.models import Coding, Operation
from tests.shared.agreeing import WALK, answer, coded_project

CODERS = ("alice", "bob")


@pytest.fixture
def project(db, monkeypatch):
    for module in (store, stored_sums):
        monkeypatch.setattr(module, "LEAST_TEXTS", 1)
    clear_cache()
    return answer(coded_project("tea", "poesio-artstein-2005", WALK, f"{WALK} twice", coders=CODERS))


def submit_again(project, callbacks):
    coding = Coding.objects.filter(text__project=project).select_related("coder", "text__project").first()
    reopen_coding(coding, coding.coder)
    with callbacks(execute=True) as called:
        submit_coding(coding, coding.coder)
    return called


def test_a_submission_lets_a_worker_store_what_pages_open_with(project, django_capture_on_commit_callbacks):
    StoredSums.objects.all().delete()
    submit_again(project, django_capture_on_commit_callbacks)
    # summaries, sums of all and of all but each of two coders, distances, the highest items and the days
    assert StoredSums.objects.filter(project=project).count() >= 5
    assert not SumsOrder.objects.exists()


def test_while_an_order_is_pending_there_is_no_other(project, django_capture_on_commit_callbacks, monkeypatch):
    enqueued = []
    monkeypatch.setattr(type(stored_sums.store_sums), "enqueue", lambda self, *arguments: enqueued.append(arguments))
    for _ in range(3):
        submit_again(project, django_capture_on_commit_callbacks)
    assert enqueued == [(project.pk,)]
    assert SumsOrder.objects.get().project == project


def test_a_project_of_few_texts_orders_nothing(project, django_capture_on_commit_callbacks, monkeypatch):
    monkeypatch.setattr(stored_sums, "LEAST_TEXTS", 3)
    StoredSums.objects.all().delete()
    submit_again(project, django_capture_on_commit_callbacks)
    assert not StoredSums.objects.exists()
    assert not SumsOrder.objects.exists()


def test_a_submission_that_is_refused_orders_nothing(project, django_capture_on_commit_callbacks):
    before = Operation.objects.count()
    coding = Coding.objects.filter(text__project=project).select_related("coder").first()
    with django_capture_on_commit_callbacks() as callbacks, pytest.raises(OperationRejected, match="reassigned"):
        submit_coding(coding, coding.text.project.members.exclude(pk=coding.coder_id).first())
    assert (callbacks, Operation.objects.count()) == ([], before)
