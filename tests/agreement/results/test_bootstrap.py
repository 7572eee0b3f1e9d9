"""The bootstrap of a project's coefficient: in the request for few texts, otherwise by a worker."""

import pytest

from agreement.measures import alpha, bootstrap
from agreement.models import Computation
from agreement.reports.basis import select_data
from agreement.reports.request import AnalysisRequest
from agreement.results import computations
from tests.shared.agreeing import WALK, answer, coded_project
from tests.shared.projects import person

PAGE, API = "/projects/walk/agreement/", "/api/v1/projects/walk/agreement/"
ASKED = {"interval": "bootstrap", "distance": "masi"}


@pytest.fixture
def project(db):
    return answer(coded_project("walk", "poesio-artstein-2005", *[WALK] * 4))


@pytest.fixture
def client(signed_in, project):
    return signed_in(person("charlie"))


def rows_of(client) -> list[dict]:
    found: list[dict] = client.get(PAGE, {**ASKED, "as": "json", "table": "bootstrap"}).json()["rows"]
    return found


def test_page_and_api_equal_bootstrap_of_library(client, project):
    request = AnalysisRequest.from_stored(project, {"distance": "masi"}, {})
    found = bootstrap(select_data(request.extract, request.parameters), alpha, "masi", n=2000, seed=0)
    [row] = rows_of(client)
    assert row == client.get(API, ASKED).json()["bootstrap"]
    assert row["low"] == pytest.approx(found.low, abs=1e-12)
    assert row["high"] == pytest.approx(found.high, abs=1e-12)
    assert (row["replicates"], row["by"], row["drawn_from"]) == (2000, found.by, found.n_groups)
    assert "bootstrap" not in client.get(API).json()
    assert "too narrow" not in client.get(PAGE, ASKED).content.decode()
    assert "too narrow" in client.get(PAGE, {**ASKED, "texts": "text-1"}).content.decode()
    assert 'id="table-bootstrap"' not in client.get(PAGE).content.decode()


def test_unknown_interval_is_refused(client):
    refused = client.get(API, {"interval": "bayes"})
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["interval"])
    assert "is not bootstrap" in client.get(PAGE, {"interval": "bayes"}).content.decode()


def test_bootstrap_of_many_texts_waits_for_worker(client, run_worker, monkeypatch):
    monkeypatch.setattr(computations, "MAX_IMMEDIATE_COST", 600_000)
    waiting = client.get(API, ASKED)
    assert (waiting.status_code, waiting["Retry-After"], waiting.json()["code"]) == (503, "5", "still_computing")
    assert "Computing." in client.get(PAGE, ASKED).content.decode()
    [computation] = Computation.objects.all()
    run_worker()
    computation.refresh_from_db()
    assert (computation.done, computation.total) == (2000, 2000)
    assert rows_of(client) == [client.get(API, ASKED).json()["bootstrap"]]
