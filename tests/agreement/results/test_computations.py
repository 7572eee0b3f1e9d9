"""Long computations are done by a worker."""

import subprocess
import sys
from datetime import timedelta

import pytest
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from agreement.models import Computation
from agreement.results import computations
from agreement.results.grid import Grid
from annotations.coding.status import reopen_coding
from annotations.core.processes.heartbeat import host_name
from annotations.core.processes.queue import fail_lost_tasks
from annotations.planning.rounds import move_to_round
from tests.shared.agreeing import decide_gold, hand_in, judge_again
from tests.shared.coding import close_gold, judge

URL = "/projects/tea/agreement/{}/"
KINDS = {"grid": "grid", "compare": "compare", "coders": "matrix", "course": "coders"}  # pages, and a table of each


@pytest.fixture
def judged(project, codings, keys):
    for coding in codings.values():
        judge(coding, keys["a"], "none")
        judge(coding, keys["c"], "phrase", keys["a"])
    judge(codings["alice"], keys["d"], "phrase", keys["a"])
    judge(codings["bob"], keys["d"], "place")
    hand_in(project)


@pytest.mark.parametrize("page", KINDS)
def test_page_waits_for_worker_and_shows_same_rows(signed_in, charlie, judged, monkeypatch, settings, page, run_worker):
    client, address = signed_in(charlie), URL.format(page)
    asked = {"as": "json", "table": KINDS[page], "distance": "masi"}
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 10**9)
    at_once = client.get(address, asked).json()
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 0)
    waiting = client.get(address, {"distance": "masi"})
    assert waiting.status_code == 200
    assert "Computing." in waiting.content.decode()
    refused = client.get(address, asked)
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")
    assert Computation.objects.count() == 1
    run_worker()
    assert client.get(address, asked).json() == at_once
    assert "Computing." not in client.get(address, {"distance": "masi"}).content.decode()
    assert Computation.objects.count() == 1


