"""Answers of large projects are read by a worker, while pages and the API wait."""

import pytest
from django.core.management import call_command

from agreement.data import reading
from agreement.data.reading import forget_answers
from agreement.models import Computation, FiguresVersion, StoredAnswers
from agreement.results import computations
from tests.shared.agreeing import WALK, answer, coded_project

PAGE = "/projects/tea/agreement/"


@pytest.fixture
def project(db, run_worker, monkeypatch):
    """Make a project whose answers are too many for a request."""
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 600_000)
    monkeypatch.setattr(reading, "MIN_STORED", 1)
    monkeypatch.setattr(reading, "MAX_READ_IN_REQUEST", 5)
    monkeypatch.setattr(reading, "READ_AT_ONCE", 2)
    return answer(coded_project("tea", "poesio-artstein-2005", WALK, f"{WALK} twice", f"{WALK} again"))


@pytest.mark.parametrize("page", ["", "headline/", "items/", "coders/"])
def test_pages_wait_for_worker_and_show_same_figures(project, run_worker, signed_in, charlie, monkeypatch, page):
    client = signed_in(charlie)
    with monkeypatch.context() as patched:
        patched.setattr(reading, "MAX_READ_IN_REQUEST", 1000)
        at_once = client.get(f"{PAGE}{page}").content.decode()
    FiguresVersion.increase(project.pk)
    forget_answers()
    waiting = client.get(f"{PAGE}{page}")
    assert waiting.status_code == 200
    assert "Computing." in waiting.content.decode()
    run_worker()
    assert StoredAnswers.objects.count() == project.texts.count()
    again = client.get(f"{PAGE}{page}").content.decode()
    first, second = (html.partition("<main")[2].partition("</main>")[0] or html for html in (at_once, again))
    assert first == second


@pytest.mark.parametrize("address", ["", "items/", "tables/coders/", "tables/texts/texts/"])
def test_api_sends_retry_after_while_reading(project, run_worker, signed_in, charlie, address):
    client = signed_in(charlie)
    refused = client.get(f"/api/v1{PAGE}{address}")
    assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (503, "5", "still_computing")
    assert client.get(f"/api/v1{PAGE}{address}").status_code == 503
    assert Computation.objects.count() == 1
    run_worker()
    assert client.get(f"/api/v1{PAGE}{address}").status_code == 200


def test_comparison_reads_both_projects(project, run_worker, signed_in, charlie):
    other = answer(coded_project("coffee", "poesio-artstein-2005", WALK, f"{WALK} twice", f"{WALK} again"))
    client = signed_in(charlie)
    address = "/api/v1/projects/tea/agreement/compare/?by=project&first=tea&second=coffee"
    for _ in range(2):
        assert client.get(address).status_code == 503
        run_worker()
    assert client.get(address).status_code == 200
    assert set(Computation.objects.values_list("project__slug", flat=True)) == {"tea", "coffee"}
    assert StoredAnswers.objects.filter(project=other).count() == 3


def test_page_shows_failure_of_worker_and_retries(project, run_worker, signed_in, charlie, monkeypatch):
    client = signed_in(charlie)
    client.get(PAGE)
    with monkeypatch.context() as patched:
        patched.setattr(computations, "store_answers", lambda *_, **__: 1 / 0)
        run_worker()
    page = client.get(PAGE).content.decode()
    assert "It could not be computed." in page
    assert "hx-trigger" not in page.partition("<main")[2]
    client.get(PAGE)
    run_worker()
    assert "It could not be computed." not in client.get(PAGE).content.decode()


def test_download_sends_retry_after_while_reading(project, run_worker, signed_in, charlie):
    refused = signed_in(charlie).get(PAGE, {"as": "csv", "table": "distances"})
    assert (refused.status_code, refused["Retry-After"]) == (503, "5")


def test_command_reads_without_worker(project, run_worker, capsys):
    call_command("agreement", "tea")
    assert "alpha" in capsys.readouterr().out.lower()
    assert not Computation.objects.exists()


def test_page_reads_few_new_answers_itself(project, run_worker, signed_in, charlie, monkeypatch):
    client = signed_in(charlie)
    client.get(PAGE)
    run_worker()
    StoredAnswers.objects.filter(text=project.texts.first()).delete()
    forget_answers()
    assert "Computing." not in client.get(PAGE).content.decode()
