"""The page of the coders: who agrees with whom, and how each works."""

import pytest

from agreement.extract import extract
from agreement.parameters import Parameters, opening
from agreement.reports import coders as reports
from agreement.reports.basis import texts_of
from agreement.reports.course import seconds_a_judgement
from annotations.timing import work_of
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
from tests.conftest import judge

URL = "/projects/walk/agreement/coders/"
CONVENTION = opening("poesio-artstein-2005", "pointers")
THREE = ("alice", "bob", "carol")


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=THREE))


def expected(matrix):
    return [digits(*(matrix.value(a, b) for b in matrix.coders)) for a in matrix.coders]


@pytest.mark.parametrize("measure", reports.MEASURES)
def test_each_pair_has_each_measure_to_the_last_digit(signed_in, charlie, walk, measure):
    matrix = reports.matrix(extract(walk), Parameters(), measure)
    page = signed_in(charlie).get(URL, {"measure": measure, "distance": "nominal"}).content.decode()
    assert figures(page, "matrix") == expected(matrix)
    assert [row[0] for row in table(page, "matrix")] == list(matrix.coders)
    assert len(figures(page, "matrix")[0]) == 2


def test_the_page_opens_with_the_projects_coefficient(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    assert figures(page, "matrix") == expected(reports.matrix(extract(walk), CONVENTION))


@pytest.mark.parametrize("asked", [{}, {"distance": "dice"}, {"texts": "text-1"}, {"coders": "alice,carol"}])
def test_each_coder_has_the_figures_of_the_reports(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    found = extract(walk)
    parameters = Parameters(**asked) if asked else CONVENTION
    matrix, rest = reports.matrix(found, parameters), reports.without_each(found, parameters)
    profiles = {one.coder: one for one in reports.profiles(found, parameters)}
    rows = []
    for part in rest.parts:
        one = profiles[part.name]
        rows.append(
            digits(
                part.result.value,
                part.change,
                one.n_judgements,
                one.n_ambiguous,
                one.mean_chain,
                one.mean_link,
                seconds_a_judgement(texts_of(found, parameters), one.coder, work_of(walk)),
            )
        )
    assert figures(page, "each") == rows
    assert figures(page, "rest") == [digits(matrix.against_rest(name)) for name in matrix.coders]
    assert [row[0] for row in table(page, "each")] == sorted(profiles)


def test_categories_are_counted_by_coder(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = extract(walk)
    profiles = reports.profiles(found, CONVENTION)
    used = [name for name in found.categories if any(one.categories[name] for one in profiles)]
    rows = figures(page, "bias")
    assert [row[::3] for row in rows] == [digits(*(one.categories[name] for name in used)) for one in profiles]
    shares = [[one.categories[name] / one.n_judgements for name in used] for one in profiles]
    assert [row[1::3] for row in rows] == [digits(*share) for share in shares]
    for column in range(len(used)):
        assert sum(float(row[3 * column + 2]) for row in rows) == pytest.approx(0, abs=1e-12)


def test_categories_that_meet_are_counted(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = extract(walk)
    n, counts = reports.agreed_by(found, CONVENTION)
    assert n == 3
    assert figures(page, "agreed") == [digits(*row) for row in counts.values()]
    assert figures(page, "confusion") == [digits(*row) for row in reports.confusion(found, CONVENTION).tolist()]


def test_links_keep_the_parameters_and_the_measure(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"distance": "dice", "measure": "lea"}).content.decode()
    for target in ("agreement/?", "coders/alice/bob/?", "measure=muc", "&as=csv"):
        assert links(page, target)
        assert all("distance=dice" in one for one in links(page, target))
    assert all("measure=lea" in one for one in links(page, "as="))
    assert '<input type="hidden" name="measure" value="lea">' in page


@pytest.mark.parametrize(("name", "value"), [*WRONG, ("measure", "ghost"), ("measure", "\x00")])
def test_a_wrong_parameter_gets_400_its_name_and_the_projects_convention(signed_in, charlie, walk, name, value):
    reply = signed_in(charlie).get(URL, {"distance": "dice", "measure": "muc"} | {name: value})
    page = reply.content.decode()
    assert reply.status_code == 400
    assert f"<p>{name}: " in page
    assert figures(page, "matrix") == expected(reports.matrix(extract(walk), CONVENTION))


def test_an_empty_measure_is_none(signed_in, charlie, walk):
    assert signed_in(charlie).get(URL, {"measure": ""}).status_code == 200


def test_scores_of_chains_need_chains(signed_in, charlie):
    answer(coded_project("walk", "sortal-classes", WALK))
    client = signed_in(charlie)
    assert not links(client.get(URL).content.decode(), "measure=muc")
    reply = client.get(URL, {"measure": "muc"})
    assert (reply.status_code, "<p>measure: " in reply.content.decode()) == (400, True)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", ["measure", "coders", "page", "x"])
def test_odd_values_do_no_harm(signed_in, charlie, walk, name, odd):
    reply = signed_in(charlie).get(URL, {name: odd})
    assert reply.status_code in (200, 400)
    assert b"<script>1" not in reply.content


@pytest.mark.parametrize(("role", "status"), LOOKERS)
def test_who_sees_results_sees_the_coders(signed_in, people, role, status):
    assert signed_in(people[role]).get("/projects/tea/agreement/coders/").status_code == status


def test_the_coders_are_only_read(signed_in, charlie, walk):
    assert signed_in(charlie).post(URL).status_code == 405


def test_the_coders_cost_the_same_queries_at_any_size(signed_in, charlie):
    small, large = costs(signed_in(charlie), "agreement/coders/")
    assert small == large <= 11


def test_without_answers_it_says_what_to_do(signed_in, charlie):
    coded_project("walk", "poesio-artstein-2005", WALK)
    page = signed_in(charlie).get(URL).content.decode()
    assert "Two coders are needed" in page
    assert "Nobody has answered anything yet." in page
    assert 'class="button" href="/projects/walk/"' in page


def test_of_one_coder_it_says_who(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK)
    coding = project.texts.get().codings.get(coder__username="bob")
    judge(coding, coding.text.markables.first().key, "none")
    assert "Only bob has answered anything" in signed_in(charlie).get(URL).content.decode()


def test_one_coder_can_be_chosen(signed_in, charlie, walk):
    reply = signed_in(charlie).get(URL, {"coders": "carol"})
    assert reply.status_code == 200
    assert "Only carol" in reply.content.decode()


@pytest.mark.parametrize("measure", ["coefficient", "cohen_kappa", "link_kappa", "b_cubed"])
def test_coders_who_share_no_text_have_a_place(signed_in, charlie, measure):
    project = coded_project("walk", "poesio-artstein-2005", WALK, WALK)
    for name, slug in (("alice", "text-1"), ("bob", "text-2")):
        coding = project.texts.get(slug=slug).codings.get(coder__username=name)
        for key in coding.text.markables.filter(level__coded=True).values_list("key", flat=True):
            judge(coding, key, "none")
    for asked in ({}, {"texts": "text-1"}):
        reply = signed_in(charlie).get(URL, asked | {"measure": measure})
        assert reply.status_code == 200
        assert "table-matrix" in reply.content.decode()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answered", [False, True])
def test_every_kind_of_scheme_has_its_coders(signed_in, charlie, kind, answered):
    project = coded_project("walk", kind, WALK)
    if answered:
        answer(project)
    for measure in reports.measures_for(project.answers):
        reply = signed_in(charlie).get(URL, {"measure": measure})
        assert reply.status_code == 200
        assert any(figures(reply.content.decode(), "matrix")) == answered