def test_progress_part_shows_progress_and_reloads_page(signed_in, charlie, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    computation = Computation.objects.get()
    part = f"/projects/tea/agreement/computations/{computation.pk}/"
    Computation.objects.update(done=2, total=6)
    answer = client.get(part)
    assert 'value="2" max="6"' in answer.content.decode()
    assert "HX-Refresh" not in answer
    run_worker()
    assert client.get(part)["HX-Refresh"] == "true"


def test_progress_part_explains_how_to_start_worker(signed_in, charlie, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    part = f"/projects/tea/agreement/computations/{Computation.objects.get().pk}/"
    assert "db_worker" not in client.get(part).content.decode()
    Computation.objects.update(created_at=timezone.now() - timedelta(seconds=11))
    assert "manage.py db_worker" in client.get(part).content.decode()


def test_worker_uses_answers_at_time_of_computing(signed_in, charlie, codings, keys, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    ordered = Computation.objects.get().state
    judge_again(codings["alice"], keys["e"], "place")
    run_worker()
    assert Computation.objects.get().state != ordered
    page = client.get(URL.format("grid")).content.decode()
    assert 'id="table-grid"' in page
    assert "answers have changed since" not in page


def test_changed_gold_recomputes_figures(signed_in, charlie, project, keys, judged, run_worker):
    client, asked = signed_in(charlie), {"as": "json", "table": "accuracy"}
    [gold, *_] = decide_gold(project, "alice")
    client.get(URL.format("gold"))
    run_worker()
    before = client.get(URL.format("gold"), asked).json()["rows"]
    reopen_coding(gold, charlie)
    judge(gold, keys["d"], "place")
    close_gold(gold)
    Computation.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
    client.get(URL.format("gold"))
    run_worker()
    after = client.get(URL.format("gold"), asked).json()["rows"]
    assert [row["coder"] for row in before] == [row["coder"] for row in after]
    assert before[0]["accuracy"] == 1 > after[0]["accuracy"]


def test_page_shows_old_figures_while_recomputing(signed_in, charlie, codings, keys, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    run_worker()
    before = client.get(URL.format("grid"), {"as": "json", "table": "grid"}).json()
    judge_again(codings["alice"], keys["e"], "place")
    judge_again(codings["bob"], keys["e"], "none")
    lately = client.get(URL.format("grid")).content.decode()
    assert "answers have changed since" in lately
    assert "Computing." not in lately
    assert Computation.objects.count() == 1
    Computation.objects.update(finished_at=timezone.now() - timedelta(minutes=2))
    later = client.get(URL.format("grid")).content.decode()
    assert "answers have changed since" in later
    assert "Computing." in later
    assert 'id="table-grid"' in later
    run_worker()
    after = client.get(URL.format("grid"), {"as": "json", "table": "grid"}).json()
    assert after != before
    assert "answers have changed since" not in client.get(URL.format("grid")).content.decode()


def test_moving_text_to_round_changes_state(signed_in, charlie, project, judged, run_worker):
    client, asked = signed_in(charlie), {"rounds": "pilot"}
    move_to_round(project, project.texts.all(), "pilot")
    client.get(URL.format("grid"), asked)
    run_worker()
    states = {Computation.objects.get().state}
    move_to_round(project, project.texts.all(), "main")
    client.get(URL.format("grid"))
    run_worker()
    states |= set(Computation.objects.values_list("state", flat=True))
    assert len(states) == 2


def test_new_program_version_recomputes_figures(signed_in, charlie, judged, run_worker, monkeypatch):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    run_worker()
    monkeypatch.setattr(computations, "VERSION_MARK", "next")
    page = client.get(URL.format("grid")).content.decode()
    assert "Computing." in page
    assert 'id="table-grid"' not in page


def test_failed_computation_is_shown_once_and_retried(signed_in, charlie, judged, run_worker, monkeypatch):
    def fails(page, request):
        raise RuntimeError("out of luck")

    client = signed_in(charlie)
    with monkeypatch.context() as broken:
        broken.setattr(Grid, "build", fails)
        client.get(URL.format("grid"))
        run_worker()
    page = client.get(URL.format("grid")).content.decode()
    assert "It could not be computed." in page
    assert 'hx-trigger="every 1s"' not in page
    assert Computation.objects.count() == 0
    assert "Computing." in client.get(URL.format("grid")).content.decode()
    run_worker()
    assert 'id="table-grid"' in client.get(URL.format("grid")).content.decode()


def test_computation_of_dead_worker_is_restarted(signed_in, charlie, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    before = Computation.objects.get().pk
    client.get(URL.format("grid"))
    assert Computation.objects.get().pk == before
    part = f"/projects/tea/agreement/computations/{before}/"
    long_ago = timezone.now() - timedelta(hours=2)
    Computation.objects.update(heartbeat_at=long_ago)
    assert "HX-Refresh" not in client.get(part)  # it waits in the queue
    DBTaskResult.objects.update(status="RUNNING", started_at=long_ago)
    assert client.get(part)["HX-Refresh"] == "true"
    client.get(URL.format("grid"))
    assert Computation.objects.get().pk != before


def test_lost_task_restarts_computation_at_once(signed_in, charlie, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    before = Computation.objects.get().pk
    DBTaskResult.objects.update(
        status="RUNNING", started_at=timezone.now(), worker_ids=[f"{host_name()}.{dead_pid()}.a"]
    )
    assert fail_lost_tasks({}) == 1
    assert client.get(f"/projects/tea/agreement/computations/{before}/")["HX-Refresh"] == "true"
    client.get(URL.format("grid"))
    assert Computation.objects.get().pk != before


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_finish_time_in_future_recomputes_figures(signed_in, charlie, codings, keys, judged, run_worker):
    client = signed_in(charlie)
    client.get(URL.format("grid"))
    run_worker()
    judge_again(codings["alice"], keys["e"], "place")
    Computation.objects.update(finished_at=timezone.now() + timedelta(days=1))
    assert "Computing." in client.get(URL.format("grid")).content.decode()


def test_project_keeps_latest_computations_only(signed_in, charlie, judged, run_worker, monkeypatch):
    monkeypatch.setattr(computations, "MAX_STORED", 2)
    client = signed_in(charlie)
    for distance in ("masi", "dice", "jaccard"):
        client.get(URL.format("compare"), {"distance": distance})
    assert [row.parameters["distance"] for row in Computation.objects.order_by("pk")] == ["dice", "jaccard"]


def test_wrong_measure_is_replaced_by_default(signed_in, charlie, judged, run_worker):
    assert signed_in(charlie).get(URL.format("coders"), {"measure": "ghost"}).status_code == 400
    assert [row.own for row in Computation.objects.all()] == [{}]
