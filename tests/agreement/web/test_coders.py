"""The page of the coders: who agrees with whom, and how each works."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.reports.basis import pick_texts
from agreement.reports.coders import coders as reports
from agreement.reports.coders.profiles import compute_profiles, seconds_per_judgement
from agreement.reports.parameters import default_preset
from annotations.coding.status import submit_coding
from tests.conftest import judge
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, hand_in, links, table
from tests.shared.work import work_by_text

URL = "/projects/walk/agreement/coders/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters
THREE = ("alice", "bob", "carol")


@pytest.fixture
def walk(charlie):
    return answer(coded_project("walk", "poesio-artstein-2005", WALK, WALK + ".", coders=THREE))


def expected(matrix):
    return [digits(*(matrix.value(a, b) for b in matrix.coders)) for a in matrix.coders]


@pytest.mark.parametrize("measure", reports.MEASURES)
def test_each_pair_has_each_measure_to_the_last_digit(signed_in, charlie, walk, measure):
    matrix = reports.compute_pair_matrix(read_answers(walk), replace(CONVENTION, distance="nominal"), measure)
    page = signed_in(charlie).get(URL, {"measure": measure, "distance": "nominal"}).content.decode()
    assert figures(page, "matrix") == expected(matrix)
    assert [row[0] for row in table(page, "matrix")] == list(matrix.coders)
    assert len(figures(page, "matrix")[0]) == 2


def test_the_page_opens_with_the_projects_coefficient(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    assert figures(page, "matrix") == expected(reports.compute_pair_matrix(read_answers(walk), CONVENTION))


@pytest.mark.parametrize("asked", [{}, {"distance": "dice"}, {"texts": "text-1"}, {"coders": "alice,carol"}])
def test_each_coder_has_the_figures_of_the_reports(signed_in, charlie, walk, asked):
    page = signed_in(charlie).get(URL, asked).content.decode()
    found = read_answers(walk)
    parameters = replace(CONVENTION, **asked)
    matrix, rest = reports.compute_pair_matrix(found, parameters), reports.leave_out_each_coder(found, parameters)
    profiles = {one.coder: one for one in compute_profiles(found, parameters)}
    without = reports.intervals_without_each_coder(found, parameters)
    selected = found.select((), filter(None, parameters.coders.split(",")))
    seconds = seconds_per_judgement(selected, pick_texts(selected, parameters), work_by_text(walk).activities)
    rows = []
    for part in rest.parts:
        one = profiles[part.name]
        rows.append(
            digits(
                part.result.value,
                without[part.name].low,
                without[part.name].high,
                part.change,
                one.n_judgements,
                one.n_ambiguous,
                one.mean_chain,
                one.mean_link,
                seconds[one.coder],
            )
        )
    assert figures(page, "each") == rows
    rest_rows = [digits(matrix.against_rest(name), len(matrix.of_coder(name))) for name in matrix.coders]
    assert figures(page, "rest") == rest_rows
    assert [row[0] for row in table(page, "each")] == sorted(profiles)


def test_categories_are_counted_by_coder(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = read_answers(walk)
    profiles = compute_profiles(found, CONVENTION)
    used = [name for name in found.categories if any(one.categories[name] for one in profiles)]
    rows = figures(page, "bias")
    assert [row[::3] for row in rows] == [digits(*(one.categories[name] for name in used)) for one in profiles]
    shares = [[one.categories[name] / one.n_judgements for name in used] for one in profiles]
    assert [row[1::3] for row in rows] == [digits(*share) for share in shares]
    for column in range(len(used)):
        assert sum(float(row[3 * column + 2]) for row in rows) == pytest.approx(0, abs=1e-12)


def test_categories_that_meet_are_counted(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL).content.decode()
    found = read_answers(walk)
    counts = reports.count_agreeing_coders(found, CONVENTION)
    assert {one.n_coders for one in counts} == {3}
    assert figures(page, "agreed") == [digits(*one.units[::-1]) for one in counts if one.category]
    assert figures(page, "agreed_at_least") == [digits(*(one.at_least(k) for k in (3, 2, 1))) for one in counts]
    assert figures(page, "confusion") == [digits(*row) for row in reports.confusion_matrix(found, CONVENTION).tolist()]


def test_links_keep_the_parameters_and_the_measure(signed_in, charlie, walk):
    page = signed_in(charlie).get(URL, {"distance": "dice", "measure": "lea"}).content.decode()
    for target in ("agreement/?", "coders/alice/bob/?", "measure=muc", "&as=csv"):
        assert links(page, target)
        assert all("distance=dice" in one for one in links(page, target))
    assert all("measure=lea" in one for one in links(page, "as="))
    assert '<input type="hidden" name="measure" value="lea">' in page


def test_scores_of_chains_need_chains(signed_in, charlie):
    answer(coded_project("walk", "sortal-classes", WALK))
    client = signed_in(charlie)
    assert not links(client.get(URL).content.decode(), "measure=muc")
    reply = client.get(URL, {"measure": "muc"})
    assert (reply.status_code, "<p>measure: " in reply.content.decode()) == (400, True)


def test_a_single_coder_has_the_time_of_judgements(signed_in, charlie):
    answer(coded_project("walk", "poesio-artstein-2005", WALK, coders=("alice",)))
    page = signed_in(charlie).get(URL).content.decode()
    assert "Two coders are needed" in page
    assert [row[0] for row in table(page, "times")] == ["alice"]


def test_without_answers_it_says_what_to_do(signed_in, charlie):
    coded_project("walk", "poesio-artstein-2005", WALK)
    page = signed_in(charlie).get(URL).content.decode()
    assert "Two coders are needed" in page
    assert "No answers yet." in page
    assert 'class="button" href="/projects/walk/"' in page


def test_of_one_coder_it_says_who(signed_in, charlie):
    project = coded_project("walk", "poesio-artstein-2005", WALK)
    coding = project.texts.get().codings.of_people().get(coder__username="bob")
    judge(coding, coding.text.markables.first().key, "none")
    assert "No coding is submitted by the selected coders yet" in signed_in(charlie).get(URL).content.decode()
    submit_coding(coding, coding.coder)
    assert "Only bob has submitted a coding" in signed_in(charlie).get(URL).content.decode()


def test_one_coder_can_be_chosen(signed_in, charlie, walk):
    reply = signed_in(charlie).get(URL, {"coders": "carol"})
    assert reply.status_code == 200
    assert "Only carol" in reply.content.decode()


@pytest.mark.parametrize("measure", ["coefficient", "cohen_kappa", "link_kappa", "b_cubed"])
def test_coders_who_share_no_text_have_a_place(signed_in, charlie, measure):
    project = coded_project("walk", "poesio-artstein-2005", WALK, WALK)
    for name, slug in (("alice", "text-1"), ("bob", "text-2")):
        coding = project.texts.get(slug=slug).codings.of_people().get(coder__username=name)
        for key in coding.text.markables.filter(level__coded=True).values_list("key", flat=True):
            judge(coding, key, "none")
    hand_in(project)
    for asked in ({}, {"texts": "text-1"}):
        reply = signed_in(charlie).get(URL, asked | {"measure": measure})
        assert reply.status_code == 200
        assert "table-matrix" in reply.content.decode()
