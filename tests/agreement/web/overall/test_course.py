"""The page of agreement and work over time."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.reports.parameters import default_preset
from agreement.results import course as reports
from annotations.models import Operation
from annotations.planning.rounds import move_to_round
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, table
from tests.shared.work import work_by_text

URL = "/projects/walk/agreement/course/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    project = answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", "[Ann](a) saw [her](b)"))
    move_to_round(project, project.texts.filter(slug="text-2"), "pilot")
    return project.pk


def expected(project, parameters, by):
    stages = reports.compute_stages(read_answers(project), parameters, by, work_by_text(project).activities)
    return {
        "stages": [
            digits(len(row.texts), row.interval.value, row.interval.low, row.interval.high, row.interval.result.n_units)
            for row in stages
        ],
        "coders": [digits(*(stage.against_rest[name] for name in ("alice", "bob"))) for stage in stages],
        "seconds": [digits(*(stage.seconds[name] for name in ("alice", "bob"))) for stage in stages],
    }


@pytest.mark.parametrize("by", reports.GROUPINGS)
def test_stages_show_figures_of_report(signed_in, charlie, walk, by):
    page = signed_in(charlie).get(URL, {"by": by, "distance": "dice"}).content.decode()
    rows = expected(walk, replace(CONVENTION, distance="dice"), by)
    assert {key: figures(page, key) for key in rows} == rows
    assert len(rows["stages"]) == {"round": 2, "week": 1, "operations": 3}[by]
    assert any(rows["seconds"])
    assert by != "round" or {row[0] for row in table(page, "stages")} == {"pilot", "main"}


def test_page_counts_texts_without_work_in_log(signed_in, charlie, walk):
    client = signed_in(charlie)
    assert "without work in the log" not in client.get(URL).content.decode()
    Operation.objects.filter(coding__text__slug="text-3").delete()
    for by in ("week", "operations"):
        page = client.get(URL, {"by": by}).content.decode()
        assert "Left out: 1 text without work" in page
    assert "without work in the log" not in client.get(URL, {"by": "round"}).content.decode()


def test_project_without_log_has_stages_by_round_only(signed_in, charlie, walk):
    Operation.objects.all().delete()
    client = signed_in(charlie)
    assert len(table(client.get(URL).content.decode(), "stages")) == 2  # it opens by round
    counts = {by: len(table(client.get(URL, {"by": by}).content.decode(), "stages")) for by in reports.GROUPINGS}
    assert counts == {"round": 2, "week": 0, "operations": 0}
    assert not any(figures(client.get(URL, {"by": "round"}).content.decode(), "seconds"))
