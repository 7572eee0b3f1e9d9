"""Forecasts of the number of texts, against the library."""

import pytest
from django.core.management import CommandError, call_command

from agreement.data.reading import read_answers
from agreement.measures import alpha, forecast, interval
from agreement.reports.basis import compute_interval, select_data
from agreement.reports.fields import as_json
from agreement.reports.request import resolve
from agreement.results.planning import MARGINS, Targets, plan_size
from annotations.coding.status import reopen_coding
from annotations.models import Project
from tests.shared.agreeing import WALK, answer, coded_project, coding_of, convention

URL = "/projects/walk/agreement/planning/"
API = "/api/v1/projects/walk/agreement/planning/"


@pytest.fixture(scope="module")
def walk_rows(module_rows) -> int:
    contents = [f"{WALK} {words(3 + 2 * number)}" for number in range(6)]
    return answer(coded_project("walk", "poesio-artstein-2005", *contents, coders=("alice", "bob", "carol"))).pk


@pytest.fixture
def walk(walk_rows, charlie) -> Project:
    return Project.objects.get(pk=walk_rows)


def words(n):
    return " ".join(f"[w{number}](m{number})" for number in range(n))


def texts_for(report):
    return {name: getattr(report.targets, name).texts for name in ("margin", "bound", "difference")}


def data_of(project, **asked):
    return select_data(*resolve(read_answers(project), convention(project, **asked)))


@pytest.mark.parametrize("sample", ["groups", "both"])
def test_figures_equal_library(signed_in, charlie, walk, sample):
    found = forecast(data_of(walk), alpha, "passonneau", sample=sample)
    report = plan_size(read_answers(walk), convention(walk), Targets(0.03, 0.3, 0.05, 0.9, sample))
    assert texts_for(report) == {
        "margin": found.documents_for_margin(0.03),
        "bound": found.documents_above(0.3, 0.9),
        "difference": found.documents_for_difference(0.05, 0.9),
    }
    for size in report.sizes:
        assert (size.low, size.high) == pytest.approx(found.bounds(size.texts), abs=1e-9)
        assert size.power_above == pytest.approx(found.power_above(0.3, size.texts))
        assert size.power_of_difference == pytest.approx(found.power_of_difference(0.05, size.texts))
        assert size.extrapolated == (size.texts > 6)
    asked = {"margin": "0.03", "bound": ".3", "difference": "0.05", "power": "0.9", "sample": sample}
    answered = signed_in(charlie).get(API, asked).json()
    assert answered["sizes"] == as_json(report)["sizes"]
    assert answered["targets"] == as_json(report)["targets"]


def test_forecast_for_current_texts_equals_interval(walk):
    answers, parameters = resolve(read_answers(walk), convention(walk))
    found, shown = plan_size(answers, parameters, Targets()), compute_interval(answers, parameters)
    here = next(size for size in found.sizes if size.texts == 6)
    assert (here.low, here.high, here.extrapolated) == (shown.low, shown.high, False)
    assert found.margin == (shown.high - shown.low) / 2


def test_coders_as_sample_have_interval_of_library(walk):
    report = plan_size(read_answers(walk), convention(walk), Targets(sample="both"))
    both = interval(data_of(walk), alpha, "passonneau", sample="both")
    assert (report.low, report.high) == pytest.approx((both.low, both.high))
    assert [row.coders for row in report.coders] == [3, 4, 5, 6, 8, 13]
    found = forecast(data_of(walk), alpha, "passonneau", sample="both")
    for row in report.coders:
        assert [margin.texts for margin in row.margins] == [6, 12, 24]
        assert [m.margin for m in row.margins] == pytest.approx([found.margin(n, row.coders) for n in (6, 12, 24)])
    assert report.coders[0].margins[0].margin == pytest.approx((both.high - both.low) / 2)


def test_default_targets_are_next_margin_and_passed_bound(walk):
    report = plan_size(read_answers(walk), convention(walk), Targets())
    assert report.targets.margin.value == next(margin for margin in MARGINS if margin <= 0.9 * report.margin)
    assert (report.targets.bound.value < report.value) == (report.targets.bound.texts is not None)


@pytest.mark.parametrize("coefficient", ["fleiss_kappa", "gwet_ac1", "beta"])
def test_coefficient_with_interval_has_forecast(walk, coefficient):
    parameters = convention(walk, coefficient=coefficient, chains="none")
    report = plan_size(read_answers(walk), parameters, Targets())
    shown = compute_interval(*resolve(read_answers(walk), parameters))
    assert report.margin == pytest.approx((shown.high - shown.low) / 2)
    assert report.targets.margin.texts > 6


@pytest.mark.parametrize(
    ("n", "coders", "sample", "note"),
    [
        (1, ("alice", "bob"), "groups", "no forecast: all is in one document"),
        (2, ("alice", "bob"), "groups", "no interval: it takes 3 texts"),
        (4, ("alice", "bob"), "both", "no interval: it takes 3 coders"),
    ],
)
def test_page_and_api_explain_missing_forecast(signed_in, charlie, n, coders, sample, note):
    answer(coded_project("few", "sortal-classes", *[words(20 + 3 * i) for i in range(n)], coders=coders))
    api = signed_in(charlie).get(API.replace("walk", "few"), {"sample": sample}).json()
    assert api["note"].startswith(note)
    assert (api["low"], api["margin"], api["sizes"], api["targets"]["margin"]["texts"]) == (None, None, [], None)
    page = signed_in(charlie).get(URL.replace("walk", "few"), {"sample": sample}).content.decode()
    assert "There is no forecast yet" in page
    assert note.replace("document", "text")[1:] in page


def test_sample_of_coders_needs_all_texts(signed_in, charlie, walk):
    reopen_coding(coding_of("text-1", "alice"), charlie)
    api = signed_in(charlie).get(API, {"sample": "both"}).json()
    assert api["note"].startswith("no forecast of coders: 'alice' has not coded 'text-1';")


@pytest.mark.parametrize(
    ("field", "value"),
    [("margin", "0"), ("margin", "x"), ("bound", "1"), ("difference", "nan"), ("power", "1e999"), ("sample", "coders")],
)
def test_error_names_field_of_impossible_target(signed_in, charlie, walk, field, value):
    reply = signed_in(charlie).get(API, {field: value})
    assert (reply.status_code, list(reply.json()["errors"])) == (400, [field])
    with pytest.raises(CommandError):
        call_command("agreement", "walk", "--report", "planning", f"--{field}={value}")
