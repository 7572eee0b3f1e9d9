"""The page of what each choice does to the number."""

import pytest

from agreement.extract import extract
from agreement.parameters import Parameters, opening, presets_for
from agreement.reports import methods
from agreement.reports.basis import effective, interval_of
from tests.agreeing import (
    KINDS,
    LOOKERS,
    ODD,
    WALK,
    WRONG,
    answer,
    coded_project,
    costs,
    digits,
    figures,
    links,
    table,
)

URL = "/projects/walk/agreement/compare/"
CONVENTION = opening("poesio-artstein-2005", "pointers")


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + "."))


def expected(changes):
    return [digits(one.interval.value, one.interval.low, one.interval.high, one.moved) for one in changes]


@pytest.mark.parametrize("asked", [{}, {"distance": "dice"}, {"coefficient": "gwet_ac1", "missing": "drop"}])
def test_every_choice_has_the_figures_of_the_report_to_the_last_digit(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    changes = methods.compare(extract(walk), Parameters(**asked) if asked else CONVENTION)
    assert figures(page, "compare") == expected(changes)
    assert len(changes) > 5
    assert table(page, "compare")[0][0] == "as it is"


def test_every_convention_has_its_value_and_what_its_paper_prints(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = extract(walk)
    presets = presets_for("pointers")
    intervals = [interval_of(found, effective(found, preset.parameters)) for preset in presets]
    assert figures(page, "presets") == [digits(one.value, one.low, one.high) for one in intervals]
    for row, preset in zip(table(page, "presets"), presets, strict=True):
        assert (row[0], row[4], row[5]) == (preset.label, preset.published, preset.where)


def test_a_choice_leads_to_the_number_that_it_makes(signed_in, charlie, walk):
    client = signed_in(charlie)
    page = client.get(URL, {"thirds": "rounded"}).content.decode()
    for row, line in zip(figures(page, "compare"), page.split('id="table-compare"')[1].split("<tr>")[2:], strict=False):
        [address] = links(line, "../")
        seen = client.get(URL.replace("compare/", address[3:])).content.decode()
        assert f'id="value"><data value="{row[0]}">' in seen


def test_links_keep_the_parameters(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"texts": "text-2"}).content.decode()
    for target in ("agreement/?", "grid/?", "methods/?", "coders/?", "&as=latex"):
        assert links(page, target)
        assert all("texts=text-2" in one for one in links(page, target))


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_parameter_gets_400_its_name_and_the_projects_convention(signed_in, charlie, walk, name, value):
    reply = signed_in(charlie).get(URL, {name: value})
    page = reply.content.decode()
    assert reply.status_code == 400
    assert f"<p>{name}: " in page
    assert figures(page, "compare") == expected(methods.compare(extract(walk), CONVENTION))


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["coders", "distance", "page", "x"])
def test_odd_values_do_no_harm(signed_in, charlie, walk, name, odd):
    reply = signed_in(charlie).get(URL, {name: odd})
    assert reply.status_code in (200, 400)
    assert b"<script>1" not in reply.content


@pytest.mark.parametrize(("role", "status"), LOOKERS)
def test_who_sees_results_sees_the_comparison(signed_in, people, role, status):
    assert signed_in(people[role]).get("/projects/tea/agreement/compare/").status_code == status


def test_the_comparison_is_only_read(signed_in, charlie, walk):
    assert signed_in(charlie).post(URL).status_code == 405


def test_the_comparison_costs_the_same_queries_at_any_size(signed_in, charlie):
    small, large = costs(signed_in(charlie), "agreement/compare/")
    assert small == large <= 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answered", [False, True])
def test_every_kind_of_scheme_has_its_comparison(signed_in, charlie, kind, answered):
    project = coded_project("walk", kind, WALK)
    if answered:
        answer(project)
    reply = signed_in(charlie).get(URL)
    assert reply.status_code == 200
    page = reply.content.decode()
    assert any(figures(page, "compare")) == answered
    assert ("Take the unit out" in page.partition('id="table-compare"')[2]) == (
        project.answers != "categories" and opening(project.preset, project.answers).is_alpha
    )
