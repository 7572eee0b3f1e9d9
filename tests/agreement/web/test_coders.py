"""The page of the coders: who agrees with whom, and how each works."""

from dataclasses import replace

import pytest

from agreement.data.reading import read_answers
from agreement.reports.basis import pick_texts
from agreement.reports.coders import coders as reports
from agreement.reports.coders.profiles import compute_profiles, seconds_per_judgement
from agreement.reports.parameters import default_preset
from tests.shared.agreeing import WALK, answer, coded_project, digits, figures, table
from tests.shared.work import work_by_text

URL = "/projects/walk/agreement/coders/"
CONVENTION = default_preset("poesio-artstein-2005", "pointers").parameters


@pytest.mark.parametrize(
    ("measure", "asked"),
    [("coefficient", {}), ("lea", {"texts": "text-1"}), ("cohen_kappa", {"coders": "alice,carol"})],
)
def test_each_coder_has_the_figures_of_the_reports(signed_in, charlie, walk, measure, asked):
    page = signed_in(charlie).get(URL, asked | {"measure": measure}).content.decode()
    found = read_answers(walk)
    parameters = replace(CONVENTION, **asked)
    matrix = reports.compute_pair_matrix(found, parameters, measure)
    rest = reports.leave_out_each_coder(found, parameters)
    profiles = {one.coder: one for one in compute_profiles(found, parameters)}
    without = reports.intervals_without_each_coder(found, parameters)
    selected = found.select((), filter(None, parameters.coders.split(",")))
    seconds = seconds_per_judgement(selected, pick_texts(selected, parameters), work_by_text(walk).activities)
    rows = []
    for part in rest.parts:
        one = profiles[part.name]
        rest_of = part.result.value, without[part.name].low, without[part.name].high, part.change
        own = one.n_judgements, one.n_ambiguous, one.mean_chain, one.mean_link, seconds[one.coder]
        rows.append(digits(*rest_of, *own))
    assert figures(page, "each") == rows
    assert figures(page, "matrix") == [digits(*(matrix.value(a, b) for b in matrix.coders)) for a in matrix.coders]
    assert [row[0] for row in table(page, "matrix")] == list(matrix.coders)
    rest_rows = [digits(matrix.against_rest(name), len(matrix.of_coder(name))) for name in matrix.coders]
    assert figures(page, "rest") == rest_rows
    assert [row[0] for row in table(page, "each")] == sorted(profiles)


def test_categories_are_counted_by_coder_and_by_how_many_agree(signed_in, charlie, walk):
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
    counts = reports.count_agreeing_coders(found, CONVENTION)
    assert figures(page, "agreed") == [digits(*one.units[::-1]) for one in counts if one.category]
    assert figures(page, "agreed_at_least") == [digits(*(one.at_least(k) for k in (3, 2, 1))) for one in counts]
    assert figures(page, "confusion") == [digits(*row) for row in reports.confusion_matrix(found, CONVENTION).tolist()]


def test_of_one_coder_it_says_who(signed_in, charlie, walk):
    client = signed_in(charlie)
    assert "Only carol has submitted a coding" in client.get(URL, {"coders": "carol"}).content.decode()
    answer(coded_project("alone", "poesio-artstein-2005", WALK, coders=("alice",)))
    page = client.get("/projects/alone/agreement/coders/").content.decode()
    assert "Two coders are needed" in page
    assert [row[0] for row in table(page, "times")] == ["alice"]
